//! The loop: rows out of the dump, the model on their inputs, a comparison of the outputs.

use std::collections::{BTreeMap, VecDeque};

use bytemuck::{bytes_of, cast_ref, cast_slice, cast_slice_mut, pod_read_unaligned};
use lockstep_vcd::{Error, Header, Source, Timescale};
use pmu_model::wrapper::Increments;
use pmu_model::{
    CycleInput, CycleOutput, DutParameters, Implementation, ImplementationError, Model, Recorder,
    Unknown,
};

use super::fields::{INPUT_BYTES, Side, relevant};
use super::map::Map;
use super::ring::Ring;
use super::sampler::{Rows, Sampler};
use super::wiring::Wiring;
use crate::waves::dump::Dump;
use crate::waves::time::written;
use lockstep_engine::dut::{ParameterMismatch, Translation, check_parameters};
use lockstep_engine::lockstep::compare::{Divergence, differences};
use lockstep_engine::lockstep::delay::{Delay, cycles_before};
use lockstep_engine::lockstep::ledger::Ledger;
use lockstep_engine::lockstep::step::Cycles;
use lockstep_engine::lockstep::waivers::Waivers;
use lockstep_explain::diagnosis::replay::{AFTER, BEFORE};
use lockstep_explain::diagnosis::{Replay, Reproduction, Window, WindowCycle};
use lockstep_explain::hypotheses::{FAR, MOST, NEAR, Recording};
use lockstep_stimulus::{ContractCheck, Violation};

/// What is let pass.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Bits that are neither 0 nor 1 are 0 in inputs, and not compared in outputs.
    pub skip_vague: bool,
    /// The dump begins in the reset state.
    pub assume_reset: bool,
    /// Little is read beyond a divergence.
    pub stop: bool,
}

/// What came of a check.
pub struct Checked {
    /// Cycles compared.
    pub cycles: u64,
    /// Edges of the clock before the first of them.
    pub skipped: u64,
    /// What was compared.
    pub ledger: Ledger,
    /// Cycles with an input that was taken as zero.
    pub vague_inputs: u64,
    /// The first of them.
    pub first_vague_input: Option<u64>,
    /// Cycles with an output that was not compared.
    pub vague_outputs: u64,
    /// In how many of them, by the field's name.
    pub vague_fields: BTreeMap<String, u64>,
    /// The first divergence.
    pub found: Option<Box<Found>>,
    /// Tick of an edge whose cycle the dump does not have to its end, so that it was not compared.
    pub unfinished: Option<u64>,
    /// The last tick, if nothing behind it in the dump tells that it is whole.
    pub open_tick: Option<u64>,
    /// Why the check ended before the dump, if not for a divergence.
    pub fault: Option<Fault>,
}

/// A first divergence and what was around it.
pub struct Found {
    /// The divergence.
    pub divergence: Divergence,
    /// The cycles around it.
    pub replay: Replay,
    /// Tick from which the outputs of each of them are to be seen, and one more.
    pub times: Vec<u64>,
    /// Tick of the edge of the divergent cycle.
    pub time: u64,
    /// Number of that edge in the dump, from 0.
    pub edge: u64,
}

/// Why a check ended early.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The dump is damaged or cut off.
    #[error(transparent)]
    Dump(#[from] Error),
    /// A bit is neither 0 nor 1.
    #[error(
        "expected 0 or 1 in every bit of {what} `{path}`, found x or z at {at}, in cycle {cycle}; {}",
        advice(*.input)
    )]
    Vague {
        /// Whose it is.
        what: &'static str,
        /// Path of the signal.
        path: String,
        /// Time in the dump.
        at: String,
        /// Number of the cycle.
        cycle: u64,
        /// An input or an output.
        input: bool,
    },
    /// The test bench drove what the contract excludes.
    #[error(
        "at {at} the test bench drives {driver}: {violation}; the contract never drives it, and what the design does then says \
         nothing about it: correct the test bench, or the map or implementation if they say something else than it means"
    )]
    Excluded {
        /// What is excluded.
        violation: Box<Violation>,
        /// Path of the signal, or the map.
        driver: String,
        /// Time in the dump.
        at: String,
    },
}

