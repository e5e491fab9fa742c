//! `lockstep vcd check` and `vcd map`: dumps of another simulator against the model.
//!
//! Dumps of the bundled RTL are made by Icarus Verilog; without it, these tests say so and pass. Errors are told on
//! dumps written by hand.

mod agreement;
mod bench;
mod bugs;
mod errors;
mod icarus;
mod live;
mod split;
mod window;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/planted.rs"]
mod planted;
#[path = "../support/rewrite.rs"]
#[allow(dead_code, reason = "no changes are planted here")]
mod rewrite;
#[path = "../support/scratch.rs"]
mod scratch;

use std::path::Path;
use std::process::Command;

use command::{Ran, lockstep, run};

/// `lockstep vcd` with `arguments`, separated by blanks, in `folder`.
fn vcd(folder: &Path, arguments: &str) -> Command {
    let mut command = lockstep(folder);
    command.arg("vcd").args(arguments.split_whitespace());
    command
}

/// Runs it, and compares what it prints, and its exit code, with the golden file `name`.
fn golden(name: &str, folder: &Path, arguments: &str) -> Ran {
    let ran = run(&mut vcd(folder, arguments));
    let text = format!(
        "$ lockstep vcd {arguments}\n{}{}[exit code {}]",
        without_speed(&ran.stdout),
        ran.stderr,
        ran.code
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
    ran
}

/// Without the line that differs from run to run.
fn without_speed(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| match line.contains(" MB/s (") {
            true => "  (size and speed)\n",
            false => line,
        })
        .collect()
}
