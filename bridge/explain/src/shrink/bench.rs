//! Runs of design and model on a candidate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pmu_model::{
    CycleInput, CycleOutput, Implementation, ImplementationError, Model, NoTracer, Recorder,
    SysReg, Unknown,
};

use crate::diagnosis::causes::causes;
use crate::diagnosis::replay::WindowCycle;
use crate::hypotheses::Elsewhere;
use lockstep_engine::dut::{Dut, Pulse, Stop};
use lockstep_engine::lockstep::batch::BATCH;
use lockstep_engine::lockstep::compare::{Difference, differences, first_difference_from};
use lockstep_engine::lockstep::delay::{Delay, Latency, cycles_before};
use lockstep_engine::lockstep::waivers::Waivers;
use lockstep_stimulus::{ContractCheck, Generator};

use super::ShrinkError;

/// Makes another instance of the design.
pub type Make<'a> = Box<dyn FnMut() -> Result<Box<dyn Dut>, String> + Send + 'a>;

/// Puts the next batch of cycles into a buffer; an empty one at the end.
pub type Next<'a> = dyn FnMut(&mut Vec<CycleInput>) -> Result<(), ShrinkError> + 'a;

/// How a run fails, if it does; or how the design stopped.
pub type Ran = Result<Option<Failing>, Stop>;

/// How a stimulus fails.
#[derive(Clone, Debug)]
pub struct Failing {
    /// The cycle in which the difference shows.
    pub cycle: usize,
    /// Cycles by which the design shows that late.
    pub late: usize,
    /// The field that differs and does not follow from another one, by its name in reports.
    pub field: String,
    /// The model's value.
    pub expected: String,
    /// The design's value.
    pub rtl: String,
    /// What was UNKNOWN in any of the cycles.
    pub unknown: Unknown,
}

/// Design and model, for run after run.
pub struct Bench<'a> {
    make: Make<'a>,
    dut: Option<Box<dyn Dut>>,
    /// A reset leaves something of the design unset: every run needs a new instance.
    forgets: bool,
    model: Model,
    pulse: Pulse,
    trials: u64,
    rtl: Vec<CycleOutput>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    /// Inputs that the model took, and those that the access group belongs to.
    taken: Vec<CycleInput>,
    inputs: Vec<CycleInput>,
    /// Differences that are accepted.
    waivers: Waivers,
    /// Cycles from one register access to the next, at least (DUT-70).
    interval: u8,
    /// What every candidate keeps to.
    contract: ContractCheck,
    /// Runs end when it is set.
    over: Arc<AtomicBool>,
}

/// What goes before every run of an instance but its first, and is not compared: a design whose reset forgets something would
/// show what it kept. After this, counters are off and zero, flags are clear, and a register may be accessed (DUT-70).
fn wash(interval: u8) -> Vec<CycleInput> {
    const COUNTERS_TO_ZERO: u64 = 0b110;
    let pause = usize::from(interval) - 1;
    let mut cycles = vec![CycleInput::reset()];
    cycles.extend(std::iter::repeat_n(CycleInput::default(), pause));
    for write in [
        CycleInput::write(SysReg::Pmcr, COUNTERS_TO_ZERO),
        CycleInput::write(SysReg::Pmcntenclr, u64::MAX),
        CycleInput::write(SysReg::Pmovsclr, u64::MAX),
    ] {
        cycles.push(write);
        cycles.extend(std::iter::repeat_n(CycleInput::default(), pause));
    }
    cycles.push(CycleInput::reset());
    cycles
}

