//! The parts of registers that accesses reach.

/// The half of a register that an access reaches: the numbers of [`Site::View`](super::Site::View).
#[derive(Clone, Copy, PartialEq)]
pub(super) enum View {
    Whole,
    Low,
    High,
}

impl View {
    pub(super) fn from_number(number: usize) -> Self {
        match number {
            0 => Self::Whole,
            1 => Self::Low,
            _ => Self::High,
        }
    }

    /// What is read of a register.
    pub(super) fn of(self, value: u64) -> u64 {
        match self {
            Self::Whole => value,
            Self::Low => value & 0xFFFF_FFFF,
            Self::High => value >> 32,
        }
    }

    /// What a register is after a write.
    pub(super) fn with(self, old: u64, data: u64) -> u64 {
        match self {
            Self::Whole => data,
            Self::Low => old >> 32 << 32 | data & 0xFFFF_FFFF,
            Self::High => old & 0xFFFF_FFFF | data << 32,
        }
    }
}
