//! Stimulus of any source, as a run takes it.

use std::sync::Arc;

use pmu_model::CycleInput;

use super::{GENERATOR_VERSION, Generator, Origin, Reader, StimulusError};

/// Cycles after which a generator is saved anew: it is some KiB, which would be copied for every batch. To make that many
/// cycles again takes a quarter of a millisecond.
const SAVED_EVERY: u64 = 4096;

/// Where the cycles of a run come from.
#[derive(Clone, Debug)]
pub enum Stimulus {
    /// Made from a seed; it never ends.
    Generated {
        /// Makes the next cycles.
        generator: Box<Generator>,
        /// The generator as it was some cycles ago, which checkpoints share.
        saved: Arc<Generator>,
    },
    /// Read from a file.
    Recorded(Reader),
}

/// A position in some [`Stimulus`], from which its cycles can be had again.
#[derive(Clone, Debug)]
pub enum Checkpoint {
    /// The generator as it was in that cycle or before.
    Generated {
        /// The generator.
        saved: Arc<Generator>,
        /// The next cycle.
        cycle: u64,
    },
    /// The next cycle.
    Recorded(u64),
}

impl Checkpoint {
    /// Number of the cycle that comes next after a restore.
    pub fn cycle(&self) -> u64 {
        match self {
            Self::Generated { cycle, .. } | Self::Recorded(cycle) => *cycle,
        }
    }
}

impl Stimulus {
    /// The next cycles. How a run is cut into calls does not change them.
    ///
    /// # Returns
    /// How many: fewer than asked for only at the end of recorded stimulus, 0 when there are none left.
    ///
    /// # Errors
    /// Those of [`Reader::fill`].
    pub fn fill(&mut self, cycles: &mut [CycleInput]) -> Result<usize, StimulusError> {
        match self {
            Self::Generated { generator, .. } => {
                generator.fill(cycles);
                Ok(cycles.len())
            }
            Self::Recorded(reader) => reader.fill(cycles),
        }
    }

    /// The position, for [`Stimulus::restore`].
    pub fn checkpoint(&mut self) -> Checkpoint {
        match self {
            Self::Generated { generator, saved } => {
                let cycle = generator.cycle();
                if cycle - saved.cycle() >= SAVED_EVERY {
                    *saved = Arc::new((**generator).clone());
                }
                Checkpoint::Generated {
                    saved: Arc::clone(saved),
                    cycle,
                }
            }
            Self::Recorded(reader) => Checkpoint::Recorded(reader.cycle()),
        }
    }

    /// Goes back to a position of this stimulus.
    ///
    /// # Errors
    /// A checkpoint of another kind of stimulus, or beyond its end.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), StimulusError> {
        match (&mut *self, checkpoint) {
            (Self::Generated { generator, saved }, Checkpoint::Generated { saved: at, cycle }) => {
                *saved = Arc::clone(at);
                **generator = (**at).clone();
                generator.skip(cycle - at.cycle());
                Ok(())
            }
            (Self::Recorded(reader), Checkpoint::Recorded(cycle)) => reader.seek(*cycle),
            _ => Err(StimulusError::Checkpoint {
                description: self.description(),
            }),
        }
    }

    /// Leaves out the next cycles.
    ///
    /// # Errors
    /// Recorded stimulus that ends before.
    pub fn skip(&mut self, cycles: u64) -> Result<(), StimulusError> {
        match self {
            Self::Generated { generator, .. } => {
                generator.skip(cycles);
                Ok(())
            }
            Self::Recorded(reader) => reader.seek(reader.cycle() + cycles),
        }
    }

    /// Number of the next cycle.
    pub fn cycle(&self) -> u64 {
        match self {
            Self::Generated { generator, .. } => generator.cycle(),
            Self::Recorded(reader) => reader.cycle(),
        }
    }

    /// How many cycles there are; `None` if they never end.
    pub fn cycles(&self) -> Option<u64> {
        match self {
            Self::Generated { .. } => None,
            Self::Recorded(reader) => Some(reader.header().cycles),
        }
    }

    /// The seed that the cycles were made from, by this run or before it was recorded.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Generated { generator, .. } => Some(generator.seed()),
            Self::Recorded(reader) => reader.header().origin.as_ref().map(|origin| origin.seed),
        }
    }

    /// What the cycles were made from, by this run or before they were recorded.
    pub fn origin(&self) -> Option<Origin> {
        match self {
            Self::Generated { generator, .. } => Some(Origin::of(generator)),
            Self::Recorded(reader) => reader.header().origin.clone(),
        }
    }

    /// The stimulus in reports.
    pub fn description(&self) -> String {
        match self {
            Self::Generated { generator, .. } => {
                format!(
                    "seed {}, generator version {GENERATOR_VERSION}",
                    generator.seed()
                )
            }
            Self::Recorded(reader) => {
                format!(
                    "{}, {} cycles",
                    reader.path().display(),
                    reader.header().cycles
                )
            }
        }
    }
}

impl From<Generator> for Stimulus {
    fn from(generator: Generator) -> Self {
        Self::Generated {
            saved: Arc::new(generator.clone()),
            generator: Box::new(generator),
        }
    }
}

impl From<Reader> for Stimulus {
    fn from(reader: Reader) -> Self {
        Self::Recorded(reader)
    }
}
