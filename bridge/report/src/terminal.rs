//! The report as text: 60 lines at most, and those of further divergences.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use lockstep_base::counted::plural;
use lockstep_base::lines::hanging;
use lockstep_explain::diagnosis::explain::Explanation;
use lockstep_explain::hypotheses::Findings;
use lockstep_explain::registers::columns;

use super::further::{line, not_listed, sentence};
use super::{Cells, Further, Location, PAGE, PLACES, Report, Shortest};

const FIELD_ROWS: usize = 6;
const SETTINGS: usize = 5;
const STEPS: usize = 9;
const HYPOTHESES: usize = 4;
/// Of the last cycles, those before the one that differs, where there is a shorter stimulus to read.
const BEFORE: usize = 4;

const TITLE: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The width of lines that nothing limits.
pub const UNLIMITED: usize = usize::MAX;

/// The text in lines of at most `width` columns, with ANSI colours; whoever prints it to something else than a terminal
/// takes them out. [`verdict`] belongs under it.
pub fn text(report: &Report, width: usize) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, report, width);
    out
}

/// The lines that matter, to stand at the end, where the eye is.
pub fn verdict(report: &Report, width: usize) -> String {
    let headline = &report.headline;
    let title = format!(
        "{BAD}DIVERGENCE{BAD:#}  {TITLE}{}: expected {}, RTL {}{TITLE:#}  in cycle {}",
        headline.field, headline.expected, headline.rtl, report.cycle
    );
    let page = report.files.iter().find(|file| file.what == PAGE);
    let page = page.map(|file| file.path.display().to_string());
    let name = |what: &str| format!("  {what:<10} ");
    let mut out = format!("\n{}", hanging("", &title, width));
    out += &hanging(&name("cause"), &report.cause(), width);
    // What is copied is not broken.
    out += &format!("{}{TITLE}{}{TITLE:#}\n", name("replay"), report.run.replay);
    if let Some(found) = &report.shortest {
        out += &format!("{}{TITLE}{}{TITLE:#}\n", name("shortest"), found.replay);
    }
    if let Some(page) = page {
        out += &format!("{}{page}\n", name("page"));
    }
    out
}

fn write(out: &mut String, report: &Report, width: usize) -> std::fmt::Result {
    let headline = &report.headline;
    writeln!(
        out,
        "{BAD}DIVERGENCE{BAD:#}  {TITLE}{}: expected {}, RTL {}{TITLE:#}  {DIM}{}{DIM:#}",
        headline.field, headline.expected, headline.rtl, headline.signal
    )?;
    let seed = report
        .run
        .seed
        .map_or(String::new(), |seed| format!("  seed {seed}"));
    let late = if report.about == report.cycle {
        String::new()
    } else {
        format!(", which shows the outputs of cycle {}", report.about)
    };
    writeln!(
        out,
        "cycle {}{late}, at {}{seed}  implementation {}  RTL {}",
        report.cycle,
        report.time(),
        report.run.implementation,
        report.run.rtl
    )?;
    if let Some(found) = &report.shortest {
        shortest(out, found, width)?;
    }
    fields(out, report, width)?;
    explanation(out, &report.explanation, &report.headline.expected, width)?;
    hypotheses(out, &report.hypotheses, width)?;
    if let Some(found) = &report.locations {
        locations(out, found, width)?;
    }
    if let Some(found) = &report.further {
        further(out, found, width)?;
    }
    let marks = match report.about == report.cycle {
        true => String::new(),
        false => format!(
            "  {DIM}> cycle {}, whose outputs differ  * cycle {}, which shows them{DIM:#}",
            report.about, report.cycle
        ),
    };
    if !report.cycles.rows.is_empty() {
        writeln!(out, "\n{TITLE}last cycles{TITLE:#}{marks}")?;
        // What led there is short where the stimulus is.
        let before = report.shortest.as_ref().map(|_| BEFORE);
        table(out, &report.cycles, before, width)?;
    }
    coverage(out, report, width)?;
    let title = format!("\n{TITLE}re-run{TITLE:#}  ");
    out.push_str(&hanging(&title, &report.reproduction, width));
    for note in &report.notes {
        out.push_str(&hanging("  note: ", note, width));
    }
    for file in report.files.iter().filter(|file| file.what != PAGE) {
        writeln!(out, "  {:<10} {}", file.what, file.path.display())?;
    }
    // What is as short as can be is shrunk already.
    let shrink = report.shrink.as_ref();
    let is_short = report.shortest.as_ref().is_some_and(|found| found.minimal);
    if let Some(shrink) = shrink.filter(|_| !is_short) {
        writeln!(out, "  {:<10} {TITLE}{}{TITLE:#}", "shrink", shrink.command)?;
        if let Some(numbering) = shrink.numbering() {
            writeln!(out, "  {:<10} {DIM}{numbering}{DIM:#}", "")?;
        }
    }
    Ok(())
}

