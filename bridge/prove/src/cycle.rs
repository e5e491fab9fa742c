//! A cycle of the design, in the terms of the contract, and what the model says of it.

use pmu_model::contract::{CYCLE_COUNTER, Field, Group, THREADS};
use pmu_model::implementation::Layout;
use pmu_model::pmu::count_value::Values;
use pmu_model::{CycleOutput, Implementation};

use crate::accesses::{Accesses, Reached, Selected};
use crate::circuit::{Circuit, Lit};
use crate::contract::{INPUT_BITS, STATE_BITS, bit_of, state_of};
use crate::correspondence::{self as names, Correspondence, each, named};
use crate::counter::{Control, Counter, Facts};
use crate::counting;
use crate::netlist::{Frame, Netlist, NetlistError, Signal};
use crate::sampling::Sampling;
use crate::symbol::{Symbol, WIDTH, circuit};
use crate::system::{self, System, Unit};
use crate::tables::Tables;

/// The signals of a design that stand for what of the contract.
#[derive(Clone, Debug)]
pub struct Signals {
    /// The port of CycleInput.
    pub input_port: String,
    /// CycleInput of the cycle.
    pub input: Signal,
    /// CycleOutput of the cycle.
    pub output: Signal,
    /// PMCR_EL0.E.
    pub enable: Signal,
    /// PMCNTENSET_EL0.
    pub enabled: Signal,
    /// PMCR_EL0.LP.
    pub long: Option<Signal>,
    /// PMOVSSET_EL0.
    pub flags: Signal,
    /// PMSELR_EL0.SEL.
    pub select: Signal,
    /// Of each event counter, and then of the cycle counter.
    pub counters: Vec<OfCounter>,
    /// The place of the cycle counter in `counters`.
    pub cycle_counter: usize,
    /// Of Statistical Profiling, where it is implemented and named.
    pub sampling: Option<OfSampling>,
    /// Of System PMUs, where there are some and they are named.
    pub system: Option<OfSystem>,
    /// Registers of some counters of System PMUs that a design does not have, as it does of others: they are zero.
    pub missing: Vec<String>,
}

/// The signals of a counter. The cycle counter has no base value and no C_P.
#[derive(Clone, Debug)]
pub struct OfCounter {
    /// Its number.
    pub n: usize,
    /// Whether it is counting.
    pub counting: Signal,
    /// The base value of its event.
    pub base: Option<Signal>,
    /// Its type.
    pub register: Signal,
    /// Its value.
    pub value: Signal,
    /// C_P.
    pub c_p: Option<Signal>,
    /// Registers that are written together with its type alone.
    pub follow: Vec<Signal>,
}

/// The signals of Statistical Profiling.
#[derive(Clone, Debug)]
pub struct OfSampling {
    /// PMSICR_EL1.COUNT.
    pub count: Signal,
    /// PMSICR_EL1.ECOUNT.
    pub ecount: Signal,
    /// PMSIRR_EL1.INTERVAL.
    pub interval: Signal,
    /// PMSIRR_EL1.RND.
    pub random: Signal,
    /// Profiling was enabled in the cycle before; a design in which nothing reads it has none.
    pub enabled: Option<Signal>,
    /// Samples in flight.
    pub in_flight: Signal,
    /// The PMBSR_ELx that there are.
    pub buffers: Vec<Signal>,
    /// What the events count, where there is a counter of events.
    pub events: Option<[Signal; 4]>,
}

/// The signals of System PMUs.
#[derive(Clone, Debug)]
pub struct OfSystem {
    /// SPMSELR_EL0.SYSPMUSEL.
    pub select: Signal,
    /// SPMSELR_EL0.BANK.
    pub bank: Signal,
    /// Each of them.
    pub units: Vec<OfUnit>,
}

/// The signals of a System PMU.
#[derive(Clone, Debug)]
pub struct OfUnit {
    /// By kind of register, those of each counter that is implemented.
    pub counters: [Vec<Option<OfWord>>; system::KINDS],
    /// Flags.
    pub flags: [OfWord; 3],
}

/// A register, and the signal without which it is zero.
#[derive(Clone, Debug)]
pub struct OfWord {
    value: Signal,
    valid: Option<Signal>,
}

