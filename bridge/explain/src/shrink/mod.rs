//! Shrinking of stimulus that fails: fewer cycles, fewer accesses, less that is driven, smaller numbers, until nothing
//! more can be taken away and the same field still differs.
//!
//! Each attempt runs design and model from a reset. What is legal stays legal: an attempt that the contract excludes is not
//! run, and nothing becomes UNKNOWN that was known.

mod accesses;
mod bench;
mod cycles;
mod failing;
mod json;
mod numbers;
mod parts;
mod regression;
mod sampling;
mod search;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pmu_model::{AccessKind, CycleInput, Implementation};

use lockstep_engine::dut::Stop;
use lockstep_stimulus::{StimulusError, Violation};

pub use bench::{Bench, Failing, Make, Next, Ran};
pub use failing::{Stretch, explaining, failing_stretch};
pub use json::{Shrunk, shrunk};
pub use regression::regression_test;

/// Register writes that are taken in at once. A case with more may be longer, if it then has fewer.
const MANY: usize = 5;
/// Cycles of a case that may be shorter for more writes.
const LONG: usize = 30;

/// What a reduction listens to and shows while it goes on.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// Set from outside to end with the best so far.
    pub interrupted: Arc<AtomicBool>,
    /// Cycles that have been taken away.
    pub removed: Arc<AtomicU64>,
}

/// Stimulus that cannot be shrunk.
#[derive(Debug, thiserror::Error)]
pub enum ShrinkError {
    /// Design and model agree on it.
    #[error(
        "the stimulus does not fail: RTL and model agree in all of its {cycles} cycles; name one that diverges with this \
         RTL, such as `lockstep run --record FILE` leaves"
    )]
    Agrees {
        /// Cycles of the stimulus.
        cycles: u64,
    },
    /// Run again on its own, from its first cycle, the stimulus does not fail.
    #[error(
        "a new instance of the design does not diverge in {field} in cycle {cycle} again: it depends on something else \
         than its inputs, and no part of the stimulus can be blamed"
    )]
    NotReproduced {
        /// The field that differed.
        field: String,
        /// The cycle.
        cycle: u64,
    },
    /// The design stopped.
    #[error("the design stopped before it diverged: {0}")]
    Stop(#[from] Stop),
    /// Another instance of the design cannot be had.
    #[error("{0}")]
    Design(String),
    /// The stimulus cannot be read.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The contract excludes a cycle.
    #[error("{0}; the contract never drives it: a design need not get it right")]
    Excluded(Box<Violation>),
    /// The user ended it before a divergence was found.
    #[error("interrupted before a divergence was found: nothing was written")]
    Interrupted,
}

/// The smallest failing stimulus that was found.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The cycles, a reset first and the divergent one last.
    pub cycles: Vec<CycleInput>,
    /// How they fail.
    pub failing: Failing,
    /// Runs of design and model that it took.
    pub trials: u64,
    /// Whether nothing more can be taken away; else the reduction was interrupted.
    pub minimal: bool,
}

impl Reduced {
    /// Register writes among the cycles.
    pub fn writes(&self) -> usize {
        writes(&self.cycles)
    }
}

/// Register writes of a stimulus.
pub fn writes(cycles: &[CycleInput]) -> usize {
    cycles
        .iter()
        .filter(|input| AccessKind::from_code(input.access_kind).is_write())
        .count()
}

/// Takes everything away from `cycles` that the divergence in `failing` does not need. They begin with a reset.
///
/// # Errors
/// The design stops, cannot be had again, or does not fail from the first cycle on.
pub fn shrink(
    bench: &mut Bench<'_>,
    implementation: &Implementation,
    cycles: Vec<CycleInput>,
    field: &str,
    watch: &Watch,
) -> Result<Reduced, ShrinkError> {
    bench.end_with(&watch.interrupted);
    let mut search = search::Search::new(bench, cycles, field, watch)?;
    cycles::rest(&mut search)?;
    let mut minimal = false;
    while !minimal && !watch.interrupted.load(Ordering::Relaxed) {
        let before = search.accepted();
        cycles::remove(&mut search)?;
        parts::rest(&mut search, implementation)?;
        numbers::lower(&mut search)?;
        cycles::merge(&mut search)?;
        cycles::skip(&mut search, implementation)?;
        accesses::unite(&mut search)?;
        accesses::remove_pairs(&mut search)?;
        sampling::canonical(&mut search, implementation)?;
        minimal = search.accepted() == before && !search.is_over();
    }
    Ok(search.finish(minimal))
}
