//! The choices of AMBIGUITIES.md: the model with another value of one knob.

use pmu_model::implementation::Knobs;
use pmu_model::{Implementation, Model};
use serde_json::Value;

/// A knob with another value than the configured one.
#[derive(Clone, Debug)]
pub struct Knob {
    /// Name and value, as an implementation file has them.
    pub text: String,
    /// The model of the implementation with it, out of reset.
    pub model: Model,
}

/// The knobs that are choices, by name, with their values.
const CHOICES: &[(&str, &[&str])] = &[
    ("rhbwbb", &["LINK_AWARE", "LITERAL"]),
    ("cp_when_not_counting", &["ZERO", "HOLD"]),
    ("ct_when_bypassed", &["UPDATE", "HOLD"]),
    ("link_from_idle", &["ZERO", "STALE"]),
    ("reserved_policy", &["DISABLED", "DROP_FIELD"]),
    ("res0", &["RAZ_WI", "RW_NOEFFECT"]),
    ("layout", &["CURRENT", "2021"]),
    ("access_model", &["CURRENT", "2021"]),
    ("oor_unimplemented", &["UNDEF", "RAZ_WI", "NOP"]),
    ("oor_reserved", &["UNDEF", "RAZ_WI", "NOP", "TRAP_EL2"]),
    ("bad_hpmn", &["CAP", "ALL"]),
    ("spe.select", &["AT_ZERO", "TO_ZERO"]),
    ("spe.init_load", &["AT_ENABLE", "FIRST_OP"]),
    ("spe.zero_interval", &["LITERAL", "MIN256"]),
    ("spe.write_order", &["END", "START"]),
    ("spe.complete_order", &["BEFORE", "AFTER"]),
    ("cycles.idle_thread_stall", &["RAW", "TRUE"]),
    ("cycles.idle_thread_any", &["RAW", "FALSE"]),
];

/// The knobs that are true or false.
const SWITCHES: &[&str] = &[
    "el3_trap_priority_sdd",
    "cycles.active_in_wfx",
    "cycles.cpu_cycles_in_wfx",
    "cycles.pmccntr_in_wfx",
    "cycles.cpu_cycles_mt1_all_wfx",
    "cycles.cond_gated",
];

/// Every knob of `implementation` with every other value that gives a legal model.
pub fn all(implementation: &Implementation) -> Vec<Knob> {
    let Ok(knobs) = serde_json::to_value(&implementation.knobs) else {
        return Vec::new();
    };
    let choices = CHOICES
        .iter()
        .flat_map(|&(name, values)| values.iter().map(move |&value| (name, Value::from(value))));
    let switches = SWITCHES
        .iter()
        .flat_map(|&name| [false, true].map(|value| (name, Value::from(value))));
    choices
        .chain(switches)
        .filter_map(|(name, value)| with(implementation, &knobs, name, value))
        .collect()
}

fn with(implementation: &Implementation, knobs: &Value, name: &str, value: Value) -> Option<Knob> {
    let mut changed = knobs.clone();
    let place = name.split('.').try_fold(&mut changed, |table, key| {
        // What goes with another choice is left out when it is written.
        table
            .as_object_mut()
            .map(|table| table.entry(key).or_insert(Value::Null))
    })?;
    if *place == value {
        return None;
    }
    *place = value.clone();
    let knobs = serde_json::from_value::<Knobs>(changed).ok()?;
    let mut same = knobs.clone();
    same.spe.init_load = implementation.knobs.spe.init_load;
    let loads = knobs.spe.init_load() == implementation.knobs.spe.init_load();
    if loads && same == implementation.knobs {
        return None;
    }
    let implementation = Implementation {
        knobs,
        ..implementation.clone()
    };
    let model = Model::new(&implementation).ok()?;
    let value = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    Some(Knob {
        text: format!("{name}={value}"),
        model,
    })
}
