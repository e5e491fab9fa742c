//! A write a cycle early, a cycle late.

use std::fmt;

/// A mistake of timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// A write takes effect in its own cycle.
    WriteEarly,
    /// A write takes effect a cycle later.
    WriteLate,
}

impl Timing {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::WriteEarly, Self::WriteLate];
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WriteEarly => "a write takes effect one cycle early",
            Self::WriteLate => "a write takes effect one cycle late",
        })
    }
}
