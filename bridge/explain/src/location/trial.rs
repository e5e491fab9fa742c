//! Changes that make the cycles of a divergence right, tried on other stimulus: what was found by few cycles mends these alone,
//! more often than not.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use bytemuck::bytes_of;
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};

use lockstep_engine::dut::Dut;
use lockstep_engine::lockstep::delay::Latency;
use lockstep_stimulus::{Generator, Profile};

use super::LocationError;
use super::change::Edit;
use super::contract::wide;
use super::netlist::Netlist;
use super::rows::Rows;
use super::simulation::{Differences, Expected, Judge, Simulation};
use super::stretch::{Dump, Stretch, cycles, judged};
use crate::cores;

/// Cycles of a run, each from a reset on; a multiple of 64.
const CYCLES: usize = 4096;
/// Runs that are in one dump.
const TOGETHER: usize = 2;
/// Runs that must be wrong without a change, and right with it, before it is said to be the cause.
const LEAST: usize = 2;
/// Places of which one change is tried on all runs.
const PLACES: usize = 5;
/// Runs that are enough where there is no effort for all.
const ENOUGH: usize = 16;

/// Other stimulus that changes are tried on.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The seed of the first run.
    pub seed: u64,
    /// How many runs of 4,096 cycles, each with the next seed.
    pub runs: usize,
    /// Parts of assignments that are looked at in a run for one change, at most.
    pub each: u64,
    /// The same in all. What is right so far then is right if that were enough runs.
    pub all: u64,
}

impl Trial {
    /// What is tried for a report: less where a hypothesis says already what is wrong, and a change no more than where.
    #[must_use]
    pub const fn of_report(is_explained: bool) -> Self {
        Self {
            seed: 1 << 32,
            runs: if is_explained { 16 } else { 64 },
            each: 500_000_000,
            all: 5_000_000_000,
        }
    }
}

/// What came of a change on other stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// All is right with it.
    Right {
        /// Cycles that were tried.
        cycles: usize,
        /// Of the runs, those that diverge without it.
        telling: usize,
    },
    /// It is not.
    Wrong {
        /// The seed of the run.
        seed: u64,
        /// The cycle in it.
        cycle: usize,
    },
    /// That could not be found out.
    Open,
}

/// Tries changes of a design, each with its place: the first ones of a few places that are right in the first runs are tried
/// on all. `dut` is traced, its dumps are for the time being in `folder`.
///
/// # Errors
/// [`LocationError`].
pub(super) fn tried(
    edits: &[(Edit, u32)],
    trial: Trial,
    implementation: &Implementation,
    dut: &mut dyn Dut,
    design: &Netlist,
    folder: &Path,
) -> Result<Vec<Tried>, LocationError> {
    let mut attempt = Attempt {
        implementation,
        tried: vec![
            Tried::Right {
                cycles: 0,
                telling: 0
            };
            edits.len()
        ],
        edits,
        simulated: None,
        room: None,
        effort: 0,
        each: trial.each,
        most: trial.all,
    };
    if Latency::of(&dut.parameters()) != Latency::default() {
        // The outputs of a cycle are in others.
        attempt.tried.fill(Tried::Open);
    }
    let seeds: Vec<u64> = (trial.seed..).take(trial.runs).collect();
    let mut runs = seeds
        .chunks(TOGETHER)
        .map(|seeds| Runs::new(seeds, implementation, dut, folder));
    let mut now = None;
    while attempt.is_open() {
        // The design runs on while what it did is simulated.
        let next = thread::scope(|scope| -> Result<_, LocationError> {
            let done = now
                .take()
                .map(|now| scope.spawn(|| attempt.go_on(now, design)));
            let next = runs.next();
            if let Some(done) = done {
                done.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            }
            Ok(next)
        })?;
        now = match next {
            // Where nothing is left to try, it is of no matter that the design stops.
            Some(next) if attempt.is_open() => Some(next?),
            _ => break,
        };
    }
    Ok(attempt.ended(trial.runs))
}

/// What is tried, as far as it is.
struct Attempt<'a> {
    implementation: &'a Implementation,
    edits: &'a [(Edit, u32)],
    tried: Vec<Tried>,
    simulated: Option<Simulation<'a>>,
    room: Option<Rows>,
    effort: u64,
    each: u64,
    most: u64,
}

impl<'a> Attempt<'a> {
    /// Whether there is a change that may be right, and effort left to find out.
    fn is_open(&self) -> bool {
        self.effort < self.most && self.tried.iter().any(Tried::is_right)
    }

    fn go_on(&mut self, runs: Runs, design: &'a Netlist) -> Result<(), lockstep_vcd::Error> {
        let (stretches, expected) = (&runs.stretches, runs.expected);
        let rows = Rows::read(design, &runs.dump, cycles(stretches), self.room.take())?;
        match &mut self.simulated {
            Some(simulation) => self.room = Some(simulation.go_on(rows, stretches, expected)),
            none => *none = Simulation::of(design, rows, stretches, expected),
        }
        let Some(simulation) = &self.simulated else {
            self.tried.fill(Tried::Open);
            return Ok(());
        };
        let (implementation, each) = (self.implementation, self.each);
        // Of the first places, a change each.
        let mut places = HashSet::new();
        for ((edit, place), tried) in self.edits.iter().zip(&mut self.tried) {
            if !tried.is_right() || self.effort >= self.most {
                continue;
            }
            if places.len() >= PLACES || places.contains(place) {
                *tried = Tried::Open;
                continue;
            }
            let all: Vec<usize> = (0..stretches.len()).collect();
            let differences = || simulation.differences();
            let of_runs = cores::of_each(&all, differences, |&number, differences| {
                let before = differences.effort();
                let mut judge = judge(implementation, &runs.inputs[number]);
                let from = (&stretches[number], runs.seeds[number]);
                let tried = Tried::of(simulation, *edit, from, differences, &mut judge);
                let effort = differences.effort() - before;
                match effort > each && tried.is_right() {
                    true => (Tried::Open, effort),
                    false => (tried, effort),
                }
            });
            for (of_run, effort) in of_runs {
                *tried = tried.and(of_run);
                self.effort += effort;
            }
            if tried.is_right() {
                places.insert(*place);
            }
        }
        Ok(())
    }

