//! What is wrong with a configuration.

/// A value that no implementation can have. The message names the key, the value found and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key} = {found}: expected {expected}")]
pub struct Impossible {
    /// Key in the implementation file, with its table.
    pub key: &'static str,
    /// Which of the tables of that key, if it has several.
    pub table: usize,
    /// Value found.
    pub found: String,
    /// What is allowed, and why.
    pub expected: String,
}

impl Impossible {
    pub(crate) fn new(key: &'static str, found: impl ToString, expected: &str) -> Self {
        Self {
            key,
            table: 0,
            found: found.to_string(),
            expected: expected.into(),
        }
    }

    /// The same of table `table` of several.
    pub(crate) fn in_table(self, table: usize) -> Self {
        Self { table, ..self }
    }
}

/// A configuration that no implementation can have: all that is wrong with it, a line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.lines())]
pub struct ImplementationError {
    /// The values, one at least.
    pub problems: Vec<Impossible>,
}

impl ImplementationError {
    /// Nothing is wrong if there are no `problems`.
    pub(crate) fn of(problems: Vec<Impossible>) -> Result<(), Self> {
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Self { problems }),
        }
    }

    fn lines(&self) -> String {
        let lines: Vec<_> = self.problems.iter().map(Impossible::to_string).collect();
        lines.join("\n")
    }
}
