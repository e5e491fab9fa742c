//! The parameters that a design states, against the configured implementation.

use pmu_model::contract::{CONTRACT_VERSION, LAYOUT_VERSION};
use pmu_model::{DutParameters, Implementation};

/// A design that is not one of the configured implementation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the design does not match implementation {implementation:?}: {name}: the implementation \
     has {expected}, the RTL states {found}; name the right implementation with --implementation, \
     or build the RTL with its parameters"
)]
pub struct ParameterMismatch {
    /// Name of the implementation.
    pub implementation: String,
    /// Parameter.
    pub name: String,
    /// Its value in the implementation.
    pub expected: String,
    /// Its value in the design.
    pub found: String,
}

/// Checks that a design states what `implementation` has.
///
/// # Errors
/// The first parameter that differs.
pub fn check_parameters(
    implementation: &Implementation,
    stated: &DutParameters,
) -> Result<(), ParameterMismatch> {
    let expected = DutParameters::of(implementation);
    let mismatch = |name: &str, expected: String, found: String| {
        let implementation = implementation.name.clone();
        Err(ParameterMismatch {
            implementation,
            name: name.into(),
            expected,
            found,
        })
    };
    if stated.magic != DutParameters::MAGIC {
        return mismatch(
            "parameters_o does not start with the contract's magic number",
            format!("{:#010x}", DutParameters::MAGIC),
            format!("{:#010x}", stated.magic),
        );
    }
    let numbers = [
        (
            "contract version",
            u32::from(CONTRACT_VERSION),
            u32::from(stated.contract_version),
        ),
        (
            "layout version",
            u32::from(LAYOUT_VERSION),
            u32::from(stated.layout_version),
        ),
        (
            "pmu.counters",
            expected.counters.into(),
            stated.counters.into(),
        ),
        (
            "pmu.counter_bits",
            expected.counter_bits.into(),
            stated.counter_bits.into(),
        ),
        (
            "pmu.event_count",
            expected.event_count.into(),
            stated.event_count.into(),
        ),
        (
            "pmu.event_width",
            expected.event_width.into(),
            stated.event_width.into(),
        ),
        (
            "pmu.thwidth",
            expected.thwidth.into(),
            stated.thwidth.into(),
        ),
        ("pmu.pmmir", expected.pmmir, stated.pmmir),
    ];
    for (name, expected, found) in numbers {
        if expected != found {
            return mismatch(name, expected.to_string(), found.to_string());
        }
    }
    let differing = expected.features ^ stated.features;
    if differing != 0 {
        let bit = differing.trailing_zeros();
        let name = DutParameters::FEATURES.get(bit as usize).map_or_else(
            || format!("feature bit {bit}"),
            |name| format!("feature {name}"),
        );
        let word = |features: u32| {
            if features >> bit & 1 == 1 {
                "on"
            } else {
                "off"
            }
        };
        return mismatch(
            &name,
            word(expected.features).into(),
            word(stated.features).into(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_told_by_name() {
        let implementation = Implementation::default();
        let right = DutParameters::of(&implementation);
        assert_eq!(check_parameters(&implementation, &right), Ok(()));
        let name = |change: fn(&mut DutParameters)| {
            let mut stated = right;
            change(&mut stated);
            check_parameters(&implementation, &stated).unwrap_err().name
        };
        assert_eq!(name(|p| p.counters = 6), "pmu.counters");
        assert_eq!(name(|p| p.thwidth = 4), "pmu.thwidth");
        assert_eq!(name(|p| p.features &= !4), "feature th2");
        assert_eq!(name(|p| p.features |= 1 << 20), "feature bit 20");
        assert_eq!(name(|p| p.layout_version = 9), "layout version");
        assert!(name(|p| p.magic = 0).starts_with("parameters_o"));
    }
}
