//! Ports: that the design takes what it is given, and shows nothing where there is nothing to be shown.

use crate::cycle::Cycle;
use crate::symbol::circuit;

use super::{Difference, Prover};

/// The claim that CycleInput is what the port had.
pub const INPUT: &str = "what is taken of the input port";

impl Prover<'_> {
    /// What becomes CycleInput, and the bytes of CycleOutput that are zero.
    pub(super) fn of_ports(&self, cycle: &mut Cycle) -> Vec<Difference> {
        let (driven, taken) = cycle.taken();
        let zeros = cycle.zeros();
        circuit(|circuit| {
            let legal = self.contract.is_legal_alone(circuit, &driven);
            let differs = circuit.differ(&driven, &taken);
            let any = circuit.any(driven.iter().copied());
            let input = Difference::of_all(INPUT, &["DUT-01"], differs);
            let shown = circuit.any(zeros);
            vec![
                input.looked_at([legal]).may_be([any]),
                Difference::of_all("the bytes of CycleOutput that are zero", &["DUT-02"], shown),
            ]
        })
    }
}
