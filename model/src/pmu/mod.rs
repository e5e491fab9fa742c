//! The event counters of a PE, cycle by cycle.

pub mod count_value;
pub mod counter;
pub mod event_mux;
pub mod event_type;
pub mod lane;
pub mod provenance;
pub mod registers;
pub mod select;
pub mod unknown;

use crate::contract::{CYCLE_COUNTER, CycleInput, CycleOutput, Unknown};
use crate::implementation::{
    CpWhenNotCounting, CtWhenBypassed, Implementation, ImplementationError,
};
use crate::sysreg::SysReg;
use crate::trace::{CycleRecord, NoTracer, Tracer};

use count_value::CountValue;
use counter::Counters;
use event_mux::EventMux;
use event_type::{EventType, EventTypeDecoder};
use provenance::{Origin, Provenance};
use registers::{Access, Registers, Write};
use select::{OneByOne, Select};
use unknown::{CycleMasks, UnknownState};

/// Bits of the event counters in the register masks.
const EVENT_COUNTERS: u32 = !(1 << CYCLE_COUNTER);

/// The golden model.
///
/// A run is a pure function of the implementation and the inputs; a clone goes on from the same state.
#[derive(Clone, Debug)]
pub struct Model {
    registers: Registers,
    counters: Counters,
    mux: EventMux,
    datapath: CountValue<u16>,
    decoder: EventTypeDecoder,
    /// Counters with an Effective TE of 1, an Effective TLC other than 00, and in a reserved configuration
    /// that is not compared.
    edge: u32,
    linked: u32,
    reserved: u32,
    unknown: UnknownState,
    provenance: Provenance,
    cycle: u64,
    compare_reserved: bool,
    /// All ones with A-TH-3 HOLD, and with A-TH-4 HOLD.
    hold_idle: u32,
    hold_bypassed: u32,
    /// Counters that count V_B, whatever the condition.
    bypassed: u32,
}

