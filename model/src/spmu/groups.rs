//! Counter Groups (SPMU-10..17).

use std::fmt;

use serde::Serialize;

/// Counters that a System PMU can have.
pub const MAX_COUNTERS: u16 = 64;
/// SPMU-10: Counter Groups that a System PMU can have.
pub const MAX_GROUPS: usize = 15;

/// A Counter Group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CounterGroup {
    /// Number of the group.
    pub group: u8,
    /// Index of its first counter.
    pub first: u16,
    /// Number of its counters.
    pub counters: u16,
}

impl CounterGroup {
    /// The indices of its counters (SPMU-13).
    pub fn indices(self) -> std::ops::Range<u16> {
        self.first..self.first.saturating_add(self.counters)
    }
}

impl fmt::Display for CounterGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            group,
            first,
            counters,
        } = *self;
        match counters {
            0 => write!(f, "Counter Group {group}: no counters"),
            1 => write!(f, "Counter Group {group}: 1 counter, SPMEVCNTR{first}_EL0"),
            _ => write!(
                f,
                "Counter Group {group}: {counters} counters, SPMEVCNTR{first}_EL0 to SPMEVCNTR{}_EL0",
                first.saturating_add(counters - 1)
            ),
        }
    }
}

/// SPMU-12: the value max of Table D15-1. One group is not in the table (A-SPMU-2); neither are 16, which the
/// text forbids (A-SPMU-1).
pub fn max_counters(groups: usize) -> u16 {
    match groups {
        0 | 1 => MAX_COUNTERS,
        2 => 32,
        3 | 4 => 16,
        5..=8 => 8,
        _ => 4,
    }
}

/// SPMU-13: the groups of these sizes; group g begins at counter g * max.
pub fn counter_groups(sizes: &[u16]) -> Vec<CounterGroup> {
    let max = max_counters(sizes.len());
    let group = |(group, &counters): (usize, &u16)| CounterGroup {
        group: group as u8,
        first: u16::try_from(group).map_or(u16::MAX, |group| group.saturating_mul(max)),
        counters,
    };
    sizes.iter().enumerate().map(group).collect()
}

/// SPMU-15: bit i is set if counter i is implemented.
pub fn implemented_counters(groups: &[CounterGroup]) -> u64 {
    (0..MAX_COUNTERS)
        .filter(|index| groups.iter().any(|group| group.indices().contains(index)))
        .fold(0, |mask, index| mask | 1 << index)
}

/// SPMU-16: where counter `index` is reached: the value of SPMSELR_EL0.BANK, and n of `SPMEVCNTR<n>_EL0`.
pub fn bank_and_register(index: u8) -> (u8, u8) {
    (index / 16, index % 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spmu_12_max_by_number_of_groups() {
        let max: Vec<_> = (1..=15).map(max_counters).collect();
        assert_eq!(max, [64, 32, 16, 16, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 4]);
    }

    #[test]
    fn spmu_13_groups_begin_at_multiples_of_max() {
        let firsts = |sizes: &[u16]| -> Vec<u16> {
            counter_groups(sizes)
                .iter()
                .map(|group| group.first)
                .collect()
        };
        assert_eq!(firsts(&[64]), [0]);
        assert_eq!(firsts(&[4, 6]), [0, 32]);
        assert_eq!(firsts(&[0, 1, 2]), [0, 16, 32]);
        assert_eq!(firsts(&[8; 5]), [0, 8, 16, 24, 32]);
        assert_eq!(firsts(&[1; 15])[14], 56);
    }

    #[test]
    fn spmu_15_implemented_counters_can_be_sparse() {
        let mask = |sizes: &[u16]| implemented_counters(&counter_groups(sizes));
        assert_eq!(mask(&[4, 6]), 0x3F_0000_000F);
        assert_eq!(mask(&[64]), u64::MAX);
        assert_eq!(mask(&[0, 0, 3]), 0x7_0000_0000);
        // A-SPMU-6: counters 60 to 63 do not exist with 15 groups.
        assert_eq!(mask(&[4; 15]), u64::MAX >> 4);
    }

    #[test]
    fn spmu_16_banks_are_of_16_counters() {
        assert_eq!(bank_and_register(0), (0, 0));
        assert_eq!(bank_and_register(37), (2, 5));
        assert_eq!(bank_and_register(63), (3, 15));
    }

    #[test]
    fn groups_name_their_counters() {
        let groups = counter_groups(&[0, 1, 3]);
        let texts: Vec<_> = groups.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "Counter Group 0: no counters",
                "Counter Group 1: 1 counter, SPMEVCNTR16_EL0",
                "Counter Group 2: 3 counters, SPMEVCNTR32_EL0 to SPMEVCNTR34_EL0",
            ]
        );
    }
}
