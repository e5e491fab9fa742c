//! Coverage against the table of rules, and of what simple runs take.

use std::collections::BTreeSet;

use super::*;
use crate::contract::{Thread, control};
use crate::rules::{RULES, Takes};
use crate::{CycleInput, CycleOutput, Model, Number, SysReg, Unknown};

struct Run {
    model: Model,
    coverage: Coverage,
}

impl Run {
    fn new(implementation: &Implementation) -> Self {
        Self {
            model: Model::new(implementation).expect("legal"),
            coverage: Coverage::new(implementation),
        }
    }

    fn step(&mut self, input: &CycleInput) {
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        self.model
            .step(input, 0, &mut output, &mut unknown, &mut self.coverage);
    }

    fn write(&mut self, register: SysReg, data: u64) {
        self.step(&CycleInput::write(register, data));
    }

    fn count(&self, id: &str) -> u64 {
        self.coverage.rule(id).expect("a rule that can be taken")
    }

    fn points(&self, cross: &str) -> Vec<&str> {
        let (_, points) = self
            .coverage
            .crosses()
            .find(|&(name, _)| name == cross)
            .expect("a cross");
        let reached = points.iter().filter(|(_, count)| *count > 0);
        reached.map(|(name, _)| name.as_str()).collect()
    }
}

#[test]
fn every_rule_that_a_cycle_can_take_has_a_predicate_and_no_other() {
    let predicates: Vec<_> = PREDICATES.iter().chain(OTHERS).map(|p| p.id).collect();
    for rule in RULES {
        let times = predicates.iter().filter(|&&id| id == rule.id).count();
        let expected = usize::from(rule.takes == Takes::Cycle);
        assert_eq!(times, expected, "{}", rule.id);
    }
    for id in &predicates {
        assert!(RULES.iter().any(|rule| rule.id == *id), "{id}");
    }
}

#[test]
fn th_22_is_taken_by_a_counting_counter_with_te() {
    let mut run = Run::new(&Implementation::default());
    run.write(
        SysReg::Pmevtyper(Number::at::<2>()),
        0b001 << 61 | 1 << 60 | 5,
    );
    run.write(SysReg::Pmcr, 1);
    run.write(SysReg::Pmcntenset, 2);
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    };
    input.event[5] = 3;
    run.step(&input);
    assert_eq!(run.count("TH-22"), 0, "counter 1 alone counts");
    run.write(SysReg::Pmcntenset, 4);
    run.step(&input);
    assert_eq!((run.count("TH-22"), run.count("TH-29")), (1, 1));
    run.step(&input);
    assert_eq!((run.count("TH-22"), run.count("TH-29")), (2, 1));
    assert_eq!(
        run.points("threshold"),
        [
            "TC=000 TE=0 TLC=00 odd C_T=0 C_P=0 V_B=0",
            "TC=001 TE=1 TLC=00 even C_T=1 C_P=0 V_B>TH",
            "TC=001 TE=1 TLC=00 even C_T=1 C_P=1 V_B>TH",
        ]
    );
}

#[test]
fn crosses_have_only_points_that_the_implementation_can_reach() {
    let default = Coverage::new(&Implementation::default());
    let size = |coverage: &Coverage| -> Vec<_> {
        coverage.crosses().map(|(_, points)| points.len()).collect()
    };
    let mut small = Implementation::default();
    (small.pmu.th2, small.pmu.edge, small.pmu.th) = (false, false, false);
    (small.spe.ernd, small.spe.exc, small.spe.implemented) = (false, false, false);
    (small.pe.mt, small.pe.mtpmu) = (false, false);
    small.system_pmu.clear();
    let small = Coverage::new(&small);
    assert_eq!(size(&small)[..2], [2 * 2 * 2, 0]);
    assert_eq!(size(&small)[3..6], [9 * 2, 2, 0]);
    assert_eq!(size(&default)[1], 7 + 10);
    assert_eq!(size(&default)[3..6], [9 * 5, 5, 2 + 13]);
    let access: Vec<_> = default.crosses().nth(2).expect("access").1.to_vec();
    let rows: Vec<_> = access.iter().map(|(name, _)| name.as_str()).collect();
    assert!(rows.contains(&"row (d) EL1 write"));
    assert!(
        !rows.iter().any(|row| row.starts_with("row (a)")),
        "31 counters"
    );
    assert!(!rows.contains(&"row (c) EL1 read"));
}

