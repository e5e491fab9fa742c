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
    /// Event counters are zeroed by PMCR_EL0.C instead of P.
    EventResetByC,
    /// The cycle counter is zeroed by PMCR_EL0.P instead of C.
    CycleResetByP,
    /// PMCR_EL0.P and C are swapped.
    ResetsSwapped,
    /// A reset leaves these registers.
    NotReset(Kept),
    /// Bits 63:32 of a counter that is read are those after the cycle.
    UpperReadsNext,
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
    /// CHAIN counts an overflow that is lost to a write of PMCR_EL0.P.
    ChainOfCleared,
    /// CHAIN counts an overflow that is lost to any write.
    ChainOfWritten,
}

/// Registers that a reset may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// PMSELR_EL0.
    Select,
    /// PMCNTENSET_EL0.
    Enables,
    /// PMCR_EL0.E and LP.
    Control,
    /// `PMEVTYPER<n>_EL0`.
    Types,
    /// PMCCFILTR_EL0.
    CycleFilter,
    /// SPMSELR_EL0.
    SystemSelect,
    /// The registers of System PMUs.
    System,
    /// PMSIRR_EL1.
    Interval,
    /// PMBSR_ELx, but for COLL.
    Buffer,
}

impl Kept {
    const ALL: [Self; 9] = [
        Self::Select,
        Self::Enables,
        Self::Control,
        Self::Types,
        Self::CycleFilter,
        Self::SystemSelect,
        Self::System,
        Self::Interval,
        Self::Buffer,
    ];

    fn words(self) -> &'static str {
        match self {
            Self::Select => "PMSELR_EL0",
            Self::Enables => "PMCNTENSET_EL0",
            Self::Control => "PMCR_EL0",
            Self::Types => "PMEVTYPER<n>_EL0",
            Self::CycleFilter => "PMCCFILTR_EL0",
            Self::SystemSelect => "SPMSELR_EL0",
            Self::System => "the registers of System PMUs",
            Self::Interval => "PMSIRR_EL1",
            Self::Buffer => "PMBSR_ELx",
        }
    }
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
            Self::EventResetByC,
            Self::CycleResetByP,
            Self::ResetsSwapped,
            Self::UpperReadsNext,
            Self::ChainOfCleared,
            Self::ChainOfWritten,
        ];
        all.extend(Kept::ALL.map(Self::NotReset));
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
            Self::NotReset(kept) => return write!(f, "a reset does not clear {}", kept.words()),
            Self::EventResetByC => "event counters are zeroed by PMCR_EL0.C instead of P",
            Self::CycleResetByP => "the cycle counter is zeroed by PMCR_EL0.P instead of C",
            Self::ResetsSwapped => "PMCR_EL0.P and C are swapped",
            Self::UpperReadsNext => {
                "a read of a counter returns bits 63:32 of after the cycle beside bits 31:0 of before: the halves are torn"
            }
            Self::ChainOfCleared => {
                "CHAIN counts an overflow of a counter that PMCR_EL0.P zeroes in the same cycle"
            }
            Self::ChainOfWritten => {
                "CHAIN counts an overflow that is lost to a write of the counter"
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
