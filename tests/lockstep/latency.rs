//! A design that shows its outputs later, and says so (DUT-02).

use std::path::Path;

use pmu_lockstep::diagnosis::replay::{Reproduction, replay};
use pmu_lockstep::dut::{Dut, ModelledDut, Pulse, Stop, TraceUnavailable};
use pmu_lockstep::lockstep::compare::Field;
use pmu_lockstep::lockstep::{Divergence, Outcome};
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_model::contract::Output;
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
        assert_eq!(found.differences[0].field, Field::Whole(Output::AccessData));
        assert_eq!(found.input.access_kind, 1);
    }
}

/// A design whose increments come 4 cycles late, whose accesses 6, and whose group SPE 3, with a fault.
fn late_sampling(fault: impl Fn(&CycleInput, &mut CycleOutput) + Send + 'static) -> Box<dyn Dut> {
    let fault = move |_, input: &_, output: &mut _| {
        fault(input, output);
        Ok(())
    };
    let dut = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
    let dut = dut.expect("a design").with_latency(4, 6);
    Box::new(dut.with_latency_of_spe(3))
}

#[test]
fn dut_61_bytes_that_are_told_late_are_used_in_their_cycles() {
    let implementation = Implementation::default();
    let punctual = ModelledDut::new(&implementation).expect("a design");
    let (punctual, outcome) = run(Box::new(punctual), &implementation, 1, 50_000);
    assert!(matches!(outcome, Outcome::Agree));
    let punctual = punctual.ledger().sampling().expect("sampling");
    assert!(
        punctual.random.draws > 20 && punctual.selections > 50,
        "{punctual:?}"
    );
    for threads in [1, 2] {
        let (run, outcome) = run(late_sampling(|_, _| ()), &implementation, threads, 50_003);
        assert!(matches!(outcome, Outcome::Agree), "{outcome:#?}");
        let sampling = run.ledger().sampling().expect("sampling");
        // Of the same cycles, which the last ones show.
        assert_eq!(sampling, punctual);
    }
}

/// On both sides of the border of a batch.
#[test]
fn dut_61_fault_of_late_sampling_is_found_and_shown_again() {
    let implementation = Implementation::default();
    let mut inputs = vec![CycleInput::default(); 20_000];
    let mut generator = Generator::new(1, &implementation, &Profile::default()).expect("stimulus");
    generator.fill(&mut inputs);
    for (threads, at) in [(1, 15_000), (2, 15_000), (1, 60 * 256), (1, 60 * 256 - 2)] {
        let wrong = inputs[at];
        let made =
            || late_sampling(move |input, output| output.pmsicr ^= u64::from(*input == wrong) << 8);
        let (run, outcome) = run(made(), &implementation, threads, 20_000);
        let Outcome::Diverged(divergence) = outcome else {
            panic!("{outcome:?}")
        };
        let at = at as u64;
        assert_eq!((divergence.about, divergence.cycle), (at, at + 3));
        let field = divergence.differences[0].field;
        assert_eq!(field, Field::Whole(Output::Pmsicr));
        let replay = replay(&run, &divergence, &mut || Ok(made()), Path::new("none.vcd"));
        let replay = replay.expect("a re-run");
        assert!(matches!(replay.reproduction, Reproduction::Same { .. }));
        let window = &replay.window;
        assert_eq!(window.model.cycle(), at);
        assert_eq!(window.start.cycle(), window.first);
        for (cycle, shown) in (window.first..).zip(&window.cycles) {
            assert_eq!(shown.record.cycle, cycle);
            assert_eq!(shown.input, inputs[cycle as usize]);
        }
        let shown = window.at(at).expect("the cycle");
        let late = window.at(at + 3).expect("the cycle in which it shows");
        assert_eq!(late.expected.pmsicr ^ late.rtl.pmsicr, 1 << 8);
        let pmsicr = shown.record.sampling.pmsicr;
        let pmsicr = u64::from(pmsicr.ecount) << 56 | u64::from(pmsicr.count);
        // The record begins with what the cycle before left, which shows as late.
        let before = window.at(at + 2).expect("the cycle before it");
        assert_eq!(pmsicr, before.expected.pmsicr);
    }
}
