//! Area `spe`: sample interval counters and collisions.

pub(super) mod rtl;

use std::collections::BTreeMap;
use std::fmt::Debug;

use pmu_model::Implementation;
use pmu_model::spe::{self, BufferStatus, Output, Profiler, Selected};
use serde::Deserialize;

use super::Mismatch;
use super::value::Number;

/// A line.
#[derive(Deserialize)]
pub struct Vector {
    /// What `cfg` says.
    #[serde(skip)]
    pub(super) implementation: Implementation,
    cycles: Vec<Cycle>,
}

#[derive(Deserialize)]
pub(super) struct Cycle {
    inp: Input,
    #[serde(default)]
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    enabled: Number,
    #[serde(default)]
    ops: Option<Number>,
    #[serde(default)]
    rnd: Vec<Number>,
    #[serde(default)]
    complete: Option<Number>,
    #[serde(default)]
    discard: Option<Number>,
    #[serde(default)]
    wr_pmsicr: Option<Number>,
    #[serde(default)]
    wr_pmsirr: Option<Number>,
    /// By the x of PMBSR_ELx.
    #[serde(default)]
    wr_coll: Option<BTreeMap<String, Number>>,
    #[serde(default)]
    pmsee: Option<Number>,
    #[serde(default)]
    ee: Option<Number>,
}

#[derive(Default, Deserialize)]
pub(super) struct Expected {
    selected: Option<Vec<Number>>,
    sampled: Option<Vec<Number>>,
    collided: Option<Vec<Number>>,
    #[serde(rename = "SAMPLE_POP")]
    sample_pop: Option<Number>,
    #[serde(rename = "SAMPLE_FEED")]
    sample_feed: Option<Number>,
    #[serde(rename = "SAMPLE_COLLISION")]
    sample_collision: Option<Number>,
    #[serde(rename = "PMSICR")]
    pmsicr: Option<Number>,
    #[serde(rename = "COLL")]
    coll: Option<[Option<Number>; 3]>,
    inflight: Option<Number>,
}

/// Operations of a vector at most: four intervals of the greatest length, which run within a second.
const MOST_OPERATIONS: u64 = 1 << 26;

/// The selected operations of a cycle, by what became of them.
#[derive(Default)]
struct Selections {
    selected: Vec<u64>,
    sampled: Vec<u64>,
    collided: Vec<u64>,
}

impl Selections {
    fn push(&mut self, index: u32, selected: Selected) {
        let index = index.into();
        self.selected.push(index);
        match selected {
            Selected::Sampled => self.sampled.push(index),
            Selected::Collided => self.collided.push(index),
        }
    }
}

impl Input {
    /// The model's input, with `random` in the place of `rnd`.
    fn decode<'a>(&self, random: &'a [u8]) -> Result<spe::Input<'a>, Box<dyn std::error::Error>> {
        let number = |number: Option<Number>| number.map_or(0, |number| number.0);
        let mut write_coll = [None; 3];
        for (el, value) in self.wr_coll.iter().flatten() {
            let register = match el.as_str() {
                "1" => BufferStatus::El1,
                "2" => BufferStatus::El2,
                "3" => BufferStatus::El3,
                _ => return Err(format!("wr_coll of PMBSR_EL{el}").into()),
            };
            write_coll[register.index()] = Some(value.0 != 0);
        }
        Ok(spe::Input {
            enabled: self.enabled.0 != 0,
            operations: number(self.ops).try_into()?,
            random,
            complete: number(self.complete).try_into()?,
            discard: number(self.discard) != 0,
            pmsee: number(self.pmsee).try_into()?,
            ee: number(self.ee).try_into()?,
            write_pmsicr: self.wr_pmsicr.map(|value| value.0),
            write_pmsirr: self.wr_pmsirr.map(|value| value.0),
            write_coll,
            ..spe::Input::default()
        })
    }
}

