//! The keys of a vector that are no part of its configuration: which are misspelt, which nobody reads, and whether
//! anything is expected at all.

use serde_json::Value;

use crate::plain::{did_you_mean, near};

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
    path: &'static [&'static str],
    /// The keys that are read there, and are no expectation.
    input: &'static [&'static str],
    /// The keys that are compared.
    expected: &'static [&'static str],
    /// Keys that repeat what the line has elsewhere.
    echo: &'static [&'static str],
}

const fn level(
    path: &'static [&'static str],
    input: &'static [&'static str],
    expected: &'static [&'static str],
) -> Level {
    Level {
        path,
        input,
        expected,
        echo: &[],
    }
}

const TH: &[Level] = &[
    level(&[], &["cfg", "types", "cycles"], &[]),
    level(&["cycles"], &["writes", "vb", "counting", "expect"], &[]),
    Level {
        path: &["cycles", "expect"],
        input: &["n"],
        expected: &["reserved", "VB", "CT", "CP", "CE", "VT", "VE", "V"],
        echo: &["counting"],
    },
];
const SPE: &[Level] = &[
    level(&[], &["cfg", "cycles"], &[]),
    level(&["cycles"], &["inp", "expect"], &[]),
    level(
        &["cycles", "expect"],
        &[],
        &[
            "selected",
            "sampled",
            "collided",
            "SAMPLE_POP",
            "SAMPLE_FEED",
            "SAMPLE_COLLISION",
            "PMSICR",
            "COLL",
            "inflight",
        ],
    ),
];
const ETY: &[Level] = &[
    level(
        &[],
        &["cfg", "n", "write", "access", "event"],
        &["read", "fields", "mt_eff", "filtered"],
    ),
    level(&["access"], &["ctx", "write"], &["expect"]),
    level(&["event"], &["supported", "write"], &["read", "expect"]),
];
const CYC: &[Level] = &[
    level(&[], &["cfg", "cycles"], &["pmccntr_final"]),
    level(&["cycles"], &["clock", "threads", "expect"], &[]),
    level(&["cycles", "expect"], &[], &["mt0", "mt1", "PMCCNTR"]),
];
const SPMU: &[Level] = &[
    level(
        &[],
        &["cfg", "known_iidr", "known_devarch", "corrupted"],
        &[
            "SPMCFGR",
            "SPMCGCR0",
            "SPMCGCR1",
            "SPMIIDR",
            "SPMDEVARCH",
            "SPMDEVAFF",
            "max",
            "first",
            "implemented",
            "discover",
            "decode",
        ],
    ),
    level(&["corrupted"], &["cfgr", "cgcr0", "cgcr1"], &["expect"]),
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

/// The keys of `line`, a vector of `area`, that nobody reads.
///
/// # Errors
/// A key that is all but one that is read.
pub fn unread(area: &str, line: &Value) -> Result<Vec<String>, String> {
    let mut unread = Vec::new();
    for level in levels(area) {
        let known = || {
            let known = [level.input, level.expected, level.echo, INFORMATIVE];
            known.into_iter().flatten().copied()
        };
        for key in objects(line, level.path).flat_map(serde_json::Map::keys) {
            if known().any(|known| known == key) {
                continue;
            }
            if let Some(question) = did_you_mean(&near(key, known())) {
                let place = match level.path {
                    [] => String::new(),
                    path => format!(" in \"{}\"", path.join("\", \"")),
                };
                return Err(format!("unknown key `{key}`{place}: {question}"));
            }
            if !unread.contains(key) {
                unread.push(key.clone());
            }
        }
    }
    Ok(unread)
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
        objects(line, level.path).any(|object| {
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
                level.expected.contains(&key.as_str()) && !empty
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
        let line = json!({"area": "th", "cfg": {"x": 1}, "types": [], "origin": 3, "cycles": [
            {"vb": [], "counting": [], "expcet": []},
        ]});
        assert_eq!(
            unread("th", &line),
            Err("unknown key `expcet` in \"cycles\": did you mean `expect`?".into())
        );
        let line = json!({"area": "th", "origin": 3, "notes": "a", "cycles": [
            {"expect": [{"n": 0, "V": 1, "counting": 1, "origin": 1, "by": 2}]},
        ]});
        assert_eq!(unread("th", &line), Ok(vec!["origin".into(), "by".into()]));
        let row = json!({"cycles": [{"expect": [{"n": 0, "vt": 1}]}]});
        assert_eq!(
            unread("th", &row),
            Err("unknown key `vt` in \"cycles\", \"expect\": did you mean `VT`?".into())
        );
        let register = json!({"SPMCFG": 3});
        assert!(unread("spmu", &register).is_err());
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
