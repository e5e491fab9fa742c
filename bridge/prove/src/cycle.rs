//! A cycle of the design, in the terms of the contract, and what the model says of it.

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER, THREADS, control};
use pmu_model::implementation::Layout;
use pmu_model::pmu::count_value::{CountValue, Values, link};
use pmu_model::pmu::lane::{Lane, Lanes, lanes};
use pmu_model::{CycleInput, Implementation};

use crate::accesses::{Accesses, Port};
use crate::circuit::{Circuit, Lit};
use crate::contract::{INPUT_BITS, STATE_BITS, bit_of, state_of};
use crate::correspondence::{Correspondence, of_counter as of_counter_name, of_state};
use crate::counter::{Control, Counter, Facts};
use crate::netlist::{Frame, Netlist, NetlistError, Signal};
use crate::symbol::{Symbol, WIDTH, circuit};
use crate::tables::{Situation, Tables, symbols};

/// States of a thread without Streaming mode.
pub const STATES: usize = 16;

/// The signals of a design that stand for what of the contract.
#[derive(Debug)]
pub struct Signals {
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
}

/// The signals of a counter. The cycle counter has no base value and no C_P.
#[derive(Debug)]
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
    /// V is V_B.
    pub bypassed: Option<Signal>,
    /// It counts in a state.
    pub in_state: Vec<Signal>,
    /// It counts in or outside of Streaming mode.
    pub in_mode: Vec<Signal>,
    /// MT.
    pub mt: Option<Signal>,
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
        let copies = &names.copies;
        let of_counter = |n: usize, is_event: bool| {
            let (of_event, common) = (&names.counter, &names.common);
            let (counting, register, value) = match is_event {
                true => (&of_event.counting, &of_event.r#type, &of_event.value),
                false => (&common.cycle_counting, &common.cycle_filter, &common.cycles),
            };
            let bits = match is_event {
                true => implementation.pmu.counter_bits.into(),
                false => 64,
            };
            let width = implementation.pmu.event_width.into();
            let of_event = |name: &str, width| {
                let name = is_event.then(|| of_counter_name(name, n));
                name.map(|name| netlist.signal(&name, width)).transpose()
            };
            let by_state = |name: &Option<String>, count| {
                let name = name.iter();
                let all = name.flat_map(|name| (0..count).map(|s| one(&of_state(name, n, s))));
                all.collect::<Result<Vec<_>, _>>()
            };
            let bypassed = copies.bypassed.as_ref();
            let mt = copies.mt.as_ref();
            Ok::<_, NetlistError>(OfCounter {
                n,
                counting: one(&of_counter_name(counting, n))?,
                register: netlist.signal(&of_counter_name(register, n), 64)?,
                value: netlist.signal(&of_counter_name(value, n), bits)?,
                base: of_event(&names.counter.base, width)?,
                c_p: match has_edges {
                    true => of_event(&names.counter.c_p, 1)?,
                    // Nothing reads it, and Yosys removes it.
                    false => None,
                },
                bypassed: bypassed
                    .map(|name| of_event(name, 1))
                    .transpose()?
                    .flatten(),
                in_state: by_state(&copies.in_state, STATES)?,
                in_mode: by_state(&copies.in_mode, 2)?,
                mt: mt.map(|name| one(&of_counter_name(name, n))).transpose()?,
            })
        };
        let counters = usize::from(implementation.pmu.counters);
        let events = (0..counters).map(|n| of_counter(n, true));
        let all = events.chain([of_counter(CYCLE_COUNTER, false)]);
        Ok(Self {
            input: netlist.signal(&names.input, INPUT_BITS)?,
            output: netlist.signal(&names.output, OUTPUT_BITS)?,
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
        })
    }
}

