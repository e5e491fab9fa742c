//! The verification plan: for every rule, the code that implements it, the tests that touch it, and how often it was
//! exercised.

mod coverage;
mod exceptions;
mod markdown;
mod proofs;
mod text;

use std::collections::BTreeMap;

use pmu_model::rules::{RULES, Rule, Takes};
use rule_index::{INDEX, Named, Place};
use serde::Serialize;

pub use coverage::{Counts, CoverageError, read};
pub use exceptions::{EXCEPTIONS, Exception, Missing};
pub use markdown::markdown;
pub use proofs::{Proof, Proofs, ProofsError};
pub use text::text;

/// The plan.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// One row a rule, in the order of the table of rules.
    pub rows: Vec<Row>,
    /// What the plan lacks.
    pub gaps: Vec<Gap>,
    /// Points of crosses with their counts, by the name of the cross; empty without coverage.
    pub crosses: BTreeMap<String, BTreeMap<String, u64>>,
}

/// A rule.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Id, clause and statement.
    #[serde(flatten)]
    pub rule: Rule,
    /// Files of the model that name it.
    pub model: Vec<&'static str>,
    /// Files of the RTL that name it.
    pub rtl: Vec<&'static str>,
    /// Other files that name it: stimulus, comparison, reports.
    pub harness: Vec<&'static str>,
    /// Files with tests that name it.
    pub tests: Vec<&'static str>,
    /// Why there is no code, or no test.
    pub exception: Option<Exception>,
    /// In how many cycles it was taken; `None` without coverage, and for a rule that no cycle can take.
    pub covered: Option<u64>,
    /// Why no implementation of the coverage can take it, where some other one can.
    pub not_possible: Option<String>,
    /// What came of the claims that name it; `None` without proofs, and for a rule that none names.
    pub proof: Option<Proof>,
}

/// Something that the plan lacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "gap", rename_all = "snake_case")]
pub enum Gap {
    /// Neither the model nor the RTL names the rule.
    NoCode {
        /// Id.
        id: String,
    },
    /// No test names the rule.
    NoTest {
        /// Id.
        id: String,
    },
    /// No run took the rule in a cycle.
    NeverTaken {
        /// Id.
        id: String,
    },
    /// No implementation of the runs can take the rule in a cycle.
    NotPossible {
        /// Id.
        id: String,
        /// What decides that: what the wrappers lack, or features and sizes.
        reason: String,
    },
    /// An exception for a rule that lacks nothing.
    NeedlessException {
        /// Id.
        id: String,
    },
    /// A file names a rule that is not in the table.
    UnknownId {
        /// Id.
        id: String,
        /// Files.
        files: Vec<String>,
    },
}

impl Plan {
    /// The plan of this build, with the counts of `coverage` if there are any.
    pub fn new(coverage: Option<&Counts>) -> Self {
        Self::of(RULES, INDEX, EXCEPTIONS, coverage)
    }

    /// Adds what is proved.
    pub fn add_proofs(&mut self, proofs: &Proofs) {
        for row in &mut self.rows {
            row.proof = proofs.rules.get(row.rule.id).copied();
        }
    }

