//! Area `cyc`: cycle event counting in PEs with one thread or several: a counter for each kind of event and each
//! value of MT.
//!
//! Model and design count for thread 0, so the cycles are run once with each thread of the vector in its place.
//! Threads that a design has beyond the vector's are idle in a way that decides nothing: in WFI state, stalled,
//! without other conditions or counts (CYC-09 to CYC-14).

pub(super) mod rtl;

use std::collections::BTreeMap;

use pmu_model::contract::{self, CYCLE_COUNTER, THREADS};
use pmu_model::cycles::{self, Event};
use pmu_model::pmu::event_type::MT;
use pmu_model::sysreg::SysReg;
use pmu_model::{CycleInput, Implementation};
use serde::Deserialize;

use super::Mismatch;
use super::bench::{Bench, Interruption};
use super::value::Number;
use lockstep_engine::dut::{ModelledDut, Pulse};

/// A line.
#[derive(Deserialize)]
pub struct Vector {
    /// What `cfg` says.
    #[serde(skip)]
    pub(super) implementation: Implementation,
    cycles: Vec<Cycle>,
    /// PMCCNTR of every thread after the last cycle, from zero.
    #[serde(default)]
    pmccntr_final: Vec<Option<Number>>,
}

#[derive(Deserialize)]
pub(super) struct Cycle {
    clock: Number,
    threads: Vec<Thread>,
    #[serde(default)]
    expect: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Thread {
    active: Number,
    wfx: Number,
    stall: Number,
    stall_fe: Number,
    stall_be: Number,
    second: Number,
    cond: Number,
    count: Number,
}

type Counts = BTreeMap<Event, Option<Number>>;

#[derive(Default, Deserialize)]
pub(super) struct Expected {
    #[serde(default)]
    mt0: Vec<Option<Counts>>,
    mt1: Option<Counts>,
    #[serde(rename = "PMCCNTR", default)]
    pmccntr: Vec<Option<Number>>,
}

/// Runs a line on the model.
///
/// # Returns
/// The first value that differs, if any.
///
/// # Errors
/// The line contradicts itself: an impossible number of threads, a list that is not one a thread, or a count that
/// does not fit.
pub(super) fn run(vector: &Vector) -> Result<Option<Mismatch>, Box<dyn std::error::Error>> {
    let design = ModelledDut::new(&vector.implementation)?;
    check(vector)?;
    let mut bench = Bench::new(Box::new(design), &vector.implementation, &Pulse::default());
    match run_threads(vector, &mut bench) {
        Ok(()) => Ok(None),
        Err(Interruption::Differs(mismatch)) => Ok(Some(mismatch)),
        Err(other) => Err(other.into()),
    }
}

impl Vector {
    fn threads(&self) -> usize {
        self.implementation.threads.count.into()
    }
}

fn check(vector: &Vector) -> Result<(), String> {
    let threads = vector.threads();
    let one_a_thread = |length: usize, what: &str| {
        if length == threads {
            Ok(())
        } else {
            Err(format!("{what}: {length} values for {threads} threads"))
        }
    };
    for (index, cycle) in vector.cycles.iter().enumerate() {
        one_a_thread(cycle.threads.len(), &format!("cycle {index}, threads"))?;
        for (name, length) in [
            ("mt0", cycle.expect.mt0.len()),
            ("PMCCNTR", cycle.expect.pmccntr.len()),
        ] {
            if length != 0 {
                one_a_thread(length, &format!("cycle {index}, {name}"))?;
            }
        }
        let counts = cycle.threads.iter().map(|thread| thread.count.0);
        let sum = counts.fold(0, u64::saturating_add);
        if sum > u16::MAX.into() {
            return Err(format!(
                "cycle {index}, count: {sum} for all threads, expected at most {} (DUT-51)",
                u16::MAX
            ));
        }
    }
    match vector.pmccntr_final.len() {
        0 => Ok(()),
        length => one_a_thread(length, "pmccntr_final"),
    }
}

/// The event number of each kind (DUT-51).
fn number(event: Event) -> u64 {
    match event {
        Event::CpuCycles => 0x0011,
        Event::Stall => 0x003C,
        Event::StallFrontend => 0x0023,
        Event::StallBackend => 0x0024,
        Event::StallFrontend2nd => 0x8159,
        Event::StallBackend2nd => 0x8165,
        Event::Stall2nd => 0x00C0,
        Event::Cond => 0x00C1,
        Event::Sum => 0x0008,
    }
}

/// The counter of a kind of event with MT 0; that with MT 1 is the next.
fn counter(event: Event) -> usize {
    let index = Event::ALL.iter().position(|&found| found == event);
    2 * index.unwrap_or(0)
}

/// Runs the vector with each of its threads as the one that the counters are of.
fn run_threads(vector: &Vector, bench: &mut Bench) -> Result<(), Interruption> {
    (0..vector.threads()).try_for_each(|own| run_thread(vector, own, bench))
}

fn run_thread(vector: &Vector, own: usize, bench: &mut Bench) -> Result<(), Interruption> {
    let knobs = &vector.implementation.knobs.cycles;
    let there = bench.implementation.knobs.cycles.clone();
    bench.reset()?;
    let mut enabled = 1 << CYCLE_COUNTER;
    for event in Event::ALL {
        for (n, mt) in [(counter(event), 0), (counter(event) + 1, MT.mask())] {
            bench.write(
                SysReg::pmevtyper(n as u8).expect("two counters an event"),
                number(event) | mt,
            )?;
            enabled |= 1 << n;
        }
    }
    bench.enable(enabled)?;
    let mut pmccntr_known = true;
    for (index, cycle) in vector.cycles.iter().enumerate() {
        let output = bench.cycle(&input(cycle, own, knobs, &there))?;
        let thread = &cycle.threads[own];
        if let Some(Some(expected)) = cycle.expect.mt0.get(own) {
            let at = format!("cycle {index}, mt0[{own}]");
            for (&event, &expected) in expected {
                let unlike = own_unlike(event, thread, knobs, &there);
                if let Some(reason) = unlike.filter(|_| cycle.clock.0 != 0) {
                    bench.left_out.insert(reason);
                    continue;
                }
                let found = output.increment[counter(event)];
                count(bench, &at, event, expected, found)?;
            }
        }
        group(bench, index, cycle, knobs, &output.increment)?;
        let Some(&expected) = cycle.expect.pmccntr.get(own) else {
            continue;
        };
        let unlike = knobs.pmccntr_in_wfx != there.pmccntr_in_wfx;
        if unlike && cycle.clock.0 != 0 && thread.wfx.0 != 0 {
            bench
                .left_out
                .insert("the RTL has no knob cycles.pmccntr_in_wfx = false");
            pmccntr_known = false;
            continue;
        }
        let found = output.increment[CYCLE_COUNTER].into();
        let at = format!("cycle {index}, PMCCNTR[{own}]");
        bench.expect(at, expected.map(|number| number.0), found)?;
    }
    let last = vector.pmccntr_final.get(own).copied().flatten();
    if pmccntr_known && last.is_some() {
        let value = bench.read(SysReg::Pmccntr)?;
        let at = format!("pmccntr_final[{own}]");
        bench.expect(at, last.map(|number| number.0), value)?;
    }
    Ok(())
}

fn count(
    bench: &mut Bench,
    at: &str,
    event: Event,
    expected: Option<Number>,
    found: u16,
) -> Result<(), Interruption> {
    let name = serde_json::to_string(&event).unwrap_or_default();
    let at = format!("{at}.{}", name.trim_matches('"'));
    bench.expect(at, expected.map(|number| number.0), found.into())
}

/// What the group counts, whichever thread is its own.
fn group(
    bench: &mut Bench,
    index: usize,
    cycle: &Cycle,
    knobs: &cycles::Config,
    increments: &[u16],
) -> Result<(), Interruption> {
    let there = &bench.implementation.knobs.cycles;
    let unlike = knobs.cpu_cycles_mt1_all_wfx != there.cpu_cycles_mt1_all_wfx;
    let asleep = cycle.threads.iter().all(|thread| thread.wfx.0 != 0);
    for (&event, &expected) in cycle.expect.mt1.iter().flatten() {
        if unlike && asleep && cycle.clock.0 != 0 && event == Event::CpuCycles {
            bench
                .left_out
                .insert("the RTL has no knob cycles.cpu_cycles_mt1_all_wfx = true");
            continue;
        }
        let found = increments[counter(event) + 1];
        count(
            bench,
            &format!("cycle {index}, mt1"),
            event,
            expected,
            found,
        )?;
    }
    Ok(())
}

/// The knob of which a design has only the other choice, if what a thread counts for itself hangs on it.
fn own_unlike(
    event: Event,
    thread: &Thread,
    knobs: &cycles::Config,
    there: &cycles::Config,
) -> Option<&'static str> {
    let in_wfx = thread.wfx.0 != 0 && is_active(thread, knobs);
    match event {
        Event::Sum => None,
        Event::Cond if knobs.cond_gated != there.cond_gated => {
            Some("the RTL has no knob cycles.cond_gated = false")
        }
        _ if knobs.cpu_cycles_in_wfx != there.cpu_cycles_in_wfx && in_wfx => {
            Some("the RTL has no knob cycles.cpu_cycles_in_wfx = true")
        }
        _ => None,
    }
}

