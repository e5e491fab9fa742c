//! Hypotheses on designs of which the mistake is known.

use pmu_model::implementation::CpWhenNotCounting;
use pmu_model::plain::{Around, At, Before, Broken, Mutation, Site, When};
use pmu_model::{CycleInput, CycleOutput, Implementation, Model};

use super::bench::run_model;
use super::inputs::{Group, Inputs};
use super::trial::Tested;
use super::*;
use lockstep_engine::dut::{Dut, ModelledDut};
use lockstep_engine::lockstep::compare::first_difference;
use lockstep_engine::lockstep::delay::Latency;
use lockstep_stimulus::{Generator, Profile};

/// The cycles of the default profile, and what a design of the model for `implementation` does.
fn recording_of(implementation: &Implementation, seed: u64, cycles: usize) -> Recording {
    let generated = Implementation::default();
    let mut generator = Generator::new(seed, &generated, &Profile::default()).expect("stimulus");
    let mut inputs = vec![CycleInput::default(); cycles];
    generator.fill(&mut inputs);
    let mut dut = ModelledDut::new(implementation).expect("a design");
    let mut rtl = vec![CycleOutput::default(); cycles];
    dut.run(&inputs, &mut rtl).expect("no stop");
    Recording {
        inputs,
        rtl,
        divergent: cycles,
        ..Recording::default()
    }
}

/// Puts the first divergence from the model into a recording.
fn diverging(recording: Recording) -> Recording {
    shown(recording).expect("the mistake shows")
}

/// The same, if there is one.
fn shown(mut recording: Recording) -> Option<Recording> {
    let implementation = Implementation::default();
    let random = recording.stretch(0).random().expect("cycles");
    let model = Model::new(&implementation).expect("legal");
    let (expected, unknown) = run_model(model, &recording.inputs, &random);
    recording.divergent = first_difference(&expected, &unknown, &recording.rtl)?;
    Some(recording)
}

/// A recording of the contract with a mistake.
fn mistaken(mistake: Mistake, cycles: usize) -> Recording {
    mistaken_with(mistake, 1, cycles)
}

/// The same on the stimulus of a seed.
fn mistaken_with(mistake: Mistake, seed: u64, cycles: usize) -> Recording {
    diverging(mistaken_run(mistake, seed, cycles))
}

/// The same, whether or not it shows.
fn mistaken_run(mistake: Mistake, seed: u64, cycles: usize) -> Recording {
    let implementation = Implementation::default();
    let mut recording = recording_of(&implementation, seed, cycles);
    let mut varied = Varied::new(&implementation, mistake).expect("legal");
    let random = recording.stretch(0).random().expect("cycles");
    for (k, input) in recording.inputs.iter().enumerate() {
        recording.rtl[k] = varied.step(input, random[k]);
    }
    recording
}

#[test]
fn without_a_mistake_the_contract_is_the_model() {
    let implementation = Implementation::default();
    for seed in 1..4 {
        let recording = recording_of(&implementation, seed, 30_000);
        let random = recording.stretch(0).random().expect("cycles");
        let model = Model::new(&implementation).expect("legal");
        let (expected, unknown) = run_model(model, &recording.inputs, &random);
        let mut varied = Varied::new(&implementation, Mistake::None).expect("legal");
        for (k, input) in recording.inputs.iter().enumerate() {
            let output = varied.step(input, random[k]);
            let differs = first_difference(&expected[k..=k], &unknown[k..=k], &[output]);
            assert_eq!(differs, None, "seed {seed}, cycle {k}");
        }
    }
}

