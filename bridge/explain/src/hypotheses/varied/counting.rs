//! Counting: the threads of a counter, the value of its event, the addition, overflow flags and CHAIN.

use pmu_model::contract::{CYCLE_COUNTER, THREADS, Thread, control};
use pmu_model::cycles::{self, Event};
use pmu_model::evtyper::effective_mt::{MtpmuEnables, effective_mt};
use pmu_model::evtyper::filter::{ExecutionState, filtered};
use pmu_model::pmu::event_type::{CHAIN, MT};
use pmu_model::pmu::thread_events::thread_event;
use pmu_model::{CycleInput, CycleOutput, SysReg};

use crate::hypotheses::Mistake;
use crate::hypotheses::counters::Counters;
use crate::hypotheses::datapath::Datapath;
use crate::hypotheses::indices::Indices;
use crate::hypotheses::sampling::Sampled;
use crate::hypotheses::threads::Threads;

use super::{Effect, Varied};

impl Varied {
    fn mt(&self, n: usize, input: &CycleInput) -> bool {
        let effective = self.state.types[n] & self.fixed.effective[n];
        if self.is(Threads::MtIgnored) {
            return false;
        }
        if input.driven & 1 == 0 || self.is(Threads::MtpmeIgnored) {
            return MT.of(effective) == 1;
        }
        let of_el2 = input.controls & control::MDCR_EL2_MTPME != 0;
        let of_el3 = input.controls & control::MDCR_EL3_MTPME != 0;
        let enables = MtpmuEnables {
            mdcr_el3_mtpme: if self.is(Threads::MtpmeOfEl2) {
                of_el2
            } else {
                of_el3
            },
            mdcr_el2_mtpme: of_el2,
        };
        effective_mt(effective, enables, &self.fixed.implementation)
    }

    /// Whether thread `t` is filtered for a counter with this type.
    fn is_filtered(&self, effective: u64, t: usize, input: &CycleInput) -> bool {
        if input.driven & 1 == 0 {
            return false;
        }
        let t = if self.is(Threads::FilteredAsOwn) {
            0
        } else {
            t
        };
        let state = input.threads[t].state;
        match self.fixed.mistake {
            Mistake::Filters(mistake) => {
                mistake.filtered(effective, state, &self.fixed.implementation)
            }
            _ => {
                let state = ExecutionState::of_thread(state);
                filtered(effective, state, &self.fixed.implementation)
            }
        }
    }

    fn group(&self, input: &CycleInput) -> usize {
        match input.driven & CycleInput::DRIVEN_THREADS != 0 {
            true => self.fixed.implementation.threads.count.into(),
            false => 1,
        }
    }

    /// What is in an event lane, with bits that are wrong.
    fn lane(&self, event: u16, input: &CycleInput) -> u16 {
        let count = i32::from(self.fixed.implementation.pmu.event_count);
        let number = match self.fixed.mistake {
            Mistake::Indices(Indices::Lane(by)) => {
                (i32::from(event) + i32::from(by)).rem_euclid(64)
            }
            Mistake::Indices(Indices::LaneBits(bits)) => i32::from(event) & ((1 << bits) - 1),
            _ => event.into(),
        };
        let value = match number < count {
            true => input.event[number as usize],
            false => 0,
        };
        match self.fixed.mistake {
            Mistake::Indices(Indices::Stuck(bit, true)) => value | 1 << bit,
            Mistake::Indices(Indices::Stuck(bit, false)) => value & !(1 << bit),
            Mistake::Indices(Indices::Swapped(bit)) => {
                let both = 3 << bit;
                let swapped = (value >> 1 & 1 << bit) | (value & 1 << bit) << 1;
                value & !both | swapped
            }
            Mistake::Indices(Indices::BytesSwapped) => value.swap_bytes(),
            _ => value,
        }
    }

