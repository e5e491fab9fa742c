//! Lockstep verification of Arm-style PMUs: a golden model against Verilated RTL, cycle by cycle.
//!
//! This crate is the command line, and all that it is made of under one name. `docs/design.md` tells how the parts fit
//! together.

// Without RTL, some of what writes files is without use.
#[cfg_attr(not(feature = "rtl"), allow(dead_code))]
pub mod cli;
pub mod kit;
pub mod limits;
#[cfg(test)]
mod structure;

pub use lockstep_base::{counted, glob, lines, plain, printable, text_file, verdict};
pub use lockstep_conform as conform;
#[cfg(feature = "rtl")]
pub use lockstep_designs::isolation;
pub use lockstep_dumps::{fst, offline, waves};
pub use lockstep_engine::{against, exhaust, interrupt, lockstep, signal};
pub use lockstep_explain::{diagnosis, hypotheses, location, registers, shrink};
pub use lockstep_regress as regress;
pub use lockstep_report::{self as report, plan, window};
pub use lockstep_scratch as scratch;
pub use lockstep_stimulus::{self as stimulus, implementation_file};

/// Designs: what they are to everything else, and how they are made of RTL.
pub mod dut {
    #[cfg(feature = "rtl")]
    pub use lockstep_designs::*;
    pub use lockstep_engine::dut::*;
}
