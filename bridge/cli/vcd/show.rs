//! `lockstep vcd show`.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgGroup, Args};
use lockstep_vcd::{Header, Value};

use super::form::{self, Form, ValueArgs};
use super::patience::Patience;
use super::reading::Reading;
use super::show_record::{Record, Register};
use super::{Failure, clock_of, file_and_signals, in_file, in_signals, note_twins, span};
use crate::cli::output;
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::clock::{self, ClockError};
use crate::waves::decode::Decode;
use crate::waves::rows::{KeptRow, Pace, Request, RowsError, Sample, Target};
use crate::waves::select::{SelectError, Selected, common_scope, select, single};
use crate::waves::table::{Cell, Column, Table};
use crate::waves::time::{Scale, Time};
use crate::waves::values::{self, Radix};

/// Arguments of `vcd show`.
#[derive(Args)]
#[command(group = ArgGroup::new("place").required(true))]
pub struct ShowArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input. It may stand behind the signals
    #[arg(required_unless_present = "signals")]
    file: Option<PathBuf>,
    /// Signals to show: a path or the end of one, with bits if wanted (`dut.count[7:0]`), or a pattern: `*` is
    /// anything within a name, `**` anything
    #[arg(long, value_name = "GLOB", required = true, num_args = 1..)]
    signals: Vec<String>,
    /// Show the last row not after this time: `12345` ticks, or `1.2us`
    #[arg(long, value_name = "TIME", group = "place")]
    at: Option<Time>,
    /// Show this rising edge of the clock, counted from 0
    #[arg(long, value_name = "N", group = "place")]
    cycle: Option<u64>,
    /// Rows before and after
    #[arg(long, value_name = "K", default_value_t = 5)]
    window: usize,
    /// The clock [default: the signal of one bit nearest to the top that is named clk_i, clk, clock or the like]
    #[arg(long, value_name = "PATH")]
    clock: Option<String>,
    /// Rows are the times at which one of the signals changes, not clock edges
    #[arg(long, conflicts_with_all = ["clock", "cycle", "sample"])]
    changes: bool,
    /// Which values belong to a clock edge
    #[arg(long, value_name = "WHEN", default_value = "after")]
    sample: Sample,
    #[command(flatten)]
    values: ValueArgs,
    /// Read a signal as a register, and tell its fields: PMEVTYPER3, PMEVTYPER, PMCR, ...
    #[arg(long, value_name = "SIGNAL=REGISTER")]
    decode: Vec<Decode>,
    #[command(flatten)]
    pub(super) form: Form,
    #[command(flatten)]
    reading: Reading,
}

/// Shows values of signals around a place.
pub(super) fn show(args: &ShowArgs) -> Result<Verdict, Failure> {
    let (file, signals) = file_and_signals(args.file.as_ref(), &args.signals)?;
    if signals.is_empty() {
        return Err(Failure::usage(
            "expected a dump and signals, found one of them; name the file before `--signals` or behind the signals",
        ));
    }
    let (file, mut opened) = (file.as_path(), args.reading.open(&file)?);
    let header = opened.dump.header();
    let mut selected = selected(file, signals, &header)?;
    let decoded = decoded(args, file, &header, &mut selected)?;
    let (pace, clock) = pace(args, file, &header)?;
    note_twins(selected.iter().chain(&clock));
    let clock = clock.map_or_else(String::new, |clock| clock.path);
    let target = match (&args.at, args.cycle) {
        (Some(time), _) => Target::Time(
            time.ticks(header.timescale())
                .map_err(|message| in_file(file, message))?,
        ),
        (None, cycle) => Target::Cycle(cycle.unwrap_or(0)),
    };
    let probes: Vec<_> = selected.iter().map(|one| one.probe).collect();
    let request = Request {
        probes: &probes,
        pace,
        target,
        window: args.window,
    };
    let mut patience = Some(Patience::start(Arc::clone(&opened.read), opened.size));
    let rows = request.find(&mut opened.dump);
    let rows = rows.map_err(|error| match (error, &args.at) {
        (RowsError::AfterEnd { last }, Some(time)) => {
            let end = span::end(time, &header, last);
            let asked = time.text();
            let message =
                format!("expected a time up to the end of the dump at {end}, found {asked}");
            in_file(file, message)
        }
        (error, _) => in_file(file, error),
    })?;
    let registers = args.decode.iter().zip(decoded);
    let mut registers: Vec<_> = registers
        .map(|(decode, place)| Register::new(decode, place, &selected[place]))
        .collect();
    let radix = args.values.radix;
    let record = || Record::new(file, &header, (pace, &clock), &selected, radix);
    let fault = match (args.form.json, args.form.csv) {
        (true, _) => record().print_json(rows, registers)?,
        (_, true) => record().print_csv(rows)?,
        _ => {
            let (target, mut kept) = (rows.target, Vec::new());
            let fault = rows.each(&mut |row| {
                registers.iter_mut().for_each(|one| one.enter(row));
                kept.push(row.into());
                ControlFlow::Continue(())
            });
            patience = None;
            let page = Page {
                args,
                header: &header,
                selected: &selected,
                rows: &kept,
                target,
            };
            let mut text = page.title(pace, &clock, fault.is_some());
            text += &page.table().written(super::width());
            text.extend(registers.iter().map(|register| page.in_words(register)));
            output::print(&text)?;
            fault
        }
    };
    drop(patience);
    args.reading.note(file, &opened.dump);
    match fault {
        Some(fault) if args.form.json => Ok(form::end_with_fault(file, fault)),
        Some(fault) => Err(in_file(file, fault)),
        None => Ok(Verdict::Agree),
    }
}

