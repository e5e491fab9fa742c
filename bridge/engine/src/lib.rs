//! Designs and the golden model side by side, batch by batch.
//!
//! [`dut`] is the interface that every design is behind, [`lockstep`] runs one against the model, [`against`] two
//! against each other, and [`exhaust`] all that narrow widths allow.

pub mod against;
pub mod dut;
pub mod exhaust;
pub mod interrupt;
pub mod lockstep;
pub mod signal;
