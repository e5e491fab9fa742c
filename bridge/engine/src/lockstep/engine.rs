//! The lockstep loop.

use std::collections::VecDeque;
use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pmu_model::coverage::Coverage;
use pmu_model::{CycleInput, Implementation, Model};

use super::batch::{Batch, BatchResult};
use super::compare::Divergence;
use super::delay::Delay;
use super::further::{Beyond, Further};
use super::ledger::Ledger;
use super::pipeline::Runner;
use crate::dut::{Dut, Stop};
use crate::lockstep::waivers::Waivers;
use lockstep_stimulus::{Checkpoint as StimulusCheckpoint, Stimulus, StimulusError};

/// Of the checkpoints, how many of the last are all kept. Those before them get rarer, the further back they are.
const CHECKPOINTS: usize = 6;

/// A place to start a re-run from: a batch in which the design is reset, which makes its state known.
#[derive(Clone)]
pub struct Checkpoint {
    /// First cycle of the batch.
    pub cycle: u64,
    /// The last cycle of reset in the batch: from here on RTL and model can be compared.
    pub reset: u64,
    /// The model before the batch.
    pub model: Model,
    /// What is delayed before the batch.
    pub delay: Delay,
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
    runner: Runner,
    stimulus: Stimulus,
    ledger: Ledger,
    coverage: Option<Box<Coverage>>,
    delay: Delay,
    /// Whether the run goes on after a divergence.
    keep_going: bool,
    /// What came after the first divergence, if it does.
    beyond: Option<Box<Beyond>>,
    /// Cycles compared.
    cycles: u64,
    /// Cycles made: the design may not have come to them yet.
    made: u64,
    origin: Checkpoint,
    checkpoints: VecDeque<Checkpoint>,
    /// Buffers that are not on their way.
    spare: Vec<Batch>,
    on_their_way: usize,
}

