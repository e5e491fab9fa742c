//! Mistakes of counters, flags and their registers.

use std::fmt;

/// A mistake of counters and flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// A write of an event counter is lost in a cycle in which it increments.
    WriteLost,
    /// The same for the cycle counter.
    CycleWriteLost,
    /// The increment of the cycle is added to what is written to an event counter.
    IncrementOnWrite,
    /// The same for the cycle counter.
    CycleIncrementOnWrite,
    /// An increment that is lost to a write overflows.
    LostOverflows,
    /// V is 0 in a cycle of a write of the counter.
    HiddenByWrite,
    /// Counting goes on in a cycle of reset.
    CountsInReset,
    /// A read of an event counter returns the value after the cycle.
    ReadsNext,
    /// The same for the cycle counter.
    CycleReadsNext,
    /// With LP 0 no carry reaches bits 63:32.
    CarryLost,
    /// With LP 0 the overflow is out of that bit.
    OverflowBit(u8),
    /// LP has no effect on overflow flags and CHAIN.
    LongIgnored,
    /// Overflow is out of bit 63 always.
    AlwaysLong,
    /// A counter stays at its greatest value.
    Saturates,
    /// An overflow is lost to a write of PMOVSCLR_EL0.
    OverflowLostToClear,
    /// PMCCNTR_EL0 overflows out of that bit.
    CycleOverflowBit(u8),
    /// `counting_allowed` does not hold the cycle counter.
    CycleNotHeld,
    /// `counting_allowed` does not hold event counters.
    EventsNotHeld,
    /// PMCR_EL0.E has no effect.
    EnableIgnored,
    /// A reset leaves the flags.
    FlagsNotReset,
    /// A reset leaves the counters.
    ValuesNotReset,
    /// PMCR_EL0.P clears flags.
    ResetClearsFlags,
    /// PMCR_EL0.P leaves the last counter.
    ResetMissesLast,
    /// PMCR_EL0.P leaves the first counter.
    ResetMissesFirst,
    /// PMCR_EL0.P zeroes the cycle counter as well.
    EventResetOfCycles,
    /// PMCR_EL0.C zeroes event counters as well.
    CycleResetOfEvents,
    /// PMCR_EL0.N is off by so many.
    NumberOff(i8),
    /// PMCNTENCLR_EL0 does not reach that counter.
    ClearMisses(u8),
    /// PMCNTENSET_EL0 does not reach that counter.
    SetMisses(u8),
    /// PMOVSCLR_EL0 sets flags.
    FlagClearSets,
    /// PMOVSSET_EL0 clears flags.
    FlagSetClears,
    /// CHAIN on an even counter counts its lane.
    ChainLaneOnEven,
    /// CHAIN counts with LP 1 as well.
    ChainWithLong,
    /// CHAIN counts a cycle late.
    ChainLate,
    /// CHAIN counts nothing.
    NoChain,
}