    /// The value of the event of counter `n`, CHAIN left out.
    fn value(&self, n: usize, mt: bool, sampled: &Sampled, input: &CycleInput) -> u16 {
        let pmu = &self.fixed.implementation.pmu;
        let event = self.state.decoded[n].event;
        let cut = match self.fixed.mistake {
            Mistake::Indices(Indices::EventBits(bits)) => event & ((1 << bits) - 1),
            _ => event,
        };
        let is_cut_to_lane = cut != event && cut < pmu.event_count.into();
        let effective = self.state.filters[n] & self.fixed.effective[n];
        let value = match thread_event(event) {
            Some(kind) if input.driven & CycleInput::DRIVEN_THREADS != 0 => {
                let group = if mt && kind == Event::Sum && self.is(Threads::RetiredOfOne) {
                    1
                } else {
                    self.group(input)
                };
                let members = (0..group)
                    .filter(|&t| !mt || !self.is_filtered(effective, t, input))
                    .map(|t| input.threads[t]);
                match self.fixed.mistake {
                    Mistake::Threads(mistake) => {
                        let members: Vec<_> = members.collect();
                        mistake.count(event, mt, &members)
                    }
                    _ => {
                        let (mut counted, mut number) = ([cycles::Thread::default(); THREADS], 0);
                        for thread in members {
                            counted[number] = cycles::Thread::from(&thread);
                            number += 1;
                        }
                        let counted = &counted[..number];
                        self.fixed.cycles.count(kind, mt, true, 0, counted) as u16
                    }
                }
            }
            _ if mt && self.is_filtered(effective, 0, input) => 0,
            _ if is_cut_to_lane => self.lane(cut, input),
            _ if pmu.chain && event == CHAIN => {
                let lane = self.is(Counters::ChainLaneOnEven) && n.is_multiple_of(2);
                if lane { self.lane(event, input) } else { 0 }
            }
            _ if event < pmu.event_count.into() => self.lane(event, input),
            _ => match event {
                0x4000..=0x4003 if self.fixed.implementation.spe.implemented => {
                    sampled.events[usize::from(event - 0x4000)]
                }
                _ => 0,
            },
        };
        value & u16::MAX >> (16 - pmu.event_width)
    }

    /// DUT-20, DUT-21: the counters that a write sets.
    pub(super) fn written(&self, effect: Effect) -> u32 {
        let counters = self.fixed.implementation.pmu.counters;
        let events = self.counters_mask() & !(1 << 31);
        match effect {
            Effect::Write(SysReg::Pmevcntr(n), _) => 1 << n.get(),
            Effect::Write(SysReg::Pmccntr, _) => 1 << 31,
            Effect::Write(SysReg::Pmcr, data) => {
                let (p, c) = (data & 2 != 0, data & 4 != 0);
                let (p, c) = match self.fixed.mistake {
                    Mistake::Counters(Counters::EventResetByC) => (c, c),
                    Mistake::Counters(Counters::CycleResetByP) => (p, p),
                    Mistake::Counters(Counters::ResetsSwapped) => (c, p),
                    _ => (p, c),
                };
                let mut zeroed = 0;
                if p || (c && self.is(Counters::CycleResetOfEvents)) {
                    zeroed |= events;
                }
                if self.is(Counters::ResetMissesLast) && counters > 0 {
                    zeroed &= !(1 << (counters - 1));
                }
                if self.is(Counters::ResetMissesFirst) {
                    zeroed &= !1;
                }
                if c || (p && self.is(Counters::EventResetOfCycles)) {
                    zeroed |= 1 << 31;
                }
                zeroed
            }
            _ => 0,
        }
    }

    pub(super) fn counters_mask(&self) -> u32 {
        (1 << 31) | ((1u32 << self.fixed.implementation.pmu.counters) - 1)
    }

