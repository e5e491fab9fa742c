//! What `lockstep vcd show` prints for programs.

use std::path::Path;

use lockstep_vcd::Header;
use serde::{Serialize, Serializer};

use super::Failure;
use super::form::{self, Signal, exact};
use crate::printable::printable;
use crate::waves::rows::{Pace, Rows};
use crate::waves::select::Selected;
use crate::waves::values::Radix;

/// Rows of a dump.
#[derive(Serialize)]
pub struct Record<'r> {
    /// The dump, or `-`.
    file: String,
    /// What a tick is: `1 ps`.
    timescale: Option<String>,
    /// Path of the clock at whose rising edges the rows are. None: they are at changes.
    clock: Option<String>,
    /// Which values belong to an edge: `after` or `before`.
    sample: Option<&'static str>,
    /// A column each.
    signals: Vec<Signal>,
    /// The row that was asked for, counted from 0. None if there is none.
    target: Option<usize>,
    rows: RowRecords<'r>,
    /// Signals as registers, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    registers: Vec<Register>,
    /// Why there are no more rows, if the dump is damaged.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// The rows, each made when it is printed: what is asked for may be far more text than the values are.
struct RowRecords<'r> {
    rows: &'r Rows,
    radix: Radix,
    /// For each column, whether it is an event.
    events: Vec<bool>,
}

impl RowRecords<'_> {
    fn iter(&self) -> impl Iterator<Item = RowRecord> {
        self.rows.rows.iter().enumerate().map(|(place, row)| {
            let values = row.values.iter();
            let changed = self.events.iter().enumerate();
            let changed =
                changed.map(|(column, event)| self.rows.has_changed(place, column, *event));
            RowRecord {
                time: row.time,
                cycle: row.cycle,
                values: values
                    .map(|value| exact(value.as_ref(), self.radix))
                    .collect(),
                changed: changed.collect(),
            }
        })
    }
}

impl Serialize for RowRecords<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// Values at one place.
#[derive(Serialize)]
struct RowRecord {
    /// Tick.
    time: u64,
    /// Number of the rising edge, from 0. None if they were not counted.
    cycle: Option<u64>,
    /// A value a signal. None if the dump had given none yet, or an event was not triggered since the row before.
    values: Vec<Option<String>>,
    /// For each signal, whether it differs from the row before.
    changed: Vec<bool>,
}

/// A signal read as a register.
#[derive(Serialize)]
pub struct Register {
    /// Path of the signal.
    pub signal: String,
    /// The register.
    pub register: String,
    /// What it means, whenever it changes.
    pub values: Vec<Words>,
}

/// A value of a register in words.
#[derive(Serialize)]
pub struct Words {
    /// Tick.
    pub time: u64,
    /// Number of the rising edge, if they were counted.
    pub cycle: Option<u64>,
    /// The fields that are not zero.
    pub words: String,
}

impl<'r> Record<'r> {
    /// What was found in `file`. `clock` is the path of the clock, if `pace` is that of one.
    pub fn new(
        file: &Path,
        header: &Header,
        (pace, clock): (Pace, &str),
        selected: &[Selected],
        rows: &'r Rows,
        radix: Radix,
    ) -> Self {
        let signals = selected.iter().map(|one| Signal::of(one, header));
        let events = selected.iter().map(|one| one.probe.is_event(header));
        let sample = match pace {
            Pace::Clock(_, sample) => Some(sample.word()),
            Pace::Changes => None,
        };
        Self {
            file: file.display().to_string(),
            timescale: form::tick(header.timescale()),
            clock: sample.map(|_| printable(clock)),
            sample,
            signals: signals.collect(),
            target: rows.target,
            rows: RowRecords {
                rows,
                radix,
                events: events.collect(),
            },
            registers: Vec::new(),
            fault: rows.fault.as_ref().map(ToString::to_string),
        }
    }

    /// The same with signals as registers.
    pub fn with(mut self, registers: Vec<Register>) -> Self {
        self.registers = registers;
        self
    }

    /// Prints it as CSV: a line a row.
    pub fn print_csv(&self) -> Result<(), Failure> {
        form::print_csv(|out| {
            let paths = self.signals.iter().map(|signal| signal.path.as_str());
            let head = ["time", "timescale", "cycle"].into_iter().chain(paths);
            out.write_record(head.chain(["changed"]))?;
            for row in self.rows.iter() {
                out.write_field(row.time.to_string())?;
                out.write_field(self.timescale.as_deref().unwrap_or_default())?;
                out.write_field(form::cell(row.cycle))?;
                for value in &row.values {
                    out.write_field(value.as_deref().unwrap_or_default())?;
                }
                let changed = self.signals.iter().zip(&row.changed);
                let changed = changed.filter(|(_, changed)| **changed);
                let changed: Vec<_> = changed.map(|(signal, _)| signal.path.as_str()).collect();
                out.write_record([changed.join(" ")])?;
            }
            Ok(())
        })
    }
}
