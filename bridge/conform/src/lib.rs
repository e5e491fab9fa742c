//! Conformance vectors: JSON Lines of stimulus and expected outputs, made by somebody else's reading of the
//! requirements, run on the model, and on the bundled RTL where its ports can express them.

mod bench;
mod configuration;
mod cyc;
mod ety;
mod keys;
mod on_rtl;
mod rtl;
mod spe;
mod spmu;
mod th;
mod value;

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use pmu_model::Implementation;
use serde::{Deserialize, Serialize};

pub use on_rtl::run_files_on_rtl;
pub use rtl::{Designs, OnRtlError, Open, Reason, RtlTally};

use lockstep_base::plain::of_json;
use lockstep_base::text_file::lines;

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
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
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
    /// Lines that cannot be run, in order.
    pub unreadable: Vec<Unreadable>,
    /// Keys that nobody reads, in order of appearance.
    pub unread: Vec<Unread>,
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
}

/// What is wrong with a line that cannot be run.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error(
        "not a conformance vector (a JSON object with \"area\" and \"cfg\", see docs/conformance-vectors.md): {0}"
    )]
    Malformed(Box<dyn std::error::Error>),
    #[error("{0} (docs/conformance-vectors.md has all keys)")]
    Misspelt(String),
    #[error("in \"cfg\": {0} (docs/conformance-vectors.md has all keys of area `{1}`)")]
    Configuration(String, String),
    #[error(
        "expected a vector that says what to expect, found nothing expected in it; add what the outputs should be, or \
         leave that line out"
    )]
    NothingExpected,
    #[error(
        "{0}, docs/dut-contract.md); leave it out: what a design does then says nothing about it"
    )]
    Excluded(String),
    #[error("expected an area among {AREAS:?}, found {0:?}; leave that line out")]
    UnknownArea(String),
}

impl LineError {
    fn malformed(error: serde_json::Error) -> Self {
        Self::Malformed(of_json(&error).into())
    }
}

/// A line that cannot be run.
#[derive(Clone, Debug, Serialize)]
pub struct Unreadable {
    /// File.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub file: PathBuf,
    /// Line in it, from 1.
    pub line: usize,
    /// What was expected, and what was found.
    pub message: String,
}

/// A key of vectors that nobody reads.
#[derive(Clone, Debug, Serialize)]
pub struct Unread {
    /// The key.
    pub key: String,
    /// Lines that have it.
    pub lines: usize,
    /// File of the first.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub file: PathBuf,
    /// Its line, from 1.
    pub line: usize,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "key `{}` is not known, and not looked at: in {} line{}, the first is {}:{}",
            self.key,
            self.lines,
            if self.lines == 1 { "" } else { "s" },
            self.file.display(),
            self.line
        )
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.message)
    }
}

/// A value that differs, within a line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Mismatch {
    at: String,
    expected: String,
    found: String,
}

impl Mismatch {
    /// In words, of what `side` has.
    fn on(&self, side: Side) -> String {
        let side = match side {
            Side::Model => "model",
            Side::Rtl => "RTL",
        };
        format!(
            "{}: expected {}, {side} {}",
            self.at, self.expected, self.found
        )
    }
}

/// What every line has.
#[derive(serde::Deserialize)]
struct Line {
    area: String,
}

/// A line that was read.
struct Parsed {
    area: String,
    vector: Vector,
    unread: Vec<String>,
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
    /// The area of a line, its vector, and its keys that nobody reads.
    fn parse(text: &str) -> Result<Parsed, LineError> {
        let mut value: serde_json::Value =
            serde_json::from_str(text).map_err(LineError::malformed)?;
        let Line { area } = Line::deserialize(&value).map_err(LineError::malformed)?;
        let expects = keys::expects_something(&area, &value);
        let configuration = value.as_object_mut().and_then(|line| line.remove("cfg"));
        let mut unread = Vec::new();
        let mut vector = match area.as_str() {
            "th" => Self::Th(keys::read(&area, value, &mut unread)?),
            "spe" => Self::Spe(keys::read(&area, value, &mut unread)?),
            "ety" => Self::Ety(keys::read(&area, value, &mut unread)?),
            "cyc" => Self::Cyc(keys::read(&area, value, &mut unread)?),
            "spmu" => Self::Spmu(keys::read(&area, value, &mut unread)?),
            _ => return Err(LineError::UnknownArea(area)),
        };
        *vector.implementation() = configuration::implementation(&area, configuration)?;
        if !expects {
            return Err(LineError::NothingExpected);
        }
        Ok(Parsed {
            area,
            vector,
            unread,
        })
    }

