//! Reports of a wrong output of every kind, from a design made of the model: that each is explained, in golden files.

use std::path::Path;

use pmu_lockstep::diagnosis::replay::{Replay, Reproduction, replay};
use pmu_lockstep::dut::{Dut, ModelledDut};
use pmu_lockstep::hypotheses::Recording;
use pmu_lockstep::lockstep::compare::Divergence;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::report::{RunFacts, report, terminal};
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::wrapper::Increments;
use pmu_model::{CycleInput, CycleOutput, Implementation, Number, SysReg};

use crate::driven::{cycles, run_over};

/// A report is read on one screen.
const LINES: usize = 60;

/// The report of a design that shows something else in the first cycle, after a while, that `when` picks by its
/// input and what should be shown.
fn explained(
    name: &str,
    implementation: &Implementation,
    when: impl Fn(&CycleInput, &CycleOutput) -> bool,
    change: fn(&mut CycleOutput),
) {
    let inputs = cycles(implementation);
    explained_over(name, implementation, inputs, 5000, when, change);
}

/// The same over `inputs`, in the first cycle from cycle `from` on.
fn explained_over(
    name: &str,
    implementation: &Implementation,
    inputs: Vec<CycleInput>,
    from: usize,
    when: impl Fn(&CycleInput, &CycleOutput) -> bool,
    change: fn(&mut CycleOutput),
) {
    let (run, divergence, replay) = diverged(name, implementation, inputs, from, when, change);
    reported(name, implementation, &run, &divergence, &replay);
}

/// The run and the re-run.
fn diverged(
    name: &str,
    implementation: &Implementation,
    inputs: Vec<CycleInput>,
    from: usize,
    when: impl Fn(&CycleInput, &CycleOutput) -> bool,
    change: fn(&mut CycleOutput),
) -> (Lockstep, Box<Divergence>, Replay) {
    let mut right = ModelledDut::new(implementation).expect("a design");
    let mut outputs = vec![CycleOutput::default(); inputs.len()];
    right.run(&inputs, &mut outputs).expect("it does not stop");
    let at = (from..inputs.len()).find(|&cycle| when(&inputs[cycle], &outputs[cycle]));
    let at = at.expect("the stimulus has such a cycle");
    let wrong = inputs[at];
    let made = || -> Box<dyn Dut> {
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            if *input == wrong {
                change(output);
            }
            Ok(())
        };
        Box::new(ModelledDut::with_fault(implementation, Box::new(fault)).expect("a design"))
    };
    let (run, outcome) = run_over(implementation, made(), 1, name, &inputs);
    let Outcome::Diverged(divergence) = outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(divergence.cycle, at as u64);
    let replay = replay(&run, &divergence, &mut || Ok(made()), Path::new("none.vcd"));
    let replay = replay.expect("a re-run");
    assert!(matches!(replay.reproduction, Reproduction::Same { .. }));
    (run, divergence, replay)
}

/// The report, against its golden file.
fn reported(
    name: &str,
    implementation: &Implementation,
    run: &Lockstep,
    divergence: &Divergence,
    replay: &Replay,
) {
    let facts = RunFacts {
        seed: None,
        stimulus: "everything driven".into(),
        implementation: implementation.name.clone(),
        rtl: "model".into(),
        replay: "none".into(),
    };
    let report = report(
        divergence,
        replay,
        implementation,
        run.ledger(),
        facts,
        Vec::new(),
    );
    assert!(
        !report.explanation.derivation.is_empty(),
        "{name}: {report:#?}"
    );
    let text =
        anstream::adapter::strip_str(&terminal::text(&report, terminal::UNLIMITED)).to_string();
    assert!(text.lines().count() <= LINES, "{text}");
    // How many there are changes with every one that is added.
    let number = format!("none of {} hypotheses", report.hypotheses.tested);
    let text = text.replace(&number, "none of the hypotheses");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("explained_{name}"), text));
}

fn explained_by_default(
    name: &str,
    when: impl Fn(&CycleInput, &CycleOutput) -> bool,
    change: fn(&mut CycleOutput),
) {
    explained(name, &Implementation::default(), when, change);
}

/// Whether the cycle reads what `register` names, and gets it.
fn reads(register: SysReg) -> impl Fn(&CycleInput, &CycleOutput) -> bool {
    move |input, output| {
        let is_read = input.access_kind == 1 && output.access_outcome == 1;
        is_read && input.access_address == register.address()
    }
}

