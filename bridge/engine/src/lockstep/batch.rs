//! The buffers of a batch, on its way from stimulus through design and model to the comparison.

use pmu_model::coverage::Coverage;
use pmu_model::{CycleInput, CycleOutput, Model, Unknown};

use super::compare::Divergence;
use super::delay::{Delay, cycles_before};
use super::ledger::Ledger;
use super::step::Cycles;
pub use crate::dut::BATCH;
use crate::dut::{Dut, Stop};
use lockstep_stimulus::{Checkpoint, Stimulus, StimulusError};

/// A batch of cycles.
pub struct Batch {
    /// Number of its first cycle.
    pub start: u64,
    cycles: usize,
    inputs: Vec<CycleInput>,
    /// Inputs that the model takes, if the design has a latency: where SPE is implemented, those that its group belongs to.
    taken: Vec<CycleInput>,
    /// Inputs that the access group belongs to, if the design has a latency.
    compared_inputs: Vec<CycleInput>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    rtl: Vec<CycleOutput>,
    /// The bytes that the design drew, which the model takes (DUT-61).
    random: Vec<u8>,
    stop: Option<Stop>,
    /// Its last cycle of reset, and the stimulus before the batch.
    reset: Option<(u64, Checkpoint)>,
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
            taken: Vec::new(),
            compared_inputs: Vec::new(),
            expected: vec![CycleOutput::default(); BATCH],
            unknown: vec![Unknown::default(); BATCH],
            rtl: vec![CycleOutput::default(); BATCH],
            random: vec![0; BATCH],
            stop: None,
            reset: None,
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
        let before = stimulus.checkpoint();
        self.start = start;
        self.stop = None;
        self.cycles = stimulus.fill(&mut self.inputs[..wanted])?;
        let last = self.inputs().iter().rposition(CycleInput::is_reset);
        self.reset = last.map(|index| (start + index as u64, before));
        Ok(self.cycles > 0)
    }

    /// Number of the last cycle of reset, if there is one, with the stimulus before the batch; once.
    pub fn take_reset(&mut self) -> Option<(u64, Checkpoint)> {
        self.reset.take()
    }

    /// The cycles' inputs.
    pub fn inputs(&self) -> &[CycleInput] {
        &self.inputs[..self.cycles]
    }

    /// Runs the design.
    pub fn drive(&mut self, dut: &mut dyn Dut) {
        let cycles = self.cycles;
        self.stop = dut
            .run(&self.inputs[..cycles], &mut self.rtl[..cycles])
            .err();
    }

    /// Has the design run it elsewhere.
    pub fn post(&self, dut: &mut dyn Dut) {
        dut.post(self.inputs());
    }

    /// Takes what came of it.
    pub fn take(&mut self, dut: &mut dyn Dut) {
        let cycles = self.cycles;
        self.stop = dut.take(&mut self.rtl[..cycles]).err();
    }

    /// Runs the model on what the design completed, with the bytes that the design drew, and delays it by the
    /// design's latency. With `coverage`, counts what the model takes.
    pub fn expect(
        &mut self,
        model: &mut Model,
        delay: &mut Delay,
        coverage: Option<&mut Coverage>,
    ) {
        let completed = self.completed();
        for (byte, output) in self.random.iter_mut().zip(&self.rtl[..completed]) {
            *byte = output.random_byte;
        }
        let inputs = &self.inputs[..completed];
        let expected = &mut self.expected[..completed];
        let unknown = &mut self.unknown[..completed];
        let (before, taken) = if delay.is_none() {
            (0, inputs)
        } else {
            (delay.take(inputs, &mut self.taken), &self.taken[..])
        };
        run(
            model,
            (&taken[before..], &self.random[before..completed]),
            (&mut expected[before..], &mut unknown[before..]),
            coverage,
        );
        if !delay.is_none() {
            self.compared_inputs.clone_from(&self.taken);
            delay.apply(&mut self.compared_inputs, expected, unknown);
        }
    }

    /// Cycles that the design completed.
    pub fn completed(&self) -> usize {
        self.stop
            .as_ref()
            .map_or(self.cycles, |stop| stop.completed)
    }

    /// Compares what the design completed, and enters it into the ledger.
    pub fn compare(&mut self, delay: &Delay, ledger: &mut Ledger) -> BatchResult {
        let (compared, divergence) = self.compare_from(self.start, delay, ledger);
        let stop = self.stop.take_if(|_| divergence.is_none());
        BatchResult {
            compared,
            divergence,
            stop,
        }
    }

    /// The same of what it completed from cycle `first` of the batch on: how many were compared, and the divergence that
    /// ended it.
    ///
    /// # Panics
    /// If `first` is none of its cycles.
    pub fn compare_from(
        &mut self,
        first: u64,
        delay: &Delay,
        ledger: &mut Ledger,
    ) -> (usize, Option<Box<Divergence>>) {
        let cycles = (first - self.start) as usize..self.completed();
        let (inputs, taken) = if delay.is_none() {
            (&self.inputs, &self.inputs)
        } else {
            (&self.compared_inputs, &self.taken)
        };
        Cycles {
            start: first,
            early: cycles_before(delay.depth() as u64, first, cycles.len()),
            inputs: &inputs[cycles.clone()],
            sampled: &taken[cycles.clone()],
            expected: &self.expected[cycles.clone()],
            unknown: &self.unknown[cycles.clone()],
            rtl: &mut self.rtl[cycles],
        }
        .compare(delay, ledger)
    }

    /// Why the design stopped, if it did and that is not told yet; once.
    pub fn take_stop(&mut self) -> Option<Stop> {
        self.stop.take()
    }
}

/// Runs the model on inputs with the bytes that the design drew. With `coverage`, counts what it takes.
fn run(
    model: &mut Model,
    (inputs, random): (&[CycleInput], &[u8]),
    (expected, unknown): (&mut [CycleOutput], &mut [Unknown]),
    coverage: Option<&mut Coverage>,
) {
    let Some(coverage) = coverage else {
        model.run(inputs, random, expected, unknown);
        return;
    };
    let outputs = expected.iter_mut().zip(unknown);
    for ((input, &byte), (output, unknown)) in inputs.iter().zip(random).zip(outputs) {
        model.step(input, byte, output, unknown, coverage);
    }
}
