//! Which situations of the areas other than `threshold` come about, told from what the golden model makes of the
//! generated cycles. The generator is deterministic, so that the lower bounds cannot be missed by chance; they are here
//! so that a change of the mix that loses something is seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use pmu_model::contract::{THREADS, Thread, control};
use pmu_model::evtyper::access::Row;
use pmu_model::implementation::ThreadForm;
use pmu_model::pmu::access::{Access, Decision, Write};
use pmu_model::{
    AccessKind, AccessOutcome, CycleInput, CycleOutput, CycleRecord, Implementation, Model, SysReg,
    Tracer, Unknown,
};

use super::facts::CYCLE_EVENTS;
use super::{Generator, Profile};

/// How often each situation was met, by its name.
#[derive(Default)]
struct Coverage {
    found: BTreeMap<String, u64>,
    /// What the last write of a type was, if it was refused.
    refused: Option<u8>,
    was_enabled: bool,
    counters: u8,
    threads: usize,
    systems: Vec<u64>,
}

impl Coverage {
    fn note(&mut self, situation: impl Into<String>) {
        *self.found.entry(situation.into()).or_default() += 1;
    }

    fn count(&self, situation: &str) -> u64 {
        self.found.get(situation).copied().unwrap_or(0)
    }

    fn table(&self) -> String {
        let mut out = String::new();
        for (situation, count) in &self.found {
            writeln!(out, "{situation:<58}{count:>9}").unwrap();
        }
        out
    }

    fn pe(&mut self, record: &CycleRecord) {
        let input = &record.input;
        self.note(format!("driven {}", input.driven));
        if input.driven & CycleInput::DRIVEN_PE == 0 {
            return;
        }
        let thread = input.threads[0];
        let level = thread.level();
        self.note(format!(
            "state EL{level} {}",
            pmu_model::contract::SECURITY_STATES[usize::from(thread.security())]
        ));
        if thread.state & Thread::STREAMING != 0 {
            self.note("state Streaming mode");
        }
        let control = |bit: u32| input.controls & bit != 0;
        let enabled = control(control::EL2_ENABLED);
        if level < 2 && enabled {
            let hpmn = match input.hpmn.cmp(&self.counters) {
                _ if input.hpmn == 0 => "0",
                std::cmp::Ordering::Less => "below N",
                std::cmp::Ordering::Equal => "N",
                std::cmp::Ordering::Greater => "above N",
            };
            self.note(format!("HPMN {hpmn}"));
        }
        if control(control::HALTED) {
            let sdd = if control(control::EDSCR_SDD) { 1 } else { 0 };
            self.note(format!("halted, SDD {sdd}"));
        }
        let group = &record.group;
        if group.filtered != 0 {
            self.note("a counter is filtered");
        }
        let partly = (0..self.threads).fold(0, |any, t| any | group.unfiltered[t])
            & !(0..self.threads).fold(u32::MAX, |all, t| all & group.unfiltered[t]);
        if partly & group.mt != 0 {
            self.note("MT 1: some threads are filtered");
        }
        if record.not_attributed != 0 {
            self.note("MT 1: thread 0 is filtered, the event is of no thread");
        }
    }

    fn threads(&mut self, record: &CycleRecord) {
        let input = &record.input;
        if input.driven & CycleInput::DRIVEN_THREADS == 0 {
            return;
        }
        let threads = &input.threads[..self.threads];
        let waiting = threads.iter().filter(|t| t.is(Thread::WFX)).count();
        let class = match waiting {
            0 => "no thread waits",
            all if all == self.threads => "all threads wait",
            _ => "some threads wait",
        };
        self.note(class);
        let active = threads.iter().filter(|t| t.is(Thread::ACTIVE)).count();
        self.note(format!("{active} active"));
        for n in 0..usize::from(self.counters) {
            let event = record.types[n].event;
            let counts = record.counting >> n & 1 == 1;
            if !counts || !CYCLE_EVENTS.contains(&event) {
                continue;
            }
            let mt = record.group.mt >> n & 1;
            let value = record.values.v_b[n].min(1);
            self.note(format!("event {event:#06x}, MT {mt}, {class}: {value}"));
            let v = record.values.v[n];
            if v != record.values.v_b[n] {
                self.note("event of threads with a threshold");
            }
        }
    }

