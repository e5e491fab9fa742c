//! Progress of a suite: one bar on a terminal, some lines elsewhere.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::output;
use crate::lockstep::Verdict;
use crate::regress::record::Record;

/// Without a terminal, time between lines.
const PAUSE: Duration = Duration::from_secs(30);

/// Failures that are told one by one.
const TOLD: usize = 20;

/// Runs that have ended.
pub(super) struct Progress {
    bar: ProgressBar,
    total: usize,
    ended: usize,
    /// With those of an earlier start.
    failed: usize,
    told: usize,
    start: Instant,
    line: Instant,
}

impl Progress {
    /// Of `total` runs, after `failed` that have failed before.
    pub fn new(total: usize, failed: usize) -> Self {
        let bar = ProgressBar::new(total as u64);
        let template = "{bar:40} {human_pos} of {human_len} runs  {per_sec}  {msg}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(format!("{failed} failed"));
        Self {
            bar,
            total,
            ended: 0,
            failed,
            told: 0,
            start: Instant::now(),
            line: Instant::now(),
        }
    }

    /// A run has ended.
    pub fn ended(&mut self, record: &Record) {
        self.ended += 1;
        if let Some(failure) = &record.failure {
            self.failed += 1;
            self.told += 1;
            if self.told <= TOLD {
                let what = match (record.verdict, &record.message) {
                    (Verdict::Divergence, _) | (_, None) => failure.signature.words(),
                    (_, Some(message)) => {
                        let line = message.lines().next().unwrap_or_default();
                        format!("{}: {line}", record.design)
                    }
                };
                self.tell(&format!("{}  {}: {what}", record.verdict.word(), record.id));
            } else if self.told == TOLD + 1 {
                self.tell("further failures are in the report");
            }
            self.bar.set_message(format!("{} failed", self.failed));
        }
        self.bar.inc(1);
        self.tick();
    }

    /// Some time has passed.
    pub fn tick(&mut self) {
        if !self.bar.is_hidden() {
            self.bar.tick();
            return;
        }
        if self.line.elapsed() < PAUSE {
            return;
        }
        self.line = Instant::now();
        let seconds = self.start.elapsed().as_secs_f64();
        let rate = self.ended as f64 / seconds;
        let left = (self.total - self.ended) as f64 / rate.max(f64::MIN_POSITIVE);
        let left = match self.ended {
            0 => String::new(),
            _ => format!(", {left:.0} s left"),
        };
        output::tell(&format!(
            "{} of {} runs, {} failed, {rate:.2} runs/s{left}\n",
            self.ended, self.total, self.failed
        ));
    }

    fn tell(&self, line: &str) {
        self.bar.suspend(|| output::tell(&format!("{line}\n")));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
