//! A cycle early, a cycle late.

use std::fmt;

use pmu_model::CycleOutput;

/// A mistake of timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Increments come so many cycles later.
    Increments(i8),
    /// Data and outcome of accesses come so many cycles later.
    Access(i8),
    /// Group SPE comes so many cycles later.
    Sampling(i8),
    /// A write takes effect in its own cycle.
    WriteEarly,
    /// A write takes effect a cycle later.
    WriteLate,
}

impl Timing {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Increments(1),
        Self::Increments(-1),
        Self::Access(1),
        Self::Access(-1),
        Self::Sampling(1),
        Self::Sampling(-1),
        Self::WriteEarly,
        Self::WriteLate,
    ];

    /// Whether outputs are those of the cycle after.
    pub fn is_early(self) -> bool {
        matches!(
            self,
            Self::Increments(-1) | Self::Access(-1) | Self::Sampling(-1)
        )
    }

    /// The output of cycle `k`, if it is only late or early.
    pub fn shifted(self, outputs: &[CycleOutput], k: usize) -> Option<CycleOutput> {
        let by = match self {
            Self::Increments(by) | Self::Access(by) | Self::Sampling(by) => by,
            Self::WriteEarly | Self::WriteLate => return None,
        };
        let other = k
            .checked_add_signed(-isize::from(by))
            .and_then(|other| outputs.get(other))
            .copied()
            .unwrap_or_default();
        let mut output = outputs[k];
        match self {
            Self::Increments(_) => output.increment = other.increment,
            Self::Access(_) => {
                output.access_data = other.access_data;
                output.access_outcome = other.access_outcome;
                output.trap_iss = other.trap_iss;
            }
            _ => {
                let (access, increment) = (output, output.increment);
                output = CycleOutput {
                    increment,
                    access_data: access.access_data,
                    access_outcome: access.access_outcome,
                    reserved: access.reserved,
                    trap_iss: access.trap_iss,
                    ..other
                };
            }
        }
        Some(output)
    }
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, by) = match *self {
            Self::Increments(by) => ("increments are shown", by),
            Self::Access(by) => ("data and outcome of accesses are shown", by),
            Self::Sampling(by) => ("the outputs of sampling are shown", by),
            Self::WriteEarly => ("a write takes effect", -1),
            Self::WriteLate => ("a write takes effect", 1),
        };
        let when = if by > 0 { "late" } else { "early" };
        write!(f, "{what} one cycle {when}")
    }
}