#[test]
fn a_mistake_is_found_and_no_other() {
    let mistakes: [Mistake; 6] = [
        datapath::Datapath::LinkBase.into(),
        counters::Counters::CarryLost.into(),
        filters::Filters::VsSwapped.into(),
        threads::Threads::AnyStall.into(),
        access::Access::PmuacrIgnored(true).into(),
        timing::Timing::WriteLate.into(),
    ];
    for mistake in mistakes {
        let found = test(&mistaken(mistake, 40_000), &Implementation::default());
        let texts: Vec<_> = found
            .explaining
            .iter()
            .map(|found| found.text.clone())
            .collect();
        assert_eq!(texts, [mistake.to_string()]);
        let explaining = &found.explaining[0];
        assert!(explaining.differing > 0 && explaining.explained == found.compared);
    }
}

/// What explains every cycle of a divergence, and not what the design does on other stimulus, is not said to be why.
#[test]
fn other_stimulus_refutes_what_explains_a_divergence() {
    let implementation = Implementation::default();
    let one: Mistake = datapath::Datapath::LinkBase.into();
    let another: Mistake = counters::Counters::CarryLost.into();
    let mut recording = mistaken(one, 40_000);
    let on_other = |mistake| {
        let mut recording = mistaken_run(mistake, 2, 40_000);
        recording.align(Latency::default());
        Some(Box::new(Elsewhere { seed: 2, recording }))
    };
    recording.elsewhere = on_other(one);
    let found = test(&recording, &implementation);
    assert_eq!(found.brief(), one.to_string());
    assert_eq!((found.elsewhere, &found.refuted), (40_000, &None));
    let line = found.lines().pop().expect("a line");
    assert!(
        line.ends_with(", and all 40000 of other stimulus"),
        "{line}"
    );

    recording.elsewhere = on_other(another);
    let found = test(&recording, &implementation);
    assert_eq!((found.explaining.len(), found.elsewhere), (0, 0));
    let refuted = found.refuted.as_ref().expect("one comes near");
    assert_eq!((&refuted.text, refuted.seed), (&one.to_string(), 2));
    let lines = found.lines();
    assert!(
        lines[0].ends_with(" on, and other stimulus, too"),
        "{lines:?}"
    );
    assert!(lines[1].contains("of seed 2"), "{lines:?}");
}

/// Mistakes that few cycles show: others may do the same in them.
#[test]
fn a_rare_mistake_is_among_what_is_found() {
    use counters::{Counters, Kept};
    use indices::Indices;
    let mistakes: [Mistake; 12] = [
        Counters::NotReset(Kept::Select).into(),
        Counters::NotReset(Kept::Enables).into(),
        Counters::NotReset(Kept::Types).into(),
        Counters::NotReset(Kept::System).into(),
        Counters::EventResetByC.into(),
        Counters::CycleResetByP.into(),
        Counters::ResetsSwapped.into(),
        Counters::UpperReadsNext.into(),
        Indices::LinkStoredOnEven.into(),
        Indices::TypeUpperLost.into(),
        Indices::TypeUpperReadsZero.into(),
        system::System::CounterMissing(3).into(),
    ];
    for mistake in mistakes {
        let found = test(&mistaken(mistake, 60_000), &Implementation::default());
        let texts: Vec<_> = found.explaining.iter().map(|found| &*found.text).collect();
        assert!(
            texts.contains(&&*mistake.to_string()),
            "{mistake}: {texts:?}"
        );
    }
}

/// Two that differ where a link, or CHAIN, is looked at alone.
#[test]
fn what_a_lost_overflow_and_a_late_link_do_is_told() {
    for mistake in [
        counters::Counters::ChainOfCleared.into(),
        datapath::Datapath::LinkLateWithoutClock.into(),
        datapath::Datapath::BaseBitsOf(pmu_model::pmu::event_type::Condition::Equal, 6).into(),
    ] as [Mistake; 3]
    {
        let implementation = Implementation::default();
        // Rare: not every seed shows each of them.
        let shown = (1..20).find_map(|seed| shown(mistaken_run(mistake, seed, 100_000)));
        let recording = shown.expect("a seed that shows the mistake");
        let found = test(&recording, &implementation);
        let texts: Vec<_> = found.explaining.iter().map(|found| &*found.text).collect();
        assert!(
            texts.contains(&&*mistake.to_string()),
            "{mistake}: {texts:?}"
        );
    }
}

