//! `lockstep vcd diff`.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use indicatif::HumanCount;
use lockstep_vcd::{Header, Probe, Timescale};

use super::diff_record::{Asked, Record};
use super::form::{Form, ValueArgs};
use super::patience::Patience;
use super::reading::Reading;
use super::show::cell;
use super::{Failure, clock_of, count, in_file, note_twins};
use crate::cli::output;
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::compare::{CompareError, Comparison, Difference, Outcome, When, compare, same};
use crate::waves::mapping::Mapping;
use crate::waves::rename::{Rename, renamed};
use crate::waves::rows::Sample;
use crate::waves::select::common_scope;
use crate::waves::table::{Column, Table};
use crate::waves::time::{Scale, written};

/// Paths listed of signals that are not compared.
const LISTED: usize = 5;

/// Arguments of `vcd diff`.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 no difference, 1 a difference, 2 usage, or a file that is no dump. Signals that \
        only one dump has are told and make no difference."
)]
pub struct DiffArgs {
    /// The first dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The second dump
    #[arg(value_name = "B")]
    second: PathBuf,
    /// What paths of A are called in B: the beginning of a path (`TOP.dut=tb.u_dut`), or a pattern with wildcards on
    /// both sides (`**.bank[*]=**.mem_*`); the first rule that fits counts
    #[arg(long, value_name = "FROM=TO")]
    rename: Vec<Rename>,
    /// Leave these signals out, of both dumps: `*` is anything within a name, `**` anything
    #[arg(long, value_name = "GLOB")]
    ignore: Vec<String>,
    /// Compare at the rising edges of this clock only, the first of A with the first of B and so on
    #[arg(long, value_name = "PATH")]
    clock: Option<String>,
    /// Which values belong to a clock edge
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "before",
        requires = "clock"
    )]
    sample: Sample,
    /// Rows before and after the difference
    #[arg(long, value_name = "K", default_value_t = 5)]
    window: usize,
    #[command(flatten)]
    values: ValueArgs,
    #[command(flatten)]
    pub(super) form: Form,
    #[command(flatten)]
    reading: Reading,
}

/// Finds the first difference of two dumps.
pub(super) fn diff(args: &DiffArgs) -> Result<Verdict, Failure> {
    if args.first == Path::new("-") && args.second == Path::new("-") {
        return Err(Failure::usage(
            "expected two dumps, found standard input twice; name a file for one of them",
        ));
    }
    if is_same_pipe(&args.first, &args.second) {
        return Err(Failure::usage(format!(
            "expected two dumps, found the pipe {} twice; name a file for one of them",
            args.first.display()
        )));
    }
    let [first, second] = [
        args.reading.open(&args.first)?,
        args.reading.open(&args.second)?,
    ];
    let headers = [first.dump.header(), second.dump.header()];
    let ignore: Vec<_> = args.ignore.iter().map(|text| Glob::new(text)).collect();
    let mapping = Mapping::new([&headers[0], &headers[1]], &args.rename, &ignore);
    if mapping.pairs.is_empty() && !mapping.has_mismatches() {
        return Err(nothing_in_common(&mapping));
    }
    let when = when(args, [&headers[0], &headers[1]])?;
    let mut dumps = [first.dump, second.dump];
    let comparison = {
        let _patience = Patience::start(Arc::clone(&first.read), first.size);
        compare(&mut dumps, &mapping, when, args.window)
    };
    let comparison = comparison.map_err(|error| match error {
        CompareError::Dump(0, error) => in_file(&args.first, error),
        CompareError::Dump(_, error) => in_file(&args.second, error),
        CompareError::Timescales(..) => Failure::usage(error),
    })?;
    if args.clock.is_some() && comparison.rows == 0 && matches!(comparison.outcome, Outcome::Same) {
        return Err(Failure::usage(
            "expected rising edges of the clock, found none in either dump: nothing was compared; name another with \
             --clock PATH",
        ));
    }
    let verdict = match comparison.outcome {
        Outcome::Same if !mapping.has_mismatches() => Verdict::Agree,
        _ => Verdict::Divergence,
    };
    let page = Page {
        args,
        mapping: &mapping,
        comparison: &comparison,
    };
    let asked = Asked {
        files: [&args.first, &args.second].map(|path| path.display().to_string()),
        headers: [&headers[0], &headers[1]],
        clock: args
            .clock
            .as_deref()
            .map(|clock| (clock, args.sample.word())),
        radix: args.values.radix,
    };
    let warning = page.warning();
    let record = || Record::new(&asked, verdict, &mapping, &comparison, warning.clone());
    // A difference that no line of CSV tells.
    let has_no_line =
        verdict != Verdict::Agree && !matches!(comparison.outcome, Outcome::Different(_));
    let printed = match (args.form.json, args.form.csv) {
        (true, _) => output::print_json(&record()),
        (_, true) => record().print_csv(),
        _ => output::print(&page.text()),
    };
    output::beside(verdict, printed)?;
    args.reading.note(&args.first, &dumps[0]);
    args.reading.note(&args.second, &dumps[1]);
    if let Some(warning) = warning {
        output::tell(&format!("lockstep: warning: {warning}\n"));
    }
    if args.form.csv && has_no_line {
        output::note(page.verdict().trim_end());
    }
    Ok(verdict)
}

