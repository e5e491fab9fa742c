//! Files of waivers, applied to what differs.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use pmu_lockstep::lockstep::waivers::Waivers;
use pmu_lockstep_fuzz::{file, mutate, toml};

fuzz_target!(|text: &[u8]| {
    let path = file("waivers.toml", text);
    match Waivers::load(&path) {
        Ok(waivers) => assert_eq!(waivers.fresh().total(), 0),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, toml)
});
