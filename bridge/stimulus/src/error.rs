//! What can be wrong with stimulus. Each message says what was expected, what was found, where, and what to do.

use std::io;
use std::path::PathBuf;

use pmu_model::ImplementationError;

use super::Violation;

/// Stimulus that cannot be made, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StimulusError {
    /// See [`ImplementationError`].
    #[error("[stimulus] implementation: {0}")]
    Implementation(#[from] ImplementationError),
    /// A profile that is no profile, or cannot be drawn from.
    #[error("[stimulus] profile: {0}")]
    Profile(String),
    /// The file cannot be opened or read.
    #[error("[stimulus] {}: cannot be read: {source}; check the path and its permissions", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("[stimulus] {}: cannot be written: {source}; {}; no file was left there", path.display(), write_advice(source))]
    Write {
        /// The file as it was to be named.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Not a stimulus file.
    #[error(
        "[stimulus] {}: expected a stimulus file, which begins with {:?}, found {found}; name a file made by `lockstep`, or give a seed instead",
        path.display(),
        String::from_utf8_lossy(super::file::MAGIC)
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it begins with.
        found: String,
    },
    /// A version that this program does not know.
    #[error("[stimulus] {}: expected {what} version {expected}, found {found}; {advice}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Which of the versions in the header.
        what: &'static str,
        /// What this program reads.
        expected: u16,
        /// What the file has.
        found: u16,
        /// What to do.
        advice: &'static str,
    },
    /// The header contradicts itself.
    #[error("[stimulus] {}: header: expected {expected}, found {found}; the file is damaged, make or copy it again", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What the format demands.
        expected: &'static str,
        /// What the file has.
        found: String,
    },
    /// The file is shorter or longer than its header says.
    #[error(
        "[stimulus] {}: expected {announced} cycles in {expected_bytes} bytes, found {complete} complete cycles in {found_bytes} bytes; the file is {}, make or copy it again",
        path.display(),
        if found_bytes < expected_bytes { "truncated" } else { "too long" }
    )]
    Length {
        /// The file.
        path: PathBuf,
        /// Cycles that the header announces.
        announced: u64,
        /// Cycles that are there in full.
        complete: u64,
        /// Bytes that the file should have.
        expected_bytes: u64,
        /// Bytes that it has.
        found_bytes: u64,
    },
    /// A chunk's bytes are not those that were written.
    #[error(
        "[stimulus] {}: cycles {first} to {last}: expected checksum {expected:016x}, found {found:016x}; the file is damaged, make or copy it again",
        path.display()
    )]
    Checksum {
        /// The file.
        path: PathBuf,
        /// First cycle of the chunk.
        first: u64,
        /// Last cycle of the chunk.
        last: u64,
        /// The checksum in the file.
        expected: u64,
        /// The checksum of the bytes.
        found: u64,
    },
    /// The cycles are not those of the content hash.
    #[error(
        "[stimulus] {}: expected content hash {expected}, found {found}; the file is damaged, make or copy it again",
        path.display()
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// The hash in the header.
        expected: super::StimulusHash,
        /// The hash of the cycles.
        found: super::StimulusHash,
    },
    /// A cycle that the contract excludes.
    #[error(
        "[stimulus] {}: {violation}; the contract never drives it, so that a difference after it says nothing about the design: \
         correct the program that made it, `lockstep stimulus check` lists all of it",
        path.display()
    )]
    Excluded {
        /// The file.
        path: PathBuf,
        /// What is excluded.
        violation: Box<Violation>,
    },
    /// A cycle beyond the end.
    #[error("[stimulus] {}: expected a cycle up to {cycles}, found {cycle}; choose one that the file has", path.display())]
    Beyond {
        /// The file.
        path: PathBuf,
        /// The cycle asked for.
        cycle: u64,
        /// Cycles of the file.
        cycles: u64,
    },
    /// A checkpoint of other stimulus.
    #[error(
        "[stimulus] {description}: expected a checkpoint of this stimulus, found one of another kind; restore the stimulus that it was taken from"
    )]
    Checkpoint {
        /// The stimulus.
        description: String,
    },
}

fn write_advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "free space there, or choose another folder"
        }
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "make the folder first",
        io::ErrorKind::IsADirectory | io::ErrorKind::Other => "name a file",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "choose a folder that you may write to"
        }
        _ => "check the path, its permissions and the space left",
    }
}
