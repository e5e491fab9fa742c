//! Results as JUnit: a test suite for each implementation, design and stimulus, a test case for each run, and one suite
//! of what the merge found.

use std::collections::BTreeMap;
use std::time::Duration;

use lockstep_base::verdict::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use crate::merge::Merged;
use crate::record::Record;
use crate::summary::Summary;

/// The XML.
///
/// # Errors
/// None that is known.
pub fn junit(merged: &Merged, summary: &Summary) -> Result<String, SerializeError> {
    let mut report = Report::new(&*summary.suite);
    let mut suites: BTreeMap<String, Vec<&Record>> = BTreeMap::new();
    for record in merged.records() {
        let name = format!(
            "{}/{}/{}",
            record.implementation, record.design, record.stimulus
        );
        suites.entry(name).or_default().push(record);
    }
    for (name, records) in suites {
        let mut suite = TestSuite::new(&*name);
        for record in records {
            suite.add_test_case(case(&name, record));
        }
        report.add_test_suite(suite);
    }
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
    report.add_test_suite(suite);
    report.to_string()
}

fn case(suite: &str, record: &Record) -> TestCase {
    let status = match &record.failure {
        None => TestCaseStatus::success(),
        Some(failure) => {
            let mut status = TestCaseStatus::non_success(kind(record.verdict));
            status.set_type(record.verdict.word());
            status.set_message(failure.signature.words());
            let mut text = String::new();
            if let (Some(expected), Some(rtl)) = (&failure.expected, &failure.rtl) {
                text += &format!("expected {expected}, RTL {rtl}\n");
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
            status.set_description(text);
            status
        }
    };
    let mut case = TestCase::new(&*record.id, status);
    case.set_classname(suite);
    // A damaged file may have any number there.
    let time = Duration::try_from_secs_f64(record.time.process);
    case.set_time(time.unwrap_or_default());
    case
}

/// What the design did is a failure, what prevented a run an error.
fn kind(verdict: Verdict) -> NonSuccessKind {
    match verdict {
        Verdict::Usage | Verdict::Infrastructure | Verdict::Interrupted => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    }
}
