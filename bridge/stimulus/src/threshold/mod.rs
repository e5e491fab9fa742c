//! Area threshold: base values of the events, `counting_allowed`, and the registers of the event counters.

pub(super) mod scripts;
mod values;

use pmu_model::contract::EVENT_LANES;

use super::context::Context;
use super::profile::{AccessScript, Phase, Phases};
use super::random::{Bits, Menu};
use values::EventValues;
pub(super) use values::{Choose, OneByOne};

/// The phases of a profile, as tables.
#[derive(Debug)]
pub(super) struct Tables {
    kinds: Menu,
    phases: Vec<(Phase, Menu, Menu)>,
}

impl Tables {
    pub(super) fn new(phases: &Phases) -> Self {
        let phases = phases.all().map(|(_, phase)| phase.clone());
        Self {
            kinds: Menu::new(&phases.each_ref().map(|phase| phase.weight)),
            phases: phases
                .into_iter()
                .map(|phase| {
                    let values = Menu::new(&phase.values.weights());
                    let accesses = Menu::new(&phase.accesses.weights());
                    (phase, values, accesses)
                })
                .collect(),
        }
    }
}

/// The area's own state.
#[derive(Clone, Debug)]
pub(super) struct Threshold {
    values: EventValues,
    phase: usize,
    /// The cycle that the next phase begins in.
    pub(super) phase_end: u64,
    /// Of the phase.
    access: u32,
    gate: u32,
    /// `counting_allowed` but for pulses, what a pulse changes in it, and the cycles left of the pulse.
    allowed: u32,
    pulse: u32,
    pulse_left: u32,
}

impl Threshold {
    pub(super) fn new() -> Self {
        Self {
            values: EventValues::new(),
            phase: 0,
            phase_end: 0,
            access: 0,
            gate: 0,
            allowed: u32::MAX,
            pulse: 0,
            pulse_left: 0,
        }
    }

    /// Base values of a cycle, from 16 bits and two words.
    #[inline(always)]
    pub(super) fn draw(
        &mut self,
        choose: impl Choose,
        choice: u16,
        masks: [u64; 2],
        out: &mut [u16; EVENT_LANES],
    ) {
        self.values.draw(choose, choice, masks, out);
    }

    /// Whether the phase begins an access with these 16 bits.
    #[inline(always)]
    pub(super) fn wants_access(&self, random: u16) -> bool {
        u32::from(random) < self.access
    }

    /// The script of 8 random bits.
    #[inline(always)]
    pub(super) fn script(&self, tables: &Tables, random: u8) -> AccessScript {
        AccessScript::ALL[tables.phases[self.phase].2.choose(random)]
    }

    /// `counting_allowed` of a cycle.
    #[inline(always)]
    pub(super) fn allowed(&mut self, random: u16, context: &mut Context) -> u32 {
        if u32::from(random) < self.gate {
            self.change_gate(context);
        }
        let allowed = self.allowed ^ self.pulse;
        self.pulse_left = self.pulse_left.saturating_sub(1);
        self.pulse = if self.pulse_left == 0 { 0 } else { self.pulse };
        allowed
    }

    /// Moves the event that counter `n` counts around the TH of `n`.
    pub(super) fn center(&mut self, n: usize, context: &mut Context) {
        let shadow = &mut context.shadow;
        if let Some(lane) = shadow.lane(n, &context.facts) {
            self.values.center(lane, shadow.threshold[n]);
            shadow.owners[lane] = n as u8;
        }
    }

    /// Begins a phase in cycle `now`.
    #[cold]
    #[inline(never)]
    pub(super) fn begin_phase(&mut self, now: u64, tables: &Tables, context: &mut Context) {
        let mut bits = context.words.bits();
        self.phase = tables.kinds.choose(bits.take(8) as u8);
        let (phase, values, _) = &tables.phases[self.phase];
        let range = u32::from(phase.longest - phase.shortest) + 1;
        self.phase_end = now + u64::from(u32::from(phase.shortest) + bits.below(range));
        self.access = u32::from(phase.access);
        self.gate = u32::from(phase.gate);
        let sparse = bits.chance(phase.sparse);
        let kind = bits.take(1);
        let random = context.words.next();
        self.allowed = match (sparse, kind) {
            (false, _) => u32::MAX,
            (true, 0) => random as u32,
            (true, _) => (random | random >> 32) as u32,
        };
        self.values
            .begin_phase(&mut context.words, values, &context.facts);
        let counters = context.facts.counters;
        if counters > 0 {
            let mut bits = context.words.bits();
            for _ in 0..4 {
                self.center(bits.below(counters) as usize, context);
            }
        }
    }

    /// A pulse of `counting_allowed`, or a lasting change of it.
    #[inline(never)]
    fn change_gate(&mut self, context: &mut Context) {
        let mut bits = context.words.bits();
        let random = context.words.next();
        let change = gate_mask(&mut bits, random);
        match bits.take(3) {
            // A pulse of one cycle, of some cycles; a lasting change; its end.
            0..=3 => (self.pulse, self.pulse_left) = (change, 1),
            4 | 5 => (self.pulse, self.pulse_left) = (change, 1 + bits.take(3)),
            6 => self.allowed ^= change,
            _ => self.allowed = u32::MAX,
        }
    }
}

fn gate_mask(bits: &mut Bits, random: u64) -> u32 {
    match bits.take(3) {
        0 | 1 => 1 << bits.take(5),
        2 => 0b11 << (2 * bits.take(4)),
        3 => u32::MAX,
        4 | 5 => (random & random >> 32) as u32,
        6 => 0x5555_5555 << bits.take(1),
        _ => random as u32,
    }
}
