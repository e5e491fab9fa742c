//! The random stimulus of a seed, version 4. `docs/stimulus.md` defines it.
//!
//! The areas each have a state of their own and write their part of a cycle; what they share is a [`Context`]. The
//! generator asks them in turn, and has the one register access of a cycle to give.

use std::sync::Arc;

use pmu_model::contract::{AccessKind, THREADS};
use pmu_model::{CycleInput, Implementation};

use super::StimulusError;
use super::access::{self, Access};
use super::audit;
use super::context::Context;
use super::cycles::{self, Cycles};
use super::facts::Facts;
use super::profile::{Area, AuditScript, CyclesScript, Profile, SpeScript, SpmuScript, TypeScript};
use super::queue::{Op, Queue};
use super::random::{Menu, mix};
use super::registers;
use super::restriction::Restriction;
use super::sampling::{self, Sampling};
use super::sequence::Sequence;
use super::spmu;
use super::threshold::{self, Choose, OneByOne, Threshold};

/// Version of the generator: with the same version, seed, profile and implementation, the bytes are the same.
pub const GENERATOR_VERSION: u16 = 4;

/// What a run does not change.
#[derive(Debug)]
struct Tables {
    profile: Profile,
    areas: Menu,
    /// Areas whose inputs are driven.
    has_spe: bool,
    has_access: bool,
    has_cycles: bool,
    /// There are other registers than those of the event counters.
    beyond: bool,
    threshold: threshold::Tables,
    spe: sampling::Tables,
    access: access::Tables,
    cycles: cycles::Tables,
    spmu: spmu::Tables,
    audit: audit::Tables,
}

