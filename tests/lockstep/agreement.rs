//! RTL and model agree, whatever the implementation.

use std::path::PathBuf;

use pmu_lockstep::dut::RtlSource;
use pmu_lockstep::lockstep::Outcome;

use crate::implementations::{implementation, rtl};
use crate::run;

const CYCLES: u64 = 50_000;

/// Runs the RTL of an implementation of `tests/implementations`; `changing` are fields that must have changed, or the
/// run would show nothing.
fn agrees(name: &str, source: &RtlSource, threads: usize, changing: &[&str]) {
    let implementation = implementation(name);
    let dut = rtl(source, &implementation);
    let (run, outcome) = run(dut, &implementation, threads, CYCLES);
    assert!(matches!(outcome, Outcome::Agree), "{outcome:#?}");
    assert_eq!(run.cycles(), CYCLES);
    assert_eq!(run.ledger().never_read(), [""; 0]);
    let fields = run.ledger().fields();
    for name in changing {
        let field = fields.iter().find(|field| field.field == *name);
        assert!(
            field.is_some_and(|field| field.changed > 100),
            "{name}: {field:?}"
        );
    }
}

#[test]
fn everything() {
    // From its files, so that it goes through a shared library like the others.
    let rtl = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rtl");
    let source = RtlSource::files([rtl], vec![("Tme".into(), "1".into())]);
    let changing = [
        "V[0]",
        "V[15]",
        "V[30]",
        "PMCCNTR increment",
        "PMOVSSET_EL0",
        "access outcome",
    ];
    agrees("everything", &source, 2, &changing);
}

#[test]
fn six_counters() {
    agrees(
        "six_counters",
        &RtlSource::Bundled,
        1,
        &["V[0]", "V[5]", "PMEVCNTR3_EL0", "access outcome"],
    );
}

#[test]
fn threshold_only() {
    agrees(
        "threshold_only",
        &RtlSource::Bundled,
        2,
        &["V[0]", "PMEVCNTR0_EL0", "PMEVTYPER0_EL0"],
    );
}

#[test]
fn no_threshold() {
    agrees(
        "no_threshold",
        &RtlSource::Bundled,
        1,
        &["V[0]", "V[7]", "PMEVCNTR7_EL0", "PMOVSCLR_EL0"],
    );
}

#[test]
fn no_event_counters() {
    agrees(
        "no_event_counters",
        &RtlSource::Bundled,
        2,
        &["PMCCNTR increment", "PMCCNTR_EL0", "access outcome"],
    );
}

/// What sampling and the threads show.
const SAMPLING: [&str; 4] = [
    "operations selected",
    "PMSICR_EL1 after the cycle",
    "access outcome",
    "V[0]",
];

#[test]
fn no_el2_no_el3() {
    agrees("no_el2_no_el3", &RtlSource::Bundled, 1, &SAMPLING);
}

#[test]
fn no_fgt() {
    agrees("no_fgt", &RtlSource::Bundled, 2, &SAMPLING);
}

#[test]
fn switched() {
    agrees("switched", &RtlSource::Bundled, 1, &SAMPLING);
}

#[test]
fn turns() {
    agrees("turns", &RtlSource::Bundled, 2, &SAMPLING);
}

#[test]
fn year_2021() {
    agrees("year_2021", &RtlSource::Bundled, 1, &SAMPLING);
}
