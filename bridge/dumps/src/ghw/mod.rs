//! GHW dumps, as GHDL writes them.
//!
//! The library `wellen` decodes them. It has all changes in memory before it shows one, and a damaged file may make it
//! panic, so it runs in a thread, which hands events over in batches.

mod declarations;
mod error;
mod promised;
mod reader;
mod sections;

pub use error::GhwError;
pub use reader::Ghw;