/// Runs a line on the model.
///
/// # Returns
/// The first value that differs, if any.
///
/// # Errors
/// The line contradicts itself: an impossible configuration, or a value that does not fit.
pub(super) fn run(vector: &Vector) -> Result<Option<Mismatch>, Box<dyn std::error::Error>> {
    vector.implementation.validate()?;
    let operations = vector.cycles.iter().filter_map(|cycle| cycle.inp.ops);
    let operations = operations.fold(0_u64, |sum, ops| sum.saturating_add(ops.0));
    if operations > MOST_OPERATIONS {
        return Err(format!(
            "ops: {operations} operations in a vector, expected at most {MOST_OPERATIONS}; split it"
        )
        .into());
    }
    let mut profiler = Profiler::new(&vector.implementation.spe_config())?;
    for (index, cycle) in vector.cycles.iter().enumerate() {
        let random = cycle.inp.rnd.iter().map(|byte| u8::try_from(byte.0));
        let random = random.collect::<Result<Vec<_>, _>>()?;
        let input = cycle.inp.decode(&random)?;
        let mut selections = Selections::default();
        let mismatch = match profiler.step(&input, |index, what| selections.push(index, what)) {
            Ok(output) => compare(&cycle.expect, random.len(), &selections, &output),
            Err(error) => Some(Mismatch {
                at: "rnd".into(),
                expected: format!("{} bytes drawn", random.len()),
                found: error.to_string(),
            }),
        };
        if let Some(mismatch) = mismatch {
            let at = format!("cycle {index}, {}", mismatch.at);
            return Ok(Some(Mismatch { at, ..mismatch }));
        }
    }
    Ok(None)
}

fn differs<T: PartialEq + Debug>(name: &str, expected: Option<T>, model: T) -> Option<Mismatch> {
    let expected = expected.filter(|expected| *expected != model)?;
    Some(Mismatch {
        at: name.into(),
        expected: format!("{expected:?}"),
        found: format!("{model:?}"),
    })
}

fn compare(
    expected: &Expected,
    random: usize,
    selections: &Selections,
    output: &Output,
) -> Option<Mismatch> {
    let number = |number: Option<Number>| number.map(|number| number.0);
    let list = |list: &Option<Vec<Number>>| {
        let list = list.as_ref()?;
        Some(list.iter().map(|number| number.0).collect())
    };
    let coll = |el: BufferStatus| {
        let coll = number(expected.coll?[el.index()]);
        differs(
            &format!("PMBSR_{}.COLL", format!("{el:?}").to_uppercase()),
            coll,
            output.coll[el.index()].into(),
        )
    };
    differs("rnd, bytes drawn", Some(random), output.random_drawn)
        .or_else(|| {
            differs(
                "selected",
                list(&expected.selected),
                selections.selected.clone(),
            )
        })
        .or_else(|| {
            differs(
                "sampled",
                list(&expected.sampled),
                selections.sampled.clone(),
            )
        })
        .or_else(|| {
            differs(
                "collided",
                list(&expected.collided),
                selections.collided.clone(),
            )
        })
        .or_else(|| {
            differs(
                "SAMPLE_POP",
                number(expected.sample_pop),
                output.sample_pop.into(),
            )
        })
        .or_else(|| {
            differs(
                "SAMPLE_FEED",
                number(expected.sample_feed),
                output.sample_feed.into(),
            )
        })
        .or_else(|| {
            let expected = number(expected.sample_collision);
            differs("SAMPLE_COLLISION", expected, output.sample_collision.into())
        })
        .or_else(|| differs("PMSICR", number(expected.pmsicr), output.pmsicr))
        .or_else(|| coll(BufferStatus::El1))
        .or_else(|| coll(BufferStatus::El2))
        .or_else(|| coll(BufferStatus::El3))
        .or_else(|| {
            differs(
                "inflight",
                number(expected.inflight),
                output.in_flight.into(),
            )
        })
}

#[cfg(test)]
mod tests {
    const NOTHING: &str = r#""inflight": null"#;

