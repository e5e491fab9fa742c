//! Files of results: a line for each run as it ends, whole or not.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use lockstep_base::text_file;

use crate::record::{FORMAT, Header, Line, Record, Trailer};
use crate::rounds::Rounds;
use crate::shard::Shard;

/// The end of the name of a file that is not whole.
const PARTIAL: &str = "partial";

/// The name of the whole file of a shard.
pub fn name(shard: Shard) -> String {
    format!("shard-{}-of-{}.jsonl", shard.index, shard.of)
}

/// The name of a file that is not whole yet.
fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(PARTIAL);
    name.into()
}

/// What is in a file of results.
#[derive(Clone, Debug)]
pub struct Results {
    /// Where it was read from.
    pub path: PathBuf,
    /// The header.
    pub header: Header,
    /// The runs.
    pub records: Vec<Record>,
    /// The trailer, if the file is whole.
    pub trailer: Option<Trailer>,
    /// What is wrong with the file, if it is not whole.
    pub damage: Option<String>,
}

/// A file that has no results.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// It cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It cannot be written.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// Its first line is none of a file of results.
    #[error("{}:1: expected the header of a file of results, found {found}", path.display())]
    NoHeader {
        /// File.
        path: PathBuf,
        /// What is there.
        found: String,
    },
    /// It is of another version.
    #[error("{}:1: expected results of format {FORMAT}, found format {found}: merge it with the lockstep that wrote it", path.display())]
    Format {
        /// File.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// A file of results that is being read, run by run.
pub struct Reader {
    /// Where it is read from.
    pub path: PathBuf,
    /// The header.
    pub header: Header,
    lines: Box<dyn Iterator<Item = io::Result<String>>>,
    /// The line that comes next, from 1.
    number: usize,
    runs: usize,
    end: End,
}

/// The end of a file of results.
#[derive(Clone, Debug, Default)]
pub struct End {
    /// The trailer, if the file is whole.
    pub trailer: Option<Trailer>,
    /// What is wrong with the file, if it is not.
    pub damage: Option<String>,
}

impl Reader {
    /// Opens a file, and reads its header.
    ///
    /// # Errors
    /// It cannot be read, or is none of results.
    pub fn open(path: &Path) -> Result<Self, ResultsError> {
        let failed = |source| ResultsError::Io {
            path: path.into(),
            source,
        };
        // A pipe would be waited for.
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(io::Error::other(
                "expected a file, found something else",
            )));
        }
        let file = BufReader::new(File::open(path).map_err(failed)?);
        let mut lines = text_file::lines(file);
        let no_header = |found: String| ResultsError::NoHeader {
            path: path.into(),
            found,
        };
        let first = lines.next().transpose().map_err(failed)?;
        let first = first.ok_or_else(|| no_header("an empty file".into()))?;
        let header = match serde_json::from_str(&first) {
            Ok(Line::Header(header)) if header.format == FORMAT => header,
            Ok(Line::Header(header)) => {
                return Err(ResultsError::Format {
                    path: path.into(),
                    found: header.format,
                });
            }
            Ok(_) => return Err(no_header("another line of one".into())),
            Err(_) => {
                let start: String = first.chars().take(40).collect();
                return Err(no_header(format!("`{start}`")));
            }
        };
        Ok(Self {
            path: path.into(),
            header,
            lines: Box::new(lines),
            number: 2,
            runs: 0,
            end: End::default(),
        })
    }

    /// The next run, if there is another one before the end or a place where the file is damaged.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next_record(&mut self) -> Result<Option<Record>, ResultsError> {
        while self.end.damage.is_none() {
            let line = self.lines.next().transpose();
            let line = line.map_err(|source| ResultsError::Io {
                path: self.path.clone(),
                source,
            })?;
            let Some(line) = line else { break };
            let number = self.number;
            self.number += 1;
            if self.end.trailer.is_some() {
                self.end.damage = Some(format!("line {number}: text after the last line"));
                break;
            }
            match serde_json::from_str(&line) {
                Ok(Line::Run(record)) if record.exit_code != record.verdict.exit_code() => {
                    self.end.damage = Some(format!(
                        "line {number}: expected exit code {} of verdict {}, found {}",
                        record.verdict.exit_code(),
                        record.verdict.word(),
                        record.exit_code
                    ));
                }
                Ok(Line::Run(record)) if record.failure.is_some() != record.has_failed() => {
                    let found = match record.failure {
                        Some(_) => "one",
                        None => "none",
                    };
                    self.end.damage = Some(format!(
                        "line {number}: verdict {}, and {found} of what failed",
                        record.verdict.word()
                    ));
                }
                Ok(Line::Run(record)) => {
                    self.runs += 1;
                    return Ok(Some(*record));
                }
                Ok(Line::Trailer(trailer)) => self.end.trailer = Some(trailer),
                Ok(Line::Header(_)) => {
                    self.end.damage = Some(format!("line {number}: a second header"));
                }
                Err(_) => {
                    self.end.damage = Some(format!("line {number} is cut or damaged"));
                }
            }
        }
        Ok(None)
    }

    /// The end, after the last run. A file is whole if it has a trailer, and as many runs as that says.
    pub fn end(self) -> End {
        let found = self.runs;
        let mut end = self.end;
        match &end.trailer {
            _ if end.damage.is_some() => {}
            None => end.damage = Some("it has no last line".into()),
            Some(trailer) if trailer.runs != found => {
                end.damage = Some(format!("expected {} runs, found {found}", trailer.runs));
            }
            Some(_) => {}
        }
        if end.damage.is_some() {
            end.trailer = None;
        }
        end
    }
}

