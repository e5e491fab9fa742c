//! Rules without code, or without a test, and why.

use serde::Serialize;

/// What a rule has none of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// Code in the model or the RTL.
    Code,
    /// A test.
    Test,
    /// Either.
    Both,
}

/// A rule that needs no code, or no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Exception {
    /// Id of the rule.
    pub id: &'static str,
    /// What it has none of.
    pub missing: Missing,
    /// Why.
    pub reason: &'static str,
}

/// All exceptions, in the order of the table of rules.
pub const EXCEPTIONS: &[Exception] = &[];
