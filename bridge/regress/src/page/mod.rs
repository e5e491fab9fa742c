//! Results as one HTML page in the style of all pages: the verdict first, then what failed and how to see it again, then
//! what was compared and what never was.

mod plot;

use askama::Template;
use lockstep_base::day::Day;
use lockstep_base::verdict::Verdict;
use lockstep_report::html::STYLE;
use lockstep_report::{counted, grouped};

use crate::check::{self, Coverage, Finding};
use crate::record::Waiver;
use crate::rtl_coverage::Tally;
use crate::summary::{Group, Summary};
use plot::{Plot, plots};

/// Entries of a list that are shown.
const LISTED: usize = 100;

/// The page of a summary. Links lead to the reports of failures in `results`, the address of the folder of the results
/// from that of the page, where there is one.
///
/// # Errors
/// None that is known: the template is part of the program, and strings take what is written to them.
pub fn page(summary: &Summary, results: Option<&str>) -> Result<String, askama::Error> {
    Page {
        summary,
        results,
        plots: plots(&summary.history),
        style: STYLE,
        own: include_str!("style.css"),
    }
    .render()
}

#[derive(Template)]
#[template(path = "regress.html", config = "src/page/askama.toml")]
struct Page<'a> {
    summary: &'a Summary,
    results: Option<&'a str>,
    plots: Vec<Plot>,
    style: &'static str,
    own: &'static str,
}

impl Page<'_> {
    /// The verdict in a sentence.
    fn sentence(&self) -> String {
        let runs = &self.summary.runs;
        let ended = match runs.ended == runs.planned {
            true => counted(runs.planned as u64, "run"),
            false => format!(
                "{} of {}",
                self.number(runs.ended),
                counted(runs.planned as u64, "run")
            ),
        };
        let faults = self.summary.faults().count();
        let found = match faults {
            0 => String::new(),
            _ => format!(", and the merge found {}", counted(faults as u64, "fault")),
        };
        match (runs.failed, self.summary.groups.len()) {
            (0, _) if faults == 0 => format!("All of {ended} agree"),
            (0, _) => format!("All of {ended} that have ended agree{found}"),
            (failed, kinds) => format!(
                "{} of {ended} failed, in {}{found}",
                self.number(failed),
                counted(kinds as u64, "way")
            ),
        }
    }

    /// The colour of the verdict, by its class.
    fn class(&self) -> &'static str {
        match self.summary.verdict {
            Verdict::Agree => "pass",
            Verdict::UnusedWaiver | Verdict::Interrupted => "warn",
            _ => "",
        }
    }

    fn is_new(&self, group: &Group) -> bool {
        let since = self.summary.since.as_ref();
        since.is_some_and(|since| since.is_new(&group.signature))
    }

    /// Since when failures are there, if they were before.
    fn since(&self, group: &Group) -> Option<String> {
        group.since.and_then(|since| since.words())
    }

    /// What is shown of a list, and how much of it is not: of millions of runs a page is as long as one of hundreds.
    fn cut<'l, T>(&self, all: &'l [T]) -> (&'l [T], usize) {
        let shown = all.len().min(LISTED);
        (&all[..shown], all.len() - shown)
    }

    /// Findings that fail the suite.
    fn faults(&self) -> Vec<&Finding> {
        self.summary.faults().collect()
    }

    /// Mistakes that would explain a failure, but for the one that it has its name from.
    fn other_causes<'g>(&self, group: &'g Group) -> Vec<&'g str> {
        let causes = group.first.causes.iter().map(String::as_str);
        causes
            .filter(|cause| *cause != group.signature.what)
            .collect()
    }

    /// The command that shows a failure again: from its capsule, if there is one.
    fn command<'g>(&self, group: &'g Group) -> &'g str {
        group.first.again.as_ref().unwrap_or(&group.first.replay)
    }

    /// Where the commands are to be run.
    fn place(&self) -> &'static str {
        let mut groups = self.summary.groups.iter();
        match groups.any(|group| group.first.again.is_some()) {
            true => {
                "Commands with a capsule are for the folder of this page, and take the design from where the suite had it; where \
                 it is elsewhere, name it with --filelist, --rtl or --dut. All other commands are for the folder of the suite."
            }
            false => "Commands are for the folder of the suite.",
        }
    }

    /// How long a waiver has left, if it expires soon.
    fn soon(&self, waiver: &Waiver) -> Option<String> {
        check::soon(waiver, self.summary.times.day)
    }

    /// Days of the oldest and the last entry of the history.
    fn days(&self) -> Option<(Day, Day)> {
        let history = &self.summary.history;
        Some((history.first()?.day?, history.last()?.day?))
    }

    /// Address of the report of the first failure of a group.
    fn address(&self, group: &Group) -> Option<String> {
        if let Some(page) = &group.first.page {
            return Some(page.clone());
        }
        let folder = group.first.folder.as_ref()?;
        let is_page = group.signature.verdict == Verdict::Divergence;
        let name = if is_page {
            "report.html"
        } else {
            "report.json"
        };
        Some(format!("{}/{folder}/{name}", self.results?))
    }

    /// Whether there is a page of rules and crosses.
    fn has_coverage(&self) -> bool {
        let mut coverage = self.summary.coverage.iter();
        coverage.any(|coverage| coverage.points.is_some())
    }

    /// Whether there is none of runs that counted them before.
    fn lacks_coverage(&self) -> bool {
        let mut history = self.summary.history.iter();
        !self.has_coverage() && history.any(|entry| entry.rules.is_some())
    }

    /// Whether there is a page of coverage of RTL.
    fn has_rtl_coverage(&self) -> bool {
        let mut coverage = self.summary.coverage.iter();
        coverage.any(|coverage| {
            coverage
                .rtl
                .is_some_and(|rtl| rtl.tally != Tally::default())
        })
    }

    /// What nobody compared in all runs of a configuration, in lines.
    fn holes<'c>(&self, coverage: &'c Coverage) -> Vec<(&'static str, Vec<&'c str>)> {
        let lists = [
            ("never compared", &coverage.never_compared),
            ("one value alone", &coverage.never_changed),
            ("UNKNOWN in most", &coverage.mostly_unknown),
            ("not in the design", &coverage.absent),
            ("rules never taken", &coverage.never_taken),
        ];
        let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
        lists
            .map(|(what, names)| (what, names.iter().map(String::as_str).collect()))
            .collect()
    }

    /// A number, in groups of three digits.
    fn number(&self, number: impl Into<Number>) -> String {
        grouped(number.into().0)
    }

    /// Seconds.
    fn seconds(&self, seconds: &f64) -> String {
        format!("{seconds:.2} s")
    }

    /// Cycles in a second.
    fn speed(&self, speed: &f64) -> String {
        format!("{:.2} M cycles/s", speed / 1e6)
    }
}

/// A number to be shown.
struct Number(u64);

impl From<&u64> for Number {
    fn from(number: &u64) -> Self {
        Self(*number)
    }
}

impl From<&&u64> for Number {
    fn from(number: &&u64) -> Self {
        Self(**number)
    }
}

impl From<usize> for Number {
    fn from(number: usize) -> Self {
        Self(number as u64)
    }
}

impl From<&usize> for Number {
    fn from(number: &usize) -> Self {
        Self(*number as u64)
    }
}