    pub(super) fn count(
        &mut self,
        input: &CycleInput,
        sampled: &Sampled,
        effect: Effect,
        output: &mut CycleOutput,
    ) {
        self.state.last = [0; 32];
        let written = self.written(effect);
        let mut allowed = input.counting_allowed;
        if self.is(Counters::CycleNotHeld) {
            allowed |= 1 << 31;
        }
        if self.is(Counters::EventsNotHeld) {
            allowed |= u32::MAX >> 1;
        }
        let enabled = match self.fixed.mistake {
            Mistake::Indices(Indices::Enable(1)) => {
                self.state.enabled & 1 << 31 | (self.state.enabled & u32::MAX >> 1) >> 1
            }
            Mistake::Indices(Indices::Enable(_)) => {
                self.state.enabled & 1 << 31 | self.state.enabled << 1 & u32::MAX >> 1
            }
            _ => self.state.enabled,
        };
        let may_count = match self.state.enable || self.is(Counters::EnableIgnored) {
            true => enabled & allowed,
            false => 0,
        };
        let mut overflowed = 0u32;
        // CHAIN of a lost overflow does not happen unless the mistake says so.
        let mut chains = 0u32;
        let mut linked = [0u16; 31];
        let needs_values = self.is(Datapath::LinkFromStopped);
        let late = self.is(Datapath::LinkLate) || self.is(Datapath::LinkLateWithoutClock);
        for n in 0..usize::from(self.fixed.implementation.pmu.counters) {
            if may_count >> n & 1 == 0 && !needs_values {
                if late {
                    linked[n] = std::mem::take(&mut self.state.v_before[n]);
                }
                if !self.is(Datapath::HeldWhenEdgeOff) {
                    self.state.c_p[n] = false;
                } else {
                    self.hold_or_clear(n);
                }
                continue;
            }
            let effective = self.state.filters[n] & self.fixed.effective[n];
            let mt = self.mt(n, input);
            let group = if mt { self.group(input) } else { 1 };
            let all_filtered = (0..group).all(|t| self.is_filtered(effective, t, input));
            let counting = may_count >> n & 1 == 1 && !all_filtered;
            let decoded = self.state.decoded[n];
            let mut v_b = self.value(n, mt, sampled, input);
            let is_chain = self.fixed.implementation.pmu.chain && decoded.event == CHAIN;
            if is_chain && n % 2 == 1 && !self.is(Counters::NoChain) {
                let now = match self.is(Counters::ChainLate) {
                    true => self.state.chain_before,
                    false => chains,
                };
                v_b = (now >> (n - 1)) as u16 & 1;
            }
            let v = match counting {
                true => {
                    let below = if n % 2 == 1 { linked[n - 1] } else { 0 };
                    self.threshold(n, &decoded, v_b, below)
                }
                false => {
                    self.hold_or_clear(n);
                    0
                }
            };
            linked[n] = match (self.fixed.mistake, counting) {
                (Mistake::Datapath(Datapath::LinkBase), true) => v_b,
                (Mistake::Datapath(Datapath::LinkFromStopped), false) => v_b,
                _ if late => self.state.v_before[n],
                _ => v,
            };
            if late {
                self.state.v_before[n] = v;
            }
            let hidden = self.is(Counters::HiddenByWrite)
                && matches!(effect, Effect::Write(SysReg::Pmevcntr(m), _) if usize::from(m) == n);
            output.increment[n] = if hidden { 0 } else { v };
            self.state.last[n] = v;
            self.add(n, v, (effect, written), (&mut overflowed, &mut chains));
        }
        self.state.chain_before = chains;
        self.count_cycles(
            input,
            may_count,
            (effect, written),
            (&mut overflowed, output),
        );
        let cleared = match effect {
            Effect::Write(SysReg::Pmovsclr, data) if !self.is(Counters::FlagClearSets) => {
                data as u32
            }
            Effect::Write(SysReg::Pmcr, data)
                if data & 2 != 0 && self.is(Counters::ResetClearsFlags) =>
            {
                u32::MAX >> 1
            }
            _ => 0,
        };
        self.state.flags &= !cleared;
        if self.is(Counters::OverflowLostToClear) {
            overflowed &= !cleared;
        }
        self.state.flags |= overflowed;
        if let Effect::Write(SysReg::Pmcr, data) = effect
            && data & 2 != 0
            && self.is(Counters::ResetClearsFlags)
        {
            self.state.flags &= 1 << 31;
        }
    }

