//! The map: which signals of a dump are which fields of the contract, and when they are looked at.

use std::ops::RangeInclusive;

use pmu_model::contract::CONTRACT_VERSION;
use serde::Deserialize;

use super::fields::{Place, Side};
use lockstep_base::plain::{Mistake, of_toml, quoted_line};

/// A map, as its file has it.
#[derive(Clone, Debug)]
pub struct Map {
    /// Path of the clock.
    pub clock: String,
    /// The edge that begins a cycle.
    pub edge: Edge,
    /// When values are looked at.
    pub sample: Sample,
    /// Cycles by which groups of outputs are late (DUT-02).
    pub latency: Latency,
    /// Path of `parameters_o`, which states the latencies and what the design is.
    pub parameters: Option<String>,
    /// What the inputs are.
    pub input: Fields,
    /// What the outputs are.
    pub output: Fields,
}

/// An edge of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Edge {
    /// To 1.
    #[default]
    Rising,
    /// To 0.
    Falling,
}

/// When values are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sample {
    /// The inputs of the cycle that an edge begins.
    pub inputs: InputTime,
    /// Its outputs.
    pub outputs: OutputTime,
    /// A clock that begins at the level after an edge has had one; with inputs after the edge only.
    pub first_edge: bool,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            inputs: InputTime::Before,
            outputs: OutputTime::Opposite,
            first_edge: false,
        }
    }
}

/// When inputs are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputTime {
    /// Just before the tick of the edge: what flip-flops take in.
    Before,
    /// At the end of the tick of the edge.
    After,
}

/// When outputs are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputTime {
    /// Just before the tick of the edge, with the inputs.
    Before,
    /// At the end of the tick of the edge.
    After,
    /// At the end of the tick of the opposite edge that follows, as DUT-02 says.
    Opposite,
    /// Just before the next edge.
    Next,
}

/// Cycles by which the output groups are late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Latency {
    /// Group `increment`.
    pub increment: u8,
    /// `access_data`, `access_outcome`, `trap_iss`.
    pub access: u8,
    /// Group SPE.
    pub spe: u8,
}

/// What one of the structs is.
#[derive(Clone, Debug)]
pub enum Fields {
    /// One vector, by its path.
    Packed(String),
    /// Fields, in the order of the file.
    Single(Vec<Entry>),
}

/// A field, or some elements of one.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, as written.
    pub key: String,
    /// The field.
    pub place: &'static Place,
    /// The elements that the key names; none for all that the implementation has.
    pub elements: Option<RangeInclusive<u32>>,
    /// What it is.
    pub origin: Origin,
}

/// Where the values of a field come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// One signal, for one element or all.
    Signal {
        /// Its path.
        path: String,
        /// 0 stands for 1.
        active_low: bool,
    },
    /// A path with `{}` in place of the element's number.
    Pattern(String),
    /// A path an element.
    List(Vec<String>),
    /// Always this number.
    Constant(u64),
}

