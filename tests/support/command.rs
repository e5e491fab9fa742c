//! The command `lockstep`, as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

/// The command in `folder`, with a cache of built RTL of the tests' own.
pub fn lockstep(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command
        .current_dir(folder)
        .env(
            "LOCKSTEP_CACHE",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
        )
        // Help texts are wrapped at the width of the terminal.
        .env("COLUMNS", "100");
    command
}

/// What is printed or not, as the tests beside this one happen to run.
const ANOTHER_BUILDS: &str = ": waits until the lockstep command that is building it has ended";

/// What the command printed, and its exit code.
pub struct Ran {
    /// Exit code; -1 if a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error, but for the note that another test is building the same RTL.
    pub stderr: String,
}

/// Runs the command to its end.
pub fn run(command: &mut Command) -> Ran {
    Ran::of(command.output().expect("the command starts"))
}

impl Ran {
    /// What became of a process.
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the command prints UTF-8");
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr)
                .split_inclusive('\n')
                .filter(|line| !line.contains(ANOTHER_BUILDS))
                .collect(),
        }
    }
}
