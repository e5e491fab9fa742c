//! System register encodings of the Performance Monitors (`docs/dut-contract.md`, section 6).

use std::fmt;

/// A register of the design, AArch64 view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SysReg {
    /// PMCR_EL0.
    Pmcr,
    /// PMCNTENSET_EL0.
    Pmcntenset,
    /// PMCNTENCLR_EL0.
    Pmcntenclr,
    /// PMOVSCLR_EL0.
    Pmovsclr,
    /// PMOVSSET_EL0.
    Pmovsset,
    /// PMSELR_EL0.
    Pmselr,
    /// PMCCNTR_EL0.
    Pmccntr,
    /// PMXEVTYPER_EL0.
    Pmxevtyper,
    /// PMXEVCNTR_EL0.
    Pmxevcntr,
    /// PMMIR_EL1.
    Pmmir,
    /// PMCCFILTR_EL0.
    Pmccfiltr,
    /// `PMEVCNTR<n>_EL0`, n = 0 to 30.
    Pmevcntr(u8),
    /// `PMEVTYPER<n>_EL0`, n = 0 to 30.
    Pmevtyper(u8),
}

const fn encode(op0: u16, op1: u16, crn: u16, crm: u16, op2: u16) -> u16 {
    op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
}

const PMCR: u16 = encode(3, 3, 9, 12, 0);
const PMCNTENSET: u16 = encode(3, 3, 9, 12, 1);
const PMCNTENCLR: u16 = encode(3, 3, 9, 12, 2);
const PMOVSCLR: u16 = encode(3, 3, 9, 12, 3);
const PMSELR: u16 = encode(3, 3, 9, 12, 5);
const PMCCNTR: u16 = encode(3, 3, 9, 13, 0);
const PMXEVTYPER: u16 = encode(3, 3, 9, 13, 1);
const PMXEVCNTR: u16 = encode(3, 3, 9, 13, 2);
const PMOVSSET: u16 = encode(3, 3, 9, 14, 3);
const PMMIR: u16 = encode(3, 0, 9, 14, 6);
/// Base of `PMEVCNTR<n>_EL0`: CRm = 0b10:n\[4:3\], op2 = n\[2:0\].
const PMEVCNTR: u16 = encode(3, 3, 14, 8, 0);
/// Base of `PMEVTYPER<n>_EL0`: CRm = 0b11:n\[4:3\], op2 = n\[2:0\]; n = 31 is PMCCFILTR_EL0 (ETY-01).
const PMEVTYPER: u16 = encode(3, 3, 14, 12, 0);

impl SysReg {
    /// Every register of a design with `counters` event counters.
    pub fn all(counters: u8) -> impl Iterator<Item = Self> {
        use SysReg::*;
        [
            Pmcr, Pmcntenset, Pmcntenclr, Pmovsclr, Pmovsset, Pmselr, Pmccntr, Pmxevtyper,
            Pmxevcntr, Pmmir, Pmccfiltr,
        ]
        .into_iter()
        .chain((0..counters).map(Pmevcntr))
        .chain((0..counters).map(Pmevtyper))
    }

    /// The encoding op0\[15:14\] op1\[13:11\] CRn\[10:7\] CRm\[6:3\] op2\[2:0\].
    pub const fn address(self) -> u16 {
        match self {
            Self::Pmcr => PMCR,
            Self::Pmcntenset => PMCNTENSET,
            Self::Pmcntenclr => PMCNTENCLR,
            Self::Pmovsclr => PMOVSCLR,
            Self::Pmovsset => PMOVSSET,
            Self::Pmselr => PMSELR,
            Self::Pmccntr => PMCCNTR,
            Self::Pmxevtyper => PMXEVTYPER,
            Self::Pmxevcntr => PMXEVCNTR,
            Self::Pmmir => PMMIR,
            Self::Pmccfiltr => PMEVTYPER | 31,
            Self::Pmevcntr(n) => PMEVCNTR | n as u16,
            Self::Pmevtyper(n) => PMEVTYPER | n as u16,
        }
    }

    /// The register at an encoding; `None` if there is none (DUT-30).
    pub const fn from_address(address: u16) -> Option<Self> {
        Some(match address {
            PMCR => Self::Pmcr,
            PMCNTENSET => Self::Pmcntenset,
            PMCNTENCLR => Self::Pmcntenclr,
            PMOVSCLR => Self::Pmovsclr,
            PMOVSSET => Self::Pmovsset,
            PMSELR => Self::Pmselr,
            PMCCNTR => Self::Pmccntr,
            PMXEVTYPER => Self::Pmxevtyper,
            PMXEVCNTR => Self::Pmxevcntr,
            PMMIR => Self::Pmmir,
            _ => match (address & !31, address & 31) {
                (PMEVTYPER, 31) => Self::Pmccfiltr,
                (PMEVTYPER, n) => Self::Pmevtyper(n as u8),
                (PMEVCNTR, n @ 0..=30) => Self::Pmevcntr(n as u8),
                _ => return None,
            },
        })
    }
}

impl fmt::Display for SysReg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Pmcr => "PMCR_EL0",
            Self::Pmcntenset => "PMCNTENSET_EL0",
            Self::Pmcntenclr => "PMCNTENCLR_EL0",
            Self::Pmovsclr => "PMOVSCLR_EL0",
            Self::Pmovsset => "PMOVSSET_EL0",
            Self::Pmselr => "PMSELR_EL0",
            Self::Pmccntr => "PMCCNTR_EL0",
            Self::Pmxevtyper => "PMXEVTYPER_EL0",
            Self::Pmxevcntr => "PMXEVCNTR_EL0",
            Self::Pmmir => "PMMIR_EL1",
            Self::Pmccfiltr => "PMCCFILTR_EL0",
            Self::Pmevcntr(n) => return write!(f, "PMEVCNTR{n}_EL0"),
            Self::Pmevtyper(n) => return write!(f, "PMEVTYPER{n}_EL0"),
        };
        f.write_str(name)
    }
}

/// An encoding in the assembler's generic notation, such as `S3_3_C9_C12_0`.
pub fn encoding_name(address: u16) -> String {
    format!(
        "S{}_{}_C{}_C{}_{}",
        address >> 14,
        address >> 11 & 7,
        address >> 7 & 15,
        address >> 3 & 15,
        address & 7
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_register_has_its_own_encoding_and_no_other() {
        let all: Vec<_> = SysReg::all(31).collect();
        assert_eq!(all.len(), 11 + 62);
        for &register in &all {
            assert_eq!(SysReg::from_address(register.address()), Some(register));
        }
        let known = (0..=u16::MAX)
            .filter(|&a| SysReg::from_address(a).is_some())
            .count();
        assert_eq!(known, all.len());
    }

    #[test]
    fn encodings_are_those_of_the_architecture() {
        // ETY-01: op0=3 op1=3 CRn=14 CRm=0b11:n[4:3] op2=n[2:0].
        assert_eq!(
            encoding_name(SysReg::Pmevtyper(13).address()),
            "S3_3_C14_C13_5"
        );
        assert_eq!(
            encoding_name(SysReg::Pmevcntr(30).address()),
            "S3_3_C14_C11_6"
        );
        assert_eq!(encoding_name(SysReg::Pmccfiltr.address()), "S3_3_C14_C15_7");
        assert_eq!(encoding_name(SysReg::Pmmir.address()), "S3_0_C9_C14_6");
    }
}
