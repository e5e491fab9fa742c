//! Mistakes of System PMUs.

use std::fmt;

/// A mistake of System PMUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// The Counter Groups of two start as those of so many counters.
    GroupSize(u8),
    /// The bytes of `SPMCGCR<n>_EL1` are in the opposite order.
    SizesReversed,
    /// SPMCFGR_EL1.N is off by so many.
    NumberOff(i8),
    /// BANK is ignored.
    BankIgnored,
    /// SYSPMUSEL is ignored.
    SelectIgnored,
    /// Bits of counters that are not implemented are stored.
    AbsentStored,
    /// SPMIIDR_EL1 is that of the first System PMU.
    IidrOfFirst,
    /// SPMDEVARCH_EL1 is that of the first System PMU.
    DevarchOfFirst,
    /// The registers of that counter are those of one that is not implemented.
    CounterMissing(u8),
    /// And so are its bits.
    CounterAbsent(u8),
    /// SPMOVSCLR_EL0 sets.
    OverflowClearSets,
    /// SPMOVSSET_EL0 clears.
    OverflowSetClears,
    /// SPMCNTENCLR_EL0 sets.
    EnableClearSets,
    /// SPMINTENCLR_EL1 sets.
    InterruptClearSets,
}

impl System {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let missing = (0..64).flat_map(|n| [Self::CounterMissing(n), Self::CounterAbsent(n)]);
        Self::OTHERS.into_iter().chain(missing).collect()
    }

    /// Those that are of no counter.
    const OTHERS: [Self; 14] = [
        Self::GroupSize(16),
        Self::GroupSize(8),
        Self::SizesReversed,
        Self::NumberOff(1),
        Self::NumberOff(-1),
        Self::BankIgnored,
        Self::SelectIgnored,
        Self::AbsentStored,
        Self::IidrOfFirst,
        Self::DevarchOfFirst,
        Self::OverflowClearSets,
        Self::OverflowSetClears,
        Self::EnableClearSets,
        Self::InterruptClearSets,
    ];

    /// The counters that are implemented, of a System PMU with these Counter Groups.
    pub fn implemented(self, groups: &[u16], implemented: u64) -> u64 {
        let Self::GroupSize(size) = self else {
            return implemented;
        };
        if groups.len() != 2 {
            return implemented;
        }
        let bits = |count: u16| (1u64 << count.min(63)) - 1;
        bits(groups[0]) | bits(groups[1]) << size
    }
}

impl System {
    /// The counters that are missing: to their registers, or to registers with a bit for each.
    pub fn missing(self, of_registers: bool) -> u64 {
        match self {
            Self::CounterMissing(n) if of_registers => 1 << n,
            Self::CounterAbsent(n) => 1 << n,
            _ => 0,
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GroupSize(size) => {
                return write!(
                    f,
                    "the second of two Counter Groups starts at counter {size}"
                );
            }
            Self::CounterMissing(n) => {
                return write!(
                    f,
                    "the registers of counter {n} of a System PMU are missing"
                );
            }
            Self::CounterAbsent(n) => {
                return write!(
                    f,
                    "counter {n} of a System PMU is missing: its registers and its bits"
                );
            }
            Self::NumberOff(by) => return write!(f, "SPMCFGR_EL1.N is off by {by:+}"),
            Self::SizesReversed => "the bytes of SPMCGCR<n>_EL1 are in the opposite order",
            Self::BankIgnored => "SPMSELR_EL0.BANK is ignored",
            Self::SelectIgnored => "SPMSELR_EL0.SYSPMUSEL is ignored",
            Self::AbsentStored => {
                "bits of counters that are not implemented are stored by the set registers"
            }
            Self::IidrOfFirst => "SPMIIDR_EL1 is that of the first System PMU",
            Self::DevarchOfFirst => "SPMDEVARCH_EL1 is that of the first System PMU",
            Self::OverflowClearSets => "a write of SPMOVSCLR_EL0 sets flags",
            Self::OverflowSetClears => "a write of SPMOVSSET_EL0 clears flags",
            Self::EnableClearSets => "a write of SPMCNTENCLR_EL0 sets enables",
            Self::InterruptClearSets => "a write of SPMINTENCLR_EL1 sets enables",
        })
    }
}