    fn sampling(&mut self, record: &CycleRecord, output: &CycleOutput) {
        let (input, sampling) = (&record.input, &record.sampling);
        let (happened, sampled) = (&sampling.happened, &sampling.sampled);
        if sampling.unknown {
            self.note("sampling: UNKNOWN");
            return;
        }
        let enabled = input.profiling & CycleInput::PROFILING_ENABLED != 0;
        let pmsicr = sampling.pmsicr;
        for (name, times) in [
            (
                "PMSICR 0 loaded when enabled",
                u8::from(happened.loaded_at_enable),
            ),
            ("PMSICR not 0 when enabled", u8::from(happened.restarted)),
            ("expired", happened.expired),
            ("drew zero", happened.drew_zero),
            ("drew nonzero", happened.drew_nonzero),
            ("ECOUNT expired", happened.secondary_expired),
            ("ECOUNT overwritten", happened.overwrote_ecount),
            ("fed", sampled.fed),
            ("collided", sampled.collided),
            ("not filtered out", sampled.filtrate),
        ] {
            if times > 0 {
                self.note(format!("sampling: {name}"));
            }
        }
        if happened.restarted && pmsicr.count == 0 {
            self.note("sampling: COUNT 0, ECOUNT not 0 when enabled");
        }
        if self.was_enabled && !enabled && pmsicr.count == 0 {
            self.note("sampling: disabled with COUNT 0");
        }
        self.was_enabled = enabled;
        if input.profiling & CycleInput::DISCARD != 0 && sampling.in_flight > 0 {
            self.note("sampling: samples discarded");
        }
        if sampled.selected() > 0 && input.complete > 0 && sampling.in_flight > 0 {
            self.note("sampling: selected in the cycle of a completion");
        }
        if sampled.collided > 0 {
            let new = output.coll & !sampling.coll;
            self.note(
                format!("collided: COLL of EL{}", new.trailing_zeros() + 1)
                    .replace("EL9", "ELx again"),
            );
        }
        let selects = sampled.selected() > 0 || happened.drew_nonzero > 0;
        if let Access::Write(register, write) = record.access {
            match write {
                Write::Pmbsr(_, data) if sampled.collided > 0 => {
                    let set = data >> 16 & 1;
                    self.note(format!("collided: {register} written, COLL {set}"));
                }
                Write::Pmsicr(_) if selects => self.note("expired: PMSICR_EL1 written"),
                Write::Pmsirr(_) if selects => self.note("expired: PMSIRR_EL1 written"),
                _ => {}
            }
        }
        if let (Access::Read(SysReg::Pmbsr(_)), true) = (record.access, sampled.collided > 0) {
            self.note("collided: PMBSR read");
        }
        for n in 0..usize::from(self.counters) {
            let event = record.types[n].event;
            if record.sample_events >> n & 1 == 1 && record.counting >> n & 1 == 1 {
                if record.values.v_b[n] > 0 {
                    self.note(format!("event {event:#06x} counted"));
                }
                if record.values.v[n] != record.values.v_b[n] {
                    self.note(format!("event {event:#06x} with a threshold"));
                }
            }
        }
    }

