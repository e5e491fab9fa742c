//! Functions of a few bits that were run for each of their values, as decisions.

use std::collections::HashMap;

use crate::circuit::{Circuit, Lit};

/// A function of some bits as a diagram of decisions, the highest bit first; equal parts are one part.
#[derive(Debug)]
pub struct Table {
    /// The bit that decides, and the parts for 0 and 1.
    decisions: Vec<(usize, [Part; 2])>,
    root: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Known(u8),
    Decision(u32),
}

impl Table {
    /// The table of `function` over `bits` bits.
    pub fn of(bits: usize, mut function: impl FnMut(u64) -> bool) -> Self {
        Self::of_words(bits, |value| function(value).into())
    }

    /// The table of a function that has up to eight bits.
    pub fn of_words(bits: usize, mut function: impl FnMut(u64) -> u8) -> Self {
        let mut parts: Vec<_> = (0..1u64 << bits)
            .map(|value| Part::Known(function(value)))
            .collect();
        let mut decisions = Vec::new();
        for bit in 0..bits {
            let mut known = HashMap::new();
            let pairs = parts.chunks_exact(2).map(|pair| {
                let pair = [pair[0], pair[1]];
                if pair[0] == pair[1] {
                    return pair[0];
                }
                *known.entry(pair).or_insert_with(|| {
                    decisions.push((bit, pair));
                    Part::Decision(decisions.len() as u32 - 1)
                })
            });
            parts = pairs.collect();
        }
        Self {
            decisions,
            root: parts[0],
        }
    }

    /// The function of these bits, bit 0 first.
    pub fn on(&self, circuit: &mut Circuit, bits: &[Lit]) -> Lit {
        self.words_on::<1>(circuit, bits)[0]
    }

    /// The lower bits of the function of these bits.
    pub fn words_on<const BITS: usize>(&self, circuit: &mut Circuit, bits: &[Lit]) -> [Lit; BITS] {
        let mut found: Vec<[Lit; BITS]> = Vec::with_capacity(self.decisions.len());
        let lits = |found: &[[Lit; BITS]], part| match part {
            Part::Known(word) => std::array::from_fn(|bit| Lit::known(word >> bit & 1 == 1)),
            Part::Decision(decision) => found[decision as usize],
        };
        for &(bit, [no, yes]) in &self.decisions {
            let (no, yes) = (lits(&found, no), lits(&found, yes));
            let chosen = std::array::from_fn(|of| circuit.choose(bits[bit], yes[of], no[of]));
            found.push(chosen);
        }
        lits(&found, self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_its_function() {
        let function = |value: u64| value.count_ones() >= 3 || value == 9;
        let table = Table::of(5, function);
        for value in 0..32 {
            let mut circuit = Circuit::default();
            let bits: Vec<_> = (0..5)
                .map(|bit| Lit::known(value >> bit & 1 == 1))
                .collect();
            assert_eq!(table.on(&mut circuit, &bits), Lit::known(function(value)));
        }
    }
}
