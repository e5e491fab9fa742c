//! Files and folders of a cache that this process uses: held by a shared lock until it ends, so that nobody prunes them.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

static HELD: Mutex<BTreeMap<PathBuf, File>> = Mutex::new(BTreeMap::new());

/// Holds what is at `path` until this process ends, and notes that it was used now.
///
/// # Returns
/// Whether it is there, and nobody is removing it.
pub fn hold(path: &Path) -> bool {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    if held.get(path).is_some_and(|file| is_at(file, path)) {
        return true;
    }
    let Some(file) = lock(path, File::try_lock_shared) else {
        return false;
    };
    // A cache may be one that only others write.
    let _ = file.set_modified(SystemTime::now());
    held.insert(path.to_owned(), file);
    true
}

/// Takes what is at `path` for this process alone, to remove it; `None` if it is in use, or gone.
#[cfg(feature = "shared")]
pub(crate) fn seize(path: &Path) -> Option<File> {
    lock(path, File::try_lock)
}

fn lock(path: &Path, lock: impl Fn(&File) -> Result<(), std::fs::TryLockError>) -> Option<File> {
    let file = OpenOptions::new().read(true).open(path).ok()?;
    match lock(&file) {
        Err(std::fs::TryLockError::WouldBlock) => None,
        // Where there are no locks, nobody can know.
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => is_at(&file, path).then_some(file),
    }
}

/// Whether `path` leads to `file` still.
fn is_at(file: &File, path: &Path) -> bool {
    let id = |found: std::fs::Metadata| (found.dev(), found.ino());
    let [this, there] = [file.metadata(), path.metadata()].map(|found| found.map(id).ok());
    this.is_some() && this == there
}

/// Lets go what is held below `folder`, as the end of this process does.
#[cfg(test)]
pub(crate) fn let_go(folder: &Path) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    held.retain(|path, _| !path.starts_with(folder));
}
