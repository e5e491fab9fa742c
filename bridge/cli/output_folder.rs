//! The folder that the files of a run go to.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Failure;
use super::output::{failed, keep, write_whole};

/// A folder for results.
#[derive(Clone, Debug)]
pub struct OutputFolder {
    path: PathBuf,
}

impl OutputFolder {
    /// Makes the folder, and checks that files can be written there, before a run is spent on it.
    ///
    /// # Errors
    /// It cannot be made or written.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let check = || -> io::Result<()> {
            std::fs::create_dir_all(path)?;
            NamedTempFile::new_in(path)?.write_all(&[0])
        };
        check().map_err(|error| {
            Failure::usage(format!(
                "{}: cannot be written: {error}; name another folder with --out",
                path.display()
            ))
        })?;
        Ok(Self { path: path.into() })
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
        let file = NamedTempFile::new_in(&self.path).map_err(|error| failed(&path, &error))?;
        Ok(Draft { file, path })
    }
}

/// A file without its name yet.
pub struct Draft {
    file: NamedTempFile,
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
        keep(self.file, &self.path)?;
        Ok(self.path)
    }
}
