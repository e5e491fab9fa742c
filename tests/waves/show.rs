//! `lockstep vcd show`.

use std::fmt::Write;
use std::path::PathBuf;

use crate::golden::{dumps, golden, golden_from, golden_in};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

fn refused(name: &str, arguments: &str) {
    let ran = golden(name, arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
}

#[test]
fn help() {
    assert_eq!(golden("help_show", "show --help").code, 0);
}

#[test]
fn cycles_around_a_time() {
    let arguments = format!("show {HIERARCHY} --signals count u_sub.state pulse_o --at 100");
    assert_eq!(golden("show_at", &arguments).code, 0);
}

#[test]
fn cycles_around_a_cycle() {
    let arguments =
        format!("show {HIERARCHY} --signals count[3:0] --signals u_sub.state --cycle 3 --window 2");
    assert_eq!(golden("show_cycle", &arguments).code, 0);
}

#[test]
fn many_signals_stand_below_each_other() {
    golden(
        "show_by_signal",
        &format!("show {HIERARCHY} --signals ** --at 0.1ns --window 3"),
    );
}

#[test]
fn values_that_flip_flops_take_in() {
    golden(
        "show_before",
        &format!("show {HIERARCHY} --signals count --cycle 1 --window 1 --sample before"),
    );
}

#[test]
fn times_of_changes() {
    golden(
        "show_changes",
        &format!("show {HIERARCHY} --signals u_sub.state pulse_o --at 100 --window 3 --changes"),
    );
}

#[test]
fn a_dump_without_a_clock_shows_changes() {
    golden(
        "show_without_clock",
        "show hand/gtkwave.vcd --signals ** --at 10",
    );
}

#[test]
fn unknown_bits() {
    golden(
        "show_unknown",
        "show icarus-11/tricky.vcd --signals driven bus negative now wide level --cycle 2 --window 2",
    );
}

#[test]
fn decimal_and_binary() {
    let show = "show icarus-11/tricky.vcd --signals bus wide --cycle 4 --window 2 --radix";
    golden("show_decimal", &format!("{show} dec"));
    golden("show_binary", &format!("{show} bin"));
    golden("show_full", &format!("{show} hex --full"));
}

#[test]
fn nine_states_and_reals() {
    golden(
        "show_vhdl",
        "show ghdl-2.0/kinds.vcd --signals kinds.* --at 60ns --window 2",
    );
}

#[test]
fn a_pipe_and_compressed_files_show_the_same() {
    let show = "--signals count --cycle 3 --window 1";
    let plain = golden("show_plain", &format!("show {HIERARCHY} {show}"));
    let pipe = golden_from("show_pipe", HIERARCHY, &format!("show - {show}"));
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/waves");
    let gzip = golden_in(
        "show_gzip",
        &folder,
        &format!("show hierarchy.vcd.gz {show}"),
    );
    let zstd = golden_in(
        "show_zstd",
        &folder,
        &format!("show hierarchy.vcd.zst {show}"),
    );
    for other in [pipe, gzip, zstd] {
        assert_eq!((other.stdout, other.code), (plain.stdout.clone(), 0));
    }
}

#[test]
fn registers_in_words() {
    let folder = scratch("waves/registers");
    let mut text = String::from(
        "$timescale 1ns $end $scope module dut $end $var wire 1 ! clk_i $end \
         $var reg 128 a evtyper [127:0] $end $var reg 64 b pmcr [63:0] $end $upscope $end $enddefinitions $end\n\
         #0\n0!\nb0 a\nbx b\n",
    );
    let values: [(u128, &str); 3] = [
        (0, "b0 b"),
        (0xb580_0559_8610_000d << 64, "b1111100001000001 b"),
        (0x2100_0001_5b60_0027, "b1 b"),
    ];
    for (cycle, (evtyper, pmcr)) in values.iter().enumerate() {
        let time = 10 * cycle + 5;
        write!(
            text,
            "#{time}\n1!\nb{evtyper:b} a\n{pmcr}\n#{}\n0!\n",
            time + 5
        )
        .expect("a string");
    }
    std::fs::write(folder.join("registers.vcd"), text).expect("written");
    let decode = "--decode evtyper[127:64]=PMEVTYPER1 --decode evtyper[63:0]=PMEVTYPER --decode pmcr=PMCR_EL0";
    golden_in(
        "show_decode",
        &folder,
        &format!("show registers.vcd --signals pmcr --cycle 1 {decode}"),
    );
    let ran = golden_in(
        "show_decode_unknown_register",
        &folder,
        "show registers.vcd --signals pmcr --cycle 1 --decode pmcr=SCTLR",
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn a_dump_that_is_cut_off_shows_what_it_has() {
    let folder = scratch("waves/truncated");
    let whole = std::fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    std::fs::write(folder.join("cut.vcd"), &whole[..5000]).expect("written");
    let name = "show_truncated";
    let ran = golden_in(name, &folder, "show cut.vcd --signals count --cycle 20");
    assert_eq!(ran.code, 2);
    let name = "show_before_the_cut";
    let ran = golden_in(
        name,
        &folder,
        "show cut.vcd --signals count --at 50 --window 1",
    );
    // Who asks for a time may as well mean one that is not there.
    assert_eq!(ran.code, 0);
}

#[test]
fn places_that_are_not_there() {
    let show = format!("show {HIERARCHY} --signals count");
    refused("show_time_after_the_end", &format!("{show} --at 1us"));
    refused("show_cycle_after_the_end", &format!("{show} --cycle 24"));
    refused("show_time_that_is_none", &format!("{show} --at 1min"));
    refused("show_nowhere", &show);
    refused("show_two_places", &format!("{show} --at 1 --cycle 1"));
    refused(
        "show_time_without_timescale",
        "show malformed/bad_state.vcd --signals ** --at 99999999999s",
    );
}

#[test]
fn signals_that_are_not_there() {
    let show = format!("show {HIERARCHY} --at 1 --signals");
    refused("show_unknown_signal", &format!("{show} u_sub.stat"));
    refused("show_ambiguous_signal", &format!("{show} lane"));
    refused("show_pattern_without_signals", &format!("{show} dut.**"));
    refused(
        "show_bits_that_are_not_there",
        &format!("{show} count[16:0]"),
    );
}

#[test]
fn clocks_that_are_not_there() {
    let show = "show pyvcd-0.5.1/writer.vcd --signals ratio";
    refused("show_cycle_without_clock", &format!("{show} --cycle 1"));
    refused("show_unknown_clock", &format!("{show} --at 1 --clock clk"));
    refused(
        "show_clock_that_never_rises",
        "show hand/gtkwave.vcd --signals state --at 10 --clock valid",
    );
    let folder = scratch("waves/clocks");
    let text = "$var wire 1 ! clk $end $var wire 1 a clock $end $enddefinitions $end\n#0\n0!\n";
    std::fs::write(folder.join("clocks.vcd"), text).expect("written");
    let ran = golden_in(
        "show_two_clocks",
        &folder,
        "show clocks.vcd --signals ** --at 0",
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn a_time_before_the_first_row_points_at_none() {
    let folder = scratch("waves/early");
    let text = "$timescale 1ns $end $var wire 1 ! clk $end $var reg 4 a q [3:0] $end $enddefinitions $end\n\
        #0\n0!\n#5\n1!\n#10\n0!\n#15\n1!\nb1 a\n#20\nb10 a\n";
    std::fs::write(folder.join("early.vcd"), text).expect("written");
    let show = "show early.vcd --signals q";
    for (name, options) in [
        ("show_before_a_change", "--at 10ns --changes"),
        ("show_before_an_edge", "--at 3ns --window 1"),
        ("show_before_an_edge_alone", "--at 3ns --window 0"),
    ] {
        let file = golden_in(name, &folder, &format!("{show} {options}"));
        assert_eq!(file.code, 0);
        let mut piped = crate::golden::vcd(&folder, &format!("show - --signals q {options}"));
        piped.stdin(std::fs::File::open(folder.join("early.vcd")).expect("a dump"));
        assert_eq!(
            crate::command::run(&mut piped).stdout,
            file.stdout,
            "{name}"
        );
    }
}