#[test]
fn a_knob_is_named() {
    let mut implementation = Implementation::default();
    implementation.knobs.cp_when_not_counting = CpWhenNotCounting::Hold;
    let recording = diverging(recording_of(&implementation, 1, 8000));
    let found = test(&recording, &Implementation::default());
    let knobs: Vec<_> = found
        .explaining
        .iter()
        .map(|found| found.knob.as_deref())
        .collect();
    assert_eq!(knobs, [Some("cp_when_not_counting=HOLD")]);
    let line = &found.lines()[0];
    assert!(
        line.starts_with("RTL behaves as cp_when_not_counting=HOLD: explains "),
        "{line}"
    );
}

/// A recording of a design whose groups come so many cycles late, put in order as one that states `stated`.
fn late(increment: usize, access: usize, spe: usize, stated: Latency) -> Recording {
    let mut recording = recording_of(&Implementation::default(), 1, 4000);
    let punctual = recording.rtl.clone();
    let at = |k: usize, late: usize| {
        k.checked_sub(late)
            .map_or_else(CycleOutput::default, |k| punctual[k])
    };
    for (k, output) in recording.rtl.iter_mut().enumerate() {
        let accessed = at(k, access);
        *output = CycleOutput {
            increment: at(k, increment).increment,
            access_data: accessed.access_data,
            access_outcome: accessed.access_outcome,
            trap_iss: accessed.trap_iss,
            ..at(k, spe)
        };
    }
    recording.align(stated);
    diverging(recording)
}

/// The one hypothesis that explains a recording.
fn only(recording: &Recording) -> Hypothesis {
    let mut found = test(recording, &Implementation::default());
    assert_eq!(found.explaining.len(), 1, "{found:?}");
    found.explaining.remove(0)
}

/// DUT-02: outputs that come later than stated are the model's own, shifted.
#[test]
fn dut_02_a_latency_that_is_stated_too_short_is_told() {
    let found = only(&late(1, 0, 0, Latency::default()));
    assert_eq!(
        found.text,
        "increments come 1 cycle late: they fit a latency of 1, the design states 0 (latency_increment of parameters_o)"
    );
    assert_eq!(found.explained + 1, found.compared);
    let stated = Latency {
        access: 2,
        ..Latency::default()
    };
    let found = only(&late(0, 5, 0, stated));
    assert_eq!(
        found.text,
        "data and outcome of accesses come 3 cycles late: they fit a latency of 5, the design states 2 (latency_access \
         of parameters_o)"
    );
}

#[test]
fn dut_02_a_latency_that_is_stated_too_long_is_told() {
    let stated = Latency {
        increment: 2,
        ..Latency::default()
    };
    let mut recording = late(1, 0, 0, stated);
    let found = only(&recording);
    assert_eq!(
        found.text,
        "increments come 1 cycle early: they fit a latency of 1, the design states 2 (latency_increment of parameters_o)"
    );
    // The last cycle has none after it.
    assert_eq!(found.explained + 1, found.compared);
    recording.from_map = true;
    assert!(
        only(&recording)
            .text
            .ends_with(", the map states 2 (increment of [latency])")
    );
    // Before the edge of the cycle itself.
    recording.stated = Latency::default();
    recording.from_map = false;
    assert_eq!(
        only(&recording).text,
        "increments come 1 cycle early: the design states 0 (latency_increment of parameters_o)"
    );
}

/// The random bytes are shown late as well, so that the model must have them early.
#[test]
fn dut_02_all_latencies_may_be_wrong_at_once() {
    let found = only(&late(2, 1, 2, Latency::default()));
    assert_eq!(
        found.text,
        "increments come 2 cycles late: they fit a latency of 2, the design states 0 (latency_increment of \
         parameters_o); data and outcome of accesses come 1 cycle late: they fit a latency of 1, the design states 0 \
         (latency_access of parameters_o); the outputs of sampling come 2 cycles late: they fit a latency of 2, the \
         design states 0 (latency_spe of parameters_o)"
    );
}