    fn access(&mut self, record: &CycleRecord, output: &CycleOutput) {
        let input = &record.input;
        let kind = AccessKind::from_code(input.access_kind);
        if kind == AccessKind::None {
            return;
        }
        let outcome = AccessOutcome::name_of(output.access_outcome);
        let driven = input.driven & CycleInput::DRIVEN_PE != 0;
        let level = input.threads[0].level();
        let direction = if kind.is_write() { "W" } else { "R" };
        match record.decision {
            Decision::Row(row, n) if driven => {
                self.note(format!("row {row:?} EL{level} {direction}"));
                self.note(format!("row {row:?} EL{level}: {outcome}"));
                if row == Row::I {
                    let what = match record.access {
                        Access::ReadsZero => "RAZ",
                        _ if input.pmuacr >> n & 1 == 0 => "WI, P 0",
                        _ => "WI, ER",
                    };
                    self.note(format!("row I: {what}"));
                }
                if kind.is_write() {
                    let refused = !matches!(record.access, Access::Write(..));
                    self.refused = refused.then_some(n);
                }
            }
            Decision::System(clause, _) if driven => {
                self.note(format!("clause {clause:?} EL{level}: {outcome}"));
            }
            _ => {}
        }
        if matches!(kind, AccessKind::Read32 | AccessKind::Write32) {
            let name = SysReg::from_address_32(input.access_address);
            let name = name.map_or("other".into(), |register| match register {
                SysReg::Pmevtyper(_) => "PMEVTYPER".into(),
                other => other.to_string(),
            });
            self.note(format!("AArch32 {direction} {name}: {outcome}"));
        }
        if matches!(kind, AccessKind::ExternalRead | AccessKind::ExternalWrite) {
            let what = match super::registers::of_external(input.access_address) {
                None => "elsewhere".to_owned(),
                Some((n, high)) => {
                    let which = match n {
                        31 => "PMCCFILTR",
                        n if n < self.counters => "type",
                        _ => "type not implemented",
                    };
                    format!("{which}, {} half", if high { "high" } else { "low" })
                }
            };
            self.note(format!("external {direction} {what}"));
        }
        // Only looks at what was refused just before.
        let read = match record.access {
            Access::Read(SysReg::Pmevtyper(n)) | Access::ReadHalf(SysReg::Pmevtyper(n), _) => {
                Some(n.get())
            }
            _ => None,
        };
        if read.is_some() && read == self.refused {
            self.note("a type is read after a refused write of it");
        }
        self.system_pmu(record, output);
    }

    fn system_pmu(&mut self, record: &CycleRecord, output: &CycleOutput) {
        let input = &record.input;
        if input.access_kind > 2 || output.access_outcome != AccessOutcome::Ok as u8 {
            return;
        }
        let Some(register) = SysReg::from_address(input.access_address) else {
            return;
        };
        let selected = (record.spmselr >> 4 & 0x3F) as usize;
        let class = match selected {
            s if s < self.systems.len() => format!("System PMU {s}"),
            32.. => "System PMU with a reserved number".into(),
            _ => "System PMU that is not implemented".into(),
        };
        let direction = if input.access_kind == 2 { "W" } else { "R" };
        use SysReg::*;
        match register {
            Spmiidr | Spmdevarch | Spmdevaff | Spmcfgr | Spmcgcr(_) => {
                self.note(format!("{class}: R {register}"));
            }
            Spmevcntr(n) | Spmevtyper(n) | Spmevfiltr(n) | Spmevfilt2r(n) => {
                let index = 16 * (record.spmselr & 3) + u64::from(n);
                let exists = self
                    .systems
                    .get(selected)
                    .is_some_and(|c| c >> index & 1 == 1);
                let name = format!("{register}");
                let name = name
                    .trim_end_matches("_EL0")
                    .trim_end_matches(char::is_numeric);
                self.note(format!("{class}: {direction} {name}, exists: {exists}"));
            }
            _ if register.is_of_system_pmus() => {
                self.note(format!("{class}: {direction} {register}"));
            }
            _ => {}
        }
    }
}

/// The last record, for the outputs that go with it.
#[derive(Default)]
struct Last(Option<CycleRecord>);

impl Tracer for Last {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.0 = Some(record);
    }
}

/// A byte of a generator of random numbers, for a model without a design.
fn random_byte(state: &mut u64) -> u8 {
    *state = super::random::mix(*state, 1).wrapping_add(0x9E37_79B9);
    // One in eight is small, so that a draw of zero is not too rare to be seen.
    if *state >> 61 == 0 {
        (*state & 3) as u8
    } else {
        *state as u8
    }
}

fn measure(profile: &str, implementation: &Implementation, cycles: usize) -> Coverage {
    let profile = Profile::named(profile).unwrap();
    let mut generator = Generator::new(1, implementation, &profile).unwrap();
    let mut model = Model::new(implementation).unwrap();
    let mut coverage = Coverage {
        counters: implementation.pmu.counters,
        threads: usize::from(implementation.threads.count),
        systems: implementation
            .system_pmu
            .iter()
            .map(|pmu| pmu.implemented_counters())
            .collect(),
        ..Coverage::default()
    };
    let mut batch = vec![CycleInput::default(); 1000];
    let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
    let mut random = 1;
    for _ in 0..cycles / batch.len() {
        generator.fill(&mut batch);
        for input in &batch {
            let mut last = Last::default();
            let byte = random_byte(&mut random);
            model.step(input, byte, &mut output, &mut unknown, &mut last);
            let record = last.0.expect("every cycle is recorded");
            if record.reset {
                coverage.note(if input.clock_stopped == 1 {
                    "reset with the clock stopped"
                } else {
                    "reset"
                });
                (coverage.refused, coverage.was_enabled) = (None, false);
                continue;
            }
            if record.clock_stopped {
                coverage.note("clock stopped");
                continue;
            }
            coverage.pe(&record);
            coverage.threads(&record);
            coverage.sampling(&record, &output);
            coverage.access(&record, &output);
        }
    }
    coverage
}

