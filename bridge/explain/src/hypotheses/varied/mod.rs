//! The contract with one mistake: one counter and one rule after another, from the models of the areas.
//!
//! Slow and plain on purpose, so that every mistake has a place to be made. Without a mistake it is the model.

use std::collections::BTreeMap;
use std::mem::discriminant;
use std::sync::Arc;

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::cycles::CycleEvents;
use pmu_model::evtyper::access::Outcome;
use pmu_model::implementation::{Knobs, Res0};
use pmu_model::pmu::event_type::{EventType, EventTypeDecoder, cycle_filter_mask, present_mask};
use pmu_model::{AccessKind, CycleInput, CycleOutput, Implementation, ImplementationError, SysReg};

mod access;
mod counting;
mod registers;
mod threshold;

use super::Mistake;
use super::counters::{Counters, Kept};
use super::datapath::Datapath;
use super::indices::Indices;
use super::sampling::{Sampled, Sampling, Unit};
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
        let on_even = |n: usize| match mistake {
            Mistake::Indices(Indices::LinkStoredOnEven) => {
                present_mask(n as u8 | 1, implementation)
            }
            _ => 0,
        };
        let fixed = Fixed {
            decoder: EventTypeDecoder::new(implementation)?,
            cycles: CycleEvents::new(&implementation.knobs.cycles),
            stored: std::array::from_fn(|n| match hold {
                true => u64::MAX,
                false => effective[n] | res0 | on_even(n),
            }),
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
        self.step_of(input, input, byte)
    }

    /// The same, with other inputs where events are counted and filtered than where registers are accessed: a reset is in
    /// both.
    pub fn step_of(&mut self, input: &CycleInput, counted: &CycleInput, byte: u8) -> CycleOutput {
        let mut output = CycleOutput::default();
        self.decided = Decided::default();
        if input.is_reset() {
            if self.is(Counters::CountsInReset) {
                self.count(counted, &Sampled::default(), Effect::Nothing, &mut output);
            }
            let before = std::mem::replace(&mut self.state, State::new(&self.fixed));
            if self.is(Counters::FlagsNotReset) {
                self.state.flags = before.flags;
            }
            if self.is(Counters::ValuesNotReset) {
                self.state.counters = before.counters;
            }
            if let Mistake::Counters(Counters::NotReset(kept)) = self.fixed.mistake {
                self.state.keep(kept, before);
            }
            return output;
        }
        if input.clock_stopped & 1 == 1 {
            if self.is(Datapath::ClearedWithoutClock) {
                self.state.c_p = [false; 31];
            }
            if self.is(Datapath::LinkLateWithoutClock) {
                self.state.v_before = [0; 31];
            }
            if counted.clock_stopped & 1 == 0 {
                self.count(counted, &Sampled::default(), Effect::Nothing, &mut output);
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
            true => self.state.unit.step(counted, byte, write),
            false => Sampled::default(),
        };
        self.decided.sampled = Some((write, sampled));
        output.random_byte = if sampled.drawn > 0 { byte } else { 0 };
        self.show(&sampled, &mut output);
        match counted.clock_stopped & 1 {
            0 => self.count(counted, &sampled, effect, &mut output),
            _ => self.state.last = [0; 32],
        }
        let read = self.state.read.take();
        match read {
            Some(SysReg::Pmevcntr(n)) if self.is(Counters::ReadsNext) => {
                output.access_data = self.state.counters[usize::from(n)];
            }
            Some(SysReg::Pmevcntr(_) | SysReg::Pmccntr)
                if self.is(Counters::UpperReadsNext)
                    && input.access_kind == AccessKind::Read as u8 =>
            {
                let n = match read {
                    Some(SysReg::Pmevcntr(n)) => usize::from(n),
                    _ => CYCLE_COUNTER,
                };
                let upper = self.state.counters[n] >> 32 << 32;
                output.access_data = upper | output.access_data & 0xFFFF_FFFF;
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

    /// Puts back what a reset should have cleared.
    fn keep(&mut self, kept: Kept, before: Self) {
        match kept {
            Kept::Select => self.select = before.select,
            Kept::Enables => self.enabled = before.enabled,
            Kept::Control => {
                self.enable = before.enable;
                self.long = before.long;
            }
            Kept::Types => {
                self.types = before.types;
                self.filters = before.filters;
                self.decoded = before.decoded;
            }
            Kept::CycleFilter => {
                self.cycle_filter = before.cycle_filter;
                self.cycle_filter_of_filter = before.cycle_filter_of_filter;
            }
            Kept::SystemSelect => self.spmselr = before.spmselr,
            Kept::System => self.system = before.system,
            Kept::Interval => self.pmsirr = before.pmsirr,
            Kept::Buffer => self.pmbsr = before.pmbsr,
        }
    }

    /// Whether the registers, and what goes on from cycle to cycle, are those of another one. What only a mistake looks at
    /// does not count.
    pub fn has_registers_of(&self, other: &Self) -> bool {
        let registers = |state: &Self| Self {
            select_before: 0,
            decoded: [EventType::ZERO; 31],
            last: [0; 32],
            v_before: [0; 31],
            chain_before: 0,
            read: None,
            ..state.clone()
        };
        registers(self) == registers(other)
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
