//! Runs of a netlist, 64 at a time: each bit of a word is a run.

use std::array;

use bytemuck::bytes_of;
use lockstep_stimulus::{Generator, Profile, StimulusError};
use pmu_model::{CycleInput, Implementation};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::netlist::Netlist;

/// Random stimulus of so many cycles, the first of which are `resets`: by run, its cycles.
///
/// # Errors
/// The implementation is impossible.
pub fn stimulus(
    implementation: &Implementation,
    (cycles, resets): (usize, usize),
) -> Result<Vec<Vec<CycleInput>>, StimulusError> {
    let runs = (0..RUNS as u64).map(|seed| {
        let mut own = vec![CycleInput::default(); cycles];
        Generator::new(seed, implementation, &Profile::default())?.fill(&mut own);
        own[..resets].fill(CycleInput::reset());
        Ok(own)
    });
    runs.collect()
}

/// The bits of CycleInput of a cycle, each in all runs.
pub fn bits_of(stimulus: &[Vec<CycleInput>], cycle: usize) -> Vec<u64> {
    let bytes: Vec<_> = stimulus.iter().map(|of| bytes_of(&of[cycle])).collect();
    let words = bytes[0].len().div_ceil(8);
    let word = |bytes: &[u8], at: usize| {
        let mut word = [0; 8];
        let bytes = &bytes[8 * at..bytes.len().min(8 * at + 8)];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let all = (0..words).flat_map(|at| transposed(array::from_fn(|run| word(bytes[run], at))));
    all.collect()
}

/// How many runs there are.
pub const RUNS: usize = 64;

/// Runs of a netlist. What Yosys has as x is zero.
pub struct Simulation<'a> {
    netlist: &'a Netlist,
    /// By variable.
    values: Vec<u64>,
}

impl<'a> Simulation<'a> {
    /// Registers hold anything at first: what no reset clears is not mistaken for what is zero.
    pub fn new(netlist: &'a Netlist, seed: u64) -> Self {
        let first = 1 + netlist.inputs();
        let registers = netlist.taken().len();
        let mut values = vec![0; first + registers + netlist.made_of().len()];
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        values[first..first + registers].fill_with(|| random.next_u64());
        Self { netlist, values }
    }

    /// Puts what is given into inputs and registers, by variable; in all runs alike.
    pub fn put(&mut self, values: impl IntoIterator<Item = (usize, bool)>) {
        for (variable, value) in values {
            self.values[variable] = 0u64.wrapping_sub(value.into());
        }
    }

    /// The values of gates, the first gate first.
    pub fn gates(&self) -> &[u64] {
        let first = 1 + self.netlist.inputs() + self.netlist.taken().len();
        &self.values[first..]
    }

    /// Drives the bits of a port, those of it that something reads.
    pub fn drive(&mut self, port: &[Option<usize>], bits: &[u64]) {
        for (input, &bit) in port.iter().zip(bits) {
            if let Some(input) = input {
                self.values[1 + input] = bit;
            }
        }
    }

    /// Works out all gates.
    pub fn settle(&mut self) {
        let first = 1 + self.netlist.inputs() + self.netlist.taken().len();
        for (gate, &[a, b]) in self.netlist.made_of().iter().enumerate() {
            self.values[first + gate] = self.bit(a) & self.bit(b);
        }
    }

    /// Which bits of registers change as the clock rises, by register.
    pub fn changes(&self) -> Vec<u64> {
        let first = 1 + self.netlist.inputs();
        let taken = self.netlist.taken().iter().zip(&self.values[first..]);
        taken
            .map(|(&literal, held)| self.bit(literal) ^ held)
            .collect()
    }

    /// The clock rises.
    pub fn clock(&mut self, changes: &[u64]) {
        let first = 1 + self.netlist.inputs();
        for (held, change) in self.values[first..].iter_mut().zip(changes) {
            *held ^= change;
        }
    }

    /// A literal in all runs.
    pub fn bit(&self, literal: u32) -> u64 {
        let value = self.values[(literal >> 1) as usize];
        value ^ 0u64.wrapping_sub(u64::from(literal & 1))
    }
}

/// Words of 64 runs become bits, each of all runs.
pub fn transposed(mut words: [u64; RUNS]) -> [u64; RUNS] {
    let (mut width, mut mask) = (RUNS / 2, u64::MAX >> (RUNS / 2));
    while width != 0 {
        let mut row = 0;
        while row < RUNS {
            let other = row + width;
            let swapped = (words[row] >> width ^ words[other]) & mask;
            words[row] ^= swapped << width;
            words[other] ^= swapped;
            row = (other + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_of_each_run_is_in_its_place() {
        let words = std::array::from_fn(|run| (run as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let bits = transposed(words);
        for (run, word) in words.iter().enumerate() {
            for (bit, of_all) in bits.iter().enumerate() {
                assert_eq!(word >> bit & 1, of_all >> run & 1, "run {run}, bit {bit}");
            }
        }
    }
}
