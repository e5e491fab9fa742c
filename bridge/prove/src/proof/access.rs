//! What comes of accesses.

use pmu_model::SysReg;
use pmu_model::contract::COUNTER_LANES;

use crate::accesses::Reached;
use crate::circuit::{Circuit, Lit};
use crate::cycle::{At, Cycle};
use crate::registers::Held;
use crate::symbol::circuit;

use super::{Difference, Prover};

impl Prover<'_> {
    /// Outcomes, syndromes, and what reads return.
    pub(super) fn of_access(&self, cycle: &mut Cycle) -> Vec<Difference> {
        let signals = self.signals;
        let shown = ["access_outcome", "trap_iss", "access_data"];
        let [outcome, syndrome, data] = shown.map(|field| cycle.shown(field));
        let reached = cycle.reached(&self.contract.accesses);
        let control = cycle.control();
        let mut counters: Vec<_> = (0..COUNTER_LANES).map(|_| None).collect();
        for (place, of) in signals.counters.iter().enumerate() {
            counters[of.n] = Some((cycle.counter(place), cycle.registers[place].clone()));
        }
        let sampling = signals.sampling.as_ref();
        let sampling = sampling.map(|of| cycle.sampling(of, At::Start));
        let system = signals.system.as_ref();
        let system = system.map(|of| cycle.system(of, At::Start));
        let held = Held {
            fixed: &self.contract.fixed,
            control: &control,
            counters: &counters,
            sampling: sampling.as_ref(),
            system: system.as_ref(),
        };
        circuit(|circuit| {
            let read = reached.read(circuit, |circuit, register| held.value(circuit, register));
            let any = reached.is_any(circuit);
            let of_outcome = circuit.differ(&reached.outcome, &outcome);
            let of_syndrome = circuit.differ(&reached.syndrome, &syndrome);
            let of_data = circuit.differ(&read, &data);
            let rules = &[
                "ETY-40", "ETY-41", "ETY-42", "ETY-43", "SPMU-06", "SPMU-30", "DUT-30", "DUT-31",
                "DUT-32", "DUT-35", "DUT-36", "DUT-37", "DUT-38",
            ];
            let outcome = Difference::of_all("the outcome", rules, of_outcome);
            let rules = &["ETY-45", "DUT-36"];
            let syndrome = Difference::of_all("the syndrome of a trap", rules, of_syndrome);
            let rules = &[
                "DUT-13", "DUT-33", "DUT-36", "DUT-37", "ETY-44", "TH-07", "SPE-03",
            ];
            let mut all = vec![
                outcome.may_be([any, !any]),
                syndrome.may_be(self.may_trap().then(|| reached.syndrome[21])),
            ];
            // One claim by what is read: a solver takes longer for all of them at once.
            for (words, where_) in reads(circuit, &reached) {
                if !where_.contains(&Lit::FALSE) {
                    let data = Difference::of_all(words, rules, of_data);
                    all.push(data.looked_at(where_).may_be([read[0]]));
                }
            }
            all
        })
    }

    /// Whether any access can trap: those of types, and of registers that describe a System PMU.
    fn may_trap(&self) -> bool {
        self.implementation.pmu.counters > 0
    }
}

/// What may be read, and where it is that: one of these in every cycle.
fn reads(circuit: &mut Circuit, reached: &Reached<'_>) -> [(&'static str, Vec<Lit>); 3] {
    let of_system = reached.reads(circuit, SysReg::is_of_system_pmus);
    let of_counters = reached.reads(circuit, |register| {
        matches!(
            register,
            SysReg::Pmccntr | SysReg::Pmevcntr(_) | SysReg::Pmccfiltr | SysReg::Pmevtyper(_)
        )
    });
    [
        ("what a read of a System PMU returns", vec![of_system]),
        (
            "what a read of a counter or of its type returns",
            vec![of_counters],
        ),
        ("what another read returns", vec![!of_system, !of_counters]),
    ]
}
