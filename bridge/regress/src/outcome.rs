//! What the process of a run said, as a record.

use lockstep_base::day::Day;
use lockstep_base::verdict::Verdict;
use serde_json::Value;

use crate::plan::Run;
use crate::record::{
    Compared, Failure, FromInitialState, Further, Limit, Record, Rules, Time, Waiver,
};
use crate::signature::Signature;

/// What is left of the standard error of a run, in characters.
const TAIL: usize = 2000;
/// Mistakes that are kept of those that explain a divergence.
const CAUSES: usize = 4;
/// Steps that are kept of a derivation.
const STEPS: usize = 12;

/// A process that has ended.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Exit code, or none if a signal ended it.
    pub code: Option<i32>,
    /// The signal.
    pub signal: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// The last of standard error.
    pub stderr: String,
    /// The limit for which it was ended.
    pub limit: Option<(Limit, String)>,
    /// Seconds that it took.
    pub seconds: f64,
}

/// Where and how a run was run.
pub struct Place<'a> {
    /// The command, in the folder of the suite.
    pub command: &'a str,
    /// The same for so many cycles.
    pub shortened: &'a dyn Fn(u64) -> String,
    /// The folder of its report, below that of the results, if it is there.
    pub folder: Option<String>,
    /// How often it was started.
    pub attempts: u32,
    /// The day on which it was started.
    pub day: Option<Day>,
}

/// The record of `run`, whose process ended so.
pub fn record(run: &Run, ended: &Ended, place: &Place<'_>) -> Record {
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    let verdict = verdict(ended, &told);
    let mut record = blank(run, place);
    record.exit_code = verdict.exit_code();
    record.limit = ended.limit.as_ref().map(|(limit, _)| *limit);
    record.message = message(ended, &told);
    record.compared = told.get("ledger").map(|_| compared(run, &told));
    record.time = Time {
        cycles: told["seconds"].as_f64().unwrap_or_default(),
        process: ended.seconds,
        day: place.day,
    };
    record.verdict = verdict;
    record.failure = record.has_failed().then(|| failure(&record, &told, place));
    record
}

/// The record of `run`, which could not be started because `verdict`, `why`.
pub fn not_started(run: &Run, verdict: Verdict, why: &str, place: &Place<'_>) -> Record {
    let mut record = blank(run, place);
    record.verdict = verdict;
    record.exit_code = verdict.exit_code();
    record.message = Some(why.into());
    record.failure = Some(failure(&record, &Value::Null, place));
    record
}

fn blank(run: &Run, place: &Place<'_>) -> Record {
    Record {
        id: run.id.clone(),
        implementation: run.implementation.clone(),
        design: run.design.clone(),
        stimulus: run.stimulus.name(),
        seed: run.stimulus.seed(),
        cycles_wanted: run.stimulus.cycles(),
        verdict: Verdict::Agree,
        exit_code: 0,
        limit: None,
        message: None,
        compared: None,
        failure: None,
        command: place.command.into(),
        attempts: place.attempts,
        time: Time::default(),
    }
}

/// The verdict that a process told; where it told none, its end is one of the environment.
fn verdict(ended: &Ended, told: &Value) -> Verdict {
    if ended.limit.is_some() {
        return Verdict::Infrastructure;
    }
    let told: Option<Verdict> = serde_json::from_value(told["verdict"].clone()).ok();
    let agrees = |verdict: &Verdict| ended.code == Some(i32::from(verdict.exit_code()));
    told.filter(agrees).unwrap_or(match ended.code {
        Some(2) => Verdict::Usage,
        Some(130) => Verdict::Interrupted,
        _ => Verdict::Infrastructure,
    })
}

fn message(ended: &Ended, told: &Value) -> Option<String> {
    if let Some((_, words)) = &ended.limit {
        return Some(words.clone());
    }
    if let Some(message) = told["message"].as_str() {
        return Some(message.into());
    }
    if told.get("verdict").is_some() {
        let finding = told["initial_states"]["finding"].as_str();
        return finding.map(str::to_owned);
    }
    let how = match (ended.code, ended.signal) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        _ => "unknown".into(),
    };
    let last = ended.stderr.trim_end();
    let from = last.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
    Some(format!(
        "the process of the run ended without a result ({how}): {}",
        &last[from..]
    ))
}

