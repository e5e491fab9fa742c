//! Which small change of the source makes the cycles right: the design is run again with it, from the dump's values on.
//!
//! What comes right in every failing stretch, and leaves right what is, points to where the mistake is more surely than any
//! path back from the outputs.

use std::collections::{BTreeSet, HashMap};

use super::candidates::{Candidate, Failure};
use super::change::{Change, Edit};
use super::expression::Expression;
use super::free::{Free, SOON};
use super::search::Search;
use super::simulation::{Differences, Simulation, expressions, visit};
use super::stretch::Stretch;
use crate::cores;

/// Changes that are enough, of those that cost no more than this: others leave much wrong.
const FOUND: usize = 200;
const GOOD: f64 = 4.0;
/// Constants of one width that others of it may have been taken for, at most.
const CONSTANTS: usize = 128;
/// Parts of assignments that are looked at, at most; and where something else would not have helped.
const EFFORT: u64 = 9_000_000_000;
const FAR: u64 = 3_500_000_000;
/// A change that costs no more leaves nothing wrong that speaks against it.
const ENOUGH: f64 = 2.6;
/// The same for one change, in the cycles that are wrong first and in all: what takes more is not known to be right.
const FIRST: u64 = 100_000_000;
const EACH: u64 = 700_000_000;
/// Changes that all cores try before it is looked at what comes of them, and how much that was.
const TOGETHER: usize = 16;
/// Cycles before the one in which a change has to act in which it may act, too: it may be late.
const BEFORE: usize = 8;
/// The cost up to which a change is tried first.
const NEAR: f64 = 1.5;
/// What it costs that a stretch is wrong later: up to twice that, the earlier.
const LATER: f64 = 0.15;
/// What all stretches that are wrong later may cost.
const LATER_IN_ALL: f64 = 3.0;
/// Of how many stretches one may stay wrong: for a reason that is none of the change's.
const ALLOWED: usize = 7;

/// A change that makes failing cycles right.
#[derive(Clone, Debug)]
pub struct Repair {
    pub edit: Edit,
    /// The lines of its statement.
    pub place: u32,
    pub cost: f64,
    pub text: String,
    /// The signal that is set there.
    pub signal: u32,
}

/// Looks for changes of the candidates, the first of them first: of those that are `free`, and where none of these is enough,
/// of the others.
pub fn repairs(
    search: &Search<'_>,
    simulation: &Simulation<'_>,
    failures: &[Failure<'_>],
    candidates: &[Candidate<'_>],
    free: &Free,
) -> Vec<Repair> {
    let attempts = Attempts {
        search,
        simulation,
        failures,
        constants: constants(search),
    };
    // What could have made all of them right.
    let is_free = |candidate: &&Candidate<'_>| free.share(candidate.node) >= Some(SOON);
    let (first, others): (Vec<_>, Vec<_>) = candidates.iter().partition(is_free);
    let mut found = attempts.repairs(&first, free, EFFORT);
    if !found.iter().any(|repair| repair.cost < ENOUGH) {
        found.extend(attempts.repairs(&others, &Free::default(), FAR));
    }
    found
}

/// What changes are tried on.
struct Attempts<'a> {
    search: &'a Search<'a>,
    simulation: &'a Simulation<'a>,
    failures: &'a [Failure<'a>],
    constants: HashMap<u32, Vec<u64>>,
}

