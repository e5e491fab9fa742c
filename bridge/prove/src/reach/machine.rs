//! The contract by itself on symbols, cycle after cycle from a reset on: one counter, and Statistical Profiling. It needs no
//! design, and no Yosys.

use pmu_model::Implementation;
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::pmu::count_value::Values;

use crate::accesses::{Effect, Selected};
use crate::circuit::Lit;
use crate::contract::bit_of;
use crate::counter::{self, Control, Counter};
use crate::counting;
use crate::events;
use crate::proof::Contract;
use crate::sampling::{self, Counted, Sampling, Taken};
use crate::symbol::circuit;
use crate::tables::Situation;

/// Bits of a register.
const REGISTER: usize = 64;

/// One counter and Statistical Profiling, at the start of a cycle.
pub struct Machine<'a> {
    implementation: &'a Implementation,
    contract: &'a Contract,
    /// The number of the counter.
    n: usize,
    register: Vec<Lit>,
    counter: Counter,
    c_p: Lit,
    control: Control,
    /// Statistical Profiling, where it is implemented.
    sampling: Option<Sampling>,
}

/// What a cycle has.
pub struct Seen {
    /// The cycle may be driven, draws no byte, and nothing is UNKNOWN in it: what is asked for does not hang on these.
    pub is_plain: Lit,
    /// CycleInput.
    pub input: Vec<Lit>,
    /// The counter counts.
    pub counting: Lit,
    /// Its type.
    pub register: Vec<Lit>,
    /// Its value at the start of the cycle.
    pub value: Vec<Lit>,
    /// PMCR_EL0.LP.
    pub long: Lit,
    /// Its value is written, which loses the increment.
    pub is_written: Lit,
    /// C_P.
    pub c_p: Lit,
    /// C_T.
    pub c_t: Lit,
    /// V_B.
    pub v_b: Vec<Lit>,
    /// V.
    pub v: Vec<Lit>,
    /// What is of Statistical Profiling, at the start of the cycle and in it.
    pub sampling: Option<(Sampling, Counted, Taken)>,
}

impl<'a> Machine<'a> {
    /// Out of reset, with counter `n`.
    pub fn new(implementation: &'a Implementation, contract: &'a Contract, n: usize) -> Self {
        let zero = |bits| vec![Lit::FALSE; bits];
        let spe = &implementation.spe;
        let sampling = spe
            .implemented
            .then(|| Sampling::out_of_reset(implementation));
        let register = contract.fixed.reset_type(n);
        let register = (0..REGISTER).map(|bit| Lit::known(register >> bit & 1 == 1));
        Self {
            implementation,
            contract,
            n,
            register: register.collect(),
            counter: Counter {
                value: zero(REGISTER),
                flag: Lit::FALSE,
            },
            c_p: Lit::FALSE,
            control: Control {
                enable: Lit::FALSE,
                long: Lit::FALSE,
                enabled: zero(32),
                select: zero(5),
            },
            sampling,
        }
    }

    /// Takes a cycle with this CycleInput.
    pub fn step(&mut self, input: &[Lit]) -> Seen {
        let (implementation, contract, n) = (self.implementation, self.contract, self.n);
        let reset = input[bit_of("reset")];
        let (held, none) = circuit(|circuit| {
            let held = circuit.and(input[bit_of("clock_stopped")], !reset);
            (held, circuit.or(reset, held))
        });
        let control = self.control.clone();
        let selected = Selected {
            counter: &control.select,
            system: &[Lit::FALSE; 6],
        };
        let reached = circuit(|circuit| contract.accesses.reached(circuit, input, &selected, none));
        let before = self.sampling.clone();
        let of_sampling = before.map(|before| {
            circuit(|circuit| {
                let facts = sampling::Facts {
                    implementation,
                    input,
                    reset,
                    held,
                    before: &before,
                };
                // A byte is the design's to draw: cycles that draw one are not asked for.
                let counted = facts.operations(circuit, &[Lit::FALSE; 8]);
                let taken = facts.samples(circuit, &counted.selected);
                self.sampling = Some(facts.after(circuit, &reached, &counted, &taken));
                (before, counted, taken)
            })
        });
        let facts = counting::Facts {
            implementation,
            tables: &contract.tables,
            input,
        };
        let counting = circuit(|circuit| {
            let on = (control.enable, control.enabled[n]);
            facts.counts(circuit, on, (n, &self.register))
        });
        let (values, v_b, c_p_after, is_chain) = match n {
            CYCLE_COUNTER => (None, vec![counting], Lit::FALSE, Lit::FALSE),
            _ => {
                let (base, is_chain) = self.base(input, of_sampling.as_ref());
                let base = [base];
                let (values, after) = facts.values(
                    &[n],
                    |_| &self.register[..],
                    (&[self.c_p], &[counting], &base),
                );
                let [base] = base;
                (Some(values), base, after[0], is_chain)
            }
        };
        let [v, c_t] = match &values {
            Some(Values { v, c_t, .. }) => [v[n].bits().to_vec(), c_t[n].bits().to_vec()],
            None => [v_b.clone(), vec![Lit::FALSE]],
        };
        let facts = counter::Facts {
            implementation,
            reached: &reached,
            reset,
            held,
            control: &control,
        };
        circuit(|circuit| {
            let written = reached.written(circuit, Effect::Counter(n)).any;
            let (drawn, loads_zero) = match &of_sampling {
                Some((_, counted, _)) => {
                    let drawn = circuit.any(counted.drawn.iter().copied());
                    (drawn, counted.loads_zero)
                }
                None => (Lit::FALSE, Lit::FALSE),
            };
            let legal = contract.is_legal_alone(circuit, input);
            let is_plain = circuit.all([legal, !drawn, !loads_zero, !is_chain]);
            let after = facts.count(circuit, n, &self.counter, &v).after;
            let fixed = &contract.fixed;
            let register = fixed.type_after(circuit, n, &self.register, (&reached, reset));
            let seen = Seen {
                is_plain,
                input: input.to_vec(),
                counting,
                register: std::mem::replace(&mut self.register, register),
                value: std::mem::replace(&mut self.counter, after).value,
                long: control.long,
                is_written: written,
                c_p: std::mem::replace(&mut self.c_p, c_p_after),
                c_t: c_t[0],
                v_b,
                v,
                sampling: of_sampling,
            };
            self.control = facts.control(circuit);
            seen
        })
    }

    /// V_B of the counter, and whether it is that of CHAIN.
    fn base(
        &self,
        input: &[Lit],
        of_sampling: Option<&(Sampling, Counted, Taken)>,
    ) -> (Vec<Lit>, Lit) {
        let none = || std::array::from_fn(|_| vec![Lit::FALSE; 8]);
        let samples = of_sampling.map_or_else(none, |(_, _, taken)| taken.events.clone());
        let situation = Situation::of(input);
        circuit(|circuit| {
            let tables = &self.contract.tables;
            let (mt, counted) = tables.group(circuit, &self.register, &situation);
            let facts = events::Facts {
                implementation: self.implementation,
                input,
                register: &self.register,
                mt,
                counted,
                samples: &samples,
            };
            facts.base(circuit)
        })
    }
}
