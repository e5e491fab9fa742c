//! A design linked in by a build script, beside others from shared libraries.
#![cfg(feature = "shared")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{build, scratch, verilator};

const CRATE: &str = env!("CARGO_MANIFEST_DIR");

#[test]
fn linked_and_loaded_designs_live_in_one_process() {
    let consumer = scratch().join("consumer");
    copy_consumer(&consumer);
    let mut loaded = Vec::new();
    for step in ["5", "7"] {
        let mut shared = build("counter.sv", true);
        shared.design.parameters = vec![("Step".to_owned(), step.to_owned())];
        loaded.push(shared.build(verilator()).expect("built").path);
    }
    let output = cargo(&consumer)
        .arg("--")
        .args(&loaded)
        .output()
        .expect("cargo runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let line = |step: u32, file: &str| {
        format!(
            "{step} [{step}, 0, 0, 0] [DUT] stopped by $fatal in cycle 1 at 10 ns \
             at {file}:26 in lockstep_dut: count {step} is fatal\n"
        )
    };
    // By the folder that all sources share, wherever that is.
    let (linked, shared) = ("counter.sv", "counter.sv");
    assert_eq!(
        printed,
        [
            line(3, linked),
            line(3, linked),
            line(5, shared),
            line(7, shared)
        ]
        .concat()
    );
}

#[test]
fn without_the_feature_neither_verilator_nor_compiler_is_needed() {
    let consumer = scratch().join("consumer-without");
    copy_consumer(&consumer);
    let output = cargo(&consumer)
        .arg("--no-default-features")
        .env("VERILATOR_ROOT", "/nowhere")
        .env("CXX", "/nowhere/c++")
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), "without design\n");
}

#[test]
fn a_failing_build_script_says_why() {
    let consumer = scratch().join("consumer-failing");
    copy_consumer(&consumer);
    let output = cargo(&consumer)
        .env("VERILATOR_ROOT", "/nowhere")
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        messages.contains(
            "[verilator] expected VERILATOR_ROOT=/nowhere to hold include/verilated.cpp, found none"
        ),
        "{messages}"
    );
}

fn cargo(consumer: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["run", "--quiet", "--offline"])
        .current_dir(consumer);
    cargo.env("VERILATOR_ROOT", &verilator().root);
    // One for all consumers, so that dependencies are compiled once.
    cargo.env("CARGO_TARGET_DIR", scratch().join("consumer-target"));
    cargo
}

fn copy_consumer(to: &Path) {
    let from = Path::new("tests/consumer");
    for folder in ["src", "rtl"] {
        fs::create_dir_all(to.join(folder)).expect("created");
    }
    let manifest = fs::read_to_string(from.join("Cargo.toml")).expect("read");
    write(&to.join("Cargo.toml"), &manifest.replace("@CRATE@", CRATE));
    for file in ["build.rs", "src/main.rs"] {
        write(
            &to.join(file),
            &fs::read_to_string(from.join(file)).expect("read"),
        );
    }
    let counter = fs::read_to_string("tests/rtl/counter.sv").expect("read");
    write(&to.join("rtl/counter.sv"), &counter);
    // The versions that were tested, as far as they apply.
    let _ = fs::copy("../../Cargo.lock", to.join("Cargo.lock"));
}

/// Writes what differs, so that cargo does not build again without need.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).ok().as_deref() != Some(text) {
        fs::write(path, text).expect("written");
    }
}
