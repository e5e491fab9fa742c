//! What is allowed and what is not, rule by rule; and that the generator keeps to it.

use std::path::Path;
use std::time::Instant;

use super::super::random::Words;
use super::super::{Generator, Profile};
use super::*;

const AT_EL2_ROOT: u8 = Thread::state_of(2, ROOT, false);

fn told(implementation: &Implementation, input: &CycleInput) -> Vec<Violation> {
    let mut check = ContractCheck::new(implementation);
    assert_eq!(check.check(&[CycleInput::reset()]), Ok(()));
    let mut told = Vec::new();
    check.enter(input, &mut |violation| told.push(violation));
    // One by one, and as the first of them.
    check.go_to(1);
    assert_eq!(check.check(&[*input]).err(), told.first().cloned());
    told
}

fn rules(implementation: &Implementation, input: &CycleInput) -> Vec<&'static str> {
    let told = told(implementation, input);
    told.iter().map(|violation| violation.rule).collect()
}

/// A cycle with a PE in a state, in which EL2 is enabled.
fn at(level: u8, security: u8) -> CycleInput {
    let mut input = CycleInput {
        driven: CycleInput::DRIVEN_PE,
        controls: control::EL2_ENABLED,
        ..CycleInput::default()
    };
    for thread in &mut input.threads {
        thread.state = Thread::state_of(level, security, false);
    }
    input
}

#[test]
fn dut_80_values_and_bits_that_the_contract_does_not_name() {
    type Drive = fn(&mut CycleInput);
    let drives: [(&str, Drive, Drive); 15] = [
        ("access_kind", |i| i.access_kind = 7, |i| i.access_kind = 2),
        ("reset", |i| i.reset = 2, |i| i.reset = 1),
        ("driven", |i| i.driven = 4, |i| i.driven = 2),
        (
            "clock_stopped",
            |i| i.clock_stopped = 2,
            |i| i.clock_stopped = 1,
        ),
        ("operations", |i| i.operations = 16, |i| i.operations = 15),
        ("complete", |i| i.complete = 16, |i| i.complete = 15),
        (
            "filtered_out",
            |i| i.filtered_out = 255,
            |i| i.filtered_out = 15,
        ),
        ("profiling", |i| i.profiling = 0x40, |i| i.profiling = 0x3F),
        ("hpmn", |i| i.hpmn = 32, |i| i.hpmn = 31),
        ("access_rt", |i| i.access_rt = 32, |i| i.access_rt = 31),
        (
            "controls",
            |i| i.controls = 1 << 20,
            |i| i.controls = (1 << 20) - 1,
        ),
        (
            "threads[0].state",
            |i| i.threads[0].state = 0x20,
            |i| i.threads[0].state = 0x1F,
        ),
        (
            "threads[3].state",
            |i| i.threads[3].state = 0x80,
            |i| i.threads[3].state = 0x10,
        ),
        (
            "threads[1].conditions",
            |i| i.threads[1].conditions = 0x80,
            |i| i.threads[1].conditions = 0x7F,
        ),
        ("event", |_| (), |i| (i.event[63], i.pmuacr) = (0xFFFF, !0)),
    ];
    let implementation = Implementation::default();
    for (field, wrong, right) in drives {
        let mut input = CycleInput::default();
        right(&mut input);
        assert_eq!(rules(&implementation, &input), [""; 0], "{field}");
        assert_eq!(check_values(1, &[input]), Ok(()), "{field}");
        let mut input = CycleInput::default();
        wrong(&mut input);
        let told = told(&implementation, &input);
        let found: Vec<_> = told.iter().map(|v| (v.rule, v.field.as_str())).collect();
        let expected = [("DUT-80", field)];
        assert_eq!(found, expected[usize::from(field == "event")..]);
        assert_eq!(
            check_values(1, &[input]).err().as_ref(),
            told.first(),
            "{field}"
        );
    }
}

#[test]
fn dut_03_the_first_cycle_is_a_reset() {
    let mut check = ContractCheck::new(&Implementation::default());
    let violation = check.check(&[CycleInput::default()]).unwrap_err();
    assert_eq!((violation.rule, violation.cycle), ("DUT-03", 0));
    assert!(check_values(0, &[CycleInput::default()]).is_err());
    assert!(check_values(5, &[CycleInput::default()]).is_ok());
    // A test bench is looked at from its first reset on.
    let mut check = ContractCheck::of_test_bench(&Implementation::default());
    assert!(check.check(&[CycleInput::default()]).is_ok());
}

