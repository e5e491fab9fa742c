//! Which nodes of the source could have made failing cycles right, whatever they had been: each is something else for once, in
//! one cycle, or the same from some cycle on, and the design is run again from there.
//!
//! What is no cause of a divergence may well be on the way to it, but seldom could have prevented it in every case and done no
//! harm.

use std::collections::{BTreeSet, HashMap};

use super::candidates::{Candidate, Failure};
use super::change::{Change, Force};
use super::expression::mask;
use super::netlist::Netlist;
use super::simulation::{Differences, Part, Simulation};
use super::stretch::SETTLED;
use super::suspicion::Left;
use crate::cores;

/// Cycles in which a node is something else, each by itself, at most: the last ones.
const CYCLES: usize = 6;
/// Assignments by which a node is something else in a cycle, at most.
const DRIVERS: usize = 64;
/// Assignments by which a node is the same from a cycle on, each by itself, at most.
const FEW: usize = 4;
/// Wrong parts of the outputs that a node is made to make right, at most.
const PARTS: usize = 32;
/// Values of other signals that a node is for once, at most.
const OTHERS: usize = 24;
/// What it counts that the first wrong cycle is right, where the next one is wrong: more than that most stretches are right.
pub const SOON: f64 = 0.85;
/// Nodes that all cores try before it is looked at how much that was.
const TOGETHER: usize = 16;
/// Failing stretches that a node could not have made right, after which it is given up.
const BOUND: usize = 2;
/// Cycles from which on a condition is always or never met, each by itself, at most: the last ones in which that is a
/// difference.
const STARTS: usize = 32;
/// Parts of assignments that are looked at, at most: some ten seconds of two cores.
const EFFORT: u64 = 9_000_000_000;
/// The same for one node in one stretch.
const EACH: u64 = 3_600_000;

/// How sharply a node that could have made less right is told from one that could have made all right.
const SHARP: i32 = 16;
/// How much it tells against a node that the same bits come of it where they are right.
const PASSING: f64 = 10.0;
/// What is left of the suspicion of a node with more than one bit: one of its values is right more often by chance.
const WIDE: f64 = 0.3;
/// What is left of that of a node that could have prevented no divergence, and of one of which that is not known.
const BOUND_LEFT: f64 = 0.02;
const UNKNOWN_LEFT: f64 = 0.01;

/// What nodes could have made right; nothing of those that were not tried.
#[derive(Default)]
pub struct Free(HashMap<u32, OfNode>);

/// What a node could have made right.
struct OfNode {
    /// The share of the failing stretches in which that was found out, less where it leaves other cycles wrong; none where it
    /// never was.
    share: Option<f64>,
    /// From which cycle on in each of them, where it could.
    cycles: Vec<Option<usize>>,
}

impl Free {
    /// The share of the failing stretches that a node could have made right.
    pub fn share(&self, node: u32) -> Option<f64> {
        self.0.get(&node)?.share
    }

    /// The cycle of a failing stretch from which on it could.
    pub fn from(&self, node: u32, failure: usize) -> Option<usize> {
        *self.0.get(&node)?.cycles.get(failure)?
    }
}

