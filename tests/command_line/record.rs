//! A run is a pure function of its stimulus, and a seed is a way to make one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{lockstep, run};
use crate::golden::{assert_golden, golden, keys};
use crate::scratch::scratch;

/// The JSON result of a command that ends with exit code 0.
fn result(folder: &Path, arguments: &str) -> Value {
    let ran = run(lockstep(folder).args(arguments.split(' ')).arg("--json"));
    assert_eq!(ran.code, 0, "{arguments}: {}{}", ran.stdout, ran.stderr);
    serde_json::from_str(&ran.stdout).expect("JSON")
}

fn folder(name: &str) -> PathBuf {
    scratch(&format!("command_line/{name}"))
}

#[test]
fn one_seed_gives_one_stimulus() {
    let folder = folder("one_seed");
    let hash = |seed| {
        result(&folder, &format!("run --cycles 5000 --seed {seed}"))["stimulus_hash"].clone()
    };
    assert_eq!(hash(7), hash(7));
    assert_ne!(hash(7), hash(8));
}

#[test]
fn recording_is_replayed_as_it_was() {
    let folder = folder("recording");
    let run = result(&folder, "run --cycles 5000 --seed 7 --record a.stim");
    let replay = result(&folder, "replay a.stim");
    for key in [
        "verdict",
        "exit_code",
        "cycles",
        "seed",
        "stimulus_hash",
        "ledger",
    ] {
        assert_eq!(run[key], replay[key], "{key}");
    }
}

#[test]
fn recording_is_run_by_the_model_alone() {
    let folder = folder("recording_of_the_model");
    let run = result(&folder, "run --cycles 5000 --seed 7 --record a.stim");
    let recorded = result(&folder, "model --stimulus a.stim");
    let generated = result(&folder, "model --seed 7 --cycles 5000");
    assert_eq!(run["stimulus_hash"], recorded["stimulus_hash"]);
    assert_eq!(run["stimulus_hash"], generated["stimulus_hash"]);
    assert_eq!(recorded["counters"], generated["counters"]);
}

#[test]
fn recording_replaces_an_older_one() {
    let folder = folder("older_recording");
    result(&folder, "run --cycles 5000 --seed 7 --record a.stim");
    let run = result(&folder, "run --cycles 2000 --seed 8 --record a.stim");
    assert_eq!(
        run["stimulus_hash"],
        result(&folder, "replay a.stim")["stimulus_hash"]
    );
}

#[test]
fn run_that_agrees() {
    let ran = golden(
        "run_that_agrees",
        &folder("run_that_agrees"),
        "run --cycles 5000",
    );
    assert_eq!(ran.code, 0);
}

#[test]
fn model_alone() {
    let ran = golden("model_alone", &folder("model_alone"), "model --cycles 5000");
    assert_eq!(ran.code, 0);
}

#[test]
fn keys_of_a_run() {
    let mut command = lockstep(&folder("keys_run"));
    assert_golden(
        "keys_run",
        &keys(&run(command.args(["run", "--cycles", "100", "--json"])).stdout),
    );
}

#[test]
fn keys_of_the_model() {
    let mut command = lockstep(&folder("keys_model"));
    assert_golden(
        "keys_model",
        &keys(&run(command.args(["model", "--cycles", "100", "--json"])).stdout),
    );
}
