//! Files of coverage: how often rules were exercised, and points of crosses hit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

/// Counts of one run, or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Counts {
    /// By id of a rule.
    pub rules: BTreeMap<String, u64>,
    /// By name of a cross, then by its point.
    #[serde(default)]
    pub crosses: BTreeMap<String, BTreeMap<String, u64>>,
}

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}; name a file that `lockstep run --coverage FILE` wrote", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It holds something else.
    #[error("{}:{}:{}: expected coverage as `lockstep run --coverage FILE` writes it: {source}", path.display(), source.line(), source.column())]
    Syntax {
        /// File.
        path: PathBuf,
        /// Reason.
        source: serde_json::Error,
    },
}

impl Counts {
    /// Reads files and adds their counts.
    ///
    /// # Errors
    /// The first file that cannot be used.
    pub fn read(paths: &[PathBuf]) -> Result<Self, CoverageError> {
        let mut sum = Self::default();
        for path in paths {
            sum.add(read(path)?);
        }
        Ok(sum)
    }

    fn add(&mut self, other: Self) {
        for (id, count) in other.rules {
            *self.rules.entry(id).or_default() += count;
        }
        for (name, points) in other.crosses {
            let cross = self.crosses.entry(name).or_default();
            for (point, count) in points {
                *cross.entry(point).or_default() += count;
            }
        }
    }
}

fn read(path: &Path) -> Result<Counts, CoverageError> {
    let text = fs::read_to_string(path).map_err(|source| CoverageError::Io {
        path: path.into(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|source| CoverageError::Syntax {
        path: path.into(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_files_are_added() {
        let counts = |text| serde_json::from_str::<Counts>(text).expect("coverage");
        let mut sum = counts(r#"{"rules": {"TH-01": 2}, "crosses": {"x": {"a": 1, "b": 0}}}"#);
        sum.add(counts(
            r#"{"rules": {"TH-01": 3, "TH-02": 0}, "crosses": {"x": {"b": 4}}}"#,
        ));
        assert_eq!((sum.rules["TH-01"], sum.rules["TH-02"]), (5, 0));
        assert_eq!((sum.crosses["x"]["a"], sum.crosses["x"]["b"]), (1, 4));
    }
}
