//! Two designs in lockstep, without the model: a refactoring against what it was made from, a netlist against its RTL.

mod report;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::Ordering;

use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation, Unknown};

use crate::dut::{Dut, Pulse, Stop, TraceUnavailable};
use crate::lockstep::batch::BATCH;
use crate::lockstep::delay::{Delay, Latency, cycles_before};
use crate::lockstep::engine::Control;
use crate::lockstep::step::Cycles;
use crate::lockstep::waivers::Waivers;
use crate::lockstep::{Divergence, Ledger};
use lockstep_stimulus::{Checkpoint, Stimulus, StimulusError};

pub use report::{AgainstReport, Files, Names, report};

/// Cycles of the waveforms before a divergence and after it.
const BEFORE: u64 = 32;
const AFTER: u64 = 8;
/// Cycles of the table of a report.
const ROWS: usize = 8;

/// A design, and what it is late by against the other one.
struct Side {
    dut: Box<dyn Dut>,
    delay: Delay,
    outputs: Vec<CycleOutput>,
    /// Nothing of two designs is UNKNOWN.
    unknown: Vec<Unknown>,
}

impl Side {
    fn new(dut: Box<dyn Dut>, latency: Latency) -> Self {
        Self {
            dut,
            delay: Delay::by(latency),
            outputs: Vec::new(),
            unknown: Vec::new(),
        }
    }

    fn run(&mut self, inputs: &[CycleInput]) -> Result<(), Stop> {
        self.outputs.clear();
        self.outputs.resize(inputs.len(), CycleOutput::default());
        let result = self.dut.run(inputs, &mut self.outputs);
        let completed = result
            .as_ref()
            .map_or_else(|stop| stop.completed, |()| inputs.len());
        self.outputs.truncate(completed);
        self.unknown.clear();
        self.unknown.resize(completed, Unknown::default());
        let mut inputs = inputs[..completed].to_vec();
        self.delay
            .apply(&mut inputs, &mut self.outputs, &mut self.unknown);
        result
    }
}

/// Two designs on one stimulus.
pub struct Against {
    sides: [Side; 2],
    /// Brings inputs to the cycle in which the later of the two shows what became of them.
    late: Delay,
    stimulus: Stimulus,
    ledger: Ledger,
    cycles: u64,
    /// The first cycle that is compared.
    from: u64,
    pulse: Pulse,
    /// The last batch with a reset: its first cycle, the cycle of reset, and the stimulus before it.
    reset: (u64, u64, Checkpoint),
    /// The last cycles: those of the table, and as many as an output can be late.
    last: VecDeque<Row>,
}

/// A cycle of a run: what went in, and what both show in it.
#[derive(Clone, Copy)]
struct Row {
    cycle: u64,
    input: CycleInput,
    outputs: [CycleOutput; 2],
}

/// How a run of two designs ended.
#[derive(Debug)]
pub enum Outcome {
    /// They agree.
    Agree,
    /// They differ: expected is what the first design shows, RTL what the second does.
    Diverged(Box<Divergence>),
    /// One of them stopped in a cycle.
    Stopped {
        /// The first design, 0, or the second, 1.
        side: usize,
        /// The cycle that it did not complete.
        cycle: u64,
        /// Why.
        stop: Stop,
    },
    /// Interrupted from outside.
    Interrupted,
}

/// What each of two designs must be delayed by, and the inputs, for them to be compared.
fn latencies(parameters: [DutParameters; 2]) -> ([Latency; 2], Latency) {
    let [first, second] = parameters.map(|parameters| Latency::of(&parameters));
    let most = first.most(&second);
    ([most.less(&first), most.less(&second)], most)
}

