//! Where in a design a divergence comes from.
//!
//! A traced re-run is compared, bit by bit, with the contract's own values: what is decided at each of its sites, its state
//! and its outputs. What of the design is what of the contract is learnt from stretches of stimulus in which the design is
//! right, without names known before. From the outputs that differ the way goes back, by Verilator's own description of the
//! design and the values of the re-run, over bits that differ to those that come of none: the mistake is in what these are
//! made of. What there could have made the cycles right, had it been something else once, is the more suspicious. Then small
//! changes of the source are tried: the design is run again with each, in a simulation that computes
//! only what differs from the dump. What makes all stretches right is tried on other stimulus, too, and comes first; of the
//! rest, places that failing cycles have in common, and cycles without a difference do not.
//!
//! It takes some ten seconds or more, most of which go to changes. `make mutants` says how often the places are right.

mod candidates;
mod change;
mod columns;
mod contract;
mod expression;
#[cfg(test)]
mod fixture;
mod free;
mod live;
mod mine;
mod netlist;
mod pending;
mod repair;
mod rows;
mod search;
mod simulation;
mod span;
mod stretch;
mod suspicion;
mod tree;
mod trial;
mod waves;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use pmu_model::Implementation;

use lockstep_engine::dut::{Dut, Stop, TraceUnavailable};
use lockstep_stimulus::StimulusError;

use crate::hypotheses::Recording;

pub use netlist::{Netlist, Place};
pub use tree::NetlistError;
pub use trial::{Trial, Tried};

use candidates::Candidate;
use change::Edit;
use mine::{Bit, Match, Miner};
use repair::Repair;
use search::Search;
use simulation::Simulation;
use stretch::Stretch;
use suspicion::Suspected;
use waves::Waves;

/// Most changes that are tried on other stimulus: those that are the least far-fetched.
const TRIED: usize = 24;
/// The same, at one place, and of those with the same words.
const OF_PLACE: usize = 8;
const ALIKE: usize = 2;

/// How much more suspicious a place is where a change of cost 1 makes the cycles right, and how suspicious such a place is that
/// is none otherwise.
const MENDS: f64 = 3.0;
const OTHERWISE: f64 = 0.1;

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
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The lines.
    pub place: Place,
    /// The signal that is set there, from the top module on.
    pub signal: String,
    /// A small change there that makes the cycles right that are looked at.
    pub repair: Option<Mended>,
}

/// A change that makes cycles right.
#[derive(Clone, Debug)]
pub struct Mended {
    /// What is changed, in words.
    pub text: String,
    /// What comes of other stimulus with it.
    pub tried: Tried,
    edit: Edit,
}

impl Mended {
    /// Whether other stimulus on which the design is wrong is right with it.
    pub fn is_cause(&self) -> bool {
        self.tried.is_cause()
    }

    /// Tries some of them on other stimulus, each by itself, of five at most; `dut` is traced, its dumps are for the time being
    /// in `folder`.
    ///
    /// # Errors
    /// [`LocationError`].
    pub fn tried_on(
        these: &[&Self],
        trial: Trial,
        implementation: &Implementation,
        dut: &mut dyn Dut,
        design: &Netlist,
        folder: &Path,
    ) -> Result<Vec<Tried>, LocationError> {
        let edits: Vec<_> = these.iter().map(|one| one.edit).zip(0..).collect();
        trial::tried(&edits, trial, implementation, dut, design, folder)
    }
}

/// Looks for places: the most suspicious comes first. What makes the cycles right is tried on the stimulus of `trial`. `dut` is
/// traced; its dumps are for the time being in `folder`.
///
/// # Errors
/// [`LocationError`].
pub fn locate(
    recording: &Recording,
    implementation: &Implementation,
    dut: &mut dyn Dut,
    design: &Netlist,
    trial: Trial,
    folder: &Path,
) -> Result<Vec<Suspect>, LocationError> {
    let (runs, dumps) = stretch::run(recording, implementation, dut, folder)?;
    let stretches: Vec<Stretch> = runs.iter().map(|run| run.stretch.clone()).collect();
    let cycles = stretch::cycles(&stretches);
    let waves = Waves::read(&dumps, cycles)?.with_columns(cycles);
    let known = contract::columns(implementation, &runs, cycles)?;
    let miner = Miner::new(&known, &stretches, columns::words(cycles));
    let matches = matches(&miner, &waves);
    let search = Search::new(design, &waves, &matches, &known, &stretches);
    let suspicions = search.suspicions();
    let mut suspects = suspicions.ranked(None);
    let mut repairs = Vec::new();
    if let Some(simulation) = Simulation::new(&search) {
        let failures = candidates::failures(&search, &simulation);
        let mut candidates = candidates::candidates(&search, &failures);
        let place = |candidate: &Candidate<'_>| design.nodes[candidate.node as usize].place;
        let rank = ranks(&suspects);
        candidates.sort_by_key(|one| (rank(place(one)), one.node));
        let free = free::free(&simulation, &failures, &candidates);
        suspects = suspicions.ranked(Some(&free::of_places(&free, &candidates, design)));
        let rank = ranks(&suspects);
        candidates.sort_by_key(|one| (rank(place(one)), one.node));
        repairs = repair::repairs(&search, &simulation, &failures, &candidates, &free);
    }
    let rank = ranks(&suspects);
    repairs.sort_by(|a, b| {
        let order = a.cost.total_cmp(&b.cost);
        order.then((rank(a.place), a.place).cmp(&(rank(b.place), b.place)))
    });
    let (mut repairs, others) = chosen(repairs);
    let edits: Vec<_> = repairs
        .iter()
        .map(|repair| (repair.edit, repair.place))
        .collect();
    let tried = trial::tried(&edits, trial, implementation, dut, design, folder);
    let tried = match tried {
        // The design stops on other stimulus: nothing is known of that.
        Err(LocationError::Stop(_)) => Vec::new(),
        tried => tried?,
    };
    repairs.extend(others);
    Ok(ranked(&suspects, &repairs, &tried, design))
}

