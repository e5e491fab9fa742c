//! SPMDEVAFF_EL1: the PEs that a System PMU is affine with (SPMU-03).

use pmu_model::spmu::registers::F0V;

use super::Remark;

/// The marker of a byte below the level of a group.
const MARKER: u8 = 0x80;

/// What SPMDEVAFF_EL1 says.
#[derive(Clone, Debug)]
pub struct Affinity {
    /// The PEs, in a sentence.
    pub meaning: Remark,
    /// What is wrong with the value.
    pub warnings: Vec<Remark>,
}

/// SPMU-03: the PEs that a value of SPMDEVAFF_EL1 names.
pub fn affinity(value: u64) -> Affinity {
    let [aff0, aff1, aff2, _, aff3, ..] = value.to_le_bytes();
    let mut warnings = Vec::new();
    let mut meaning = Remark::new("", &["SPMU-03"]);
    if value == 0 {
        meaning.text =
            "zero: affine with no PE, with this PE alone, or not implemented or not configured yet"
                .into();
    } else if F0V.of(value) == 1 {
        meaning.text =
            format!("affine with one PE, {aff3}.{aff2}.{aff1}.{aff0} (a copy of its MPIDR_EL1)");
    } else {
        let bytes = [aff0, aff1, aff2];
        match bytes.iter().position(|&byte| byte != 0) {
            None => {
                meaning.text = "a group of PEs at no level".into();
                warnings.push(Remark::new(
                    "F0V is 0 and Aff2, Aff1 and Aff0 are 0: no byte marks the level of the group",
                    &["SPMU-03"],
                ));
            }
            Some(level) => {
                let above = above(level, [aff0, aff1, aff2, aff3]);
                meaning.text = if bytes[level] == MARKER {
                    format!(
                        "affine with all PEs at affinity level {}, those with {above}",
                        level + 1
                    )
                } else {
                    let (first, last) = subset(bytes[level]);
                    let above = if above.is_empty() {
                        above
                    } else {
                        format!(" and {above}")
                    };
                    format!(
                        "affine with a subset of the PEs at affinity level {}, those with Aff{level} = {first:#04x} to {last:#04x}{above}",
                        level + 1
                    )
                };
            }
        }
    }
    Affinity { meaning, warnings }
}

/// The fields above `level` with their values.
fn above(level: usize, bytes: [u8; 4]) -> String {
    let fields: Vec<_> = (level + 1..4)
        .rev()
        .map(|level| format!("Aff{level} = {:#04x}", bytes[level]))
        .collect();
    super::and(&fields)
}

/// The values that a byte stands for: the least-significant set bit says where the bits that count end.
fn subset(byte: u8) -> (u8, u8) {
    let lowest = byte & byte.wrapping_neg();
    let free = (lowest << 1).wrapping_sub(1);
    let first = byte & !free;
    (first, first | free)
}

/// What byte `level` of a group is for, as an addition to its value.
pub(super) fn role(value: u64, level: u8) -> &'static str {
    let bytes = value.to_le_bytes();
    let lowest = (0..3).position(|level| bytes[level] != 0);
    match lowest {
        Some(at) if at == usize::from(level) && bytes[at] == MARKER => ", marks the level above",
        Some(at) if at == usize::from(level) => ", a subset by its least-significant set bit",
        Some(at) if usize::from(level) < at => ", below the level of the group",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: u64) -> String {
        affinity(value).meaning.text
    }

    #[test]
    fn spmu_03_one_pe() {
        assert_eq!(
            text(0x02_8100_0103),
            "affine with one PE, 2.0.1.3 (a copy of its MPIDR_EL1)"
        );
        assert!(text(0).starts_with("zero: "));
    }

    #[test]
    fn spmu_03_markers_of_levels() {
        assert_eq!(
            text(0x01_0002_0380),
            "affine with all PEs at affinity level 1, those with Aff3 = 0x01, Aff2 = 0x02 and Aff1 = 0x03"
        );
        assert_eq!(
            text(0x01_0002_8000),
            "affine with all PEs at affinity level 2, those with Aff3 = 0x01 and Aff2 = 0x02"
        );
        assert_eq!(
            text(0x01_0080_0000),
            "affine with all PEs at affinity level 3, those with Aff3 = 0x01"
        );
    }

    #[test]
    fn spmu_03_subsets_by_the_least_significant_set_bit() {
        for (byte, range) in [
            (0b0000_0001, (0, 1)),
            (0b0000_0110, (4, 7)),
            (0b0000_1100, (8, 15)),
            (0b0100_0000, (0, 127)),
            (0b1111_1111, (254, 255)),
        ] {
            assert_eq!(subset(byte), range, "{byte:#010b}");
        }
        assert_eq!(
            text(0x0306),
            "affine with a subset of the PEs at affinity level 1, those with Aff0 = 0x04 to 0x07 and Aff3 = 0x00, \
            Aff2 = 0x00 and Aff1 = 0x03"
        );
    }

    #[test]
    fn spmu_03_a_group_without_a_level() {
        assert_eq!(affinity(0x01_0000_0000).warnings.len(), 1);
    }
}