/// A map that cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map_or(String::new(), |line| format!("line {line}: ")))]
pub struct MapError {
    /// Line of the file, from 1, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    contract: u16,
    clock: String,
    #[serde(default)]
    edge: Edge,
    #[serde(default)]
    sample: Sample,
    #[serde(default)]
    latency: Latency,
    parameters: Option<String>,
    #[serde(default)]
    input: toml::Table,
    #[serde(default)]
    output: toml::Table,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSignal {
    signal: String,
    #[serde(default)]
    active: Active,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Active {
    #[default]
    High,
    Low,
}

impl Map {
    /// Reads a map.
    ///
    /// # Errors
    /// It is no TOML, lacks something, is of another contract, or names what is no field.
    pub fn parse(text: &str) -> Result<Self, MapError> {
        let raw: Raw = toml::from_str(text).map_err(|error| syntax(text, &error))?;
        if raw.contract != CONTRACT_VERSION {
            return Err(MapError {
                line: line_of(text, "contract"),
                message: format!(
                    "expected a map of contract {CONTRACT_VERSION}, found contract {}; compare docs/dut-contract.md, \
                     or make a new map with `lockstep vcd map`",
                    raw.contract
                ),
            });
        }
        if raw.sample.first_edge && raw.sample.inputs == InputTime::Before {
            return Err(MapError {
                line: line_of(text, "first_edge"),
                message: "expected `inputs = \"after\"` with `first_edge`, found \"before\": before its first level a \
                          dump has no values"
                    .to_owned(),
            });
        }
        let fields = |side: Side, table: toml::Table| {
            fields(side, table).map_err(|(key, message)| MapError {
                line: line_of(text, &key),
                message,
            })
        };
        Ok(Self {
            clock: raw.clock,
            edge: raw.edge,
            sample: raw.sample,
            latency: raw.latency,
            parameters: raw.parameters,
            input: fields(Side::Input, raw.input)?,
            output: fields(Side::Output, raw.output)?,
        })
    }
}

/// An error of the TOML reader, with its line.
fn syntax(text: &str, error: &toml::de::Error) -> MapError {
    let Mistake {
        at, line, message, ..
    } = of_toml(text, error);
    if at.is_none() {
        return MapError {
            line: None,
            message,
        };
    }
    let source = text.lines().nth(line - 1).unwrap_or_default().trim();
    let bare = source.split('=').next().unwrap_or_default();
    let hint = match bare.contains('[') && !bare.contains('"') && !source.starts_with('[') {
        true => format!(
            "; TOML wants quotes around such a key: `\"{}\"`",
            bare.trim()
        ),
        false => String::new(),
    };
    let whole = source.is_empty() || error.message().starts_with("missing field");
    MapError {
        line: (!whole).then_some(line),
        message: match whole {
            true => message,
            false => format!("{message} at `{}`{hint}", quoted_line(source)),
        },
    }
}

/// The line whose key is `key`, in whatever table, or ends with it.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let last = key.rsplit('.').next().unwrap_or(key);
    let is = |line: &str| {
        let Some((found, _)) = line.split_once('=') else {
            return false;
        };
        let plain = found.replace(['"', '\'', ' ', '\t'], "");
        plain == key || plain == last
    };
    text.lines().position(is).map(|line| line + 1)
}

type Wrong = (String, String);

fn fields(side: Side, table: toml::Table) -> Result<Fields, Wrong> {
    let mut flat = Vec::new();
    flatten("", table, &mut flat);
    if let Some((_, value)) = flat.iter().find(|(key, _)| key == side.packed()) {
        if let Some((other, _)) = flat.iter().find(|(key, _)| key != side.packed()) {
            return Err((
                other.clone(),
                format!(
                    "expected {} alone, found `{other}` beside it; {0} has all fields",
                    side.packed()
                ),
            ));
        }
        return match value {
            toml::Value::String(path) => Ok(Fields::Packed(path.clone())),
            other => Err((side.packed().to_owned(), not_a_path(side.packed(), other))),
        };
    }
    let entries = flat
        .into_iter()
        .map(|(key, value)| entry(side, &key, &value).map_err(|message| (key.clone(), message)));
    entries.collect::<Result<_, _>>().map(Fields::Single)
}

/// `threads.state = …` is a table in a table.
fn flatten(before: &str, table: toml::Table, flat: &mut Vec<(String, toml::Value)>) {
    for (key, value) in table {
        let key = format!("{before}{key}");
        match value {
            toml::Value::Table(inner) if !inner.contains_key("signal") => {
                flatten(&format!("{key}."), inner, flat);
            }
            value => flat.push((key, value)),
        }
    }
}

fn not_a_path(key: &str, found: &toml::Value) -> String {
    format!(
        "expected the path of a signal for `{key}`, found {}",
        found.type_str()
    )
}

fn entry(side: Side, key: &str, value: &toml::Value) -> Result<Entry, String> {
    let (name, elements) = split(key)?;
    let place = side.field(name).ok_or_else(|| no_field(side, name))?;
    let range = match elements {
        Some(_) if !place.is_array() => {
            return Err(format!("expected `{name}` without a number, found `{key}`"));
        }
        Some(range) if *range.end() >= place.count => {
            return Err(format!(
                "expected an element of `{name}` below {}, found `{key}`",
                place.count
            ));
        }
        range => range,
    };
    let origin = origin(key, place, value)?;
    match &origin {
        Origin::Pattern(_) if !place.is_array() => {
            return Err(format!(
                "expected one signal for `{key}`, found a pattern with {{}}"
            ));
        }
        Origin::List(paths) => {
            let wanted = range
                .as_ref()
                .map_or(place.count, |range| range.end() - range.start() + 1);
            if !place.is_array() || paths.len() > wanted as usize {
                return Err(format!(
                    "expected at most {wanted} paths for `{key}`, found {}",
                    paths.len()
                ));
            }
        }
        _ => {}
    }
    Ok(Entry {
        key: key.to_owned(),
        place,
        elements: range,
        origin,
    })
}

fn origin(key: &str, place: &Place, value: &toml::Value) -> Result<Origin, String> {
    match value {
        toml::Value::String(path) if path.contains("{}") => Ok(Origin::Pattern(path.clone())),
        toml::Value::String(path) => Ok(Origin::Signal {
            path: path.clone(),
            active_low: false,
        }),
        toml::Value::Integer(number) => {
            let width = place.count.saturating_mul(place.width).min(64);
            let number = u64::try_from(*number)
                .ok()
                .filter(|number| width == 64 || number >> width == 0);
            number.map(Origin::Constant).ok_or_else(|| {
                format!("expected a number of at most {width} bits for `{key}`, found {value}")
            })
        }
        toml::Value::Array(paths) => {
            let path = |path: &toml::Value| match path {
                toml::Value::String(path) => Ok(path.clone()),
                other => Err(not_a_path(key, other)),
            };
            paths
                .iter()
                .map(path)
                .collect::<Result<_, _>>()
                .map(Origin::List)
        }
        toml::Value::Table(_) => {
            let signal: RawSignal =
                value.clone().try_into().map_err(|error: toml::de::Error| {
                    format!("`{key}`: {}", error.message().trim_end())
                })?;
            let active_low = matches!(signal.active, Active::Low);
            if active_low && (place.is_array() || place.name != "reset" && place.width != 1) {
                return Err(format!(
                    "expected `active` with a field of one bit, found it with `{key}`"
                ));
            }
            Ok(Origin::Signal {
                path: signal.signal,
                active_low,
            })
        }
        other => Err(not_a_path(key, other)),
    }
}

/// `name`, `name[3]` or `name[5:0]`.
fn split(key: &str) -> Result<(&str, Option<RangeInclusive<u32>>), String> {
    let Some((name, rest)) = key.split_once('[') else {
        return Ok((key, None));
    };
    let range = rest.strip_suffix(']').and_then(|range| {
        let (high, low) = range.split_once(':').unwrap_or((range, range));
        let (high, low): (u32, u32) = (high.trim().parse().ok()?, low.trim().parse().ok()?);
        (low <= high).then_some(low..=high)
    });
    match range {
        Some(range) => Ok((name, Some(range))),
        None => Err(format!(
            "expected a key as in `event[3]` or `event[7:0]`, found `{key}`"
        )),
    }
}

fn no_field(side: Side, name: &str) -> String {
    let mut near: Vec<_> = side
        .fields()
        .iter()
        .map(|field| (strsim::jaro_winkler(&field.name, name), field.name.as_str()))
        .filter(|(like, _)| *like > 0.7)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    let near: Vec<_> = near
        .iter()
        .take(3)
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    let other = match side {
        Side::Input => Side::Output,
        Side::Output => Side::Input,
    };
    let hint = match (near.is_empty(), other.field(name)) {
        (true, Some(_)) => format!("; it is a field of [{}]", other.table()),
        (true, None) => "; docs/dut-contract.md has all".to_owned(),
        (false, _) => format!("; there is {}", near.join(", ")),
    };
    format!(
        "expected a field of {}, found `{name}`{hint}",
        match side {
            Side::Input => "CycleInput",
            Side::Output => "CycleOutput",
        }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "contract = 2\nclock = 'tb.clk'\n";

    fn map(rest: &str) -> Result<Map, String> {
        Map::parse(&format!("{HEAD}{rest}")).map_err(|error| error.to_string())
    }

    fn error(rest: &str) -> String {
        map(rest).expect_err("no map")
    }

    fn entries(rest: &str) -> Vec<Entry> {
        match map(rest).expect("a map").input {
            Fields::Single(entries) => entries,
            Fields::Packed(path) => panic!("{path}"),
        }
    }

    #[test]
    fn what_is_left_out_is_as_the_contract_says() {
        let map = map("").expect("a map");
        assert_eq!(map.edge, Edge::Rising);
        assert_eq!(map.sample, Sample::default());
        assert_eq!(map.latency, Latency::default());
    }

    #[test]
    fn both_structs_can_be_one_vector() {
        let map = map("[input]\ncycle_input = 'a'\n[output]\ncycle_output = 'b'\n").expect("a map");
        assert!(matches!(map.input, Fields::Packed(path) if path == "a"));
        assert!(matches!(map.output, Fields::Packed(path) if path == "b"));
        assert_eq!(
            error("[input]\ncycle_input = 'a'\nreset = 'r'\n"),
            "line 5: expected cycle_input alone, found `reset` beside it; cycle_input has all fields"
        );
    }

    #[test]
    fn fields_are_signals_patterns_lists_or_numbers() {
        let of = |line: &str| entries(&format!("[input]\n{line}\n")).remove(0);
        assert_eq!(
            of("event = 't.e[{}]'").origin,
            Origin::Pattern("t.e[{}]".into())
        );
        assert_eq!(of("'event[7:4]' = 't.e'").elements, Some(4..=7));
        assert_eq!(
            of("event = ['a', 'b']").origin,
            Origin::List(vec!["a".into(), "b".into()])
        );
        assert_eq!(
            of("counting_allowed = 0xffff_ffff").origin,
            Origin::Constant(0xffff_ffff)
        );
        assert_eq!(of("threads.state = 't[{}].s'").place.name, "threads.state");
        let reset = of("reset = { signal = 'rst_n', active = 'low' }").origin;
        let expected = Origin::Signal {
            path: "rst_n".into(),
            active_low: true,
        };
        assert_eq!(reset, expected);
    }

    #[test]
    fn v_is_another_name_of_increment() {
        let map = map("[output]\nV = 'c[{}].v'\n").expect("a map");
        let Fields::Single(entries) = map.output else {
            panic!("single fields");
        };
        assert_eq!(entries[0].place.name, "increment");
    }

    #[test]
    fn a_map_of_another_contract_is_refused() {
        let error = Map::parse("contract = 1\nclock = 'c'\n").expect_err("another contract");
        assert!(
            error
                .to_string()
                .starts_with("line 1: expected a map of contract 2, found contract 1;"),
            "{error}"
        );
    }

    #[test]
    fn errors_name_line_and_key() {
        assert_eq!(
            error("[input]\nevnt = 'a'\n"),
            "line 4: expected a field of CycleInput, found `evnt`; there is `event`"
        );
        assert_eq!(
            error("[input]\ntrap_iss = 'a'\n"),
            "line 4: expected a field of CycleInput, found `trap_iss`; it is a field of [output]"
        );
        assert_eq!(
            error("[input]\nhpmn = 256\n"),
            "line 4: expected a number of at most 8 bits for `hpmn`, found 256"
        );
        assert_eq!(
            error("[input]\n'hpmn[1]' = 'a'\n"),
            "line 4: expected `hpmn` without a number, found `hpmn[1]`"
        );
        assert_eq!(
            error("[input]\n'event[64]' = 'a'\n"),
            "line 4: expected an element of `event` below 64, found `event[64]`"
        );
        assert!(
            error("[input]\nevent[0] = 'a'\n")
                .contains("TOML wants quotes around such a key: `\"event[0]\"`")
        );
        assert!(error("edgy = 1\n").starts_with("line 3: unknown key `edgy`"));
        assert!(
            error("[sample]\nfirst_edge = true\n")
                .starts_with("line 4: expected `inputs = \"after\"` with `first_edge`")
        );
        assert_eq!(
            Map::parse("contract = 2\n").unwrap_err().to_string(),
            "expected a key `clock`, found none"
        );
    }
}
