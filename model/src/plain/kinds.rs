//! The kinds of registers, and those that a design often treats alike.

use crate::number::Number;
use crate::sysreg::SysReg;

/// The kinds of registers, which are the instances of sites: those with numbers are one.
pub(super) const KINDS: [(&str, SysReg); 34] = [
    ("PMCR_EL0", SysReg::Pmcr),
    ("PMCNTENSET_EL0", SysReg::Pmcntenset),
    ("PMCNTENCLR_EL0", SysReg::Pmcntenclr),
    ("PMOVSCLR_EL0", SysReg::Pmovsclr),
    ("PMOVSSET_EL0", SysReg::Pmovsset),
    ("PMSELR_EL0", SysReg::Pmselr),
    ("PMCCNTR_EL0", SysReg::Pmccntr),
    ("PMMIR_EL1", SysReg::Pmmir),
    ("PMEVCNTR<n>_EL0", SysReg::Pmevcntr(Number::at::<0>())),
    ("PMEVTYPER<n>_EL0", SysReg::Pmevtyper(Number::at::<0>())),
    ("PMCCFILTR_EL0", SysReg::Pmccfiltr),
    ("PMSICR_EL1", SysReg::Pmsicr),
    ("PMSIRR_EL1", SysReg::Pmsirr),
    ("PMSIDR_EL1", SysReg::Pmsidr),
    ("PMBSR_EL1", SysReg::Pmbsr(Number::at::<1>())),
    ("PMBSR_EL2", SysReg::Pmbsr(Number::at::<2>())),
    ("PMBSR_EL3", SysReg::Pmbsr(Number::at::<3>())),
    ("SPMSELR_EL0", SysReg::Spmselr),
    ("SPMIIDR_EL1", SysReg::Spmiidr),
    ("SPMDEVARCH_EL1", SysReg::Spmdevarch),
    ("SPMDEVAFF_EL1", SysReg::Spmdevaff),
    ("SPMCFGR_EL1", SysReg::Spmcfgr),
    ("SPMCGCR0_EL1", SysReg::Spmcgcr(Number::at::<0>())),
    ("SPMCGCR1_EL1", SysReg::Spmcgcr(Number::at::<1>())),
    ("SPMCNTENSET_EL0", SysReg::Spmcntenset),
    ("SPMCNTENCLR_EL0", SysReg::Spmcntenclr),
    ("SPMOVSSET_EL0", SysReg::Spmovsset),
    ("SPMOVSCLR_EL0", SysReg::Spmovsclr),
    ("SPMINTENSET_EL1", SysReg::Spmintenset),
    ("SPMINTENCLR_EL1", SysReg::Spmintenclr),
    ("SPMEVCNTR<n>_EL0", SysReg::Spmevcntr(Number::at::<0>())),
    ("SPMEVTYPER<n>_EL0", SysReg::Spmevtyper(Number::at::<0>())),
    ("SPMEVFILTR<n>_EL0", SysReg::Spmevfiltr(Number::at::<0>())),
    ("SPMEVFILT2R<n>_EL0", SysReg::Spmevfilt2r(Number::at::<0>())),
];

/// Groups of [`KINDS`] that a design often treats alike: a name, and a bit for each kind.
pub(super) const GROUPS: [(&str, u64); 16] = [
    ("PMCNTENSET_EL0 and PMCNTENCLR_EL0", 0b110),
    ("PMOVSSET_EL0 and PMOVSCLR_EL0", 0b11000),
    ("PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0", 0x300),
    ("PMEVCNTR<n>_EL0 and PMCCNTR_EL0", 0x140),
    ("PMEVTYPER<n>_EL0 and PMCCFILTR_EL0", 0x600),
    ("PMBSR_ELx", 0x7 << 14),
    ("registers of Statistical Profiling", 0x3F << 11),
    ("registers of System PMUs", 0x1_FFFF << 17),
    ("registers that describe a System PMU", 0x3F << 18),
    ("set and clear registers of System PMUs", 0x3F << 24),
    ("set registers of System PMUs", 0b01_0101 << 24),
    ("clear registers of System PMUs", 0b10_1010 << 24),
    ("registers of counters of System PMUs", 0xF << 30),
    (
        "SPMEVTYPER<n>_EL0, SPMEVFILTR<n>_EL0 and SPMEVFILT2R<n>_EL0",
        0xE << 30,
    ),
    ("SPMOVSSET_EL0 and SPMOVSCLR_EL0", 0b1100 << 24),
    ("SPMINTENSET_EL1 and SPMINTENCLR_EL1", 0b11_0000 << 24),
];

/// The number of a register among [`KINDS`].
pub(super) fn kind(register: SysReg) -> usize {
    use SysReg::*;
    match register {
        Pmevcntr(_) => 8,
        Pmevtyper(_) => 9,
        Spmevcntr(_) => 30,
        Spmevtyper(_) => 31,
        Spmevfiltr(_) => 32,
        Spmevfilt2r(_) => 33,
        other => KINDS.iter().position(|&(_, of)| of == other).unwrap_or(0),
    }
}
