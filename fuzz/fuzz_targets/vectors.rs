//! Conformance vectors, run on the model.
#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use pmu_lockstep::conform::run_files;
use pmu_lockstep_fuzz::{file, json_lines, mutate};

fuzz_target!(|text: &[u8]| {
    if let Ok(summary) = run_files(&[file("vectors.jsonl", text)]) {
        for line in &summary.unreadable {
            assert!(!line.to_string().is_empty());
        }
        for key in &summary.unread {
            assert!(!key.to_string().is_empty());
        }
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate(data, size, max_size, seed, json_lines)
});
