//! Area `th`: threshold, edge and link.

pub(super) mod rtl;

use std::collections::BTreeMap;
use std::fmt::Display;

use pmu_model::Implementation;
use pmu_model::contract::COUNTER_LANES;
use pmu_model::pmu::count_value::{CountValue, Intermediates, Values};
use pmu_model::pmu::event_type::{EventType, EventTypeDecoder};
use serde::Deserialize;
use serde_json::Value;

use super::Mismatch;
use super::value::{Number, present, some_flag};

/// A line.
#[derive(Deserialize)]
pub struct Vector {
    /// What `cfg` says.
    #[serde(skip)]
    pub(super) implementation: Implementation,
    types: Vec<Number>,
    cycles: Vec<Cycle>,
}

#[derive(Deserialize)]
pub(super) struct Cycle {
    #[serde(default)]
    writes: BTreeMap<usize, Number>,
    vb: Vec<Number>,
    counting: Vec<Number>,
    #[serde(default, deserialize_with = "present")]
    expect: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) struct Expected {
    #[serde(rename = "n")]
    n: usize,
    #[serde(rename = "reserved", default, deserialize_with = "some_flag")]
    reserved: Option<bool>,
    /// As the cycle has it.
    #[serde(rename = "counting")]
    _counting: Option<Value>,
    vb: Option<Number>,
    ct: Option<Number>,
    cp: Option<Number>,
    ce: Option<Number>,
    vt: Option<Number>,
    ve: Option<Number>,
    v: Option<Number>,
}

/// Runs a line on the model.
///
/// # Returns
/// The first value that differs, if any.
///
/// # Errors
/// The line contradicts itself: an impossible configuration, or a counter that is not there.
pub(super) fn run(vector: &Vector) -> Result<Option<Mismatch>, Box<dyn std::error::Error>> {
    let implementation = &vector.implementation;
    implementation.validate()?;
    let counters = usize::from(implementation.pmu.counters);
    let decoder = EventTypeDecoder::new(implementation)?;
    let mut datapath = CountValue::<u64>::new(implementation);
    let mut types = [decoder.decode(0, 0); COUNTER_LANES];
    let write = |datapath: &mut CountValue<u64>, n: usize, value: Number| {
        let event_type = decoder.decode(n as u8, value.0);
        datapath.set_type(n, &event_type);
        event_type
    };
    if vector.types.len() != counters {
        return Err(format!("{} types for {counters} counters", vector.types.len()).into());
    }
    for (n, &value) in vector.types.iter().enumerate() {
        types[n] = write(&mut datapath, n, value);
    }
    for (index, cycle) in vector.cycles.iter().enumerate() {
        if cycle.vb.len() != counters || cycle.counting.len() != counters {
            return Err(format!("cycle {index}: vb or counting is not one a counter").into());
        }
        for (&n, &value) in &cycle.writes {
            if n >= counters {
                return Err(format!("cycle {index}: a write of counter {n}").into());
            }
            types[n] = write(&mut datapath, n, value);
        }
        let mut base = [0; COUNTER_LANES];
        let mut counting = 0;
        for (n, (v_b, allowed)) in cycle.vb.iter().zip(&cycle.counting).enumerate() {
            base[n] = v_b.0;
            counting |= u32::from(allowed.0 != 0) << n;
        }
        let values = datapath.evaluate(&base, counting);
        let intermediates = datapath.intermediates(&values);
        for expected in &cycle.expect {
            if expected.n >= counters {
                return Err(format!("cycle {index}: expects counter {}", expected.n).into());
            }
            let mismatch = compare(expected, &types[expected.n], &values, &intermediates);
            if let Some(mismatch) = mismatch {
                let at = format!("cycle {index}, {}[{}]", mismatch.at, expected.n);
                return Ok(Some(Mismatch { at, ..mismatch }));
            }
        }
        datapath.commit(&values);
    }
    Ok(None)
}

fn compare(
    expected: &Expected,
    event_type: &EventType,
    values: &Values<u64>,
    intermediates: &Intermediates<u64>,
) -> Option<Mismatch> {
    fn differs<T: PartialEq + Display>(
        name: &str,
        expected: Option<T>,
        model: T,
    ) -> Option<Mismatch> {
        let expected = expected.filter(|expected| *expected != model)?;
        Some(Mismatch {
            at: name.into(),
            expected: expected.to_string(),
            found: model.to_string(),
        })
    }
    let n = expected.n;
    let number = |number: &Option<Number>| number.map(|number| number.0);
    let flag = |mask: u64| mask & 1;
    differs("reserved", expected.reserved, event_type.reserved)
        .or_else(|| differs("V_B", number(&expected.vb), values.v_b[n]))
        .or_else(|| differs("C_T", number(&expected.ct), flag(values.c_t[n])))
        .or_else(|| differs("C_P", number(&expected.cp), flag(values.c_p[n])))
        .or_else(|| differs("C_E", number(&expected.ce), flag(values.c_e[n])))
        .or_else(|| differs("V_T", number(&expected.vt), intermediates.v_t[n]))
        .or_else(|| differs("V_E", number(&expected.ve), intermediates.v_e[n]))
        .or_else(|| differs("V", number(&expected.v), values.v[n]))
}
