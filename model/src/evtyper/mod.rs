//! `PMEVTYPER<n>_EL0` as a register of the PE: storage (ETY-01..05), filtering (ETY-20..24), events (ETY-30..32)
//! and accesses (ETY-40..45).
//!
//! Fields and their presence are those of [`crate::pmu::event_type`].
//!
//! ```
//! use pmu_model::evtyper::filter::{ExceptionLevel, ExecutionState, SecurityState, filtered};
//! use pmu_model::Implementation;
//! use pmu_model::evtyper::EventTypeRegister;
//!
//! let configuration = Implementation::default();
//! let mut register = EventTypeRegister::new(0, &configuration);
//! register.write(1 << 31); // P
//! let el1 = ExecutionState::new(ExceptionLevel::El1, SecurityState::Secure);
//! assert!(filtered(register.effective(), el1, &configuration));
//! ```

pub mod access;
pub mod configuration;
pub mod effective_mt;
pub mod events;
pub mod filter;
mod storage;

pub use storage::EventTypeRegister;
pub(crate) use storage::reset_value;
