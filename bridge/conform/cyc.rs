//! Area `cyc`: cycle event counting in PEs with one thread or several.

#[cfg(feature = "rtl")]
pub(super) mod rtl;

use std::collections::BTreeMap;

use pmu_model::Implementation;
use pmu_model::cycles::{self, CycleEvents, Event};
use serde::Deserialize;

use super::Mismatch;
use super::value::Number;

/// Values of MPIDR_EL1.Aff0: threads that one processor can have.
const MAX_THREADS: usize = 256;

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

impl TryFrom<&Thread> for cycles::Thread {
    type Error = std::num::TryFromIntError;

    fn try_from(thread: &Thread) -> Result<Self, Self::Error> {
        Ok(Self {
            active: thread.active.0 != 0,
            wfx: thread.wfx.0 != 0,
            stall: thread.stall.0 != 0,
            stall_frontend: thread.stall_fe.0 != 0,
            stall_backend: thread.stall_be.0 != 0,
            second: thread.second.0 != 0,
            condition: thread.cond.0 != 0,
            count: thread.count.0.try_into()?,
        })
    }
}

/// Runs a line on the model.
///
/// # Returns
/// The first value that differs, if any.
///
/// # Errors
/// The line contradicts itself: no threads, a list that is not one a thread, or a count that does not fit.
pub(super) fn run(vector: &Vector) -> Result<Option<Mismatch>, Box<dyn std::error::Error>> {
    let cycle_events = CycleEvents::new(&vector.implementation.knobs.cycles);
    let threads = usize::from(vector.implementation.threads.count);
    let one_a_thread = |length: usize, what: &str| {
        if length == threads {
            Ok(())
        } else {
            Err(format!("{what}: {length} values for {threads} threads"))
        }
    };
    if !(1..=MAX_THREADS).contains(&threads) {
        return Err(format!("threads: {threads}, expected 1 to {MAX_THREADS}").into());
    }
    let mut pmccntr = vec![0; threads];
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
        let states = cycle.threads.iter().map(cycles::Thread::try_from);
        let states = states.collect::<Result<Vec<_>, _>>()?;
        let increments: Vec<_> = states
            .iter()
            .map(|thread| cycle_events.pmccntr(true, cycle.clock.0 != 0, thread))
            .collect();
        for (value, increment) in pmccntr.iter_mut().zip(&increments) {
            *value += increment;
        }
        let mismatch = compare_events(&cycle_events, cycle, &states)
            .or_else(|| compare_list("PMCCNTR", &cycle.expect.pmccntr, &increments));
        if let Some(mismatch) = mismatch {
            let at = format!("cycle {index}, {}", mismatch.at);
            return Ok(Some(Mismatch { at, ..mismatch }));
        }
    }
    if !vector.pmccntr_final.is_empty() {
        one_a_thread(vector.pmccntr_final.len(), "pmccntr_final")?;
    }
    Ok(compare_list(
        "pmccntr_final",
        &vector.pmccntr_final,
        &pmccntr,
    ))
}

fn compare_events(
    cycle_events: &CycleEvents,
    cycle: &Cycle,
    threads: &[cycles::Thread],
) -> Option<Mismatch> {
    let clock = cycle.clock.0 != 0;
    let own = cycle
        .expect
        .mt0
        .iter()
        .enumerate()
        .find_map(|(n, expected)| {
            compare_counts(&format!("mt0[{n}]"), expected.as_ref()?, |event| {
                cycle_events.count(event, false, clock, n, threads)
            })
        });
    own.or_else(|| {
        compare_counts("mt1", cycle.expect.mt1.as_ref()?, |event| {
            cycle_events.count(event, true, clock, 0, threads)
        })
    })
}

fn compare_counts(at: &str, expected: &Counts, model: impl Fn(Event) -> u64) -> Option<Mismatch> {
    expected.iter().find_map(|(&event, expected)| {
        let name = serde_json::to_string(&event).unwrap_or_default();
        differs(
            &format!("{at}.{}", name.trim_matches('"')),
            *expected,
            model(event),
        )
    })
}

fn compare_list(name: &str, expected: &[Option<Number>], model: &[u64]) -> Option<Mismatch> {
    let mut values = expected.iter().zip(model).enumerate();
    values.find_map(|(n, (&expected, &model))| differs(&format!("{name}[{n}]"), expected, model))
}

fn differs(at: &str, expected: Option<Number>, model: u64) -> Option<Mismatch> {
    let expected = expected.filter(|expected| expected.0 != model)?;
    Some(Mismatch {
        at: at.into(),
        expected: expected.0.to_string(),
        model: model.to_string(),
    })
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
        crate::conform::outcome(&line(cfg, expect, last)).expect("consistent")
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
            assert!(crate::conform::outcome(&line).is_err(), "{line}");
        }
    }

    #[test]
    fn impossible_numbers_of_threads_are_refused() {
        for threads in ["0", "5"] {
            let line = format!(
                r#"{{"area": "cyc", "cfg": {{"threads": {threads}}}, "pmccntr_final": [1], "cycles": []}}"#
            );
            assert!(crate::conform::outcome(&line).is_err(), "{line}");
        }
    }

    #[test]
    fn lists_of_another_length_are_refused() {
        for (expect, last) in [(r#""PMCCNTR": [1]"#, ""), (r#""mt0": [{}]"#, ""), ("", "1")] {
            let outcome = crate::conform::outcome(&line("", expect, last));
            assert!(outcome.is_err(), "{expect} {last}");
        }
    }
}
