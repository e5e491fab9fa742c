//! Names of a dump that a shell proposes.

use std::env;
use std::process::Command;

use crate::command::run;
use crate::golden::{dumps, golden, vcd};

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

/// What bash proposes for the last of these words, with the script of `lockstep completions bash`.
fn bash(words: &[&str]) -> Vec<String> {
    let lockstep = env!("CARGO_BIN_EXE_lockstep");
    let quoted: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <('{lockstep}' completions bash) && COMP_WORDS=('{lockstep}' {}) && COMP_CWORD={} && \
         {{ _lockstep_or_names '{lockstep}' \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"; }}",
        quoted.join(" "),
        words.len()
    );
    let mut command = Command::new("bash");
    command.args(["--norc", "-c", &script]).current_dir(dumps());
    let ran = run(&mut command);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_signals_of_the_dump() {
    let show = |word: &str| bash(&["vcd", "show", HIERARCHY, "--signals", "pulse_o", word]);
    assert_eq!(show("TOP.pul"), ["TOP.pulse_o"]);
    assert_eq!(show("u_sub.s"), ["u_sub.state"]);
    assert_eq!(show("gen_lane[1"), [r"gen_lane\[1\]."]);
    let scopes = bash(&["vcd", "cut", HIERARCHY, "--scope", "u_"]);
    assert_eq!(scopes, ["u_sub"]);
    let clock = bash(&["vcd", "find", HIERARCHY, "count", "--clock", "clk"]);
    assert_eq!(clock, ["clk_i"]);
    // The dump may stand behind.
    let behind = ["vcd", "stats", "--signals", "u_sub.st"];
    assert!(!bash(&behind).contains(&"u_sub.state".to_owned()));
}

#[test]
fn bash_completes_everything_else_as_before() {
    assert_eq!(bash(&["vcd", "sho"]), ["show"]);
    let options = bash(&["vcd", "cut", HIERARCHY, "--sc"]);
    assert_eq!(options, ["--scope"]);
    let values = bash(&["vcd", "show", HIERARCHY, "--radix", "d"]);
    assert_eq!(values, ["dec"]);
}

#[test]
fn names_come_level_by_level_from_any_dump() {
    assert_eq!(golden("names_top", &format!("names {HIERARCHY}")).code, 0);
    assert_eq!(
        golden("names_level", &format!("names {HIERARCHY} TOP.")).code,
        0
    );
    assert_eq!(
        golden("names_fst", "names icarus-11/tricky.fst tricky.b").code,
        0
    );
    assert_eq!(
        golden("names_scopes", &format!("names {HIERARCHY} TOP. --scopes")).code,
        0
    );
    let ran = run(&mut vcd(&dumps(), "names malformed/binary.vcd a"));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

/// Other shells have functions of their own for the same names.
#[test]
fn scripts_of_other_shells_ask_for_names() {
    let script = |shell: &str| {
        let mut command = crate::command::lockstep(&dumps());
        run(command.args(["completions", shell])).stdout
    };
    let zsh = script("zsh");
    assert!(zsh.starts_with("#compdef lockstep\n"));
    assert!(zsh.matches(":_lockstep_names'").count() >= 5, "{zsh}");
    assert_eq!(zsh.matches(":_lockstep_scopes'").count(), 1);
    let fish = script("fish");
    assert!(
        fish.matches("-f -a '(__fish_lockstep_names)'").count() >= 5,
        "{fish}"
    );
    assert_eq!(fish.matches("(__fish_lockstep_names --scopes)").count(), 1);
}
