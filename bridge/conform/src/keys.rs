//! The keys of a vector that are no part of its configuration: which are misspelt, which nobody reads, and whether
//! anything is expected at all.

use serde::Deserializer;
use serde::de::{DeserializeOwned, Error, Visitor};
use serde_ignored::Path;
use serde_json::Value;

use super::value::plain;
use super::{LineError, cyc, ety, spe, spmu, th};
use lockstep_base::plain::{did_you_mean, near};

/// Keys that say something about a line and not what it does.
const INFORMATIVE: &[&str] = &[
    "area",
    "seed",
    "i",
    "flags",
    "id",
    "ids",
    "name",
    "names",
    "note",
    "notes",
    "comment",
    "comments",
    "description",
    "example",
    "label",
    "title",
    "source",
    "version",
];

/// A group of keys.
struct Level {
    /// How it is reached from the line, through lists.
    place: &'static [&'static str],
    /// The keys that are read there.
    keys: fn() -> &'static [&'static str],
    /// Those of them that are no expectation.
    input: &'static [&'static str],
}

const fn level(
    place: &'static [&'static str],
    keys: fn() -> &'static [&'static str],
    input: &'static [&'static str],
) -> Level {
    Level { place, keys, input }
}

const CYCLES: &[&str] = &["cycles"];
const EXPECT: &[&str] = &["cycles", "expect"];

const TH: &[Level] = &[
    level(&[], keys_of::<th::Vector>, &["types", "cycles"]),
    level(
        CYCLES,
        keys_of::<th::Cycle>,
        &["writes", "vb", "counting", "expect"],
    ),
    level(EXPECT, keys_of::<th::Expected>, &["n", "counting"]),
];
const SPE: &[Level] = &[
    level(&[], keys_of::<spe::Vector>, &["cycles"]),
    level(CYCLES, keys_of::<spe::Cycle>, &["inp", "expect"]),
    level(EXPECT, keys_of::<spe::Expected>, &[]),
];
const ETY: &[Level] = &[
    level(
        &[],
        keys_of::<ety::Vector>,
        &["n", "write", "access", "event"],
    ),
    level(&["access"], keys_of::<ety::AccessRow>, &["ctx", "write"]),
    level(&["event"], keys_of::<ety::Event>, &["supported", "write"]),
];
const CYC: &[Level] = &[
    level(&[], keys_of::<cyc::Vector>, &["cycles"]),
    level(
        CYCLES,
        keys_of::<cyc::Cycle>,
        &["clock", "threads", "expect"],
    ),
    level(EXPECT, keys_of::<cyc::Expected>, &[]),
];
const SPMU: &[Level] = &[
    level(
        &[],
        keys_of::<spmu::Vector>,
        &["known_iidr", "known_devarch", "corrupted"],
    ),
    level(
        &["corrupted"],
        keys_of::<spmu::Corrupted>,
        &["cfgr", "cgcr0", "cgcr1"],
    ),
];

fn levels(area: &str) -> &'static [Level] {
    match area {
        "th" => TH,
        "spe" => SPE,
        "ety" => ETY,
        "cyc" => CYC,
        "spmu" => SPMU,
        _ => &[],
    }
}

