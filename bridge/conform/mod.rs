//! Conformance vectors: JSON Lines of stimulus and expected outputs, made by somebody else's reading of the
//! requirements, run on the model.

mod cyc;
mod ety;
mod spe;
mod spmu;
mod th;
mod value;

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Serialize;

/// The areas that this program checks.
pub const AREAS: &[&str] = &["th", "spe", "ety", "cyc", "spmu"];

/// One line that the model does not agree with.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// File.
    pub file: PathBuf,
    /// Line in it, from 1.
    pub line: usize,
    /// Where in the line, what it expects, and what the model says.
    pub message: String,
}

/// Lines of one area.
#[derive(Clone, Debug, Serialize)]
pub struct Tally {
    /// Area.
    pub area: String,
    /// Lines on which the model agrees with every expected value.
    pub passed: usize,
    /// Other lines.
    pub failed: usize,
}

/// The outcome over all files.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// By area, in order of appearance.
    pub areas: Vec<Tally>,
    /// All failures, in order.
    pub failures: Vec<Failure>,
}

/// A file that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ConformError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}; name a file of conformance vectors (JSON Lines)", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: std::io::Error,
    },
    /// The file has no vector.
    #[error("{}: expected conformance vectors (JSON Lines), found none", path.display())]
    Empty {
        /// File.
        path: PathBuf,
    },
    /// A line is not a vector.
    #[error("{}:{line}: expected a conformance vector (a JSON object with \"area\", \"cfg\", \"cycles\"), found: {found}", path.display())]
    Malformed {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        found: String,
    },
    /// The area is not one of [`AREAS`].
    #[error("{}:{line}: expected an area among {AREAS:?}, found {found:?}; leave that file out", path.display())]
    UnknownArea {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The area found.
        found: String,
    },
}

/// A value that differs, within a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mismatch {
    at: String,
    expected: String,
    model: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: expected {}, model {}",
            self.at, self.expected, self.model
        )
    }
}

/// What every line has.
#[derive(serde::Deserialize)]
struct Line {
    area: String,
}

/// Runs every line of every file.
///
/// # Errors
/// A file that cannot be read or holds something else than vectors; lines that do not agree are not errors
/// but counted.
pub fn run_files(paths: &[PathBuf]) -> Result<Summary, ConformError> {
    let mut summary = Summary::default();
    for path in paths {
        let lines = |summary: &Summary| -> usize {
            summary
                .areas
                .iter()
                .map(|tally| tally.passed + tally.failed)
                .sum()
        };
        let before = lines(&summary);
        run_file(path, &mut summary)?;
        if lines(&summary) == before {
            return Err(ConformError::Empty { path: path.clone() });
        }
    }
    Ok(summary)
}

fn run_file(path: &Path, summary: &mut Summary) -> Result<(), ConformError> {
    let io = |source| ConformError::Io {
        path: path.into(),
        source,
    };
    let file = File::open(path).map_err(io)?;
    for (index, text) in BufReader::new(file).lines().enumerate() {
        let text = text.map_err(io)?;
        if text.trim().is_empty() {
            continue;
        }
        run_line(path, index + 1, &text, summary)?;
    }
    Ok(())
}

fn run_line(
    path: &Path,
    line: usize,
    text: &str,
    summary: &mut Summary,
) -> Result<(), ConformError> {
    let malformed = |error: &dyn fmt::Display| ConformError::Malformed {
        path: path.into(),
        line,
        found: error.to_string(),
    };
    let Line { area } = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    let outcome = match area.as_str() {
        "th" => th::run(serde_json::from_str(text).map_err(|error| malformed(&error))?)
            .map_err(|error| malformed(&error))?,
        "spe" => spe::run(serde_json::from_str(text).map_err(|error| malformed(&error))?)
            .map_err(|error| malformed(&error))?,
        "ety" => ety::run(serde_json::from_str(text).map_err(|error| malformed(&error))?)
            .map_err(|error| malformed(&error))?,
        "cyc" => cyc::run(serde_json::from_str(text).map_err(|error| malformed(&error))?)
            .map_err(|error| malformed(&error))?,
        "spmu" => spmu::run(serde_json::from_str(text).map_err(|error| malformed(&error))?),
        _ => {
            return Err(ConformError::UnknownArea {
                path: path.into(),
                line,
                found: area,
            });
        }
    };
    let index = match summary.areas.iter().position(|tally| tally.area == area) {
        Some(index) => index,
        None => {
            summary.areas.push(Tally {
                area,
                passed: 0,
                failed: 0,
            });
            summary.areas.len() - 1
        }
    };
    let tally = &mut summary.areas[index];
    match outcome {
        None => tally.passed += 1,
        Some(mismatch) => {
            tally.failed += 1;
            summary.failures.push(Failure {
                file: path.into(),
                line,
                message: mismatch.to_string(),
            });
        }
    }
    Ok(())
}
