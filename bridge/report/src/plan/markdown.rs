//! The plan as `docs/verification-plan.md`.

use std::fmt::Write;

use super::{Missing, Plan, Row};

/// The plan in Markdown, with links to files from the folder `docs`. Counts are left out: they are of a run, not of
/// the sources.
pub fn markdown(plan: &Plan) -> String {
    let mut out = String::from(HEAD);
    let mut area = "";
    for row in &plan.rows {
        let own = row.rule.id.split('-').next().unwrap_or_default();
        if own != area {
            area = own;
            let title = title(area);
            let _ = write!(out, "\n## {title}\n\n{TABLE}");
        }
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            row.rule.id,
            escaped(row.rule.clause),
            escaped(row.rule.statement),
            links(&row.model),
            links(&row.rtl),
            links(&row.harness),
            links(&row.tests),
        );
    }
    let exceptions: Vec<_> = plan
        .rows
        .iter()
        .filter(|row| row.exception.is_some())
        .collect();
    if !exceptions.is_empty() {
        out += "\n## Exceptions\n\n| id | what | because |\n|---|---|---|\n";
        for row in exceptions {
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                row.rule.id,
                missing(row),
                reason(row)
            );
        }
    }
    out
}

const HEAD: &str = "# Verification plan

One row per rule: the clause of the architecture, or of the [contract](dut-contract.md), the statement, and the files that name it. *Harness* is what is
around model and RTL: stimulus, comparison, reports. A file is found by the id in it, also as part of a range or of a test's name.

`lockstep plan --write docs/verification-plan.md` writes this file; `lockstep plan` fails on a rule without code or test, and with files of `lockstep run
--coverage FILE` tells how often each rule was exercised. `make cover` takes all implementations of the tests, and fails on a rule that no cycle took.
";

const TABLE: &str = "| id | clause | statement | model | RTL | harness | tests |
|---|---|---|---|---|---|---|
";

fn title(area: &str) -> &'static str {
    match area {
        "TH" => "Threshold, edge, link",
        "SPE" => "Statistical Profiling: sample intervals",
        "ETY" => "PMEVTYPER\\<n\\>_EL0",
        "CYC" => "Counting cycles",
        "SPMU" => "System PMU",
        _ => "Contract",
    }
}

/// Files as links, by their names within the part of the tree that the column is for.
fn links(files: &[&str]) -> String {
    let link = |file: &&str| {
        let name = ["model/src/", "rtl/", "bridge/", "vcd/"]
            .iter()
            .find_map(|folder| file.strip_prefix(folder))
            .unwrap_or(file);
        let name = name.replace("/src/", "/");
        // A test can be in any of them.
        format!("[{name}](../{file})")
    };
    files.iter().map(link).collect::<Vec<_>>().join(", ")
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "\\<")
        .replace('>', "\\>")
        .replace('*', "\\*")
}

fn missing(row: &Row) -> &'static str {
    match row.exception.map(|exception| exception.missing) {
        None => "",
        Some(Missing::Code) => "no code",
        Some(Missing::Test) => "no test",
        Some(Missing::Cycle) => "no cycle takes it",
        Some(Missing::Outside) => "outside of model and RTL",
    }
}

fn reason(row: &Row) -> String {
    row.exception
        .map_or(String::new(), |exception| escaped(exception.reason))
}
