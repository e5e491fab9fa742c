//! What a cycle of generated stimulus costs, by profile: `cargo bench --no-default-features --bench stimulus`, and with
//! `-- NAME|FILE…` of these.

use std::env;
use std::hint::black_box;
use std::time::Instant;

use pmu_lockstep::stimulus::{Generator, Profile, Stimulus};
use pmu_model::{CycleInput, Implementation};

const BATCH: usize = 4096;
const BATCHES: usize = 256;
const ROUNDS: usize = 9;

fn main() {
    println!("ns a cycle, {ROUNDS} rounds of {} cycles", BATCH * BATCHES);
    println!("{:<12} {:>8} {:>8}", "profile", "median", "lowest");
    let mut words: Vec<_> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    if words.is_empty() {
        words = Profile::names().map(String::from).into();
    }
    for name in words {
        let profile = Profile::load(&name).unwrap_or_else(|error| panic!("{error}"));
        let mut stimulus = Stimulus::from(
            Generator::new(1, &Implementation::default(), &profile).expect("they are consistent"),
        );
        let mut inputs = vec![CycleInput::default(); BATCH];
        let mut times: Vec<_> = (0..ROUNDS)
            .map(|_| {
                let start = Instant::now();
                for _ in 0..BATCHES {
                    stimulus
                        .fill(&mut inputs)
                        .expect("generated stimulus does not end");
                    black_box(&inputs);
                }
                start.elapsed().as_nanos() as f64 / (BATCH * BATCHES) as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{name:<12} {:>8.1} {:>8.1}", times[ROUNDS / 2], times[0]);
    }
}