#[test]
fn dut_81_states_that_there_are() {
    let default = Implementation::default();
    let mut input = at(2, ROOT);
    let violation = &told(&default, &input)[0];
    assert_eq!(
        violation.to_string(),
        "cycle 1: threads[0].state: expected a state that the implementation can be in (Non-secure EL0 EL1 EL2, Secure EL0 \
         EL1 EL2, Realm EL0 EL1 EL2, Root EL3), found EL2 in Root state (0xe) (DUT-81, dut-contract 2)"
    );
    // Threads that no design looks at, and states that do not hold.
    assert_eq!(rules(&default, &input), ["DUT-81"]);
    input.driven |= CycleInput::DRIVEN_THREADS;
    assert_eq!(rules(&default, &input), ["DUT-81"; 4]);
    input.threads[0].state = 0;
    input.driven = CycleInput::DRIVEN_PE;
    assert_eq!(rules(&default, &input), [""; 0]);
    for ignored in [
        |input: &mut CycleInput| input.driven = 0,
        |input: &mut CycleInput| input.reset = 1,
        |input: &mut CycleInput| input.clock_stopped = 1,
    ] {
        let mut input = at(2, ROOT);
        ignored(&mut input);
        assert_eq!(rules(&default, &input), [""; 0]);
    }
    // By feature: Secure, Realm and Root state, EL2 and EL3.
    let with = |change: fn(&mut pmu_model::implementation::Pe)| {
        let mut implementation = Implementation::default();
        change(&mut implementation.pe);
        implementation.validate().unwrap();
        let check = ContractCheck::new(&implementation);
        (0..16)
            .filter(|&state| check.has(state))
            .collect::<Vec<_>>()
    };
    assert_eq!(with(|_| ()), [0, 1, 2, 4, 5, 6, 8, 9, 10, 15]);
    assert_eq!(with(|pe| pe.rme = false), [0, 1, 2, 4, 5, 6, 7]);
    assert_eq!(
        with(|pe| (pe.rme, pe.sel2) = (false, false)),
        [0, 1, 2, 4, 5, 7]
    );
    assert_eq!(
        with(|pe| (pe.sel2, pe.el2) = (false, false)),
        [0, 1, 4, 5, 8, 9, 15]
    );
    assert_eq!(
        with(|pe| (pe.rme, pe.sel2, pe.el3) = (false, false, false)),
        [0, 1, 2]
    );
}

#[test]
fn dut_82_el2_is_enabled_as_the_state_says() {
    let without = |mut input: CycleInput| {
        input.controls &= !control::EL2_ENABLED;
        input
    };
    let default = Implementation::default();
    let mut no_sel2 = Implementation::default();
    no_sel2.pe.sel2 = false;
    let mut no_el2 = no_sel2.clone();
    no_el2.pe.el2 = false;
    let refused = ["DUT-82"];
    for (level, security) in [(0, NON_SECURE), (1, REALM), (2, NON_SECURE), (2, SECURE)] {
        assert_eq!(rules(&default, &at(level, security)), [""; 0]);
        assert_eq!(rules(&default, &without(at(level, security))), refused);
    }
    for (level, security) in [(3, ROOT), (0, SECURE), (1, SECURE)] {
        assert_eq!(rules(&default, &at(level, security)), [""; 0]);
        assert_eq!(rules(&default, &without(at(level, security))), [""; 0]);
    }
    assert_eq!(rules(&no_sel2, &at(1, SECURE)), refused);
    assert_eq!(rules(&no_sel2, &without(at(1, SECURE))), [""; 0]);
    for input in [at(1, SECURE), without(at(1, NON_SECURE))] {
        assert_eq!(rules(&no_el2, &input), [""; 0]);
    }
}

#[test]
fn dut_83_nothing_goes_on_in_debug_state() {
    let mut implementation = Implementation::default();
    let mut halted = at(1, NON_SECURE);
    halted.controls |= control::HALTED;
    assert_eq!(rules(&implementation, &halted), [""; 0]);
    let counting = CycleInput {
        counting_allowed: 1,
        ..halted
    };
    assert_eq!(rules(&implementation, &counting), ["DUT-83"]);
    let profiling = CycleInput {
        profiling: 1,
        ..halted
    };
    assert_eq!(rules(&implementation, &profiling), ["DUT-83"]);
    implementation.pmu.counters = 0;
    assert_eq!(rules(&implementation, &counting), [""; 0]);
    let mut settled = counting;
    ContractCheck::new(&Implementation::default()).settle(&mut settled);
    assert_eq!(settled, halted);
}

