//! `--coverage` of a run.

use std::path::{Path, PathBuf};

use pmu_model::coverage::Coverage;
use serde::Serialize;

use crate::cli::{Failure, output};

/// Names shown of a list.
const SHOWN: usize = 8;

/// What a run has taken, in short; the file has all of it.
#[derive(Debug, Serialize)]
pub struct CoverageSummary {
    /// The file.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub file: PathBuf,
    /// Rules that the implementation can take in a cycle.
    pub rules: usize,
    /// Those that the run has never taken.
    pub never_taken: Vec<&'static str>,
    /// Those that it cannot, and another one could.
    pub not_possible: Vec<&'static str>,
    /// The crosses.
    pub crosses: Vec<CrossSummary>,
}

/// A cross.
#[derive(Debug, Serialize)]
pub struct CrossSummary {
    /// Its name.
    pub name: &'static str,
    /// Points that the implementation can reach.
    pub points: usize,
    /// Those that the run has never hit.
    pub never_hit: usize,
}

/// Writes the file.
pub(super) fn write(path: &Path, coverage: &Coverage) -> Result<CoverageSummary, Failure> {
    output::write_whole(path, |out| {
        serde_json::to_writer_pretty(&mut *out, coverage)?;
        out.write_all(b"\n")
    })?;
    let rules: Vec<_> = coverage.rules().collect();
    let never = |count: u64| count == 0;
    Ok(CoverageSummary {
        file: path.into(),
        rules: rules.len(),
        never_taken: rules
            .iter()
            .filter(|&&(_, count)| never(count))
            .map(|&(id, _)| id)
            .collect(),
        not_possible: coverage.not_possible().map(|(id, _)| id).collect(),
        crosses: coverage
            .crosses()
            .filter(|(_, points)| !points.is_empty())
            .map(|(name, points)| CrossSummary {
                name,
                points: points.len(),
                never_hit: points.iter().filter(|&&(_, count)| never(count)).count(),
            })
            .collect(),
    })
}

/// Situations that are rules of the contract, in words.
const SITUATIONS: [(&str, &str); 6] = [
    ("DUT-22", "an overflow of an event counter"),
    ("DUT-17", "CHAIN"),
    ("DUT-13", "a read of a counter in a cycle that it counts in"),
    (
        "DUT-20",
        "a write of a counter in a cycle that it counts in",
    ),
    (
        "DUT-21",
        "a clearing of counters in a cycle that they count in",
    ),
    ("DUT-23", "an overflow in the cycle that clears its flag"),
];

impl CoverageSummary {
    /// The situations that never were, in words.
    pub fn never_seen(&self) -> impl Iterator<Item = &'static str> {
        let never = |id: &str| self.never_taken.contains(&id);
        let situations = SITUATIONS.iter().filter(move |(id, _)| never(id));
        situations.map(|&(_, words)| words)
    }

    /// Lines of the summary of a run.
    pub fn lines(&self) -> Vec<String> {
        let points: usize = self.crosses.iter().map(|cross| cross.points).sum();
        let missed: usize = self.crosses.iter().map(|cross| cross.never_hit).sum();
        let mut lines = vec![format!(
            "coverage {}: {} of {} rules, {} of {points} points of {} crosses",
            self.file.display(),
            self.rules - self.never_taken.len(),
            self.rules,
            points - missed,
            self.crosses.len()
        )];
        if !self.not_possible.is_empty() {
            lines.push(format!(
                "not possible with this implementation: {}",
                some(&self.not_possible)
            ));
        }
        if !self.never_taken.is_empty() {
            lines.push(format!("never taken: {}", some(&self.never_taken)));
        }
        let crosses: Vec<_> = self
            .crosses
            .iter()
            .filter(|cross| cross.never_hit > 0)
            .map(|cross| format!("{} {} of {}", cross.name, cross.never_hit, cross.points))
            .collect();
        if !crosses.is_empty() {
            let crosses: Vec<_> = crosses.iter().map(String::as_str).collect();
            lines.push(format!("never hit: {}", some(&crosses)));
        }
        lines
    }
}

fn some(names: &[&str]) -> String {
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn situations_are_rules_that_a_run_can_take() {
        let coverage = Coverage::new(&pmu_model::Implementation::default());
        for (id, words) in SITUATIONS {
            assert!(coverage.rules().any(|(rule, _)| rule == id), "{id} {words}");
        }
        let summary = CoverageSummary {
            file: "a.json".into(),
            rules: 3,
            never_taken: vec!["TH-30", "DUT-23", "DUT-17"],
            not_possible: Vec::new(),
            crosses: Vec::new(),
        };
        let words: Vec<_> = summary.never_seen().collect();
        assert_eq!(
            words,
            ["CHAIN", "an overflow in the cycle that clears its flag"]
        );
    }

    #[test]
    fn lists_are_short() {
        assert_eq!(some(&["a", "b"]), "a, b");
        assert_eq!(some(&["a"; 10]), "a, a, a, a, a, a, a, a and 2 more");
    }
}
