//! The slow contract of accesses, types, events, Statistical Profiling and System PMUs says what the model says: run on
//! numbers, in cycles of random stimulus, for every implementation of the tests.

use std::fs;
use std::path::Path;

use lockstep_prove::access_rules;
use lockstep_prove::accesses::{Accesses, Selected};
use lockstep_prove::circuit::{Circuit, Lit};
use lockstep_prove::contract::Shape;
use lockstep_prove::counter::{Control, Counter};
use lockstep_prove::events;
use lockstep_prove::registers::{Fixed, Held};
use lockstep_prove::sampling::{self, Sampling};
use lockstep_prove::system::{COUNTERS, System, Unit};
use lockstep_prove::tables::{Situation, Tables};
use lockstep_stimulus::{Generator, Profile, implementation_file};
use pmu_model::contract::{CYCLE_COUNTER, Unknown};
use pmu_model::pmu::registers::{PMCR_E, PMCR_LP};
use pmu_model::trace::{CycleRecord, Tracer};
use pmu_model::{CycleInput, CycleOutput, Implementation, Model, SysReg};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const CYCLES: usize = 1_500;

fn bits(value: u64, count: usize) -> Vec<Lit> {
    (0..count)
        .map(|bit| Lit::known(value >> bit & 1 == 1))
        .collect()
}

fn number(bits: &[Lit]) -> u64 {
    let bits = bits.iter().enumerate();
    bits.fold(0, |number, (place, &bit)| {
        assert!(bit == Lit::TRUE || bit == Lit::FALSE, "all is known");
        number | u64::from(bit == Lit::TRUE) << place
    })
}

/// Keeps the record of the last cycle.
struct Last(Option<CycleRecord>);

impl Tracer for Last {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.0 = Some(record);
    }
}

/// What goes on by the slow contract alone, from a reset on.
struct Slow {
    types: Vec<Vec<Lit>>,
    sampling: Sampling,
    system: System,
}

impl Slow {
    fn new(implementation: &Implementation, fixed: &Fixed) -> Self {
        let zero = || bits(0, 64);
        let units = implementation.system_pmu.iter().map(|pmu| {
            let implemented = pmu.implemented_counters();
            let of_kind = || {
                let all = (0..COUNTERS).map(|n| (implemented >> n & 1 == 1).then(zero));
                all.collect()
            };
            Unit {
                counters: std::array::from_fn(|_| of_kind()),
                flags: std::array::from_fn(|_| zero()),
            }
        });
        Self {
            types: (0..32).map(|n| bits(fixed.reset_type(n), 64)).collect(),
            sampling: Sampling::out_of_reset(implementation),
            system: System {
                select: bits(0, 6),
                bank: bits(0, 2),
                units: units.collect(),
            },
        }
    }
}

#[test]
fn it_says_what_the_model_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/implementations");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("implementations")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let mut seen = Seen::default();
    for (seed, file) in files.iter().enumerate() {
        let implementation = implementation_file::load(Some(file)).expect("an implementation");
        run(&implementation, seed as u64 + 1, &mut seen);
    }
    let Seen {
        outcomes,
        events,
        selected,
        collided,
        read,
    } = seen;
    assert!(
        outcomes[1..=5].iter().all(|&count| count > 10),
        "{outcomes:?}"
    );
    let counts = [events, selected, collided, read];
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

/// How often something happened.
#[derive(Default)]
struct Seen {
    outcomes: [u64; 8],
    events: u64,
    selected: u64,
    collided: u64,
    read: u64,
}

