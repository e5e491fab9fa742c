//! Why a GHW dump is not read.

use std::io;

/// What is wrong with a GHW file.
#[derive(Debug, thiserror::Error)]
pub enum GhwError {
    /// The file cannot be read.
    #[error("[ghw] expected to read on, found an input error: {0}")]
    Read(#[from] io::Error),
    /// The library cannot decode it.
    #[error(
        "[ghw] expected {expected}, found {found}; the file is cut or damaged, or its simulation has not ended: write it anew"
    )]
    Damaged {
        /// What should be there.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The library does not know a kind of type.
    #[error(
        "[ghw] expected types that are read here, found one that is not ({0}: of physical types, only `time` is, and \
        arrays have one dimension); have GHDL write a VCD of the same run (`--vcd=FILE`)"
    )]
    Unknown(String),
    /// Its declarations are none that a VCD can have.
    #[error("[ghw] expected {expected}, found {found} in the hierarchy")]
    Hierarchy {
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
}

impl From<GhwError> for lockstep_vcd::Error {
    fn from(error: GhwError) -> Self {
        Self::Other(Box::new(error))
    }
}
