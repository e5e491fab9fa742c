//! Several signals of one path, and several names of one signal.

use std::fs;
use std::path::Path;

use crate::command::{Ran, run};
use crate::golden::{dumps, golden, golden_in, vcd};
use crate::scratch::scratch;

fn ran(folder: &Path, arguments: &str) -> Ran {
    run(&mut vcd(folder, arguments))
}

fn csv(arguments: &str) -> String {
    let ran = ran(&dumps(), &format!("{arguments} --csv"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments}");
    ran.stdout
}

/// Written with its backslash, or without, each of two signals of one path can be asked for.
#[test]
fn an_escaped_name_is_none_in_a_scope() {
    golden(
        "namesakes_escaped",
        "show twice/escaped.vcd --signals ** --changes --at 5",
    );
    let changes = |path: &str| {
        let lines = csv(&format!("stats twice/escaped.vcd --signals {path}"));
        lines.lines().nth(1).expect("a signal").to_owned()
    };
    assert!(changes("tb.a.b").starts_with("tb.a.b,4,wire,1 ns,2,7,9"));
    assert!(changes("a.b").starts_with("tb.a.b,4,wire,1 ns,2,7,9"));
    assert!(changes(r"tb.\a.b").starts_with(r"tb.\a.b,4,wire,1 ns,1,5,5"));
    assert!(changes(r"\a.b").starts_with(r"tb.\a.b,4,wire,1 ns,1,5,5"));
    assert!(changes(r"\a.b[2]").starts_with(r"tb.\a.b[2],1,wire,1 ns,1,5,5"));
    let mut find = vcd(&dumps(), "find twice/escaped.vcd --signals a.b --csv");
    let hits = run(find.arg(r"\a.b ==4")).stdout;
    assert!(hits.contains("\n5,1 ns,,0x4,0x2\n"), "{hits}");
}

/// Two dumps have them in another order.
#[test]
fn namesakes_are_paired_by_their_own_names() {
    let folder = scratch("waves/namesakes_order");
    let escaped = r"$var wire 1 ! \a.b $end";
    let plain = "$scope module a $end $var wire 1 \" b $end $upscope $end";
    for (name, [one, two], last) in [
        ("one", [escaped, plain], "1\""),
        ("two", [plain, escaped], "1\""),
        ("three", [plain, escaped], "0\""),
    ] {
        let text = format!(
            "$scope module t $end {one} {two} $upscope $end $enddefinitions $end\n#0\n0!\n1\"\n#5\n1!\n#6\n{last}\n"
        );
        fs::write(folder.join(format!("{name}.vcd")), text).expect("written");
    }
    let same = ran(&folder, "diff one.vcd two.vcd");
    assert_eq!(same.code, 0, "{}", same.stdout);
    assert!(!same.stdout.contains("more than once"), "{}", same.stdout);
    assert_eq!(ran(&folder, "diff one.vcd three.vcd").code, 1);
}

/// Where nothing tells two signals apart, it is told that the first is taken.
#[test]
fn the_first_of_twins_is_told() {
    let folder = scratch("waves/namesakes_twins");
    fs::copy(dumps().join("twice/one_scope.vcd"), folder.join("a.vcd")).expect("copied");
    let told =
        "note: the dump declares `tb.q` more than once, for different signals; the first is taken";
    for arguments in [
        "show a.vcd --signals q --at 5 --changes",
        "find a.vcd q==1",
        "stats a.vcd --signals q",
        "cut a.vcd --signals q -o b.vcd",
        "find a.vcd 1 --clock q",
        "diff a.vcd a.vcd --clock q",
    ] {
        let ran = ran(&folder, arguments);
        assert_eq!(
            ran.stderr.matches(told).count(),
            1,
            "{arguments}: {}",
            ran.stderr
        );
    }
    let all = ran(&folder, "stats a.vcd --signals * --csv");
    assert_eq!((all.stdout.lines().count(), all.stderr.as_str()), (3, ""));
}

#[test]
fn a_wider_name_is_another_signal() {
    assert_eq!(golden("namesakes_wider", "stats twice/wider.vcd").code, 0);
    assert_eq!(
        golden("namesakes_wider_info", "info twice/wider.vcd --signals").code,
        0
    );
    let rows = csv("show twice/wider.vcd --signals * --changes --at 5");
    assert!(rows.contains("tb.low,tb.all,"), "{rows}");
    assert!(
        ran(&dumps(), "info twice/wider.vcd")
            .stdout
            .contains("2 with 3 names")
    );
}

/// The other way round, the bits of one index are others.
#[test]
fn a_vector_the_other_way_round_is_no_pair() {
    let folder = scratch("waves/namesakes_direction");
    for (name, declared) in [
        ("down", "$var wire 4 ! q [3:0] $end"),
        ("up", "$var wire 4 ! q [0:3] $end"),
        ("one", "$var wire 1 ! q [3:3] $end"),
        ("bit", "$var wire 1 ! q [3] $end"),
    ] {
        let text = format!("{declared} $enddefinitions $end\n#0\nb1 !\n#5\nb0 !\n");
        fs::write(folder.join(format!("{name}.vcd")), text).expect("written");
    }
    assert_eq!(
        golden_in("namesakes_direction", &folder, "diff up.vcd down.vcd").code,
        1
    );
    assert_eq!(ran(&folder, "diff up.vcd up.vcd").code, 0);
    assert_eq!(ran(&folder, "diff one.vcd bit.vcd").code, 0);
    let csv = ran(&folder, "diff up.vcd down.vcd --csv");
    assert_eq!((csv.code, csv.stdout.lines().count()), (1, 1));
    assert!(
        csv.stderr
            .contains("note: DIFFERENT  1 signal declared with other bits"),
        "{}",
        csv.stderr
    );
}

/// A tick that begins before the time that was asked for is none of those from it on.
#[test]
fn a_time_within_a_tick_begins_with_the_next() {
    let folder = scratch("waves/namesakes_from");
    let text = "$timescale 10ns $end $var wire 1 ! a $end $enddefinitions $end\n#0\n1!\n#1\n0!\n#2\n1!\n#3\n";
    fs::write(folder.join("a.vcd"), text).expect("written");
    let hits = |from: &str| ran(&folder, &format!("find a.vcd a||!a --count --from {from}")).stdout;
    assert_eq!(["10ns", "10.1ns", "20ns"].map(hits), ["2\n", "1\n", "1\n"]);
    let ran = ran(&folder, "find a.vcd a --from 11ns --to 12ns");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("with a tick between them"),
        "{}",
        ran.stderr
    );
}
