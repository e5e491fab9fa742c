//! Help texts.

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
