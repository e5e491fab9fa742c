//! The cycles that hypotheses are tested on.

use pmu_model::{CycleInput, CycleOutput};

/// Most cycles of a recording up to the divergence.
pub const MOST: usize = 32_768;
/// Cycles after the divergence that every hypothesis is tested on, where the stimulus goes on.
pub const NEAR: usize = 1024;
/// Cycles after those, for hypotheses that cannot be told apart before.
pub const FAR: usize = 15 * 1024;

/// What went into the design and what it did, from a reset to beyond the divergence.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Number of the first cycle, which is one of reset.
    pub first: u64,
    /// The inputs.
    pub inputs: Vec<CycleInput>,
    /// The design's outputs.
    pub rtl: Vec<CycleOutput>,
    /// Index of the divergent cycle.
    pub divergent: usize,
    /// The longest latency that the design states, in cycles.
    pub latency: usize,
}

impl Recording {
    /// Appends cycles. What is older than a reset goes when there are more than 32,768.
    pub fn append(&mut self, inputs: &[CycleInput], rtl: &[CycleOutput]) {
        self.inputs.extend_from_slice(inputs);
        self.rtl.extend_from_slice(rtl);
        if self.inputs.len() > MOST
            && let Some(reset) = self.inputs.iter().rposition(CycleInput::is_reset)
        {
            self.forget(reset);
        }
    }

    /// Forgets the first `cycles` cycles.
    pub fn forget(&mut self, cycles: usize) {
        self.inputs.drain(..cycles);
        self.rtl.drain(..cycles);
        self.first += cycles as u64;
    }

    /// The same, up to [`NEAR`] cycles after the divergence.
    pub fn near(&self) -> Self {
        let end = self
            .divergent
            .saturating_add(1 + NEAR)
            .min(self.inputs.len());
        Self {
            inputs: self.inputs[..end].to_vec(),
            rtl: self.rtl[..end].to_vec(),
            ..*self
        }
    }

    /// The bytes that the design drew (DUT-61); `None` if there are no cycles, or the first is not one of reset.
    pub fn random(&self) -> Option<Vec<u8>> {
        self.inputs.first().filter(|input| input.is_reset())?;
        Some(self.rtl.iter().map(|output| output.random_byte).collect())
    }
}