impl Signals {
    /// Finds them.
    ///
    /// # Errors
    /// A name that is not there, or of another width.
    pub fn find(
        netlist: &Netlist,
        names: &Correspondence,
        implementation: &Implementation,
    ) -> Result<Self, NetlistError> {
        let one = |name: &str| netlist.signal(name, 1);
        let has_edges = implementation.pmu.edge && implementation.knobs.layout == Layout::Current;
        let of_counter = |n: usize, is_event: bool| {
            let (of_event, common) = (&names.counter, &names.common);
            let name = |name: &str| named(name, &[('n', n)]);
            let (counting, register, value, follow) = match is_event {
                true => (
                    &of_event.counting,
                    &of_event.r#type,
                    &of_event.value,
                    &of_event.follow,
                ),
                false => (
                    &common.cycle_counting,
                    &common.cycle_filter,
                    &common.cycles,
                    &common.cycle_filter_follow,
                ),
            };
            let bits = match is_event {
                true => implementation.pmu.counter_bits.into(),
                false => 64,
            };
            let width = implementation.pmu.event_width.into();
            let of_event = |of: &str, width| {
                let name = is_event.then(|| name(of));
                name.map(|name| netlist.signal(&name, width)).transpose()
            };
            let follow = follow.iter().flat_map(|of| each(&name(of)));
            Ok::<_, NetlistError>(OfCounter {
                n,
                counting: one(&name(counting))?,
                register: netlist.signal(&name(register), 64)?,
                value: netlist.signal(&name(value), bits)?,
                base: of_event(&names.counter.base, width)?,
                c_p: match has_edges {
                    true => of_event(&names.counter.c_p, 1)?,
                    // Nothing reads it, and Yosys removes it.
                    false => None,
                },
                // What nothing reads is not in the netlist, and of no matter.
                follow: follow
                    .filter_map(|name| netlist.any_signal(&name).ok())
                    .collect(),
            })
        };
        let mut missing = Vec::new();
        let counters = usize::from(implementation.pmu.counters);
        let events = (0..counters).map(|n| of_counter(n, true));
        let all = events.chain([of_counter(CYCLE_COUNTER, false)]);
        // There is such a port.
        netlist.port(&names.input_port)?;
        Ok(Self {
            input_port: names.input_port.clone(),
            input: netlist.signal(&names.input, INPUT_BITS)?,
            output: netlist.output(&names.output, OUTPUT_BITS)?,
            enable: one(&names.common.enable)?,
            enabled: netlist.signal(&names.common.enabled, 32)?,
            long: match implementation.pmu.counter_bits {
                64 => Some(one(&names.common.long)?),
                // A design may have a register for it that nothing writes.
                _ => one(&names.common.long).ok(),
            },
            flags: netlist.signal(&names.common.flags, 32)?,
            select: netlist.signal(&names.common.select, 5)?,
            counters: all.collect::<Result<_, _>>()?,
            cycle_counter: counters,
            sampling: names
                .sampling
                .as_ref()
                .filter(|_| implementation.spe.implemented)
                .map(|names| OfSampling::find(netlist, names, implementation))
                .transpose()?,
            system: names
                .system
                .as_ref()
                .filter(|_| !implementation.system_pmu.is_empty())
                .map(|names| OfSystem::find(netlist, names, implementation, &mut missing))
                .transpose()?,
            missing,
        })
    }
}

impl Signals {
    /// The same, of which some signals follow no type.
    #[must_use]
    pub fn without(&self, signals: &[Signal]) -> Self {
        let mut rest = self.clone();
        for of in &mut rest.counters {
            of.follow
                .retain(|signal| signals.iter().all(|other| other.name() != signal.name()));
        }
        rest
    }
}

impl OfSampling {
    fn find(
        netlist: &Netlist,
        names: &names::Sampling,
        implementation: &Implementation,
    ) -> Result<Self, NetlistError> {
        let levels = 1..=if implementation.spe.exc { 3 } else { 1 };
        let buffers = levels.map(|x| netlist.signal(&named(&names.buffer, &[('x', x)]), 64));
        let [population, feed, filtrate, collision] = &names.events;
        // Bits that are constant have no name, and are left away where they are the upper ones.
        let event = |name: &String| netlist.any_signal(name);
        let events = || {
            Ok::<_, NetlistError>([
                event(population)?,
                event(feed)?,
                event(filtrate)?,
                event(collision)?,
            ])
        };
        // Without a counter nothing reads them, and Yosys removes them.
        let has_counters = implementation.pmu.counters > 0;
        Ok(Self {
            count: netlist.signal(&names.count, 32)?,
            ecount: netlist.signal(&names.ecount, 8)?,
            interval: netlist.signal(&names.interval, 24)?,
            random: netlist.signal(&names.random, 1)?,
            enabled: netlist.signal(&names.enabled, 1).ok(),
            in_flight: netlist.signal(&names.in_flight, 8)?,
            buffers: buffers.collect::<Result<_, _>>()?,
            events: has_counters.then(events).transpose()?,
        })
    }
}

