//! What `lockstep vcd diff` prints for programs.

use lockstep_vcd::Header;
use serde::Serialize;

use super::Failure;
use super::form::{self, exact};
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::compare::{Comparison, Outcome, same};
use crate::waves::mapping::Mapping;
use crate::waves::values::Radix;

/// A comparison of two dumps.
#[derive(Serialize)]
pub struct Record {
    verdict: Verdict,
    exit_code: u8,
    /// What makes the difference: `values`, `length` of the clock, or `declarations`. None if there is none.
    reason: Option<&'static str>,
    a: Side,
    b: Side,
    /// What a tick of all times here is.
    timescale: Option<String>,
    /// The clock at whose edges values were compared, as asked for. None: they were at every change.
    clock: Option<String>,
    sample: Option<&'static str>,
    /// Signals compared.
    signals: usize,
    /// Clock edges, or times with a change, that were compared.
    rows: u64,
    /// First and last time compared, in ticks.
    times: Option<(u64, u64)>,
    /// Rising edges of both clocks up to the first that the other has not, where that is the difference.
    cycles: Option<[u64; 2]>,
    /// The first difference of values.
    difference: Option<DifferenceRecord>,
    not_compared: NotCompared,
    /// Paths that are declared more than once, which were paired in order.
    repeated: Vec<String>,
    /// What makes a reader doubt the verdict, as it is told on standard error.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// One of the dumps.
#[derive(Serialize)]
struct Side {
    file: String,
    /// What a tick of this dump is.
    timescale: Option<String>,
    /// The last time, in ticks of `timescale` of both, if all of both was compared.
    end: Option<u64>,
    /// Why the rows behind the difference end early.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// The row of the first difference.
#[derive(Serialize)]
struct DifferenceRecord {
    /// Tick.
    time: u64,
    /// Number of the clock edge, from 0.
    cycle: Option<u64>,
    /// All signals that differ there.
    signals: Vec<Differing>,
    /// Which of `rows` it is.
    target: usize,
    /// Rows around it.
    rows: Vec<RowRecord>,
}

/// A signal that differs.
#[derive(Serialize)]
struct Differing {
    /// Its path in the first dump.
    path: String,
    /// Whether it is an event, whose values are numbers of triggers.
    event: bool,
    a: Option<String>,
    b: Option<String>,
}

/// A row around the difference.
#[derive(Serialize)]
struct RowRecord {
    time: u64,
    cycle: Option<u64>,
    /// Values of the first of the signals that differ.
    values: Vec<Values>,
}

/// A value of both dumps.
#[derive(Serialize)]
struct Values {
    a: Option<String>,
    b: Option<String>,
    differs: bool,
}

/// Signals that were left out; of these, `only_a`, `only_b` and `ignored` make no difference.
#[derive(Serialize)]
struct NotCompared {
    only_a: Vec<String>,
    only_b: Vec<String>,
    /// Declared with another width.
    widths: Vec<Width>,
    /// An event in one dump only.
    kinds: Vec<String>,
    /// Declared with other bits.
    ranges: Vec<String>,
    /// Declared in other pieces.
    pieces: Vec<String>,
    /// Number of signals that `--ignore` left out.
    ignored: usize,
}

/// A signal with two widths, in bits.
#[derive(Serialize)]
struct Width {
    path: String,
    a: u32,
    b: u32,
}

/// What a comparison was asked for.
pub struct Asked<'a> {
    /// The files.
    pub files: [String; 2],
    /// Their declarations.
    pub headers: [&'a Header; 2],
    /// The clock, and which values belong to an edge.
    pub clock: Option<(&'a str, &'static str)>,
    /// How vectors are written.
    pub radix: Radix,
}

impl Record {
    /// What came out.
    pub fn new(
        asked: &Asked<'_>,
        verdict: Verdict,
        mapping: &Mapping,
        comparison: &Comparison,
        warning: Option<String>,
    ) -> Self {
        let side = |side: usize| Side {
            file: asked.files[side].clone(),
            timescale: form::tick(asked.headers[side].timescale()),
            end: comparison.ends.map(|ends| ends[side]),
            fault: match &comparison.fault {
                Some((at, fault)) if *at == side => Some(fault.to_string()),
                _ => None,
            },
        };
        let reason = match &comparison.outcome {
            Outcome::Different(_) => Some("values"),
            Outcome::Length { .. } => Some("length"),
            Outcome::Same if mapping.has_mismatches() => Some("declarations"),
            Outcome::Same => None,
        };
        Self {
            verdict,
            exit_code: verdict.exit_code(),
            reason,
            a: side(0),
            b: side(1),
            timescale: form::tick(comparison.timescale),
            clock: asked.clock.map(|(clock, _)| printable(clock)),
            sample: asked.clock.map(|(_, sample)| sample),
            signals: mapping.pairs.len(),
            rows: comparison.rows,
            times: comparison.times,
            cycles: match comparison.outcome {
                Outcome::Length { cycles } => Some(cycles),
                _ => None,
            },
            difference: difference(asked.radix, mapping, comparison),
            not_compared: NotCompared::new(mapping),
            repeated: printed(&mapping.repeated),
            warning,
        }
    }

