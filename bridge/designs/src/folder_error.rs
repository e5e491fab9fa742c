//! What can be wrong with a folder of `lockstep build`.

use std::io;
use std::path::PathBuf;

use verilator_sys::LoadError;
use verilator_sys::shared::LoadFileError;

use super::manifest::{FORMAT, MANIFEST};
use lockstep_scratch::is_no_place;

/// A folder that is not one of `lockstep build`, or not as it was built.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// There is no manifest.
    #[error(
        "{}: expected a folder that `lockstep build` made, found no {MANIFEST} there: build the design with \
         `lockstep build --filelist FILE --top MODULE -o {}`",
        path.display(), path.display()
    )]
    NotOne {
        /// The folder.
        path: PathBuf,
    },
    /// The manifest does not say what it must.
    #[error("{}: expected what `lockstep build` wrote, found: {message}; build the design again", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong, and where.
        message: String,
    },
    /// The manifest is of another version.
    #[error("{}: expected format {FORMAT}, found {found}: build the design again", path.display())]
    Format {
        /// The manifest.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// A library cannot be loaded.
    #[error("{source}{}", again.as_ref().map_or(String::new(), |again| format!(":\n  {again}")))]
    Library {
        /// Why not.
        source: LoadFileError,
        /// The command that builds the design again, where that helps and is known.
        again: Option<String>,
    },
    /// The manifest says something else of the design than its library does.
    #[error(
        "{}: expected what `lockstep build` wrote, found {found}: the file is not there to be edited; build the design \
         again{}", path.display(), again.as_ref().map_or(String::new(), |again| format!(":\n  {again}"))
    )]
    Stated {
        /// The manifest.
        path: PathBuf,
        /// The key, its value in the manifest, and what the library states.
        found: String,
        /// The command that builds the design again, where it is known.
        again: Option<String>,
    },
    /// Coverage of the RTL is wanted, which its library does not count.
    #[error(
        "{}: expected a design that was built with --rtl-coverage, found one without: build it again with{}",
        path.display(),
        match again.is_empty() {
            true => " --rtl-coverage".to_owned(),
            false => format!(":\n  {again} --rtl-coverage    (in {})", ran_in.display()),
        }
    )]
    NoCoverage {
        /// The folder.
        path: PathBuf,
        /// The command that built it, if it is known.
        again: String,
        /// The folder where that ran.
        ran_in: PathBuf,
    },
    /// A library with other ports.
    #[error(
        "{}: expected {expected} bytes of {port}, found {found}: the design was built for another layout of the DUT \
         contract; build it again", path.display()
    )]
    Ports {
        /// The library.
        path: PathBuf,
        /// The port.
        port: &'static str,
        /// Its size in this program.
        expected: usize,
        /// Its size in the library.
        found: usize,
    },
    /// Something else is in the way.
    #[error(
        "{}: expected an empty folder, one that `lockstep build` made, or none, found {found} there: name another \
         folder with -o", path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// The folder cannot be made.
    #[error(
        "{}: expected to make this folder, found that {} cannot be written: {source}; name another folder with -o",
        path.display(), parent.display()
    )]
    NotMade {
        /// The folder.
        path: PathBuf,
        /// The folder that it should be in, as far as that is there.
        parent: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: expected to read or write it, found: {source}", path.display())]
    Io {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
}

impl FolderError {
    /// Whether it is for the user to mend what was named, and not for who keeps the machine.
    pub fn is_the_users(&self) -> bool {
        let named = |error: &io::Error| {
            matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
                    // It is no file.
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::ReadOnlyFilesystem
            )
        };
        match self {
            Self::NotMade { source, .. } => is_no_place(source),
            Self::Io { source, .. }
            | Self::Library {
                source: LoadFileError::Io { source, .. },
                ..
            } => named(source),
            Self::Library {
                source: LoadFileError::Load(LoadError::Loader { .. }),
                ..
            } => false,
            _ => true,
        }
    }
}
