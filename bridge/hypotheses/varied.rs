//! The contract with one mistake: one counter and one rule after another, from the models of the areas.
//!
//! Slow and plain on purpose, so that every mistake has a place to be made. Without a mistake it is the model.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::Arc;

use pmu_model::contract::{CYCLE_COUNTER, THREADS, Thread, control};
use pmu_model::cycles::{self, CycleEvents};
use pmu_model::evtyper::access::{Direction, Outcome, trap_iss_of};
use pmu_model::evtyper::effective_mt::{MtpmuEnables, effective_mt};
use pmu_model::evtyper::filter::{ExceptionLevel, ExecutionState, filtered};
use pmu_model::implementation::{Knobs, Res0};
use pmu_model::pmu::event_type::{
    CHAIN, EventType, EventTypeDecoder, MT, cycle_filter_mask, present_mask,
};
use pmu_model::pmu::thread_events::thread_event;
use pmu_model::spmu::access as spmu_access;
use pmu_model::{AccessKind, CycleInput, CycleOutput, Implementation, ImplementationError, SysReg};

use super::Mistake;
use super::access::Access;
use super::counters::Counters;
use super::datapath::{Datapath, Predicate};
use super::indices::Indices;
use super::sampling::{Sampled, Sampling, Unit};
use super::system::System;
use super::threads::Threads;
use super::timing::Timing;

/// What never changes in a run.
struct Fixed {
    implementation: Implementation,
    decoder: EventTypeDecoder,
    cycles: CycleEvents,
    /// Bits of each type that are present, with those that the mistake stores.
    stored: [u64; 31],
    /// Bits of each type that have an effect.
    effective: [u64; 31],
    cycle_filter: u64,
    mistake: Mistake,
}

/// The contract with a mistake.
pub struct Varied {
    fixed: Fixed,
    state: State,
    decided: Decided,
}

/// What was decided in the last cycle.
#[derive(Clone, Copy, Default)]
struct Decided {
    /// Outcome and register of an access of the PE.
    access: Option<(Outcome, Option<SysReg>)>,
    /// What the sampling unit was given to write, and did.
    sampled: Option<(Option<(SysReg, u64)>, Sampled)>,
    /// An access was trapped.
    trapped: bool,
}

/// What a reset puts back.
#[derive(Clone, PartialEq)]
pub struct State {
    enable: bool,
    long: bool,
    enabled: u32,
    flags: u32,
    select: u8,
    select_before: u8,
    types: [u64; 31],
    /// The types as the filter has them.
    filters: [u64; 31],
    decoded: [EventType; 31],
    cycle_filter: u64,
    cycle_filter_of_filter: u64,
    counters: [u64; 32],
    /// Increments of this cycle.
    last: [u16; 32],
    c_p: [bool; 31],
    /// V of the cycle before, and CHAIN of it.
    v_before: [u16; 31],
    chain_before: u32,
    unit: Unit,
    pmsirr: u64,
    pmbsr: [u64; 3],
    spmselr: u64,
    /// By System PMU, kind and number. Copies of the state share it until one writes.
    system: Arc<BTreeMap<(usize, u8, u8), u64>>,
    /// A write that takes effect a cycle later.
    late: Option<(SysReg, u64)>,
    /// The register that is read in this cycle.
    read: Option<SysReg>,
}

/// What an access does at the end of the cycle.
#[derive(Clone, Copy)]
enum Effect {
    Nothing,
    Write(SysReg, u64),
}

/// The half of a register that an access reaches.
#[derive(Clone, Copy, PartialEq)]
enum View {
    Whole,
    Low,
    High,
}

/// One cycle of the contract without a mistake.
pub struct Cycle<'a> {
    /// What goes in.
    pub input: &'a CycleInput,
    /// The byte that the design drew.
    pub byte: u8,
    /// The state before.
    pub before: &'a State,
    /// The contract after it.
    pub after: &'a Varied,
}

impl Varied {
    /// Whether this is the contract of an implementation: some knobs have their defaults here.
    pub fn stands_for(implementation: &Implementation) -> bool {
        let (knobs, default) = (&implementation.knobs, Knobs::default());
        knobs.cp_when_not_counting == default.cp_when_not_counting
            && knobs.ct_when_bypassed == default.ct_when_bypassed
            && knobs.link_from_idle == default.link_from_idle
            && knobs.reset_value == default.reset_value
            && knobs.spe == default.spe
            && knobs.cycles == default.cycles
    }

