//! What `show` and `diff` print for programs: JSON and CSV.

use std::fs;

use crate::command::run;
use crate::golden::{dumps, golden, golden_from, golden_in, vcd};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

#[test]
fn rows_of_cycles() {
    let show = format!("show {HIERARCHY} --signals count u_sub.state --cycle 3 --window 1");
    assert_eq!(golden("show_json", &format!("{show} --json")).code, 0);
    assert_eq!(golden("show_csv", &format!("{show} --csv")).code, 0);
}

#[test]
fn values_keep_x_and_z_in_any_radix() {
    let show =
        "icarus-11/tricky.vcd --signals driven bus negative now wide level --cycle 2 --window 0";
    let json = golden("show_unknown_json", &format!("show {show} --json"));
    assert_eq!(json.code, 0);
    let csv = golden(
        "show_unknown_csv",
        &format!("show {show} --csv --radix dec"),
    );
    assert_eq!(csv.code, 0);
}

#[test]
fn a_pipe_and_fst_say_the_same() {
    let show = "--signals tricky.* --at 20 --window 2 --csv --changes";
    let vcd = golden("show_csv_vcd", &format!("show icarus-11/tricky.vcd {show}"));
    let fst = golden("show_csv_fst", &format!("show icarus-11/tricky.fst {show}"));
    let pipe = golden_from(
        "show_csv_pipe",
        "icarus-11/tricky.vcd",
        &format!("show - {show}"),
    );
    assert_eq!((vcd.code, &vcd.stdout), (0, &fst.stdout));
    assert_eq!(vcd.stdout, pipe.stdout);
}

#[test]
fn names_and_strings_are_quoted() {
    let show = "show ghdl-2.0/kinds.vcd --signals kinds.* --at 60ns --window 0";
    assert_eq!(golden("show_vhdl_csv", &format!("{show} --csv")).code, 0);
}

#[test]
fn an_empty_string_is_not_nothing() {
    let folder = scratch("waves/empty_string");
    let text = "$timescale 1ns $end $var string 1 ! note $end $var wire 1 a q $end $enddefinitions $end\n\
        #0\n0a\n#10\ns !\n1a\n#20\nsidle !\n0a\n";
    fs::write(folder.join("notes.vcd"), text).expect("written");
    let other = text.replace("s !", "sbusy !");
    fs::write(folder.join("other.vcd"), other).expect("written");
    let show = "show notes.vcd --signals note q --changes --at 0 --csv";
    let lines = |arguments| run(&mut vcd(&folder, arguments)).stdout;
    assert_eq!(
        lines(show),
        "time,timescale,cycle,note,q,changed\n0,1 ns,,,0,\n10,1 ns,,\"\",1,note q\n20,1 ns,,idle,0,note q\n"
    );
    let find = lines("find notes.vcd q --signals note --csv");
    assert!(find.ends_with("\n10,1 ns,,1,\"\"\n"), "{find}");
    let diff = lines("diff notes.vcd other.vcd --csv");
    assert!(
        diff.contains("\n0,1 ns,,note,,,0\n10,1 ns,,note,\"\",busy,1\n"),
        "{diff}"
    );
}

#[test]
fn registers_are_told_in_words() {
    let show =
        format!("show {HIERARCHY} --signals count --cycle 2 --window 1 --decode count=PMCR --json");
    assert_eq!(golden("show_decode_json", &show).code, 0);
}

#[test]
fn failures_are_json_as_well() {
    let show = format!("show {HIERARCHY} --signals count --json");
    let ran = golden("show_failure_json", &format!("{show} --at 1us"));
    assert_eq!(ran.code, 2);
    let ran = golden(
        "diff_failure_json",
        &format!("diff {HIERARCHY} icarus-11/tricky.vcd --json"),
    );
    assert_eq!(ran.code, 2);
    let ran = golden("show_json_and_csv", &format!("{show} --csv --at 1"));
    assert_eq!(ran.code, 2);
    let folder = scratch("waves/programs_cut");
    let whole = fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("cut.vcd"), &whole[..5000]).expect("written");
    let show = "show cut.vcd --signals u_sub.state --cycle 20 --window 1 --json";
    let ran = golden_in("show_truncated_json", &folder, show);
    assert_eq!(ran.code, 2);
    // One document, with the rows before the fault.
    assert_eq!(ran.stdout.matches("\"fault\"").count(), 1, "{}", ran.stdout);
}

#[test]
fn differences() {
    let folder = scratch("waves/programs_diff");
    let text = fs::read_to_string(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("a.vcd"), &text).expect("written");
    let mut changed = text.clone();
    for (from, to) in [
        ("\nb10 (", "\nb01 ("),
        ("\nb00001001 ", "\nb00001011 "),
        ("level [6:0]", "depth [6:0]"),
        ("16 - count [15:0]", "20 - count [19:0]"),
    ] {
        assert!(changed.contains(from), "{from:?}");
        changed = changed.replace(from, to);
    }
    fs::write(folder.join("b.vcd"), changed).expect("written");
    let diff = "diff a.vcd b.vcd --window 1";
    for (name, options, code) in [
        ("diff_json", "--json", 1),
        ("diff_csv", "--csv", 1),
        ("diff_clock_json", "--clock clk_i --json", 1),
    ] {
        assert_eq!(
            golden_in(name, &folder, &format!("{diff} {options}")).code,
            code
        );
    }
    let end = text.find("#200\n").expect("a time");
    fs::write(folder.join("short.vcd"), &text[..end]).expect("written");
    let length = "diff a.vcd short.vcd --clock clk_i --json";
    assert_eq!(golden_in("diff_length_json", &folder, length).code, 1);
    for (name, options) in [("diff_same_json", "--json"), ("diff_same_csv", "--csv")] {
        let ran = golden_in(name, &folder, &format!("diff a.vcd a.vcd {options}"));
        assert_eq!(ran.code, 0);
    }
}

/// All signals that differ are told, more than a person is shown.
#[test]
fn every_difference_is_told() {
    let folder = scratch("waves/programs_many");
    let dump = |digit: char| {
        let mut text = String::from("$scope module tb $end\n");
        let codes: Vec<_> = ('a'..='l').collect();
        for code in &codes {
            text += &format!("$var wire 1 {code} s_{code} $end\n");
        }
        text += "$upscope $end $enddefinitions $end\n#0\n";
        text.extend(codes.iter().map(|code| format!("{digit}{code}\n")));
        text
    };
    fs::write(folder.join("a.vcd"), dump('0')).expect("written");
    fs::write(folder.join("b.vcd"), dump('1')).expect("written");
    let ran = golden_in("diff_all_csv", &folder, "diff a.vcd b.vcd --csv");
    // A head, and a line for each of twelve signals.
    assert_eq!((ran.code, ran.stdout.lines().count()), (1, 13));
}
