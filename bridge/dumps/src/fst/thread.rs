//! Where the library runs: in threads of its own, so that a panic in it is an error.

use std::panic;
use std::sync::Once;
use std::thread::{Builder, JoinHandle, current};

/// The name of the threads.
const NAME: &str = "dump-reader";

/// Starts `run` in a thread whose panics are told by who joins it, and by nobody else.
pub(crate) fn spawn<T: Send + 'static>(
    run: impl FnOnce() -> T + Send + 'static,
) -> std::io::Result<JoinHandle<T>> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if current().name() != Some(NAME) {
                others(info);
            }
        }));
    });
    Builder::new().name(NAME.to_owned()).spawn(run)
}

/// What the library found, if it has ended by a panic.
pub(super) const PANICKED: &str = "lengths or places that are not in the file";
