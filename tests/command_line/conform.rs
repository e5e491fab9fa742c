//! `lockstep conform`: vectors that pass, vectors that fail, and files that hold something else.

use std::fs;
use std::path::PathBuf;

use crate::golden::{assert_golden, golden, keys};
use crate::scratch::scratch;

/// TC = 101, TH = 2: counts 1 if V_B is 2 or more.
const GOOD: &str = r#"{"area":"th","seed":0,"i":0,"cfg":{"counters":1,"th":true,"edge":true,"th2":true,"thwidth":12,"rhbwbb":"LINK_AWARE","cp_when_not_counting":"ZERO","ct_when_bypassed":"UPDATE","link_from_idle":"ZERO","reserved_policy":"DISABLED","reserved_map":{},"counter_bits":64},"types":["0xa000000200000000"],"cycles":[{"writes":{},"vb":[2],"counting":[1],"expect":[{"n":0,"counting":1,"reserved":false,"VB":2,"CT":1,"CP":0,"CE":1,"VT":1,"VE":1,"V":1}]}],"flags":[]}"#;

fn with(name: &str, lines: &[&str]) -> PathBuf {
    let folder = scratch(&format!("command_line/{name}"));
    fs::write(folder.join("a.jsonl"), lines.join("\n")).expect("written");
    folder
}

