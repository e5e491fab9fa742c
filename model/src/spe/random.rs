//! The bytes of the random number generator. It is IMPLEMENTATION DEFINED (D17.3.2), so that the harness
//! supplies what the design drew, and the model says how many it needed (SPE-30).

use std::convert::Infallible;

/// The model draws a byte that the harness did not supply. It tells of the harness, or of a design that did
/// not draw when it had to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected more than {supplied} random bytes in this cycle (one per load with RND = 1 and no ERnd, one per \
     expiry of COUNT with RND = 1 and ERnd); supply what the design drew, in order of use"
)]
pub struct MissingRandom {
    /// Bytes supplied for the cycle, all of them drawn before.
    pub supplied: usize,
}

/// Where the bytes come from.
pub(super) trait Random {
    /// Why there may be none.
    type Missing;

    /// SPE-30: the next byte.
    fn draw(&mut self) -> Result<u8, Self::Missing>;

    /// Bytes drawn.
    fn drawn(&self) -> usize;
}

/// The bytes that the generator returns in one cycle, in order of use.
#[derive(Clone, Debug)]
pub(super) struct RandomBytes<'a> {
    bytes: &'a [u8],
    drawn: usize,
}

impl<'a> RandomBytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, drawn: 0 }
    }
}

impl Random for RandomBytes<'_> {
    type Missing = MissingRandom;

    fn draw(&mut self) -> Result<u8, MissingRandom> {
        let byte = self.bytes.get(self.drawn).ok_or(MissingRandom {
            supplied: self.bytes.len(),
        })?;
        self.drawn += 1;
        Ok(*byte)
    }

    fn drawn(&self) -> usize {
        self.drawn
    }
}

/// A generator that is asked at most once in a cycle: an interval that is known lasts longer than the operations
/// of a cycle (DUT-61). While it is UNKNOWN (SPE-29) nothing of a second draw is compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct OneByte {
    byte: u8,
    drawn: usize,
}

impl OneByte {
    pub fn new(byte: u8) -> Self {
        Self { byte, drawn: 0 }
    }
}

impl Random for OneByte {
    type Missing = Infallible;

    #[inline(always)]
    fn draw(&mut self) -> Result<u8, Infallible> {
        self.drawn += 1;
        Ok(self.byte)
    }

    #[inline(always)]
    fn drawn(&self) -> usize {
        self.drawn
    }
}
