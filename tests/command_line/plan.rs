//! `lockstep plan`. The plan itself changes with every test that names a rule, so that golden files hold only what is
//! around it.

use std::fs;

use crate::command;
use crate::golden::{assert_golden, golden, keys};
use crate::scratch::scratch;

#[test]
fn help() {
    let ran = golden(
        "help_plan",
        &scratch("command_line/help_plan"),
        "plan --help",
    );
    assert_eq!(ran.code, 0);
}

#[test]
fn every_rule_has_code_and_test_or_an_exception() {
    let folder = scratch("command_line/plan");
    let ran = command::run(command::lockstep(&folder).arg("plan"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n  TH-20 "), "{}", ran.stdout);
}

#[test]
fn plan_in_json() {
    let folder = scratch("command_line/plan_in_json");
    fs::write(folder.join("a.json"), COVERAGE).expect("written");
    let ran = command::run(command::lockstep(&folder).args(["plan", "a.json", "--json"]));
    assert_eq!(ran.code, 0);
    assert_golden("keys_plan", &keys(&ran.stdout));
}

/// Coverage of the default implementation; what is left out was not taken.
const COVERAGE: &str =
    r#"{"implementation": {}, "cycles": 100, "rules": {"TH-20": 12, "TH-30": 0}, "crosses": {}}"#;

/// Proofs of two implementations, in the second of which one was not finished.
const PROOFS: [&str; 2] = [
    r#"{"areas": [{"area": "threshold", "claims": [
        {"claim": "V", "rules": ["TH-20", "TH-21"], "result": "proved"}]}]}"#,
    r#"{"areas": [{"area": "threshold", "claims": [
        {"claim": "V", "rules": ["TH-20"], "result": "proved"},
        {"claim": "C_P", "rules": ["TH-21"], "result": "not_decided"}]}]}"#,
];

#[test]
fn rules_that_are_proved_are_marked() {
    let folder = scratch("command_line/plan_with_proofs");
    for (name, text) in ["a.json", "b.json"].into_iter().zip(PROOFS) {
        fs::write(folder.join(name), text).expect("written");
    }
    let plan = ["plan", "--proofs", "a.json", "--proofs", "b.json"];
    let ran = command::run(command::lockstep(&folder).args(plan));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let line = |start: &str| ran.stdout.lines().find(|line| line.starts_with(start));
    let has = |start: &str, word: &str| line(start).is_some_and(|line| line.contains(word));
    assert!(has("  TH-20 ", " proved "), "{:?}", line("  TH-20 "));
    assert!(has("  TH-21 ", " open "), "{:?}", line("  TH-21 "));
    assert!(
        has("1 proved", "1 not decided, 0 refuted"),
        "{}",
        ran.stdout
    );

    fs::write(folder.join("c.json"), COVERAGE).expect("written");
    let ran = command::run(command::lockstep(&folder).args(["plan", "--proofs", "c.json"]));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("c.json: not proofs as `lockstep prove --json` prints them")
    );
}

#[test]
fn coverage_of_several_runs_is_added() {
    let folder = scratch("command_line/plan_with_coverage");
    for name in ["a.json", "b.json"] {
        fs::write(folder.join(name), COVERAGE).expect("written");
    }
    let ran = command::run(command::lockstep(&folder).args(["plan", "a.json", "b.json"]));
    assert_eq!(ran.code, 0, "coverage decides nothing");
    let line = |start: &str| {
        ran.stdout
            .lines()
            .find(|line| line.starts_with(start))
            .expect("a line")
    };
    assert!(line("  TH-20 ").contains("  24  "), "{}", line("  TH-20 "));
    let never = ran
        .stdout
        .split("\nnever covered\n")
        .nth(1)
        .expect("rules never covered");
    assert!(
        never.contains("TH-30, ") && !never.contains("TH-20, "),
        "{never}"
    );
    assert!(never.contains(" points never hit\n"), "{never}");
}

#[test]
fn a_plan_that_must_be_complete() {
    let folder = scratch("command_line/plan_complete");
    fs::write(folder.join("a.json"), COVERAGE).expect("written");
    let ran = command::run(command::lockstep(&folder).args(["plan", "a.json", "--complete"]));
    assert_eq!(ran.code, 1);
    let never = ran.stdout.split("\ntaken in no cycle\n").nth(1);
    let never = never.expect("rules that no cycle took");
    let has = |id: &str| never.contains(id);
    assert!(has("TH-30, "), "{never}");
    // The default implementation has thresholds, so that no cycle of it can take TH-02.
    assert!(
        !has("TH-02") && !has("TH-20, ") && !has("DUT-01"),
        "{never}"
    );
    let without_state = COVERAGE.replace(
        "{}, \"cycles\"",
        r#"{"wrapper": {"pe_state": false}}, "cycles""#,
    );
    fs::write(folder.join("b.json"), without_state).expect("written");
    let plan = |file: &str| command::run(command::lockstep(&folder).args(["plan", file])).stdout;
    let title = "\nnot possible with the implementations of the coverage\n";
    let not_possible = |text: &str| {
        let rest = text
            .split(title)
            .nth(1)
            .expect("what is not possible")
            .to_owned();
        rest.split("\n\n").next().unwrap_or_default().to_owned()
    };
    let of_default = not_possible(&plan("a.json"));
    assert!(
        of_default.contains("its features and sizes: TH-02, "),
        "{of_default}"
    );
    assert!(!of_default.contains("ETY-20"), "{of_default}");
    let text = plan("b.json");
    let lacking = not_possible(&text);
    assert!(lacking.contains("lacks pe_state: ETY-20, "), "{lacking}");
    let never = text
        .split("\nnever covered\n")
        .nth(1)
        .expect("what was never covered");
    assert!(
        !never.contains("ETY-40") && !never.contains("row (a)"),
        "{never}"
    );
    let ran = command::run(command::lockstep(&folder).args(["plan", "--complete"]));
    assert_eq!(ran.code, 2, "complete of what");
}

#[test]
fn plan_as_markdown() {
    let folder = scratch("command_line/plan_as_markdown");
    let ran = command::run(command::lockstep(&folder).args(["plan", "--write", "plan.md"]));
    assert_eq!(ran.code, 0);
    let written = fs::read_to_string(folder.join("plan.md")).expect("written");
    assert_eq!(
        written,
        include_str!("../../docs/verification-plan.md"),
        "run make plan"
    );
}

#[test]
fn coverage_that_is_not_there() {
    let name = "coverage_that_is_not_there";
    let ran = golden(
        name,
        &scratch(&format!("command_line/{name}")),
        "plan a.json",
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn coverage_that_is_something_else() {
    let name = "coverage_that_is_something_else";
    let folder = scratch(&format!("command_line/{name}"));
    fs::write(folder.join("a.json"), "{\n  \"rules\": [1]\n}\n").expect("written");
    assert_eq!(golden(name, &folder, "plan a.json").code, 2);
}
