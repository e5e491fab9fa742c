//! The side of the process that is watched.

use std::env;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{BLACK_BOX, FOLDER, PRINTED, black_box};

static WATCHED_BY: OnceLock<PathBuf> = OnceLock::new();

/// A watcher that cannot be reached.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: expected the folder of the process that watches this one, which {FOLDER} names: {source}; unset {FOLDER}",
    folder.display()
)]
pub struct WorkerError {
    folder: PathBuf,
    source: io::Error,
}

/// Whether this process was started to be watched.
pub fn is_worker() -> bool {
    env::var_os(FOLDER).is_some()
}

/// Makes this process one that is watched, if it was started as such. It ends with the watcher.
///
/// # Errors
/// The watcher's folder is not there.
pub fn enter() -> Result<(), WorkerError> {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return Ok(());
    };
    #[cfg(target_os = "linux")]
    // A watcher that was killed has nobody else to end its worker. Where that is not to be had, the worker ends by itself.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let error = |source| WorkerError {
        folder: folder.clone(),
        source,
    };
    fs::read_dir(&folder).map_err(error)?;
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(folder.join(BLACK_BOX));
    match file {
        Ok(file) => black_box::open(&file).map_err(error)?,
        // The watcher had no room for it.
        Err(source) if source.kind() == io::ErrorKind::NotFound => {}
        Err(source) => return Err(error(source)),
    }
    let _ = WATCHED_BY.set(folder);
    Ok(())
}

/// A file that the watcher reads if this process dies, for what designs print.
pub fn printed() -> Option<PathBuf> {
    folder().map(|folder| folder.join(PRINTED))
}

/// The watcher's folder, if this process is watched.
pub(super) fn folder() -> Option<&'static Path> {
    WATCHED_BY.get().map(PathBuf::as_path)
}
