//! In which form a result is printed.

use std::io::{self, Write};

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

/// Prints lines of CSV.
///
/// # Errors
/// They cannot be written.
pub fn print_csv(
    lines: impl FnOnce(&mut csv::Writer<&mut dyn Write>) -> Result<(), csv::Error>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut writer = csv::Writer::from_writer(&mut out as &mut dyn Write);
    let written = lines(&mut writer).map_err(io::Error::from);
    let written = written.and_then(|()| writer.flush());
    drop(writer);
    output::printed(written)
}

/// A number as a cell of CSV; nothing if there is none.
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
