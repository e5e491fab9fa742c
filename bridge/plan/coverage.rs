//! Files of coverage: how often rules were exercised, and points of crosses hit.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use pmu_model::coverage::Coverage;

use crate::plain::of_json;
use crate::text_file;

/// Counts of one run, or of several, of one implementation or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By id of a rule that one of the implementations can take in a cycle.
    pub rules: BTreeMap<String, u64>,
    /// By name of a cross, then by its point.
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
    #[error("{}: not coverage as `lockstep run --coverage FILE` writes it: {}", path.display(), of_json(source))]
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
            sum.add(&read(path)?);
        }
        Ok(sum)
    }

    fn add(&mut self, coverage: &Coverage) {
        for (id, count) in coverage.rules() {
            *self.rules.entry(id.to_owned()).or_default() += count;
        }
        for (name, points) in coverage.crosses() {
            let cross = self.crosses.entry(name.to_owned()).or_default();
            for (point, count) in points {
                *cross.entry(point.clone()).or_default() += count;
            }
        }
    }
}

fn read(path: &Path) -> Result<Coverage, CoverageError> {
    let text = text_file::read(path).map_err(|source| CoverageError::Io {
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
    use pmu_model::{CycleInput, CycleOutput, Implementation, Model, SysReg, Unknown};

    #[test]
    fn counts_are_added_whatever_the_implementation() {
        let mut sum = Counts::default();
        let mut small = Implementation::default();
        small.pmu.counters = 2;
        for implementation in [Implementation::default(), small] {
            let mut coverage = Coverage::new(&implementation);
            let mut model = Model::new(&implementation).expect("consistent");
            let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
            let read = CycleInput::read(SysReg::Pmmir);
            model.step(&read, 0, &mut output, &mut unknown, &mut coverage);
            sum.add(&coverage);
        }
        assert_eq!((sum.rules["TH-07"], sum.rules["TH-20"]), (2, 0));
        assert_eq!(
            sum.rules.get("TH-40"),
            Coverage::new(&Implementation::default())
                .rule("TH-40")
                .map(|_| &0)
        );
        assert!(
            sum.crosses
                .values()
                .any(|points| points.values().all(|&count| count == 0))
        );
    }
}
