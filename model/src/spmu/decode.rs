//! What software concludes from the registers of a System PMU, and what is wrong with them.

use serde::Serialize;

use super::configuration::{problems_of_groups, problems_of_identity};
use super::groups::{
    CounterGroup, MAX_COUNTERS, counter_groups, implemented_counters, max_counters,
};
use super::problem::Problem;
use super::registers::{COUNTER_WIDTHS, FEATURES, N, NCG, RAO, Registers, SIZE, SPMCFGR_BITS};

/// A System PMU, as its registers describe it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decoded {
    /// SPMCFGR_EL1 is nonzero. If it is zero, the System PMU is not implemented and has no group (SPMU-18).
    pub implemented: bool,
    /// The Counter Groups.
    pub groups: Vec<CounterGroup>,
    /// Counters that a group can have (SPMU-12).
    pub max: u16,
    /// Counters in all, by SPMCFGR_EL1.N (SPMU-14).
    pub total: u16,
    /// Bit i is set if counter i is implemented (SPMU-15).
    pub implemented_counters: u64,
    /// Width of the largest counter in bits.
    pub size_bits: u8,
    /// Names of the features of SPMCFGR_EL1 that are implemented.
    pub features: Vec<&'static str>,
    /// The rules that the values break; while there are any, do not rely on the rest.
    pub problems: Vec<Problem>,
}

/// Decodes the registers of a System PMU.
pub fn decode(registers: &Registers) -> Decoded {
    let cfgr = registers.spmcfgr;
    let implemented = cfgr != 0;
    let sizes = if implemented {
        group_sizes(registers)
    } else {
        Vec::new()
    };
    let groups = counter_groups(&sizes);
    let feature = |field: &&crate::sysreg::fields::Field| field.of(cfgr) == 1;
    Decoded {
        implemented,
        max: if implemented {
            max_counters(groups.len())
        } else {
            0
        },
        total: if implemented {
            N.of(cfgr) as u16 + 1
        } else {
            0
        },
        implemented_counters: implemented_counters(&groups),
        size_bits: if implemented {
            SIZE.of(cfgr) as u8 + 1
        } else {
            0
        },
        features: FEATURES
            .iter()
            .filter(feature)
            .map(|field| field.name)
            .collect(),
        problems: if implemented {
            problems(registers, &groups)
        } else {
            problems_if_not_implemented(registers)
        },
        groups,
    }
}

/// SPMU-10: the counters of each group, by `SPMCGCR<n>_EL1`, or all in one group.
fn group_sizes(registers: &Registers) -> Vec<u16> {
    match NCG.of(registers.spmcfgr) as usize {
        0 => vec![N.of(registers.spmcfgr) as u16 + 1],
        ncg => (0..=ncg)
            .map(|group| registers.group_count(group).into())
            .collect(),
    }
}

fn problems(registers: &Registers, groups: &[CounterGroup]) -> Vec<Problem> {
    let mut problems = problems_of_groups(groups);
    problems.extend(problems_of_total(registers.spmcfgr, groups));
    problems.extend(problems_of_counts_without_group(registers, groups.len()));
    problems.extend(problems_of_spmcfgr(registers.spmcfgr));
    problems.extend(problems_of_identity(
        registers.spmiidr,
        Some(registers.spmdevarch).filter(|&devarch| devarch != 0),
        registers.spmdevaff,
    ));
    problems
}

/// SPMU-14.
fn problems_of_total(cfgr: u64, groups: &[CounterGroup]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let sum: u16 = groups.iter().map(|group| group.counters).sum();
    let total = N.of(cfgr) as u16 + 1;
    if sum != total {
        problems.push(Problem::SumDiffers { sum, total });
    }
    if total > MAX_COUNTERS {
        problems.push(Problem::TotalOutOfRange { total });
    }
    problems
}

/// SPMU-05, SPMU-17: with one group `SPMCGCR<n>_EL1` are RAZ; otherwise `N<m>` of groups that do not exist are 0.
fn problems_of_counts_without_group(registers: &Registers, groups: usize) -> Vec<Problem> {
    if groups == 1 {
        return (0..)
            .zip(registers.spmcgcr)
            .filter(|&(_, value)| value != 0)
            .map(|(n, value)| Problem::CountsOfOneGroup { n, value })
            .collect();
    }
    (groups..16)
        .map(|group| (group, registers.group_count(group)))
        .filter(|&(_, counters)| counters != 0)
        .map(|(group, counters)| Problem::CountWithoutGroup {
            group: group as u8,
            counters,
            groups,
        })
        .collect()
}