    /// Adds V to a counter (DUT-20, DUT-22).
    fn add(
        &mut self,
        n: usize,
        v: u16,
        (effect, written): (Effect, u32),
        (overflowed, chains): (&mut u32, &mut u32),
    ) {
        let bits = u32::from(self.fixed.implementation.pmu.counter_bits);
        let long = match self.fixed.mistake {
            Mistake::Counters(Counters::LongIgnored) => false,
            Mistake::Counters(Counters::AlwaysLong) => bits == 64,
            _ => self.state.long,
        };
        let top = match self.fixed.mistake {
            _ if long => 64,
            Mistake::Counters(Counters::OverflowBit(bit)) => u32::from(bit) + 1,
            _ => 32,
        };
        let old = u128::from(self.state.counters[n]);
        let carries = |top: u32| ((old & ((1 << top) - 1)) + u128::from(v)) >> top != 0;
        let out = carries(top);
        let is_written = written >> n & 1 == 1;
        let lost = self.is(Counters::WriteLost)
            && v != 0
            && matches!(effect, Effect::Write(SysReg::Pmevcntr(_), _));
        let keeps = is_written && !lost;
        if !is_written || self.is(Counters::LostOverflows) {
            *overflowed |= u32::from(out) << n;
        }
        let chain_out = match self.is(Counters::ChainWithLong) {
            true => carries(32),
            false => out && !long,
        };
        let cleared = matches!(effect, Effect::Write(SysReg::Pmcr, _));
        if !is_written
            || self.is(Counters::ChainOfWritten)
            || (cleared && self.is(Counters::ChainOfCleared))
        {
            *chains |= u32::from(chain_out) << n;
        }
        if !keeps {
            let mask = (1u128 << bits) - 1;
            let mut sum = (old + u128::from(v)) & mask;
            if self.is(Counters::CarryLost) && !long {
                sum = old >> 32 << 32 | sum & 0xFFFF_FFFF;
            }
            if self.is(Counters::Saturates) && out {
                let low = (1u128 << top) - 1;
                sum = old & !low | low;
            }
            self.state.counters[n] = (sum & mask) as u64;
        }
    }

    /// The cycle counter (DUT-14).
    fn count_cycles(
        &mut self,
        input: &CycleInput,
        may_count: u32,
        (effect, written): (Effect, u32),
        (overflowed, output): (&mut u32, &mut CycleOutput),
    ) {
        let threads_driven = input.driven & CycleInput::DRIVEN_THREADS != 0;
        let in_wfx = threads_driven && input.threads[0].is(Thread::WFX);
        let knobs = &self.fixed.implementation.knobs.cycles;
        let idle = self.is(Threads::CycleCounterWithThread)
            && threads_driven
            && !input.threads[0].is(Thread::ACTIVE);
        let stopped = (in_wfx && !knobs.pmccntr_in_wfx) || idle;
        let filter = self.state.cycle_filter_of_filter & self.fixed.cycle_filter;
        let counts = may_count >> 31 == 1 && !self.is_filtered(filter, 0, input);
        if !counts || stopped {
            return;
        }
        output.increment[CYCLE_COUNTER] = 1;
        self.state.last[CYCLE_COUNTER] = 1;
        let is_written = written >> 31 == 1;
        let lost = self.is(Counters::CycleWriteLost)
            && matches!(effect, Effect::Write(SysReg::Pmccntr, _));
        let keeps = is_written && !lost;
        let old = self.state.counters[CYCLE_COUNTER];
        let (sum, carry) = old.overflowing_add(1);
        let carry = match self.fixed.mistake {
            Mistake::Counters(Counters::CycleOverflowBit(bit)) => {
                let mask = u64::MAX >> (63 - bit);
                old & mask == mask
            }
            _ => carry,
        };
        if !is_written || self.is(Counters::LostOverflows) {
            *overflowed |= u32::from(carry) << 31;
        }
        if !keeps {
            self.state.counters[CYCLE_COUNTER] = sum;
        }
    }
}
