//! Events of the threads: what they count for each counter, with its Effective MT and its group (DUT-51).
//!
//! The rules are those of [`crate::cycles`], for all counters at once. All these events but INST_RETIRED count 0 or
//! 1 (CYC-21), so that a mask of counters holds their values.

use crate::contract::{THREADS, Thread};
use crate::cycles::{Config, Event, IdleThreadAny, IdleThreadStall};
use crate::implementation::Implementation;

use super::group::Group;
use super::lane::{Lanes, lanes};
use super::select::Select;

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
    event_mask: u16,
    knobs: Knobs,
}

/// The choices of [`Config`], each all ones or zero.
#[derive(Clone, Debug)]
struct Knobs {
    active_in_wfx: u32,
    cpu_cycles_in_wfx: u32,
    /// `cpu_cycles_mt1_all_wfx`.
    all_in_wfx: u32,
    /// `idle_thread_stall` is TRUE.
    idle_stalls: u32,
    /// `idle_thread_any` is RAW.
    idle_has_any: u32,
    /// Not `cond_gated`.
    ungated: u32,
}

impl Knobs {
    fn new(config: &Config) -> Self {
        Self {
            active_in_wfx: mask(config.active_in_wfx),
            cpu_cycles_in_wfx: mask(config.cpu_cycles_in_wfx),
            all_in_wfx: mask(config.cpu_cycles_mt1_all_wfx),
            idle_stalls: mask(config.idle_thread_stall == IdleThreadStall::True),
            idle_has_any: mask(config.idle_thread_any != IdleThreadAny::False),
            ungated: mask(!config.cond_gated),
        }
    }
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
            event_mask: u16::MAX >> (16 - implementation.pmu.event_width),
            knobs: Knobs::new(&implementation.knobs.cycles),
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

    /// The counters whose event happens in this cycle: all events but INST_RETIRED.
    #[inline(always)]
    pub fn cycle_events(
        &self,
        threads: &[Thread; THREADS],
        group: &Group,
        select: impl Select,
    ) -> u32 {
        let with = select.threads_with(threads.map(|thread| thread.conditions));
        (self.own(&threads[0]) & !group.mt) | (self.grouped(with, group) & group.mt)
    }

    /// Whether any counter counts INST_RETIRED.
    #[inline(always)]
    pub fn any_sum(&self) -> bool {
        self.sum != 0
    }

    /// CYC-15, CYC-07, CYC-08, CYC-03: with an Effective MT of 0.
    #[inline(always)]
    fn own(&self, thread: &Thread) -> u32 {
        let knobs = &self.knobs;
        let conditions = u32::from(thread.conditions);
        let is = |condition: u8| mask_of(conditions, condition);
        let not_in_wfx = !is(Thread::WFX);
        // CYC-06.
        let active = is(Thread::ACTIVE) & (not_in_wfx | knobs.active_in_wfx);
        let cycle = active & (not_in_wfx | knobs.cpu_cycles_in_wfx);
        let mut stalled = 0;
        for (counters, condition) in self.stall.iter().zip(STALLS) {
            stalled |= counters & is(condition);
        }
        stalled &= !self.second | is(Thread::SECOND);
        // A-CYC-7.
        let condition = is(Thread::CONDITION) & (cycle | knobs.ungated);
        (cycle & (self.cycles | stalled)) | (condition & self.condition)
    }

    /// CYC-09 to CYC-13: with an Effective MT of 1, for the threads of each counter's group. Threads are sets of
    /// four bits here, in `threads_with` one for each condition, and for each set there is a mask of the counters
    /// that any of them is in the group of.
    #[inline(always)]
    fn grouped(&self, threads_with: u32, group: &Group) -> u32 {
        let knobs = &self.knobs;
        // Other bits than the low four of a set mean nothing.
        let with = |condition: u8| threads_with >> (4 * condition.trailing_zeros());
        let wfx = with(Thread::WFX);
        let idle = wfx | !with(Thread::ACTIVE);
        let true_for_all = idle & knobs.idle_stalls;
        let looked_at_for_any = !idle | knobs.idle_has_any;
        let any_of = |threads: u32| group.of_any[threads as usize % group.of_any.len()];
        let awake = any_of(!wfx);
        let mut stalled = 0;
        for (counters, condition) in self.stall.iter().zip(STALLS) {
            // True for all threads: there is none that it is false for.
            stalled |= counters & !any_of(!(with(condition) | true_for_all));
        }
        // CYC-11, CYC-12.
        stalled &= !self.second | any_of(with(Thread::SECOND) & looked_at_for_any);
        let condition = any_of(with(Thread::CONDITION) & looked_at_for_any);
        // A-CYC-4; A-CYC-8: an empty group counts nothing.
        let all_in_wfx = any_of(u32::MAX) & knobs.all_in_wfx;
        // CYC-09, CYC-10, CYC-13.
        (self.cycles & (awake | all_in_wfx)) | (awake & (stalled | (self.condition & condition)))
    }

    /// CYC-14, CYC-15: INST_RETIRED, modulo 2^16.
    #[inline(always)]
    pub fn sums(
        &self,
        threads: &[Thread; THREADS],
        group: &Group,
        select: impl Select,
    ) -> Lanes<u16> {
        let [first, second, third, fourth] = group.unfiltered;
        let (sum, mt) = (self.sum, group.mt);
        let own = select.expand(sum & (!mt | first));
        let second = select.expand(sum & mt & second);
        let third = select.expand(sum & mt & third);
        let fourth = select.expand(sum & mt & fourth);
        let counts = threads.map(|thread| thread.count);
        let event_mask = self.event_mask;
        lanes(
            #[inline(always)]
            |n| {
                let pair = (own[n] & counts[0]).wrapping_add(second[n] & counts[1]);
                let other = (third[n] & counts[2]).wrapping_add(fourth[n] & counts[3]);
                pair.wrapping_add(other) & event_mask
            },
        )
    }
}

/// All ones if a thread with `conditions` has `condition`, else zero.
#[inline(always)]
fn mask_of(conditions: u32, condition: u8) -> u32 {
    (conditions >> condition.trailing_zeros() & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::super::select::OneByOne;
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
                let threads = [(); THREADS].map(|()| Thread {
                    state: 0,
                    conditions: next() as u8,
                    count: next() as u16,
                });
                let mt = next() as u32;
                let unfiltered = [(); THREADS].map(|()| next() as u32 | next() as u32 & 3);
                let group = Group::new(unfiltered, mt);
                let values = events.sums(&threads, &group, OneByOne);
                let ones = events.cycle_events(&threads, &group, OneByOne);
                let threads: Vec<_> = threads.iter().map(cycles::Thread::from).collect();
                for (n, &sum) in values.iter().enumerate().take(31) {
                    let value = sum | (ones >> n) as u16 & 1;
                    let event = thread_event(EVENTS[n % 9]).expect("of the threads");
                    let members = (0..THREADS).filter(|&t| group.unfiltered[t] >> n & 1 == 1);
                    let expected = if group.mt >> n & 1 == 1 {
                        rules.group(event, true, members.map(|t| &threads[t]))
                    } else {
                        rules.own(event, true, &threads[0])
                    };
                    assert_eq!(value, expected as u16, "{event:?} {config:?} {group:?}");
                }
                assert_eq!((values[31], ones >> 31), (0, 0));
            }
        }
    }
}
