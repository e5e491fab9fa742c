//! Work that every core takes a share of.

use std::panic::resume_unwind;
use std::thread;

/// Cores that there are.
pub fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// What `work` finds, which every core does once: each takes of what there is to do until nothing is left.
pub fn on_all<T: Send>(work: impl Fn() -> Vec<T> + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let workers: Vec<_> = (1..count()).map(|_| scope.spawn(&work)).collect();
        let mut found = work();
        for worker in workers {
            found.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        found
    })
}