    /// What is known of each change: not enough, where effort ended after a few runs.
    fn ended(self, runs: usize) -> Vec<Tried> {
        let least = CYCLES * runs.min(ENOUGH);
        let tried = self.tried.into_iter();
        let ended = tried.map(|tried| match tried {
            Tried::Right { cycles, .. } if cycles < least => Tried::Open,
            tried => tried,
        });
        ended.collect()
    }
}

impl Tried {
    /// Whether all that was tried is right.
    pub fn is_right(&self) -> bool {
        matches!(self, Self::Right { .. })
    }

    /// Whether that is enough to call what is changed the cause.
    pub fn is_cause(&self) -> bool {
        matches!(
            self,
            Self::Right {
                telling: LEAST..,
                ..
            }
        )
    }

    /// What comes of a change in one run.
    fn of(
        simulation: &Simulation<'_>,
        edit: Edit,
        (stretch, seed): (&Stretch, u64),
        differences: &mut Differences,
        judge: &mut Judge<'_>,
    ) -> Self {
        let all = (0, stretch.cycles);
        let wrong = simulation.first_wrong(edit, stretch, all, differences, Some(judge));
        differences.forget();
        match wrong {
            Ok(None) => Self::Right {
                cycles: stretch.cycles,
                telling: usize::from(stretch.divergent.is_some()),
            },
            Ok(Some(cycle)) => Self::Wrong { seed, cycle },
            Err(_) => Self::Open,
        }
    }

    /// What is known by more stimulus.
    fn and(self, more: Self) -> Self {
        match (self, more) {
            (
                Self::Right { cycles, telling },
                Self::Right {
                    cycles: more,
                    telling: also,
                },
            ) => Self::Right {
                cycles: cycles + more,
                telling: telling + also,
            },
            (Self::Right { .. }, other) => other,
            (known, _) => known,
        }
    }
}

/// What outputs should be, as the model says.
fn expected_of(output: &CycleOutput, unknown: &Unknown) -> Expected {
    let unknown = wide(&unknown.mask());
    Expected {
        value: wide(bytes_of(output)),
        known: unknown.into_iter().map(|word| !word).collect(),
    }
}

/// The model by itself, which says what the outputs should be in the cycle behind the last random byte.
fn judge(
    implementation: &Implementation,
    inputs: &[CycleInput],
) -> impl FnMut(&[u8]) -> Option<Expected> {
    let (mut model, mut next) = (None, 0);
    move |bytes| {
        if model.is_none() {
            model = Some(Model::new(implementation).ok()?);
        }
        let now = next..bytes.len();
        let mut expected = vec![CycleOutput::default(); now.len()];
        let mut unknown = vec![Unknown::default(); now.len()];
        let (inputs, bytes) = (&inputs[now.clone()], &bytes[now.clone()]);
        model
            .as_mut()?
            .run(inputs, bytes, &mut expected, &mut unknown);
        next = now.end;
        Some(expected_of(expected.last()?, unknown.last()?))
    }
}

/// Runs of a design, from a reset on each.
struct Runs {
    seeds: Vec<u64>,
    inputs: Vec<Vec<CycleInput>>,
    dump: Dump,
    stretches: Vec<Stretch>,
    expected: Vec<Expected>,
}

impl Runs {
    fn new(
        seeds: &[u64],
        implementation: &Implementation,
        dut: &mut dyn Dut,
        folder: &Path,
    ) -> Result<Self, LocationError> {
        let first = seeds.first().copied().unwrap_or_default();
        let dump = Dump(folder.join(format!("tried-{first}.vcd")));
        let (mut stretches, mut expected) = (Vec::new(), Vec::new());
        let mut all_inputs = Vec::new();
        dut.trace_to(&dump.0, 0)?;
        for (number, &seed) in seeds.iter().enumerate() {
            let mut inputs = vec![CycleInput::default(); CYCLES];
            Generator::new(seed, implementation, &Profile::default())?.fill(&mut inputs);
            inputs[0] = CycleInput::reset();
            let mut rtl = vec![CycleOutput::default(); CYCLES];
            dut.run(&inputs, &mut rtl)?;
            let judged = judged(implementation, &inputs, &rtl)?;
            let cycles = judged.expected.iter().zip(&judged.unknown);
            expected.extend(cycles.map(|(output, unknown)| expected_of(output, unknown)));
            all_inputs.push(inputs);
            stretches.push(Stretch {
                first: number * CYCLES,
                cycles: CYCLES,
                divergent: judged.found,
                is_last: false,
            });
        }
        dut.end_trace()?;
        Ok(Self {
            seeds: seeds.to_vec(),
            inputs: all_inputs,
            dump,
            stretches,
            expected,
        })
    }
}