#[test]
fn selection_by_the_secondary_counter() {
    explained_by_default(
        "selection",
        |_, output| output.selected == 1 && output.random_drawn == 0 && output.collided == 0,
        |output| {
            output.selected = 0;
            output.first_selected = 0;
        },
    );
}

#[test]
fn selection_without_ernd() {
    let mut implementation = Implementation::default();
    implementation.spe.ernd = false;
    explained(
        "selection_without_ernd",
        &implementation,
        |_, output| output.selected == 1 && output.first_selected > 1,
        |output| output.first_selected -= 1,
    );
}

#[test]
fn byte_that_is_not_drawn() {
    explained_by_default(
        "draw",
        |_, output| output.random_drawn == 1 && output.random_byte != 0,
        |output| {
            output.random_drawn = 0;
            output.random_byte = 0;
        },
    );
}

#[test]
fn collision() {
    explained_by_default(
        "collision",
        |_, output| output.collided == 1,
        |output| {
            output.collided = 0;
            output.coll = 0;
        },
    );
}

#[test]
fn samples_in_flight() {
    explained_by_default(
        "in_flight",
        |input, output| input.complete == 1 && output.in_flight == 1,
        |output| output.in_flight = 2,
    );
}

#[test]
fn interval_counters() {
    explained_by_default(
        "pmsicr",
        |input, _| input.operations > 3 && input.profiling & 1 == 1 && input.clock_stopped == 0,
        |output| output.pmsicr ^= 1,
    );
}

#[test]
fn interval_counters_that_are_read() {
    explained_by_default("read_of_pmsicr", reads(SysReg::Pmsicr), |output| {
        output.access_data ^= 0x40;
    });
}

#[test]
fn buffer_status_that_is_read() {
    explained_by_default(
        "read_of_pmbsr",
        reads(SysReg::Pmbsr(Number::at::<2>())),
        |output| {
            output.access_data ^= 1 << 16;
        },
    );
}

#[test]
fn register_of_a_system_pmu() {
    explained_by_default("read_of_spmcfgr", reads(SysReg::Spmcfgr), |output| {
        output.access_data ^= 1 << 19;
    });
}

#[test]
fn counter_of_a_system_pmu() {
    let reads = reads(SysReg::Spmevtyper(Number::at::<3>()));
    explained_by_default(
        "read_of_spmevtyper",
        move |input, output| reads(input, output) && output.access_data != 0,
        |output| output.access_data ^= 1,
    );
}

#[test]
fn half_of_a_register() {
    explained_by_default(
        "external_read",
        |input, output| {
            input.access_kind == 5 && output.access_data != 0 && input.access_address >= 0xA00
        },
        |output| output.access_data ^= 1 << 22,
    );
}

#[test]
fn trap_of_an_access() {
    explained_by_default(
        "trap",
        |input, output| input.access_kind == 1 && output.access_outcome == 4,
        |output| {
            output.access_outcome = 1;
            output.trap_iss = 0;
        },
    );
}

#[test]
fn undefined_access_of_a_system_pmu() {
    explained_by_default(
        "outcome_of_a_system_pmu",
        |input, output| {
            input.access_kind == 1
                && input.access_address == SysReg::Spmiidr.address()
                && output.access_outcome == 5
        },
        |output| output.access_outcome = 4,
    );
}

#[test]
fn syndrome() {
    explained_by_default(
        "syndrome",
        |input, output| input.access_kind == 2 && output.access_outcome == 3,
        |output| output.trap_iss ^= 1 << 5 | 1,
    );
}

/// Of the counters that count.
fn counts(n: usize) -> impl Fn(&CycleInput, &CycleOutput) -> bool {
    move |input, output| input.driven == 3 && output.increment[n] > 0
}

#[test]
fn increments_of_every_counter() {
    let implementation = Implementation::default();
    for n in [1, 8, CYCLE_COUNTER] {
        let change: fn(&mut CycleOutput) = match n {
            1 => |output| output.increment[1] = 0,
            8 => |output| output.increment[8] = 0,
            _ => |output| output.increment[CYCLE_COUNTER] = 0,
        };
        explained(
            &format!("increment_{n}"),
            &implementation,
            counts(n),
            change,
        );
    }
}

