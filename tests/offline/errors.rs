//! What does not fit is told by name, place and way out.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::{golden, scratch};

/// A design of one counter, one event and no more, in few signals.
const IMPLEMENTATION: &str = "name = 'small'\n[pmu]\ncounters = 1\nevent_count = 1\n[spe]\nimplemented = false\n\
    ernd = false\nexc = false\n[threads]\ncount = 1\n";

const HEADER: &str = "$timescale 1 ns $end $scope module tb $end $var wire 1 c clk $end $var wire 1 r rst_n $end \
    $scope module dut $end $var wire 16 e event_base [15:0] $end $var wire 16 v v0 [15:0] $end \
    $var wire 1 k still $end $upscope $end $upscope $end $enddefinitions $end\n";

pub const MAP: &str = "contract = 2
clock = 'tb.clk'

[sample]
inputs = 'before'
outputs = 'before'

[input]
reset = { signal = 'tb.rst_n', active = 'low' }
event = 'tb.dut.event_base'
access_data = 0
access_address = 0
access_kind = 0
counting_allowed = 0xffff_ffff
driven = 0
clock_stopped = 0

[output]
V = 'tb.dut.v0'
";

/// Two cycles of reset and four more; nothing counts. `change` is written before the third edge.
pub fn dump(change: &str) -> String {
    let mut text = format!("{HEADER}#0\n0c\n0r\nb0 e\nb0 v\n0k\n");
    for cycle in 1..=6 {
        if cycle == 3 {
            let _ = write!(text, "#{}\n1r\n{change}", 10 * cycle - 3);
        }
        let _ = write!(text, "#{}\n1c\n#{}\n0c\n", 10 * cycle, 10 * cycle + 5);
    }
    text
}

pub fn folder(name: &str, dump: &str, map: &str) -> PathBuf {
    let folder = scratch::scratch(&format!("offline/{name}"));
    fs::write(folder.join("dump.vcd"), dump).expect("written");
    fs::write(folder.join("map.toml"), map).expect("written");
    fs::write(folder.join("small.toml"), IMPLEMENTATION).expect("written");
    folder
}

/// Checks with more `arguments`, and compares with the golden file `name`; gives the exit code.
fn check_with(name: &str, dump: &str, map: &str, arguments: &str) -> i32 {
    let folder = folder(name, dump, map);
    let line = format!("check dump.vcd --map map.toml --implementation small.toml {arguments}");
    golden(name, Path::new(&folder), line.trim_end()).code
}

fn check(name: &str, dump: &str, map: &str) -> i32 {
    check_with(name, dump, map, "")
}

#[test]
fn a_dump_that_agrees() {
    assert_eq!(check("small", &dump(""), MAP), 0);
}

#[test]
fn a_dump_that_does_not() {
    assert_eq!(check("small_divergence", &dump("b101 v\n"), MAP), 1);
}

/// Checks a dump in which V[0] is 5 and differs, with a waiver of `field`, and compares with the golden file `name`; gives the
/// exit code.
fn check_waived(name: &str, field: &str, condition: &str) -> i32 {
    let folder = folder(name, &dump("b101 v\n"), MAP);
    let waiver = format!(
        "[[waiver]]\nfield = '{field}'\ncondition = {condition}\nreason = 'known'\nowner = 'the team'\nexpires = 2999-12-31\n"
    );
    fs::write(folder.join("waivers.toml"), waiver).expect("written");
    let line = "check dump.vcd --map map.toml --implementation small.toml --waivers waivers.toml";
    golden(name, Path::new(&folder), line).code
}

#[test]
fn differences_that_are_waived() {
    let condition = "{ rtl = 5 }";
    assert_eq!(check_waived("waived", "V[?]", condition), 0);
    assert_eq!(check_waived("waived_elsewhere", "V[1?]", condition), 1);
    // Which accepts whatever the dump shows.
    assert_eq!(check_waived("all_waived", "*", "'always'"), 2);
}

