//! What the tests share: both Verilators where there are two, and the small designs of `tests/rtl`.
#![allow(dead_code, missing_docs)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use verilator_sys::find::{Search, Verilator};
use verilator_sys::shared::SharedDutBuild;
use verilator_sys::verilate::Design;
use verilator_sys::{Dut, DutLibrary, Optimization, PortSizes};

pub const SIZES: PortSizes = PortSizes {
    input: 12,
    output: 12,
    parameters: 4,
};

/// Bits of the input of `counter.sv`.
pub const PRINT: u64 = 1 << 32;
pub const ERROR: u64 = 1 << 33;
pub const FATAL: u64 = 1 << 34;
pub const STOP: u64 = 1 << 35;
pub const FINISH: u64 = 1 << 36;
pub const ASSERT: u64 = 1 << 37;
pub const HANG: u64 = 1 << 38;
pub const OSCILLATE: u64 = 1 << 39;
pub const RESET: u64 = 1 << 40;
pub const WARN: u64 = 1 << 41;

/// A folder for what tests make, kept between runs.
pub fn scratch() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// The Verilator that a user of this machine gets.
pub fn verilator() -> &'static Verilator {
    static FOUND: OnceLock<Verilator> = OnceLock::new();
    FOUND.get_or_init(|| {
        Search::from_env(scratch().join("tools"))
            .find()
            .unwrap_or_else(|error| panic!("{error}"))
    })
}

pub fn rtl(file: &str) -> PathBuf {
    Path::new("tests/rtl").join(file)
}

pub fn design(file: &str) -> Design {
    Design {
        sources: vec![rtl(file)],
        top: "lockstep_dut".to_owned(),
        ..Design::default()
    }
}

pub fn build(file: &str, trace: bool) -> SharedDutBuild {
    SharedDutBuild {
        design: design(file),
        sizes: SIZES,
        trace,
        optimization: Optimization::Quick,
        cache_dir: scratch().join("cache"),
        cache_limit: 1 << 30,
    }
}

/// `counter.sv` with tracing, which serves every test that does not need another variant.
pub fn counter() -> DutLibrary {
    build("counter.sv", true)
        .load(verilator())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// An instance of `counter.sv` of either variant: with tracing Verilator's `eval()` evaluates it, without the core of it.
pub fn both() -> [Dut; 2] {
    let untraced = build("counter.sv", false)
        .load(verilator())
        .unwrap_or_else(|error| panic!("{error}"));
    [
        counter().create_traced().expect("created"),
        untraced.create().expect("created"),
    ]
}

/// Inputs of one cycle each.
pub fn inputs(words: &[u64]) -> Vec<u8> {
    words
        .iter()
        .flat_map(|word| [&word.to_le_bytes()[..], &[0; 4]].concat())
        .collect()
}

/// The count in each output.
pub fn counts(outputs: &[u8]) -> Vec<u32> {
    outputs
        .chunks_exact(SIZES.output)
        .map(|output| u32::from_le_bytes([output[0], output[1], output[2], output[3]]))
        .collect()
}
