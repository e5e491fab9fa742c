//! Bits of a signal.

/// Bits of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Its number.
    pub signal: u32,
    /// The lowest bit.
    pub low: u32,
    /// How many; [`u32::MAX`] for all.
    pub width: u32,
}

impl Span {
    /// All of a signal.
    pub const fn whole(signal: u32) -> Self {
        Self {
            signal,
            low: 0,
            width: u32::MAX,
        }
    }

    /// Whether all bits of the other are among these.
    pub fn covers(&self, other: &Self) -> bool {
        self.signal == other.signal
            && self.low <= other.low
            && other.low.saturating_add(other.width) <= self.low.saturating_add(self.width)
    }

    /// Whether both have a bit in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.signal == other.signal
            && self.low < other.low.saturating_add(other.width)
            && other.low < self.low.saturating_add(self.width)
    }
}
