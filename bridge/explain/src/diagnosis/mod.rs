//! From the first divergence to its explanation: the last stretch of the run once more, with the traced design
//! and the recording model.

pub mod causes;
pub mod explain;
mod history;
pub mod internals;
pub mod replay;
pub mod words;

pub use explain::Explanation;
pub use replay::{Replay, Reproduction, Window, WindowCycle, replay};