/// SPMU-04.
fn problems_of_spmcfgr(cfgr: u64) -> Vec<Problem> {
    let mut problems = Vec::new();
    let bits = SIZE.of(cfgr) as u8 + 1;
    if !COUNTER_WIDTHS.contains(&bits) {
        problems.push(Problem::CounterWidth { bits });
    }
    if RAO.of(cfgr) == 0 {
        problems.push(Problem::ReservedReadsZero);
    }
    if cfgr & !SPMCFGR_BITS != 0 {
        problems.push(Problem::ReservedBits {
            rule: "SPMU-04",
            register: "SPMCFGR_EL1",
            bits: cfgr & !SPMCFGR_BITS,
        });
    }
    problems
}

/// SPMU-18.
fn problems_if_not_implemented(registers: &Registers) -> Vec<Problem> {
    [
        ("SPMIIDR_EL1", registers.spmiidr),
        ("SPMDEVARCH_EL1", registers.spmdevarch),
        ("SPMDEVAFF_EL1", registers.spmdevaff),
        ("SPMCGCR0_EL1", registers.spmcgcr[0]),
        ("SPMCGCR1_EL1", registers.spmcgcr[1]),
    ]
    .into_iter()
    .filter(|&(_, value)| value != 0)
    .map(|(register, value)| Problem::NotImplemented { register, value })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spmu::SystemPmu;

    /// Example D15-1, with counters of 32 bits.
    const EXAMPLE: Registers = Registers {
        spmiidr: 0,
        spmdevarch: 0,
        spmdevaff: 0,
        spmcfgr: 0x1008_1F09,
        spmcgcr: [0x0604, 0],
    };

    fn rules(registers: &Registers) -> Vec<&'static str> {
        decode(registers)
            .problems
            .iter()
            .map(|problem| problem.rule())
            .collect()
    }

    #[test]
    fn spmu_19_example_d15_1() {
        let decoded = decode(&EXAMPLE);
        let groups: Vec<_> = decoded.groups.iter().map(|group| group.indices()).collect();
        assert_eq!(groups, [0..4, 32..38]);
        assert_eq!(
            (decoded.max, decoded.total, decoded.size_bits),
            (32, 10, 32)
        );
        assert_eq!(decoded.implemented_counters, 0x3F_0000_000F);
        assert_eq!(decoded.problems, []);
    }

    #[test]
    fn spmu_14_every_legal_shape_survives_a_round_trip() {
        for groups in 1..=15 {
            for fill in 1..=max_counters(groups) {
                let pmu = SystemPmu {
                    groups: (0..groups as u16)
                        .map(|g| if g % 3 == 1 { 0 } else { fill })
                        .collect(),
                    ..SystemPmu::default()
                };
                let decoded = decode(&pmu.registers());
                assert_eq!(pmu.problems(), [], "{pmu:?}");
                assert_eq!(decoded.problems, [], "{pmu:?}");
                assert_eq!(decoded.groups, pmu.counter_groups());
                assert_eq!(decoded.total, pmu.total());
                assert_eq!(decoded.implemented_counters, pmu.implemented_counters());
            }
        }
    }

    #[test]
    fn spmu_04_features_are_named() {
        let decoded = decode(&Registers {
            spmcfgr: EXAMPLE.spmcfgr | 0x01F3_0000,
            ..EXAMPLE
        });
        assert_eq!(
            decoded.features,
            ["HDBG", "TRO", "SS", "FZO", "MSI", "NA", "EX"]
        );
        assert_eq!(decoded.problems, []);
    }

    #[test]
    fn spmu_18_zero_is_not_implemented() {
        let decoded = decode(&Registers::default());
        assert!(!decoded.implemented);
        assert_eq!((decoded.groups.len(), decoded.total), (0, 0));
        assert_eq!(decoded.problems, []);
        let with_counts = Registers {
            spmcfgr: 0,
            ..EXAMPLE
        };
        assert_eq!(rules(&with_counts), ["SPMU-18"]);
    }

    #[test]
    fn spmu_14_the_sum_is_n_plus_1() {
        let cfgr = |n: u64| Registers {
            spmcfgr: EXAMPLE.spmcfgr & !0xFF | n,
            ..EXAMPLE
        };
        assert_eq!(rules(&cfgr(0x09)), [""; 0]);
        assert_eq!(rules(&cfgr(0x08)), ["SPMU-14"]);
        assert_eq!(rules(&cfgr(0x49)), ["SPMU-14", "SPMU-14"], "range as well");
    }

    #[test]
    fn spmu_10_a_count_of_one_group_is_n_plus_1_and_at_most_64() {
        let one = |n: u64| Registers {
            spmcfgr: 0x0008_1F00 | n,
            ..Registers::default()
        };
        assert_eq!(decode(&one(0x3F)).groups[0].counters, 64);
        assert_eq!(rules(&one(0x3F)), [""; 0]);
        assert_eq!(rules(&one(0x40)), ["SPMU-12", "SPMU-14"]);
    }

    #[test]
    fn spmu_10_sixteen_groups_are_reported() {
        let registers = Registers {
            spmcfgr: 0xF008_1F0F,
            spmcgcr: [0x0101_0101_0101_0101; 2],
            ..EXAMPLE
        };
        assert_eq!(rules(&registers), ["SPMU-10"]);
    }

    #[test]
    fn spmu_12_a_group_beyond_max_is_reported() {
        let registers = Registers {
            spmcfgr: 0x1008_1F26,
            spmcgcr: [0x2106, 0],
            ..EXAMPLE
        };
        assert_eq!(
            decode(&registers).problems,
            [Problem::GroupTooLarge {
                group: 1,
                counters: 33,
                max: 32
            }]
        );
    }

    #[test]
    fn spmu_05_one_group_has_spmcgcr_raz() {
        let registers = Registers {
            spmcfgr: 0x0008_1F09,
            ..EXAMPLE
        };
        assert_eq!(
            decode(&registers).problems,
            [Problem::CountsOfOneGroup {
                n: 0,
                value: 0x0604
            }]
        );
    }

    #[test]
    fn spmu_17_counts_of_groups_that_do_not_exist_are_reported() {
        let registers = Registers {
            spmcgcr: [0x0003_0604, 0x0100],
            ..EXAMPLE
        };
        let problem = |group, counters| Problem::CountWithoutGroup {
            group,
            counters,
            groups: 2,
        };
        assert_eq!(decode(&registers).problems, [problem(2, 3), problem(9, 1)]);
    }

    #[test]
    fn every_flipped_bit_of_the_example_is_reported_unless_it_makes_another_legal_value() {
        let silent = |flipped: Registers| rules(&flipped).is_empty();
        let cfgr = |bit: &u32| {
            silent(Registers {
                spmcfgr: EXAMPLE.spmcfgr ^ 1 << bit,
                ..EXAMPLE
            })
        };
        // SIZE: 24, 16 and 64 bits are widths as well. Features. NCG: 4 or 6 groups, those added being empty.
        assert_eq!(
            (0..64).filter(cfgr).collect::<Vec<_>>(),
            [11, 12, 13, 16, 17, 20, 21, 22, 23, 24, 29, 30]
        );
        for n in 0..2 {
            for bit in 0..64 {
                let mut flipped = EXAMPLE;
                flipped.spmcgcr[n] ^= 1 << bit;
                assert!(!silent(flipped), "SPMCGCR{n}_EL1 bit {bit}");
            }
        }
    }

    #[test]
    fn spmu_01_to_03_problems_of_identity() {
        let with = |change: fn(&mut Registers)| {
            let mut registers = EXAMPLE;
            change(&mut registers);
            rules(&registers)
        };
        assert_eq!(with(|r| r.spmiidr = 0x43B), [""; 0]);
        assert_eq!(with(|r| r.spmiidr = 0x4BB), ["SPMU-01"]);
        assert_eq!(with(|r| r.spmiidr = 1 << 32), ["SPMU-01"]);
        assert_eq!(with(|r| r.spmdevarch = 0x4770_2A66), [""; 0]);
        assert_eq!(with(|r| r.spmdevarch = 0x4760_2A66), ["SPMU-02"]);
        assert_eq!(with(|r| r.spmdevaff = 0x8000_0102), [""; 0]);
        assert_eq!(with(|r| r.spmdevaff = 1 << 40), ["SPMU-03"]);
    }
}