fn run(implementation: &Implementation, seed: u64, seen: &mut Seen) {
    let profile = Profile::default();
    let mut stimulus = Generator::new(seed, implementation, &profile).expect("legal");
    let mut cycles = vec![CycleInput::default(); CYCLES];
    stimulus.fill(&mut cycles);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let accesses = Accesses::of(implementation).expect("possible");
    let tables = Tables::of(implementation).expect("possible");
    let fixed = Fixed::of(implementation).expect("possible");
    let mut model = Model::new(implementation).expect("possible");
    let mut slow = Slow::new(implementation, &fixed);
    for (number_of, input) in cycles.iter().enumerate() {
        let at = format!("{} cycle {number_of}: {input:x?}", implementation.name);
        let before = model.clone();
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        let mut last = Last(None);
        let byte = random.next_u32() as u8;
        model.step(input, byte, &mut output, &mut unknown, &mut last);
        let record = last.0.expect("a record");

        let circuit = &mut Circuit::default();
        let cycle = Shape::of(input).on(circuit);
        let pmcr = before.register(SysReg::Pmcr);
        let control = Control {
            enable: Lit::known(pmcr & PMCR_E != 0),
            long: Lit::known(pmcr & PMCR_LP != 0),
            enabled: bits(before.register(SysReg::Pmcntenset), 32),
            select: bits(before.register(SysReg::Pmselr), 5),
        };
        let reset = Lit::known(input.is_reset());
        let held = Lit::known(input.clock_stopped == 1 && !input.is_reset());
        let none = circuit.or(reset, held);
        let selected = Selected {
            counter: &control.select,
            system: &slow.system.select.clone(),
        };
        let reached = accesses.reached(circuit, &cycle, &selected, none);
        let outcome = number(&reached.outcome);
        assert_eq!(outcome, u64::from(output.access_outcome), "outcome, {at}");
        seen.outcomes[outcome as usize] += 1;
        let syndrome = number(&reached.syndrome);
        assert_eq!(syndrome, u64::from(output.trap_iss), "syndrome, {at}");

        let flags = before.register(SysReg::Pmovsset);
        let event_counters = 0..usize::from(implementation.pmu.counters);
        let mut counters: Vec<_> = (0..32).map(|_| None).collect();
        for n in event_counters.clone().chain([CYCLE_COUNTER]) {
            let register = SysReg::pmevcntr(n as u8).unwrap_or(SysReg::Pmccntr);
            let counter = Counter {
                value: bits(before.register(register), 64),
                flag: Lit::known(flags >> n & 1 == 1),
            };
            counters[n] = Some((counter, slow.types[n].clone()));
        }
        let of_sampling = implementation.spe.implemented.then_some(&slow.sampling);
        let of_system = (!implementation.system_pmu.is_empty()).then_some(&slow.system);
        let held_registers = Held {
            fixed: &fixed,
            control: &control,
            counters: &counters,
            sampling: of_sampling,
            system: of_system,
        };
        let read = reached.read(circuit, |circuit, register| {
            held_registers.value(circuit, register)
        });
        assert_eq!(number(&read), output.access_data, "data, {at}");
        seen.read += u64::from(output.access_data != 0);

        // Statistical Profiling.
        let facts = sampling::Facts {
            implementation,
            input: &cycle,
            reset,
            held,
            before: &slow.sampling,
        };
        let mut samples = std::array::from_fn(|_| bits(0, 8));
        if implementation.spe.implemented {
            let counted = facts.operations(circuit, &bits(byte.into(), 8));
            let taken = facts.samples(circuit, &counted.selected);
            let after = facts.after(circuit, &reached, &counted, &taken);
            let found = [
                number(&after.pmsicr()),
                number(&after.in_flight),
                number(&after.coll()),
                number(&counted.selected),
                number(&counted.first),
                number(&taken.collided),
                number(&counted.drawn),
            ];
            let expected = [
                output.pmsicr,
                output.in_flight.into(),
                output.coll.into(),
                output.selected.into(),
                output.first_selected.into(),
                output.collided.into(),
                output.random_drawn.into(),
            ];
            assert_eq!(found, expected, "sampling, {at}");
            seen.selected += u64::from(output.selected);
            seen.collided += u64::from(output.collided);
            samples = taken.events;
            slow.sampling = after;
        }

        // Events.
        if !input.is_reset() && input.clock_stopped == 0 {
            let situation = Situation::of(&cycle);
            for n in event_counters.filter(|n| record.counting >> n & 1 == 1) {
                let register = &slow.types[n];
                let (mt, counted) = tables.group(circuit, register, &situation);
                let facts = events::Facts {
                    implementation,
                    input: &cycle,
                    register,
                    mt,
                    counted,
                    samples: &samples,
                };
                let (base, is_chain) = facts.base(circuit);
                if is_chain == Lit::TRUE && n % 2 == 1 {
                    continue;
                }
                let base = number(&base);
                assert_eq!(base, u64::from(record.values.v_b[n]), "event of {n}, {at}");
                seen.events += u64::from(base != 0);
            }
        }

        slow.system = slow
            .system
            .after(circuit, &implementation.system_pmu, &reached, reset);
        for (n, register) in slow.types.iter_mut().enumerate() {
            *register = fixed.type_after(circuit, n, register, (&reached, reset));
        }
    }
}

#[test]
fn a_word_of_the_rules_is_its_bits() {
    let word = access_rules::word(pmu_model::contract::AccessOutcome::TrapEl3, true);
    assert_eq!(number(&access_rules::bits(word)), u64::from(word));
}
