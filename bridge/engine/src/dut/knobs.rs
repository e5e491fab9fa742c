//! Which knobs of an implementation the bundled RTL has.

use pmu_model::Implementation;
use pmu_model::implementation::Knobs;
use serde_json::Value;

/// A knob that the bundled RTL does not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "implementation {implementation}: knobs.{knob} = {found}: expected the default, which is all that the bundled \
     RTL implements; name other RTL with --rtl, or run the model alone with `lockstep model`"
)]
pub struct KnobMismatch {
    /// Name of the implementation.
    pub implementation: String,
    /// Knob.
    pub knob: String,
    /// Its value.
    pub found: String,
}

/// Checks that the knobs are those of the bundled RTL: with others it would be blamed for what it cannot do.
///
/// # Errors
/// The first knob that is not at its default, unless it is a parameter of the RTL or decides nothing that is
/// compared.
pub fn check_knobs(implementation: &Implementation) -> Result<(), KnobMismatch> {
    let mut knobs = implementation.knobs.clone();
    let default = Knobs::default();
    // Parameters.
    knobs.layout = default.layout;
    knobs.access_model = default.access_model;
    if knobs.spe.init_load() == default.spe.init_load() {
        knobs.spe.init_load = None;
    }
    // TH-35: what reserved combinations do shows only where they are compared.
    if !knobs.compare_reserved || knobs.reserved_policy == default.reserved_policy {
        knobs.reserved_policy = default.reserved_policy;
        knobs.compare_reserved = default.compare_reserved;
    }
    let value = |knobs: &Knobs| serde_json::to_value(knobs).expect("knobs are plain values");
    let mut differing = differing_values("", &value(&knobs), &value(&default));
    differing.retain(|(name, _)| name != "compare_reserved" && !name.starts_with("reserved_map"));
    match differing.into_iter().next() {
        None => Ok(()),
        Some((knob, found)) => Err(KnobMismatch {
            implementation: implementation.name.clone(),
            knob,
            found,
        }),
    }
}

/// Names and values of the leaves that differ from `default`, tables within tables joined by points.
fn differing_values(name: &str, value: &Value, default: &Value) -> Vec<(String, String)> {
    match value {
        Value::Object(table) => table
            .iter()
            .flat_map(|(key, value)| {
                let name = if name.is_empty() {
                    key.clone()
                } else {
                    format!("{name}.{key}")
                };
                differing_values(&name, value, default.get(key).unwrap_or(&Value::Null))
            })
            .collect(),
        value if value == default => Vec::new(),
        Value::String(word) => vec![(name.to_owned(), word.clone())],
        other => vec![(name.to_owned(), other.to_string())],
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::evtyper::configuration::AccessModel;
    use pmu_model::implementation::{Layout, ReservedPolicy, Rhbwbb};
    use pmu_model::spe::Select;

    use super::*;

    #[test]
    fn knobs_that_the_rtl_does_not_have_are_told_by_name() {
        let refused = |change: fn(&mut Knobs)| {
            let mut implementation = Implementation::default();
            change(&mut implementation.knobs);
            let found = check_knobs(&implementation).err();
            found.map(|error| format!("{} = {}", error.knob, error.found))
        };
        let name = |text: &str| Some(text.to_owned());
        assert_eq!(refused(|_| ()), None);
        assert_eq!(refused(|knobs| knobs.layout = Layout::Year2021), None);
        assert_eq!(
            refused(|knobs| knobs.access_model = AccessModel::Year2021),
            None
        );
        assert_eq!(refused(|knobs| knobs.compare_reserved = true), None);
        let policy = |knobs: &mut Knobs| knobs.reserved_policy = ReservedPolicy::DropField;
        assert_eq!(refused(policy), None);
        assert_eq!(
            refused(|knobs| {
                knobs.reserved_policy = ReservedPolicy::DropField;
                knobs.compare_reserved = true;
            }),
            name("reserved_policy = DROP_FIELD")
        );
        assert_eq!(
            refused(|knobs| knobs.rhbwbb = Rhbwbb::Literal),
            name("rhbwbb = LITERAL")
        );
        assert_eq!(
            refused(|knobs| knobs.reset_value = 5),
            name("reset_value = 5")
        );
        assert_eq!(
            refused(|knobs| knobs.spe.select = Select::ToZero),
            name("spe.select = TO_ZERO")
        );
        assert_eq!(
            refused(|knobs| knobs.cycles.cpu_cycles_in_wfx = true),
            name("cycles.cpu_cycles_in_wfx = true")
        );
    }
}
