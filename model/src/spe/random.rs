//! The bytes of the random number generator. It is IMPLEMENTATION DEFINED (D17.3.2), so that the harness
//! supplies what the design drew, and the model says how many it needed (SPE-30).

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

    /// SPE-30: the next byte.
    pub fn draw(&mut self) -> Result<u8, MissingRandom> {
        let byte = self.bytes.get(self.drawn).ok_or(MissingRandom {
            supplied: self.bytes.len(),
        })?;
        self.drawn += 1;
        Ok(*byte)
    }

    /// Bytes drawn.
    pub fn drawn(&self) -> usize {
        self.drawn
    }
}