impl Lockstep {
    /// Puts `dut` and the model of `implementation` side by side. With `threads` of 2 the design has a thread of its
    /// own.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &Implementation,
        dut: Box<dyn Dut>,
        mut stimulus: Stimulus,
        threads: usize,
    ) -> Result<Self, pmu_model::ImplementationError> {
        let model = Model::new(implementation)?;
        let delay = Delay::new(&dut.parameters());
        let origin = Checkpoint {
            cycle: 0,
            reset: 0,
            model: model.clone(),
            delay: delay.clone(),
            stimulus: stimulus.checkpoint(),
        };
        let runner = Runner::new(dut, threads);
        let spare = (0..runner.depth()).map(|_| Batch::default()).collect();
        Ok(Self {
            model,
            ledger: Ledger::new(implementation),
            coverage: None,
            delay,
            runner,
            stimulus,
            keep_going: false,
            beyond: None,
            cycles: 0,
            made: 0,
            origin,
            checkpoints: VecDeque::with_capacity(CHECKPOINTS),
            spare,
            on_their_way: 0,
        })
    }

    /// Counts from here on which rules and crosses the model takes, to the end of each batch. The model is slower for
    /// it.
    pub fn cover(&mut self) {
        let coverage = Coverage::new(self.model.implementation());
        self.coverage = Some(Box::new(coverage));
    }

    /// Accepts the differences of `waivers` from here on.
    pub fn accept(&mut self, waivers: Waivers) {
        self.ledger.accept(waivers);
    }

    /// Counts waivers that another run, of the same design from another initial state, needed as needed here.
    pub fn credit(&mut self, other: &Self) {
        self.ledger.credit(&other.ledger);
    }

    /// Goes on after a divergence from the next reset on, to the end of the run, whose outcome is the first divergence all
    /// the same.
    pub fn keep_going(&mut self) {
        self.keep_going = true;
    }

    /// Runs until `limit` cycles have been made in all, the stimulus ends, or something happens. `observe` sees
    /// the inputs of every batch that is compared, to hash and to record them.
    ///
    /// # Errors
    /// The stimulus cannot be read, or `observe` fails.
    pub fn run<E: From<StimulusError> + Display>(
        &mut self,
        limit: u64,
        control: &Control,
        observe: impl FnMut(&[CycleInput]) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        let outcome = self.go(limit, control, observe);
        // What is still on its way after an early end does not count.
        while self.on_their_way > 0 {
            let batch = self.receive();
            self.spare.push(batch);
        }
        let Some(beyond) = &mut self.beyond else {
            return outcome;
        };
        // A divergence that was found stands, however the run ends.
        beyond.further.ended = match outcome {
            Ok(Outcome::Agree | Outcome::Diverged(_)) => None,
            Ok(Outcome::Interrupted) => Some("it was interrupted".into()),
            Ok(Outcome::Stopped { cycle, stop }) => Some(format!("in cycle {cycle} {stop}")),
            Err(error) => Some(error.to_string()),
        };
        Ok(Outcome::Diverged(beyond.first.clone()))
    }

    fn go<E: From<StimulusError> + Display>(
        &mut self,
        limit: u64,
        control: &Control,
        mut observe: impl FnMut(&[CycleInput]) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        let mut failed = None;
        loop {
            if control.interrupted.load(Ordering::Relaxed) {
                return Ok(Outcome::Interrupted);
            }
            while failed.is_none()
                && self.made < limit
                && let Some(batch) = self.spare.pop()
            {
                match self.make(batch, limit) {
                    Ok(true) => {}
                    Ok(false) => break,
                    // What was made before comes first, however far ahead of it this is.
                    Err(error) => failed = Some(error),
                }
            }
            if self.on_their_way == 0 {
                return failed.map_or(Ok(Outcome::Agree), |error| Err(error.into()));
            }
            let mut batch = self.receive();
            // Those that a re-run of the first divergence may need stay.
            if self.beyond.is_none() {
                self.keep(&mut batch);
            }
            let coverage = self.coverage.as_deref_mut();
            let coverage = coverage.filter(|_| self.beyond.is_none());
            batch.expect(&mut self.model, &mut self.delay, coverage);
            let result = self.compare(&mut batch);
            self.cycles += result.compared as u64;
            let observed = observe(batch.inputs());
            self.spare.push(batch);
            observed?;
            control.progress.store(self.cycles, Ordering::Relaxed);
            if let Some(divergence) = result.divergence {
                return Ok(Outcome::Diverged(divergence));
            }
            if let Some(stop) = result.stop {
                return Ok(Outcome::Stopped {
                    cycle: self.cycles,
                    stop,
                });
            }
        }
    }

    /// Compares a batch, after a divergence from the next reset on.
    fn compare(&mut self, batch: &mut Batch) -> BatchResult {
        let mut first = batch.start;
        if self.beyond.is_none() {
            let mut result = batch.compare(&self.delay, &mut self.ledger);
            let Some(divergence) = result.divergence.take_if(|_| self.keep_going) else {
                return result;
            };
            first = divergence.cycle + 1;
            self.beyond = Some(Box::new(Beyond::new(divergence, self.ledger.clone())));
        }
        if let Some(beyond) = &mut self.beyond {
            beyond.compare(batch, first, &self.delay, &mut self.ledger);
        }
        BatchResult {
            compared: batch.completed(),
            divergence: None,
            stop: batch.take_stop(),
        }
    }

    /// Makes the next batch and sends it off; false at the end of the stimulus.
    fn make(&mut self, mut batch: Batch, limit: u64) -> Result<bool, StimulusError> {
        let filled = batch.fill(&mut self.stimulus, self.made, limit - self.made);
        if !matches!(filled, Ok(true)) {
            self.spare.push(batch);
            return filled;
        }
        self.made += batch.inputs().len() as u64;
        self.runner.send(batch);
        self.on_their_way += 1;
        Ok(true)
    }

    fn receive(&mut self) -> Batch {
        self.on_their_way -= 1;
        self.runner.receive()
    }

    /// Keeps a checkpoint before a batch with a reset, which the model has not come to yet.
    fn keep(&mut self, batch: &mut Batch) {
        let Some((reset, stimulus)) = batch.take_reset() else {
            return;
        };
        self.checkpoints.push_back(Checkpoint {
            cycle: batch.start,
            reset,
            model: self.model.clone(),
            delay: self.delay.clone(),
            stimulus,
        });
        self.thin_out();
    }

    /// Forgets checkpoints whose neighbours are closer to each other than to the last one: what is left are a few for
    /// every doubling of the distance, however long the run.
    fn thin_out(&mut self) {
        let kept = &mut self.checkpoints;
        let Some(last) = kept.back().map(|checkpoint| checkpoint.cycle) else {
            return;
        };
        let mut index = 1;
        while index + CHECKPOINTS <= kept.len() {
            let (before, after) = (kept[index - 1].cycle, kept[index + 1].cycle);
            if after - before <= last - after {
                kept.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Takes the design down: its final blocks run. Nothing can be run afterwards.
    ///
    /// # Errors
    /// That ended its process.
    pub fn finish(&mut self) -> Result<(), Stop> {
        self.runner.finish()
    }

    /// Cycles run and compared; after a divergence also those that were not.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Cycles at the start that are not compared: what the design shows in them belongs to none of the run.
    pub fn latency(&self) -> u64 {
        self.delay.depth() as u64
    }

    /// What has been compared.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What had been compared at the first divergence; without one, or if the run ended with it, what has been.
    pub fn ledger_at_divergence(&self) -> &Ledger {
        self.beyond
            .as_ref()
            .map_or(&self.ledger, |beyond| &beyond.ledger)
    }

    /// What came after the first divergence, if the run went on.
    pub fn further(&self) -> Option<&Further> {
        self.beyond.as_ref().map(|beyond| &beyond.further)
    }

    /// What the model has taken, if it was to be counted.
    pub fn coverage(&self) -> Option<&Coverage> {
        self.coverage.as_deref()
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

#[cfg(test)]
mod tests {
    use pmu_model::CycleOutput;
    use tempfile::TempDir;

    use super::*;
    use crate::dut::ModelledDut;
    use lockstep_stimulus::{Generator, Profile, Reader, Writer};

    /// A divergence in cycle 300, and an excluded cycle that a design on a thread of its own may be given before that is seen.
    #[test]
    fn what_comes_first_ends_a_run_whatever_its_threads() {
        let implementation = Implementation::default();
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("a.stim");
        let mut generator = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let mut cycles = vec![CycleInput::default(); 3000];
        generator.fill(&mut cycles);
        cycles[1500] = CycleInput {
            driven: CycleInput::DRIVEN_PE,
            controls: 1,
            ..CycleInput::default()
        };
        cycles[1500].threads[0].state = 0xE;
        let mut writer = Writer::create(&path, &implementation, None).expect("a file");
        writer.append(&cycles).expect("written");
        writer.finish().expect("written");
        let run = |threads: usize, wrong: u64| {
            let fault = move |cycle, _: &CycleInput, output: &mut CycleOutput| {
                output.in_flight ^= u8::from(cycle == wrong);
                Ok(())
            };
            let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("legal");
            let reader = Reader::open(&path).expect("a stimulus");
            let mut run = Lockstep::new(&implementation, Box::new(dut), reader.into(), threads)
                .expect("legal");
            run.run(
                u64::MAX,
                &Control::default(),
                |_| Ok::<_, StimulusError>(()),
            )
        };
        for threads in [1, 2] {
            let outcome = run(threads, 300);
            assert!(
                matches!(&outcome, Ok(Outcome::Diverged(found)) if found.cycle == 300),
                "{threads}: {outcome:?}"
            );
            let error = run(threads, 2000).unwrap_err().to_string();
            assert!(error.contains("cycle 1500"), "{threads}: {error}");
        }
    }
    /// What a run of 100,000 cycles finds after its first divergence. After every reset the design goes wrong for good, in
    /// another counter each time, and in group SPE after every third.
    fn further(threads: usize, latency: u8, until: u64) -> (u64, Further) {
        let implementation = Implementation::default();
        let (mut resets, mut since) = (0usize, 0u64);
        let fault = move |cycle, input: &CycleInput, output: &mut CycleOutput| {
            if input.is_reset() {
                (resets, since) = (resets + 1, 0);
                return Ok(());
            }
            since += 1;
            if since >= 30 && cycle < until {
                match resets % 3 {
                    0 => output.in_flight ^= 1,
                    _ => output.increment[resets % 7] ^= 1,
                }
            }
            Ok(())
        };
        let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("legal");
        let dut = Box::new(dut.with_latency(latency, 2 * latency));
        let generator = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let mut run =
            Lockstep::new(&implementation, dut, generator.into(), threads).expect("legal");
        run.keep_going();
        let control = Control::default();
        let outcome = run.run(100_000, &control, |_| Ok::<_, StimulusError>(()));
        let Ok(Outcome::Diverged(first)) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(run.cycles(), 100_000);
        let further = run.further().expect("it went on").clone();
        let compared = |ledger: &Ledger| {
            let field = &ledger.fields()[0];
            field.compared + field.not_compared + run.latency()
        };
        assert_eq!(compared(run.ledger_at_divergence()), first.cycle + 1);
        let left_out = further.cycles_not_compared;
        assert_eq!(compared(run.ledger()) + left_out, 100_000);
        (first.cycle, further)
    }

    #[test]
    fn a_run_that_goes_on_finds_other_fields_whatever_its_threads() {
        for latency in [0, 3] {
            let (first, found) = further(1, latency, u64::MAX);
            assert_eq!((first, found.clone()), further(2, latency, u64::MAX));
            let listed: Vec<_> = found.listed.iter().map(|one| one.field.as_str()).collect();
            assert_eq!(listed, ["samples in flight"]);
            let others = found.listed[0].stretches;
            assert!(others > 2 && found.like_the_first > others, "{found:?}");
            assert_eq!(found.diverged, found.like_the_first + others);
            assert!(found.stretches <= found.diverged + 1, "{found:?}");
            // What went wrong before a reset is nothing that goes wrong after it.
            let (_, none) = further(2, latency, first + 1);
            assert_eq!((none.diverged, none.stretches), (0, 1), "{none:?}");
        }
    }
}
