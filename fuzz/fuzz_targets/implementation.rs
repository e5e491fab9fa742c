//! Implementation files: what is accepted can be modelled, and is written as it was read.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use pmu_lockstep::implementation_file;
use pmu_lockstep::kit::annotated;
use pmu_lockstep_fuzz::{file, mutate, toml};
use pmu_model::{CycleInput, DutParameters, Model};

fuzz_target!(|text: &[u8]| {
    let path = file("implementation.toml", text);
    let Ok(implementation) = implementation_file::load(Some(&path)) else {
        return;
    };
    let _ = DutParameters::of(&implementation);
    // One of which nothing could be compared is not impossible.
    if let Ok(mut model) = Model::new(&implementation) {
        model.step_simple(&CycleInput::reset());
    }
    let written = file("again.toml", annotated(&implementation).as_bytes());
    let again = implementation_file::load(Some(&written)).expect("accepted as written");
    assert_eq!(again, implementation);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, toml)
});
