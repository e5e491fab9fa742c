//! `lockstep shrink`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{lockstep, run};
use crate::golden::{assert_golden, keys};
use crate::scratch::scratch;

/// Arguments for a design that answers nothing, and so differs at the first read.
fn silent() -> Vec<PathBuf> {
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    ["idle_pkg.sv", "fatal.sv"]
        .iter()
        .flat_map(|file| ["--rtl".into(), rtl.join(file)])
        .collect()
}

/// A folder with `a.stim`, which diverges on that design.
fn failing(name: &str) -> PathBuf {
    let folder = scratch(&format!("command_line/{name}"));
    let recorded = run(lockstep(&folder)
        .args(["run", "--cycles", "5000", "--record", "a.stim"])
        .args(silent()));
    assert_eq!(recorded.code, 1, "{}", recorded.stderr);
    folder
}

/// What no reduction left is not for one to remove.
#[test]
fn files_of_others_stay() {
    let folder = failing("shrink_files_of_others");
    for name in ["regression.rs", "shrunk.json", "shrunk.stim"] {
        let path = folder.join("mine").join(name);
        fs::create_dir(folder.join("mine")).expect("made");
        fs::write(&path, "fn mine() {}\n").expect("written");
        let mut command = lockstep(&folder);
        command.args(["shrink", "a.stim", "--out", "mine"]);
        let ran = run(command.args(silent()));
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        let words = format!("{name}: expected a file that an earlier run left");
        assert!(ran.stderr.contains(&words), "{}", ran.stderr);
        assert_eq!(fs::read(&path).expect("still there"), b"fn mine() {}\n");
        fs::remove_dir_all(folder.join("mine")).expect("removed");
    }
}

#[test]
fn shrunk_stimulus_fails_in_the_same_field() {
    let folder = failing("shrink");
    let ran = run(lockstep(&folder)
        .args(["shrink", "a.stim", "--out", "out"])
        .args(silent()));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.starts_with("SHRUNK  access outcome: "),
        "{}",
        ran.stdout
    );
    for file in ["shrunk.stim", "shrunk.json", "regression.rs"] {
        assert!(folder.join("out").join(file).is_file(), "{file}");
    }
    let json = fs::read_to_string(folder.join("out/shrunk.json")).expect("JSON");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["minimal"], true);
    assert_eq!(json["cycles"].as_array().map(Vec::len), Some(2));
    let replayed = run(lockstep(&folder)
        .args(["replay", "out/shrunk.stim", "--json"])
        .args(silent()));
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    let replayed: Value = serde_json::from_str(&replayed.stdout).expect("JSON");
    assert_eq!(replayed["divergence"]["headline"]["field"], json["field"]);
    let test = fs::read_to_string(folder.join("out/regression.rs")).expect("a test");
    assert!(
        test.contains("#[test]\nfn access_outcome_agrees() {"),
        "{test}"
    );
}

#[test]
fn keys_of_a_reduction() {
    let folder = failing("shrink_json");
    let ran = run(lockstep(&folder)
        .args(["shrink", "a.stim", "--json"])
        .args(silent()));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    // The implementation has a golden file of its own.
    let keys = keys(&ran.stdout);
    let keys: Vec<_> = keys
        .lines()
        .filter(|key| !key.starts_with(".implementation."))
        .collect();
    assert_golden("keys_shrink", &keys.join("\n"));
}

#[test]
fn stimulus_that_agrees_cannot_be_shrunk() {
    let folder = scratch("command_line/shrink_agrees");
    let recorded = run(lockstep(&folder).args(["run", "--cycles", "2000", "--record", "a.stim"]));
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let ran = run(lockstep(&folder).args(["shrink", "a.stim"]));
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.stderr
            .contains("does not fail: RTL and model agree in all of its 2000 cycles"),
        "{}",
        ran.stderr
    );
}

#[test]
fn stimulus_that_is_cut_cannot_be_shrunk() {
    let folder = scratch("command_line/shrink_cut");
    let recorded = run(lockstep(&folder).args(["run", "--cycles", "2000", "--record", "a.stim"]));
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let bytes = fs::read(folder.join("a.stim")).expect("a file");
    fs::write(folder.join("a.stim"), &bytes[..bytes.len() / 2]).expect("written");
    let ran = run(lockstep(&folder).args(["shrink", "a.stim"]));
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("the file is truncated"),
        "{}",
        ran.stderr
    );
}
