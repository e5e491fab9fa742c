//! What `lockstep regress` is asked for: its arguments, the suite, and the runs that were chosen.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;

use super::steer::steer;
use crate::cli::quoted::quoted;
use crate::cli::{Failure, output};
use crate::lockstep::Verdict;
use crate::regress::course::Aim;
use crate::regress::earlier as last_report;
use crate::regress::plan::Plan;
use crate::regress::shard::{Shard, of_environment};
use crate::regress::steering::Taken;
use crate::regress::suite::Suite;
use crate::report::counted;

/// Where results go, if no folder is named.
const OUT: &str = "lockstep-regress";

/// Arguments of `regress`.
#[derive(Args)]
pub struct RegressArgs {
    /// The suite (TOML, or JSON if its name ends with .json)
    #[arg(value_name = "SUITE")]
    suite: PathBuf,
    /// Folder for results, reports of failures, and designs that are built
    #[arg(long, value_name = "DIR", default_value = OUT)]
    out: PathBuf,
    /// Runs at a time [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Part I of N parts of the suite [default: what Slurm, LSF, Grid Engine, PBS, Kubernetes, GitLab, CircleCI or
    /// Buildkite say of an array of tasks; else all of it]
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of parts, where the system that says which part this is does not tell (PBS, Kubernetes)
    #[arg(long, value_name = "N", conflicts_with = "shard", value_parser = crate::cli::number::<u32>(1, u32::MAX as u64))]
    shards: Option<u32>,
    /// Only runs with this in their names, or whose names fit, with * for a part and ** for parts; again for others
    #[arg(long, value_name = "FILTER")]
    only: Vec<String>,
    /// Only the runs that failed in an earlier report: its summary.json or its folder
    #[arg(long, value_name = "LAST")]
    rerun_failed: Option<PathBuf>,
    /// Base of the seeds that follow from one, instead of the suite's: a number, a date, a commit
    #[arg(long, value_name = "TEXT")]
    base: Option<String>,
    /// So many seeds, instead of as many as the suite has, where they follow from a base
    #[arg(long, value_name = "N", value_parser = crate::cli::number::<u64>(1, crate::regress::seeds::MOST))]
    reseed: Option<u64>,
    /// Move profiles to what was not taken before: coverage.json of an earlier report of the suite
    #[arg(long, value_name = "COVERAGE.json", conflicts_with = "until_coverage")]
    steer: Option<PathBuf>,
    /// Go on in rounds of new seeds, with profiles that move to what was not taken before, until so many hundredths of the
    /// rules and points of crosses that can be taken are
    #[arg(
        long,
        value_name = "PERCENT",
        value_parser = crate::cli::number::<u8>(1, 100),
        conflicts_with = "rerun_failed"
    )]
    until_coverage: Option<u8>,
    /// Rounds at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        requires = "until_coverage",
        value_parser = crate::cli::number::<u64>(1, 1_000_000)
    )]
    rounds: u64,
    /// End when so many rounds took nothing new
    #[arg(
        long,
        value_name = "N",
        default_value_t = 3,
        requires = "until_coverage",
        value_parser = crate::cli::number::<u64>(1, 1_000_000)
    )]
    patience: u64,
    /// Leave the profiles of all rounds as the suite has them
    #[arg(long, requires = "until_coverage")]
    pub(super) unsteered: bool,
    /// Start no run, and end those that run, when so many have failed
    #[arg(long, value_name = "N")]
    pub(super) max_failures: Option<NonZeroUsize>,
    /// The same for the first failure
    #[arg(long, conflicts_with = "max_failures")]
    pub(super) fail_fast: bool,
    /// Start a run so often again that ended with exit code 5, for which no design can be blamed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = crate::cli::number::<u32>(0, 100))]
    pub(super) retries: u32,
    /// Run everything, also what an earlier start with the same --out has done
    #[arg(long)]
    pub(super) fresh: bool,
    /// Copy the sources of designs into the capsules of failures
    #[arg(long)]
    pub(super) capsule_sources: bool,
    /// Tell what is new, gone and still failing since an earlier report: its summary.json or its folder
    #[arg(long, value_name = "LAST")]
    pub(super) since: Option<PathBuf>,
    /// List the names of the runs, and run nothing
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) list: bool,
    /// Print the command lines of the runs, and run nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// A suite that is to be run.
pub(super) struct Order<'a> {
    pub args: &'a RegressArgs,
    pub suite: Suite,
    /// The folder of the suite's file: paths in it start there, and runs run there.
    pub folder: PathBuf,
    /// All runs that were chosen.
    pub plan: Plan,
    pub shard: Shard,
    /// The folder of results, from the root.
    pub out: PathBuf,
}

