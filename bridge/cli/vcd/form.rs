//! In which form a result is printed.

use std::io::{self, StdoutLock, Write};
use std::iter;
use std::ops::ControlFlow;

use clap::Args;
use lockstep_vcd::{Header, Timescale, Value};
use serde::Serialize;

use super::{Failure, in_file};
use crate::cli::output;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::waves::select::Selected;
use crate::waves::values::{self, Radix};

/// What commands take that print for persons and for programs.
#[derive(Args)]
pub struct Form {
    /// Print everything as JSON: times in ticks, values as text
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    /// Print as CSV: times in ticks, values as text
    #[arg(long)]
    pub csv: bool,
}

/// How commands take that values are written.
#[derive(Args, Clone, Copy)]
pub struct ValueArgs {
    /// How vectors are written
    #[arg(long, value_name = "RADIX", default_value = "hex")]
    pub radix: Radix,
    /// Do not shorten long values
    #[arg(long)]
    pub full: bool,
}

/// A signal, for programs.
#[derive(Serialize)]
pub struct Signal {
    /// Full path, with the bits that were asked for.
    pub path: String,
    /// Width in bits. Of reals, strings and events it means nothing.
    pub width: u32,
    /// `wire`, `reg`, `real`, ...
    pub kind: &'static str,
}

impl Signal {
    /// A signal that was asked for.
    pub fn of(one: &Selected, header: &Header) -> Self {
        let variable = &header.variables()[one.probe.variable_index()];
        Self {
            path: printable(&one.path),
            width: one.probe.width(header),
            kind: variable.kind().word(),
        }
    }
}

/// A value for programs. None if the dump has given none yet.
pub fn exact(value: Option<&Value>, radix: Radix) -> Option<String> {
    value.map(|value| values::exact(value, radix))
}

/// What a tick is, for programs: `1 ps`.
pub fn tick(timescale: Option<Timescale>) -> Option<String> {
    timescale.map(|timescale| timescale.to_string())
}

/// Bytes from which on lines of CSV are written.
const FULL: usize = 1 << 16;

/// Lines of CSV: with quotes where a cell needs them, and around an empty text, to tell it from nothing.
pub struct Csv {
    out: StdoutLock<'static>,
    text: Vec<u8>,
}

impl Csv {
    /// Adds a cell to the line; nothing if there is no text.
    pub fn cell(&mut self, text: Option<impl AsRef<[u8]>>) {
        let Some(text) = text else {
            return self.plain(b"");
        };
        let text = text.as_ref();
        let is_odd = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
        if !text.is_empty() && !text.iter().any(is_odd) {
            return self.plain(text);
        }
        self.text.push(b'"');
        for &byte in text {
            let count = if byte == b'"' { 2 } else { 1 };
            self.text.extend(iter::repeat_n(byte, count));
        }
        self.plain(b"\"");
    }

    /// Adds a cell, or the rest of one, that needs no quotes.
    pub fn plain(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.text.push(b',');
    }

    /// Adds a number to the line; nothing if there is none.
    pub fn number(&mut self, number: impl Into<Option<u64>>) {
        if let Some(number) = number.into() {
            // Memory takes all that is written.
            let _ = write!(self.text, "{number}");
        }
        self.plain(b"");
    }

    /// Ends a line, of which the last cells are these.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(&mut self, cells: impl IntoIterator<Item: AsRef<[u8]>>) -> io::Result<()> {
        for cell in cells {
            self.cell(Some(cell));
        }
        if let Some(last) = self.text.last_mut() {
            *last = b'\n';
        }
        match self.text.len() < FULL {
            true => Ok(()),
            false => self.write(),
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.out.write_all(&self.text);
        self.text.clear();
        written
    }
}

/// Prints lines of CSV.
///
/// # Errors
/// They cannot be written.
pub fn print_csv(lines: impl FnOnce(&mut Csv) -> io::Result<()>) -> Result<(), Failure> {
    let mut csv = Csv {
        out: io::stdout().lock(),
        text: Vec::new(),
    };
    let written = lines(&mut csv).and_then(|()| csv.write());
    output::printed(written.and_then(|()| csv.out.flush()))
}

/// Whether more is wanted, as all was written.
pub const fn going_on<E>(written: &Result<(), E>) -> ControlFlow<()> {
    match written {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    }
}

/// A number as a cell of a table; nothing if there is none.
pub fn cell(number: Option<u64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// Ends a command whose one JSON document has told the fault of a dump.
pub fn end_with_fault(
    path: &std::path::Path,
    fault: impl Into<Box<dyn std::error::Error>>,
) -> Verdict {
    end_as_told(in_file(path, fault))
}

/// Ends a command whose one JSON document has told the failure.
pub fn end_as_told(failure: Failure) -> Verdict {
    let Failure {
        verdict, message, ..
    } = failure;
    output::tell(&format!("lockstep: {message}\n"));
    verdict
}
