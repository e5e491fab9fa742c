//! What Verilator makes of a design, and what is said when it does not.
#![cfg(feature = "shared")]

mod common;

use common::{design, rtl, scratch, verilator};
use verilator_sys::evaluation::is_plain;
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

/// A new Verilator may write another text; then every design is evaluated by `eval()`, which is right, and slower.
#[test]
fn what_eval_does_is_known() {
    let source = |trace: bool, folder: &str| {
        let verilated = run(&design("counter.sv"), trace, folder).expect("accepted");
        std::fs::read_to_string(verilated.out_dir.join("Vx.cpp")).expect("the class")
    };
    assert!(is_plain("Vx", &source(false, "known")));
    assert!(!is_plain("Vx", &source(true, "known_traced")));
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
    assert!(text.starts_with("tests/rtl/syntax_error.sv:10:"), "{text}");
    let words = format!(
        "\n[verilator] expected Verilator {version} to accept the design, found:\n\
         %Error: tests/rtl/syntax_error.sv:10:"
    );
    assert!(text.contains(&words), "{text}");
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
fn a_top_that_is_not_there() {
    let mut design = design("counter.sv");
    design.top = "wrapper".to_owned();
    let error = run(&design, false, "top").expect_err("rejected");
    assert_eq!(
        error.to_string(),
        "[verilator] expected a module `wrapper`, found `lockstep_dut`: name the wrapper of the design \
         with --top"
    );
}

#[test]
fn a_parameter_that_is_not_there_leads_to_the_module() {
    let mut design = design("counter.sv");
    design.parameters = vec![("Stpe".to_owned(), "1".to_owned())];
    let text = run(&design, false, "parameter")
        .expect_err("rejected")
        .to_string();
    let first = text.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "tests/rtl/counter.sv:6: module `lockstep_dut` has no parameter `Stpe`: it has `Step`, `MaxStep`"
    );
}

/// What lies beside a file may be included by it; what lies where the command runs may not, nor its modules be used.
#[test]
fn files_that_the_design_does_not_name() {
    let folder = tempfile::tempdir_in("tests/rtl").expect("created");
    let name = folder.path().file_name().expect("a name");
    let written = rtl(name.to_str().expect("UTF-8"));
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
        written.join(name)
    };
    let top = |body: &str| {
        file(
            "top.sv",
            &format!("module top (output y);\n{body}\nendmodule\n"),
        )
    };
    let mut design = Design {
        top: "top".to_owned(),
        sources: vec![top("`include \"body.svh\"")],
        ..Design::default()
    };
    let body = file("body.svh", "assign y = 1;\n");
    let verilated = run(&design, false, "beside").expect("accepted");
    assert!(
        verilated.dependencies.contains(&body),
        "{:?}",
        verilated.dependencies
    );

    let told = |design: &Design| {
        run(design, false, "missing")
            .expect_err("rejected")
            .to_string()
    };
    // Of this crate, whose folder is the working directory.
    top("`include \"Cargo.toml\"");
    let (text, place) = (told(&design), written.join("top.sv"));
    let place = place.display();
    let first = format!(
        "{place}:2:10: no folder of the design has `Cargo.toml`: name its folder with +incdir+ in a file list\n\
         [verilator] expected Verilator {} to accept the design, found:\n%Error: {place}:2:10: ",
        verilator().version
    );
    assert!(text.starts_with(&first), "{text}");
    assert!(
        !text.contains("Looked in") && !text.contains("missing/"),
        "{text}"
    );

    top("cell_a u_a ();\nwire w = u_a.w;");
    let module = file("cell_a.sv", "module cell_a; wire w; endmodule\n");
    let first = format!(
        "no file of the design has module `cell_a`: name its file, or its folder with -y in a file list; {} may be it\n",
        module.display()
    );
    let text = told(&design);
    assert!(
        text.starts_with(&format!("{place}:")) && text.contains(&first),
        "{text}"
    );
    design.library_dirs = vec![written.clone()];
    let verilated = run(&design, false, "library").expect("accepted");
    assert!(
        verilated.dependencies.contains(&module),
        "{:?}",
        verilated.dependencies
    );
}

/// Relative paths in arguments start from the working directory, and messages name the files so.
#[test]
fn arguments_that_name_files() {
    let folder = tempfile::tempdir_in("tests/rtl").expect("created");
    let name = folder.path().file_name().expect("a name");
    let path = rtl(name.to_str().expect("UTF-8")).join("quiet.vlt");
    let write = |text: &str| std::fs::write(&path, text).expect("written");
    let mut design = design("warning.sv");
    design.arguments = vec![path.to_str().expect("UTF-8").to_owned()];
    write("`verilator_config\nlint_off -rule WIDTH\nlint_off -rule WIDTHTRUNC\n");
    let verilated = run(&design, false, "waived").expect("accepted");
    assert_eq!(verilated.warnings, "");
    assert!(
        verilated.dependencies.contains(&path),
        "{:?}",
        verilated.dependencies
    );
    write("`verilator_config\nlint_of\n");
    let text = run(&design, false, "waived")
        .expect_err("rejected")
        .to_string();
    assert!(
        text.starts_with(&format!("{}:2:", path.display())),
        "{text}"
    );
}

#[test]
fn an_argument_that_the_build_decides_about() {
    let mut design = design("counter.sv");
    design.arguments = vec!["--trace-fst".to_owned()];
    let error = run(&design, false, "argument").expect_err("refused");
    assert_eq!(
        error.to_string(),
        "[verilator] expected an argument that can be passed on to Verilator, found --trace-fst: \
         the build decides which of its libraries can trace"
    );
}

#[test]
fn macros_folders_and_libraries_reach_the_design() {
    let folder = tempfile::tempdir().expect("created");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("in the folder")).expect("created");
        std::fs::write(&path, text).expect("written");
        path
    };
    let top = file(
        "top.sv",
        "`include \"width.svh\"\nmodule top #(parameter int P = 0) (output logic [`WIDTH-1:0] y);\n\
         cell_a u_a (.y(y[0]));\ncell_b u_b (.y(y[1]));\nif (P != `WIDTH) nothing u_c ();\nendmodule\n",
    );
    file("in/width.svh", "`ifndef WIDTH\n`define WIDTH 1\n`endif\n");
    file(
        "lib/cell_a.vg",
        "module cell_a (output logic y); assign y = 1; endmodule\n",
    );
    let cells = file(
        "cells.v",
        "module cell_b (output y); assign y = 0; endmodule\nmodule cell_c (input n); nowhere u (); endmodule\n",
    );
    let design = Design {
        sources: vec![top],
        include_dirs: vec![folder.path().join("in")],
        library_dirs: vec![folder.path().join("lib")],
        library_files: vec![cells.clone()],
        library_extensions: vec![".vg".to_owned()],
        defines: vec!["WIDTH=1+1".to_owned()],
        top: "top".to_owned(),
        parameters: vec![("P".to_owned(), "2".to_owned())],
        arguments: vec!["-Wno-DECLFILENAME".to_owned()],
        random_start: false,
        coverage: false,
    };
    let verilated = run(&design, false, "everything").expect("accepted");
    for path in [
        cells,
        folder.path().join("lib/cell_a.vg"),
        folder.path().join("in/width.svh"),
    ] {
        assert!(verilated.dependencies.contains(&path), "{}", path.display());
    }
}

#[test]
fn what_an_earlier_run_left_is_gone() {
    let traced = run(&design("counter.sv"), true, "again").expect("accepted");
    run(&design("counter.sv"), false, "again").expect("accepted");
    assert!(!traced.trace[0].exists());
}
