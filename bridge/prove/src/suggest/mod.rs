//! A correspondence that is found: signals of a netlist that are, in random stimulus, what the contract has.
//!
//! Netlist and contract run side by side, 64 runs at a time. A signal stands for something where both are equal in all cycles
//! of all runs: of signals without a condition it is known by a number that is made of all their values. What is found is a
//! guess, which needs no trust: proofs are of what a file says.

mod contract;
mod equal;
mod file;
mod follow;
mod template;
mod valid;

use lockstep_stimulus::StimulusError;
use pmu_model::Implementation;
use pmu_model::contract::CYCLE_COUNTER;

use crate::contract::INPUT_BITS;
use crate::netlist::{Netlist, NetlistError};
use crate::simulation::{RUNS, Simulation};
use contract::{Contract, Seen, Target, output_bit, targets};
use equal::First;
use file::{Found, written};
use valid::with_valid;

/// The ports of every design.
const INPUT: &str = "cycle_input_i";
const OUTPUT: &str = "cycle_output_o";

/// Cycles of each run.
const CYCLES: usize = 1024;

/// The first of them are resets.
const RESETS: usize = 2;

/// Counters, that of cycles last.
const COUNTERS: usize = CYCLE_COUNTER + 1;

/// No correspondence can be looked for.
#[derive(Debug, thiserror::Error)]
pub enum SuggestError {
    /// There is no stimulus for the implementation.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The design has not the ports of the contract.
    #[error(transparent)]
    Netlist(#[from] NetlistError),
}

/// A correspondence.
#[derive(Debug)]
pub struct Suggestion {
    /// As TOML, with `?` for what was not found.
    pub text: String,
    /// What was not found.
    pub missing: Vec<String>,
}

/// A signal of the netlist.
struct Name<'a> {
    name: &'a str,
    bits: &'a [Option<u32>],
}

impl Name<'_> {
    /// The name of a bit of it.
    fn of_bit(&self, bit: usize) -> String {
        match self.bits.len() {
            1 => self.name.to_owned(),
            _ => format!("{}[{bit}]", self.name),
        }
    }
}

/// Looks for the signals of a design that stand for what the contract has.
///
/// # Errors
/// The design has other ports, or the implementation is impossible.
pub fn suggest(
    netlist: &Netlist,
    implementation: &Implementation,
) -> Result<Suggestion, SuggestError> {
    let targets = targets(implementation);
    let names = names(netlist);
    let first = First::of(netlist, implementation, &targets, &names)?;
    let mut found = Found::default();
    for (target, names) in targets.iter().zip(&first.equal) {
        found.add(target, names);
    }
    // Of registers that need not be cleared, with a bit that says whether they hold something.
    let open = targets.iter().enumerate().filter(|(at, target)| {
        target.may_be_valid() && first.seen[*at] && first.equal[*at].is_empty()
    });
    let open: Vec<_> = open.map(|(at, _)| at).collect();
    if !open.is_empty() {
        let valid = with_valid(netlist, implementation, (&targets, &open), &names)?;
        for (&at, valid) in open.iter().zip(&valid) {
            found.add(&targets[at], &valid.values);
            found.valid(&targets[at], &valid.bits);
        }
    }
    Ok(written(implementation, &found, &first))
}

/// The names of a netlist, those first that are best to read.
fn names(netlist: &Netlist) -> Vec<Name<'_>> {
    let all = netlist.all_names().filter(|(name, _)| *name != INPUT);
    let mut all: Vec<_> = all.map(|(name, bits)| Name { name, bits }).collect();
    let first = 1 + netlist.inputs();
    let registers = first..first + netlist.taken().len();
    all.sort_by_cached_key(|of| {
        let mut bits = of.bits.iter().flatten();
        let is_register = bits.all(|literal| registers.contains(&((literal >> 1) as usize)));
        (
            !is_register,
            of.name.matches('.').count(),
            of.name.len(),
            of.name,
        )
    });
    all
}

/// A cycle of all runs.
struct Cycle<'b> {
    simulation: &'b Simulation<'b>,
    /// The bits of CycleInput.
    input: &'b [u64],
    seen: &'b Seen,
    /// By register, where it changes at the end.
    changed: &'b [u64],
}

impl Cycle<'_> {
    /// Whether the bits of a signal are those of a target, in runs of `mask`.
    fn is_equal(&self, bits: &[Option<u32>], values: &[u64; RUNS], mask: u64) -> bool {
        let bits = bits.iter().copied().chain(std::iter::repeat(None));
        bits.zip(values).all(|(bit, value)| {
            let own = bit.map_or(0, |literal| self.simulation.bit(literal));
            (own ^ value) & mask == 0
        })
    }
}

/// Runs netlist and contract side by side; `look` sees each cycle.
fn run(
    netlist: &Netlist,
    implementation: &Implementation,
    targets: &[Target],
    look: &mut dyn FnMut(&Cycle<'_>),
) -> Result<(), SuggestError> {
    let input = netlist.port(INPUT)?;
    let output = netlist.any_signal(OUTPUT)?;
    let mut contract = Contract::new(implementation, targets, (CYCLES, RESETS))?;
    let mut simulation = Simulation::new(netlist, 1);
    let byte = output_bit("random_byte");
    let mut before = Vec::new();
    for cycle in 0..=CYCLES {
        let bits = match cycle < CYCLES {
            true => contract.input(cycle),
            false => vec![0; INPUT_BITS],
        };
        simulation.drive(input, &bits);
        simulation.settle();
        let changed = simulation.changes();
        // The input is registered: the cycle of the one before.
        if let Some(last) = cycle.checked_sub(1) {
            let byte = std::array::from_fn(|bit| output.bit(byte + bit));
            let byte = byte.map(|literal| literal.map_or(0, |literal| simulation.bit(literal)));
            let seen = contract.step(last, byte);
            // Until a reset has been taken, registers hold anything.
            if last >= RESETS {
                look(&Cycle {
                    simulation: &simulation,
                    input: &before,
                    seen: &seen,
                    changed: &changed,
                });
            }
        }
        simulation.clock(&changed);
        before = bits;
    }
    Ok(())
}