fn when(args: &DiffArgs, headers: [&Header; 2]) -> Result<When, Failure> {
    let Some(path) = args.clock.as_deref() else {
        return Ok(When::Always);
    };
    let first = clock_of(&args.first, headers[0], Some(path))?;
    note_twins([&first]);
    let first = first.probe;
    let index = first.variable_index();
    let full = headers[0].path(&headers[0].variables()[index]);
    // The bit of a vector is the same bit there.
    let is_whole = Probe::variable(headers[0], index) == Some(first);
    let bit = path.rfind('[').filter(|_| !is_whole);
    let bit = bit.map_or("", |at| &path[at..]);
    let new = renamed(&args.rename, &full) + bit;
    // A clock may have another path without a rule for it.
    let second = match headers[1].find(&new) {
        Ok(probe) => probe,
        Err(_) => clock_of(&args.second, headers[1], Some(path))?.probe,
    };
    Ok(When::Clocks([first, second], args.sample))
}

/// Whether both are one pipe, which can be read once.
fn is_same_pipe(first: &Path, second: &Path) -> bool {
    let pipe = |path: &Path| {
        let metadata = path.metadata().ok();
        let metadata = metadata.filter(|of| of.file_type().is_fifo());
        metadata.map(|of| (of.dev(), of.ino()))
    };
    pipe(first).is_some_and(|first| pipe(second) == Some(first))
}

fn nothing_in_common(mapping: &Mapping) -> Failure {
    if mapping.ignored > 0 && mapping.only_first.is_empty() && mapping.only_second.is_empty() {
        return Failure::usage(
            "expected signals that both dumps have, found none: all are left out by --ignore; leave out fewer",
        );
    }
    let example = |paths: &[String]| {
        paths
            .first()
            .map_or_else(|| "no signals".to_owned(), |path| printable(path))
    };
    Failure::usage(format!(
        "expected signals that both dumps have, found none; the first has {}, the second {}; \
         map paths with --rename FROM=TO",
        example(&mapping.only_first),
        example(&mapping.only_second)
    ))
}

/// What is printed.
struct Page<'p> {
    args: &'p DiffArgs,
    mapping: &'p Mapping,
    comparison: &'p Comparison,
}

