//! Stimulus that once failed, and must not fail again.
//!
//! `lockstep shrink` writes such a test, `regression.rs`. To take it up, put it into this folder under a name that tells
//! what was wrong, and add a line `mod NAME;` below. It runs the bundled RTL.

mod threshold_greater_or_equal;

use pmu_lockstep::dut::{BuildOptions, RtlSource, open};
use pmu_lockstep::shrink::Bench;
use pmu_model::contract::{EVENT_LANES, THREADS, Thread};
use pmu_model::{CycleInput, Implementation};
use verilator_sys::Optimization;

/// Demands that the bundled RTL does what the model expects in all cycles, the first of which is a reset.
fn agrees(implementation: &Implementation, cycles: &[CycleInput]) {
    let options = BuildOptions {
        cache: concat!(env!("CARGO_TARGET_TMPDIR"), "/cache").into(),
        optimization: Optimization::Quick,
        ..BuildOptions::from_env()
    };
    let make = || {
        open(
            &RtlSource::Bundled,
            implementation,
            false,
            &options,
            &mut |_| (),
        )
        .map_err(|error| error.to_string())
    };
    let mut bench = Bench::new(implementation, Box::new(make)).expect("a legal implementation");
    let ran = bench.fresh(cycles).expect("the RTL builds");
    let failing = ran.expect("the RTL does not stop");
    assert!(failing.is_none(), "{failing:#x?}");
}

/// Event lanes, those not named at 0.
fn lanes(values: &[(usize, u16)]) -> [u16; EVENT_LANES] {
    let mut lanes = [0; EVENT_LANES];
    for &(lane, value) in values {
        lanes[lane] = value;
    }
    lanes
}

/// Threads by number, `state`, `conditions` and `count`, those not named at 0.
#[allow(dead_code, reason = "for those that have threads")]
fn threads(values: &[(usize, u8, u8, u16)]) -> [Thread; THREADS] {
    let mut threads = [Thread::default(); THREADS];
    for &(t, state, conditions, count) in values {
        threads[t] = Thread {
            state,
            conditions,
            count,
        };
    }
    threads
}
