//! Signals that ask a command to end: SIGINT, SIGTERM and SIGHUP.
//!
//! A command that can end in order [asks](ask) for a flag, and has some time to. If it does not, or has no flag, or is asked
//! a second time, the process ends at once. A signal that whoever started the command has it ignore, as a shell does with
//! SIGINT for jobs in the background and `nohup` with SIGHUP, is ignored.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{process, thread};

use lockstep_base::verdict::Verdict;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::signal::Signal;

/// How long a command has to hear that it is to end.
const GRACE: Duration = Duration::from_millis(800);
/// How long a process that a signal ends may take to say so.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// Two signals within this time are one: a terminal and `timeout` send it to a process and to its group.
const ONE_SIGNAL: Duration = Duration::from_millis(300);

static SIGNAL: AtomicI32 = AtomicI32::new(0);
static HEARD: AtomicBool = AtomicBool::new(false);
static ENDING: AtomicBool = AtomicBool::new(false);
static FLAGS: Mutex<Vec<Arc<AtomicBool>>> = Mutex::new(Vec::new());

/// The name of the signal that came, if one did.
pub fn signal() -> Option<String> {
    let number = SIGNAL.load(Ordering::Acquire);
    (number != 0).then(|| Signal(number).name())
}

/// Sets `flag` when a signal comes: the command is going to end in order.
pub fn ask(flag: Arc<AtomicBool>) {
    let mut flags = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
    flags.push(flag);
}

/// The command has heard it, and ends by itself.
pub fn heard() {
    HEARD.store(true, Ordering::Release);
}

/// Waits for the end of the process, if a signal is ending it: what the command comes to meanwhile is its doing.
pub fn give_way() {
    while ENDING.load(Ordering::Acquire) {
        thread::park();
    }
}

/// Listens from here on. `end` ends the process, when the command does not.
///
/// # Errors
/// The system does not allow it.
pub fn listen(end: impl Fn(&str) + Send + Sync + 'static) -> io::Result<()> {
    let ignored = fs::read_to_string("/proc/self/status").map_or(0, |status| ignored(&status));
    let wanted = [SIGINT, SIGTERM, SIGHUP];
    let wanted = wanted
        .into_iter()
        .filter(|number| ignored >> (number - 1) & 1 == 0);
    let mut signals = Signals::new(wanted)?;
    let end = Arc::new(move |name: &str| {
        ENDING.store(true, Ordering::Release);
        // Where nobody reads what is told, the process ends all the same.
        let _ = thread::Builder::new().spawn(|| {
            thread::sleep(LAST_WORDS);
            process::exit(Verdict::Interrupted.exit_code().into());
        });
        end(name);
    });
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            let mut first: Option<Instant> = None;
            for number in signals.forever() {
                let is_first = first.is_none();
                let since = first.get_or_insert_with(Instant::now).elapsed();
                if is_first {
                    SIGNAL.store(number, Ordering::Release);
                    let flags = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
                    for flag in flags.iter() {
                        flag.store(true, Ordering::Release);
                    }
                    if !flags.is_empty() {
                        let later = Arc::clone(&end);
                        let name = Signal(number).name();
                        let started = thread::Builder::new().spawn(move || {
                            thread::sleep(GRACE);
                            if !HEARD.load(Ordering::Acquire) {
                                later(&name);
                            }
                        });
                        if started.is_ok() {
                            continue;
                        }
                    }
                } else if since < ONE_SIGNAL {
                    continue;
                }
                end(&signal().unwrap_or_default());
            }
        })?;
    Ok(())
}

/// The signals that are ignored, as bits, in what the system says of a process.
fn ignored(status: &str) -> u64 {
    let mut lines = status.lines();
    let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\ta\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\nSigCgt:\t0\n";
        let mask = ignored(status);
        assert_eq!((mask >> (SIGINT - 1) & 1, mask >> (SIGHUP - 1) & 1), (1, 1));
        assert_eq!(mask >> (SIGTERM - 1) & 1, 0);
        assert_eq!(ignored(""), 0);
    }
}
