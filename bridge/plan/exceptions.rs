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
pub const EXCEPTIONS: &[Exception] = &[
    code("TH-40", EXAMPLE),
    code("TH-41", EXAMPLE),
    code("TH-42", EXAMPLE),
    code("TH-43", EXAMPLE),
    code("TH-44", EXAMPLE),
    code(
        "TH-51",
        "follows from TH-05: links lead from an odd counter n to n-1, and nowhere else",
    ),
    code(
        "ETY-10",
        "the text of 2021 about what TH-20, TH-23 and TH-27 say",
    ),
    test(
        "SPE-33",
        "what the sample population is, is decided outside: operations are an input, and no others are driven",
    ),
    test(
        "SPE-34",
        "whose operations are driven is decided outside: an input has those of the profiled thread",
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

const fn test(id: &'static str, reason: &'static str) -> Exception {
    Exception {
        id,
        missing: Missing::Test,
        reason,
    }
}
