//! `--html` of a run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{lockstep, run};
use crate::scratch::scratch;

/// A design of `tests/lockstep/rtl`.
fn design(file: &str) -> Vec<PathBuf> {
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    ["idle_pkg.sv", file]
        .iter()
        .flat_map(|file| ["--rtl".into(), rtl.join(file)])
        .collect()
}

#[test]
fn a_run_that_agrees_leaves_a_page() {
    let folder = scratch("command_line/html_pass");
    let arguments = [
        "run",
        "--cycles",
        "3000",
        "--html",
        "run.html",
        "--coverage",
        "cov.json",
    ];
    let ran = run(lockstep(&folder).args(arguments));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = fs::read_to_string(folder.join("run.html")).expect("a page");
    let hash = ran.stdout.rsplit_once("stimulus ").expect("a hash").1;
    let (hash, _) = hash.split_once(':').expect("a hash");
    for text in [
        "PASS",
        "RTL and model agree in 3,000 cycles",
        "lockstep run --seed 1 --cycles 3000",
        "random bytes",
        "cov.json",
        "PMEVTYPER0_EL0",
        hash,
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn a_divergence_leaves_its_report_with_links_to_the_files() {
    let folder = scratch("command_line/html_divergence");
    fs::create_dir(folder.join("pages")).expect("a folder");
    let ran = run(lockstep(&folder)
        .args(["run", "--out", "out", "--html", "pages/run.html"])
        .args(design("fatal.sv")));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let page = fs::read_to_string(folder.join("pages/run.html")).expect("a page");
    assert!(page.contains("Divergence"), "{page}");
    assert!(page.contains("href=\"../out/window.vcd\""), "{page}");
    let report = fs::read_to_string(folder.join("out/report.html")).expect("a page");
    assert_eq!(page.replace("../out/", ""), report);
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_the_run() {
    let folder = scratch("command_line/html_refused");
    let ran = run(lockstep(&folder).args(["run", "--cycles", "10", "--html", "none/run.html"]));
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(
        ran.stderr.contains("none/run.html: cannot be written"),
        "{}",
        ran.stderr
    );
    assert!(!folder.join("lockstep-out").exists());
}
