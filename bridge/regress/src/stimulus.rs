//! Whether seeds make a difference: runs whose stimulus is to differ in the seed alone, or not at all.

use std::collections::BTreeMap;

use twox_hash::XxHash3_128;

use crate::merge::Merged;
use crate::record::Record;

/// The first run of each of some keys, of which there should be one. Runs are numbers in the order of their names: of
/// millions, names would be much, and so would be a map for each.
#[derive(Debug)]
struct Same<K> {
    first: (K, usize),
    others: BTreeMap<K, usize>,
}

impl<K: Copy + Ord> Same<K> {
    fn new(key: K, run: usize) -> Self {
        Self {
            first: (key, run),
            others: BTreeMap::new(),
        }
    }

    fn add(&mut self, key: K, run: usize) {
        if key != self.first.0 {
            self.others.entry(key).or_insert(run);
        }
    }

    /// How many keys there are, and the runs of the first two, where there are several.
    fn several(&self) -> Option<(usize, usize, usize)> {
        let others = self.others.iter().map(|(key, run)| (*key, *run));
        let mut firsts: Vec<_> = others.take(2).chain([self.first]).collect();
        firsts.sort_unstable();
        match firsts.as_slice() {
            [(_, one), (_, other), ..] => Some((self.others.len() + 1, *one, *other)),
            _ => None,
        }
    }
}

/// Stimulus of all runs that came to their ends.
#[derive(Debug, Default)]
pub(crate) struct Stimuli {
    /// By inputs and hash, the first run of each seed.
    by_hash: BTreeMap<u128, Same<u64>>,
    /// By inputs and seed, the first run of each hash.
    by_seed: BTreeMap<u128, Same<u128>>,
}

impl Stimuli {
    /// Adds run `number`.
    pub(crate) fn add(&mut self, number: usize, record: &Record) {
        let Some(compared) = record.compared.as_ref().filter(|_| record.is_complete()) else {
            return;
        };
        let inputs = (
            &record.implementation,
            &record.stimulus,
            record.cycles_wanted,
        );
        let hash = &compared.stimulus_hash;
        if let Some(seed) = record.seed {
            let held = self.by_hash.entry(key(&(inputs, hash)));
            held.and_modify(|same| same.add(seed, number))
                .or_insert_with(|| Same::new(seed, number));
        }
        let hash = XxHash3_128::oneshot(hash.as_bytes());
        let held = self.by_seed.entry(key(&(inputs, record.seed)));
        held.and_modify(|same| same.add(hash, number))
            .or_insert_with(|| Same::new(hash, number));
    }

    /// Runs whose seeds make no difference, in words.
    pub(crate) fn ignored(&self, merged: &Merged) -> Vec<String> {
        let words = |(count, one, other)| {
            format!(
                "{count} runs with different seeds had the same stimulus: the seed makes no difference, they are one run; either the \
                 profile leaves nothing to chance, or this build of lockstep is not what it should be: {} and {}",
                merged.name(one),
                merged.name(other)
            )
        };
        sorted(self.by_hash.values().filter_map(Same::several).map(words))
    }

    /// Runs of the same inputs with different stimulus, in words.
    pub(crate) fn different(&self, merged: &Merged) -> Vec<String> {
        let words = |(_, one, other): (usize, usize, usize)| {
            format!(
                "runs with the same inputs had different stimulus, which cannot be: {} and {}",
                merged.name(one.min(other)),
                merged.name(one.max(other))
            )
        };
        sorted(self.by_seed.values().filter_map(Same::several).map(words))
    }
}

fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    texts
}

fn key(parts: &impl serde::Serialize) -> u128 {
    XxHash3_128::oneshot(&serde_json::to_vec(parts).unwrap_or_default())
}