    /// Prints it as CSV: a line a signal and row around the difference.
    pub fn print_csv(&self) -> Result<(), Failure> {
        form::print_csv(|out| {
            out.end(["time", "timescale", "cycle", "signal", "a", "b", "differs"])?;
            let Some(difference) = &self.difference else {
                return Ok(());
            };
            let mut line =
                |time: u64, cycle, path: &str, values: [&Option<String>; 2], differs: bool| {
                    out.number(time);
                    out.cell(self.timescale.as_ref());
                    out.number(cycle);
                    out.cell(Some(path));
                    for value in values {
                        out.cell(value.as_ref());
                    }
                    out.end([if differs { "1" } else { "0" }])
                };
            for (place, row) in difference.rows.iter().enumerate() {
                for (signal, values) in difference.signals.iter().zip(&row.values) {
                    let both = [&values.a, &values.b];
                    line(row.time, row.cycle, &signal.path, both, values.differs)?;
                }
                // Of the others, only the values at the difference are kept.
                let others = difference.signals.iter().skip(row.values.len());
                for signal in others.filter(|_| place == difference.target) {
                    line(
                        row.time,
                        row.cycle,
                        &signal.path,
                        [&signal.a, &signal.b],
                        true,
                    )?;
                }
            }
            Ok(())
        })
    }
}

fn difference(
    radix: Radix,
    mapping: &Mapping,
    comparison: &Comparison,
) -> Option<DifferenceRecord> {
    let Outcome::Different(difference) = &comparison.outcome else {
        return None;
    };
    let signals = difference.differing.iter().zip(&difference.values);
    let signals = signals.map(|(&pair, [a, b])| Differing {
        path: printable(&mapping.pairs[pair].path),
        event: mapping.pairs[pair].event,
        a: exact(a.as_ref(), radix),
        b: exact(b.as_ref(), radix),
    });
    let rows = difference.rows.iter().map(|row| RowRecord {
        time: row.time,
        cycle: row.cycle,
        values: row
            .values
            .iter()
            .map(|both| Values {
                a: exact(both[0].as_ref(), radix),
                b: exact(both[1].as_ref(), radix),
                differs: !same(both),
            })
            .collect(),
    });
    let there = &difference.rows[difference.target];
    Some(DifferenceRecord {
        time: there.time,
        cycle: there.cycle,
        signals: signals.collect(),
        target: difference.target,
        rows: rows.collect(),
    })
}

fn printed(paths: &[String]) -> Vec<String> {
    paths.iter().map(|path| printable(path)).collect()
}

impl NotCompared {
    fn new(mapping: &Mapping) -> Self {
        let widths = mapping.widths.iter().map(|(path, [a, b])| Width {
            path: printable(path),
            a: *a,
            b: *b,
        });
        Self {
            only_a: printed(&mapping.only_first),
            only_b: printed(&mapping.only_second),
            widths: widths.collect(),
            kinds: printed(&mapping.kinds),
            ranges: printed(&mapping.ranges),
            pieces: printed(&mapping.pieces),
            ignored: mapping.ignored,
        }
    }
}
