//! Registers of System PMUs.

use crate::circuit::Lit;
use crate::cycle::{At, Cycle};
use crate::symbol::circuit;
use crate::system::NAMES;

use super::{Difference, Prover};

impl Prover<'_> {
    /// What becomes of the registers of System PMUs.
    pub(super) fn of_system(&self, cycle: &mut Cycle) -> Vec<Difference> {
        let Some(signals) = &self.signals.system else {
            return Vec::new();
        };
        let before = cycle.system(signals, At::Start);
        let found = cycle.system(signals, At::End);
        let reached = cycle.reached(&self.contract.accesses);
        let reset = cycle.reset();
        circuit(|circuit| {
            let units = &self.implementation.system_pmu;
            let after = before.after(circuit, units, &reached, reset);
            let select = circuit.differ(&after.spmselr(), &found.spmselr());
            let rules = &["SPMU-16", "SPMU-18", "DUT-11", "DUT-32"];
            let differs = Difference::of_all("SPMSELR_EL0", rules, select);
            let mut all = vec![differs.may_be([after.bank[0]])];
            // What is assumed of the state stays so.
            let absent = found.absent(circuit, units);
            let words = "flags of counters that are not implemented";
            all.push(Difference::of_all(words, &["SPMU-15"], absent));
            for (s, (after, found)) in after.units.iter().zip(&found.units).enumerate() {
                let of_counters = after.counters.iter().zip(&found.counters);
                let of_counters = of_counters.map(|(after, found)| {
                    let pairs = after.iter().flatten().zip(found.iter().flatten());
                    pairs.collect::<Vec<_>>()
                });
                let of_flags = after.flags.iter().zip(&found.flags);
                let of_flags = of_flags.map(|pair| vec![pair]);
                for (name, pairs) in NAMES.iter().zip(of_counters.chain(of_flags)) {
                    let Some((first, _)) = pairs.first() else {
                        continue;
                    };
                    let possible = circuit.any(first.iter().copied());
                    let differs = pairs
                        .iter()
                        .map(|(after, found)| circuit.differ(after, found));
                    let differs: Vec<_> = differs.collect();
                    let differs = circuit.any(differs);
                    let words = format!("{name} of System PMU {s}");
                    let rules = &[
                        "SPMU-04", "SPMU-12", "SPMU-13", "SPMU-15", "SPMU-16", "SPMU-18", "DUT-11",
                        "DUT-12",
                    ];
                    all.push(Difference::of_all(&words, rules, differs).may_be([possible]));
                }
            }
            all
        })
    }

    /// SPMU-15: no flag is set of a counter that is not implemented, at the start of a cycle; a reset needs none of it.
    pub(super) fn zeros_of_system(&self, cycle: &mut Cycle) -> Option<Lit> {
        let signals = self.signals.system.as_ref()?;
        let before = cycle.system(signals, At::Start);
        let reset = cycle.reset();
        Some(circuit(|circuit| {
            let absent = before.absent(circuit, &self.implementation.system_pmu);
            circuit.or(!absent, reset)
        }))
    }
}
