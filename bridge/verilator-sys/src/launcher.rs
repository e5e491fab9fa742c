//! How compilers, Verilator and pip are started.

use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::sync::OnceLock;

static LAUNCHER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Starts every tool that takes a while by `words`, a program and its first arguments, from here on; it is given the
/// tool's name and arguments behind them, and has to end as the tool does. A program that looks after what it starts uses
/// this, so that compilers end with it. The first call counts.
pub fn launch_by(words: Vec<OsString>) {
    let _ = LAUNCHER.set(words);
}

/// A command that runs `program`.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let Some((launcher, first)) = LAUNCHER.get().and_then(|words| words.split_first()) else {
        return Command::new(program);
    };
    let mut command = Command::new(launcher);
    command.args(first).arg(program);
    command
}
