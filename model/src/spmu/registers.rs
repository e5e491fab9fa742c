//! The registers that describe a System PMU, and their fields (SPMU-01..06).

use crate::sysreg::fields::{Field, SPMCFGR, SPMDEVAFF, SPMDEVARCH, named};
use serde::{Deserialize, Serialize};

/// Values of the registers that describe one System PMU, as software reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Registers {
    /// SPMIIDR_EL1 (SPMU-01).
    pub spmiidr: u64,
    /// SPMDEVARCH_EL1 (SPMU-02).
    pub spmdevarch: u64,
    /// SPMDEVAFF_EL1 (SPMU-03).
    pub spmdevaff: u64,
    /// SPMCFGR_EL1 (SPMU-04).
    pub spmcfgr: u64,
    /// `SPMCGCR<n>_EL1`, n = 0 and 1 (SPMU-05).
    pub spmcgcr: [u64; 2],
}

impl Registers {
    /// SPMU-05: `SPMCGCR<n>_EL1.N<m>`, the number of counters in Counter Group 8n + m; 0 where there is no such field.
    pub fn group_count(&self, group: usize) -> u8 {
        let register = self.spmcgcr.get(group / 8);
        register.map_or(0, |register| register.to_le_bytes()[group % 8])
    }
}

/// SPMCFGR_EL1.NCG: the number of Counter Groups, minus one.
pub const NCG: Field = named(SPMCFGR, "NCG");
/// SPMCFGR_EL1.HDBG.
pub const HDBG: Field = named(SPMCFGR, "HDBG");
/// SPMCFGR_EL1.TRO.
pub const TRO: Field = named(SPMCFGR, "TRO");
/// SPMCFGR_EL1.SS.
pub const SS: Field = named(SPMCFGR, "SS");
/// SPMCFGR_EL1.FZO.
pub const FZO: Field = named(SPMCFGR, "FZO");
/// SPMCFGR_EL1.MSI.
pub const MSI: Field = named(SPMCFGR, "MSI");
/// SPMCFGR_EL1 bit 19, reserved, RAO (A-SPMU-4).
pub const RAO: Field = named(SPMCFGR, "RAO");
/// SPMCFGR_EL1.NA.
pub const NA: Field = named(SPMCFGR, "NA");
/// SPMCFGR_EL1.EX.
pub const EX: Field = named(SPMCFGR, "EX");
/// SPMCFGR_EL1.SIZE: the width of the largest counter, minus one.
pub const SIZE: Field = named(SPMCFGR, "SIZE");
/// SPMCFGR_EL1.N: the number of counters, minus one.
pub const N: Field = named(SPMCFGR, "N");

/// SPMDEVARCH_EL1.PRESENT.
pub const PRESENT: Field = named(SPMDEVARCH, "PRESENT");
/// SPMDEVAFF_EL1.F0V.
pub const F0V: Field = named(SPMDEVAFF, "F0V");

/// SPMU-04: the features of SPMCFGR_EL1, from bit 24 down.
pub const FEATURES: &[Field] = &[HDBG, TRO, SS, FZO, MSI, NA, EX];
/// SPMU-04: all bits of [`FEATURES`].
pub const FEATURE_BITS: u64 = 0x01F3_0000;
/// SPMU-04: the widths of counter that SPMCFGR_EL1.SIZE allows.
pub const COUNTER_WIDTHS: &[u8] = &[8, 10, 12, 16, 20, 24, 32, 36, 40, 44, 48, 52, 56, 64];

/// SPMU-01: the bits of SPMIIDR_EL1 that are not RES0; bit 7 of Implementer is.
pub const SPMIIDR_BITS: u64 = 0xFFFF_FF7F;
/// SPMU-02: the bits of SPMDEVARCH_EL1 that are not RES0.
pub const SPMDEVARCH_BITS: u64 = 0xFFFF_FFFF;
/// SPMU-03: the bits of SPMDEVAFF_EL1 that are not RES0.
pub const SPMDEVAFF_BITS: u64 = 0x00FF_C1FF_FFFF;
/// SPMU-04: the bits of SPMCFGR_EL1 that are neither RES0 nor RAZ.
pub const SPMCFGR_BITS: u64 = NCG.mask() | FEATURE_BITS | RAO.mask() | SIZE.mask() | N.mask();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spmu_04_fields_do_not_overlap_and_leave_res0_and_raz_bits() {
        let features: u64 = FEATURES.iter().map(|field| field.mask()).sum();
        assert_eq!(features, FEATURE_BITS);
        let fields = [NCG, RAO, SIZE, N].map(Field::mask).iter().sum::<u64>() + features;
        assert_eq!(fields, SPMCFGR_BITS);
        assert_eq!(!fields & 0xFFFF_FFFF, 0x0E04_C000, "[27:25], 18, [15:14]");
    }

    #[test]
    fn spmu_05_counts_of_groups_are_bytes_of_two_registers() {
        let registers = Registers {
            spmcgcr: [0x0807_0605_0403_0201, 0x000F_0E0D_0C0B_0A09],
            ..Registers::default()
        };
        for group in 0..15 {
            assert_eq!(usize::from(registers.group_count(group)), group + 1);
        }
    }
}