/// The keys that `T` reads.
fn keys_of<T: DeserializeOwned>() -> &'static [&'static str] {
    struct Keys<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Keys<'_> {
        type Error = serde::de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(Self::Error::custom("asked for its keys only"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            keys: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = keys;
            self.deserialize_any(visitor)
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let mut keys: &[&str] = &[];
    let _ = T::deserialize(Keys(&mut keys));
    keys
}

/// The keys on the way to a value, through lists.
fn names(path: &Path<'_>) -> Vec<String> {
    match path {
        Path::Root => Vec::new(),
        Path::Map { parent, key } => [names(parent), vec![key.clone()]].concat(),
        Path::Seq { parent, .. }
        | Path::Some { parent }
        | Path::NewtypeStruct { parent }
        | Path::NewtypeVariant { parent } => names(parent),
    }
}

/// The keys of `line` whose value is `null`, which [`plain`] takes away, and that nobody would read: each with its place.
fn unread_nulls(area: &str, line: &Value) -> Vec<Vec<String>> {
    let of = |level: &'static Level| {
        let keys = (level.keys)();
        let place = level.place.iter().map(|key| (*key).to_owned());
        objects(line, level.place)
            .flatten()
            .filter(move |(key, value)| value.is_null() && !keys.contains(&key.as_str()))
            .map(move |(key, _)| place.clone().chain([key.clone()]).collect())
    };
    levels(area).iter().flat_map(of).collect()
}

/// Reads `line`, a vector of `area` without its configuration, `cfg`. Keys that nobody reads are added to `unread`.
///
/// # Errors
/// A key that is all but one that is read, or a line that is no such vector.
pub fn read<T: DeserializeOwned>(
    area: &str,
    line: Value,
    unread: &mut Vec<String>,
) -> Result<T, LineError> {
    let mut ignored = unread_nulls(area, &line);
    let vector = serde_ignored::deserialize(plain(line), |path| ignored.push(names(&path)));
    ignored.sort_by_key(Vec::len);
    for mut place in ignored {
        let Some(key) = place.pop() else {
            continue;
        };
        let level = levels(area).iter().find(|level| place == level.place);
        let keys = level.map_or(&[][..], |level| (level.keys)());
        let informative = INFORMATIVE.contains(&&*key);
        let read = keys.iter().chain(INFORMATIVE);
        let near = near(&key, read.chain(place.is_empty().then_some(&"cfg")));
        if let Some(question) = did_you_mean(&near).filter(|_| !informative) {
            let place = match place.join("\", \"") {
                line if line.is_empty() => line,
                place => format!(" in \"{place}\""),
            };
            return Err(LineError::Misspelt(format!(
                "unknown key `{key}`{place}: {question}"
            )));
        }
        // What is expected there is compared.
        if matches!(area, "spe" | "cyc") && place == EXPECT {
            return Err(LineError::malformed(Error::unknown_field(&key, keys)));
        }
        if !informative && !unread.contains(&key) {
            unread.push(key);
        }
    }
    vector.map_err(LineError::malformed)
}

/// Whether `line`, a vector of `area`, says of any output what it should be; `null`, which is not compared, is said too.
pub fn expects_something(area: &str, line: &Value) -> bool {
    // Without counters there is nothing to expect in a cycle, and an empty list says so.
    let cycles: Vec<_> = objects(line, &["cycles"]).collect();
    let is_empty = |value: Option<&Value>| {
        value
            .and_then(Value::as_array)
            .is_some_and(|elements| elements.is_empty())
    };
    let without_counters = area == "th"
        && !cycles.is_empty()
        && cycles
            .iter()
            .all(|cycle| is_empty(cycle.get("vb")) && is_empty(cycle.get("expect")));
    without_counters || expects_an_output(area, line)
}

fn expects_an_output(area: &str, line: &Value) -> bool {
    levels(area).iter().any(|level| {
        let keys = (level.keys)();
        let expected = |key| keys.contains(&key) && !level.input.contains(&key);
        objects(line, level.place).any(|object| {
            object.iter().any(|(key, value)| {
                let empty = match (key.as_str(), value) {
                    // Lists and groups of expectations, of which there may be none.
                    ("fields" | "decode" | "mt0" | "mt1", Value::Object(members)) => {
                        members.is_empty()
                    }
                    (
                        "mt_eff" | "filtered" | "mt0" | "PMCCNTR" | "pmccntr_final",
                        Value::Array(elements),
                    ) => elements.is_empty(),
                    _ => false,
                };
                expected(key.as_str()) && !empty
            })
        })
    })
}

/// The objects at `path` of `value`, through lists.
fn objects<'v>(
    value: &'v Value,
    path: &'static [&'static str],
) -> Box<dyn Iterator<Item = &'v serde_json::Map<String, Value>> + 'v> {
    match (value, path) {
        (Value::Array(elements), _) => Box::new(
            elements
                .iter()
                .flat_map(move |element| objects(element, path)),
        ),
        (Value::Object(object), []) => Box::new(std::iter::once(object)),
        (Value::Object(object), [key, rest @ ..]) => Box::new(
            object
                .get(*key)
                .into_iter()
                .flat_map(move |value| objects(value, rest)),
        ),
        _ => Box::new(std::iter::empty()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelt_key_is_told_and_others_are_listed() {
        fn unread<T: DeserializeOwned>(area: &str, line: Value) -> Result<Vec<String>, String> {
            let mut unread = Vec::new();
            let read = read::<T>(area, line, &mut unread);
            read.map(|_| unread).map_err(|error| error.to_string())
        }
        let th = unread::<th::Vector>;
        let line = json!({"area": "th", "types": [], "origin": 3, "cycles": [
            {"vb": [], "counting": [], "expcet": []},
        ]});
        let error = th("th", line).expect_err("misspelt");
        assert!(error.starts_with("unknown key `expcet` in \"cycles\": did you mean `expect`? ("));
        let cycle = |row: Value| {
            json!({"area": "th", "origin": 3, "notes": "a", "types": [], "cycles": [
                {"vb": [], "counting": [], "expect": [row]},
            ]})
        };
        let line = cycle(json!({"n": 0, "V": 1, "counting": 1, "origin": 1, "by": 2}));
        assert_eq!(th("th", line), Ok(vec!["origin".into(), "by".into()]));
        let error = th("th", cycle(json!({"n": 0, "vt": 1}))).expect_err("misspelt");
        assert!(
            error.starts_with("unknown key `vt` in \"cycles\", \"expect\": did you mean `VT`? (")
        );
        // Also one that says nothing.
        let error = th("th", cycle(json!({"n": 0, "V": 1, "vt": null}))).expect_err("misspelt");
        assert!(error.starts_with("unknown key `vt`"), "{error}");
        let line = cycle(json!({"n": 0, "V": 1, "counting": 1, "origin": null}));
        assert_eq!(th("th", line), Ok(vec!["origin".into()]));
        let register = json!({"SPMCFG": 3});
        assert!(unread::<spmu::Vector>("spmu", register).is_err());
        // A key that is needed, too.
        let error = th("th", json!({"types": [], "cylces": []})).expect_err("misspelt");
        assert!(error.starts_with("unknown key `cylces`: did you mean `cycles`? ("));
    }

    #[test]
    fn null_is_an_expectation_and_nothing_is_none() {
        for (area, line, expects) in [
            (
                "th",
                json!({"cycles": [{"expect": [{"n": 1, "V": null}]}]}),
                true,
            ),
            (
                "th",
                json!({"cycles": [{"expect": [{"n": 1, "counting": 1}]}]}),
                false,
            ),
            ("th", json!({"cycles": [{"expect": null}]}), false),
            ("th", json!({"cycles": []}), false),
            ("th", json!({"cycles": [{"vb": [], "expect": []}]}), true),
            ("th", json!({"cycles": [{"vb": [1], "expect": []}]}), false),
            (
                "spe",
                json!({"cycles": [{"inp": {}, "expect": {"selected": []}}]}),
                true,
            ),
            ("spe", json!({"cycles": [{"inp": {}, "expect": {}}]}), false),
            (
                "ety",
                json!({"write": 1, "access": [{"write": 1, "expect": null}]}),
                true,
            ),
            (
                "ety",
                json!({"write": 1, "access": [], "filtered": [], "fields": {}}),
                false,
            ),
            (
                "cyc",
                json!({"cycles": [{"expect": {"mt0": []}}], "pmccntr_final": [1]}),
                true,
            ),
            ("cyc", json!({"cycles": [{"expect": {"mt0": []}}]}), false),
            (
                "spmu",
                json!({"corrupted": {"cfgr": 1, "expect": {}}}),
                true,
            ),
            ("spmu", json!({"cfg": {}, "known_iidr": [1]}), false),
        ] {
            assert_eq!(expects_something(area, &line), expects, "{area} {line}");
        }
    }
}
