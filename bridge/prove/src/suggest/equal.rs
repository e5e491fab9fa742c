//! Signals that are what the contract has in all cycles, or wherever a counter counts.

use std::collections::{BTreeSet, HashMap, HashSet};

use pmu_model::Implementation;

use super::contract::Target;
use super::follow::Follows;
use super::{Name, SuggestError, run};
use crate::contract::INPUT_BITS;
use crate::netlist::Netlist;
use crate::simulation::RUNS;

/// A number that is made of all values of a bit.
fn mixed(number: u64, value: u64) -> u64 {
    let mixed = (number ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 29
}

/// What is found without a condition.
pub struct First {
    /// By target, the names that are equal, the best first.
    pub equal: Vec<Vec<String>>,
    /// By target, whether it was ever something else than zero.
    pub seen: Vec<bool>,
    /// The names of CycleInput.
    pub input: Option<String>,
    /// By counter, that of cycles last, the names of registers that follow its type alone.
    pub follow: Vec<BTreeSet<String>>,
}

impl First {
    /// Runs netlist and contract side by side.
    ///
    /// # Errors
    /// The design has other ports, or the implementation is impossible.
    pub fn of(
        netlist: &Netlist,
        implementation: &Implementation,
        targets: &[Target],
        names: &[Name<'_>],
    ) -> Result<Self, SuggestError> {
        let mut of_names: Vec<Vec<u64>> = names.iter().map(|of| vec![0; of.bits.len()]).collect();
        let mut of_targets = vec![[0; RUNS]; targets.len()];
        let (mut of_input, mut zero) = (vec![0; INPUT_BITS], 0);
        // Base values are looked at where the counter counts.
        let bases = targets.iter().enumerate();
        let bases = bases.filter_map(|(at, target)| Some((at, target.base_of()?, target.width)));
        let mut bases: Vec<_> = bases
            .map(|(at, n, width)| {
                let fits = |of: &usize| (1..=width).contains(&names[*of].bits.len());
                let names = (0..names.len()).filter(fits).collect::<Vec<_>>();
                (at, n, names, false)
            })
            .collect();
        let mut follows = Follows::new(netlist.taken().len());
        run(netlist, implementation, targets, &mut |cycle| {
            for (of, numbers) in names.iter().zip(&mut of_names) {
                for (literal, number) in of.bits.iter().zip(numbers) {
                    let value = literal.map_or(0, |literal| cycle.simulation.bit(literal));
                    *number = mixed(*number, value);
                }
            }
            for (values, numbers) in cycle.seen.values.iter().zip(&mut of_targets) {
                for (value, number) in values.iter().zip(numbers) {
                    *number = mixed(*number, *value);
                }
            }
            for (value, number) in cycle.input.iter().zip(&mut of_input) {
                *number = mixed(*number, *value);
            }
            zero = mixed(zero, 0);
            for (at, n, left, is_seen) in &mut bases {
                let (values, counts) = (&cycle.seen.values[*at], cycle.seen.counts[*n]);
                if counts == 0 {
                    continue;
                }
                *is_seen |= values.iter().any(|value| value & counts != 0);
                left.retain(|of| cycle.is_equal(names[*of].bits, values, counts));
            }
            follows.look(cycle.seen, cycle.changed);
        })?;
        let trimmed = |numbers: &[u64]| {
            let last = numbers.iter().rposition(|&number| number != zero);
            numbers[..last.map_or(0, |last| last + 1)].to_vec()
        };
        let mut by_numbers: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
        for (of, numbers) in of_names.iter().enumerate() {
            by_numbers.entry(trimmed(numbers)).or_default().push(of);
        }
        let wanted = targets.iter().zip(&of_targets);
        let wanted = wanted.filter(|(target, _)| target.width == 1);
        let wanted: HashSet<u64> = wanted.map(|(_, numbers)| numbers[0]).collect();
        let mut by_bit: HashMap<u64, Vec<String>> = HashMap::new();
        for (of, numbers) in names.iter().zip(&of_names) {
            for (bit, number) in numbers.iter().enumerate() {
                if wanted.contains(number) {
                    by_bit.entry(*number).or_default().push(of.of_bit(bit));
                }
            }
        }
        let mut equal: Vec<Vec<String>> = vec![Vec::new(); targets.len()];
        let mut seen = vec![false; targets.len()];
        for (at, (target, numbers)) in targets.iter().zip(&of_targets).enumerate() {
            let key = trimmed(&numbers[..target.width]);
            seen[at] = !key.is_empty();
            if key.is_empty() || target.base_of().is_some() {
                continue;
            }
            let whole = by_numbers.get(&key).into_iter().flatten();
            let whole = whole.filter(|&&of| names[of].bits.len() <= target.width);
            equal[at] = match target.width {
                1 => by_bit.get(&numbers[0]).cloned().unwrap_or_default(),
                _ => whole.map(|&of| names[of].name.to_owned()).collect(),
            };
        }
        for (at, _, left, is_seen) in bases {
            seen[at] = is_seen;
            if is_seen {
                equal[at] = left.iter().map(|&of| names[of].name.to_owned()).collect();
            }
        }
        // A design need not read all of it.
        let inputs = names.iter().zip(&of_names).filter(|(of, numbers)| {
            let mut bits = of.bits.iter().zip(*numbers).zip(&of_input);
            of.bits.len() <= INPUT_BITS
                && bits.all(|((bit, number), own)| bit.is_none() || number == own)
        });
        let input = inputs.rev().max_by_key(|(of, _)| read(of));
        let types = targets
            .iter()
            .zip(&equal)
            .filter(|(target, _)| matches!(target.key, "counter.type" | "common.cycle_filter"));
        let types: HashSet<_> = types.flat_map(|(_, names)| names.clone()).collect();
        Ok(Self {
            input: input.map(|(of, _)| of.name.to_owned()),
            follow: follows.names(netlist, names, &types),
            equal,
            seen,
        })
    }
}

/// How many bits of it something reads.
fn read(of: &Name<'_>) -> usize {
    of.bits.iter().flatten().count()
}
