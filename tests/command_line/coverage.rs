//! `--coverage`: what a run has taken, in its summary and in a file that `lockstep plan` reads.

use std::fs;
use std::process::Command;

use crate::command;
use crate::golden::golden;
use crate::scratch::scratch;

#[test]
fn a_run_names_what_it_never_took_and_writes_the_rest() {
    let folder = scratch("command_line/run_with_coverage");
    let ran = golden(
        "run_with_coverage",
        &folder,
        "run --cycles 20000 --coverage a.json",
    );
    assert_eq!(ran.code, 0);
    let plan = command::run(command::lockstep(&folder).args(["plan", "a.json"]));
    assert_eq!((plan.code, plan.stderr.as_str()), (0, ""));
    let cycles = |line: &str| {
        line.split_whitespace()
            .nth(4)
            .and_then(|count| count.parse::<u64>().ok())
    };
    let row = plan
        .stdout
        .lines()
        .find(|line| line.starts_with("  TH-20 "))
        .expect("a row");
    assert!(cycles(row) > Some(0), "{row}");
}

#[test]
fn the_same_stimulus_takes_the_same() {
    let folder = scratch("command_line/replay_with_coverage");
    let run = |arguments: &str| {
        let ran = command::run(command::lockstep(&folder).args(arguments.split_whitespace()));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    };
    run("run --seed 4 --cycles 9000 --threads 1 --record a.stim --coverage a.json");
    run("replay a.stim --threads 2 --coverage b.json");
    let read = |name| fs::read_to_string(folder.join(name)).expect("written");
    assert!(read("a.json") == read("b.json"));
}

#[test]
fn coverage_in_a_folder_that_is_not_there() {
    let name = "coverage_in_a_folder_that_is_not_there";
    let ran = golden(
        name,
        &scratch(&format!("command_line/{name}")),
        "run --coverage none/a.json",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

/// To open it would wait for a reader.
#[test]
fn pipe_that_nobody_reads_is_refused_at_once() {
    let folder = scratch("command_line/pipe_without_reader");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.expect("mkfifo").success());
    for option in ["--coverage", "--record"] {
        let mut command = command::lockstep(&folder);
        let ran = command::run(command.args(["run", "--cycles", "100", option, "pipe"]));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
        let reason = "pipe: cannot be written: it is a ";
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    }
}
