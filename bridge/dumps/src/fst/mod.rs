//! FST dumps, as GTKWave, Verilator, Icarus Verilog and NVC write them.
//!
//! The library `fst-reader` decodes the declarations. It trusts the lengths in a file, so these are checked before, and
//! it runs in a thread that a damaged file may end. Blocks of changes are decoded here: the library shows all changes
//! of a block in one go, the digits one by one, also those before the window that is asked for. A thread reads ahead
//! and hands events over in batches, so that a reader can stop and go on.

mod blocks;
mod changes;
pub(crate) mod declarations;
mod error;
mod events;
mod frame;
mod packed;
mod places;
mod reader;
mod unpack;
pub mod write;

pub use error::FstError;
pub use packed::unpacked;
pub use reader::{Alike, Fst};
