//! The kinds of event that D14.4 tells apart.

use serde::{Deserialize, Serialize};

/// A kind of event, by how it counts. Where D14.3 defines an event's count for several PEs itself, as it does
/// for STALL_SLOT, the event is none of these (CYC-14, A-CYC-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Event {
    /// CPU_CYCLES, 0x0011.
    #[serde(rename = "CPU_CYCLES")]
    CpuCycles,
    /// STALL, 0x003C.
    #[serde(rename = "STALL")]
    Stall,
    /// STALL_FRONTEND, 0x0023.
    #[serde(rename = "STALL_FRONTEND")]
    StallFrontend,
    /// STALL_BACKEND, 0x0024.
    #[serde(rename = "STALL_BACKEND")]
    StallBackend,
    /// An event with the condition of STALL_FRONTEND and a second condition, such as STALL_FRONTEND_L1I.
    #[serde(rename = "STALL_FRONTEND_2ND")]
    StallFrontend2nd,
    /// An event with the condition of STALL_BACKEND and a second condition.
    #[serde(rename = "STALL_BACKEND_2ND")]
    StallBackend2nd,
    /// An event with the condition of STALL and a second condition.
    #[serde(rename = "STALL_2ND")]
    Stall2nd,
    /// An event that counts cycles under any other condition.
    #[serde(rename = "COND")]
    Cond,
    /// Any other event.
    #[serde(rename = "SUM")]
    Sum,
}

impl Event {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::CpuCycles,
        Self::Stall,
        Self::StallFrontend,
        Self::StallBackend,
        Self::StallFrontend2nd,
        Self::StallBackend2nd,
        Self::Stall2nd,
        Self::Cond,
        Self::Sum,
    ];

    /// What the kind counts.
    pub(super) const fn counts(self) -> Counts {
        match self {
            Self::CpuCycles => Counts::Cycles,
            Self::Stall => Counts::Stalls(Stall::Either, Second::True),
            Self::StallFrontend => Counts::Stalls(Stall::Frontend, Second::True),
            Self::StallBackend => Counts::Stalls(Stall::Backend, Second::True),
            Self::StallFrontend2nd => Counts::Stalls(Stall::Frontend, Second::Condition),
            Self::StallBackend2nd => Counts::Stalls(Stall::Backend, Second::Condition),
            Self::Stall2nd => Counts::Stalls(Stall::Either, Second::Condition),
            Self::Cond => Counts::Condition,
            Self::Sum => Counts::Sum,
        }
    }
}

/// What an event counts (D14.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// PE cycles.
    Cycles,
    /// PE cycles when a stall condition and a second condition are true.
    Stalls(Stall, Second),
    /// PE cycles when any other condition is true.
    Condition,
    /// Anything else.
    Sum,
}

/// The stall condition: that of STALL, STALL_FRONTEND or STALL_BACKEND.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stall {
    Either,
    Frontend,
    Backend,
}

/// The second condition (CYC-12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Second {
    /// The null TRUE condition of STALL, STALL_FRONTEND and STALL_BACKEND themselves.
    True,
    /// That of the event.
    Condition,
}