#[test]
fn clock_that_is_stopped() {
    explained_by_default(
        "clock_stopped",
        |input, _| input.clock_stopped == 1 && input.reset == 0,
        |output| output.increment[0] = 1,
    );
}

/// Counter 3 counts event 1, which is 5 in every tenth cycle, from 2^32 - 12 on: it overflows in cycle 26. `before` is
/// accessed in cycle 10, `then` in cycle 27, and `read` in cycle 600.
fn an_overflow_long_ago(before: CycleInput, then: CycleInput, read: SysReg) -> Vec<CycleInput> {
    let setup = [
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmevtyper(Number::at::<3>()), 1),
        CycleInput::write(SysReg::Pmevcntr(Number::at::<3>()), 0xFFFF_FFF4),
        CycleInput::write(SysReg::Pmcntenset, 1 << 3),
        CycleInput::write(SysReg::Pmcr, 1),
    ];
    (0..700)
        .map(|cycle| {
            let mut input = match cycle {
                10 => before,
                27 => then,
                600 => CycleInput::read(read),
                _ => setup.get(cycle).copied().unwrap_or(CycleInput {
                    counting_allowed: u32::MAX,
                    ..CycleInput::default()
                }),
            };
            if cycle % 10 == 6 && cycle < 500 {
                input.event[1] = 5;
            }
            input
        })
        .collect()
}

/// The form of a design whose counters are compared when they are read.
fn hidden() -> Implementation {
    let mut implementation = Implementation::default();
    implementation.wrapper.increments = Increments::Hidden;
    implementation
}

#[test]
fn dut_22_overflow_before_the_window() {
    let nothing = CycleInput::write(SysReg::Pmselr, 0);
    let flags = CycleInput::read(SysReg::Pmovsclr);
    let clears = CycleInput::write(SysReg::Pmovsclr, 1 << 3);
    for (name, before, then) in [
        ("flag_before_the_window", flags, nothing),
        ("flag_never_read", nothing, nothing),
        ("flag_cleared_before_the_window", nothing, clears),
        ("flag_without_overflow", nothing, flags),
    ] {
        explained_over(
            name,
            &hidden(),
            an_overflow_long_ago(before, then, SysReg::Pmovsset),
            0,
            reads(SysReg::Pmovsset),
            |output| output.access_data ^= 1 << 3,
        );
    }
}

#[test]
fn dut_71_counter_that_went_wrong_before_the_window() {
    let nothing = CycleInput::write(SysReg::Pmselr, 0);
    // By PMXEVCNTR_EL0, which names counter 0 and no more: another counter that agrees says nothing.
    let other = CycleInput::read(SysReg::Pmxevcntr);
    for (name, before) in [
        ("counter_never_read", nothing),
        ("counter_read_elsewhere", other),
    ] {
        explained_over(
            name,
            &hidden(),
            an_overflow_long_ago(before, nothing, SysReg::Pmevcntr(Number::at::<3>())),
            0,
            reads(SysReg::Pmevcntr(Number::at::<3>())),
            |output| output.access_data += 2,
        );
    }
    let selected = CycleInput::write(SysReg::Pmselr, 3);
    let mut inputs = an_overflow_long_ago(selected, nothing, SysReg::Pmevcntr(Number::at::<3>()));
    inputs[17].access_kind = CycleInput::read(SysReg::Pmxevcntr).access_kind;
    inputs[17].access_address = SysReg::Pmxevcntr.address();
    explained_over(
        "counter_read_before_the_window",
        &hidden(),
        inputs,
        0,
        reads(SysReg::Pmevcntr(Number::at::<3>())),
        |output| output.access_data += 2,
    );
}

/// Where the last reset is too far away, the window is all that there is.
#[test]
fn overflow_in_a_run_that_is_not_recorded() {
    let nothing = CycleInput::write(SysReg::Pmselr, 0);
    for (name, at) in [("flag_in_the_window", 60), ("flag_out_of_sight", 600)] {
        let mut inputs = an_overflow_long_ago(nothing, nothing, SysReg::Pmovsset);
        inputs[at] = CycleInput::read(SysReg::Pmovsset);
        let (run, divergence, mut replay) = diverged(
            name,
            &hidden(),
            inputs,
            0,
            reads(SysReg::Pmovsset),
            |output| output.access_data ^= 1 << 3,
        );
        replay.recording = Recording::default();
        reported(name, &hidden(), &run, &divergence, &replay);
    }
}
