//! Registers by name and by encoding.

use pmu_model::SysReg;
use pmu_model::sysreg::{encode, encoding_name};

/// A text that names no register that can be explained.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// PMEVTYPER without a number.
    #[error(
        "{0}: of which counter? Name PMEVTYPER<n>_EL0 with n = 0 to 30; an odd counter has other fields than an even one"
    )]
    NoCounter(String),
    /// PMEVTYPER with a number that no counter has.
    #[error("{0}: expected n = 0 to 30; the filter of the cycle counter is PMCCFILTR_EL0")]
    NoSuchCounter(String),
    /// PMBSR without its level.
    #[error("{0}: expected PMBSR_EL1, PMBSR_EL2 or PMBSR_EL3")]
    NoLevel(String),
    /// PMXEVTYPER_EL0.
    #[error("{0}: another name of PMEVTYPER<SEL>_EL0, by PMSELR_EL0.SEL; name that register")]
    Alias(String),
    /// A counter's value.
    #[error("{0}: a number without fields; there is nothing to explain")]
    Value(String),
    /// None of these.
    #[error("{text}: no register that can be explained; {}", suggestion(.near))]
    Unknown {
        /// What was given.
        text: String,
        /// Names that are similar.
        near: Vec<String>,
    },
}

fn suggestion(names: &[String]) -> String {
    if names.is_empty() {
        let all = "PMEVTYPER<n>, PMCCFILTR, PMCR, PMCNTENSET, PMCNTENCLR, PMOVSSET, PMOVSCLR, PMSELR, PMMIR, \
            PMSICR, PMSIRR, PMSIDR, PMBSR_EL<x>, SPMCFGR, SPMCGCR<n>, SPMIIDR, SPMDEVARCH, SPMDEVAFF, SPMSELR";
        format!("expected one of {all}, or an encoding such as S3_3_C14_C12_0")
    } else {
        format!("did you mean {}?", names.join(" or "))
    }
}

/// Names that are offered.
const OFFERED: usize = 4;
/// Letters that they may differ in, at most.
const FAR: usize = 3;

/// Every register that can be explained: not numbers, other names of one, and masks of System PMUs.
pub fn explained() -> impl Iterator<Item = SysReg> {
    use SysReg::*;
    let all = SysReg::ALL.iter().copied();
    all.filter(|register| {
        !matches!(
            register,
            Pmccntr
                | Pmevcntr(_)
                | Pmxevcntr
                | Pmxevtyper
                | Spmcntenset
                | Spmcntenclr
                | Spmovsclr
                | Spmovsset
                | Spmintenset
                | Spmintenclr
                | Spmevcntr(_)
                | Spmevtyper(_)
                | Spmevfiltr(_)
                | Spmevfilt2r(_)
        )
    })
}

/// The register that `text` names: its name in any case, with or without `_ELx`, or its encoding.
///
/// # Errors
/// None has this name; the text says which are near.
pub fn named(text: &str) -> Result<SysReg, NameError> {
    let upper = text.to_ascii_uppercase();
    if let Some(encoding) = encoding(&upper) {
        if let Some(register) = explained().find(|register| register.address() == encoding) {
            return Ok(register);
        }
        if let Some(register) = SysReg::from_address(encoding) {
            return Err(not_explained(text, &register.to_string()));
        }
    }
    let short = without_level(&upper);
    let exact = |register: &SysReg| {
        let name = register.to_string();
        // Only PMBSR exists at more than one level.
        name == upper || (short == upper && without_level(&name) == short && !is_pmbsr(register))
    };
    explained()
        .find(exact)
        .ok_or_else(|| not_explained(text, &upper))
}

fn is_pmbsr(register: &SysReg) -> bool {
    matches!(register, SysReg::Pmbsr(_))
}

