//! Events: every trigger counts, though its value is always the same.

use std::fs;

use crate::command::Ran;
use crate::golden::{golden, golden_in};
use crate::scratch::scratch;

const HEADER: &str = "$timescale 1ns $end $scope module tb $end $var event 1 ! e $end $var wire 1 c clk $end \
    $var reg 4 n n [3:0] $end $upscope $end $enddefinitions $end\n";

const BODY: &str = "#0\n0c\nb0 n\n#5\n1c\nb1 n\n1!\n#10\n0c\n1!\n#15\n1c\nb10 n\n1!\n1!\n#20\n0c\n1!\n#25\n1c\nb11 n\n";

/// Compares a dump with one in which this text is that.
fn diff(name: &str, (from, to): (&str, &str), options: &str) -> Ran {
    let folder = scratch(&format!("waves/{name}"));
    assert_eq!(BODY.matches(from).count(), 1, "{from:?}");
    fs::write(folder.join("a.vcd"), format!("{HEADER}{BODY}")).expect("written");
    let other = BODY.replacen(from, to, 1);
    fs::write(folder.join("b.vcd"), format!("{HEADER}{other}")).expect("written");
    golden_in(name, &folder, &format!("diff a.vcd b.vcd {options}"))
}

#[test]
fn a_trigger_that_only_one_dump_has_is_a_difference() {
    assert_eq!(
        diff("events_one_less", ("#10\n0c\n1!", "#10\n0c"), "--window 2").code,
        1
    );
}

#[test]
fn two_triggers_in_a_tick_are_not_one() {
    assert_eq!(
        diff("events_one_of_two", ("1!\n1!\n", "1!\n"), "--window 1").code,
        1
    );
}

#[test]
fn triggers_are_counted_from_edge_to_edge() {
    let moved = ("#10\n0c\n1!\n", "#10\n0c\n#11\n1!\n");
    assert_eq!(
        diff("events_moved_in_a_cycle", moved, "--clock clk").code,
        0
    );
    assert_eq!(diff("events_moved_in_time", moved, "").code, 1);
}

#[test]
fn an_x_is_no_trigger() {
    assert_eq!(diff("events_x", ("#20\n0c\n", "#20\n0c\nx!\n"), "").code, 0);
}

#[test]
fn an_event_of_one_dump_that_is_a_wire_of_the_other() {
    let folder = scratch("waves/events_and_wires");
    fs::write(folder.join("a.vcd"), format!("{HEADER}{BODY}")).expect("written");
    let wire = HEADER.replace("$var event", "$var wire");
    fs::write(folder.join("b.vcd"), format!("{wire}{BODY}")).expect("written");
    let ran = golden_in("events_and_wires", &folder, "diff a.vcd b.vcd");
    assert_eq!(ran.code, 1);
}

#[test]
fn rows_tell_whether_an_event_was_triggered_since_the_row_before() {
    let folder = scratch("waves/events_shown");
    fs::write(folder.join("a.vcd"), format!("{HEADER}{BODY}")).expect("written");
    for (name, options) in [
        ("events_by_cycle", "--at 15ns"),
        ("events_before_edges", "--cycle 1 --sample before"),
        ("events_by_change", "--at 15ns --changes"),
    ] {
        let arguments = format!("a.vcd --signals e n {options}");
        let shown = golden_in(name, &folder, &format!("show {arguments}"));
        assert_eq!(shown.code, 0);
        // A pipe is read from its start.
        let mut piped = crate::golden::vcd(&folder, &format!("show - --signals e n {options}"));
        piped.stdin(fs::File::open(folder.join("a.vcd")).expect("a dump"));
        assert_eq!(
            crate::command::run(&mut piped).stdout,
            shown.stdout,
            "{name}"
        );
    }
    golden("events_info", "info events/two_names.vcd --signals");
}

/// `0e` triggers an event as `1e` does.
#[test]
fn a_trigger_is_shown_as_1_whatever_is_written() {
    let folder = scratch("waves/events_zero");
    let body = BODY.replace("\n1!", "\n0!").replace("#20\n", "#20\nx!\n");
    assert!(body.contains("0!") && !body.contains("1!"), "{body}");
    fs::write(folder.join("a.vcd"), format!("{HEADER}{body}")).expect("written");
    let show = "--signals e n --at 15ns --changes --window 9";
    let file = golden_in("events_zero", &folder, &format!("show a.vcd {show}"));
    let mut piped = crate::golden::vcd(&folder, &format!("show - {show}"));
    piped.stdin(fs::File::open(folder.join("a.vcd")).expect("a dump"));
    assert_eq!(crate::command::run(&mut piped).stdout, file.stdout);
    assert!(!file.stdout.contains("0*   "), "{}", file.stdout);
}
