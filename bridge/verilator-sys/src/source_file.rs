//! Files as they were when something was made of them.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// A file as it was when a library was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Absolute path.
    pub path: PathBuf,
    /// [`content_hash`] of it.
    pub hash: String,
}

/// Opens a file to read it.
///
/// # Errors
/// It cannot be opened, or is no regular file: a pipe may have no end, or nobody who writes to it.
pub fn open(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        let message = "a regular file was expected";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    File::open(path)
}

/// SHA-256 of a file's bytes in hexadecimal.
///
/// # Errors
/// It cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    use sha2::{Digest, Sha256};
    let mut file = open(path)?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut hash)?;
    let bytes = hash.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