/// Those that are tried on other stimulus, the first ones, but not too many of one place; and the others.
fn chosen(repairs: Vec<Repair>) -> (Vec<Repair>, Vec<Repair>) {
    let mut all = 0;
    let mut of_places: HashMap<u32, usize> = HashMap::new();
    let mut of_texts: HashMap<(u32, String), usize> = HashMap::new();
    repairs.into_iter().partition(|repair| {
        let place = of_places.entry(repair.place).or_default();
        let text = of_texts.entry((repair.place, repair.text.clone()));
        let text = text.or_default();
        let is_chosen = all < TRIED && *place < OF_PLACE && *text < ALIKE;
        for count in [&mut all, place, text] {
            *count += usize::from(is_chosen);
        }
        is_chosen
    })
}

/// How many places are more suspicious than one; of one that is not suspicious, all.
fn ranks(suspects: &[Suspected]) -> impl Fn(u32) -> usize + use<> {
    let ranks: HashMap<u32, usize> = suspects.iter().map(|one| one.place).zip(0..).collect();
    move |place| ranks.get(&place).copied().unwrap_or(usize::MAX)
}

/// Places where a small change is right on other stimulus come first; of the rest, those where one makes the cycles right are
/// more suspicious.
fn ranked(
    suspects: &[Suspected],
    repairs: &[Repair],
    tried: &[Tried],
    design: &Netlist,
) -> Vec<Suspect> {
    let tried = tried.iter().copied().chain(std::iter::repeat(Tried::Open));
    let mut mended: Vec<(&Repair, Tried)> = repairs.iter().zip(tried).collect();
    mended.sort_by_key(|(_, tried)| match tried {
        right if right.is_cause() => 0,
        Tried::Right { .. } => 1,
        Tried::Open => 2,
        Tried::Wrong { .. } => 3,
    });
    let scores: HashMap<u32, f64> = suspects.iter().map(|one| (one.place, one.score)).collect();
    let suspect = |place: u32, signal: u32, repair: Option<Mended>| Suspect {
        place: design.places[place as usize].clone(),
        signal: design.name(signal).to_owned(),
        repair,
    };
    let (mut right, mut others) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for (repair, tried) in mended {
        if !seen.insert(repair.place) {
            continue;
        }
        let said = Mended {
            text: repair.text.clone(),
            tried,
            edit: repair.edit,
        };
        let said = Some(said).filter(|_| !matches!(tried, Tried::Wrong { .. }));
        let suspect = suspect(repair.place, repair.signal, said);
        if matches!(tried, Tried::Right { .. }) {
            right.push(suspect);
        } else {
            let score = scores.get(&repair.place).copied().unwrap_or(OTHERWISE);
            others.push((score * (1.0 + MENDS / repair.cost), suspect));
        }
    }
    let unmended = suspects.iter().filter(|one| !seen.contains(&one.place));
    others.extend(unmended.map(|one| (one.score, suspect(one.place, one.signal, None))));
    others.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let others = others.into_iter().map(|(_, suspect)| suspect);
    right.into_iter().chain(others).collect()
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

#[cfg(test)]
mod tests {
    use super::change::Change;
    use super::netlist::Scope;
    use super::*;

    fn design() -> Netlist {
        let place = |first| Place {
            file: "top.sv".to_owned(),
            first,
            last: first,
        };
        Netlist {
            signals: vec!["top.q".to_owned()],
            drivers: Vec::new(),
            driven_by: vec![vec![]],
            places: (1..=5).map(place).collect(),
            widths: vec![1],
            nodes: Vec::new(),
            scopes: vec![Scope {
                around: None,
                signals: HashMap::new(),
            }],
            names: Vec::new(),
        }
    }

    fn repair(place: u32, text: &str) -> Repair {
        Repair {
            edit: Edit {
                node: 0,
                width: 1,
                change: Change::Not,
            },
            place,
            cost: 1.0,
            text: text.to_owned(),
            signal: 0,
        }
    }

    #[test]
    fn what_other_stimulus_refutes_is_not_said() {
        let repairs = [
            repair(0, "wrong"),
            repair(1, "once"),
            repair(2, "right"),
            repair(0, "not tried"),
            repair(3, "wrong, too"),
        ];
        let right = |telling| Tried::Right {
            cycles: 8192,
            telling,
        };
        let wrong = Tried::Wrong { seed: 1, cycle: 7 };
        let tried = [wrong, right(1), right(2), Tried::Open, wrong];
        let suspected = |place, score| Suspected {
            place,
            signal: 0,
            score,
        };
        let suspects = [suspected(2, 0.9), suspected(4, 0.5)];
        let ranked = ranked(&suspects, &repairs, &tried, &design());
        let told = ranked.iter().map(|suspect| {
            let repair = suspect.repair.as_ref();
            let text = repair.map(|repair| repair.text.as_str());
            (
                suspect.place.first,
                text,
                repair.is_some_and(Mended::is_cause),
            )
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                (3, Some("right"), true),
                (2, Some("once"), false),
                (5, None, false),
                (1, Some("not tried"), false),
                (4, None, false),
            ]
        );
    }
}
