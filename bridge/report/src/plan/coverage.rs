//! Files of coverage: how often rules were exercised, and points of crosses hit.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use pmu_model::coverage::Coverage;
use serde::Deserialize;
use serde::de::IgnoredAny;

use lockstep_base::plain::of_json;
use lockstep_base::text_file;

/// Counts of one run, or of several, of one implementation or of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By id of a rule that one of the implementations can take in a cycle.
    pub rules: BTreeMap<String, u64>,
    /// Rules that a cycle takes in some implementation, and in none of these: why not, in words.
    pub not_possible: BTreeMap<String, String>,
    /// By name of a cross, then by its point.
    pub crosses: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Why a rule is not possible, where no part of the contract is missing.
const FIXED: &str = "its features and sizes";

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}; name a file that `lockstep run --coverage FILE` or `lockstep merge` wrote", path.display())]
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
            for coverage in read(path)? {
                sum.add(&coverage);
            }
        }
        Ok(sum)
    }

    /// Adds the counts of one more run.
    pub fn add(&mut self, coverage: &Coverage) {
        for (id, part) in coverage.not_possible() {
            let reason = part.map_or_else(|| FIXED.into(), |part| format!("lacks {part}"));
            let reasons = self.not_possible.entry(id.to_owned());
            reasons
                .and_modify(|known| {
                    if !known.split(" or ").any(|one| one == reason) {
                        *known = format!("{known} or {reason}");
                    }
                })
                .or_insert(reason);
        }
        self.count(coverage);
        let possible = &self.rules;
        self.not_possible.retain(|id, _| !possible.contains_key(id));
    }

    fn count(&mut self, coverage: &Coverage) {
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

/// What a merge of a regression writes, as far as it matters here.
#[derive(Deserialize)]
struct Merged {
    merged: Vec<Of>,
}

#[derive(Deserialize)]
struct Of {
    coverage: Coverage,
}

/// Tells which of the two a file is.
#[derive(Deserialize)]
struct Form {
    merged: Option<IgnoredAny>,
}

/// The coverage in a file: of one run, or of all implementations and designs of a regression.
///
/// # Errors
/// It cannot be read, or holds something else.
pub fn read(path: &Path) -> Result<Vec<Coverage>, CoverageError> {
    let text = text_file::read(path).map_err(|source| CoverageError::Io {
        path: path.into(),
        source,
    })?;
    let is_merged = serde_json::from_str(&text).is_ok_and(|form: Form| form.merged.is_some());
    let coverage = match is_merged {
        true => serde_json::from_str(&text).map(|all: Merged| {
            let all = all.merged.into_iter();
            all.map(|of| of.coverage).collect()
        }),
        false => serde_json::from_str(&text).map(|one| vec![one]),
    };
    coverage.map_err(|source| CoverageError::Syntax {
        path: path.into(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_stimulus::{Generator, Profile};
    use pmu_model::{CycleInput, CycleOutput, Implementation, Model, SysReg, Unknown};

    /// DUT-72: what a design lacks takes away rules and points that no cycle of its stimulus takes, and says so.
    #[test]
    fn dut_72_what_is_lacking_is_never_taken() {
        for lacks in [0b000001, 0b000010, 0b000100, 0b001000, 0b110000, 0b111111] {
            let whole = Implementation::default();
            let wrapper = whole.wrapper.clone().with_parts(lacks);
            let lacking = Implementation {
                wrapper,
                ..whole.clone()
            };
            // Counted as if nothing was missing.
            let mut coverage = Coverage::new(&whole);
            let mut model = Model::new(&lacking).expect("consistent");
            let mut stimulus = Generator::new(1, &lacking, &Profile::default()).expect("legal");
            let mut inputs = vec![CycleInput::default(); 200_000];
            stimulus.fill(&mut inputs);
            for input in &inputs {
                let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
                model.step(input, 0, &mut output, &mut unknown, &mut coverage);
            }
            let mut counts = Counts::default();
            counts.add(&Coverage::new(&lacking));
            for (id, _) in coverage.rules().filter(|&(_, count)| count > 0) {
                assert!(counts.rules.contains_key(id), "{id} without {lacks:#b}");
            }
            for (cross, points) in coverage.crosses() {
                for (point, _) in points.iter().filter(|(_, count)| *count > 0) {
                    assert!(counts.crosses[cross].contains_key(point), "{cross} {point}");
                }
            }
            let reason = |id: &str| counts.not_possible.get(id).map(String::as_str);
            let of_part = |part: u16, id: &str, name: &str| {
                let name = format!("lacks {name}");
                let expected = (lacks >> part & 1 == 1).then_some(&*name);
                assert_eq!(reason(id), expected, "{id} without {lacks:#b}");
            };
            of_part(0, "ETY-40", "pe_state");
            of_part(1, "CYC-17", "thread_conditions");
            of_part(2, "DUT-36", "aarch32");
            of_part(3, "DUT-37", "external");
            of_part(5, "DUT-52", "clock_stopped");
            assert_eq!(reason("TH-02"), Some(FIXED));
            assert_eq!(reason("TH-20"), None);
            // What one design cannot, another one can.
            counts.add(&Coverage::new(&whole));
            assert_eq!(counts.not_possible.get("ETY-40"), None);
        }
    }

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
