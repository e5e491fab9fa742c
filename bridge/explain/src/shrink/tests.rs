//! Shrinking on the model as a design, with faults of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pmu_model::{AccessKind, CycleInput, CycleOutput, Implementation, SysReg};
use tempfile::TempDir;

use super::*;
use lockstep_engine::dut::{BATCH, Dut, ModelledDut};
use lockstep_stimulus::{ContractCheck, Generator, Profile, Reader, Writer};

/// A fault that remembers nothing.
type Fault = fn(&CycleInput, &mut CycleOutput);

fn design(fault: Fault) -> Box<dyn Dut> {
    let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
        fault(input, output);
        Ok(())
    };
    let made = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
    Box::new(made.expect("a design"))
}

/// A fault that remembers what was before.
type Remembering = Box<dyn FnMut(&CycleInput, &mut CycleOutput) + Send>;

/// A recorded stimulus of the default profile.
fn recorded(folder: &TempDir, cycles: usize) -> Reader {
    let implementation = Implementation::default();
    let mut generator = Generator::new(1, &implementation, &Profile::default()).expect("stimulus");
    let mut inputs = vec![CycleInput::default(); cycles];
    generator.fill(&mut inputs);
    let path = folder.path().join("a.stim");
    let mut writer = Writer::create(&path, &implementation, None).expect("a file");
    writer.append(&inputs).expect("written");
    writer.finish().expect("written");
    Reader::open(&path).expect("stimulus")
}

fn shrunk_of(make: Make<'_>, cycles: usize, watch: &Watch) -> Result<Reduced, ShrinkError> {
    let folder = TempDir::new().expect("a folder");
    let reader = recorded(&folder, cycles);
    let implementation = Implementation::default();
    let mut bench = Bench::new(&implementation, make).expect("legal");
    let stretch = failing_stretch(&mut bench, &reader, watch)?;
    let field = &stretch.failing.field;
    let reduced = shrink(&mut bench, &implementation, stretch.cycles, field, watch)?;
    let mut contract = ContractCheck::new(&implementation);
    assert_eq!(contract.check(&reduced.cycles), Ok(()));
    Ok(reduced)
}

/// A fault at EL2: what is left drives a PE that can be there.
#[test]
fn dut_82_what_goes_with_a_state_stays() {
    let fault: Fault = |input, output| {
        let driven = input.driven & CycleInput::DRIVEN_PE != 0 && !input.is_reset();
        if driven && input.threads[0].level() == 2 && output.access_outcome == 1 {
            output.access_data ^= 1;
        }
    };
    let make = move || Ok(design(fault));
    let reduced = shrunk_of(Box::new(make), 20_000, &Watch::default()).expect("it fails");
    let last = reduced.cycles[reduced.failing.cycle];
    let level = last.threads[0].level();
    assert_eq!((level, last.controls), (2, 1), "{last:#?}");
}

/// V\[3\] is off by one if event 5 is at least 100 and counter 3 counts.
fn off_by_one(input: &CycleInput, output: &mut CycleOutput) {
    if output.increment[3] > 0 && input.event[5] >= 100 {
        output.increment[3] -= 1;
    }
}

#[test]
fn what_a_fault_needs_is_left() {
    let make = || Ok(design(off_by_one));
    let reduced = shrunk_of(Box::new(make), 20_000, &Watch::default()).expect("it fails");
    assert!(reduced.minimal);
    assert_eq!(reduced.failing.field, "V[3]");
    assert_eq!(reduced.failing.cycle, reduced.cycles.len() - 1);
    assert!(reduced.cycles[0].is_reset());
    // PMEVTYPER3_EL0 unless event 0 will do, PMCNTENSET_EL0 and PMCR_EL0.
    assert!(reduced.writes() <= 3, "{:#?}", reduced.cycles);
    assert!(reduced.cycles.len() <= 5, "{:#?}", reduced.cycles);
    let last = reduced.cycles[reduced.failing.cycle];
    assert_eq!(last.event[5], 100);
    let driven = last.event.iter().filter(|&&value| value != 0).count();
    assert!(driven <= 2, "{last:?}");
    assert_eq!(last.threads, [Default::default(); 4]);
    assert_eq!(
        (last.controls, last.driven, last.counting_allowed),
        (0, 0, u32::MAX)
    );
}

