//! Conformance vectors: JSON Lines of stimulus and expected outputs, made by somebody else's reading of the
//! requirements, run on the model, and on the bundled RTL where its ports can express them.

mod cyc;
mod ety;
#[cfg(feature = "rtl")]
mod rtl;
mod spe;
mod spmu;
mod th;
mod value;

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Serialize;

#[cfg(feature = "rtl")]
pub use rtl::{Reason, RtlOptions, RtlTally};

#[cfg(feature = "rtl")]
use crate::dut::OpenError;
#[cfg(feature = "rtl")]
use rtl::Expression;

/// The areas that this program checks.
pub const AREAS: &[&str] = &["th", "spe", "ety", "cyc", "spmu"];

/// Who does not agree with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The model.
    Model,
    /// The bundled RTL.
    Rtl,
}

/// One line that the model, or the RTL, does not agree with.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// Who.
    pub side: Side,
    /// File.
    pub file: PathBuf,
    /// Line in it, from 1.
    pub line: usize,
    /// Where in the line, what it expects, and what the model or the RTL says.
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
    /// The same lines on the RTL, if they were run on it.
    #[cfg(feature = "rtl")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtl: Option<RtlTally>,
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
    /// The RTL cannot be had.
    #[cfg(feature = "rtl")]
    #[error(transparent)]
    Rtl(#[from] OpenError),
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

/// A line of an area.
enum Vector {
    Th(th::Vector),
    Spe(spe::Vector),
    Ety(Box<ety::Vector>),
    Cyc(cyc::Vector),
    Spmu(Box<spmu::Vector>),
}

impl Vector {
    /// The vector of a line of `area`; `None` if there is no such area.
    fn parse(area: &str, text: &str) -> Option<serde_json::Result<Self>> {
        Some(match area {
            "th" => serde_json::from_str(text).map(Self::Th),
            "spe" => serde_json::from_str(text).map(Self::Spe),
            "ety" => serde_json::from_str(text).map(Self::Ety),
            "cyc" => serde_json::from_str(text).map(Self::Cyc),
            "spmu" => serde_json::from_str(text).map(|vector| Self::Spmu(Box::new(vector))),
            _ => return None,
        })
    }

    fn run_on_model(&self) -> Result<Option<Mismatch>, Box<dyn std::error::Error>> {
        match self {
            Self::Th(vector) => th::run(vector),
            Self::Spe(vector) => spe::run(vector),
            Self::Ety(vector) => ety::run(vector),
            Self::Cyc(vector) => cyc::run(vector),
            Self::Spmu(vector) => Ok(spmu::run(vector)),
        }
    }

    #[cfg(feature = "rtl")]
    fn express(self) -> Expression {
        match self {
            Self::Th(vector) => th::rtl::express(vector),
            Self::Spe(vector) => spe::rtl::express(vector),
            Self::Ety(vector) => ety::rtl::express(*vector),
            Self::Cyc(vector) => cyc::rtl::express(vector),
            Self::Spmu(vector) => spmu::rtl::express(*vector),
        }
    }
}

/// Runs every line of every file on the model.
///
/// # Errors
/// A file that cannot be read or holds something else than vectors; lines that do not agree are not errors
/// but counted.
pub fn run_files(paths: &[PathBuf]) -> Result<Summary, ConformError> {
    let mut summary = Summary::default();
    for path in paths {
        for_each_line(path, &mut |line, area, vector| {
            summary.run_on_model(path, line, area, &vector)
        })?;
    }
    Ok(summary)
}

/// Runs every line of every file on the model, and those that the ports of a design can express on the RTL.
/// `building` is told when a design is built, which takes a while.
///
/// # Errors
/// As [`run_files`], or a design cannot be built.
#[cfg(feature = "rtl")]
pub fn run_files_on_rtl(
    paths: &[PathBuf],
    options: &RtlOptions,
    building: &mut dyn FnMut(&str),
) -> Result<Summary, ConformError> {
    let mut summary = Summary::default();
    let mut places = Vec::new();
    let mut vectors = Vec::new();
    for path in paths {
        for_each_line(path, &mut |line, area, vector| {
            summary.run_on_model(path, line, area, &vector)?;
            places.push((path, line));
            vectors.push((area.to_owned(), vector.express()));
            Ok(())
        })?;
    }
    let (mut tallies, differences) = rtl::run(&vectors, options, building)?;
    for tally in &mut summary.areas {
        tally.rtl = tallies.remove(&tally.area);
    }
    for (index, message) in differences {
        let (path, line) = places[index];
        summary.failures.push(Failure {
            side: Side::Rtl,
            file: path.clone(),
            line,
            message,
        });
    }
    Ok(summary)
}

/// What is done with a line, its area and its vector; an error is what is wrong with the line.
type Visit<'a> = dyn FnMut(usize, &str, Vector) -> Result<(), Box<dyn std::error::Error>> + 'a;

fn for_each_line(path: &Path, visit: &mut Visit) -> Result<(), ConformError> {
    let io = |source| ConformError::Io {
        path: path.into(),
        source,
    };
    let file = File::open(path).map_err(io)?;
    let mut empty = true;
    for (index, text) in BufReader::new(file).lines().enumerate() {
        let text = text.map_err(io)?;
        if text.trim().is_empty() {
            continue;
        }
        empty = false;
        let line = index + 1;
        let malformed = |error: &dyn fmt::Display| ConformError::Malformed {
            path: path.into(),
            line,
            found: error.to_string(),
        };
        let Line { area } = serde_json::from_str(&text).map_err(|error| malformed(&error))?;
        let Some(vector) = Vector::parse(&area, &text) else {
            return Err(ConformError::UnknownArea {
                path: path.into(),
                line,
                found: area,
            });
        };
        let vector = vector.map_err(|error| malformed(&error))?;
        visit(line, &area, vector).map_err(|error| malformed(&error))?;
    }
    if empty {
        return Err(ConformError::Empty { path: path.into() });
    }
    Ok(())
}

impl Summary {
    fn run_on_model(
        &mut self,
        path: &Path,
        line: usize,
        area: &str,
        vector: &Vector,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let outcome = vector.run_on_model()?;
        let tally = self.tally(area);
        match outcome {
            None => tally.passed += 1,
            Some(mismatch) => {
                tally.failed += 1;
                self.failures.push(Failure {
                    side: Side::Model,
                    file: path.into(),
                    line,
                    message: mismatch.to_string(),
                });
            }
        }
        Ok(())
    }

    fn tally(&mut self, area: &str) -> &mut Tally {
        let index = match self.areas.iter().position(|tally| tally.area == area) {
            Some(index) => index,
            None => {
                self.areas.push(Tally {
                    area: area.to_owned(),
                    passed: 0,
                    failed: 0,
                    #[cfg(feature = "rtl")]
                    rtl: None,
                });
                self.areas.len() - 1
            }
        };
        &mut self.areas[index]
    }
}