#[test]
fn accesses_and_threads_reach_their_points() {
    let mut run = Run::new(&Implementation::default());
    run.write(SysReg::Pmevtyper(Number::at::<0>()), 0x8159 | 1 << 25);
    run.write(SysReg::Pmcntenset, 1);
    run.write(SysReg::Pmcr, 1);
    let mut input = CycleInput::write(SysReg::Pmevtyper(Number::at::<3>()), 0);
    input.driven = 3;
    input.controls = control::EL2_ENABLED | control::MDCR_EL2_TPM | control::MDCR_EL3_MTPME;
    input.hpmn = 31;
    for thread in &mut input.threads {
        thread.state = 1;
        thread.conditions = Thread::ACTIVE | Thread::STALL_FRONTEND;
    }
    input.threads[2].conditions |= Thread::SECOND | Thread::WFX;
    run.step(&input);
    assert_eq!(run.points("access"), ["row (e) EL1 write"]);
    assert_eq!(
        run.points("thread events"),
        ["StallFrontend2nd MT=1 some in WFx"]
    );
    assert_eq!(run.points("activity"), ["all active MT=1 some in WFx"]);
    for id in ["CYC-11", "CYC-16", "CYC-21", "ETY-44", "ETY-45", "DUT-51"] {
        assert_eq!(run.count(id), 1, "{id}");
    }
}

#[test]
fn sampling_and_counter_groups_reach_their_points() {
    let mut run = Run::new(&Implementation::default());
    run.write(SysReg::Pmsirr, 0x101);
    let mut input = CycleInput {
        profiling: CycleInput::PROFILING_ENABLED,
        operations: 15,
        ..CycleInput::default()
    };
    for _ in 0..18 {
        run.step(&input);
    }
    input.profiling = 0;
    run.step(&input);
    assert_eq!(
        run.points("sampling"),
        [
            "RND, ERnd: load at enable",
            "RND, ERnd: COUNT 1->0",
            "RND, ERnd: reload",
            "RND, ERnd: draw zero",
            "RND, ERnd: hold while disabled",
            "RND, ERnd: several operations over a boundary",
        ]
    );
    assert_eq!(
        (
            run.count("SPE-22"),
            run.count("SPE-25"),
            run.count("SPE-24")
        ),
        (1, 1, 0)
    );
    run.write(SysReg::Spmselr, 1 << 4 | 3);
    run.step(&CycleInput::read(SysReg::Spmevtyper(Number::at::<9>())));
    assert_eq!(
        run.points("counter groups"),
        ["System PMU 1, Counter Group 14"]
    );
    assert_eq!(run.count("SPMU-16"), 1);
}

#[test]
fn coverage_is_merged_and_saved_by_name() {
    let mut run = Run::new(&Implementation::default());
    run.step(&CycleInput::reset());
    run.step(&CycleInput::read(SysReg::Pmmir));
    let text = serde_json::to_string(&run.coverage).expect("plain values");
    let mut read: Coverage = serde_json::from_str(&text).expect("what was written");
    assert_eq!(
        read.rules().collect::<Vec<_>>(),
        run.coverage.rules().collect::<Vec<_>>()
    );
    read.merge(&run.coverage).expect("of one implementation");
    assert_eq!(
        (read.cycles(), read.rule("TH-07"), read.rule("DUT-11")),
        (4, Some(2), Some(2))
    );
    assert_eq!(read.uncovered(), run.coverage.uncovered());
    let mut other = Implementation::default();
    other.pmu.counters = 4;
    let error = read.merge(&Coverage::new(&other)).unwrap_err().to_string();
    assert!(
        error.starts_with("expected coverage of implementation"),
        "{error}"
    );
    let unknown = text.replacen("TH-07", "TH-99", 1);
    assert!(serde_json::from_str::<Coverage>(&unknown).is_err());
}