/// Checks that each of `situations` was met so many times.
fn check(coverage: &Coverage, bound: u64, situations: impl IntoIterator<Item = String>) {
    let missed: Vec<_> = situations
        .into_iter()
        .map(|situation| (coverage.count(&situation), situation))
        .filter(|&(count, _)| count < bound)
        .collect();
    assert!(
        missed.is_empty(),
        "fewer than {bound}: {missed:#?}\n{}",
        coverage.table()
    );
}

/// Words with each number of a range.
fn each(name: &str, range: std::ops::RangeInclusive<u8>) -> Vec<String> {
    range.map(|i| name.replace('#', &i.to_string())).collect()
}

#[test]
fn a_million_mixed_cycles_reach_every_situation() {
    let coverage = measure("mixed", &Implementation::default(), 1_000_000);
    println!("{}", coverage.table());
    let fixed = [
        "driven 0",
        "driven 1",
        "driven 2",
        "driven 3",
        "HPMN 0",
        "HPMN below N",
        "HPMN N",
        "halted, SDD 0",
        "halted, SDD 1",
        "a counter is filtered",
        "state Streaming mode",
        "MT 1: some threads are filtered",
        "MT 1: thread 0 is filtered, the event is of no thread",
        "clock stopped",
        "row I: RAZ",
        "row I: WI, P 0",
        "row I: WI, ER",
        "a type is read after a refused write of it",
        "event of threads with a threshold",
        "sampling: PMSICR 0 loaded when enabled",
        "sampling: PMSICR not 0 when enabled",
        "sampling: expired",
        "sampling: drew zero",
        "sampling: drew nonzero",
        "sampling: ECOUNT expired",
        "sampling: fed",
        "sampling: collided",
        "sampling: not filtered out",
        "sampling: disabled with COUNT 0",
        "sampling: samples discarded",
        "sampling: selected in the cycle of a completion",
        "collided: COLL of EL1",
        "collided: COLL of EL2",
        "collided: COLL of EL3",
        "collided: COLL of ELx again",
        "collided: PMBSR_EL1 written, COLL 0",
        "collided: PMBSR_EL1 written, COLL 1",
        "collided: PMBSR read",
        "expired: PMSICR_EL1 written",
        "expired: PMSIRR_EL1 written",
        "AArch32 R other: UNDEFINED",
        "AArch32 W other: UNDEFINED",
        "AArch32 R PMSELR_EL0: OK",
        "AArch32 W PMSELR_EL0: OK",
        "AArch32 R PMXEVTYPER_EL0: OK",
        "AArch32 W PMXEVTYPER_EL0: OK",
        "AArch32 R PMCCFILTR_EL0: OK",
        "AArch32 W PMCCFILTR_EL0: OK",
        "AArch32 R PMEVTYPER: OK",
        "AArch32 W PMEVTYPER: OK",
        "external R elsewhere",
        "external W elsewhere",
        "external R type, low half",
        "external W type, low half",
        "external R type, high half",
        "external W type, high half",
        "external R PMCCFILTR, low half",
        "external W PMCCFILTR, high half",
    ];
    check(&coverage, 50, fixed.map(String::from));
    let rare = [
        "sampling: COUNT 0, ECOUNT not 0 when enabled",
        "sampling: ECOUNT overwritten",
    ];
    check(&coverage, 20, rare.map(String::from));
    // Every level of every Security state, every row of ETY-40 where it can apply, by reads and writes.
    let states = ["EL0 #", "EL1 #", "EL2 #"].into_iter().flat_map(|level| {
        ["Non-secure", "Secure", "Realm"].map(|s| format!("state {}", level.replace('#', s)))
    });
    check(&coverage, 5_000, states.chain(["state EL3 Root".into()]));
    for direction in ["R", "W"] {
        for (row, levels) in [
            ("C", 0..=0),
            ("D", 0..=1),
            ("E", 0..=1),
            ("F", 0..=1),
            ("G", 0..=2),
            ("J", 0..=3),
        ] {
            check(
                &coverage,
                50,
                each(&format!("row {row} EL# {direction}"), levels),
            );
        }
        check(&coverage, 20, [format!("row I EL0 {direction}")]);
    }
    let outcomes = [
        "row C EL0: trap to EL1",
        "row C EL0: trap to EL2",
        "row G EL0: trap to EL3",
        "row G EL1: trap to EL3",
        "row G EL1: UNDEFINED",
        "row G EL2: trap to EL3",
        "row G EL2: UNDEFINED",
        "clause El0 EL0: UNDEFINED",
        "clause FineGrained EL1: trap to EL2",
        "clause EnSpm EL1: trap to EL2",
        "clause AccessEl2 EL1: trap to EL2",
        "clause EnPm2 EL1: trap to EL3",
        "clause EnPm2 EL2: trap to EL3",
        "clause AccessEl3 EL1: trap to EL3",
        "clause AccessEl3 EL2: trap to EL3",
        "clause Read EL1: OK",
        "clause Read EL2: OK",
        "clause Read EL3: OK",
        "clause ReadOnly EL1: UNDEFINED",
    ];
    check(&coverage, 20, outcomes.map(String::from));
    // The registers of System PMUs.
    let registers = |class: &str| {
        [
            "R SPMIIDR_EL1",
            "R SPMDEVARCH_EL1",
            "R SPMDEVAFF_EL1",
            "R SPMCFGR_EL1",
            "R SPMCGCR0_EL1",
            "R SPMCGCR1_EL1",
            "R SPMCNTENSET_EL0",
            "W SPMCNTENSET_EL0",
            "R SPMCNTENCLR_EL0",
            "W SPMCNTENCLR_EL0",
            "R SPMOVSCLR_EL0",
            "W SPMOVSCLR_EL0",
            "R SPMOVSSET_EL0",
            "W SPMOVSSET_EL0",
            "R SPMINTENSET_EL1",
            "W SPMINTENSET_EL1",
            "R SPMINTENCLR_EL1",
            "W SPMINTENCLR_EL1",
            "R SPMEVCNTR, exists: #",
            "W SPMEVCNTR, exists: #",
            "R SPMEVTYPER, exists: #",
            "W SPMEVTYPER, exists: #",
            "R SPMEVFILTR, exists: #",
            "W SPMEVFILTR, exists: #",
            "R SPMEVFILT2R, exists: #",
            "W SPMEVFILT2R, exists: #",
        ]
        .map(|register| format!("{class}: {register}"))
    };
    for (class, exists) in [
        ("System PMU 0", "true"),
        ("System PMU 0", "false"),
        ("System PMU 1", "true"),
        ("System PMU 1", "false"),
        ("System PMU that is not implemented", "false"),
    ] {
        check(
            &coverage,
            30,
            registers(class).map(|r| r.replace('#', exists)),
        );
    }
    let reserved = registers("System PMU with a reserved number");
    check(&coverage, 10, reserved.map(|r| r.replace('#', "false")));
    // The events of Statistical Profiling and of the threads.
    for event in ["0x4000", "0x4001", "0x4002", "0x4003"] {
        check(&coverage, 20, [format!("event {event} counted")]);
        check(&coverage, 20, [format!("event {event} with a threshold")]);
    }
    for event in CYCLE_EVENTS {
        for mt in 0..2 {
            for class in ["no thread waits", "some threads wait"] {
                let situations =
                    ["0", "1"].map(|v| format!("event {event:#06x}, MT {mt}, {class}: {v}"));
                // CYC-09: with MT 1 every cycle counts.
                let always = event == 0x0011 && (mt == 1 || class == "no thread waits");
                check(
                    &coverage,
                    100,
                    situations.into_iter().skip(usize::from(always)),
                );
            }
            check(
                &coverage,
                100,
                [format!("event {event:#06x}, MT {mt}, all threads wait: 0")],
            );
        }
    }
    assert!(coverage.count("sampling: UNKNOWN") < 20_000);
    assert!(coverage.count("sampling: UNKNOWN") > 50);
}