impl Counters {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::WriteLost,
            Self::CycleWriteLost,
            Self::IncrementOnWrite,
            Self::CycleIncrementOnWrite,
            Self::CycleReadsNext,
            Self::LostOverflows,
            Self::HiddenByWrite,
            Self::CountsInReset,
            Self::ReadsNext,
            Self::CarryLost,
            Self::LongIgnored,
            Self::AlwaysLong,
            Self::Saturates,
            Self::OverflowLostToClear,
            Self::CycleNotHeld,
            Self::EventsNotHeld,
            Self::EnableIgnored,
            Self::FlagsNotReset,
            Self::ValuesNotReset,
            Self::ResetClearsFlags,
            Self::ResetMissesLast,
            Self::ResetMissesFirst,
            Self::EventResetOfCycles,
            Self::CycleResetOfEvents,
            Self::NumberOff(1),
            Self::NumberOff(-1),
            Self::FlagClearSets,
            Self::FlagSetClears,
            Self::ChainLaneOnEven,
            Self::ChainWithLong,
            Self::ChainLate,
            Self::NoChain,
        ];
        all.extend([15, 16, 30, 32].map(Self::OverflowBit));
        all.extend([31, 32, 62].map(Self::CycleOverflowBit));
        for n in [0, 30, 31] {
            all.extend([Self::ClearMisses(n), Self::SetMisses(n)]);
        }
        all
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counter = |n: u8| match n {
            31 => "the cycle counter".to_owned(),
            n => format!("counter {n}"),
        };
        let text = match *self {
            Self::OverflowBit(bit) => {
                return write!(f, "with LP 0 an event counter overflows out of bit {bit}");
            }
            Self::CycleOverflowBit(bit) => {
                return write!(f, "PMCCNTR_EL0 overflows out of bit {bit}");
            }
            Self::NumberOff(by) => return write!(f, "PMCR_EL0.N is off by {by:+}"),
            Self::ClearMisses(n) => {
                return write!(f, "a write of PMCNTENCLR_EL0 does not reach {}", counter(n));
            }
            Self::SetMisses(n) => {
                return write!(f, "a write of PMCNTENSET_EL0 does not reach {}", counter(n));
            }
            Self::WriteLost => {
                "a write of PMEVCNTR<n>_EL0 is lost in a cycle in which the counter increments"
            }
            Self::CycleWriteLost => {
                "a write of PMCCNTR_EL0 is lost in a cycle in which the counter increments"
            }
            Self::IncrementOnWrite => {
                "the increment of the cycle is added to the value that is written to PMEVCNTR<n>_EL0"
            }
            Self::CycleIncrementOnWrite => {
                "the increment of the cycle is added to the value that is written to PMCCNTR_EL0"
            }
            Self::LostOverflows => "an increment that is lost to a write overflows all the same",
            Self::HiddenByWrite => "V[n] is 0 in a cycle of a write of counter n",
            Self::CountsInReset => "counting goes on in a cycle of reset",
            Self::ReadsNext => "a read of PMEVCNTR<n>_EL0 returns its value after the cycle",
            Self::CycleReadsNext => "a read of PMCCNTR_EL0 returns its value after the cycle",
            Self::CarryLost => "with LP 0 no carry reaches bits 63:32 of an event counter",
            Self::LongIgnored => "PMCR_EL0.LP is ignored: overflow is out of bit 31 always",
            Self::AlwaysLong => "PMCR_EL0.LP is taken as 1: overflow is out of bit 63 always",
            Self::Saturates => "a counter saturates instead of wrapping",
            Self::OverflowLostToClear => {
                "an overflow is lost to a write of PMOVSCLR_EL0 in the same cycle"
            }
            Self::CycleNotHeld => "counting_allowed[31] does not stop the cycle counter",
            Self::EventsNotHeld => "counting_allowed does not stop event counters",
            Self::EnableIgnored => "PMCR_EL0.E has no effect",
            Self::FlagsNotReset => "a reset does not clear the overflow flags",
            Self::ValuesNotReset => "a reset does not clear the counters",
            Self::ResetClearsFlags => "a write of PMCR_EL0.P clears overflow flags as well",
            Self::ResetMissesLast => "a write of PMCR_EL0.P does not reach the last event counter",
            Self::ResetMissesFirst => "a write of PMCR_EL0.P does not reach event counter 0",
            Self::EventResetOfCycles => "a write of PMCR_EL0.P zeroes the cycle counter as well",
            Self::CycleResetOfEvents => "a write of PMCR_EL0.C zeroes the event counters as well",
            Self::FlagClearSets => "a write of PMOVSCLR_EL0 sets flags",
            Self::FlagSetClears => "a write of PMOVSSET_EL0 clears flags",
            Self::ChainLaneOnEven => "CHAIN on an even counter counts the event lane of its number",
            Self::ChainWithLong => "CHAIN counts an overflow out of bit 31 also with PMCR_EL0.LP 1",
            Self::ChainLate => "CHAIN counts a cycle late",
            Self::NoChain => "CHAIN counts nothing",
        };
        f.write_str(text)
    }
}
