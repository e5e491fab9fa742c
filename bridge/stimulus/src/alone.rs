//! The model alone with generated stimulus: what a run takes that has no RTL.

use pmu_model::coverage::Coverage;
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Generator, StimulusError};

/// Cycles that are made at once.
const BATCH: usize = 1024;

/// What the next `cycles` of the model take. The random bytes are those of the generator's seed: there is no design to
/// take them from (DUT-61).
///
/// # Errors
/// An impossible implementation.
pub fn take(
    mut generator: Generator,
    implementation: &Implementation,
    cycles: u64,
) -> Result<Coverage, StimulusError> {
    let mut model = Model::new(implementation)?;
    let mut coverage = Coverage::new(implementation);
    let mut random = ChaCha8Rng::seed_from_u64(generator.seed());
    let mut inputs = vec![CycleInput::default(); BATCH];
    let mut bytes = vec![0; BATCH];
    let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
    let mut left = cycles;
    while left > 0 {
        let made = BATCH.min(usize::try_from(left).unwrap_or(BATCH));
        left -= made as u64;
        generator.fill(&mut inputs[..made]);
        random.fill_bytes(&mut bytes[..made]);
        for (input, &byte) in inputs[..made].iter().zip(&bytes) {
            model.step(input, byte, &mut output, &mut unknown, &mut coverage);
        }
    }
    Ok(coverage)
}
