//! The folder that the files of a run go to.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::output::{failed, note, write_whole};
use super::{DEFAULT_OUT, Failure};
use crate::scratch::{ScratchFile, is_no_place};

/// The part of a folder for results that a design may write to.
pub const DESIGN: &str = "design";

/// A locked folder, if its file system knows locks, or why there is none.
type Held = Result<Option<File>, String>;

/// A folder for results, made when there is one. From then on, and from the start if it is there, no other command can
/// have it.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    path: PathBuf,
    /// The folder itself, locked, once it is there, or why this command cannot have it. The system ends the lock with the
    /// process, however that ends.
    lock: Option<Arc<OnceLock<Held>>>,
}

impl OutputFolder {
    /// Checks that the folder can be made and files be written there, before a run is spent on it, and leaves nothing. The
    /// usual folder may be in a place that cannot be written: a command that has nothing to leave does not need it.
    ///
    /// # Errors
    /// There can be no such folder, or another command writes to it, or it was asked for and cannot be written.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let folder = Self {
            path: path.into(),
            lock: Some(Arc::default()),
        };
        if path.is_symlink() && !path.exists() {
            return Err(Failure::usage(format!(
                "{}: expected a folder, found a link to nothing; name another folder with --out",
                path.display()
            )));
        }
        let there = path.ancestors().find(|part| part.exists());
        let probe = ScratchFile::new_in(there.unwrap_or(Path::new(".")));
        match probe.and_then(|mut probe| probe.write_all(&[0])) {
            Ok(()) => {}
            Err(error) if path == Path::new(DEFAULT_OUT) && !is_no_place(&error) => note(&format!(
                "{DEFAULT_OUT}: cannot be written: {error}; a report would be told here alone, name a folder for it with \
                 --out"
            )),
            Err(error) => return Err(folder.failed(&error)),
        }
        if path.is_dir() {
            folder.make()?;
        }
        Ok(folder)
    }

    /// The folder, whether or not another command has it: for what is left to be told when a command ends badly.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn shared(path: &Path) -> Result<Self, Failure> {
        let folder = Self {
            path: path.into(),
            lock: None,
        };
        folder.make()?;
        Ok(folder)
    }

    /// Makes the folder, if it is not there, for this command alone.
    ///
    /// # Errors
    /// It cannot be made, or another command writes to it.
    pub fn make(&self) -> Result<(), Failure> {
        fs::create_dir_all(&self.path).map_err(|error| self.failed(&error))?;
        match self
            .lock
            .as_ref()
            .map(|held| held.get_or_init(|| lock(&self.path)))
        {
            // What one file of a report cannot have, the others do not get when another command has ended.
            Some(Err(message)) => Err(Failure::usage(message)),
            _ => Ok(()),
        }
    }

    /// Makes the part of the folder that a design may write to, if the folder was asked for, and can be made: where there
    /// was none when the design was loaded, it cannot. The files of this command are not there: a design could put links
    /// and pipes in their places. Left empty, it is removed when the result is dropped. The usual folder is for
    /// divergences alone, and runs that agree may share a place.
    pub fn offer(&self) -> Offered {
        if self.path != Path::new(DEFAULT_OUT) {
            let mut new = vec![self.path.join(DESIGN), self.path.clone()];
            new.retain(|path| !path.exists());
            // A design that does not write there does not need it.
            let _ = fs::create_dir_all(self.path.join(DESIGN));
            offered().append(&mut new);
        }
        Offered
    }

    fn failed(&self, error: &io::Error) -> Failure {
        let path = self.path.display();
        let text = format!("{path}: cannot be written: {error}; name another folder with --out");
        match is_no_place(error) {
            true => Failure::usage(text),
            false => Failure::infrastructure(text),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
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
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let text = format!("{}: cannot be removed: {error}", path.display());
                Err(Failure::infrastructure(text))
            }
            _ => Ok(()),
        }
    }

    /// Writes a file whole.
    ///
    /// # Errors
    /// It cannot be written; nothing is left under its name.
    pub fn write(&self, name: &str, contents: &str) -> Result<PathBuf, Failure> {
        self.make()?;
        let path = self.file(name);
        write_whole(&path, |out| out.write_all(contents.as_bytes()))?;
        Ok(path)
    }

    /// A new file of that name, in place of what has it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn empty(&self, name: &str) -> Result<PathBuf, Failure> {
        self.make()?;
        self.remove(name)?;
        let path = self.file(name);
        File::create_new(&path).map_err(|error| failed(&path, &error))?;
        Ok(path)
    }

    /// A place to let something else write a file, that gets its name by [`Draft::keep`].
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn draft(&self, name: &str) -> Result<Draft, Failure> {
        self.make()?;
        let path = self.file(name);
        let file = ScratchFile::new_in(&self.path).map_err(|error| failed(&path, &error))?;
        Ok(Draft { file, path })
    }
}

/// Has the folders that were made for designs, as long as it lives.
#[must_use]
pub struct Offered;

impl Drop for Offered {
    fn drop(&mut self) {
        take_back();
    }
}

/// The folders that were made for designs, the inner one first.
fn offered() -> MutexGuard<'static, Vec<PathBuf>> {
    static OFFERED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    OFFERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the folders that were made for designs and are empty.
pub fn take_back() {
    for path in offered().drain(..) {
        // It stays if something is in it.
        let _ = fs::remove_dir(path);
    }
}

/// Locks a folder. Where the file system knows no locks of folders, there is none.
///
/// # Errors
/// Another command has it.
fn lock(path: &Path) -> Held {
    let Ok(folder) = File::open(path) else {
        return Ok(None);
    };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(format!(
            "{}: expected a folder that nothing else writes to, found one that another lockstep command is using: wait \
             until that has ended, or name another folder with --out",
            path.display()
        )),
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
