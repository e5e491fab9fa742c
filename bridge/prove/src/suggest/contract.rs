//! What of the contract is looked for in a design, and its values in random stimulus.

use std::array;

use lockstep_stimulus::StimulusError;
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::plain::state::{
    BUFFER, COLL, COUNT, COUNTERS, CYCLE_FILTER, ECOUNT, ENABLE, ENABLED, FLAGS, IN_FLIGHT,
    INTERVAL, LONG, OF_SYSTEM_PMU, PREVIOUS, PROFILED, SELECT, SYSTEM, SYSTEM_SELECT, TYPES,
};
use pmu_model::plain::{Moment, Mutation, Operators, Plain, Site};
use pmu_model::pmu::event_type::CHAIN;
use pmu_model::{CycleInput, CycleOutput, Implementation};

use crate::simulation::{RUNS, bits_of, stimulus, transposed};
use crate::system;

/// A thing of the contract that signals stand for.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its place in the correspondence.
    pub key: &'static str,
    /// The numbers that its name may have in it.
    pub numbers: Vec<(char, usize)>,
    /// Its bits.
    pub width: usize,
    of: Of,
}

impl Target {
    /// The counter whose base value it is, which is known only where that counts.
    pub fn base_of(&self) -> Option<usize> {
        match self.of {
            Of::Base(n) => Some(n),
            _ => None,
        }
    }

    /// Whether a design may keep anything where it is zero, and a bit that says so.
    pub fn may_be_valid(&self) -> bool {
        self.key.starts_with("system.") && self.width == 64
    }
}

/// Where its value comes from.
#[derive(Clone, Copy, Debug)]
enum Of {
    /// Bits of a word of the state, from this one on.
    State(usize, u32),
    /// PMBSR of an Exception level, from 0.
    Buffer(usize),
    /// Whether a counter counts.
    Counting(usize),
    /// The base value of a counter's event.
    Base(usize),
    /// What an event of Statistical Profiling counts.
    Sample(usize),
}

/// All that is looked for.
pub fn targets(implementation: &Implementation) -> Vec<Target> {
    let mut all = Vec::new();
    let mut add = |key, numbers: &[(char, usize)], width: usize, of| {
        let numbers = numbers.to_vec();
        all.push(Target {
            key,
            numbers,
            width,
            of,
        });
    };
    let pmu = &implementation.pmu;
    for n in 0..usize::from(pmu.counters) {
        let number = [('n', n)];
        add("counter.counting", &number, 1, Of::Counting(n));
        add("counter.base", &number, pmu.event_width.into(), Of::Base(n));
        add("counter.type", &number, 64, Of::State(TYPES + n, 0));
        add("counter.c_p", &number, 1, Of::State(PREVIOUS, n as u32));
        let value = Of::State(COUNTERS + n, 0);
        add("counter.value", &number, pmu.counter_bits.into(), value);
    }
    add("common.enable", &[], 1, Of::State(ENABLE, 0));
    add("common.enabled", &[], 32, Of::State(ENABLED, 0));
    add("common.cycle_filter", &[], 64, Of::State(CYCLE_FILTER, 0));
    add("common.cycle_counting", &[], 1, Of::Counting(CYCLE_COUNTER));
    let cycles = Of::State(COUNTERS + CYCLE_COUNTER, 0);
    add("common.cycles", &[], 64, cycles);
    add("common.long", &[], 1, Of::State(LONG, 0));
    add("common.flags", &[], 32, Of::State(FLAGS, 0));
    add("common.select", &[], 5, Of::State(SELECT, 0));
    if implementation.spe.implemented {
        add("sampling.count", &[], 32, Of::State(COUNT, 0));
        add("sampling.ecount", &[], 8, Of::State(ECOUNT, 0));
        add("sampling.interval", &[], 24, Of::State(INTERVAL, 8));
        add("sampling.random", &[], 1, Of::State(INTERVAL, 0));
        add("sampling.enabled", &[], 1, Of::State(PROFILED, 0));
        add("sampling.in_flight", &[], 8, Of::State(IN_FLIGHT, 0));
        for x in 0..if implementation.spe.exc { 3 } else { 1 } {
            add("sampling.buffer", &[('x', x + 1)], 64, Of::Buffer(x));
        }
        for (event, key) in SAMPLES.into_iter().enumerate() {
            add(key, &[], 8, Of::Sample(event));
        }
    }
    if !implementation.system_pmu.is_empty() {
        add("system.select", &[], 6, Of::State(SYSTEM_SELECT, 4));
        add("system.bank", &[], 2, Of::State(SYSTEM_SELECT, 0));
    }
    for (s, unit) in implementation.system_pmu.iter().enumerate() {
        let first = SYSTEM + s * OF_SYSTEM_PMU;
        let implemented = unit.implemented_counters();
        for n in (0..system::COUNTERS).filter(|n| implemented >> n & 1 == 1) {
            for (kind, key) in OF_SYSTEM_COUNTERS.into_iter().enumerate() {
                let word = first + kind * system::COUNTERS + n;
                add(key, &[('s', s), ('n', n)], 64, Of::State(word, 0));
            }
        }
        for (flag, key) in OF_SYSTEM_PMUS.into_iter().enumerate() {
            let word = first + OF_SYSTEM_COUNTERS.len() * system::COUNTERS + flag;
            add(key, &[('s', s)], 64, Of::State(word, 0));
        }
    }
    all
}

