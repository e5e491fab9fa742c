//! Values of one counter in arrays of counters, with conditions as all-ones or all-zero masks, so that
//! plain loops over the arrays become vector instructions.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::contract::COUNTER_LANES;

/// An array with one value a counter.
pub type Lanes<L> = [L; COUNTER_LANES];

/// An array made lane by lane. `std::array::from_fn` would do the same, but it is a function of its own, and
/// not compiled for the instructions of the machine that its caller is compiled for.
#[inline(always)]
pub fn lanes<L: Copy + Default>(value: impl Fn(usize) -> L) -> Lanes<L> {
    let mut lanes = [L::default(); COUNTER_LANES];
    for (n, lane) in lanes.iter_mut().enumerate() {
        *lane = value(n);
    }
    lanes
}

/// An unsigned value that can also be a mask. `u16` is wide enough for the contract's event lanes; wider
/// ones exist for base values that the text leaves unbounded (A-TH-15).
pub trait Lane:
    Copy
    + Default
    + Ord
    + Into<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
{
    /// 0: also the mask for "false".
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// All ones: the mask for "true".
    const TRUE: Self;

    /// All ones or zero.
    fn mask(condition: bool) -> Self;

    /// A TH value.
    fn from_th(value: u16) -> Self;

    /// `bits`, a mask of 32 counters, as one mask a lane.
    fn expand(bits: u32) -> Lanes<Self>;
}

macro_rules! lane {
    ($type:ty) => {
        impl Lane for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const TRUE: Self = Self::MAX;

            #[inline(always)]
            fn mask(condition: bool) -> Self {
                if condition { Self::MAX } else { 0 }
            }

            #[inline(always)]
            fn from_th(value: u16) -> Self {
                Self::from(value)
            }

            #[inline(always)]
            fn expand(bits: u32) -> Lanes<Self> {
                let mut lanes = [0; COUNTER_LANES];
                for (half, lanes) in lanes.chunks_exact_mut(16).enumerate() {
                    let bits = (bits >> (16 * half)) as u16;
                    for (i, lane) in lanes.iter_mut().enumerate() {
                        *lane = Self::mask(bits & 1 << i != 0);
                    }
                }
                lanes
            }
        }
    };
}

lane!(u16);
lane!(u64);