const fn advice(input: bool) -> &'static str {
    match input {
        true => "drive it, or take it as zero with --x skip",
        false => "look for a register without reset, or leave it out with --x skip",
    }
}

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The implementation is impossible.
    #[error(transparent)]
    Implementation(#[from] ImplementationError),
    /// The design is another one.
    #[error(transparent)]
    Parameters(#[from] ParameterMismatch),
    /// The dump has no value of `parameters_o`.
    #[error("expected a value of `{0}`, found none or x; leave `parameters` out of the map")]
    NoParameters(String),
    /// The dump cannot be read.
    #[error(transparent)]
    Dump(#[from] Error),
    /// The clock does not tick.
    #[error(
        "expected edges of clock `{0}`, found none that completes a cycle; name another in the map"
    )]
    NoEdge(String),
    /// There is no reset.
    #[error(
        "expected a cycle with reset, found none in {cycles}; check `reset` in the map and its polarity, or take the \
         state before the first cycle as that after a reset with --assume-reset"
    )]
    NoReset {
        /// Cycles looked at.
        cycles: u64,
    },
}

/// [`check`] of a file, compiled where this package is: who calls it may be compiled with less optimization.
///
/// # Errors
/// Those of [`check`].
pub fn check_dump(
    dump: &mut Dump,
    map: &Map,
    wiring: &Wiring,
    implementation: &Implementation,
    options: Options,
    waivers: Waivers,
    ring: Option<&mut Ring>,
) -> Result<Checked, CheckError> {
    check(dump, map, wiring, implementation, options, waivers, ring)
}

/// Checks a dump that was just opened; the differences of `waivers` are accepted. What a window needs of a dump that is
/// read once is kept in `ring`.
///
/// # Errors
/// [`CheckError`]: nothing could be compared.
pub fn check(
    source: &mut impl Source,
    map: &Map,
    wiring: &Wiring,
    implementation: &Implementation,
    options: Options,
    waivers: Waivers,
    ring: Option<&mut Ring>,
) -> Result<Checked, CheckError> {
    let header = source.header().clone();
    let mut check = Check {
        sampler: Sampler::new(wiring, &header, map.edge, map.sample),
        ring,
        skipped_to: 0,
        model: Model::new(implementation)?,
        contract: ContractCheck::of_test_bench(implementation),
        delay: Delay::new(&DutParameters {
            latency_increment: map.latency.increment,
            latency_access: map.latency.access,
            latency_spe: map.latency.spe,
            ..DutParameters::of(implementation)
        }),
        translation: translation(implementation, map.latency.increment)?,
        mapped: pod_read_unaligned(&wiring.mapped[1]),
        wiring,
        implementation,
        options,
        timescale: header.timescale(),
        started: options.assume_reset,
        first: true,
        past: VecDeque::new(),
        expected: Vec::new(),
        unknown: Vec::new(),
        taken: Vec::new(),
        compared_inputs: Vec::new(),
        shown: Vec::new(),
        random: Vec::new(),
        passed_inputs: Vec::new(),
        passed_outputs: Vec::new(),
        checked: Checked {
            cycles: 0,
            skipped: 0,
            ledger: Ledger::new(implementation),
            vague_inputs: 0,
            first_vague_input: None,
            vague_outputs: 0,
            vague_fields: BTreeMap::new(),
            found: None,
            unfinished: None,
            open_tick: None,
            fault: None,
        },
    };
    check.checked.ledger.accept(waivers);
    check.run(source, &header)?;
    Ok(check.checked)
}

/// Rows that were compared, and what it takes to run them again.
struct Segment {
    start: u64,
    model: Model,
    delay: Delay,
    rows: Rows,
}

