//! Progress of what takes more than a moment, on a terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Before this time, there is nothing to see.
const QUIET: Duration = Duration::from_secs(2);

const STEP: Duration = Duration::from_millis(100);

/// Shows how many bytes are read, from two seconds on.
pub struct Patience {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    follower: Option<JoinHandle<()>>,
}

impl Patience {
    /// Follows `read`, of `size` bytes if that is known.
    pub fn start(read: Arc<AtomicU64>, size: Option<u64>) -> Self {
        let (stop, stopped) = mpsc::channel();
        let follower = thread::spawn(move || {
            if stopped.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = bar(size);
            while stopped.recv_timeout(STEP) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(read.load(Ordering::Relaxed));
            }
            bar.finish_and_clear();
        });
        Self {
            stop: Some(stop),
            follower: Some(follower),
        }
    }
}

fn bar(size: Option<u64>) -> ProgressBar {
    let (bar, template) = match size {
        Some(size) => (
            ProgressBar::new(size),
            "{bar:40} {bytes} of {total_bytes}  {bytes_per_sec}  {eta} left",
        ),
        None => (
            ProgressBar::new_spinner(),
            "{spinner} {bytes} read  {bytes_per_sec}",
        ),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

impl Drop for Patience {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(follower) = self.follower.take() {
            // A follower that panicked has only failed to draw.
            let _ = follower.join();
        }
    }
}