/// Each group is tested by itself, as far away as a design may state.
#[test]
fn dut_02_a_latency_that_was_not_stated_at_all_is_told() {
    let found = only(&late(3, 5, 0, Latency::default()));
    assert_eq!(
        found.text,
        "increments come 3 cycles late: they fit a latency of 3, the design states 0 (latency_increment of \
         parameters_o); data and outcome of accesses come 5 cycles late: they fit a latency of 5, the design states 0 \
         (latency_access of parameters_o)"
    );
    let stated = Latency {
        access: 16,
        ..Latency::default()
    };
    let found = only(&late(16, 0, 0, stated));
    assert!(found.text.contains("increments come 16 cycles late"));
    assert!(found.text.contains("of accesses come 16 cycles early"));
}

/// A design that gets a group of its inputs at another time.
fn shifted(shift: Inputs, cycles: usize) -> Recording {
    let implementation = Implementation::default();
    let mut recording = recording_of(&implementation, 1, cycles);
    let at = |k: usize| {
        let other = k.checked_add_signed(-shift.by()).unwrap_or(usize::MAX);
        let rest = CycleInput::default();
        let other = recording.inputs.get(other).unwrap_or(&rest);
        shift.seen(&recording.inputs[k], other)
    };
    let mut rtl = vec![CycleOutput::default(); cycles];
    let is_whole = !matches!(
        shift.group,
        Group::StateOfFilters
            | Group::StateOfAccesses
            | Group::Counting
            | Group::ClockOfCounting
            | Group::Accesses
    );
    if is_whole {
        let inputs: Vec<_> = (0..cycles).map(|k| at(k).0).collect();
        let mut dut = ModelledDut::new(&implementation).expect("a design");
        dut.run(&inputs, &mut rtl).expect("no stop");
    } else {
        let mut varied = Varied::new(&implementation, Mistake::None).expect("legal");
        for (k, output) in rtl.iter_mut().enumerate() {
            let (accessed, counted) = at(k);
            *output = varied.step_of(&accessed, &counted, (k * 37) as u8);
        }
    }
    recording.rtl = rtl;
    if shift.group == Group::Accesses {
        // The design states what the answer takes.
        let latency = Latency {
            access: shift.by().unsigned_abs(),
            ..Latency::default()
        };
        recording.align(latency);
    }
    diverging(recording)
}

#[test]
fn inputs_that_come_at_another_time_are_named() {
    let mut alone = 0;
    let shifts: Vec<_> = Inputs::all()
        .into_iter()
        .filter(|shift| [-16, -2, -1, 1, 5, 16].contains(&shift.by()))
        .collect();
    for &shift in &shifts {
        let found = test(&shifted(shift, 12_000), &Implementation::default());
        let texts: Vec<_> = found.explaining.iter().map(|found| &*found.text).collect();
        assert!(texts.contains(&&*shift.to_string()), "{shift:?}: {found:?}");
        alone += usize::from(texts.len() == 1);
    }
    assert!(
        alone * 10 >= shifts.len() * 9,
        "{alone} of {}",
        shifts.len()
    );
}

#[test]
fn the_first_cycle_of_a_mistake_that_shows_later_is_told() {
    let recording = mistaken(counters::Counters::IncrementOnWrite.into(), 12_000);
    let found = only(&recording);
    let first = found.first.expect("a write before the read") as usize;
    assert!(first < recording.divergent);
    let input = &recording.inputs[first];
    assert_eq!(input.access_kind, pmu_model::AccessKind::Write as u8);
    let found = test(&recording, &Implementation::default());
    let tells = format!(
        ", first in cycle {first}: explains {0} of {0}, {1} of which tell it from the model",
        found.compared, found.explaining[0].differing
    );
    assert!(found.lines()[0].ends_with(&tells), "{:?}", found.lines());
    // A mistake of an output alone shows when it happens.
    assert_eq!(
        only(&mistaken(datapath::Datapath::LinkBase.into(), 12_000)).first,
        None
    );
}