/// Rows that are read before they are compared: not many, since a simulation that is still running may take seconds for
/// some hundred.
const BATCH: usize = 512;

/// Batches that are kept: what hypotheses are tested on before a divergence.
const KEPT: usize = MOST / BATCH;

/// What makes V of the increments of a design that does not show V (DUT-71).
fn translation(
    implementation: &Implementation,
    latency: u8,
) -> Result<Option<Translation>, ImplementationError> {
    match implementation.wrapper.increments {
        Increments::Shown => Ok(None),
        _ => Translation::new(implementation, latency.into()).map(Some),
    }
}

struct Check<'c> {
    sampler: Sampler,
    /// What is kept of a dump that is read once.
    ring: Option<&'c mut Ring>,
    /// Tick of the last edge that is not compared.
    skipped_to: u64,
    model: Model,
    /// What the test bench may drive.
    contract: ContractCheck,
    delay: Delay,
    /// For a design that does not show V.
    translation: Option<Translation>,
    wiring: &'c Wiring,
    /// Outputs that have a signal.
    mapped: CycleOutput,
    implementation: &'c Implementation,
    options: Options,
    timescale: Option<Timescale>,
    /// There was a reset.
    started: bool,
    /// No row was looked at yet.
    first: bool,
    /// The last batches.
    past: VecDeque<Segment>,
    expected: Vec<CycleOutput>,
    unknown: Vec<Unknown>,
    /// Inputs that the model took, and those that the access group belongs to.
    taken: Vec<CycleInput>,
    compared_inputs: Vec<CycleInput>,
    /// Outputs, with the model's values where differences are waived.
    shown: Vec<CycleOutput>,
    random: Vec<u8>,
    /// Rows of the batch with inputs that are let pass though they are not known.
    passed_inputs: Vec<usize>,
    /// The same of outputs, with the bits.
    passed_outputs: Vec<(usize, CycleOutput)>,
    checked: Checked,
}