/// A-CYC-1.
fn is_active(thread: &Thread, knobs: &cycles::Config) -> bool {
    thread.active.0 != 0 && (thread.wfx.0 == 0 || knobs.active_in_wfx)
}

fn input(cycle: &Cycle, own: usize, knobs: &cycles::Config, there: &cycles::Config) -> CycleInput {
    let mut threads = [contract::Thread {
        conditions: contract::Thread::WFX
            | contract::Thread::STALL
            | contract::Thread::STALL_FRONTEND
            | contract::Thread::STALL_BACKEND,
        ..contract::Thread::default()
    }; THREADS];
    let count = cycle.threads.len();
    for (place, thread) in threads.iter_mut().zip(0..count) {
        *place = driven(&cycle.threads[(own + thread) % count], knobs, there);
    }
    CycleInput {
        counting_allowed: u32::MAX,
        driven: CycleInput::DRIVEN_THREADS,
        clock_stopped: u8::from(cycle.clock.0 == 0),
        threads,
        ..CycleInput::default()
    }
}

/// A thread as a design with the knobs that are `there` gets it. Whether one in WFI or WFE state is active, and which
/// conditions an idle one has, are inputs, so that these choices (A-CYC-1, A-CYC-5, A-CYC-6) can be driven.
fn driven(thread: &Thread, knobs: &cycles::Config, there: &cycles::Config) -> contract::Thread {
    let is = |number: Number| number.0 != 0;
    let idle = !is(thread.active) || is(thread.wfx);
    let stalls = idle && knobs.idle_thread_stall != there.idle_thread_stall;
    let silent = idle && knobs.idle_thread_any != there.idle_thread_any;
    let inactive = is(thread.wfx) && knobs.active_in_wfx != there.active_in_wfx;
    let conditions = [
        (is(thread.active) && !inactive, contract::Thread::ACTIVE),
        (is(thread.wfx), contract::Thread::WFX),
        (is(thread.stall) || stalls, contract::Thread::STALL),
        (
            is(thread.stall_fe) || stalls,
            contract::Thread::STALL_FRONTEND,
        ),
        (
            is(thread.stall_be) || stalls,
            contract::Thread::STALL_BACKEND,
        ),
        (is(thread.second) && !silent, contract::Thread::SECOND),
        (is(thread.cond) && !silent, contract::Thread::CONDITION),
    ];
    contract::Thread {
        conditions: conditions
            .iter()
            .filter(|(holds, _)| *holds)
            .fold(0, |bits, (_, bit)| bits | bit),
        count: thread.count.0 as u16,
        ..contract::Thread::default()
    }
}

