//! The plain contract, which explanations are made of, is the model for every threshold, edge and link at 4 bits that is
//! not reserved.

use std::path::Path;

use pmu_lockstep::dut::{Dut, Pulse, Stop, TraceUnavailable};
use pmu_lockstep::exhaust::{ExhaustError, Tally, exhaust, implementation, points};
use pmu_model::plain::{
    At, Broken, Mutant, Mutation, Operators, Plain, Relation, Right, Site, When,
};
use pmu_model::{CycleInput, CycleOutput, DutParameters};

/// The plain contract as a design.
struct Designed<O> {
    contract: Plain,
    operators: O,
}

impl<O: Operators + Send> Dut for Designed<O> {
    fn parameters(&self) -> DutParameters {
        DutParameters::of(&implementation())
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        for (input, output) in inputs.iter().zip(outputs) {
            *output = self.contract.step(&mut self.operators, input, 0);
        }
        Ok(())
    }

    fn trace_to(&mut self, _: &Path, _: u64) -> Result<(), TraceUnavailable> {
        Err(TraceUnavailable("it has no signals".into()))
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        Ok(())
    }

    fn pulse(&self) -> Pulse {
        Pulse::default()
    }
}

fn run(operators: impl Operators + Send) -> Result<Vec<Tally>, ExhaustError> {
    let implementation = implementation();
    let contract = Plain::new(&implementation).expect("possible");
    let mut design = Designed {
        contract,
        operators,
    };
    exhaust(&mut design, &implementation, &mut |_| ())
}

#[test]
fn th_20_to_th_28_are_the_same_for_every_configuration() {
    let tallies = run(Right::default()).expect("no difference on the way");
    assert_eq!(
        tallies.iter().map(|tally| tally.points).sum::<u64>(),
        points()
    );
    for tally in tallies {
        assert_eq!((tally.differ, &tally.first), (0, &None));
    }
}

#[test]
fn th_20_another_relation_differs() {
    let mutant = Mutant {
        site: Site::Condition,
        at: At::All,
        mutation: Mutation::Relation(Relation::Gt),
        when: When::Always,
        and: When::Always,
    };
    let ended = run(Broken::new(mutant));
    assert!(
        matches!(ended, Err(ExhaustError::Approach { .. })),
        "{ended:?}"
    );
}
