//! The folder that the files of a run go to.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Failure;
use super::output::{failed, write_whole};
use crate::scratch::ScratchFile;

/// A folder for results. While it is open, no other command can open it.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The folder itself, locked. The system ends the lock with the process, however that ends.
    _lock: Option<Arc<File>>,
}

impl OutputFolder {
    /// Makes the folder, and checks that files can be written there, before a run is spent on it. Until it is dropped,
    /// it is for this command alone.
    ///
    /// # Errors
    /// It cannot be made or written, or another command writes to it.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let folder = Self::shared(path)?;
        Ok(Self {
            _lock: lock(path)?,
            ..folder
        })
    }

    /// The same, whether or not it is open: for what is left to be told when a command ends badly.
    ///
    /// # Errors
    /// It cannot be made or written.
    pub fn shared(path: &Path) -> Result<Self, Failure> {
        let check = || -> io::Result<()> {
            std::fs::create_dir_all(path)?;
            ScratchFile::new_in(path)?.write_all(&[0])
        };
        check().map_err(|error| {
            Failure::usage(format!(
                "{}: cannot be written: {error}; name another folder with --out",
                path.display()
            ))
        })?;
        Ok(Self {
            path: path.into(),
            _lock: None,
        })
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), Failure> {
        let path = self.file(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(&path, &error)),
            _ => Ok(()),
        }
    }

    /// Writes a file whole.
    ///
    /// # Errors
    /// It cannot be written; nothing is left under its name.
    pub fn write(&self, name: &str, contents: &str) -> Result<PathBuf, Failure> {
        let path = self.file(name);
        write_whole(&path, |out| out.write_all(contents.as_bytes()))?;
        Ok(path)
    }

    /// A place to let something else write a file, that gets its name by [`Draft::keep`].
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn draft(&self, name: &str) -> Result<Draft, Failure> {
        let path = self.file(name);
        let file = ScratchFile::new_in(&self.path).map_err(|error| failed(&path, &error))?;
        Ok(Draft { file, path })
    }
}

/// Locks a folder. Where the file system knows no locks of folders, there is none.
///
/// # Errors
/// Another command has it.
fn lock(path: &Path) -> Result<Option<Arc<File>>, Failure> {
    let Ok(folder) = File::open(path) else {
        return Ok(None);
    };
    match folder.try_lock() {
        Ok(()) => Ok(Some(Arc::new(folder))),
        Err(TryLockError::WouldBlock) => Err(Failure::usage(format!(
            "{}: expected a folder that nothing else writes to, found one that another lockstep command is using: wait \
             until that has ended, or name another folder with --out",
            path.display()
        ))),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

/// A file without its name yet.
pub struct Draft {
    file: ScratchFile,
    path: PathBuf,
}

impl Draft {
    /// Where to write now.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn keep(self) -> Result<PathBuf, Failure> {
        let kept = self.file.keep(&self.path);
        kept.map_err(|error| failed(&self.path, &error))?;
        Ok(self.path)
    }
}
