//! `lockstep merge`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use super::capsules::{self, Capsules};
use super::github;
use super::rtl_coverage;
use crate::cli::output_folder::OutputFolder;
use crate::cli::{Failure, output, report_files};
use crate::lockstep::Verdict;
use crate::regress::coverage::File as CoverageFile;
use crate::regress::junit::junit;
use crate::regress::merge::{Merged, merge as merge_files};
use crate::regress::page::page;
use crate::regress::record::Further;
use crate::regress::rounds::Rounds;
use crate::regress::summary::{Group, Summary};
use crate::regress::totals::Totals;
use crate::regress::{earlier, results};
use crate::report::further::stretches;
use crate::report::{counted, grouped, left_out};
use crate::scratch::folder_of;

/// Arguments of `merge`.
#[derive(Args)]
pub struct MergeArgs {
    /// Folders of results of `lockstep regress`, earlier reports of merges, or files of them
    #[arg(required = true, value_name = "DIR")]
    results: Vec<PathBuf>,
    /// Folder for summary.json, junit.xml, index.html, and the merged results
    #[arg(short, long, alias = "output", value_name = "DIR")]
    out: PathBuf,
    /// Tell what is new, gone and still failing since an earlier report: its summary.json or its folder
    #[arg(long, value_name = "LAST")]
    since: Option<PathBuf>,
    /// Copy the sources of designs into the capsules of failures
    #[arg(long)]
    capsule_sources: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Names of the files: merged results, their summary, the same for other programs, the page, what was taken.
const RESULTS: &str = "results.jsonl";
const SUMMARY: &str = "summary.json";
const JUNIT: &str = "junit.xml";
const PAGE: &str = "index.html";
const COVERAGE: &str = "coverage.json";
const COVERAGE_PAGE: &str = "coverage.html";
const NAMES: [&str; 7] = [
    RESULTS,
    SUMMARY,
    JUNIT,
    PAGE,
    COVERAGE,
    COVERAGE_PAGE,
    rtl_coverage::PAGE,
];

/// Merges results and reports.
pub(in crate::cli) fn merge(args: &MergeArgs) -> Result<Verdict, Failure> {
    let last = args.since.as_deref().map(earlier::read).transpose();
    let last = last.map_err(Failure::input)?;
    let files = results::find(&args.results).map_err(Failure::input)?;
    let merged = merge_files(&files).map_err(Failure::input)?;
    let Some(merged) = merged else {
        let places: Vec<_> = args
            .results
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        return Err(Failure::usage(format!(
            "expected files of results (*.jsonl) of `lockstep regress`, found none in {}",
            places.join(", ")
        )));
    };
    let from = address(&args.out, &args.results);
    let mut roots: Vec<_> = files
        .iter()
        .map(|file| folder_of(file).to_owned())
        .collect();
    roots.dedup();
    let capsules = Capsules {
        roots: &roots,
        sources: args.capsule_sources,
    };
    let summary = write_report(
        &merged,
        &files,
        last.as_ref(),
        &args.out,
        from.as_deref(),
        &capsules,
    )?;
    conclude(&summary, &args.out, args.json)
}

/// The way from the page to the reports of failures, if all results are in one folder, below or beside the page.
fn address(output: &Path, results: &[PathBuf]) -> Option<String> {
    let [folder] = results else { return None };
    let (folder, output) = (
        std::path::absolute(folder).ok()?,
        std::path::absolute(output).ok()?,
    );
    if !folder.join("runs").is_dir() {
        return None;
    }
    match (
        output.strip_prefix(&folder),
        output.parent() == folder.parent(),
    ) {
        (Ok(inside), _) => Some(vec![".."; inside.iter().count()].join("/")),
        (Err(_), true) => Some(format!("../{}", folder.file_name()?.to_string_lossy())),
        _ => None,
    }
}

/// Checks that a report replaces nothing of the user's.
///
/// # Errors
/// A file is none that an earlier report left.
pub(super) fn check_report(folder: &Path) -> Result<(), Failure> {
    report_files::check(folder, &NAMES)
}

/// Removes an earlier report, which [`check_report`] has found to be one.
///
/// # Errors
/// A file cannot be removed.
pub(super) fn remove_report(folder: &Path) -> Result<(), Failure> {
    if !folder.is_dir() {
        return Ok(());
    }
    let out = OutputFolder::new(folder)?;
    rtl_coverage::remove(&out.file(rtl_coverage::FOLDER))?;
    NAMES.iter().try_for_each(|name| out.remove(name))
}

/// Writes the report of merged results, which are those of `files`, to a folder.
///
/// # Errors
/// It cannot be written.
pub(super) fn write_report(
    merged: &Merged,
    files: &[PathBuf],
    last: Option<&Summary>,
    folder: &Path,
    results: Option<&str>,
    capsules: &Capsules<'_>,
) -> Result<Summary, Failure> {
    let (mut summary, totals) = Summary::and_totals(merged).map_err(Failure::infrastructure)?;
    if let Some(last) = last {
        summary.follow(last);
    }
    let out = OutputFolder::new(folder)?;
    check_report(folder)?;
    let names = capsules::names(&summary);
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    report_files::check(folder, &names)?;
    let mut write = || -> Result<(), Failure> {
        out.make()?;
        capsules.write(&mut summary, &out)?;
        rtl_coverage::write(&mut summary, files, &out)?;
        output::write_whole(&out.file(RESULTS), |to| merged.write(to))?;
        let json = serde_json::to_string_pretty(&summary).map_err(Failure::infrastructure)?;
        out.write(SUMMARY, &(json + "\n"))?;
        let xml = junit(merged, &summary).map_err(Failure::infrastructure)?;
        out.write(JUNIT, &xml)?;
        write_coverage(&summary.suite, &totals, &out)?;
        let html = page(&summary, results).map_err(Failure::infrastructure)?;
        out.write(PAGE, &html).map(|_| ())
    };
    let written = write();
    if written.is_err() {
        // What is there of an earlier report is not about these results.
        let removed = [SUMMARY, JUNIT, PAGE].iter().map(|name| out.remove(name));
        for failure in removed.filter_map(Result::err) {
            output::note(&failure.message);
        }
    }
    output::beside(summary.verdict, written)?;
    github::annotate(&summary);
    github::summarize(&summary);
    Ok(summary)
}

/// Writes what runs took, if that was counted.
fn write_coverage(suite: &str, totals: &Totals, out: &OutputFolder) -> Result<(), Failure> {
    let file = CoverageFile::of(suite, totals).map_err(Failure::infrastructure)?;
    let Some(file) = file else {
        // Those of an earlier report are of other results.
        return [COVERAGE, COVERAGE_PAGE]
            .iter()
            .try_for_each(|name| out.remove(name));
    };
    output::write_whole(&out.file(COVERAGE), |to| {
        serde_json::to_writer_pretty(&mut *to, &file)?;
        to.write_all(b"\n")
    })?;
    let html = file.page().map_err(Failure::infrastructure)?;
    out.write(COVERAGE_PAGE, &html).map(|_| ())
}

/// Tells a summary.
///
/// # Errors
/// Standard output cannot be written.
pub(super) fn conclude(summary: &Summary, report: &Path, json: bool) -> Result<Verdict, Failure> {
    let printed = match json {
        true => output::print_json(summary),
        false => output::print(&text(summary, report)),
    };
    output::beside(summary.verdict, printed)?;
    Ok(summary.verdict)
}

/// Fields after the first divergence that are shown of a group.
const FURTHER: usize = 5;
/// Groups, and findings, that are shown on the terminal.
const SHOWN: usize = 20;

fn text(summary: &Summary, report: &Path) -> String {
    let runs = &summary.runs;
    let found = match summary.faults().count() {
        0 => String::new(),
        faults => format!(", and the merge found {}", counted(faults as u64, "fault")),
    };
    let mut text = format!(
        "{}  suite {}: {} of {} ended, {} failed{found}\n",
        summary.verdict.word(),
        summary.suite,
        grouped(runs.ended as u64),
        counted(runs.planned as u64, "run"),
        grouped(runs.failed as u64)
    );
    for group in summary.groups.iter().take(SHOWN) {
        text += &line_of_group(group);
    }
    // Writing to a string does not fail.
    if let Some(more) = summary.groups.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(text, "  and {} more kinds of failures", more + 1);
    }
    let findings: Vec<_> = summary.faults().chain(summary.expiring()).collect();
    for finding in findings.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}", finding.text);
    }
    if let Some(more) = findings.len().checked_sub(SHOWN + 1) {
        let _ = writeln!(text, "  and {} more findings", more + 1);
    }
    if let Some(rounds) = &summary.rounds {
        text += &lines_of_rounds(rounds);
    }
    if let Some(since) = &summary.since {
        let _ = writeln!(text, "  since the last one: {}", since.words());
    }
    let _ = writeln!(
        text,
        "  {} cycles, fields compared {}, not compared ({}) {}",
        grouped(runs.cycles),
        grouped(runs.compared),
        left_out(!summary.waivers.is_empty()),
        grouped(runs.not_compared)
    );
    let _ = writeln!(text, "  report {}", report.join(PAGE).display());
    text
}

