//! `lockstep vcd diff`.

use std::fs;
use std::path::PathBuf;

use crate::command::Ran;
use crate::golden::{dumps, golden, golden_in};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

/// A folder with the dump `a.vcd`, and `b.vcd` with this text replaced by that.
fn changed(name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let folder = scratch(&format!("waves/{name}"));
    let mut text = fs::read_to_string(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("a.vcd"), &text).expect("written");
    for (from, to) in changes {
        assert!(text.contains(from), "{from:?}");
        text = text.replace(from, to);
    }
    fs::write(folder.join("b.vcd"), text).expect("written");
    folder
}

fn diff(name: &str, changes: &[(&str, &str)], options: &str) -> Ran {
    let folder = changed(name, changes);
    golden_in(name, &folder, &format!("diff a.vcd b.vcd {options}"))
}

/// Two signals that go wrong at different times.
const WRONG: &[(&str, &str)] = &[("\nb10 (", "\nb01 ("), ("\nb00001001 ", "\nb00001011 ")];

#[test]
fn help() {
    assert_eq!(golden("help_diff", "diff --help").code, 0);
}

#[test]
fn two_versions_of_a_tool_agree() {
    let ran = golden(
        "diff_same",
        &format!("diff verilator-5.006/hierarchy.vcd {HIERARCHY}"),
    );
    assert_eq!(ran.code, 0);
    let arguments = format!(
        "diff verilator-5.006/hierarchy.vcd {HIERARCHY} --clock clk_i --ignore **.unnamedblk1.*"
    );
    assert_eq!(golden("diff_same_at_edges", &arguments).code, 0);
}

#[test]
fn first_difference_with_a_window() {
    assert_eq!(diff("diff_different", WRONG, "").code, 1);
}

#[test]
fn first_difference_at_clock_edges() {
    let options = "--clock clk_i --window 2";
    assert_eq!(diff("diff_at_edges", WRONG, options).code, 1);
    let options = "--clock clk_i --window 2 --sample after";
    assert_eq!(diff("diff_after_edges", WRONG, options).code, 1);
}

#[test]
fn ignored_signals_do_not_differ() {
    assert_eq!(
        diff(
            "diff_ignore",
            WRONG,
            "--ignore u_sub.state --ignore bank[*] --ignore packed2*"
        )
        .code,
        0
    );
}

#[test]
fn many_differing_signals() {
    let early = &[("#65\n", "#64\n")];
    assert_eq!(diff("diff_many", early, "--window 1").code, 1);
}

#[test]
fn renamed_scopes_and_signals() {
    let changes = &[
        ("module TOP", "module tb"),
        ("module lockstep_dut", "module u_dut"),
        ("bank[", "mem["),
    ];
    let rules =
        "--rename **.bank[*]=tb.u_dut.mem[*] --rename TOP.lockstep_dut=tb.u_dut --rename TOP=tb";
    assert_eq!(diff("diff_renamed", changes, rules).code, 0);
}

#[test]
fn signals_of_one_dump_alone() {
    let changes = &[("bank[", "mem["), ("level [6:0]", "depth [6:0]")];
    assert_eq!(diff("diff_only", changes, "").code, 0);
}

#[test]
fn declared_with_another_width() {
    let changes = &[("16 - count [15:0]", "20 - count [19:0]")];
    assert_eq!(diff("diff_width", changes, "").code, 1);
}

#[test]
fn a_clock_that_stops_early() {
    let folder = changed("diff_length", &[]);
    let text = fs::read_to_string(folder.join("a.vcd")).expect("text");
    let end = text.find("#200\n").expect("a time");
    fs::write(folder.join("b.vcd"), &text[..end]).expect("written");
    let ran = golden_in("diff_length", &folder, "diff a.vcd b.vcd --clock clk_i");
    assert_eq!(ran.code, 1);
    let ran = golden_in(
        "diff_length_in_time",
        &folder,
        "diff a.vcd b.vcd --window 2",
    );
    assert_eq!(ran.code, 1);
}

#[test]
fn a_dump_that_is_cut_off() {
    let folder = changed("diff_truncated", &[]);
    let text = fs::read(folder.join("a.vcd")).expect("text");
    fs::write(folder.join("b.vcd"), &text[..5000]).expect("written");
    let ran = golden_in("diff_truncated", &folder, "diff a.vcd b.vcd");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

#[test]
fn command_lines_that_mean_nothing() {
    let refused = |name: &str, arguments: &str| {
        let ran = golden(name, arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    };
    refused(
        "diff_nothing_in_common",
        &format!("diff {HIERARCHY} icarus-11/tricky.vcd"),
    );
    refused("diff_standard_input_twice", "diff - -");
    refused(
        "diff_rule_that_is_none",
        &format!("diff {HIERARCHY} {HIERARCHY} --rename TOP"),
    );
    refused(
        "diff_sample_without_clock",
        &format!("diff {HIERARCHY} {HIERARCHY} --sample after"),
    );
    refused(
        "diff_unknown_clock",
        &format!("diff {HIERARCHY} {HIERARCHY} --clock klock"),
    );
}