fn selected(file: &Path, signals: &[String], header: &Header) -> Result<Vec<Selected>, Failure> {
    let globs: Vec<_> = signals.iter().map(|text| Glob::new(text)).collect();
    select(header, &globs).map_err(|error: SelectError| in_signals(file, error))
}

/// The places of the signals to decode among the selected ones, to which they are added.
fn decoded(
    args: &ShowArgs,
    file: &Path,
    header: &Header,
    selected: &mut Vec<Selected>,
) -> Result<Vec<usize>, Failure> {
    let mut places = Vec::new();
    for decode in &args.decode {
        let one = single(header, &decode.signal).map_err(|error| in_signals(file, error))?;
        let width = one.probe.width(header);
        if width > 64 {
            return Err(Failure::usage(format!(
                "expected a register of at most 64 bits, found `{}` with {width}; name its bits, as in --decode '{}[31:0]=…'",
                decode.signal, decode.signal
            )));
        }
        let known = selected.iter().position(|other| {
            let signals = [one.probe.signal(), other.probe.signal()];
            one.probe == other.probe || (signals[0] == signals[1] && one.path == other.path)
        });
        places.push(known.unwrap_or(selected.len()));
        if known.is_none() {
            selected.push(one);
        }
    }
    Ok(places)
}

/// Where rows are, and the clock.
fn pace(
    args: &ShowArgs,
    file: &Path,
    header: &Header,
) -> Result<(Pace, Option<Selected>), Failure> {
    let changes = (Pace::Changes, None);
    if args.changes {
        return Ok(changes);
    }
    // Without a clock there are still times.
    let needed = args.cycle.is_some() || args.clock.is_some();
    match clock::find(header, args.clock.as_deref()) {
        Err(ClockError::None(_)) if !needed => Ok(changes),
        _ => {
            let clock = clock_of(file, header, args.clock.as_deref())?;
            Ok((Pace::Clock(clock.probe, args.sample), Some(clock)))
        }
    }
}

/// What is printed.
struct Page<'p> {
    args: &'p ShowArgs,
    header: &'p Header,
    selected: &'p [Selected],
    rows: &'p [KeptRow],
    target: Option<usize>,
}

impl Page<'_> {
    fn title(&self, pace: Pace, clock: &str, damaged: bool) -> String {
        let rows = match pace {
            Pace::Clock(_, sample) => {
                format!(
                    "values {} rising edges of {}",
                    sample.word(),
                    printable(clock)
                )
            }
            Pace::Changes => "values when a signal changes".to_owned(),
        };
        let radix = self.args.values.radix.word();
        let scope = self.scope();
        let place = match scope.strip_suffix('.') {
            Some(scope) => format!("in {}: ", printable(scope)),
            None => String::new(),
        };
        let nothing = match (&self.args.at, self.target, damaged) {
            (Some(at), None, false) => format!(
                "\nno row at {} or before; all of these are later\n",
                at.text()
            ),
            _ => String::new(),
        };
        format!("{place}{rows}; {radix}; * changed\n{nothing}\n")
    }

    fn scope(&self) -> &str {
        common_scope(self.selected.iter().map(|one| one.path.as_str()))
    }

    fn table(&self) -> Table {
        let rows = self.rows;
        let mut heads = Vec::new();
        if rows.iter().any(|row| row.cycle.is_some()) {
            let cycles = rows.iter().map(|row| {
                row.cycle
                    .map_or_else(String::new, |cycle| cycle.to_string())
            });
            heads.push(("cycle".to_owned(), cycles.collect()));
        }
        let scale = Scale::of(self.header.timescale(), rows.iter().map(|row| row.time));
        let times = rows.iter().map(|row| scale.number(row.time)).collect();
        heads.push((scale.unit().to_owned(), times));
        let scope = self.scope().len();
        let columns = self.selected.iter().enumerate().map(|(place, one)| Column {
            label: printable(&one.path[scope..]),
            cells: (0..rows.len()).map(|row| self.cell(row, place)).collect(),
        });
        Table {
            heads,
            columns: columns.collect(),
            target: self.target,
        }
    }

    fn cell(&self, row: usize, place: usize) -> Cell {
        let row = &self.rows[row];
        let value = row.values[place].as_ref();
        let mut cell = cell(value, self.args.values.radix, self.args.values.full);
        cell.mark = row.changed[place].then_some('*');
        cell
    }

    fn in_words(&self, register: &Register<'_>) -> String {
        let mut text = format!("\n{} as {}\n", register.signal, register.register);
        let times = self.rows.iter().map(|row| row.time);
        let scale = Scale::of(self.header.timescale(), times);
        for value in &register.values {
            let at = match value.cycle {
                Some(cycle) => format!("cycle {cycle}"),
                None => format!("{} {}", scale.number(value.time), scale.unit()),
            };
            text += &format!("  {at}: {}\n", value.words);
        }
        text
    }
}

/// A value as a cell; `-` if there is none yet.
pub(super) fn cell(value: Option<&Value>, radix: Radix, full: bool) -> Cell {
    let Some(value) = value else {
        return Cell {
            text: "-".into(),
            mark: None,
            unknown: true,
        };
    };
    Cell {
        text: match full {
            true => values::written(value, radix),
            false => values::brief(value, radix),
        },
        mark: None,
        unknown: value.bits().is_some_and(|bits| !bits.is_known()),
    }
}
