//! Encodings of the registers (`docs/dut-contract.md`, section 6), in the order in which the generator of this version
//! takes them: its bytes depend on it.

use pmu_model::{Number, SysReg};

// Constants, since `SysReg::address` is a call.
pub(super) const PMCR: u16 = SysReg::Pmcr.address();
pub(super) const PMCNTENSET: u16 = SysReg::Pmcntenset.address();
pub(super) const PMCNTENCLR: u16 = SysReg::Pmcntenclr.address();
pub(super) const PMOVSCLR: u16 = SysReg::Pmovsclr.address();
pub(super) const PMOVSSET: u16 = SysReg::Pmovsset.address();
pub(super) const PMSELR: u16 = SysReg::Pmselr.address();
pub(super) const PMCCNTR: u16 = SysReg::Pmccntr.address();
pub(super) const PMXEVTYPER: u16 = SysReg::Pmxevtyper.address();
pub(super) const PMXEVCNTR: u16 = SysReg::Pmxevcntr.address();
pub(super) const PMMIR: u16 = SysReg::Pmmir.address();
pub(super) const PMCCFILTR: u16 = SysReg::Pmccfiltr.address();
const PMEVTYPER: u16 = SysReg::Pmevtyper(Number::at::<0>()).address();
const PMEVCNTR: u16 = SysReg::Pmevcntr(Number::at::<0>()).address();

pub(super) const PMSICR: u16 = SysReg::Pmsicr.address();
pub(super) const PMSIRR: u16 = SysReg::Pmsirr.address();
const _: () = assert!(PMSICR ^ PMSIRR == 1);
pub(super) const PMSIDR: u16 = SysReg::Pmsidr.address();
/// PMBSR_EL1, PMBSR_EL2, PMBSR_EL3.
pub(super) const PMBSR: [u16; 3] = [
    SysReg::Pmbsr(Number::at::<1>()).address(),
    SysReg::Pmbsr(Number::at::<2>()).address(),
    SysReg::Pmbsr(Number::at::<3>()).address(),
];
/// The registers of Statistical Profiling.
pub(super) const SAMPLING: [u16; 6] = [PMSICR, PMSIRR, PMSIDR, PMBSR[0], PMBSR[1], PMBSR[2]];

pub(super) const SPMSELR: u16 = SysReg::Spmselr.address();
/// SPMIIDR_EL1, SPMDEVARCH_EL1, SPMDEVAFF_EL1, SPMCFGR_EL1, SPMCGCR0_EL1, SPMCGCR1_EL1: they are read-only.
pub(super) const SPM_IDENTITY: [u16; 6] = [
    SysReg::Spmiidr.address(),
    SysReg::Spmdevarch.address(),
    SysReg::Spmdevaff.address(),
    SysReg::Spmcfgr.address(),
    SysReg::Spmcgcr(Number::at::<0>()).address(),
    SysReg::Spmcgcr(Number::at::<1>()).address(),
];
/// SPMCNTENSET, SPMCNTENCLR, SPMOVSCLR, SPMOVSSET, SPMINTENSET, SPMINTENCLR.
pub(super) const SPM_MASKS: [u16; 6] = [
    SysReg::Spmcntenset.address(),
    SysReg::Spmcntenclr.address(),
    SysReg::Spmovsclr.address(),
    SysReg::Spmovsset.address(),
    SysReg::Spmintenset.address(),
    SysReg::Spmintenclr.address(),
];
/// `SPMEVCNTR<n>`, `SPMEVTYPER<n>`, `SPMEVFILTR<n>`, `SPMEVFILT2R<n>` with n = 0.
pub(super) const SPM_COUNTERS: [u16; 4] = [
    SysReg::Spmevcntr(Number::at::<0>()).address(),
    SysReg::Spmevtyper(Number::at::<0>()).address(),
    SysReg::Spmevfiltr(Number::at::<0>()).address(),
    SysReg::Spmevfilt2r(Number::at::<0>()).address(),
];