fn shortest(out: &mut String, found: &Shortest, width: usize) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}shortest stimulus that fails{TITLE:#}")?;
    out.push_str(&hanging(
        "  ",
        &format!("{DIM}{}{DIM:#}", found.sentence()),
        width,
    ));
    for (cycles, words) in found.lines() {
        out.push_str(&hanging(&format!("  {cycles:>7}  "), &words, width));
    }
    Ok(())
}

fn fields(out: &mut String, report: &Report, width: usize) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}fields that differ{TITLE:#}")?;
    let (roots, consequences): (Vec<_>, Vec<_>) = report
        .fields
        .iter()
        .partition(|row| row.follows_from.is_none());
    let cells = roots.iter().take(FIELD_ROWS).map(|row| {
        let folded: Vec<_> = consequences
            .iter()
            .filter(|other| other.follows_from.as_deref() == Some(&row.field))
            .map(|other| other.field.as_str())
            .collect();
        let folded = if folded.is_empty() {
            String::new()
        } else {
            format!("hence also {}", folded.join(", "))
        };
        // Outcomes are words.
        let xor = match row.rtl.starts_with(|first: char| first.is_ascii_digit()) {
            true => format!("XOR {}", row.xor),
            false => String::new(),
        };
        vec![
            row.field.clone(),
            format!("expected {}", row.expected),
            format!("RTL {}", row.rtl),
            xor,
            folded,
        ]
    });
    out.push_str(&columns(&cells.collect::<Vec<_>>(), width));
    let more = roots.len().saturating_sub(FIELD_ROWS);
    if more > 0 {
        writeln!(out, "  and {more} more, in the JSON report")
    } else {
        Ok(())
    }
}

fn explanation(
    out: &mut String,
    explanation: &Explanation,
    expected: &str,
    width: usize,
) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}why {expected} was expected{TITLE:#}")?;
    for setting in explanation.configuration.iter().take(SETTINGS) {
        let meaning = if setting.meaning.is_empty() {
            String::new()
        } else {
            format!("  {}", setting.meaning)
        };
        let text = format!(
            "{} = {}{meaning}  {DIM}{}{DIM:#}",
            setting.register, setting.value, setting.origin
        );
        out.push_str(&hanging("  ", &text, width));
    }
    for step in explanation.derivation.iter().take(STEPS) {
        let rules: Vec<_> = step
            .rules
            .iter()
            .map(|rule| format!("{} {}", rule.id, rule.clause))
            .collect();
        let rules = if rules.is_empty() {
            String::new()
        } else {
            format!("  {DIM}[{}]{DIM:#}", rules.join("; "))
        };
        let text = format!("{}{rules}", step.text);
        out.push_str(&hanging("  - ", &text, width));
    }
    Ok(())
}

fn hypotheses(out: &mut String, findings: &Findings, width: usize) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}what would explain the RTL{TITLE:#}")?;
    let lines = findings.lines();
    for line in lines.iter().take(HYPOTHESES) {
        out.push_str(&hanging("  ", line, width));
    }
    match lines.len().saturating_sub(HYPOTHESES) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more, in the JSON report"),
    }
}

fn locations(out: &mut String, found: &[Location], width: usize) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}where in the RTL{TITLE:#}")?;
    if found.is_empty() {
        return writeln!(out, "  no place stands out");
    }
    for location in found.iter().take(PLACES) {
        let text = format!("{TITLE}{}{TITLE:#}  {}", location.place(), location.words());
        out.push_str(&hanging("  ", &text, width));
    }
    Ok(())
}

fn further(out: &mut String, found: &Further, width: usize) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}further divergences{TITLE:#}")?;
    out.push_str(&hanging("  ", &sentence(found), width));
    let lines = found.listed.iter().map(line);
    for line in lines.chain(not_listed(found)) {
        out.push_str(&hanging("  ", &line, width));
    }
    Ok(())
}

