//! `lockstep conform`.

use std::path::PathBuf;

use clap::Args;

use super::rtl::conform::OnRtl;
use super::{Failure, output};
use crate::conform::{Reason, RtlTally};
use crate::lockstep::Verdict;
use crate::report::grouped;

/// Failures shown.
const SHOWN: usize = 10;

/// Arguments of `conform`.
#[derive(Args)]
pub struct ConformArgs {
    /// Files of conformance vectors (JSON Lines)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    on_rtl: OnRtl,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs conformance vectors on the model, and on the RTL if that is asked for.
pub(super) fn conform(args: &ConformArgs) -> Result<Verdict, Failure> {
    let summary = args.on_rtl.run(&args.files)?;
    let verdict = if !summary.unreadable.is_empty() {
        Verdict::Usage
    } else if !summary.failures.is_empty() {
        Verdict::Divergence
    } else {
        Verdict::Agree
    };
    if args.json {
        output::beside(verdict, output::print_json(&summary))?;
        return Ok(verdict);
    }
    let mut text = String::new();
    for tally in &summary.areas {
        text += &format!(
            "{}: {} passed, {} failed\n",
            tally.area, tally.passed, tally.failed
        );
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
    output::beside(verdict, output::print(&text))?;
    for unread in summary.unread.iter().take(SHOWN) {
        output::tell(&format!("lockstep: note: {unread}\n"));
    }
    for unreadable in summary.unreadable.iter().take(SHOWN) {
        output::tell(&format!("lockstep: {unreadable}\n"));
    }
    let more = summary.unreadable.len().saturating_sub(SHOWN);
    if more > 0 {
        output::tell(&format!(
            "lockstep: and {more} more lines that cannot be run\n"
        ));
    }
    Ok(verdict)
}

/// What became of an area on the RTL.
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
