//! Writing a folder of a built design: whole, or not at all.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;

use rustix::fs::{CWD, RenameFlags, renameat_with};
use verilator_sys::shared::content_hash;

use super::{DutFolder, TRACED, UNTRACED};
use crate::Pair;
use crate::folder_error::FolderError;
use crate::manifest::{FORMAT, Libraries, MANIFEST, Manifest, Source};
use lockstep_engine::dut::Stated;
use lockstep_scratch::{ScratchFolder, folder_of, open_to_others};
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
    let there = folder_of(path).ancestors().find(|parent| parent.exists());
    // A relative path starts from the working directory.
    draft_in(there.unwrap_or(Path::new(".")), path).map(drop)
}

/// A temporary folder beside `path`, in `parent`.
fn draft_in(parent: &Path, path: &Path) -> Result<ScratchFolder, FolderError> {
    ScratchFolder::new_in(parent).map_err(|source| FolderError::NotMade {
        path: path.into(),
        parent: parent.into(),
        source,
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
    let parent = folder_of(path);
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
        rtl_coverage: pair.rtl_coverage,
        command: command.to_owned(),
        ran_in,
        loops: pair.warnings().loops(),
        libraries,
        stated,
        source: pair.untraced.sources.iter().map(Source::from).collect(),
    }
}

/// Puts the draft in the place of `path`, in one step where the file system can.
fn put(draft: ScratchFolder, path: &Path) -> io::Result<()> {
    if !path.exists() {
        return draft.keep(path);
    }
    open_to_others(draft.path())?;
    if renameat_with(CWD, draft.path(), CWD, path, RenameFlags::EXCHANGE).is_ok() {
        // The draft is the old folder now, and removed with its name.
        return Ok(());
    }
    let aside = ScratchFolder::new_in(folder_of(path))?;
    let old = aside.path().join("old");
    fs::rename(path, &old)?;
    draft.keep(path).inspect_err(|_| {
        // Nothing better can be done than to try.
        let _ = fs::rename(&old, path);
    })
}

pub(super) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> FolderError + use<> {
    let path = path.to_owned();
    move |source| FolderError::Io { path, source }
}
