//! Events of the threads: what they count for each counter, with its Effective MT and its group (DUT-51).
//!
//! The rules are those of [`crate::cycles`], for all counters at once. All these events but INST_RETIRED count 0 or
//! 1 (CYC-21), so that a mask of counters holds their values.

use crate::contract::{COUNTER_LANES, CycleInput, THREADS, Thread};
use crate::cycles::{Config, Event, IdleThreadAny, IdleThreadStall};
use crate::implementation::Implementation;

use super::group::Group;
use super::lane::{Lane, Lanes, lanes};

/// DUT-51: the event of the threads that `event` is, if it is one.
pub const fn thread_event(event: u16) -> Option<Event> {
    Some(match event {
        0x0008 => Event::Sum,
        0x0011 => Event::CpuCycles,
        0x0023 => Event::StallFrontend,
        0x0024 => Event::StallBackend,
        0x003C => Event::Stall,
        0x8159 => Event::StallFrontend2nd,
        0x8165 => Event::StallBackend2nd,
        0x00C0 => Event::Stall2nd,
        0x00C1 => Event::Cond,
        _ => return None,
    })
}

/// Which counters count events of the threads.
#[derive(Clone, Debug)]
pub struct ThreadEvents {
    /// Counters that count any.
    any: u32,
    /// CPU_CYCLES.
    cycles: u32,
    /// Events with the condition of STALL, STALL_FRONTEND, STALL_BACKEND.
    stall: [u32; 3],
    /// Those of them with a second condition.
    second: u32,
    /// Another condition of a cycle.
    condition: u32,
    /// INST_RETIRED.
    sum: u32,
    /// Lanes of the counters that count none.
    others: Lanes<u16>,
    event_mask: u16,
    config: Config,
}

/// The conditions of [`ThreadEvents::stall`].
const STALLS: [u8; 3] = [Thread::STALL, Thread::STALL_FRONTEND, Thread::STALL_BACKEND];

/// All ones or zero.
#[inline(always)]
fn mask(condition: bool) -> u32 {
    u32::from(condition).wrapping_neg()
}

