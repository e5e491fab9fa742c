//! `lockstep vcd`.

mod check;
mod cut;
mod diff;
mod diff_record;
mod find;
mod find_form;
mod form;
mod info;
mod map;
mod names;
mod patience;
mod reading;
mod show;
mod show_record;
mod span;
mod stats;
mod stats_form;

use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use indicatif::HumanCount;
use lockstep_vcd::{Header, Probe};

use super::{Failure, output};
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::clock::{self, ClockError};
use crate::waves::select::{Selected, single};

/// Characters of a line where there is no terminal.
const WIDTH: usize = 120;

/// Arguments of `vcd`.
#[derive(Args)]
pub struct VcdArgs {
    #[command(subcommand)]
    command: VcdCommand,
}

#[derive(Subcommand)]
enum VcdCommand {
    /// Tell what a dump holds: tool, times, scopes, signals
    Info(info::InfoArgs),
    /// Show values of signals around a time or a clock cycle
    Show(show::ShowArgs),
    /// Find the first difference of two dumps
    Diff(diff::DiffArgs),
    /// Find where an expression over signals holds
    Find(find::FindArgs),
    /// Count what signals do: changes, times of values, x and z
    Stats(stats::StatsArgs),
    /// Write some signals and times of a dump as one of its own
    Cut(cut::CutArgs),
    /// Check a dump against the model, cycle by cycle: lockstep with a simulation that is over
    Check(check::CheckArgs),
    /// Propose a map for `check` from the names in a dump
    Map(map::MapArgs),
    /// Tell how a path of a signal may go on, for completions of a shell
    #[command(hide = true)]
    Names(names::NamesArgs),
}

impl VcdArgs {
    pub(super) const fn json(&self) -> bool {
        match &self.command {
            VcdCommand::Info(args) => args.json,
            VcdCommand::Check(args) => args.json,
            VcdCommand::Show(args) => args.form.json,
            VcdCommand::Diff(args) => args.form.json,
            VcdCommand::Find(args) => args.form.json,
            VcdCommand::Stats(args) => args.form.json,
            VcdCommand::Cut(_) | VcdCommand::Map(_) | VcdCommand::Names(_) => false,
        }
    }
}

/// Looks at dumps.
pub(super) fn vcd(args: &VcdArgs) -> Result<Verdict, Failure> {
    match &args.command {
        VcdCommand::Info(args) => info::info(args),
        VcdCommand::Show(args) => show::show(args),
        VcdCommand::Diff(args) => diff::diff(args),
        VcdCommand::Find(args) => find::find(args),
        VcdCommand::Stats(args) => stats::count_changes(args),
        VcdCommand::Cut(args) => cut::cut(args),
        VcdCommand::Check(args) => check::vcd_check(args),
        VcdCommand::Map(args) => map::map(args),
        VcdCommand::Names(args) => names::names(args),
    }
}

/// The dump, and the signals behind `--signals`: of words there, and none elsewhere, the last one is the dump.
fn file_and_signals<'a>(
    file: Option<&PathBuf>,
    signals: &'a [String],
) -> Result<(PathBuf, &'a [String]), Failure> {
    match (file, signals.split_last()) {
        (Some(file), _) => Ok((file.clone(), signals)),
        (None, Some((file, signals))) => Ok((file.into(), signals)),
        (None, None) => Err(Failure::usage("expected a dump, found none; name the file")),
    }
}

/// What is wrong with a file.
fn in_file(path: &Path, error: impl Into<Box<dyn Error>>) -> Failure {
    let error = error.into();
    let text = match path == Path::new("-") {
        true => format!("standard input: {error}"),
        false => format!("{}: {error}", path.display()),
    };
    match output::is_limit(&*error) {
        true => Failure::infrastructure(text),
        false => Failure::usage(text),
    }
}

/// The patterns of signals that are asked for; without one, everything.
fn globs_of(signals: &[String]) -> Vec<Glob> {
    match signals {
        [] => vec![Glob::new("**")],
        signals => signals.iter().map(|text| Glob::new(text)).collect(),
    }
}

/// What is wrong with the path of a signal in a file, and how to learn the right ones.
fn in_signals(path: &Path, error: impl std::fmt::Display) -> Failure {
    in_file(path, format!("{error}; {}", what_lists(path)))
}

/// What lists the signals of a file.
fn what_lists(path: &Path) -> String {
    format!("`lockstep vcd info {} --signals` lists all", path.display())
}

/// Tells of a path that several signals have.
fn note_repeated(path: &str) {
    output::note(&format!(
        "the dump declares `{}` more than once, for different signals; the first is taken",
        printable(path)
    ));
}

/// Tells which of these were the first of several with their path.
fn note_twins<'s>(selected: impl IntoIterator<Item = &'s Selected>) {
    let repeated = selected.into_iter().filter(|one| one.twins > 0);
    repeated.for_each(|one| note_repeated(&one.path));
}

/// The clock that was asked for, or one with the name of a clock.
fn clock_of(file: &Path, header: &Header, path: Option<&str>) -> Result<Selected, Failure> {
    let found = clock::find(header, path).and_then(|probe| named(header, probe, path));
    found.map_err(|error| match error {
        ClockError::Path(_) => in_signals(file, error),
        _ => in_file(file, error),
    })
}

/// A clock with its full path, and the bit that was asked for.
fn named(header: &Header, probe: Probe, path: Option<&str>) -> Result<Selected, ClockError> {
    Ok(match path {
        Some(path) => single(header, path)?,
        None => Selected {
            path: header.path(&header.variables()[probe.variable_index()]),
            probe,
            twins: header.twins(probe).count(),
            aliases: 0,
        },
    })
}

/// Characters of a line of the terminal.
fn width() -> usize {
    if !std::io::stdout().is_terminal() {
        return WIDTH;
    }
    terminal_size::terminal_size().map_or(WIDTH, |(width, _)| width.0.into())
}

/// A number of things: `1 signal`, `2 signals`.
fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {noun}{s}", HumanCount(number))
}