impl OfSystem {
    fn find(
        netlist: &Netlist,
        names: &names::System,
        implementation: &Implementation,
        missing: &mut Vec<String>,
    ) -> Result<Self, NetlistError> {
        let word = |of: &names::Word, s: usize, n: usize| {
            let name = |name: &str| named(name, &[('s', s), ('n', n)]);
            let valid = of.valid.as_ref();
            Ok::<_, NetlistError>(OfWord {
                value: netlist.signal(&name(&of.value), 64)?,
                valid: valid
                    .map(|valid| netlist.signal(&name(valid), 1))
                    .transpose()?,
            })
        };
        let units = implementation.system_pmu.iter().enumerate();
        let units = units.map(|(s, pmu)| {
            let implemented = pmu.implemented_counters();
            let mut of_kind = |of: &names::Word| {
                let all = (0..system::COUNTERS).map(|n| {
                    let there = implemented >> n & 1 == 1;
                    there.then(|| word(of, s, n))
                });
                let all: Vec<_> = all.collect();
                // A name that no counter has is a mistake of the file; one that some have not is one of the design.
                let is_known = all.iter().flatten().any(Result::is_ok);
                let found = all.into_iter().map(|found| match found {
                    Some(Err(NetlistError::NoSignal { name, .. })) if is_known => {
                        let value = Signal::zero(&name, 64);
                        missing.push(name);
                        Ok(Some(OfWord { value, valid: None }))
                    }
                    other => other.transpose(),
                });
                found.collect::<Result<Vec<_>, _>>()
            };
            Ok::<_, NetlistError>(OfUnit {
                counters: [
                    of_kind(&names.counter)?,
                    of_kind(&names.r#type)?,
                    of_kind(&names.filter)?,
                    of_kind(&names.filter_2)?,
                ],
                flags: [
                    word(&names.enabled, s, 0)?,
                    word(&names.flags, s, 0)?,
                    word(&names.interrupts, s, 0)?,
                ],
            })
        });
        Ok(Self {
            select: netlist.signal(&names.select, 6)?,
            bank: netlist.signal(&names.bank, 2)?,
            units: units.collect::<Result<_, _>>()?,
        })
    }
}

const OUTPUT_BITS: usize = 8 * size_of::<pmu_model::CycleOutput>();

/// When registers are looked at.
#[derive(Clone, Copy, Debug)]
pub enum At {
    /// At the start of the cycle.
    Start,
    /// At its end.
    End,
}

/// A cycle of the design in a circuit.
pub struct Cycle<'a> {
    /// The design.
    pub frame: Frame<'a>,
    signals: &'a Signals,
    /// CycleInput of the cycle.
    pub input: Vec<Lit>,
    /// The registers of the counters, and of the cycle counter.
    pub registers: Vec<Vec<Lit>>,
}

impl<'a> Cycle<'a> {
    /// The cycle of a frame.
    pub fn of(mut frame: Frame<'a>, signals: &'a Signals) -> Self {
        circuit(|circuit| {
            let input = frame.value(circuit, &signals.input);
            let registers = signals.counters.iter();
            let registers = registers
                .map(|of| frame.value(circuit, &of.register))
                .collect();
            Self {
                input,
                registers,
                signals,
                frame,
            }
        })
    }

    /// Reset.
    pub fn reset(&self) -> Lit {
        self.input[bit_of("reset")]
    }

    /// DUT-52: no Processor cycle.
    pub fn held(&self, circuit: &mut Circuit) -> Lit {
        let reset = self.reset();
        circuit.and(self.input[bit_of("clock_stopped")], !reset)
    }