    fn of(
        rules: &[Rule],
        index: &[Named],
        exceptions: &[Exception],
        coverage: Option<&Counts>,
    ) -> Self {
        let rows: Vec<_> = rules
            .iter()
            .map(|&rule| {
                let files = |place| -> Vec<&'static str> {
                    let named = index.iter().filter(|named| named.id == rule.id);
                    named
                        .filter(|named| named.place == place)
                        .map(|named| named.file)
                        .collect()
                };
                Row {
                    rule,
                    model: files(Place::Model),
                    rtl: files(Place::Rtl),
                    harness: files(Place::Harness),
                    tests: files(Place::Test),
                    exception: exception_for(&rule, exceptions),
                    covered: coverage.and_then(|counts| counts.rules.get(rule.id).copied()),
                    not_possible: coverage
                        .and_then(|counts| counts.not_possible.get(rule.id).cloned()),
                    proof: None,
                }
            })
            .collect();
        let mut gaps: Vec<_> = rows.iter().flat_map(gaps_of).collect();
        gaps.extend(unknown_ids(rules, index, exceptions));
        Self {
            rows,
            gaps,
            crosses: coverage
                .map(|counts| counts.crosses.clone())
                .unwrap_or_default(),
        }
    }

    /// Makes a gap of each rule that a cycle can take and that no run of the coverage took; another one, if none of their
    /// implementations can.
    pub fn demand_coverage(&mut self) {
        let missed = self.rows.iter().filter(|row| {
            row.rule.takes == Takes::Cycle && row.covered.is_none_or(|count| count == 0)
        });
        let gaps = missed.map(|row| {
            let id = row.rule.id.to_owned();
            match row.not_possible.clone() {
                Some(reason) => Gap::NotPossible { id, reason },
                None => Gap::NeverTaken { id },
            }
        });
        self.gaps.extend(gaps);
    }

    /// Whether the plan lacks something that its coverage could have had.
    pub fn is_lacking(&self) -> bool {
        let not_possible = |gap: &Gap| matches!(gap, Gap::NotPossible { .. });
        !self.gaps.iter().all(not_possible)
    }

    /// Rules that no implementation of the coverage can take, by the reason.
    pub fn not_possible(&self) -> BTreeMap<&str, Vec<&'static str>> {
        let mut reasons: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
        for row in &self.rows {
            if let Some(reason) = &row.not_possible {
                reasons.entry(reason).or_default().push(row.rule.id);
            }
        }
        reasons
    }

    /// Rules that were never exercised; none without coverage.
    pub fn never_covered(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.covered == Some(0))
    }

    /// Points of crosses that were never hit, by cross.
    pub fn never_hit(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let points = self.crosses.iter().map(|(name, points)| {
            let missed = points.iter().filter(|&(_, &count)| count == 0);
            (
                name.as_str(),
                missed.map(|(point, _)| point.as_str()).collect(),
            )
        });
        points.filter(|(_, missed): &(_, Vec<_>)| !missed.is_empty())
    }
}

/// The exception of the table; and what is outside of model and RTL has neither code nor test of its own, and what the
/// implementation fixes no cycle.
fn exception_for(rule: &Rule, exceptions: &[Exception]) -> Option<Exception> {
    let listed = exceptions
        .iter()
        .find(|exception| exception.id == rule.id)
        .copied();
    let exception = |missing, reason| Exception {
        id: rule.id,
        missing,
        reason,
    };
    listed.or(match rule.takes {
        Takes::Outside(reason) => Some(exception(Missing::Outside, reason)),
        Takes::Static(reason) => Some(exception(Missing::Cycle, reason)),
        Takes::Cycle => None,
    })
}

fn gaps_of(row: &Row) -> Vec<Gap> {
    let id = || row.rule.id.to_owned();
    let no_code = row.model.is_empty() && row.rtl.is_empty();
    let no_test = row.tests.is_empty();
    let excused = |missing| {
        let exception = row.exception.map(|exception| exception.missing);
        exception == Some(missing) || exception == Some(Missing::Outside)
    };
    let mut gaps = Vec::new();
    if no_code && !excused(Missing::Code) {
        gaps.push(Gap::NoCode { id: id() });
    }
    if no_test && !excused(Missing::Test) {
        gaps.push(Gap::NoTest { id: id() });
    }
    let needless = match row.exception.map(|exception| exception.missing) {
        Some(Missing::Code) => !no_code,
        Some(Missing::Test) => !no_test,
        // Nothing says that it may not have them.
        Some(Missing::Outside | Missing::Cycle) | None => false,
    };
    if needless {
        gaps.push(Gap::NeedlessException { id: id() });
    }
    gaps
}

