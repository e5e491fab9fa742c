//! Sample intervals of a long run without a reset: SPE-24, and the bytes of the random number generator.

use pmu_lockstep::dut::RtlSource;
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::sampling::{IntervalSummary, SamplingSummary};
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::stimulus::{Reader, Stimulus, StimulusError, Writer};
use pmu_model::{CycleInput, Implementation, SysReg};

use crate::implementations::{implementation, rtl};
use crate::scratch::scratch;

const INTERVAL: u64 = 2;
const CYCLES: usize = 1_500_000;

/// Samples operations at up to 15 a cycle with PMSIRR_EL1 = {INTERVAL, `rnd`}, on the RTL beside the model.
fn sampled(name: &str, implementation: &Implementation, rnd: bool) -> SamplingSummary {
    let path = scratch(&format!("sampling/{name}")).join("long.stim");
    let mut writer = Writer::create(&path, implementation, None).expect("a file");
    let start = [
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmsirr, INTERVAL << 8 | u64::from(rnd)),
    ];
    writer.append(&start).expect("room");
    let cycles: Vec<_> = (0..CYCLES)
        .map(|k| CycleInput {
            profiling: CycleInput::PROFILING_ENABLED,
            // No period in common with the interval.
            operations: 15 - (k % 7) as u8,
            complete: 1,
            ..CycleInput::default()
        })
        .collect();
    writer.append(&cycles).expect("room");
    writer.finish().expect("room");
    let stimulus = Stimulus::Recorded(Reader::open(&path).expect("the file"));
    let dut = rtl(&RtlSource::Bundled, implementation);
    let mut run = Lockstep::new(implementation, dut, stimulus, 1).expect("a run");
    let outcome = run.run(
        u64::MAX,
        &Control::default(),
        |_| Ok::<_, StimulusError>(()),
    );
    assert!(matches!(outcome, Ok(Outcome::Agree)), "{outcome:#?}");
    run.ledger().sampling().expect("an implementation with SPE")
}

/// The only mode of a run, and of bytes that are uniform if there are any.
fn only_mode(summary: &SamplingSummary) -> &IntervalSummary {
    let [mode] = &summary.intervals[..] else {
        panic!("one mode: {summary:?}");
    };
    assert!(mode.intervals > 20_000, "{summary:?}");
    assert_eq!(mode.holds, Some(true), "{summary:?}");
    let drawn = summary.random.draws > 0;
    assert_eq!(summary.random.uniform, drawn.then_some(true), "{summary:?}");
    mode
}

#[test]
fn spe_24_without_random_perturbation_the_interval_is_exact() {
    let summary = sampled("exact", &Implementation::default(), false);
    let mode = only_mode(&summary);
    assert_eq!(mode.mean, (INTERVAL * 256 + 1) as f64);
    assert_eq!(mode.standard_error, 0.0);
    assert_eq!(summary.random.draws, 0);
}

#[test]
fn spe_24_without_ernd_the_mean_is_longer_by_half_a_byte() {
    let implementation = implementation("two_threads");
    assert!(!implementation.spe.ernd);
    let summary = sampled("rnd", &implementation, true);
    let mode = only_mode(&summary);
    let (error, intervals) = (mode.standard_error, mode.intervals as f64);
    let expected = (INTERVAL * 256) as f64 + 128.5;
    assert!((mode.mean - expected).abs() < 3.0 * error, "{summary:?}");
    // Bytes have a standard deviation of 73.9.
    assert!((error - 73.9 / intervals.sqrt()).abs() < 0.01);
}

#[test]
fn spe_24_with_ernd_the_mean_is_that_without_random_perturbation() {
    let summary = sampled("ernd", &Implementation::default(), true);
    let mode = only_mode(&summary);
    let (error, intervals) = (mode.standard_error, mode.intervals as f64);
    let expected = (INTERVAL * 256 + 1) as f64;
    assert!((mode.mean - expected).abs() < 3.0 * error, "{summary:?}");
    // Of intervals that follow each other only the first byte and the last are left.
    assert!((error - (2.0f64 * 5461.25).sqrt() / intervals).abs() < 1e-6);
}
