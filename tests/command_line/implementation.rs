//! Implementation files and profiles that cannot be used: exit code 2, with line and key.

use std::fs;

use crate::golden::golden;
use crate::scratch::scratch;

/// Runs the model with an implementation file of these contents.
fn refused(name: &str, toml: &str) {
    let folder = scratch(&format!("command_line/{name}"));
    fs::write(folder.join("a.toml"), toml).expect("written");
    let ran = golden(name, &folder, "model --cycles 10 --implementation a.toml");
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn implementation_that_is_not_there() {
    let name = "implementation_that_is_not_there";
    let folder = scratch(&format!("command_line/{name}"));
    let ran = golden(name, &folder, "run --implementation a.toml");
    assert_eq!(ran.code, 2);
}

#[test]
fn implementation_that_is_no_toml() {
    refused(
        "implementation_that_is_no_toml",
        "name = 'x'\n[pmu]\ncounters: 6\n",
    );
}

#[test]
fn implementation_that_is_cut_off() {
    refused("implementation_that_is_cut_off", "name = 'x'\n[pmu");
}

#[test]
fn unknown_key() {
    refused("unknown_key", "[pmu]\ncuonters = 6\n");
}

#[test]
fn key_of_another_type() {
    refused("key_of_another_type", "[pmu]\ncounters = 'six'\n");
}

#[test]
fn unknown_word_of_a_knob() {
    refused("unknown_word_of_a_knob", "[knobs]\nrhbwbb = 'MAYBE'\n");
}

#[test]
fn too_many_counters() {
    refused("too_many_counters", "name = 'x'\n\n[pmu]\ncounters = 32\n");
}

#[test]
fn counters_of_48_bits() {
    refused("counters_of_48_bits", "[pmu]\ncounter_bits = 48\n");
}

#[test]
fn threshold_of_13_bits() {
    refused("threshold_of_13_bits", "[pmu]\nthwidth = 13\n");
}

#[test]
fn link_without_edge() {
    refused("link_without_edge", "[pmu]\nedge = false\n");
}

#[test]
fn edge_without_threshold() {
    refused("edge_without_threshold", "[pmu]\nth = false\nth2 = false\n");
}

#[test]
fn realms_without_el3() {
    refused("realms_without_el3", "[pe]\nel3 = false\nsel2 = false\n");
}

#[test]
fn map_of_reserved_values_that_is_no_map() {
    refused(
        "map_of_reserved_values_that_is_no_map",
        "[knobs]\nreserved_policy = 'MAP'\n[knobs.reserved_map]\n'0,1,0' = '9,0,0'\n",
    );
}

#[test]
fn profile_that_is_not_there() {
    let folder = scratch("command_line/profile_that_is_not_there");
    let ran = golden("profile_that_is_not_there", &folder, "run --profile p.toml");
    assert_eq!(ran.code, 2);
}

#[test]
fn profile_with_an_unknown_key() {
    let folder = scratch("command_line/profile_with_an_unknown_key");
    fs::write(folder.join("p.toml"), "[phases.busy]\nwieght = 3\n").expect("written");
    let ran = golden(
        "profile_with_an_unknown_key",
        &folder,
        "run --profile p.toml",
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn profile_without_any_weight() {
    let folder = scratch("command_line/profile_without_any_weight");
    let zero = ["busy", "quiet", "edge", "link", "overflow", "toggle"]
        .map(|phase| format!("[phases.{phase}]\nweight = 0\n"));
    fs::write(folder.join("p.toml"), zero.concat()).expect("written");
    let ran = golden(
        "profile_without_any_weight",
        &folder,
        "run --profile p.toml",
    );
    assert_eq!(ran.code, 2);
}
