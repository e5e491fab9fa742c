//! System register encodings of the Performance Monitors (`docs/dut-contract.md`, section 6).

use std::fmt;

use crate::number::Number;

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
    Pmevcntr(Number<0, 30>),
    /// `PMEVTYPER<n>_EL0`, n = 0 to 30.
    Pmevtyper(Number<0, 30>),
    /// PMSICR_EL1.
    Pmsicr,
    /// PMSIRR_EL1.
    Pmsirr,
    /// PMSIDR_EL1.
    Pmsidr,
    /// `PMBSR_EL<x>`, x = 1 to 3.
    Pmbsr(Number<1, 3>),
    /// SPMSELR_EL0.
    Spmselr,
    /// SPMIIDR_EL1.
    Spmiidr,
    /// SPMDEVARCH_EL1.
    Spmdevarch,
    /// SPMDEVAFF_EL1.
    Spmdevaff,
    /// SPMCFGR_EL1.
    Spmcfgr,
    /// `SPMCGCR<n>_EL1`, n = 0 and 1.
    Spmcgcr(Number<0, 1>),
    /// SPMCNTENSET_EL0.
    Spmcntenset,
    /// SPMCNTENCLR_EL0.
    Spmcntenclr,
    /// SPMOVSCLR_EL0.
    Spmovsclr,
    /// SPMOVSSET_EL0.
    Spmovsset,
    /// SPMINTENSET_EL1.
    Spmintenset,
    /// SPMINTENCLR_EL1.
    Spmintenclr,
    /// `SPMEVCNTR<n>_EL0`, n = 0 to 15.
    Spmevcntr(Number<0, 15>),
    /// `SPMEVTYPER<n>_EL0`, n = 0 to 15.
    Spmevtyper(Number<0, 15>),
    /// `SPMEVFILTR<n>_EL0`, n = 0 to 15.
    Spmevfiltr(Number<0, 15>),
    /// `SPMEVFILT2R<n>_EL0`, n = 0 to 15.
    Spmevfilt2r(Number<0, 15>),
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
const PMSICR: u16 = encode(3, 0, 9, 9, 2);
const PMSIRR: u16 = encode(3, 0, 9, 9, 3);
const PMSIDR: u16 = encode(3, 0, 9, 9, 7);
const PMBSR: [u16; 3] = [
    encode(3, 0, 9, 10, 3),
    encode(3, 4, 9, 10, 3),
    encode(3, 6, 9, 10, 3),
];
const PMBSR_EL1: u16 = PMBSR[0];
const PMBSR_EL2: u16 = PMBSR[1];
const PMBSR_EL3: u16 = PMBSR[2];
const SPMSELR: u16 = encode(2, 3, 9, 12, 5);
const SPMIIDR: u16 = encode(2, 0, 9, 13, 4);
const SPMDEVARCH: u16 = encode(2, 0, 9, 13, 5);
const SPMDEVAFF: u16 = encode(2, 0, 9, 13, 6);
const SPMCFGR: u16 = encode(2, 0, 9, 13, 7);
const SPMCGCR0: u16 = encode(2, 0, 9, 13, 0);
const SPMCGCR1: u16 = encode(2, 0, 9, 13, 1);
const SPMCNTENSET: u16 = encode(2, 3, 9, 12, 1);
const SPMCNTENCLR: u16 = encode(2, 3, 9, 12, 2);
const SPMOVSCLR: u16 = encode(2, 3, 9, 12, 3);
const SPMOVSSET: u16 = encode(2, 3, 9, 14, 3);
const SPMINTENSET: u16 = encode(2, 0, 9, 14, 1);
const SPMINTENCLR: u16 = encode(2, 0, 9, 14, 2);
/// Bases of the four registers of a counter of a System PMU: CRm = base + n\[3\], op2 = n\[2:0\] (SPMU-16).
const SPMEVCNTR: u16 = encode(2, 3, 14, 0, 0);
const SPMEVTYPER: u16 = encode(2, 3, 14, 2, 0);
const SPMEVFILTR: u16 = encode(2, 3, 14, 4, 0);
const SPMEVFILT2R: u16 = encode(2, 3, 14, 6, 0);

