//! DUT-44: what a design prints.

use std::fs;

use serde_json::Value;

use super::{folder, replay, report};

const MEGABYTE: usize = 1 << 20;

/// Three megabytes: the terminal has the first lines, the file the last megabyte.
#[test]
fn the_last_megabyte_is_kept() {
    let ran = replay("chatter.sv", "chatter", &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let shown: Vec<_> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("cycle "))
        .collect();
    assert_eq!(shown.len(), 20);
    assert!(shown[0].starts_with("cycle 0 xxx"), "{}", shown[0]);
    let path = "lockstep-out/design.log";
    assert!(
        ran.stderr
            .contains(&format!("the design prints more: see {path}"))
    );
    let line = ran
        .stdout
        .lines()
        .find(|line| line.contains("printed by the design"));
    let line = line.expect("the summary names the file");
    assert!(line.contains(path), "{line}");

    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("lockstep/chatter");
    let text = fs::read_to_string(folder.join(path)).expect("a log");
    assert!(
        (MEGABYTE - 2000..MEGABYTE + 100).contains(&text.len()),
        "{}",
        text.len()
    );
    assert!(
        text.starts_with("[lockstep] bytes that are not kept: "),
        "{}",
        &text[..60]
    );
    let last = text.lines().next_back().expect("lines");
    assert!(last.starts_with("cycle 4999 xxx"), "{last}");
}

#[test]
fn what_was_printed_is_counted_in_json() {
    let ran = replay("chatter.sv", "chatter_in_json", &["--json"]);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let printed = &json["printed"];
    // 5000 lines: "cycle ", the number, a space, the text and the end of the line.
    let digits = 10 + 2 * 90 + 3 * 900 + 4 * 4000;
    assert_eq!(printed["bytes"], 5000 * (6 + 1 + 620 + 1) + digits);
    assert!(printed["left_out"].as_u64() > Some(MEGABYTE as u64));
}

#[test]
fn a_stop_has_its_message_in_the_log() {
    let ran = replay("fatal.sv", "message_in_the_log", &[]);
    assert_eq!(ran.code, 4);
    let lines = report("message_in_the_log")["last_lines"].to_string();
    assert!(lines.contains("queue 3 is full"), "{lines}");
    assert!(!ran.stderr.contains("queue 3 is full"), "{}", ran.stderr);
}

#[test]
fn a_design_that_prints_nothing_leaves_no_log() {
    let folder = folder("segfault.sv", "silent");
    let ran = crate::command::run(&mut super::command(&folder, "replay", "segfault.sv"));
    assert_eq!(ran.code, 6);
    assert!(!folder.join("lockstep-out/design.log").exists());
    assert_eq!(report("silent")["printed"], Value::Null);
}

/// What initial blocks print is told once, with the first cycles; a memory whose file is not there too.
#[test]
fn initial_blocks_are_heard() {
    let ran = replay("begins.sv", "begins", &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let times = |text: &str| ran.stderr.matches(text).count();
    assert_eq!(times("a word before the first cycle"), 1, "{}", ran.stderr);
    assert_eq!(times("$readmem file not found"), 1, "{}", ran.stderr);
}