impl Check<'_> {
    fn run(&mut self, source: &mut impl Source, header: &Header) -> Result<(), CheckError> {
        let mut rows = Rows::default();
        loop {
            rows.clear();
            let filled = self.read(source, &mut rows, BATCH);
            let full = rows.len() == BATCH;
            if self.first && !rows.is_empty() {
                self.first = false;
                self.look_at_parameters(header)?;
            }
            if !self.started {
                self.skip(&mut rows);
            }
            if !rows.is_empty() && self.batch(source, &mut rows) {
                return Ok(());
            }
            match filled {
                Err(error) if self.first || !self.started => return Err(error.into()),
                Err(error) => {
                    self.checked.fault = Some(error.into());
                    return Ok(());
                }
                Ok(()) if !full => break,
                Ok(()) => {}
            }
            self.forget();
        }
        if self.first {
            return Err(CheckError::NoEdge(self.wiring.clock_path.clone()));
        }
        if !self.started {
            return Err(CheckError::NoReset {
                cycles: self.checked.skipped,
            });
        }
        self.checked.unfinished = self.sampler.unfinished();
        self.checked.open_tick = self.sampler.open_tick();
        Ok(())
    }

    /// Reads rows, and keeps what is read if the dump is read once.
    fn read(
        &mut self,
        source: &mut impl Source,
        rows: &mut Rows,
        wanted: usize,
    ) -> Result<(), Error> {
        match &mut self.ring {
            Some(ring) => self.sampler.fill(&mut ring.over(source), rows, wanted),
            None => self.sampler.fill(source, rows, wanted),
        }
    }

    /// Lets go what no window of a later divergence has.
    fn forget(&mut self) {
        let reach = BEFORE.max(self.delay.depth() as u64);
        let from = self.checked.cycles.saturating_sub(reach);
        let segment = self.past.iter().rfind(|segment| segment.start <= from);
        let tick = match segment {
            Some(Segment { start, rows, .. }) => rows.shown.get((from - start) as usize).copied(),
            None => Some(self.skipped_to),
        };
        if let (Some(ring), Some(tick)) = (&mut self.ring, tick) {
            ring.forget(tick);
        }
    }

    /// Takes what the design states of itself, if the map has it.
    fn look_at_parameters(&mut self, header: &Header) -> Result<(), CheckError> {
        let Some(probe) = &self.wiring.parameters else {
            return Ok(());
        };
        let Some(stated) = self.sampler.parameters() else {
            let variable = &header.variables()[probe.variable_index()];
            return Err(CheckError::NoParameters(header.path(variable)));
        };
        check_parameters(self.implementation, &stated)?;
        self.delay = Delay::new(&stated);
        self.translation = translation(self.implementation, stated.latency_increment)?;
        Ok(())
    }

    /// Leaves out what is before the first reset.
    fn skip(&mut self, rows: &mut Rows) {
        let reset = rows.inputs.iter().position(CycleInput::is_reset);
        let before = reset.unwrap_or(rows.len());
        if let Some(&tick) = rows.times[..before].last() {
            self.skipped_to = tick;
        }
        rows.drop_first(before);
        self.checked.skipped += before as u64;
        self.started = reset.is_some();
    }

    /// Puts V where the design shows something else.
    fn translate(&mut self, rows: &mut Rows) {
        let Some(translation) = &mut self.translation else {
            return;
        };
        for (input, output) in rows.inputs.iter().zip(&mut rows.outputs) {
            translation.translate(input, output);
        }
        if self.implementation.wrapper.increments == Increments::Hidden {
            for vague in &mut rows.vague {
                vague.outputs.increment = Default::default();
            }
        }
    }

    /// Compares a batch; whether that ends the check. Takes the rows.
    fn batch(&mut self, source: &mut impl Source, rows: &mut Rows) -> bool {
        self.translate(rows);
        let start = self.checked.cycles;
        let segment = Segment {
            start,
            model: self.model.clone(),
            delay: self.delay.clone(),
            rows: Rows::default(),
        };
        let mut count = rows.len();
        let mut stop = None;
        self.passed_inputs.clear();
        self.passed_outputs.clear();
        for vague in &rows.vague {
            let bits = self.vague_input(&rows.inputs[vague.row], &vague.inputs);
            let Some(path) = bits.and_then(|bits| self.wiring.first_of(Side::Input, &bits)) else {
                continue;
            };
            if self.options.skip_vague {
                self.passed_inputs.push(vague.row);
                continue;
            }
            count = vague.row;
            stop = Some(self.vague("input", path, rows, vague.row));
            break;
        }
        if let Some((row, fault)) = self.excluded(rows, count) {
            count = row;
            stop = Some(fault);
        }
        self.expect(rows, count);
        if let Some(earlier) = self.known(rows, &mut count) {
            stop = Some(earlier);
        }
        self.passed_inputs.sort_unstable();
        self.passed_inputs.dedup();
        // Reports show what the dump has, also where a difference is waived.
        self.shown.clear();
        self.shown.extend_from_slice(&rows.outputs[..count]);
        let (compared, divergence) = Cycles {
            start,
            early: self.early(count),
            inputs: &self.compared_inputs[..count],
            sampled: &self.taken[..count],
            expected: &self.expected[..count],
            unknown: &self.unknown[..count],
            rtl: &mut self.shown,
        }
        .compare(&self.delay, &mut self.checked.ledger);
        if divergence.is_some() {
            count = compared;
            stop = None;
        }
        let inputs = &self.compared_inputs;
        self.checked.cycles += count as u64;
        let passed = self.passed_inputs.iter().filter(|&&row| row < count);
        let first = passed.clone().next().map(|&row| start + row as u64);
        self.checked.first_vague_input = self.checked.first_vague_input.or(first);
        self.checked.vague_inputs += passed.count() as u64;
        for (row, bits) in self.passed_outputs.iter().filter(|(row, _)| *row < count) {
            self.checked.vague_outputs += 1;
            for difference in differences(&CycleOutput::default(), &Unknown::default(), bits) {
                let name = difference.field.name(&inputs[*row]);
                *self.checked.vague_fields.entry(name).or_default() += 1;
            }
        }
        self.past.push_back(Segment {
            rows: std::mem::take(rows),
            ..segment
        });
        match (stop, divergence) {
            (_, Some(divergence)) => {
                let found = self.found(source, count - 1, *divergence);
                self.checked.found = Some(Box::new(found));
            }
            (Some(fault), _) => self.checked.fault = Some(fault),
            (None, None) => {
                if self.past.len() > KEPT
                    && let Some(oldest) = self.past.pop_front()
                {
                    *rows = oldest.rows;
                }
                return false;
            }
        }
        true
    }

    /// The first of `count` rows in which the test bench drove what the contract excludes. What is taken as zero, because it
    /// has no signal or is x, was not driven by it.
    fn excluded(&mut self, rows: &Rows, count: usize) -> Option<(usize, Fault)> {
        for (row, input) in rows.inputs[..count].iter().enumerate() {
            let mut found = None;
            let wiring = self.wiring;
            self.contract.enter(input, &mut |violation| {
                if found.is_none() {
                    found = wiring
                        .driver_of(&violation.bits)
                        .map(|driver| (violation, driver));
                }
            });
            let Some((mut violation, driver)) = found else {
                continue;
            };
            if self.passed_inputs.contains(&row) {
                continue;
            }
            violation.cycle = self.checked.cycles + row as u64;
            let at = written(self.timescale, rows.times[row]);
            let violation = Box::new(violation);
            return Some((
                row,
                Fault::Excluded {
                    violation,
                    driver,
                    at,
                },
            ));
        }
        None
    }

    /// Rows at the start of a batch that are not compared.
    fn early(&self, count: usize) -> usize {
        cycles_before(self.delay.depth() as u64, self.checked.cycles, count)
    }

    /// Runs the model on the first `count` rows.
    fn expect(&mut self, rows: &Rows, count: usize) {
        self.random.clear();
        self.random.extend(
            rows.outputs[..count]
                .iter()
                .map(|output| output.random_byte),
        );
        self.expected.resize(count, CycleOutput::default());
        self.unknown.resize(count, Unknown::default());
        let inputs = &rows.inputs[..count];
        let before = self.delay.take(inputs, &mut self.taken);
        self.model.run(
            &self.taken[before..],
            &self.random[before..],
            &mut self.expected[before..],
            &mut self.unknown[before..],
        );
        self.compared_inputs.clone_from(&self.taken);
        self.delay.apply(
            &mut self.compared_inputs,
            &mut self.expected,
            &mut self.unknown,
        );
    }

    /// Puts the model's values where there are no others: outputs without a signal, and bits that are neither 0 nor
    /// 1. The first cycle with such a bit, if they are not let pass; `count` then ends after it.
    fn known(&mut self, rows: &mut Rows, count: &mut usize) -> Option<Fault> {
        complete(&mut rows.outputs[..*count], &self.expected, &self.mapped);
        let early = self.early(*count);
        let mut stop = None;
        for index in 0..rows.vague.len() {
            let vague = &rows.vague[index];
            let row = vague.row;
            if row >= *count {
                break;
            }
            let mut matters = vague.outputs;
            // Bits that the model leaves UNKNOWN may be anything.
            let open = self.unknown[row].mask();
            matters = matters.with(&open, &CycleOutput::default());
            let vague = cast_ref(&vague.outputs);
            rows.outputs[row] = rows.outputs[row].with(vague, &self.expected[row]);
            if row < early {
                continue;
            }
            let Some(path) = self.wiring.first_of(Side::Output, bytes_of(&matters)) else {
                continue;
            };
            if self.options.skip_vague {
                // The byte that a design draws is what the model goes on with.
                if matters.random_byte != 0 && self.expected[row].random_drawn != 0 {
                    self.passed_inputs.push(row);
                }
                self.passed_outputs.push((row, matters));
                continue;
            }
            *count = row + 1;
            stop = Some(self.vague("output", path, rows, row));
            break;
        }
        stop
    }

    /// The bits of an input that are neither 0 nor 1 and matter, if there are any.
    fn vague_input(&self, input: &CycleInput, vague: &CycleInput) -> Option<[u8; INPUT_BYTES]> {
        let known = |name: &str| match name {
            "reset" => vague.reset == 0,
            "clock_stopped" => vague.clock_stopped == 0,
            "driven" => vague.driven == 0,
            _ => vague.access_kind == 0,
        };
        let mut matters = relevant(input, known, self.implementation);
        for (byte, vague) in matters.iter_mut().zip(bytes_of(vague)) {
            *byte &= vague;
        }
        matters.iter().any(|&byte| byte != 0).then_some(matters)
    }

    fn vague(&self, what: &'static str, path: String, rows: &Rows, row: usize) -> Fault {
        Fault::Vague {
            what,
            path,
            at: written(self.timescale, rows.times[row]),
            cycle: self.checked.cycles + row as u64,
            input: what == "input",
        }
    }

    /// Reads a few cycles on, and runs the cycles around row `k` of the last batch again, recorded.
    fn found(&mut self, source: &mut impl Source, k: usize, divergence: Divergence) -> Found {
        let after = AFTER as usize;
        let mut more = Rows::default();
        let last = &self.past[self.past.len() - 1].rows;
        let beyond = if self.options.stop { NEAR } else { NEAR + FAR };
        let missing = |rows: usize| (k + 1 + rows).saturating_sub(last.len());
        // The window ends where the row behind it begins.
        let window = missing(after + self.delay.lag() + 1);
        let beyond = missing(after.max(beyond)).max(window);
        let time = last.times[k];
        // What follows is for the window and the hypotheses alone: without it, they have less.
        let _ = self.read(source, &mut more, window);
        self.ring = None;
        if more.len() == window {
            let _ = self.read(source, &mut more, beyond);
        }
        self.translate(&mut more);
        let edge = self.checked.skipped + divergence.cycle;
        let cycle = divergence.cycle;
        let about = divergence.about;
        let from = cycle.saturating_sub(BEFORE).min(about);
        let segment = self
            .past
            .iter()
            .rposition(|segment| segment.start <= from)
            .unwrap_or(0);
        let start = self.past[segment].start;
        let mut model = self.past[segment].model.clone();
        let mut delay = self.past[segment].delay.clone();
        let wanted = (cycle - start) as usize + 1 + after;
        let mut all = Rows::default();
        let segments = self.past.iter().skip(segment);
        for rows in segments.map(|segment| &segment.rows).chain([&more]) {
            all.inputs.extend_from_slice(&rows.inputs);
            all.outputs.extend_from_slice(&rows.outputs);
            all.shown.extend_from_slice(&rows.shown);
        }
        let recording = self.recording(&more, about);
        let lag = delay.lag();
        let count = all.inputs.len().min(wanted + lag);
        let silent = (from.saturating_sub(start) as usize).min(count);
        let mut expected = vec![CycleOutput::default(); count];
        let mut unknown = vec![Unknown::default(); count];
        let mut recorder = Recorder::new((count - silent).max(1));
        let random = all.outputs.iter().map(|output| output.random_byte);
        let random: Vec<_> = random.collect();
        let mut taken = Vec::new();
        let before = delay.take(&all.inputs[..count], &mut taken);
        // With the model behind the design, the cycles before the window end later in it.
        let recorded = (silent + lag).min(count).max(before);
        let ends = silent + count - recorded;
        model.run(
            &taken[before..recorded],
            &random[before..recorded],
            &mut expected[before..recorded],
            &mut unknown[before..recorded],
        );
        let at_start = model.clone();
        let mut at_about = model.clone();
        for row in recorded..count {
            if model.cycle() == about {
                at_about = model.clone();
            }
            model.step(
                &taken[row],
                random[row],
                &mut expected[row],
                &mut unknown[row],
                &mut recorder,
            );
        }
        delay.apply(&mut taken, &mut expected, &mut unknown);
        complete(&mut all.outputs[..count], &expected, &self.mapped);
        let cycles = recorder
            .records()
            .zip(silent..ends)
            .map(|(record, row)| WindowCycle {
                input: all.inputs[row],
                record: record.clone(),
                expected: expected[row],
                unknown: unknown[row],
                rtl: all.outputs[row],
            });
        let window = Window {
            first: start + silent as u64,
            cycles: cycles.collect(),
            start: at_start,
            model: at_about,
            latency: delay.latency(),
            vcd: Ok(()),
        };
        let end = all.shown.get(ends).copied();
        let mut times = all.shown[silent..ends].to_vec();
        let period = match &times[..] {
            [.., before, last] => last - before,
            _ => 1,
        };
        times.push(end.unwrap_or_else(|| times.last().map_or(0, |last| last + period)));
        Found {
            divergence,
            replay: Replay {
                window,
                reproduction: Reproduction::Same { from: start },
                recording,
                origin: None,
            },
            times,
            time,
            edge,
        }
    }
}

