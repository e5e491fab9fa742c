//! `lockstep regress`.

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;
use serde::Serialize;

use super::designs::{Designs, prepare};
use super::farm::{Farm, Harvest};
use super::github;
use super::merge::{line_of_group, write_report};
use crate::cli::output_folder::OutputFolder;
use crate::cli::quoted::quoted;
use crate::cli::{Failure, output};
use crate::lockstep::Verdict;
use crate::regress::earlier as last_report;
use crate::regress::merge::Merged;
use crate::regress::plan::{Plan, hash};
use crate::regress::record::{FORMAT, Header, Part, Program, Record, worst};
use crate::regress::results::{self, Results, Writer};
use crate::regress::shard::{Shard, of_environment};
use crate::regress::suite::Suite;
use crate::regress::summary::Summary;
use crate::report::counted;

/// Where results go, if no folder is named.
const OUT: &str = "lockstep-regress";
/// The folder of the report, in that of the results.
const REPORT: &str = "report";
/// The folder of what runs leave.
pub(super) const RUNS: &str = "runs";

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
    fresh: bool,
    /// Tell what is new, gone and still failing since an earlier report: its summary.json or its folder
    #[arg(long, value_name = "LAST")]
    since: Option<PathBuf>,
    /// List the names of the runs, and run nothing
    #[arg(long, conflicts_with = "dry_run")]
    list: bool,
    /// Print the command lines of the runs, and run nothing
    #[arg(long)]
    dry_run: bool,
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

impl Order<'_> {
    /// Runs at a time.
    pub fn jobs(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.args.jobs.map_or(cores, NonZeroUsize::get)
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
    fn numbers(&self) -> impl Iterator<Item = usize> {
        let numbers = 0..self.plan.runs.len();
        numbers.filter(|&number| self.shard.has(number))
    }
}

/// What a shard came to, for programs.
#[derive(Serialize)]
struct ShardSummary<'a> {
    verdict: Verdict,
    exit_code: u8,
    suite: &'a str,
    shard: u32,
    of: u32,
    planned: usize,
    ended: usize,
    failed: usize,
    results: &'a Path,
    stopped: &'a [String],
}

/// Runs a suite, or a part of it.
pub(in crate::cli) fn regress(args: &RegressArgs) -> Result<Verdict, Failure> {
    let order = order(args)?;
    if args.list || args.dry_run {
        let line = |number: usize| match args.list {
            true => format!("{}\n", order.plan.runs[number].id),
            false => format!("{}\n", order.command(number, None)),
        };
        output::print(&order.numbers().map(line).collect::<String>())?;
        return Ok(Verdict::Agree);
    }
    let last = args.since.as_deref().map(last_report::read).transpose();
    let last = last.map_err(Failure::usage)?;
    let own = OutputFolder::new(&order.own(""))?;
    own.make()?;
    let designs = prepare(&order)?;
    let header = header(&order, &designs)?;
    let path = order.out.join(results::name(order.shard));
    let earlier = earlier(args, &path, &header)?;
    let known: Vec<Record> = earlier.as_ref().map_or_else(Vec::new, |earlier| {
        let decided = earlier.records.iter().filter(|record| record.is_decided());
        decided.cloned().collect()
    });
    let done: BTreeSet<_> = known.iter().map(|record| record.id.as_str()).collect();
    let left: Vec<_> = order
        .numbers()
        .filter(|&number| !done.contains(order.plan.runs[number].id.as_str()))
        .collect();
    if !done.is_empty() {
        output::note(&format!(
            "{} of {} in {} are done already, and are kept; --fresh runs them again",
            done.len(),
            counted(order.numbers().count() as u64, "run"),
            path.display()
        ));
    }
    let is_whole = earlier
        .as_ref()
        .is_some_and(|earlier| earlier.trailer.is_some());
    let mut stopped = Vec::new();
    if !(left.is_empty() && is_whole) {
        let mut writer = Writer::create(&path, &header, &known).map_err(unwritable)?;
        let failed = known.iter().filter(|record| record.has_failed()).count();
        let farm = Farm::new(&order, &designs);
        match farm.run(&left, failed, &mut writer)? {
            Harvest::All => {}
            Harvest::Enough(why) => stopped.push(why),
            Harvest::Interrupted => {
                output::tell(&format!(
                    "lockstep: interrupted; what has ended is in {}.partial, the same command does what is left\n",
                    path.display()
                ));
                return Ok(Verdict::Interrupted);
            }
        }
        writer
            .finish(vec![order.shard.index], stopped.clone())
            .map_err(unwritable)?;
    }
    conclude(&order, &path, last.as_ref(), &stopped)
}

