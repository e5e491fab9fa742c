//! What happens to a design, cycle by cycle: random from a seed, or recorded in a file.
//!
//! A run is a pure function of its stimulus. `docs/stimulus.md` defines the file format, the random generator and its
//! profile.

mod access;
pub mod alone;
mod audit;
mod context;
mod contract;
mod cycles;
mod error;
mod facts;
mod file;
mod generator;
mod hash;
pub mod implementation_file;
mod profile;
mod queue;
mod random;
mod reader;
mod registers;
mod restriction;
mod sampling;
mod sequence;
mod shadow;
mod source;
mod spmu;
pub mod steering;
mod threshold;
mod types;
mod writer;

#[cfg(test)]
mod audited_rtl;
#[cfg(test)]
mod coverage;
#[cfg(test)]
mod mutants;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod tests;

pub use contract::{ContractCheck, Violation, has_state};
pub use error::StimulusError;
pub use file::{CHUNK_CYCLES, FILE_VERSION, Header, Layout, MAGIC, Origin};
pub use generator::{GENERATOR_VERSION, Generator};
pub use hash::{StimulusHash, StimulusHasher};
pub use profile::{
    AccessAccesses, AccessArea, AccessKinds, Accesses, Areas, AuditAccesses, AuditArea,
    Completions, CyclesAccesses, CyclesArea, CyclesKinds, Named, Phase, Phases, Profile, Rates,
    Resets, SpeAccesses, SpeArea, SpmuAccesses, SpmuArea, Types, Values,
};
pub use reader::Reader;
pub use source::{Checkpoint, Stimulus};
pub use writer::Writer;