#[test]
fn nothing_can_be_taken_away_from_the_result() {
    let make = || Ok(design(off_by_one));
    let reduced = shrunk_of(Box::new(make), 20_000, &Watch::default()).expect("it fails");
    let implementation = Implementation::default();
    let mut bench = Bench::new(&implementation, Box::new(make)).expect("legal");
    let mut fails = |cycles: &[CycleInput]| {
        let ran = bench.fresh(cycles).expect("a design").expect("no stop");
        ran.is_some_and(|failing| failing.field == "V[3]")
    };
    assert!(fails(&reduced.cycles));
    for k in 1..reduced.cycles.len() {
        let mut fewer = reduced.cycles.clone();
        fewer.remove(k);
        assert!(!fails(&fewer), "without cycle {k}");
        let mut quiet = reduced.cycles.clone();
        if quiet[k].access_kind != AccessKind::None as u8 {
            quiet[k].access_kind = AccessKind::None as u8;
            assert!(!fails(&quiet), "without the access of cycle {k}");
        }
    }
}

#[test]
fn the_field_stays_the_same() {
    // A second fault, which the reduction could slip to.
    let fault: Fault = |input, output| {
        off_by_one(input, output);
        if input.event[7] > 3 && output.increment[4] > 0 {
            output.increment[4] += 1;
        }
    };
    let make = move || Ok(design(fault));
    let folder = TempDir::new().expect("a folder");
    let reader = recorded(&folder, 20_000);
    let implementation = Implementation::default();
    let mut bench = Bench::new(&implementation, Box::new(make)).expect("legal");
    let stretch = failing_stretch(&mut bench, &reader, &Watch::default()).expect("it fails");
    let field = stretch.failing.field.clone();
    let cycles = stretch.cycles;
    let reduced = shrink(
        &mut bench,
        &implementation,
        cycles,
        &field,
        &Watch::default(),
    );
    assert_eq!(reduced.expect("it fails").failing.field, field);
}

#[test]
fn what_is_known_stays_known() {
    // The count of selected operations is wrong: UNKNOWN, and not compared, with INTERVAL zero (DUT-62).
    let fault: Fault = |_, output| output.selected += output.selected.min(1);
    let make = move || Ok(design(fault));
    let reduced = shrunk_of(Box::new(make), 20_000, &Watch::default()).expect("it fails");
    assert_eq!(reduced.failing.field, "operations selected");
    assert!(!reduced.failing.unknown.spe);
    let written = SysReg::Pmsirr.address();
    let interval = reduced
        .cycles
        .iter()
        .find(|input| input.access_address == written);
    assert!(interval.is_some_and(|input| input.access_data >> 8 != 0));
    // A write of PMSICR_EL1 stands for an interval of 257 operations.
    assert!(reduced.cycles.len() <= 6, "{:#?}", reduced.cycles);
}

#[test]
fn a_stimulus_that_agrees_is_refused() {
    let make = || Ok(design(|_, _| {}));
    let refused = shrunk_of(Box::new(make), 5000, &Watch::default());
    assert!(
        matches!(refused, Err(ShrinkError::Agrees { cycles: 5000 })),
        "{refused:?}"
    );
}

#[test]
fn a_design_that_remembers_more_than_its_inputs_is_refused() {
    // Only the first design has the fault.
    let made = AtomicU64::new(0);
    let make = || {
        let first = made.fetch_add(1, Ordering::Relaxed) == 0;
        Ok(design(if first { off_by_one } else { |_, _| {} }))
    };
    let refused = shrunk_of(Box::new(make), 20_000, &Watch::default());
    assert!(
        matches!(refused, Err(ShrinkError::NotReproduced { .. })),
        "{refused:?}"
    );
}

