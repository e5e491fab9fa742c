//! `lockstep conform`.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, output};
use crate::conform::run_files;
use crate::lockstep::Verdict;

/// Failures shown.
const SHOWN: usize = 10;

/// Arguments of `conform`.
#[derive(Args)]
pub struct ConformArgs {
    /// Files of conformance vectors (JSON Lines)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Runs conformance vectors on the model.
pub(super) fn conform(args: &ConformArgs) -> Result<Verdict, Failure> {
    let summary = run_files(&args.files).map_err(Failure::usage)?;
    let verdict = if summary.failures.is_empty() {
        Verdict::Agree
    } else {
        Verdict::Divergence
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
    Ok(verdict)
}