/// What rounds came to, in some lines.
fn lines_of_rounds(rounds: &Rounds) -> String {
    let mut text = format!("  {}\n", rounds.sentence());
    for part in &rounds.parts {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    {}", part.sentence());
        for missing in &part.missing {
            let _ = writeln!(text, "      not taken: {missing}");
        }
        if part.more() > 0 {
            let _ = writeln!(text, "      and {} more, in {COVERAGE_PAGE}", part.more());
        }
    }
    text
}

/// What is wrong: of the machine and the suite in the words of the first, with its paths and numbers.
fn what(group: &Group) -> String {
    let message = group.first.message.as_ref();
    let first = message.and_then(|message| message.lines().next());
    match (group.signature.verdict, first) {
        (Verdict::Usage | Verdict::Infrastructure, Some(message)) => {
            format!("{}: {message}", group.signature.design)
        }
        _ => group.signature.words(),
    }
}

/// What a run that went on found after its first divergence, in lines.
fn further(all: &[Further]) -> String {
    let line = |one: &Further| {
        format!(
            "    then {}: expected {}, RTL {}, in cycle {}, {}\n",
            one.field,
            one.expected,
            one.rtl,
            one.cycle,
            stretches(one.stretches)
        )
    };
    let more = match all.len().saturating_sub(FURTHER) {
        0 => String::new(),
        more => format!("    then {}\n", counted(more as u64, "more field")),
    };
    all.iter().take(FURTHER).map(line).collect::<String>() + &more
}

/// A kind of failures, in some lines.
pub(super) fn line_of_group(group: &Group) -> String {
    let first = &group.first;
    let seed = first
        .seed
        .map_or(String::new(), |seed| format!(", first seed {seed}"));
    let cycle = first
        .cycle
        .map_or(String::new(), |cycle| format!(", cycle {cycle}"));
    let since = group.since.and_then(|since| since.words());
    let since = since.map_or(String::new(), |since| format!(", {since}"));
    let capsule = first
        .capsule
        .as_ref()
        .map_or(String::new(), |capsule| format!("    {capsule}\n"));
    let further = further(&first.further);
    format!(
        "  {} {}: {}{seed}{cycle}{since}\n{further}    {}\n{capsule}",
        group.signature.verdict.word(),
        what(group),
        counted(group.count as u64, "run"),
        first.replay
    )
}
