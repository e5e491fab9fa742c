//! The content hash of stimulus.

use std::fmt;

use content_hash::ContentHasher;
use pmu_model::CycleInput;
use serde::{Serialize, Serializer};

/// Hash of all cycles of some stimulus: XXH3 of 128 bits over their bytes, from cycle 0. It is shown as 32 hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StimulusHash(pub u128);

impl fmt::Display for StimulusHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl Serialize for StimulusHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Makes a [`StimulusHash`] from cycles as they come: that of a run from a seed is that of its file.
///
/// ```
/// use lockstep_stimulus::StimulusHasher;
/// use pmu_model::CycleInput;
///
/// let mut hasher = StimulusHasher::default();
/// hasher.update(&[CycleInput::reset()]);
/// assert_eq!(hasher.hash().to_string().len(), 32);
/// ```
#[derive(Clone, Default)]
pub struct StimulusHasher(ContentHasher);

impl StimulusHasher {
    /// Takes the next cycles.
    pub fn update(&mut self, cycles: &[CycleInput]) {
        self.0.update(bytemuck::cast_slice(cycles));
    }

    /// Takes the next cycles as bytes of another layout.
    pub(super) fn update_bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of the cycles taken so far.
    pub fn hash(&self) -> StimulusHash {
        StimulusHash(self.0.hash())
    }
}

impl fmt::Debug for StimulusHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StimulusHasher").field(&self.hash()).finish()
    }
}
