//! Mistakes of events that count the threads of a processor.

use std::fmt;

use pmu_model::contract::Thread;

/// A mistake of these events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// CPU_CYCLES with MT counts threads.
    CyclesSummed,
    /// A stall of any thread.
    AnyStall,
    /// The second condition of all threads.
    AllSecond,
    /// Another condition of all threads.
    AllCondition,
    /// WFI and WFE state has no effect.
    WfxCounted,
    /// One thread in WFI or WFE state is as good as all.
    OneInWfx,
    /// Other threads are filtered by the state of thread 0.
    FilteredAsOwn,
    /// INST_RETIRED of thread 0 alone.
    RetiredOfOne,
    /// A thread that is not active counts its own cycles.
    InactiveCounts,
    /// MT has no effect.
    MtIgnored,
    /// MT is Effective whatever MTPME says.
    MtpmeIgnored,
    /// MDCR_EL2.MTPME decides.
    MtpmeOfEl2,
    /// PMCCNTR_EL0 stands still while thread 0 is not active.
    CycleCounterWithThread,
    /// STALL_FRONTEND and STALL_BACKEND have each other's condition.
    StallsSwapped,
}

impl Threads {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::CyclesSummed,
        Self::AnyStall,
        Self::AllSecond,
        Self::AllCondition,
        Self::WfxCounted,
        Self::OneInWfx,
        Self::FilteredAsOwn,
        Self::RetiredOfOne,
        Self::InactiveCounts,
        Self::MtIgnored,
        Self::MtpmeIgnored,
        Self::MtpmeOfEl2,
        Self::CycleCounterWithThread,
        Self::StallsSwapped,
    ];

    /// What `event` counts with the mistake: of the first of `threads` with `mt` FALSE, else of all. The knobs of
    /// A-CYC-1..7 are at their defaults.
    pub fn count(self, event: u16, mt: bool, threads: &[Thread]) -> u16 {
        let wfx = |thread: &Thread| thread.is(Thread::WFX) && self != Self::WfxCounted;
        let stall = match (event, self == Self::StallsSwapped) {
            (0x0023 | 0x8159, false) | (0x0024 | 0x8165, true) => Thread::STALL_FRONTEND,
            (0x0024 | 0x8165, false) | (0x0023 | 0x8159, true) => Thread::STALL_BACKEND,
            _ => Thread::STALL,
        };
        let has_second = matches!(event, 0x8159 | 0x8165 | 0x00C0);
        let all_or_any = |all: bool, of: &dyn Fn(&Thread) -> bool| match all {
            true => threads.iter().all(of),
            false => threads.iter().any(of),
        };
        if !mt {
            let own = &threads[0];
            let active = own.is(Thread::ACTIVE) || self == Self::InactiveCounts;
            let cycle = active && !wfx(own);
            return match event {
                0x0008 => own.count,
                0x0011 => cycle.into(),
                0x00C1 => (cycle && own.is(Thread::CONDITION)).into(),
                _ => (cycle && own.is(stall) && (!has_second || own.is(Thread::SECOND))).into(),
            };
        }
        if threads.is_empty() {
            return 0;
        }
        let awake = all_or_any(self == Self::OneInWfx, &|thread| !wfx(thread));
        match event {
            0x0008 => threads
                .iter()
                .fold(0, |sum: u16, thread| sum.wrapping_add(thread.count)),
            0x0011 if self == Self::CyclesSummed => {
                threads.iter().filter(|thread| !wfx(thread)).count() as u16
            }
            0x0011 => awake.into(),
            0x00C1 => {
                let all = self == Self::AllCondition;
                (awake && all_or_any(all, &|thread| thread.is(Thread::CONDITION))).into()
            }
            _ => {
                let stalled = all_or_any(self != Self::AnyStall, &|thread| thread.is(stall));
                let all = self == Self::AllSecond;
                let second = all_or_any(all, &|thread| thread.is(Thread::SECOND));
                (awake && stalled && (!has_second || second)).into()
            }
        }
    }
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CyclesSummed => "CPU_CYCLES with MT counts the threads that run",
            Self::AnyStall => "with MT a stall event counts when any thread is stalled",
            Self::AllSecond => "with MT the second condition must be true for all threads",
            Self::AllCondition => "with MT another condition must be true for all threads",
            Self::WfxCounted => "cycles in WFI or WFE state count as any other",
            Self::OneInWfx => "with MT one thread in WFI or WFE state stops the cycles of all",
            Self::FilteredAsOwn => "with MT other threads are filtered by the state of thread 0",
            Self::RetiredOfOne => "with MT INST_RETIRED counts thread 0 alone",
            Self::InactiveCounts => "a thread that is not active counts cycles",
            Self::MtIgnored => "MT has no effect",
            Self::MtpmeIgnored => "MT has its effect whatever MTPME is",
            Self::MtpmeOfEl2 => "MDCR_EL2.MTPME decides in place of MDCR_EL3.MTPME",
            Self::CycleCounterWithThread => "PMCCNTR_EL0 stands still while thread 0 is not active",
            Self::StallsSwapped => "STALL_FRONTEND and STALL_BACKEND are swapped",
        })
    }
}
