//! Why an FST dump is not read.

use std::io;

/// What is wrong with an FST file.
#[derive(Debug, thiserror::Error)]
pub enum FstError {
    /// The file cannot be read.
    #[error("[fst] expected to read on, found an input error: {0}")]
    Read(#[from] io::Error),
    /// There is no room for what is in it.
    #[error(
        "[fst] expected room for {length} bytes of a compressed file, found none: {source}; name another folder with \
         TMPDIR"
    )]
    Unpack {
        /// Bytes when it is unpacked.
        length: u64,
        /// Why they cannot be written.
        source: io::Error,
    },
    /// Its blocks are not as they should be.
    #[error(
        "[fst] expected {expected}, found {found} (byte {offset}); the file is cut or damaged, or its writer has not \
         closed it: write it anew"
    )]
    Block {
        /// What should stand there.
        expected: &'static str,
        /// What stands there.
        found: String,
        /// Byte of the block.
        offset: u64,
    },
    /// Its declarations are none.
    #[error(
        "[fst] expected {expected}, found {found} in the hierarchy; the file is damaged: write it anew"
    )]
    Hierarchy {
        /// What should stand there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// The library cannot decode it.
    #[error(
        "[fst] expected compressed values after tick {after}, found others: {found}; the file is damaged: write it anew"
    )]
    Values {
        /// The last tick that was read.
        after: u64,
        /// What the library says.
        found: String,
    },
}

impl From<FstError> for lockstep_vcd::Error {
    fn from(error: FstError) -> Self {
        Self::Other(Box::new(error))
    }
}