#[test]
fn what_explains_all_but_a_cycle_is_near_and_no_cause() {
    let mut recording = mistaken(datapath::Datapath::LinkBase.into(), 12_000);
    let other = recording.divergent + 500;
    recording.rtl[other].pmsicr ^= 1;
    let found = test(&recording, &Implementation::default());
    assert!(found.explaining.is_empty());
    let nearest = found.nearest.as_ref().expect("one comes near");
    let text = datapath::Datapath::LinkBase.to_string();
    assert_eq!((&nearest.text, nearest.miss), (&text, other as u64));
    assert_eq!(nearest.explained + 1, nearest.compared);
    assert_eq!(nearest.told + 1, nearest.telling);
    assert!(found.lines()[1].starts_with("the nearest does not explain it: "));
    // Half of the cycles that tell are not enough.
    for output in &mut recording.rtl[other..] {
        output.pmsicr ^= 1;
    }
    let found = test(&recording, &Implementation::default());
    assert!(
        found.explaining.is_empty() && found.nearest.is_none(),
        "{found:?}"
    );
}

#[test]
fn a_mistake_is_no_latency() {
    let mut recording = late(1, 0, 0, Latency::default());
    for output in &mut recording.rtl {
        output.increment[3] &= !1;
    }
    let found = test(&diverging(recording), &Implementation::default());
    assert!(found.explaining.is_empty(), "{found:?}");
}

/// The end of a minimal stimulus.
#[test]
fn a_shift_explains_nothing_of_a_last_cycle_that_it_was_not_tested_in() {
    let mut recording = mistaken(datapath::Datapath::LinkBase.into(), 6000);
    let cycles = recording.divergent + 1;
    recording.inputs.truncate(cycles);
    recording.rtl.truncate(cycles);
    let found = test(&recording, &Implementation::default());
    let texts: Vec<_> = found.explaining.iter().map(|found| &found.text).collect();
    assert!(!texts.is_empty());
    assert!(
        !texts.iter().any(|text| text.contains("latency")),
        "{texts:?}"
    );
}

#[test]
fn two_mistakes_at_once_are_explained_by_none() {
    let mut recording = mistaken(datapath::Datapath::LinkBase.into(), 6000);
    for output in &mut recording.rtl {
        output.pmsicr &= !1;
    }
    let found = test(&diverging(recording), &Implementation::default());
    assert!(found.explaining.is_empty());
    assert!(
        found.lines()[0].starts_with("none of "),
        "{:?}",
        found.lines()
    );
}

#[test]
fn a_recording_without_the_divergence_is_not_tested() {
    let recording = recording_of(&Implementation::default(), 1, 100);
    let found = test(&recording, &Implementation::default());
    let why = found.untested.expect("no test");
    assert_eq!(why, "the recorded cycles do not show the divergence");
    let empty = test(&Recording::default(), &Implementation::default());
    assert!(empty.untested.is_some() && empty.explaining.is_empty());
}

#[test]
fn knobs_are_each_another_legal_implementation() {
    let implementation = Implementation::default();
    let knobs = knobs::all(&implementation);
    let names: Vec<_> = knobs.iter().map(|knob| knob.text.as_str()).collect();
    for expected in [
        "rhbwbb=LITERAL",
        "layout=2021",
        "spe.init_load=FIRST_OP",
        "cycles.cond_gated=false",
        "oor_reserved=RAZ_WI",
    ] {
        assert!(names.contains(&expected), "{expected}: {names:?}");
    }
    assert!(
        knobs
            .iter()
            .all(|knob| *knob.model.implementation() != implementation)
    );
}