impl Results {
    /// Reads a file. Of one that was cut or damaged, the runs before that place.
    ///
    /// # Errors
    /// It cannot be read, or is none of results.
    pub fn read(path: &Path) -> Result<Self, ResultsError> {
        let mut reader = Reader::open(path)?;
        let mut records = Vec::new();
        while let Some(record) = reader.next_record()? {
            records.push(record);
        }
        let header = reader.header.clone();
        let end = reader.end();
        Ok(Self {
            path: path.into(),
            header,
            records,
            trailer: end.trailer,
            damage: end.damage,
        })
    }
}

/// A file of results that is being written.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: File,
    runs: usize,
    rounds: Option<Rounds>,
}

impl Writer {
    /// Begins the file at `path`, which has that name when it is whole, with the runs that are known already.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path, header: &Header, known: &[Record]) -> Result<Self, ResultsError> {
        let failed = |source| ResultsError::Write {
            path: path.into(),
            source,
        };
        // What is known is in a file of one of the two names all the time.
        let place = partial(path);
        let new = place.with_extension("new");
        let begin = || -> io::Result<File> {
            let mut text = line(&Line::Header(header.clone()))?;
            for record in known {
                text += &line(&Line::Run(Box::new(record.clone())))?;
            }
            fs::write(&new, text)?;
            fs::rename(&new, &place)?;
            OpenOptions::new().append(true).open(&place)
        };
        Ok(Self {
            file: begin().map_err(failed)?,
            path: path.into(),
            runs: known.len(),
            rounds: None,
        })
    }

    /// Tells in the last line what rounds came to.
    #[must_use]
    pub fn with_rounds(self, rounds: Rounds) -> Self {
        Self {
            rounds: Some(rounds),
            ..self
        }
    }

    /// Adds a run, which is in the file when this returns.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, record: &Record) -> Result<(), ResultsError> {
        self.runs += 1;
        self.write(&Line::Run(Box::new(record.clone())))
    }

    fn write(&mut self, what: &Line) -> Result<(), ResultsError> {
        let written = line(what).and_then(|text| self.file.write_all(text.as_bytes()));
        written.map_err(|source| ResultsError::Write {
            path: self.path.clone(),
            source,
        })
    }

    /// Ends the file, and gives it its name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(
        mut self,
        whole: Vec<u32>,
        stopped: Vec<String>,
    ) -> Result<PathBuf, ResultsError> {
        let trailer = Trailer {
            runs: self.runs,
            whole,
            stopped,
            rounds: self.rounds.take(),
        };
        self.write(&Line::Trailer(trailer))?;
        let kept = self.file.sync_all();
        let kept = kept.and_then(|()| fs::rename(partial(&self.path), &self.path));
        kept.map_err(|source| ResultsError::Write {
            path: self.path.clone(),
            source,
        })?;
        Ok(self.path)
    }
}

fn line(line: &Line) -> io::Result<String> {
    Ok(serde_json::to_string(line)? + "\n")
}

/// What an earlier start left of the file at `path`: the file under its name, or the one that is not whole.
///
/// # Errors
/// It cannot be read, or is none of results.
pub fn earlier(path: &Path) -> Result<Option<Results>, ResultsError> {
    for path in [partial(path), path.to_owned()] {
        if path.exists() {
            return Results::read(&path).map(Some);
        }
    }
    Ok(None)
}

/// Files of results at `paths`: the files themselves, those in folders, and those of shards in folders of these.
///
/// # Errors
/// A path cannot be read.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, ResultsError> {
    // By their names without the end of those that are not whole, which stand back where both are there.
    let mut found: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for path in paths {
        collect(path, 0, &mut found)?;
    }
    Ok(found.into_values().collect())
}

/// How deep below a folder that is named files of results may be: one of each artifact.
const DEPTH: usize = 2;

fn collect(
    path: &Path,
    depth: usize,
    found: &mut BTreeMap<PathBuf, PathBuf>,
) -> Result<(), ResultsError> {
    let failed = |source| ResultsError::Io {
        path: path.into(),
        source,
    };
    if !fs::metadata(path).map_err(failed)?.is_dir() {
        let name = path.to_string_lossy();
        let is_partial = name.ends_with(".jsonl.partial");
        let whole = match is_partial {
            true => path.with_extension(""),
            false => path.to_owned(),
        };
        let is_results = is_partial || name.ends_with(".jsonl");
        // A report that lies among the results it was made of has nothing of its own.
        let is_shard = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("shard-"));
        let is_results = is_results && (is_shard || depth == 1);
        // One that is being written again counts, and the one before it does not.
        if (is_results || depth == 0) && (is_partial || !found.contains_key(&whole)) {
            found.insert(whole, path.to_owned());
        }
        return Ok(());
    }
    let is_ours = depth > 0
        && path
            .file_name()
            .is_some_and(|name| name == "runs" || name == "designs");
    if depth > DEPTH || is_ours {
        return Ok(());
    }
    let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    for entry in entries.map_err(failed)? {
        collect(&entry.path(), depth + 1, found)?;
    }
    Ok(())
}