    /// Out of reset, with a mistake.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &Implementation,
        mistake: Mistake,
    ) -> Result<Self, ImplementationError> {
        let on_even = mistake == Mistake::Datapath(Datapath::LinkOnEven);
        let present = |n: usize| {
            let n = if on_even { n | 1 } else { n };
            present_mask(n as u8, implementation)
        };
        let res0 = match mistake {
            Mistake::Indices(Indices::Res0Stored(low)) => 0xF << low,
            _ => 0,
        };
        let hold = implementation.knobs.res0 == Res0::RwNoEffect;
        let effective = std::array::from_fn(present);
        let fixed = Fixed {
            decoder: EventTypeDecoder::new(implementation)?,
            cycles: CycleEvents::new(&implementation.knobs.cycles),
            stored: effective.map(|mask| if hold { u64::MAX } else { mask | res0 }),
            effective,
            cycle_filter: cycle_filter_mask(implementation),
            implementation: implementation.clone(),
            mistake,
        };
        Ok(Self {
            state: State::new(&fixed),
            decided: Decided::default(),
            fixed,
        })
    }

    /// The state that it has come to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Goes on from the state of another contract for the same implementation.
    pub fn resume(&mut self, state: &State) {
        let unit = self.state.unit.resumed(&state.unit);
        self.state = State {
            unit,
            ..state.clone()
        };
    }

    /// Whether this is its state.
    pub fn is_at(&self, state: &State) -> bool {
        self.state == *state
    }

    /// Whether the access of a cycle comes to another outcome here.
    pub fn decides_otherwise(&mut self, cycle: &Cycle<'_>) -> bool {
        let Some(decided) = cycle.after.decided.access else {
            return false;
        };
        self.state.select = cycle.before.select;
        self.state.select_before = cycle.before.select_before;
        self.state.spmselr = cycle.before.spmselr;
        self.outcome_of_pe(cycle.input) != decided
    }

    /// Whether the sampling unit does something else here.
    pub fn samples_otherwise(&self, cycle: &Cycle<'_>) -> bool {
        let Some((write, sampled)) = cycle.after.decided.sampled else {
            return false;
        };
        let mut unit = self.state.unit.resumed(&cycle.before.unit);
        unit.step(cycle.input, cycle.byte, write) != sampled || unit != cycle.after.state.unit
    }

    /// Whether an access was trapped in the last cycle.
    pub fn trapped(&self) -> bool {
        self.decided.trapped
    }

    #[inline]
    fn is(&self, mistake: impl Into<Mistake>) -> bool {
        let mistake = mistake.into();
        // Another family, in most cases: told without a call.
        discriminant(&self.fixed.mistake) == discriminant(&mistake) && self.fixed.mistake == mistake
    }

    /// One cycle, with the byte that the design drew in it.
    pub fn step(&mut self, input: &CycleInput, byte: u8) -> CycleOutput {
        let mut output = CycleOutput::default();
        self.decided = Decided::default();
        if input.is_reset() {
            if self.is(Counters::CountsInReset) {
                self.count(input, &Sampled::default(), Effect::Nothing, &mut output);
            }
            let before = std::mem::replace(&mut self.state, State::new(&self.fixed));
            if self.is(Counters::FlagsNotReset) {
                self.state.flags = before.flags;
            }
            if self.is(Counters::ValuesNotReset) {
                self.state.counters = before.counters;
            }
            return output;
        }
        if input.clock_stopped & 1 == 1 {
            if self.is(Datapath::ClearedWithoutClock) {
                self.state.c_p = [false; 31];
            }
            self.show(&Sampled::default(), &mut output);
            return output;
        }
        let effect = self.access(input, &mut output);
        if self.is(Timing::WriteEarly) {
            self.write(effect, input);
        }
        if let Some((register, data)) = self.state.late.take() {
            self.write(Effect::Write(register, data), input);
        }
        let write = match effect {
            Effect::Write(register, data) => Some((register, data)),
            Effect::Nothing => None,
        };
        let sampled = match self.fixed.implementation.spe.implemented {
            true => self.state.unit.step(input, byte, write),
            false => Sampled::default(),
        };
        self.decided.sampled = Some((write, sampled));
        output.random_byte = if sampled.drawn > 0 { byte } else { 0 };
        self.show(&sampled, &mut output);
        self.count(input, &sampled, effect, &mut output);
        match self.state.read.take() {
            Some(SysReg::Pmevcntr(n)) if self.is(Counters::ReadsNext) => {
                output.access_data = self.state.counters[usize::from(n)];
            }
            Some(SysReg::Pmccntr) if self.is(Counters::CycleReadsNext) => {
                output.access_data = self.state.counters[CYCLE_COUNTER];
            }
            _ => {}
        }
        match effect {
            _ if self.is(Timing::WriteEarly) => {}
            Effect::Write(register, data) if self.is(Timing::WriteLate) => {
                self.state.late = Some((register, data));
            }
            effect => self.write(effect, input),
        }
        if let Mistake::Indices(Indices::Shown(by)) = self.fixed.mistake {
            let shown = output.increment;
            for n in 0..31usize {
                let other = n as i32 + i32::from(by);
                output.increment[n] = usize::try_from(other)
                    .ok()
                    .filter(|&other| other < 31)
                    .map_or(0, |other| shown[other]);
            }
        }
        output
    }

    fn show(&self, sampled: &Sampled, output: &mut CycleOutput) {
        let unit = &self.state.unit;
        let coll = unit.coll.map(u8::from);
        output.pmsicr = unit.pmsicr();
        output.in_flight = unit.in_flight as u8;
        output.coll = coll[0] | coll[1] << 1 | coll[2] << 2;
        output.selected = sampled.selected;
        output.first_selected = sampled.first;
        output.collided = sampled.collided;
        output.random_drawn = sampled.drawn;
    }

    // Counting.

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
                let members = (0..self.group(input))
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
    fn written(&self, effect: Effect) -> u32 {
        let counters = self.fixed.implementation.pmu.counters;
        let events = self.counters_mask() & !(1 << 31);
        match effect {
            Effect::Write(SysReg::Pmevcntr(n), _) => 1 << n,
            Effect::Write(SysReg::Pmccntr, _) => 1 << 31,
            Effect::Write(SysReg::Pmcr, data) => {
                let (p, c) = (data & 2 != 0, data & 4 != 0);
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

    fn counters_mask(&self) -> u32 {
        (1 << 31) | ((1u32 << self.fixed.implementation.pmu.counters) - 1)
    }

    fn count(
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
        for n in 0..usize::from(self.fixed.implementation.pmu.counters) {
            if may_count >> n & 1 == 0 && !needs_values {
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
                (Mistake::Datapath(Datapath::LinkLate), _) => self.state.v_before[n],
                _ => v,
            };
            if let Mistake::Datapath(Datapath::LinkLate) = self.fixed.mistake {
                self.state.v_before[n] = v;
            }
            let hidden = self.is(Counters::HiddenByWrite)
                && matches!(effect, Effect::Write(SysReg::Pmevcntr(m), _) if usize::from(m) == n);
            output.increment[n] = if hidden { 0 } else { v };
            self.state.last[n] = v;
            self.add(n, v, (effect, written), (&mut overflowed, &mut chains));
        }
        if let Mistake::Datapath(Datapath::LinkLate) = self.fixed.mistake {
            for n in 0..31 {
                if may_count >> n & 1 == 0 {
                    self.state.v_before[n] = 0;
                }
            }
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

    fn hold_or_clear(&mut self, n: usize) {
        let held = self.is(Datapath::HeldWhenEdgeOff) && !self.state.decoded[n].used.1;
        self.state.c_p[n] &= held;
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
        if !is_written {
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

    /// TH-20 to TH-28 for counter `n`, which is counting.
    fn threshold(&mut self, n: usize, decoded: &EventType, v_b: u16, below: u16) -> u16 {
        let mistake = match self.fixed.mistake {
            Mistake::Datapath(mistake) => Some(mistake),
            _ => None,
        };
        let is = |other: Datapath| mistake == Some(other);
        let low = |value: u16, bits: u8| value & (u16::MAX >> (16 - bits));
        let mut predicate = Predicate::of(decoded.condition());
        let (mut left, mut right) = (i32::from(v_b), i32::from(decoded.th));
        match mistake {
            Some(Datapath::Condition(from, to)) if from == decoded.condition() => predicate = to,
            Some(Datapath::ThBits(bits)) => right = low(decoded.th, bits).into(),
            Some(Datapath::BaseBits(bits)) => left = low(v_b, bits).into(),
            Some(Datapath::Signed) => left = (v_b as i16).into(),
            _ => {}
        }
        let c_t = predicate.holds(left, right);
        let c_p = self.state.c_p[n];
        let (tc, te, tlc) = decoded.used;
        if !is(Datapath::HeldWhenEdgeOff) || te {
            self.state.c_p[n] = c_t;
        }
        let counts_one = tc & 1 == 1;
        let (rising, falling) = (!c_p && c_t, c_p && !c_t);
        let c_e = match mistake {
            Some(Datapath::Level) => c_t,
            Some(Datapath::Falling) if counts_one => falling,
            Some(Datapath::RisingAsBoth) if counts_one => c_p != c_t,
            Some(Datapath::BothAsRising) if !counts_one => rising,
            Some(Datapath::BothAsFalling) if !counts_one => falling,
            _ if counts_one => rising,
            _ => c_p != c_t,
        };
        let off = (is(Datapath::OffWhenTcZero) && decoded.tc == 0)
            || (is(Datapath::ThIgnoredWhenTcZero) && decoded.used == (0, false, 0));
        if decoded.bypassed || off {
            return v_b;
        }
        let tlc = match (mistake, tlc) {
            (Some(Datapath::NoLink), _) => 0,
            (Some(Datapath::LinksSwapped), 1) => 2,
            (Some(Datapath::LinksSwapped), 2) => 1,
            (_, tlc) => tlc,
        };
        if is(Datapath::NoLink) && decoded.th == 0 && tc == 0 && !te {
            return v_b;
        }
        let v_t = match (tlc, c_t) {
            (0b00 | 0b01, true) => {
                if counts_one {
                    1
                } else {
                    v_b
                }
            }
            (0b10, true) | (0b01, false) => below,
            _ => 0,
        };
        let v = match (te, tlc, c_e) {
            (false, ..) => v_t,
            (true, 0b10, true) if is(Datapath::LinkedEdgeCountsOne) => 1,
            (true, 0b10, true) => below,
            (true, _, c_e) => c_e.into(),
        };
        match mistake {
            Some(Datapath::ResultBits(bits)) => low(v, bits),
            Some(Datapath::Saturates(bits)) => v.min(u16::MAX >> (16 - bits)),
            _ => v,
        }
    }

    // Registers.

    fn access(&mut self, input: &CycleInput, output: &mut CycleOutput) -> Effect {
        let kind = AccessKind::from_code(input.access_kind);
        if kind == AccessKind::None {
            return Effect::Nothing;
        }
        let direction = match kind.is_write() {
            true => Direction::Write,
            false => Direction::Read,
        };
        let (outcome, target, view) = match kind {
            AccessKind::ExternalRead | AccessKind::ExternalWrite => self.external(input, direction),
            _ => {
                let (outcome, target) = self.outcome_of_pe(input);
                self.decided.access = Some((outcome, target));
                let view = match kind {
                    AccessKind::Read32 | AccessKind::Write32 => View::Low,
                    _ => View::Whole,
                };
                (outcome, target, view)
            }
        };
        self.decided.trapped = matches!(outcome, Outcome::Trap(_));
        output.access_outcome = match outcome {
            Outcome::Access | Outcome::ReadsZero | Outcome::WriteIgnored => 1,
            Outcome::Undefined => 2,
            Outcome::NoOperation | Outcome::Alias => 6,
            Outcome::Trap(ExceptionLevel::El1 | ExceptionLevel::El0) => 3,
            Outcome::Trap(ExceptionLevel::El2) => 4,
            Outcome::Trap(ExceptionLevel::El3) => 5,
        };
        if let (Outcome::Trap(_), AccessKind::Read | AccessKind::Write) = (outcome, kind) {
            output.trap_iss = trap_iss_of(input.access_address, direction, input.access_rt);
            if let Mistake::Access(Access::IssBit(bit)) = self.fixed.mistake {
                output.trap_iss ^= 1 << bit;
            }
        }
        let stored = matches!(outcome, Outcome::Trap(_) | Outcome::Undefined)
            && self.is(Access::TrappedStored)
            && matches!(target, Some(SysReg::Pmevtyper(n)) if n < self.fixed.implementation.pmu.counters)
            && direction == Direction::Write;
        let (true, Some(target)) = (outcome == Outcome::Access || stored, target) else {
            return Effect::Nothing;
        };
        let old = self.read(target);
        if direction == Direction::Read {
            output.access_data = match view {
                View::Low => old & 0xFFFF_FFFF,
                View::High => old >> 32,
                View::Whole => old,
            };
            self.state.read = Some(target);
            return Effect::Nothing;
        }
        self.effect(target, view, old, input)
    }

    fn effect(&self, target: SysReg, view: View, old: u64, input: &CycleInput) -> Effect {
        let data = input.access_data;
        let external = input.access_kind == AccessKind::ExternalWrite as u8;
        let low = old >> 32 << 32 | data & 0xFFFF_FFFF;
        let data = match view {
            View::Low if !external && self.is(Access::Write32ClearsUpper) => data & 0xFFFF_FFFF,
            View::Low => low,
            View::High if self.is(Access::ExternalUpperWritesLower) => low,
            View::High => old & 0xFFFF_FFFF | data << 32,
            View::Whole => data,
        };
        Effect::Write(target, data)
    }

    fn external(
        &self,
        input: &CycleInput,
        direction: Direction,
    ) -> (Outcome, Option<SysReg>, View) {
        let counters = self.fixed.implementation.pmu.counters;
        let found = SysReg::from_offset(input.access_address);
        match found {
            Some((SysReg::Pmevtyper(n), _)) if n >= counters => {}
            Some((register, upper)) => {
                let view = if upper { View::High } else { View::Low };
                return (Outcome::Access, Some(register), view);
            }
            None => {}
        }
        let outcome = match direction {
            Direction::Read => Outcome::ReadsZero,
            Direction::Write => Outcome::WriteIgnored,
        };
        (outcome, None, View::Low)
    }

    /// What comes of an access of the PE, and the register that it reaches.
    fn outcome_of_pe(&self, input: &CycleInput) -> (Outcome, Option<SysReg>) {
        let kind = AccessKind::from_code(input.access_kind);
        let direction = match kind.is_write() {
            true => Direction::Write,
            false => Direction::Read,
        };
        let register = match kind {
            AccessKind::Read32 | AccessKind::Write32 => {
                SysReg::from_address_32(input.access_address)
            }
            _ => SysReg::from_address(input.access_address),
        };
        self.outcome(register, direction, input)
    }

    fn outcome(
        &self,
        register: Option<SysReg>,
        direction: Direction,
        input: &CycleInput,
    ) -> (Outcome, Option<SysReg>) {
        use SysReg::*;
        let undefined = (Outcome::Undefined, None);
        let Some(register) = register else {
            return undefined;
        };
        let stale = self.state.select_before;
        let of_type = match self.is(Indices::StaleSel) || self.is(Indices::StaleSelOfType) {
            true => stale,
            false => self.state.select,
        };
        let of_counter = match self.is(Indices::StaleSel) {
            true => stale,
            false => self.state.select,
        };
        let register = match register {
            Pmxevtyper if of_type == 31 && self.is(Indices::NoFilterBySel) => return undefined,
            Pmxevtyper if of_type == 31 => Pmccfiltr,
            Pmxevtyper => Pmevtyper(of_type),
            Pmxevcntr if of_counter == 31 && self.is(Indices::CycleCounterBySel) => Pmccntr,
            Pmxevcntr if of_counter == 31 => return undefined,
            Pmxevcntr => Pmevcntr(of_counter),
            register => register,
        };
        let indirect = SysReg::from_address(input.access_address) == Some(Pmxevtyper)
            || SysReg::from_address_32(input.access_address) == Some(Pmxevtyper);
        let read_only = matches!(
            register,
            Pmmir | Pmsidr | Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_)
        );
        let implementation = &self.fixed.implementation;
        let spe = &implementation.spe;
        let exists = match register {
            Pmevcntr(n) => n < implementation.pmu.counters,
            Pmsicr | Pmsirr | Pmsidr | Pmbsr(1) => spe.implemented,
            Pmbsr(_) => spe.exc,
            register => !register.is_of_system_pmus() || !implementation.system_pmu.is_empty(),
        };
        if !exists {
            return undefined;
        }
        if read_only && direction == Direction::Write {
            let outcome = match self.is(Indices::ReadOnlyOk) && register == Pmmir {
                true => Outcome::WriteIgnored,
                false => Outcome::Undefined,
            };
            return (outcome, None);
        }
        let mistake = match self.fixed.mistake {
            Mistake::Access(mistake) => mistake,
            // One that changes nothing of an outcome.
            _ => Access::FilterTakesData,
        };
        let seen = mistake.inputs(input, direction);
        let driven = input.driven & CycleInput::DRIVEN_PE != 0;
        let outcome = match register {
            Pmevtyper(n) if driven => {
                let encoded = (input.access_address & 31) as u8;
                let encoded = if indirect { encoded } else { n };
                mistake.outcome((n, encoded), direction, &seen, implementation)
            }
            Pmevtyper(n) => match n < implementation.pmu.counters {
                true => Outcome::Access,
                false => self.not_implemented(n, direction),
            },
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_) if driven => {
                let pmu = (self.state.spmselr >> 4) as u8;
                let context = spmu_access::Context::of_cycle(pmu, register == Spmdevaff, &seen);
                let features = spmu_access::Features::of(implementation);
                spmu_access::access(direction, &context, &features)
            }
            _ => Outcome::Access,
        };
        (outcome, Some(register))
    }

    /// Full privilege, and a counter that is not there.
    fn not_implemented(&self, n: u8, direction: Direction) -> Outcome {
        use pmu_model::evtyper::access::{Context, access};
        let context = Context::permissive(ExceptionLevel::El3);
        access(n, direction, &context, &self.fixed.implementation).0
    }

    /// Where a register of a System PMU is kept: System PMU, kind, number.
    fn place(&self, register: SysReg) -> Option<(usize, u8, u8)> {
        use SysReg::*;
        let unit = self.unit();
        let bank = match self.is(System::BankIgnored) {
            true => 0,
            false => self.state.spmselr as u8 & 3,
        };
        let counter = |n: u8| bank * 16 + n;
        self.fixed.implementation.system_pmu.get(unit)?;
        Some(match register {
            Spmcntenset | Spmcntenclr => (unit, 4, 0),
            Spmovsset | Spmovsclr => (unit, 5, 0),
            Spmintenset | Spmintenclr => (unit, 6, 0),
            Spmevcntr(n) => (unit, 0, counter(n)),
            Spmevtyper(n) => (unit, 1, counter(n)),
            Spmevfiltr(n) => (unit, 2, counter(n)),
            Spmevfilt2r(n) => (unit, 3, counter(n)),
            _ => return None,
        })
    }

    /// The System PMU that is selected.
    fn unit(&self) -> usize {
        match self.is(System::SelectIgnored) {
            true => 0,
            false => (self.state.spmselr >> 4) as usize,
        }
    }

    fn read(&self, register: SysReg) -> u64 {
        use SysReg::*;
        let (implementation, state) = (&self.fixed.implementation, &self.state);
        let number = match (self.fixed.mistake, register) {
            (Mistake::System(System::IidrOfFirst), Spmiidr) => 0,
            (Mistake::System(System::DevarchOfFirst), Spmdevarch) => 0,
            _ => self.unit(),
        };
        let unit = implementation.system_pmu.get(number);
        let describes = |of: fn(&pmu_model::spmu::Registers) -> u64| {
            unit.map_or(0, |unit| of(&unit.registers()))
        };
        let reversed = |value: u64| match self.is(System::SizesReversed) {
            true => value.swap_bytes(),
            false => value,
        };
        match register {
            Pmcr => {
                let mut n = i64::from(implementation.pmu.counters);
                if let Mistake::Counters(Counters::NumberOff(by)) = self.fixed.mistake {
                    n += i64::from(by);
                }
                let n = (n & 31) as u64;
                n << 11 | u64::from(state.long) << 7 | 1 << 6 | u64::from(state.enable)
            }
            Pmcntenset | Pmcntenclr => state.enabled.into(),
            Pmovsset | Pmovsclr => state.flags.into(),
            Pmselr => state.select.into(),
            Pmccntr => state.counters[CYCLE_COUNTER],
            Pmevcntr(n) => state.counters[usize::from(n)],
            Pmevtyper(n) => state.types[usize::from(n)],
            Pmccfiltr => state.cycle_filter,
            Pmmir => {
                let pmu = &implementation.pmu;
                let mut edge = u64::from(pmu.edge) + u64::from(pmu.th2);
                if let Mistake::Indices(Indices::MmirEdge(value)) = self.fixed.mistake {
                    edge = value.into();
                }
                edge << 24 | u64::from(implementation.thwidth()) << 20 | u64::from(pmu.pmmir)
            }
            Pmsicr => state.unit.pmsicr(),
            Pmsirr => state.pmsirr,
            Pmsidr => implementation.pmsidr().into(),
            Pmbsr(x) => {
                let index = usize::from(x) - 1;
                state.pmbsr[index] | u64::from(state.unit.coll[index]) << 16
            }
            Spmselr => state.spmselr,
            Spmiidr => describes(|registers| registers.spmiidr),
            Spmdevarch => describes(|registers| registers.spmdevarch),
            Spmdevaff => describes(|registers| registers.spmdevaff),
            Spmcfgr => {
                let value = describes(|registers| registers.spmcfgr);
                match self.fixed.mistake {
                    Mistake::System(System::NumberOff(by)) if unit.is_some() => {
                        value.wrapping_add_signed(by.into())
                    }
                    _ => value,
                }
            }
            Spmcgcr(0) => reversed(describes(|registers| registers.spmcgcr[0])),
            Spmcgcr(_) => reversed(describes(|registers| registers.spmcgcr[1])),
            // They stand for another register, which `outcome` has put in their place.
            Pmxevtyper | Pmxevcntr => 0,
            _ => {
                let place = self.place(register);
                place
                    .and_then(|place| state.system.get(&place))
                    .copied()
                    .unwrap_or(0)
            }
        }
    }

    fn write(&mut self, effect: Effect, input: &CycleInput) {
        use SysReg::*;
        let Effect::Write(register, data) = effect else {
            return;
        };
        let bits = data as u32 & self.counters_mask();
        let pmu = &self.fixed.implementation.pmu;
        let counter_mask = u64::MAX >> (64 - pmu.counter_bits);
        let has_long = pmu.counter_bits == 64;
        let written = self.written(effect);
        match register {
            Pmcr => {
                for n in (0..32).filter(|n| written >> n & 1 == 1) {
                    self.state.counters[n] = 0;
                }
                self.state.enable = data & 1 == 1;
                self.state.long = data >> 7 & 1 == 1 && has_long;
            }
            Pmcntenset | Pmcntenclr => {
                let missed = match (self.fixed.mistake, register) {
                    (Mistake::Counters(Counters::ClearMisses(n)), Pmcntenclr) => 1 << n,
                    (Mistake::Counters(Counters::SetMisses(n)), Pmcntenset) => 1 << n,
                    _ => 0u32,
                };
                match register {
                    Pmcntenset => self.state.enabled |= bits & !missed,
                    _ => self.state.enabled &= !(bits & !missed),
                }
            }
            Pmovsset if self.is(Counters::FlagSetClears) => self.state.flags &= !bits,
            Pmovsset => self.state.flags |= bits,
            Pmovsclr if self.is(Counters::FlagClearSets) => self.state.flags |= bits,
            Pmovsclr | Pmsicr => {}
            Pmselr => {
                self.state.select_before = self.state.select;
                self.state.select = data as u8 & 31;
            }
            Pmccntr if self.is(Counters::CycleWriteLost) && self.counted(31) => {}
            Pmccntr => {
                let on_top = self.is(Counters::CycleIncrementOnWrite) && self.counted(31);
                self.state.counters[CYCLE_COUNTER] = data.wrapping_add(on_top.into());
            }
            Pmevcntr(n) => self.write_counter(n, data, counter_mask),
            Pmevtyper(n) => self.write_type(usize::from(n), data, input),
            Pmccfiltr => {
                let raz = self.fixed.implementation.knobs.res0 == Res0::RazWi;
                let present = self.fixed.cycle_filter;
                self.state.cycle_filter = if raz { data & present } else { data };
                self.state.cycle_filter_of_filter = self.as_filter_sees(data, input);
            }
            Pmsirr => self.state.pmsirr = data & 0xFFFF_FF01,
            Pmbsr(x) => {
                self.state.pmbsr[usize::from(x) - 1] = data & 0x00FF_FFFF_FC0E_FFFF;
            }
            Spmselr => self.state.spmselr = data & 0x3F3,
            _ => self.write_system(register, data),
        }
    }

    /// The last increment of a counter, as the cycle left it.
    fn counted(&self, n: usize) -> bool {
        self.state.last[n] != 0
    }

    fn write_counter(&mut self, n: u8, data: u64, mask: u64) {
        let n = usize::from(n);
        let v = self.state.last[n];
        if self.is(Counters::WriteLost) && v != 0 {
            return;
        }
        let on_top = if self.is(Counters::IncrementOnWrite) {
            v
        } else {
            0
        };
        self.state.counters[n] = data.wrapping_add(on_top.into()) & mask;
    }

    fn write_type(&mut self, n: usize, data: u64, input: &CycleInput) {
        self.state.types[n] = data & self.fixed.stored[n];
        self.state.filters[n] = self.as_filter_sees(data, input);
        self.state.decode(n, &self.fixed);
        if self.is(Datapath::ClearedByType) {
            self.state.c_p[n] = false;
        }
    }

    /// The type that the filter takes of a write.
    fn as_filter_sees(&self, data: u64, input: &CycleInput) -> u64 {
        let external = input.access_kind == AccessKind::ExternalWrite as u8;
        if external && self.is(Access::FilterTakesData) {
            return data & 0xFFFF_FFFF_0000_0000 | input.access_data & 0xFFFF_FFFF;
        }
        data
    }

    fn write_system(&mut self, register: SysReg, data: u64) {
        use SysReg::*;
        let Some(place) = self.place(register) else {
            return;
        };
        let (unit, kind, n) = place;
        let pmu = &self.fixed.implementation.system_pmu[unit];
        let mut implemented = pmu.implemented_counters();
        if let Mistake::System(mistake) = self.fixed.mistake {
            implemented = mistake.implemented(&pmu.groups, implemented);
        }
        let width = if kind == 0 { pmu.size_bits } else { 64 };
        let absent = self.is(System::AbsentStored);
        let (clears, sets) = match register {
            Spmovsclr => (!self.is(System::OverflowClearSets), true),
            Spmcntenclr => (!self.is(System::EnableClearSets), true),
            Spmintenclr => (!self.is(System::InterruptClearSets), true),
            Spmovsset => (self.is(System::OverflowSetClears), true),
            Spmcntenset | Spmintenset => (false, true),
            _ => (false, false),
        };
        let value = Arc::make_mut(&mut self.state.system)
            .entry(place)
            .or_default();
        match (clears, sets) {
            (true, _) => *value &= !data,
            (_, true) => *value |= if absent { data } else { data & implemented },
            _ if implemented >> n & 1 == 1 => *value = data & u64::MAX >> (64 - width),
            _ => {}
        }
    }
}

impl State {
    /// The value of a counter.
    pub fn counter(&self, n: usize) -> u64 {
        self.counters[n]
    }

    /// Whether a counter passes an overflow on to CHAIN in this cycle, or did in the one before.
    pub fn chains(&self, after: &Varied) -> bool {
        self.chain_before != 0 || after.state.chain_before != 0
    }

    fn new(fixed: &Fixed) -> Self {
        let mistake = match fixed.mistake {
            Mistake::Sampling(mistake) => Some(mistake),
            _ => None::<Sampling>,
        };
        let mut state = Self {
            enable: false,
            long: false,
            enabled: 0,
            flags: 0,
            select: 0,
            select_before: 0,
            types: [0; 31],
            filters: [0; 31],
            decoded: [EventType::ZERO; 31],
            cycle_filter: 0,
            cycle_filter_of_filter: 0,
            counters: [0; 32],
            last: [0; 32],
            c_p: [false; 31],
            v_before: [0; 31],
            chain_before: 0,
            unit: Unit::new(&fixed.implementation, mistake),
            pmsirr: 0,
            pmbsr: [0; 3],
            spmselr: 0,
            system: Arc::default(),
            late: None,
            read: None,
        };
        (0..31).for_each(|n| state.decode(n, fixed));
        state
    }

    fn decode(&mut self, n: usize, fixed: &Fixed) {
        let on_even = fixed.mistake == Mistake::Datapath(Datapath::LinkOnEven);
        let as_counter = if on_even { n | 1 } else { n };
        let effective = self.types[n] & fixed.effective[n];
        self.decoded[n] = fixed.decoder.decode(as_counter as u8, effective);
    }
}
