//! `lockstep vcd info`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use clap::Args;
use indicatif::HumanCount;
use lockstep_vcd::Timescale;

use super::patience::Patience;
use super::reading::Reading;
use super::{Failure, count, in_file};
use crate::cli::output;
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::outline::{self, Outline, Signal, named_signals, scopes, times};
use crate::waves::table::left;
use crate::waves::time::written;

/// The pattern that all paths fit.
const EVERYTHING: &str = "**";

/// Arguments of `vcd info`.
#[derive(Args)]
pub struct InfoArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input
    #[arg(required_unless_present = "signals")]
    file: Option<PathBuf>,
    /// List the signals whose path fits, all if no pattern is given: `*` is anything within a name, `**` anything
    #[arg(long, value_name = "GLOB", num_args = 0..=1, default_missing_value = EVERYTHING)]
    signals: Option<String>,
    /// Show the scopes down to this depth only
    #[arg(long, value_name = "DEPTH")]
    depth: Option<usize>,
    /// Print everything as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    reading: Reading,
}

impl InfoArgs {
    /// The dump, and which signals to list. What stands behind `--signals` alone is the dump.
    fn places(&self) -> (PathBuf, Option<&str>) {
        match (&self.file, &self.signals) {
            (Some(file), signals) => (file.clone(), signals.as_deref()),
            (None, Some(file)) => (file.into(), Some(EVERYTHING)),
            (None, None) => (PathBuf::new(), None),
        }
    }
}

/// Tells what a dump holds.
pub(super) fn info(args: &InfoArgs) -> Result<Verdict, Failure> {
    let (file, signals) = args.places();
    let mut opened = args.reading.open(&file)?;
    let header = opened.dump.header();
    let (range, fault) = {
        let _patience = Patience::start(Arc::clone(&opened.read), opened.size);
        times(&mut opened.dump)
    };
    let mut scopes = scopes(&header);
    if let Some(depth) = args.depth {
        scopes.retain(|scope| scope.depth < depth);
    }
    let named = named_signals(&header);
    let outline = Outline {
        file: file.display().to_string(),
        bytes: opened
            .size
            .unwrap_or_else(|| opened.read.load(Ordering::Relaxed)),
        version: header.version().map(printable),
        date: header.date().map(printable),
        timescale: header.timescale().map(|timescale| timescale.to_string()),
        ticks: range.map(std::ops::RangeInclusive::into_inner),
        signals: named,
        aliases: header.variables().len() - named,
        scopes,
        variables: signals.map(|glob| outline::signals(&header, &Glob::new(glob))),
        fault: fault.as_ref().map(ToString::to_string),
    };
    match (args.json, &outline.variables) {
        (true, _) => output::print_json(&outline)?,
        (false, None) => output::print(&text(&outline, header.timescale()))?,
        (false, Some(signals)) => output::print(&list(signals))?,
    }
    args.reading.note(&file, &opened.dump);
    match fault {
        // One JSON document is enough, and it has the fault.
        Some(fault) if args.json => {
            let Failure {
                verdict, message, ..
            } = in_file(&file, fault);
            output::tell(&format!("lockstep: {message}\n"));
            Ok(verdict)
        }
        Some(fault) => Err(in_file(&file, fault)),
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
        "\n  {}  {}  {:>7}  {:>7}\n",
        left("scope", name),
        left("kind", kind),
        "names",
        "in all"
    );
    for (scope, shown) in outline.scopes.iter().zip(&names) {
        text += &format!(
            "  {}  {}  {:>7}  {:>7}\n",
            left(shown, name),
            left(&scope.kind, kind),
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
            "{:>6}  {}  {}{range}{alias}\n",
            signal.width,
            left(&signal.kind, kind),
            signal.path
        );
    }
    text
}
