//! What a run has taken of what its implementation can take, small enough for a line of results.

use std::collections::BTreeMap;
use std::iter::repeat;

use pmu_model::Implementation;
use pmu_model::coverage::Coverage;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Points in a digit.
const DIGIT: usize = 4;

/// Rules and points of crosses that a run took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The keys of the implementation that differ from the default.
    pub implementation: Map<String, Value>,
    /// In how many cycles each rule was taken that the implementation can take, in the order of their ids.
    pub rules: Vec<u64>,
    /// Points of crosses, by name of the cross.
    pub crosses: BTreeMap<String, Points>,
}

/// Points of a cross.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Points {
    /// How many the implementation can reach.
    pub of: usize,
    /// Those that were hit, in the order of their names: four in a hexadecimal digit, the first in its highest bit.
    pub hit: String,
}

impl Points {
    /// Whether each was hit.
    pub(crate) fn bits(&self) -> impl Iterator<Item = bool> {
        let digits = self
            .hit
            .chars()
            .map(|digit| digit.to_digit(16).unwrap_or(0));
        let bits =
            digits.flat_map(|value| (0..DIGIT).rev().map(move |place| value >> place & 1 == 1));
        bits.chain(repeat(false)).take(self.of)
    }
}

impl Taken {
    /// What a run took.
    pub fn of(coverage: &Coverage) -> Self {
        let rules: BTreeMap<_, _> = coverage.rules().collect();
        let crosses = coverage.crosses().map(|(name, points)| {
            let hit = sorted(points).into_values().map(|count| count > 0);
            let hit: Vec<_> = hit.collect();
            let points = Points {
                of: hit.len(),
                hit: digits(&hit),
            };
            (name.to_owned(), points)
        });
        Self {
            implementation: difference(coverage.implementation()),
            crosses: crosses.collect(),
            rules: rules.into_values().collect(),
        }
    }
}

/// Points of a cross in the order of their names.
pub(crate) fn sorted(points: &[(String, u64)]) -> BTreeMap<&str, u64> {
    let points = points.iter();
    points
        .map(|(name, count)| (name.as_str(), *count))
        .collect()
}

fn digits(hit: &[bool]) -> String {
    let digit = |hit: &[bool]| {
        let bits = hit.iter().enumerate();
        let value: u32 = bits
            .map(|(place, &hit)| u32::from(hit) << (DIGIT - 1 - place))
            .sum();
        char::from_digit(value, 16).unwrap_or('0')
    };
    hit.chunks(DIGIT).map(digit).collect()
}

/// Keys of an implementation that differ from the default.
fn difference(implementation: &Implementation) -> Map<String, Value> {
    let keys = |implementation: &Implementation| match serde_json::to_value(implementation) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    let usual = keys(&Implementation::default());
    let own = keys(implementation).into_iter();
    own.filter(|(key, value)| usual.get(key) != Some(value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_say_which_points() {
        let hit = [true, false, false, true, true, true];
        assert_eq!(digits(&hit), "9c");
        let points = Points {
            of: 6,
            hit: "9c".into(),
        };
        assert_eq!(points.bits().collect::<Vec<_>>(), hit);
    }

    #[test]
    fn an_implementation_is_what_differs() {
        assert!(difference(&Implementation::default()).is_empty());
        let mut small = Implementation::default();
        small.pmu.counters = 3;
        small.name = "small".into();
        let keys = difference(&small);
        assert_eq!(keys.keys().collect::<Vec<_>>(), ["name", "pmu"]);
        let read: Implementation = serde_json::from_value(Value::Object(keys)).expect("one");
        assert_eq!(read, small);
    }
}
