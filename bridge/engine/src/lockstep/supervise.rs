//! Supervision: a design that does not come back from an evaluation becomes a verdict (DUT-41).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::dut::Pulse;
use crate::interrupt;

/// How a supervised job ended.
#[derive(Debug)]
pub enum Supervised<T> {
    /// It came back.
    Done(T),
    /// The design completed no cycle for the time limit. The job's thread is left behind.
    Hang {
        /// Cycles that the design had completed.
        cycles: u64,
        /// The job's result, should the design come back or be ended.
        rest: Receiver<T>,
    },
    /// The user wants it to end, and the design does not come back to where that is heard. The job's thread is left
    /// behind.
    Interrupted {
        /// Cycles that the design had completed.
        cycles: u64,
    },
    /// The job panicked: a defect of this program.
    Panicked(String),
}

/// How long a design may go without a cycle once the user wants it to end.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs `job` on a thread of its own, and gives up when the design behind `pulse` completes no cycle for
/// `limit` while it is being run, or for half a second when `interrupted` is set.
pub fn supervise<T: Send + 'static>(
    pulse: &Pulse,
    limit: Duration,
    interrupted: &AtomicBool,
    job: impl FnOnce() -> T + Send + 'static,
) -> Supervised<T> {
    let (done, result) = channel();
    let worker = thread::spawn(move || {
        // A receiver that is gone has given up on this job.
        let _ = done.send(job());
    });
    let tick = (limit / 8).clamp(Duration::from_millis(1), Duration::from_millis(250));
    let mut last = (pulse.cycles.load(), Instant::now());
    loop {
        match result.recv_timeout(tick) {
            Ok(value) => {
                if interrupted.load(Ordering::Relaxed) {
                    interrupt::heard();
                }
                return Supervised::Done(value);
            }
            Err(RecvTimeoutError::Disconnected) => {
                let message = match worker.join() {
                    Ok(()) => "the job ended without a result".into(),
                    Err(panic) => panic
                        .downcast_ref::<String>()
                        .cloned()
                        .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                        .unwrap_or_else(|| "panic".into()),
                };
                return Supervised::Panicked(message);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let cycles = pulse.cycles.load();
        if cycles != last.0 || !pulse.running.load(Ordering::Relaxed) {
            last = (cycles, Instant::now());
            continue;
        }
        let still = last.1.elapsed();
        if still >= limit {
            return Supervised::Hang {
                cycles,
                rest: result,
            };
        }
        if interrupted.load(Ordering::Relaxed) && still >= PATIENCE {
            interrupt::heard();
            return Supervised::Interrupted { cycles };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn stuck(cycles: u64) -> Pulse {
        let pulse = Pulse::default();
        pulse.running.store(true, Ordering::Relaxed);
        pulse.cycles.add(cycles);
        pulse
    }

    #[test]
    fn tells_a_hang_from_a_slow_job() {
        let limit = Duration::from_millis(40);
        let slow = supervise(&Pulse::default(), limit, &NEVER, move || {
            thread::sleep(3 * limit)
        });
        assert!(matches!(slow, Supervised::Done(())));
        let hung = supervise(&stuck(17), limit, &NEVER, move || {
            thread::sleep(100 * limit)
        });
        assert!(matches!(hung, Supervised::Hang { cycles: 17, .. }));
    }

    #[test]
    fn an_interrupt_is_heard_while_the_design_hangs() {
        let (limit, start) = (Duration::from_secs(60), Instant::now());
        let interrupted = Arc::new(AtomicBool::new(false));
        let later = Arc::clone(&interrupted);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            later.store(true, Ordering::Relaxed);
        });
        let hung = supervise(&stuck(17), limit, &interrupted, move || {
            thread::sleep(limit)
        });
        assert!(matches!(hung, Supervised::Interrupted { cycles: 17 }));
        assert!(start.elapsed() < limit / 4);
    }

    #[test]
    fn a_panic_is_told() {
        let job = || -> () { std::panic::panic_any("boom") };
        let limit = Duration::from_secs(1);
        let panicked = supervise(&Pulse::default(), limit, &NEVER, job);
        assert!(matches!(panicked, Supervised::Panicked(text) if text == "boom"));
    }
}
