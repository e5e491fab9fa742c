//! What GitHub Actions shows of a suite: annotations, and the summary of a step.

use std::env;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use crate::cli::output;
use crate::regress::summary::Summary;
use crate::report::{counted, grouped, left_out};

/// Kinds of failures, and findings, in the summary of a step, which has room for a megabyte.
const LISTED: usize = 100;
/// Annotations that GitHub shows of a step.
const SHOWN: usize = 10;

/// Tells failures to GitHub Actions, if that runs this. Its runners read such lines on standard error as well.
pub(super) fn annotate(summary: &Summary) {
    if env::var_os("GITHUB_ACTIONS").is_some() {
        output::tell(&annotations(summary));
    }
}

/// Adds to the summary of the step, if there is one.
pub(super) fn summarize(summary: &Summary) {
    let path = env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
    let Some(path) = path else {
        return;
    };
    let file = output::check_reader(Path::new(&path))
        .and_then(|()| OpenOptions::new().append(true).create(true).open(&path));
    let written = file.and_then(|mut file| file.write_all(markdown(summary).as_bytes()));
    if let Err(error) = written {
        let path = Path::new(&path).display();
        output::note(&format!(
            "{path} (GITHUB_STEP_SUMMARY): cannot be written: {error}"
        ));
    }
}

fn annotations(summary: &Summary) -> String {
    let of_group = summary.groups.iter().map(|group| {
        let count = counted(group.count as u64, "run");
        (
            format!("{}: {count}", group.signature.verdict.word()),
            format!("{}\n{}", group.signature.words(), group.first.replay),
        )
    });
    let of_finding = summary
        .faults()
        .map(|finding| ("merge".to_owned(), finding.text.clone()));
    let line = |(title, text): (String, String)| {
        format!(
            "::error title={}::{}\n",
            escaped(&title, true),
            escaped(&text, false)
        )
    };
    of_group.chain(of_finding).take(SHOWN).map(line).collect()
}

/// A text of a command of the runner, or a property of one.
fn escaped(text: &str, property: bool) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    match property {
        true => text.replace(':', "%3A").replace(',', "%2C"),
        false => text,
    }
}

fn markdown(summary: &Summary) -> String {
    let runs = &summary.runs;
    let mut text = format!(
        "## {}: {}\n\n{} of {} ended, {} failed; {} cycles, {} fields compared, {} not compared ({})\n",
        summary.verdict.word(),
        summary.suite,
        grouped(runs.ended as u64),
        counted(runs.planned as u64, "run"),
        grouped(runs.failed as u64),
        grouped(runs.cycles),
        grouped(runs.compared),
        grouped(runs.not_compared),
        left_out(!summary.waivers.is_empty()),
    );
    if !summary.groups.is_empty() {
        text += "\n| runs | what | first | command |\n|---|---|---|---|\n";
    }
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    for group in summary.groups.iter().take(LISTED) {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "| {} | {} {} | {} | `{}` |",
            group.count,
            group.signature.verdict.word(),
            cell(&group.signature.words()),
            cell(&group.first.id),
            cell(&group.first.replay)
        );
    }
    if summary.faults().chain(summary.expiring()).next().is_some() {
        text.push('\n');
    }
    for finding in summary.faults().chain(summary.expiring()).take(LISTED) {
        let _ = writeln!(text, "- {}", finding.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_do_not_end_commands() {
        assert_eq!(escaped("a: b,\n100 %", true), "a%3A b%2C%0A100 %25");
        assert_eq!(escaped("a: b,\n100 %", false), "a: b,%0A100 %25");
    }
}