impl ThreadEvents {
    /// The events of `implementation`; no counter counts any.
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            any: 0,
            cycles: 0,
            stall: [0; 3],
            second: 0,
            condition: 0,
            sum: 0,
            others: [u16::MAX; COUNTER_LANES],
            event_mask: u16::MAX >> (16 - implementation.pmu.event_width),
            config: implementation.knobs.cycles.clone(),
        }
    }

    /// Takes a new evtCount of counter `n`.
    pub fn set_event(&mut self, n: usize, event: u16) {
        let event = thread_event(event);
        let bit = 1 << n;
        let set = |mask: &mut u32, on: bool| *mask = *mask & !bit | if on { bit } else { 0 };
        let is = |events: &[Event]| event.is_some_and(|event| events.contains(&event));
        set(&mut self.any, event.is_some());
        set(&mut self.cycles, is(&[Event::CpuCycles]));
        set(&mut self.stall[0], is(&[Event::Stall, Event::Stall2nd]));
        let frontend = [Event::StallFrontend, Event::StallFrontend2nd];
        set(&mut self.stall[1], is(&frontend));
        let backend = [Event::StallBackend, Event::StallBackend2nd];
        set(&mut self.stall[2], is(&backend));
        let second = [
            Event::Stall2nd,
            Event::StallFrontend2nd,
            Event::StallBackend2nd,
        ];
        set(&mut self.second, is(&second));
        set(&mut self.condition, is(&[Event::Cond]));
        set(&mut self.sum, is(&[Event::Sum]));
        self.others[n] = u16::mask(event.is_none());
    }

    /// Counters that count an event of the threads.
    #[inline(always)]
    pub fn any(&self) -> u32 {
        self.any
    }

    /// Counters that count an event under a second condition.
    pub fn second(&self) -> u32 {
        self.second
    }

    /// Replaces the base values of the counters that count an event of the threads.
    #[inline(always)]
    pub fn apply(&self, base: &mut Lanes<u16>, input: &CycleInput, group: &Group) {
        let ones = self.cycle_events(&input.threads, group);
        let ones: Lanes<u16> = Lane::expand(ones);
        let event_mask = self.event_mask;
        let others = &self.others;
        let sums = if self.sum == 0 {
            [0; COUNTER_LANES]
        } else {
            self.sums(&input.threads, group)
        };
        let old = *base;
        *base = lanes(
            #[inline(always)]
            |n| (old[n] & others[n]) | (ones[n] & 1) | (sums[n] & event_mask),
        );
    }

    /// The counters whose event happens in this cycle: all events but INST_RETIRED.
    #[inline(always)]
    fn cycle_events(&self, threads: &[Thread; THREADS], group: &Group) -> u32 {
        (self.own(&threads[0]) & !group.mt) | (self.grouped(threads, group) & group.mt)
    }

    /// CYC-15, CYC-07, CYC-08, CYC-03: with an Effective MT of 0.
    #[inline(always)]
    fn own(&self, thread: &Thread) -> u32 {
        let config = &self.config;
        let wfx = thread.is(Thread::WFX);
        // CYC-06.
        let active = thread.is(Thread::ACTIVE) && (!wfx || config.active_in_wfx);
        let cycle = active && (!wfx || config.cpu_cycles_in_wfx);
        let mut stalled = 0;
        for (counters, condition) in self.stall.iter().zip(STALLS) {
            stalled |= counters & mask(thread.is(condition));
        }
        stalled &= !self.second | mask(thread.is(Thread::SECOND));
        // A-CYC-7.
        let condition = thread.is(Thread::CONDITION) && (cycle || !config.cond_gated);
        (mask(cycle) & (self.cycles | stalled)) | (mask(condition) & self.condition)
    }

    /// CYC-09 to CYC-13: with an Effective MT of 1, for the threads of each counter's group.
    #[inline(always)]
    fn grouped(&self, threads: &[Thread; THREADS], group: &Group) -> u32 {
        let config = &self.config;
        let idle_stalls = config.idle_thread_stall == IdleThreadStall::True;
        let idle_is_false = config.idle_thread_any == IdleThreadAny::False;
        let (mut members, mut awake, mut second, mut condition) = (0, 0, 0, 0);
        let mut all = [u32::MAX; 3];
        // A thread that is not in the group is filtered for all counters.
        for (thread, &of_group) in threads.iter().zip(&group.unfiltered) {
            let wfx = thread.is(Thread::WFX);
            let idle = wfx || !thread.is(Thread::ACTIVE);
            let counts_for_any = of_group & mask(!(idle_is_false && idle));
            members |= of_group;
            awake |= of_group & mask(!wfx);
            second |= counts_for_any & mask(thread.is(Thread::SECOND));
            condition |= counts_for_any & mask(thread.is(Thread::CONDITION));
            for (all, stall) in all.iter_mut().zip(STALLS) {
                *all &= !of_group | mask(thread.is(stall) || (idle_stalls && idle));
            }
        }
        let mut stalled = 0;
        for (counters, all) in self.stall.iter().zip(all) {
            stalled |= counters & all;
        }
        // CYC-11, CYC-12.
        stalled &= !self.second | second;
        // A-CYC-4; A-CYC-8: an empty group counts nothing.
        let cycles = self.cycles & (awake | (members & mask(config.cpu_cycles_mt1_all_wfx)));
        // CYC-10.
        cycles | (awake & (stalled | (self.condition & condition)))
    }

    /// CYC-14, CYC-15: INST_RETIRED, modulo 2^16.
    #[inline(always)]
    fn sums(&self, threads: &[Thread; THREADS], group: &Group) -> Lanes<u16> {
        let mut sums = [0; COUNTER_LANES];
        for (t, thread) in threads.iter().enumerate() {
            let own = mask(t == 0) & !group.mt;
            let counted: Lanes<u16> =
                Lane::expand(self.sum & ((group.unfiltered[t] & group.mt) | own));
            let count = thread.count;
            for (sum, counted) in sums.iter_mut().zip(&counted) {
                *sum = u16::wrapping_add(*sum, counted & count);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycles::{self, CycleEvents};

    const EVENTS: [u16; 9] = [
        0x0008, 0x0011, 0x0023, 0x0024, 0x003C, 0x8159, 0x8165, 0x00C0, 0x00C1,
    ];

    fn configs() -> impl Iterator<Item = Config> {
        (0..64).map(|bits| Config {
            active_in_wfx: bits & 1 == 0,
            cpu_cycles_in_wfx: bits & 2 != 0,
            cpu_cycles_mt1_all_wfx: bits & 4 != 0,
            idle_thread_stall: [IdleThreadStall::Raw, IdleThreadStall::True][bits >> 3 & 1],
            idle_thread_any: [IdleThreadAny::Raw, IdleThreadAny::False][bits >> 4 & 1],
            cond_gated: bits & 32 == 0,
            ..Config::default()
        })
    }

    fn plain(thread: &Thread) -> cycles::Thread {
        cycles::Thread {
            active: thread.is(Thread::ACTIVE),
            wfx: thread.is(Thread::WFX),
            stall: thread.is(Thread::STALL),
            stall_frontend: thread.is(Thread::STALL_FRONTEND),
            stall_backend: thread.is(Thread::STALL_BACKEND),
            second: thread.is(Thread::SECOND),
            condition: thread.is(Thread::CONDITION),
            count: thread.count.into(),
        }
    }

    /// All counters at once against the rules of one event, in every group.
    #[test]
    fn dut_51_thread_events_are_those_of_d14_4() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            random >> 33
        };
        for config in configs() {
            let mut implementation = Implementation::default();
            implementation.knobs.cycles = config.clone();
            let rules = CycleEvents::new(&config);
            let mut events = ThreadEvents::new(&implementation);
            for n in 0..31 {
                events.set_event(n, EVENTS[n % 9]);
            }
            for _ in 0..2000 {
                let mut input = CycleInput::default();
                for thread in &mut input.threads {
                    thread.conditions = next() as u8;
                    thread.count = next() as u16;
                }
                let mut group = Group {
                    unfiltered: [0; THREADS],
                    mt: next() as u32,
                    filtered: 0,
                };
                group.unfiltered = group.unfiltered.map(|_| next() as u32 | next() as u32 & 3);
                let mut base = [7; COUNTER_LANES];
                events.apply(&mut base, &input, &group);
                for (n, &value) in base.iter().enumerate().take(31) {
                    let event = thread_event(EVENTS[n % 9]).expect("of the threads");
                    let threads: Vec<_> = input.threads.iter().map(plain).collect();
                    let members = (0..THREADS).filter(|&t| group.unfiltered[t] >> n & 1 == 1);
                    let expected = if group.mt >> n & 1 == 1 {
                        rules.group(event, true, members.map(|t| &threads[t]))
                    } else {
                        rules.own(event, true, &threads[0])
                    };
                    assert_eq!(value, expected as u16, "{event:?} {config:?} {group:?}");
                }
                assert_eq!(base[31], 7);
            }
        }
    }
}
