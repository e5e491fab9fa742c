//! How fast the model is: `cargo run --release -p pmu-model --example speed`,
//! with words for the stimuli that have one in their names. Each stimulus
//! is random; medians of short rounds in turns, with the fastest, which counts on a busy machine, and the slowest.

use std::hint::black_box;
use std::time::{Duration, Instant};

use pmu_model::contract::{EVENT_LANES, THREADS, control};
use pmu_model::coverage::Coverage;
use pmu_model::{AccessKind, CycleInput, CycleOutput, Implementation, Model, SysReg, Unknown};

const CYCLES: usize = 16 * 1024;
const BATCH: usize = 4096;
const SLICE: Duration = Duration::from_millis(4);
const ROUNDS: usize = 150;

/// A small generator of random numbers: the quality is of no importance here.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next() as usize % from.len()]
    }
}

/// What a stimulus drives besides events and the registers of the event counters.
#[derive(Clone, Copy)]
struct Driven {
    driven: u8,
    /// Events that types select, besides lanes.
    events: &'static [u64],
    sampling: bool,
    all_registers: bool,
}

fn stimulus(driven: Driven) -> Vec<CycleInput> {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let implementation = Implementation::default();
    let all: Vec<_> = SysReg::all(&implementation).collect();
    let counters: Vec<_> = all
        .iter()
        .copied()
        .filter(|register| matches!(register, SysReg::Pmevtyper(_) | SysReg::Pmevcntr(_)))
        .collect();
    let mut inputs: Vec<_> = (0..CYCLES)
        .map(|_| cycle(&mut random, driven, &all, &counters))
        .collect();
    let enables = [
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmcntenset, u64::MAX),
        CycleInput::write(SysReg::Pmcr, 1),
        CycleInput::write(SysReg::Pmsirr, 0x301),
    ];
    for start in (0..CYCLES).step_by(CYCLES / 2) {
        inputs[start..start + enables.len()].copy_from_slice(&enables);
    }
    inputs
}

fn cycle(random: &mut Random, driven: Driven, all: &[SysReg], counters: &[SysReg]) -> CycleInput {
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    };
    for lane in 0..EVENT_LANES {
        input.event[lane] = if random.one_in(3) {
            random.next() as u16 & 15
        } else {
            0
        };
    }
    // An access in every fourth cycle, and half of them reads.
    if random.one_in(4) {
        let register = random.pick(if driven.all_registers { all } else { counters });
        input.access_address = register.address();
        input.access_data = random.next();
        let write = random.one_in(2) && !matches!(register, SysReg::Pmcr | SysReg::Pmcntenclr);
        input.access_kind = if write {
            AccessKind::Write
        } else {
            AccessKind::Read
        } as u8;
        if let SysReg::Pmevtyper(_) = register {
            let event = if random.one_in(2) && !driven.events.is_empty() {
                random.pick(driven.events)
            } else {
                random.next() & 63
            };
            input.access_data = random.next() & 0xE000_001F_0200_0000 | event;
        }
        if register == SysReg::Pmsirr {
            input.access_data = 0x301;
        }
    }
    input.driven = driven.driven;
    if driven.driven & CycleInput::DRIVEN_PE != 0 {
        input.controls = control::EL2_ENABLED | control::MDCR_EL3_MTPME | control::USERENR_EN;
        if random.one_in(8) {
            input.controls = random.next() as u32 & 0xF_FFFF;
        }
        input.hpmn = 31;
    }
    if driven.driven != 0 {
        for t in 0..THREADS {
            input.threads[t].state = random.pick(&[0, 1, 1, 2, 4, 5]);
            input.threads[t].conditions = random.next() as u8;
            input.threads[t].count = random.next() as u16 & 7;
        }
    }
    if driven.sampling {
        input.operations = random.next() as u8 & 7;
        input.complete = u8::from(random.one_in(64));
        input.profiling = u8::from(!random.one_in(256));
    }
    input
}

fn main() {
    let none = Driven {
        driven: 0,
        events: &[],
        sampling: false,
        all_registers: false,
    };
    let threads = &[0x8, 0x11, 0x23, 0x24, 0x3C, 0x8159, 0xC0, 0xC1][..];
    let jobs = [
        ("events and counters", none),
        ("and PE state", Driven { driven: 1, ..none }),
        (
            "and threads",
            Driven {
                driven: 3,
                events: threads,
                ..none
            },
        ),
        (
            "sampling alone",
            Driven {
                sampling: true,
                events: &[0x4000, 0x4001, 0x4003],
                ..none
            },
        ),
        (
            "everything",
            Driven {
                driven: 3,
                events: &[0x8, 0x11, 0x23, 0x3C, 0x8159, 0xC1, 0x4000, 0x4001],
                sampling: true,
                all_registers: true,
            },
        ),
    ];
    let words: Vec<_> = std::env::args().skip(1).collect();
    let jobs: Vec<_> = jobs
        .into_iter()
        .filter(|(name, _)| words.is_empty() || words.iter().any(|word| name.contains(word)))
        .collect();
    let inputs: Vec<_> = jobs.iter().map(|&(_, driven)| stimulus(driven)).collect();
    let model = Model::new(&Implementation::default()).expect("the default");
    let mut models = vec![model; jobs.len()];
    let random = vec![7; BATCH];
    let mut outputs = vec![CycleOutput::default(); BATCH];
    let mut unknowns = vec![Unknown::default(); BATCH];
    let mut times = vec![Vec::new(); jobs.len()];
    for _ in 0..ROUNDS {
        for ((inputs, model), times) in inputs.iter().zip(&mut models).zip(&mut times) {
            let (start, mut cycles) = (Instant::now(), 0);
            while start.elapsed() < SLICE {
                for inputs in inputs.chunks_exact(BATCH) {
                    model.run(inputs, &random, &mut outputs, &mut unknowns);
                    black_box((&outputs, &unknowns));
                    cycles += BATCH;
                }
            }
            times.push(start.elapsed().as_secs_f64() * 1e9 / cycles as f64);
        }
    }
    covered(&inputs);
    for ((name, _), times) in jobs.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        println!(
            "{name:<22} {:6.1} ns/cycle   {:.1}..{:.1}",
            times[times.len() / 2],
            times[0],
            times[times.len() - 1]
        );
    }
}

/// The last of the stimuli with coverage.
fn covered(inputs: &[Vec<CycleInput>]) {
    let implementation = Implementation::default();
    let mut coverage = Coverage::new(&implementation);
    let mut model = Model::new(&implementation).expect("the default");
    let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
    // So short that the machine does something else in few of them.
    const SHORT: usize = 256;
    let mut fastest = f64::INFINITY;
    let recorded = inputs.last().map_or(&[][..], Vec::as_slice);
    for inputs in (0..ROUNDS / 10).flat_map(|_| recorded.chunks_exact(SHORT)) {
        let start = Instant::now();
        for input in inputs {
            model.step(input, 7, &mut output, &mut unknown, &mut coverage);
        }
        fastest = fastest.min(start.elapsed().as_secs_f64() * 1e9 / SHORT as f64);
    }
    println!("the last with coverage {fastest:6.1} ns/cycle");
}
