//! What happens to a design, cycle by cycle: random from a seed, or recorded in a file.
//!
//! A run is a pure function of its stimulus. `docs/stimulus.md` defines the file format, the random generator and its
//! profile.

mod error;
mod file;
mod generator;
mod hash;
mod profile;
mod random;
mod reader;
mod scripts;
mod shadow;
mod source;
mod types;
mod values;
mod writer;

#[cfg(test)]
mod mutants;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;

pub use error::StimulusError;
pub use file::{CHUNK_CYCLES, FILE_VERSION, Header, MAGIC, Origin};
pub use generator::{GENERATOR_VERSION, Generator};
pub use hash::{StimulusHash, StimulusHasher};
pub use profile::{Accesses, Phase, Phases, Profile, Resets, Types, Values};
pub use reader::Reader;
pub use source::{Checkpoint, Stimulus};
pub use writer::Writer;
