//! What Verilator makes of a design, and what is said when it does not.
#![cfg(feature = "shared")]

mod common;

use common::{design, rtl, scratch, verilator};
use verilator_sys::verilate::{Design, VerilateError, VerilateRequest, Verilated};

fn run(design: &Design, trace: bool, folder: &str) -> Result<Verilated, VerilateError> {
    let out_dir = &scratch().join("verilate").join(folder);
    VerilateRequest {
        design,
        trace,
        out_dir,
        prefix: "Vx",
    }
    .run(verilator())
}

#[test]
fn lists_what_it_wrote_and_read() {
    let verilated = run(&design("counter.sv"), false, "plain").expect("accepted");
    assert!(verilated.header.is_file());
    for file in verilated
        .fast
        .iter()
        .chain(&verilated.slow)
        .chain(&verilated.run_time)
    {
        assert!(file.is_file(), "{}", file.display());
    }
    assert!(verilated.trace.is_empty());
    assert!(
        verilated.dependencies.contains(&rtl("counter.sv")),
        "{:?}",
        verilated.dependencies
    );
    assert_eq!(verilated.warnings, "");
}

#[test]
fn a_traced_model_needs_more_of_the_run_time() {
    let verilated = run(&design("counter.sv"), true, "traced").expect("accepted");
    assert!(!verilated.trace.is_empty());
    assert!(
        verilated
            .run_time
            .iter()
            .any(|file| file.ends_with("verilated_vcd_c.cpp"))
    );
}

#[test]
fn included_files_are_dependencies() {
    let mut design = design("including.sv");
    design.include_dirs = vec![rtl("include")];
    let verilated = run(&design, false, "including").expect("accepted");
    let included = rtl("include/amount.svh");
    assert!(
        verilated.dependencies.contains(&included),
        "{:?}",
        verilated.dependencies
    );
}

#[test]
fn warnings_are_returned_and_do_not_fail() {
    let verilated = run(&design("warning.sv"), false, "warning").expect("accepted");
    assert!(
        verilated.warnings.contains("%Warning-WIDTH"),
        "{}",
        verilated.warnings
    );
    assert!(
        verilated.warnings.contains("tests/rtl/warning.sv:"),
        "{}",
        verilated.warnings
    );
}

#[test]
fn errors_come_with_verilators_own_words() {
    let error = run(&design("syntax_error.sv"), false, "syntax").expect_err("rejected");
    let text = error.to_string();
    let version = verilator().version;
    let start = format!(
        "[verilator] expected Verilator {version} to accept the design, found:\n\
         %Error: tests/rtl/syntax_error.sv:10:"
    );
    assert!(text.starts_with(&start), "{text}");
}

#[test]
fn a_source_that_is_not_there() {
    let error = run(&design("absent.sv"), false, "absent").expect_err("no file");
    assert_eq!(
        error.to_string(),
        "[verilator] expected a SystemVerilog file at tests/rtl/absent.sv, found none: correct \
         the list of sources"
    );
}

#[test]
fn what_an_earlier_run_left_is_gone() {
    let traced = run(&design("counter.sv"), true, "again").expect("accepted");
    run(&design("counter.sv"), false, "again").expect("accepted");
    assert!(!traced.trace[0].exists());
}