#[test]
fn a_waiver_that_is_not_needed() {
    let folder = folder("waiver_not_needed", &dump(""), MAP);
    let waiver = "[[waiver]]\nfield = 'V[0]'\ncondition = { rtl = 5 }\nreason = 'known'\nowner = 'the team'\nexpires = 2999-12-31\n";
    fs::write(folder.join("waivers.toml"), waiver).expect("written");
    let line = "check dump.vcd --map map.toml --implementation small.toml --waivers waivers.toml";
    assert_eq!(
        golden("waiver_not_needed", Path::new(&folder), line).code,
        8
    );
}

#[test]
fn signals_that_are_not_there() {
    let map = MAP.replace("tb.dut.event_base", "tb.dut.evnt_base");
    assert_eq!(check("missing_signal", &dump(""), &map), 2);
    let map = MAP.replace("tb.dut.v0", "tb.dut.v[{}]");
    assert_eq!(check("missing_element", &dump(""), &map), 2);
}

#[test]
fn signals_of_another_width() {
    let map = MAP.replace("tb.dut.v0", "tb.dut.v0[7:0]");
    assert_eq!(check("other_width", &dump(""), &map), 2);
    let map = MAP.replace("access_address = 0", "access_address = 'tb.dut.still'");
    assert_eq!(check("other_width_of_input", &dump(""), &map), 2);
}

#[test]
fn clocks_that_are_none() {
    let map = MAP.replace("tb.clk", "tb.dut.still");
    assert_eq!(check("clock_without_edges", &dump(""), &map), 2);
    let map = MAP.replace("'tb.clk'", "'tb.dut.v0'");
    assert_eq!(check("clock_of_many_bits", &dump(""), &map), 2);
}

#[test]
fn dumps_without_a_reset() {
    let map = MAP
        .replace("'low'", "'high'")
        .replace("tb.rst_n", "tb.dut.still");
    assert_eq!(check("no_reset", &dump(""), &map), 2);
    assert_eq!(
        check_with("assumed_reset", &dump(""), &map, "--assume-reset"),
        0
    );
}

#[test]
fn a_dump_that_is_cut_off() {
    let whole = dump("");
    let cut = &whole[..whole.len() - 3];
    assert_eq!(check("cut_off", &format!("{cut}\nb10"), MAP), 2);
    assert_eq!(
        check(
            "cut_off_at_once",
            &format!("{HEADER}#0\n0c\nnonsense\n"),
            MAP
        ),
        2
    );
}

/// What is cut where a number ends is whole for itself, but an edge whose cycle has no end shows it.
#[test]
fn a_dump_that_is_cut_between_two_lines() {
    let map = MAP.replace("outputs = 'before'", "outputs = 'opposite'");
    let whole = dump("");
    let cut = whole.strip_suffix("#65\n0c\n").expect("the last fall");
    assert_eq!(check("cut_in_a_cycle", cut, &map), 0);
    assert_eq!(check("not_cut_in_a_cycle", &whole, &map), 0);
}

#[test]
fn maps_of_something_else() {
    let map = MAP.replace("contract = 2", "contract = 1");
    assert_eq!(check("other_contract", &dump(""), &map), 2);
    let map = MAP.replace("event = ", "evnt = ");
    assert_eq!(check("unknown_field", &dump(""), &map), 2);
    let map = MAP.replace("driven = 0", "driven = ");
    assert_eq!(check("no_toml", &dump(""), &map), 2);
    let map = MAP.to_owned() + "'increment[0]' = 'tb.dut.v0'\n";
    assert_eq!(check("twice", &dump(""), &map), 2);
    let map = MAP.split("[output]").next().expect("inputs");
    assert_eq!(check("no_output", &dump(""), map), 2);
}

#[test]
fn inputs_without_a_signal() {
    let map = MAP.replace("event = 'tb.dut.event_base'\n", "");
    let map = map.replace("counting_allowed = 0xffff_ffff\n", "");
    assert_eq!(check("unmapped_inputs", &dump(""), &map), 2);
    let name = "unmapped_inputs_as_zero";
    assert_eq!(check_with(name, &dump(""), &map, "--unmapped zero"), 0);
}

