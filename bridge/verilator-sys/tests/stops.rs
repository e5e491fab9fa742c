//! DUT-40: whatever ends a run is a typed stop, and the process goes on.
#![cfg(feature = "shared")]

mod common;

use common::{
    ASSERT, ERROR, FATAL, FINISH, OSCILLATE, PRINT, SIZES, STOP, WARN, both, counter, counts,
    inputs,
};
use verilator_sys::{Dut, DutStop, StopKind};

/// Runs three good cycles, one with `bits`, and one more.
fn stop_of(bits: u64) -> (DutStop, Vec<u32>) {
    let [traced, untraced] = both().map(|dut| stop_of_one(dut, bits));
    assert_eq!(traced, untraced);
    traced
}

fn stop_of_one(mut dut: Dut, bits: u64) -> (DutStop, Vec<u32>) {
    let inputs = inputs(&[1, 1, 1, 1 | bits, 1]);
    let mut outputs = vec![0xee; 5 * SIZES.output];
    let stop = dut.run(&inputs, &mut outputs).expect_err("stopped");
    assert_eq!(
        dut.run(&inputs, &mut outputs)
            .expect_err("stays stopped")
            .completed,
        0
    );
    assert_eq!(dut.stop().map(|again| again.kind), Some(stop.kind));
    assert_eq!(dut.cycles(), 3);
    (stop, counts(&outputs))
}

fn check(bits: u64, kind: StopKind, text: &str) {
    let (stop, counts) = stop_of(bits);
    assert_eq!(stop.kind, kind);
    assert_eq!((stop.cycle, stop.time_ns, stop.completed), (3, 30, 3));
    assert_eq!(counts, [1, 2, 3, 0xeeee_eeee, 0xeeee_eeee]);
    assert_eq!(stop.to_string(), text);
}

#[test]
fn fatal() {
    check(
        FATAL,
        StopKind::Fatal,
        "[DUT] stopped by $fatal in cycle 3 at 30 ns at counter.sv:26 in lockstep_dut: count 3 is fatal",
    );
}

#[test]
fn error() {
    check(
        ERROR,
        StopKind::Assertion,
        "[DUT] stopped by failed assertion or $error in cycle 3 at 30 ns at counter.sv:25 in lockstep_dut: count 3 is wrong",
    );
}

#[test]
fn failed_assertion() {
    check(
        ASSERT,
        StopKind::Assertion,
        "[DUT] stopped by failed assertion or $error in cycle 3 at 30 ns at counter.sv:30 in lockstep_dut.a_allowed: 'assert' failed.",
    );
}

#[test]
fn stop() {
    check(
        STOP,
        StopKind::Stop,
        "[DUT] stopped by $stop in cycle 3 at 30 ns at counter.sv:27",
    );
}

#[test]
fn finish() {
    check(
        FINISH,
        StopKind::Finish,
        "[DUT] stopped by $finish in cycle 3 at 30 ns at counter.sv:28",
    );
}

#[test]
fn logic_that_does_not_settle() {
    let (stop, _) = stop_of(OSCILLATE);
    assert_eq!(stop.kind, StopKind::NotConverged);
    assert!(
        stop.message.contains("region did not converge"),
        "{}",
        stop.message
    );
    assert_eq!((stop.cycle, stop.completed), (3, 3));
}

#[test]
fn the_first_of_several_counts() {
    let (stop, _) = stop_of(ERROR | FATAL | FINISH);
    assert_eq!(stop.kind, StopKind::Assertion);
}

#[test]
fn displays_and_warnings_go_to_the_log() {
    for mut dut in both() {
        let mut outputs = vec![0; 3 * SIZES.output];
        dut.run(&inputs(&[7, PRINT, WARN]), &mut outputs)
            .expect("goes on");
        let log = dut.take_log();
        assert!(log.starts_with("count is 7\n"), "{log}");
        assert!(log.contains("count 7 is odd"), "{log}");
        assert_eq!(dut.take_log(), "");
        dut.finish().expect("no stop");
        assert_eq!(dut.take_log(), "final count 7\n");
    }
}

#[test]
fn an_endless_log_keeps_its_end() {
    let mut dut = counter().create_traced().expect("created");
    let cycles = 200_000;
    let mut outputs = vec![0; cycles * SIZES.output];
    dut.run(&inputs(&vec![PRINT | 1; cycles]), &mut outputs)
        .expect("goes on");
    let log = dut.take_log();
    assert!((1 << 20..2200 << 10).contains(&log.len()), "{}", log.len());
    assert!(log.starts_with("[DUT log] "), "{}", &log[..80]);
    assert!(log.ends_with("count is 199999\n"));
}