macro_rules! constructors {
    ($($name:ident $variant:ident)+) => {
        impl SysReg {
            $(#[doc = concat!("[`SysReg::", stringify!($variant), "`] of number `n`, if there is one.")]
            pub const fn $name(n: u8) -> Option<Self> {
                match Number::new(n) {
                    Some(n) => Some(Self::$variant(n)),
                    None => None,
                }
            })+
        }
    };
}

constructors! {
    pmevcntr Pmevcntr
    pmevtyper Pmevtyper
    pmbsr Pmbsr
    spmcgcr Spmcgcr
    spmevcntr Spmevcntr
    spmevtyper Spmevtyper
    spmevfiltr Spmevfiltr
    spmevfilt2r Spmevfilt2r
}

impl SysReg {
    /// The registers of `counters` event counters, 31 at most, and of the cycle counter.
    pub fn of_counters(counters: u8) -> impl Iterator<Item = Self> {
        use SysReg::*;
        [
            Pmcr, Pmcntenset, Pmcntenclr, Pmovsclr, Pmovsset, Pmselr, Pmccntr, Pmxevtyper,
            Pmxevcntr, Pmmir, Pmccfiltr,
        ]
        .into_iter()
        .chain((0..counters).map_while(Self::pmevcntr))
        .chain((0..counters).map_while(Self::pmevtyper))
    }

    /// Whether it is PMSELR_EL0, or what that selects.
    pub const fn is_indirect(self) -> bool {
        matches!(self, Self::Pmselr | Self::Pmxevtyper | Self::Pmxevcntr)
    }

    /// The registers of Statistical Profiling, if it is `implemented`, with or without FEAT_SPE_EXC.
    pub(crate) fn of_sampling(implemented: bool, exc: bool) -> impl Iterator<Item = Self> {
        use SysReg::*;
        let registers = [Pmsicr, Pmsirr, Pmsidr]
            .into_iter()
            .chain(Number::all().map(Pmbsr));
        let count = match (implemented, exc) {
            (false, _) => 0,
            (true, false) => 4,
            (true, true) => 6,
        };
        registers.take(count)
    }

    /// The registers of System PMUs, if there are any.
    pub(crate) fn of_system_pmus(any: bool) -> impl Iterator<Item = Self> {
        use SysReg::*;
        let common = [
            Spmselr,
            Spmiidr,
            Spmdevarch,
            Spmdevaff,
            Spmcfgr,
            Spmcgcr(Number::at::<0>()),
            Spmcgcr(Number::at::<1>()),
            Spmcntenset,
            Spmcntenclr,
            Spmovsclr,
            Spmovsset,
            Spmintenset,
            Spmintenclr,
        ];
        let counters = [Spmevcntr, Spmevtyper, Spmevfiltr, Spmevfilt2r]
            .into_iter()
            .flat_map(|register| Number::all().map(register));
        common.into_iter().chain(counters).filter(move |_| any)
    }

    /// Whether the register is of the System PMUs.
    pub const fn is_of_system_pmus(self) -> bool {
        use SysReg::*;
        matches!(
            self,
            Spmselr
                | Spmiidr
                | Spmdevarch
                | Spmdevaff
                | Spmcfgr
                | Spmcgcr(_)
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
            Self::Pmevcntr(n) => PMEVCNTR | n.get() as u16,
            Self::Pmevtyper(n) => PMEVTYPER | n.get() as u16,
            Self::Pmsicr => PMSICR,
            Self::Pmsirr => PMSIRR,
            Self::Pmsidr => PMSIDR,
            Self::Pmbsr(x) => PMBSR[x.get() as usize - 1],
            Self::Spmselr => SPMSELR,
            Self::Spmiidr => SPMIIDR,
            Self::Spmdevarch => SPMDEVARCH,
            Self::Spmdevaff => SPMDEVAFF,
            Self::Spmcfgr => SPMCFGR,
            Self::Spmcgcr(n) => SPMCGCR0 + n.get() as u16,
            Self::Spmcntenset => SPMCNTENSET,
            Self::Spmcntenclr => SPMCNTENCLR,
            Self::Spmovsclr => SPMOVSCLR,
            Self::Spmovsset => SPMOVSSET,
            Self::Spmintenset => SPMINTENSET,
            Self::Spmintenclr => SPMINTENCLR,
            Self::Spmevcntr(n) => SPMEVCNTR | n.get() as u16,
            Self::Spmevtyper(n) => SPMEVTYPER | n.get() as u16,
            Self::Spmevfiltr(n) => SPMEVFILTR | n.get() as u16,
            Self::Spmevfilt2r(n) => SPMEVFILT2R | n.get() as u16,
        }
    }

