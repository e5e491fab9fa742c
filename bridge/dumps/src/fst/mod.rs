//! FST dumps, as GTKWave, Verilator, Icarus Verilog and NVC write them.
//!
//! The library `fst-reader` decodes them. It trusts the lengths in a file and shows all changes in one go, so here is
//! what it needs around it: lengths are checked before, it runs in a thread that a damaged file may end, and events are
//! handed over in batches, so that a reader can stop and go on.

mod blocks;
pub(crate) mod declarations;
mod error;
mod events;
mod frame;
mod packed;
mod reader;
pub mod write;

pub use error::FstError;
pub use packed::unpacked;
pub use reader::{Alike, Fst};
