//! The random stimulus of a seed, version 1. `docs/stimulus.md` defines it word by word.

use std::sync::Arc;

use pmu_model::contract::AccessKind;
use pmu_model::{CycleInput, Implementation};

use super::StimulusError;
use super::profile::{AccessScript, Phase, Profile};
use super::random::{Bits, Menu, Words};
use super::scripts::{Op, Queue, Sequence};
use super::shadow::{Facts, NOBODY, Shadow};
use super::values::{EventValues, Widths};

/// Version of the generator: with the same version, seed, profile and implementation, the bytes are the same.
pub const GENERATOR_VERSION: u16 = 1;

/// What a run does not change.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) facts: Facts,
    pub(super) widths: Widths,
    pub(super) profile: Profile,
    phase_menu: Menu,
    phases: Vec<(Phase, Menu, Menu)>,
}

/// Random stimulus. A clone goes on with the same cycles.
///
/// ```
/// use pmu_lockstep::stimulus::{Generator, Profile};
/// use pmu_model::{CycleInput, Implementation};
///
/// let mut generator = Generator::new(1, &Implementation::default(), &Profile::default())?;
/// let mut cycles = [CycleInput::default(); 4];
/// generator.fill(&mut cycles);
/// assert!(cycles[0].is_reset());
/// # Ok::<(), pmu_lockstep::stimulus::StimulusError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    pub(super) words: Words,
    pub(super) tables: Arc<Tables>,
    values: EventValues,
    pub(super) shadow: Shadow,
    /// The counter whose TH an event is moved around.
    pub(super) owners: [u8; 64],
    pub(super) queue: Queue,
    pub(super) sequence: Sequence,
    /// Cycles before the next phase, and before the next reset.
    phase_left: u32,
    reset_left: u32,
    is_first_reset: bool,
    phase: usize,
    /// Of the phase.
    access: u32,
    gate: u32,
    /// `counting_allowed` but for pulses, what a pulse changes in it, and the cycles left of the pulse.
    allowed: u32,
    pulse: u32,
    pulse_left: u32,
    /// The address of the last access.
    last_address: u16,
    seed: u64,
    cycle: u64,
}

