//! Vectors that are written bit by bit, as every command sees them.

use std::fs;

use crate::golden::{dumps, golden, golden_in};
use crate::scratch::scratch;

#[test]
fn vectors_are_one_signal() {
    assert_eq!(
        golden("split_info", "info split/questa.vcd --signals").code,
        0
    );
    let ran = golden(
        "split_show",
        "show split/vcs.vcd --signals tb.q tb.q[2] flag[1] --at 60ns --window 3",
    );
    assert_eq!(ran.code, 0);
    // A bit can be the clock.
    let ran = golden(
        "split_clock",
        "show split/vcs.vcd --signals tb.q --clock tb.u.flag[2] --cycle 1 --window 1",
    );
    assert_eq!(ran.code, 0);
}

#[test]
fn rows_are_changes_of_the_bits_asked_for() {
    for form in ["questa", "pieces", "whole"] {
        let of = |file: &str| {
            format!("show {file} --signals tb.q tb.wide[70:20] --at 100ns --changes --window 30")
        };
        let ran = crate::command::run(&mut crate::golden::vcd(
            &dumps(),
            &of(&format!("split/{form}.vcd")),
        ));
        let mut piped = crate::golden::vcd(&dumps(), &of("-"));
        piped.stdin(fs::File::open(dumps().join(format!("split/{form}.vcd"))).expect("a dump"));
        let piped = crate::command::run(&mut piped);
        assert_eq!((ran.code, &ran.stdout), (0, &piped.stdout), "{form}");
        assert!(ran.stdout.lines().count() > 20, "{}", ran.stdout);
    }
}

#[test]
fn one_bit_that_differs_is_a_difference() {
    let folder = scratch("waves/split_diff");
    let text = fs::read_to_string(dumps().join("split/questa.vcd")).expect("a dump");
    // q[2] at 90 ns.
    let changed = text.replace("#90\n", "#90\n0'\n");
    fs::write(folder.join("a.vcd"), &text).expect("written");
    fs::write(folder.join("b.vcd"), &changed).expect("written");
    let ran = golden_in("split_diff", &folder, "diff a.vcd b.vcd --window 1");
    assert_eq!(ran.code, 1);
}

#[test]
fn what_is_declared_twice_is_paired_in_order() {
    let folder = scratch("waves/split_twice");
    let declared = "$scope module t $end $var wire 2 a q [1:0] $end $var wire 2 b q [1:0] $end $var wire 1 c q [5] $end \
        $upscope $end $enddefinitions $end\n";
    fs::write(
        folder.join("a.vcd"),
        format!("{declared}#0\nb1 a\nb10 b\n1c\n"),
    )
    .expect("written");
    fs::write(
        folder.join("b.vcd"),
        format!("{declared}#0\nb1 a\nb11 b\n1c\n"),
    )
    .expect("written");
    assert_eq!(
        golden_in("split_twice", &folder, "diff a.vcd a.vcd").code,
        0
    );
    assert_eq!(
        golden_in("split_twice_different", &folder, "diff a.vcd b.vcd").code,
        1
    );
}

#[test]
fn bits_stay_bits_where_nothing_tells_the_left_end() {
    let folder = scratch("waves/split_cut");
    let of = |variables: &str, body: &str| {
        format!(
            "$scope module t $end {variables} $upscope $end $enddefinitions $end\n#0\n{body}\n#10\n"
        )
    };
    let bits = "$var reg 1 a q [0] $end $var reg 1 b q [1] $end $var reg 1 c q [2] $end";
    let bits = of(bits, "0a\n0b\n1c");
    let upwards = of("$var reg 3 ! q [0:2] $end", "b001 !");
    let downwards = of("$var reg 3 ! q [2:0] $end", "b100 !");
    for (name, text) in [("bits", bits), ("up", upwards), ("down", downwards)] {
        fs::write(folder.join(format!("{name}.vcd")), text).expect("written");
    }
    for cut in ["cut.vcd", "cut.fst"] {
        let run = |arguments: String| {
            crate::command::run(&mut crate::golden::vcd(&folder, &arguments)).code
        };
        assert_eq!(run(format!("cut bits.vcd -o {cut}")), 0);
        for other in ["bits", "up", "down"] {
            assert_eq!(run(format!("diff {other}.vcd {cut}")), 0, "{other} {cut}");
            assert_eq!(run(format!("diff {cut} {other}.vcd")), 0, "{cut} {other}");
        }
    }
}