/// HCR_EL2.E2H has an effect with TGE alone: that it is 1, or that it is TGE, is the same.
#[test]
fn mistakes_that_do_the_same_are_one_line() {
    let text = "HCR_EL2.E2H is taken as 1 by accesses";
    let mistake = Mistake::all()
        .into_iter()
        .find(|mistake| mistake.to_string() == text)
        .expect("a mistake");
    let found = test(&mistaken(mistake, 30_000), &Implementation::default());
    assert!(found.explaining.len() > 1, "{:?}", found.lines());
    let [line] = &found.lines()[..] else {
        panic!("{:?}", found.lines());
    };
    let others =
        "HCR_EL2.E2H is taken as 1 by accesses; or HCR_EL2.TGE decides in place of HCR_EL2.E2H";
    assert!(
        line.contains("one of these 2, which do the same in all of these cycles"),
        "{line}"
    );
    assert!(line.contains(others), "{line}");
}

/// State of before the last reset, which a mistake does not clear, is found from an earlier one.
#[test]
fn what_a_reset_leaves_is_found_from_the_one_before() {
    let mistake = Mistake::from(counters::Counters::FlagsNotReset);
    let mut recordings = (1..20).map(|seed| mistaken_with(mistake, seed, 20_000));
    let recording = recordings.find(|recording| recording.late_start() > 0);
    let recording = recording.expect("a divergence behind a second reset");
    let found = test(&recording, &Implementation::default());
    let texts: Vec<_> = found.explaining.iter().map(|found| &*found.text).collect();
    assert_eq!(texts, [mistake.to_string()]);
    assert_eq!(found.first, 0);
}

#[test]
fn a_mistake_that_begins_at_the_last_reset_is_none() {
    let implementation = Implementation::default();
    let mut recording = recording_of(&implementation, 1, 20_000);
    let inputs = &recording.inputs;
    let reset = inputs[..12_000]
        .iter()
        .rposition(CycleInput::is_reset)
        .expect("a reset");
    let random = recording.stretch(0).random().expect("cycles");
    let mut varied =
        Varied::new(&implementation, datapath::Datapath::LinkBase.into()).expect("legal");
    for (k, byte) in random.into_iter().enumerate().skip(reset) {
        recording.rtl[k] = varied.step(&recording.inputs[k], byte);
    }
    let recording = diverging(recording);
    assert!(recording.divergent > reset && recording.late_start() > 0);
    let late = Recording {
        inputs: recording.inputs[reset..].to_vec(),
        rtl: recording.rtl[reset..].to_vec(),
        divergent: recording.divergent - reset,
        ..Recording::default()
    };
    assert_eq!(test(&late, &implementation).explaining.len(), 1);
    assert!(test(&recording, &implementation).explaining.is_empty());
}

/// Testing mistakes on their occasions comes to what testing each whole comes to.
#[test]
fn what_is_refuted_together_is_refuted_alone() {
    let implementation = Implementation::default();
    let mistakes: [Mistake; 5] = [
        access::Access::TrappedStored.into(),
        counters::Counters::CarryLost.into(),
        counters::Counters::ValuesNotReset.into(),
        sampling::Sampling::FeedCountsCollisions.into(),
        system::System::AbsentStored.into(),
    ];
    for mistake in mistakes {
        let recording = mistaken(mistake, 16_000);
        let bench = Bench::new(recording.stretch(0), &implementation).expect("a bench");
        let candidates: Vec<_> = Mistake::all().into_iter().map(Candidate::Mistake).collect();
        let together = bench.tested(candidates.clone()).explaining;
        let texts = |candidates: &[Candidate]| {
            let found = Tested {
                explaining: candidates.to_vec(),
                ..Tested::default()
            };
            let findings = bench.findings(0, &found);
            let explaining = findings.explaining.into_iter();
            explaining.map(|found| found.text).collect::<Vec<_>>()
        };
        let alone: Vec<_> = candidates
            .into_iter()
            .filter(|candidate| bench.miss_of(candidate).is_none())
            .collect();
        assert_eq!(texts(&together), texts(&alone));
        assert!(texts(&together).contains(&mistake.to_string()), "{mistake}");
    }
}

