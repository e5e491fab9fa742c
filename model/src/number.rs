//! Numbers of registers, of which there are only so many.

use std::fmt;

/// A number from `FIRST` to `LAST`, such as *n* of `PMEVTYPER<n>_EL0`.
///
/// ```
/// use pmu_model::{Number, SysReg};
///
/// assert_eq!(SysReg::pmevtyper(30), Some(SysReg::Pmevtyper(Number::at::<30>())));
/// assert_eq!(SysReg::pmevtyper(31), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Number<const FIRST: u8, const LAST: u8>(u8);

impl<const FIRST: u8, const LAST: u8> Number<FIRST, LAST> {
    /// The number `n`, if it is one of these.
    pub const fn new(n: u8) -> Option<Self> {
        if FIRST <= n && n <= LAST {
            Some(Self(n))
        } else {
            None
        }
    }

    /// A number that is known when the program is compiled, and checked then.
    pub const fn at<const N: u8>() -> Self {
        const { assert!(FIRST <= N && N <= LAST) };
        Self(N)
    }

    /// The number.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// All of them, in order.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        (FIRST..=LAST).map(Self)
    }
}

impl<const FIRST: u8, const LAST: u8> fmt::Debug for Number<FIRST, LAST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const FIRST: u8, const LAST: u8> fmt::Display for Number<FIRST, LAST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<const FIRST: u8, const LAST: u8> PartialEq<u8> for Number<FIRST, LAST> {
    fn eq(&self, other: &u8) -> bool {
        self.0 == *other
    }
}

impl<const FIRST: u8, const LAST: u8> PartialOrd<u8> for Number<FIRST, LAST> {
    fn partial_cmp(&self, other: &u8) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

macro_rules! into {
    ($($integer:ty)+) => {
        $(impl<const FIRST: u8, const LAST: u8> From<Number<FIRST, LAST>> for $integer {
            fn from(number: Number<FIRST, LAST>) -> Self {
                number.0.into()
            }
        })+
    };
}

into!(u8 u16 u32 u64 usize);
