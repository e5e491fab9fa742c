//! `lockstep vcd find`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use indicatif::HumanCount;
use lockstep_vcd::{Header, Probe};

use super::find_form::{About, Hits, TableHits, print_csv, print_json};
use super::form::{self, Form, ValueArgs};
use super::patience::Patience;
use super::reading::Reading;
use super::span::Span;
use super::{Failure, clock_of, count, in_file, in_signals, note_twins, what_lists};
use crate::cli::output;
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::expression::bind::Expression;
use crate::waves::find::{Found, Search};
use crate::waves::rows::{Pace, Sample};
use crate::waves::select::{Selected, select};

/// Arguments of `vcd find`.
#[derive(Args)]
#[command(
    after_help = "Signals are paths, or ends of paths that only one has, with bits as in a[3] and a[7:4]; \
    escaped names begin with a backslash and end with a blank. Numbers: 10, 0xff, 'hff, 8'hA5, 4'b1x?0. Operators, \
    the weakest first: || && | ^ & (== != === !== ==? !=?) (< <= > >=) (! ~ & | ^ before an operand). Functions: \
    $rose $fell $changed $stable $past(a) $past(a, 2), which compare with the row before; $isunknown $countones \
    $onehot $onehot0. Widths and x are those of SystemVerilog; what is x is not found.\n\n\
    Exit codes: 0 found, 9 not found, 2 usage, or a file that is no dump."
)]
pub struct FindArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input
    #[arg(required_unless_present = "signals")]
    file: Option<PathBuf>,
    /// What must hold: `state==3 && $rose(valid)`. It may stand behind the signals, after the dump or alone
    #[arg(allow_hyphen_values = true, required_unless_present = "signals")]
    expression: Option<String>,
    /// Show these signals as well: a path or the end of one, or a pattern: `*` is anything within a name, `**` anything
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    signals: Vec<String>,
    /// Rows are the rising edges of this clock [default: the times at which a signal of the expression changes]
    #[arg(long, value_name = "PATH")]
    clock: Option<String>,
    /// Which values belong to a clock edge
    #[arg(long, value_name = "WHEN", default_value = "after", requires = "clock")]
    sample: Sample,
    #[command(flatten)]
    span: Span,
    /// End with the first row in which it holds
    #[arg(long, conflicts_with = "limit")]
    first: bool,
    /// End with this many rows in which it holds
    #[arg(long, value_name = "N", value_parser = crate::cli::number::<u64>(1, u64::MAX))]
    limit: Option<u64>,
    /// Print only how many rows there are in which it holds
    #[arg(long)]
    count: bool,
    #[command(flatten)]
    values: ValueArgs,
    #[command(flatten)]
    pub(super) form: Form,
    #[command(flatten)]
    reading: Reading,
}

/// Finds where an expression holds.
pub(super) fn find(args: &FindArgs) -> Result<Verdict, Failure> {
    let Asked {
        file,
        expression: text,
        signals,
    } = Asked::of(args)?;
    let mut opened = args.reading.open(file)?;
    let header = opened.dump.header();
    let expression = Expression::new(text, &header).map_err(|error| match error.is_signal {
        true => in_file(file, format!("{error}\n{}", what_lists(file))),
        false => in_file(file, error),
    })?;
    let columns = columns((file, signals), &header, &expression)?;
    let clock = match &args.clock {
        Some(clock) => Some(clock_of(file, &header, Some(clock))?),
        None if expression.signals().is_empty() => {
            return Err(Failure::usage(
                "expected a signal in the expression, found none: nothing tells the rows; name a clock with --clock PATH",
            ));
        }
        None => None,
    };
    note_twins(columns.iter().chain(&clock));
    let probes: Vec<_> = columns.iter().map(|one| one.probe).collect();
    let search = Search {
        expression: &expression,
        columns: &probes,
        pace: pace(args, clock.as_ref().map(|clock| clock.probe)),
        times: args.span.ticks(file, &header)?,
        limit: if args.first { Some(1) } else { args.limit },
    };
    let about = About {
        file,
        expression: text,
        header: &header,
        clock: clock.as_ref().map(|clock| clock.path.as_str()),
        sample: args.sample,
        columns: &columns,
        radix: args.values.radix,
        full: args.values.full,
        count_only: args.count,
        refused: &|found| refused((file, args), &header, found),
    };
    let found = {
        let _patience = Patience::start(Arc::clone(&opened.read), opened.size);
        let mut run = |hits: &mut dyn Hits| search.run(&mut opened.dump, &mut |hit| hits.show(hit));
        match (args.form.json, args.form.csv) {
            (true, _) => print_json(&about, run),
            (_, true) => print_csv(&about, run),
            _ => {
                let mut table = TableHits::new(&about);
                let found = run(&mut table);
                table.end().map(|()| found)
            }
        }
    }?;
    let refused = (about.refused)(&found);
    if let Some(failure) = refused {
        return match args.form.json {
            true => Ok(form::end_as_told(failure)),
            false => Err(failure),
        };
    }
    match (args.form.json || args.form.csv, args.count) {
        (true, _) => {}
        (false, true) => output::print(&format!("{}\n", found.hits))?,
        (false, false) => output::print(&summary(&about, &found))?,
    }
    args.reading.note(file, &opened.dump);
    match found.fault {
        Some(fault) if args.form.json => Ok(form::end_with_fault(file, fault)),
        Some(fault) => Err(in_file(file, fault)),
        None if found.hits == 0 => Ok(Verdict::NotFound),
        None => Ok(Verdict::Agree),
    }
}

