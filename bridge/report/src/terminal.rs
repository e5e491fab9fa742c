//! The report as text: 60 lines at most.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Cells, Report};
use lockstep_base::counted::plural;
use lockstep_explain::diagnosis::explain::Explanation;
use lockstep_explain::hypotheses::Findings;

const FIELD_ROWS: usize = 6;
const SETTINGS: usize = 5;
const STEPS: usize = 9;
const HYPOTHESES: usize = 4;

const TITLE: Style = Style::new().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The text, with ANSI colours; whoever prints it to something else than a terminal takes them out.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, report);
    out
}

fn write(out: &mut String, report: &Report) -> std::fmt::Result {
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
    fields(out, report)?;
    explanation(out, &report.explanation, &report.headline.expected)?;
    hypotheses(out, &report.hypotheses)?;
    let marks = match report.about == report.cycle {
        true => String::new(),
        false => format!(
            "  {DIM}> cycle {}, whose outputs differ  * cycle {}, which shows them{DIM:#}",
            report.about, report.cycle
        ),
    };
    if !report.cycles.rows.is_empty() {
        writeln!(out, "\n{TITLE}last cycles{TITLE:#}{marks}")?;
        table(out, &report.cycles)?;
    }
    coverage(out, report)?;
    writeln!(out, "\n{TITLE}re-run{TITLE:#}  {}", report.reproduction)?;
    for note in &report.notes {
        writeln!(out, "  note: {note}")?;
    }
    for file in &report.files {
        writeln!(out, "  {:<10} {}", file.what, file.path.display())?;
    }
    writeln!(
        out,
        "  {:<10} {TITLE}{}{TITLE:#}",
        "replay", report.run.replay
    )?;
    if let Some(shrink) = &report.shrink {
        writeln!(out, "  {:<10} {TITLE}{}{TITLE:#}", "shrink", shrink.command)?;
        if let Some(numbering) = shrink.numbering() {
            writeln!(out, "  {:<10} {DIM}{numbering}{DIM:#}", "")?;
        }
    }
    Ok(())
}

fn fields(out: &mut String, report: &Report) -> std::fmt::Result {
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
    aligned(out, &cells.collect::<Vec<_>>(), |_| Style::new())?;
    let more = roots.len().saturating_sub(FIELD_ROWS);
    if more > 0 {
        writeln!(out, "  and {more} more, in the JSON report")
    } else {
        Ok(())
    }
}

fn explanation(out: &mut String, explanation: &Explanation, expected: &str) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}why {expected} was expected{TITLE:#}")?;
    for setting in explanation.configuration.iter().take(SETTINGS) {
        let meaning = if setting.meaning.is_empty() {
            String::new()
        } else {
            format!("  {}", setting.meaning)
        };
        writeln!(
            out,
            "  {} = {}{meaning}  {DIM}{}{DIM:#}",
            setting.register, setting.value, setting.origin
        )?;
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
        writeln!(out, "  - {}{rules}", step.text)?;
    }
    Ok(())
}

fn hypotheses(out: &mut String, findings: &Findings) -> std::fmt::Result {
    writeln!(out, "\n{TITLE}what would explain the RTL{TITLE:#}")?;
    let lines = findings.lines();
    for line in lines.iter().take(HYPOTHESES) {
        writeln!(out, "  {line}")?;
    }
    match lines.len().saturating_sub(HYPOTHESES) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more, in the JSON report"),
    }
}

fn table(out: &mut String, cells: &Cells) -> std::fmt::Result {
    let mut rows = vec![vec![String::new(), "cycle".to_owned()]];
    rows[0].extend(cells.columns.iter().cloned());
    for row in &cells.rows {
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
    aligned(out, &rows, |index| match index {
        0 => DIM,
        _ if cells.rows[index - 1].divergent => BAD,
        _ => Style::new(),
    })
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

fn coverage(out: &mut String, report: &Report) -> std::fmt::Result {
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
    writeln!(
        out,
        "\n{TITLE}compared{TITLE:#}  {}, {} fields; not compared (UNKNOWN): {}",
        plural(coverage.cycles, "cycle"),
        coverage.compared.compared,
        coverage.compared.not_compared
    )?;
    if !coverage.never_read.is_empty() {
        writeln!(out, "  never read: {}", some(&coverage.never_read))?;
    }
    if !coverage.never_changed.is_empty() {
        writeln!(out, "  never changed: {}", some(&coverage.never_changed))?;
    }
    for waiver in coverage.waivers.iter().filter(|waiver| waiver.waived > 0) {
        writeln!(out, "  waived {} of {}", waiver.waived, waiver.text())?;
    }
    if !coverage.absent.is_empty() {
        writeln!(out, "  not in the design: {}", coverage.absent.join(", "))?;
    }
    Ok(())
}
