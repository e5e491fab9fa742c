//! `lockstep model`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::{AccessOutcome, CycleInput, CycleOutput, Implementation, Model, Unknown};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use super::model_trace::Trace;
use super::places::Places;
use super::{DEFAULT_CYCLES, Failure, output};
use crate::implementation_file;
use crate::lockstep::Verdict;
use crate::lockstep::batch::BATCH;
use crate::stimulus::{Generator, Profile, Reader, Stimulus, StimulusHash, StimulusHasher};

/// Arguments of `model`.
#[derive(Args)]
pub struct ModelArgs {
    /// Seed of the stimulus
    #[arg(long, default_value_t = 1, conflicts_with = "stimulus", value_parser = super::number::<u64>(0, u64::MAX))]
    seed: u64,
    /// Run this recorded stimulus instead of generating one
    #[arg(long, value_name = "FILE")]
    stimulus: Option<PathBuf>,
    /// Cycles to run [default: 1000000; a recorded stimulus to its end]
    #[arg(long, value_parser = super::number::<u64>(1, u64::MAX))]
    cycles: Option<u64>,
    /// Features, sizes and knobs (TOML)
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Write every cycle: as VCD if the name ends in .vcd, else as JSON Lines
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print the totals as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Totals of one counter.
#[derive(Clone, Debug, Default, Serialize)]
struct Counter {
    name: String,
    /// Sum of its increments.
    sum: u64,
    /// Largest increment.
    largest: u16,
    /// Cycles with an increment other than 0.
    active: u64,
    /// Cycles in which its increment is UNKNOWN.
    unknown: u64,
}

/// Totals of a run.
#[derive(Clone, Debug, Serialize)]
struct Totals {
    implementation: String,
    stimulus: String,
    stimulus_hash: Option<StimulusHash>,
    seconds: f64,
    cycles: u64,
    resets: u64,
    accesses: u64,
    undefined: u64,
    /// Accesses that are trapped, to any level.
    trapped: u64,
    sampling: Sampling,
    counters: Vec<Counter>,
}

/// Totals of Statistical Profiling.
#[derive(Clone, Debug, Default, Serialize)]
struct Sampling {
    /// Operations selected.
    selected: u64,
    /// How many of them collided.
    collided: u64,
    /// Random bytes drawn.
    drawn: u64,
    /// Cycles in which its outputs are UNKNOWN.
    unknown: u64,
}

impl Totals {
    fn new(implementation: &Implementation, stimulus: &Stimulus) -> Self {
        let names = (0..implementation.pmu.counters)
            .map(|n| format!("event counter {n}"))
            .chain(["cycle counter".to_owned()]);
        Self {
            implementation: implementation.name.clone(),
            stimulus: stimulus.description(),
            stimulus_hash: None,
            seconds: 0.0,
            cycles: 0,
            resets: 0,
            accesses: 0,
            undefined: 0,
            trapped: 0,
            sampling: Sampling::default(),
            counters: names
                .map(|name| Counter {
                    name,
                    ..Counter::default()
                })
                .collect(),
        }
    }