/// The dump, the expression and the signals: what stands behind `--signals` alone ends with those that are missing.
struct Asked<'a> {
    file: &'a Path,
    expression: &'a str,
    signals: &'a [String],
}

impl<'a> Asked<'a> {
    fn of(args: &'a FindArgs) -> Result<Self, Failure> {
        let mut signals = &args.signals[..];
        let mut last = |what: &str| {
            let (last, others) = signals
                .split_last()
                .ok_or_else(|| Failure::usage(format!("expected {what}, found none")))?;
            signals = others;
            Ok::<_, Failure>(last.as_str())
        };
        let expression = match &args.expression {
            Some(expression) => expression,
            None => last("an expression")?,
        };
        let file = match &args.file {
            Some(file) => file,
            None => Path::new(last("a dump")?),
        };
        Ok(Self {
            file,
            expression,
            signals,
        })
    }
}

/// The signals of the expression, and those that are shown as well.
fn columns(
    (file, signals): (&Path, &[String]),
    header: &Header,
    expression: &Expression,
) -> Result<Vec<Selected>, Failure> {
    let globs: Vec<_> = signals.iter().map(|text| Glob::new(text)).collect();
    let others = select(header, &globs).map_err(|error| in_signals(file, error))?;
    let mut columns = expression.signals().to_vec();
    for one in others {
        if columns.iter().all(|known| known.path != one.path) {
            columns.push(one);
        }
    }
    Ok(columns)
}

const fn pace(args: &FindArgs, clock: Option<Probe>) -> Pace {
    match clock {
        Some(clock) => Pace::Clock(clock, args.sample),
        None => Pace::Changes,
    }
}

/// Why rows that are no error by themselves are none that were asked for.
fn refused((file, args): (&Path, &FindArgs), header: &Header, found: &Found) -> Option<Failure> {
    if found.fault.is_some() {
        return None;
    }
    let late = args.span.check(file, header, found.last);
    if !found.is_limited && late.is_err() {
        return late.err();
    }
    let dead = args.clock.is_some() && found.all_rows == 0 && args.span.to.is_none();
    dead.then(|| {
        let message =
            "expected rising edges of the clock, found none; name another with --clock PATH";
        in_file(file, message)
    })
}

/// How often it holds.
fn summary(about: &About<'_>, found: &Found) -> String {
    let rows = match about.clock {
        Some(clock) => {
            let edges = count(found.rows, "rising edge");
            format!("{edges} of {}", printable(clock))
        }
        None => format!("{} with a change", count(found.rows, "time")),
    };
    match (found.hits, found.is_limited) {
        (0, _) => format!("holds in none of {rows}\n"),
        (hits, false) => format!("\nholds in {} of {rows}\n", HumanCount(hits)),
        (hits, true) => format!("\nholds in {} of the first {rows}\n", HumanCount(hits)),
    }
}