/// Random stimulus. A clone goes on with the same cycles.
///
/// ```
/// use lockstep_stimulus::{Generator, Profile};
/// use pmu_model::{CycleInput, Implementation};
///
/// let mut generator = Generator::new(1, &Implementation::default(), &Profile::default())?;
/// let mut cycles = [CycleInput::default(); 4];
/// generator.fill(&mut cycles);
/// assert!(cycles[0].is_reset());
/// # Ok::<(), lockstep_stimulus::StimulusError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    tables: Arc<Tables>,
    context: Context,
    threshold: Threshold,
    sampling: Sampling,
    access: Access,
    cycles: Cycles,
    audit: audit::Walks,
    sequence: Sequence,
    /// The cycle that the next phase of an area begins in.
    phase_end: u64,
    /// Cycles before the next reset.
    reset_left: u32,
    is_first_reset: bool,
    /// The address of the last access.
    last_address: u16,
    seed: u64,
    cycle: u64,
    /// For a design that does not take all.
    restriction: Option<Restriction>,
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
        let areas = &profile.areas;
        let tables = Tables {
            areas: Menu::new(&shares(implementation, profile)),
            has_spe: areas.spe > 0,
            has_access: areas.access > 0,
            has_cycles: areas.cycles > 0,
            beyond: areas.spe > 0 || areas.spmu > 0,
            threshold: threshold::Tables::new(&profile.phases),
            spe: sampling::Tables::new(&profile.spe),
            access: access::Tables::new(&profile.access, implementation),
            cycles: cycles::Tables::new(&profile.cycles),
            spmu: spmu::Tables::new(&profile.spmu),
            audit: audit::Tables::new(&profile.audit, implementation),
            profile: profile.clone(),
        };
        Ok(Self {
            tables: Arc::new(tables),
            context: Context::new(seed, Facts::of(implementation, profile)),
            threshold: Threshold::new(),
            sampling: Sampling::new(),
            access: Access::new(),
            cycles: Cycles::new(),
            audit: audit::Walks::default(),
            sequence: Sequence::None,
            phase_end: 0,
            reset_left: 0,
            is_first_reset: true,
            last_address: 0,
            seed,
            cycle: 0,
            restriction: Restriction::of(implementation),
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
    pub fn fill(&mut self, cycles: &mut [CycleInput]) {
        self.make(cycles);
        if let Some(restriction) = &mut self.restriction {
            for cycle in cycles {
                restriction.apply(cycle);
            }
        }
    }

    fn make(&mut self, cycles: &mut [CycleInput]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(choose) = pulp::x86::V4::try_new() {
            let fill = Fill {
                generator: self,
                cycles,
                choose,
            };
            pulp::Simd::vectorize(choose, fill);
            return;
        }
        pulp::Arch::new().dispatch(Fill {
            generator: self,
            cycles,
            choose: OneByOne,
        });
    }

    /// Makes the next `cycles` for nobody.
    pub(super) fn skip(&mut self, cycles: u64) {
        let mut scratch = [CycleInput::default(); 64];
        let mut left = cycles;
        while left > 0 {
            let made = left.min(scratch.len() as u64);
            self.fill(&mut scratch[..made as usize]);
            left -= made;
        }
    }

    #[inline(always)]
    fn step(&mut self, choose: impl Choose, input: &mut CycleInput) {
        if self.cycle >= self.phase_end {
            self.begin_phases();
        }
        let context = &mut self.context;
        let tables = &*self.tables;
        let [control, first] = context.words.next_two();
        let masks = [first, mix(first, control)];
        let life = mix(control, masks[1]);
        self.threshold
            .draw(choose, control as u16, masks, &mut input.event);
        let allowed = self.threshold.allowed((control >> 40) as u16, context);

        // PE, threads and clock.
        let (fate, spe_change) = ((life >> 54) as u32, tables.spe.change);
        if tables.has_access {
            self.access
                .advance((life >> 44 & 0x3FF) as u32, &tables.access, context);
        }
        let mut threads = [0; THREADS / 2];
        let mut stopped = false;
        if tables.has_cycles {
            stopped = self
                .cycles
                .advance(fate, spe_change, &tables.cycles, context);
            threads = self.cycles.draw((life >> 12) as u32, &context.facts);
        }
        let halted = self.access.is_halted();
        let pe = self.access.driven() * u8::from(tables.has_access);
        input.driven = pe | self.cycles.driven();
        input.clock_stopped = u8::from(stopped);
        input.counting_allowed = if halted { 0 } else { allowed };
        self.access.drive(input);
        for (pair, states) in threads.iter_mut().zip(self.access.states_in_place) {
            *pair = (*pair | states).to_le();
        }
        input.threads = bytemuck::cast(threads);

        let goes_on = !stopped && self.reset_left != 0;
        let mut coincidence = None;
        let mut inputs = sampling::Inputs::default();
        if tables.has_spe {
            if fate < spe_change {
                self.sampling.change(context);
            }
            inputs = self.sampling.draw(life, halted);
            if goes_on {
                coincidence = self.sampling.count(&inputs, &context.facts);
            }
        }
        input.operations = inputs.operations;
        input.complete = inputs.complete;
        input.filtered_out = inputs.filtered_out;
        input.profiling = inputs.profiling;

        // The access.
        let wants = self.threshold.wants_access((control >> 16) as u16);
        let op = if !goes_on {
            // What comes with a reset, or while the clock is stopped, is to be ignored.
            self.ignored_access()
        } else if coincidence.is_some() {
            coincidence
        } else if !context.queue.is_empty() || self.sequence != Sequence::None {
            self.scheduled(wants)
        } else if wants {
            self.begin((control >> 56) as u8, (control >> 32) as u8)
        } else {
            None
        };
        input.reset = u8::from(self.reset_left == 0);
        input.access_rt = masks[1] as u8 & 31;
        match op {
            Some(op) => {
                input.access_kind = op.kind();
                input.access_address = op.address();
                input.access_data = op.data;
                self.last_address = op.address();
                if op.kind() & 1 == 0 && goes_on {
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
            self.end_reset();
        } else {
            self.reset_left -= 1;
            if let Some(within) = self.context.reset_within.take() {
                self.reset_left = self.reset_left.min(within);
            }
        }
    }

    /// Begins the phases of the areas whose last ones have ended.
    #[cold]
    #[inline(never)]
    fn begin_phases(&mut self) {
        let (context, tables, now) = (&mut self.context, &*self.tables, self.cycle);
        if self.threshold.phase_end <= now {
            self.threshold.begin_phase(now, &tables.threshold, context);
            let at_work = context.queue.is_empty() && self.sequence == Sequence::None;
            if at_work && context.shadow.is_mostly_off(&context.facts) {
                context.enable_most();
            }
        }
        self.phase_end = self.threshold.phase_end;
        if tables.has_access {
            if self.access.phase_end <= now {
                self.access.begin_phase(now, &tables.access, context);
            }
            self.phase_end = self.phase_end.min(self.access.phase_end);
        }
        if tables.has_cycles {
            if self.cycles.phase_end <= now {
                self.cycles.begin_phase(now, &tables.cycles, context);
            }
            self.phase_end = self.phase_end.min(self.cycles.phase_end);
        }
        if tables.has_spe {
            if self.sampling.phase_end <= now {
                self.sampling.begin_phase(now, &tables.spe, context);
            }
            self.phase_end = self.phase_end.min(self.sampling.phase_end);
        }
    }

    /// The access of a cycle in which accesses wait. `wants`: the phase would begin an access in this cycle.
    #[inline(always)]
    fn scheduled(&mut self, wants: bool) -> Option<Op> {
        if self.context.queue.is_empty() {
            return self.sequence.next(&mut self.context);
        }
        let op = self.context.queue.pop();
        if op.is_some() || !wants {
            return op;
        }
        // Reads fill the waiting.
        let bits = self.context.words.bits();
        Some(self.context.read_any_or_recent(bits))
    }

    /// Begins a script.
    #[inline(always)]
    fn begin(&mut self, area: u8, script: u8) -> Option<Op> {
        let context = &mut self.context;
        let tables = &*self.tables;
        let op = match Area::ALL[tables.areas.choose(area)] {
            Area::Threshold => {
                let script = self.threshold.script(&tables.threshold, script);
                threshold::scripts::begin(script, context)
            }
            Area::Spe => {
                let script = SpeScript::ALL[tables.spe.scripts.choose(script)];
                sampling::scripts::begin(script, &mut self.sampling, context)
            }
            Area::Access => {
                let script = TypeScript::ALL[tables.access.scripts.choose(script)];
                access::scripts::begin(script, context)
            }
            Area::Cycles => {
                let script = CyclesScript::ALL[tables.cycles.scripts.choose(script)];
                cycles::scripts::begin(script, context)
            }
            Area::Spmu => {
                let script = SpmuScript::ALL[tables.spmu.scripts.choose(script)];
                spmu::begin(script, context)
            }
            Area::Audit => {
                let script = AuditScript::ALL[tables.audit.scripts.choose(script)];
                audit::begin(script, &tables.audit, &mut self.audit, context)
            }
        };
        op.or_else(|| context.queue.pop())
    }

    /// Remembers a write. One of a type may be refused, which is not known here.
    #[inline(never)]
    fn note_write(&mut self, op: Op) {
        let context = &mut self.context;
        let (shadow, facts) = (&mut context.shadow, &context.facts);
        let typed = match op.kind() {
            kind if kind == AccessKind::Write as u8 => {
                let reset_is_near = self.reset_left < 128 || context.reset_within.is_some();
                // The two registers that count have encodings that differ in the lowest bit.
                if op.address() & !1 == registers::PMSICR & !1 {
                    self.sampling.write(op.address(), op.data, reset_is_near);
                }
                let is_type = registers::is_event_type(op.address());
                if is_type && !context.is_open {
                    None
                } else {
                    shadow.write(op.address(), op.data, facts)
                }
            }
            kind if kind == AccessKind::ExternalWrite as u8 => registers::of_external(op.address())
                .and_then(|(n, high)| shadow.set_half(n, high, op.data as u32, facts)),
            kind if kind == AccessKind::Write32 as u8 && context.is_open => {
                shadow.write_from_aarch32(op.address(), op.data as u32, facts)
            }
            _ => None,
        };
        if let Some(n) = typed {
            self.threshold.center(n, &mut self.context);
        }
    }

    /// An access that is to be ignored.
    #[cold]
    #[inline(never)]
    fn ignored_access(&mut self) -> Option<Op> {
        let mut bits = self.context.words.bits();
        let all = &self.context.facts.everything;
        let address = all[bits.below(all.len() as u32) as usize];
        let kind = AccessKind::from_code(bits.take(2).min(2) as u8);
        let data = self.context.words.next();
        Some(Op::new(kind, address, data))
    }

    #[cold]
    #[inline(never)]
    fn end_reset(&mut self) {
        let context = &mut self.context;
        context.queue = Queue::new();
        context.shadow.reset();
        for n in 0..context.facts.counters as usize {
            self.threshold.center(n, context);
        }
        self.sampling.reset();
        if self.tables.has_access {
            let now = self.cycle + 1;
            self.access.reset(now, &self.tables.access, context);
            self.phase_end = self.phase_end.min(self.access.phase_end);
        }
        let resets = &self.tables.profile.reset;
        let mut bits = context.words.bits();
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
        self.sequence = Sequence::after_reset(self.tables.beyond, context);
    }
}

/// Cycles to be made by code that is compiled for some machine.
struct Fill<'a, C> {
    generator: &'a mut Generator,
    cycles: &'a mut [CycleInput],
    choose: C,
}

impl<C: Choose> pulp::WithSimd for Fill<'_, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let generator = self.generator;
        for cycle in self.cycles {
            generator.step(self.choose, cycle);
            generator.cycle += 1;
        }
    }
}

/// Shares of the areas in the accesses: an area that the implementation does not have keeps an eighth, for all its registers
/// are UNDEFINED.
fn shares(implementation: &Implementation, profile: &Profile) -> Vec<u16> {
    let mut areas = profile.areas.clone();
    let rarely = |share: u16| share.div_ceil(8);
    if !implementation.spe.implemented {
        areas.spe = rarely(areas.spe);
    }
    if implementation.system_pmu.is_empty() {
        areas.spmu = rarely(areas.spmu);
    }
    areas.weights()
}