#[test]
fn audit_counters_are_seen_crossing_their_boundaries() {
    let mut run = Run::new(&Implementation::default());
    run.write(
        SysReg::pmevcntr(0).expect("a counter"),
        0x7FFF_FFFF_FFFF_FFFE,
    );
    run.write(SysReg::Pmccntr, u64::MAX);
    run.write(SysReg::Pmcntenset, 1 << 31 | 1);
    run.write(SysReg::Pmcr, 1 << 7 | 1);
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    };
    assert!(run.points("audit: counters").is_empty());
    run.step(&input);
    assert_eq!(
        run.points("audit: counters"),
        ["PMCCNTR_EL0, up from 0xffffffffffffffff"]
    );
    input.event[0] = 2;
    run.step(&input);
    assert_eq!(
        run.points("audit: counters")[0],
        "an event counter, up from 0x7ffffffffffffffe"
    );
    let crossed = run.points("audit: overflows");
    assert!(
        crossed.contains(&"an event counter to 2^63, LP = 1"),
        "{crossed:?}"
    );
    assert!(
        crossed.contains(&"an event counter to 2^32, LP = 1"),
        "{crossed:?}"
    );
    assert!(
        crossed.contains(&"PMCCNTR_EL0 to 2^64, LP = 1"),
        "{crossed:?}"
    );
    assert!(
        !crossed.contains(&"an event counter to 2^64, LP = 1"),
        "{crossed:?}"
    );
    // A counter that is written loses its increment.
    let mut lost = CycleInput::write(SysReg::Pmccntr, 0xFFFF_FFFF);
    run.step(&lost);
    lost.access_data = 0;
    run.step(&lost);
    let seen = run.points("audit: counters");
    assert!(
        !seen.contains(&"PMCCNTR_EL0, up from 0x00000000ffffffff"),
        "{seen:?}"
    );
}

#[test]
fn audit_event_numbers_count_where_what_they_may_be_taken_for_happens() {
    let mut run = Run::new(&Implementation::default());
    run.write(SysReg::pmevtyper(3).expect("a counter"), 0x4011);
    run.write(SysReg::pmevtyper(5).expect("a counter"), 0x001F);
    run.write(SysReg::pmevtyper(7).expect("a counter"), 0x0040 | 7);
    run.write(SysReg::Pmcntenset, 1 << 3 | 1 << 4 | 1 << 5 | 1 << 7);
    run.write(SysReg::Pmcr, 1);
    run.write(SysReg::pmevcntr(4).expect("a counter"), 0xFFFF_FFFE);
    assert!(run.points("audit: event numbers").is_empty());
    let mut input = CycleInput {
        counting_allowed: u32::MAX,
        driven: CycleInput::DRIVEN_THREADS,
        ..CycleInput::default()
    };
    input.threads[0].conditions = Thread::ACTIVE;
    run.step(&input);
    assert_eq!(
        run.points("audit: event numbers"),
        ["0x4011, where 0x0011 happens"]
    );
    // Counter 4 counts event 0, and overflows.
    input.threads[0].conditions = 0;
    input.event[0] = 1;
    run.step(&input);
    run.step(&input);
    assert_eq!(
        run.points("audit: event numbers"),
        [
            "0x4011, where 0x0011 happens",
            "0x001f, with an overflow that is CHAIN's"
        ]
    );
}

/// Files of coverage have points by their names.
#[test]
fn points_of_a_cross_have_names_of_their_own() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/implementations");
    let files = std::fs::read_dir(folder).expect("a folder");
    let texts = files.map(|file| std::fs::read_to_string(file.expect("a file").path()));
    let all = texts.map(|text| toml::from_str(&text.expect("text")).expect("an implementation"));
    for implementation in all.chain([Implementation::default()]) {
        let coverage = Coverage::new(&implementation);
        for (cross, points) in coverage.crosses() {
            let mut names = BTreeSet::new();
            let again = points.iter().find(|(name, _)| !names.insert(name));
            assert_eq!(again, None, "{cross} of {}", implementation.name);
        }
    }
}

