//! Coverage of a design: what its lines and signals did.
#![cfg(feature = "shared")]

mod common;

use std::fs;

use common::{FATAL, PRINT, SIZES, WARN, build, counter, inputs, verilator};
use tempfile::tempdir;
use verilator_sys::{CoverageError, Dut};

fn counting() -> Dut {
    let mut build = build("counter.sv", false);
    build.design.coverage = true;
    let library = build.load(verilator());
    let library = library.unwrap_or_else(|error| panic!("{error}"));
    library.create().expect("created")
}

fn run(dut: &mut Dut, words: &[u64]) -> bool {
    let mut outputs = vec![0; words.len() * SIZES.output];
    dut.run(&inputs(words), &mut outputs).is_ok()
}

/// What was counted at `line` of the design where `what` stands in a point, the most of all such points.
fn count(text: &str, line: u32, what: &str) -> Option<u64> {
    let points = text.lines().filter(|point| {
        let place = format!("\u{1}f\u{2}counter.sv\u{1}l\u{2}{line}\u{1}");
        point.contains(&place) && point.contains(what)
    });
    let counts = points.filter_map(|point| point.rsplit_once(' ')?.1.parse().ok());
    counts.max()
}

/// The line of the design that `code` is in.
fn line(code: &str) -> u32 {
    let source = fs::read_to_string("tests/rtl/counter.sv").expect("read");
    let place = source.lines().position(|line| line.contains(code));
    place.expect(code) as u32 + 1
}

const DISPLAY: &str = "$display(\"count is";
const WARNING: &str = "$warning(";

#[test]
fn it_says_what_ran_and_what_did_not() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("coverage.dat");
    let mut dut = counting();
    assert!(run(&mut dut, &[1, PRINT | 2, PRINT | 4, 8]));
    dut.write_coverage(&path).expect("written");
    let text = fs::read_to_string(&path).expect("read");
    assert!(text.starts_with("# SystemC::Coverage-3\n"), "{text}");
    assert_eq!(count(&text, line(DISPLAY), "\u{2}if"), Some(2));
    assert_eq!(count(&text, line(WARNING), "\u{2}if"), Some(0));
    let toggle = |bit: u32| count(&text, line("count_q, added_q;"), &format!("count_q[{bit}]"));
    assert!(toggle(1) > Some(0), "{text}");
    assert_eq!(toggle(31), Some(0));
    // It goes on, also after a stop, and when it was written.
    assert!(!run(&mut dut, &[PRINT, WARN, FATAL]));
    dut.write_coverage(&path).expect("written");
    let text = fs::read_to_string(&path).expect("read");
    assert_eq!(count(&text, line(DISPLAY), "\u{2}if"), Some(3));
    assert_eq!(count(&text, line(WARNING), "\u{2}if"), Some(1));
}

#[test]
fn another_instance_counts_for_itself() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("coverage.dat");
    let (mut one, mut other) = (counting(), counting());
    assert!(run(&mut one, &[PRINT, PRINT]));
    assert!(run(&mut other, &[PRINT]));
    let counts = [&mut one, &mut other].map(|dut| {
        dut.write_coverage(&path).expect("written");
        let text = fs::read_to_string(&path).expect("read");
        count(&text, line(DISPLAY), "\u{2}if")
    });
    assert_eq!(counts, [Some(2), Some(1)]);
}

#[test]
fn where_it_cannot_be_written_the_design_goes_on() {
    let mut dut = counting();
    let place = std::path::Path::new("/nowhere/coverage.dat");
    let error = dut.write_coverage(place).expect_err("no folder");
    assert!(matches!(error, CoverageError::Io { .. }), "{error}");
    assert!(error.to_string().contains("No such file"), "{error}");
    assert_eq!(dut.stop(), None);
    assert!(run(&mut dut, &[1]));
}

#[test]
fn a_design_without_counts_none() {
    let mut dut = counter().create_traced().expect("created");
    let place = std::path::Path::new("coverage.dat");
    let error = dut.write_coverage(place).expect_err("no coverage");
    assert!(matches!(error, CoverageError::NotCovered { .. }), "{error}");
}
