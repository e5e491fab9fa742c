//! Designs run in processes of their own (DUT-42).
//!
//! A Verilated design is native code: it can write where it may not, end its process, or print a verdict. So the process
//! of the command holds stimulus, model, comparison and verdict, and no design but the bundled one, which is linked in. Any
//! other is loaded by a host (`serve`), a process that does nothing but run it: inputs and outputs go through memory
//! that both have mapped (`channel`), and inputs are read-only there. What the design can do is give wrong outputs, end
//! or hang.
//!
//! | process | is | ends when |
//! |---|---|---|
//! | the command | everything else | it is done |
//! | a keeper, one for each host and each compiler | `keeper`: looks after what is started below it | the command or what it keeps ends; everything below it goes first |
//! | a host | `serve`: confined by the crate `design-sandbox`, then the design | the command lets it go, or the design ends it |
//!
//! All of them are this program: a command starts itself again with the name of a role. A program that uses this
//! crate as a library has no such roles: designs run in its own process then, see [`enable`].

mod attendant;
mod channel;
mod death;
mod facts;
mod handshake;
mod host;
mod keeper;
mod processes;
mod remote;
mod sandbox;
mod serve;

use std::env;
use std::ffi::OsString;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{getpid, set_child_subreaper};

pub use attendant::StartError;
pub use death::{Death, at_work, first_death, stopped_late};
pub use facts::{Facts, Replay, facts, tell};
pub use remote::{Design, LoadFailure, MakeFailure, RemoteDut, number_instance};
pub use sandbox::{Sandbox, SandboxMode, SandboxReport, sandbox_report};

/// This program, whatever has become of its file since it was started.
const PROGRAM: &str = "/proc/self/exe";

/// What a process of this program is started for, besides a command.
enum Role {
    Host,
    Keeper,
}

impl Role {
    const ALL: [Self; 2] = [Self::Host, Self::Keeper];

    /// The first word of its command line, which no command has.
    fn word(&self) -> &'static str {
        match self {
            Self::Host => "__design-host",
            Self::Keeper => "__keeper",
        }
    }
}

static ENABLED: AtomicBool = AtomicBool::new(false);

/// Has designs run in processes of their own from here on, and compilers end with this process. To be called at the start
/// of a program whose `main` asks [`role`] first.
pub fn enable() {
    ENABLED.store(true, Ordering::Relaxed);
    processes::spare_children();
    // What a keeper that is killed leaves comes to this process.
    let _ = set_child_subreaper(Some(getpid()));
    verilator_sys::launch_by(keeper::words());
}

/// Whether designs run in processes of their own.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

/// Does what this process was started for, if that is no command.
pub fn role() -> Option<ExitCode> {
    let mut words = env::args_os().skip(1);
    let first = words.next()?;
    let role = Role::ALL.into_iter().find(|role| first == role.word())?;
    let words: Vec<OsString> = words.collect();
    Some(match role {
        Role::Host => serve::main(),
        Role::Keeper => keeper::main(&words),
    })
}

/// Ends all hosts, and whatever their designs started: for the end of the process.
pub fn end_all() {
    host::end_all();
    processes::end_children();
}

/// Ends all hosts.
///
/// # Returns
/// The end of one that had ended before by itself, unseen: all of its replies were there.
pub fn settled() -> Option<Death> {
    host::end_all();
    death::late_end()
}

/// A command that is a keeper of `program`.
fn kept(program: &str) -> Command {
    let words = keeper::words();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).arg(program);
    command
}
