//! Which nodes of the source could have made failing cycles right, whatever they had been: each is something else for once, in
//! one cycle, and the design is run again from there.
//!
//! What is no cause of a divergence may well be on the way to it, but seldom could have prevented it in every case and done no
//! harm.

use std::collections::HashMap;

use super::candidates::{Candidate, Failure};
use super::change::{Change, Force};
use super::expression::Expression;
use super::netlist::Netlist;
use super::simulation::{Differences, Simulation, expressions, visit};
use crate::cores;

/// Cycles in which a node is something else, each by itself, at most: the last ones.
const CYCLES: usize = 6;
/// Assignments by which a node is something else in a cycle, at most.
const DRIVERS: usize = 64;
/// Nodes that all cores try before it is looked at how much work that was.
const TOGETHER: usize = 64;
/// Assignments that are looked at, at most.
const WORK: u64 = 60_000_000;
/// The same, for one node in one stretch.
const EACH: u64 = 150_000;

/// By node, the share of the failing stretches that it could have made right; none of nodes that were not tried.
pub fn free(
    simulation: &Simulation<'_>,
    failures: &[Failure<'_>],
    candidates: &[Candidate<'_>],
) -> HashMap<u32, f64> {
    let mut free = HashMap::new();
    let mut work = 0;
    for batch in candidates.chunks(TOGETHER) {
        if work > WORK {
            break;
        }
        let differences = || simulation.differences();
        let shares = cores::of_each(batch, differences, |candidate, differences| {
            let before = differences.work();
            let share = share(simulation, failures, candidate, differences);
            (candidate.node, share, differences.work() - before)
        });
        for (node, share, own_work) in shares {
            free.extend(share.map(|share| (node, share)));
            work += own_work;
        }
    }
    free
}

/// The share of the failing stretches that a node could have made right, of those in which that was found out.
fn share(
    simulation: &Simulation<'_>,
    failures: &[Failure<'_>],
    candidate: &Candidate<'_>,
    differences: &mut Differences,
) -> Option<f64> {
    let (mut right, mut known) = (0, 0);
    for failure in failures {
        let mut trial = Trial {
            simulation,
            candidate,
            failure,
            end: differences.work() + EACH,
            differences,
        };
        if let Some(is_mended) = trial.is_mended() {
            known += 1;
            right += u32::from(is_mended);
        }
    }
    (known > 0).then(|| f64::from(right) / f64::from(known))
}

/// By place, the share of its best node, as part of the best of all; of a constant or a function that of the best of what uses
/// it.
pub fn of_places(free: &HashMap<u32, f64>, design: &Netlist) -> HashMap<u32, f64> {
    let mut places: HashMap<u32, f64> = HashMap::new();
    let mut note = |place: u32, share: f64| {
        let known = places.entry(place).or_default();
        *known = known.max(share);
    };
    for (&node, &share) in free {
        note(design.nodes[node as usize].place, share);
    }
    for driver in &design.drivers {
        let mut best = free.get(&driver.node).copied();
        for expression in expressions(driver).filter(|_| !driver.uses.is_empty()) {
            visit(expression, &mut |one| {
                if let Expression::Node { node, .. } = one {
                    let share = free.get(node).copied();
                    best = best.into_iter().chain(share).reduce(f64::max);
                }
            });
        }
        for &place in &driver.uses {
            best.into_iter().for_each(|share| note(place, share));
        }
    }
    // Where two mistakes are in one place, none is why all are wrong.
    let most = places.values().copied().fold(0.0, f64::max);
    if most > 0.0 {
        places.values_mut().for_each(|share| *share /= most);
    }
    places
}

/// A node, tried in a failing stretch.
struct Trial<'a> {
    simulation: &'a Simulation<'a>,
    candidate: &'a Candidate<'a>,
    failure: &'a Failure<'a>,
    differences: &'a mut Differences,
    /// The work at which it is given up.
    end: u64,
}

impl Trial<'_> {
    /// Whether the first wrong cycle is right where the node is something else in a cycle before, or in it, if that can be found
    /// out.
    fn is_mended(&mut self) -> Option<bool> {
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
        cycles.truncate(CYCLES);
        for (now, drivers) in &cycles {
            let drivers = &drivers[..drivers.len().min(DRIVERS)];
            if self.is_mended_in(*now, drivers)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// What helps alone is taken together.
    fn is_mended_in(&mut self, now: usize, drivers: &[u32]) -> Option<bool> {
        let mut helping = Vec::new();
        let all = self.forces();
        for &driver in drivers {
            for &force in &all {
                if self.differences.work() > self.end {
                    return None;
                }
                match self.tried(now, &[(driver, force)]) {
                    Came::Right => return Some(true),
                    Came::Better => helping.push((driver, force)),
                    Came::No => {}
                }
            }
        }
        let is_bit = |(_, force): &&(u32, Force)| matches!(force, Force::Flipped(_));
        let bits: Vec<_> = helping.iter().filter(is_bit).copied().collect();
        let mut values: Vec<_> = helping.iter().filter(|one| !is_bit(one)).copied().collect();
        values.dedup_by_key(|(driver, _)| *driver);
        let together = [bits, values].into_iter().filter(|all| all.len() > 1);
        let mut came = together.map(|all| self.tried(now, &all));
        Some(came.any(|came| came == Came::Right))
    }

    fn forces(&self) -> Vec<Force> {
        let width = self.candidate.width;
        if self.candidate.of.is_none() || width <= 1 {
            return vec![Force::Flipped(1)];
        }
        let bits = (0..width).map(|bit| Force::Flipped(1 << bit));
        let values = [
            Force::Moved(1),
            Force::Moved(-1),
            Force::Is(0),
            Force::Is(u64::MAX),
        ];
        values.into_iter().chain(bits).collect()
    }

    fn tried(&mut self, now: usize, once: &[(u32, Force)]) -> Came {
        let Failure {
            stretch, divergent, ..
        } = *self.failure;
        self.differences.once = once.to_vec();
        let edit = self.candidate.edit(Change::Once(stretch.first + now));
        let cycles = (now, divergent + 1);
        let wrong = (self.simulation).first_wrong(edit, stretch, cycles, self.differences, None);
        let came = match wrong {
            Ok(None) => Came::Right,
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    /// All is right.
    Right,
    /// Less is wrong, and nothing else.
    Better,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::candidates::{candidates, failures};
    use crate::location::fixture::{A, B, BOTH, searched};

    /// What is free, by node, where the output should be `expected`.
    fn free_for(expected: u64) -> HashMap<u32, f64> {
        searched(expected, |search, simulation| {
            let failures = failures(search, simulation);
            free(simulation, &failures, &candidates(search, &failures))
        })
    }

    #[test]
    fn what_could_have_made_it_right_is_free() {
        let all_free = free_for((A | B) << 1);
        assert_eq!(all_free.get(&BOTH), Some(&1.0));
        assert!(free_for((A & B) << 1).is_empty(), "nothing is wrong");
    }

    #[test]
    fn what_could_not_is_bound() {
        // Where both inputs are 0, neither alone makes it 1.
        let neither = (A & B) << 1 | (!(A | B) << 1);
        let free = free_for(neither);
        assert_eq!(free.get(&BOTH), Some(&1.0));
        assert_eq!(
            [0, 1].map(|input| free.get(&input).copied()),
            [Some(0.0); 2]
        );
    }
}
