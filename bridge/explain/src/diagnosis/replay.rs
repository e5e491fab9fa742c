//! The re-run of the cycles around a divergence.

use std::path::Path;

use pmu_model::{CycleInput, CycleOutput, CycleRecord, Model, Recorder, Unknown};

use crate::hypotheses::{BEYOND, Elsewhere, Recording};
use lockstep_engine::dut::{Dut, Stop, TraceUnavailable};
use lockstep_engine::lockstep::batch::BATCH;
use lockstep_engine::lockstep::compare::{Divergence, first_difference_from};
use lockstep_engine::lockstep::delay::{Delay, Latency, cycles_before};
use lockstep_engine::lockstep::engine::{Checkpoint, Lockstep};
use lockstep_engine::lockstep::waivers::Waivers;
use lockstep_stimulus::{Generator, Origin, Stimulus, StimulusError};

/// Cycles shown before the divergent one.
pub const BEFORE: u64 = 50;
/// Cycles shown after it.
pub const AFTER: u64 = 10;

/// One cycle of the window.
#[derive(Clone, Debug)]
pub struct WindowCycle {
    /// Input.
    pub input: CycleInput,
    /// How the model came to its output.
    pub record: CycleRecord,
    /// The model's output, as it is compared: delayed by the design's latency.
    pub expected: CycleOutput,
    /// What is not compared of it.
    pub unknown: Unknown,
    /// The design's output.
    pub rtl: CycleOutput,
}

/// The cycles around a divergence.
#[derive(Clone, Debug)]
pub struct Window {
    /// Number of the first cycle.
    pub first: u64,
    /// The cycles.
    pub cycles: Vec<WindowCycle>,
    /// The model at the start of the first cycle.
    pub start: Model,
    /// The model at the start of the cycle whose outputs differ.
    pub model: Model,
    /// Cycles by which what the design shows of a cycle is late.
    pub latency: Latency,
    /// Whether `window.vcd` was written, else why not.
    pub vcd: Result<(), String>,
}

impl Window {
    /// A cycle by its number.
    pub fn at(&self, cycle: u64) -> Option<&WindowCycle> {
        self.cycles
            .get(usize::try_from(cycle.checked_sub(self.first)?).ok()?)
    }
}

/// Whether the re-run reached the same divergence.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Reproduction {
    /// At the same cycle, from the reset in `from`.
    Same {
        /// The reset that the re-run started with.
        from: u64,
    },
    /// From an earlier reset alone: the nearest does not bring the design into a known state.
    FromEarlier {
        /// The reset from which it is.
        from: u64,
        /// The nearest reset, from which the re-run showed something else.
        reset: u64,
        /// The first cycle that differed from there, if any did.
        instead: Option<u64>,
    },
    /// Only from the first cycle of the run on: a reset does not bring the design into a known state.
    OnlyFromStart {
        /// The nearest reset, from which the re-run showed something else.
        reset: u64,
        /// The first cycle that differed from there, if any did.
        instead: Option<u64>,
    },
    /// Not at all: the traced build behaves differently.
    Different {
        /// The first cycle that differed in the re-run from the first cycle, if any did.
        instead: Option<u64>,
    },
    /// Not at all: the re-run came to no end.
    Ended {
        /// What became of it.
        how: String,
    },
}

impl Reproduction {
    /// Whether the re-run came to this divergence, from whatever reset.
    pub fn is_reached(&self) -> bool {
        !matches!(self, Self::Different { .. } | Self::Ended { .. })
    }

    /// The outcome in one sentence.
    pub fn sentence(&self) -> String {
        let instead = |cycle: &Option<u64>| {
            cycle.map_or("no divergence".into(), |cycle| {
                format!("a divergence in cycle {cycle}")
            })
        };
        match self {
            Self::Same { from } => {
                format!("the re-run from the reset in cycle {from} diverges in the same cycle")
            }
            Self::FromEarlier {
                from,
                reset,
                instead: cycle,
            } => format!(
                "the re-run diverges in the same cycle from the reset in cycle {from} on; from the one \
                 in cycle {reset} it showed {}: a reset leaves something of the design unset",
                instead(cycle)
            ),
            Self::OnlyFromStart {
                reset,
                instead: cycle,
            } => format!(
                "the re-run diverges in the same cycle only from the first cycle on; from the \
                 reset in cycle {reset} it showed {}: a reset leaves something of the design unset",
                instead(cycle)
            ),
            Self::Different { instead: cycle } => format!(
                "the re-run did NOT reach this divergence, it showed {}: the design depends on \
                 something else than its inputs",
                instead(cycle)
            ),
            Self::Ended { how } => {
                format!(
                    "the re-run did NOT reach this divergence, it ended: {how}; the divergence is that of the run"
                )
            }
        }
    }
}