impl Model {
    /// The model of `implementation`, in its reset state.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(implementation: &Implementation) -> Result<Self, ImplementationError> {
        implementation.validate()?;
        let knobs = &implementation.knobs;
        let mask = |on: bool| if on { u32::MAX } else { 0 };
        let mut model = Self {
            registers: Registers::new(implementation),
            counters: Counters::new(implementation),
            mux: EventMux::new(implementation),
            datapath: CountValue::new(implementation),
            decoder: EventTypeDecoder::new(implementation)?,
            edge: 0,
            linked: 0,
            reserved: 0,
            unknown: UnknownState::default(),
            provenance: Provenance::default(),
            cycle: 0,
            compare_reserved: implementation.knobs.compare_reserved,
            hold_idle: mask(knobs.cp_when_not_counting == CpWhenNotCounting::Hold),
            hold_bypassed: mask(knobs.ct_when_bypassed == CtWhenBypassed::Hold),
            bypassed: 0,
        };
        for n in 0..CYCLE_COUNTER {
            model.write_type(n, 0);
        }
        Ok(model)
    }

    /// One Processor cycle. `random` is what the design's generator returns if a byte is drawn (DUT-61).
    pub fn step<T: Tracer>(
        &mut self,
        input: &CycleInput,
        random: u8,
        output: &mut CycleOutput,
        unknown: &mut Unknown,
        tracer: &mut T,
    ) {
        self.step_with(input, random, output, unknown, tracer, OneByOne);
    }

    /// One Processor cycle, for callers that are compiled for some machine.
    #[inline(always)]
    fn step_with<T: Tracer>(
        &mut self,
        input: &CycleInput,
        _random: u8,
        output: &mut CycleOutput,
        unknown: &mut Unknown,
        tracer: &mut T,
        select: impl Select,
    ) {
        *unknown = Unknown::default();
        if input.is_reset() {
            *output = CycleOutput::default();
            if T::ACTIVE {
                tracer.record(CycleRecord::reset(self.cycle));
            }
            self.reset();
            self.cycle += 1;
            return;
        }
        let registers = &self.registers;
        let access = registers.decode(input);
        let counting = registers.counting(input.counting_allowed);
        let written = access.counters_written(registers.event_counters());

        let mut base = self.mux.base_values(&input.event, select);
        let mut values = self.datapath.evaluate(&base, counting);
        let mut sum = self.counters.add(&values.v, registers.long);
        let chain = self.chained(sum.overflow & !written) & counting;
        if chain != 0 {
            for (n, base) in base.iter_mut().enumerate() {
                *base |= (chain >> n) as u16 & 1;
            }
            values = self.datapath.evaluate(&base, counting);
            sum = self.counters.add(&values.v, registers.long);
        }
        let overflow = sum.overflow & !written;

        output.increment = values.v;
        output.access_outcome = access.outcome() as u8;
        output.access_data = self.read(&access);
        output.reserved = [0; 3];
        let reserved = self.reserved;
        if !self.unknown.is_clear(reserved) {
            unknown.access_data = self.unknown_read(&access);
            let cleared = match access {
                Access::Write(_, Write::ClearFlags(flags)) => flags,
                _ => 0,
            };
            self.unknown.flags_written(cleared);
            unknown.increments = self.unknown.step(CycleMasks {
                counting: counting & EVENT_COUNTERS,
                reserved,
                edge: self.edge,
                linked: self.linked,
                chain: if registers.long { 0 } else { self.mux.chain() },
                written,
                overflows: overflow,
                c_p_holds: (!counting & self.hold_idle)
                    | (counting & self.bypassed & self.hold_bypassed),
                flags: registers.overflow & !cleared,
            });
            if let Access::Write(_, Write::SetFlags(flags)) = access {
                self.unknown.flags_written(flags);
            }
        }

        if T::ACTIVE {
            tracer.record(CycleRecord {
                cycle: self.cycle,
                reset: false,
                counting,
                values: values.clone(),
                intermediates: self.datapath.intermediates(&values),
                access,
                overflow,
                chained: chain,
                written,
                unknown: *unknown,
            });
        }

        self.counters.commit(&sum);
        self.datapath.commit(&values);
        self.write(&access, input);
        // DUT-23: an overflow is not lost to a write of the flags.
        self.registers.overflow |= overflow;
        self.cycle += 1;
    }

    /// One Processor cycle, with the outputs returned and zero for random bytes: for examples and tests.
    pub fn step_simple(&mut self, input: &CycleInput) -> (CycleOutput, Unknown) {
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        self.step(input, 0, &mut output, &mut unknown, &mut NoTracer);
        (output, unknown)
    }

    /// A batch of cycles, with the widest vector instructions that the machine has. `random` has a byte for
    /// each, see [`Model::step`].
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn run(
        &mut self,
        inputs: &[CycleInput],
        random: &[u8],
        outputs: &mut [CycleOutput],
        unknowns: &mut [Unknown],
    ) {
        let cycles = inputs.len();
        assert!(cycles == random.len() && cycles == outputs.len() && cycles == unknowns.len());
        let batch = Batch {
            model: self,
            inputs,
            random,
            outputs,
            unknowns,
        };
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            pulp::Simd::vectorize(
                simd,
                WithSelect {
                    batch,
                    select: simd,
                },
            );
            return;
        }
        pulp::Arch::new().dispatch(WithSelect {
            batch,
            select: OneByOne,
        });
    }

    /// Number of the next cycle: how many have been made.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The contents of `register` now; aliases and registers that are not implemented give 0.
    pub fn register(&self, register: SysReg) -> u64 {
        match register {
            SysReg::Pmevcntr(n) => self.counters.get(usize::from(n)),
            SysReg::Pmccntr => self.counters.get(CYCLE_COUNTER),
            _ => self.registers.read(register),
        }
    }

    /// `PMEVTYPER<n>_EL0` as it is in force now.
    pub fn event_type(&self, n: u8) -> EventType {
        self.decoder
            .decode(n, self.registers.effective_type(usize::from(n)))
    }

    /// Bits of an event counter.
    pub fn counter_mask(&self) -> u64 {
        self.counters.mask()
    }

    /// Whether event number `event` is CHAIN (DUT-17).
    pub fn is_chain(&self, event: u16) -> bool {
        self.mux.is_chain(event)
    }

    /// Base value of event number `event`, `None` if the design does not have it (DUT-16).
    pub fn event_value(&self, event: u16, input: &CycleInput) -> Option<u16> {
        self.mux.event_value(event, &input.event)
    }

    /// What last set `register`.
    pub fn origin(&self, register: SysReg) -> Origin {
        self.provenance.of(register)
    }

    /// C_P of counter `n` now.
    pub fn c_p(&self, n: usize) -> bool {
        self.datapath.c_p()[n] != 0
    }

    /// DUT-17: the counters whose CHAIN event happens, given the overflows.
    #[inline(always)]
    fn chained(&self, overflow: u32) -> u32 {
        if self.registers.long {
            0
        } else {
            self.mux.chain() & (overflow << 1)
        }
    }

    /// DUT-13: what a read returns.
    #[inline(always)]
    fn read(&self, access: &Access) -> u64 {
        match *access {
            Access::Read(register) => self.register(register),
            _ => 0,
        }
    }

    fn unknown_read(&self, access: &Access) -> u64 {
        match *access {
            Access::Read(register) => self.registers.unknown_bits(
                register,
                self.reserved,
                self.unknown.count(),
                self.unknown.overflow(),
                self.counters.mask(),
            ),
            _ => 0,
        }
    }

    /// DUT-12: the effect of a write, after the increments of its cycle.
    #[inline(always)]
    fn write(&mut self, access: &Access, input: &CycleInput) {
        let Access::Write(target, write) = *access else {
            return;
        };
        match write {
            Write::Control(data) => {
                // DUT-21.
                let zeroed = access.counters_written(self.registers.event_counters());
                for n in (0..32).filter(|n| zeroed >> n & 1 == 1) {
                    self.counters.set(n, 0);
                    self.note(counter_register(n), input);
                }
                self.registers.write_control(data);
            }
            Write::Enable(counters) => self.registers.enabled |= counters,
            Write::Disable(counters) => self.registers.enabled &= !counters,
            Write::SetFlags(flags) => self.registers.overflow |= flags,
            Write::ClearFlags(flags) => self.registers.overflow &= !flags,
            Write::Select(data) => self.registers.select = data as u8 & 31,
            // DUT-20: the write wins over the increment, which has been added already.
            Write::Counter(n, data) => self.counters.set(n, data),
            Write::Type(n, data) => self.write_type(n, data),
        }
        self.note(target, input);
    }

    fn note(&mut self, target: SysReg, input: &CycleInput) {
        let written = SysReg::from_address(input.access_address).unwrap_or(target);
        self.provenance
            .write(target, self.cycle, written, input.access_data);
    }

    fn write_type(&mut self, n: usize, data: u64) {
        self.registers.write_type(n, data);
        if n == CYCLE_COUNTER {
            return;
        }
        let event_type = self.event_type(n as u8);
        self.mux.set_event(n, event_type.event);
        self.datapath.set_type(n, &event_type);
        let bit = 1 << n;
        let set = |mask: u32, on: bool| if on { mask | bit } else { mask & !bit };
        self.edge = set(self.edge, event_type.used.1);
        self.linked = set(self.linked, event_type.used.2 != 0);
        self.bypassed = set(self.bypassed, event_type.bypassed);
        self.reserved = set(self.reserved, event_type.reserved && !self.compare_reserved);
    }

    fn reset(&mut self) {
        self.registers.reset();
        for n in 0..=CYCLE_COUNTER {
            self.counters.set(n, 0);
        }
        for n in 0..CYCLE_COUNTER {
            self.write_type(n, 0);
        }
        self.datapath.reset();
        self.unknown.reset();
        self.provenance.reset(self.cycle);
    }
}

/// A batch of cycles.
struct Batch<'a> {
    model: &'a mut Model,
    inputs: &'a [CycleInput],
    random: &'a [u8],
    outputs: &'a mut [CycleOutput],
    unknowns: &'a mut [Unknown],
}

/// A batch to be run by code that is compiled for some machine.
struct WithSelect<'a, S> {
    batch: Batch<'a>,
    select: S,
}

impl<S: Select> pulp::WithSimd for WithSelect<'_, S> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: pulp::Simd>(self, _: V) {
        let Batch {
            model,
            inputs,
            random,
            outputs,
            unknowns,
        } = self.batch;
        let cycles = inputs.iter().zip(random).zip(outputs).zip(unknowns);
        for (((input, &random), output), unknown) in cycles {
            model.step_with(input, random, output, unknown, &mut NoTracer, self.select);
        }
    }
}

/// The register that holds the value of counter `n`.
fn counter_register(n: usize) -> SysReg {
    if n == CYCLE_COUNTER {
        SysReg::Pmccntr
    } else {
        SysReg::Pmevcntr(n as u8)
    }
}
