//! Failing runs of RTL with planted bugs, reduced.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::command::{lockstep, run};
use crate::planted::plant;
use crate::scratch::scratch;

/// Most cycles and register writes that are left, and most time.
const CYCLES: u64 = 30;
const WRITES: u64 = 5;
const TIME: Duration = Duration::from_secs(10);

/// Runs RTL with the bug of `patch` until it diverges, and shrinks what was recorded.
fn shrinks(name: &str, patch: &str, field: &str) {
    let folder = scratch(&format!("report/shrunk_{name}"));
    plant(Some(patch), &folder.join("rtl")).expect("planted");
    let rtl = ["--rtl", "rtl", "--out", "out"];
    let ran = run(lockstep(&folder)
        .args(["run", "--record", "a.stim"])
        .args(rtl));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let start = Instant::now();
    let ran = run(lockstep(&folder)
        .args(["shrink", "a.stim", "--json"])
        .args(rtl));
    let time = start.elapsed();
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(json["field"], field);
    assert_eq!(json["minimal"], true);
    let cycles = json["cycles"]
        .as_array()
        .map_or(u64::MAX, |cycles| cycles.len() as u64);
    assert!(cycles <= CYCLES, "{cycles}");
    let writes = json["writes"].as_u64();
    assert!(writes.is_some_and(|writes| writes <= WRITES), "{writes:?}");
    assert!(time < TIME, "{time:?}");
    // It fails on its own, in the same field.
    let again = run(lockstep(&folder)
        .args(["replay", "out/shrunk.stim", "--json"])
        .args(rtl));
    assert_eq!(again.code, 1, "{}{}", again.stdout, again.stderr);
    let again: Value = serde_json::from_str(&again.stdout).expect("JSON");
    assert_eq!(again["divergence"]["headline"]["field"], field);
}

#[test]
fn threshold() {
    shrinks("threshold", "02-threshold-lt-as-le.patch", "V[1]");
}

#[test]
fn edge() {
    shrinks("edge", "11-both-edges-as-rising.patch", "V[3]");
}

#[test]
fn counter() {
    shrinks("counter", "28-read-of-next-value.patch", "PMEVCNTR2_EL0");
}

#[test]
fn flag() {
    shrinks("flag", "32-overflow-lost-to-clear.patch", "PMOVSSET_EL0");
}

#[test]
fn access() {
    shrinks("access", "45-undefined-access-ok.patch", "access outcome");
}
