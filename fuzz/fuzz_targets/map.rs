//! Maps, and what they find in a small dump.
#![no_main]

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use lockstep_vcd::{Header, Slice, Source};
use pmu_lockstep::offline::{Map, Wiring};
use pmu_lockstep_fuzz::{mutate, toml};
use pmu_model::Implementation;

/// Signals of every kind that a map can name.
const DUMP: &[u8] = include_bytes!("../signals.vcd");

fn header() -> &'static Header {
    static HEADER: OnceLock<Header> = OnceLock::new();
    HEADER.get_or_init(|| Header::clone(Slice::new(DUMP).expect("a header").header()))
}

fuzz_target!(|text: &[u8]| {
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    match Map::parse(text) {
        Ok(map) => {
            for allow_unmapped in [false, true] {
                let wiring =
                    Wiring::new(&map, header(), &Implementation::default(), allow_unmapped);
                if let Err(error) = wiring {
                    assert!(!error.to_string().is_empty());
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, toml)
});
