//! `lockstep explain`: values of registers in words, and names and numbers that mean nothing.

use std::fs;

use crate::command;
use crate::golden::{assert_golden, golden, golden_of, keys};
use crate::scratch::scratch;

fn explained(name: &str, arguments: &str) {
    let folder = scratch(&format!("command_line/{name}"));
    let ran = golden(name, &folder, &format!("explain {arguments}"));
    assert_eq!(ran.code, 0);
}

fn refused(name: &str, arguments: &str) {
    let folder = scratch(&format!("command_line/{name}"));
    let ran = golden(name, &folder, &format!("explain {arguments}"));
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn help() {
    explained("help_explain", "--help");
}

#[test]
fn type_of_an_odd_counter() {
    explained(
        "explain_odd_counter",
        "PMEVTYPER3_EL0 0xb580_0559_8610_000d",
    );
}

#[test]
fn the_same_type_of_an_even_counter() {
    explained("explain_even_counter", "pmevtyper2 0xb580_0559_8610_000d");
}

#[test]
fn type_by_its_encoding() {
    explained("explain_encoding", "S3_3_C14_C12_1 0xa0000004_08000011");
}

#[test]
fn reserved_type() {
    explained("explain_reserved", "PMEVTYPER1 0xb340000008000003");
}

#[test]
fn type_in_a_narrow_terminal() {
    let folder = scratch("command_line/explain_narrow");
    let mut command = command::lockstep(&folder);
    let command = command.env("COLUMNS", "80");
    let ran = golden_of(
        "explain_narrow",
        command.args(["explain", "PMEVTYPER3", "0xb580055986100077"]),
    );
    assert_eq!(ran.code, 0);
    let widest = ran.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{widest:?}");
}

#[test]
fn type_for_a_small_implementation() {
    let folder = scratch("command_line/explain_small");
    let toml = "name = 'small'\n[pmu]\ncounters = 2\nth2 = false\nthwidth = 4\npmuv3p1 = false\n\
        [pe]\nrme = false\nsel2 = false\nsme = false\npmuv3p8 = false\n";
    fs::write(folder.join("small.toml"), toml).expect("written");
    let arguments = "explain PMEVTYPER3 0xa1c00123c8180611 --implementation small.toml";
    assert_eq!(golden("explain_small", &folder, arguments).code, 0);
}

#[test]
fn counters_that_are_enabled() {
    explained(
        "explain_pmcntenset",
        "PMCNTENSET 0b1000_0000_0000_0000_0000_0001_0000_1111",
    );
}

#[test]
fn control() {
    explained("explain_pmcr", "PMCR 0xf857");
}

#[test]
fn sample_interval() {
    explained("explain_pmsirr", "PMSIRR_EL1 0x401");
}

#[test]
fn sampling_features() {
    explained("explain_pmsidr", "PMSIDR 0x50220");
}

#[test]
fn system_pmu_configuration() {
    explained("explain_spmcfgr", "SPMCFGR 0x1128_3f09");
}

#[test]
fn system_pmu_affinity() {
    explained("explain_spmdevaff", "SPMDEVAFF 0x1_0002_0306");
}

#[test]
fn explanation_in_json() {
    let folder = scratch("command_line/explanation_in_json");
    let mut command = command::lockstep(&folder);
    let ran = command::run(command.args(["explain", "PMEVTYPER1", "0xb340000008000003", "--json"]));
    assert_eq!(ran.code, 0);
    assert_golden("keys_explain", &keys(&ran.stdout));
}

#[test]
fn register_that_is_misspelt() {
    refused("register_that_is_misspelt", "PMEVTPYER3_EL0 0");
}

#[test]
fn type_without_a_counter() {
    refused("type_without_a_counter", "PMEVTYPER 0");
}

#[test]
fn register_without_fields() {
    refused("register_without_fields", "PMEVCNTR3_EL0 0");
}

#[test]
fn register_of_something_else() {
    refused("register_of_something_else", "VBAR_EL1 0");
}

#[test]
fn value_that_is_no_number() {
    refused("value_that_is_no_number", "PMCR 0b12");
}

#[test]
fn value_that_is_too_long() {
    refused("value_that_is_too_long", "PMCR 0x1_0000_0000_0000_0000");
}
