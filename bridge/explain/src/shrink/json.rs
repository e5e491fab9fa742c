//! A shrunk stimulus for programs: what is driven in each cycle, and nothing that is at rest.

use bytemuck::bytes_of;
use pmu_model::contract::{Form, Group, control};
use pmu_model::implementation::Pmu;
use pmu_model::{AccessKind, CycleInput, Implementation};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::hypotheses::Findings;
use lockstep_engine::lockstep::compare::access_name;

use super::Reduced;
use super::parts::hpmn_at_rest;

/// Version of the JSON form.
const FORMAT: u32 = 1;

/// A shrunk stimulus, for programs.
#[derive(Clone, Debug, Serialize)]
pub struct Shrunk<'a> {
    /// Version of this form.
    pub format: u32,
    /// The field that differs, in the last cycle.
    pub field: &'a str,
    /// The model's value.
    pub expected: &'a str,
    /// The design's value.
    pub rtl: &'a str,
    /// Number of the divergent cycle.
    pub cycle: usize,
    /// Register writes.
    pub writes: usize,
    /// Whether nothing more can be taken away.
    pub minimal: bool,
    /// What would explain the RTL, tested on the stimulus before it was shrunk: few cycles tell few hypotheses apart.
    pub hypotheses: &'a Findings,
    /// Features, sizes and knobs.
    pub implementation: &'a Implementation,
    /// The cycles, by the names of `docs/dut-contract.md`, section 2. What is missing is 0, but for `counting_allowed`,
    /// which is all ones but in a cycle of reset, and `hpmn`, which is the number of counters where `driven` has bit 0.
    pub cycles: Vec<Value>,
}

/// A shrunk stimulus as it is written for programs.
pub fn shrunk<'a>(
    reduced: &'a Reduced,
    hypotheses: &'a Findings,
    implementation: &'a Implementation,
) -> Shrunk<'a> {
    let failing = &reduced.failing;
    let cycles = reduced.cycles.iter();
    Shrunk {
        format: FORMAT,
        field: &failing.field,
        expected: &failing.expected,
        rtl: &failing.rtl,
        cycle: failing.cycle,
        writes: reduced.writes(),
        minimal: reduced.minimal,
        hypotheses,
        implementation,
        cycles: cycles
            .map(|input| cycle(input, &implementation.pmu))
            .collect(),
    }
}

/// What is not at rest in a cycle.
fn cycle(input: &CycleInput, pmu: &Pmu) -> Value {
    let mut map = Map::new();
    let mut put = |name: &str, value: Value, rest: Value| {
        if value != rest {
            map.insert(name.into(), value);
        }
    };
    let hexadecimal = |value: u64| Value::from(format!("{value:#x}"));
    if input.access_kind != AccessKind::None as u8 {
        let access = json!({
            "kind": KINDS[usize::from(input.access_kind).min(KINDS.len() - 1)],
            "register": access_name(input),
            "address": hexadecimal(input.access_address.into()),
            "data": hexadecimal(input.access_data),
            "rt": input.access_rt,
        });
        put("access", access, Value::Null);
    }
    // The other bits are ignored.
    let value = |value: u16| value & u16::MAX >> (16 - pmu.event_width);
    let events: Map<_, _> = input
        .event
        .iter()
        .enumerate()
        .filter(|&(_, &event)| value(event) != 0)
        .map(|(lane, &event)| (lane.to_string(), value(event).into()))
        .collect();
    put("event", events.into(), Map::new().into());
    for field in CycleInput::FIELDS {
        // The access is told as a whole, and the controls by their names.
        if field.count > 1 || field.group == Group::Access || field.name == "controls" {
            continue;
        }
        let value = field.value(bytes_of(input), 0);
        let rest = match field.name {
            "counting_allowed" if !input.is_reset() => u32::MAX.into(),
            "hpmn" => hpmn_at_rest(input, pmu.counters).into(),
            _ => 0,
        };
        let written = |value: u64| match field.form {
            Form::Hexadecimal => hexadecimal(value),
            _ => value.into(),
        };
        put(field.name, written(value), written(rest));
    }
    let controls = control::NAMES.iter().enumerate();
    let controls: Vec<_> = controls
        .filter(|&(bit, _)| input.controls >> bit & 1 == 1)
        .map(|(_, &name)| Value::from(name))
        .collect();
    put("controls", controls.into(), Vec::<Value>::new().into());
    let threads: Map<_, _> = input
        .threads
        .iter()
        .enumerate()
        .filter(|(_, thread)| **thread != Default::default())
        .map(|(t, thread)| {
            let thread = json!({
                "state": hexadecimal(thread.state.into()),
                "conditions": hexadecimal(thread.conditions.into()),
                "count": thread.count,
            });
            (t.to_string(), thread)
        })
        .collect();
    put("threads", threads.into(), Map::new().into());
    map.into()
}

/// Names of the kinds of access, by code.
const KINDS: [&str; 7] = [
    "none",
    "MRS",
    "MSR",
    "MRC",
    "MCR",
    "external read",
    "external write",
];
