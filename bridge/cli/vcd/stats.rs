//! `lockstep vcd stats`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use lockstep_vcd::Probe;

use super::form::{self, Form};
use super::patience::Patience;
use super::reading::Reading;
use super::span::Span;
use super::stats_form::{Record, text};
use super::{Failure, file_and_signals, globs_of, in_file, in_signals, note_twins};
use crate::cli::output;
use crate::lockstep::Verdict;
use crate::waves::select::{Selected, select};
use crate::waves::stats::{Activity, stats};
use crate::waves::values::Radix;

/// The order of signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sort {
    /// Those that change most
    Changes,
    /// Paths
    Name,
    /// Those that change first; those that never do come last
    First,
    /// Those whose last change is the earliest; those that never do come first
    Last,
    /// Those that are x or z the longest
    Unknown,
    /// As they are declared
    Declared,
}

/// Arguments of `vcd stats`.
#[derive(Args)]
pub struct StatsArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input. It may stand behind the signals
    #[arg(required_unless_present = "signals")]
    file: Option<PathBuf>,
    /// Signals to count [default: all]: a path or the end of one, with bits if wanted, or a pattern: `*` is anything
    /// within a name, `**` anything
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    signals: Vec<String>,
    #[command(flatten)]
    span: Span,
    /// Which signals come first
    #[arg(long, value_name = "ORDER", default_value = "changes")]
    sort: Sort,
    /// How vectors are written
    #[arg(long, value_name = "RADIX", default_value = "hex")]
    radix: Radix,
    #[command(flatten)]
    pub(super) form: Form,
    #[command(flatten)]
    reading: Reading,
}

/// Counts what signals do.
pub(super) fn count_changes(args: &StatsArgs) -> Result<Verdict, Failure> {
    let (file, signals) = file_and_signals(args.file.as_ref(), &args.signals)?;
    let file = file.as_path();
    let mut opened = args.reading.open(file)?;
    let header = opened.dump.header();
    let globs = globs_of(signals);
    let selected = select(&header, &globs).map_err(|error| in_signals(file, error))?;
    note_twins(&selected);
    let probes: Vec<Probe> = selected.iter().map(|one| one.probe).collect();
    let between = args.span.ticks(file, &header)?;
    let mut counted = {
        let _patience = Patience::start(Arc::clone(&opened.read), opened.size);
        stats(&mut opened.dump, &probes, &between)
    };
    if counted.fault.is_none() {
        args.span.check(file, &header, counted.last)?;
    }
    let activities = std::mem::take(&mut counted.signals);
    let mut signals: Vec<_> = selected.into_iter().zip(activities).collect();
    sort(&mut signals, args.sort);
    let record = || Record::new(file, &header, &signals, &counted, args.radix);
    match (args.form.json, args.form.csv) {
        (true, _) => output::print_json(&record())?,
        (_, true) => record().print_csv()?,
        _ => output::print(&text(file, &header, &signals, &counted, args.radix))?,
    }
    args.reading.note(file, &opened.dump);
    match counted.fault {
        Some(fault) if args.form.json => Ok(form::end_with_fault(file, fault)),
        Some(fault) => Err(in_file(file, fault)),
        None => Ok(Verdict::Agree),
    }
}

/// Sorts signals; those that are alike stay as they are declared.
fn sort(signals: &mut [(Selected, Activity)], order: Sort) {
    let place = |one: &Selected| one.probe.variable_index();
    signals.sort_by_key(|(one, _)| place(one));
    let never = u64::MAX;
    match order {
        Sort::Declared => {}
        Sort::Name => signals.sort_by(|one, two| one.0.path.cmp(&two.0.path)),
        Sort::Changes => signals.sort_by_key(|(_, activity)| never - activity.changes),
        Sort::First => signals.sort_by_key(|(_, activity)| activity.first.unwrap_or(never)),
        Sort::Last => signals
            .sort_by_key(|(_, activity)| activity.last.map_or(0, |last| last.saturating_add(1))),
        Sort::Unknown => signals.sort_by_key(|(_, activity)| never - activity.unknown),
    }
}