/// A recording of the contract with a mutant, if it shows.
fn mutated(mutant: Mutant, cycles: usize) -> Option<Recording> {
    let implementation = Implementation::default();
    let mut recording = recording_of(&implementation, 1, cycles);
    let mut plain = Plain::new(&implementation).expect("legal");
    let mut broken = Broken::new(mutant);
    let random = recording.stretch(0).random().expect("cycles");
    let (mut since, mut before) = (0, None);
    for (k, input) in recording.inputs.iter().enumerate() {
        since = if input.is_reset() { 0 } else { since + 1 };
        plain.meet(Around {
            before,
            ..Around::of(input, since)
        });
        // Until then it is what the model does.
        before = Before::of(input, &recording.rtl[k]);
        recording.rtl[k] = plain.step(&mut broken, input, random[k]);
    }
    shown(recording)
}

/// Mutants side by side come to the same as each by itself.
#[test]
fn mutants_side_by_side_are_what_each_is_alone() {
    let implementation = Implementation::default();
    let recording = mutated(at(Site::Th, Mutation::Cut(5)), 1200).expect("it shows");
    let bench = Bench::new(recording.stretch(0), &implementation).expect("a divergence");
    let some = |mutants: Vec<Mutant>, every| mutants.into_iter().step_by(every);
    let mut sample: Vec<Mutant> = some(mutants::general(), 37).collect();
    sample.extend(some(bench.narrower(), 41));
    sample.extend(some(bench.narrowest(), 41));
    // What looks at counters that counted before in the cycle may do so for those that nothing else is done to.
    let counted = sample.iter().step_by(5).map(|&mutant| Mutant {
        when: When::Counted,
        ..mutant
    });
    let counted: Vec<Mutant> = counted.collect();
    sample.extend(counted);
    let misses = bench.misses(&sample);
    for (&mutant, miss) in sample.iter().zip(misses) {
        let mut plain = Plain::new(&implementation).expect("legal");
        let mut broken = Broken::new(mutant);
        let alone = (0..recording.inputs.len()).find(|&k| {
            bench.enter(&mut plain, k);
            let (input, byte) = bench.cycle(k);
            let output = plain.step(&mut broken, input, byte);
            !bench.is_what_the_rtl_did(k, output)
        });
        assert_eq!(miss, alone, "{mutant}");
    }
}

/// A mutant of a site, for all of its instances.
fn at(site: Site, mutation: Mutation) -> Mutant {
    Mutant {
        site,
        at: At::All,
        mutation,
        when: When::Always,
        and: When::Always,
    }
}

#[test]
fn a_mutant_that_nobody_thought_of_is_named() {
    let one = |site, instance, mutation| Mutant {
        at: At::One(instance),
        ..at(site, mutation)
    };
    let mutants = [
        one(Site::ReadAs, 10, Mutation::Other(7)),
        one(Site::RuleOutcome, 8, Mutation::Other(1)),
        one(Site::Pmuacr, 1, Mutation::Inverted),
        one(Site::WriteTaken, 2, Mutation::Zero),
        one(Site::WriteEnabled, 17, Mutation::One),
        one(Site::WriteEnabled, 3, Mutation::One),
        one(Site::WriteLate, 2, Mutation::Other(1)),
        one(Site::WriteLate, 5, Mutation::Other(2)),
        one(Site::CopyLate, 0, Mutation::One),
        one(Site::ControlEnabled, 3, Mutation::One),
        one(Site::AllWritten, 0, Mutation::One),
        one(Site::FieldPlace, 0, Mutation::Other(2)),
        one(Site::WrittenPlace, 8, Mutation::Other(1)),
        Mutant {
            at: At::Events,
            when: When::CountersFrom(16),
            ..at(Site::CarryOfLong, Mutation::Zero)
        },
        at(Site::SumOf, Mutation::Other(1)),
        // Of one counter alone.
        one(Site::Shown, 9, Mutation::Cut(3)),
    ];
    for mutant in mutants {
        let recording = mutated(mutant, 24_000).unwrap_or_else(|| panic!("{mutant} shows"));
        let found = test(&recording, &Implementation::default());
        let texts: Vec<_> = found.explaining.iter().map(|found| &found.text).collect();
        assert!(
            texts.contains(&&mutant.to_string()) && texts.len() <= 4,
            "{mutant}: {texts:?}"
        );
    }
}