    /// The register at an encoding; `None` if there is none (DUT-30).
    pub const fn from_address(address: u16) -> Option<Self> {
        match place(address) {
            Some(place) => BY_PLACE[place],
            None => None,
        }
    }

    /// The same by comparison with every encoding.
    const fn search(address: u16) -> Option<Self> {
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
            PMSICR => Self::Pmsicr,
            PMSIRR => Self::Pmsirr,
            PMSIDR => Self::Pmsidr,
            PMBSR_EL1 => Self::Pmbsr(Number::at::<1>()),
            PMBSR_EL2 => Self::Pmbsr(Number::at::<2>()),
            PMBSR_EL3 => Self::Pmbsr(Number::at::<3>()),
            SPMSELR => Self::Spmselr,
            SPMIIDR => Self::Spmiidr,
            SPMDEVARCH => Self::Spmdevarch,
            SPMDEVAFF => Self::Spmdevaff,
            SPMCFGR => Self::Spmcfgr,
            SPMCGCR0 => Self::Spmcgcr(Number::at::<0>()),
            SPMCGCR1 => Self::Spmcgcr(Number::at::<1>()),
            SPMCNTENSET => Self::Spmcntenset,
            SPMCNTENCLR => Self::Spmcntenclr,
            SPMOVSCLR => Self::Spmovsclr,
            SPMOVSSET => Self::Spmovsset,
            SPMINTENSET => Self::Spmintenset,
            SPMINTENCLR => Self::Spmintenclr,
            _ => match (address & !31, address & 31) {
                (PMEVTYPER, 31) => Self::Pmccfiltr,
                (PMEVTYPER, n) => return Self::pmevtyper(n as u8),
                (PMEVCNTR, n) => return Self::pmevcntr(n as u8),
                _ => return Self::of_system_counter(address),
            },
        })
    }

    /// SPMU-16: the register of a counter of a System PMU at an encoding.
    const fn of_system_counter(address: u16) -> Option<Self> {
        let n = Number::of_bits::<15>(address);
        Some(match address & !15 {
            SPMEVCNTR => Self::Spmevcntr(n),
            SPMEVTYPER => Self::Spmevtyper(n),
            SPMEVFILTR => Self::Spmevfiltr(n),
            SPMEVFILT2R => Self::Spmevfilt2r(n),
            _ => return None,
        })
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
    let mut address = encode(2, 0, 0, 0, 0);
    loop {
        if let Some(place) = place(address) {
            table[place] = SysReg::search(address);
        }
        if address == u16::MAX {
            break;
        }
        address += 1;
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
            Self::Pmsicr => "PMSICR_EL1",
            Self::Pmsirr => "PMSIRR_EL1",
            Self::Pmsidr => "PMSIDR_EL1",
            Self::Pmbsr(x) => return write!(f, "PMBSR_EL{x}"),
            Self::Spmselr => "SPMSELR_EL0",
            Self::Spmiidr => "SPMIIDR_EL1",
            Self::Spmdevarch => "SPMDEVARCH_EL1",
            Self::Spmdevaff => "SPMDEVAFF_EL1",
            Self::Spmcfgr => "SPMCFGR_EL1",
            Self::Spmcgcr(n) => return write!(f, "SPMCGCR{n}_EL1"),
            Self::Spmcntenset => "SPMCNTENSET_EL0",
            Self::Spmcntenclr => "SPMCNTENCLR_EL0",
            Self::Spmovsclr => "SPMOVSCLR_EL0",
            Self::Spmovsset => "SPMOVSSET_EL0",
            Self::Spmintenset => "SPMINTENSET_EL1",
            Self::Spmintenclr => "SPMINTENCLR_EL1",
            Self::Spmevcntr(n) => return write!(f, "SPMEVCNTR{n}_EL0"),
            Self::Spmevtyper(n) => return write!(f, "SPMEVTYPER{n}_EL0"),
            Self::Spmevfiltr(n) => return write!(f, "SPMEVFILTR{n}_EL0"),
            Self::Spmevfilt2r(n) => return write!(f, "SPMEVFILT2R{n}_EL0"),
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
        for address in 0..=u16::MAX {
            assert_eq!(SysReg::from_address(address), SysReg::search(address));
        }
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