/// A fault that a reset does not clear: it needs what was before the last one.
#[test]
fn state_older_than_the_last_reset_is_kept() {
    let make = || {
        let mut armed = false;
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            let is_write = input.access_kind == AccessKind::Write as u8;
            let to = |register: SysReg| is_write && input.access_address == register.address();
            // What goes before every run disarms it, as it clears flags.
            armed &= !(to(SysReg::Pmovsclr) && input.access_data == u64::MAX);
            armed |= to(SysReg::Pmovsset);
            if input.is_reset() && armed {
                output.access_data = 1;
            }
            Ok(())
        };
        let made = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
        Ok(Box::new(made.expect("a design")) as Box<dyn Dut>)
    };
    let reduced = shrunk_of(Box::new(make), 40_000, &Watch::default()).expect("it fails");
    let [first, armed, last] = reduced.cycles[..] else {
        panic!("{:#?}", reduced.cycles)
    };
    assert!(first.is_reset() && last.is_reset());
    assert_eq!(armed.access_address, SysReg::Pmovsset.address());
    assert!(reduced.minimal);
}

#[test]
fn an_interrupted_reduction_keeps_the_best_so_far() {
    let watch = Watch::default();
    let interrupted = Arc::clone(&watch.interrupted);
    let made = AtomicU64::new(0);
    let make = || {
        // Every attempt that succeeds is confirmed on a new design.
        interrupted.fetch_or(made.fetch_add(1, Ordering::Relaxed) == 5, Ordering::Relaxed);
        Ok(design(off_by_one))
    };
    let reduced = shrunk_of(Box::new(make), 20_000, &watch).expect("it fails");
    assert!(!reduced.minimal);
    let mut bench = Bench::new(
        &Implementation::default(),
        Box::new(|| Ok(design(off_by_one))),
    );
    let bench = bench.as_mut().expect("legal");
    let ran = bench
        .fresh(&reduced.cycles)
        .expect("a design")
        .expect("no stop");
    assert_eq!(ran.map(|failing| failing.field).as_deref(), Some("V[3]"));
}

#[test]
fn a_run_ends_when_there_is_no_more_time() {
    let watch = Watch::default();
    let ran = Arc::new(AtomicU64::new(0));
    let make = || {
        let (over, ran) = (Arc::clone(&watch.interrupted), Arc::clone(&ran));
        let fault = move |_, _: &CycleInput, _: &mut CycleOutput| {
            over.store(true, Ordering::Relaxed);
            ran.fetch_add(1, Ordering::Relaxed);
            Ok(())
        };
        let made = ModelledDut::with_fault(&Implementation::default(), Box::new(fault));
        Ok(Box::new(made.expect("a design")) as Box<dyn Dut>)
    };
    let mut bench = Bench::new(&Implementation::default(), Box::new(make)).expect("legal");
    bench.end_with(&watch.interrupted);
    let ended = bench.run(&vec![CycleInput::reset(); 8 * BATCH]);
    assert!(matches!(ended, Err(ShrinkError::Interrupted)), "{ended:?}");
    assert_eq!(ran.load(Ordering::Relaxed), BATCH as u64);
}

/// Shrinks cycles that fail in `field` on a design with `fault`.
fn shrunk_from(cycles: &[CycleInput], field: &str, fault: fn() -> Remembering) -> Reduced {
    let implementation = Implementation::default();
    let make = move || {
        let mut fault = fault();
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            fault(input, output);
            Ok(())
        };
        let made = ModelledDut::with_fault(&implementation, Box::new(fault));
        Ok(Box::new(made.expect("a design")) as Box<dyn Dut>)
    };
    let implementation = Implementation::default();
    let mut bench = Bench::new(&implementation, Box::new(make)).expect("legal");
    let watch = Watch::default();
    shrink(&mut bench, &implementation, cycles.to_vec(), field, &watch).expect("it fails")
}

