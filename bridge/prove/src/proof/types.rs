//! Types: what they store, and what a design has decoded of them.

use pmu_model::pmu::registers::THRESHOLD_CONTROL;

use crate::accesses::Effect;
use crate::circuit::Lit;
use crate::cycle::Cycle;
use crate::symbol::circuit;

use super::{Difference, Prover};

impl Prover<'_> {
    /// What becomes of a type, and of what follows it.
    pub(super) fn of_types(&self, cycle: &mut Cycle, place: usize) -> Vec<Difference> {
        let of = &self.signals.counters[place];
        let reached = cycle.reached(&self.contract.accesses);
        let reset = cycle.reset();
        let before = cycle.registers[place].clone();
        let found = cycle.after(&of.register);
        let (differs, changes) = circuit(|circuit| {
            let expected =
                self.contract
                    .fixed
                    .type_after(circuit, of.n, &before, (&reached, reset));
            let written = reached.written(circuit, Effect::Type(of.n));
            // TH-34: a reserved {TC, TE, TLC} may read as anything.
            let known = self.contract.tables.is_known(circuit, of.n, &expected);
            let differs = expected.iter().zip(&found).enumerate();
            let differs: Vec<_> = differs
                .map(|(bit, (&expected, &found))| {
                    let differs = circuit.xor(expected, found);
                    match THRESHOLD_CONTROL >> bit & 1 == 1 {
                        true => circuit.and(differs, known),
                        false => differs,
                    }
                })
                .collect();
            let differs = circuit.any(differs);
            (differs, circuit.or(written.any, reset))
        });
        // Of what is made of registers, these: they are what is assumed to be as a write left them.
        let follow = of.follow.iter().chain([&of.register]);
        let moved: Vec<_> = follow.map(|signal| cycle.moves(signal)).collect();
        let moved = circuit(|circuit| circuit.any(moved));
        let stored = &[
            "ETY-01", "ETY-02", "ETY-03", "ETY-04", "ETY-05", "ETY-32", "DUT-11", "DUT-32",
            "DUT-36", "DUT-37",
        ];
        let mut all = vec![Difference::of_counter("the type", stored, differs).may_be([changes])];
        let words = "what is stored and decoded of the type, without a write,";
        let differs = circuit(|circuit| circuit.and(moved, !changes));
        let rules = &["DUT-12", "DUT-32"];
        all.push(Difference::of_counter(words, rules, differs));
        all
    }

    /// ETY-02: bits that a type never has are zero, of all counters; that they stay so is claimed of each.
    pub(super) fn zeros_of_types(&self, cycle: &mut Cycle) -> Lit {
        let reset = cycle.reset();
        let counters = self.signals.counters.iter().zip(&cycle.registers);
        let held = counters.flat_map(|(of, register)| {
            let never = self.contract.fixed.never(of.n);
            let bits = register.iter().enumerate();
            bits.filter(move |(bit, _)| never >> bit & 1 == 1)
        });
        circuit(|circuit| {
            let any = circuit.any(held.map(|(_, &bit)| bit));
            circuit.or(!any, reset)
        })
    }
}