/// A re-run.
#[derive(Debug)]
pub struct Replay {
    /// What it showed.
    pub window: Window,
    /// Whether it is the same.
    pub reproduction: Reproduction,
    /// The cycles from the reset on, and those that follow the divergence, for hypotheses.
    pub recording: Recording,
    /// What the stimulus was made from, if that is known.
    pub origin: Option<Origin>,
}

impl Replay {
    /// Whether what was recorded begins with the reset from which the re-run showed the divergence, or one before it.
    pub fn diverges_from_first(&self) -> bool {
        let first = self.recording.first;
        let is_there = self.recording.divergent < self.recording.inputs.len();
        is_there
            && match self.reproduction {
                Reproduction::Same { from } | Reproduction::FromEarlier { from, .. } => {
                    first <= from
                }
                Reproduction::OnlyFromStart { .. } => first == 0,
                Reproduction::Different { .. } | Reproduction::Ended { .. } => false,
            }
    }

    /// What is known of a divergence whose re-run ended: nothing but `how` it did.
    pub fn ended(run: &Lockstep, divergence: &Divergence, how: String) -> Self {
        let place = run.checkpoints(divergence.about).swap_remove(0);
        let model = place.model;
        Self {
            window: Window {
                first: divergence.about,
                cycles: Vec::new(),
                start: model.clone(),
                model,
                latency: Latency::default(),
                vcd: Err("no waveform: the re-run ended".into()),
            },
            reproduction: Reproduction::Ended { how },
            recording: Recording::default(),
            origin: run.stimulus().origin(),
        }
    }
}

/// A re-run that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The stimulus.
    #[error(transparent)]
    Stimulus(#[from] StimulusError),
    /// The design stops in the window.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// The traced design cannot be had.
    #[error("{0}")]
    Traced(String),
}

/// Cycles from an earlier reset than the nearest to the divergence, if a re-run is to start there: farther ones take
/// longer than a report should.
const EARLIER: u64 = 1 << 18;

/// Where re-runs start, one after the other: at the nearest place, at those that are each twice as far as the one
/// before, and at the last, which is the first cycle of the run.
fn starts(places: &[Checkpoint], cycle: u64) -> Vec<&Checkpoint> {
    let Some((origin, resets)) = places.split_last() else {
        return Vec::new();
    };
    let mut starts: Vec<&Checkpoint> = Vec::new();
    for place in resets.iter().filter(|place| place.cycle != origin.cycle) {
        let distance = cycle - place.reset;
        let far_enough = match starts.last() {
            None => true,
            Some(last) => distance >= 2 * (cycle - last.reset) && distance <= EARLIER,
        };
        if far_enough {
            starts.push(place);
        }
    }
    starts.push(origin);
    starts
}

