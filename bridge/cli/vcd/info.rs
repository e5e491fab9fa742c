//! `lockstep vcd info`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::HumanCount;
use lockstep_vcd::Timescale;

use super::patience::Patience;
use super::{Failure, count, in_file, open};
use crate::cli::output;
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::outline::{Outline, Signal, scopes, signals, times};
use crate::waves::time::written;

/// Arguments of `vcd info`.
#[derive(Args)]
pub struct InfoArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard; `-` is standard input
    file: PathBuf,
    /// List the signals whose path fits, all if no pattern is given: `*` is anything within a name, `**` anything
    #[arg(long, value_name = "GLOB", num_args = 0..=1, default_missing_value = "**")]
    signals: Option<String>,
    /// Show the scopes down to this depth only
    #[arg(long, value_name = "DEPTH")]
    depth: Option<usize>,
    /// Print everything as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Tells what a dump holds.
pub(super) fn info(args: &InfoArgs) -> Result<Verdict, Failure> {
    let mut opened = open(&args.file)?;
    let header = opened.dump.header();
    let (range, fault) = {
        let _patience = Patience::start(Arc::clone(&opened.read), opened.size);
        times(&mut opened.dump)
    };
    let mut scopes = scopes(&header);
    if let Some(depth) = args.depth {
        scopes.retain(|scope| scope.depth < depth);
    }
    let outline = Outline {
        file: args.file.display().to_string(),
        bytes: opened
            .size
            .unwrap_or_else(|| opened.read.load(Ordering::Relaxed)),
        version: header.version().map(printable),
        date: header.date().map(printable),
        timescale: header.timescale().map(|timescale| timescale.to_string()),
        ticks: range.map(std::ops::RangeInclusive::into_inner),
        signals: header.signal_count(),
        aliases: header.variables().len() - header.signal_count(),
        scopes,
        variables: args
            .signals
            .as_ref()
            .map(|glob| signals(&header, &Glob::new(glob))),
        fault: fault.as_ref().map(ToString::to_string),
    };
    match (args.json, &outline.variables) {
        (true, _) => output::print_json(&outline)?,
        (false, None) => output::print(&text(&outline, header.timescale()))?,
        (false, Some(signals)) => output::print(&list(signals))?,
    }
    match fault {
        // One JSON document is enough, and it has the fault.
        Some(fault) if args.json => {
            let Failure {
                verdict, message, ..
            } = in_file(&args.file, fault);
            anstream::eprintln!("lockstep: {message}");
            Ok(verdict)
        }
        Some(fault) => Err(in_file(&args.file, fault)),
        None => Ok(Verdict::Agree),
    }
}

fn text(outline: &Outline, timescale: Option<Timescale>) -> String {
    let unsaid = || "not said".to_owned();
    let times = match outline.ticks {
        None => "none".to_owned(),
        Some((first, last)) if timescale.is_none() => format!("ticks {first} to {last}"),
        Some((first, last)) => format!(
            "{} to {}, ticks {first} to {last}",
            written(timescale, first),
            written(timescale, last)
        ),
    };
    let mut text = format!("{}\n", outline.file);
    let lines = [
        ("written by", outline.version.clone().unwrap_or_else(unsaid)),
        ("date", outline.date.clone().unwrap_or_else(unsaid)),
        (
            "timescale",
            outline.timescale.clone().unwrap_or_else(unsaid),
        ),
        ("times", times),
        ("size", format!("{} bytes", HumanCount(outline.bytes))),
        (
            "signals",
            format!(
                "{} with {}",
                HumanCount(outline.signals as u64),
                count((outline.signals + outline.aliases) as u64, "name")
            ),
        ),
    ];
    for (label, value) in lines {
        text += &format!("  {label:<10}  {value}\n");
    }
    if outline.scopes.is_empty() {
        return text;
    }
    let names: Vec<_> = outline
        .scopes
        .iter()
        .map(|scope| format!("{}{}", "  ".repeat(scope.depth), scope.name))
        .collect();
    let width = |texts: &mut dyn Iterator<Item = &str>, least: usize| {
        texts
            .map(|text| text.chars().count())
            .max()
            .unwrap_or(0)
            .max(least)
    };
    let name = width(&mut names.iter().map(String::as_str), 5);
    let kind = width(
        &mut outline.scopes.iter().map(|scope| scope.kind.as_str()),
        4,
    );
    text += &format!(
        "\n  {:<name$}  {:<kind$}  {:>7}  {:>7}\n",
        "scope", "kind", "names", "in all"
    );
    for (scope, shown) in outline.scopes.iter().zip(&names) {
        text += &format!(
            "  {shown:<name$}  {:<kind$}  {:>7}  {:>7}\n",
            scope.kind,
            HumanCount(scope.names as u64).to_string(),
            HumanCount(scope.names_below as u64).to_string()
        );
    }
    text
}

fn list(signals: &[Signal]) -> String {
    let kind = signals.iter().map(|signal| signal.kind.len()).max();
    let kind = kind.unwrap_or(0);
    let mut text = String::new();
    for signal in signals {
        let range = signal.range.as_deref().unwrap_or_default();
        let alias = match &signal.alias_of {
            Some(first) => format!("  = {first}"),
            None => String::new(),
        };
        text += &format!(
            "{:>6}  {:<kind$}  {}{range}{alias}\n",
            signal.width, signal.kind, signal.path
        );
    }
    text
}
