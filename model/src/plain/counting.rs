//! Counting: which counters count, the value of an event, the addition, overflow flags and CHAIN (DUT-14 to DUT-24, DUT-50,
//! DUT-51).

use crate::contract::{CYCLE_COUNTER, CycleInput, CycleOutput, Thread};
use crate::cycles::Event;
use crate::pmu::event_type::{CHAIN, EVTCOUNT, MT, VS};
use crate::pmu::thread_events::thread_event;
use crate::sysreg::SysReg;

use super::datapath::Below;
use super::mutant::Mutation;
use super::operators::Operators;
use super::registers::placed;
use super::sampling::Sampled;
use super::site::Site;
use super::{Effect, Plain, state, threads};

/// Event numbers of sampling.
const SAMPLE_POP: u16 = 0x4000;
const SAMPLE_COLLISION: u16 = 0x4003;
/// PMOVSCLR_EL0, among the registers.
const OVSCLR: usize = 3;

/// What a cycle has for all counters.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Common {
    may_count: u32,
    written: u32,
    /// What is written is PMCR_EL0.
    zeroed: bool,
    sampled: [u64; 4],
}

impl Common {
    /// The counters for which it is another one.
    fn differs(&self, other: &Self) -> u32 {
        if self.sampled != other.sampled {
            return u32::MAX;
        }
        let zeroed = match self.zeroed == other.zeroed {
            true => 0,
            false => self.written | other.written,
        };
        (self.may_count ^ other.may_count) | (self.written ^ other.written) | zeroed
    }
}

/// What came of one counter.
#[derive(Clone, Copy, Default)]
struct OfCounter {
    below: Below,
    previous: u64,
    shown: u16,
    carried: Carried,
    sum: Option<u64>,
}

/// What came of every counter in a cycle.
#[derive(Clone, Copy, Default)]
pub(super) struct Counted {
    /// Counters counted in it.
    pub(super) is_there: bool,
    common: Common,
    counters: [OfCounter; 31],
}

impl Counted {
    /// What the events of Statistical Profiling counted.
    pub(super) fn samples(&self) -> [u64; 4] {
        match self.is_there {
            true => self.common.sampled,
            false => [0; 4],
        }
    }
}

/// What the counters of a cycle do to the flags.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Carried {
    /// Flags that are set.
    overflowed: u32,
    /// Overflows that CHAIN of the counter above counts.
    chained: u32,
}