/// Runs the cycles around a divergence once more: from the nearest reset that gives a full window, else from an earlier
/// one, else from the first cycle.
///
/// # Errors
/// The stimulus cannot be read, the traced design cannot be had, or it stops.
pub fn replay(
    run: &Lockstep,
    divergence: &Divergence,
    traced: &mut dyn FnMut() -> Result<Box<dyn Dut>, String>,
    vcd: &Path,
) -> Result<Replay, ReplayError> {
    let cycle = divergence.cycle;
    let places = run.checkpoints(cycle.saturating_sub(BEFORE));
    let mut nearest = None;
    let mut last = None;
    let starts = starts(&places, cycle);
    for (index, place) in starts.iter().enumerate() {
        let dut = traced().map_err(ReplayError::Traced)?;
        let waivers = run.ledger().waivers().fresh();
        let mut attempt = Attempt::new(dut, run.stimulus(), place, waivers)?;
        let (window, first) = attempt.run(divergence, vcd)?;
        let from_start = index + 1 == starts.len();
        if first == Some(cycle) {
            let reproduction = match nearest {
                None => Reproduction::Same { from: place.reset },
                Some((reset, instead)) if from_start => {
                    Reproduction::OnlyFromStart { reset, instead }
                }
                Some((reset, instead)) => Reproduction::FromEarlier {
                    from: place.reset,
                    reset,
                    instead,
                },
            };
            let mut recording = attempt.beyond(divergence)?;
            let origin = run.stimulus().origin();
            let implementation = place.model.implementation();
            // What is waived differs on other stimulus as well, and is none of what is looked for.
            let nothing_waived = run.ledger().waivers().is_empty();
            recording.elsewhere = origin
                .as_ref()
                .filter(|_| nothing_waived)
                .and_then(|origin| origin.other(implementation))
                .and_then(|other| Some(elsewhere(traced().ok()?, other)))
                .map(Box::new);
            return Ok(Replay {
                window,
                reproduction,
                recording,
                origin,
            });
        }
        if !from_start {
            nearest = nearest.or(Some((place.reset, first)));
        }
        last = Some((window, first));
    }
    let (window, instead) = last.ok_or_else(|| ReplayError::Traced("no place to start".into()))?;
    Ok(Replay {
        window,
        reproduction: Reproduction::Different { instead },
        recording: Recording::default(),
        origin: run.stimulus().origin(),
    })
}

/// Runs a design on other stimulus.
fn elsewhere(mut dut: Box<dyn Dut>, other: Generator) -> Elsewhere {
    let latency = Latency::of(&dut.parameters());
    Elsewhere::run(other, latency, |inputs, rtl| dut.run(inputs, rtl))
}

struct Attempt<'a> {
    dut: Box<dyn Dut>,
    model: Model,
    stimulus: Stimulus,
    delay: Delay,
    waivers: Waivers,
    place: &'a Checkpoint,
    cycle: u64,
    /// First cycle that differed since the reset.
    first: Option<u64>,
    recording: Recording,
}

impl<'a> Attempt<'a> {
    fn new(
        dut: Box<dyn Dut>,
        stimulus: &Stimulus,
        place: &'a Checkpoint,
        waivers: Waivers,
    ) -> Result<Self, StimulusError> {
        let mut stimulus = stimulus.clone();
        stimulus.restore(&place.stimulus)?;
        Ok(Self {
            delay: place.delay.clone(),
            dut,
            model: place.model.clone(),
            stimulus,
            waivers,
            place,
            cycle: place.cycle,
            first: None,
            recording: Recording {
                first: place.cycle,
                ..Recording::default()
            },
        })
    }

    fn run(
        &mut self,
        divergence: &Divergence,
        vcd: &Path,
    ) -> Result<(Window, Option<u64>), ReplayError> {
        let Divergence { cycle, about, .. } = *divergence;
        let start = cycle.saturating_sub(BEFORE).max(self.place.cycle);
        while self.cycle < start {
            let wanted = usize::try_from(start - self.cycle)
                .unwrap_or(BATCH)
                .min(BATCH);
            if !self.silent(wanted)? {
                break;
            }
        }
        let window = self.traced(about, (cycle + AFTER + 1 - self.cycle) as usize, vcd)?;
        Ok((window, self.first))
    }

    /// Runs a batch before the window; false at the end of the stimulus.
    fn silent(&mut self, wanted: usize) -> Result<bool, ReplayError> {
        let mut inputs = vec![CycleInput::default(); wanted];
        let made = self.stimulus.fill(&mut inputs)?;
        let inputs = &mut inputs[..made];
        let mut rtl = vec![CycleOutput::default(); made];
        let mut expected = rtl.clone();
        let mut unknown = vec![Unknown::default(); made];
        self.dut.run(inputs, &mut rtl)?;
        self.recording.append(inputs, &rtl);
        let mut taken = Vec::new();
        let before = self.delay.take(inputs, &mut taken);
        // DUT-61
        let random: Vec<_> = rtl.iter().map(|output| output.random_byte).collect();
        self.model.run(
            &taken[before..],
            &random[before..],
            &mut expected[before..],
            &mut unknown[before..],
        );
        self.note(&mut taken, &mut expected, &mut unknown, &rtl);
        Ok(made > 0)
    }

