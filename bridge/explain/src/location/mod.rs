//! Where in a design a divergence comes from.
//!
//! A traced re-run is compared, bit by bit, with the contract's own values: what is decided at each of its sites, its state
//! and its outputs. What of the design is what of the contract is learnt from stretches of stimulus in which the design is
//! right, without names known before. From the outputs that differ the way goes back, by Verilator's own description of the
//! design and the values of the re-run, over bits that differ to those that come of none: the mistake is in what these are
//! made of. Then small changes of the source are tried: the design is run again with each, in a simulation that computes
//! only what differs from the dump. What makes all stretches right comes first; of the rest, places that failing cycles
//! have in common, and cycles without a difference do not.
//!
//! It takes some seconds, most of which go to learning. `make mutants` says how often the places are right.

mod change;
mod columns;
mod contract;
mod expression;
mod mine;
mod netlist;
mod repair;
mod search;
mod simulation;
mod span;
mod stretch;
mod tree;
mod waves;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use pmu_model::Implementation;

use lockstep_engine::dut::{Dut, Stop, TraceUnavailable};
use lockstep_stimulus::StimulusError;

use crate::hypotheses::Recording;

pub use netlist::{Netlist, Place};
pub use tree::NetlistError;

use mine::{Bit, Match, Miner};
use repair::Repair;
use search::Search;
use stretch::Stretch;
use waves::Waves;

/// The port with the outputs.
const OUTPUTS: &str = ".cycle_output_o";

/// Why no places are named.
#[derive(Debug, thiserror::Error)]
pub enum LocationError {
    /// There is no contract of such an implementation.
    #[error(transparent)]
    Implementation(#[from] pmu_model::ImplementationError),
    /// There is no stimulus for it.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The design stopped.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// It writes no dump.
    #[error(transparent)]
    Trace(#[from] TraceUnavailable),
    /// The dump cannot be read.
    #[error(transparent)]
    Dump(#[from] lockstep_vcd::Error),
}

/// A place that may be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The lines.
    pub place: Place,
    /// The signal that is set there, from the top module on.
    pub signal: String,
    /// A small change there that makes all cycles right that are looked at, in words.
    pub repair: Option<String>,
}

/// Looks for places: the most suspicious comes first. `dut` is traced; its dumps are for the time being in `folder`.
///
/// # Errors
/// [`LocationError`].
pub fn locate(
    recording: &Recording,
    implementation: &Implementation,
    dut: &mut dyn Dut,
    design: &Netlist,
    folder: &Path,
) -> Result<Vec<Suspect>, LocationError> {
    let (runs, dumps) = stretch::run(recording, implementation, dut, folder)?;
    let stretches: Vec<Stretch> = runs.iter().map(|run| run.stretch.clone()).collect();
    let cycles = stretches.last().map_or(0, |last| last.first + last.cycles);
    let waves = Waves::read(&dumps, cycles)?;
    let known = contract::columns(implementation, &runs, cycles)?;
    let miner = Miner::new(&known, &stretches, columns::words(cycles));
    let matches = matches(&miner, &waves);
    let search = Search::new(design, &waves, &matches, &known, &stretches);
    let suspects = search.suspects();
    let ranks: HashMap<u32, usize> = suspects.iter().map(|(place, _)| *place).zip(0..).collect();
    let repairs = repair::repairs(&search, &ranks);
    Ok(ranked(suspects, &ranks, repairs, design))
}

/// Places where a small change makes the cycles right come first.
fn ranked(
    suspects: Vec<(u32, u32)>,
    ranks: &HashMap<u32, usize>,
    repairs: Vec<Repair>,
    design: &Netlist,
) -> Vec<Suspect> {
    let mut best: HashMap<u32, Repair> = HashMap::new();
    for repair in repairs {
        let known = best.entry(repair.place).or_insert_with(|| repair.clone());
        if repair.cost < known.cost {
            *known = repair;
        }
    }
    let mut mended: Vec<Repair> = best.into_values().collect();
    let rank = |place: u32| ranks.get(&place).copied().unwrap_or(usize::MAX);
    mended.sort_by(|a, b| {
        let order = a.cost.total_cmp(&b.cost);
        order.then((rank(a.place), a.place).cmp(&(rank(b.place), b.place)))
    });
    let is_mended: HashSet<u32> = mended.iter().map(|repair| repair.place).collect();
    let suspect = |place: u32, signal: u32, repair: Option<String>| Suspect {
        place: design.places[place as usize].clone(),
        signal: design.signals[signal as usize].clone(),
        repair,
    };
    let first = mended
        .into_iter()
        .map(|repair| suspect(repair.place, repair.signal, Some(repair.text)));
    let others = suspects
        .into_iter()
        .filter(|(place, _)| !is_mended.contains(place))
        .map(|(place, signal)| suspect(place, signal, None));
    first.chain(others).collect()
}

/// A name with `*` for every number in brackets, and these numbers.
fn template(name: &str) -> (String, Vec<u32>) {
    let mut parts = name.split('[');
    let mut template = parts.next().unwrap_or_default().to_owned();
    let mut indices = Vec::new();
    for part in parts {
        match part.split_once(']').map(|(n, rest)| (n.parse(), rest)) {
            Some((Ok(number), rest)) => {
                indices.push(number);
                template += "[*]";
                template += rest;
            }
            _ => {
                template += "[";
                template += part;
            }
        }
    }
    (template, indices)
}

/// What the bits of a design are, by signal of the dump and bit.
fn matches(miner: &Miner<'_>, waves: &Waves) -> HashMap<(u32, u32), Option<Match>> {
    // Of several names the shortest: that of the module that drives the signal.
    let mut names: HashMap<u32, &str> = HashMap::new();
    for (name, wave) in &waves.signals {
        let known = names.entry(*wave).or_insert(name);
        if (name.len(), name.as_str()) < (known.len(), known) {
            *known = name;
        }
    }
    let named: HashMap<u32, (String, Vec<u32>)> = names
        .into_iter()
        .map(|(wave, name)| (wave, template(name)))
        .collect();
    let mut by_name: HashMap<&str, Vec<Bit<'_>>> = HashMap::new();
    for (wave, columns) in waves.columns.iter().enumerate() {
        let wave = wave as u32;
        let Some((name, indices)) = named.get(&wave) else {
            continue;
        };
        let bits = columns.iter().map(|(bit, column)| Bit {
            wave,
            bit: *bit,
            name,
            indices,
            column,
        });
        by_name.entry(name).or_default().extend(bits);
    }
    let mut matches = HashMap::new();
    for bits in by_name.values() {
        let found = miner.find(bits);
        let keys = bits.iter().map(|bit| (bit.wave, bit.bit));
        matches.extend(keys.zip(found));
    }
    matches
}