#[test]
fn rows_that_depend_on_the_implementation() {
    let mut implementation = Implementation::default();
    implementation.knobs.el3_trap_priority_sdd = true;
    implementation.pmu.counters = 8;
    let coverage = measure("access", &implementation, 300_000);
    for direction in ["R", "W"] {
        check(
            &coverage,
            50,
            each(&format!("row A EL# {direction}"), 0..=3),
        );
        check(
            &coverage,
            20,
            each(&format!("row B EL# {direction}"), 0..=2),
        );
    }
    check(&coverage, 50, ["HPMN above N".into()]);
    let coverage = measure("spmu", &implementation, 300_000);
    check(&coverage, 5, each("clause Priority EL#: UNDEFINED", 1..=2));
    use pmu_model::implementation::Layout;
    implementation.knobs.layout = Layout::Year2021;
    implementation.knobs.access_model = pmu_model::evtyper::configuration::AccessModel::Year2021;
    let coverage = measure("access", &implementation, 300_000);
    check(&coverage, 50, each("row H EL# R", 0..=3));
    check(&coverage, 50, each("row H EL# W", 0..=3));
}

#[test]
fn forms_of_multithreading() {
    for (form, expected) in [
        (
            ThreadForm::Smt,
            &["0 active", "1 active", "2 active", "3 active"][..],
        ),
        (ThreadForm::Fgmt, &["1 active"]),
        (ThreadForm::SoEmt, &["0 active", "1 active"]),
    ] {
        for count in 1..=THREADS as u8 {
            let mut implementation = Implementation::default();
            (implementation.threads.count, implementation.threads.form) = (count, form);
            let coverage = measure("cycles", &implementation, 50_000);
            let found: BTreeSet<_> = (0..=THREADS)
                .map(|n| format!("{n} active"))
                .filter(|name| coverage.count(name) > 0)
                .collect();
            if form == ThreadForm::Smt {
                // All, but for threads in WFI or WFE state.
                assert!(found.contains(&format!("{count} active")), "{found:?}");
            } else {
                assert_eq!(found, expected.iter().map(|s| (*s).to_string()).collect());
            }
        }
    }
}

