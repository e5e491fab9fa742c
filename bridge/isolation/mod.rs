//! Designs that may crash run in a process of their own (DUT-42).
//!
//! A Verilated design is native code. One that writes where it may not takes its process with it, and a process that is
//! damaged cannot be trusted to tell. So the command starts itself a second time: the *worker* does what was asked for,
//! the *watcher* waits for it, passes signals on, and has the last word if the worker dies. Between the two there is a
//! folder with the [black box](black_box), into which the worker's designs store how far they are, and the [`Facts`] of
//! the run.

pub mod black_box;
mod death;
mod facts;
mod watcher;
mod worker;

pub use black_box::{at_work, look};
pub use death::{Death, Signal};
pub use facts::{Facts, Replay, facts, tell};
pub use watcher::{Ended, watch};
pub use worker::{WorkerError, enter, is_worker, printed};

/// Names the folder of the watcher to the worker.
const FOLDER: &str = "LOCKSTEP_WATCHED_BY";
/// The file of the facts in it.
const FACTS: &str = "facts.json";
/// The file of the black box in it.
const BLACK_BOX: &str = "black_box";
/// The file in it of what designs print, if the command has no folder for that.
const PRINTED: &str = "design.log";
