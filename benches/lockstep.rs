//! Where the time of a run goes, as ratios to R, the bare Verilated design on the same stimulus: everything is
//! measured in one run, in turns, and medians are shown, so that a busy machine is busy for all of them.
//!
//! `make bench`; `cargo bench --bench lockstep -- ROUNDS` for another number of rounds than 9, and with a word
//! only the measurements that have it in their names, besides R.

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, fs};

use bytemuck::cast_slice;
use lockstep_vcd::{Event, Slice, Source};
use pmu_lockstep::dut::{BuildOptions, Dut, RtlSource, open};
use pmu_lockstep::lockstep::Lockstep;
use pmu_lockstep::lockstep::batch::BATCH;
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::stimulus::{Generator, Profile, Stimulus, StimulusError, StimulusHasher};
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, Unknown};

/// Cycles of recorded stimulus that design and model are run on again and again: long enough to be like a run, in
/// which the first cycles after a reset are busier than others.
const RECORDED: usize = 16 * 1024;
/// Cycles of a run between two looks at the clock, as many as `lockstep run` makes by default: with two threads each run
/// ends with waiting for the last batch.
const STRETCH: u64 = 1024 * 1024;
/// How long one measurement takes: long enough for the operating system to find a processor for either thread.
const SLICE: Duration = Duration::from_millis(800);

/// Something that makes cycles.
type Job<'a> = (&'static str, Box<dyn FnMut() -> u64 + 'a>);

fn main() {
    let rounds = env::args()
        .filter_map(|word| word.parse().ok())
        .next()
        .unwrap_or(9);
    let implementation = Implementation::default();
    let recorded = recorded(&implementation);
    let vcd = trace(&implementation, &recorded);
    let mut jobs: Vec<Job<'_>> = vec![
        ("bare Verilated design (R)", bare(&recorded)),
        (
            "design as lockstep drives it",
            driven(&implementation, &recorded),
        ),
        ("lockstep, one thread", lockstep(&implementation, 1)),
        ("lockstep, two threads", lockstep(&implementation, 2)),
        ("model alone", model(&implementation, &recorded)),
        ("stimulus alone", stimulus(&implementation)),
        ("stimulus hash alone", hash(&recorded)),
        ("VCD reader, cycles of a full trace", vcd_reader(&vcd)),
    ];
    let words: Vec<_> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-') && word.parse::<u32>().is_err())
        .collect();
    jobs.retain(|(name, _)| {
        words.is_empty() || name.contains("(R)") || words.iter().any(|word| name.contains(word))
    });
    let mut speeds = vec![Vec::new(); jobs.len()];
    for round in 0..=rounds {
        for ((_, job), speeds) in jobs.iter_mut().zip(&mut speeds) {
            let (start, mut cycles) = (Instant::now(), 0);
            while start.elapsed() < SLICE {
                cycles += job();
            }
            // The first round warms up.
            if round > 0 {
                speeds.push(cycles as f64 / start.elapsed().as_secs_f64());
            }
        }
    }
    println!(
        "{rounds} rounds, medians; {} counters",
        implementation.pmu.counters
    );
    println!(
        "{:<36} {:>12} {:>9} {:>8}   lowest..highest",
        "", "M cycles/s", "ns/cycle", "x R"
    );
    let r = median(&speeds[0]);
    for ((name, _), speeds) in jobs.iter().zip(&speeds) {
        let speed = median(speeds);
        let lowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = speeds.iter().copied().fold(0.0, f64::max);
        println!(
            "{name:<36} {:>12.3} {:>9.1} {:>8.2}   {:.2}..{:.2}",
            speed / 1e6,
            1e9 / speed,
            speed / r,
            lowest / 1e6,
            highest / 1e6
        );
    }
    for ((name, _), speeds_of) in jobs.iter().zip(&speeds) {
        if name.starts_with("lockstep") {
            // The ratio of neighbours in time is less noisy than that of the medians.
            let ratios: Vec<_> = speeds_of
                .iter()
                .zip(&speeds[0])
                .map(|(run, bare)| run / bare)
                .collect();
            println!("{name} / R, round by round: median {:.3}", median(&ratios));
        }
        if name.starts_with("VCD") {
            let rate = vcd.len() as f64 / RECORDED as f64 * median(speeds_of) / 1e6;
            println!("VCD reader: {rate:.0} MB/s, every byte checked");
        }
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn generator(implementation: &Implementation) -> Generator {
    Generator::new(1, implementation, &Profile::default()).expect("the default is consistent")
}

fn recorded(implementation: &Implementation) -> Vec<CycleInput> {
    let mut inputs = vec![CycleInput::default(); RECORDED];
    generator(implementation).fill(&mut inputs);
    inputs
}

fn design(implementation: &Implementation, traced: bool) -> Box<dyn Dut> {
    open(
        &RtlSource::Bundled,
        implementation,
        traced,
        &BuildOptions::from_env(),
        &mut |_| (),
    )
    .expect("the bundled RTL is linked in")
}

/// The design in a loop of C++, with Verilator's `eval()` at either edge of the clock.
fn bare(recorded: &[CycleInput]) -> Box<dyn FnMut() -> u64 + '_> {
    let library = verilator_sys::static_library!(lockstep_bundled).expect("linked in");
    let mut dut = library.create().expect("an instance");
    Box::new(move || {
        for inputs in recorded.chunks_exact(BATCH) {
            let completed = dut.run_bare(cast_slice(inputs));
            assert_eq!(completed, BATCH, "the bundled RTL does not stop");
        }
        recorded.len() as u64
    })
}