    /// Compares a batch, from the reset on.
    fn note(
        &mut self,
        inputs: &mut [CycleInput],
        expected: &mut [CycleOutput],
        unknown: &mut [Unknown],
        rtl: &[CycleOutput],
    ) {
        self.delay.apply(inputs, expected, unknown);
        let from = self.place.reset + self.delay.depth() as u64;
        let skip = cycles_before(from, self.cycle, rtl.len());
        if self.first.is_none() {
            let mut rtl = rtl.to_vec();
            self.waivers
                .apply(self.cycle, inputs, expected, unknown, &mut rtl);
            self.first =
                first_difference_from(skip, expected, unknown, &rtl).map(|k| self.cycle + k as u64);
        }
        self.cycle += rtl.len() as u64;
    }

    /// Runs the window with the traced design and the recording model.
    fn traced(&mut self, about: u64, wanted: usize, vcd: &Path) -> Result<Window, ReplayError> {
        let first = self.cycle;
        let lag = self.delay.lag();
        let mut inputs = vec![CycleInput::default(); wanted + lag];
        let made = self.stimulus.fill(&mut inputs)?;
        inputs.truncate(made);
        let mut rtl = vec![CycleOutput::default(); made];
        let mut expected = rtl.clone();
        let mut unknown = vec![Unknown::default(); made];
        let text = |error: TraceUnavailable| error.to_string();
        let traced = self.dut.trace_to(vcd, first).map_err(text);
        let ran = self.dut.run(&inputs, &mut rtl);
        let vcd = traced.and_then(|()| self.dut.end_trace().map_err(text));
        match ran {
            // A stop after the divergence ends the window.
            Err(stop) if first + stop.completed as u64 > about => {
                inputs.truncate(stop.completed);
                rtl.truncate(stop.completed);
                expected.truncate(stop.completed);
                unknown.truncate(stop.completed);
            }
            other => other?,
        }
        let made = inputs.len();
        self.recording.extend(&inputs, &rtl);

        let mut taken = Vec::new();
        let before = self.delay.take(&inputs, &mut taken);
        let mut recorder = Recorder::new(made.max(1));
        let (mut start, mut model) = (self.model.clone(), self.model.clone());
        for k in before..made {
            if self.model.cycle() == first {
                start = self.model.clone();
            }
            if self.model.cycle() == about {
                model = self.model.clone();
            }
            self.model.step(
                &taken[k],
                rtl[k].random_byte,
                &mut expected[k],
                &mut unknown[k],
                &mut recorder,
            );
        }
        self.note(&mut taken, &mut expected, &mut unknown, &rtl);
        let cycles = recorder
            .records()
            .skip_while(|record| record.cycle < first)
            .enumerate()
            .map(|(k, record)| WindowCycle {
                input: inputs[k],
                record: record.clone(),
                expected: expected[k],
                unknown: unknown[k],
                rtl: rtl[k],
            })
            .collect();
        Ok(Window {
            first,
            cycles,
            start,
            model,
            latency: self.delay.latency(),
            vcd,
        })
    }

    /// Runs the design on, as far as hypotheses need it. A design that stops there has recorded enough.
    fn beyond(&mut self, divergence: &Divergence) -> Result<Recording, ReplayError> {
        let mut left = BEYOND;
        while left > 0 {
            let mut inputs = vec![CycleInput::default(); left.min(BATCH)];
            let made = self.stimulus.fill(&mut inputs)?;
            let mut rtl = vec![CycleOutput::default(); made];
            let ran = self.dut.run(&inputs[..made], &mut rtl);
            let completed = ran.as_ref().map_or_else(|stop| stop.completed, |()| made);
            self.recording
                .extend(&inputs[..completed], &rtl[..completed]);
            left -= made;
            if made == 0 || ran.is_err() {
                break;
            }
        }
        let mut recording = std::mem::take(&mut self.recording);
        recording.align(self.delay.latency());
        // From the first reset on: what a later one should have cleared may be why the design differs.
        let reset = recording.inputs.iter().position(CycleInput::is_reset);
        recording.forget(reset.unwrap_or(0));
        let divergent = divergence.about.checked_sub(recording.first);
        // Beyond all cycles if it is not among them.
        recording.divergent = divergent.map_or(usize::MAX, |index| index as usize);
        Ok(recording)
    }
}
