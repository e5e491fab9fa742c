//! Folders for what tests write.

use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder of this name, below cargo's folder for tests. It stays, to be looked at.
pub fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    // The first time there is none.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}
