//! Results of shards as one. Merging is associative, commutative and idempotent: what is merged may be merged again, in
//! any order, and twice.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use crate::record::{Header, Line, Part, Record, Trailer};
use crate::results::{End, Reader};
use crate::rounds::Rounds;
use crate::spool::{Place, Spool};

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

/// An end that a run came to.
#[derive(Clone, Copy, Debug)]
struct Ended {
    /// Hash of the record without its times: what is the same is one end. Of ends of the environment one is enough.
    key: Option<u128>,
    /// The record.
    place: Place,
}

/// The ends of a run, in the order of their keys: a run that was run twice came to one end, or that is told.
#[derive(Debug)]
struct Ends {
    first: Ended,
    others: Vec<Ended>,
}

impl Ends {
    fn all(&self) -> impl Iterator<Item = &Ended> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

/// Merged results. What runs came to is not kept in memory where it is much: it is read, one after the other, as often as it
/// is needed.
#[derive(Debug)]
pub struct Merged {
    /// The header, without its parts.
    pub header: Header,
    /// The file that it is of.
    first: PathBuf,
    parts: BTreeMap<u32, Held>,
    stopped: BTreeSet<String>,
    /// The most of them, where there are several.
    rounds: Option<Rounds>,
    /// By name of the run.
    runs: BTreeMap<Box<str>, Ends>,
    spool: Spool,
}

impl Merged {
    /// The results of one file.
    ///
    /// # Errors
    /// It cannot be read, or is none of results.
    pub fn read(path: &Path) -> Result<Self, MergeError> {
        let reader = Reader::open(path)?;
        let mut merged = Self {
            header: Header {
                parts: Vec::new(),
                ..reader.header.clone()
            },
            first: path.into(),
            parts: BTreeMap::new(),
            stopped: BTreeSet::new(),
            rounds: None,
            runs: BTreeMap::new(),
            spool: Spool::default(),
        };
        merged.take(reader)?;
        Ok(merged)
    }

    /// Adds the results of another file.
    ///
    /// # Errors
    /// It cannot be read, or is of another program, suite, plan or design.
    pub fn join(&mut self, path: &Path) -> Result<(), MergeError> {
        let reader = Reader::open(path)?;
        self.check(path, &reader.header)?;
        if path < self.first {
            self.first = path.into();
        }
        let designs = reader.header.designs.clone();
        self.header.designs.extend(designs);
        self.take(reader)
    }

    /// Takes runs and parts of a file.
    fn take(&mut self, mut reader: Reader) -> Result<(), MergeError> {
        while let Some(record) = reader.next_record()? {
            self.add(&record)?;
        }
        let parts = std::mem::take(&mut reader.header.parts);
        let End { trailer, damage } = reader.end();
        let whole = trailer.as_ref().map(|trailer| &trailer.whole);
        for part in parts {
            let is_whole = whole.is_some_and(|whole| whole.contains(&part.shard));
            let own = self.parts.entry(part.shard).or_insert(Held {
                runs: part.runs,
                ..Held::default()
            });
            own.whole |= is_whole;
            own.damage.extend(part.damage);
            if !is_whole {
                own.damage.extend(damage.clone());
            }
            if own.whole {
                own.damage.clear();
            }
        }
        if let Some(trailer) = trailer {
            self.stopped.extend(trailer.stopped);
            self.rounds = self.rounds.take().max(trailer.rounds);
        }
        Ok(())
    }

    fn check(&self, path: &Path, new: &Header) -> Result<(), Stranger> {
        let own = &self.header;
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
                second: path.into(),
                what,
                one,
                other: other_value,
            }),
        }
    }

    /// Adds a run. An end of the environment gives way to any other one; of the same end, the first in the order of their
    /// texts stands, so that times do not depend on the order in which files are merged.
    fn add(&mut self, record: &Record) -> io::Result<()> {
        let text = serde_json::to_vec(record)?;
        let key = record
            .is_decided()
            .then(|| XxHash3_128::oneshot(record.timeless().as_bytes()));
        let held = match self.runs.entry(record.id.as_str().into()) {
            Entry::Vacant(place) => {
                let first = Ended {
                    key,
                    place: self.spool.add(&text)?,
                };
                place.insert(Ends {
                    first,
                    others: Vec::new(),
                });
                return Ok(());
            }
            Entry::Occupied(held) => held.into_mut(),
        };
        if key.is_none() && held.first.key.is_some() {
            return Ok(());
        }
        let mut ends: Vec<_> = held.all().copied().collect();
        if key.is_some() {
            ends.retain(|end| end.key.is_some());
        }
        match ends.iter_mut().find(|end| end.key == key) {
            Some(end) => {
                let mut other = Vec::new();
                self.spool.get(end.place, &mut other)?;
                if other <= text {
                    return Ok(());
                }
                end.place = self.spool.add(&text)?;
            }
            None => ends.push(Ended {
                key,
                place: self.spool.add(&text)?,
            }),
        }
        ends.sort_by_key(|end| end.key);
        held.first = ends.remove(0);
        held.others = ends;
        Ok(())
    }

    /// The record at a place.
    fn record(&self, end: &Ended, text: &mut Vec<u8>) -> io::Result<Record> {
        self.spool.get(end.place, text)?;
        Ok(serde_json::from_slice(text)?)
    }

    /// What came of each run, one record each, in the order of their names.
    ///
    /// # Errors
    /// Of a record: it cannot be read again.
    pub fn records(&self) -> impl Iterator<Item = io::Result<Record>> {
        let mut text = Vec::new();
        self.runs
            .values()
            .map(move |ends| self.record(&ends.first, &mut text))
    }

    /// The name of run `number` in that order.
    pub(crate) fn name(&self, number: usize) -> &str {
        self.runs.keys().nth(number).map_or("?", |name| name)
    }

    /// Runs that were run more than once with different ends.
    pub fn unsettled(&self) -> impl Iterator<Item = &str> {
        let runs = self.runs.iter().filter(|(_, ends)| !ends.others.is_empty());
        runs.map(|(id, _)| &**id)
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

    /// The rounds until coverage was reached, if that was asked for.
    pub fn rounds(&self) -> Option<&Rounds> {
        self.rounds.as_ref()
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
        let mut text = Vec::new();
        for end in self.runs.values().flat_map(Ends::all) {
            line(Line::Run(Box::new(self.record(end, &mut text)?)))?;
            runs += 1;
        }
        let whole = self.parts.iter().filter(|(_, held)| held.whole);
        line(Line::Trailer(Trailer {
            runs,
            whole: whole.map(|(&shard, _)| shard).collect(),
            stopped: self.stopped.iter().cloned().collect(),
            rounds: self.rounds.clone(),
        }))
    }
}

/// Reads files of results and merges them.
///
/// # Errors
/// One that cannot be read, or that does not belong to the others.
pub fn merge(paths: &[PathBuf]) -> Result<Option<Merged>, MergeError> {
    let Some((first, others)) = paths.split_first() else {
        return Ok(None);
    };
    let mut merged = Merged::read(first)?;
    for path in others {
        merged.join(path)?;
    }
    Ok(Some(merged))
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
    /// What was read has no room.
    #[error(
        "results cannot be kept in the folder for temporary files (TMPDIR): {0}; make room there"
    )]
    Spool(#[from] io::Error),
}
