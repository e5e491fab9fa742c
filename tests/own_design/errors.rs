//! Designs and folders that cannot be used: exit code 2, and a sentence that says what was expected.

use std::fs;

use crate::project::{DESIGN, Project};

/// Builds the design; what is said when that fails, which is for the user to mend.
fn refused(project: &Project, arguments: &str) -> String {
    let ran = project.run(arguments);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.stderr);
    let lines = ran.stderr.lines();
    let told: Vec<_> = lines
        .filter(|line| !line.starts_with("building RTL "))
        .collect();
    told.join("\n")
}

fn build(project: &Project) -> String {
    refused(project, &format!("build {DESIGN} -o built"))
}

#[test]
fn an_error_of_verilator_has_its_place_on_top() {
    let project = Project::new("syntax");
    project.edit(
        "rtl/silent_wrapper.sv",
        "assign parameters_o",
        "assing parameters_o",
    );
    let text = build(&project);
    assert!(
        text.starts_with("lockstep: rtl/silent_wrapper.sv:10:"),
        "{text}"
    );
    assert!(
        text.contains("\n%Error: rtl/silent_wrapper.sv:10:"),
        "{text}"
    );
    assert!(!project.path("built").exists());
}

#[test]
fn a_top_that_does_not_exist() {
    let project = Project::new("no_top");
    assert_eq!(
        refused(
            &project,
            "build --filelist rtl/dut.f --top wrapper -o built"
        ),
        "lockstep: [verilator] expected a module `wrapper`, found `silent_wrapper`: name the wrapper of the design \
         with --top"
    );
}

#[test]
fn a_parameter_that_does_not_exist() {
    let project = Project::new("no_parameter");
    let text = refused(
        &project,
        &format!("build {DESIGN} --param Conuters=6 -o built"),
    );
    let start = "lockstep: rtl/silent_wrapper.sv:2: module `silent_wrapper` has no parameter `Conuters`: it has `Counters`\n";
    assert!(text.starts_with(start), "{text}");
    project.edit(
        "rtl/silent_wrapper.sv",
        "parameter int Counters",
        "parameter int Lanes = 1, localparam int Counters",
    );
    let text = refused(
        &project,
        &format!("build {DESIGN} --param Counters=6 -o built"),
    );
    let end = " has no parameter `Counters`: it has `Lanes`; `Counters` cannot be set from outside (localparam)\n";
    assert!(text.contains(end), "{text}");
}

#[test]
fn a_port_of_another_width() {
    let project = Project::new("width");
    project.edit("rtl/include/ports.svh", "[1535:0]", "[1151:0]");
    assert_eq!(
        build(&project),
        "lockstep: expected 1536 bits of port `cycle_input_i` of module `silent_wrapper`, found 1152: the \
         design implements another layout of the DUT contract"
    );
}

#[test]
fn a_port_of_another_name() {
    let project = Project::new("port");
    project.edit("rtl/include/ports.svh", "clk_i", "clock");
    project.edit("rtl/silent_wrapper.sv", "clk_i", "clock");
    assert_eq!(
        build(&project),
        "lockstep: expected input port `clk_i` of module `silent_wrapper`, found none: wrap the design in \
         a module with the ports of the DUT contract"
    );
}

#[test]
fn an_input_that_nothing_drives() {
    let project = Project::new("not_driven");
    project.edit(
        "rtl/include/ports.svh",
        "  input  logic          clk_i",
        "  input logic scan_en_i,\n  input logic [3:0] mode_i,\n  input logic clk_i",
    );
    assert_eq!(
        build(&project),
        "lockstep: expected no input of module `silent_wrapper` but `clk_i` and `cycle_input_i`, found input port \
         `scan_en_i`, input port `mode_i`: nothing drives more; give it its value inside of the wrapper, a constant or \
         bits of `cycle_input_i`"
    );
    assert!(!project.path("built").exists());
}

#[test]
fn a_design_of_another_contract() {
    let project = Project::new("contract");
    project.edit("rtl/idle_pkg.sv", "16'd2, 16'd2,", "16'd2, 16'd9,");
    assert_eq!(
        build(&project),
        "lockstep: the design states another DUT contract: contract version: expected 2, found 9; see \
         docs/dut-contract.md, section 4, for what parameters_o holds"
    );
}

#[test]
fn a_design_that_stops_at_once() {
    let project = Project::new("stops");
    project.edit(
        "rtl/silent_wrapper.sv",
        "endmodule",
        "  initial $fatal(1, \"no\");\nendmodule",
    );
    let ran = project.run(&format!("build {DESIGN} -o built"));
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("rtl/silent_wrapper.sv:17"),
        "{}",
        ran.stderr
    );
    assert!(!project.path("built").exists());
}

