//! `--rtl-coverage`: what a run covered of the RTL.

use std::fs;
use std::path::Path;

use pmu_lockstep::regress::rtl_coverage::read;

use crate::project::{DESIGN, Project};

/// Names of the files of a data file.
fn files(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a data file");
    let names = text.lines().filter_map(|line| {
        let (_, name) = line.split_once("\u{1}f\u{2}")?;
        Some(name.split('\u{1}').next()?.to_owned())
    });
    let mut names: Vec<_> = names.collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn a_run_that_diverges_leaves_what_it_covered() {
    let project = Project::new("rtl_coverage");
    let register = "logic never_q;\n  always_ff @(posedge clk_i) if (never_q) never_q <= 1'b0;";
    let unused = "logic unused_input;";
    project.edit(
        "rtl/silent_wrapper.sv",
        unused,
        &format!("{register}\n  {unused}"),
    );
    let words = format!("run {DESIGN} --cycles 3000 --rtl-coverage --out out");
    let ran = project.run(&words);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("DIVERGENCE"), "{}", ran.stdout);
    let path = project.path("out/coverage.dat");
    let covered = read(&path).expect("a data file");
    assert!(
        ran.stdout.contains("coverage of the RTL out/coverage.dat"),
        "{}",
        ran.stdout
    );
    // As the file list names them.
    let names = ["rtl/include/ports.svh", "rtl/silent_wrapper.sv"];
    assert_eq!(files(&path), names);
    let tally = covered.tally();
    // The clock changes, and the register does not.
    assert!(
        tally.toggles.hit > 0 && tally.toggles.hit < tally.toggles.of,
        "{tally:?}"
    );
    let json = project.json(&words, 1);
    assert_eq!(json["rtl_coverage"]["toggles"]["of"], tally.toggles.of);
    assert_eq!(json["rtl_coverage"]["file"], "out/coverage.dat");
    // A run without leaves none of an earlier one.
    let ran = project.run(&format!("run {DESIGN} --cycles 3000 --out out"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!path.exists());
}

#[test]
fn a_folder_counts_if_it_was_built_to() {
    let project = Project::built("rtl_coverage_folder");
    let plain = fs::read_to_string(project.path("built/dut.toml")).expect("a manifest");
    assert!(!plain.contains("\nrtl_coverage = "), "{plain}");
    let ran = project.run("run --dut built --rtl-coverage --out out");
    assert_eq!((ran.code, &*ran.stdout), (2, ""), "{}", ran.stderr);
    let build = format!("lockstep build {DESIGN} -o built");
    let folder = fs::canonicalize(&project.0).expect("a folder");
    assert_eq!(
        ran.stderr,
        format!(
            "lockstep: built: expected a design that was built with --rtl-coverage, found one without: build it again with:\n  \
             {build} --rtl-coverage    (in {})\n",
            folder.display()
        )
    );
    let built = project.run(&format!("build {DESIGN} -o built --rtl-coverage"));
    assert_eq!(built.code, 0, "{}", built.stderr);
    assert!(
        built.stdout.contains("\n  counts coverage of its RTL\n"),
        "{}",
        built.stdout
    );
    let manifest = fs::read_to_string(project.path("built/dut.toml")).expect("a manifest");
    assert!(manifest.contains("\nrtl_coverage = true\n"), "{manifest}");
    let ran = project.run_without_tools("run --dut built --cycles 3000 --rtl-coverage --out out");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let names = files(&project.path("out/coverage.dat"));
    let name = |name: &str| folder.join("rtl").join(name).display().to_string();
    assert_eq!(names, ["include/ports.svh", "silent_wrapper.sv"].map(name));
    // It runs without as well.
    let ran = project.run_without_tools("run --dut built --cycles 3000 --out out");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!project.path("out/coverage.dat").exists());
}

#[test]
fn arguments_of_verilator_say_which_option_to_take() {
    let project = Project::new("rtl_coverage_argument");
    let ran = project.run(&format!("run {DESIGN} --verilator-arg --coverage"));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("--rtl-coverage builds a design with coverage"),
        "{}",
        ran.stderr
    );
}
