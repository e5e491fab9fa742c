//! Golden files of what the command prints.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Ran, lockstep, run};

/// The folder of dumps.
pub fn dumps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vcd")
}

/// Runs `lockstep vcd` with `arguments`, separated by blanks, in the folder of dumps, and compares what it prints, and
/// its exit code, with the golden file `name`.
pub fn golden(name: &str, arguments: &str) -> Ran {
    golden_in(name, &dumps(), arguments)
}

/// The same in another folder.
pub fn golden_in(name: &str, folder: &Path, arguments: &str) -> Ran {
    let mut command = vcd(folder, arguments);
    checked(name, arguments, &mut command)
}

/// The same with words that may hold blanks before the arguments.
pub fn golden_line(name: &str, folder: &Path, words: &[&str], arguments: &str) -> Ran {
    let mut command = lockstep(folder);
    command
        .arg("vcd")
        .args(words)
        .args(arguments.split_whitespace());
    let words: Vec<_> = words
        .iter()
        .map(|word| match word.contains([' ', '$', '[', '(', '\'']) {
            true => format!("'{word}'"),
            false => (*word).to_owned(),
        })
        .collect();
    let line = format!("{} {arguments}", words.join(" "));
    checked(name, line.trim_end(), &mut command)
}

/// The same with a file as standard input.
pub fn golden_from(name: &str, input: &str, arguments: &str) -> Ran {
    let mut command = vcd(&dumps(), arguments);
    command.stdin(File::open(dumps().join(input)).expect("a dump of the corpus"));
    checked(name, &format!("{arguments} < {input}"), &mut command)
}

/// `lockstep vcd` with `arguments` in `folder`.
pub fn vcd(folder: &Path, arguments: &str) -> Command {
    let mut command = lockstep(folder);
    command.arg("vcd").args(arguments.split_whitespace());
    command
}

fn checked(name: &str, line: &str, command: &mut Command) -> Ran {
    let ran = run(command);
    let text = format!(
        "$ lockstep vcd {line}\n{}{}[exit code {}]",
        ran.stdout, ran.stderr, ran.code
    );
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
    ran
}