fn compared(run: &Run, told: &Value) -> Compared {
    let ledger = &told["ledger"];
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let fields = ledger["fields"].as_array().map_or(&[][..], Vec::as_slice);
    let fields_where = |wanted: &dyn Fn(u64, u64, u64) -> bool| {
        let wanted = |field: &&Value| {
            wanted(
                number(&field["compared"]),
                number(&field["not_compared"]),
                number(&field["changed"]),
            )
        };
        let names = fields.iter().filter(wanted);
        names
            .filter_map(|field| field["field"].as_str())
            .map(str::to_owned)
            .collect()
    };
    let rules = &told["coverage"];
    Compared {
        // A run that goes on after a divergence leaves out those up to the next reset.
        cycles: number(&told["cycles"]).saturating_sub(number(
            &told["divergence"]["further"]["cycles_not_compared"],
        )),
        stimulus_hash: text(&told["stimulus_hash"]),
        compared: number(&ledger["compared"]),
        not_compared: number(&ledger["not_compared"]),
        changed: number(&ledger["changed"]),
        never_compared: fields_where(&|compared, _, _| compared == 0),
        mostly_unknown: fields_where(&|compared, unknown, _| compared > 0 && unknown > compared),
        never_changed: fields_where(&|compared, _, changed| compared > 0 && changed == 0),
        absent: texts(&ledger["absent"]),
        waivers: waivers(run, &ledger["waivers"]),
        rules: rules.is_object().then(|| Rules {
            possible: number(&rules["rules"]) as usize,
            never_taken: texts(&rules["never_taken"]),
        }),
        taken: None,
        rtl_coverage: false,
    }
}

/// Waivers of a ledger, with the file that they are in.
fn waivers(run: &Run, told: &Value) -> Vec<Waiver> {
    let file = run.waivers.as_ref();
    let file = file.map_or_else(String::new, |file| file.display().to_string());
    let waivers = serde_json::from_value::<Vec<Waiver>>(told.clone()).unwrap_or_default();
    let waivers = waivers.into_iter().map(|waiver| Waiver {
        file: file.clone(),
        ..waiver
    });
    waivers.collect()
}

fn failure(record: &Record, told: &Value, place: &Place<'_>) -> Failure {
    let report = &told["divergence"];
    let design = &record.design;
    let (signature, cycle) = match (record.verdict, report.is_object()) {
        (_, true) => (Signature::of_run(design, told), report["cycle"].as_u64()),
        (verdict, false) => (
            Signature::of_end(design, verdict, &end(record, told)),
            told["cycle"].as_u64().or(told["stop"]["cycle"].as_u64()),
        ),
    };
    let has_failed_from_zeros = told["initial_states"]["zeros"]["cycle"].is_u64();
    let initial = Signature::of_initial_state(design, told).filter(|_| has_failed_from_zeros);
    let headline = |key: &str| report["headline"][key].as_str().map(str::to_owned);
    Failure {
        signature,
        cycle,
        field: headline("field"),
        expected: headline("expected"),
        rtl: headline("rtl"),
        causes: texts_of(&report["hypotheses"]["explaining"], CAUSES),
        derivation: texts_of(&report["explanation"]["derivation"], STEPS),
        replay: cycle.map_or_else(
            || place.command.into(),
            |cycle| (place.shortened)(cycle + 1),
        ),
        folder: place.folder.clone(),
        further: further(&report["further"]["listed"]),
        initial: initial.map(|signature| FromInitialState {
            signature,
            cycle: told["initial_states"]["differ"][0]["cycle"].as_u64(),
        }),
    }
}

/// Divergences after the first one, of a run that went on.
fn further(listed: &Value) -> Vec<Further> {
    serde_json::from_value(listed.clone()).unwrap_or_default()
}

