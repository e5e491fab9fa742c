//! Results as JUnit: a test suite for each implementation, design and stimulus, a test case for each run, and one suite
//! of what the merge found.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use lockstep_base::counted::counted;
use lockstep_base::verdict::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::merge::Merged;
use crate::record::Record;
use crate::summary::Summary;

/// Cases of runs that are written: of more runs, those that agree are one case of each suite, and so are failures beyond
/// that.
const MOST: usize = 20_000;

/// Results that cannot be written as JUnit.
#[derive(Debug, thiserror::Error)]
pub enum JunitError {
    /// They cannot be read again.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The XML cannot be written.
    #[error(transparent)]
    Xml(#[from] SerializeError),
}

/// Runs that share a test suite.
#[derive(Default)]
struct Suite {
    cases: Vec<TestCase>,
    /// Runs that agree and have no case of their own.
    agree: u64,
    /// Failures that have none.
    failed: u64,
    /// Seconds of both.
    seconds: f64,
}

/// The XML.
///
/// # Errors
/// The results cannot be read again.
pub fn junit(merged: &Merged, summary: &Summary) -> Result<String, JunitError> {
    let mut suites: BTreeMap<String, Suite> = BTreeMap::new();
    let names_all = merged.len() <= MOST;
    let mut named = 0;
    for record in merged.records() {
        let record = record?;
        let name = format!(
            "{}/{}/{}",
            record.implementation, record.design, record.stimulus
        );
        let own = suites.entry(name.clone()).or_default();
        if names_all || record.failure.is_some() && named < MOST {
            named += 1;
            own.cases.push(case(&name, &record, summary));
            continue;
        }
        match record.failure {
            None => own.agree += 1,
            Some(_) => own.failed += 1,
        }
        own.seconds += record.time.process;
    }
    let mut report = Report::new(&*summary.suite);
    for (name, own) in suites {
        let mut suite = TestSuite::new(&*name);
        let rests = own.rests(&name);
        for case in own.cases.into_iter().chain(rests) {
            suite.add_test_case(case);
        }
        report.add_test_suite(suite);
    }
    report.add_test_suite(of_merge(summary));
    Ok(as_jenkins_has_it(&report.to_string()?))
}

/// Cases that were not run are `skipped` in the schema of Jenkins, which has no `disabled`. A value has no quotation mark:
/// what stands first behind the start of a suite is its attribute.
fn as_jenkins_has_it(xml: &str) -> String {
    let mut parts = xml.split("<testsuite ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let part = part.replacen(" disabled=\"", " skipped=\"", 1);
        text + "<testsuite " + &part
    })
}

impl Suite {
    /// Cases of the runs that have none of their own.
    fn rests(&self, name: &str) -> Vec<TestCase> {
        let agree = counted(self.agree, "run") + " that agree";
        let failed = counted(self.failed, "more run") + " that failed: see summary.json";
        let failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let rests = [
            (self.agree, agree, TestCaseStatus::success()),
            (self.failed, failed, failure),
        ];
        let there = rests.into_iter().filter(|(count, ..)| *count > 0);
        let cases = there.map(|(_, words, status)| {
            let mut case = TestCase::new(&*words, status);
            case.set_classname(name);
            case
        });
        let mut cases: Vec<_> = cases.collect();
        if let Some(case) = cases.first_mut() {
            case.set_time(duration(self.seconds));
        }
        cases
    }
}

/// The suite of what the merge found.
fn of_merge(summary: &Summary) -> TestSuite {
    let mut suite = TestSuite::new("merge");
    for finding in summary.faults() {
        let mut status = TestCaseStatus::non_success(kind(finding.verdict));
        status.set_message(&*finding.text);
        status.set_type(finding.verdict.word());
        let mut case = TestCase::new(&*finding.text, status);
        case.set_classname("merge");
        suite.add_test_case(case);
    }
    if suite.test_cases.is_empty() {
        let mut case = TestCase::new(
            "nothing is missing, every seed counts",
            TestCaseStatus::success(),
        );
        case.set_classname("merge");
        suite.add_test_case(case);
    }
    suite
}

fn case(suite: &str, record: &Record, summary: &Summary) -> TestCase {
    let status = match &record.failure {
        None => TestCaseStatus::success(),
        Some(failure) => {
            let mut status = TestCaseStatus::non_success(kind(record.verdict));
            status.set_type(record.verdict.word());
            status.set_message(failure.signature.words());
            let mut text = String::new();
            if let (Some(expected), Some(rtl)) = (&failure.expected, &failure.rtl) {
                let field = failure.field.as_ref();
                let field = field.map_or_else(String::new, |field| format!("{field}: "));
                text += &format!("{field}expected {expected}, RTL {rtl}\n");
            }
            if let Some(cycle) = failure.cycle {
                text += &format!("cycle {cycle}\n");
            }
            text.extend(
                record
                    .message
                    .as_ref()
                    .map(|message| format!("{message}\n")),
            );
            text += &format!("{}\n", failure.replay);
            let mut groups = summary.groups.iter();
            if let Some(group) = groups.find(|group| group.signature == failure.signature) {
                let since = group.since.and_then(|since| since.words());
                text.extend(since.map(|since| format!("{since}\n")));
                let capsule = group.first.capsule.as_ref();
                text.extend(capsule.map(|capsule| format!("capsule of its kind: {capsule}\n")));
            }
            status.set_description(text);
            status
        }
    };
    let mut case = TestCase::new(&*record.id, status);
    case.set_classname(suite);
    case.set_time(duration(record.time.process));
    case
}

/// Seconds; a damaged file may have any number there.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

/// What the design did is a failure, what prevented a run an error.
fn kind(verdict: Verdict) -> NonSuccessKind {
    match verdict {
        Verdict::Usage | Verdict::Infrastructure | Verdict::Interrupted => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    }
}