#[test]
fn dut_36_dut_37_addresses_outside_of_aarch32_and_of_the_frame() {
    let implementation = Implementation::default();
    let of = |access_kind, access_address| CycleInput {
        access_kind,
        access_address,
        ..CycleInput::default()
    };
    for kind in [3, 4] {
        let pmselr = SysReg::Pmselr.address() & !(7 << 11);
        assert_eq!(rules(&implementation, &of(kind, pmselr)), [""; 0]);
        let other = of(kind, pmselr ^ 0x4000);
        assert_eq!(rules(&implementation, &other), ["DUT-36"]);
    }
    for kind in [5, 6] {
        for offset in [0, 0x401, 0xFFF] {
            assert_eq!(rules(&implementation, &of(kind, offset)), [""; 0]);
        }
        for offset in [0x1000, 0x1400, 0x8A00] {
            assert_eq!(rules(&implementation, &of(kind, offset)), ["DUT-37"]);
        }
    }
    // Any encoding may be read by an MRS (DUT-30).
    assert_eq!(rules(&implementation, &of(1, 0)), [""; 0]);
}

#[test]
fn dut_70_an_access_that_comes_too_soon_is_told() {
    let mut implementation = Implementation::default();
    let (read, idle) = (CycleInput::read(SysReg::Pmcr), CycleInput::default());
    let cycles = [
        CycleInput::reset(),
        read,
        idle,
        read,
        idle,
        idle,
        read,
        read,
    ];
    let mut any = ContractCheck::new(&implementation);
    assert_eq!(any.check(&cycles), Ok(()));
    implementation.wrapper.access_interval = 2;
    let mut two = ContractCheck::new(&implementation);
    // In pieces.
    assert_eq!(two.check(&cycles[..4]), Ok(()));
    let violation = two.check(&cycles[4..]).unwrap_err();
    assert_eq!((violation.rule, violation.cycle), ("DUT-70", 7));
    assert!(violation.expected.contains("cycle 6"), "{violation}");
}

#[test]
fn dut_72_what_the_design_lacks_is_not_driven() {
    let mut pe = at(1, NON_SECURE);
    pe.pmuacr = 1;
    let mut threads = CycleInput {
        driven: CycleInput::DRIVEN_THREADS,
        ..CycleInput::default()
    };
    threads.threads[2].count = 1;
    let of = |access_kind, register: SysReg| CycleInput {
        access_kind,
        access_address: register.address(),
        ..CycleInput::default()
    };
    let mut aarch32 = of(4, SysReg::pmevtyper(0).expect("a counter"));
    aarch32.access_address &= !(7 << 11);
    let mut external = of(5, SysReg::Pmselr);
    external.access_address = 0x400;
    let stopped = CycleInput {
        clock_stopped: 1,
        ..CycleInput::default()
    };
    let parts = [
        pe,
        threads,
        aarch32,
        external,
        of(2, SysReg::Pmselr),
        stopped,
    ];
    let whole = Implementation::default();
    for (part, input) in parts.iter().enumerate() {
        assert_eq!(rules(&whole, input), [""; 0], "part {part}");
        let lacking = Implementation {
            wrapper: Wrapper::default().with_parts(1 << part),
            ..Implementation::default()
        };
        let told = rules(&lacking, input);
        assert!(!told.is_empty(), "part {part}");
        assert!(told.iter().all(|rule| *rule == "DUT-72"), "{told:?}");
        for other in (0..parts.len()).filter(|&other| other != part) {
            assert_eq!(rules(&lacking, &parts[other]), [""; 0], "{part}, {other}");
        }
    }
}

