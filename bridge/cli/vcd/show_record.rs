//! What `lockstep vcd show` prints for programs, while the rows are read.

use std::cell::{Cell, RefCell};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use lockstep_vcd::{Error, Header, Value};
use serde::ser::{Error as _, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::Failure;
use super::form::{self, Signal, exact};
use crate::cli::output;
use crate::printable::printable;
use crate::waves::decode::Decode;
use crate::waves::dump::Dump;
use crate::waves::rows::{Pace, Row, Rows};
use crate::waves::select::Selected;
use crate::waves::values::{Radix, write_exact};

/// What is told of the rows of a dump.
pub struct Record {
    /// The dump, or `-`.
    pub file: String,
    /// What a tick is: `1 ps`.
    pub timescale: Option<String>,
    /// Path of the clock at whose rising edges the rows are. None: they are at changes.
    pub clock: Option<String>,
    /// Which values belong to an edge: `after` or `before`.
    pub sample: Option<&'static str>,
    /// A column each.
    pub signals: Vec<Signal>,
    /// How vectors are written.
    pub radix: Radix,
}

/// Values at one place.
#[derive(Serialize)]
struct RowRecord<'r> {
    /// Tick.
    time: u64,
    /// Number of the rising edge, from 0. None if they were not counted.
    cycle: Option<u64>,
    /// A value a signal. None if the dump had given none yet, or an event was not triggered since the row before.
    values: Vec<Option<String>>,
    /// For each signal, whether it differs from the row before.
    changed: &'r [bool],
}

/// A signal read as a register.
#[derive(Serialize)]
pub struct Register<'d> {
    /// Path of the signal.
    pub signal: String,
    /// The register.
    pub register: String,
    /// What it means, whenever it changes.
    pub values: Vec<Words>,
    #[serde(skip)]
    decode: &'d Decode,
    #[serde(skip)]
    place: usize,
    #[serde(skip)]
    last: Option<Option<Value>>,
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

impl<'d> Register<'d> {
    /// The signal in a column, before the first row.
    pub fn new(decode: &'d Decode, place: usize, signal: &Selected) -> Self {
        Self {
            signal: printable(&signal.path),
            register: decode.register.name(),
            values: Vec::new(),
            decode,
            place,
            last: None,
        }
    }

    /// Takes its value of a row.
    pub fn enter(&mut self, row: Row<'_>) {
        let value = &row.values[self.place];
        if self.last.as_ref() == Some(value) {
            return;
        }
        let words = match value {
            Some(Value::Bits(bits)) => self.decode.register.words(bits),
            Some(_) => "no bits".to_owned(),
            None => "no value yet".to_owned(),
        };
        self.last = Some(value.clone());
        self.values.push(Words {
            time: row.time,
            cycle: row.cycle,
            words,
        });
    }
}

/// The list of rows, which is read while it is written.
struct List<'r, 'd> {
    radix: Radix,
    rows: Cell<Option<Rows<'r, Dump>>>,
    registers: RefCell<Vec<Register<'d>>>,
    fault: Cell<Option<Error>>,
}

impl Serialize for List<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows = self.rows.take();
        let rows = rows.ok_or_else(|| S::Error::custom("written once"))?;
        let mut list = serializer.serialize_seq(None)?;
        let mut written = Ok(());
        let fault = rows.each(&mut |row| {
            let mut registers = self.registers.borrow_mut();
            registers.iter_mut().for_each(|one| one.enter(row));
            let values = row.values.iter();
            let values = values.map(|value| exact(value.as_ref(), self.radix));
            written = list.serialize_element(&RowRecord {
                time: row.time,
                cycle: row.cycle,
                values: values.collect(),
                changed: row.changed,
            });
            form::going_on(&written)
        });
        self.fault.set(fault);
        written?;
        list.end()
    }
}

impl Record {
    /// What there is to tell of `file`. `clock` is the path of the clock, if `pace` is that of one.
    pub fn new(
        file: &Path,
        header: &Header,
        (pace, clock): (Pace, &str),
        selected: &[Selected],
        radix: Radix,
    ) -> Self {
        let signals = selected.iter().map(|one| Signal::of(one, header));
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
            radix,
        }
    }

    /// Prints the rows as one JSON document.
    ///
    /// # Returns
    /// Why there are no more rows, if the dump is damaged.
    pub fn print_json(
        &self,
        rows: Rows<'_, Dump>,
        registers: Vec<Register<'_>>,
    ) -> Result<Option<Error>, Failure> {
        let target = rows.target;
        let list = List {
            radix: self.radix,
            rows: Cell::new(Some(rows)),
            registers: RefCell::new(registers),
            fault: Cell::new(None),
        };
        let mut out = BufWriter::new(io::stdout().lock());
        let mut fault = None;
        let mut document = || {
            let mut serializer = serde_json::Serializer::pretty(&mut out);
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("file", &self.file)?;
            map.serialize_entry("timescale", &self.timescale)?;
            map.serialize_entry("clock", &self.clock)?;
            map.serialize_entry("sample", &self.sample)?;
            map.serialize_entry("signals", &self.signals)?;
            map.serialize_entry("target", &target)?;
            map.serialize_entry("rows", &list)?;
            if !list.registers.borrow().is_empty() {
                map.serialize_entry("registers", &list.registers)?;
            }
            fault = list.fault.take();
            if let Some(fault) = &fault {
                map.serialize_entry("fault", &fault.to_string())?;
            }
            SerializeMap::end(map)
        };
        let written = document().map_err(io::Error::from);
        output::printed(
            written
                .and_then(|()| writeln!(out))
                .and_then(|()| out.flush()),
        )?;
        Ok(fault)
    }

    /// Prints the rows as CSV, a line each.
    ///
    /// # Returns
    /// Why there are no more rows, if the dump is damaged.
    pub fn print_csv(&self, rows: Rows<'_, Dump>) -> Result<Option<Error>, Failure> {
        let mut fault = None;
        form::print_csv(|out| {
            let paths = self.signals.iter().map(|signal| signal.path.as_str());
            let head = ["time", "timescale", "cycle"].into_iter().chain(paths);
            out.end(head.chain(["changed"]))?;
            let mut cells = vec![Vec::new(); self.signals.len()];
            let (mut changed, mut written) = (String::new(), Ok(()));
            fault = rows.each(&mut |row| {
                out.number(row.time);
                out.cell(self.timescale.as_ref());
                out.number(row.cycle);
                changed.clear();
                let values = row.values.iter().zip(row.changed);
                for ((cell, signal), (value, &differs)) in
                    cells.iter_mut().zip(&self.signals).zip(values)
                {
                    match value {
                        Some(Value::Text(text)) => out.cell(Some(text.as_bytes())),
                        Some(value) => {
                            // Else it is as in the row before.
                            if differs || !matches!(value, Value::Bits(_)) || cell.is_empty() {
                                cell.clear();
                                write_exact(cell, value, self.radix);
                            }
                            out.plain(cell);
                        }
                        None => {
                            cell.clear();
                            out.plain(b"");
                        }
                    }
                    if differs {
                        let blank = if changed.is_empty() { "" } else { " " };
                        changed.extend([blank, signal.path.as_str()]);
                    }
                }
                out.cell(Some(&changed).filter(|changed| !changed.is_empty()));
                written = out.end([""; 0]);
                form::going_on(&written)
            });
            written
        })?;
        Ok(fault)
    }
}