/// The registers of `counters` event counters and of the cycle counter.
pub(super) fn event_counters(counters: u8) -> impl Iterator<Item = u16> {
    use SysReg::*;
    [
        Pmcr, Pmcntenset, Pmcntenclr, Pmovsclr, Pmovsset, Pmselr, Pmccntr, Pmxevtyper, Pmxevcntr,
        Pmmir, Pmccfiltr,
    ]
    .into_iter()
    .chain((0..counters).filter_map(SysReg::pmevcntr))
    .chain((0..counters).filter_map(SysReg::pmevtyper))
    .map(SysReg::address)
}

/// The registers of the selected System PMU that hold something, of all counters of a bank.
pub(super) fn system_pmu() -> impl Iterator<Item = u16> {
    let counters = SPM_COUNTERS.into_iter().flat_map(|first| first..first + 16);
    [SPMSELR]
        .into_iter()
        .chain(SPM_IDENTITY)
        .chain(SPM_MASKS)
        .chain(counters)
}

/// Whether there is a register at `address` in any implementation.
pub(super) fn is_register(address: u16) -> bool {
    SysReg::from_address(address).is_some()
}

/// `PMEVTYPER<n>_EL0`; n = 31 is PMCCFILTR_EL0.
pub(super) const fn event_type(n: u32) -> u16 {
    PMEVTYPER + n as u16
}

/// `PMEVCNTR<n>_EL0`.
pub(super) const fn event_counter(n: u32) -> u16 {
    PMEVCNTR + n as u16
}

/// The counter of `PMEVTYPER<n>_EL0`, 31 for PMCCFILTR_EL0.
pub(super) fn of_event_type(address: u16) -> Option<u8> {
    (PMEVTYPER..PMEVTYPER + 32)
        .contains(&address)
        .then(|| (address - PMEVTYPER) as u8)
}

/// Whether accesses to `address` may be refused: it is a type.
pub(super) fn is_event_type(address: u16) -> bool {
    address == PMXEVTYPER || of_event_type(address).is_some()
}

/// The encoding from AArch32 of a register that is known by its encoding from AArch64: opc1 is 0.
pub(super) const fn from_aarch32(address: u16) -> u16 {
    address & !(7 << 11)
}

/// Offset of `PMEVTYPER<n>_EL0[31:0]` in the Performance Monitors frame, or of `[63:32]`; n = 31 is PMCCFILTR_EL0.
pub(super) const fn external(n: u32, high: bool) -> u16 {
    (if high { 0xA00 } else { 0x400 }) + 4 * n as u16
}

/// The counter and the half at an offset of the Performance Monitors frame.
pub(super) fn of_external(offset: u16) -> Option<(u8, bool)> {
    let (n, high) = match offset {
        0x400..=0x47C => (offset - 0x400, false),
        0xA00..=0xA7C => (offset - 0xA00, true),
        _ => return None,
    };
    (n % 4 == 0).then_some(((n / 4) as u8, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_those_of_the_contract() {
        use pmu_model::sysreg::encoding_name;
        assert_eq!(encoding_name(PMSICR), "S3_0_C9_C9_2");
        assert_eq!(encoding_name(PMBSR[2]), "S3_6_C9_C10_3");
        assert_eq!(encoding_name(SPM_IDENTITY[3]), "S2_0_C9_C13_7");
        assert_eq!(encoding_name(SPM_MASKS[5]), "S2_0_C9_C14_2");
        assert_eq!(encoding_name(SPM_COUNTERS[1] + 9), "S2_3_C14_C3_1");
        assert_eq!(encoding_name(event_type(31)), "S3_3_C14_C15_7");
        assert_eq!(
            encoding_name(from_aarch32(SysReg::Pmselr.address())),
            "S3_0_C9_C12_5"
        );
    }

    #[test]
    fn every_register_is_one() {
        assert!(SAMPLING.into_iter().chain(system_pmu()).all(is_register));
        assert!(event_counters(31).all(is_register));
        let known = (0..=u16::MAX).filter(|&a| is_register(a)).count();
        assert_eq!(known, event_counters(31).count() + 6 + 1 + 6 + 6 + 64);
    }

    #[test]
    fn halves_from_outside() {
        for n in 0..32 {
            assert_eq!(of_external(external(n, false)), Some((n as u8, false)));
            assert_eq!(of_external(external(n, true)), Some((n as u8, true)));
        }
        assert_eq!(of_external(0x402), None);
        assert_eq!(of_external(0xA80), None);
    }
}
