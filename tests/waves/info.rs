//! `lockstep vcd info`.

use crate::golden::{golden, golden_from, golden_in};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

#[test]
fn help() {
    assert_eq!(golden("help", "--help").code, 0);
    assert_eq!(golden("help_info", "info --help").code, 0);
}

#[test]
fn a_dump_of_verilator() {
    assert_eq!(golden("info", &format!("info {HIERARCHY}")).code, 0);
}

#[test]
fn kinds_of_scopes_and_a_date() {
    assert_eq!(golden("info_kinds", "info icarus-11/tricky.vcd").code, 0);
}

#[test]
fn scopes_at_the_top() {
    golden("info_depth", &format!("info {HIERARCHY} --depth 2"));
}

#[test]
fn a_dump_without_scopes_or_version() {
    golden("info_bare", "info hand/gtkwave.vcd");
}

#[test]
fn all_signals() {
    golden("info_signals", &format!("info {HIERARCHY} --signals"));
}

#[test]
fn some_signals() {
    golden(
        "info_some_signals",
        &format!("info {HIERARCHY} --signals u_sub.*"),
    );
}

#[test]
fn json() {
    golden(
        "info_json",
        &format!("info {HIERARCHY} --json --signals count"),
    );
}

#[test]
fn standard_input() {
    assert_eq!(golden_from("info_pipe", HIERARCHY, "info -").code, 0);
}

#[test]
fn a_dump_that_is_cut_off_shows_what_it_has() {
    let name = "info_truncated";
    assert_eq!(golden(name, "info malformed/truncated_vector.vcd").code, 2);
    let name = "info_truncated_json";
    let ran = golden(name, "info malformed/truncated_vector.vcd --json");
    assert_eq!(ran.code, 2);
}

#[test]
fn files_that_are_no_dumps() {
    assert_eq!(golden("info_of_nothing", "info nowhere.vcd").code, 2);
    assert_eq!(golden("info_of_a_folder", "info hand").code, 2);
    assert_eq!(golden("info_empty", "info malformed/empty.vcd").code, 2);
    assert_eq!(golden("info_binary", "info malformed/binary.vcd").code, 2);
}

#[test]
fn names_that_would_steer_a_terminal() {
    let folder = scratch("waves/names");
    let text = "$version a\x1b[31m tool $end $scope module t\x1b[0m $end $var wire 1 ! a\x07 $end $upscope $end \
        $enddefinitions $end\n#0\n1!\n";
    std::fs::write(folder.join("names.vcd"), text).expect("written");
    let ran = golden_in("info_names", &folder, "info names.vcd");
    assert!(!ran.stdout.contains('\x1b'));
    let ran = golden_in("show_names", &folder, "show names.vcd --signals ** --at 0");
    assert!(!ran.stdout.contains('\x07'));
}