/// The events of Statistical Profiling, in the order of their numbers.
pub const SAMPLES: [&str; 4] = [
    "sampling.events.0",
    "sampling.events.1",
    "sampling.events.2",
    "sampling.events.3",
];
/// The registers of a counter of a System PMU.
pub const OF_SYSTEM_COUNTERS: [&str; system::KINDS] = [
    "system.counter",
    "system.type",
    "system.filter",
    "system.filter_2",
];
/// The registers of a System PMU.
pub const OF_SYSTEM_PMUS: [&str; 3] = ["system.enabled", "system.flags", "system.interrupts"];

/// What a cycle of all runs has: of each word its bits, each in all runs.
pub struct Seen {
    /// By target.
    pub values: Vec<[u64; RUNS]>,
    /// By counter, where it counts something else than overflows of the one below.
    pub counts: [u64; 32],
    /// By counter, that of cycles last, where its type is written at the end of the cycle.
    pub types: [u64; 32],
    /// Where there is a reset.
    pub reset: u64,
}

/// The contract in random stimulus.
pub struct Contract {
    runs: Vec<Plain>,
    inputs: Vec<Vec<CycleInput>>,
    targets: Vec<Target>,
}

impl Contract {
    /// So many cycles, of which so many resets come first.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &Implementation,
        targets: &[Target],
        cycles: (usize, usize),
    ) -> Result<Self, StimulusError> {
        let inputs = stimulus(implementation, cycles)?;
        let runs = inputs.iter().map(|_| Plain::new(implementation));
        let runs = runs.collect::<Result<_, _>>()?;
        Ok(Self {
            runs,
            inputs,
            targets: targets.to_vec(),
        })
    }

    /// The bits of CycleInput of a cycle, each in all runs.
    pub fn input(&self, cycle: usize) -> Vec<u64> {
        bits_of(&self.inputs, cycle)
    }

    /// A cycle, in which these bytes are drawn.
    pub fn step(&mut self, cycle: usize, bytes: [u64; 8]) -> Seen {
        let mut values = vec![[0; RUNS]; self.targets.len()];
        let (mut counts, mut types, mut reset) = ([0; 32], [0; 32], 0);
        for (run, (plain, inputs)) in self.runs.iter_mut().zip(&self.inputs).enumerate() {
            let input = &inputs[cycle];
            for (target, values) in self.targets.iter().zip(&mut values) {
                let state = plain.state();
                let word = |word: usize| state.word(word as u16);
                values[run] = match target.of {
                    Of::State(at, low) => word(at) >> low & u64::MAX >> (64 - target.width),
                    Of::Buffer(x) => word(BUFFER + x) | (word(COLL) >> x & 1) << 16,
                    _ => continue,
                };
            }
            let is_chain = |n| n < CYCLE_COUNTER && plain.shown_event(n) == CHAIN;
            let chains: [bool; 32] = array::from_fn(is_chain);
            let byte = bytes.iter().enumerate();
            let byte = byte.map(|(bit, of_all)| ((of_all >> run & 1) as u8) << bit);
            let mut watch = Watch::default();
            plain.step(&mut watch, input, byte.sum());
            for (target, values) in self.targets.iter().zip(&mut values) {
                values[run] = match target.of {
                    Of::Counting(n) => u64::from(watch.counts >> n & 1),
                    Of::Base(n) => watch.bases[n],
                    Of::Sample(event) => plain.samples()[event],
                    _ => continue,
                };
            }
            for n in 0..32 {
                counts[n] |= u64::from(watch.counts >> n & 1 == 1 && !chains[n]) << run;
            }
            for (word, _) in plain.state().written() {
                let n = match usize::from(word) {
                    CYCLE_FILTER => CYCLE_COUNTER,
                    word => word.wrapping_sub(TYPES),
                };
                if n < CYCLE_COUNTER || usize::from(word) == CYCLE_FILTER {
                    types[n] |= 1 << run;
                }
            }
            reset |= u64::from(input.is_reset()) << run;
        }
        for of_all in &mut values {
            *of_all = transposed(*of_all);
        }
        Seen {
            values,
            counts,
            types,
            reset,
        }
    }
}

/// Hears which counters count, and what.
#[derive(Default)]
struct Watch {
    moment: Moment,
    may: u32,
    counts: u32,
    bases: [u64; 32],
}

impl Operators for Watch {
    fn see(&mut self, site: Site, at: usize, right: u64, _: &dyn Fn(Mutation) -> u64) -> u64 {
        match site {
            Site::MayCount => self.may |= (right as u32) << at,
            Site::SomeThread => self.counts |= (right as u32) << at & self.may,
            Site::Base => self.bases[at] = right,
            _ => {}
        }
        right
    }

    fn moment(&mut self) -> &mut Moment {
        &mut self.moment
    }
}

/// The first bit of a field of CycleOutput.
pub fn output_bit(name: &str) -> usize {
    let found = CycleOutput::FIELDS.iter().find(|field| field.name == name);
    found.map_or(0, |field| 8 * field.byte)
}
