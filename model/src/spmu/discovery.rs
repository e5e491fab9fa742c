//! Which register software takes a System PMU's configuration from (SPMU-20).

use std::fmt;

use super::Registers;

/// The register that software recognises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// SPMIIDR_EL1: the configuration of that component.
    Spmiidr,
    /// SPMDEVARCH_EL1: the generic configuration of that architecture.
    Spmdevarch,
    /// SPMCFGR_EL1: a generic configuration from the capabilities that it describes.
    Spmcfgr,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spmiidr => "SPMIIDR_EL1",
            Self::Spmdevarch => "SPMDEVARCH_EL1",
            Self::Spmcfgr => "SPMCFGR_EL1",
        })
    }
}

/// SPMU-20: the register that decides, for software that knows these values of SPMIIDR_EL1 and SPMDEVARCH_EL1.
/// Zero is never recognised: it cannot be told from RAZ (A-SPMU-7).
pub fn discover(registers: &Registers, known_iidr: &[u64], known_devarch: &[u64]) -> Source {
    let recognised = |value: u64, known: &[u64]| value != 0 && known.contains(&value);
    if recognised(registers.spmiidr, known_iidr) {
        Source::Spmiidr
    } else if recognised(registers.spmdevarch, known_devarch) {
        Source::Spmdevarch
    } else {
        Source::Spmcfgr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGISTERS: Registers = Registers {
        spmiidr: 0x43B,
        spmdevarch: 0x4770_2A66,
        spmdevaff: 0,
        spmcfgr: 0x0008_1F09,
        spmcgcr: [0, 0],
    };

    #[test]
    fn spmu_20_the_first_register_recognised_decides() {
        let (iidr, devarch) = (&[1, 0x43B][..], &[0x4770_2A66][..]);
        assert_eq!(discover(&REGISTERS, iidr, devarch), Source::Spmiidr);
        assert_eq!(discover(&REGISTERS, &[], devarch), Source::Spmdevarch);
        assert_eq!(discover(&REGISTERS, &[], &[]), Source::Spmcfgr);
        assert_eq!(
            discover(&REGISTERS, devarch, iidr),
            Source::Spmcfgr,
            "each in its own list"
        );
    }

    #[test]
    fn spmu_20_a_raz_register_is_never_recognised() {
        assert_eq!(discover(&Registers::default(), &[0], &[0]), Source::Spmcfgr);
    }
}
