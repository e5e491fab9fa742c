//! A design that shows its outputs later, and says so (DUT-02).

use std::path::Path;

use pmu_lockstep::dut::{Dut, ModelledDut, Pulse, Stop, TraceUnavailable};
use pmu_lockstep::lockstep::compare::Field;
use pmu_lockstep::lockstep::{Divergence, Outcome};
use pmu_model::{CycleInput, CycleOutput, DutParameters, Implementation};

use crate::run;

/// A design whose increments come 2 cycles late and whose accesses 1, with a fault.
fn late(fault: impl Fn(u64, &mut CycleOutput) + Send + 'static) -> Box<dyn Dut> {
    let fault = move |cycle, _: &_, output: &mut _| {
        fault(cycle, output);
        Ok(())
    };
    let dut = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
    Box::new(dut.expect("a design").with_latency(2, 1))
}

fn divergence(dut: Box<dyn Dut>, threads: usize) -> Divergence {
    match run(dut, &Implementation::default(), threads, 20_000).1 {
        Outcome::Diverged(divergence) => *divergence,
        other => panic!("{other:?}"),
    }
}

#[test]
fn late_outputs_agree() {
    for threads in [1, 2] {
        let (run, outcome) = run(late(|_, _| ()), &Implementation::default(), threads, 50_000);
        assert!(matches!(outcome, Outcome::Agree), "{outcome:#?}");
        assert_eq!(run.cycles(), 50_000);
    }
}

#[test]
fn outputs_that_are_later_than_stated_differ() {
    let dut = ModelledDut::new(&Implementation::default()).expect("a design");
    let dut = Punctual(dut.with_latency(1, 0));
    let (_, outcome) = run(Box::new(dut), &Implementation::default(), 1, 1000);
    assert!(matches!(outcome, Outcome::Diverged(_)), "{outcome:?}");
}

/// A design that states no latency, whatever it has.
struct Punctual(ModelledDut);

impl Dut for Punctual {
    fn parameters(&self) -> DutParameters {
        DutParameters::of(&Implementation::default())
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.0.run(inputs, outputs)
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        self.0.trace_to(path, cycle)
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.0.end_trace()
    }

    fn pulse(&self) -> Pulse {
        self.0.pulse()
    }
}

/// The cycles around the border of a batch as well.
#[test]
fn fault_of_an_increment_is_reported_two_cycles_late() {
    for (threads, fault) in [(1, 5000), (2, 5000), (1, 5 * 1024 - 1), (2, 5 * 1024)] {
        let dut = late(move |cycle, output| output.increment[6] ^= u16::from(cycle == fault) << 3);
        let found = divergence(dut, threads);
        assert_eq!((found.about, found.cycle), (fault, fault + 2));
        assert_eq!(found.differences.len(), 1);
        assert_eq!(found.differences[0].field, Field::Increment(6));
        assert_eq!(found.expected.increment[6] ^ found.rtl.increment[6], 8);
    }
}

#[test]
fn fault_of_an_access_is_reported_one_cycle_late() {
    for threads in [1, 2] {
        // The first read from there on.
        let dut = late(|cycle, output| {
            if cycle >= 5000 && output.access_data != 0 {
                output.access_data ^= 1 << 63;
            }
        });
        let found = divergence(dut, threads);
        assert!(found.about >= 5000, "{}", found.about);
        assert_eq!(found.cycle, found.about + 1);
        assert_eq!(found.differences[0].field, Field::AccessData);
        assert_eq!(found.input.access_kind, 1);
    }
}