impl<'a> Order<'a> {
    /// Reads the suite, and chooses the runs.
    pub fn new(args: &'a RegressArgs) -> Result<Self, Failure> {
        let mut suite = Suite::load(&args.suite).map_err(Failure::input)?;
        if let Some(base) = &args.base {
            let has_base = suite.rebase(base);
            if !has_base {
                output::note(&format!(
                    "--base: no seeds of {} follow from a base, such as seeds = {{ count = 20, base = \"nightly\" }}: they stay \
                     what they are",
                    args.suite.display()
                ));
            }
        }
        if let Some(number) = args.reseed
            && !suite.reseed(number)
        {
            return Err(Failure::usage(format!(
                "--reseed: expected a suite with a group whose seeds follow from a base, such as seeds = {{ count = 20, base = \
                 \"nightly\" }}, found none in {}",
                args.suite.display()
            )));
        }
        let folder = args.suite.parent().unwrap_or(Path::new(""));
        let failed = |path: &Path, error: io::Error| {
            Failure::usage(format!(
                "{}: cannot be used: {error}; is the working directory there?",
                path.display()
            ))
        };
        let folder = Path::new(".").join(folder);
        let folder = fs::canonicalize(&folder).map_err(|error| failed(&folder, error))?;
        let out = std::path::absolute(&args.out).map_err(|error| failed(&args.out, error))?;
        // The command lines of runs are text.
        for path in [&folder, &out] {
            if path.to_str().is_none() {
                return Err(Failure::usage(format!(
                    "{}: expected a path of text (UTF-8) for a suite and its results, found other bytes",
                    path.display()
                )));
            }
        }
        let mut plan = Plan::of(&suite).map_err(Failure::input)?;
        if let Some(path) = &args.steer {
            let taken = Taken::of_file(&plan, &folder, path).map_err(Failure::input)?;
            let steered = steer(&mut plan, &taken, &folder, &out, jobs(args))?;
            let steered = steered.ok_or_else(|| {
                Failure::new(Verdict::Interrupted, "interrupted before the first run")
            })?;
            if !args.list {
                steered.write()?;
            }
        }
        plan.only(&args.only).map_err(Failure::input)?;
        if let Some(last) = &args.rerun_failed {
            let summary = last_report::read(last).map_err(Failure::input)?;
            let failed = summary.failed();
            if failed.is_empty() {
                return Err(Failure::usage(format!(
                    "--rerun-failed: expected a report with failed runs, found none in {}",
                    last.display()
                )));
            }
            let known: BTreeSet<_> = plan.runs.iter().map(|run| run.id.as_str()).collect();
            let gone: Vec<_> = failed.difference(&known).copied().collect();
            if let Some(first) = gone.first() {
                output::note(&format!(
                    "--rerun-failed: {} of {} that failed in {} are not in the suite, and are not run again: {first}{}; with \
                     seeds of another base, name it with --base",
                    gone.len(),
                    counted(failed.len() as u64, "run"),
                    last.display(),
                    if gone.len() > 1 { ", ..." } else { "" }
                ));
            }
            let what = format!("what failed in {}", last.display());
            plan.keep(&what, |run| failed.contains(run.id.as_str()))
                .map_err(Failure::input)?;
        }
        let shard = match args.shard {
            Some(shard) => shard,
            None => {
                let variable = |name: &str| env::var(name).ok();
                let found = of_environment(variable, args.shards).map_err(Failure::usage)?;
                if let Some((shard, who)) = found {
                    output::note(&format!("shard {shard}, as {who} says"));
                }
                match (found, args.shards) {
                    (Some((shard, _)), _) => shard,
                    (None, None | Some(1)) => Shard::WHOLE,
                    (None, Some(_)) => {
                        return Err(Failure::usage(
                            "--shards: expected a system that says which part this is, found none: name it with --shard I/N",
                        ));
                    }
                }
            }
        };
        if args.until_coverage.is_some() && shard.of > 1 {
            return Err(Failure::usage(format!(
                "--until-coverage: expected all of the suite in one process, as its rounds follow from all runs before, found shard \
                 {shard}: steer shards by the coverage of an earlier report, with --steer, or say --shard 1/1"
            )));
        }
        Ok(Self {
            args,
            suite,
            folder,
            plan,
            shard,
            out,
        })
    }

    /// Runs at a time.
    pub fn jobs(&self) -> usize {
        jobs(self.args)
    }

    /// The coverage that is to be reached, if that is asked for.
    pub fn aim(&self) -> Option<Aim> {
        let args = self.args;
        let aim = |percent| Aim {
            percent,
            rounds: args.rounds,
            patience: args.patience,
        };
        args.until_coverage.map(aim)
    }

    /// A place for this shard alone.
    pub fn own(&self, name: &str) -> PathBuf {
        let shard = self.shard;
        self.out
            .join(format!("shard-{}-of-{}", shard.index, shard.of))
            .join(name)
    }

    /// The command line of a run in the folder of the suite, shortened to so many cycles if they are named.
    pub fn command(&self, number: usize, cycles: Option<u64>) -> String {
        let run = &self.plan.runs[number];
        let design = self.suite.design(&run.design);
        let design = design.map_or_else(Vec::new, |design| design.options(PathBuf::clone));
        let words = run
            .options(&self.suite.limits, cycles)
            .into_iter()
            .chain(design);
        let words: Vec<_> = words.map(|word| quoted(&word)).collect();
        format!("lockstep run {}", words.join(" "))
    }

    /// Numbers of the runs of the shard.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        let numbers = 0..self.plan.runs.len();
        numbers.filter(|&number| self.shard.has(number))
    }
}

fn jobs(args: &RegressArgs) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    args.jobs.map_or(cores, NonZeroUsize::get)
}