#[test]
fn of_a_test_bench_only_what_the_design_looks_at_is_told() {
    let mut implementation = Implementation::default();
    implementation.threads.count = 2;
    implementation.spe = pmu_model::implementation::Spe {
        implemented: false,
        ernd: false,
        exc: false,
        ..implementation.spe
    };
    let mut wild = CycleInput {
        access_rt: 0xFF,
        operations: 0xFF,
        profiling: 0xFF,
        hpmn: 0xFF,
        controls: !0,
        ..CycleInput::default()
    };
    wild.threads = [Thread {
        state: AT_EL2_ROOT,
        conditions: 0xFF,
        count: 1,
    }; THREADS];
    let told = |input: CycleInput| {
        let mut check = ContractCheck::of_test_bench(&implementation);
        let mut told = Vec::new();
        check.enter(&input, &mut |violation| told.push(violation.field));
        told
    };
    assert_eq!(told(wild), [""; 0]);
    let with = |change: fn(&mut CycleInput)| {
        let mut input = wild;
        change(&mut input);
        told(input)
    };
    assert_eq!(with(|input| input.access_kind = 7), ["access_kind"]);
    let of_threads = with(|input| input.driven = CycleInput::DRIVEN_THREADS);
    assert_eq!(
        of_threads,
        ["threads[0].conditions", "threads[1].conditions"]
    );
    let of_pe = with(|input| input.driven = CycleInput::DRIVEN_PE);
    assert_eq!(of_pe, ["hpmn", "controls", "threads[0].state"]);
    for ignored in [
        |input: &mut CycleInput| (input.driven, input.reset) = (3, 1),
        |input: &mut CycleInput| (input.driven, input.clock_stopped) = (3, 1),
    ] {
        assert_eq!(with(ignored), [""; 0]);
    }
}

/// The few instructions say what the whole check says, of cycles that are nearly allowed.
#[test]
fn the_fast_check_is_the_whole_check() {
    let mut words = Words::new(7);
    let mut seen = [0u32; 2];
    for (name, implementation) in implementations() {
        let mut generator = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let mut cycles = vec![CycleInput::default(); 20_000];
        generator.fill(&mut cycles);
        let check = ContractCheck {
            first: false,
            ..ContractCheck::new(&implementation)
        };
        for input in &mut cycles {
            let bytes: &mut [u8] = bytemuck::bytes_of_mut(input);
            let mut bits = words.bits();
            let at = 136 + bits.below(56) as usize;
            bytes[at] ^= 1 << bits.take(3);
            let allowed = check.allows(input);
            assert_eq!(allowed, check.tells_nothing(input), "{name}: {input:?}");
            seen[usize::from(allowed)] += 1;
        }
    }
    assert!(seen.iter().all(|&count| count > 20_000), "{seen:?}");
}

fn implementations() -> Vec<(String, Implementation)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/implementations");
    let files = std::fs::read_dir(folder).expect("a folder");
    let mut all: Vec<_> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("text");
            let implementation = toml::from_str(&text).expect("an implementation");
            (path.display().to_string(), implementation)
        })
        .collect();
    assert!(all.len() >= 14);
    all.push(("default".into(), Implementation::default()));
    for part in 0..6 {
        let implementation = Implementation {
            wrapper: Wrapper {
                access_interval: 1 + part,
                ..Wrapper::default().with_parts(1 << part)
            },
            ..Implementation::default()
        };
        all.push((format!("without part {part}"), implementation));
    }
    all
}

/// Every implementation, every built-in profile: the generator makes nothing that the contract excludes.
#[test]
fn the_generator_makes_what_the_contract_allows() {
    let (mut looked_at, mut time) = (0, 0.0);
    for (name, implementation) in implementations() {
        for profile in ["threshold", "spe", "access", "cycles", "spmu", "mixed"] {
            let mix = Profile::load(profile).expect("built in");
            let mut generator = Generator::new(2, &implementation, &mix).expect("legal");
            let mut check = ContractCheck::new(&implementation);
            let mut cycles = vec![CycleInput::default(); 1024];
            for _ in 0..100 {
                generator.fill(&mut cycles);
                let start = Instant::now();
                let checked = check.check(&cycles);
                time += start.elapsed().as_secs_f64();
                looked_at += cycles.len();
                if let Err(violation) = checked {
                    panic!("{name}, profile {profile}: {violation}");
                }
            }
        }
    }
    println!("{:.1} ns a cycle", time * 1e9 / looked_at as f64);
}

/// Every statement of the contract that has an id is a rule, and the other way round.
#[test]
fn statements_of_the_contract_are_rules() {
    let contract = include_str!("../../../../docs/dut-contract.md");
    let mut stated: Vec<_> = contract
        .split("**DUT-")
        .skip(1)
        .map(|text| format!("DUT-{}", &text[..2]))
        .collect();
    stated.sort();
    let rules = pmu_model::rules::RULES.iter().map(|rule| rule.id);
    let rules: Vec<_> = rules.filter(|id| id.starts_with("DUT-")).collect();
    assert_eq!(stated, rules);
}
