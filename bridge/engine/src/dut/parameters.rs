//! The parameters that a design states, against the configured implementation.

use pmu_model::features::FEATURES;
use pmu_model::wrapper::{Increments, PARTS, Wrapper};
use pmu_model::{DutParameters, Implementation};

use super::stated::{check_contract, contract_words, is_of_contract};

/// A design that is not one of the configured implementation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", words(self))]
pub struct ParameterMismatch {
    /// Name of the implementation.
    pub implementation: String,
    /// Parameter.
    pub name: String,
    /// Its value in the implementation.
    pub expected: String,
    /// Its value in the design.
    pub found: String,
    /// Which design, where there are several.
    pub design: Option<String>,
}

fn words(mismatch: &ParameterMismatch) -> String {
    let ParameterMismatch {
        implementation,
        name,
        expected,
        found,
        design,
    } = mismatch;
    if is_of_contract(name) {
        let design = design.as_ref().map(|design| format!("{design}: "));
        return design.unwrap_or_default() + &contract_words(name, expected, found);
    }
    format!(
        "{} does not match implementation {implementation:?}: {name}: the implementation has {expected}, {} states \
         {found}; name the right implementation with --implementation (`lockstep implementation` writes that of a \
         design), or build the RTL with its parameters (--param; `lockstep build --implementation`; param in a suite)",
        design.as_deref().unwrap_or("the design"),
        design.as_deref().unwrap_or("the RTL")
    )
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
            design: None,
        })
    };
    if let Err(contract) = check_contract(stated) {
        return mismatch(contract.name, contract.expected, contract.found);
    }
    let number = |name: &str, expected: u32, found: u32| {
        if expected == found {
            Ok(())
        } else {
            mismatch(name, expected.to_string(), found.to_string())
        }
    };
    let register = |name: &str, expected: u32, found: u32| {
        if expected == found {
            Ok(())
        } else {
            mismatch(name, format!("{expected:#010x}"), format!("{found:#010x}"))
        }
    };
    for (name, of) in BYTES {
        number(name, of(&expected).into(), of(stated).into())?;
    }
    register("pmu.pmmir", expected.pmmir, stated.pmmir)?;
    let differing = expected.features ^ stated.features;
    if differing != 0 {
        let bit = differing.trailing_zeros();
        let name = FEATURES.get(bit as usize).map_or_else(
            || format!("feature bit {bit}"),
            |feature| format!("feature {}", feature.name()),
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
    register("spe.pmsidr", expected.pmsidr, stated.pmsidr)?;
    let pmus = expected.spmcfgr.iter().zip(&stated.spmcfgr);
    for (s, (&expected, &found)) in pmus.enumerate() {
        register(&format!("system_pmu {s}: SPMCFGR_EL1"), expected, found)?;
    }
    check_wrapper(&implementation.wrapper, stated)
        .or_else(|(name, expected, found)| mismatch(&name, expected, found))?;
    let spe = stated.latency_spe;
    let most = stated.latency_increment.min(stated.latency_access);
    if implementation.spe.implemented && spe > most {
        return mismatch(
            "latency_spe (DUT-61: the bytes that are drawn decide about increments and accesses of the same cycle)",
            format!("at most {most}, the lower one of latency_increment and latency_access"),
            spe.to_string(),
        );
    }
    Ok(())
}

/// A key of the implementation, its value, and what the design states instead.
type Differing = (String, String, String);

/// DUT-70 to DUT-72: what the wrapper takes and shows.
fn check_wrapper(wrapper: &Wrapper, stated: &DutParameters) -> Result<(), Differing> {
    let interval = stated.access_interval.max(1);
    if wrapper.access_interval != interval {
        let expected = wrapper.access_interval.to_string();
        return Err((
            "wrapper.access_interval".into(),
            expected,
            interval.to_string(),
        ));
    }
    if wrapper.increments.code() != stated.increment_form {
        let found = Increments::from_code(stated.increment_form).map_or_else(
            || format!("{}, which is none of 0, 1, 2", stated.increment_form),
            |form| form.word().into(),
        );
        return Err((
            "wrapper.increments".into(),
            wrapper.increments.word().into(),
            found,
        ));
    }
    let differing = wrapper.lacks() ^ stated.lacks;
    if differing == 0 {
        return Ok(());
    }
    let bit = differing.trailing_zeros();
    let name = PARTS.get(bit as usize).map_or_else(
        || format!("bit {bit} of lacks, which the contract does not have"),
        |(key, _)| format!("wrapper.{key}"),
    );
    let word = |lacks: u16| (lacks >> bit & 1 == 0).to_string();
    Err((name, word(wrapper.lacks()), word(stated.lacks)))
}

/// A field of one byte: its name and how to get it.
type Byte = (&'static str, fn(&DutParameters) -> u8);

/// The fields of one byte, under the names of the implementation file.
const BYTES: [Byte; 8] = [
    ("pmu.counters", |p| p.counters),
    ("pmu.counter_bits", |p| p.counter_bits),
    ("pmu.event_count", |p| p.event_count),
    ("pmu.event_width", |p| p.event_width),
    ("pmu.thwidth", |p| p.thwidth),
    ("threads.count", |p| p.threads),
    ("spe.max_inflight", |p| p.max_inflight),
    ("number of system_pmu", |p| p.system_pmus),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_told_by_name() {
        let implementation = Implementation::default();
        let right = DutParameters::of(&implementation);
        assert_eq!(check_parameters(&implementation, &right), Ok(()));
        // DUT-70: 0 is 1.
        let one = DutParameters {
            access_interval: 1,
            ..right
        };
        assert_eq!(check_parameters(&implementation, &one), Ok(()));
        let name = |change: fn(&mut DutParameters)| {
            let mut stated = right;
            change(&mut stated);
            check_parameters(&implementation, &stated).unwrap_err().name
        };
        assert_eq!(name(|p| p.counters = 6), "pmu.counters");
        assert_eq!(name(|p| p.thwidth = 4), "pmu.thwidth");
        assert_eq!(name(|p| p.features &= !4), "feature th2");
        assert_eq!(name(|p| p.features &= !(1 << 23)), "feature spe_exc");
        assert_eq!(name(|p| p.features |= 1 << 24), "feature bit 24");
        assert_eq!(name(|p| p.threads = 1), "threads.count");
        assert_eq!(name(|p| p.max_inflight = 9), "spe.max_inflight");
        assert_eq!(name(|p| p.system_pmus = 0), "number of system_pmu");
        assert_eq!(name(|p| p.pmsidr = 0), "spe.pmsidr");
        assert_eq!(
            name(|p| p.spmcfgr[1] ^= 1 << 19),
            "system_pmu 1: SPMCFGR_EL1"
        );
        assert_eq!(name(|p| p.access_interval = 2), "wrapper.access_interval");
        assert_eq!(name(|p| p.increment_form = 1), "wrapper.increments");
        assert_eq!(name(|p| p.increment_form = 9), "wrapper.increments");
        assert_eq!(name(|p| p.lacks = 4), "wrapper.aarch32");
        assert!(name(|p| p.lacks = 64).starts_with("bit 6 of lacks"));
        // DUT-61
        assert!(name(|p| p.latency_spe = 1).starts_with("latency_spe"));
        let late = DutParameters {
            latency_increment: 3,
            latency_access: 5,
            latency_spe: 3,
            ..right
        };
        assert_eq!(check_parameters(&implementation, &late), Ok(()));
        assert_eq!(name(|p| p.layout_version = 9), "layout version");
        assert_eq!(
            name(|p| p.magic = 0),
            "the magic number that parameters_o starts with"
        );
        let error = check_parameters(&implementation, &DutParameters { magic: 0, ..right });
        let error = error.unwrap_err().to_string();
        assert!(
            error.starts_with("the wrapper does not drive parameters_o: ")
                && !error.contains("--implementation"),
            "{error}"
        );
    }

    #[test]
    fn without_spe_its_group_may_be_late() {
        let mut implementation = Implementation::default();
        implementation.spe.implemented = false;
        implementation.spe.ernd = false;
        implementation.spe.exc = false;
        let stated = DutParameters {
            latency_spe: 3,
            ..DutParameters::of(&implementation)
        };
        assert_eq!(check_parameters(&implementation, &stated), Ok(()));
    }
}
