//! Help texts.

use crate::command;
use crate::golden::golden;
use crate::scratch::scratch;

fn help(name: &str, arguments: &str) {
    let ran = golden(name, &scratch(&format!("command_line/{name}")), arguments);
    assert_eq!(ran.code, 0);
}

#[test]
fn help_of_the_command() {
    help("help", "--help");
}

#[test]
fn help_of_build() {
    help("help_build", "build --help");
}

#[test]
fn help_of_run() {
    help("help_run", "run --help");
}

#[cfg(feature = "rtl")]
#[test]
fn help_of_regress() {
    help("help_regress", "regress --help");
}

#[test]
fn help_of_merge() {
    help("help_merge", "merge --help");
}

#[test]
fn help_of_replay() {
    help("help_replay", "replay --help");
}

#[test]
fn help_of_shrink() {
    help("help_shrink", "shrink --help");
}

#[test]
fn help_of_model() {
    help("help_model", "model --help");
}

#[test]
fn help_of_stimulus_check() {
    help("help_stimulus_check", "stimulus check --help");
}

#[test]
fn help_of_conform() {
    help("help_conform", "conform --help");
}

#[test]
fn help_of_exhaust() {
    help("help_exhaust", "exhaust --help");
}

#[test]
fn help_of_cache() {
    help("help_cache", "cache --help");
    help("help_cache_prune", "cache prune --help");
}

#[test]
fn help_of_stimulus_audit() {
    help("help_stimulus_audit", "stimulus audit --help");
}

#[test]
fn version() {
    help("version", "--version");
}

/// Completions and pages of the manual are made of the same command line.
#[test]
fn completions_and_manual() {
    let folder = scratch("command_line/manual");
    for shell in ["bash", "zsh", "fish"] {
        let ran = command::run(command::lockstep(&folder).args(["completions", shell]));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("hang-after"), "{shell}: {}", ran.stdout);
    }
    let ran = command::run(command::lockstep(&folder).args(["completions", "cmd"]));
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    let ran = command::run(command::lockstep(&folder).arg("man"));
    assert!(ran.stdout.starts_with(".ie"), "{}", ran.stdout);
    let ran = command::run(command::lockstep(&folder).args(["man", "-o", "pages"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    let page = std::fs::read_to_string(folder.join("pages/lockstep-run.1")).expect("a page");
    assert!(page.contains("waivers"), "{page}");
    // A page that cannot be written is told.
    std::fs::write(folder.join("file"), "").expect("written");
    let ran = command::run(command::lockstep(&folder).args(["man", "-o", "file"]));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("file"), "{}", ran.stderr);
}