#[test]
fn values_that_are_not_known() {
    assert_eq!(check("x_in_an_input", &dump("bx1 e\n"), MAP), 2);
    assert_eq!(check("z_in_an_output", &dump("bz v\n"), MAP), 2);
    let both = dump("bx1 e\nbz v\n");
    assert_eq!(check_with("x_and_z_skipped", &both, MAP, "--x skip"), 0);
    // What is not looked at in a cycle may be anything.
    let map = MAP.replace("access_data = 0", "access_data = 'tb.dut.wide'");
    let header = "$var wire 64 w wide [63:0] $end $upscope $end $upscope $end $enddefinitions";
    let text = dump("bx w\n").replace("$upscope $end $upscope $end $enddefinitions", header);
    assert_eq!(check("x_that_does_not_matter", &text, &map), 0);
}

#[test]
fn dut_80_a_test_bench_that_breaks_the_contract() {
    let map = MAP.replace("access_kind = 0", "access_kind = 'tb.dut.kind'");
    let header = "$var wire 8 a kind [7:0] $end $upscope $end $upscope $end $enddefinitions";
    let with = |before: &str, after: &str| {
        let text = dump(after).replace("$upscope $end $upscope $end $enddefinitions", header);
        text.replace("#0\n", &format!("#0\n{before}"))
    };
    // The output differs too, in the same cycle.
    let text = with("b0 a\n", "b111 a\nb101 v\n");
    assert_eq!(check("test_bench_that_breaks_the_contract", &text, &map), 2);
    // A difference of a cycle before is the design's.
    let text = with("b0 a\n", "b101 v\n").replace("#40\n", "b111 a\n#40\n");
    assert_eq!(check("difference_before_a_broken_contract", &text, &map), 1);
    // In cycles of reset anything goes.
    let text = with("b111 a\n", "b0 a\n");
    assert_eq!(check("anything_in_a_cycle_of_reset", &text, &map), 0);
    let map = MAP.replace("access_kind = 0", "access_kind = 7");
    assert_eq!(check("map_that_breaks_the_contract", &dump(""), &map), 2);
}

#[test]
fn files_that_are_not_there() {
    let folder = folder("missing_files", &dump(""), MAP);
    assert_eq!(
        golden("no_map", &folder, "check dump.vcd --map nowhere.toml").code,
        2
    );
    assert_eq!(
        golden("no_dump", &folder, "check nowhere.vcd --map map.toml").code,
        2
    );
}

#[test]
fn help() {
    let folder = scratch::scratch("offline/help");
    assert_eq!(golden("help_check", &folder, "check --help").code, 0);
    assert_eq!(golden("help_map", &folder, "map --help").code, 0);
}

#[test]
fn a_map_of_names() {
    let folder = folder("map_of_names", &dump(""), MAP);
    golden(
        "map_of_names",
        &folder,
        "map dump.vcd --implementation small.toml",
    );
}

/// What a clock that stops being 0 or 1 leaves out nobody can tell.
#[test]
fn a_clock_without_a_value_ends_the_check() {
    let whole = dump("");
    let edge = "#40\n1c\n";
    for (name, clock) in [
        ("clock_of_x", "xc"),
        ("clock_of_z", "zc"),
        ("clock_of_a_real", "r1.5 c"),
    ] {
        let text = whole.replace(edge, &format!("#40\n{clock}\n"));
        assert_ne!(text, whole);
        assert_eq!(check(name, &text, MAP), 2, "{name}");
    }
    let text = whole.replace(edge, &format!("{edge}r0.5 v\n"));
    assert_eq!(check("a_real_output", &text, MAP), 2);
    // Before its first value it is x everywhere.
    assert_eq!(
        check(
            "clock_of_x_before",
            &dump("").replace("#0\n0c", "#0\nxc\n#1\n0c"),
            MAP
        ),
        0
    );
}

/// A signal that is declared twice may be another one: the first is checked, and that is told.
#[test]
fn a_signal_that_is_declared_twice_is_told() {
    let twice = "$var wire 16 v v0 [15:0] $end $var wire 16 w v0 [15:0] $end";
    let text = dump("").replace("$var wire 16 v v0 [15:0] $end", twice);
    let text = text.replace("b0 v\n", "b0 v\nb101 w\n");
    assert_eq!(check("declared_twice", &text, MAP), 0);
}
