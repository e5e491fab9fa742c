//! The event counters of a PE, cycle by cycle.

pub mod access;
mod batch;
pub mod count_value;
mod counter;
mod event_mux;
pub mod event_type;
pub mod group;
mod inspect;
pub mod lane;
pub mod provenance;
pub mod registers;
pub mod sample_events;
pub(crate) mod select;
pub mod thread_events;
mod unknown;

use std::sync::Arc;

use crate::contract::{COUNTER_LANES, CYCLE_COUNTER, CycleInput, CycleOutput, Thread, Unknown};
use crate::evtyper::configuration::OutOfRange;
use crate::evtyper::events::{Counts, event_behaviour};
use crate::implementation::{
    CpWhenNotCounting, CtWhenBypassed, Implementation, ImplementationError, Impossible,
};
use crate::spe::{Sampled, SamplingUnit};
use crate::spmu::SystemPmus;
use crate::sysreg::SysReg;
use crate::trace::{CycleRecord, NoTracer, SamplingRecord, Tracer};

use access::{Access, Decoded, Port, State, Write};
use count_value::CountValue;
use counter::Counters;
use event_mux::{EventMux, Others};
use event_type::{EventType, EventTypeDecoder};
use group::{Filters, Group};
use lane::Lanes;
use provenance::Provenance;
use registers::Registers;
use sample_events::{SAMPLE_EVENTS, SampleEvents};
use select::{OneByOne, Select};
use thread_events::{ThreadEvents, thread_event};
use unknown::{CycleMasks, UnknownState};

/// Bits of the event counters in the register masks.
const EVENT_COUNTERS: u32 = !(1 << CYCLE_COUNTER);

/// Nothing for any counter.
const NO_VALUES: Lanes<u16> = [0; COUNTER_LANES];

/// The golden model.
///
/// A run is a pure function of the implementation and the inputs; a clone goes on from the same state.
#[derive(Clone, Debug)]
pub struct Model {
    port: Port,
    registers: Registers,
    counters: Counters,
    mux: EventMux,
    filters: Filters,
    thread_events: ThreadEvents,
    sample_events: SampleEvents,
    datapath: CountValue<u16>,
    sampling: SamplingUnit,
    system_pmus: SystemPmus,
    decoder: EventTypeDecoder,
    /// The types in force.
    types: [EventType; COUNTER_LANES],
    /// Counters with an Effective TE of 1, an Effective TLC other than 00, and in a reserved configuration
    /// that is not compared.
    edge: u32,
    linked: u32,
    reserved: u32,
    /// Counters that count an event that is UNPREDICTABLE (ETY-31, A-ETY-8).
    unpredictable: u32,
    unknown: UnknownState,
    provenance: Provenance,
    cycle: u64,
    implementation: Arc<Implementation>,
    /// All ones with A-TH-3 HOLD, and with A-TH-4 HOLD.
    hold_idle: u32,
    hold_bypassed: u32,
    /// Counters that count V_B, whatever the condition.
    bypassed: u32,
    /// A-CYC-3.
    pmccntr_in_wfx: bool,
}

