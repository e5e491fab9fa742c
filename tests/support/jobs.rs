//! Tests with a `main` of their own: which of their jobs are wanted, and running these on all cores.

use std::env;
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Keeps of `jobs` those whose names contain an argument of the command line; all, if there is none.
///
/// # Returns
/// Whether all were wanted.
pub fn wanted<T>(jobs: &mut Vec<T>, name: impl Fn(&T) -> &str) -> bool {
    let words: Vec<_> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    if !words.is_empty() {
        jobs.retain(|job| words.iter().any(|word| name(job).contains(word.as_str())));
    }
    words.is_empty()
}

/// Does `work` of each of `jobs` on all cores, and has `judge` print what came of it, one at a time.
///
/// # Returns
/// How many were judged to have failed: `judge` returned false.
pub fn run<T: Sync, R>(
    jobs: &[T],
    work: impl Fn(&T) -> R + Sync,
    judge: impl FnMut(&T, R) -> bool + Send,
) -> usize {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let judge = Mutex::new(judge);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(job);
                    let mut judge = judge.lock().expect("judging does not panic");
                    if !judge(job, result) {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                    // A line at a time, where it goes to a file as well.
                    let _ = io::stdout().flush();
                }
            });
        }
    });
    failed.into_inner()
}
