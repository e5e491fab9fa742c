//! A keeper: a process that starts a program and ends as it does, with everything that the program started. It takes in
//! orphans, and when the process that it works for ends, however it does, everything below it goes.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus, id};
use std::sync::Arc;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitStatus, getpid, getppid, set_child_subreaper,
    set_parent_process_death_signal, setrlimit,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGKILL, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, raise};

use super::processes::{end_strangers, reap};
use super::{PROGRAM, Role};

/// The exit code of a program that cannot be started, as with a shell.
const NOT_STARTED: u8 = 127;

/// The first words of a command line that has a keeper: the program and its arguments follow.
pub fn words() -> Vec<OsString> {
    [PROGRAM, Role::Keeper.word(), &id().to_string()]
        .map(Into::into)
        .to_vec()
}

/// Runs the program that `words` name, after the number of the process that this one works for.
pub fn main(words: &[OsString]) -> ExitCode {
    let Some(([parent, program], arguments)) = words.split_first_chunk() else {
        return ExitCode::from(NOT_STARTED);
    };
    match keep(parent, program, arguments) {
        Ok(kept) => end_as(&kept),
        Err(error) => {
            let _ = writeln!(
                std::io::stderr(),
                "{}: expected a program that can be started, found: {error}",
                program.display()
            );
            ExitCode::from(NOT_STARTED)
        }
    }
}

fn keep(parent: &OsStr, program: &OsStr, arguments: &[OsString]) -> std::io::Result<Kept> {
    // Before anything that is to be heard can happen.
    let mut signals = Signals::new([SIGTERM, SIGCHLD])?;
    // Who sends these to a whole group means the command.
    for other in [SIGINT, SIGHUP, SIGQUIT] {
        flag::register(other, Arc::default())?;
    }
    set_child_subreaper(Some(getpid()))?;
    set_parent_process_death_signal(Some(Signal::TERM))?;
    let is_parent = |pid: Pid| OsStr::new(&pid.as_raw_nonzero().get().to_string()) == parent;
    if !getppid().is_some_and(is_parent) {
        // It ended before this could be heard.
        return Ok(Kept::LetGo);
    }
    if program == PROGRAM {
        // A compiler may need those of `make`.
        design_sandbox::keep_files_from_programs();
    }
    let child = command(program, arguments).spawn()?;
    let child = Pid::from_child(&child);
    loop {
        for signal in signals.wait() {
            while let Some((pid, status)) = reap() {
                if pid == child {
                    end_strangers();
                    return Ok(match signal == SIGTERM {
                        // Who signals everything there is, as schedulers do, has ended the program too.
                        true if status.terminating_signal() == Some(SIGTERM) => Kept::LetGo,
                        true => Kept::EndedBefore(status),
                        false => Kept::Ended(status),
                    });
                }
            }
            if signal == SIGTERM {
                end_strangers();
                return Ok(Kept::LetGo);
            }
        }
    }
}

/// What became of the program.
enum Kept {
    /// It ended.
    Ended(WaitStatus),
    /// It had ended when it was to be let go.
    EndedBefore(WaitStatus),
    /// It ran until it was to be let go, or nobody is there to be told.
    LetGo,
}

/// Whether a keeper that was told to let its program go says by its end that the program had ended by itself, or had been
/// ended itself before; it may have been ended by `force`, too.
pub fn had_ended(status: ExitStatus, force: bool) -> bool {
    match status.signal() {
        Some(SIGTERM) => false,
        Some(SIGKILL) => !force,
        _ => true,
    }
}

/// The program. This one is started from its own file, also where the working directory of the two differs.
fn command(program: &OsStr, arguments: &[OsString]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    if program == PROGRAM {
        command.arg0(env::args_os().next().unwrap_or_else(|| "lockstep".into()));
    }
    command
}

/// Ends as a child did. A signal that had ended it before it was let go is told by a number: what lets go signals, too.
fn end_as(kept: &Kept) -> ExitCode {
    let status = match kept {
        Kept::LetGo => {
            let _ = emulate_default_handler(SIGTERM);
            return ExitCode::from(NOT_STARTED);
        }
        Kept::Ended(status) => {
            if let Some(number) = status.terminating_signal() {
                end_by(number);
            }
            status
        }
        Kept::EndedBefore(status) => status,
    };
    let signal = status.terminating_signal().map(|number| 128 + number);
    let code = status.exit_status().or(signal).unwrap_or_default();
    ExitCode::from(u8::try_from(code).unwrap_or(NOT_STARTED))
}

/// Ends by a signal.
fn end_by(number: i32) {
    // The child has left a core, if one is wanted.
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    let _ = setrlimit(Resource::Core, none);
    // One that has no default handler here, as those of real time, or that nobody can listen to.
    if emulate_default_handler(number).is_err() {
        let _ = raise(number);
    }
}
