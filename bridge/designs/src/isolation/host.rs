//! The process of a design, as the command knows it: whether it runs, how it ended, what it was given and asked.

use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use rustix::process::{Pid, Signal as Sent, kill_process};

use design_sandbox::Attempt;
use signal_hook::consts::{SIGKILL, SIGXCPU};

use super::channel::{Activity, Channel};
use lockstep_engine::dut::Completed;
use lockstep_engine::signal::Signal;

/// Kept of what a host writes to its standard output and error: a design that uses those of C.
const KEPT: usize = 64 << 10;
/// How long a host that is let go may take, with all that its design started.
const GRACE: Duration = Duration::from_millis(500);

/// A host as it runs.
#[derive(Debug)]
pub struct Host {
    pub(super) channel: Channel,
    /// How the process ended, once it has.
    ended: OnceLock<ExitStatus>,
    /// Rings when it has.
    bell: (Mutex<bool>, Condvar),
    /// It was let go: its end says nothing.
    dismissed: AtomicBool,
    /// Its keeper was ended by force.
    forced: AtomicBool,
    keeper: Mutex<Option<Pid>>,
    /// The end of what it wrote to standard output and error.
    raw: Mutex<Vec<u8>>,
    /// Number of its instance among all of this process.
    pub(super) instance: AtomicUsize,
    /// Signals of those that come from outside that it sends to itself, a bit each.
    raised: AtomicU64,
    /// Requests made.
    pub(super) requests: AtomicU32,
    /// Cycles that its instance was given, and how far it has come with them.
    given: AtomicU64,
    run: AtomicU64,
}

static HOSTS: Mutex<Vec<Weak<Host>>> = Mutex::new(Vec::new());

/// All hosts that are there.
pub(super) fn hosts() -> Vec<Arc<Host>> {
    let hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
    hosts.iter().filter_map(Weak::upgrade).collect()
}

/// Ends all hosts.
pub(super) fn end_all() {
    let hosts = hosts();
    for host in &hosts {
        host.dismiss();
    }
    for host in &hosts {
        host.wait_for_end(GRACE);
    }
}

impl Host {
    /// One that is about to be started.
    pub(super) fn new(channel: Channel) -> Arc<Self> {
        Arc::new(Self {
            channel,
            ended: OnceLock::new(),
            bell: (Mutex::new(false), Condvar::new()),
            dismissed: AtomicBool::new(false),
            forced: AtomicBool::new(false),
            keeper: Mutex::new(None),
            raw: Mutex::new(Vec::new()),
            instance: AtomicUsize::new(0),
            raised: AtomicU64::new(0),
            requests: AtomicU32::new(0),
            given: AtomicU64::new(0),
            run: AtomicU64::new(0),
        })
    }

    /// Puts it among those that are there.
    pub(super) fn register(self: &Arc<Self>) {
        let mut hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.retain(|host| host.strong_count() > 0);
        hosts.push(Arc::downgrade(self));
    }

    /// Who is signalled to end it; none once that may be another's number.
    pub(super) fn keep_by(&self, keeper: Option<Pid>) {
        *self.keeper.lock().unwrap_or_else(PoisonError::into_inner) = keeper;
    }

    /// Adds to what it wrote to standard output and error.
    pub(super) fn add_raw(&self, text: &[u8]) {
        let mut raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        raw.extend_from_slice(text);
        if raw.len() > 2 * KEPT {
            let more = raw.len() - KEPT;
            raw.drain(..more);
        }
    }

    /// It has ended.
    pub(super) fn end_with(&self, status: ExitStatus) {
        let _ = self.ended.set(status);
        let (rung, bell) = &self.bell;
        *rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        bell.notify_all();
    }

    /// Whether the library was begun to be loaded.
    pub(super) fn has_begun(&self) -> bool {
        self.channel.activity() != Activity::Idle
    }

    /// Keeps an attempt to end itself.
    pub(super) fn note_attempt(&self, attempt: &Attempt) {
        let signals = match attempt {
            Attempt::Signal(number) => bit(*number),
            // What goes beyond the lower limit gets the first, beyond the upper one the second.
            Attempt::TimeLimit => bit(SIGXCPU) | bit(SIGKILL),
            _ => 0,
        };
        self.raised.fetch_or(signals, Ordering::AcqRel);
    }

    /// Whether a signal is one that it sends to itself.
    pub(super) fn is_raised(&self, signal: Signal) -> bool {
        self.raised.load(Ordering::Acquire) & bit(signal.0) != 0
    }

    /// How the process ended, if it has, and nobody wanted it to.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        self.ended.get().copied()
    }

    /// Whether it was let go.
    pub(super) fn is_dismissed(&self) -> bool {
        self.dismissed.load(Ordering::Acquire)
    }

    /// Whether its keeper was ended by force.
    pub(super) fn is_forced(&self) -> bool {
        self.forced.load(Ordering::Acquire)
    }

    /// The end of what it wrote to standard output and error.
    pub(super) fn raw(&self) -> String {
        let raw = self.raw.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&raw).into_owned()
    }

    /// Lets the process go, with everything below it.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Release);
        self.signal(Sent::TERM);
    }

    fn signal(&self, signal: Sent) {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keeper) = *keeper {
            // It may have ended meanwhile, and is not waited for yet.
            let _ = kill_process(keeper, signal);
        }
    }

    /// Waits until the process has ended, up to `limit`; a keeper that does not do its work is ended itself.
    pub(super) fn wait_for_end(&self, limit: Duration) {
        let (rung, bell) = &self.bell;
        let rung = rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = bell.wait_timeout_while(rung, limit, |rung| !*rung);
        let (rung, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !*rung && self.is_dismissed() {
            drop(rung);
            self.forced.store(true, Ordering::Release);
            self.signal(Sent::KILL);
        }
    }

    /// The cycles of an instance begin anew, at number `cycle`.
    pub(super) fn begin_at(&self, cycle: u64) {
        self.given.store(cycle, Ordering::Relaxed);
        self.run.store(cycle, Ordering::Relaxed);
    }

    /// The instance is given so many cycles more.
    pub(super) fn give(&self, cycles: usize) {
        self.given.fetch_add(cycles as u64, Ordering::Relaxed);
    }
}

/// The bit of a signal.
fn bit(number: i32) -> u64 {
    u32::try_from(number).map_or(0, |number| 1_u64.checked_shl(number).unwrap_or(0))
}

impl Completed for Host {
    /// The design can write any number there: it neither comes back from cycles, nor goes beyond those that it was given.
    fn completed(&self) -> u64 {
        let told = self.channel.completed().load(Ordering::Acquire);
        let told = told.min(self.given.load(Ordering::Relaxed));
        self.run.fetch_max(told, Ordering::Relaxed).max(told)
    }
}
