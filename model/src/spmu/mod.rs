//! Configuration of a System PMU: the registers that describe it, its Counter Groups, and what software
//! concludes from them (SPMU-01..30).
//!
//! ```
//! use pmu_model::spmu::{Registers, decode};
//!
//! // Example D15-1, with counters of 32 bits.
//! let registers = Registers { spmcfgr: 0x1008_1F09, spmcgcr: [0x0604, 0], ..Registers::default() };
//! let decoded = decode(&registers);
//! assert_eq!(decoded.groups[1].to_string(), "Counter Group 1: 6 counters, SPMEVCNTR32_EL0 to SPMEVCNTR37_EL0");
//! assert!(decoded.problems.is_empty());
//! ```

pub mod access;
pub mod configuration;
pub mod decode;
pub mod discovery;
pub mod groups;
pub mod problem;
pub mod registers;
pub mod storage;

pub use configuration::SystemPmu;
pub use decode::{Decoded, decode};
pub use groups::{CounterGroup, max_counters};
pub use problem::Problem;
pub use registers::Registers;
pub use storage::SystemPmus;
