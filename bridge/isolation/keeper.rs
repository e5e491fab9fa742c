//! A keeper: a process that starts a program and ends as it does, with everything that the program started. It takes in
//! orphans, and when the process that it works for ends, however it does, everything below it goes.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, id};
use std::sync::Arc;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitStatus, getpid, getppid, kill_process, set_child_subreaper,
    set_parent_process_death_signal, setrlimit,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

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
        Ok(status) => end_as(status),
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

fn keep(
    parent: &OsStr,
    program: &OsStr,
    arguments: &[OsString],
) -> std::io::Result<Option<WaitStatus>> {
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
        return Ok(None);
    }
    let child = command(program, arguments).spawn()?;
    let child = Pid::from_child(&child);
    loop {
        for signal in signals.wait() {
            if signal == SIGTERM {
                end_strangers();
                return Ok(None);
            }
            while let Some((pid, status)) = reap() {
                if pid == child {
                    end_strangers();
                    return Ok(Some(status));
                }
            }
        }
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

/// Ends as a child did; without one, as nobody looks at.
fn end_as(status: Option<WaitStatus>) -> ExitCode {
    let Some(status) = status else {
        return ExitCode::from(NOT_STARTED);
    };
    if let Some(number) = status.terminating_signal() {
        // The child has left a core, if one is wanted.
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        let _ = setrlimit(Resource::Core, none);
        // Nobody can listen to this one.
        if number == Signal::KILL.as_raw() {
            let _ = kill_process(getpid(), Signal::KILL);
        }
        let _ = emulate_default_handler(number);
    }
    let code = status.exit_status().unwrap_or_default();
    ExitCode::from(u8::try_from(code).unwrap_or(NOT_STARTED))
}
