//! System register encodings of the Performance Monitors (`docs/dut-contract.md`, section 6).

pub mod fields;
mod table;

pub use table::{Area, SysReg};

/// The encoding op0\[15:14\] op1\[13:11\] CRn\[10:7\] CRm\[6:3\] op2\[2:0\].
pub const fn encode(op0: u16, op1: u16, crn: u16, crm: u16, op2: u16) -> u16 {
    op0 << 14 | op1 << 11 | crn << 7 | crm << 3 | op2
}

impl SysReg {
    /// Those of an area, in the order of the table.
    fn of(area: Area) -> impl Iterator<Item = Self> {
        let all = Self::ALL.iter().copied();
        all.filter(move |register| register.area() == area)
    }

    /// The registers of `counters` event counters, 31 at most, and of the cycle counter.
    pub fn of_counters(counters: u8) -> impl Iterator<Item = Self> {
        Self::of(Area::Counters).filter(move |register| match register {
            Self::Pmevcntr(n) | Self::Pmevtyper(n) => *n < counters,
            _ => true,
        })
    }

    /// Whether it is PMSELR_EL0, or what that selects.
    pub const fn is_indirect(self) -> bool {
        matches!(self, Self::Pmselr | Self::Pmxevtyper | Self::Pmxevcntr)
    }

    /// The registers of Statistical Profiling, if it is `implemented`, with or without FEAT_SPE_EXC.
    pub(crate) fn of_sampling(implemented: bool, exc: bool) -> impl Iterator<Item = Self> {
        Self::of(Area::Sampling).filter(move |register| match register {
            Self::Pmbsr(level) => implemented && (exc || *level == 1),
            _ => implemented,
        })
    }

    /// The registers of System PMUs, if there are any.
    pub(crate) fn of_system_pmus(any: bool) -> impl Iterator<Item = Self> {
        Self::of(Area::SystemPmus).filter(move |_| any)
    }

    /// Whether the register is of the System PMUs.
    pub const fn is_of_system_pmus(self) -> bool {
        matches!(self.area(), Area::SystemPmus)
    }

    /// The register at an encoding; `None` if there is none (DUT-30).
    pub const fn from_address(address: u16) -> Option<Self> {
        match place(address) {
            Some(place) => BY_PLACE[place],
            None => None,
        }
    }

    /// The register that an MRC or MCR of an encoding reaches (DUT-36); AArch32 has few of them.
    pub const fn from_address_32(address: u16) -> Option<Self> {
        const OP1: u16 = 7 << 11;
        const OP1_OF_EL0: u16 = 3 << 11;
        if address & OP1 != 0 {
            return None;
        }
        match Self::from_address(address | OP1_OF_EL0) {
            Some(
                register @ (Self::Pmselr | Self::Pmxevtyper | Self::Pmevtyper(_) | Self::Pmccfiltr),
            ) => Some(register),
            _ => None,
        }
    }

    /// The register, and whether it is its upper half, at an offset in the external Performance Monitors frame
    /// (ETY-01, DUT-37).
    pub const fn from_offset(offset: u16) -> Option<(Self, bool)> {
        let upper = offset >= UPPER_HALVES;
        let n = match offset {
            LOWER_HALVES..=0x47C => offset - LOWER_HALVES,
            UPPER_HALVES..=0xA7C => offset - UPPER_HALVES,
            _ => return None,
        };
        match (n % 4, n / 4) {
            (0, 31) => Some((Self::Pmccfiltr, upper)),
            (0, n) => match Self::pmevtyper(n as u8) {
                Some(register) => Some((register, upper)),
                None => None,
            },
            _ => None,
        }
    }
}

/// CRn of all registers.
const CRN: [u16; 2] = [9, 14];
/// Encodings with op0 = 2 or 3 and these CRn.
const PLACES: usize = 1 << 12;