#[test]
fn audit_addresses_selections_and_limits_are_those_of_the_access() {
    let mut run = Run::new(&Implementation::default());
    let mut input = CycleInput::write(SysReg::Pmcr, 0);
    input.access_address ^= 1 << 9;
    run.step(&input);
    assert_eq!(run.points("audit: addresses"), ["MSR S3_3_C13_C12_0"]);
    input.access_kind = 5;
    input.access_address = 0x401;
    run.step(&input);
    assert_eq!(run.points("audit: addresses")[1..], ["external read 0x401"]);
    run.write(SysReg::Pmselr, 31);
    run.step(&CycleInput::read(SysReg::Pmxevtyper));
    assert_eq!(
        run.points("audit: selections"),
        ["MRS of PMXEVTYPER with SEL = 31"]
    );
    let mut input = CycleInput::read(SysReg::pmevtyper(4).expect("a counter"));
    (input.driven, input.hpmn, input.controls) = (1, 5, control::EL2_ENABLED);
    run.step(&input);
    assert_eq!(run.points("audit: limits"), ["HPMN = 5, counter 4"]);
    assert_eq!(run.points("audit: states").len(), 4);
}

/// A counter that counts by 1 goes past no boundary.
#[test]
fn audit_of_narrow_events_asks_for_no_more_than_one() {
    let past = |event_width| {
        let mut implementation = Implementation::default();
        implementation.pmu.event_width = event_width;
        let coverage = Coverage::new(&implementation);
        let mut crosses = coverage.audit();
        let (_, points) = crosses
            .find(|(name, _)| *name == "audit: overflows")
            .expect("a cross");
        points
            .iter()
            .filter(|(name, _)| name.contains("+ 1"))
            .count()
    };
    assert_eq!([past(1), past(2)], [0, 8]);
}

/// CYC-18: without event counters the cycle counter is the only one that may stand still.
#[test]
fn cyc_18_is_taken_without_event_counters() {
    let mut implementation = Implementation::default();
    implementation.pmu.counters = 0;
    let mut run = Run::new(&implementation);
    run.write(SysReg::Pmcntenset, 1 << 31);
    assert_eq!(run.count("CYC-18"), 1);
    run.write(SysReg::Pmcr, 1);
    let counting = CycleInput {
        counting_allowed: u32::MAX,
        ..CycleInput::default()
    };
    let before = run.count("CYC-18");
    run.step(&counting);
    assert_eq!(run.count("CYC-18"), before);
    // No access reaches row (e).
    assert_eq!(run.coverage.rule("ETY-41"), None);
}

#[test]
fn audit_asks_for_nothing_that_an_implementation_does_not_have() {
    let mut small = Implementation::default();
    small.pmu.counters = 0;
    (small.spe.ernd, small.spe.exc, small.spe.implemented) = (false, false, false);
    small.system_pmu.clear();
    small.wrapper = small.wrapper.clone().with_parts(0b11111);
    let coverage = Coverage::new(&small);
    let names = |cross: &str| -> Vec<_> {
        let (_, points) = coverage
            .audit()
            .find(|(name, _)| *name == cross)
            .expect("a cross");
        points.iter().map(|(name, _)| name.as_str()).collect()
    };
    for cross in [
        "event numbers",
        "TH",
        "V_B and TH",
        "sampling",
        "states",
        "selections",
        "limits",
    ] {
        assert!(names(&format!("audit: {cross}")).is_empty(), "{cross}");
    }
    assert!(
        names("audit: counters")
            .iter()
            .all(|name| name.starts_with("PMCCNTR"))
    );
    assert!(
        names("audit: overflows")
            .iter()
            .all(|name| name.starts_with("PMCCNTR"))
    );
    let addresses = names("audit: addresses");
    assert!(
        addresses
            .iter()
            .all(|name| name.starts_with("MRS") || name.starts_with("MSR"))
    );
    assert!(
        coverage
            .audit()
            .all(|(name, _)| name.starts_with(crate::audit::CROSSES))
    );
}