impl Against {
    /// Puts two designs of `implementation` side by side.
    pub fn new(
        implementation: &Implementation,
        duts: [Box<dyn Dut>; 2],
        mut stimulus: Stimulus,
        waivers: Waivers,
    ) -> Self {
        let ([first, second], late) = latencies([duts[0].parameters(), duts[1].parameters()]);
        let [a, b] = duts;
        let mut ledger = Ledger::new(implementation);
        ledger.accept(waivers);
        let late = Delay::by(late);
        Self {
            sides: [Side::new(a, first), Side::new(b, second)],
            from: late.depth() as u64,
            late,
            reset: (0, 0, stimulus.checkpoint()),
            stimulus,
            ledger,
            cycles: 0,
            pulse: Pulse::default(),
            last: VecDeque::with_capacity(ROWS),
        }
    }

    /// Signs of life, for a supervisor.
    pub fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }

    /// Cycles run and compared.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Cycles at the start that are not compared: what the later of the two shows in them belongs to none of the run.
    pub fn latency(&self) -> u64 {
        self.late.depth() as u64
    }

    /// Takes the designs down: their final blocks run.
    ///
    /// # Errors
    /// Which of them stopped or ended its process there, and why.
    pub fn finish(&mut self) -> Result<(), (usize, Stop)> {
        let mut sides = self.sides.iter_mut().enumerate();
        sides.try_for_each(|(side, design)| design.dut.finish().map_err(|stop| (side, stop)))
    }

    /// What has been compared.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Runs until `limit` cycles have been made, the stimulus ends, or something happens. `observe` sees the inputs
    /// of every batch.
    ///
    /// # Errors
    /// The stimulus cannot be read, or `observe` fails.
    pub fn run<E: From<StimulusError>>(
        &mut self,
        limit: u64,
        control: &Control,
        mut observe: impl FnMut(&[CycleInput]) -> Result<(), E>,
    ) -> Result<Outcome, E> {
        let mut inputs = vec![CycleInput::default(); BATCH];
        while self.cycles < limit {
            if control.interrupted.load(Ordering::Relaxed) {
                return Ok(Outcome::Interrupted);
            }
            let wanted = usize::try_from(limit - self.cycles).unwrap_or(BATCH);
            let before = self.stimulus.checkpoint();
            let made = self.stimulus.fill(&mut inputs[..wanted.min(BATCH)])?;
            if made == 0 {
                break;
            }
            let inputs = &inputs[..made];
            if let Some(last) = inputs.iter().rposition(CycleInput::is_reset) {
                self.reset = (self.cycles, self.cycles + last as u64, before);
            }
            observe(inputs)?;
            let ended = self.step(inputs);
            control.progress.store(self.cycles, Ordering::Relaxed);
            if let Some(outcome) = ended {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Agree)
    }

    /// Runs a batch and compares it; an outcome, if that ends the run.
    fn step(&mut self, inputs: &[CycleInput]) -> Option<Outcome> {
        self.pulse.running.store(true, Ordering::Relaxed);
        let stops = self.sides.each_mut().map(|side| side.run(inputs).err());
        self.pulse.running.store(false, Ordering::Relaxed);
        let completed = stops.iter().flatten().map(|stop| stop.completed).min();
        let completed = completed.unwrap_or(inputs.len());
        self.pulse.cycles.add(completed as u64);
        let mut late = inputs[..completed].to_vec();
        let mut none = vec![CycleOutput::default(); completed];
        let mut unknown = vec![Unknown::default(); completed];
        self.late.apply(&mut late, &mut none, &mut unknown);

        let early = cycles_before(self.from, self.cycles, completed);
        let [a, b] = &mut self.sides;
        let (a, b) = (&a.outputs[..completed], &mut b.outputs[..completed]);
        let unknown = vec![Unknown::default(); completed];
        let (compared, divergence) = Cycles {
            start: self.cycles,
            early,
            inputs: &late,
            sampled: &inputs[..completed],
            expected: a,
            unknown: &unknown,
            rtl: b,
        }
        .compare(&self.late, &mut self.ledger);
        let kept = ROWS + self.late.depth();
        for k in compared.saturating_sub(kept)..compared {
            if self.last.len() == kept {
                self.last.pop_front();
            }
            self.last.push_back(Row {
                cycle: self.cycles + k as u64,
                input: inputs[k],
                outputs: [a[k], b[k]],
            });
        }
        self.cycles += compared as u64;
        if let Some(divergence) = divergence {
            return Some(Outcome::Diverged(divergence));
        }
        let (side, stop) = stops
            .into_iter()
            .enumerate()
            .filter_map(|(side, stop)| Some((side, stop?)))
            .min_by_key(|(_, stop)| stop.completed)?;
        let cycle = self.cycles;
        Some(Outcome::Stopped { side, cycle, stop })
    }

    /// Runs both designs, made anew with tracing, from the last reset to beyond `cycle`, and writes their waveforms.
    ///
    /// # Returns
    /// The cycle in which they differ first; none if they do not.
    ///
    /// # Errors
    /// The stimulus cannot be read, or a waveform cannot be had.
    pub fn traced(
        &self,
        implementation: &Implementation,
        duts: [Box<dyn Dut>; 2],
        cycle: u64,
        paths: [&Path; 2],
    ) -> Result<Option<u64>, TraceError> {
        let mut stimulus = self.stimulus.clone();
        let (first, reset, checkpoint) = &self.reset;
        stimulus.restore(checkpoint)?;
        let waivers = self.ledger.waivers().fresh();
        let mut again = Self::new(implementation, duts, stimulus, waivers);
        again.cycles = *first;
        // Before the reset is done the two may differ (DUT-03).
        again.from = reset + again.late.depth() as u64;
        let window = cycle.saturating_sub(BEFORE).max(*first);
        let mut inputs = vec![CycleInput::default(); BATCH];
        let mut found = None;
        let last = cycle + AFTER + 1;
        let mut at = *first;
        let mut traces = false;
        while at < last {
            let end = if at < window { window } else { last };
            if at >= window && !traces {
                traces = true;
                for (side, path) in again.sides.iter_mut().zip(paths) {
                    side.dut.trace_to(path, at)?;
                }
            }
            let wanted = usize::try_from(end - at).unwrap_or(BATCH).min(BATCH);
            let made = again.stimulus.fill(&mut inputs[..wanted])?;
            if made == 0 {
                break;
            }
            again.cycles = at;
            let ended = again.step(&inputs[..made]);
            at += made as u64;
            match ended {
                Some(Outcome::Diverged(divergence)) => found = found.or(Some(divergence.cycle)),
                Some(Outcome::Stopped { .. }) => break,
                _ => {}
            }
        }
        if traces {
            for side in &mut again.sides {
                side.dut.end_trace()?;
            }
        }
        Ok(found)
    }
}

