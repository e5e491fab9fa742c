//! Expressions over the signals of a dump, as SystemVerilog has them: `state==3 && $rose(valid)`.
//!
//! [`tree`] is what an expression says, [`parse`] reads it, [`bind`] finds its signals in a dump and settles the width
//! of everything, [`evaluate`] computes it row by row with the four-state [`operators`].

pub mod bind;
pub mod evaluate;
pub mod operators;
pub mod parse;
pub mod tree;

use std::fmt;
use std::ops::Range;

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    /// The whole expression.
    pub text: String,
    /// Bytes of it that are at fault; empty where something is missing.
    pub at: Range<usize>,
    /// What was expected, and what was found instead.
    pub message: String,
    /// No signal, or several, have a path in it.
    pub is_signal: bool,
}

impl std::error::Error for ExpressionError {}

impl fmt::Display for ExpressionError {
    /// The message with the column, then the expression with a caret below the fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = self.text.get(..self.at.start).unwrap_or(&self.text);
        let column = before.chars().count();
        let fault = self.text.get(self.at.clone()).unwrap_or_default();
        let carets = "^".repeat(fault.chars().count().max(1));
        // A control character would move the caret away.
        let text = self.text.replace(char::is_control, " ");
        let (number, blanks) = (column + 1, " ".repeat(column));
        write!(
            f,
            "{} (column {number})\n  {text}\n  {blanks}{carets}",
            self.message
        )
    }
}
