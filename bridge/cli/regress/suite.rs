//! `lockstep regress`.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::capsules::Capsules;
use super::designs::{Designs, prepare};
use super::farm::{Farm, Harvest};
use super::github;
use super::merge::{check_report, line_of_group, remove_report, write_report};
use super::order::{Order, RegressArgs};
use super::rounds::rounds;
use super::rtl_coverage::{self, Shard as RtlCoverage};
use crate::cli::output_folder::OutputFolder;
use crate::cli::{Failure, output, report_files};
use crate::lockstep::Verdict;
use crate::regress::earlier as last_report;
use crate::regress::merge::Merged;
use crate::regress::plan::hash;
use crate::regress::record::{FORMAT, Header, Part, Program, Record, worst};
use crate::regress::results::{self, Results, Writer};
use crate::regress::steering::Taken;
use crate::regress::summary::Summary;
use crate::report::counted;

/// The folder of the report, in that of the results.
const REPORT: &str = "report";

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
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    results: &'a Path,
    stopped: &'a [String],
}

/// A run that `--list` or `--dry-run` name, for programs.
#[derive(Serialize)]
struct Listed<'a> {
    run: &'a str,
    command: String,
}

/// Runs a suite, or a part of it.
pub(in crate::cli) fn regress(args: &RegressArgs) -> Result<Verdict, Failure> {
    let mut order = Order::new(args)?;
    let last = args.since.as_deref().map(last_report::read).transpose();
    let last = last.map_err(Failure::input)?;
    if args.list || args.dry_run {
        list(&order)?;
        return Ok(Verdict::Agree);
    }
    let name = results::name(order.shard);
    report_files::check(&order.out, &[&name])?;
    check_report(&order.out.join(REPORT))?;
    let own = OutputFolder::new(&order.own(""))?;
    own.make()?;
    let mut header = header(&order)?;
    let aim = order.aim();
    if aim.is_some() {
        // What has no coverage is told before designs are built.
        Taken::of(&order.plan, &order.folder, Vec::new()).map_err(Failure::input)?;
    }
    let path = order.out.join(name);
    // To build designs takes minutes: what cannot be gone on with is told before.
    let earlier = earlier(args, &path, &header)?;
    let designs = prepare(&order)?;
    header.designs = designs.hashes();
    if let Some(earlier) = &earlier {
        demand_same(earlier, "design", earlier.header.designs == header.designs)?;
    }
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
        let planned = counted(order.numbers().count() as u64, "run");
        let done = match aim {
            None => format!("{} of {planned}", done.len()),
            // How many there will be is not known.
            Some(_) => counted(done.len() as u64, "run"),
        };
        output::note(&format!(
            "{done} in {} are done already, and are kept; --fresh runs them again",
            path.display()
        ));
    }
    let is_whole = earlier
        .as_ref()
        .is_some_and(|earlier| earlier.trailer.is_some() && earlier.path == path);
    let is_done = aim.is_none() && left.is_empty() && is_whole;
    let mut stopped = Vec::new();
    let goes_on = !known.is_empty();
    let covered = |order: &Order<'_>| {
        RtlCoverage::open(order.own(rtl_coverage::FOLDER), &order.folder, goes_on)
    };
    if let Some(aim) = aim {
        remove_report(&order.out.join(REPORT))?;
        let covered = covered(&order)?;
        let known = known.clone();
        match rounds(
            &mut order,
            aim,
            &designs,
            &covered,
            &mut header,
            (&path, known),
        )? {
            Some(why) => stopped = why,
            None => return Ok(interrupted(&path)),
        }
    } else if !is_done {
        // What was told of an earlier start is not true of this one.
        if order.shard.of == 1 {
            remove_report(&order.out.join(REPORT))?;
        }
        let mut writer = Writer::create(&path, &header, &known).map_err(Failure::infrastructure)?;
        let failed = known.iter().filter(|record| record.has_failed()).count();
        let covered = covered(&order)?;
        let farm = Farm::new(&order, &designs, &header, &covered);
        match farm.run(&left, failed, &mut writer)? {
            Harvest::All => {}
            Harvest::Enough(why) => stopped.push(why),
            Harvest::Interrupted => return Ok(interrupted(&path)),
        }
        writer
            .finish(vec![order.shard.index], stopped.clone())
            .map_err(Failure::infrastructure)?;
    }
    if !is_done && let Some(what) = changed(&order, &header, &designs) {
        // Nothing tells which run had what.
        fs::remove_file(&path).map_err(|error| output::failed(&path, &error))?;
        return Err(Failure::new(
            Verdict::Infrastructure,
            format!(
                "the {what} changed while its runs were going on: their results are dropped; run it again"
            ),
        ));
    }
    conclude(&order, &path, last.as_ref(), &stopped)
}