#[cfg(test)]
mod tests {
    /// Two active threads; the first has every condition.
    fn line(cfg: &str, expect: &str, last: &str) -> String {
        let thread = |active, other| {
            format!(
                r#"{{"active": {active}, "wfx": 0, "stall": {other}, "stall_fe": {other}, "stall_be": {other},
                    "second": {other}, "cond": {other}, "count": {other}}}"#
            )
        };
        format!(
            r#"{{"area": "cyc", "cfg": {{"threads": 2{cfg}}}, "pmccntr_final": [{last}], "cycles": [{{"clock": 1,
                "threads": [{}, {}], "expect": {{{expect}}}}}]}}"#,
            thread(1, 1),
            thread(1, 0)
        )
    }

    fn outcome(cfg: &str, expect: &str, last: &str) -> Option<String> {
        crate::outcome(&line(cfg, expect, last)).expect("consistent")
    }

    #[test]
    fn every_expected_value_is_compared() {
        for (event, own, group) in [
            ("CPU_CYCLES", 1, 1),
            ("STALL", 1, 0),
            ("STALL_FRONTEND", 1, 0),
            ("STALL_BACKEND", 1, 0),
            ("STALL_FRONTEND_2ND", 1, 0),
            ("STALL_BACKEND_2ND", 1, 0),
            ("STALL_2ND", 1, 0),
            ("COND", 1, 1),
            ("SUM", 1, 1),
        ] {
            let mt0 = format!(r#""mt0": [{{"{event}": 7}}, null]"#);
            let message = format!("cycle 0, mt0[0].{event}: expected 7, model {own}");
            assert_eq!(outcome("", &mt0, ""), Some(message));
            let mt1 = format!(r#""mt1": {{"{event}": 7}}"#);
            let message = format!("cycle 0, mt1.{event}: expected 7, model {group}");
            assert_eq!(outcome("", &mt1, ""), Some(message));
            let right =
                format!(r#""mt0": [{{"{event}": {own}}}, {{}}], "mt1": {{"{event}": {group}}}"#);
            assert_eq!(outcome("", &right, ""), None);
            let undefined =
                format!(r#""mt0": [null, {{"{event}": null}}], "mt1": {{"{event}": null}}"#);
            assert_eq!(outcome("", &undefined, ""), None);
        }
        assert_eq!(
            outcome("", r#""PMCCNTR": [1, 0]"#, "").as_deref(),
            Some("cycle 0, PMCCNTR[1]: expected 0, model 1")
        );
        assert_eq!(
            outcome("", "", "null, 2").as_deref(),
            Some("pmccntr_final[1]: expected 2, model 1")
        );
    }

    #[test]
    fn unknown_keys_are_refused() {
        for (cfg, expect) in [
            (r#", "smt": true"#, r#""mt1": {"STALL": 0}"#),
            (r#", "kind": "CMT""#, r#""mt1": {"STALL": 0}"#),
            ("", r#""mt2": {}"#),
            ("", r#""mt1": {"STALLS": 1}"#),
        ] {
            let line = line(cfg, expect, "");
            assert!(crate::outcome(&line).is_err(), "{line}");
        }
    }

    #[test]
    fn impossible_numbers_of_threads_are_refused() {
        for threads in ["0", "5"] {
            let line = format!(
                r#"{{"area": "cyc", "cfg": {{"threads": {threads}}}, "pmccntr_final": [1], "cycles": []}}"#
            );
            assert!(crate::outcome(&line).is_err(), "{line}");
        }
    }

    #[test]
    fn lists_of_another_length_are_refused() {
        for (expect, last) in [(r#""PMCCNTR": [1]"#, ""), (r#""mt0": [{}]"#, ""), ("", "1")] {
            let outcome = crate::outcome(&line("", expect, last));
            assert!(outcome.is_err(), "{expect} {last}");
        }
    }
}