const OUTPUT_BITS: usize = 8 * size_of::<pmu_model::CycleOutput>();

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

    /// The access of the cycle.
    fn port<'b>(&'b self, select: &'b [Lit]) -> Port<'b> {
        let field = |name, bits| &self.input[bit_of(name)..bit_of(name) + bits];
        Port {
            kind: field("access_kind", 8),
            address: field("access_address", 16),
            data: field("access_data", 64),
            select,
        }
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

    /// What there is of the cycle besides counters.
    pub fn facts<'b>(
        &'b self,
        implementation: &'b Implementation,
        accesses: &'b Accesses,
        control: &'b Control,
    ) -> Facts<'b> {
        Facts {
            implementation,
            accesses,
            port: self.port(&control.select),
            reset: self.reset(),
            held: circuit(|circuit| self.held(circuit)),
            control,
        }
    }

    /// What a signal is after the cycle; anything, where it is no register.
    pub fn after(&mut self, signal: &Signal) -> Vec<Lit> {
        let bits = signal.width();
        circuit(|circuit| {
            let next = self.frame.next(circuit, signal);
            next.unwrap_or_else(|| circuit.free_word(bits))
        })
    }

    /// What the design shows as V\[n\].
    pub fn increment(&mut self, n: usize) -> Vec<Lit> {
        let shown = self.value(&self.signals.output);
        shown[WIDTH * n..WIDTH * (n + 1)].to_vec()
    }

    /// What filters look at.
    pub fn situation(&self) -> Situation {
        let driven = bit_of("driven");
        let bit = |mask: u32| self.input[bit_of("controls") + mask.trailing_zeros() as usize];
        let of_driven = |mask: u8| self.input[driven + mask.trailing_zeros() as usize];
        Situation {
            bits: [
                of_driven(CycleInput::DRIVEN_PE),
                of_driven(CycleInput::DRIVEN_THREADS),
                bit(control::MDCR_EL2_MTPME),
                bit(control::MDCR_EL3_MTPME),
            ],
            states: std::array::from_fn(|t| self.state(t).to_vec()),
        }
    }

    /// The state of thread `t`.
    pub fn state(&self, t: usize) -> &[Lit] {
        assert!(t < THREADS);
        &self.input[state_of(t)..state_of(t) + STATE_BITS]
    }

    /// DUT-14, DUT-50, by the model's filters: whether the counter at `place` counts.
    pub fn expected_counting(&mut self, tables: &Tables, place: usize) -> Lit {
        let situation = self.situation();
        let enable = self.bit(&self.signals.enable);
        let enabled = self.value(&self.signals.enabled);
        let n = self.signals.counters[place].n;
        let allowed = self.input[bit_of("counting_allowed") + n];
        let reset = self.reset();
        circuit(|circuit| {
            let held = self.held(circuit);
            let filtered = tables.filtered(circuit, &self.registers[place], &situation);
            circuit.all([enable, enabled[n], allowed, !filtered, !reset, !held])
        })
    }

    /// TH-20 to TH-28: what the model's datapath makes of the cycle, for some event counters, with C_P and which of them
    /// count; the others do not. C_P at its end comes with it.
    pub fn expected_values(
        &mut self,
        implementation: &Implementation,
        tables: &Tables,
        counters: &[usize],
        (c_p, counting): (&[Lit], &[Lit]),
    ) -> (Values<Symbol>, Vec<Lit>) {
        let mut datapath = CountValue::<Symbol>::new(implementation);
        let mut base = [Symbol::ZERO; COUNTER_LANES];
        let mut counts = [Symbol::ZERO; COUNTER_LANES];
        let mut previous = [Symbol::ZERO; COUNTER_LANES];
        for (place, &n) in counters.iter().enumerate() {
            let controls = circuit(|circuit| tables.controls(circuit, n, &self.registers[n]));
            datapath.set_controls(n, symbols(controls));
            if let Some(signal) = &self.signals.counters[n].base {
                base[n] = Symbol::of(&self.value(signal));
            }
            counts[n] = Symbol::mask_of(counting[place]);
            previous[n] = Symbol::mask_of(c_p[place]);
        }
        datapath.set_c_p(previous);
        let values = datapath.evaluate_with(&base, counts, link);
        datapath.commit(&values);
        let (reset, held) = (self.reset(), circuit(|circuit| self.held(circuit)));
        let no_cycle = Symbol::mask_of(circuit(|circuit| circuit.or(reset, held)));
        // DUT-10, DUT-52: nothing is shown, and C_P is kept, or reset (DUT-11).
        let shown: Lanes<Symbol> = lanes(|n| values.v[n] & !no_cycle);
        let after = counters.iter().enumerate().map(|(place, &n)| {
            let committed = datapath.c_p()[n].bits()[0];
            circuit(|circuit| {
                let kept = circuit.choose(held, c_p[place], committed);
                circuit.and(kept, !reset)
            })
        });
        let after = after.collect();
        let values = Values { v: shown, ..values };
        (values, after)
    }
}
