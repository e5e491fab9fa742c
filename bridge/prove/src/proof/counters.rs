//! Values of counters, overflow, CHAIN and the control registers.

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER};
use pmu_model::pmu::event_type::CHAIN;

use crate::circuit::Lit;
use crate::counter::Control;
use crate::cycle::Cycle;
use crate::symbol::circuit;

use super::{Difference, Prover};

impl Prover<'_> {
    /// Where the counter at `place` goes on otherwise than it should; with that of the cycle counter, also where the
    /// registers of all counters do.
    pub(super) fn of_counter(&self, cycle: &mut Cycle, place: usize) -> Vec<Difference> {
        let signals = self.signals;
        let of = &signals.counters[place];
        let control = cycle.control();
        let (before, v) = (cycle.counter(place), cycle.increment(of.n));
        let reached = cycle.reached(&self.contract.accesses);
        let facts = cycle.facts(self.implementation, &reached, &control);
        let counted = circuit(|circuit| facts.count(circuit, of.n, &before, &v));
        let after = circuit(|circuit| facts.control(circuit));
        let (value, flag) = (&counted.after.value, counted.after.flag);
        let found = cycle.after(&of.value);
        let found_flag = cycle.after(&signals.flags)[of.n];
        let mut all = circuit(|circuit| {
            let differs = circuit.differ(&value[..found.len()], &found);
            let flags = circuit.xor(flag, found_flag);
            let rules = &["TH-50", "DUT-11", "DUT-20", "DUT-21", "DUT-22", "DUT-52"];
            let of_value = Difference::of_counter("the value", rules, differs);
            let rules = &["DUT-20", "DUT-21", "DUT-22", "DUT-23"];
            let of_flag = Difference::of_counter("the overflow flag", rules, flags);
            vec![of_value.may_be([value[0]]), of_flag.may_be([flag])]
        });
        if place == signals.cycle_counter {
            all.push(self.of_cycles(cycle));
            all.extend(self.of_control(cycle, &after));
            all.push(self.of_absent(cycle));
        } else if of.n % 2 == 1 && self.implementation.pmu.chain {
            all.extend(self.of_chain(cycle, of.n, &control));
        }
        all
    }

    /// Where PMCR_EL0, PMCNTENSET_EL0 and PMSELR_EL0 go on otherwise.
    fn of_control(&self, cycle: &mut Cycle, expected: &Control) -> Vec<Difference> {
        let signals = self.signals;
        let implemented: Vec<_> = signals.counters.iter().map(|of| of.n).collect();
        let of_counters = |bits: &[Lit]| implemented.iter().map(|&n| bits[n]).collect::<Vec<_>>();
        let mut words = vec![
            (
                "PMCR_EL0.E",
                vec![expected.enable],
                cycle.after(&signals.enable),
            ),
            (
                "PMCNTENSET_EL0",
                of_counters(&expected.enabled),
                of_counters(&cycle.after(&signals.enabled)),
            ),
            (
                "PMSELR_EL0",
                expected.select.clone(),
                cycle.after(&signals.select),
            ),
        ];
        if let Some(signal) = &signals.long {
            words.push(("PMCR_EL0.LP", vec![expected.long], cycle.after(signal)));
        }
        let differences = words.into_iter().map(|(words, expected, found)| {
            let differs = circuit(|circuit| circuit.differ(&expected, &found));
            let rules = &["DUT-11", "DUT-12", "DUT-30", "DUT-52"];
            let found = Difference::of_all(words, rules, differs);
            // RES0 with counters of 32 bits.
            let is_absent = words == "PMCR_EL0.LP" && self.implementation.pmu.counter_bits < 64;
            match is_absent {
                true => found,
                false => found.may_be([expected[0]]),
            }
        });
        differences.collect()
    }

    /// DUT-15, DUT-30: what counters that are not implemented show and have.
    fn of_absent(&self, cycle: &mut Cycle) -> Difference {
        let absent: Vec<_> = self.absent().collect();
        let mut bits = Vec::new();
        for &n in &absent {
            bits.extend(cycle.increment(n));
        }
        for signal in [&self.signals.enabled, &self.signals.flags] {
            let after = cycle.after(signal);
            bits.extend(absent.iter().map(|&n| after[n]));
        }
        let differs = circuit(|circuit| circuit.any(bits));
        let words = "what there is of counters that are not implemented";
        Difference::of_all(words, &["DUT-15", "DUT-30", "DUT-31"], differs)
    }

    /// The numbers of counters that are not implemented.
    fn absent(&self) -> impl Iterator<Item = usize> {
        usize::from(self.implementation.pmu.counters)..CYCLE_COUNTER.min(COUNTER_LANES)
    }

    /// Bits that are zero from a reset on: those of [`Self::of_absent`], and PMCR_EL0.LP with counters of 32 bits. A
    /// reset needs none of them.
    pub(super) fn zeros_of_control(&self, cycle: &mut Cycle) -> Vec<Lit> {
        let mut zero = Vec::new();
        for signal in [&self.signals.enabled, &self.signals.flags] {
            let held = cycle.value(signal);
            zero.extend(self.absent().map(|n| held[n]));
        }
        if self.implementation.pmu.counter_bits < 64 {
            zero.push(cycle.control().long);
        }
        let reset = cycle.reset();
        let zero = zero.into_iter();
        circuit(|circuit| zero.map(|bit| circuit.or(!bit, reset)).collect())
    }

    /// DUT-17: where the base value of CHAIN of the odd counter `n` is otherwise.
    fn of_chain(&self, cycle: &mut Cycle, n: usize, control: &Control) -> Option<Difference> {
        let signals = self.signals;
        let base = signals.counters[n].base.as_ref()?;
        let (below, v) = (cycle.counter(n - 1), cycle.increment(n - 1));
        let reached = cycle.reached(&self.contract.accesses);
        let facts = cycle.facts(self.implementation, &reached, control);
        let chained = circuit(|circuit| facts.count(circuit, n - 1, &below, &v).chained);
        let found = cycle.value(base);
        let counting = cycle.bit(&signals.counters[n].counting);
        let event = self.event(cycle, n).to_vec();
        circuit(|circuit| {
            let is_chain = circuit.is(&event, CHAIN.into());
            let more = circuit.any(found[1..].to_vec());
            let other = circuit.xor(found[0], chained);
            let differs = circuit.or(more, other);
            let found = Difference::of_counter("CHAIN", &["DUT-17"], differs);
            Some(found.looked_at([is_chain, counting]).may_be([chained]))
        })
    }
}
