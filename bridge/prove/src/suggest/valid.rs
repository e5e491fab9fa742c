//! Registers that need not be cleared, with a bit that says whether they hold something.

use pmu_model::Implementation;

use super::contract::Target;
use super::{Name, SuggestError, run};
use crate::netlist::Netlist;
use crate::simulation::RUNS;

/// Names of a register that need not be cleared.
pub struct Valid {
    /// Those that have its value where that is not zero.
    pub values: Vec<String>,
    /// Bits that are 0 where the first of them has another.
    pub bits: Vec<String>,
}

/// The names of each target of `open`.
///
/// # Errors
/// The design has other ports, or the implementation is impossible.
pub fn with_valid(
    netlist: &Netlist,
    implementation: &Implementation,
    (targets, open): (&[Target], &[usize]),
    names: &[Name<'_>],
) -> Result<Vec<Valid>, SuggestError> {
    let fits = |of: &usize| {
        let bits = names[*of].bits;
        bits.len() <= 64 && bits.iter().flatten().count() > 1
    };
    let all: Vec<_> = (0..names.len()).filter(fits).collect();
    let mut left = vec![all; open.len()];
    let is_set = |values: &[u64; RUNS]| values.iter().fold(0, |set, value| set | value);
    run(netlist, implementation, targets, &mut |cycle| {
        for (&at, left) in open.iter().zip(&mut left) {
            let values = &cycle.seen.values[at];
            let set = is_set(values);
            if set != 0 {
                left.retain(|of| cycle.is_equal(names[*of].bits, values, set));
            }
        }
    })?;
    let bits = names.iter().flat_map(|of| {
        let bits = of.bits.iter().enumerate();
        bits.filter_map(|(bit, literal)| Some((of.of_bit(bit), (*literal)?)))
    });
    let bits: Vec<_> = bits.collect();
    let values: Vec<_> = left.iter().map(|left| left.first().copied()).collect();
    let mut valid: Vec<Option<Vec<usize>>> = vec![None; open.len()];
    run(netlist, implementation, targets, &mut |cycle| {
        for ((&at, value), valid) in open.iter().zip(&values).zip(&mut valid) {
            let Some(value) = value else { continue };
            let wanted = &cycle.seen.values[at];
            let own = names[*value]
                .bits
                .iter()
                .copied()
                .chain(std::iter::repeat(None));
            let differs = own.zip(wanted).fold(0, |differs, (bit, wanted)| {
                differs | bit.map_or(0, |literal| cycle.simulation.bit(literal)) ^ wanted
            });
            let set = is_set(wanted);
            if differs | set == 0 {
                continue;
            }
            let holds = |literal: u32| {
                let bit = cycle.simulation.bit(literal);
                bit & differs == 0 && !bit & set == 0
            };
            match valid {
                Some(left) => left.retain(|&of| holds(bits[of].1)),
                None => *valid = Some((0..bits.len()).filter(|&of| holds(bits[of].1)).collect()),
            }
        }
    })?;
    let found = left.iter().zip(valid).map(|(left, valid)| {
        let values = left.iter().map(|&of| names[of].name.to_owned());
        let valid = valid.unwrap_or_default().into_iter();
        Valid {
            values: values.collect(),
            bits: valid.map(|of| bits[of].0.clone()).collect(),
        }
    });
    Ok(found.collect())
}
