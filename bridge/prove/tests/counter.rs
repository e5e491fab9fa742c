//! The slow contract of counters says what the model says: run on numbers, in random cycles near overflows.

use lockstep_prove::accesses::{Accesses, Selected};
use lockstep_prove::circuit::{Circuit, Lit};
use lockstep_prove::contract::Shape;
use lockstep_prove::counter::{Control, Counter, Facts};
use lockstep_stimulus::ContractCheck;
use pmu_model::audit::{KINDS, is_driven};
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::pmu::registers::{PMCR_E, PMCR_LP};
use pmu_model::{CycleInput, Implementation, Model, SysReg};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const CHAIN: u64 = 0x1E;

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

fn value_of(n: usize) -> SysReg {
    SysReg::pmevcntr(n as u8).unwrap_or(SysReg::Pmccntr)
}

/// An access that matters here, or none.
fn access(random: &mut impl FnMut(u64) -> u64) -> CycleInput {
    let near = match random(4) {
        0 => u64::MAX - random(3),
        1 => 0xFFFF_FFFF - random(3),
        2 => random(8),
        _ => random(u64::MAX),
    };
    let register = match random(12) {
        0 => SysReg::Pmcr,
        1 => SysReg::Pmcntenset,
        2 => SysReg::Pmcntenclr,
        3 => SysReg::Pmovsset,
        4 => SysReg::Pmovsclr,
        5 => SysReg::Pmselr,
        6 => SysReg::Pmxevcntr,
        7 => value_of(CYCLE_COUNTER),
        8 | 9 => value_of(random(4) as usize),
        _ => return CycleInput::default(),
    };
    let data = match register {
        SysReg::Pmcr => (near & !6) | (random(4) / 3 * 2) | (random(4) / 3 * 4) | 1,
        _ => near,
    };
    CycleInput::write(register, data)
}

#[test]
fn it_says_what_the_model_says() {
    let mut overflows = [0; 3];
    let mut chained = 0;
    for counter_bits in [32, 64] {
        let mut implementation = Implementation::default();
        implementation.pmu.counters = 4;
        implementation.pmu.counter_bits = counter_bits;
        let accesses = Accesses::of(&implementation).expect("possible");
        let mut generator = ChaCha8Rng::seed_from_u64(7);
        let mut random = |below: u64| generator.next_u64() % below;
        let mut model = Model::new(&implementation).expect("possible");
        model.step_simple(&CycleInput::reset());
        for (n, event) in [(0, 1), (1, CHAIN), (2, 2), (3, 3)] {
            let register = SysReg::pmevtyper(n).expect("a counter");
            model.step_simple(&CycleInput::write(register, event));
        }
        for _ in 0..40_000 {
            let mut input = access(&mut random);
            for event in 0..4 {
                input.event[event] = match random(3) {
                    0 => random(1 << 16) as u16,
                    _ => random(3) as u16,
                };
            }
            input.counting_allowed = !(random(16) as u32);
            input.clock_stopped = u8::from(random(16) == 0);
            if input.clock_stopped == 1 {
                input.access_kind = 0;
            }
            let before = model.clone();
            let (output, _) = model.step_simple(&input);
            let pmcr = before.register(SysReg::Pmcr);
            let control = Control {
                enable: Lit::known(pmcr & PMCR_E != 0),
                long: Lit::known(pmcr & PMCR_LP != 0),
                enabled: bits(before.register(SysReg::Pmcntenset), 32),
                select: bits(before.register(SysReg::Pmselr), 5),
            };
            let circuit = &mut Circuit::default();
            let cycle = Shape::of(&input).on(circuit);
            assert_eq!(accesses.legal(circuit, &cycle), Lit::TRUE, "{input:?}");
            let selected = Selected {
                counter: &control.select,
                system: &bits(0, 6),
            };
            let held = Lit::known(input.clock_stopped == 1);
            let reached = accesses.reached(circuit, &cycle, &selected, held);
            let facts = Facts {
                implementation: &implementation,
                reached: &reached,
                reset: Lit::FALSE,
                held,
                control: &control,
            };
            let flags = [&before, &model].map(|model| model.register(SysReg::Pmovsset));
            for n in [0, 1, 2, 3, CYCLE_COUNTER] {
                let counter = Counter {
                    value: bits(before.register(value_of(n)), 64),
                    flag: Lit::known(flags[0] >> n & 1 == 1),
                };
                let v = bits(output.increment[n].into(), 16);
                let found = facts.count(circuit, n, &counter, &v);
                let value = number(&found.after.value);
                assert_eq!(value, model.register(value_of(n)), "{n}: {input:x?}");
                let flag = number(&[found.after.flag]);
                assert_eq!(flag, flags[1] >> n & 1, "{n}: {input:x?}");
                if flags[1] & !flags[0] & 1 << n != 0 {
                    overflows[if n == CYCLE_COUNTER { 2 } else { n % 2 }] += 1;
                }
                if n == 0 && output.increment[1] == 1 {
                    assert_eq!(found.chained, Lit::TRUE, "{input:x?}");
                    chained += 1;
                }
            }
            let after = facts.control(circuit);
            let pmcr = model.register(SysReg::Pmcr);
            assert_eq!(after.enable, Lit::known(pmcr & PMCR_E != 0));
            assert_eq!(after.long, Lit::known(pmcr & PMCR_LP != 0));
            let implemented = 0x8000_000F;
            let enabled = number(&after.enabled) & implemented;
            assert_eq!(enabled, model.register(SysReg::Pmcntenset), "{input:x?}");
            assert_eq!(number(&after.select), model.register(SysReg::Pmselr));
        }
    }
    assert!(overflows.iter().all(|&count| count > 50), "{overflows:?}");
    assert!(chained > 50, "{chained}");
}

#[test]
fn accesses_that_may_be_driven_are_those_of_legal_stimulus() {
    let mut implementations = vec![Implementation::default(); 4];
    implementations[1].wrapper.aarch32 = false;
    implementations[2].wrapper.external = false;
    implementations[3].wrapper.indirect = false;
    for implementation in &implementations {
        for (kind, address) in KINDS
            .into_iter()
            .flat_map(|kind| (0..=u16::MAX).map(move |address| (kind, address)))
        {
            let access = CycleInput {
                access_kind: kind as u8,
                access_address: address,
                ..CycleInput::default()
            };
            let cycles = [CycleInput::reset(), access];
            let is_legal = ContractCheck::new(implementation).check(&cycles).is_ok();
            let driven = is_driven(kind, address, implementation);
            assert_eq!(driven, is_legal, "{kind:?} {address:#x}");
        }
    }
}