    /// The bits of a signal.
    pub fn value(&mut self, signal: &Signal) -> Vec<Lit> {
        circuit(|circuit| self.frame.value(circuit, signal))
    }

    /// One bit.
    pub fn bit(&mut self, signal: &Signal) -> Lit {
        self.value(signal)[0]
    }

    /// The registers besides the counters.
    pub fn control(&mut self) -> Control {
        let signals = self.signals;
        Control {
            enable: self.bit(&signals.enable),
            long: match &signals.long {
                Some(signal) => self.bit(signal),
                None => Lit::FALSE,
            },
            enabled: self.value(&signals.enabled),
            select: self.value(&signals.select),
        }
    }

    /// The counter at `place`, and its flag.
    pub fn counter(&mut self, place: usize) -> Counter {
        let signals = self.signals;
        let of = &signals.counters[place];
        let mut value = self.value(&of.value);
        value.resize(64, Lit::FALSE);
        Counter {
            value,
            flag: self.value(&signals.flags)[of.n],
        }
    }

    /// DUT-10, DUT-52: there is no access, and nothing counts.
    pub fn is_none(&self) -> Lit {
        let reset = self.reset();
        circuit(|circuit| {
            let held = self.held(circuit);
            circuit.or(reset, held)
        })
    }

    /// The access of the cycle.
    pub fn reached<'b>(&mut self, accesses: &'b Accesses) -> Reached<'b> {
        let signals = self.signals;
        let counter = self.value(&signals.select);
        let system = signals.system.as_ref().map(|of| self.value(&of.select));
        // Those of System PMUs that are not named are of no matter.
        let system = system.unwrap_or_else(|| vec![Lit::FALSE; 6]);
        let selected = Selected {
            counter: &counter,
            system: &system,
        };
        let none = self.is_none();
        circuit(|circuit| accesses.reached(circuit, &self.input, &selected, none))
    }

    /// What there is of the cycle besides counters.
    pub fn facts<'b>(
        &self,
        implementation: &'b Implementation,
        reached: &'b Reached<'_>,
        control: &'b Control,
    ) -> Facts<'b> {
        Facts {
            implementation,
            reached,
            reset: self.reset(),
            held: circuit(|circuit| self.held(circuit)),
            control,
        }
    }

    /// Statistical Profiling, at the start of the cycle or at its end.
    pub fn sampling(&mut self, of: &OfSampling, at: At) -> Sampling {
        let enabled = of.enabled.as_ref();
        let enabled =
            enabled.map_or_else(|| circuit(Circuit::free), |signal| self.at(signal, at)[0]);
        let mut word = |signal: &Signal| self.at(signal, at);
        Sampling {
            count: word(&of.count),
            ecount: word(&of.ecount),
            interval: word(&of.interval),
            random: word(&of.random)[0],
            enabled,
            in_flight: word(&of.in_flight),
            buffers: of.buffers.iter().map(word).collect(),
        }
    }

    /// What the events of Statistical Profiling count, of 8 bits each, if there are any.
    pub fn samples(&mut self) -> Option<[Vec<Lit>; 4]> {
        let events = self.signals.sampling.as_ref()?.events.as_ref()?;
        Some(events.each_ref().map(|event| {
            let mut value = self.value(event);
            value.resize(8, Lit::FALSE);
            value
        }))
    }

    /// System PMUs, at the start of the cycle or at its end.
    pub fn system(&mut self, of: &OfSystem, at: At) -> System {
        let mut word = |of: &OfWord| {
            let value = self.at(&of.value, at);
            let valid = of.valid.as_ref().map(|valid| self.at(valid, at)[0]);
            let valid = valid.unwrap_or(Lit::TRUE);
            circuit(|circuit| {
                let bits = value.into_iter();
                bits.map(|bit| circuit.and(bit, valid)).collect::<Vec<_>>()
            })
        };
        let units = of.units.iter().map(|unit| Unit {
            counters: std::array::from_fn(|kind| {
                let all = unit.counters[kind].iter();
                all.map(|of| of.as_ref().map(&mut word)).collect()
            }),
            flags: std::array::from_fn(|flags| word(&unit.flags[flags])),
        });
        let units = units.collect();
        System {
            select: self.at(&of.select, at),
            bank: self.at(&of.bank, at),
            units,
        }
    }

    fn at(&mut self, signal: &Signal, at: At) -> Vec<Lit> {
        match at {
            At::Start => self.value(signal),
            At::End => self.after(signal),
        }
    }

    /// A field of CycleOutput.
    pub fn shown(&mut self, field: &str) -> Vec<Lit> {
        let found = CycleOutput::FIELDS.iter().find(|of| of.name == field);
        let found = found.unwrap_or_else(|| panic!("CycleOutput has no field {field}"));
        self.bits_of(found)
    }

    /// The bytes of CycleOutput that are always zero.
    pub fn zeros(&mut self) -> Vec<Lit> {
        let zero = CycleOutput::FIELDS.iter();
        let zero = zero.filter(|field| field.group == Group::Zero);
        zero.flat_map(|field| self.bits_of(field)).collect()
    }

    fn bits_of(&mut self, field: &Field) -> Vec<Lit> {
        let shown = self.value(&self.signals.output);
        let first = 8 * field.byte;
        shown[first..first + 8 * field.element_bytes * field.count].to_vec()
    }

    /// What a signal is after the cycle.
    pub fn after(&mut self, signal: &Signal) -> Vec<Lit> {
        circuit(|circuit| self.frame.next(circuit, signal))
    }

    /// What the design shows as V\[n\].
    pub fn increment(&mut self, n: usize) -> Vec<Lit> {
        let shown = self.value(&self.signals.output);
        shown[WIDTH * n..WIDTH * (n + 1)].to_vec()
    }

    /// Whether any of the registers that a signal is made of takes another value, but for those of CycleInput.
    pub fn moves(&mut self, signal: &Signal) -> Lit {
        circuit(|circuit| self.frame.moves(circuit, signal, &self.signals.input))
    }

    /// Whether the next cycle is a reset: a register that is reset without a clock is zero there at once.
    pub fn is_reset_next(&mut self) -> Lit {
        let port = &self.signals.input_port;
        let driven = circuit(|circuit| self.frame.driven(circuit, port));
        // That there is such a port was found out before.
        let reset = driven
            .ok()
            .and_then(|bits| bits.get(bit_of("reset")).copied());
        reset.unwrap_or(Lit::FALSE)
    }

    /// What the port of CycleInput has in the cycle, which is CycleInput of the next one, and what the design takes of it.
    /// Bits that it does not look at are free, the same ones in both.
    pub fn taken(&mut self) -> (Vec<Lit>, Vec<Lit>) {
        let Signals {
            input, input_port, ..
        } = self.signals;
        let mut after = self.after(input);
        let driven = circuit(|circuit| self.frame.driven(circuit, input_port));
        // That there is such a port was found out before.
        let mut driven = driven.unwrap_or_default();
        driven.resize_with(INPUT_BITS, || circuit(Circuit::free));
        for (bit, after) in after.iter_mut().enumerate() {
            if input.bit(bit).is_none() {
                *after = driven[bit];
            }
        }
        (driven, after)
    }

    /// The state of thread `t`.
    pub fn state(&self, t: usize) -> &[Lit] {
        assert!(t < THREADS);
        &self.input[state_of(t)..state_of(t) + STATE_BITS]
    }

    /// DUT-14, DUT-50, by the model's filters: whether the counter at `place` counts.
    pub fn expected_counting(
        &mut self,
        implementation: &Implementation,
        tables: &Tables,
        place: usize,
    ) -> Lit {
        let enable = self.bit(&self.signals.enable);
        let enabled = self.value(&self.signals.enabled);
        let n = self.signals.counters[place].n;
        let facts = counting::Facts {
            implementation,
            tables,
            input: &self.input,
        };
        circuit(|circuit| facts.counts(circuit, (enable, enabled[n]), (n, &self.registers[place])))
    }

    /// TH-20 to TH-28: what the model's datapath makes of the cycle, for some event counters, with C_P and which of them
    /// count, and base values; the others do not count. C_P at its end comes with it.
    pub fn expected_values(
        &mut self,
        implementation: &Implementation,
        tables: &Tables,
        counters: &[usize],
        before: (&[Lit], &[Lit], &[Vec<Lit>]),
    ) -> (Values<Symbol>, Vec<Lit>) {
        let facts = counting::Facts {
            implementation,
            tables,
            input: &self.input,
        };
        let registers = |n: usize| &self.registers[n][..];
        facts.values(counters, registers, before)
    }
}
