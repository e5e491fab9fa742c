//! The plan as text.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Gap, Missing, Plan, Proof, Row};
use lockstep_base::lines::wrapped;
use lockstep_explain::registers::columns;

/// Points of a cross that are shown.
const POINTS: usize = 12;

const TITLE: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// The text, at most `width` columns wide, with ANSI colours.
pub fn text(plan: &Plan, width: usize) -> String {
    let mut out = String::new();
    let counted = plan.rows.iter().any(|row| row.covered.is_some());
    let of_proof = |wanted| {
        plan.rows
            .iter()
            .filter(move |row| row.proof == Some(wanted))
    };
    let proved = plan.rows.iter().any(|row| row.proof.is_some());
    let mut rows = vec![vec![
        "id".to_owned(),
        "model".into(),
        "RTL".into(),
        "tests".into(),
    ]];
    if counted {
        rows[0].push("covered".into());
    }
    if proved {
        rows[0].push("proof".into());
    }
    rows[0].push("statement".into());
    rows.extend(plan.rows.iter().map(|row| cells(row, counted, proved)));
    out += &columns(&rows, width);
    let excepted: Vec<_> = plan
        .rows
        .iter()
        .filter_map(|row| row.exception.map(|exception| (row, exception)))
        .collect();
    if !excepted.is_empty() {
        let _ = writeln!(out, "\n{TITLE}exceptions{TITLE:#}");
        let rows: Vec<_> = excepted
            .iter()
            .map(|(row, exception)| {
                let what = match exception.missing {
                    Missing::Code => "no code",
                    Missing::Test => "no test",
                    Missing::Cycle => "no cycle",
                    Missing::Outside => "outside",
                };
                vec![
                    row.rule.id.to_owned(),
                    what.to_owned(),
                    exception.reason.to_owned(),
                ]
            })
            .collect();
        out += &columns(&rows, width);
    }
    if counted {
        never(&mut out, plan, width);
    }
    let _ = writeln!(
        out,
        "\n{TITLE}{} rules{TITLE:#}, {} without code or test, {} exceptions  {DIM}--json lists the files{DIM:#}",
        plan.rows.len(),
        plan.gaps
            .iter()
            .filter(|gap| matches!(gap, Gap::NoCode { .. } | Gap::NoTest { .. }))
            .count(),
        excepted.len()
    );
    if proved {
        let [proved, open, refuted] =
            [Proof::Proved, Proof::NotDecided, Proof::Refuted].map(|of| of_proof(of).count());
        let _ = writeln!(
            out,
            "{TITLE}{proved} proved{TITLE:#}, {open} not decided, {refuted} refuted; the others are sampled alone"
        );
    }
    gaps(&mut out, plan, width);
    out
}

fn cells(row: &Row, counted: bool, proved: bool) -> Vec<String> {
    let files = |files: &[&str]| match files.len() {
        0 => "-".to_owned(),
        count => count.to_string(),
    };
    let mut cells = vec![
        row.rule.id.to_owned(),
        files(&row.model),
        files(&row.rtl),
        files(&row.tests),
    ];
    if counted {
        cells.push(row.covered.map_or("-".into(), |count| count.to_string()));
    }
    if proved {
        cells.push(row.proof.map_or("-", Proof::word).into());
    }
    cells.push(row.rule.statement.to_owned());
    cells
}

/// Rules and crosses that were never exercised.
fn never(out: &mut String, plan: &Plan, width: usize) {
    let not_possible = plan.not_possible();
    if !not_possible.is_empty() {
        let _ = writeln!(
            out,
            "\n{TITLE}not possible with the implementations of the coverage{TITLE:#}"
        );
        for (reason, ids) in not_possible {
            list(out, &format!("{reason}: {}", ids.join(", ")), width);
        }
    }
    let ids: Vec<_> = plan.never_covered().map(|row| row.rule.id).collect();
    if !ids.is_empty() {
        let _ = writeln!(out, "\n{TITLE}never covered{TITLE:#}");
        list(out, &ids.join(", "), width);
    }
    for (name, points) in plan.never_hit() {
        let _ = writeln!(
            out,
            "\n{TITLE}{name}{TITLE:#}: {} of {} points never hit",
            points.len(),
            plan.crosses[name].len()
        );
        let shown = &points[..points.len().min(POINTS)];
        let more = match points.len().saturating_sub(POINTS) {
            0 => String::new(),
            more => format!("; and {more} more, which --json lists"),
        };
        list(out, &format!("{}{more}", shown.join("; ")), width);
    }
}

fn gaps(out: &mut String, plan: &Plan, width: usize) {
    let ids = |wanted: fn(&Gap) -> Option<&String>| {
        let ids: Vec<_> = plan
            .gaps
            .iter()
            .filter_map(wanted)
            .map(String::as_str)
            .collect();
        ids.join(", ")
    };
    let of = |gap: fn(&Gap) -> Option<&String>| ids(gap);
    for (what, ids) in [
        (
            "no code names",
            of(|gap| match gap {
                Gap::NoCode { id } => Some(id),
                _ => None,
            }),
        ),
        (
            "no test touches",
            of(|gap| match gap {
                Gap::NoTest { id } => Some(id),
                _ => None,
            }),
        ),
        (
            "taken in no cycle",
            of(|gap| match gap {
                Gap::NeverTaken { id } => Some(id),
                _ => None,
            }),
        ),
        (
            "an exception that is not needed",
            of(|gap| match gap {
                Gap::NeedlessException { id } => Some(id),
                _ => None,
            }),
        ),
    ] {
        if !ids.is_empty() {
            let _ = writeln!(out, "{BAD}{what}{BAD:#}");
            list(out, &ids, width);
        }
    }
    for gap in &plan.gaps {
        if let Gap::UnknownId { id, files } = gap {
            let _ = writeln!(out, "{BAD}{id} is no rule{BAD:#}");
            list(out, &files.join(", "), width);
        }
    }
}

fn list(out: &mut String, text: &str, width: usize) {
    for line in wrapped(text, width.saturating_sub(2)) {
        let _ = writeln!(out, "  {line}");
    }
}
