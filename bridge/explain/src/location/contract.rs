//! What the contract's values are in every cycle: those of its sites, its state, and its outputs.

use std::collections::HashMap;

use bytemuck::bytes_of;
use pmu_model::plain::{Moment, Mutation, Operators, Plain, Site};
use pmu_model::{Implementation, ImplementationError};

use super::columns::{Column, History, set, words};
use super::stretch::Run;

/// A value of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// What is decided at an instance of a site.
    Site(Site, u16),
    /// A word of the state at the start of a cycle.
    State(u16),
    /// The outputs.
    Output,
    /// The inputs.
    Input,
}

/// A bit of the contract.
pub struct Known {
    pub quantity: Quantity,
    pub bit: u32,
    pub column: Column,
}

/// Hears what is decided.
#[derive(Default)]
struct Watch {
    moment: Moment,
    seen: Vec<(Site, u16, u64)>,
}

impl Operators for Watch {
    fn see(&mut self, site: Site, at: usize, right: u64, _: &dyn Fn(Mutation) -> u64) -> u64 {
        self.seen.push((site, at as u16, right));
        right
    }

    fn moment(&mut self) -> &mut Moment {
        &mut self.moment
    }
}

/// The bits of the contract that change in the cycles of `runs`.
pub fn columns(
    implementation: &Implementation,
    runs: &[Run],
    cycles: usize,
) -> Result<Vec<Known>, ImplementationError> {
    let mut watch = Watch::default();
    let mut histories: HashMap<Quantity, History> = HashMap::new();
    for run in runs {
        let mut plain = Plain::new(implementation)?;
        for (k, (input, &byte)) in run.inputs.iter().zip(&run.random).enumerate() {
            let at = k.checked_sub(run.from).map(|at| run.stretch.first + at);
            if let Some(cycle) = at {
                // What was written in the cycle before; in the first one all.
                let state = plain.state();
                let written: Vec<(u16, u64)> = match k == run.from {
                    true => {
                        let all = 0..state.count() as u16;
                        all.map(|word| (word, state.word(word))).collect()
                    }
                    false => state.written().collect(),
                };
                for (word, value) in written {
                    let history = histories.entry(Quantity::State(word)).or_default();
                    history.push(cycle, &[value]);
                }
                let driven = histories.entry(Quantity::Input).or_default();
                driven.push(cycle, &wide(bytes_of(input)));
            }
            watch.seen.clear();
            let output = plain.step(&mut watch, input, byte);
            if let Some(cycle) = at {
                let shown = histories.entry(Quantity::Output).or_default();
                shown.push(cycle, &wide(bytes_of(&output)));
                for &(site, at, value) in &watch.seen {
                    let history = histories.entry(Quantity::Site(site, at)).or_default();
                    history.push(cycle, &[value]);
                    let known = history.known.get_or_insert_with(|| vec![0; words(cycles)]);
                    set(known, cycle);
                }
            }
        }
    }
    let all = histories.into_iter().flat_map(|(quantity, history)| {
        let columns = history.columns(cycles, quantity == Quantity::Output);
        columns.into_iter().map(move |(bit, mut column)| {
            if quantity == Quantity::Output {
                column.known = known_cycles(bit, runs, cycles);
            }
            Known {
                quantity,
                bit,
                column,
            }
        })
    });
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|known| (order(known.quantity), known.bit));
    Ok(all)
}

/// The cycles in which a bit of the outputs is not UNKNOWN; none for all.
fn known_cycles(bit: u32, runs: &[Run], cycles: usize) -> Option<Vec<u64>> {
    let mut known: Option<Vec<u64>> = None;
    for run in runs {
        for (at, unknown) in run.unknown[run.from..].iter().enumerate() {
            let byte = (!unknown.is_none()).then(|| unknown.mask().get(bit as usize / 8).copied());
            if byte
                .flatten()
                .is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
            {
                let cycle = run.stretch.first + at;
                let known = known.get_or_insert_with(|| vec![u64::MAX; words(cycles)]);
                known[cycle / 64] &= !(1 << (cycle % 64));
            }
        }
    }
    known
}

/// Words of bytes, the lowest first.
pub fn wide(bytes: &[u8]) -> Vec<u64> {
    let word = |bytes: &[u8]| {
        let bytes = bytes.iter().rev();
        bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
    };
    bytes.chunks(8).map(word).collect()
}

/// An order that is the same in every run.
fn order(quantity: Quantity) -> (u8, u16, u16) {
    match quantity {
        Quantity::State(word) => (0, word, 0),
        Quantity::Site(site, at) => (1, site as u16, at),
        Quantity::Output => (2, 0, 0),
        Quantity::Input => (3, 0, 0),
    }
}