impl Plain {
    /// Whether thread 0 waits in WFI or WFE is of no matter to the cycle counter (A-CYC-3).
    pub(super) fn count<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        sampled: &Sampled,
        effect: Effect,
        output: &mut CycleOutput,
    ) {
        let written = self.written(operators, effect);
        let allowed = operators.word(Site::Allowed, 0, input.counting_allowed.into()) as u32;
        let enabled = self.state.get(state::ENABLED);
        let enabled = operators.word(Site::Enabled, 0, enabled) as u32;
        let enable = self.state.get(state::ENABLE) == 1;
        let enable = operators.bit(Site::Enable, 0, enable);
        let of_all = if enable { u32::MAX } else { 0 };
        let may_count = of_all & enabled & allowed;
        let may_count = operators.see(Site::EnabledBy, 0, may_count.into(), &|mutation| {
            let made = match mutation {
                Mutation::Other(1) => of_all & (enabled | allowed),
                Mutation::Other(2) => of_all | enabled & allowed,
                Mutation::Other(3) => of_all & (enabled ^ allowed),
                Mutation::Other(4) => (of_all | enabled) & allowed,
                _ => may_count,
            };
            made.into()
        }) as u32;
        let common = Common {
            may_count,
            written,
            zeroed: matches!(effect, Some((SysReg::Pmcr, _))),
            sampled: sampled.events,
        };
        let mut within = match self.within {
            Some(within) if self.counted.is_there => within | common.differs(&self.counted.common),
            _ => u32::MAX,
        };
        let counters = usize::from(self.fixed.implementation.pmu.counters);
        let mut carried = Carried::default();
        let mut below = Below::default();
        let mut previous = 0u64;
        for n in 0..counters {
            let found = match within >> n & 1 == 1 {
                true => {
                    let moment = operators.moment();
                    moment.counter = n as u8;
                    moment.event = Some(self.shown_event(n));
                    self.count_one(
                        operators,
                        input,
                        n,
                        (sampled, effect),
                        (common, below, carried.chained),
                    )
                }
                false => self.count_as_before(n),
            };
            if self.within.is_some() {
                // What a counter passes on goes to the odd one above.
                let before = &self.counted.counters[n];
                let passes =
                    found.below != before.below || found.carried.chained != before.carried.chained;
                within |= u32::from(passes && n % 2 == 0) << (n + 1);
            } else {
                self.counted.counters[n] = found;
            }
            below = found.below;
            previous |= found.previous;
            carried.overflowed |= found.carried.overflowed;
            carried.chained |= found.carried.chained;
            output.increment[n] = found.shown;
            operators.moment().counted |= u32::from(found.below.v != 0) << n;
            self.last[n] = found.below.v;
            if operators.is_refuted(n, found.shown) {
                return;
            }
        }
        if self.within.is_none() {
            self.counted.common = common;
            self.counted.is_there = true;
        }
        operators.moment().event = None;
        // DUT-24.
        self.state.set(state::PREVIOUS, previous);
        self.count_cycles(
            operators,
            input,
            may_count,
            (effect, written),
            &mut carried,
            output,
        );
        self.flags(operators, input, effect, carried.overflowed);
    }

    /// One of the counters: what the one below passes on, `below` and `chained`, is for odd ones.
    fn count_one<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        n: usize,
        (sampled, effect): (&Sampled, Effect),
        (common, below, chained): (Common, Below, u32),
    ) -> OfCounter {
        let may = operators.bit(Site::MayCount, n, common.may_count >> n & 1 == 1);
        if !may {
            let links = n.is_multiple_of(2) && operators.bit(Site::LinkedFromDisabled, n, false);
            let v = match links {
                true => match self.base(operators, n, chained, sampled, input) {
                    (0, _) => 0,
                    (_, v_b) => v_b,
                },
                false => 0,
            };
            return OfCounter {
                below: Below {
                    v,
                    stopped: true,
                    ..Below::default()
                },
                previous: self.held(operators, 0, n),
                ..OfCounter::default()
            };
        }
        let (counted, v_b) = self.base(operators, n, chained, sampled, input);
        let some = operators.bit(Site::SomeThread, n, counted != 0);
        let decoded = self.decode(operators, n);
        let (v, c_t) = match some {
            true => {
                let below = if n % 2 == 1 { below } else { Below::default() };
                self.threshold(operators, n, (&decoded, v_b, below))
            }
            false => (0, false),
        };
        let mut previous = u64::from(operators.bit(Site::PreviousNext, n, c_t)) << n;
        let (off, no_edge) = (decoded.bypassed, !decoded.used.1);
        for (case, holds) in [(1, !some), (2, some && no_edge), (3, some && off)] {
            if holds && operators.bit(Site::PreviousHeld, case, false) {
                previous = self.state.get(state::PREVIOUS) & 1 << n;
            }
        }
        let shown = operators.word(Site::Shown, n, v) as u16;
        let mut carried = Carried::default();
        let sum = self.add(operators, n, v, (effect, common.written), &mut carried);
        OfCounter {
            below: Below {
                v,
                v_b,
                stopped: !some,
            },
            previous,
            shown,
            carried,
            sum,
        }
    }

    /// DUT-16, DUT-50: the threads that count for counter `n`, a bit each, and V_B.
    fn base<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        chained: u32,
        sampled: &Sampled,
        input: &CycleInput,
    ) -> (u8, u64) {
        let copy = state::COPIES + 31 * state::OF_FILTER + n;
        let effective = self.state.get(copy) & self.fixed.present[n];
        let effective = effective & !(VS.mask() | MT.mask())
            | placed(operators, (Site::FieldPlace, 4), effective, VS.mask())
            | placed(operators, (Site::FieldPlace, 5), effective, MT.mask());
        let mt = self.mt(operators, n, effective, input);
        let group = if mt { self.group(input) } else { 1 };
        let mut counted = 0u8;
        for t in 0..group {
            let filtered = self.is_filtered(operators, n, (effective, t), input);
            let counts = operators.bit(Site::ThreadCounted, t, !filtered);
            counted |= u8::from(counts) << t;
        }
        let event = self.event(operators, n);
        let event = operators.word(Site::Event, n, event) as u16;
        let is_chain = |event: u64| u64::from(event == u64::from(CHAIN));
        let chain = operators.see(Site::EventSeen, 0, is_chain(event.into()), &|mutation| {
            is_chain(mutation.of_word(event.into(), 16))
        }) == 1;
        let own = (event, mt, counted);
        let other = operators.see(Site::EventSeen, 4, event.into(), &|mutation| {
            mutation.of_word(event.into(), 16)
        });
        let selects = other != u64::from(event) && (event < 64 || other < 64);
        let v_b = match self.fixed.implementation.pmu.chain && chain {
            true if !selects || n % 2 == 1 => self.chain(operators, n, chained),
            false if !selects => self.value(operators, n, own, sampled, input),
            _ => self.value_of_other(operators, own, other, input),
        };
        (counted, v_b)
    }

    /// What is counted of event `other`, below 64, where that of the counter occurs: a mutant selects it.
    fn value_of_other<O: Operators>(
        &mut self,
        operators: &mut O,
        (event, mt, counted): (u16, bool, u8),
        other: u64,
        input: &CycleInput,
    ) -> u64 {
        let driven = input.driven & CycleInput::DRIVEN_THREADS != 0;
        let of_threads = |event: u16| thread_event(event).filter(|_| driven);
        let occurs = match of_threads(event) {
            Some(Event::Sum) if mt => {
                return self.thread_event(operators, Event::Sum, (mt, counted), input);
            }
            Some(Event::Sum) | None => counted & 1 == 1,
            Some(kind) => self.thread_event(operators, kind, (mt, counted), input) != 0,
        };
        let pmu = &self.fixed.implementation.pmu;
        let other = other.min(64) as u16;
        let value = match of_threads(other) {
            _ if !occurs => 0,
            Some(Event::Sum) => input.threads[0].count.into(),
            Some(_) => 1,
            // DUT-17: CHAIN has no lane.
            None if pmu.chain && other == CHAIN => 0,
            None if other < pmu.event_count.into() => input.event[usize::from(other)].into(),
            None => 0,
        };
        value & ((1u64 << pmu.event_width) - 1)
    }

    /// A counter for which nothing is otherwise than in the cycle that was whole.
    fn count_as_before(&mut self, n: usize) -> OfCounter {
        let found = self.counted.counters[n];
        if let Some(sum) = found.sum {
            self.state.set(state::COUNTERS + n, sum);
        }
        found
    }

    /// evtCount of counter `n`.
    fn event<O: Operators>(&mut self, operators: &mut O, n: usize) -> u64 {
        let copy = state::COPIES + 31 * state::OF_EVENT + n;
        let value = self.state.get(copy) & self.fixed.present[n];
        EVTCOUNT.of(placed(
            operators,
            (Site::FieldPlace, 6),
            value,
            EVTCOUNT.mask(),
        ))
    }

    /// The event of counter `n`, for who looks at it from outside: it does not count as read.
    pub fn shown_event(&self, n: usize) -> u16 {
        let copy = state::COPIES + 31 * state::OF_EVENT + n;
        EVTCOUNT.of(self.state.word(copy as u16) & self.fixed.present[n]) as u16
    }

    /// C_P of counter `n`, if a mutant holds it.
    fn held<O: Operators>(&mut self, operators: &mut O, case: usize, n: usize) -> u64 {
        match operators.bit(Site::PreviousHeld, case, false) {
            true => self.state.get(state::PREVIOUS) & 1 << n,
            false => 0,
        }
    }

    /// DUT-52: nothing but what mutants clear.
    pub(super) fn without_clock<O: Operators>(&mut self, operators: &mut O, input: &CycleInput) {
        if operators.bit(Site::WriteEnabled, OVSCLR, false) {
            let flags = self.state.get(state::FLAGS) & !input.access_data;
            self.state.set(state::FLAGS, flags);
        }
        if !operators.bit(Site::PreviousStays, 0, true) {
            self.state.set(state::PREVIOUS, 0);
        }
    }

    /// DUT-20, DUT-21: the counters that a write sets.
    fn written<O: Operators>(&mut self, operators: &mut O, effect: Effect) -> u32 {
        self.zeroed
            | match effect {
                Some((SysReg::Pmevcntr(_), _)) if operators.bit(Site::AllWritten, 0, false) => {
                    !(1 << CYCLE_COUNTER)
                }
                Some((SysReg::Pmevcntr(n), _)) => {
                    u32::from(operators.bit(Site::WriteWins, n.get().into(), true)) << n.get()
                }
                Some((SysReg::Pmccntr, _)) => {
                    u32::from(operators.bit(Site::WriteWins, CYCLE_COUNTER, true)) << 31
                }
                Some((SysReg::Pmcr, data)) => self.zeroed(operators, data),
                _ => 0,
            }
    }

    /// DUT-17.
    fn chain<O: Operators>(&mut self, operators: &mut O, n: usize, chained: u32) -> u64 {
        if !operators.bit(Site::ChainIsOdd, n, n % 2 == 1) {
            return 0;
        }
        let below = n.saturating_sub(1);
        let from = operators.index(Site::ChainFrom, n, below, 31);
        operators
            .bit(Site::Chain, n, chained >> from & 1 == 1)
            .into()
    }

    /// DUT-16, DUT-51: the value of the event of counter `n`, but for CHAIN.
    fn value<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        (event, mt, counted): (u16, bool, u8),
        sampled: &Sampled,
        input: &CycleInput,
    ) -> u64 {
        let driven = input.driven & CycleInput::DRIVEN_THREADS != 0;
        let number = |event: u64| {
            let found = u16::try_from(event).ok().and_then(threads::number);
            found.map_or(u64::MAX, |found| found as u64)
        };
        let seen = operators.see(Site::EventSeen, 2, number(event.into()), &|mutation| {
            number(mutation.of_word(event.into(), 16))
        });
        let seen = threads::EVENTS.get(seen as usize).copied();
        let of_threads = seen.and_then(thread_event).filter(|_| {
            let number = number(seen.unwrap_or(0).into());
            operators.bit(Site::ThreadEvent, number as usize, driven)
        });
        let value = if let Some(kind) = of_threads {
            self.thread_event(operators, kind, (mt, counted), input)
        } else if mt && operators.bit(Site::NotOfThread, n, counted & 1 == 0) {
            0
        } else {
            self.lane(operators, n, event, sampled, input)
        };
        let mask = (1u64 << self.fixed.implementation.pmu.event_width) - 1;
        operators.word(Site::Base, n, value & mask)
    }

    /// A lane, or an event of sampling.
    fn lane<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        event: u16,
        sampled: &Sampled,
        input: &CycleInput,
    ) -> u64 {
        let pmu = &self.fixed.implementation.pmu;
        let count = pmu.event_count.into();
        let lane_of = |event: u64| if event < count { event } else { u64::MAX };
        let of_lanes = operators.see(Site::EventSeen, 1, lane_of(event.into()), &|mutation| {
            lane_of(mutation.of_word(event.into(), 16))
        });
        let sample_of = |event: u64| match event {
            0x4000..=0x4003 => event,
            _ => 0,
        };
        let of_sampling = operators.see(Site::EventSeen, 3, sample_of(event.into()), &|mutation| {
            sample_of(mutation.of_word(event.into(), 16))
        });
        if of_lanes < count {
            let lane = operators.index(Site::Lane, n, of_lanes as usize, 64) & 63;
            let value = |lane: usize| match lane < pmu.event_count.into() {
                true => u64::from(input.event[lane]),
                false => 0,
            };
            let next = operators.bit(Site::NextToo, n, false);
            let last = operators.bit(Site::LastToo, n, false);
            return [
                (true, lane),
                (next, (lane + 1) & 63),
                (last, lane.wrapping_sub(1) & 63),
            ]
            .into_iter()
            .filter(|(counts, _)| *counts)
            .fold(0, |sum, (_, lane)| sum + value(lane));
        }
        match of_sampling as u16 {
            event @ SAMPLE_POP..=SAMPLE_COLLISION if self.fixed.implementation.spe.implemented => {
                let number = usize::from(event - SAMPLE_POP);
                let number = operators.index(Site::SampleEvent, number, number, 4) & 3;
                operators.word(Site::SampleValue, number, sampled.events[number])
            }
            _ => operators.word(Site::NoEvent, n, 0),
        }
    }

    /// Adds V to a counter (DUT-20, DUT-22): what it holds then, if it was set.
    fn add<O: Operators>(
        &mut self,
        operators: &mut O,
        n: usize,
        v: u64,
        (effect, written): (Effect, u32),
        carried: &mut Carried,
    ) -> Option<u64> {
        let added = operators.word(Site::Added, n, v);
        if added == 0 {
            return None;
        }
        let bits = self.fixed.implementation.pmu.counter_bits;
        let old = self.state.get(state::COUNTERS + n);
        let low = |bits: u64| u64::MAX >> (64 - bits);
        let carry = |top: u64| {
            let sum = u128::from(old & low(top)) + u128::from(added);
            sum >> top != 0
        };
        // LP is of matter only where there is a carry out of bit 31.
        let long = match carry(32) {
            true => {
                let long = self.state.get(state::LONG) == 1;
                operators.bit(Site::Long, n, long)
            }
            false => false,
        };
        let top = if long { 64 } else { 32 };
        let out = operators.see(Site::OverflowBit, 0, carry(top).into(), &|mutation| {
            carry(mutation.of_word(top, 7).clamp(1, 64)).into()
        }) == 1;
        let out = match long {
            true => operators.bit(Site::CarryOfLong, n, out),
            false => out,
        };
        let out = operators.bit(Site::Carry, n, out);
        let beyond = old.wrapping_add(added) & low(top) != 0;
        let out = out && !(beyond && operators.bit(Site::LostBeyondZero, n, false));
        let is_written = written >> n & 1 == 1;
        let zeroed = matches!(effect, Some((SysReg::Pmcr, _)));
        let flag = operators.bit(Site::OverflowOfWritten, usize::from(zeroed), !is_written);
        if out && flag {
            let n = operators.index(Site::FlagOf, n, n, 31) & 31;
            carried.overflowed |= 1 << n;
        }
        let short = operators.bit(Site::ChainIsShort, 0, !long);
        let lost = operators.bit(Site::ChainOfWritten, usize::from(zeroed), !is_written);
        carried.chained |= u32::from(out && short && lost) << n;
        if is_written {
            return None;
        }
        let sum = old.wrapping_add(added);
        let lost = carry(32) && !long && !operators.bit(Site::CarryReaches, n, true);
        let sum = match lost {
            false => sum,
            true => old >> 32 << 32 | sum & low(32),
        };
        let sum = match out && operators.bit(Site::Stops, 0, false) {
            true => old | low(top),
            false => sum,
        };
        let sum = operators.word(Site::Sum64, n, sum) & low(bits.into());
        self.state.set(state::COUNTERS + n, sum);
        Some(sum)
    }

    /// The cycle counter (DUT-14).
    fn count_cycles<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        may_count: u32,
        (effect, written): (Effect, u32),
        carried: &mut Carried,
        output: &mut CycleOutput,
    ) {
        operators.moment().counter = CYCLE_COUNTER as u8;
        let driven = input.driven & CycleInput::DRIVEN_THREADS != 0;
        let waits = driven && input.threads[0].is(Thread::WFX);
        let idle = driven && !input.threads[0].is(Thread::ACTIVE);
        let waits = operators.bit(Site::CyclesWait, 0, false) && waits;
        let idle = operators.bit(Site::CyclesIdle, 0, false) && idle;
        if !operators.bit(Site::MayCount, CYCLE_COUNTER, may_count >> 31 == 1) || waits || idle {
            return;
        }
        let filter = self.state.get(state::CYCLE_COPY) & self.fixed.cycle_filter;
        let filtered = self.is_filtered(operators, CYCLE_COUNTER, (filter, 0), input);
        if !operators.bit(Site::SomeThread, CYCLE_COUNTER, !filtered) {
            return;
        }
        let v = operators.word(Site::Shown, CYCLE_COUNTER, 1);
        output.increment[CYCLE_COUNTER] = v as u16;
        operators.moment().counted |= u32::from(v != 0) << 31;
        self.last[CYCLE_COUNTER] = 1;
        let added = operators.word(Site::Added, CYCLE_COUNTER, 1);
        let old = self.state.get(state::COUNTERS + CYCLE_COUNTER);
        let carry = |top: u64| {
            let low = u64::MAX >> (64 - top.clamp(1, 64));
            u64::from(old & low == low && added == 1)
        };
        let out = operators.see(Site::OverflowBit, 1, carry(64), &|mutation| {
            carry(mutation.of_word(64, 7))
        }) == 1;
        let out = operators.bit(Site::Carry, CYCLE_COUNTER, out);
        let is_written = written >> 31 == 1;
        let zeroed = matches!(effect, Some((SysReg::Pmcr, _)));
        if out
            && operators.bit(
                Site::OverflowOfWritten,
                2 + usize::from(zeroed),
                !is_written,
            )
        {
            carried.overflowed |= 1 << 31;
        }
        if !is_written {
            let sum = old.wrapping_add(added);
            let carries = sum & 0xFFFF_FFFF == 0;
            let sum = match !carries || operators.bit(Site::CarryReaches, CYCLE_COUNTER, true) {
                true => sum,
                false => old >> 32 << 32 | sum & 0xFFFF_FFFF,
            };
            let sum = operators.word(Site::Sum64, CYCLE_COUNTER, sum);
            self.state.set(state::COUNTERS + CYCLE_COUNTER, sum);
        }
    }

    /// DUT-23.
    fn flags<O: Operators>(
        &mut self,
        operators: &mut O,
        input: &CycleInput,
        effect: Effect,
        overflowed: u32,
    ) {
        let overflowed = operators.word(Site::Overflowed, 0, overflowed.into());
        let cleared_by_all = operators.bit(Site::WriteEnabled, OVSCLR, false);
        let cleared = match effect {
            _ if cleared_by_all => input.access_data & 0xFFFF_FFFF,
            Some((SysReg::Pmovsclr, data)) => operators.word(Site::Cleared, 0, data & 0xFFFF_FFFF),
            Some((SysReg::Pmcr, data))
                if data & 2 != 0 && operators.bit(Site::FlagsByP, 0, false) =>
            {
                0x7FFF_FFFF
            }
            Some((SysReg::Pmcr, data))
                if data & 4 != 0 && operators.bit(Site::FlagsByC, 0, false) =>
            {
                1 << 31
            }
            _ => 0,
        };
        if overflowed == 0 && cleared == 0 {
            return;
        }
        let flags = self.state.get(state::FLAGS);
        let overflowed = match operators.bit(Site::OverflowWins, 0, true) {
            true => overflowed,
            false => overflowed & !cleared,
        };
        self.state.set(state::FLAGS, flags & !cleared | overflowed);
    }
}
