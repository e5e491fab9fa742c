//! How suspicious places are.

use std::collections::HashMap;

/// How much it tells against a place that cycles without a difference come of it.
const PASSING: f64 = 30.0;
/// How suspicious a place is by itself where it is known what is left of that, and what is left where it is not.
const KNOWN: f64 = 0.3;
const UNKNOWN: f64 = 0.003;
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

/// What is left of the suspicion against a place.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub part: f64,
    /// A signal that is set there.
    pub signal: u32,
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
    /// The places, the most suspicious first: those that the failing cycles have in common, and others do not. `left` is what is
    /// left of that by what places could have made right, once that is known.
    pub fn ranked(&self, left: Option<&HashMap<u32, Left>>) -> Vec<Suspected> {
        let suspected = |(&place, tally): (&u32, &Tally)| {
            let own = self.score(tally);
            Suspected {
                place,
                signal: tally.signal,
                score: match left.map(|left| left.get(&place)) {
                    None => own,
                    Some(None) => UNKNOWN * own,
                    Some(Some(left)) => left.part * (KNOWN + own),
                },
            }
        };
        let mut suspects: Vec<_> = self.places.iter().map(suspected).collect();
        // What nothing but what could have made right points to.
        let others = left.into_iter().flatten();
        let others = others.filter(|(place, _)| !self.places.contains_key(place));
        suspects.extend(others.map(|(&place, left)| Suspected {
            place,
            signal: left.signal,
            score: left.part * KNOWN,
        }));
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

    fn places(left: Option<&HashMap<u32, Left>>) -> Vec<u32> {
        let ranked = suspicions().ranked(left).into_iter();
        ranked.map(|suspected| suspected.place).collect()
    }

    #[test]
    fn what_only_failing_cycles_come_of_comes_first() {
        assert_eq!(places(None), [7, 8, 9]);
    }

    #[test]
    fn what_could_have_prevented_all_comes_first() {
        let left = |part| Left { part, signal: 0 };
        let some = HashMap::from([(8, left(0.0)), (9, left(1.0)), (10, left(0.5))]);
        assert_eq!(places(Some(&some)), [9, 10, 7, 8]);
    }
}
