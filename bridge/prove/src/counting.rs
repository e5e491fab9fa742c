//! Which counters count in a cycle, and what the model's datapath makes of it (DUT-10, DUT-14, DUT-50, DUT-52, TH-20 to
//! TH-28), as circuits.

use pmu_model::Implementation;
use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER, Thread};
use pmu_model::pmu::count_value::{CountValue, Values, link};
use pmu_model::pmu::lane::{Lane, Lanes, lanes};

use crate::circuit::{Circuit, Lit};
use crate::contract::{bit_of, condition_of};
use crate::symbol::{Symbol, circuit};
use crate::tables::{Situation, Tables, symbols};

/// What decides besides the registers.
pub struct Facts<'a> {
    /// What the design is to be.
    pub implementation: &'a Implementation,
    /// The model's functions.
    pub tables: &'a Tables,
    /// CycleInput.
    pub input: &'a [Lit],
}

impl Facts<'_> {
    fn reset(&self) -> Lit {
        self.input[bit_of("reset")]
    }

    /// DUT-52: no Processor cycle.
    fn held(&self, circuit: &mut Circuit) -> Lit {
        circuit.and(self.input[bit_of("clock_stopped")], !self.reset())
    }

    /// DUT-14, DUT-50: whether counter `n` with this type counts, PMCR_EL0.E and its bit of PMCNTENSET_EL0 being these.
    pub fn counts(
        &self,
        circuit: &mut Circuit,
        (enable, enabled): (Lit, Lit),
        (n, register): (usize, &[Lit]),
    ) -> Lit {
        let situation = Situation::of(self.input);
        let allowed = self.input[bit_of("counting_allowed") + n];
        let waits = self.input[condition_of(0, Thread::WFX)];
        let stops_in_wfx = !self.implementation.knobs.cycles.pmccntr_in_wfx;
        let held = self.held(circuit);
        let filtered = self.tables.filtered(circuit, register, &situation);
        // CYC-17, A-CYC-3.
        let waits = circuit.and(situation.by_threads(), waits);
        let stops = circuit.and(waits, Lit::known(stops_in_wfx && n == CYCLE_COUNTER));
        circuit.all([
            enable,
            enabled,
            allowed,
            !filtered,
            !stops,
            !self.reset(),
            !held,
        ])
    }

    /// TH-20 to TH-28: what the model's datapath makes of the cycle, for some event counters: with their types, C_P, which
    /// of them count, and base values. The others do not count. C_P at its end comes with it.
    pub fn values<'a>(
        &self,
        counters: &[usize],
        register: impl Fn(usize) -> &'a [Lit],
        (c_p, counting, bases): (&[Lit], &[Lit], &[Vec<Lit>]),
    ) -> (Values<Symbol>, Vec<Lit>) {
        let mut datapath = CountValue::<Symbol>::new(self.implementation);
        let mut base = [Symbol::ZERO; COUNTER_LANES];
        let mut counts = [Symbol::ZERO; COUNTER_LANES];
        let mut previous = [Symbol::ZERO; COUNTER_LANES];
        for (place, &n) in counters.iter().enumerate() {
            let controls = circuit(|circuit| self.tables.controls(circuit, n, register(n)));
            datapath.set_controls(n, symbols(controls));
            base[n] = Symbol::of(&bases[place]);
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
