//! `lockstep conform`.

use std::path::PathBuf;
#[cfg(feature = "rtl")]
use std::sync::atomic::AtomicBool;

use clap::Args;

#[cfg(feature = "rtl")]
use super::end::End;
#[cfg(feature = "rtl")]
use super::kept::keep_printed;
#[cfg(feature = "rtl")]
use super::progress::Building;
#[cfg(feature = "rtl")]
use super::running::{DesignArgs, open_failure};
use super::{Failure, output};
use crate::conform::{self, Summary};
#[cfg(feature = "rtl")]
use crate::conform::{ConformError, Reason, RtlOptions, RtlTally};
#[cfg(feature = "rtl")]
use crate::isolation::tell;
use crate::lockstep::Verdict;
#[cfg(feature = "rtl")]
use crate::lockstep::supervise::{Supervised, supervise};
#[cfg(feature = "rtl")]
use crate::report::grouped;

/// Failures shown.
const SHOWN: usize = 10;

/// Arguments of `conform`.
#[derive(Args)]
pub struct ConformArgs {
    /// Files of conformance vectors (JSON Lines)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Run the vectors on the RTL as well, where its ports can express them: the bundled RTL, or a folder with
    /// other RTL behind the same wrapper
    #[cfg(feature = "rtl")]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    rtl: Option<Option<PathBuf>>,
    /// Build the RTL for at most so many configurations besides the default one, those of the most vectors first
    #[cfg(feature = "rtl")]
    #[arg(long, value_name = "N", default_value_t = 8, requires = "rtl")]
    rtl_builds: usize,
    #[cfg(feature = "rtl")]
    #[command(flatten)]
    hang: DesignArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs conformance vectors on the model, and on the RTL if that is asked for.
pub(super) fn conform(args: &ConformArgs) -> Result<Verdict, Failure> {
    let summary = run(args)?;
    let verdict = if !summary.unreadable.is_empty() {
        Verdict::Usage
    } else if !summary.failures.is_empty() {
        Verdict::Divergence
    } else {
        Verdict::Agree
    };
    if args.json {
        output::print_json(&summary)?;
        return Ok(verdict);
    }
    let mut text = String::new();
    for tally in &summary.areas {
        text += &format!(
            "{}: {} passed, {} failed\n",
            tally.area, tally.passed, tally.failed
        );
        #[cfg(feature = "rtl")]
        if let Some(rtl) = &tally.rtl {
            text += &rtl_text(rtl);
        }
    }
    for failure in summary.failures.iter().take(SHOWN) {
        text += &format!(
            "  {}:{}: {}\n",
            failure.file.display(),
            failure.line,
            failure.message
        );
    }
    let more = summary.failures.len().saturating_sub(SHOWN);
    if more > 0 {
        text += &format!("  and {more} more\n");
    }
    output::print(&text)?;
    for unread in summary.unread.iter().take(SHOWN) {
        anstream::eprintln!("lockstep: note: {unread}");
    }
    for unreadable in summary.unreadable.iter().take(SHOWN) {
        anstream::eprintln!("lockstep: {unreadable}");
    }
    let more = summary.unreadable.len().saturating_sub(SHOWN);
    if more > 0 {
        anstream::eprintln!("lockstep: and {more} more lines that cannot be run");
    }
    Ok(verdict)
}

#[cfg(not(feature = "rtl"))]
fn run(args: &ConformArgs) -> Result<Summary, Failure> {
    conform::run_files(&args.files).map_err(Failure::usage)
}

#[cfg(feature = "rtl")]
fn run(args: &ConformArgs) -> Result<Summary, Failure> {
    let Some(folder) = &args.rtl else {
        return conform::run_files(&args.files).map_err(failure);
    };
    keep_printed(None);
    tell(|facts| facts.during = Some("the vectors".into()));
    let limit = args.hang.limit();
    let mut options = RtlOptions {
        folder: folder.clone(),
        ..RtlOptions::new(args.rtl_builds)
    };
    let build = args.hang.options(None)?;
    options.build = options.build.waiting(limit).confined(build.sandbox);
    let (files, pulse) = (args.files.clone(), options.pulse.clone());
    let ended = supervise(&pulse, limit, &AtomicBool::new(false), move || {
        let mut building = Building::default();
        conform::run_files_on_rtl(&files, &options, &mut |event| building.tell(event))
    });
    match ended {
        Supervised::Done(summary) => summary.map_err(failure),
        Supervised::Hang { cycles } | Supervised::Interrupted { cycles } => {
            Err(End::hang(cycles, limit).into())
        }
        Supervised::Panicked(message) => Err(Failure::defect(&message)),
    }
}

#[cfg(feature = "rtl")]
fn failure(error: ConformError) -> Failure {
    match error {
        ConformError::Rtl(error) => open_failure(error),
        error => Failure::usage(error),
    }
}

/// What became of an area on the RTL.
#[cfg(feature = "rtl")]
fn rtl_text(tally: &RtlTally) -> String {
    let mut text = format!(
        "  on the RTL: {} passed, {} passed in part, {} failed, {} not expressible, {} not built; {} values compared\n",
        tally.passed,
        tally.passed_in_part,
        tally.failed,
        tally.not_expressible,
        tally.not_built,
        grouped(tally.values as u64)
    );
    for Reason { reason, lines } in &tally.reasons {
        text += &format!("    not expressible in {lines}: {reason}\n");
    }
    if tally.lines_with_parts_not_built > 0 {
        text += &format!(
            "    not built in {}: more configurations than --rtl-builds\n",
            tally.lines_with_parts_not_built
        );
    }
    text
}
