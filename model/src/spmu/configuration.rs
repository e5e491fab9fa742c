//! A System PMU as it is configured, and the register values that describe it.

use serde::{Deserialize, Serialize};

use super::groups::{
    CounterGroup, MAX_COUNTERS, MAX_GROUPS, counter_groups, implemented_counters, max_counters,
};
use super::problem::Problem;
use super::registers::{
    COUNTER_WIDTHS, FEATURE_BITS, N, NCG, PRESENT, RAO, Registers, SIZE, SPMDEVAFF_BITS,
    SPMDEVARCH_BITS, SPMIIDR_BITS,
};

/// The configuration of a System PMU. The default has one counter of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SystemPmu {
    /// The System PMU is implemented; otherwise all its registers are RAZ/WI (SPMU-18).
    pub implemented: bool,
    /// Counters of each Counter Group.
    pub groups: Vec<u16>,
    /// Width of the largest counter in bits.
    pub size_bits: u8,
    /// The feature bits of SPMCFGR_EL1, where they are in the register.
    pub features: u64,
    /// SPMIIDR_EL1, if implemented.
    pub iidr: Option<u64>,
    /// SPMDEVARCH_EL1, if implemented.
    pub devarch: Option<u64>,
    /// SPMDEVAFF_EL1, if implemented (A-SPMU-9).
    pub devaff: Option<u64>,
    /// SPMCFGR_EL1 bit 19 (A-SPMU-4).
    pub bit19: bool,
}

impl Default for SystemPmu {
    fn default() -> Self {
        Self {
            implemented: true,
            groups: vec![1],
            size_bits: 64,
            features: 0,
            iidr: None,
            devarch: None,
            devaff: None,
            bit19: true,
        }
    }
}

impl SystemPmu {
    /// SPMU-12: counters that a group can have.
    pub fn max(&self) -> u16 {
        max_counters(self.groups.len())
    }

    /// SPMU-13: the Counter Groups, implemented or not.
    pub fn counter_groups(&self) -> Vec<CounterGroup> {
        counter_groups(&self.groups)
    }

    /// SPMU-15, SPMU-18: bit i is set if counter i is implemented.
    pub fn implemented_counters(&self) -> u64 {
        if self.implemented {
            implemented_counters(&self.counter_groups())
        } else {
            0
        }
    }

