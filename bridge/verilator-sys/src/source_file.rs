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

/// SHA-256 of a file's bytes in hexadecimal.
///
/// # Errors
/// It cannot be read.
pub fn content_hash(path: &Path) -> io::Result<String> {
    use sha2::{Digest, Sha256};
    if !std::fs::metadata(path)?.is_file() {
        // A pipe may have no end, or nobody who writes to it.
        let message = "a regular file was expected";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    io::copy(&mut file, &mut hash)?;
    let bytes = hash.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
