//! `lockstep vcd names`: what a shell proposes for a signal or a scope.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::reading::Reading;
use crate::cli::output;
use crate::lockstep::Verdict;
use crate::waves::names::completions;

/// Arguments of `vcd names`.
#[derive(Args)]
pub struct NamesArgs {
    /// The dump, of which only the declarations are read
    file: PathBuf,
    /// What is written of a path
    #[arg(default_value = "", allow_hyphen_values = true)]
    start: String,
    /// Propose scopes
    #[arg(long)]
    scopes: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Prints how a path may go on, each way on a line.
pub(super) fn names(args: &NamesArgs) -> Result<Verdict, Failure> {
    let opened = args.reading.open(&args.file)?;
    let ways: BTreeSet<String> = completions(&opened.dump.header(), &args.start, args.scopes);
    let text: String = ways.into_iter().map(|way| way + "\n").collect();
    output::print(&text)?;
    Ok(Verdict::Agree)
}
