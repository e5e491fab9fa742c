//! Progress on a terminal; silence elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::output;
use crate::dut::BuildEvent;

/// A bar that follows a counter.
pub struct Progress {
    bar: ProgressBar,
    done: Arc<AtomicBool>,
    follower: Option<JoinHandle<()>>,
}

impl Progress {
    /// A bar of `total` things of the name `unit`.
    pub fn new(total: u64, unit: &str, counter: Arc<AtomicU64>) -> Self {
        let bar = ProgressBar::new(total);
        let template =
            format!("{{bar:40}} {{human_pos}} of {{human_len}} {unit}  {{per_sec}}  {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        let done = Arc::new(AtomicBool::new(false));
        let follower = (!bar.is_hidden()).then(|| {
            let (bar, done) = (bar.clone(), Arc::clone(&done));
            thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    bar.set_position(counter.load(Ordering::Relaxed));
                    thread::sleep(Duration::from_millis(100));
                }
            })
        });
        Self {
            bar,
            done,
            follower,
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(follower) = self.follower.take() {
            // A follower that panicked has only failed to draw.
            let _ = follower.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Tells that something takes a while: a moving sign on a terminal, one line elsewhere.
pub struct Busy(ProgressBar);

impl Busy {
    /// Starts.
    pub fn start(what: &str) -> Self {
        let bar = ProgressBar::new_spinner().with_message(what.to_owned());
        if bar.is_hidden() {
            output::tell(&format!("{what}\n"));
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Tells of builds as they go on: one sign at a time, and the warnings about a design once.
#[derive(Default)]
pub struct Building {
    busy: Option<Busy>,
    start: Option<Instant>,
    told: Option<String>,
}

impl Building {
    /// Tells what happens.
    pub fn tell(&mut self, event: BuildEvent<'_>) {
        drop(self.busy.take());
        match event {
            BuildEvent::Starts(what) => {
                self.start.get_or_insert_with(Instant::now);
                self.busy = Some(Busy::start(what));
            }
            BuildEvent::Waits(what) => output::note(&format!(
                "RTL {what}: waits until the lockstep command that is building it has ended"
            )),
            BuildEvent::Damage(damage) => output::note(&damage.to_string()),
            BuildEvent::Warnings(warnings) => {
                let text = warnings.text();
                if self.told.as_ref() != Some(&text) {
                    output::note(text.trim_end());
                }
                self.told = Some(text);
            }
        }
    }

    /// The time since the first build started, if one did.
    pub fn seconds(&self) -> Option<Duration> {
        self.start.map(|start| start.elapsed())
    }
}
