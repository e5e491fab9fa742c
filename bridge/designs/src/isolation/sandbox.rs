//! What the process of a design may do, what it tried, and how that is told.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use design_sandbox::{Answer, Attempt, Enforced};
use serde::Serialize;

use lockstep_base::printable::escaped;

/// Whether designs are confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// As far as the kernel can; what it cannot is told
    #[default]
    Auto,
    /// Entirely, or the command fails
    Require,
    /// Not at all: for designs that start programs or open sockets
    Off,
}

/// How designs are confined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Whether they are.
    pub mode: SandboxMode,
    /// Folders and files that they may write to. Those that are not there when a design is loaded are passed over.
    pub writable: Vec<PathBuf>,
}

/// Devices that keep nothing.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

impl Sandbox {
    /// What is writable, if anything is confined.
    pub(super) fn policy(&self) -> Option<Vec<PathBuf>> {
        let own = self.writable.iter().cloned();
        let devices = DEVICES.iter().map(PathBuf::from);
        (self.mode != SandboxMode::Off).then(|| own.chain(devices).collect())
    }
}

/// What a report says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SandboxReport {
    /// What was asked for.
    pub mode: SandboxMode,
    /// What the kernel does not enforce.
    pub not_enforced: Vec<&'static str>,
    /// What the design tried and was refused, in the order of first tries.
    pub refused: Vec<Refusal>,
}

/// Something that a design may not do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// What it tried, in words.
    pub what: String,
    /// The option that allows it.
    pub option: String,
}

impl SandboxReport {
    /// The lines of a summary. A design that is confined and tries nothing has none.
    pub fn lines(&self) -> Vec<String> {
        let missing = self.not_enforced.join("; ");
        let missing = match (self.mode, self.not_enforced.is_empty()) {
            (SandboxMode::Auto, false) => {
                Some(format!("sandbox: this kernel does not decide {missing}"))
            }
            _ => None,
        };
        let refused = self.refused.iter().map(|refusal| refusal.text());
        missing.into_iter().chain(refused).collect()
    }
}

impl Refusal {
    fn text(&self) -> String {
        format!(
            "sandbox: the design was not let {}; {} allows it",
            self.what, self.option
        )
    }
}

/// Different things that are told: a design may try without end.
const TOLD: usize = 16;

static REPORT: Mutex<Option<SandboxReport>> = Mutex::new(None);

/// What is known of the designs of this process so far; nothing if none ran in a process of its own.
pub fn sandbox_report() -> Option<SandboxReport> {
    let report = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    report.clone()
}

/// A design runs, confined as far as `enforced` says.
pub(super) fn tell_enforced(mode: SandboxMode, enforced: Enforced) {
    let mut report = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    let report = report.get_or_insert_with(|| SandboxReport {
        mode,
        not_enforced: Vec::new(),
        refused: Vec::new(),
    });
    if mode != SandboxMode::Off {
        report.not_enforced = enforced.missing();
    }
}

/// Decides about the calls of one design.
#[derive(Debug)]
pub(super) struct Judge {
    /// What may be written, without links.
    writable: Vec<PathBuf>,
    /// Processes that it has started.
    processes: usize,
}

/// Processes that a design may start. They run nothing else, and end with it.
const PROCESSES: usize = 64;

impl Judge {
    pub(super) fn new(writable: &[impl AsRef<Path>]) -> Self {
        let resolved = writable
            .iter()
            .filter_map(|path| fs::canonicalize(path).ok());
        Self {
            writable: resolved.collect(),
            processes: 0,
        }
    }

    /// The answer to an attempt; one that is refused is told.
    pub(super) fn answer(&mut self, attempt: &Attempt) -> Answer {
        match attempt {
            Attempt::Write(path) if self.may_write(path) => Answer::GoOn,
            Attempt::Write(path) => {
                let folder = path.parent().unwrap_or(path);
                refuse(
                    format!("write {}", path.display()),
                    format!("--allow-write {}", folder.display()),
                );
                // The kernel refuses it by itself, where it can; a file that is opened for writing though it is only
                // read is refused as well.
                Answer::GoOn
            }
            Attempt::Program(words) => {
                refuse(
                    format!("start the program {}", words.join(" ").trim_end()),
                    "--sandbox=off".into(),
                );
                Answer::Fail(EPERM)
            }
            Attempt::Process => {
                self.processes += 1;
                match self.processes <= PROCESSES {
                    true => Answer::GoOn,
                    false => Answer::Fail(EAGAIN),
                }
            }
            Attempt::Socket(family) => {
                refuse(
                    format!("open a socket ({})", family_name(*family)),
                    "--sandbox=off".into(),
                );
                Answer::Fail(EACCES)
            }
            // What becomes of it is the process's own matter, and told as its end.
            Attempt::Signal(_) | Attempt::TimeLimit => Answer::GoOn,
        }
    }

    fn may_write(&self, path: &Path) -> bool {
        let resolved = fs::canonicalize(path).or_else(|_| {
            // A file that is to be made.
            let folder = path.parent().unwrap_or(path);
            fs::canonicalize(folder).map(|folder| folder.join(path.file_name().unwrap_or_default()))
        });
        // What cannot be made anyway is no matter of the sandbox.
        resolved.map_or(true, |path| {
            self.writable
                .iter()
                .any(|allowed| path.starts_with(allowed))
        })
    }
}

// Numbers of errno, the same on every Linux that has the mechanisms.
const EPERM: i32 = 1;
const EAGAIN: i32 = 11;
const EACCES: i32 = 13;

fn family_name(family: i32) -> String {
    match family {
        1 => "AF_UNIX".into(),
        2 => "AF_INET".into(),
        10 => "AF_INET6".into(),
        16 => "AF_NETLINK".into(),
        other => format!("address family {other}"),
    }
}

fn refuse(what: String, option: String) {
    // They are a design's words, and stand in a line of ours.
    let [what, option] = [what, option].map(|text| escaped(&text));
    let refusal = Refusal { what, option };
    let mut report = REPORT.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(report) = &mut *report else { return };
    if report.refused.len() < TOLD && !report.refused.contains(&refusal) {
        report.refused.push(refusal);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_judged_without_links() {
        let folder = tempfile::tempdir().expect("a folder");
        let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
        fs::create_dir(&inside).expect("a folder");
        fs::write(&outside, "").expect("written");
        std::os::unix::fs::symlink(&outside, inside.join("link")).expect("a link");
        let judge = Judge::new(&[inside.as_path(), Path::new("/dev/null")]);
        assert!(judge.may_write(&inside.join("new")));
        assert!(judge.may_write(&folder.path().join("in/../in/new")));
        assert!(judge.may_write(Path::new("/dev/null")));
        assert!(!judge.may_write(&outside));
        assert!(!judge.may_write(&inside.join("link")));
        assert!(!judge.may_write(&folder.path().join("new")));
        assert!(judge.may_write(&folder.path().join("missing/new")));
    }

    #[test]
    fn processes_are_counted() {
        let mut judge = Judge::new(&[""; 0]);
        let answers: Vec<_> = (0..=PROCESSES)
            .map(|_| judge.answer(&Attempt::Process))
            .collect();
        assert!(
            answers[..PROCESSES]
                .iter()
                .all(|answer| *answer == Answer::GoOn)
        );
        assert_eq!(answers[PROCESSES], Answer::Fail(EAGAIN));
    }
}