/// DUT-41: of a design that is in an initial block for ever, nobody has seen a cycle.
#[test]
fn dut_41_a_design_that_does_not_come_back_from_an_initial_block() {
    let project = Project::new("initial");
    project.edit(
        "rtl/silent_wrapper.sv",
        "endmodule",
        "  int unsigned turns = 0;\n  initial forever begin\n    turns = turns + 2;\n    if (turns == 1) $display(turns);\n  end\nendmodule",
    );
    let ran = project.run(&format!("run {DESIGN} --hang-after 1"));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("from its initial blocks, before the first cycle: no progress for 1 s"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_file_that_the_list_names_and_that_is_not_there() {
    let project = Project::new("missing");
    fs::remove_file(project.path("rtl/idle_pkg.sv")).expect("removed");
    assert_eq!(
        build(&project),
        "lockstep: rtl/dut.f:7: expected a file at rtl/idle_pkg.sv, found none: paths are relative to the folder of \
         the list"
    );
}

/// What is built does not depend on where the command runs: a module that lies there is none of the design's.
#[test]
fn a_module_that_only_lies_where_the_command_runs() {
    let project = Project::new("foreign_module");
    project.edit("rtl/dut.f", "-y cells +libext+.v+.sv", "");
    let cell = project.path("rtl/cells/silent_output.v");
    fs::copy(&cell, project.path("silent_output.v")).expect("copied");
    let told = |folder: &str| {
        let mut command = crate::command::lockstep(&project.path(folder));
        let list = project.path("rtl/dut.f");
        command.args([
            "build",
            "--top",
            "silent_wrapper",
            "-o",
            "built",
            "--filelist",
        ]);
        let ran = crate::command::run(command.arg(list));
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        ran.stderr
    };
    let missing = "no file of the design has module `silent_output`: name its file, or its folder with -y in a file list";
    let text = told(".");
    assert!(
        text.contains(&format!("{missing}; silent_output.v may be it\n")),
        "{text}"
    );
    // From a folder that has none it is the same.
    let text = told("rtl/include");
    assert!(text.contains(&format!("{missing}\n")), "{text}");
    fs::rename(
        project.path("rtl/include/ports.svh"),
        project.path("ports.svh"),
    )
    .expect("renamed");
    let text = told(".");
    let missing =
        "no folder of the design has `ports.svh`: name its folder with +incdir+ in a file list\n";
    assert!(text.contains(missing), "{text}");
}

#[test]
fn a_folder_that_cannot_be_written() {
    let project = Project::new("not_written");
    project.write("file", "");
    for place in ["/proc/own_design", "file/built"] {
        let text = refused(&project, &format!("build {DESIGN} -o {place}"));
        let start = format!("lockstep: {place}: expected to make this folder, found that ");
        assert!(text.starts_with(&start), "{text}");
        assert!(text.ends_with("; name another folder with -o"), "{text}");
        assert!(!text.contains("scratch"), "{text}");
    }
    let mut command = crate::command::lockstep(&project.0);
    let words = format!("build {DESIGN} -o built");
    let command = command.env("LOCKSTEP_CACHE", project.path("file/cache"));
    let ran = crate::command::run(command.args(words.split_whitespace()));
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    let start =
        "lockstep: [cache] expected a folder for built designs that can be written, found at ";
    assert!(ran.stderr.starts_with(start), "{}", ran.stderr);
    assert!(
        ran.stderr
            .ends_with("; set LOCKSTEP_CACHE to another folder\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn names_that_are_none() {
    let project = Project::new("names");
    for (option, kind) in [
        ("--define 1x", "macro"),
        ("--define =1", "macro"),
        ("--param 1x=2", "parameter"),
    ] {
        let text = refused(&project, &format!("build {DESIGN} {option} -o built"));
        assert!(
            text.contains(&format!(": expected the name of a {kind}")),
            "{text}"
        );
    }
    project.edit("rtl/dut.f", "+define+SILENT_OUTPUT", "+define+A+8x");
    assert_eq!(
        build(&project),
        "lockstep: rtl/dut.f:4: expected the name of a macro, found \"8x\": letters, digits, _ and $, no digit first"
    );
}

#[test]
fn an_argument_that_the_build_decides_about() {
    let project = Project::new("argument");
    let text = refused(
        &project,
        &format!("build {DESIGN} --verilator-arg --timing -o built"),
    );
    assert_eq!(
        text,
        "lockstep: [verilator] expected an argument that can be passed on to Verilator, found --timing: the clock is \
         the only source of events"
    );
}

#[test]
fn a_function_of_another_language() {
    let project = Project::new("import");
    project.edit(
        "rtl/silent_wrapper.sv",
        "endmodule",
        "  import \"DPI-C\" function void own_function(input int value);\n  \
         always @(posedge clk_i) own_function(1);\nendmodule",
    );
    let text = build(&project);
    assert!(
        text.starts_with("lockstep: [C++] expected every function that the design imports (DPI-C) to be there, found:\n"),
        "{text}"
    );
    assert!(text.contains("own_function"), "{text}");
}

/// Of two designs it is said which one is another than expected.
#[test]
fn one_of_two_designs_with_other_parameters() {
    let project = Project::built("against");
    let ran = project.run(&format!("build {DESIGN} --param Counters=6 -o six"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for (first, second, design) in [
        ("six", "built", "design A (six)"),
        ("built", "six", "design B (six)"),
    ] {
        let text = refused(&project, &format!("run --dut {first} --against {second}"));
        let start = format!(
            "lockstep: {design} does not match implementation \"default\": pmu.counters: the implementation has 31, {design} \
             states 6; "
        );
        assert!(text.starts_with(&start), "{text}");
    }
}

/// `exhaust` needs a small design, and says so of one that is not.
#[test]
fn a_design_that_is_not_small_enough_to_exhaust() {
    let project = Project::built("exhaust");
    let start = "lockstep: exhaust runs every threshold, edge and link at 4-bit widths and needs ";
    let needs = "pmu.event_width 4 (the design states 16), pmu.thwidth 4 (the design states 12); ";
    let advice = "build the design so, with --param NAME=VALUE for the parameters of its wrapper, or check it as it is \
                  with `lockstep run`";
    assert_eq!(
        refused(&project, "exhaust --dut built"),
        format!("{start}{needs}{advice}")
    );
    assert_eq!(
        refused(&project, &format!("exhaust {DESIGN}")),
        format!(
            "{start}{needs}module `silent_wrapper` does not have the parameters of the bundled wrapper; {advice}"
        )
    );
    let text = refused(&project, &format!("exhaust {DESIGN} --param Counters=2"));
    let counters =
        format!("{start}pmu.counters of at least 3 (the design states 2), pmu.event_width 4 ");
    assert!(text.starts_with(&counters), "{text}");
}

#[test]
fn nothing_to_build() {
    let project = Project::new("nothing");
    assert_eq!(
        refused(&project, "build -o built"),
        "lockstep: expected a design to build, found none: name it with --filelist FILE or --rtl PATH, or the bundled one \
         with --implementation FILE.toml"
    );
    // Options of a build without a design, and with one that is built.
    for arguments in [
        "run --top silent_wrapper",
        "run --dut built --top silent_wrapper",
        "run --dut built --rtl rtl",
        "run --rtl rtl --filelist rtl/dut.f",
    ] {
        let text = refused(&project, arguments);
        assert!(text.starts_with("error: "), "{arguments}: {text}");
    }
}

#[test]
fn a_folder_with_something_else_is_left_alone() {
    let project = Project::new("occupied");
    fs::create_dir(project.path("built")).expect("created");
    project.write("built/thesis.tex", "all of it");
    let advice = "name another folder with -o";
    assert_eq!(
        build(&project),
        format!(
            "lockstep: built: expected an empty folder, one that `lockstep build` made, or none, found thesis.tex \
             there: {advice}"
        )
    );
    fs::rename(
        project.path("built/thesis.tex"),
        project.path("built/dut.toml"),
    )
    .expect("renamed");
    let text = build(&project);
    assert!(
        text.contains("found dut.toml of something else there"),
        "{text}"
    );
    let text = refused(&project, &format!("build {DESIGN} -o rtl/dut.f"));
    assert!(text.contains("found a file there"), "{text}");
    assert!(project.path("built/dut.toml").is_file());
}

#[test]
fn a_folder_that_is_not_one_of_a_build() {
    let project = Project::new("not_one");
    assert_eq!(
        refused(&project, "run --dut rtl"),
        "lockstep: rtl: expected a folder that `lockstep build` made, found no dut.toml there: build the design with \
         `lockstep build --filelist FILE --top MODULE -o rtl`"
    );
}

#[test]
fn a_manifest_that_says_something_else() {
    let project = Project::built("manifest_broken");
    let manifest = fs::read_to_string(project.path("built/dut.toml")).expect("a file");
    let told = |text: &str| {
        project.write("built/dut.toml", text);
        refused(&project, "run --dut built")
    };
    let again = format!(
        "; build the design again:\n  lockstep build {DESIGN} -o built    (in {})",
        project.0.display()
    );
    for (from, to, found) in [
        (
            "counters = 31",
            "counters = 7",
            "counters = 7, where dut.so states 31",
        ),
        (
            "top = \"silent_wrapper\"",
            "top = \"other\"",
            "top = other, where dut.so states silent_wrapper",
        ),
    ] {
        let text = told(&manifest.replacen(from, to, 1));
        let start = format!(
            "lockstep: built/dut.toml: expected what `lockstep build` wrote, found {found}: "
        );
        assert!(text.starts_with(&start) && text.ends_with(&again), "{text}");
    }
    let text = told(&manifest.replace("format = 1", "format = 9"));
    assert_eq!(
        text,
        "lockstep: built/dut.toml: expected format 1, found 9: build the design again"
    );
    for (broken, found) in [
        (manifest.replace("format = 1\n", ""), "found: no `format`; "),
        (
            manifest.replace("top = ", "pot = "),
            "expected a key `top`, found none",
        ),
        (manifest.replace("[stated]", "[stated"), "found: line 19: "),
    ] {
        let text = told(&broken);
        let start = "lockstep: built/dut.toml: expected what `lockstep build` wrote, found: ";
        assert!(text.starts_with(start) && text.contains(found), "{text}");
        assert!(text.ends_with("; build the design again"), "{text}");
    }
}
