//! Rules and crosses of all runs: a file for `lockstep plan`, and a page with what is missing first.

use std::collections::BTreeMap;
use std::fmt::Display;

use askama::Template;
use lockstep_report::html::STYLE;
use lockstep_report::{counted, grouped};
use pmu_model::coverage::Coverage;
use pmu_model::rules::RULES;
use serde::{Deserialize, Serialize};

use crate::share::Share;
use crate::totals::{Total, Totals};

/// Names of points that are shown of a cross; the file has all.
const SHOWN: usize = 200;

/// Coverage of merged results: what `lockstep plan` reads.
#[derive(Debug, Serialize)]
pub struct File<'a> {
    /// Name of the suite.
    pub suite: &'a str,
    /// By implementation and design.
    pub merged: Vec<Of>,
}

/// Coverage of an implementation with a design.
#[derive(Debug, Serialize, Deserialize)]
pub struct Of {
    /// Name of the implementation in the suite.
    pub implementation: String,
    /// Name of the design.
    pub design: String,
    /// Runs.
    pub runs: usize,
    /// The same as that of one run; points of crosses count runs.
    pub coverage: Coverage,
}

impl<'a> File<'a> {
    /// The coverage of `totals`, of suite `suite`; none if nothing was counted.
    ///
    /// # Errors
    /// Results with rules, points or implementations that this version does not have.
    pub fn of(suite: &'a str, totals: &Totals) -> Result<Option<Self>, serde_json::Error> {
        let of = |total: &Total| -> Result<Of, serde_json::Error> {
            Ok(Of {
                implementation: total.implementation.clone(),
                design: total.design.clone(),
                runs: total.runs,
                coverage: total.coverage()?,
            })
        };
        let merged = totals.all().map(of).collect::<Result<Vec<_>, _>>()?;
        Ok((!merged.is_empty()).then_some(Self { suite, merged }))
    }

    /// The page.
    ///
    /// # Errors
    /// None that is known: the template is part of the program, and strings take what is written to them.
    pub fn page(&self) -> Result<String, askama::Error> {
        Page {
            suite: self.suite,
            parts: self.merged.iter().map(Part::of).collect(),
            style: STYLE,
        }
        .render()
    }
}

#[derive(Template)]
#[template(path = "coverage.html", config = "src/coverage/askama.toml")]
struct Page<'a> {
    suite: &'a str,
    parts: Vec<Part<'a>>,
    style: &'static str,
}

/// An implementation with a design, as it is shown.
struct Part<'a> {
    of: &'a Of,
    rules: Share,
    points: Share,
    /// Rules that no run took, with their statements.
    never_taken: Vec<(&'a str, &'static str)>,
    /// Those that the implementation cannot take.
    not_possible: Vec<(&'a str, String)>,
    /// Crosses, those with the most points missing first.
    crosses: Vec<Cross<'a>>,
    /// Rules that were taken, the fewest cycles first.
    taken: Vec<(&'a str, &'static str, u64)>,
}

struct Cross<'a> {
    name: &'a str,
    share: Share,
    /// Names of points that no run hit.
    missing: Vec<&'a str>,
    /// How many more there are.
    more: usize,
}

impl<'a> Part<'a> {
    fn of(of: &'a Of) -> Self {
        let coverage = &of.coverage;
        let statements: BTreeMap<_, _> =
            RULES.iter().map(|rule| (rule.id, rule.statement)).collect();
        let statement = |id: &str| statements.get(id).copied().unwrap_or_default();
        let rules: Vec<_> = coverage.rules().collect();
        let (never, taken): (Vec<_>, Vec<_>) = rules.iter().partition(|&&(_, count)| count == 0);
        let mut taken: Vec<_> = taken
            .into_iter()
            .map(|(id, count)| (id, statement(id), count))
            .collect();
        taken.sort_by_key(|&(id, _, count)| (count, id));
        let mut crosses: Vec<_> = coverage
            .crosses()
            .filter(|(_, points)| !points.is_empty())
            .map(|(name, points)| Cross::of(name, points))
            .collect();
        crosses.sort_by_key(|cross| (std::cmp::Reverse(cross.share.missing()), cross.name));
        let points = crosses.iter().fold(Share::default(), |sum, cross| Share {
            hit: sum.hit + cross.share.hit,
            of: sum.of + cross.share.of,
        });
        let why = |part: Option<&str>| {
            part.map_or("its features and sizes".to_owned(), |part| {
                format!("lacks {part}")
            })
        };
        Self {
            of,
            rules: Share {
                hit: taken.len(),
                of: rules.len(),
            },
            points,
            never_taken: never
                .into_iter()
                .map(|(id, _)| (id, statement(id)))
                .collect(),
            not_possible: coverage
                .not_possible()
                .map(|(id, part)| (id, why(part)))
                .collect(),
            crosses,
            taken,
        }
    }
}

impl<'a> Cross<'a> {
    fn of(name: &'a str, points: &'a [(String, u64)]) -> Self {
        let missing: Vec<_> = points
            .iter()
            .filter(|(_, count)| *count == 0)
            .map(|(name, _)| name.as_str())
            .collect();
        Self {
            name,
            share: Share {
                hit: points.len() - missing.len(),
                of: points.len(),
            },
            more: missing.len().saturating_sub(SHOWN),
            missing: missing.into_iter().take(SHOWN).collect(),
        }
    }
}

impl Page<'_> {
    /// What is missing of all, in a sentence.
    fn sentence(&self) -> String {
        let missing = |share: fn(&Part<'_>) -> Share| -> u64 {
            self.parts
                .iter()
                .map(|part| share(part).missing() as u64)
                .sum()
        };
        match (missing(|part| part.rules), missing(|part| part.points)) {
            (0, 0) => "Every rule was taken, and every point of every cross hit".into(),
            (rules, points) => format!(
                "{} never taken, {} of crosses never hit",
                counted(rules, "rule"),
                counted(points, "point")
            ),
        }
    }

    fn class(&self) -> &'static str {
        let complete = |part: &Part<'_>| part.rules.missing() + part.points.missing() == 0;
        if self.parts.iter().all(complete) {
            "pass"
        } else {
            "warn"
        }
    }

    /// A number, in groups of three digits.
    fn number(&self, number: impl Display) -> String {
        grouped(number.to_string().parse().unwrap_or_default())
    }

    /// A part of a whole.
    fn percent(&self, share: &Share) -> String {
        format!("{} %", share.percent())
    }
}