/// Only what an implementation can be in is driven, whatever the implementation.
#[test]
fn states_are_those_that_the_implementation_can_be_in() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/implementations");
    let mut implementations = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let implementation: Implementation = toml::from_str(&text).unwrap();
        implementation
            .validate()
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        implementations += 1;
        let pe = &implementation.pe;
        let profile = Profile::default();
        let mut generator = Generator::new(1, &implementation, &profile).unwrap();
        let mut cycles = vec![CycleInput::default(); 100_000];
        generator.fill(&mut cycles);
        let mut levels = BTreeSet::new();
        for input in &cycles {
            for (t, thread) in input.threads.iter().enumerate() {
                let (level, security) = (thread.level(), thread.security());
                if t == 0 {
                    levels.insert(level);
                }
                let legal = match (level, security) {
                    (3, 3) => pe.rme,
                    (3, 1) => pe.el3 && !pe.rme,
                    (2, 0) => pe.el2,
                    (2, 1) => pe.sel2,
                    (2, 2) => pe.el2 && pe.rme,
                    (0 | 1, 0) => true,
                    (0 | 1, 1) => pe.el3,
                    (0 | 1, 2) => pe.rme,
                    _ => false,
                };
                assert!(
                    legal,
                    "{}: EL{level}, Security state {security}",
                    path.display()
                );
                assert!(pe.sme || thread.state & Thread::STREAMING == 0);
                let el2_enabled = input.controls & control::EL2_ENABLED != 0;
                if t == 0 && pe.el2 && level < 3 {
                    let expected = match (level, security) {
                        (2, _) => Some(true),
                        (_, 1) if pe.sel2 => None,
                        (_, 1) => Some(false),
                        _ => Some(true),
                    };
                    assert!(expected.is_none_or(|expected| expected == el2_enabled));
                }
            }
            let halted = input.driven & 1 == 1 && input.controls & control::HALTED != 0;
            assert!(!halted || (input.counting_allowed, input.operations) == (0, 0));
        }
        let expected = 2 + usize::from(pe.el2) + usize::from(pe.el3);
        assert_eq!(levels.len(), expected, "{}", path.display());
    }
    assert!(implementations >= 14);
}