    fn implementation(&mut self) -> &mut Implementation {
        match self {
            Self::Th(vector) => &mut vector.implementation,
            Self::Spe(vector) => &mut vector.implementation,
            Self::Ety(vector) => &mut vector.implementation,
            Self::Cyc(vector) => &mut vector.implementation,
            Self::Spmu(vector) => &mut vector.implementation,
        }
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

    /// What the contract excludes of what the vector asks for, in words.
    fn excluded(&self) -> Option<String> {
        match self {
            Self::Ety(vector) => ety::excluded(vector),
            Self::Th(_) | Self::Spe(_) | Self::Cyc(_) | Self::Spmu(_) => None,
        }
    }
}

/// Runs every line of every file on the model.
///
/// # Errors
/// A file that cannot be read or has no line at all; lines that do not agree, and lines that cannot be run, are not
/// errors but counted.
pub fn run_files(paths: &[PathBuf]) -> Result<Summary, ConformError> {
    let mut summary = Summary::default();
    for path in paths {
        summary.for_each_vector(path, |_, _, _| ())?;
    }
    Ok(summary)
}

impl Summary {
    /// Runs the lines of a file on the model; `visit` has the number, area and vector of each that can be run.
    fn for_each_vector(
        &mut self,
        path: &Path,
        mut visit: impl FnMut(usize, String, Vector),
    ) -> Result<(), ConformError> {
        let io = |source| ConformError::Io {
            path: path.into(),
            source,
        };
        let file = File::open(path).map_err(io)?;
        let mut empty = true;
        for (index, text) in lines(BufReader::new(file)).enumerate() {
            let text = text.map_err(io)?;
            if text.trim().is_empty() {
                continue;
            }
            empty = false;
            let line = index + 1;
            let run = Vector::parse(&text).and_then(|parsed| {
                if let Some(excluded) = parsed.vector.excluded() {
                    return Err(LineError::Excluded(excluded));
                }
                let run = self.run_on_model(path, line, &parsed.area, &parsed.vector);
                run.map_err(LineError::Malformed)?;
                Ok(parsed)
            });
            match run {
                Ok(parsed) => {
                    self.add_unread(parsed.unread, path, line);
                    visit(line, parsed.area, parsed.vector);
                }
                Err(error) => self.unreadable.push(Unreadable {
                    file: path.into(),
                    line,
                    message: error.to_string(),
                }),
            }
        }
        if empty {
            return Err(ConformError::Empty { path: path.into() });
        }
        Ok(())
    }

    fn add_unread(&mut self, keys: Vec<String>, path: &Path, line: usize) {
        for key in keys {
            match self.unread.iter_mut().find(|found| found.key == key) {
                Some(found) => found.lines += 1,
                None => self.unread.push(Unread {
                    key,
                    lines: 1,
                    file: path.into(),
                    line,
                }),
            }
        }
    }

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
                    message: mismatch.on(Side::Model),
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
                    rtl: None,
                });
                self.areas.len() - 1
            }
        };
        &mut self.areas[index]
    }
}

/// The first value of a line that differs on the model, in words.
#[cfg(test)]
fn outcome(line: &str) -> Result<Option<String>, Box<dyn std::error::Error>> {
    let mismatch = Vector::parse(line)?.vector.run_on_model()?;
    Ok(mismatch.map(|mismatch| mismatch.on(Side::Model)))
}
