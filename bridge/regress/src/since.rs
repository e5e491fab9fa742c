//! What has changed since an earlier report.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::history::Seen;
use crate::signature::Signature;

/// Kinds of failures, now and then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Since {
    /// Failures that were not there before.
    pub new: Vec<Signature>,
    /// Failures that were there before, and are not any more.
    pub gone: Vec<Signature>,
    /// Failures that were there before, and still are.
    pub still: Vec<Signature>,
    /// Failures that were there before, in parts of the suite of which no run compared anything now, and since when they
    /// were: nothing tells whether they are gone.
    #[serde(default)]
    pub not_run: Vec<NotRun>,
    /// Whether the suite is the same; with another one, what is gone may only not have been run.
    pub same_suite: bool,
}

/// A kind of failures whose parts of the suite did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// The kind.
    pub signature: Signature,
    /// Since when it was there.
    pub since: Seen,
    /// The parts in which it was: `implementation/design/stimulus`.
    #[serde(default)]
    pub parts: BTreeSet<String>,
}

/// What was there of a kind.
#[derive(Debug)]
pub(crate) struct Before {
    pub since: Seen,
    pub parts: BTreeSet<String>,
}

/// The part of the suite that a run is of, by its name.
pub(crate) fn part(run: &str) -> String {
    run.split('/').take(3).collect::<Vec<_>>().join("/")
}

impl Since {
    /// What there is now of what there was before; `ran` are the parts of the suite that compared something now.
    pub(crate) fn of(
        before: &BTreeMap<Signature, Before>,
        after: &BTreeSet<Signature>,
        ran: &BTreeSet<String>,
        same_suite: bool,
    ) -> Self {
        let all = || before.iter();
        let left = || all().filter(|(signature, _)| !after.contains(*signature));
        let did_run = |before: &Before| {
            // An earlier version did not tell the parts.
            before.parts.is_empty() || !before.parts.is_disjoint(ran)
        };
        let gone = left().filter(|(_, before)| did_run(before));
        let not_run = left().filter(|(_, before)| !did_run(before));
        let still = all().filter(|(signature, _)| after.contains(*signature));
        let new = after
            .iter()
            .filter(|signature| !before.contains_key(signature));
        Self {
            new: new.cloned().collect(),
            gone: gone.map(|(signature, _)| signature.clone()).collect(),
            still: still.map(|(signature, _)| signature.clone()).collect(),
            not_run: not_run
                .map(|(signature, before)| NotRun {
                    signature: signature.clone(),
                    since: before.since,
                    parts: before.parts.clone(),
                })
                .collect(),
            same_suite,
        }
    }

    /// Whether failures of that kind are new.
    pub fn is_new(&self, signature: &Signature) -> bool {
        self.new.contains(signature)
    }

    /// It in numbers, in words.
    pub fn words(&self) -> String {
        let mut words = format!(
            "{} new, {} gone, {} still failing",
            self.new.len(),
            self.gone.len(),
            self.still.len()
        );
        if !self.not_run.is_empty() {
            words += &format!(", {} in what was not run", self.not_run.len());
        }
        if !self.same_suite {
            words += "; the suite is another one";
        }
        words
    }
}
