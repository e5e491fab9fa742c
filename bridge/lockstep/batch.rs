//! The buffers of a batch, on its way from stimulus through model and design to the comparison.

use pmu_model::{CycleInput, CycleOutput, Model, Unknown};

use super::compare::{Divergence, differences, first_difference};
use super::delay::Delay;
use super::ledger::Ledger;
use crate::dut::{Dut, Stop};
use crate::stimulus::{Stimulus, StimulusError};

/// Cycles in a batch: long enough that a batch's fixed costs do not show, short enough for the caches.
pub const BATCH: usize = 4096;

/// A batch of cycles.
pub struct Batch {
    /// Number of its first cycle.
    pub start: u64,
    cycles: usize,
    inputs: Vec<CycleInput>,
    /// Inputs as the comparison sees them, if the design has a latency.
    compared_inputs: Vec<CycleInput>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    rtl: Vec<CycleOutput>,
    stop: Option<Stop>,
}

/// What the comparison of a batch found.
pub struct BatchResult {
    /// Cycles compared.
    pub compared: usize,
    /// The first divergence.
    pub divergence: Option<Box<Divergence>>,
    /// Why the design stopped, if it did before any divergence.
    pub stop: Option<Stop>,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            start: 0,
            cycles: 0,
            inputs: vec![CycleInput::default(); BATCH],
            compared_inputs: Vec::new(),
            expected: vec![CycleOutput::default(); BATCH],
            unknown: vec![Unknown::default(); BATCH],
            rtl: vec![CycleOutput::default(); BATCH],
            stop: None,
        }
    }
}

impl Batch {
    /// Takes the next cycles of `stimulus`, at most `wanted`.
    ///
    /// # Returns
    /// Whether there were any.
    ///
    /// # Errors
    /// The stimulus cannot be read.
    pub fn fill(
        &mut self,
        stimulus: &mut Stimulus,
        start: u64,
        wanted: u64,
    ) -> Result<bool, StimulusError> {
        let wanted = usize::try_from(wanted).unwrap_or(BATCH).min(BATCH);
        self.start = start;
        self.stop = None;
        self.cycles = stimulus.fill(&mut self.inputs[..wanted])?;
        Ok(self.cycles > 0)
    }

    /// The cycles' inputs.
    pub fn inputs(&self) -> &[CycleInput] {
        &self.inputs[..self.cycles]
    }

    /// Number of the last cycle of reset.
    pub fn last_reset(&self) -> Option<u64> {
        let index = self.inputs().iter().rposition(CycleInput::is_reset)?;
        Some(self.start + index as u64)
    }

    /// Runs the model, and delays it by the design's latency.
    pub fn expect(&mut self, model: &mut Model, delay: &mut Delay) {
        let (expected, unknown) = (
            &mut self.expected[..self.cycles],
            &mut self.unknown[..self.cycles],
        );
        model.run(
            &self.inputs[..self.cycles],
            &vec![0; self.cycles],
            expected,
            unknown,
        );
        if !delay.is_none() {
            self.compared_inputs.clear();
            self.compared_inputs
                .extend_from_slice(&self.inputs[..self.cycles]);
            delay.apply(&mut self.compared_inputs, expected, unknown);
        }
    }

    /// Runs the design.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        let cycles = self.cycles;
        self.stop = dut
            .run(&self.inputs[..cycles], &mut self.rtl[..cycles])
            .err();
    }

    /// Compares what the design completed, and enters it into the ledger.
    pub fn compare(&mut self, delay: &Delay, ledger: &mut Ledger) -> BatchResult {
        let stop = self.stop.take();
        let completed = stop.as_ref().map_or(self.cycles, |stop| stop.completed);
        let inputs = if delay.is_none() {
            &self.inputs
        } else {
            &self.compared_inputs
        };
        let (inputs, expected) = (&inputs[..completed], &self.expected[..completed]);
        let (unknown, rtl) = (&self.unknown[..completed], &self.rtl[..completed]);
        // What a design shows before the outputs of the first cycle come out is its own business (DUT-03).
        let early = delay
            .depth()
            .saturating_sub(usize::try_from(self.start).unwrap_or(usize::MAX));
        let early = early.min(completed);
        let diverged = first_difference(&expected[early..], &unknown[early..], &rtl[early..])
            .map(|k| k + early);
        let compared = diverged.map_or(completed, |k| k + 1);
        ledger.enter(
            &inputs[..compared],
            &expected[..compared],
            &unknown[..compared],
        );
        let divergence = diverged.map(|k| {
            let differences = differences(&expected[k], &unknown[k], &rtl[k]);
            let cycle = self.start + k as u64;
            Box::new(Divergence {
                cycle,
                about: cycle.saturating_sub(delay.of(differences.first())),
                input: inputs[k],
                expected: expected[k],
                rtl: rtl[k],
                unknown: unknown[k],
                differences,
            })
        });
        let stop = stop.filter(|_| divergence.is_none());
        BatchResult {
            compared,
            divergence,
            stop,
        }
    }
}