impl Generator {
    /// The stimulus of `seed` for designs of `implementation`, mixed as `profile` says.
    ///
    /// # Errors
    /// An impossible implementation or profile.
    pub fn new(
        seed: u64,
        implementation: &Implementation,
        profile: &Profile,
    ) -> Result<Self, StimulusError> {
        implementation.validate()?;
        profile.validate()?;
        let phases = profile.phases.all().map(|(_, phase)| phase.clone());
        let tables = Tables {
            facts: Facts::of(implementation),
            widths: Widths::of(implementation),
            profile: profile.clone(),
            phase_menu: Menu::new(&phases.each_ref().map(|phase| phase.weight)),
            phases: phases
                .into_iter()
                .map(|phase| {
                    let values = Menu::new(&phase.values.weights());
                    let accesses = Menu::new(&phase.accesses.weights());
                    (phase, values, accesses)
                })
                .collect(),
        };
        Ok(Self {
            words: Words::new(seed),
            tables: Arc::new(tables),
            values: EventValues::new(),
            shadow: Shadow::new(),
            owners: [NOBODY; 64],
            queue: Queue::new(),
            sequence: Sequence::None,
            phase_left: 0,
            reset_left: 0,
            is_first_reset: true,
            phase: 0,
            access: 0,
            gate: 0,
            allowed: u32::MAX,
            pulse: 0,
            pulse_left: 0,
            last_address: 0,
            seed,
            cycle: 0,
        })
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The profile.
    pub fn profile(&self) -> &Profile {
        &self.tables.profile
    }

    /// Number of the next cycle: how many have been made.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Makes the next cycles. How a run is cut into calls does not change its bytes.
    #[inline(always)]
    pub fn fill(&mut self, cycles: &mut [CycleInput]) {
        for cycle in &mut *cycles {
            self.step(cycle);
        }
        self.cycle += cycles.len() as u64;
    }

    #[inline(always)]
    fn step(&mut self, input: &mut CycleInput) {
        if self.phase_left == 0 {
            self.begin_phase();
        }
        self.phase_left -= 1;
        let control = self.words.next();
        let masks = [self.words.next(), self.words.next()];
        self.values.draw(control as u16, masks, &mut input.event);
        if (control >> 40) as u16 as u32 >= self.gate {
            input.counting_allowed = self.allowed ^ self.pulse;
            self.pulse_left = self.pulse_left.saturating_sub(1);
            self.pulse = if self.pulse_left == 0 { 0 } else { self.pulse };
        } else {
            input.counting_allowed = self.change_gate();
        }
        let wants = ((control >> 16) as u16 as u32) < self.access;
        let op = if self.reset_left == 0 {
            Some(self.reset())
        } else if !self.queue.is_empty() || self.sequence != Sequence::None {
            self.scheduled(wants)
        } else if wants {
            let menu = &self.tables.phases[self.phase].2;
            self.begin(AccessScript::ALL[menu.choose((control >> 32) as u8)])
        } else {
            None
        };
        input.reset = u8::from(self.reset_left == 0);
        match op {
            Some(op) => {
                input.access_kind = op.kind;
                input.access_address = op.address;
                input.access_data = op.data;
                self.last_address = op.address;
                if op.kind == AccessKind::Write as u8 && self.reset_left != 0 {
                    self.note_write(op);
                }
            }
            None => {
                // An address and data without an access are to be ignored.
                input.access_kind = AccessKind::None as u8;
                input.access_address = self.last_address;
                input.access_data = masks[0];
            }
        }
        if self.reset_left == 0 {
            self.end_reset()
        } else {
            self.reset_left -= 1
        }
    }

    #[inline(never)]
    fn note_write(&mut self, op: Op) {
        if let Some(n) = self.shadow.write(op.address, op.data, &self.tables.facts) {
            self.center(n);
        }
    }

    /// Moves the event that counter `n` counts around the TH of `n`.
    fn center(&mut self, n: usize) {
        if let Some(lane) = self.shadow.lane(n, &self.tables.facts) {
            self.values.center(lane, self.shadow.threshold[n]);
            self.owners[lane] = n as u8;
        }
    }

    /// The access that goes with a reset, which is to be ignored.
    #[cold]
    #[inline(never)]
    fn reset(&mut self) -> Op {
        let mut bits = self.words.bits();
        let registers = &self.tables.facts.readable;
        let address = registers[bits.below(registers.len() as u32) as usize];
        let kind = bits.take(2).min(2) as u8;
        Op {
            address,
            kind,
            wait: 0,
            data: self.words.next(),
        }
    }

    #[cold]
    #[inline(never)]
    fn end_reset(&mut self) {
        self.queue = Queue::new();
        self.shadow = Shadow::new();
        for n in 0..self.tables.facts.counters as usize {
            self.center(n);
        }
        let resets = &self.tables.profile.reset;
        let mut bits = self.words.bits();
        self.reset_left = if bits.chance(resets.again) {
            bits.take(3)
        } else {
            // The product of two makes short distances more frequent than long ones.
            let range = u64::from(resets.longest - resets.shortest) + 1;
            let product = u64::from(bits.take(16)) * u64::from(bits.take(16));
            // The first one comes sooner, so that a short run has one.
            let shift = if self.is_first_reset { 34 } else { 32 };
            resets.shortest + ((product * range) >> shift) as u32 - 1
        };
        self.is_first_reset = false;
        self.after_reset();
    }

    #[cold]
    #[inline(never)]
    fn begin_phase(&mut self) {
        let mut bits = self.words.bits();
        self.phase = self.tables.phase_menu.choose(bits.take(8) as u8);
        let (phase, values, _) = &self.tables.phases[self.phase];
        let range = u32::from(phase.longest - phase.shortest) + 1;
        self.phase_left = u32::from(phase.shortest) + bits.below(range);
        self.access = u32::from(phase.access);
        self.gate = u32::from(phase.gate);
        let sparse = bits.chance(phase.sparse);
        let kind = bits.take(1);
        let random = self.words.next();
        self.allowed = match (sparse, kind) {
            (false, _) => u32::MAX,
            (true, 0) => random as u32,
            (true, _) => (random | random >> 32) as u32,
        };
        self.values
            .begin_phase(&mut self.words, values, self.tables.widths);
        let counters = self.tables.facts.counters;
        if counters > 0 {
            let mut bits = self.words.bits();
            for _ in 0..4 {
                self.center(bits.below(counters) as usize);
            }
        }
        let at_work = self.queue.is_empty() && self.sequence == Sequence::None;
        if at_work && self.shadow.is_mostly_off(&self.tables.facts) {
            self.enable_most();
        }
    }

    /// A pulse of `counting_allowed`, or a lasting change of it.
    ///
    /// # Returns
    /// `counting_allowed` of this cycle.
    #[inline(never)]
    fn change_gate(&mut self) -> u32 {
        let mut bits = self.words.bits();
        let random = self.words.next();
        let change = self.gate_mask(&mut bits, random);
        match bits.take(3) {
            // A pulse of one cycle, of some cycles; a lasting change; its end.
            0..=3 => (self.pulse, self.pulse_left) = (change, 1),
            4 | 5 => (self.pulse, self.pulse_left) = (change, 1 + bits.take(3)),
            6 => self.allowed ^= change,
            _ => self.allowed = u32::MAX,
        }
        let allowed = self.allowed ^ self.pulse;
        self.pulse_left = self.pulse_left.saturating_sub(1);
        self.pulse = if self.pulse_left == 0 { 0 } else { self.pulse };
        allowed
    }

    fn gate_mask(&self, bits: &mut Bits, random: u64) -> u32 {
        match bits.take(3) {
            0 | 1 => 1 << bits.take(5),
            2 => 0b11 << (2 * bits.take(4)),
            3 => u32::MAX,
            4 | 5 => (random & random >> 32) as u32,
            6 => 0x5555_5555 << bits.take(1),
            _ => random as u32,
        }
    }
}
