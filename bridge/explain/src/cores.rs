//! Work that every core takes a share of.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// What comes of each of `all`, in their order; `state` is what a core needs for it.
pub fn of_each<T: Sync, S, R: Send>(
    all: &[T],
    state: impl Fn() -> S + Sync,
    work: impl Fn(&T, &mut S) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let mut found = on_all(|| {
        let (mut state, mut own) = (state(), Vec::new());
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(number) else {
                return own;
            };
            own.push((number, work(one, &mut state)));
        }
    });
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, found)| found).collect()
}
