//! The implementations that tests run.

use std::fs;
use std::path::Path;

use pmu_lockstep::dut::{BuildOptions, Dut, RtlSource, open};
use pmu_model::Implementation;
use verilator_sys::Optimization;

/// `tests/implementations/<name>.toml`.
pub fn implementation(name: &str) -> Implementation {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/implementations");
    let text = fs::read_to_string(folder.join(name).with_extension("toml")).expect("a file");
    toml::from_str(&text).expect("an implementation")
}

/// The RTL of `source` with the parameters of `implementation`; built if it is not the linked one.
pub fn rtl(source: &RtlSource, implementation: &Implementation) -> Box<dyn Dut> {
    let options = BuildOptions {
        cache: concat!(env!("CARGO_TARGET_TMPDIR"), "/cache").into(),
        optimization: Optimization::Quick,
        ..BuildOptions::from_env()
    };
    open(source, implementation, false, &options, &mut |_| ()).expect("the RTL builds")
}