/// Why the register of this name is not explained.
fn not_explained(text: &str, name: &str) -> NameError {
    let short = without_level(name);
    let numbered = |stem: &str| short.strip_prefix(stem).map(|n| n.parse::<u8>());
    match short {
        "PMEVTYPER" | "PMEVTYPER<N>" | "PMEVTYPERN" => return NameError::NoCounter(text.into()),
        "PMBSR" => return NameError::NoLevel(text.into()),
        "PMXEVTYPER" => return NameError::Alias(text.into()),
        "PMCCNTR" | "PMXEVCNTR" => return NameError::Value(text.into()),
        _ => {}
    }
    if matches!(numbered("PMEVTYPER"), Some(Ok(31..))) {
        return NameError::NoSuchCounter(text.into());
    }
    if matches!(numbered("PMEVCNTR"), Some(Ok(0..31))) {
        return NameError::Value(text.into());
    }
    let mut near: Vec<_> = explained()
        .map(|register| register.to_string())
        .map(|name| {
            let distance = strsim::damerau_levenshtein(without_level(&name), short);
            (distance, name)
        })
        .filter(|&(distance, _)| distance <= FAR.min(short.len() / 2))
        .collect();
    // Among names as near, those that begin alike.
    near.sort_by(|(near, a), (far, b)| {
        let alike = |name: &str| strsim::jaro_winkler(without_level(name), short);
        near.cmp(far).then(alike(b).total_cmp(&alike(a)))
    });
    let best = near.first().map_or(0, |&(distance, _)| distance);
    let names = near
        .into_iter()
        .filter(|&(distance, _)| distance <= best + 1);
    NameError::Unknown {
        text: text.into(),
        near: names.map(|(_, name)| name).take(OFFERED).collect(),
    }
}

fn without_level(name: &str) -> &str {
    match name.rsplit_once("_EL") {
        Some((short, "0" | "1" | "2" | "3" | "X")) => short,
        _ => name,
    }
}

/// The encoding that a text such as `S3_3_C14_C12_0` means.
fn encoding(text: &str) -> Option<u16> {
    let mut parts = text.strip_prefix('S')?.split('_');
    let mut part = |prefix: &str, limit: u16| {
        let number: u16 = parts.next()?.strip_prefix(prefix)?.parse().ok()?;
        (number < limit).then_some(number)
    };
    let encoding = encode(
        part("", 4)?,
        part("", 8)?,
        part("C", 16)?,
        part("C", 16)?,
        part("", 8)?,
    );
    // Whatever follows makes it another text.
    (encoding_name(encoding) == text).then_some(encoding)
}

#[cfg(test)]
mod tests {
    use pmu_model::Number;

    use super::*;

    #[test]
    fn every_register_has_a_name_and_an_encoding_of_its_own() {
        for register in explained() {
            let name = register.to_string();
            assert_eq!(named(&name), Ok(register));
            assert_eq!(named(&name.to_lowercase()), Ok(register));
            let encoding = encoding_name(register.address());
            assert_eq!(named(&encoding), Ok(register), "{encoding}");
            if !is_pmbsr(&register) {
                assert_eq!(named(without_level(&name)), Ok(register));
            }
        }
    }

    #[test]
    fn ety_01_encodings() {
        assert_eq!(
            named("S3_3_C14_C12_0"),
            Ok(SysReg::Pmevtyper(Number::at::<0>()))
        );
        assert_eq!(
            named("s3_3_c14_c15_6"),
            Ok(SysReg::Pmevtyper(Number::at::<30>()))
        );
        assert_eq!(named("S3_3_C14_C15_7"), Ok(SysReg::Pmccfiltr));
        assert_eq!(named("S2_0_C9_C13_7"), Ok(SysReg::Spmcfgr));
    }

    fn error(text: &str) -> String {
        named(text).expect_err(text).to_string()
    }

    #[test]
    fn other_texts_are_told_what_is_near() {
        assert!(error("PMEVTYPER").contains("of which counter?"));
        assert!(error("pmevtyper31_el0").contains("PMCCFILTR_EL0"));
        assert!(error("PMBSR").contains("PMBSR_EL2"));
        assert!(error("PMXEVTYPER_EL0").contains("PMEVTYPER<SEL>_EL0"));
        assert!(error("PMEVCNTR3").contains("number without fields"));
        assert!(
            error("S3_3_C9_C13_0").contains("number without fields"),
            "PMCCNTR_EL0"
        );
        assert_eq!(
            error("PMSIR"),
            "PMSIR: no register that can be explained; did you mean PMSICR_EL1 or PMSIRR_EL1 or PMSIDR_EL1 or PMMIR_EL1?"
        );
        assert!(error("PMVETYPER3").contains("did you mean PMEVTYPER3_EL0"));
        assert!(error("MDCR_EL3").contains("did you mean PMCR_EL0"));
        assert!(error("VBAR_EL1").contains("expected one of PMEVTYPER<n>"));
        assert!(error("TTBR0_EL1_whatever").contains("expected one of PMEVTYPER<n>"));
        assert!(error("S3_3_C14_C12_0_0").contains("expected one of"));
        assert!(error("PMCR_EL1").contains("did you mean PMCR_EL0?"));
    }
}
