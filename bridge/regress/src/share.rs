//! Parts of a whole.

use serde::{Deserialize, Serialize};

/// How much of a whole was hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The part.
    pub hit: usize,
    /// The whole.
    pub of: usize,
}

impl Share {
    /// What is not hit.
    pub fn missing(self) -> usize {
        self.of.saturating_sub(self.hit)
    }

    /// In hundredths, rounded down: all is 100 and nothing less.
    pub fn percent(self) -> usize {
        100 * self.hit / self.of.max(1)
    }
}
