//! Values by cycle, bit by bit: 64 cycles a word.

use std::ops::Range;

/// The values of a bit in all cycles.
#[derive(Clone, Debug)]
pub struct Column {
    /// A bit a cycle.
    pub bits: Vec<u64>,
    /// The cycles in which it is known; none for all.
    pub known: Option<Vec<u64>>,
    /// How often it changes.
    pub changes: u32,
}

impl Column {
    /// The cycles of a word in which it is known.
    pub fn mask(&self, word: usize) -> u64 {
        self.known.as_ref().map_or(u64::MAX, |known| known[word])
    }
}

/// Words for so many cycles.
pub fn words(cycles: usize) -> usize {
    cycles.div_ceil(64)
}

/// A bit of a column.
pub fn get(bits: &[u64], cycle: usize) -> bool {
    bits[cycle / 64] >> (cycle % 64) & 1 == 1
}

pub fn set(bits: &mut [u64], cycle: usize) {
    bits[cycle / 64] |= 1 << (cycle % 64);
}

/// Sets the bits of some cycles.
fn set_all(bits: &mut [u64], cycles: Range<usize>) {
    let mut at = cycles.start;
    while at < cycles.end {
        let within = (cycles.end - at).min(64 - at % 64);
        bits[at / 64] |= u64::MAX >> (64 - within) << (at % 64);
        at += within;
    }
}

/// Values of a number as they change.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// From which cycle on it is which value, lowest word first.
    pub changes: Vec<(u32, Vec<u64>)>,
    /// The cycles in which it is known; none for all.
    pub known: Option<Vec<u64>>,
}

impl History {
    /// From `cycle` on it is `value`.
    pub fn push(&mut self, cycle: usize, value: &[u64]) {
        let cycle = cycle as u32;
        match self.changes.last_mut() {
            Some((from, now)) if *from == cycle => *now = value.to_vec(),
            Some((_, now)) if now == value => {}
            _ => self.changes.push((cycle, value.to_vec())),
        }
    }

    /// The columns of all bits, or of those alone that change, with their numbers.
    pub fn columns(&self, cycles: usize, all: bool) -> Vec<(u32, Column)> {
        let Some((_, first)) = self.changes.first() else {
            return Vec::new();
        };
        let mut changed = vec![0; first.len()];
        for pair in self.changes.windows(2) {
            for (word, changed) in changed.iter_mut().enumerate() {
                *changed |= pair[0].1[word] ^ pair[1].1[word];
            }
        }
        let numbers = (0..64 * first.len() as u32)
            .filter(|bit| all || changed[*bit as usize / 64] >> (bit % 64) & 1 == 1);
        numbers.map(|bit| (bit, self.column(bit, cycles))).collect()
    }

    fn column(&self, bit: u32, cycles: usize) -> Column {
        let mut bits = vec![0; words(cycles)];
        let is_set = |value: &[u64]| value[bit as usize / 64] >> (bit % 64) & 1 == 1;
        let mut changes = 0;
        for (at, (from, value)) in self.changes.iter().enumerate() {
            let next = self.changes.get(at + 1);
            let end = next.map_or(cycles, |(next, _)| *next as usize);
            if is_set(value) {
                set_all(&mut bits, *from as usize..end);
            }
            changes += u32::from(next.is_some_and(|(_, next)| is_set(next) != is_set(value)));
        }
        Column {
            bits,
            known: self.known.clone(),
            changes,
        }
    }
}
