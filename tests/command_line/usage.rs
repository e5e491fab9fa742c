//! Command lines that mean nothing: exit code 2, and a sentence that says what was expected.

use crate::golden::golden;
use crate::scratch::scratch;

fn refused(name: &str, arguments: &str) {
    let ran = golden(name, &scratch(&format!("command_line/{name}")), arguments);
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn no_command() {
    refused("no_command", "");
}

#[test]
fn unknown_command() {
    refused("unknown_command", "walk");
}

#[test]
fn unknown_option() {
    refused("unknown_option", "run --sead 3");
}

#[test]
fn seed_that_is_no_number() {
    refused("seed_that_is_no_number", "run --seed many");
}

#[test]
fn no_cycles() {
    refused("no_cycles", "run --cycles 0");
}

#[test]
fn seed_for_recorded_stimulus() {
    refused(
        "seed_for_recorded_stimulus",
        "run --seed 1 --stimulus a.stim",
    );
}

#[test]
fn parameter_of_the_bundled_rtl() {
    refused("parameter_of_the_bundled_rtl", "run --param Counters=6");
}

#[test]
fn parameter_without_a_value() {
    refused(
        "parameter_without_a_value",
        "run --rtl rtl --param Counters",
    );
}

#[test]
fn rtl_that_is_not_there() {
    refused("rtl_that_is_not_there", "run --rtl nowhere.sv");
}

#[test]
fn replay_of_nothing() {
    refused("replay_of_nothing", "replay");
}

#[test]
fn folder_without_rtl() {
    let folder = scratch("command_line/folder_without_rtl");
    std::fs::create_dir(folder.join("rtl")).expect("made");
    assert_eq!(
        golden("folder_without_rtl", &folder, "run --rtl rtl").code,
        2
    );
}
