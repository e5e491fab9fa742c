//! The nodes of the source that failing cycles come of: one of them may be the mistake.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::change::{Change, Edit};
use super::expression::Expression;
use super::netlist::NO_NODE;
use super::search::{Search, Slice};
use super::simulation::{Part, Simulation, expressions, visit};
use super::span::Span;
use super::stretch::{SETTLED, Stretch};

/// Failing stretches that are looked at, at most.
const FIRST: usize = 6;
/// Bits that are wrong, of which it is looked at what they come of: the first ones, and all together, at most.
const FEW: usize = 4;
const ROOTS: usize = 64;
/// Cycles without a difference, before that of a failing stretch, in which it is looked at what the same bits come of.
const PASSING: usize = 10;
/// Uses of a node in a failing stretch that are looked at, at most.
const USES: usize = 1024;

/// A stretch in which outputs are wrong, and what they come of.
pub struct Failure<'a> {
    pub stretch: &'a Stretch,
    pub divergent: usize,
    /// Some of the bits that are wrong.
    pub few: Vec<Span>,
    /// The parts of the outputs that are.
    pub parts: Vec<Part>,
    /// By node, where it is made use of: what is set there, in which cycle, by which assignment.
    pub uses: HashMap<u32, Vec<(Span, usize, u32)>>,
}

/// A node that is made use of above the outputs that differ.
pub struct Candidate<'a> {
    pub node: u32,
    /// Its expression; none for a statement.
    pub of: Option<&'a Expression>,
    pub width: u32,
    pub driver: u32,
    /// The share of the cycles without a difference in which the same bits come of it.
    pub passing: f64,
}

impl Candidate<'_> {
    /// A change of it.
    pub const fn edit(&self, change: Change) -> Edit {
        Edit {
            node: self.node,
            width: self.width,
            change,
        }
    }
}

/// The stretches in which something is wrong, the soonest first.
pub fn failures<'a>(search: &Search<'a>, simulation: &Simulation<'_>) -> Vec<Failure<'a>> {
    let mut failures: Vec<_> = search
        .stretches
        .iter()
        .filter_map(|stretch| {
            let divergent = stretch
                .divergent
                .filter(|divergent| *divergent >= SETTLED)?;
            Some((stretch, divergent))
        })
        .collect();
    failures.sort_by_key(|(stretch, divergent)| (*divergent, stretch.first));
    failures.truncate(FIRST);
    failures
        .into_iter()
        .filter_map(|(stretch, divergent)| {
            let wrong = simulation.wrong(stretch.first + divergent);
            let mut uses: HashMap<u32, Vec<(Span, usize, u32)>> = HashMap::new();
            let (few, others) = wrong.split_at(FEW.min(wrong.len()));
            let others = &others[..others.len().min(ROOTS - FEW)];
            let mut note = |node: u32, own: (Span, usize, u32)| {
                let uses = uses.entry(node).or_default();
                if uses.len() < USES && uses.last() != Some(&own) {
                    uses.push(own);
                }
            };
            // What few come of is followed farther.
            let slices = [few, others].map(|roots| search.slice(roots, divergent, stretch));
            for Slice { set, nodes } in slices.into_iter().flatten() {
                for node in nodes {
                    note(node, set);
                }
            }
            let failure = Failure {
                stretch,
                divergent,
                few: few.to_vec(),
                parts: simulation.wrong_parts(stretch.first + divergent),
                uses,
            };
            (!wrong.is_empty()).then_some(failure)
        })
        .collect()
}

/// By node, the share of the cycles without a difference in which bits come of it that are wrong later.
fn passing(search: &Search<'_>, failures: &[Failure<'_>]) -> HashMap<u32, f64> {
    let mut passing: HashMap<u32, f64> = HashMap::new();
    let mut all = 0.0;
    for failure in failures {
        let settled = failure.divergent - SETTLED;
        let cycles: BTreeSet<usize> = (0..PASSING)
            .map(|part| SETTLED + settled * part / PASSING)
            .filter(|&cycle| cycle < failure.divergent)
            .collect();
        for cycle in cycles {
            all += 1.0;
            let slice = search.slice(&failure.few, cycle, failure.stretch);
            let nodes: HashSet<u32> = slice.into_iter().flat_map(|one| one.nodes).collect();
            for node in nodes {
                *passing.entry(node).or_default() += 1.0;
            }
        }
    }
    passing.values_mut().for_each(|often| *often /= all);
    passing
}

/// The nodes that most failures make use of.
pub fn candidates<'a>(search: &Search<'a>, failures: &[Failure<'_>]) -> Vec<Candidate<'a>> {
    let design = search.design;
    let mut used: HashMap<u32, usize> = HashMap::new();
    for node in failures.iter().flat_map(|failure| failure.uses.keys()) {
        *used.entry(*node).or_default() += 1;
    }
    used.remove(&NO_NODE);
    // There may be more than one mistake.
    let common: HashSet<u32> = used
        .into_iter()
        .filter(|(_, often)| 2 * often >= failures.len())
        .map(|(node, _)| node)
        .collect();
    let passing = passing(search, failures);
    let passing = |node: u32| passing.get(&node).copied().unwrap_or(0.0);
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    for (number, driver) in (0..).zip(&design.drivers) {
        if common.contains(&driver.node) && seen.insert(driver.node) {
            // What a statement sets that may be lost may be anything.
            let of = match &driver.value {
                Expression::Node { node, of } if *node == driver.node => Some(&**of),
                _ => None,
            };
            candidates.push(Candidate {
                node: driver.node,
                of,
                width: of.map_or(0, |_| design.nodes[driver.node as usize].width),
                driver: number,
                passing: passing(driver.node),
            });
        }
        let own = expressions(driver).filter(|_| !driver.is_lost);
        for expression in own {
            visit(expression, &mut |one| {
                let Expression::Node { node, of } = one else {
                    return;
                };
                if !common.contains(node) || !seen.insert(*node) {
                    return;
                }
                let about = design.nodes[*node as usize];
                if (1..=64).contains(&about.width) {
                    candidates.push(Candidate {
                        node: *node,
                        of: Some(of),
                        width: about.width,
                        driver: number,
                        passing: passing(*node),
                    });
                }
            });
        }
    }
    candidates
}
