//! Capsules that cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use super::FORMAT;

/// A capsule that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CapsuleError {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It is something else.
    #[error("{}: expected a capsule of `lockstep merge` (.tar.zst), found {found}", path.display())]
    Foreign {
        /// File.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// It is not whole.
    #[error("{}: the capsule is cut or damaged: {why}; copy it again, or merge the results again", path.display())]
    Damaged {
        /// File.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// It is of another version.
    #[error("{}: expected a capsule of format {FORMAT}, found format {found}: use the lockstep that wrote it", path.display())]
    Format {
        /// File.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
}

impl CapsuleError {
    /// A file cannot be read.
    pub(super) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Read {
            path: path.into(),
            source,
        }
    }

    /// A file cannot be written.
    pub(super) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Write {
            path: path.into(),
            source,
        }
    }
}
