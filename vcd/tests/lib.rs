//! Where the dumps of tests are.

use std::path::{Path, PathBuf};

/// The folder of the repository that has them.
pub fn dumps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vcd")
}