/// How a run ended that has no report of a divergence, so that two of one kind have the same words.
fn end(record: &Record, told: &Value) -> String {
    let stop = match told["stop"].is_object() {
        true => &told["stop"],
        false => told,
    };
    let mut words = vec![record.verdict.word().to_lowercase()];
    if let Some(limit) = record.limit {
        words.push(match limit {
            Limit::Wall => "more time than the suite allows".into(),
            Limit::Memory => "more memory than the suite allows".into(),
        });
        return words.join(": ");
    }
    if let Some(finding) = told["random_generator"].as_str() {
        words.push(numberless(finding));
    }
    for key in ["kind", "signal"] {
        // The kind of a crash is the verdict again.
        let more = stop[key]
            .as_str()
            .filter(|word| !words[0].starts_with(word));
        words.extend(more.map(str::to_owned));
    }
    let line = &stop["line"];
    match stop["file"].as_str().filter(|file| !file.is_empty()) {
        Some(file) => words.push(format!("{file}:{line}")),
        // Of the environment and of mistakes of use there is the message alone.
        None if words.len() == 1 && record.verdict != Verdict::Hang => {
            words.extend(record.message.as_deref().map(numberless));
        }
        None => {}
    }
    words.join(": ")
}

/// The first line of a message, with `n` for numbers.
fn numberless(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut out = String::new();
    let mut in_number = false;
    for letter in line.chars() {
        if !letter.is_ascii_digit() {
            out.push(letter);
        } else if !in_number {
            out.push('n');
        }
        in_number = letter.is_ascii_digit();
    }
    out
}

/// The `text` of the first `most` of some objects.
fn texts_of(objects: &Value, most: usize) -> Vec<String> {
    let objects = objects.as_array().map_or(&[][..], Vec::as_slice);
    let texts = objects.iter().map(|object| text(&object["text"]));
    texts.take(most).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().into()
}

fn texts(value: &Value) -> Vec<String> {
    value
        .as_array()
        .map_or_else(Vec::new, |all| all.iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::plan::Stimulus;

    fn of(code: i32, told: Value) -> Record {
        let run = Run {
            id: "default/mine/mixed/10/1".into(),
            implementation: "default".into(),
            file: None,
            design: "mine".into(),
            stimulus: Stimulus::Generated {
                profile: "mixed".into(),
                seed: 1,
                cycles: 10,
            },
            waivers: None,
            coverage: false,
            rtl_coverage: false,
            keep_going: false,
            init: None,
        };
        let ended = Ended {
            code: Some(code),
            stdout: told.to_string().into_bytes(),
            stderr: "panicked\n".into(),
            ..Ended::default()
        };
        let place = Place {
            command: "lockstep run --seed 1",
            shortened: &|cycles| format!("lockstep run --seed 1 --cycles {cycles}"),
            folder: None,
            attempts: 1,
            day: None,
        };
        record(&run, &ended, &place)
    }

    #[test]
    fn ends_of_one_kind_have_one_signature() {
        let crash = |cycle: u64| {
            of(
                6,
                json!({ "verdict": "crash", "message": format!("in cycle {cycle}"), "kind": "crash", "signal": "SIGSEGV", "cycle": cycle }),
            )
        };
        let (one, other) = (crash(7).failure, crash(1234).failure);
        let signature = |failure: Option<Failure>| failure.map(|failure| failure.signature);
        assert_eq!(signature(one.clone()), signature(other));
        assert_eq!(
            one.clone().expect("a failure").signature.words(),
            "mine: crashed: SIGSEGV"
        );
        assert_eq!(one.expect("a failure").cycle, Some(7));
    }

    #[test]
    fn a_process_without_a_result_is_the_environments() {
        let record = of(101, Value::Null);
        assert_eq!(
            (record.verdict, record.exit_code),
            (Verdict::Infrastructure, 5)
        );
        let message = record.message.expect("a message");
        assert!(
            message.contains("exit code 101") && message.ends_with("panicked"),
            "{message}"
        );
        // A verdict that is not what the process ended with is none.
        assert_eq!(
            of(137, json!({ "verdict": "agree" })).verdict,
            Verdict::Infrastructure
        );
        assert_eq!(of(0, json!({ "verdict": "agree" })).verdict, Verdict::Agree);
    }
}