/// A table of the encodings that registers can have: a search would take a branch after the other.
static BY_PLACE: [Option<SysReg>; PLACES] = {
    let mut table = [None; PLACES];
    let mut n = 0;
    while n < SysReg::ALL.len() {
        let register = SysReg::ALL[n];
        match place(register.address()) {
            Some(place) => table[place] = Some(register),
            None => panic!("an encoding with another CRn"),
        }
        n += 1;
    }
    table
};

/// The place of an encoding in [`BY_PLACE`]: op0\[0\], op1, which CRn, CRm, op2.
const fn place(address: u16) -> Option<usize> {
    let crn = address >> 7 & 15;
    if address >> 15 == 0 || (crn != CRN[0] && crn != CRN[1]) {
        return None;
    }
    let op0_op1 = address >> 11 & 15;
    Some((op0_op1 << 8 | (crn & 1) << 7 | address & 0x7F) as usize)
}

/// Offset of `PMEVTYPER<0>_EL0[31:0]` in the external Performance Monitors frame.
const LOWER_HALVES: u16 = 0x400;
/// Offset of `PMEVTYPER<0>_EL0[63:32]`.
const UPPER_HALVES: u16 = 0xA00;

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
    use crate::number::Number;

    #[test]
    fn every_register_has_its_own_encoding_and_no_other() {
        let all: Vec<_> = SysReg::of_counters(31)
            .chain(SysReg::of_sampling(true, true))
            .chain(SysReg::of_system_pmus(true))
            .collect();
        assert_eq!(all.len(), 11 + 62 + 6 + 13 + 64);
        for &register in &all {
            assert_eq!(SysReg::from_address(register.address()), Some(register));
            let op0 = register.address() >> 14;
            assert_eq!(register.is_of_system_pmus(), op0 == 2, "{register}");
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
            encoding_name(SysReg::Pmevtyper(Number::at::<13>()).address()),
            "S3_3_C14_C13_5"
        );
        assert_eq!(
            encoding_name(SysReg::Pmevcntr(Number::at::<30>()).address()),
            "S3_3_C14_C11_6"
        );
        assert_eq!(encoding_name(SysReg::Pmccfiltr.address()), "S3_3_C14_C15_7");
        assert_eq!(encoding_name(SysReg::Pmmir.address()), "S3_0_C9_C14_6");
        assert_eq!(encoding_name(SysReg::Pmsicr.address()), "S3_0_C9_C9_2");
        assert_eq!(
            encoding_name(SysReg::Pmbsr(Number::at::<3>()).address()),
            "S3_6_C9_C10_3"
        );
        // SPMU-16: CRm = 0b000:n[3], 0b001:n[3], 0b010:n[3], 0b011:n[3].
        assert_eq!(
            encoding_name(SysReg::Spmevfilt2r(Number::at::<9>()).address()),
            "S2_3_C14_C7_1"
        );
    }

    #[test]
    fn dut_36_aarch32_has_op1_0_and_few_registers() {
        let address = |n: u16| (SysReg::Pmevtyper(Number::at::<0>()).address() + n) & !(7 << 11);
        assert_eq!(
            SysReg::from_address_32(address(30)),
            Some(SysReg::Pmevtyper(Number::at::<30>()))
        );
        assert_eq!(
            SysReg::from_address_32(address(31)),
            Some(SysReg::Pmccfiltr)
        );
        let known = (0..=u16::MAX).filter(|&a| SysReg::from_address_32(a).is_some());
        assert_eq!(known.count(), 34);
    }

    #[test]
    fn dut_37_external_offsets() {
        let known: Vec<_> = (0..=u16::MAX).filter_map(SysReg::from_offset).collect();
        assert_eq!(known.len(), 64);
        assert_eq!(known[3], (SysReg::Pmevtyper(Number::at::<3>()), false));
        assert_eq!(SysReg::from_offset(0x47C), Some((SysReg::Pmccfiltr, false)));
        assert_eq!(
            SysReg::from_offset(0xA08),
            Some((SysReg::Pmevtyper(Number::at::<2>()), true))
        );
    }
}