fn bad() -> String {
    GOOD.replace(r#""V":1"#, r#""V":0"#)
}

#[test]
fn vectors_that_pass() {
    let folder = with("vectors_that_pass", &[GOOD, "", GOOD]);
    let ran = golden("vectors_that_pass", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 0);
}

#[test]
fn vectors_that_fail() {
    let folder = with("vectors_that_fail", &[GOOD, &bad()]);
    let ran = golden("vectors_that_fail", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 1);
}

#[test]
fn many_vectors_that_fail_are_counted() {
    let bad = bad();
    let folder = with("many_vectors_that_fail", &[bad.as_str(); 12]);
    let ran = golden("many_vectors_that_fail", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 1);
}

#[test]
fn failures_in_json() {
    let folder = with("failures_in_json", &[GOOD, &bad()]);
    let mut command = crate::command::lockstep(&folder);
    let ran = crate::command::run(command.args(["conform", "a.jsonl", "--json"]));
    assert_eq!(ran.code, 1);
    assert_golden("keys_conform", &keys(&ran.stdout));
}

#[test]
fn vectors_that_are_not_there() {
    let folder = scratch("command_line/vectors_that_are_not_there");
    assert_eq!(
        golden("vectors_that_are_not_there", &folder, "conform a.jsonl").code,
        2
    );
}

#[test]
fn line_that_is_no_json() {
    let folder = with("line_that_is_no_json", &[GOOD, "area: th"]);
    assert_eq!(
        golden("line_that_is_no_json", &folder, "conform a.jsonl").code,
        2
    );
}

#[test]
fn misspelt_key_of_a_vector() {
    let misspelt = GOOD.replace(r#""counting":[1]"#, r#""countnig":[1]"#);
    let folder = with("misspelt_key_of_a_vector", &[GOOD, &misspelt]);
    let ran = golden("misspelt_key_of_a_vector", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 2);
}

#[test]
fn unknown_key_of_a_configuration() {
    let misspelt = GOOD.replace(r#""thwidth":12"#, r#""thwidht":12"#);
    let name = "unknown_key_of_a_configuration";
    let folder = with(name, &[GOOD, &misspelt]);
    assert_eq!(golden(name, &folder, "conform a.jsonl").code, 2);
}

/// The document of the format has a line of every area, and each is as it says.
#[test]
fn examples_of_the_document_pass() {
    let document = include_str!("../../docs/conformance-vectors.md");
    let examples = document.split("```json\n").skip(1);
    let examples: Vec<_> = examples
        .map(|rest| rest.split("\n```").next().unwrap_or_default())
        .collect();
    let folder = with("examples_of_the_document", &examples);
    let mut command = crate::command::lockstep(&folder);
    let ran = crate::command::run(command.args(["conform", "a.jsonl"]));
    let lines =
        ["th", "ety", "cyc", "spe", "spmu"].map(|area| format!("{area}: 1 passed, 0 failed\n"));
    assert_eq!((ran.stdout, ran.stderr), (lines.concat(), String::new()));
}

/// Keys that say something about a line are taken; others are told of, and do no harm.
#[test]
fn unknown_key_of_a_vector() {
    let noted = GOOD.replace(
        r#""seed":0"#,
        r#""seed":0,"name":"first","notes":["a"],"id":7,"origin":3"#,
    );
    let folder = with("unknown_key_of_a_vector", &[GOOD, &noted, &noted]);
    let ran = golden("unknown_key_of_a_vector", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 0);
}

#[test]
fn vector_that_expects_nothing() {
    let start = GOOD.find(r#""expect":["#).expect("an expectation");
    let end = GOOD.find(r#"],"flags""#).expect("flags") - 1;
    let nothing = format!("{}\"expect\":[]{}", &GOOD[..start], &GOOD[end..]);
    let folder = with("vector_that_expects_nothing", &[GOOD, &nothing]);
    let ran = golden("vector_that_expects_nothing", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 2);
}

#[test]
fn other_lines_run_when_some_cannot() {
    let other = GOOD.replace("\"th\",\"seed\"", "\"amu\",\"seed\"");
    let folder = with(
        "other_lines_run_when_some_cannot",
        &[GOOD, "area: th", &bad(), &other, GOOD],
    );
    let ran = golden(
        "other_lines_run_when_some_cannot",
        &folder,
        "conform a.jsonl",
    );
    assert_eq!(
        ran.code, 2,
        "lines that cannot be run count more than failures"
    );
}

/// Numbers as texts, flags as bits, and `null` for what is not compared.
#[test]
fn every_form_of_a_value_is_read() {
    let other = GOOD
        .replace(r#""counters":1"#, r#""counters":"0x1""#)
        .replace(r#""th":true"#, r#""th":1"#)
        .replace(r#""reserved_map":{}"#, r#""reserved_map":null"#)
        .replace(r#""CP":0"#, r#""CP":null"#);
    let none = GOOD.replace(r#""expect":[{"#, r#""expect":[null,{"#);
    let folder = with("every_form_of_a_value", &[&other, &none]);
    let ran = crate::command::run(crate::command::lockstep(&folder).args(["conform", "a.jsonl"]));
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "th: 2 passed, 0 failed\n")
    );
}

#[test]
fn line_that_is_cut_off() {
    let folder = with("line_that_is_cut_off", &[&GOOD[..200]]);
    assert_eq!(
        golden("line_that_is_cut_off", &folder, "conform a.jsonl").code,
        2
    );
}

#[test]
fn line_without_cycles() {
    let folder = with(
        "line_without_cycles",
        &[&GOOD.replace("\"cycles\"", "\"cylces\"")],
    );
    assert_eq!(
        golden("line_without_cycles", &folder, "conform a.jsonl").code,
        2
    );
}

#[test]
fn unknown_area() {
    let folder = with(
        "unknown_area",
        &[&GOOD.replace("\"th\",\"seed\"", "\"amu\",\"seed\"")],
    );
    assert_eq!(golden("unknown_area", &folder, "conform a.jsonl").code, 2);
}

#[cfg(feature = "rtl")]
mod rtl {
    use super::*;

    /// A width of TH that the RTL which is there does not have.
    fn narrow() -> String {
        GOOD.replace(r#""thwidth":12"#, r#""thwidth":2"#)
            .replace("0xa000000200000000", "0xa000000600000000")
    }

    #[test]
    fn vectors_on_the_rtl() {
        let wide = GOOD.replace(r#""vb":[2]"#, r#""vb":[65536]"#);
        let wide = wide.replace(r#""VB":2"#, r#""VB":65536"#);
        let folder = with("vectors_on_the_rtl", &[GOOD, &wide, &narrow()]);
        let arguments = "conform --rtl --rtl-builds 0 a.jsonl";
        assert_eq!(golden("vectors_on_the_rtl", &folder, arguments).code, 0);
    }

    #[test]
    fn vectors_that_fail_on_the_rtl() {
        let folder = with("vectors_that_fail_on_the_rtl", &[GOOD, &bad()]);
        let ran = golden(
            "vectors_that_fail_on_the_rtl",
            &folder,
            "conform --rtl a.jsonl",
        );
        assert_eq!(ran.code, 1);
    }

    #[test]
    fn failures_on_the_rtl_in_json() {
        let wide = GOOD.replace(r#""vb":[2]"#, r#""vb":[65536]"#);
        let wide = wide.replace(r#""VB":2"#, r#""VB":65536"#);
        let folder = with("failures_on_the_rtl_in_json", &[&wide, &bad()]);
        let mut command = crate::command::lockstep(&folder);
        let ran = crate::command::run(command.args(["conform", "--rtl", "a.jsonl", "--json"]));
        assert_eq!(ran.code, 1);
        assert_golden("keys_conform_rtl", &keys(&ran.stdout));
    }

    #[test]
    fn a_configuration_is_built() {
        let folder = with("a_configuration_is_built", &[&narrow()]);
        let mut command = crate::command::lockstep(&folder);
        let ran = crate::command::run(command.args(["conform", "--rtl", "a.jsonl"]));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(
            ran.stdout
                .contains("on the RTL: 1 passed, 0 passed in part"),
            "{}",
            ran.stdout
        );
    }
}

/// A vector of area `ety` with a state and the context of an access.
fn of_state(filtered: &str, level: u8, enabled: u8) -> String {
    let features = r#""th":true,"edge":false,"th2":false,"thwidth":4,"el2":true,"el3":true,"sel2":true,"rme":true,"sebep":false,"sme":false,"mt":false,"mtpmu":false,"pmuv3p1":true,"pmuv3p8":true,"pmuv3p9":false,"fgt":true,"vhe":true,"hpmn0":true"#;
    let controls = r#""e2h":0,"tge":0,"userenr_en":1,"uen":0,"er":0,"uacr":0,"fgten":1,"fgt_r":0,"fgt_w":0,"tpm2":0,"tpm3":0,"hpmn":6,"halted":0,"sdd":0"#;
    format!(
        r#"{{"area":"ety","cfg":{{"counters":6,{features}}},"n":1,"write":0,"filtered":[[1,"NS",0,0],{filtered}],"access":[{{"ctx":{{"el":{level},"el2_enabled":{enabled},{controls}}},"write":0,"expect":"OK"}}]}}"#
    )
}

#[test]
fn dut_81_dut_82_vectors_that_the_contract_excludes() {
    let lines = [
        of_state(r#"[3,"RT",0,0]"#, 2, 1),
        of_state(r#"[2,"RT",0,0]"#, 2, 1),
        of_state(r#"[3,"RL",0,0]"#, 2, 1),
        of_state(r#"[0,"RL",0,0]"#, 2, 0),
        of_state(r#"[0,"RL",0,0]"#, 2, 1).replace("\"rme\":true", "\"rme\":false"),
        of_state(r#"[1,"S",0,0]"#, 3, 1)
            .replace("\"rme\":true", "\"rme\":false")
            .replace("\"el3\":true", "\"el3\":false"),
    ];
    let lines = lines.each_ref().map(String::as_str);
    let folder = with("excluded_vectors", &lines);
    let ran = golden("excluded_vectors", &folder, "conform a.jsonl");
    assert_eq!(ran.code, 2);
}
