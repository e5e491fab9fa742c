//! The lockstep loop.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};

use super::compare::{Divergence, differences, first_difference};
use super::delay::Delay;
use super::ledger::Ledger;
use crate::dut::{Dut, Stop};
use crate::stimulus::{Checkpoint as StimulusCheckpoint, Stimulus, StimulusError};

/// Cycles in a batch: long enough that a batch's fixed costs do not show, short enough for the caches.
pub const BATCH: usize = 1024;

/// Checkpoints kept besides that of the first cycle.
const CHECKPOINTS: usize = 3;

/// A place to start a re-run from: a batch in which the design is reset, which makes its state known.
#[derive(Clone)]
pub struct Checkpoint {
    /// First cycle of the batch.
    pub cycle: u64,
    /// The last cycle of reset in the batch: from here on RTL and model can be compared.
    pub reset: u64,
    /// The model before the batch.
    pub model: Model,
    /// The stimulus before the batch.
    pub stimulus: StimulusCheckpoint,
}

/// What a run listens to and shows while it goes on.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// Set from outside to end the run after the batch.
    pub interrupted: Arc<AtomicBool>,
    /// Cycles compared.
    pub progress: Arc<AtomicU64>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Everything that was compared agrees.
    Agree,
    /// RTL and model differ.
    Diverged(Box<Divergence>),
    /// The design stopped in a cycle.
    Stopped {
        /// The cycle that it did not complete.
        cycle: u64,
        /// Why.
        stop: Stop,
    },
    /// Interrupted from outside.
    Interrupted,
}

/// A run of design and model on one stimulus.
pub struct Lockstep {
    model: Model,
    dut: Box<dyn Dut>,
    stimulus: Stimulus,
    ledger: Ledger,
    delay: Delay,
    cycles: u64,
    origin: Checkpoint,
    checkpoints: VecDeque<Checkpoint>,
    batch: Batch,
}

/// The buffers of a batch.
struct Batch {
    inputs: Vec<CycleInput>,
    /// Inputs as the comparison sees them, if the design has a latency.
    compared_inputs: Vec<CycleInput>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    rtl: Vec<CycleOutput>,
}

impl Lockstep {
    /// Puts `dut` and the model of `implementation` side by side.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &Implementation,
        dut: Box<dyn Dut>,
        stimulus: Stimulus,
    ) -> Result<Self, pmu_model::ImplementationError> {
        let model = Model::new(implementation)?;
        let delay = Delay::new(&dut.parameters());
        let origin = Checkpoint {
            cycle: 0,
            reset: 0,
            model: model.clone(),
            stimulus: stimulus.checkpoint(),
        };
        Ok(Self {
            model,
            ledger: Ledger::new(implementation.pmu.counters),
            delay,
            dut,
            stimulus,
            cycles: 0,
            origin,
            checkpoints: VecDeque::with_capacity(CHECKPOINTS),
            batch: Batch {
                inputs: vec![CycleInput::default(); BATCH],
                compared_inputs: Vec::new(),
                expected: vec![CycleOutput::default(); BATCH],
                unknown: vec![Unknown::default(); BATCH],
                rtl: vec![CycleOutput::default(); BATCH],
            },
        })
    }

    /// Runs until `limit` cycles have been made in all, the stimulus ends, or something happens. `observe` sees
    /// the inputs of every batch, to hash and to record them.
    ///
    /// # Errors
    /// The stimulus cannot be read, or `observe` fails.
    pub fn run<E: From<StimulusError>>(
        &mut self,
        limit: u64,
        control: &Control,
        mut observe: impl FnMut(&[CycleInput]) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        while self.cycles < limit {
            if control.interrupted.load(Ordering::Relaxed) {
                return Ok(Outcome::Interrupted);
            }
            let wanted = usize::try_from(limit - self.cycles)
                .unwrap_or(BATCH)
                .min(BATCH);
            let before = (self.model.clone(), self.stimulus.checkpoint());
            let made = self.stimulus.fill(&mut self.batch.inputs[..wanted])?;
            if made == 0 {
                break;
            }
            observe(&self.batch.inputs[..made])?;
            self.note_reset(made, before);
            if let Some(outcome) = self.run_batch(made) {
                return Ok(outcome);
            }
            control.progress.store(self.cycles, Ordering::Relaxed);
        }
        Ok(Outcome::Agree)
    }

    /// Runs and compares the first `made` cycles of the buffers.
    fn run_batch(&mut self, made: usize) -> Option<Outcome> {
        let batch = &mut self.batch;
        let inputs = &batch.inputs[..made];
        let (expected, unknown) = (&mut batch.expected[..made], &mut batch.unknown[..made]);
        let stop = self.dut.run(inputs, &mut batch.rtl[..made]).err();
        let completed = stop.as_ref().map_or(made, |stop| stop.completed);
        self.model.run(inputs, expected, unknown);
        let inputs = if self.delay.is_none() {
            inputs
        } else {
            batch.compared_inputs.clear();
            batch.compared_inputs.extend_from_slice(inputs);
            self.delay
                .apply(&mut batch.compared_inputs, expected, unknown);
            &batch.compared_inputs
        };
        let (inputs, expected) = (&inputs[..completed], &expected[..completed]);
        let (unknown, rtl) = (&unknown[..completed], &batch.rtl[..completed]);
        let diverged = first_difference(expected, unknown, rtl);
        let compared = diverged.map_or(completed, |k| k + 1);
        self.ledger.enter(
            &inputs[..compared],
            &expected[..compared],
            &unknown[..compared],
        );
        let start = self.cycles;
        self.cycles += compared as u64;
        if let Some(k) = diverged {
            let differences = differences(&expected[k], &unknown[k], &rtl[k]);
            let cycle = start + k as u64;
            return Some(Outcome::Diverged(Box::new(Divergence {
                cycle,
                about: cycle.saturating_sub(self.delay.of(differences.first())),
                input: inputs[k],
                expected: expected[k],
                rtl: rtl[k],
                unknown: unknown[k],
                differences,
            })));
        }
        stop.map(|stop| Outcome::Stopped {
            cycle: self.cycles,
            stop,
        })
    }

    /// Keeps a checkpoint if the batch has a reset.
    fn note_reset(&mut self, made: usize, before: (Model, StimulusCheckpoint)) {
        let Some(index) = self.batch.inputs[..made]
            .iter()
            .rposition(CycleInput::is_reset)
        else {
            return;
        };
        if self.checkpoints.len() == CHECKPOINTS {
            self.checkpoints.pop_front();
        }
        let (model, stimulus) = before;
        let cycle = self.cycles;
        let reset = cycle + index as u64;
        self.checkpoints.push_back(Checkpoint {
            cycle,
            reset,
            model,
            stimulus,
        });
    }

    /// Cycles run and compared.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// What has been compared.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The stimulus, for a re-run.
    pub fn stimulus(&self) -> &Stimulus {
        &self.stimulus
    }

    /// Places to start a re-run of `cycle` from, the nearest first; the last is the first cycle of the run.
    pub fn checkpoints(&self, cycle: u64) -> Vec<Checkpoint> {
        let kept = self
            .checkpoints
            .iter()
            .rev()
            .filter(|checkpoint| checkpoint.reset <= cycle);
        kept.cloned().chain([self.origin.clone()]).collect()
    }
}
