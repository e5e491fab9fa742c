//! Golden model of Arm's Performance Monitors extension.
//!
//! The model is a deterministic, cloneable value that takes one [`CycleInput`] a Processor cycle and
//! yields one [`CycleOutput`]: what a design must do according to the architecture, given an
//! [`Implementation`] (features, sizes and every choice that the architecture leaves open). What the
//! architecture does not define is told apart in [`Unknown`]. It performs no I/O, allocates nothing per
//! cycle and contains no unsafe code.
//!
//! Rule ids such as `TH-20` are those of the [`rules`] table, which names the architecture's clause for
//! each. Cycle semantics (`DUT-nn`) are stated in `docs/dut-contract.md`.
//!
//! ```
//! use pmu_model::{CycleInput, Implementation, Model, Number, SysReg};
//!
//! let mut model = Model::new(&Implementation::default()).expect("the default is consistent");
//! // Event counter 0 counts event 3; enable it, then let event 3 happen five times in a cycle.
//! model.step_simple(&CycleInput::write(SysReg::Pmevtyper(Number::at::<0>()), 3));
//! model.step_simple(&CycleInput::write(SysReg::Pmcntenset, 1));
//! model.step_simple(&CycleInput::write(SysReg::Pmcr, 1));
//! let mut input = CycleInput { counting_allowed: u32::MAX, ..CycleInput::default() };
//! input.event[3] = 5;
//! let (output, _) = model.step_simple(&input);
//! assert_eq!(output.increment[0], 5);
//! ```
#![forbid(unsafe_code)]

#[cfg(test)]
mod arguments;
pub mod audit;
mod constant;
pub mod contract;
pub mod coverage;
pub mod cycles;
mod design;
pub mod evtyper;
pub mod features;
pub mod implementation;
mod impossible;
mod number;
pub mod plain;
pub mod pmu;
pub mod rules;
pub mod spe;
pub mod spmu;
pub mod sysreg;
pub mod threshold_control;
pub mod trace;
mod wide_number;
pub mod wrapper;

pub use contract::{
    AccessKind, AccessOutcome, CycleInput, CycleOutput, DutParameters, NoAccessOutcome, Unknown,
};
pub use implementation::{Implementation, ImplementationError, Impossible};
pub use number::Number;
pub use pmu::{Model, event_type::EventType};
pub use sysreg::SysReg;
pub use trace::{CycleRecord, NoTracer, Recorder, Tracer};
