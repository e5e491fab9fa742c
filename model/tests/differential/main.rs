//! The model against a plain one, made of the models of the areas, one counter after another, on pseudo-random
//! inputs and implementations: what the fast paths make of a cycle must be what the rules say.

mod plain;
mod random;

use plain::Plain;
use pmu_model::coverage::Coverage;
use pmu_model::implementation::Knobs;
use pmu_model::plain::Right;
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, NoTracer, Unknown};
use random::Random;

/// Cycles between two resets.
const STRETCH: u64 = 1500;

/// What is known of `output`.
fn known(output: &CycleOutput, unknown: &Unknown) -> CycleOutput {
    let mut known = *output;
    for (n, increment) in known.increment.iter_mut().enumerate() {
        if unknown.increments >> n & 1 == 1 {
            *increment = 0;
        }
    }
    known.access_data &= !unknown.access_data;
    if unknown.spe {
        let CycleOutput {
            increment,
            access_data,
            access_outcome,
            trap_iss,
            ..
        } = known;
        known = CycleOutput {
            increment,
            access_data,
            access_outcome,
            trap_iss,
            ..CycleOutput::default()
        };
    }
    known
}

fn compare(seed: u64, implementation: &Implementation, cycles: u64) {
    let mut plain = Plain::new(implementation);
    compare_with(seed, implementation, cycles, |input, byte| {
        plain.step(input, byte)
    });
}

/// The model against what `step` makes of a cycle.
fn compare_with(
    seed: u64,
    implementation: &Implementation,
    cycles: u64,
    mut step: impl FnMut(&CycleInput, u8) -> CycleOutput,
) {
    let mut random = Random::new(seed);
    let mut model = Model::new(implementation).expect("a legal implementation");
    let mut unknowns = 0;
    for cycle in 0..cycles {
        let input = if cycle % STRETCH == 0 {
            CycleInput::reset()
        } else {
            random.input(implementation, cycle % STRETCH)
        };
        let byte = random.next() as u8 >> random.below(8);
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        model.step(&input, byte, &mut output, &mut unknown, &mut NoTracer);
        let expected = step(&input, byte);
        assert_eq!(
            known(&output, &unknown),
            known(&expected, &unknown),
            "seed {seed}, cycle {cycle}: {input:?} {implementation:?}"
        );
        unknowns += u64::from(!unknown.is_none());
    }
    assert!(unknowns < cycles / 4, "{unknowns} of {cycles}");
}

#[test]
fn the_default_implementation() {
    let mut implementation = Implementation::default();
    implementation.knobs.compare_reserved = true;
    for seed in 1..8 {
        compare(seed, &implementation, 6 * STRETCH);
    }
}

#[test]
fn implementations_at_random() {
    for seed in 100..220 {
        let mut random = Random::new(seed);
        let implementation = random.implementation();
        compare(seed, &implementation, STRETCH);
    }
}

/// The contract that mutants are made of.
#[test]
fn the_contract_with_sites() {
    let compare = |seed: u64, implementation: &Implementation, cycles: u64| {
        let mut plain = pmu_model::plain::Plain::new(implementation).expect("legal");
        let mut right = Right::default();
        compare_with(seed, implementation, cycles, |input, byte| {
            plain.step(&mut right, input, byte)
        });
    };
    let mut implementation = Implementation::default();
    implementation.knobs.compare_reserved = true;
    for seed in 1..8 {
        compare(seed, &implementation, 6 * STRETCH);
    }
    for seed in 100..220 {
        let mut implementation = Random::new(seed).implementation();
        let default = Knobs::default();
        implementation.knobs = Knobs {
            access_model: default.access_model,
            reset_value: default.reset_value,
            spe: default.spe,
            cycles: default.cycles,
            ..implementation.knobs
        };
        assert!(pmu_model::plain::Plain::stands_for(&implementation));
        compare(seed, &implementation, STRETCH);
    }
}

/// The same cycles by `run`, with whatever vector instructions the machine has, as by `step`.
#[test]
fn run_is_step() {
    for seed in 300..310 {
        let mut random = Random::new(seed);
        let implementation = random.implementation();
        let inputs: Vec<_> = (0..STRETCH)
            .map(|cycle| random.input(&implementation, cycle))
            .collect();
        let bytes: Vec<_> = inputs.iter().map(|_| random.next() as u8).collect();
        let mut model = Model::new(&implementation).expect("a legal implementation");
        let mut other = model.clone();
        let mut outputs = vec![CycleOutput::default(); inputs.len()];
        let mut unknowns = vec![Unknown::default(); inputs.len()];
        model.run(&inputs, &bytes, &mut outputs, &mut unknowns);
        for (cycle, input) in inputs.iter().enumerate() {
            let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
            other.step(
                input,
                bytes[cycle],
                &mut output,
                &mut unknown,
                &mut NoTracer,
            );
            assert_eq!(
                (outputs[cycle], unknowns[cycle]),
                (output, unknown),
                "{cycle}"
            );
        }
    }
}

/// Random cycles take every rule but a few, and reach points that the implementation is said to be able to reach.
#[test]
fn coverage_of_random_cycles() {
    let implementation = Implementation::default();
    let mut coverage = Coverage::new(&implementation);
    for seed in 400..440 {
        let mut random = Random::new(seed);
        let mut model = Model::new(&implementation).expect("a legal implementation");
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        for cycle in 0..8 * STRETCH {
            let input = match cycle % STRETCH {
                0 => CycleInput::reset(),
                since_reset => random.input(&implementation, since_reset),
            };
            let byte = random.next() as u8 >> random.below(8);
            model.step(&input, byte, &mut output, &mut unknown, &mut coverage);
        }
    }
    let never: Vec<_> = coverage.rules().filter(|&(_, count)| count == 0).collect();
    // The cycles after a reset write registers, and INTERVAL is never 0.
    let expected = ["SPE-29", "DUT-11", "DUT-62"].map(|id| (id, 0));
    assert_eq!(never, expected);
    // What only stimulus that looks for it takes has a command of its own: `lockstep stimulus audit`.
    let crosses = coverage.crosses();
    for (name, points) in crosses.filter(|(name, _)| !name.starts_with("audit: ")) {
        let never: Vec<_> = points.iter().filter(|(_, count)| *count == 0).collect();
        let few = if name == "threshold" {
            points.len() / 20
        } else {
            0
        };
        assert!(never.len() <= few, "{name}: {never:?}");
    }
}
