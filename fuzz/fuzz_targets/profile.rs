//! Profiles of the generator: what is accepted is written as it was read, and makes cycles.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_lockstep_fuzz::{file, mutate, toml};
use pmu_model::{CycleInput, Implementation};

fuzz_target!(|text: &[u8]| {
    let path = file("profile.toml", text);
    let Ok(profile) = Profile::load(&path.to_string_lossy()) else {
        return;
    };
    let again = Profile::from_toml(&profile.to_toml()).expect("accepted as written");
    assert_eq!(again, profile);
    let mut generator = Generator::new(1, &Implementation::default(), &profile).expect("accepted");
    generator.fill(&mut [CycleInput::default(); 64]);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, toml)
});
