//! Cycle event counting: which Processor cycles CPU_CYCLES and the stall events count, in PEs with one thread or
//! several (DDI0487 D14.4, requirements CYC-01 to CYC-21), one event at a time: what [`crate::pmu::thread_events`] does
//! for all counters at once must be the same.
//!
//! [`CycleEvents`] turns the state of the threads in one Processor cycle (CYC-04) into what each kind of event
//! counts: [`own`](CycleEvents::own) for a counter with an Effective `PMEVTYPER<n>_EL0.MT` of 0,
//! [`group`](CycleEvents::group) for one with an Effective MT of 1. It has no state. Whether the counter counts
//! at all in its PE's state is not decided here, nor is a thread that a counter with an Effective MT of 1
//! filters out: leave it out of the group (A-CYC-8).
//!
//! ```
//! use pmu_model::cycles::{Config, CycleEvents, Event, Thread};
//!
//! let cycles = CycleEvents::new(&Config::default());
//! // Fine-grained multithreading: thread 1 has this Processor cycle.
//! let threads = [Thread::default(), Thread { active: true, ..Thread::default() }];
//! assert_eq!(cycles.own(Event::CpuCycles, true, &threads[0]), 0);
//! assert_eq!(cycles.own(Event::CpuCycles, true, &threads[1]), 1);
//! assert_eq!(cycles.group(Event::CpuCycles, true, threads.iter()), 1);
//! ```

mod config;
mod event;
#[cfg(test)]
mod tests;

pub use config::{Config, IdleThreadAny, IdleThreadStall};
pub use event::Event;

use event::{Counts, Second, Stall};

/// A thread in one Processor cycle. Conditions are as the design has them, whether or not the thread is active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// The PE might execute instructions: also while it is stalled (CYC-04).
    pub active: bool,
    /// WFI or WFE state.
    pub wfx: bool,
    /// The condition of STALL.
    pub stall: bool,
    /// The condition of STALL_FRONTEND.
    pub stall_frontend: bool,
    /// The condition of STALL_BACKEND.
    pub stall_backend: bool,
    /// The second condition of a stall event that has one.
    pub second: bool,
    /// The condition of another event that counts cycles.
    pub condition: bool,
    /// What any other event counts.
    pub count: u32,
}

impl Thread {
    /// Neither "all" nor "any" of the group is decided by what it executes (A-CYC-5, A-CYC-6).
    fn is_idle(&self) -> bool {
        !self.active || self.wfx
    }

    fn stall_condition(&self, stall: Stall) -> bool {
        match stall {
            Stall::Either => self.stall,
            Stall::Frontend => self.stall_frontend,
            Stall::Backend => self.stall_backend,
        }
    }
}

/// How an implementation counts cycle events.
///
/// `clock` is FALSE for a cycle in which the processor clock is stopped: nothing counts then (CYC-01).
#[derive(Clone, Debug)]
pub struct CycleEvents {
    config: Config,
}

impl CycleEvents {
    /// Counting as `config` says.
    pub fn new(config: &Config) -> Self {
        Self {
            config: config.clone(),
        }
    }

    /// What `event` counts with the Effective `mt`: for thread `own` of `threads`, or for all `threads`, those
    /// of its group (CYC-16). A thread that is not there counts nothing.
    pub fn count(
        &self,
        event: Event,
        mt: bool,
        clock: bool,
        own: usize,
        threads: &[Thread],
    ) -> u64 {
        if mt {
            self.group(event, clock, threads.iter())
        } else {
            let own = threads.get(own);
            own.map_or(0, |thread| self.own(event, clock, thread))
        }
    }

    /// CYC-15: what `event` counts for `thread` alone, with an Effective MT of 0.
    pub fn own(&self, event: Event, clock: bool, thread: &Thread) -> u64 {
        let cycle = clock && self.own_cycle(thread);
        match event.counts() {
            Counts::Cycles => cycle.into(),
            // CYC-03.
            Counts::Stalls(stall, second) => (cycle
                && thread.stall_condition(stall)
                && (second == Second::True || thread.second))
                .into(),
            Counts::Condition => {
                (self.own_condition_counts(clock, cycle) && thread.condition).into()
            }
            Counts::Sum => u64::from(clock) * u64::from(thread.count),
        }
    }

    /// CYC-07, CYC-08: CPU_CYCLES with an Effective MT of 0.
    fn own_cycle(&self, thread: &Thread) -> bool {
        self.is_active(thread) && (!thread.wfx || self.config.cpu_cycles_in_wfx)
    }

    /// CYC-06: a thread in WFI or WFE state is active only if the implementation has it so.
    fn is_active(&self, thread: &Thread) -> bool {
        thread.active && (!thread.wfx || self.config.active_in_wfx)
    }

    /// A-CYC-7: the cycles that a condition other than a stall is looked at.
    fn own_condition_counts(&self, clock: bool, cycle: bool) -> bool {
        if self.config.cond_gated { cycle } else { clock }
    }

    /// What `event` counts for a group of threads, with an Effective MT of 1. No thread counts nothing
    /// (A-CYC-8).
    pub fn group<'a>(
        &self,
        event: Event,
        clock: bool,
        threads: impl Iterator<Item = &'a Thread> + Clone,
    ) -> u64 {
        if !clock || threads.clone().next().is_none() {
            return 0;
        }
        // CYC-10.
        let any_awake = threads.clone().any(|thread| !thread.wfx);
        match event.counts() {
            Counts::Cycles => self.group_cycle(any_awake).into(),
            Counts::Stalls(stall, second) => (any_awake
                && self.stalled_for_all(stall, threads.clone())
                && self.second_for_any(second, threads))
            .into(),
            // CYC-13.
            Counts::Condition => {
                (any_awake && self.for_any(threads, |thread| thread.condition)).into()
            }
            // CYC-14.
            Counts::Sum => threads.map(|thread| u64::from(thread.count)).sum(),
        }
    }

    /// CYC-09: CPU_CYCLES with an Effective MT of 1 counts each Processor cycle once, though no thread be
    /// active; with all threads in WFI or WFE state by A-CYC-4.
    fn group_cycle(&self, any_awake: bool) -> bool {
        any_awake || self.config.cpu_cycles_mt1_all_wfx
    }

    /// CYC-11: the stall condition is true for all threads; an idle one by A-CYC-5.
    fn stalled_for_all<'a>(
        &self,
        stall: Stall,
        mut threads: impl Iterator<Item = &'a Thread>,
    ) -> bool {
        let idle_is_true = self.config.idle_thread_stall == IdleThreadStall::True;
        threads.all(|thread| thread.stall_condition(stall) || (idle_is_true && thread.is_idle()))
    }

    /// CYC-11, CYC-12: the second condition is true for any thread. The null TRUE condition always is.
    fn second_for_any<'a>(
        &self,
        second: Second,
        threads: impl Iterator<Item = &'a Thread>,
    ) -> bool {
        second == Second::True || self.for_any(threads, |thread| thread.second)
    }

    /// CYC-11, CYC-13: the condition is true for any thread; for an idle one by A-CYC-6.
    fn for_any<'a>(
        &self,
        mut threads: impl Iterator<Item = &'a Thread>,
        condition: impl Fn(&Thread) -> bool,
    ) -> bool {
        let idle_is_false = self.config.idle_thread_any == IdleThreadAny::False;
        threads.any(|thread| condition(thread) && !(idle_is_false && thread.is_idle()))
    }
}
