//! Version numbers of Verilator.

use std::fmt;

/// A version of Verilator, such as 5.006.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The number before the dot.
    pub major: u32,
    /// The number after the dot, without leading zeros.
    pub minor: u32,
}

impl Version {
    /// The oldest version that this crate works with.
    pub const FLOOR: Version = Version { major: 5, minor: 6 };

    /// The first `<major>.<minor>` in a text: `Verilator 5.006 2023-01-22` and `5.49` both have one.
    ///
    /// Returns `None` for a text without one, such as the ` rev vUNKNOWN-built…` that builds outside
    /// of Verilator's own repository print.
    pub(crate) fn parse(text: &str) -> Option<Version> {
        text.split_whitespace().find_map(|word| {
            let (major, minor) = word.split_once('.')?;
            let number = |digits: &str| {
                digits
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
                    .then(|| digits.parse().ok())?
            };
            Some(Version {
                major: number(major)?,
                minor: number(minor)?,
            })
        })
    }

    /// The version stated by `include/verilated_config.h` below a `VERILATOR_ROOT`.
    pub(crate) fn of_header(header: &str) -> Option<Version> {
        let line = header
            .lines()
            .find(|line| line.contains("#define VERILATOR_VERSION "))?;
        Version::parse(line.split('"').nth(1)?)
    }
}

impl fmt::Display for Version {
    /// As Verilator writes it: three digits after the dot.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:03}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_verilator_prints() {
        let parsed = Version::parse("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)");
        assert_eq!(parsed, Some(Version { major: 5, minor: 6 }));
    }

    #[test]
    fn reads_no_number_from_a_build_without_one() {
        assert_eq!(Version::parse(" rev vUNKNOWN-built20260516-4e853d8"), None);
    }

    #[test]
    fn reads_the_header_of_a_build_without_leading_zeros() {
        let header =
            "#define VERILATOR_PRODUCT \"Verilator\"\n#define VERILATOR_VERSION \"5.49\"\n";
        assert_eq!(
            Version::of_header(header),
            Some(Version {
                major: 5,
                minor: 49
            })
        );
    }

    #[test]
    fn orders_by_number_and_not_by_text() {
        assert!(
            Version {
                major: 4,
                minor: 228
            } < Version::FLOOR
        );
        assert!(
            Version {
                major: 5,
                minor: 49
            } > Version::FLOOR
        );
        assert_eq!(Version::FLOOR.to_string(), "5.006");
    }
}