    /// A line of one cycle: PMSICR_EL1 = 0, one operation selected, with one sample in flight.
    fn line(cfg: &str, inp: &str, expect: &str) -> String {
        format!(
            r#"{{"area": "spe", "cfg": {{{cfg}}}, "cycles": [{{"inp": {{"enabled": true, "ops": 2{inp}}}, "expect": {{{expect}}}}}]}}"#
        )
    }

    fn outcome(cfg: &str, inp: &str, expect: &str) -> Option<String> {
        crate::outcome(&line(cfg, inp, expect)).expect("consistent")
    }

    /// A line of some bytes does not run for an hour.
    #[test]
    fn operations_have_a_limit() {
        let line = |first: u64| {
            let cycle = r#"{"inp": {"enabled": false, "ops": OPS}, "expect": {"inflight": 0}}"#;
            let cycles = [first, 1].map(|ops| cycle.replace("OPS", &ops.to_string()));
            format!(
                r#"{{"area": "spe", "cfg": {{"max_inflight": 1}}, "cycles": [{}]}}"#,
                cycles.join(", ")
            )
        };
        crate::outcome(&line(super::MOST_OPERATIONS - 1)).expect("not too many");
        for first in [super::MOST_OPERATIONS, u32::MAX.into(), u64::MAX] {
            let error = crate::outcome(&line(first)).expect_err("too many");
            assert!(error.to_string().contains("at most 67108864"), "{error}");
        }
    }

    #[test]
    fn every_expected_value_is_compared() {
        let cfg = r#""spe_exc": true"#;
        let inp = r#", "pmsee": 3, "wr_coll": {"2": 1}"#;
        for (expect, message) in [
            (r#""selected": [0]"#, "selected: expected [0], model [0, 1]"),
            (r#""sampled": []"#, "sampled: expected [], model [0]"),
            (r#""collided": [0]"#, "collided: expected [0], model [1]"),
            (r#""SAMPLE_POP": 1"#, "SAMPLE_POP: expected 1, model 2"),
            (r#""SAMPLE_FEED": 2"#, "SAMPLE_FEED: expected 2, model 1"),
            (
                r#""SAMPLE_COLLISION": 0"#,
                "SAMPLE_COLLISION: expected 0, model 1",
            ),
            (r#""PMSICR": 1"#, "PMSICR: expected 1, model 0"),
            (
                r#""COLL": [1, 1, 1]"#,
                "PMBSR_EL1.COLL: expected 1, model 0",
            ),
            (
                r#""COLL": [null, 0, 1]"#,
                "PMBSR_EL2.COLL: expected 0, model 1",
            ),
            (
                r#""COLL": [null, null, 0]"#,
                "PMBSR_EL3.COLL: expected 0, model 1",
            ),
            (r#""inflight": 2"#, "inflight: expected 2, model 1"),
        ] {
            assert_eq!(
                outcome(cfg, inp, expect),
                Some(format!("cycle 0, {message}"))
            );
        }
        assert_eq!(
            outcome(
                cfg,
                inp,
                r#""selected": null, "PMSICR": null, "COLL": [0, 1, 1]"#
            ),
            None
        );
    }

    #[test]
    fn random_bytes_are_drawn_exactly_as_given() {
        let unused = outcome("", r#", "rnd": [7]"#, NOTHING);
        assert_eq!(
            unused.as_deref(),
            Some("cycle 0, rnd, bytes drawn: expected 1, model 0")
        );
        let missing = outcome(
            r#""write_order": "START""#,
            r#", "wr_pmsirr": 257"#,
            NOTHING,
        );
        let missing = missing.expect("the model draws a byte");
        assert!(
            missing.starts_with("cycle 0, rnd: expected 0 bytes drawn, model "),
            "{missing}"
        );
    }

    #[test]
    fn unknown_keys_are_refused() {
        for (cfg, inp, expect) in [
            (r#""selection": "AT_ZERO""#, "", NOTHING),
            ("", r#", "operations": 1"#, NOTHING),
            ("", "", r#""ECOUNT": 1"#),
            ("", "", r#""note": 1"#),
        ] {
            let line = line(cfg, inp, expect);
            assert!(crate::outcome(&line).is_err(), "{line}");
        }
    }
}
