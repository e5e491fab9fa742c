//! Wrong indices and wrong bits: of events, of counters, of the type that is stored.

use std::fmt;

use super::added;

/// A wrong index, or wrong bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// The lane after or before the one of the event.
    Lane(i8),
    /// The number of the event has so many bits where a lane is selected.
    LaneBits(u8),
    /// evtCount has so many bits where it is told whether it is that of a lane.
    EventBits(u8),
    /// A bit of every lane is stuck.
    Stuck(u8, bool),
    /// Two bits of every lane that are beside each other are swapped.
    Swapped(u8),
    /// The bytes of every lane are swapped.
    BytesSwapped,
    /// The enable of the counter after or before.
    Enable(i8),
    /// V of the counter after or before is shown.
    Shown(i8),
    /// PMXEVTYPER_EL0 and PMXEVCNTR_EL0 use SEL of before its last write.
    StaleSel,
    /// The same for PMXEVTYPER_EL0 alone.
    StaleSelOfType,
    /// PMXEVCNTR_EL0 with SEL 31 is PMCCNTR_EL0.
    CycleCounterBySel,
    /// PMXEVTYPER_EL0 with SEL 31 is UNDEFINED.
    NoFilterBySel,
    /// A nibble of RES0 bits of a type is stored, by its lowest bit.
    Res0Stored(u8),
    /// TLC of an even counter is stored, and has no effect.
    LinkStoredOnEven,
    /// A write of a type leaves its bits 63:32.
    TypeUpperLost,
    /// A read of a type has zeros in bits 63:32.
    TypeUpperReadsZero,
    /// PMMIR_EL1.EDGE is that value.
    MmirEdge(u8),
    /// A write of a read-only register is permitted, and ignored.
    ReadOnlyOk,
}

impl Indices {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let mut all = vec![
            Self::Lane(1),
            Self::Lane(-1),
            Self::BytesSwapped,
            Self::Enable(1),
            Self::Enable(-1),
            Self::Shown(1),
            Self::Shown(-1),
            Self::StaleSel,
            Self::StaleSelOfType,
            Self::CycleCounterBySel,
            Self::NoFilterBySel,
            Self::ReadOnlyOk,
            Self::LinkStoredOnEven,
            Self::TypeUpperLost,
            Self::TypeUpperReadsZero,
        ];
        all.extend((1..6).map(Self::LaneBits));
        // ETY-02 divides evtCount at bit 10.
        all.extend([8, 10, 14, 15].map(Self::EventBits));
        all.extend((0..16).flat_map(|bit| [Self::Stuck(bit, false), Self::Stuck(bit, true)]));
        all.extend((0..15).map(Self::Swapped));
        all.extend([16, 44, 48].map(Self::Res0Stored));
        all.extend((0..3).map(Self::MmirEdge));
        all
    }
}

impl fmt::Display for Indices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Lane(by) => write!(f, "the event lane is that of evtCount {}", added(by)),
            Self::LaneBits(bits) => write!(f, "the number of a lane is cut to {bits} bits"),
            Self::EventBits(bits) => write!(f, "evtCount is cut to {bits} bits: those above them are ignored"),
            Self::Stuck(bit, value) => {
                write!(f, "bit {bit} of every event lane is stuck at {}", u8::from(value))
            }
            Self::Swapped(bit) => {
                write!(f, "bits {bit} and {} of every event lane are swapped", bit + 1)
            }
            Self::BytesSwapped => f.write_str("the bytes of every event lane are swapped"),
            Self::Enable(by) => write!(f, "counter n is enabled by PMCNTENSET_EL0.P<n{by:+}>"),
            Self::Shown(by) => write!(f, "V[n] is that of counter n{by:+}"),
            Self::StaleSel => f.write_str(
                "PMXEVTYPER_EL0 and PMXEVCNTR_EL0 use PMSELR_EL0.SEL as it was before its last write",
            ),
            Self::StaleSelOfType => {
                f.write_str("PMXEVTYPER_EL0 uses PMSELR_EL0.SEL as it was before its last write")
            }
            Self::CycleCounterBySel => f.write_str("PMXEVCNTR_EL0 with SEL 31 is PMCCNTR_EL0"),
            Self::NoFilterBySel => f.write_str("PMXEVTYPER_EL0 with SEL 31 is UNDEFINED"),
            Self::Res0Stored(low) => write!(
                f,
                "bits {}:{low} of PMEVTYPER<n>_EL0, which are RES0, are stored",
                low + 3
            ),
            Self::LinkStoredOnEven => {
                f.write_str("PMEVTYPER<n>_EL0.TLC of an even counter is stored, and has no effect")
            }
            Self::TypeUpperLost => {
                f.write_str("a write of PMEVTYPER<n>_EL0 does not reach its bits 63:32")
            }
            Self::TypeUpperReadsZero => {
                f.write_str("a read of PMEVTYPER<n>_EL0 has zeros in bits 63:32")
            }
            Self::MmirEdge(value) => write!(f, "PMMIR_EL1.EDGE is {value}"),
            Self::ReadOnlyOk => {
                f.write_str("a write of a read-only register is OK instead of UNDEFINED")
            }
        }
    }
}
