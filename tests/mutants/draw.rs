//! Which of all mutants a seed stands for.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::mutant::{Class, Mutant};

/// Every mutant in an order of chance, with as many of each class as of every other while there are any.
pub fn shuffled(mut mutants: Vec<Mutant>, seed: u64) -> Vec<Mutant> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut below = |end: usize| (random.next_u64() % end.max(1) as u64) as usize;
    for last in (1..mutants.len()).rev() {
        mutants.swap(last, below(last + 1));
    }
    let mut classes: Vec<Vec<Mutant>> = Class::ALL.iter().map(|_| Vec::new()).collect();
    for mutant in mutants {
        let place = Class::ALL.iter().position(|class| *class == mutant.class);
        classes[place.unwrap_or(0)].push(mutant);
    }
    let mut drawn = Vec::new();
    while classes.iter().any(|class| !class.is_empty()) {
        // The last round may be cut off anywhere.
        let mut order: Vec<usize> = (0..classes.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, below(last + 1));
        }
        drawn.extend(order.into_iter().filter_map(|class| classes[class].pop()));
    }
    drawn
}

/// The seed of a mutant's stimulus, and with another `use_of` that of the check of its causes.
pub fn stimulus_seed(seed: u64, number: usize, use_of: u64) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(1 + 2 * number as u64 + use_of);
    // Below 2^32: numbers that a person can type.
    random.next_u64() >> 32
}
