//! Seeds of a group of runs: numbers, ranges, or so many that follow from a base.

use std::fmt;
use std::ops::RangeInclusive;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

/// Seeds in one group; more is a mistake in a number.
pub const MOST: u64 = 1 << 24;

/// Seeds are numbers that every reader of JSON keeps.
const MASK: u64 = (1 << 53) - 1;

/// The seed of number `k`, from 0, after `base`: the low 53 bits of XXH3-64, with seed 0, of the text `BASE/K` with K in
/// decimal.
pub fn seed_after(base: &str, k: u64) -> u64 {
    XxHash3_64::oneshot(format!("{base}/{k}").as_bytes()) & MASK
}

/// Seeds, as a suite has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Seeds {
    /// Ranges, one after the other.
    Listed(Vec<RangeInclusive<u64>>),
    /// So many after a base.
    Counted {
        /// How many.
        count: u64,
        /// A number, a date, the name of a commit: any text.
        base: String,
    },
}

impl Default for Seeds {
    fn default() -> Self {
        Self::Listed(vec![1..=1])
    }
}

impl Seeds {
    /// All of them, in their order.
    pub fn all(&self) -> Vec<u64> {
        match self {
            Self::Listed(ranges) => ranges.iter().cloned().flatten().collect(),
            Self::Counted { count, base } => (0..*count).map(|k| seed_after(base, k)).collect(),
        }
    }

    /// Takes another base, if they follow from one.
    ///
    /// # Returns
    /// Whether they do.
    pub fn rebase(&mut self, other: &str) -> bool {
        let Self::Counted { base, .. } = self else {
            return false;
        };
        other.clone_into(base);
        true
    }

    /// Takes so many seeds, if they follow from a base.
    ///
    /// # Returns
    /// Whether they do.
    pub fn reseed(&mut self, number: u64) -> bool {
        let Self::Counted { count, .. } = self else {
            return false;
        };
        *count = number;
        true
    }
}

/// A range in words: `1-500`, or one number.
fn range<E: de::Error>(text: &str) -> Result<RangeInclusive<u64>, E> {
    let wrong = || {
        E::custom(format!(
            "expected seeds such as \"1-500\" or \"7\", first not above last, and at most {MOST}, found \"{text}\""
        ))
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last && last - first < MOST => Ok(first..=last),
        _ => Err(wrong()),
    }
}

/// A number or a range in a list.
struct Part(RangeInclusive<u64>);

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Of;
        impl Visitor<'_> for Of {
            type Value = Part;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a seed, or seeds such as \"1-500\"")
            }
            fn visit_u64<E: de::Error>(self, seed: u64) -> Result<Part, E> {
                Ok(Part(seed..=seed))
            }
            fn visit_i64<E: de::Error>(self, seed: i64) -> Result<Part, E> {
                let seed = u64::try_from(seed);
                let seed = seed.map_err(|_| E::custom("expected a seed, 0 or more"))?;
                self.visit_u64(seed)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Part, E> {
                range(text).map(Part)
            }
        }
        from.deserialize_any(Of)
    }
}

/// A base: a text, or a number.
struct Base(String);

impl<'de> Deserialize<'de> for Base {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Of;
        impl Visitor<'_> for Of {
            type Value = Base;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, or a text such as \"2026-11-23\"")
            }
            fn visit_u64<E: de::Error>(self, base: u64) -> Result<Base, E> {
                Ok(Base(base.to_string()))
            }
            fn visit_i64<E: de::Error>(self, base: i64) -> Result<Base, E> {
                Ok(Base(base.to_string()))
            }
            fn visit_str<E: de::Error>(self, base: &str) -> Result<Base, E> {
                Ok(Base(base.to_owned()))
            }
        }
        from.deserialize_any(Of)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    count: u64,
    base: Base,
}

impl<'de> Deserialize<'de> for Seeds {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Of;
        impl<'de> Visitor<'de> for Of {
            type Value = Seeds;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("seeds such as \"1-500\", [1, 7, \"20-30\"] or { count = 500, base = \"2026-11-23\" }")
            }
            fn visit_u64<E: de::Error>(self, seed: u64) -> Result<Seeds, E> {
                Ok(Seeds::Listed(vec![seed..=seed]))
            }
            fn visit_i64<E: de::Error>(self, seed: i64) -> Result<Seeds, E> {
                let seed = u64::try_from(seed);
                let seed = seed.map_err(|_| E::custom("expected a seed, 0 or more"))?;
                self.visit_u64(seed)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Seeds, E> {
                Ok(Seeds::Listed(vec![range(text)?]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Seeds, A::Error> {
                let mut ranges = Vec::new();
                while let Some(Part(range)) = parts.next_element()? {
                    ranges.push(range);
                }
                match ranges.is_empty() {
                    true => Err(de::Error::custom("expected a seed at least, found none")),
                    false => Ok(Seeds::Listed(ranges)),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Seeds, A::Error> {
                let Counted { count, base } =
                    Counted::deserialize(MapAccessDeserializer::new(map))?;
                match count {
                    1..=MOST => Ok(Seeds::Counted {
                        count,
                        base: base.0,
                    }),
                    _ => Err(de::Error::custom(format!(
                        "expected a count from 1 to {MOST}, found {count}"
                    ))),
                }
            }
        }
        from.deserialize_any(Of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(json: &str) -> Result<Vec<u64>, String> {
        let read = serde_json::from_str::<Seeds>(json);
        read.map(|seeds| seeds.all())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(seeds("7"), Ok(vec![7]));
        assert_eq!(seeds("\"3-5\""), Ok(vec![3, 4, 5]));
        assert_eq!(seeds("[9, \"1-2\", \"4\"]"), Ok(vec![9, 1, 2, 4]));
        for wrong in [
            "\"5-3\"",
            "\"a\"",
            "[]",
            "-1",
            "\"0-99999999999\"",
            "{\"count\": 0, \"base\": 1}",
        ] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }

    /// The numbers are those of another implementation, `xxhash.xxh3_64_intdigest(b"2026-11-23/0") & (2**53 - 1)`.
    #[test]
    fn another_number_of_seeds_begins_with_the_same() {
        let mut found = Seeds::Counted {
            count: 2,
            base: "a".into(),
        };
        let before = found.all();
        assert!(found.reseed(5));
        assert_eq!(found.all().len(), 5);
        assert_eq!(found.all()[..2], before[..]);
        assert!(!Seeds::default().reseed(5));
    }

    #[test]
    fn seeds_after_a_base_are_as_documented() {
        let found = seeds("{\"count\": 2, \"base\": \"2026-11-23\"}").expect("seeds");
        assert_eq!(
            found,
            [seed_after("2026-11-23", 0), seed_after("2026-11-23", 1)]
        );
        assert_eq!(found, [EXPECTED[0], EXPECTED[1]]);
        assert_eq!(
            seeds("{\"count\": 1, \"base\": 5}"),
            Ok(vec![seed_after("5", 0)])
        );
    }

    const EXPECTED: [u64; 2] = [5_744_286_070_182_761, 8_736_121_082_545_811];
}
