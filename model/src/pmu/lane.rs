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

/// An unsigned value that can also be a mask: a number, or symbols that stand for all of them. `u16` is wide enough for
/// the contract's event lanes; wider numbers exist for base values that the text leaves unbounded (A-TH-15).
pub trait Lane:
    Copy
    + Default
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
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

    /// Whether the values are equal, as a mask.
    fn equal(self, other: Self) -> Self;

    /// Whether this value is less than the other, both unsigned, as a mask.
    fn less(self, other: Self) -> Self;

    /// `bits`, a mask of 32 counters, as one mask a lane.
    fn expand(bits: u32) -> Lanes<Self>;

    /// For every odd lane the value of the even lane below it, and 0 for every even one. An even lane that has none
    /// above it is linked to by nobody (TH-51).
    fn below(lanes: &Lanes<Self>) -> Lanes<Self>;
}

macro_rules! lane {
    ($type:ty, $below:expr) => {
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
            fn equal(self, other: Self) -> Self {
                Self::mask(self == other)
            }

            #[inline(always)]
            fn less(self, other: Self) -> Self {
                Self::mask(self < other)
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

            #[inline(always)]
            fn below(lanes: &Lanes<Self>) -> Lanes<Self> {
                $below(lanes)
            }
        }
    };
}

/// A pair of lanes of 16 bits is one number of 32 bits, in which the even lane moves up.
#[inline(always)]
fn below_in_pairs(lanes: &Lanes<u16>) -> Lanes<u16> {
    let mut pairs: [u32; COUNTER_LANES / 2] = bytemuck::cast(*lanes);
    for pair in &mut pairs {
        *pair = if cfg!(target_endian = "little") {
            *pair << 16
        } else {
            *pair >> 16
        };
    }
    bytemuck::cast(pairs)
}

#[inline(always)]
fn below_one_by_one(values: &Lanes<u64>) -> Lanes<u64> {
    lanes(|n| if n % 2 == 1 { values[n - 1] } else { 0 })
}

lane!(u16, below_in_pairs);
lane!(u64, below_one_by_one);
