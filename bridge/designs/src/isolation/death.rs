//! How the process of a design ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use super::channel::Activity;
use super::facts::{Facts, facts};
use super::host::{Host, hosts};
use lockstep_engine::dut::{Completed, Stop, StopKind};
use lockstep_engine::signal::Signal;

/// The end of the process of a design that nobody wanted.
#[derive(Clone, Debug)]
pub struct Death {
    /// The signal, or the exit status.
    pub how: Result<Signal, i32>,
    /// Whether the signal is one that the design sends to itself, though it is of those that come from outside.
    pub is_own: bool,
    /// What the design was doing.
    pub activity: Activity,
    /// Cycles that it had completed.
    pub cycles: u64,
    /// Number of its instance.
    pub instance: usize,
    /// What was known of the run.
    pub facts: Facts,
    /// The end of what it wrote to standard output and error by other means than SystemVerilog's.
    pub stderr: String,
}

static FIRST: Mutex<Option<Death>> = Mutex::new(None);
static LATE: Mutex<Option<Death>> = Mutex::new(None);
static LATE_STOP: Mutex<Option<(Stop, u64)>> = Mutex::new(None);

/// The first end that nobody wanted, of a process that was running a design.
pub fn first_death() -> Option<Death> {
    let first = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    first.clone()
}

/// An end while a design was taken down, when all of its cycles had been compared.
pub fn late_end() -> Option<Death> {
    let late = LATE.lock().unwrap_or_else(PoisonError::into_inner);
    late.clone()
}

/// The same of one that stopped in a final block, with the cycles that it had run.
pub fn stopped_late() -> Option<(Stop, u64)> {
    let late = LATE_STOP.lock().unwrap_or_else(PoisonError::into_inner);
    late.clone()
}

/// Keeps a stop in a final block, which nobody else would be told of.
pub(super) fn late_stop(stop: Stop, cycles: u64) {
    let mut late = LATE_STOP.lock().unwrap_or_else(PoisonError::into_inner);
    late.get_or_insert((stop, cycles));
}

impl Death {
    /// The end of `host`, which ended with `status`.
    pub(super) fn of(host: &Host, status: ExitStatus) -> Self {
        let how = match (status.signal(), status.code()) {
            (Some(signal), _) => Ok(Signal(signal)),
            (None, code) => Err(code.unwrap_or_default()),
        };
        Self {
            is_own: how.is_ok_and(|signal| host.is_raised(signal)),
            how,
            activity: host.channel.activity(),
            cycles: host.completed(),
            instance: host.instance.load(std::sync::atomic::Ordering::Relaxed),
            facts: facts(),
            stderr: host.raw(),
        }
    }

    /// Keeps it for who tells how the command ended: that of a design whose cycles had all been run is late.
    pub(super) fn keep(self, is_late: bool) {
        let place = if is_late { &LATE } else { &FIRST };
        let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(self);
    }

    /// The cycle in which it ended, if it ran one.
    pub fn cycle(&self) -> Option<u64> {
        (self.activity == Activity::Run).then_some(self.cycles)
    }

    /// The first or the second of two designs, 0 or 1, if two run.
    pub fn side(&self) -> Option<usize> {
        self.facts.side(self.instance)
    }

    /// Whether a signal came that tells of a mistake in the code that ran.
    pub fn is_crash(&self) -> bool {
        self.is_own || self.how.is_ok_and(Signal::is_crash)
    }

    /// What it is to who runs the design.
    pub fn stop(&self) -> Stop {
        let (kind, message) = match self.how {
            Err(status) => (StopKind::Ended, format!("exit status {status}")),
            Ok(signal) if self.is_crash() => (StopKind::Crash, signal.name()),
            Ok(signal) => (StopKind::Killed, signal.name()),
        };
        Stop::of(kind, &message)
    }

    /// The signal's name, if one came.
    pub fn signal(&self) -> Option<String> {
        self.how.ok().map(Signal::name)
    }

    /// The end in words.
    pub fn words(&self) -> String {
        let when = match (self.cycle(), self.activity) {
            (Some(cycle), _) => format!(" in cycle {cycle}"),
            (None, Activity::Load) => " while it was loaded, before its initial blocks".into(),
            (None, Activity::Create) => " while it was made, before the first cycle".into(),
            (None, Activity::Finish) => " while it was taken down, after the last cycle".into(),
            (None, _) => " while none of its code ran: it may have damaged memory before".into(),
        };
        let during = self.facts.during();
        match self.how {
            Ok(signal) if self.is_crash() => format!(
                "the design crashed: {} ({}){when}{during}",
                signal.name(),
                signal.words()
            ),
            Ok(signal) => format!(
                "{} ended the process that ran the design, as the system does when memory runs out or a limit is reached; \
                 make room, or raise the limit",
                signal.name()
            ),
            Err(status) => format!(
                "the design ended the process, with exit status {status}{when}{during}: its C code calls exit, _exit or the like"
            ),
        }
    }
}

/// A design that was doing something.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Number of its instance.
    pub instance: usize,
    /// Cycles that it had completed.
    pub cycles: u64,
    /// The end of what it printed, as far as nobody has taken it.
    pub printed: Vec<u8>,
}

/// The design that is at work, of those in processes of their own: they take turns.
pub fn at_work() -> Option<Seen> {
    let hosts = hosts();
    let is_active = |host: &&std::sync::Arc<Host>| {
        host.channel.activity() != Activity::Idle && !host.is_dismissed()
    };
    let host = hosts.iter().find(is_active)?;
    Some(Seen {
        instance: host.instance.load(std::sync::atomic::Ordering::Relaxed),
        cycles: host.completed(),
        printed: host.channel.tail(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(how: Result<Signal, i32>, activity: Activity, cycles: u64) -> Death {
        Death {
            is_own: false,
            how,
            activity,
            cycles,
            instance: 1,
            facts: Facts::default(),
            stderr: String::new(),
        }
    }

    #[test]
    fn words_tell_what_the_design_was_doing() {
        let run = death(Ok(Signal(11)), Activity::Run, 2500);
        assert_eq!(run.cycle(), Some(2500));
        assert!(run.words().ends_with("in cycle 2500"), "{}", run.words());
        let make = death(Ok(Signal(6)), Activity::Create, 0);
        assert_eq!(make.cycle(), None);
        assert!(make.words().contains("while it was made"));
        let idle = death(Ok(Signal(6)), Activity::Idle, 0);
        assert!(idle.words().contains("none of its code ran"));
        let exit = death(Err(0), Activity::Run, 7);
        assert!(
            exit.words()
                .starts_with("the design ended the process, with exit status 0 in cycle 7")
        );
    }

    #[test]
    fn of_two_designs_the_one_at_work_is_named() {
        let mut second = death(Ok(Signal(11)), Activity::Run, 7);
        assert_eq!(second.side(), None);
        second.facts.is_pair = true;
        assert_eq!(second.side(), Some(1));
        // That of a re-run, beside the first two.
        second.instance = 2;
        assert_eq!(second.side(), Some(0));
    }
}