    /// SPMU-14: the number of counters.
    pub fn total(&self) -> u16 {
        self.groups.iter().fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// The values that software reads; of an illegal configuration ([`Self::problems`]), as far as they fit.
    pub fn registers(&self) -> Registers {
        if !self.implemented {
            return Registers::default(); // SPMU-18
        }
        Registers {
            spmiidr: self.iidr.unwrap_or(0) & SPMIIDR_BITS,
            spmdevarch: self.devarch.unwrap_or(0) & SPMDEVARCH_BITS,
            spmdevaff: self.devaff.unwrap_or(0) & SPMDEVAFF_BITS,
            spmcfgr: self.spmcfgr(),
            spmcgcr: [self.spmcgcr(0), self.spmcgcr(1)],
        }
    }

    /// SPMU-04, SPMU-10, SPMU-14.
    fn spmcfgr(&self) -> u64 {
        let minus_one = |count: u64| count.wrapping_sub(1);
        (minus_one(self.groups.len() as u64) << NCG.low & NCG.mask())
            | (self.features & FEATURE_BITS)
            | (u64::from(self.bit19) << RAO.low)
            | (minus_one(self.size_bits.into()) << SIZE.low & SIZE.mask())
            | (minus_one(self.total().into()) & N.mask())
    }

    /// SPMU-05, SPMU-17.
    fn spmcgcr(&self, n: usize) -> u64 {
        if self.groups.len() <= 1 {
            return 0;
        }
        let group = |m: usize| self.groups.get(8 * n + m).copied().unwrap_or(0) as u8;
        u64::from_le_bytes(std::array::from_fn(group))
    }

    /// What makes the configuration illegal (A-SPMU-5). A System PMU that is not implemented has no problem.
    pub fn problems(&self) -> Vec<Problem> {
        if !self.implemented {
            return Vec::new();
        }
        let mut problems = problems_of_groups(&self.counter_groups());
        let total = self.total();
        if !(1..=MAX_COUNTERS).contains(&total) {
            problems.push(Problem::TotalOutOfRange { total });
        }
        if !COUNTER_WIDTHS.contains(&self.size_bits) {
            problems.push(Problem::CounterWidth {
                bits: self.size_bits,
            });
        }
        if self.features & !FEATURE_BITS != 0 {
            problems.push(Problem::UnknownFeatures {
                bits: self.features & !FEATURE_BITS,
            });
        }
        problems.extend(problems_of_identity(
            self.iidr.unwrap_or(0),
            self.devarch,
            self.devaff.unwrap_or(0),
        ));
        problems
    }
}

/// SPMU-10, SPMU-12.
pub(super) fn problems_of_groups(groups: &[CounterGroup]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if groups.is_empty() {
        problems.push(Problem::NoGroup);
    }
    if groups.len() > MAX_GROUPS {
        problems.push(Problem::TooManyGroups {
            groups: groups.len(),
        });
    }
    let max = max_counters(groups.len());
    let too_large = groups.iter().filter(|group| group.counters > max);
    problems.extend(too_large.map(|group| Problem::GroupTooLarge {
        group: group.group,
        counters: group.counters,
        max,
    }));
    problems
}

/// SPMU-01..03; `devarch` is `None` if SPMDEVARCH_EL1 is not implemented.
pub(super) fn problems_of_identity(iidr: u64, devarch: Option<u64>, devaff: u64) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (rule, register, bits) in [
        ("SPMU-01", "SPMIIDR_EL1", iidr & !SPMIIDR_BITS),
        (
            "SPMU-02",
            "SPMDEVARCH_EL1",
            devarch.unwrap_or(0) & !SPMDEVARCH_BITS,
        ),
        ("SPMU-03", "SPMDEVAFF_EL1", devaff & !SPMDEVAFF_BITS),
    ] {
        if bits != 0 {
            problems.push(Problem::ReservedBits {
                rule,
                register,
                bits,
            });
        }
    }
    if let Some(value) = devarch.filter(|&value| PRESENT.of(value) == 0) {
        problems.push(Problem::ArchitectureNotPresent { value });
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(groups: &[u16]) -> SystemPmu {
        SystemPmu {
            groups: groups.to_vec(),
            ..SystemPmu::default()
        }
    }

    #[test]
    fn spmu_19_example_d15_1() {
        let pmu = groups(&[4, 6]);
        let registers = pmu.registers();
        assert_eq!(NCG.of(registers.spmcfgr), 0b0001);
        assert_eq!(registers.spmcgcr, [0x0604, 0]);
        assert_eq!(N.of(registers.spmcfgr), 0x09);
        assert_eq!(pmu.implemented_counters(), 0x3F_0000_000F);
        assert_eq!(pmu.problems(), []);
    }

    #[test]
    fn spmu_04_spmcfgr_has_every_field_in_its_place() {
        let pmu = SystemPmu {
            groups: vec![3, 0, 4, 3, 3, 1, 0, 0, 0],
            size_bits: 20,
            features: 0x0072_0000,
            ..SystemPmu::default()
        };
        assert_eq!(pmu.registers().spmcfgr, 0x807A_130D);
        let without = SystemPmu {
            bit19: false,
            ..pmu
        };
        assert_eq!(without.registers().spmcfgr, 0x8072_130D, "A-SPMU-4");
    }

    #[test]
    fn spmu_10_one_group_has_spmcgcr_raz() {
        let registers = groups(&[64]).registers();
        assert_eq!(NCG.of(registers.spmcfgr), 0);
        assert_eq!(N.of(registers.spmcfgr), 0x3F);
        assert_eq!(registers.spmcgcr, [0, 0]);
    }

    #[test]
    fn spmu_05_spmu_17_counts_fill_two_registers() {
        assert_eq!(groups(&[1, 2, 3]).registers().spmcgcr, [0x03_0201, 0]);
        let sizes = [1, 2, 3, 4, 4, 3, 2, 1, 4, 0, 2];
        assert_eq!(
            groups(&sizes).registers().spmcgcr,
            [0x0102_0304_0403_0201, 0x02_0004]
        );
    }

    #[test]
    fn spmu_01_to_03_optional_registers_are_raz() {
        let registers = groups(&[1]).registers();
        assert_eq!(
            (registers.spmiidr, registers.spmdevarch, registers.spmdevaff),
            (0, 0, 0)
        );
        let registers = SystemPmu {
            iidr: Some(0x43B),
            devarch: Some(0x4770_0000),
            devaff: Some(0x8000_0102),
            ..groups(&[1])
        }
        .registers();
        assert_eq!(registers.spmiidr, 0x43B);
        assert_eq!(registers.spmdevarch, 0x4770_0000);
        assert_eq!(registers.spmdevaff, 0x8000_0102);
    }

    #[test]
    fn spmu_01_to_03_res0_bits_read_as_zero() {
        let registers = SystemPmu {
            iidr: Some(u64::MAX),
            devarch: Some(u64::MAX),
            devaff: Some(u64::MAX),
            ..groups(&[1])
        }
        .registers();
        assert_eq!(registers.spmiidr, 0xFFFF_FF7F);
        assert_eq!(registers.spmdevarch, 0xFFFF_FFFF);
        assert_eq!(registers.spmdevaff, 0xFF_C1FF_FFFF);
    }

    #[test]
    fn spmu_18_an_unimplemented_system_pmu_reads_as_zero() {
        let pmu = SystemPmu {
            implemented: false,
            iidr: Some(0x43B),
            ..groups(&[65])
        };
        assert_eq!(pmu.registers(), Registers::default());
        assert_eq!(pmu.implemented_counters(), 0);
        assert_eq!(pmu.problems(), []);
    }

    #[test]
    fn problems_of_illegal_configurations() {
        let rules = |pmu: &SystemPmu| -> Vec<_> {
            pmu.problems()
                .iter()
                .map(|problem| problem.rule())
                .collect()
        };
        assert_eq!(rules(&groups(&[])), ["SPMU-10", "SPMU-14"]);
        assert_eq!(rules(&groups(&[1; 15])), [""; 0]);
        assert_eq!(rules(&groups(&[1; 16])), ["SPMU-10"]);
        assert_eq!(rules(&groups(&[32, 32])), [""; 0]);
        assert_eq!(rules(&groups(&[33, 1])), ["SPMU-12"]);
        assert_eq!(rules(&groups(&[0, 0])), ["SPMU-14"]);
        assert_eq!(rules(&groups(&[65])), ["SPMU-12", "SPMU-14"]);
        let with = |change: fn(&mut SystemPmu)| {
            let mut pmu = groups(&[1]);
            change(&mut pmu);
            rules(&pmu)
        };
        assert_eq!(with(|pmu| pmu.size_bits = 9), ["SPMU-04"]);
        assert_eq!(with(|pmu| pmu.size_bits = 10), [""; 0]);
        assert_eq!(with(|pmu| pmu.features = 1 << 18), ["SPMU-04"]);
        assert_eq!(with(|pmu| pmu.features = FEATURE_BITS), [""; 0]);
        assert_eq!(with(|pmu| pmu.iidr = Some(0x80)), ["SPMU-01"]);
        assert_eq!(with(|pmu| pmu.devarch = Some(0x4760_0000)), ["SPMU-02"]);
        assert_eq!(with(|pmu| pmu.devarch = Some(0x4770_0000)), [""; 0]);
        assert_eq!(with(|pmu| pmu.devaff = Some(1 << 25)), ["SPMU-03"]);
    }
}
