//! How suspicious places are.

use std::collections::HashMap;

/// How much it tells against a place that cycles without a difference come of it.
const PASSING: f64 = 30.0;
/// What is left of the suspicion of a place that could have prevented no divergence, and of one of which that is not known.
const BOUND: f64 = 0.02;
const UNKNOWN: f64 = 0.01;
/// What a place without anything to get wrong counts beside one with much.
const LEAST: f64 = 1.2;
/// What is left of it by assignment to a difference.
const FARTHER: f64 = 0.95;

/// A place, and how suspicious it is.
#[derive(Clone, Copy, Debug)]
pub struct Suspected {
    pub place: u32,
    /// A signal that is set there.
    pub signal: u32,
    /// At most 2.2.
    pub score: f64,
}

/// Places that failing cycles come of.
pub struct Suspicions {
    pub places: HashMap<u32, Tally>,
    /// The weight of all failing stretches.
    pub failing: f64,
    /// Cycles without a difference that were looked at.
    pub passing: f64,
}

/// How often a place is above what differs, and above the same bits where they do not.
#[derive(Clone, Copy, Debug)]
pub struct Tally {
    pub failing: f64,
    pub passing: f64,
    pub depth: u32,
    pub weight: f64,
    pub signal: u32,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            failing: 0.0,
            passing: 0.0,
            depth: u32::MAX,
            weight: 0.0,
            signal: 0,
        }
    }
}

impl Suspicions {
    /// The places, the most suspicious first: those that the failing cycles have in common, and others do not. `free` is the
    /// share of them that a place could have made right, where that is known.
    pub fn ranked(&self, free: Option<&HashMap<u32, f64>>) -> Vec<Suspected> {
        let suspected = |(&place, tally): (&u32, &Tally)| {
            let share = free.map(|free| free.get(&place));
            let left = match share {
                None => 1.0,
                Some(None) => UNKNOWN,
                Some(Some(share)) => BOUND + (1.0 - BOUND) * share.powi(8),
            };
            Suspected {
                place,
                signal: tally.signal,
                score: left * self.score(tally),
            }
        };
        let mut suspects: Vec<_> = self.places.iter().map(suspected).collect();
        suspects.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.place.cmp(&b.place)));
        suspects
    }

    fn score(&self, tally: &Tally) -> f64 {
        let fails = tally.failing / f64::max(self.failing, 1.0);
        let passes = tally.passing / f64::max(self.passing, 1.0);
        let special = fails / (fails + PASSING * passes);
        let weight = tally.weight / (1.0 + tally.weight);
        fails * special * (LEAST + weight) * FARTHER.powi(tally.depth as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three places that all failing cycles come of, and 0, 50 and 100 of a hundred others.
    fn suspicions() -> Suspicions {
        let tally = |passing| Tally {
            failing: 10.0,
            passing,
            depth: 1,
            weight: 1.0,
            signal: 0,
        };
        Suspicions {
            places: [(7, tally(0.0)), (8, tally(50.0)), (9, tally(100.0))].into(),
            failing: 10.0,
            passing: 100.0,
        }
    }

    fn places(free: Option<&HashMap<u32, f64>>) -> Vec<u32> {
        let ranked = suspicions().ranked(free).into_iter();
        ranked.map(|suspected| suspected.place).collect()
    }

    #[test]
    fn what_only_failing_cycles_come_of_comes_first() {
        assert_eq!(places(None), [7, 8, 9]);
    }

    #[test]
    fn what_could_have_prevented_all_comes_first() {
        let free = HashMap::from([(8, 0.0), (9, 1.0)]);
        assert_eq!(places(Some(&free)), [9, 7, 8]);
    }
}
