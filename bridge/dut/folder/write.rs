//! Writing a folder of a built design: whole, or not at all.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use verilator_sys::shared::content_hash;

use super::manifest::{FORMAT, Libraries, Manifest, Source};
use super::{DutFolder, FolderError, MANIFEST, TRACED, UNTRACED};
use crate::dut::{Pair, Stated};
use verilator_sys::verilate::Design;

const HEADER: &str = "# Written by `lockstep build`; `lockstep run --dut` reads it.\n\n";

/// Checks that `path` can become a folder of a built design, before a build is spent on it: it is not there, or
/// empty, or such a folder already, and the folder that it is in can be written.
///
/// # Errors
/// Something else is there, or it cannot be made.
pub(super) fn check(path: &Path) -> Result<(), FolderError> {
    check_place(path)?;
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let there = parent(path).ancestors().find(|parent| parent.exists());
    // A relative path starts from the working directory.
    draft_in(there.unwrap_or(Path::new(".")), path).map(drop)
}

/// The folder that `path` is in.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A temporary folder beside `path`, in `parent`.
fn draft_in(parent: &Path, path: &Path) -> Result<tempfile::TempDir, FolderError> {
    let draft = tempfile::Builder::new()
        .prefix(".building-")
        .tempdir_in(parent);
    draft.map_err(|error| {
        // The name of the temporary folder would only confuse.
        let text = error.to_string();
        let reason = text.split(" at path ").next().unwrap_or_default();
        FolderError::NotMade {
            path: path.into(),
            parent: parent.into(),
            source: io::Error::new(error.kind(), reason),
        }
    })
}

/// Checks what is at `path`.
fn check_place(path: &Path) -> Result<(), FolderError> {
    let occupied = |found: String| FolderError::Occupied {
        path: path.into(),
        found,
    };
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return match path.exists() {
                true => Err(occupied("a file".into())),
                // It would be in a file.
                false => Ok(()),
            };
        }
        Err(error) => return Err(io_error(path)(error)),
    };
    let mut any = false;
    for entry in entries {
        let name = entry.map_err(io_error(path))?.file_name();
        if ![MANIFEST, UNTRACED, TRACED]
            .map(OsStr::new)
            .contains(&&*name)
        {
            return Err(occupied(name.to_string_lossy().into_owned()));
        }
        any = true;
    }
    match any {
        false => Ok(()),
        true => match DutFolder::open(path) {
            // One of an older format is replaced as well.
            Ok(_) | Err(FolderError::Format { .. }) => Ok(()),
            Err(_) => Err(occupied(format!("{MANIFEST} of something else"))),
        },
    }
}

/// Writes the folder. One that says the same already is left as it is.
///
/// # Errors
/// It cannot be written; what was there is still there then.
pub(super) fn write(
    path: &Path,
    design: &Design,
    pair: &Pair,
    stated: Stated,
    command: &str,
) -> Result<DutFolder, FolderError> {
    // A link stays; what it leads to is written.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    check_place(path)?;
    let parent = parent(path);
    fs::create_dir_all(parent).map_err(io_error(parent))?;
    let draft = draft_in(parent, path)?;
    let copy = |from: &Path, name: &str| -> Result<String, FolderError> {
        let to = draft.path().join(name);
        fs::copy(from, &to).map_err(io_error(&to))?;
        content_hash(&to).map_err(io_error(&to))
    };
    let libraries = Libraries {
        untraced: copy(&pair.untraced.path, UNTRACED)?,
        traced: copy(&pair.traced.path, TRACED)?,
    };
    let manifest = manifest(design, pair, stated, libraries, command);
    let done = || DutFolder {
        path: path.clone(),
        manifest: manifest.clone(),
    };
    if is_there(&done()) {
        return Ok(done());
    }
    let to = draft.path().join(MANIFEST);
    let text = toml::to_string(&manifest).map_err(|error| FolderError::Manifest {
        path: to.clone(),
        message: error.to_string(),
    })?;
    fs::write(&to, format!("{HEADER}{text}")).map_err(io_error(&to))?;
    open_to_all(draft.path());
    put(draft, path).map_err(io_error(path))?;
    Ok(done())
}

/// Whether the very same folder is in place.
fn is_there(folder: &DutFolder) -> bool {
    let hash = |name| content_hash(&folder.path.join(name)).ok();
    let Libraries { untraced, traced } = &folder.manifest.libraries;
    DutFolder::open(&folder.path).is_ok_and(|found| found.manifest == folder.manifest)
        && hash(UNTRACED).as_ref() == Some(untraced)
        && hash(TRACED).as_ref() == Some(traced)
}

fn manifest(
    design: &Design,
    pair: &Pair,
    stated: Stated,
    libraries: Libraries,
    command: &str,
) -> Manifest {
    // Without a working directory nothing relative could have been built.
    let ran_in = env::current_dir().unwrap_or_default();
    let parameters = design.parameters.iter();
    Manifest {
        format: FORMAT,
        lockstep: env!("CARGO_PKG_VERSION").into(),
        verilator: pair.verilator.clone(),
        compiler: pair.untraced.compiler.clone(),
        top: design.top.clone(),
        parameters: parameters
            .map(|(name, value)| format!("{name}={value}"))
            .collect(),
        defines: design.defines.clone(),
        // They may be used again from another folder.
        verilator_args: design.absolute_arguments(&ran_in),
        command: command.to_owned(),
        ran_in,
        loops: pair.warnings().loops(),
        libraries,
        stated,
        source: pair.untraced.sources.iter().map(Source::from).collect(),
    }
}

/// Puts the draft in the place of `path`, in one step where the file system can.
fn put(draft: tempfile::TempDir, path: &Path) -> io::Result<()> {
    if !path.exists() {
        fs::rename(draft.path(), path)?;
        // The name is no longer a temporary one.
        let _ = draft.keep();
        return Ok(());
    }
    if renameat_with(CWD, draft.path(), CWD, path, RenameFlags::EXCHANGE).is_ok() {
        // The draft is the old folder now, and removed with its name.
        return Ok(());
    }
    let old: PathBuf = draft.path().with_extension("old");
    fs::rename(path, &old)?;
    if let Err(error) = fs::rename(draft.path(), path) {
        fs::rename(&old, path)?;
        return Err(error);
    }
    let _ = draft.keep();
    fs::remove_dir_all(&old)
}

/// A temporary folder is private; a result is not.
fn open_to_all(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o755));
    }
}

pub(super) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> FolderError + use<> {
    let path = path.to_owned();
    move |source| FolderError::Io { path, source }
}