/// The columns that fit into `width`, the most telling ones first, and in a line the names of the others.
/// The last cycles; `before` that which differs all of them, or so many.
fn table(out: &mut String, cells: &Cells, before: Option<usize>, width: usize) -> std::fmt::Result {
    let marked = cells.rows.iter().position(|row| row.divergent || row.shows);
    let from = before.map_or(0, |before| marked.unwrap_or(0).saturating_sub(before));
    let shown = &cells.rows[from..];
    let mut rows = vec![vec![String::new(), "cycle".to_owned()]];
    rows[0].extend(cells.columns.iter().cloned());
    for row in shown {
        let mut line = vec![
            match (row.divergent, row.shows) {
                (true, _) => ">",
                (_, true) => "*",
                _ => "",
            }
            .to_owned(),
            row.cycle.to_string(),
        ];
        line.extend(row.cells.iter().cloned());
        rows.push(line);
    }
    let fitting = fitting(&rows, width);
    for row in &mut rows {
        *row = fitting.iter().map(|&column| row[column].clone()).collect();
    }
    aligned(out, &rows, |index| match index {
        0 => DIM,
        _ if shown[index - 1].divergent => BAD,
        _ => Style::new(),
    })?;
    let left_out = (2..cells.columns.len() + 2).filter(|column| !fitting.contains(column));
    let left_out: Vec<_> = left_out.map(|column| &*cells.columns[column - 2]).collect();
    if !left_out.is_empty() {
        let names = format!("{DIM}on the page: {}{DIM:#}", left_out.join(", "));
        out.push_str(&hanging("  ", &names, width));
    }
    Ok(())
}

/// The places of the columns of `rows`, whose first row has their names, that fit into `width`.
fn fitting(rows: &[Vec<String>], width: usize) -> Vec<usize> {
    let names = &rows[0];
    // Mark and cycle, what was expected and what came; then the model's values, accesses, and the design's own signals.
    let rank = |column: &usize| match &*names[*column] {
        _ if *column < 2 => 0,
        name if name.ends_with(" expected") || name.ends_with(" RTL") => 0,
        name if name.contains('.') => 3,
        "access" => 2,
        _ => 1,
    };
    let mut order: Vec<_> = (0..names.len()).collect();
    order.sort_by_key(rank);
    let mut taken = Vec::new();
    let mut used: usize = 0;
    for column in order {
        let cells = rows.iter().map(|row| row[column].chars().count());
        let needed = 2 + cells.max().unwrap_or(0);
        if rank(&column) == 0 || used.saturating_add(needed) <= width {
            used = used.saturating_add(needed);
            taken.push(column);
        }
    }
    taken.sort_unstable();
    taken
}

/// Writes rows with the columns aligned.
fn aligned(
    out: &mut String,
    rows: &[Vec<String>],
    style: impl Fn(usize) -> Style,
) -> std::fmt::Result {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let texts = rows.iter().filter_map(|row| row.get(column));
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    for (index, row) in rows.iter().enumerate() {
        let line: Vec<_> = row
            .iter()
            .zip(&widths)
            .map(|(text, &width)| format!("{text:<width$}"))
            .collect();
        let style = style(index);
        writeln!(out, "  {style}{}{style:#}", line.join("  ").trim_end())?;
    }
    Ok(())
}

fn coverage(out: &mut String, report: &Report, width: usize) -> std::fmt::Result {
    let coverage = &report.coverage;
    let some = |names: &[String]| {
        let shown = names
            .iter()
            .take(6)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let more = names.len().saturating_sub(6);
        if more > 0 {
            format!("{shown} and {more} more")
        } else {
            shown
        }
    };
    let mut line = |first: &str, text: &str| out.push_str(&hanging(first, text, width));
    let text = format!(
        "{}, {} fields; not compared ({}): {}",
        plural(coverage.cycles, "cycle"),
        coverage.compared.compared,
        crate::left_out(!coverage.waivers.is_empty()),
        coverage.compared.not_compared
    );
    line(&format!("\n{TITLE}compared{TITLE:#}  "), &text);
    if !coverage.never_read.is_empty() {
        line("  ", &format!("never read: {}", some(&coverage.never_read)));
    }
    if !coverage.never_changed.is_empty() {
        line(
            "  ",
            &format!("never changed: {}", some(&coverage.never_changed)),
        );
    }
    for waiver in coverage.waivers.iter().filter(|waiver| waiver.waived > 0) {
        line(
            "  ",
            &format!("waived {} of {}", waiver.waived, waiver.text()),
        );
    }
    if !coverage.absent.is_empty() {
        line(
            "  ",
            &format!("not in the design: {}", coverage.absent.join(", ")),
        );
    }
    Ok(())
}