impl<'a> Bench<'a> {
    /// A bench for the designs that `make` makes.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &Implementation,
        make: Make<'a>,
    ) -> Result<Self, ImplementationError> {
        Ok(Self {
            make,
            dut: None,
            forgets: false,
            model: Model::new(implementation)?,
            pulse: Pulse::default(),
            trials: 0,
            rtl: Vec::new(),
            expected: Vec::new(),
            unknown: Vec::new(),
            taken: Vec::new(),
            inputs: Vec::new(),
            waivers: Waivers::default(),
            interval: implementation.wrapper.access_interval,
            contract: ContractCheck::new(implementation),
            over: Arc::default(),
        })
    }

    /// Whether every difference counts.
    pub(super) fn waives_nothing(&self) -> bool {
        self.waivers.is_empty()
    }

    /// Accepts the differences of `waivers` from here on.
    pub fn accept(&mut self, waivers: Waivers) {
        self.waivers = waivers;
    }

    /// Ends a run when `over` is set, behind the batch that it is in.
    pub fn end_with(&mut self, over: &Arc<AtomicBool>) {
        self.over = Arc::clone(over);
    }

    /// Signs of life, for a supervisor.
    pub fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    /// Runs so far.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// From here on every run has a new instance: a reset does not bring this design into a known state.
    pub fn renew(&mut self) {
        self.forgets = true;
    }

    /// Whether every run has a new instance.
    pub fn renews(&self) -> bool {
        self.forgets
    }

    /// Looks whether the contract allows `cycles`: a design need not get others right.
    ///
    /// # Errors
    /// It does not.
    pub fn look_at(&self, cycles: &[CycleInput]) -> Result<(), ShrinkError> {
        let looked_at = self.contract.clone().check(cycles);
        looked_at.map_err(|violation| ShrinkError::Excluded(Box::new(violation)))
    }

    /// Runs `cycles`, the first of which is a reset, on a new instance.
    ///
    /// # Errors
    /// The design cannot be had, or the contract excludes a cycle.
    pub fn fresh(&mut self, cycles: &[CycleInput]) -> Result<Ran, ShrinkError> {
        self.dut = None;
        self.run(cycles)
    }

    /// Runs `cycles`, the first of which is a reset.
    ///
    /// # Errors
    /// The design cannot be had, the contract excludes a cycle, or there is no more time.
    pub fn run(&mut self, cycles: &[CycleInput]) -> Result<Ran, ShrinkError> {
        self.look_at(cycles)?;
        let mut batches = cycles.chunks(BATCH);
        let over = Arc::clone(&self.over);
        self.run_batches(&mut |batch| {
            if over.load(Ordering::Relaxed) {
                return Err(ShrinkError::Interrupted);
            }
            batch.clear();
            batch.extend_from_slice(batches.next().unwrap_or_default());
            Ok(())
        })
    }

    /// Runs the batches that `next` makes, up to an empty one or the first divergence. The first cycle is a reset.
    ///
    /// # Errors
    /// The design cannot be had, or `next` fails.
    pub fn run_batches(&mut self, next: &mut Next<'_>) -> Result<Ran, ShrinkError> {
        let used = self.dut.take().filter(|_| !self.forgets);
        // A new one begins as in any other run.
        let before = match used.is_some() {
            true => wash(self.interval),
            false => Vec::new(),
        };
        let mut dut = match used {
            Some(dut) => dut,
            None => (self.make)().map_err(ShrinkError::Design)?,
        };
        self.trials += 1;
        let mut model = self.model.clone();
        let mut delay = Delay::new(&dut.parameters());
        let mut seen = Unknown::default();
        let (mut start, mut batch) = (0, Vec::new());
        if let Err(stop) = self.drive(dut.as_mut(), &before) {
            if stop.ended_its_process() {
                return Err(ShrinkError::Stop(stop));
            }
            return Ok(Err(Stop {
                completed: 0,
                ..stop
            }));
        }
        loop {
            next(&mut batch)?;
            if batch.is_empty() {
                self.dut = Some(dut);
                return Ok(Ok(None));
            }
            if let Err(stop) = self.drive(dut.as_mut(), &batch) {
                if stop.ended_its_process() {
                    // Whatever comes of it, it is no way to fail in a trial.
                    return Err(ShrinkError::Stop(stop));
                }
                // What has stopped does not run again.
                return Ok(Err(Stop {
                    completed: start + stop.completed,
                    ..stop
                }));
            }
            let before = model.clone();
            let without = self.expect(&mut model, &mut delay, &batch);
            self.waivers.apply(
                start as u64,
                &self.inputs,
                &self.expected,
                &self.unknown,
                &mut self.rtl,
            );
            let early = cycles_before(delay.depth() as u64, start as u64, batch.len());
            let first = first_difference_from(early, &self.expected, &self.unknown, &self.rtl);
            let compared = first.map_or(batch.len(), |k| k + 1);
            for unknown in &self.unknown[early.min(compared)..compared] {
                seen.access_data |= unknown.access_data;
                seen.increments |= unknown.increments;
                seen.spe |= unknown.spe;
            }
            if let Some(k) = first {
                let root = self.root(without, before, k, &delay);
                self.dut = Some(dut);
                return Ok(Ok(Some(Failing {
                    cycle: start + k,
                    late: delay.of(Some(&root)) as usize,
                    field: root.field.name(&self.inputs[k]),
                    expected: root.field.text(root.expected),
                    rtl: root.field.text(root.rtl),
                    unknown: seen,
                })));
            }
            start += batch.len();
        }
    }

    /// Runs the batches that `next` makes, up to an empty one, on a new instance, and calls `seen` with each and with the
    /// design's outputs. The first cycle is a reset. The end is where the design stops, if it does. Returns the longest
    /// latency that the design states.
    ///
    /// # Errors
    /// The design cannot be had, or `next` fails.
    pub fn observe(
        &mut self,
        next: &mut Next<'_>,
        seen: &mut dyn FnMut(&[CycleInput], &[CycleOutput]),
    ) -> Result<Latency, ShrinkError> {
        self.dut = None;
        let mut dut = (self.make)().map_err(ShrinkError::Design)?;
        let latency = Latency::of(&dut.parameters());
        if self.drive(dut.as_mut(), &wash(self.interval)).is_err() {
            return Ok(latency);
        }
        let mut batch = Vec::new();
        loop {
            next(&mut batch)?;
            let ran = self.drive(dut.as_mut(), &batch);
            let completed = ran
                .as_ref()
                .map_or_else(|stop| stop.completed, |()| batch.len());
            seen(&batch[..completed], &self.rtl[..completed]);
            if batch.is_empty() || ran.is_err() {
                return Ok(latency);
            }
        }
    }

    /// Runs a new instance on other stimulus.
    ///
    /// # Errors
    /// The design cannot be had.
    pub fn elsewhere(&mut self, other: Generator) -> Result<Elsewhere, ShrinkError> {
        self.dut = None;
        let mut dut = (self.make)().map_err(ShrinkError::Design)?;
        let latency = Latency::of(&dut.parameters());
        Ok(Elsewhere::run(other, latency, |inputs, rtl| {
            let ran = self.drive(dut.as_mut(), inputs);
            rtl.copy_from_slice(&self.rtl);
            ran
        }))
    }

    fn drive(&mut self, dut: &mut dyn Dut, batch: &[CycleInput]) -> Result<(), Stop> {
        self.rtl.resize(batch.len(), CycleOutput::default());
        self.pulse.running.store(true, Ordering::Relaxed);
        let ran = dut.run(batch, &mut self.rtl);
        self.pulse.running.store(false, Ordering::Relaxed);
        self.pulse.cycles.add(batch.len() as u64);
        ran
    }

    /// Runs the model on a batch with the bytes that the design drew (DUT-61). Returns for how many cycles at the start of
    /// the run there is nothing to run.
    fn expect(&mut self, model: &mut Model, delay: &mut Delay, batch: &[CycleInput]) -> usize {
        self.expected.resize(batch.len(), CycleOutput::default());
        self.unknown.resize(batch.len(), Unknown::default());
        let without = delay.take(batch, &mut self.taken);
        let random: Vec<_> = self.rtl.iter().map(|output| output.random_byte).collect();
        model.run(
            &self.taken[without..],
            &random[without..],
            &mut self.expected[without..],
            &mut self.unknown[without..],
        );
        self.inputs.clone_from(&self.taken);
        delay.apply(&mut self.inputs, &mut self.expected, &mut self.unknown);
        without
    }

    /// The difference of cycle `k` of a batch that does not follow from another one. `model` is that before the batch, which
    /// has nothing to run for the first `without` cycles.
    fn root(&self, without: usize, mut model: Model, k: usize, delay: &Delay) -> Difference {
        let (expected, unknown, rtl) = (&self.expected[k], &self.unknown[k], &self.rtl[k]);
        let differences = differences(expected, unknown, rtl);
        let late = delay.of(differences.first()) as usize;
        let first = differences[0];
        // Where the model has the cycle that the difference is about. With a latency across a batch the record is of another
        // model: the first difference will do.
        let about = (k + delay.lag()).checked_sub(late);
        let Some(about) = about.filter(|about| (without..=k).contains(about)) else {
            return first;
        };
        let (mut output, mut ignored) = (CycleOutput::default(), Unknown::default());
        for (input, rtl) in self.taken[without..about].iter().zip(&self.rtl[without..]) {
            let byte = rtl.random_byte;
            model.step(input, byte, &mut output, &mut ignored, &mut NoTracer);
        }
        let at = model.clone();
        let mut recorder = Recorder::new(1);
        let (input, byte) = (&self.taken[about], self.rtl[about].random_byte);
        model.step(input, byte, &mut output, &mut ignored, &mut recorder);
        let record = recorder.records().next().cloned();
        let window = record.map(|record| WindowCycle {
            input: *input,
            record,
            expected: *expected,
            unknown: *unknown,
            rtl: *rtl,
        });
        let caused = causes(&differences, window.as_ref(), &at, rtl);
        let root = caused.iter().find(|caused| caused.cause.is_none());
        root.map_or(first, |caused| caused.difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_engine::dut::ModelledDut;

    fn bench(implementation: &Implementation) -> Bench<'_> {
        let make = || {
            let made = ModelledDut::with_fault(implementation, Box::new(|_, _, _| Ok(())));
            Ok(Box::new(made.expect("a design")) as Box<dyn Dut>)
        };
        Bench::new(implementation, Box::new(make)).expect("legal")
    }

    fn keeps_interval(cycles: &[CycleInput], interval: u8) -> bool {
        let mut implementation = Implementation::default();
        implementation.wrapper.access_interval = interval;
        let cycles = [&[CycleInput::reset()], cycles].concat();
        bench(&implementation).look_at(&cycles).is_ok()
    }

    #[test]
    fn dut_81_what_the_contract_excludes_is_not_run() {
        let implementation = Implementation::default();
        let mut bench = bench(&implementation);
        let mut root = CycleInput {
            driven: CycleInput::DRIVEN_PE,
            controls: 1,
            ..CycleInput::default()
        };
        assert!(bench.run(&[CycleInput::reset(), root]).is_ok());
        root.threads[0].state = 0xE;
        let excluded = bench.run(&[CycleInput::reset(), root]).unwrap_err();
        assert!(matches!(excluded, ShrinkError::Excluded(ref found) if found.rule == "DUT-81"));
        assert_eq!(bench.trials(), 1);
    }

    #[test]
    fn dut_70_runs_keep_the_interval_of_accesses() {
        for interval in [1, 2, 6, 255] {
            let washed = wash(interval);
            assert!(keeps_interval(&washed, interval));
            // Whatever was accessed before, and is accessed behind the reset that follows.
            let access = [CycleInput::read(SysReg::Pmcr)];
            let around = [&access[..], &washed, &[CycleInput::reset()], &access].concat();
            assert!(keeps_interval(&around, interval), "{interval}");
        }
        let read = CycleInput::read(SysReg::Pmcr);
        let idle = CycleInput::default();
        assert!(keeps_interval(&[read, idle, read], 2));
        assert!(!keeps_interval(&[read, idle, read, read], 2));
    }
}
