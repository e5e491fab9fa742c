//! Threshold, edge and link.

use pmu_model::pmu::count_value::Values;

use crate::circuit::Lit;
use crate::cycle::Cycle;
use crate::solver::{Answer, Likely};
use crate::symbol::{Symbol, circuit, forget};

use super::{Defect, Difference, Prover};

impl Prover<'_> {
    /// V and C_P of a counter, by the model's own datapath.
    pub(super) fn of_threshold(&self, cycle: &mut Cycle, n: usize) -> Vec<Difference> {
        let counters: Vec<_> = (n - n % 2..=n).collect();
        let (mut c_p, mut counting, mut bases) = (Vec::new(), Vec::new(), Vec::new());
        for &place in &counters {
            let of = &self.signals.counters[place];
            counting.push(cycle.bit(&of.counting));
            let held = of.c_p.as_ref().map(|signal| cycle.bit(signal));
            c_p.push(held.unwrap_or(Lit::FALSE));
            let base = of.base.as_ref().map(|signal| cycle.value(signal));
            bases.push(base.unwrap_or_default());
        }
        // A counter does not count where there is no cycle: of the area that says which counters count.
        let none = cycle.is_none();
        let idle = circuit(|circuit| {
            let any = circuit.any(counting.iter().copied());
            !circuit.and(none, any)
        });
        let (values, after) = cycle.expected_values(
            self.implementation,
            &self.contract.tables,
            &counters,
            (&c_p, &counting, &bases),
        );
        let expected = values.v[n].bits();
        let shown = cycle.increment(n);
        let differs = circuit(|circuit| circuit.differ(&expected, &shown));
        let below = counters[..counters.len() - 1].first();
        let below = below.map(|&place| &cycle.registers[place][..]);
        let known = circuit(|circuit| {
            let tables = &self.contract.tables;
            tables.shows_known(circuit, n, &cycle.registers[n], below)
        });
        let rules = &[
            "TH-01", "TH-02", "TH-03", "TH-04", "TH-05", "TH-06", "TH-08", "TH-09", "TH-10",
            "TH-11", "TH-20", "TH-21", "TH-22", "TH-23", "TH-24", "TH-25", "TH-26", "TH-27",
        ];
        // It must be possible that V is more than 1.
        let many = (self.implementation.pmu.event_width > 1)
            .then(|| circuit(|circuit| circuit.any(expected[1..].iter().copied())));
        let v = Difference::of_counter("V", rules, differs);
        let mut all = vec![v.looked_at([idle, known]).may_be(many)];
        if let Some(signal) = &self.signals.counters[n].c_p {
            let own = after[counters.len() - 1];
            let next = cycle.after(signal)[0];
            let differs = circuit(|circuit| circuit.xor(own, next));
            let rules = &["TH-28", "TH-29", "DUT-11", "DUT-24", "DUT-52"];
            let c_p = Difference::of_counter("C_P", rules, differs);
            let spared = self.spares_resets.then(|| !cycle.reset());
            let c_p = c_p.looked_at(spared).looked_at([idle]);
            all.push(c_p.may_be([own, !own]));
        }
        all
    }

    /// Whether it is of no matter what C_P of event counter `n` is from a reset to the next Processor cycle: in that its type
    /// is zero (DUT-11), and it takes C_T.
    ///
    /// # Errors
    /// A proof is none.
    pub(crate) fn spares_c_p(&self, n: usize) -> Result<bool, Defect> {
        forget();
        let mut cycle = Cycle::of(self.frame(), self.signals);
        let legal = self.legal(&mut cycle);
        cycle.registers[n].fill(Lit::FALSE);
        let pair = (n - n % 2)..=(n | 1);
        let counters: Vec<_> = pair.filter(|&n| n < self.signals.cycle_counter).collect();
        let own = n - counters[0];
        let (mut c_p, counting) = circuit(|circuit| {
            let bits = counters.len();
            (circuit.free_word(bits), circuit.free_word(bits))
        });
        let width = self.implementation.pmu.event_width.into();
        let bases = counters.iter();
        let bases = bases.map(|_| circuit(|circuit| circuit.free_word(width)));
        let bases: Vec<_> = bases.collect();
        let [one, other] = [Lit::FALSE, Lit::TRUE].map(|bit| {
            c_p[own] = bit;
            cycle.expected_values(
                self.implementation,
                &self.contract.tables,
                &counters,
                (&c_p, &counting, &bases),
            )
        });
        let shown = |values: &Values<Symbol>| -> Vec<Lit> {
            let counters = counters.iter();
            counters.flat_map(|&n| values.v[n].bits()).collect()
        };
        let (shown, other_shown) = (shown(&one.0), shown(&other.0));
        let differs = circuit(|circuit| {
            let held = cycle.held(circuit);
            let v = circuit.differ(&shown, &other_shown);
            let after = circuit.differ(&one.1, &other.1);
            let after = circuit.and(after, !held);
            circuit.or(v, after)
        });
        let name = "C_P after a reset is of no matter";
        Ok(matches!(
            self.solved(name, &[legal, differs], Likely::Never)?,
            Answer::Never(_)
        ))
    }
}
