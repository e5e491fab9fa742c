//! Threshold, edge and link.

use crate::circuit::Lit;
use crate::cycle::Cycle;
use crate::symbol::circuit;

use super::{Difference, Prover};

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
            all.push(c_p.looked_at([idle]).may_be([own, !own]));
        }
        all
    }
}
