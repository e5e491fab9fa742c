//! Results of shards as one. Merging is associative, commutative and idempotent: what is merged may be merged again, in
//! any order, and twice.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::record::{Header, Line, Part, Record, Trailer};
use crate::results::Results;

/// Results that do not belong together.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} and {}: expected results of one {what}, found {one} and {other}: merge those of one regression",
    first.display(), second.display()
)]
pub struct Stranger {
    first: PathBuf,
    second: PathBuf,
    what: String,
    one: String,
    other: String,
}

/// A shard, as far as results have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Held {
    /// Runs that it has.
    runs: usize,
    /// Whether some file has it to its end.
    whole: bool,
    /// What is wrong with files that do not.
    damage: BTreeSet<String>,
}

/// Merged results.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The header, without its parts.
    pub header: Header,
    /// The file that it is of.
    first: PathBuf,
    parts: BTreeMap<u32, Held>,
    stopped: BTreeSet<String>,
    /// By name of the run, then by what came of it: a run that was run twice came to one end, or that is told.
    runs: BTreeMap<String, BTreeMap<String, Record>>,
}

impl Merged {
    /// The results of one file.
    pub fn new(results: Results) -> Self {
        let whole = results.trailer.as_ref().map(|trailer| &trailer.whole);
        let mut parts = BTreeMap::new();
        for part in &results.header.parts {
            let is_whole = whole.is_some_and(|whole| whole.contains(&part.shard));
            let mut held = Held {
                runs: part.runs,
                whole: is_whole,
                damage: part.damage.iter().cloned().collect(),
            };
            if !is_whole {
                held.damage.extend(results.damage.clone());
            }
            parts.insert(part.shard, held);
        }
        let mut merged = Self {
            header: Header {
                parts: Vec::new(),
                ..results.header
            },
            first: results.path,
            parts,
            stopped: results
                .trailer
                .into_iter()
                .flat_map(|trailer| trailer.stopped)
                .collect(),
            runs: BTreeMap::new(),
        };
        for record in results.records {
            merged.add(record);
        }
        merged
    }

    /// Adds other results.
    ///
    /// # Errors
    /// They are of another program, suite, plan or design.
    pub fn join(&mut self, other: Self) -> Result<(), Stranger> {
        self.check(&other)?;
        self.first = self.first.clone().min(other.first);
        self.header.designs.extend(other.header.designs);
        for (shard, held) in other.parts {
            let own = self.parts.entry(shard).or_insert_with(|| held.clone());
            own.whole |= held.whole;
            own.damage.extend(held.damage);
            if own.whole {
                own.damage.clear();
            }
        }
        self.stopped.extend(other.stopped);
        for record in other.runs.into_values().flat_map(BTreeMap::into_values) {
            self.add(record);
        }
        Ok(())
    }

    fn check(&self, other: &Self) -> Result<(), Stranger> {
        let (own, new) = (&self.header, &other.header);
        let program = |header: &Header| {
            format!(
                "{} (build {})",
                header.program.version, header.program.build
            )
        };
        let suite = |header: &Header| format!("{} ({})", header.suite, header.suite_hash);
        let plan = |header: &Header| format!("{} runs ({})", header.plan_runs, header.plan_hash);
        let shards = |header: &Header| header.shards.to_string();
        let mut pairs = vec![
            ("program".to_owned(), program(own), program(new)),
            ("suite".to_owned(), suite(own), suite(new)),
            ("choice of runs".to_owned(), plan(own), plan(new)),
            ("number of shards".to_owned(), shards(own), shards(new)),
        ];
        for (name, hash) in &own.designs {
            if let Some(other) = new.designs.get(name) {
                pairs.push((format!("design `{name}`"), hash.clone(), other.clone()));
            }
        }
        match pairs.into_iter().find(|(_, one, other)| one != other) {
            None => Ok(()),
            Some((what, one, other_value)) => Err(Stranger {
                first: self.first.clone(),
                second: other.first.clone(),
                what,
                one,
                other: other_value,
            }),
        }
    }

    /// Adds a run. An end of the environment gives way to any other one; of the same end, the first in the order of their
    /// texts stands, so that times do not depend on the order in which files are merged.
    fn add(&mut self, record: Record) {
        let ends = self.runs.entry(record.id.clone()).or_default();
        let decided = |ends: &BTreeMap<String, Record>| ends.values().any(Record::is_decided);
        if !record.is_decided() && decided(ends) {
            return;
        }
        if record.is_decided() {
            ends.retain(|_, other| other.is_decided());
        }
        let text = |record: &Record| serde_json::to_string(record).unwrap_or_default();
        let key = match record.is_decided() {
            true => record.timeless(),
            // Of ends of the environment one is enough.
            false => String::new(),
        };
        match ends.get(&key) {
            Some(other) if text(other) <= text(&record) => {}
            _ => {
                ends.insert(key, record);
            }
        }
    }

    /// What came of each run, one record each, in the order of their names.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.runs.values().filter_map(|ends| ends.values().next())
    }

    /// Runs that were run more than once with different ends.
    pub fn unsettled(&self) -> impl Iterator<Item = &str> {
        let runs = self.runs.iter().filter(|(_, ends)| ends.len() > 1);
        runs.map(|(id, _)| id.as_str())
    }

    /// How many runs have ended.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Why runs were left out on purpose, if they were.
    pub fn stopped(&self) -> impl Iterator<Item = &str> {
        self.stopped.iter().map(String::as_str)
    }

    /// Shards that are missing or not whole, with the reason.
    pub fn lacking(&self) -> Vec<(u32, String)> {
        let shards = 1..=self.header.shards;
        let why = |shard| match self.parts.get(&shard) {
            None => Some("missing: no file of it was found".to_owned()),
            Some(held) if held.whole => None,
            Some(held) => {
                let damage: Vec<_> = held.damage.iter().map(String::as_str).collect();
                Some(format!("not whole: {}", damage.join("; ")))
            }
        };
        shards
            .filter_map(|shard| why(shard).map(|why| (shard, why)))
            .collect()
    }

    /// Writes the results as one file, which can be merged again.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let parts = self.parts.iter().map(|(&shard, held)| Part {
            shard,
            runs: held.runs,
            damage: held.damage.iter().cloned().collect(),
        });
        let header = Header {
            parts: parts.collect(),
            ..self.header.clone()
        };
        let mut line = |line: Line| -> io::Result<()> {
            serde_json::to_writer(&mut *to, &line)?;
            to.write_all(b"\n")
        };
        line(Line::Header(header))?;
        let mut runs = 0;
        for record in self.runs.values().flat_map(BTreeMap::values) {
            line(Line::Run(Box::new(record.clone())))?;
            runs += 1;
        }
        let whole = self.parts.iter().filter(|(_, held)| held.whole);
        line(Line::Trailer(Trailer {
            runs,
            whole: whole.map(|(&shard, _)| shard).collect(),
            stopped: self.stopped.iter().cloned().collect(),
        }))
    }
}

/// Reads files of results and merges them.
///
/// # Errors
/// One that cannot be read, or that does not belong to the others.
pub fn merge(paths: &[PathBuf]) -> Result<Option<Merged>, MergeError> {
    let mut merged: Option<Merged> = None;
    for path in paths {
        let next = Merged::new(Results::read(path)?);
        match &mut merged {
            None => merged = Some(next),
            Some(merged) => merged.join(next)?,
        }
    }
    Ok(merged)
}

/// Results that cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file.
    #[error(transparent)]
    Results(#[from] crate::results::ResultsError),
    /// Two of them.
    #[error(transparent)]
    Stranger(#[from] Stranger),
}
