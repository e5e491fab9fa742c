//! What is wrong with a configuration, or with values of the registers.

use serde::Serialize;

/// A rule that a configuration or the registers break. The text is a sentence that begins with the rule's id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum Problem {
    /// The configuration has no group.
    #[error(
        "SPMU-10: the System PMU has no Counter Group, where there must be 1 to 15; without groups, name one that holds all counters."
    )]
    NoGroup,
    /// NCG is 0b1111, or the configuration has more than 15 groups.
    #[error(
        "SPMU-10: there are {groups} Counter Groups, where at most 15 can be implemented (SPMCFGR_EL1.NCG must not be 0b1111)."
    )]
    TooManyGroups {
        /// Groups.
        groups: usize,
    },
    /// A group has more than max counters; it may have none (SPMU-11).
    #[error(
        "SPMU-12: Counter Group {group} has {counters} counters, where a group can have at most {max}."
    )]
    GroupTooLarge {
        /// Number of the group.
        group: u8,
        /// Its counters.
        counters: u16,
        /// Counters that it can have.
        max: u16,
    },
    /// The sum of the groups' counters is not SPMCFGR_EL1.N + 1.
    #[error(
        "SPMU-14: the Counter Groups have {sum} counters in all, but SPMCFGR_EL1.N tells {total}."
    )]
    SumDiffers {
        /// Sum over the groups.
        sum: u16,
        /// SPMCFGR_EL1.N + 1.
        total: u16,
    },
    /// There are none, or more than 64 counters.
    #[error(
        "SPMU-14: there are {total} counters, where there must be 1 to 64 (SPMCFGR_EL1.N is 0x00 to 0x3F)."
    )]
    TotalOutOfRange {
        /// Counters.
        total: u16,
    },
    /// The width of the largest counter is not one that is allowed.
    #[error(
        "SPMU-04: the largest counter has {bits} bits, where the widths that SPMCFGR_EL1.SIZE allows are 8, 10, 12, 16, 20, 24, 32, 36, 40, 44, 48, 52, 56 and 64."
    )]
    CounterWidth {
        /// Width.
        bits: u8,
    },
    /// SPMCFGR_EL1 bit 19 is 0.
    #[error("SPMU-04: SPMCFGR_EL1 bit 19 reads as 0, where it is reserved, RAO.")]
    ReservedReadsZero,
    /// A configuration has features that SPMCFGR_EL1 has no bit for.
    #[error(
        "SPMU-04: the features {bits:#x} are not feature bits of SPMCFGR_EL1, which are those of {allowed:#x}.",
        allowed = super::registers::FEATURE_BITS
    )]
    UnknownFeatures {
        /// The other bits.
        bits: u64,
    },
    /// RES0 or RAZ bits are set.
    #[error("{rule}: the bits {bits:#x} of {register} are set, where they are RES0 or RAZ.")]
    ReservedBits {
        /// Id of the register's rule.
        rule: &'static str,
        /// The register.
        register: &'static str,
        /// The bits.
        bits: u64,
    },
    /// SPMDEVARCH_EL1 is implemented, but its PRESENT is 0.
    #[error(
        "SPMU-02: SPMDEVARCH_EL1 is {value:#x} with PRESENT = 0, where it must be zero if it is not implemented and have PRESENT = 1 if it is."
    )]
    ArchitectureNotPresent {
        /// SPMDEVARCH_EL1.
        value: u64,
    },
    /// `SPMCGCR<n>_EL1` is nonzero, but there is only one group.
    #[error(
        "SPMU-05: SPMCGCR{n}_EL1 is {value:#x}, where it is RAZ because SPMCFGR_EL1.NCG tells one Counter Group."
    )]
    CountsOfOneGroup {
        /// n.
        n: u8,
        /// The register.
        value: u64,
    },
    /// `N<m>` of a group that is not implemented is nonzero.
    #[error(
        "SPMU-17: SPMCGCR{n}_EL1.N{m} tells {counters} counters in Counter Group {group}, but SPMCFGR_EL1.NCG tells only {groups} groups.",
        n = group / 8,
        m = group % 8
    )]
    CountWithoutGroup {
        /// Number of the group.
        group: u8,
        /// Its counters.
        counters: u8,
        /// Groups that are implemented.
        groups: usize,
    },
    /// SPMCFGR_EL1 is zero, which says that the System PMU is not implemented, but another register is not.
    #[error(
        "SPMU-18: {register} is {value:#x}, where every register is RAZ because SPMCFGR_EL1 is zero: the System PMU is not implemented."
    )]
    NotImplemented {
        /// The register.
        register: &'static str,
        /// Its value.
        value: u64,
    },
}

impl Problem {
    /// The id of the rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::NoGroup | Self::TooManyGroups { .. } => "SPMU-10",
            Self::GroupTooLarge { .. } => "SPMU-12",
            Self::SumDiffers { .. } | Self::TotalOutOfRange { .. } => "SPMU-14",
            Self::CounterWidth { .. } | Self::ReservedReadsZero | Self::UnknownFeatures { .. } => {
                "SPMU-04"
            }
            Self::ReservedBits { rule, .. } => rule,
            Self::ArchitectureNotPresent { .. } => "SPMU-02",
            Self::CountsOfOneGroup { .. } => "SPMU-05",
            Self::CountWithoutGroup { .. } => "SPMU-17",
            Self::NotImplemented { .. } => "SPMU-18",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rule;

    #[test]
    fn every_problem_is_a_sentence_that_begins_with_its_rule() {
        let problems = [
            Problem::NoGroup,
            Problem::TooManyGroups { groups: 16 },
            Problem::GroupTooLarge {
                group: 1,
                counters: 33,
                max: 32,
            },
            Problem::SumDiffers { sum: 9, total: 10 },
            Problem::TotalOutOfRange { total: 65 },
            Problem::CounterWidth { bits: 9 },
            Problem::ReservedReadsZero,
            Problem::UnknownFeatures { bits: 1 },
            Problem::ReservedBits {
                rule: "SPMU-01",
                register: "SPMIIDR_EL1",
                bits: 0x80,
            },
            Problem::ArchitectureNotPresent { value: 1 },
            Problem::CountsOfOneGroup { n: 0, value: 4 },
            Problem::CountWithoutGroup {
                group: 9,
                counters: 4,
                groups: 9,
            },
            Problem::NotImplemented {
                register: "SPMIIDR_EL1",
                value: 1,
            },
        ];
        for problem in problems {
            let text = problem.to_string();
            assert_eq!(rule(problem.rule()).expect("a rule").id, problem.rule());
            assert!(text.starts_with(&format!("{}: ", problem.rule())), "{text}");
            assert!(text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn spmu_17_names_the_field() {
        let problem = Problem::CountWithoutGroup {
            group: 9,
            counters: 4,
            groups: 9,
        };
        assert!(problem.to_string().contains("SPMCGCR1_EL1.N1"));
    }
}
