//! The re-run of a divergence: what it says about designs that do not depend on their inputs since the reset alone.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use pmu_lockstep::diagnosis::replay::{Replay, Reproduction, replay};
use pmu_lockstep::dut::{Dut, ModelledDut};
use pmu_lockstep::lockstep::Outcome;
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_model::{CycleInput, CycleOutput, Implementation};

use crate::run;

/// The cycle in which the faults of this file show first.
const FAULT: u64 = 30_000;

/// Runs the first of the designs that `make` makes until it diverges in [`FAULT`], and re-runs others.
fn re_run(make: impl Fn() -> Box<dyn Dut>) -> Replay {
    let implementation = Implementation::default();
    let (run, outcome) = run(make(), &implementation, 1, 2 * FAULT);
    let Outcome::Diverged(divergence) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(divergence.cycle, FAULT);
    replay(&run, &divergence, &mut || Ok(make()), Path::new("none.vcd")).expect("a re-run")
}

/// A design with a fault; `cycle` counts from the making of the design.
fn design(fault: impl Fn(u64, &mut CycleOutput) + Send + 'static) -> Box<dyn Dut> {
    let fault = move |cycle, _: &_, output: &mut _| {
        fault(cycle, output);
        Ok(())
    };
    Box::new(
        ModelledDut::with_fault(&Implementation::default(), Box::new(fault)).expect("a design"),
    )
}

fn flip(output: &mut CycleOutput) {
    output.increment[2] ^= 1;
}

#[test]
fn fault_that_depends_on_inputs_is_shown_from_a_reset() {
    let implementation = Implementation::default();
    let mut inputs = vec![CycleInput::default(); FAULT as usize + 1];
    let mut generator = Generator::new(1, &implementation, &Profile::default()).expect("stimulus");
    generator.fill(&mut inputs);
    let wrong = inputs[FAULT as usize];
    let made = || {
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            if *input == wrong {
                flip(output);
            }
            Ok(())
        };
        let dut = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
        Box::new(dut.expect("a design")) as Box<dyn Dut>
    };
    let reproduction = re_run(made).reproduction;
    let Reproduction::Same { from } = reproduction else {
        panic!("{reproduction:?}")
    };
    assert!(from > 0 && inputs[from as usize].is_reset(), "cycle {from}");
}

/// Something in the design that no reset touches has counted the cycles.
#[test]
fn fault_that_survives_a_reset_is_shown_from_the_start_only() {
    let made = || {
        design(|cycle, output| {
            if cycle == FAULT {
                flip(output)
            }
        })
    };
    let reproduction = re_run(made).reproduction;
    let Reproduction::OnlyFromStart {
        reset,
        instead: None,
    } = reproduction
    else {
        panic!("{reproduction:?}")
    };
    assert!((1..FAULT).contains(&reset), "{reset}");
}

/// Something that no reset touches was set shortly before the nearest one.
#[test]
fn fault_that_survives_a_reset_is_shown_from_an_earlier_one() {
    let mut inputs = vec![CycleInput::default(); FAULT as usize + 1];
    let mut generator =
        Generator::new(1, &Implementation::default(), &Profile::default()).expect("stimulus");
    generator.fill(&mut inputs);
    let wrong = inputs[FAULT as usize];
    let before = &inputs[..FAULT as usize - 50];
    let nearest = before
        .iter()
        .rposition(CycleInput::is_reset)
        .expect("a reset");
    // Not in the batch of the reset, from the start of which a re-run goes.
    let set = nearest - 500;
    let setting = inputs[set];
    let made = || {
        let is_set = AtomicBool::new(false);
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            if *input == setting {
                is_set.store(true, Ordering::Relaxed);
            }
            if *input == wrong && is_set.load(Ordering::Relaxed) {
                flip(output);
            }
            Ok(())
        };
        let dut = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
        Box::new(dut.expect("a design")) as Box<dyn Dut>
    };
    let reproduction = re_run(made).reproduction;
    let Reproduction::FromEarlier {
        from,
        reset,
        instead: None,
    } = reproduction
    else {
        panic!("{reproduction:?}")
    };
    assert!((1..=set as u64).contains(&from), "{from}, set in {set}");
    assert_eq!(reset, nearest as u64);
    let sentence = reproduction.sentence();
    assert!(
        sentence.contains(&format!("from the reset in cycle {from} on; from the one")),
        "{sentence}"
    );
}

/// Only the first of several designs has the fault, as if it hung on a random number.
#[test]
fn fault_that_is_gone_is_not_shown() {
    let designs = AtomicU32::new(0);
    let made = || {
        let first = designs.fetch_add(1, Ordering::Relaxed) == 0;
        design(move |cycle, output| {
            if first && cycle == FAULT {
                flip(output)
            }
        })
    };
    assert_eq!(
        re_run(made).reproduction,
        Reproduction::Different { instead: None }
    );
}

#[test]
fn fault_that_moves_is_not_shown() {
    let designs = AtomicU32::new(0);
    let made = || {
        let late = 7 * u64::from(designs.fetch_add(1, Ordering::Relaxed));
        design(move |cycle, output| {
            if cycle == FAULT - late {
                flip(output)
            }
        })
    };
    // Every re-run has a design of its own; the last starts at the first cycle.
    let reproduction = re_run(made).reproduction;
    let re_runs = u64::from(designs.load(Ordering::Relaxed)) - 1;
    assert!(re_runs > 1, "{re_runs}");
    assert_eq!(
        reproduction,
        Reproduction::Different {
            instead: Some(FAULT - 7 * re_runs)
        }
    );
}

/// A window has 50 cycles before the divergent one, and 10 after it.
#[test]
fn window_of_a_re_run() {
    let window = re_run(|| {
        design(|cycle, output| {
            if cycle == FAULT {
                flip(output)
            }
        })
    })
    .window;
    assert_eq!((window.first, window.cycles.len()), (FAULT - 50, 61));
    let at = window.at(FAULT).expect("the divergent cycle");
    assert_eq!(at.record.cycle, FAULT);
    assert_eq!(at.expected.increment[2] ^ at.rtl.increment[2], 1);
    assert_eq!(window.model.cycle(), FAULT);
    assert!(window.vcd.is_err_and(|why| why.contains("no waveform")));
}
