//! `lockstep vcd stats`.

use std::fs;

use crate::command::run;
use crate::golden::{dumps, golden, golden_in, vcd};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

#[test]
fn help() {
    assert_eq!(golden("help_stats", "stats --help").code, 0);
}

#[test]
fn pages() {
    let signals = "--signals u_sub.* clk_i count pulse_o";
    for (name, arguments) in [
        ("stats", format!("stats {HIERARCHY}")),
        (
            "stats_unknown",
            "stats icarus-11/tricky.vcd --sort unknown --radix bin".to_owned(),
        ),
        (
            "stats_part",
            format!("stats {HIERARCHY} {signals} --from 50 --to 0.1ns --sort name"),
        ),
        (
            "stats_file_last",
            format!("stats --signals clk_i {HIERARCHY}"),
        ),
        ("stats_events", "stats events/several_a_tick.vcd".to_owned()),
        (
            "stats_vhdl",
            "stats ghdl-2.0/kinds.vcd --sort declared".to_owned(),
        ),
    ] {
        assert_eq!(golden(name, &arguments).code, 0, "{name}");
    }
}

#[test]
fn programs_get_json_and_csv() {
    let stats = format!("stats {HIERARCHY} --signals u_sub.state count --sort first");
    assert_eq!(golden("stats_json", &format!("{stats} --json")).code, 0);
    assert_eq!(golden("stats_csv", &format!("{stats} --csv")).code, 0);
}

#[test]
fn what_is_not_there() {
    for (name, arguments) in [
        ("stats_from_after_the_end", "--from 1us"),
        ("stats_no_signal", "--signals nothing.*"),
        ("stats_order_that_is_none", "--sort size"),
    ] {
        assert_eq!(
            golden(name, &format!("stats {HIERARCHY} {arguments}")).code,
            2
        );
    }
    let folder = scratch("waves/stats_cut");
    let whole = fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("cut.vcd"), &whole[..5000]).expect("written");
    let ran = golden_in("stats_cut", &folder, "stats cut.vcd --signals clk_i count");
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("count"), "{}", ran.stdout);
}

/// An FST has the statistics of its VCD.
#[test]
fn both_formats_say_the_same() {
    for name in ["tricky", "blocks", "events"] {
        let [vcd, fst] = ["vcd", "fst"].map(|end| {
            let arguments = format!("stats icarus-11/{name}.{end} --csv --from 25 --to 60");
            run(&mut crate::golden::vcd(&dumps(), &arguments))
        });
        // A real has any width in a VCD.
        let reals = vcd.stdout.replace(",1,real,", ",64,real,");
        assert_eq!((vcd.code, &reals), (0, &fst.stdout), "{name}");
    }
}

/// Changes are those that `find` finds, and times of values those of a count by hand.
#[test]
fn changes_are_those_that_can_be_found() {
    let stats = run(&mut vcd(&dumps(), &format!("stats {HIERARCHY} --csv")));
    let mut compared = 0;
    for line in stats.stdout.lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let (path, changes) = (fields[0], fields[4]);
        let plain = |c: char| c.is_ascii_alphanumeric() || "._[]".contains(c);
        if fields[2] == "real" || !path.chars().all(plain) {
            continue;
        }
        let mut find = vcd(&dumps(), "find");
        find.args([HIERARCHY, &format!("$changed({path})"), "--count"]);
        assert_eq!(run(&mut find).stdout.trim(), changes, "{path}");
        compared += 1;
    }
    assert!(compared > 10, "{compared}: {}", stats.stdout);
}
