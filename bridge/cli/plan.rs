//! `lockstep plan`.

use std::path::PathBuf;

use clap::Args;

use super::places::Places;
use super::{Failure, output, width};
use crate::lockstep::Verdict;
use crate::plan::{Counts, Plan, Proofs, markdown, text};

/// Arguments of `plan`.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 every rule has code and a test, or an exception (with --complete, a cycle too where the implementations of the coverage allow it); 1 one has not; 2 usage."
)]
pub struct PlanArgs {
    /// Coverage that `run --coverage` wrote; counts of several files are added
    #[arg(value_name = "COVERAGE_FILE")]
    coverage: Vec<PathBuf>,
    /// Fail as well on a rule that a cycle can take, with an implementation of the coverage, and that no run of it took
    #[arg(long, requires = "coverage")]
    complete: bool,
    /// Mark the rules that are proved: what `prove --json` printed, for one implementation or several
    #[arg(long, value_name = "FILE")]
    proofs: Vec<PathBuf>,
    /// Write the plan as Markdown, with links to files from a folder beside the sources
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Prints the verification plan.
pub(super) fn plan(args: &PlanArgs) -> Result<Verdict, Failure> {
    let places = Places::new().writes("--write", args.write.as_deref());
    let files = args.coverage.iter();
    let places = files.fold(places, |places, file| places.reads("coverage", Some(file)));
    let files = args.proofs.iter();
    let places = files.fold(places, |places, file| places.reads("--proofs", Some(file)));
    places.check()?;
    let coverage = match args.coverage.as_slice() {
        [] => None,
        files => Some(Counts::read(files).map_err(Failure::input)?),
    };
    let mut plan = Plan::new(coverage.as_ref());
    plan.add_proofs(&Proofs::read(&args.proofs).map_err(Failure::input)?);
    if args.complete {
        plan.demand_coverage();
    }
    if let Some(path) = &args.write {
        output::write_whole(path, |out| out.write_all(markdown(&plan).as_bytes()))?;
    }
    if args.json {
        output::print_json(&plan)?;
    } else {
        output::print(&text(&plan, width::width()))?;
    }
    Ok(if plan.is_lacking() {
        Verdict::Divergence
    } else {
        Verdict::Agree
    })
}
