//! Changes that make the cycles of a divergence right, tried on other stimulus: what was found by few cycles mends these alone,
//! more often than not.

use std::collections::HashSet;
use std::path::Path;

use bytemuck::bytes_of;
use pmu_model::{CycleInput, CycleOutput, Implementation};

use lockstep_engine::dut::Dut;
use lockstep_engine::lockstep::delay::Latency;
use lockstep_stimulus::{Generator, Profile};

use super::LocationError;
use super::change::Edit;
use super::contract::wide;
use super::netlist::Netlist;
use super::rows::Rows;
use super::simulation::{Differences, Expected, Simulation};
use super::stretch::{Dump, Stretch, judged};

/// Cycles of a run, each from a reset on; a multiple of 64.
const CYCLES: usize = 4096;
/// Runs that are in one dump.
const TOGETHER: usize = 2;
/// Runs that must be wrong without a change, and right with it, before it is said to be the cause.
const LEAST: usize = 2;
/// Places of which one change is tried on all runs.
const PLACES: usize = 5;
/// Assignments that are looked at in a run, at most: for one change, and for all of them on the average.
const WORK: u64 = 20_000_000;
const ALL_WORK: u64 = 3 * WORK;

/// Other stimulus that changes are tried on.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The seed of the first run.
    pub seed: u64,
    /// How many runs of 4,096 cycles, each with the next seed.
    pub runs: usize,
}

impl Trial {
    /// What is tried for a report.
    pub const OF_REPORTS: Self = Self {
        seed: 1 << 32,
        runs: 16,
    };
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
    let mut tried = vec![
        Tried::Right {
            cycles: 0,
            telling: 0
        };
        edits.len()
    ];
    if Latency::of(&dut.parameters()) != Latency::default() {
        // The outputs of a cycle are in others.
        tried.fill(Tried::Open);
    }
    let mut simulated: Option<Simulation<'_>> = None;
    let mut room = None;
    let mut work = 0;
    let all_work = ALL_WORK * trial.runs as u64;
    let mut next = trial.seed;
    let end = trial.seed + trial.runs as u64;
    while next < end && tried.iter().any(Tried::is_right) {
        let seeds: Vec<u64> = (next..end).take(TOGETHER).collect();
        next += seeds.len() as u64;
        let runs = Runs::new(&seeds, implementation, dut, folder)?;
        let cycles = seeds.len() * CYCLES;
        let rows = Rows::read(design, &runs.dump, cycles, room.take())?;
        let (stretches, expected) = (&runs.stretches, runs.expected);
        match &mut simulated {
            Some(simulation) => room = Some(simulation.go_on(rows, stretches, expected)),
            none => *none = Simulation::of(design, rows, stretches, expected),
        }
        let Some(simulation) = &simulated else {
            tried.fill(Tried::Open);
            break;
        };
        let mut differences = simulation.differences();
        let mut places = HashSet::new();
        for ((edit, place), tried) in edits.iter().zip(&mut tried) {
            let is_one_more = places.len() >= PLACES || places.contains(place);
            if tried.is_right() && (is_one_more || work > all_work) {
                *tried = Tried::Open;
            }
            for (stretch, seed) in runs.stretches.iter().zip(&seeds) {
                tried.go_on(simulation, *edit, (stretch, *seed), &mut differences);
            }
            if tried.is_right() {
                places.insert(*place);
            }
        }
        work += differences.work();
    }
    Ok(tried)
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

    fn go_on(
        &mut self,
        simulation: &Simulation<'_>,
        edit: Edit,
        (stretch, seed): (&Stretch, u64),
        differences: &mut Differences,
    ) {
        let Self::Right { cycles, telling } = self else {
            return;
        };
        let before = differences.work();
        let wrong = simulation.first_wrong(edit, stretch, (0, stretch.cycles), differences);
        differences.forget();
        let work = differences.work() - before;
        match wrong {
            Ok(None) if work <= WORK => {
                *cycles += stretch.cycles;
                *telling += usize::from(stretch.divergent.is_some());
            }
            Ok(Some(cycle)) => *self = Self::Wrong { seed, cycle },
            _ => *self = Self::Open,
        }
    }
}

/// Runs of a design, from a reset on each.
struct Runs {
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
        let dump = Dump(folder.join("tried.vcd"));
        let (mut stretches, mut expected) = (Vec::new(), Vec::new());
        dut.trace_to(&dump.0, 0)?;
        for (number, &seed) in seeds.iter().enumerate() {
            let mut inputs = vec![CycleInput::default(); CYCLES];
            Generator::new(seed, implementation, &Profile::default())?.fill(&mut inputs);
            inputs[0] = CycleInput::reset();
            let mut rtl = vec![CycleOutput::default(); CYCLES];
            dut.run(&inputs, &mut rtl)?;
            let judged = judged(implementation, &inputs, &rtl)?;
            let cycles = judged.expected.iter().zip(&judged.unknown);
            expected.extend(cycles.map(|(output, unknown)| {
                Expected {
                    value: wide(bytes_of(output)),
                    known: wide(&unknown.mask())
                        .into_iter()
                        .map(|word| !word)
                        .collect(),
                }
            }));
            stretches.push(Stretch {
                first: number * CYCLES,
                cycles: CYCLES,
                divergent: judged.found,
                is_last: false,
            });
        }
        dut.end_trace()?;
        Ok(Self {
            dump,
            stretches,
            expected,
        })
    }
}