/// Names the runs, or for `--dry-run` their commands; for programs, both.
fn list(order: &Order<'_>) -> Result<(), Failure> {
    let runs: Vec<_> = order
        .numbers()
        .map(|number| Listed {
            run: &order.plan.runs[number].id,
            command: order.command(number, None),
        })
        .collect();
    if order.args.json {
        return output::print_json(&runs);
    }
    let line = |listed: &Listed<'_>| match order.args.list {
        true => format!("{}\n", listed.run),
        false => format!("{}\n", listed.command),
    };
    output::print(&runs.iter().map(line).collect::<String>())
}

/// What is not what it was when the runs began, of all that every run reads for itself.
fn changed(order: &Order<'_>, before: &Header, designs: &Designs) -> Option<&'static str> {
    let now = header(order).ok();
    let is_same = |of: fn(&Header) -> &str| now.as_ref().is_some_and(|now| of(now) == of(before));
    [
        ("program", is_same(|header| &header.program.build)),
        (
            "suite, or a file that it names,",
            is_same(|header| &header.suite_hash),
        ),
        ("design", designs.are_unchanged()),
    ]
    .into_iter()
    .find_map(|(what, is_same)| (!is_same).then_some(what))
}

/// Tells what to do after an interrupt.
fn interrupted(path: &Path) -> Verdict {
    output::tell(&format!(
        "lockstep: interrupted; what has ended is in {}.partial, the same command does what is left\n",
        path.display()
    ));
    Verdict::Interrupted
}

/// The header of the results, without designs.
fn header(order: &Order<'_>) -> Result<Header, Failure> {
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
        plan_hash: match order.aim() {
            None => order.plan.hash(),
            // Rounds that are steered, or not, are other runs than those of the suite alone.
            Some(_) => {
                hash(format!("{} rounds {}", order.plan.hash(), order.args.unsteered).as_bytes())
            }
        },
        plan_runs: order.plan.runs.len(),
        designs: BTreeMap::new(),
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

/// What an earlier start with the same folder left, which must be of the same program, suite and runs.
fn earlier(args: &RegressArgs, path: &Path, header: &Header) -> Result<Option<Results>, Failure> {
    if args.fresh {
        return Ok(None);
    }
    let Some(found) = results::earlier(path).map_err(Failure::input)? else {
        return Ok(None);
    };
    let same = [
        ("program", found.header.program == header.program),
        ("suite", found.header.suite_hash == header.suite_hash),
        ("choice of runs", found.header.plan_hash == header.plan_hash),
    ];
    for (what, same) in same {
        demand_same(&found, what, same)?;
    }
    Ok(Some(found))
}

/// Refuses earlier results of another one.
fn demand_same(found: &Results, what: &str, same: bool) -> Result<(), Failure> {
    if same {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: expected results of this {what}, found those of another one: name another folder with --out, or replace them \
         with --fresh",
        found.path.display()
    )))
}

/// Tells what the shard came to, and reports if it is all of the suite.
fn conclude(
    order: &Order<'_>,
    path: &Path,
    last: Option<&Summary>,
    stopped: &[String],
) -> Result<Verdict, Failure> {
    let merged = Merged::read(path).map_err(Failure::infrastructure)?;
    if order.shard.of == 1 {
        let report = order.out.join(REPORT);
        let capsules = Capsules {
            roots: std::slice::from_ref(&order.out),
            sources: order.args.capsule_sources,
        };
        let summary = write_report(
            &merged,
            &[path.to_owned()],
            last,
            &report,
            Some(".."),
            &capsules,
        )?;
        return super::merge::conclude(&summary, &report, order.args.json);
    }
    let planned = order.numbers().count();
    if planned == 0 {
        output::note(&format!(
            "shard {} has no run: {} are fewer than shards",
            order.shard,
            counted(order.plan.runs.len() as u64, "run")
        ));
    }
    let mut summary = Summary::of(&merged).map_err(Failure::infrastructure)?;
    // The merge judges what only all shards tell.
    let verdict = worst(summary.groups.iter().map(|group| group.signature.verdict));
    let failed = summary.runs.failed;
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
