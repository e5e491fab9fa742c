//! What has changed since an earlier report.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

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
    /// Whether the suite is the same; with another one, what is gone may only not have been run.
    pub same_suite: bool,
}

impl Since {
    /// What there is now of what there was before.
    pub fn of(before: &BTreeSet<Signature>, after: &BTreeSet<Signature>, same_suite: bool) -> Self {
        Self {
            new: after.difference(before).cloned().collect(),
            gone: before.difference(after).cloned().collect(),
            still: after.intersection(before).cloned().collect(),
            same_suite,
        }
    }

    /// Whether failures of that kind are new.
    pub fn is_new(&self, signature: &Signature) -> bool {
        self.new.contains(signature)
    }
}
