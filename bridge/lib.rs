//! Lockstep verification of Arm-style PMUs: a golden model against Verilated RTL, cycle by cycle.
//!
//! `docs/design.md` tells how the parts fit together.

pub mod conform;
