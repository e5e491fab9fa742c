//! Instances of a design that is loaded.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use verilator_sys::{CreateError, DutLibrary};

use super::VerilatedDut;
use super::open_error::OpenError;
use super::verilated::stop_of;

/// Makes an instance, whatever parameters it has. One that takes longer than `patience` is left to its thread. `loops`
/// are those that Verilator warned of.
pub(super) fn instance(
    library: &DutLibrary,
    traced: bool,
    patience: Duration,
    loops: &[String],
) -> Result<VerilatedDut, OpenError> {
    let (done, made) = channel();
    let library = library.clone();
    thread::spawn(move || {
        // A receiver that is gone has given up.
        let _ = done.send(VerilatedDut::new(&library, traced));
    });
    match made.recv_timeout(patience) {
        Ok(Err(CreateError::Stopped { stop, .. })) => {
            Err(OpenError::Stopped(stop_of(*stop, loops)))
        }
        Ok(made) => Ok(made?.with_loops(loops)),
        Err(_) => Err(OpenError::Hang {
            seconds: patience.as_secs(),
        }),
    }
}