fn driven<'a>(
    implementation: &Implementation,
    recorded: &'a [CycleInput],
) -> Box<dyn FnMut() -> u64 + 'a> {
    let mut dut = design(implementation, false);
    let mut outputs = vec![CycleOutput::default(); BATCH];
    Box::new(move || {
        for inputs in recorded.chunks_exact(BATCH) {
            dut.run(inputs, &mut outputs)
                .expect("the bundled RTL does not stop");
            black_box(&outputs);
        }
        recorded.len() as u64
    })
}

fn lockstep(implementation: &Implementation, threads: usize) -> Box<dyn FnMut() -> u64> {
    let stimulus = generator(implementation).into();
    let mut run = Lockstep::new(
        implementation,
        design(implementation, false),
        stimulus,
        threads,
    )
    .expect("the default is consistent");
    let (control, mut hasher) = (Control::default(), StimulusHasher::default());
    Box::new(move || {
        let before = run.cycles();
        run.run(before + STRETCH, &control, |inputs| {
            hasher.update(inputs);
            Ok::<_, StimulusError>(())
        })
        .expect("generated stimulus does not end");
        assert_eq!(run.cycles(), before + STRETCH, "the bundled RTL agrees");
        STRETCH
    })
}

fn model<'a>(
    implementation: &Implementation,
    recorded: &'a [CycleInput],
) -> Box<dyn FnMut() -> u64 + 'a> {
    let mut model = Model::new(implementation).expect("the default is consistent");
    let mut outputs = vec![CycleOutput::default(); BATCH];
    let mut unknowns = vec![Unknown::default(); BATCH];
    let random: Vec<_> = (0..BATCH).map(|cycle| (cycle * 167) as u8).collect();
    Box::new(move || {
        for inputs in recorded.chunks_exact(BATCH) {
            model.run(inputs, &random, &mut outputs, &mut unknowns);
            black_box(&outputs);
        }
        recorded.len() as u64
    })
}

fn stimulus(implementation: &Implementation) -> Box<dyn FnMut() -> u64> {
    let mut stimulus = Stimulus::from(generator(implementation));
    let mut inputs = vec![CycleInput::default(); BATCH];
    Box::new(move || {
        let made = stimulus
            .fill(&mut inputs)
            .expect("generated stimulus does not end");
        black_box(&inputs);
        made as u64
    })
}

fn hash(recorded: &[CycleInput]) -> Box<dyn FnMut() -> u64 + '_> {
    let mut hasher = StimulusHasher::default();
    Box::new(move || {
        hasher.update(recorded);
        recorded.len() as u64
    })
}

/// A dump of the traced design.
fn trace(implementation: &Implementation, recorded: &[CycleInput]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("trace.vcd");
    let mut dut = design(implementation, true);
    let mut outputs = vec![CycleOutput::default(); recorded.len()];
    dut.trace_to(&path, 0).expect("a traced design");
    dut.run(recorded, &mut outputs)
        .expect("the bundled RTL does not stop");
    dut.end_trace().expect("room for a dump");
    fs::read(path).expect("the dump")
}

fn vcd_reader(dump: &[u8]) -> Box<dyn FnMut() -> u64 + '_> {
    Box::new(move || {
        let mut changes = 0u64;
        let mut source = Slice::new(dump).expect("a dump");
        source
            .for_each(|event| changes += u64::from(matches!(event, Event::Change(..))))
            .expect("a whole dump");
        black_box(changes);
        RECORDED as u64
    })
}