impl Model {
    /// The model of `implementation`, in its reset state.
    ///
    /// # Errors
    /// The implementation is impossible, or one of which nothing could be compared.
    pub fn new(implementation: &Implementation) -> Result<Self, ImplementationError> {
        implementation.validate()?;
        refuse_aliases(implementation)?;
        let knobs = &implementation.knobs;
        let mask = |on: bool| if on { u32::MAX } else { 0 };
        let shared = Arc::new(implementation.clone());
        let system_pmus = SystemPmus::new(implementation);
        let mut model = Self {
            port: Port::new(Arc::clone(&shared)),
            registers: Registers::new(implementation),
            counters: Counters::new(implementation),
            mux: EventMux::new(implementation),
            filters: Filters::new(implementation),
            thread_events: ThreadEvents::new(implementation),
            sample_events: SampleEvents::new(implementation),
            datapath: CountValue::new(implementation),
            sampling: SamplingUnit::new(implementation)?,
            provenance: Provenance::new(&system_pmus),
            system_pmus,
            decoder: EventTypeDecoder::new(implementation)?,
            types: [EventType::ZERO; COUNTER_LANES],
            edge: 0,
            linked: 0,
            reserved: 0,
            unpredictable: 0,
            unknown: UnknownState::new(implementation.knobs.link_from_idle),
            cycle: 0,
            implementation: shared,
            hold_idle: mask(knobs.cp_when_not_counting == CpWhenNotCounting::Hold),
            hold_bypassed: mask(knobs.ct_when_bypassed == CtWhenBypassed::Hold),
            bypassed: 0,
            pmccntr_in_wfx: knobs.cycles.pmccntr_in_wfx,
        };
        for n in 0..=CYCLE_COUNTER {
            model.take_type(n);
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
        random: u8,
        output: &mut CycleOutput,
        unknown: &mut Unknown,
        tracer: &mut T,
        select: impl Select,
    ) {
        *unknown = Unknown::default();
        if (input.reset | input.clock_stopped) & 1 == 1 {
            self.without_clock(input, output, unknown, tracer);
            return;
        }
        self.filters.take(input);
        let registers = &self.registers;
        let mut decoded = Decoded::NONE;
        self.port.decode(
            input,
            State {
                registers,
                sampling: &self.sampling,
                system_pmus: &self.system_pmus,
            },
            &mut decoded,
        );
        let access = &decoded.access;
        let group = self.filters.group();
        let enabled = registers.counting(input.counting_allowed);
        let counting = enabled & !group.filtered & self.clocked(input);
        let written = access.counters_written(registers.event_counters());
        // DUT-13: before anything of this cycle.
        output.access_data = self.read(access);
        output.access_outcome = access.outcome() as u8;
        output.reserved = [0; 3];
        output.trap_iss = decoded.trap_iss;
        unknown.access_data = self.unknown_read(access);

        let before = if T::ACTIVE {
            self.sampling_record()
        } else {
            SamplingRecord::default()
        };
        let sampled = self.sampling.step(input, random, access);
        self.show_sampling(&sampled, output);
        output.random_byte = if sampled.drawn > 0 { random } else { 0 };
        unknown.spe = self.sampling.is_unknown();

        let not_attributed = self.not_attributed(input, group);
        let mut base = self.base_values(input, group, &sampled, not_attributed, select);
        let registers = &self.registers;
        let counting_lanes = select.expand(counting);
        let link = |own: &_, linking: &_| select.link(own, linking);
        let mut values = self.datapath.evaluate_with(&base, counting_lanes, link);
        let mut sum = self.counters.add(&values.v, registers.long, select);
        let chain = self.chained(sum.overflow & !written) & counting;
        if chain != 0 {
            for (n, base) in base.iter_mut().enumerate() {
                *base |= (chain >> n) as u16 & 1;
            }
            values = self.datapath.evaluate_with(&base, counting_lanes, link);
            sum = self.counters.add(&values.v, registers.long, select);
        }
        let overflow = sum.overflow & !written;
        // DUT-15: V, also of a counter that is written.
        output.increment = values.v;

        // DUT-62: what the interval decides is as good as reserved.
        let unsampled = if unknown.spe {
            self.sample_events.depend_on_interval() & !not_attributed
        } else {
            0
        };
        let reserved = self.reserved | self.unpredictable | unsampled;
        if !self.unknown.is_clear(reserved) {
            let cleared = match access {
                Access::Write(_, Write::ClearFlags(flags)) => *flags,
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
                self.unknown.flags_written(*flags);
            }
        }

        if T::ACTIVE {
            let threads_driven = input.driven & CycleInput::DRIVEN_THREADS != 0;
            tracer.record(CycleRecord {
                cycle: self.cycle,
                reset: false,
                clock_stopped: false,
                input: *input,
                types: self.types,
                effective_types: std::array::from_fn(|n| registers.effective_type(n)),
                long: registers.long,
                counting,
                enabled,
                group: *group,
                thread_events: if threads_driven {
                    self.thread_events.any()
                } else {
                    0
                },
                sample_events: self.sample_events.any(),
                not_attributed,
                values: values.clone(),
                intermediates: self.datapath.intermediates(&values),
                access: decoded.access,
                decision: decoded.decision,
                select: registers.select,
                counters: std::array::from_fn(|n| self.counters.get(n)),
                spmselr: self.system_pmus.read(SysReg::Spmselr),
                overflow,
                flags: registers.overflow,
                chained: chain,
                written,
                sampling: SamplingRecord {
                    sampled,
                    happened: self.sampling.profiler().happened(),
                    coll_after: self.sampling.coll(),
                    random: output.random_byte,
                    unknown: unknown.spe,
                    ..before
                },
                unknown: *unknown,
            });
        }

        self.counters.commit(&sum);
        self.datapath.commit(&values);
        self.write(&decoded.access, input);
        // DUT-23: an overflow is not lost to a write of the flags.
        self.registers.overflow |= overflow;
        self.cycle += 1;
    }

    /// DUT-10, DUT-52, CYC-01: a cycle of reset, or one in which the clock is stopped.
    #[cold]
    fn without_clock<T: Tracer>(
        &mut self,
        input: &CycleInput,
        output: &mut CycleOutput,
        unknown: &mut Unknown,
        tracer: &mut T,
    ) {
        *output = CycleOutput::default();
        if input.is_reset() {
            self.reset();
        } else {
            self.show_sampling(&Sampled::default(), output);
            unknown.spe = self.sampling.is_unknown();
        }
        if T::ACTIVE {
            tracer.record(if input.is_reset() {
                CycleRecord::reset(self.cycle)
            } else {
                CycleRecord {
                    unknown: *unknown,
                    ..CycleRecord::clock_stopped(self.cycle, input)
                }
            });
        }
        self.cycle += 1;
    }

    /// CYC-02, CYC-17: the counters that count in the state of thread 0. PMCCNTR_EL0 may stop in WFI or WFE state, by
    /// A-CYC-3, and knows no other.
    #[inline(always)]
    fn clocked(&self, input: &CycleInput) -> u32 {
        let stops = !self.pmccntr_in_wfx
            && input.driven & CycleInput::DRIVEN_THREADS != 0
            && input.threads[0].is(Thread::WFX);
        !(u32::from(stops) << CYCLE_COUNTER)
    }

    /// DUT-51: the counters that count other threads than thread 0 only, and an event that is attributed to it.
    #[inline(always)]
    fn not_attributed(&self, input: &CycleInput, group: &Group) -> u32 {
        const BOTH: u8 = CycleInput::DRIVEN_PE | CycleInput::DRIVEN_THREADS;
        if input.driven & BOTH == BOTH {
            group.mt & !group.unfiltered[0] & !self.thread_events.any() & !self.mux.chain()
        } else {
            0
        }
    }

    /// DUT-51, DUT-16: V_B of every counter, CHAIN left out.
    #[inline(always)]
    fn base_values(
        &self,
        input: &CycleInput,
        group: &Group,
        sampled: &Sampled,
        not_attributed: u32,
        select: impl Select,
    ) -> Lanes<u16> {
        let (mut kept, mut ones, mut sums) = (!not_attributed, 0, NO_VALUES);
        if input.driven & CycleInput::DRIVEN_THREADS != 0 && self.thread_events.any() != 0 {
            kept &= !self.thread_events.any();
            ones = self
                .thread_events
                .cycle_events(&input.threads, group, select);
            if self.thread_events.any_sum() {
                sums = self.thread_events.sums(&input.threads, group, select);
            }
        }
        let samples = self.sample_events.values(sampled.events(), select);
        let others = Others {
            attributed: !not_attributed,
            kept,
            ones,
            sums: &sums,
            samples: &samples,
        };
        self.mux.base_values(&input.event, others, select)
    }

    /// The state of Statistical Profiling, and what a cycle did.
    #[inline(always)]
    fn show_sampling(&self, sampled: &Sampled, output: &mut CycleOutput) {
        let profiler = self.sampling.profiler();
        output.pmsicr = profiler.pmsicr().value();
        output.in_flight = profiler.in_flight() as u8;
        output.selected = sampled.selected();
        output.first_selected = sampled.first_selected;
        output.collided = sampled.collided;
        output.coll = self.sampling.coll();
        output.random_drawn = sampled.drawn;
        output.random_byte = 0;
        output.zeros = [0; 9];
    }

    /// The record of Statistical Profiling at the start of a cycle.
    fn sampling_record(&self) -> SamplingRecord {
        let profiler = self.sampling.profiler();
        SamplingRecord {
            was_enabled: profiler.was_enabled(),
            pmsicr: profiler.pmsicr(),
            pmsirr: profiler.pmsirr(),
            in_flight: profiler.in_flight(),
            coll: self.sampling.coll(),
            ..SamplingRecord::default()
        }
    }

    /// One Processor cycle, with the outputs returned and zero for random bytes: for examples and tests.
    pub fn step_simple(&mut self, input: &CycleInput) -> (CycleOutput, Unknown) {
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        self.step(input, 0, &mut output, &mut unknown, &mut NoTracer);
        (output, unknown)
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
            Access::ReadHalf(register, half) => half.of(self.register(register)),
            _ => 0,
        }
    }