impl Attempts<'_> {
    /// Changes of some candidates that make failing cycles right, until so much is looked at; of `free` it is known where they
    /// have to act.
    fn repairs(&self, candidates: &[&Candidate<'_>], free: &Free, most_effort: u64) -> Vec<Repair> {
        let mut found = Vec::new();
        let (mut good, mut effort) = (0, 0);
        // What is less far-fetched comes first.
        for is_near in [true, false] {
            let all = candidates.iter().flat_map(|candidate| {
                let changes = candidate.changes(self.search, &self.constants).into_iter();
                let changes = changes.filter(|change| (change.cost() <= NEAR) == is_near);
                changes.map(move |change| (*candidate, change))
            });
            let all: Vec<_> = all.collect();
            for batch in all.chunks(TOGETHER) {
                let tried = self.all_tried(batch, free);
                for ((candidate, change), (missed, own_effort)) in batch.iter().zip(tried) {
                    if effort > most_effort || good >= FOUND {
                        return found;
                    }
                    effort += own_effort;
                    let repair =
                        missed.map(|missed| candidate.repair(*change, missed, self.search));
                    good += usize::from(repair.as_ref().is_some_and(|of| of.cost <= GOOD));
                    found.extend(repair);
                }
            }
        }
        found
    }

    /// What it costs that cycles stay wrong with each of some changes, none where it mends nothing; and how much is looked at
    /// to find out.
    fn all_tried(
        &self,
        changes: &[(&Candidate<'_>, Change)],
        free: &Free,
    ) -> Vec<(Option<f64>, u64)> {
        let simulation = self.simulation;
        let differences = || simulation.differences();
        cores::of_each(changes, differences, |(candidate, change), differences| {
            let edit = candidate.edit(*change);
            let before = differences.effort();
            let missed = mends(simulation, edit, (self.failures, free), differences)
                .then(|| missed(self.search.stretches, simulation, edit, differences));
            (missed.flatten(), differences.effort() - before)
        })
    }
}

impl Candidate<'_> {
    fn repair(&self, change: Change, missed: f64, search: &Search<'_>) -> Repair {
        let design = search.design;
        let driver = &design.drivers[self.driver as usize];
        Repair {
            edit: self.edit(change),
            place: match change {
                Change::Only { .. } => driver.block,
                _ => design.nodes[self.node as usize].place,
            },
            cost: change.cost() + missed,
            text: change.text(self.of.unwrap_or(&driver.value), design),
            signal: driver.target.signal,
        }
    }

    /// All that it may be instead.
    fn changes(&self, search: &Search<'_>, constants: &HashMap<u32, Vec<u64>>) -> Vec<Change> {
        if search.design.drivers[self.driver as usize].is_lost {
            return match self.of {
                Some(_) => Vec::new(),
                None => vec![Change::Made],
            };
        }
        let (bits, same) = search.design.seen_from(self.driver, self.width);
        match self.of {
            Some(of) => {
                let constants = constants.get(&self.width).map_or(&[][..], Vec::as_slice);
                Change::all(of, self.width, (&bits, &same), constants)
            }
            None => Change::conditions(&bits),
        }
    }
}

/// By width, the constants of the design, as far as they are not too many.
fn constants(search: &Search<'_>) -> HashMap<u32, Vec<u64>> {
    let design = search.design;
    let mut constants: HashMap<u32, BTreeSet<u64>> = HashMap::new();
    let real = design.drivers.iter().filter(|driver| !driver.is_lost);
    for expression in real.flat_map(expressions) {
        visit(expression, &mut |one| {
            if let Expression::Node { node, of } = one
                && let Expression::Constant(value) = of.plain()
            {
                let width = design.nodes[*node as usize].width;
                constants.entry(width).or_default().insert(*value);
            }
        });
    }
    // Of one bit or two there is nothing that is not tried anyway.
    constants.retain(|width, values| (3..=64).contains(width) && values.len() <= CONSTANTS);
    let lists = constants.into_iter();
    let lists = lists.map(|(width, values)| (width, values.into_iter().collect()));
    lists.collect()
}

/// Whether what is wrong first comes right, where the change makes a difference to what that comes of.
fn mends(
    simulation: &Simulation<'_>,
    edit: Edit,
    (failures, free): (&[Failure<'_>], &Free),
    differences: &mut Differences,
) -> bool {
    let mut is_active = false;
    let end = differences.effort() + FIRST;
    for (number, failure) in failures.iter().enumerate() {
        let uses = failure.uses.get(&edit.node).into_iter().flatten();
        let none = &*differences;
        let mut active = uses.filter(|(span, cycle, _)| {
            *cycle > 0 && simulation.is_active(edit, *span, failure.stretch.first + cycle, none)
        });
        if active.next().is_none() {
            continue;
        }
        is_active = true;
        // About where it has to act first: that is soon found out.
        let first = free.from(edit.node, number);
        let first = first.map(|first| first.saturating_sub(BEFORE));
        let first = first.filter(|&first| first > 0);
        for from in first.into_iter().chain([0]) {
            let cycles = (from, failure.divergent + 1);
            let wrong = simulation.first_wrong(edit, failure.stretch, cycles, differences, None);
            differences.forget();
            if !matches!(wrong, Ok(None)) || differences.effort() > end {
                return false;
            }
        }
    }
    is_active
}

/// What it costs that outputs stay wrong, if that is in few stretches: for a reason that is none of the change's.
fn missed(
    stretches: &[Stretch],
    simulation: &Simulation<'_>,
    edit: Edit,
    differences: &mut Differences,
) -> Option<f64> {
    let allowed = stretches.len() / ALLOWED;
    let (mut missed, mut later) = (0, 0.0);
    let end = differences.effort() + EACH;
    for stretch in stretches {
        if differences.effort() > end {
            return None;
        }
        let wrong = simulation.first_wrong(edit, stretch, (0, stretch.cycles), differences, None);
        differences.forget();
        match (wrong, stretch.divergent) {
            (Ok(None), _) => {}
            (Ok(Some(now)), Some(divergent)) if now > divergent => {
                let left = stretch.cycles - now;
                later += LATER * (1.0 + left as f64 / stretch.cycles as f64);
            }
            // What was right stays so.
            (_, None) => return None,
            _ => missed += 1,
        }
        if missed > allowed || later > LATER_IN_ALL {
            return None;
        }
    }
    Some(missed as f64 + later)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::candidates::{candidates, failures};
    use crate::location::fixture::{A, B, searched};

    /// The repairs of the design where its output should be `expected`, a bit a cycle.
    fn repairs_for(expected: u64) -> Vec<Repair> {
        searched(expected, |search, simulation| {
            let failures = failures(search, simulation);
            let candidates = candidates(search, &failures);
            repairs(search, simulation, &failures, &candidates, &Free::default())
        })
    }

    /// The least far-fetched one: its place, text and cost.
    fn first_for(expected: u64) -> (u32, String, f64) {
        let found = repairs_for(expected).into_iter();
        let first = found.min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
        (first.place, first.text, first.cost)
    }

    #[test]
    fn a_change_is_found_that_makes_all_cycles_right() {
        assert_eq!(first_for((A | B) << 1), (0, "| for &".to_owned(), 1.0));
        assert_eq!(first_for((A ^ B) << 1), (0, "^ for &".to_owned(), 1.0));
        assert!(repairs_for((A & B) << 1).is_empty(), "nothing is wrong");
    }

    #[test]
    fn a_statement_is_found_that_was_lost() {
        let found = repairs_for(0);
        let is_it = |repair: &Repair| repair.place == 3 && repair.text == "set to 0x0 here, too";
        assert!(found.iter().any(is_it), "{found:?}");
    }

    #[test]
    fn what_stays_wrong_later_costs_more() {
        let one_more = (A | B) << 1 ^ 1 << 40;
        let (place, text, cost) = first_for(one_more);
        assert_eq!((place, text.as_str()), (0, "| for &"));
        assert!(cost > 1.0);
    }
}