/// Waveforms that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The stimulus.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The design.
    #[error(transparent)]
    Trace(#[from] TraceUnavailable),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dut::{CYCLE_NS, ModelledDut};
    use crate::lockstep::compare::access_text;
    use lockstep_stimulus::{Generator, Profile};

    fn against(
        latencies: [(u8, u8); 2],
        wrong_from: Option<u64>,
        cycles: u64,
    ) -> (Outcome, Against) {
        let implementation = Implementation::default();
        let right = ModelledDut::new(&implementation).expect("legal");
        let fault = move |cycle: u64, _: &CycleInput, output: &mut CycleOutput| {
            if wrong_from.is_some_and(|from| cycle >= from) {
                output.increment[7] ^= 1;
            }
            Ok(())
        };
        let wrong = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("legal");
        let [a, b] = latencies;
        let duts: [Box<dyn Dut>; 2] = [
            Box::new(right.with_latency(a.0, a.1)),
            Box::new(wrong.with_latency(b.0, b.1)),
        ];
        let stimulus = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let mut against = Against::new(&implementation, duts, stimulus.into(), Waivers::default());
        let outcome = against
            .run(cycles, &Control::default(), |_| Ok::<_, StimulusError>(()))
            .expect("no file is read");
        (outcome, against)
    }

    /// Each cycle of the table has what went in and what both show of it; of accesses, those to the register that differs.
    #[test]
    fn the_table_has_outputs_beside_their_inputs() {
        let implementation = Implementation::default();
        let is_it = |input: &CycleInput| {
            let read = CycleInput::read(pmu_model::SysReg::Pmovsset);
            (input.access_kind, input.access_address) == (read.access_kind, read.access_address)
        };
        let fault = move |cycle: u64, input: &CycleInput, output: &mut CycleOutput| {
            if cycle >= 3000 && is_it(input) {
                output.access_data ^= 1 << 40;
            }
            Ok(())
        };
        let wrong = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("legal");
        let right = ModelledDut::new(&implementation).expect("legal");
        let duts: [Box<dyn Dut>; 2] = [
            Box::new(right.with_latency(2, 1)),
            Box::new(wrong.with_latency(0, 3)),
        ];
        let stimulus = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let mut inputs = vec![CycleInput::default(); 100_000];
        stimulus.clone().fill(&mut inputs);
        let mut against = Against::new(&implementation, duts, stimulus.into(), Waivers::default());
        let outcome = against
            .run(100_000, &Control::default(), |_| Ok::<_, StimulusError>(()))
            .expect("no file is read");
        let Outcome::Diverged(divergence) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!(divergence.cycle, divergence.about + 3);
        assert!(is_it(&inputs[divergence.about as usize]));
        let names = Names {
            a: "a".into(),
            b: "b".into(),
        };
        let report = report(&against, &divergence, names, "again".into());
        let text = anstream::adapter::strip_str(&report.text()).to_string();
        let late = format!(
            "cycle {}, at {} ns, where it shows what cycle {} was given, 3 cycles later\n",
            divergence.cycle,
            CYCLE_NS * divergence.cycle,
            divergence.about
        );
        assert!(text.contains(&late), "{text}");
        assert!(
            text.contains("last cycles, PMOVSSET_EL0, as it shows 3 cycles later\n"),
            "{text}"
        );
        let json = serde_json::to_value(&report).expect("JSON");
        let rows = json["last_cycles"].as_array().expect("rows");
        assert_eq!(rows.len(), ROWS);
        for row in rows {
            let input = &inputs[row["cycle"].as_u64().expect("a cycle") as usize];
            assert_eq!(row["access"], access_text(input));
            assert_eq!(row["a"] != "", is_it(input), "{row}");
        }
        let last = &rows[ROWS - 1];
        assert_eq!(last["cycle"], divergence.about);
        assert_ne!(last["a"], last["b"]);
    }

    #[test]
    fn two_of_a_kind_agree_whatever_their_latencies() {
        for latencies in [[(0, 0), (0, 0)], [(2, 0), (0, 1)], [(0, 3), (1, 0)]] {
            let (outcome, against) = against(latencies, None, 5000);
            assert!(
                matches!(outcome, Outcome::Agree),
                "{latencies:?} {outcome:?}"
            );
            assert_eq!(against.cycles(), 5000);
            assert!(against.ledger().total().compared > 100_000);
        }
    }

    #[test]
    fn the_first_difference_is_found_in_its_cycle() {
        // In which V[7] is not that of a stopped or reset cycle does not matter: the fault is in every one.
        for (latencies, shown) in [([(0, 0), (0, 0)], 1000), ([(2, 0), (0, 1)], 1002)] {
            let (outcome, _) = against(latencies, Some(1000), 5000);
            let Outcome::Diverged(divergence) = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!((divergence.cycle, divergence.about), (shown, 1000));
            let field = divergence.differences[0].field;
            assert_eq!(field.name(&divergence.input), "V[7]");
        }
    }
}
