//! `lockstep vcd diff`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Ran, lockstep, run};
use crate::golden::{dumps, golden, golden_in, vcd};
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

fn compared(folder: &Path, arguments: &str) -> Ran {
    let mut command = lockstep(folder);
    run(command
        .args(["vcd", "diff"])
        .args(arguments.split_whitespace()))
}

/// Dumps of a clock of two bits and a value, whose bit 1 rises where only one of the two has the value 1.
fn with_clock_bits(at_five: &str, at_nine: &str) -> String {
    format!(
        "$timescale 1ns $end $scope module tb $end $var wire 2 ! ck [1:0] $end $var wire 4 q q [3:0] $end $upscope $end \
         $enddefinitions $end\n#0\nb00 !\nb0000 q\n#4\n{at_five} q\n#5\nb10 !\n#9\n{at_nine} q\n#10\nb11 !\n"
    )
}

#[test]
fn a_bit_of_a_clock_is_the_same_bit_in_both() {
    let folder = scratch("waves/diff_clock_bit");
    fs::write(folder.join("a.vcd"), with_clock_bits("b0001", "b1111")).expect("written");
    fs::write(folder.join("b.vcd"), with_clock_bits("b1111", "b1111")).expect("written");
    let diff = |arguments: &str| compared(&folder, arguments);
    assert_eq!(diff("a.vcd a.vcd --clock tb.ck[1]").code, 0);
    assert_eq!(diff("a.vcd b.vcd --clock tb.ck[1]").code, 1);
    assert_eq!(diff("a.vcd b.vcd --clock tb.ck[0]").code, 0);
    let vector = diff("a.vcd b.vcd --clock tb.ck");
    assert_eq!(vector.code, 2);
    assert!(
        vector.stderr.contains("expected a clock of one bit"),
        "{}",
        vector.stderr
    );
}

#[test]
fn dumps_that_end_elsewhere_are_told_of_a_clock_too() {
    let folder = scratch("waves/diff_clock_ends");
    let whole = with_clock_bits("b0001", "b0001");
    let dumps = [
        ("whole", whole.clone() + "b0111 q\n"),
        ("shorter", whole.clone()),
        ("longer", whole.clone() + "b0111 q\n#12\nb1000 q\n"),
    ];
    for (name, text) in dumps {
        fs::write(folder.join(format!("{name}.vcd")), text).expect("written");
    }
    let warning = |other: &str| {
        let ran = compared(&folder, &format!("whole.vcd {other}.vcd --clock tb.ck[1]"));
        assert_eq!(ran.code, 0, "{other}: {}", ran.stdout);
        ran.stderr
    };
    assert_eq!(warning("whole"), "");
    assert!(warning("shorter").contains("behind the last clock edge"));
    assert!(warning("longer").contains("A ends at 10 ns, B at 12 ns"));
}

#[test]
fn a_fault_behind_the_difference_is_told() {
    let folder = scratch("waves/diff_fault_behind");
    let header = "$var wire 1 a a $end $enddefinitions $end\n#0\n";
    for (name, body) in [("a", "0a\n#5\n1a\n#9\n0a\n"), ("b", "1a\n#5\n0a\n?\n")] {
        fs::write(
            folder.join(format!("{name}.vcd")),
            format!("{header}{body}"),
        )
        .expect("written");
    }
    let ran = compared(&folder, "a.vcd b.vcd");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let warning = "lockstep: warning: behind the difference: b.vcd: [vcd] expected";
    assert!(ran.stderr.starts_with(warning), "{}", ran.stderr);
    let ran = compared(&folder, "a.vcd b.vcd --json");
    assert!(
        ran.stdout.contains("\"fault\": \"[vcd] expected"),
        "{}",
        ran.stdout
    );
    assert_eq!(compared(&folder, "a.vcd b.vcd --window 0").stderr, "");
}

#[test]
fn a_clock_that_never_rises_compares_nothing() {
    let folder = scratch("waves/diff_dead_clock");
    let dump = |value: &str| {
        format!(
            "$scope module tb $end $var wire 1 ! clk $end $var wire 4 q q [3:0] $end $upscope $end $enddefinitions $end\n\
             #0\n0!\n#5\n{value} q\n"
        )
    };
    fs::write(folder.join("a.vcd"), dump("b0001")).expect("written");
    fs::write(folder.join("b.vcd"), dump("b1111")).expect("written");
    let ran = compared(&folder, "a.vcd b.vcd --clock clk");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("found none in either dump"),
        "{}",
        ran.stderr
    );
}

