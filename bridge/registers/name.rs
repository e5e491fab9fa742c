//! Registers by name and by encoding.

use std::fmt;

use pmu_model::SysReg;
use pmu_model::sysreg::encoding_name;

/// A register that can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the registers")]
pub enum Register {
    Pmevtyper(u8),
    Pmccfiltr,
    Pmcr,
    Pmcntenset,
    Pmcntenclr,
    Pmovsset,
    Pmovsclr,
    Pmselr,
    Pmmir,
    Pmsicr,
    Pmsirr,
    Pmsidr,
    /// PMBSR_EL1, PMBSR_EL2 or PMBSR_EL3.
    Pmbsr(u8),
    Spmcfgr,
    Spmcgcr(u8),
    Spmiidr,
    Spmdevarch,
    Spmdevaff,
    Spmselr,
}

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

impl Register {
    /// Every register.
    pub fn all() -> impl Iterator<Item = Self> {
        use Register::*;
        let others = [
            Pmccfiltr,
            Pmcr,
            Pmcntenset,
            Pmcntenclr,
            Pmovsset,
            Pmovsclr,
            Pmselr,
            Pmmir,
            Pmsicr,
            Pmsirr,
            Pmsidr,
            Pmbsr(1),
            Pmbsr(2),
            Pmbsr(3),
            Spmcfgr,
            Spmcgcr(0),
            Spmcgcr(1),
            Spmiidr,
            Spmdevarch,
            Spmdevaff,
            Spmselr,
        ];
        (0..31).map(Pmevtyper).chain(others)
    }

    /// The encoding op0\[15:14\] op1\[13:11\] CRn\[10:7\] CRm\[6:3\] op2\[2:0\], by section 6 of the contract.
    pub fn encoding(self) -> u16 {
        match self {
            // ETY-01: PMCCFILTR_EL0 has the encoding of number 31.
            Self::Pmevtyper(n) => SysReg::pmevtyper(n).unwrap_or(SysReg::Pmccfiltr).address(),
            Self::Pmccfiltr => SysReg::Pmccfiltr.address(),
            Self::Pmcr => SysReg::Pmcr.address(),
            Self::Pmcntenset => SysReg::Pmcntenset.address(),
            Self::Pmcntenclr => SysReg::Pmcntenclr.address(),
            Self::Pmovsset => SysReg::Pmovsset.address(),
            Self::Pmovsclr => SysReg::Pmovsclr.address(),
            Self::Pmselr => SysReg::Pmselr.address(),
            Self::Pmmir => SysReg::Pmmir.address(),
            Self::Pmsicr => encode(3, 0, 9, 9, 2),
            Self::Pmsirr => encode(3, 0, 9, 9, 3),
            Self::Pmsidr => encode(3, 0, 9, 9, 7),
            Self::Pmbsr(1) => encode(3, 0, 9, 10, 3),
            Self::Pmbsr(2) => encode(3, 4, 9, 10, 3),
            Self::Pmbsr(_) => encode(3, 6, 9, 10, 3),
            Self::Spmcgcr(n) => encode(2, 0, 9, 13, n.into()),
            Self::Spmiidr => encode(2, 0, 9, 13, 4),
            Self::Spmdevarch => encode(2, 0, 9, 13, 5),
            Self::Spmdevaff => encode(2, 0, 9, 13, 6),
            Self::Spmcfgr => encode(2, 0, 9, 13, 7),
            Self::Spmselr => encode(2, 3, 9, 12, 5),
        }
    }

    /// The register that `text` names: its name in any case, with or without `_ELx`, or its encoding.
    ///
    /// # Errors
    /// None has this name; the text says which are near.
    pub fn named(text: &str) -> Result<Self, NameError> {
        let upper = text.to_ascii_uppercase();
        if let Some(encoding) = encoding(&upper) {
            if let Some(register) = Self::all().find(|register| register.encoding() == encoding) {
                return Ok(register);
            }
            if let Some(register) = SysReg::from_address(encoding) {
                return Err(not_explained(text, &register.to_string()));
            }
        }
        let short = without_level(&upper);
        let exact = |register: &Self| {
            let name = register.to_string();
            // Only PMBSR exists at more than one level.
            name == upper
                || (short == upper && without_level(&name) == short && !is_pmbsr(register))
        };
        Self::all()
            .find(exact)
            .ok_or_else(|| not_explained(text, &upper))
    }
}

fn is_pmbsr(register: &Register) -> bool {
    matches!(register, Register::Pmbsr(_))
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
    let mut near: Vec<_> = Register::all()
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

const fn encode(op0: u16, op1: u16, crn: u16, crm: u16, op2: u16) -> u16 {
    op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
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

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Pmevtyper(n) => return write!(f, "PMEVTYPER{n}_EL0"),
            Self::Pmccfiltr => "PMCCFILTR_EL0",
            Self::Pmcr => "PMCR_EL0",
            Self::Pmcntenset => "PMCNTENSET_EL0",
            Self::Pmcntenclr => "PMCNTENCLR_EL0",
            Self::Pmovsset => "PMOVSSET_EL0",
            Self::Pmovsclr => "PMOVSCLR_EL0",
            Self::Pmselr => "PMSELR_EL0",
            Self::Pmmir => "PMMIR_EL1",
            Self::Pmsicr => "PMSICR_EL1",
            Self::Pmsirr => "PMSIRR_EL1",
            Self::Pmsidr => "PMSIDR_EL1",
            Self::Pmbsr(level) => return write!(f, "PMBSR_EL{level}"),
            Self::Spmcfgr => "SPMCFGR_EL1",
            Self::Spmcgcr(n) => return write!(f, "SPMCGCR{n}_EL1"),
            Self::Spmiidr => "SPMIIDR_EL1",
            Self::Spmdevarch => "SPMDEVARCH_EL1",
            Self::Spmdevaff => "SPMDEVAFF_EL1",
            Self::Spmselr => "SPMSELR_EL0",
        };
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_a_name_and_an_encoding_of_its_own() {
        for register in Register::all() {
            let name = register.to_string();
            assert_eq!(Register::named(&name), Ok(register));
            assert_eq!(Register::named(&name.to_lowercase()), Ok(register));
            let encoding = encoding_name(register.encoding());
            assert_eq!(Register::named(&encoding), Ok(register), "{encoding}");
            if !is_pmbsr(&register) {
                assert_eq!(Register::named(without_level(&name)), Ok(register));
            }
        }
    }

    #[test]
    fn ety_01_encodings() {
        assert_eq!(
            Register::named("S3_3_C14_C12_0"),
            Ok(Register::Pmevtyper(0))
        );
        assert_eq!(
            Register::named("s3_3_c14_c15_6"),
            Ok(Register::Pmevtyper(30))
        );
        assert_eq!(Register::named("S3_3_C14_C15_7"), Ok(Register::Pmccfiltr));
        assert_eq!(Register::named("S2_0_C9_C13_7"), Ok(Register::Spmcfgr));
    }

    #[test]
    fn encodings_are_those_of_the_model() {
        for register in Register::all() {
            let sysreg = SysReg::from_address(register.encoding()).map(|sysreg| sysreg.to_string());
            assert_eq!(sysreg, Some(register.to_string()));
        }
    }

    fn error(text: &str) -> String {
        Register::named(text).expect_err(text).to_string()
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