/// Sets the candidates free in each failing stretch.
pub fn free(
    simulation: &Simulation<'_>,
    failures: &[Failure<'_>],
    candidates: &[Candidate<'_>],
) -> Free {
    let mut free = Free::default();
    let mut effort = 0;
    for batch in candidates.chunks(TOGETHER) {
        if effort > EFFORT {
            break;
        }
        let differences = || simulation.differences();
        let all = cores::of_each(batch, differences, |candidate, differences| {
            let before = differences.effort();
            let found = of_node(simulation, failures, candidate, differences);
            (candidate.node, found, differences.effort() - before)
        });
        for (node, found, own_effort) in all {
            free.0.insert(node, found);
            effort += own_effort;
        }
    }
    free
}

/// Sets a node free in the failing stretches, until it is clear that it could not make them right.
fn of_node(
    simulation: &Simulation<'_>,
    failures: &[Failure<'_>],
    candidate: &Candidate<'_>,
    differences: &mut Differences,
) -> OfNode {
    let (mut right, mut known) = (0.0, 0.0);
    let mut bound = 0;
    let mut cycles = vec![None; failures.len()];
    for (failure, cycle) in failures.iter().zip(&mut cycles) {
        // It is hardly more than that already.
        if bound == BOUND {
            break;
        }
        let mut trial = Trial {
            simulation,
            candidate,
            failure,
            end: differences.effort() + EACH,
            differences,
        };
        if let Some(mut mended) = trial.mended() {
            // What is always wrong is not right by one cycle.
            if mended.0 == 0.0 && bound == 0 && trial.decides() {
                mended = trial.mended_throughout();
            }
            known += 1.0;
            right += mended.0;
            *cycle = Some(mended.1).filter(|_| mended.0 > 0.0);
            bound += usize::from(mended.0 == 0.0);
        }
    }
    OfNode {
        share: (known > 0.0).then(|| right / known),
        cycles,
    }
}

/// By place, how much is left of the suspicion against it by its best node.
pub fn of_places(
    free: &Free,
    candidates: &[Candidate<'_>],
    design: &Netlist,
) -> HashMap<u32, Left> {
    let shares = free.0.values().filter_map(|of_node| of_node.share);
    // Where there are two mistakes, none is why all are wrong.
    let most = shares.fold(0.0, f64::max);
    let mut places: HashMap<u32, Left> = HashMap::new();
    for candidate in candidates {
        let part = match free.share(candidate.node) {
            Some(share) if most > 0.0 => {
                BOUND_LEFT + (1.0 - BOUND_LEFT) * (share / most).powi(SHARP)
            }
            Some(_) => BOUND_LEFT,
            None => UNKNOWN_LEFT,
        };
        let part = part / (1.0 + PASSING * candidate.passing);
        let part = part * if candidate.width > 1 { WIDE } else { 1.0 };
        let place = design.nodes[candidate.node as usize].place;
        let signal = design.drivers[candidate.driver as usize].target.signal;
        let left = places.entry(place).or_insert(Left { part, signal });
        left.part = left.part.max(part);
    }
    places
}

/// A node, tried in a failing stretch.
struct Trial<'a> {
    simulation: &'a Simulation<'a>,
    candidate: &'a Candidate<'a>,
    failure: &'a Failure<'a>,
    differences: &'a mut Differences,
    /// The effort at which it is given up.
    end: u64,
}

impl Trial<'_> {
    /// How right it is where the node is something else in a cycle before the first wrong one, or in it, if that can be found
    /// out: 0 if that one stays wrong, 1 if nothing is wrong; and that cycle.
    fn mended(&mut self) -> Option<(f64, usize)> {
        for (now, drivers) in self.cycles().iter().take(CYCLES) {
            let drivers = &drivers[..drivers.len().min(DRIVERS)];
            let mended = self.mended_in(*now, drivers)?;
            if mended > 0.0 {
                return Some((mended, *now));
            }
        }
        Some((0.0, 0))
    }

    /// The cycles in which the node is made use of, the last one first, and by which assignments.
    fn cycles(&self) -> Vec<(usize, Vec<u32>)> {
        let design = self.simulation.design;
        let uses = self.failure.uses.get(&self.candidate.node);
        let mut cycles: Vec<(usize, Vec<u32>)> = Vec::new();
        for &(_, cycle, driver) in uses.into_iter().flatten() {
            let clocked = design.drivers[driver as usize].clocked;
            let Some(now) = cycle.checked_sub(usize::from(clocked)) else {
                continue;
            };
            match cycles.iter_mut().find(|(own, _)| *own == now) {
                Some((_, drivers)) if drivers.contains(&driver) => {}
                Some((_, drivers)) => drivers.push(driver),
                None => cycles.push((now, vec![driver])),
            }
        }
        cycles.sort_by_key(|(now, _)| usize::MAX - now);
        cycles
    }

    /// Whether the node is a bit, or a statement that sets a register.
    fn decides(&self) -> bool {
        match self.candidate.of {
            Some(_) => self.candidate.width == 1,
            None => self.simulation.design.drivers[self.candidate.driver as usize].clocked,
        }
    }

    /// How right it is where the node is the same from some cycle on, as far as that is found out.
    fn mended_throughout(&mut self) -> (f64, usize) {
        let cycles = self.cycles();
        let Some((last, _)) = cycles.first() else {
            return (0.0, 0);
        };
        let drivers: Vec<u32> = cycles.iter().flat_map(|(_, all)| all).copied().collect();
        let drivers = self.with_siblings(&drivers);
        // What all assignments have of it, or one alone.
        let each = drivers.iter().take(FEW).map(std::slice::from_ref);
        let each = each.filter(|_| drivers.len() > 1);
        let end = self.differences.effort() + EACH;
        for drivers in [drivers.as_slice()].into_iter().chain(each) {
            for value in [0, 1] {
                for start in self.starts(drivers[0], value, *last) {
                    let forced: Vec<_> =
                        drivers.iter().map(|&one| (one, Force::Is(value))).collect();
                    if let Came::Right(mended) = self.tried((start, *last), &forced) {
                        return (mended, start);
                    }
                    if self.differences.effort() > end {
                        return (0.0, 0);
                    }
                }
            }
        }
        (0.0, 0)
    }

    /// The last cycles from which on it is a difference that the node is always this value.
    fn starts(&self, driver: u32, value: u64, last: usize) -> Vec<usize> {
        let first = self.failure.stretch.first;
        let is_other = |now: &usize| {
            let is = match self.candidate.of {
                Some(of) => (self.simulation).value_of(of, driver, first + now, self.differences),
                None => Some(1),
            };
            is.is_some_and(|is| is != value)
        };
        (SETTLED..last)
            .rev()
            .filter(is_other)
            .take(STARTS)
            .collect()
    }

    /// It is the same wherever it is made use of, or something else in one assignment; what helps in one is taken together.
    fn mended_in(&mut self, now: usize, drivers: &[u32]) -> Option<f64> {
        let mut helping = Vec::new();
        let mut best = 0.0;
        let all = self.with_siblings(drivers);
        let first = drivers.first().filter(|_| all.len() > 1);
        let all = first.map(|&first| (first, all.as_slice()));
        let each = drivers
            .iter()
            .map(|driver| (*driver, std::slice::from_ref(driver)));
        for (first, drivers) in all.into_iter().chain(each) {
            for force in self.forces(now, first) {
                if self.differences.effort() > self.end {
                    return (best > 0.0).then_some(best);
                }
                let forced: Vec<_> = drivers.iter().map(|&driver| (driver, force)).collect();
                match self.tried((now, now), &forced) {
                    Came::Right(1.0) => return Some(1.0),
                    Came::Right(mended) => best = f64::max(best, mended),
                    Came::Better if drivers.len() == 1 => helping.push((first, force)),
                    Came::Better | Came::No => {}
                }
            }
        }
        let is_bit = |(_, force): &&(u32, Force)| match force {
            Force::Flipped(bits) => bits.is_power_of_two(),
            _ => false,
        };
        let mut bits: Vec<_> = Vec::new();
        for one in helping.iter().filter(is_bit) {
            if !bits.contains(one) {
                bits.push(*one);
            }
        }
        let mut values: Vec<_> = helping.iter().filter(|one| !is_bit(one)).copied().collect();
        values.dedup_by_key(|(driver, _)| *driver);
        for all in [bits, values].into_iter().filter(|all| all.len() > 1) {
            if let Came::Right(mended) = self.tried((now, now), &all) {
                best = f64::max(best, mended);
            }
        }
        Some(best)
    }

    /// Some assignments, with what sets the same and is made of the node, too.
    fn with_siblings(&self, drivers: &[u32]) -> Vec<u32> {
        let node = self.candidate.node;
        let siblings = drivers
            .iter()
            .flat_map(|&driver| self.simulation.siblings(node, driver));
        let mut all: Vec<u32> = drivers.iter().copied().chain(siblings).collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(DRIVERS);
        all
    }

    /// What the node may be in a cycle instead: also what others are that are as wide.
    fn forces(&self, now: usize, driver: u32) -> Vec<Force> {
        let width = self.candidate.width;
        let Some(of) = self.candidate.of.filter(|_| width > 1) else {
            return vec![Force::Flipped(1)];
        };
        let (simulation, cycle) = (self.simulation, self.failure.stretch.first + now);
        let (_, same) = simulation.design.seen_from(driver, width);
        let signal = |&name: &u32| simulation.signal_of(name, driver, cycle, self.differences);
        let is = simulation.value_of(of, driver, cycle, self.differences);
        let known: BTreeSet<u64> = same.iter().filter_map(signal).collect();
        let others = known.into_iter().filter(|other| Some(*other) != is);
        let bits = (0..width).map(|bit| Force::Flipped(1 << bit));
        // What makes the outputs right if it is handed on to them.
        let as_wide = width.next_power_of_two().max(8);
        let parts = self.failure.parts.iter();
        let fits = |part: &&Part| part.width == as_wide && (part.should | part.is) <= mask(width);
        let handed_on = parts.filter(fits).take(PARTS).flat_map(|part| {
            let by = part.should.wrapping_sub(part.is) as i64;
            [Force::Flipped(part.should ^ part.is), Force::Moved(by)]
        });
        let values = [
            Force::Moved(1),
            Force::Moved(-1),
            Force::Is(0),
            Force::Is(u64::MAX),
        ];
        values
            .into_iter()
            .chain(handed_on)
            .chain(bits)
            .chain(others.take(OTHERS).map(Force::Is))
            .collect()
    }

    fn tried(&mut self, (from, to): (usize, usize), forced: &[(u32, Force)]) -> Came {
        let Failure {
            stretch, divergent, ..
        } = *self.failure;
        self.differences.forced = forced.to_vec();
        let edit = self.candidate.edit(Change::During {
            first: stretch.first + from,
            last: stretch.first + to,
        });
        let cycles = (from, stretch.cycles);
        let wrong = (self.simulation).first_wrong(edit, stretch, cycles, self.differences, None);
        let came = match wrong {
            Ok(None) => Came::Right(1.0),
            Ok(Some(at)) if at > divergent => {
                let later = (at - divergent) as f64 / (stretch.cycles - divergent) as f64;
                Came::Right(SOON + (1.0 - SOON) * later)
            }
            Ok(Some(at)) if at == divergent => {
                let cycle = stretch.first + divergent;
                let is = self.simulation.still_wrong(cycle, self.differences);
                self.differences.forget();
                let was = self.simulation.still_wrong(cycle, self.differences);
                let is_part = is.iter().zip(&was).all(|(is, was)| is & !was == 0);
                match is_part && is != was {
                    true => Came::Better,
                    false => Came::No,
                }
            }
            _ => Came::No,
        };
        self.differences.forget();
        came
    }
}

/// What comes of it.
#[derive(Clone, Copy, PartialEq)]
enum Came {
    /// What was wrong first is right; 1 if all is.
    Right(f64),
    /// Less is wrong, and nothing else.
    Better,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::candidates::{candidates, failures};
    use crate::location::fixture::{A, B, BOTH, searched, searched_branching};
    use crate::location::search::Search;

    /// What is free, by node, where the output should be `expected`.
    fn free_for(expected: u64) -> HashMap<u32, f64> {
        searched(expected, shares)
    }

    fn shares(search: &Search<'_>, simulation: &Simulation<'_>) -> HashMap<u32, f64> {
        let failures = failures(search, simulation);
        let found = free(simulation, &failures, &candidates(search, &failures));
        let shares = found.0.into_iter();
        shares
            .filter_map(|(node, found)| Some((node, found.share?)))
            .collect()
    }

    #[test]
    fn what_could_have_made_it_right_is_free() {
        let all_free = free_for((A | B) << 1);
        // It is wrong again in other cycles.
        assert!(all_free.get(&BOTH) >= Some(&SOON), "{all_free:?}");
        assert!(free_for((A & B) << 1).is_empty(), "nothing is wrong");
    }

    /// In the first wrong cycle the second branch is taken: that the first one is, it is not to be seen there.
    #[test]
    fn a_condition_is_free_in_all_branches() {
        let all_free = searched_branching(B << 1, shares);
        assert!(all_free.get(&BOTH) >= Some(&SOON), "{all_free:?}");
    }

    #[test]
    fn what_could_not_is_bound() {
        // Where both inputs are 0, neither alone makes it 1.
        let neither = (A & B) << 1 | (!(A | B) << 1);
        let free = free_for(neither);
        assert!(free.get(&BOTH) >= Some(&SOON), "{free:?}");
        assert_eq!(
            [0, 1].map(|input| free.get(&input).copied()),
            [Some(0.0); 2]
        );
    }
}