/// Reads the suite, and chooses the runs.
fn order(args: &RegressArgs) -> Result<Order<'_>, Failure> {
    let mut suite = Suite::load(&args.suite).map_err(Failure::usage)?;
    if let Some(base) = &args.base {
        suite.rebase(base);
    }
    let folder = args.suite.parent().unwrap_or(Path::new(""));
    let folder = fs::canonicalize(Path::new(".").join(folder)).map_err(Failure::usage)?;
    let out = std::path::absolute(&args.out).map_err(Failure::usage)?;
    let mut plan = Plan::of(&suite).map_err(Failure::usage)?;
    plan.only(&args.only).map_err(Failure::usage)?;
    if let Some(last) = &args.rerun_failed {
        let summary = last_report::read(last).map_err(Failure::usage)?;
        let failed = summary.failed();
        let what = format!("what failed in {}", last.display());
        plan.keep(&what, |run| failed.contains(run.id.as_str()))
            .map_err(Failure::usage)?;
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
    Ok(Order {
        args,
        suite,
        folder,
        plan,
        shard,
        out,
    })
}

fn header(order: &Order<'_>, designs: &Designs) -> Result<Header, Failure> {
    let unreadable = |(path, error): (PathBuf, std::io::Error)| {
        Failure::usage(format!(
            "{}: cannot be read: {error}; the suite names it",
            path.display()
        ))
    };
    let program = env::current_exe().and_then(fs::read);
    let program = program.map_err(Failure::infrastructure)?;
    Ok(Header {
        format: FORMAT,
        program: Program {
            version: env!("CARGO_PKG_VERSION").into(),
            build: hash(&program),
        },
        suite: order.suite.name.clone(),
        suite_hash: order.suite.hash(&order.folder).map_err(unreadable)?,
        plan_hash: order.plan.hash(),
        plan_runs: order.plan.runs.len(),
        designs: designs.hashes(),
        demand_fields: order.suite.demand.fields,
        demand_rules: order.suite.demand.rules,
        shards: order.shard.of,
        parts: vec![Part {
            shard: order.shard.index,
            runs: order.numbers().count(),
            damage: Vec::new(),
        }],
    })
}

/// What an earlier start with the same folder left, which must be of the same suite, program and designs.
fn earlier(args: &RegressArgs, path: &Path, header: &Header) -> Result<Option<Results>, Failure> {
    if args.fresh {
        return Ok(None);
    }
    let Some(found) = results::earlier(path).map_err(Failure::usage)? else {
        return Ok(None);
    };
    let same = [
        ("program", found.header.program == header.program),
        ("suite", found.header.suite_hash == header.suite_hash),
        ("choice of runs", found.header.plan_hash == header.plan_hash),
        ("design", found.header.designs == header.designs),
    ];
    match same.iter().find(|(_, same)| !same) {
        None => Ok(Some(found)),
        Some((what, _)) => Err(Failure::usage(format!(
            "{}: expected results of this {what}, found those of another one: name another folder with --out, or replace them \
             with --fresh",
            found.path.display()
        ))),
    }
}

pub(super) fn unwritable(error: results::ResultsError) -> Failure {
    Failure::infrastructure(error)
}

/// Tells what the shard came to, and reports if it is all of the suite.
fn conclude(
    order: &Order<'_>,
    path: &Path,
    last: Option<&Summary>,
    stopped: &[String],
) -> Result<Verdict, Failure> {
    let results = Results::read(path).map_err(Failure::infrastructure)?;
    let merged = Merged::new(results);
    if order.shard.of == 1 {
        let report = order.out.join(REPORT);
        let summary = write_report(&merged, last, &report, Some(".."))?;
        return super::merge::conclude(&summary, &report, order.args.json);
    }
    let verdict = worst(merged.records().map(|record| match record.verdict {
        Verdict::UnusedWaiver => Verdict::Agree,
        verdict => verdict,
    }));
    let failed = merged
        .records()
        .filter(|record| record.has_failed())
        .count();
    let planned = order.numbers().count();
    let mut summary = Summary::of(&merged);
    // The merge judges what only all shards tell.
    summary.findings.clear();
    github::annotate(&summary);
    if order.args.json {
        output::print_json(&ShardSummary {
            verdict,
            exit_code: verdict.exit_code(),
            suite: &order.suite.name,
            shard: order.shard.index,
            of: order.shard.of,
            planned,
            ended: merged.len(),
            failed,
            results: path,
            stopped,
        })?;
        return Ok(verdict);
    }
    let mut text = format!(
        "{}  suite {}, shard {}: {} of {} ended, {failed} failed\n",
        verdict.word(),
        order.suite.name,
        order.shard,
        merged.len(),
        counted(planned as u64, "run")
    );
    for group in &summary.groups {
        text += &line_of_group(group);
    }
    // Writing to a string does not fail.
    let _ = writeln!(text, "  results {}", path.display());
    output::print(&text)?;
    Ok(verdict)
}
