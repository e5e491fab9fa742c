//! Runs of a design: what stimulus that a solver found, or any other, comes to.

use std::path::Path;

use lockstep_engine::dut::Dut;
use lockstep_engine::lockstep::engine::Control;
use lockstep_engine::lockstep::{Lockstep, Outcome};
use lockstep_stimulus::{Reader, Stimulus, StimulusError, Writer};
use pmu_model::{CycleInput, Implementation};
use thiserror::Error;

/// A design could not be run.
#[derive(Debug, Error)]
pub enum RunError {
    /// Stimulus cannot be read, made or written.
    #[error(transparent)]
    Stimulus(#[from] Box<StimulusError>),
    /// The implementation is impossible.
    #[error("{0}")]
    Lockstep(String),
}

/// What a run of at most so many cycles comes to.
///
/// # Errors
/// The implementation is impossible, or the stimulus cannot be read.
pub fn run(
    implementation: &Implementation,
    dut: Box<dyn Dut>,
    stimulus: impl Into<Stimulus>,
    most: u64,
) -> Result<Outcome, RunError> {
    let run = Lockstep::new(implementation, dut, stimulus.into(), 1);
    let mut run = run.map_err(|error| RunError::Lockstep(error.to_string()))?;
    let ended = run.run(most, &Control::default(), |_| Ok::<_, StimulusError>(()));
    Ok(ended.map_err(Box::new)?)
}

/// The same with cycles that become the file `path`.
///
/// # Errors
/// The file cannot be written; those of [`run`].
pub fn replay(
    implementation: &Implementation,
    dut: Box<dyn Dut>,
    cycles: &[CycleInput],
    path: &Path,
) -> Result<Outcome, RunError> {
    let written = Writer::create(path, implementation, None).and_then(|mut writer| {
        writer.append(cycles)?;
        writer.finish()
    });
    written.map_err(Box::new)?;
    let recorded = Reader::open(path).map_err(Box::new)?;
    run(implementation, dut, recorded, u64::MAX)
}