#[test]
fn other_bits_of_a_vector_are_no_pair() {
    let folder = scratch("waves/diff_other_bits");
    let dump = |variables: &str| {
        format!(
            "$scope module tb $end {variables} $upscope $end $enddefinitions $end\n#0\n1!\n#5\n0!\n"
        )
    };
    let bit = |bit: u32| dump(&format!("$var wire 1 ! q [{bit}] $end"));
    fs::write(folder.join("two.vcd"), bit(2)).expect("written");
    fs::write(folder.join("three.vcd"), bit(3)).expect("written");
    let ran = compared(&folder, "two.vcd three.vcd");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("declared with other bits: 1"),
        "{}",
        ran.stdout
    );

    let whole = dump("$var wire 8 ! q [7:0] $end $var wire 1 a a $end");
    let bits = "$var wire 1 ! q [1] $end $var wire 1 b q [0] $end $var wire 1 c q [4] $end $var wire 1 d q [3] $end";
    fs::write(folder.join("whole.vcd"), whole).expect("written");
    fs::write(
        folder.join("bits.vcd"),
        dump(&format!("{bits} $var wire 1 a a $end")),
    )
    .expect("written");
    let ran = compared(&folder, "whole.vcd bits.vcd");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("declared in other pieces: 1"),
        "{}",
        ran.stdout
    );
}

#[test]
fn where_nothing_is_compared_nothing_is_the_same() {
    let folder = scratch("waves/diff_widths_alone");
    let dump = |width: u32, more: &str| {
        format!(
            "$scope module tb $end $var reg {width} q q $end {more} $upscope $end $enddefinitions $end\n#0\nb1 q\n#5\nb0 q\n"
        )
    };
    for (name, more) in [("alone", ""), ("one", "$var reg 1 a a $end")] {
        fs::write(folder.join(format!("a_{name}.vcd")), dump(8, more)).expect("written");
        fs::write(folder.join(format!("b_{name}.vcd")), dump(4, more)).expect("written");
    }
    let alone = golden_in("diff_widths_alone", &folder, "diff a_alone.vcd b_alone.vcd");
    let one = golden_in("diff_widths_and_one", &folder, "diff a_one.vcd b_one.vcd");
    assert_eq!((alone.code, one.code), (1, 1));
}

/// An event and a signal may have one code: what is written is a trigger of the one, and a value of the other.
#[test]
fn an_event_is_no_other_name_of_a_signal() {
    let folder = scratch("waves/diff_event_of_a_signal");
    let variables = ["$var wire 1 ! w $end", "$var event 1 ! e $end"];
    let bodies = ["1!\n#7\n", "#7\n", "0!\n#7\n"];
    for order in [[0, 1], [1, 0]] {
        for (number, body) in bodies.iter().enumerate() {
            let [one, two] = order.map(|place| variables[place]);
            let text = format!("{one} {two} $enddefinitions $end\n#0\n0!\n#5\n1!\n#6\n{body}");
            fs::write(folder.join(format!("{number}.vcd")), text).expect("written");
        }
        assert_eq!(compared(&folder, "0.vcd 0.vcd").code, 0);
        for other in ["1.vcd", "2.vcd"] {
            let ran = compared(&folder, &format!("0.vcd {other}"));
            assert_eq!(ran.code, 1, "{}", ran.stdout);
        }
        let ran = run(&mut vcd(&folder, "stats 0.vcd --csv"));
        assert_eq!(ran.stdout.lines().count(), 3, "{}", ran.stdout);
    }
}

#[test]
fn a_pipe_cannot_be_both() {
    let folder = scratch("waves/diff_one_pipe");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.expect("mkfifo").success());
    let ran = compared(&folder, "pipe ./pipe");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("found the pipe pipe twice"),
        "{}",
        ran.stderr
    );
}

/// Digits that are not those of the number are never shown as if they were.
#[test]
fn rounded_reals_are_marked() {
    let folder = scratch("waves/diff_reals");
    for (name, value) in [("a", "0.3"), ("b", "0.3000000000000003")] {
        let text = format!(
            "$var real 64 ! r $end $enddefinitions $end\n#0\nr{value} !\n#5\nr1234567890123 !\n#6\n"
        );
        fs::write(folder.join(format!("{name}.vcd")), text).expect("written");
    }
    let ran = compared(&folder, "a.vcd b.vcd");
    assert!(ran.stdout.contains("~0.3!"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1234567890123"), "{}", ran.stdout);
}

#[test]
fn all_left_out_is_told() {
    let folder = scratch("waves/diff_all_ignored");
    fs::write(
        folder.join("a.vcd"),
        "$var wire 1 ! a $end $enddefinitions $end\n#0\n0!\n#1\n",
    )
    .expect("written");
    let ran = compared(&folder, "a.vcd a.vcd --ignore **");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("left out by --ignore"),
        "{}",
        ran.stderr
    );
}