    #[inline(always)]
    fn unknown_read(&self, access: &Access) -> u64 {
        match *access {
            Access::Read(register) => self.unknown_bits(register),
            Access::ReadHalf(register, half) => half.of(self.unknown_bits(register)),
            _ => 0,
        }
    }

    /// Bits of `register` that are UNKNOWN now.
    fn unknown_bits(&self, register: SysReg) -> u64 {
        let of_counters = self.registers.unknown_bits(
            register,
            self.reserved,
            self.unpredictable,
            self.unknown.count(),
            self.unknown.overflow(),
            self.counters.mask(),
        );
        of_counters | self.sampling.unknown_bits(register)
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
            // DUT-60: done with the operations of the cycle.
            Write::Pmsicr(_) | Write::Pmsirr(_) | Write::Pmbsr(..) => {}
            Write::SystemPmu(data) => {
                self.note(target, input);
                self.system_pmus.write(target, data);
                return;
            }
        }
        self.note(target, input);
    }

    fn note(&mut self, target: SysReg, input: &CycleInput) {
        self.provenance
            .write(target, self.cycle, input, &self.system_pmus);
    }

    fn write_type(&mut self, n: usize, data: u64) {
        self.registers.write_type(n, data);
        self.take_type(n);
    }

    /// Decodes `PMEVTYPER<n>_EL0`, or PMCCFILTR_EL0 as number 31, into what a cycle needs.
    fn take_type(&mut self, n: usize) {
        let effective = self.registers.effective_type(n);
        self.filters.set_type(n, effective);
        if n == CYCLE_COUNTER {
            return;
        }
        let event_type = self.decoder.decode(n as u8, effective);
        self.types[n] = event_type;
        self.mux.set_event(n, event_type.event);
        self.thread_events.set_event(n, event_type.event);
        self.sample_events.set_event(n, event_type.event);
        self.datapath.set_type(n, &event_type);
        let knobs = &self.implementation.knobs;
        let unpredictable = self.is_unpredictable(event_type.event);
        let reserved = event_type.reserved && !knobs.compare_reserved;
        let bit = 1 << n;
        let set = |mask: u32, on: bool| if on { mask | bit } else { mask & !bit };
        self.edge = set(self.edge, event_type.used.1);
        self.linked = set(self.linked, event_type.used.2 != 0);
        self.bypassed = set(self.bypassed, event_type.bypassed);
        self.reserved = set(self.reserved, reserved);
        self.unpredictable = set(self.unpredictable, unpredictable);
    }

    /// ETY-31, A-ETY-8: whether what `event` counts is UNPREDICTABLE.
    fn is_unpredictable(&self, event: u16) -> bool {
        let of_sampling = SAMPLE_EVENTS.contains(&event) && self.sampling.is_implemented();
        let supported = self.mux.is_supported(event)
            || self.mux.is_chain(event)
            || thread_event(event).is_some()
            || of_sampling;
        let behaviour = event_behaviour(event, |_| supported, &self.implementation);
        behaviour.counts == Counts::Unpredictable
    }

    fn reset(&mut self) {
        self.registers.reset();
        for n in 0..=CYCLE_COUNTER {
            self.counters.set(n, 0);
            self.take_type(n);
        }
        self.datapath.reset();
        self.sampling.reset();
        self.system_pmus.reset();
        self.unknown.reset();
        self.provenance.reset(self.cycle);
    }
}

/// ETY-42: an access that reaches the register of an UNKNOWN counter leaves nothing to compare.
fn refuse_aliases(implementation: &Implementation) -> Result<(), ImplementationError> {
    let knobs = &implementation.knobs;
    let aliases = [
        ("knobs.oor_unimplemented", knobs.oor_unimplemented),
        ("knobs.oor_reserved", knobs.oor_reserved),
    ]
    .into_iter()
    .filter(|&(_, behaviour)| !implementation.pe.fgt && behaviour == OutOfRange::Alias);
    let problem = |(key, _)| {
        Impossible::new(
            key,
            "ALIAS",
            "UNDEF, RAZ_WI, NOP or TRAP_EL2: which register an access reaches would be UNKNOWN, and nothing could \
             be compared after a write (ETY-42)",
        )
    };
    ImplementationError::of(aliases.map(problem).collect())
}

/// The register that holds the value of counter `n`.
fn counter_register(n: usize) -> SysReg {
    SysReg::pmevcntr(n as u8).unwrap_or(SysReg::Pmccntr)
}
