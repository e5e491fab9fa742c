//! The report of two designs that differ, for people and for programs.

use std::fmt::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::{Against, ROWS, Row};
use crate::dut::CYCLE_NS;
use crate::lockstep::Divergence;
use crate::lockstep::compare::{Field, access_text};
use lockstep_base::counted::plural;

const TITLE: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// What the two designs are, in a few words.
#[derive(Clone, Debug, Serialize)]
pub struct Names {
    /// The first: `--dut`.
    pub a: String,
    /// The second: `--against`.
    pub b: String,
}

/// Where the waveforms are.
#[derive(Clone, Debug, Serialize)]
pub struct Files {
    /// Of the first.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub a: PathBuf,
    /// Of the second.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub b: PathBuf,
}

/// A field that differs.
#[derive(Clone, Debug, Serialize)]
struct FieldRow {
    field: String,
    signal: String,
    a: String,
    b: String,
}

/// A cycle before the one that the divergence is about, and that one: what went in, and what both show of it, in this cycle or
/// later.
#[derive(Clone, Debug, Serialize)]
struct CycleRow {
    cycle: u64,
    access: String,
    /// Empty, where the field is that of an access to another register.
    a: String,
    b: String,
}

/// Two designs that differ.
#[derive(Clone, Debug, Serialize)]
pub struct AgainstReport {
    /// What they are.
    pub designs: Names,
    /// The cycle in which it shows.
    pub cycle: u64,
    /// The cycle that it is about: that of the inputs.
    pub about: u64,
    /// When that begins.
    pub time_ns: u64,
    fields: Vec<FieldRow>,
    last_cycles: Vec<CycleRow>,
    /// The waveforms.
    pub files: Option<Files>,
    /// What is to be said of them.
    pub note: String,
    /// The command that shows it again.
    pub replay: String,
}

/// The report of `divergence`.
pub fn report(
    run: &Against,
    divergence: &Divergence,
    designs: Names,
    replay: String,
) -> AgainstReport {
    let first = divergence.differences[0].field;
    let Divergence { cycle, about, .. } = *divergence;
    let name = first.name(&divergence.input);
    let row = |number: u64| {
        let row = |number| run.last.iter().find(|row| row.cycle == number);
        let shown = row(number + cycle - about)?;
        Some(cycle_row(row(number)?, shown, first, &name))
    };
    let rows = about.saturating_sub(ROWS as u64 - 1)..=about;
    AgainstReport {
        designs,
        cycle,
        about,
        time_ns: CYCLE_NS * divergence.cycle,
        fields: divergence
            .differences
            .iter()
            .map(|difference| FieldRow {
                field: difference.field.name(&divergence.input),
                signal: difference.field.signal(),
                a: difference.field.text(difference.expected),
                b: difference.field.text(difference.rtl),
            })
            .collect(),
        last_cycles: rows.filter_map(row).collect(),
        files: None,
        note: String::new(),
        replay,
    }
}

/// What went in in `row`, and what `shown` has of it in the field of this name.
fn cycle_row(row: &Row, shown: &Row, field: Field, name: &str) -> CycleRow {
    let is_it = field.name(&row.input) == name;
    let [a, b] = shown.outputs.map(|output| match is_it {
        true => field.text(field.of(&output)),
        false => String::new(),
    });
    CycleRow {
        cycle: row.cycle,
        access: access_text(&row.input),
        a,
        b,
    }
}

impl AgainstReport {
    /// The report as text, with ANSI colours.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let head = &self.fields[0];
        writeln!(
            out,
            "{BAD}DIVERGENCE{BAD:#}  {TITLE}{}: A {}, B {}{TITLE:#}  {}",
            head.field, head.a, head.b, head.signal
        )?;
        let late = match self.cycle - self.about {
            0 => String::new(),
            late => format!(
                ", where it shows what cycle {} was given, {} later",
                self.about,
                plural(late, "cycle")
            ),
        };
        writeln!(out, "cycle {}, at {} ns{late}", self.cycle, self.time_ns)?;
        writeln!(out, "  A  {}\n  B  {}", self.designs.a, self.designs.b)?;
        writeln!(out, "\n{TITLE}fields that differ{TITLE:#}")?;
        let width = |of: fn(&FieldRow) -> &str| self.fields.iter().map(|row| of(row).len()).max();
        let (name, a) = (width(|row| &row.field), width(|row| &row.a));
        let (name, a) = (name.unwrap_or(0), a.unwrap_or(0));
        for row in &self.fields {
            writeln!(out, "  {:<name$}  A {:<a$}  B {}", row.field, row.a, row.b)?;
        }
        let late = match self.cycle - self.about {
            0 => String::new(),
            late => format!(", as it shows {} later", plural(late, "cycle")),
        };
        writeln!(out, "\n{TITLE}last cycles{TITLE:#}, {}{late}", head.field)?;
        let rows = &self.last_cycles;
        let access = rows.iter().map(|row| row.access.len()).max().unwrap_or(0);
        let value = rows.iter().map(|row| row.a.len()).max().unwrap_or(0).max(1);
        for row in rows {
            let mark = if row.cycle == self.about { '>' } else { ' ' };
            let (cycle, what) = (row.cycle, &row.access);
            let values = match row.a.is_empty() {
                true => String::new(),
                false => format!("A {:<value$}  B {}", row.a, row.b),
            };
            let line = format!("{mark} {cycle:>10}  {what:<access$}  {values}");
            writeln!(out, "  {}", line.trim_end())?;
        }
        writeln!(out)?;
        if let Some(files) = &self.files {
            writeln!(out, "  waveform A {}", files.a.display())?;
            writeln!(out, "  waveform B {}", files.b.display())?;
        }
        if !self.note.is_empty() {
            writeln!(out, "  note: {}", self.note)?;
        }
        writeln!(out, "  replay     {TITLE}{}{TITLE:#}", self.replay)
    }
}