    fn enter(&mut self, input: &CycleInput, output: &CycleOutput, unknown: &Unknown) {
        self.cycles += 1;
        self.resets += u64::from(input.is_reset());
        self.accesses += u64::from(output.access_outcome != AccessOutcome::None as u8);
        self.undefined += u64::from(output.access_outcome == AccessOutcome::Undefined as u8);
        let trap = AccessOutcome::TrapEl1 as u8..=AccessOutcome::TrapEl3 as u8;
        self.trapped += u64::from(trap.contains(&output.access_outcome));
        self.sampling.selected += u64::from(output.selected);
        self.sampling.collided += u64::from(output.collided);
        self.sampling.drawn += u64::from(output.random_drawn);
        self.sampling.unknown += u64::from(unknown.spe);
        let last = self.counters.len() - 1;
        for (n, counter) in self.counters.iter_mut().enumerate() {
            let lane = if n == last { CYCLE_COUNTER } else { n };
            let increment = output.increment[lane];
            counter.sum += u64::from(increment);
            counter.largest = counter.largest.max(increment);
            counter.active += u64::from(increment != 0);
            counter.unknown += u64::from(unknown.increments >> lane & 1);
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{} cycles, implementation {}, {} resets, {} register accesses, {} of them UNDEFINED, {} trapped\n\
             sampling: {} operations selected, {} of them collided, {} random bytes drawn, {} cycles UNKNOWN\n\
             {:>16} {:>16} {:>8} {:>12} {:>10}\n",
            self.cycles,
            self.implementation,
            self.resets,
            self.accesses,
            self.undefined,
            self.trapped,
            self.sampling.selected,
            self.sampling.collided,
            self.sampling.drawn,
            self.sampling.unknown,
            "",
            "sum of V",
            "largest",
            "cycles V>0",
            "UNKNOWN"
        );
        for counter in &self.counters {
            text += &format!(
                "{:>16} {:>16} {:>8} {:>12} {:>10}\n",
                counter.name, counter.sum, counter.largest, counter.active, counter.unknown
            );
        }
        if let Some(hash) = self.stimulus_hash {
            text += &format!("stimulus {hash}: {}\n", self.stimulus);
        }
        text
    }
}

/// Runs the model alone.
pub(super) fn model(args: &ModelArgs) -> Result<Verdict, Failure> {
    let places = Places::new()
        .writes("--trace", args.trace.as_deref())
        .reads("--stimulus", args.stimulus.as_deref())
        .reads("--implementation", args.implementation.as_deref());
    places.check()?;
    let (implementation, mut stimulus) = source(args)?;
    // There is no design to take the random bytes from (DUT-61).
    let mut random = ChaCha8Rng::seed_from_u64(stimulus.seed().unwrap_or(args.seed));
    let mut model = Model::new(&implementation).map_err(Failure::input)?;
    let mut totals = Totals::new(&implementation, &stimulus);
    let recorded = args.stimulus.is_some();
    let cycles = args
        .cycles
        .unwrap_or(if recorded { u64::MAX } else { DEFAULT_CYCLES });
    let start = Instant::now();
    match &args.trace {
        None => run(
            &mut model,
            &mut stimulus,
            &mut random,
            cycles,
            &mut totals,
            None,
        )?,
        Some(path) => traced(path, &implementation, |trace| {
            run(
                &mut model,
                &mut stimulus,
                &mut random,
                cycles,
                &mut totals,
                Some(trace),
            )
        })?,
    }
    totals.seconds = start.elapsed().as_secs_f64();
    if args.json {
        output::print_json(&totals)?;
    } else {
        output::print(&totals.text())?;
    }
    Ok(Verdict::Agree)
}

fn source(args: &ModelArgs) -> Result<(Implementation, Stimulus), Failure> {
    if let Some(path) = &args.stimulus {
        let reader = Reader::open(path).map_err(Failure::input)?;
        let (implementation, reader) = match args.implementation.as_deref() {
            // The model alone may run any stimulus that the contract allows for this implementation.
            Some(file) => {
                let given = implementation_file::load(Some(file)).map_err(Failure::input)?;
                let reader = reader.for_design(&given);
                (given, reader)
            }
            None => (reader.header().implementation.clone(), reader),
        };
        return Ok((implementation, reader.into()));
    }
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let generator =
        Generator::new(args.seed, &implementation, &Profile::default()).map_err(Failure::input)?;
    Ok((implementation, generator.into()))
}

fn traced(
    path: &Path,
    implementation: &Implementation,
    run: impl FnOnce(&mut Trace<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut failure = None;
    output::write_whole(path, |out| {
        let mut trace = Trace::new(path, implementation, out)?;
        if let Err(error) = run(&mut trace) {
            failure = Some(error);
        }
        trace.finish()
    })?;
    failure.map_or(Ok(()), Err)
}

fn run(
    model: &mut Model,
    stimulus: &mut Stimulus,
    random: &mut ChaCha8Rng,
    cycles: u64,
    totals: &mut Totals,
    mut trace: Option<&mut Trace<'_>>,
) -> Result<(), Failure> {
    let mut hasher = StimulusHasher::default();
    let mut inputs = vec![CycleInput::default(); BATCH];
    let mut outputs = vec![CycleOutput::default(); BATCH];
    let mut unknowns = vec![Unknown::default(); BATCH];
    let mut bytes = vec![0; BATCH];
    while totals.cycles < cycles {
        let wanted = usize::try_from(cycles - totals.cycles)
            .unwrap_or(BATCH)
            .min(BATCH);
        let made = stimulus
            .fill(&mut inputs[..wanted])
            .map_err(Failure::input)?;
        if made == 0 {
            break;
        }
        let inputs = &inputs[..made];
        hasher.update(inputs);
        // One byte a cycle, whether or not it is drawn, so that a run does not depend on how it is cut.
        random.fill_bytes(&mut bytes[..made]);
        match &mut trace {
            None => model.run(
                inputs,
                &bytes[..made],
                &mut outputs[..made],
                &mut unknowns[..made],
            ),
            Some(trace) => {
                for k in 0..made {
                    trace
                        .step(
                            model,
                            &inputs[k],
                            bytes[k],
                            &mut outputs[k],
                            &mut unknowns[k],
                        )
                        .map_err(Failure::infrastructure)?;
                }
            }
        }
        for k in 0..made {
            totals.enter(&inputs[k], &outputs[k], &unknowns[k]);
        }
    }
    totals.stimulus_hash = Some(hasher.hash());
    Ok(())
}
