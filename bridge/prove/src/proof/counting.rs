//! Which counters count, and what their events count.

use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::pmu::event_type::EVTCOUNT;

use crate::circuit::Lit;
use crate::cycle::Cycle;
use crate::events::Facts;
use crate::symbol::circuit;
use crate::tables::Situation;

use super::{Difference, Prover};

impl Prover<'_> {
    /// Whether a counter counts.
    pub(super) fn of_filter(&self, cycle: &mut Cycle, place: usize) -> Vec<Difference> {
        let expected = cycle.expected_counting(self.implementation, &self.contract.tables, place);
        let found = cycle.bit(&self.signals.counters[place].counting);
        let differs = circuit(|circuit| circuit.xor(expected, found));
        let rules = &[
            "DUT-14", "DUT-50", "ETY-20", "ETY-21", "ETY-22", "ETY-23", "ETY-24", "CYC-01",
            "CYC-16", "CYC-17", "CYC-18",
        ];
        // It must be possible that it counts, and that it does not.
        let found = Difference::of_counter("whether it counts", rules, differs);
        vec![found.may_be([expected, !expected])]
    }

    /// The base value of a counter that counts.
    pub(super) fn of_event(&self, cycle: &mut Cycle, n: usize) -> Vec<Difference> {
        let of = &self.signals.counters[n];
        let Some(signal) = &of.base else {
            return Vec::new();
        };
        let (expected, is_chain) = self.base(cycle, n);
        let mut found = cycle.value(signal);
        found.resize(expected.len(), Lit::FALSE);
        let counting = cycle.bit(&of.counting);
        let none = cycle.is_none();
        let differs = circuit(|circuit| circuit.differ(&expected, &found));
        let any = circuit(|circuit| circuit.any(expected.iter().copied()));
        let rules = &[
            "DUT-16", "DUT-50", "DUT-51", "ETY-30", "CYC-03", "CYC-04", "CYC-06", "CYC-07",
            "CYC-08", "CYC-09", "CYC-10", "CYC-11", "CYC-12", "CYC-13", "CYC-14", "CYC-15",
            "CYC-21", "SPE-05",
        ];
        // CHAIN of an odd counter is of the area of counters.
        let is_chain = match n % 2 {
            1 => is_chain,
            _ => Lit::FALSE,
        };
        let found = Difference::of_counter("the value of the event", rules, differs);
        vec![found.looked_at([counting, !none, !is_chain]).may_be([any])]
    }

    /// The base value of the event of counter `n`, by the contract, and whether that is CHAIN.
    pub(crate) fn base(&self, cycle: &mut Cycle, n: usize) -> (Vec<Lit>, Lit) {
        let none = || std::array::from_fn(|_| vec![Lit::FALSE; 8]);
        let samples = cycle.samples().unwrap_or_else(none);
        let situation = Situation::of(&cycle.input);
        let register = cycle.registers[n].clone();
        circuit(|circuit| {
            let (mt, counted) = self.contract.tables.group(circuit, &register, &situation);
            let facts = Facts {
                implementation: self.implementation,
                input: &cycle.input,
                register: &register,
                mt,
                counted,
                samples: &samples,
            };
            facts.base(circuit)
        })
    }

    /// The number of the event of counter `n`.
    pub(super) fn event<'a>(&self, cycle: &'a Cycle, n: usize) -> &'a [Lit] {
        let first = usize::from(EVTCOUNT.low);
        &cycle.registers[n][first..first + 16]
    }

    /// V of the cycle counter is whether it counts.
    pub(super) fn of_cycles(&self, cycle: &mut Cycle) -> Difference {
        let counting = cycle.bit(&self.signals.counters[self.signals.cycle_counter].counting);
        let mut expected = vec![counting];
        let found = cycle.increment(CYCLE_COUNTER);
        expected.resize(found.len(), Lit::FALSE);
        let differs = circuit(|circuit| circuit.differ(&expected, &found));
        let rules = &["DUT-14", "DUT-15", "CYC-21"];
        Difference::of_counter("the increment", rules, differs).may_be([counting])
    }
}
