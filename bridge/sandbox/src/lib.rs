//! Confines the process that runs a design. A design is native code with the rights of its user: `$system`, DPI and
//! `$fopen` do what any program does. A confined process may read everything, and write only below the folders that it
//! was given; it starts no program, opens no socket, and signals and traces nobody but itself.
//!
//! Two mechanisms of Linux do it, neither of which needs privileges. **Landlock** decides which files may be written and
//! who may be signalled. **seccomp** filters system calls: some fail at once, and some are put to a [`Listener`] in
//! another process, which answers, and knows what was tried. Whatever the listener says, Landlock has its own say after it.
//!
//! What a kernel does not offer is left out, and [`Enforced`] says so.

mod calls;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod listener;

use std::os::fd::OwnedFd;
use std::path::PathBuf;

pub use calls::{Attempt, Call};
#[cfg(target_os = "linux")]
pub use listener::{Answer, Listener};

/// What a confined process may do besides reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Files that may be written, and folders below which everything may. Those that are not there are passed over.
    pub writable: Vec<PathBuf>,
}

/// What the kernel enforces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enforced {
    /// Only what the policy names is written.
    pub files: bool,
    /// Nobody else is signalled or traced.
    pub signals: bool,
    /// No program is started, and no socket opened.
    pub calls: bool,
}

impl Enforced {
    /// Whether nothing is left out.
    pub fn is_complete(self) -> bool {
        self.files && self.signals && self.calls
    }

    /// What is left out, in words.
    pub fn missing(self) -> Vec<&'static str> {
        let parts = [
            (self.files, "which files it writes (Landlock)"),
            (self.signals, "whom it signals (Landlock or seccomp)"),
            (
                self.calls,
                "which programs it starts and which sockets it opens (seccomp)",
            ),
        ];
        let missing = parts.iter().filter(|(enforced, _)| !enforced);
        missing.map(|(_, what)| *what).collect()
    }
}

/// A process that is confined from here on.
#[derive(Debug)]
pub struct Confined {
    /// What is enforced.
    pub enforced: Enforced,
    /// Where the system calls are told that another process decides about: to be sent to that process, and closed here.
    pub listener: Option<OwnedFd>,
}

/// Confines this thread, and every thread and process that it starts from here on, for good. Other threads are not
/// confined: to be called while there is one only.
#[cfg(target_os = "linux")]
pub fn confine(policy: &Policy) -> Confined {
    let (files, signals) = restrict_files(policy).unwrap_or_default();
    // Signals are Landlock's where it knows them; a filter of numbers does for the rest, but not for processes that
    // this one starts.
    let listener = filter::install().ok();
    Confined {
        enforced: Enforced {
            files,
            signals: signals || listener.is_some(),
            calls: listener.is_some(),
        },
        listener,
    }
}

/// Confines nothing: this system has none of the mechanisms.
#[cfg(not(target_os = "linux"))]
pub fn confine(_: &Policy) -> Confined {
    Confined {
        enforced: Enforced::default(),
        listener: None,
    }
}

/// Has no program that this process starts inherit a file but the first three: what whoever started this one left open
/// is not for a design. Where the kernel does not know the call, nothing happens.
#[cfg(target_os = "linux")]
pub fn keep_files_from_programs() {
    const FIRST: libc::c_uint = 3;
    const CLOEXEC: libc::c_uint = 4;
    // SAFETY: it sets a flag of descriptors, and touches no memory.
    let _ = unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, CLOEXEC) };
}

/// Has a signal that tells of a fault end the process, whoever raised it: the handler that Rust's start installs lets
/// one that was raised pass.
#[cfg(unix)]
pub fn die_of_faults() {
    for signal in [libc::SIGSEGV, libc::SIGBUS] {
        // SAFETY: what a signal does is changed to its default, and no memory is touched.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Restricts writing and signals.
///
/// # Returns
/// Whether each is enforced.
#[cfg(target_os = "linux")]
fn restrict_files(policy: &Policy) -> Result<(bool, bool), landlock::RulesetError> {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetStatus, Scope, path_beneath_rules,
    };
    // Without `Truncate`, which is of ABI 3, a file could be emptied.
    let needed = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_write(ABI::V3))?;
    let scoped = needed
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(ABI::V6))?;
    // A device is another way to a disk.
    let write = AccessFs::from_write(ABI::V3) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let status = scoped
        .create()?
        .add_rules(path_beneath_rules(&policy.writable, write))?
        .restrict_self()?;
    let is_whole = status.ruleset == RulesetStatus::FullyEnforced;
    Ok((status.ruleset != RulesetStatus::NotEnforced, is_whole))
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
