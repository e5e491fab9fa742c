//! An explanation as text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use lockstep_base::lines::wrapped;
use pmu_model::rules::RULES;

use super::{Explanation, FieldWords, FilteredState, Remark};

const TITLE: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Yellow.on_default().bold();

/// The text, at most `width` columns wide, with ANSI colours; whoever prints it to something else than a terminal
/// takes them out.
pub fn text(explanation: &Explanation, width: usize) -> String {
    let mut out = format!(
        "{TITLE}{} = {:#x}{TITLE:#}  {DIM}{}, implementation {}{DIM:#}\n",
        explanation.register, explanation.value, explanation.encoding, explanation.implementation
    );
    out += &remarks(&explanation.summary, width);
    out += &format!("\n{TITLE}fields{TITLE:#}\n");
    let rows: Vec<_> = explanation.fields.iter().map(field).collect();
    out += &columns(&rows, width);
    if !explanation.filtering.is_empty() {
        out += &format!("\n{TITLE}filtering{TITLE:#}\n");
        out += &columns(&filtering(&explanation.filtering), width);
    }
    if !explanation.warnings.is_empty() {
        out += &format!("\n{BAD}warnings{BAD:#}\n");
        out += &remarks(&explanation.warnings, width);
    }
    out
}

fn field(field: &FieldWords) -> Vec<String> {
    let FieldWords {
        high,
        low,
        value,
        effective,
        ..
    } = *field;
    let digits = |value: u64| match high - low {
        0..=3 => format!("{value:0width$b}", width = usize::from(high - low + 1)),
        4 => value.to_string(),
        bits => format!("{value:#0width$x}", width = usize::from(bits / 4 + 3)),
    };
    let at = if high == low {
        high.to_string()
    } else {
        format!("{high}:{low}")
    };
    let meaning = if effective == value {
        field.meaning.clone()
    } else {
        format!("Effective {}; {}", digits(effective), field.meaning)
    };
    vec![at, field.name.clone(), digits(value), meaning]
}

/// A row a level, a column a Security state.
fn filtering(states: &[FilteredState]) -> Vec<Vec<String>> {
    let mut securities: Vec<&str> = Vec::new();
    let mut levels: Vec<&str> = Vec::new();
    for state in states {
        if !securities.contains(&state.security) {
            securities.push(state.security);
        }
        if !levels.contains(&state.level) {
            levels.push(state.level);
        }
    }
    let heading = |name: &&str| match *name {
        "any" => "any Security state".to_owned(),
        name => name.to_owned(),
    };
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(securities.iter().map(heading));
    for level in levels {
        let cell = |security: &&str| {
            let state = states
                .iter()
                .find(|state| state.level == level && state.security == *security);
            match state {
                None => String::new(),
                Some(state) if state.counted => "counted".into(),
                Some(state) => format!("not: {}", state.because),
            }
        };
        let mut row = vec![level.to_owned()];
        row.extend(securities.iter().map(cell));
        rows.push(row);
    }
    rows
}

/// One indented paragraph a remark, with its rules.
pub fn remarks(remarks: &[Remark], width: usize) -> String {
    let mut out = String::new();
    for remark in remarks {
        let mut line = remark.text.clone();
        if !remark.rules.is_empty() {
            let rules: Vec<_> = remark.rules.iter().map(|id| clause(id)).collect();
            // Blanks that do not end a line, until the words are in their lines.
            let rules = rules
                .join("; ")
                .replace(' ', "\u{a0}")
                .replace(";\u{a0}", "; ");
            line += &format!("  [{rules}]");
        }
        let lines = wrapped(&line, width.saturating_sub(4));
        for (index, line) in lines.iter().enumerate() {
            let mark = if index == 0 { "- " } else { "  " };
            let line = line.replace('\u{a0}', " ");
            let _ = writeln!(out, "  {mark}{line}");
        }
    }
    out
}

/// A rule's id with its clause.
fn clause(id: &str) -> String {
    match RULES.iter().find(|rule| rule.id == id) {
        Some(rule) => format!("{id} {}", rule.clause),
        None => id.to_owned(),
    }
}

/// Rows with their columns aligned; the last column is wrapped so that lines have at most `width` characters.
pub fn columns(rows: &[Vec<String>], width: usize) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<_> = (0..count)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let indent: usize = 2 + widths
        .iter()
        .take(count.saturating_sub(1))
        .map(|width| width + 2)
        .sum::<usize>();
    let mut out = String::new();
    for row in rows {
        let mut line = "  ".to_owned();
        for (cell, width) in row.iter().zip(&widths).take(count.saturating_sub(1)) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let last = row.get(count - 1).map_or("", String::as_str);
        // A narrow terminal breaks the lines itself.
        let lines = wrapped(last, width.saturating_sub(indent).max(24));
        for (index, part) in lines.iter().enumerate() {
            if index > 0 {
                line = " ".repeat(indent);
            }
            line += part;
            out += line.trim_end();
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_column_is_wrapped_below_itself() {
        let rows = [vec!["a".into(), "one two three four five six seven".into()]];
        assert_eq!(
            columns(&rows, 30),
            "  a  one two three four five\n     six seven\n"
        );
    }
}
