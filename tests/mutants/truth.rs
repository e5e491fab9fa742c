//! Whether a cause that is named is true: the mistake and the design do the same on stimulus that neither was made for.

use pmu_lockstep::dut::BATCH;
use pmu_lockstep::hypotheses::Hypothesis;
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_model::{CycleInput, CycleOutput, Implementation};

use crate::Error;
use crate::build::Design;

/// Cycles from a reset on, and how often: a million in all, of which little is kept at a time.
const STRETCH: usize = 65_536;
const STRETCHES: u64 = 16;

/// Runs a hypothesis and a mutant side by side.
///
/// # Returns
/// The first cycle in which they differ.
///
/// # Errors
/// The mutant cannot be run.
pub fn first_miss(
    hypothesis: &Hypothesis,
    design: &Design,
    implementation: &Implementation,
    seed: u64,
) -> Result<Option<u64>, Error> {
    let mut inputs = vec![CycleInput::default(); STRETCH];
    let mut rtl = vec![CycleOutput::default(); STRETCH];
    for stretch in 0..STRETCHES {
        // The same design anew: what a reset leaves is that of the mutant, and of the mistake, alike.
        let mut dut = design.instance()?;
        let other = seed.wrapping_mul(STRETCHES).wrapping_add(stretch);
        Generator::new(other, implementation, &Profile::default())?.fill(&mut inputs);
        inputs[0] = CycleInput::reset();
        for (inputs, rtl) in inputs.chunks(BATCH).zip(rtl.chunks_mut(BATCH)) {
            dut.run(inputs, rtl).map_err(|stop| stop.to_string())?;
        }
        if let Some(miss) = hypothesis.first_miss(implementation, &inputs, &rtl) {
            return Ok(Some(stretch * STRETCH as u64 + miss as u64));
        }
    }
    Ok(None)
}
