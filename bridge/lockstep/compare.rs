//! Comparison of a batch: whole outputs as bytes first, field by field only at a mismatch.

use bytemuck::cast_slice;
use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER};
use pmu_model::{AccessOutcome, CycleInput, CycleOutput, SysReg, Unknown, sysreg};
use serde::Serialize;

/// A field of [`CycleOutput`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// V\[n\].
    Increment(u8),
    /// Increment of PMCCNTR_EL0.
    CycleIncrement,
    /// `access_outcome`.
    AccessOutcome,
    /// `access_data`: what a register read returned.
    AccessData,
    /// Bytes that the contract says are zero.
    Reserved,
}

impl Field {
    /// The name in reports. A register read is named after the register.
    pub fn name(self, input: &CycleInput) -> String {
        match self {
            Self::Increment(n) => format!("V[{n}]"),
            Self::CycleIncrement => "PMCCNTR increment".into(),
            Self::AccessOutcome => "access outcome".into(),
            Self::AccessData => register_name(input.access_address),
            Self::Reserved => "reserved bytes of cycle_output_o".into(),
        }
    }

    /// The signal of the wrapper that carries it, with its bits.
    pub fn signal(self) -> String {
        match self {
            Self::Increment(n) => lane_signal(n),
            Self::CycleIncrement => lane_signal(CYCLE_COUNTER as u8),
            Self::AccessData => "cycle_output_o[575:512]".into(),
            Self::AccessOutcome => "cycle_output_o[583:576]".into(),
            Self::Reserved => "cycle_output_o[639:584]".into(),
        }
    }

    /// The value in `output`.
    pub fn of(self, output: &CycleOutput) -> u64 {
        match self {
            Self::Increment(n) => output.increment[usize::from(n)].into(),
            Self::CycleIncrement => output.increment[CYCLE_COUNTER].into(),
            Self::AccessOutcome => output.access_outcome.into(),
            Self::AccessData => output.access_data,
            Self::Reserved => output
                .reserved
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u64::from(byte)),
        }
    }

    /// The value as reports print it.
    pub fn text(self, value: u64) -> String {
        match self {
            Self::Increment(_) | Self::CycleIncrement => value.to_string(),
            Self::AccessOutcome => AccessOutcome::name_of(value as u8),
            Self::AccessData | Self::Reserved => format!("{value:#x}"),
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        (0..CYCLE_COUNTER as u8).map(Self::Increment).chain([
            Self::CycleIncrement,
            Self::AccessOutcome,
            Self::AccessData,
            Self::Reserved,
        ])
    }
}

fn lane_signal(n: u8) -> String {
    let low = 16 * u32::from(n);
    format!("cycle_output_o[{}:{low}]", low + 15)
}

/// The register at an encoding, or the encoding where there is none.
pub fn register_name(address: u16) -> String {
    SysReg::from_address(address).map_or_else(
        || sysreg::encoding_name(address),
        |register| register.to_string(),
    )
}

/// One field that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Field.
    pub field: Field,
    /// The model's value.
    pub expected: u64,
    /// The design's value.
    pub rtl: u64,
    /// Bits that count: UNKNOWN ones do not.
    pub compared: u64,
}

/// The first cycle in which RTL and model differ.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Number of the cycle in which the difference shows.
    pub cycle: u64,
    /// Number of the cycle whose outputs differ: earlier by the latency of the first group that does.
    pub about: u64,
    /// Input of the cycle whose outputs differ, latency taken into account.
    pub input: CycleInput,
    /// The model's output.
    pub expected: CycleOutput,
    /// The design's output.
    pub rtl: CycleOutput,
    /// What was not compared.
    pub unknown: Unknown,
    /// Every field that differs.
    pub differences: Vec<Difference>,
}

/// Counts of a comparison that go into JSON reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Field comparisons made.
    pub compared: u64,
    /// Field comparisons left out, because the architecture leaves the value UNKNOWN.
    pub not_compared: u64,
}

/// The index of the first cycle of a batch that differs.
///
/// # Panics
/// If the slices differ in length.
pub fn first_difference(
    expected: &[CycleOutput],
    unknown: &[Unknown],
    rtl: &[CycleOutput],
) -> Option<usize> {
    assert!(expected.len() == rtl.len() && expected.len() == unknown.len());
    if cast_slice::<_, u8>(expected) == cast_slice::<_, u8>(rtl) {
        return None;
    }
    (0..expected.len()).find(|&k| {
        expected[k] != rtl[k]
            && (unknown[k].is_none() || !differences(&expected[k], &unknown[k], &rtl[k]).is_empty())
    })
}

/// Every field of a cycle that differs.
pub fn differences(
    expected: &CycleOutput,
    unknown: &Unknown,
    rtl: &CycleOutput,
) -> Vec<Difference> {
    Field::all()
        .filter_map(|field| {
            let compared = match field {
                Field::Increment(n) if unknown.increments >> n & 1 == 1 => 0,
                Field::AccessData => !unknown.access_data,
                _ => u64::MAX,
            };
            let (expected, rtl) = (field.of(expected), field.of(rtl));
            ((expected ^ rtl) & compared != 0).then_some(Difference {
                field,
                expected,
                rtl,
                compared,
            })
        })
        .collect()
}

const _: () = assert!(COUNTER_LANES == 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_bits_count() {
        let expected = [CycleOutput::default(); 3];
        let mut rtl = expected;
        let mut unknown = [Unknown::default(); 3];
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[1].increment[4] = 1;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(1));
        unknown[1].increments = 1 << 4;
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[2].access_data = 0x30;
        unknown[2].access_data = 0x10;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(2));
        unknown[2].access_data = 0x30;
        assert_eq!(first_difference(&expected, &unknown, &rtl), None);
        rtl[2].reserved[6] = 1;
        assert_eq!(first_difference(&expected, &unknown, &rtl), Some(2));
    }

    #[test]
    fn every_byte_of_the_output_belongs_to_a_field() {
        for byte in 0..std::mem::size_of::<CycleOutput>() {
            let mut rtl = CycleOutput::default();
            bytemuck::bytes_of_mut(&mut rtl)[byte] = 1;
            let found = differences(&CycleOutput::default(), &Unknown::default(), &rtl);
            assert_eq!(found.len(), 1, "byte {byte}");
        }
    }
}