/// What is printed of two mutants is not the same.
#[test]
fn every_mutant_has_a_sentence_of_its_own() {
    let mut sentences: Vec<_> = mutants::general().iter().map(Mutant::to_string).collect();
    let all = sentences.len();
    sentences.sort();
    let twice: Vec<_> = sentences
        .windows(2)
        .filter(|pair| pair[0] == pair[1])
        .collect();
    assert_eq!(twice, Vec::<&[String]>::new());
    assert!(all > 10_000, "{all}");
}

/// What explains the cycles of one stimulus is tested on another one: there as well it is the design, and not the model.
#[test]
fn a_hypothesis_is_tested_on_other_cycles() {
    let implementation = Implementation::default();
    let mut other = implementation.clone();
    other.knobs.cp_when_not_counting = CpWhenNotCounting::Hold;
    let found = only(&diverging(recording_of(&other, 1, 16_000)));
    let miss = |design: &Implementation| {
        let recording = recording_of(design, 2, 16_000);
        found.first_miss(&implementation, &recording.inputs, &recording.rtl)
    };
    assert_eq!(miss(&other), None);
    assert!(miss(&implementation).is_some());
}

/// A design whose outputs are changed on their way out, each with what is said of it.
#[test]
fn what_is_connected_wrong_is_named() {
    type Connected = fn(&mut [CycleOutput], &[CycleInput]);
    // In a cycle of reset nothing is shown (DUT-10).
    let of_cycle_before = |rtl: &mut [CycleOutput], inputs: &[CycleInput]| {
        for k in (1..rtl.len()).rev().filter(|&k| !inputs[k].is_reset()) {
            rtl[k].coll = rtl[k - 1].coll;
        }
    };
    let cases: [(Connected, &str); 5] = [
        (
            of_cycle_before,
            "COLL after the cycle is shown 1 cycle late",
        ),
        (
            |rtl, _| {
                rtl.iter_mut()
                    .for_each(|rtl| rtl.collided = rtl.first_selected)
            },
            "what is shown as collisions is first operation selected",
        ),
        (
            |rtl, inputs| {
                let both = rtl.iter_mut().zip(inputs);
                for (rtl, input) in both.filter(|(_, input)| !input.is_reset()) {
                    rtl.selected = input.operations;
                }
            },
            "what is shown as operations selected is the input operations",
        ),
        (
            |rtl, _| rtl.iter_mut().for_each(|rtl| rtl.pmsicr &= 0xFFFF),
            "PMSICR_EL1 after the cycle is cut to 16 bits as it is shown",
        ),
        (
            |rtl, inputs| {
                let upper = 0xFF << 56;
                for k in (1..rtl.len()).rev().filter(|&k| !inputs[k].is_reset()) {
                    rtl[k].pmsicr = rtl[k].pmsicr & !upper | rtl[k - 1].pmsicr & upper;
                }
            },
            "PMSICR_EL1.ECOUNT after the cycle is shown 1 cycle late",
        ),
    ];
    for (connect, text) in cases {
        let implementation = Implementation::default();
        let mut recording = recording_of(&implementation, 3, 20_000);
        connect(&mut recording.rtl, &recording.inputs);
        let found = test(&diverging(recording), &implementation);
        let said: Vec<_> = found.explaining.iter().map(|found| &found.text).collect();
        assert_eq!(said, [text]);
    }
}