fn unknown_ids(rules: &[Rule], index: &[Named], exceptions: &[Exception]) -> Vec<Gap> {
    let mut unknown: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let named = index
        .iter()
        .filter(|named| named.explicit)
        .map(|named| (named.id, named.file))
        .chain(
            exceptions
                .iter()
                .map(|exception| (exception.id, "bridge/report/src/plan/exceptions.rs")),
        );
    for (id, file) in named {
        if rules.iter().all(|rule| rule.id != id) {
            let files = unknown.entry(id).or_default();
            if files.iter().all(|known| known != file) {
                files.push(file.to_owned());
            }
        }
    }
    let gap = |(id, files): (&str, _)| Gap::UnknownId {
        id: id.to_owned(),
        files,
    };
    unknown.into_iter().map(gap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[Rule] = &[rule("TH-01"), rule("TH-02")];

    const fn rule(id: &'static str) -> Rule {
        Rule {
            id,
            clause: "D0",
            statement: "something",
            takes: Takes::Cycle,
        }
    }

    const fn named(id: &'static str, place: Place, explicit: bool) -> Named {
        Named {
            id,
            place,
            explicit,
            file: "a.rs",
        }
    }

    fn gaps(index: &[Named], exceptions: &[Exception]) -> Vec<Gap> {
        Plan::of(TABLE, index, exceptions, None).gaps
    }

    #[test]
    fn a_rule_needs_code_and_a_test() {
        let complete = [
            named("TH-01", Place::Model, true),
            named("TH-01", Place::Test, true),
            named("TH-02", Place::Rtl, false),
            named("TH-02", Place::Test, false),
        ];
        assert_eq!(gaps(&complete, &[]), []);
        let id = || "TH-02".to_owned();
        assert_eq!(gaps(&complete[..3], &[]), [Gap::NoTest { id: id() }]);
        let both = [Gap::NoCode { id: id() }, Gap::NoTest { id: id() }];
        assert_eq!(gaps(&complete[..2], &[]), both);
        let harness = [
            complete[0],
            complete[1],
            named("TH-02", Place::Harness, true),
            complete[3],
        ];
        assert_eq!(
            gaps(&harness, &[]),
            [Gap::NoCode { id: id() }],
            "harness is no code"
        );
    }

    #[test]
    fn an_exception_is_for_what_is_missing() {
        let index = [
            named("TH-01", Place::Model, true),
            named("TH-01", Place::Test, true),
            named("TH-02", Place::Model, true),
        ];
        let exception = |id, missing| Exception {
            id,
            missing,
            reason: "so",
        };
        assert_eq!(gaps(&index, &[exception("TH-02", Missing::Test)]), []);
        assert_eq!(gaps(&index, &[exception("TH-02", Missing::Outside)]), []);
        assert_eq!(
            gaps(
                &index,
                &[
                    exception("TH-02", Missing::Test),
                    exception("TH-01", Missing::Code)
                ]
            ),
            [Gap::NeedlessException { id: "TH-01".into() }]
        );
    }

    #[test]
    fn coverage_is_demanded_of_rules_that_a_cycle_can_take() {
        let table = [
            rule("TH-01"),
            rule("TH-02"),
            rule("TH-03"),
            Rule {
                takes: Takes::Static("so"),
                ..rule("TH-04")
            },
        ];
        let mut counts = Counts::default();
        counts.rules.insert("TH-01".into(), 1);
        counts.rules.insert("TH-02".into(), 0);
        let gaps = |counts: &Counts| {
            let mut plan = Plan::of(&table, &[], &[], Some(counts));
            plan.gaps.clear();
            plan.demand_coverage();
            let is_lacking = plan.is_lacking();
            (plan.gaps, is_lacking)
        };
        let never = |id: &str| Gap::NeverTaken { id: id.into() };
        assert_eq!(gaps(&counts), (vec![never("TH-02"), never("TH-03")], true));
        counts.not_possible.insert("TH-03".into(), "so".into());
        let not_possible = Gap::NotPossible {
            id: "TH-03".into(),
            reason: "so".into(),
        };
        let both = vec![never("TH-02"), not_possible.clone()];
        assert_eq!(gaps(&counts), (both, true));
        counts.rules.insert("TH-02".into(), 1);
        assert_eq!(gaps(&counts), (vec![not_possible], false));
    }

    #[test]
    fn ids_that_no_rule_has_are_told() {
        let mut index = vec![
            named("TH-01", Place::Model, true),
            named("TH-01", Place::Test, true),
            named("TH-02", Place::Model, true),
            named("TH-02", Place::Test, true),
            named("TH-03", Place::Test, false),
        ];
        assert_eq!(gaps(&index, &[]), [], "inside of a range");
        index[4].explicit = true;
        let gap = Gap::UnknownId {
            id: "TH-03".into(),
            files: vec!["a.rs".into()],
        };
        assert_eq!(gaps(&index, &[]), [gap]);
    }

    #[test]
    fn this_build_has_code_and_test_of_every_rule_or_an_exception() {
        assert_eq!(Plan::new(None).gaps, []);
    }

    #[test]
    fn the_written_plan_is_up_to_date() {
        let written = include_str!("../../../../docs/verification-plan.md");
        // The whole text would say nothing in a failure.
        let now = markdown(&Plan::new(None));
        let differing = now
            .lines()
            .zip(written.lines())
            .find(|(now, written)| now != written);
        assert!(
            now == written,
            "docs/verification-plan.md is not what `lockstep plan --write docs/verification-plan.md` writes now: {differing:?}"
        );
    }
}