#[test]
fn writes_that_only_undo_each_other_go_together() {
    let cycles = [
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmselr, 1),
        CycleInput::write(SysReg::Pmcr, 1),
        CycleInput::write(SysReg::Pmselr, 2),
        CycleInput::read(SysReg::Pmcntenset),
    ];
    let fault = || {
        let (mut odd, mut armed) = (false, false);
        let fault = move |input: &CycleInput, output: &mut CycleOutput| {
            let is = |register: SysReg| input.access_address == register.address();
            let writes = |register| input.access_kind == AccessKind::Write as u8 && is(register);
            if input.is_reset() {
                (odd, armed) = (false, false);
            }
            odd ^= writes(SysReg::Pmselr);
            armed |= writes(SysReg::Pmcr) && input.access_data == 1;
            if is(SysReg::Pmcntenset) && input.access_kind == AccessKind::Read as u8 {
                output.access_data ^= u64::from(armed && !odd);
            }
        };
        Box::new(fault) as Remembering
    };
    let reduced = shrunk_from(&cycles, "PMCNTENSET_EL0", fault);
    assert_eq!(reduced.writes(), 1, "{:#?}", reduced.cycles);
}

#[test]
fn two_writes_of_a_register_become_one() {
    let cycles = [
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmcntenset, 1),
        CycleInput::write(SysReg::Pmcntenset, 2),
        CycleInput::read(SysReg::Pmcntenset),
    ];
    let fault = || {
        let fault = |input: &CycleInput, output: &mut CycleOutput| {
            let reads = input.access_kind == AccessKind::Read as u8;
            output.access_data ^= 4 * u64::from(reads && output.access_data & 3 == 3);
        };
        Box::new(fault) as Remembering
    };
    let reduced = shrunk_from(&cycles, "PMCNTENSET_EL0", fault);
    assert_eq!(reduced.writes(), 1, "{:#?}", reduced.cycles);
    assert_eq!(reduced.cycles[1].access_data, 3);
}

#[test]
fn five_selections_need_no_more_than_five_writes() {
    let sampled = |input: CycleInput| CycleInput {
        operations: 15,
        profiling: CycleInput::PROFILING_ENABLED,
        ..input
    };
    let mut cycles = vec![
        CycleInput::reset(),
        CycleInput::write(SysReg::Pmsirr, 0x100),
    ];
    cycles.resize(2 + 5 * 18, sampled(CycleInput::default()));
    let fault = || {
        let mut selected = 0;
        let fault = move |input: &CycleInput, output: &mut CycleOutput| {
            let before = if input.is_reset() { 0 } else { selected };
            selected = before + u32::from(output.selected);
            output.in_flight += u8::from(before < 5 && selected >= 5);
        };
        Box::new(fault) as Remembering
    };
    let reduced = shrunk_from(&cycles, "samples in flight", fault);
    assert!(reduced.writes() <= MANY, "{:#?}", reduced.cycles);
    assert!(reduced.cycles.len() <= LONG, "{:#?}", reduced.cycles);
}

/// A fault that shows after some time, whatever is driven: that is told by cycles at rest, and in few runs.
#[test]
fn what_needs_time_alone_is_left_at_rest() {
    let implementation = Implementation::default();
    let mut generator = Generator::new(1, &implementation, &Profile::default()).expect("stimulus");
    let mut cycles = vec![CycleInput::default(); 20_000];
    generator.fill(&mut cycles);
    let fault = || {
        let mut age = 0;
        let fault = move |_: &CycleInput, output: &mut CycleOutput| {
            age += 1;
            output.increment[3] ^= u16::from(age > 15_000);
        };
        Box::new(fault) as Remembering
    };
    let reduced = shrunk_from(&cycles, "V[3]", fault);
    // A run washes what the one before left, which takes some cycles.
    assert!((14_990..=15_001).contains(&reduced.cycles.len()));
    let quiet =
        |input: &CycleInput| input.access_kind == 0 && input.event.iter().all(|it| *it == 0);
    assert!(reduced.cycles[1..].iter().all(quiet));
    assert!(reduced.trials < 200, "{}", reduced.trials);
}