impl Page<'_> {
    fn text(&self) -> String {
        let mut text = self.verdict();
        text += &format!(
            "  A  {}\n  B  {}\n",
            self.args.first.display(),
            self.args.second.display()
        );
        text += &self.left_out();
        if let Outcome::Different(difference) = &self.comparison.outcome {
            text += &self.difference(difference);
        }
        text
    }

    /// What to tell of dumps that are the same as far as both go, and of what cannot be read behind a difference.
    fn warning(&self) -> Option<String> {
        if let Some((side, fault)) = &self.comparison.fault {
            let file = [&self.args.first, &self.args.second][*side].display();
            return Some(format!("behind the difference: {file}: {fault}"));
        }
        if let Some([first, second]) = self.comparison.ends
            && first != second
        {
            let at = |time| written(self.timescale(), time);
            return Some(format!(
                "A ends at {}, B at {}; one of them may be cut off",
                at(first),
                at(second)
            ));
        }
        self.comparison.differs_behind.then(|| {
            "at the end, behind the last clock edge, where nothing is compared, signals differ; one of A and B may be \
             cut off"
                .to_owned()
        })
    }

    fn timescale(&self) -> Option<Timescale> {
        self.comparison.timescale
    }

    fn verdict(&self) -> String {
        let signals = count(self.mapping.pairs.len() as u64, "signal");
        let rows = match self.args.clock {
            Some(_) => count(self.comparison.rows, "clock edge"),
            None => count(self.comparison.rows, "time"),
        };
        let at = |time| written(self.timescale(), time);
        match &self.comparison.outcome {
            Outcome::Same if self.mapping.has_mismatches() => {
                let mapping = self.mapping;
                let reasons = [
                    (mapping.widths.len(), "with another width"),
                    (mapping.kinds.len(), "as an event in one dump only"),
                    (mapping.ranges.len(), "with other bits"),
                    (mapping.pieces.len(), "in other pieces"),
                ];
                let reason = reasons.into_iter().find(|(declared, _)| *declared > 0);
                let (declared, how) = reason.unwrap_or_default();
                let others = match (mapping.pairs.len(), self.comparison.rows) {
                    (0, _) => "no other signal was compared".to_owned(),
                    (1, 0) => "the other signal has no value in either dump".to_owned(),
                    (_, 0) => format!("the other {signals} have no value in either dump"),
                    (1, _) => format!("the other signal is the same at {rows}"),
                    _ => format!("the other {signals} are the same at {rows}"),
                };
                format!(
                    "DIFFERENT  {} declared {how}; {others}\n",
                    count(declared as u64, "signal")
                )
            }
            Outcome::Same => match self.comparison.times {
                Some((first, last)) => {
                    format!("SAME  {signals} at {rows}, {} to {}\n", at(first), at(last))
                }
                None => format!("SAME  {signals}, without a value in either dump\n"),
            },
            Outcome::Length {
                cycles: [first, second],
            } => {
                let (ends, goes_on, cycles) = match first < second {
                    true => ("A", "B", first),
                    false => ("B", "A", second),
                };
                format!(
                    "DIFFERENT  the clock of {ends} rises {} times, that of {goes_on} more often; {signals} are the \
                     same up to there\n",
                    HumanCount(*cycles)
                )
            }
            Outcome::Different(difference) => {
                let row = &difference.rows[difference.target];
                let cycle = match row.cycle {
                    Some(cycle) => format!("cycle {cycle}, "),
                    None => String::new(),
                };
                format!(
                    "DIFFERENT  first at {cycle}{}: {} of {}\n",
                    at(row.time),
                    difference.differing.len(),
                    signals
                )
            }
        }
    }

    /// Signals that are not compared.
    fn left_out(&self) -> String {
        let mut text = String::new();
        let mut group = |title: String, paths: Vec<String>| {
            if paths.is_empty() {
                return;
            }
            text += &format!("  {title}: {}", paths.len());
            for path in paths.iter().take(LISTED) {
                text += &format!("\n    {path}");
            }
            let more = paths.len().saturating_sub(LISTED);
            if more > 0 {
                text += &format!("\n    and {more} more");
            }
            text.push('\n');
        };
        let shown = |paths: &[String]| paths.iter().map(|path| printable(path)).collect();
        group("only in A".into(), shown(&self.mapping.only_first));
        group("only in B".into(), shown(&self.mapping.only_second));
        let widths = self.mapping.widths.iter();
        let widths = widths
            .map(|(path, [one, two])| format!("{}  {one} bits in A, {two} in B", printable(path)));
        group("declared with another width".into(), widths.collect());
        group(
            "an event in one dump only".into(),
            shown(&self.mapping.kinds),
        );
        group(
            "declared with other bits".into(),
            shown(&self.mapping.ranges),
        );
        group(
            "declared in other pieces".into(),
            shown(&self.mapping.pieces),
        );
        group(
            "declared more than once, paired in order".into(),
            shown(&self.mapping.repeated),
        );
        if self.mapping.ignored > 0 {
            text += &format!("  ignored: {}\n", self.mapping.ignored);
        }
        text
    }

    fn difference(&self, difference: &Difference) -> String {
        let shown = difference.rows[difference.target].values.len();
        let paths: Vec<_> = difference.differing[..shown]
            .iter()
            .map(|&pair| self.mapping.pairs[pair].path.as_str())
            .collect();
        let scope = common_scope(paths.iter().copied());
        let place = match scope.strip_suffix('.') {
            Some(scope) => format!("in {}: ", printable(scope)),
            None => String::new(),
        };
        let more = difference.differing.len() - shown;
        let more = match more {
            0 => String::new(),
            more => format!("; {more} more signals differ"),
        };
        let mut heads = Vec::new();
        let rows = &difference.rows;
        if rows.iter().any(|row| row.cycle.is_some()) {
            let cycles = rows.iter().map(|row| {
                row.cycle
                    .map_or_else(String::new, |cycle| cycle.to_string())
            });
            heads.push(("cycle".to_owned(), cycles.collect()));
        }
        let scale = Scale::of(self.timescale(), rows.iter().map(|row| row.time));
        let times = rows.iter().map(|row| scale.number(row.time)).collect();
        heads.push((scale.unit().to_owned(), times));
        let column = |place: usize, side: usize| {
            let cells = rows.iter().map(|row| {
                let both = &row.values[place];
                let mut cell = cell(
                    both[side].as_ref(),
                    self.args.values.radix,
                    self.args.values.full,
                );
                cell.mark = (side == 1 && !same(both)).then_some('!');
                cell
            });
            let mut name = printable(&paths[place][scope.len()..]);
            if self.mapping.pairs[difference.differing[place]].event {
                name += " (triggers)";
            }
            Column {
                label: format!("{name} {}", ["A", "B"][side]),
                cells: cells.collect(),
            }
        };
        let table = Table {
            heads,
            columns: (0..shown)
                .flat_map(|place| [column(place, 0), column(place, 1)])
                .collect(),
            target: Some(difference.target),
        };
        let values = match &self.args.clock {
            Some(clock) => format!(
                "{} rising edges of {}",
                self.args.sample.word(),
                printable(clock)
            ),
            None => "when a signal changes".to_owned(),
        };
        let radix = self.args.values.radix.word();
        format!(
            "\n{place}values {values}; {radix}; ! differs{more}\n\n{}",
            table.written(super::width())
        )
    }
}
