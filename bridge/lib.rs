//! Lockstep verification of Arm-style PMUs: a golden model against Verilated RTL, cycle by cycle.
//!
//! `docs/design.md` tells how the parts fit together.

pub mod against;
pub mod cli;
pub mod conform;
mod counted;
pub mod diagnosis;
pub mod dut;
pub mod exhaust;
pub mod glob;
pub mod hypotheses;
pub mod implementation_file;
#[cfg(feature = "rtl")]
pub mod isolation;
pub mod kit;
pub mod lockstep;
pub mod offline;
mod plain;
pub mod plan;
mod printable;
pub mod registers;
pub mod report;
pub mod shrink;
pub mod stimulus;
#[cfg(test)]
mod structure;
mod text_file;
pub mod verdict;
pub mod waves;
pub mod window;

pub use lockstep_scratch as scratch;