impl Check<'_> {
    /// What hypotheses are tested on: the cycles that are kept, from the first reset after a row that is not known, to what
    /// `more` has after them, or to a row that is not known. Empty if there is no reset before the divergent `cycle`,
    /// whose outputs differ, if that cycle is not among them, or if outputs have no signal.
    fn recording(&self, more: &Rows, cycle: u64) -> Recording {
        let first = self.past[0].start;
        let divergent = (cycle - first) as usize;
        let mut recording = Recording {
            first,
            from_map: self.wiring.parameters.is_none(),
            ..Recording::default()
        };
        let mut known_from = 0;
        for rows in self.past.iter().map(|segment| &segment.rows).chain([more]) {
            let start = recording.inputs.len();
            let mut end = rows.inputs.len();
            for row in rows.vague.iter().map(|vague| vague.row) {
                if start + row > divergent {
                    end = end.min(row);
                } else {
                    known_from = start + row + 1;
                }
            }
            recording.inputs.extend_from_slice(&rows.inputs[..end]);
            recording.rtl.extend_from_slice(&rows.outputs[..end]);
            if end < rows.inputs.len() {
                break;
            }
        }
        recording.align(self.delay.latency());
        let all_mapped = words(&self.mapped).iter().all(|&word| word == u64::MAX);
        let known = recording.inputs.get(known_from..=divergent);
        let reset = known
            .filter(|_| all_mapped)
            .and_then(|inputs| inputs.iter().position(CycleInput::is_reset));
        match reset {
            None => Recording::default(),
            Some(reset) => {
                recording.forget(known_from + reset);
                recording.divergent = divergent - known_from - reset;
                recording
            }
        }
    }
}

/// Puts the model's values where `mask` has no bit.
fn complete(outputs: &mut [CycleOutput], expected: &[CycleOutput], mask: &CycleOutput) {
    let masks = words(mask);
    if masks.iter().all(|&word| word == u64::MAX) {
        return;
    }
    for (output, expected) in outputs.iter_mut().zip(expected) {
        let bits: &mut [u64] = cast_slice_mut(std::slice::from_mut(output));
        for ((word, expected), mask) in bits.iter_mut().zip(words(expected)).zip(masks) {
            *word = *word & mask | expected & !mask;
        }
    }
}

fn words(output: &CycleOutput) -> &[u64] {
    cast_slice(std::slice::from_ref(output))
}
