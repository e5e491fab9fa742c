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
    /// A cycle that takes it: the implementation fixes it.
    Cycle,
    /// It is outside of model and RTL, and needs neither.
    Outside,
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

/// The exceptions, in the order of the table of rules. Rules that by that table are outside of model and RTL
/// (`Takes::Outside`), or taken by no cycle (`Takes::Static`), are exceptions as well.
pub const EXCEPTIONS: &[Exception] = &[
    code("TH-40", EXAMPLE),
    code("TH-41", EXAMPLE),
    code("TH-42", EXAMPLE),
    code("TH-43", EXAMPLE),
    code("TH-44", EXAMPLE),
    code(
        "ETY-10",
        "the text of 2021 about what TH-20, TH-23 and TH-27 say",
    ),
];

const EXAMPLE: &str = "an example of TH-20 to TH-27, which have the code";

const fn code(id: &'static str, reason: &'static str) -> Exception {
    Exception {
        id,
        missing: Missing::Code,
        reason,
    }
}
