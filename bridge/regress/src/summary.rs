//! All results in short: what programs read, and what pages are made of.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use lockstep_base::day::Day;
use lockstep_base::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::check::{self, Coverage, Finding, Gathered, Kind};
use crate::history::{self, Entry, Seen};
use crate::merge::Merged;
use crate::plan::hash;
use crate::record::{Further, Program, Record, Waiver, worst};
use crate::rounds::Rounds;
use crate::share::Share;
use crate::shrunk::Shrunk;
use crate::signature::Signature;
use crate::since::{self, Before, Since};
use crate::totals::Totals;

/// Version of the summary.
pub const FORMAT: u32 = 1;

/// Slowest runs that are listed.
const SLOWEST: usize = 10;

/// The summary. Only `times` depends on where and when runs ran, and the days of it that `history` and failures have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`FORMAT`].
    pub format: u32,
    /// The worst of all runs and findings.
    pub verdict: Verdict,
    /// Its exit code.
    pub exit_code: u8,
    /// Name of the suite.
    pub suite: String,
    /// Hash of it.
    pub suite_hash: String,
    /// Hash of the choice of runs: names of all, with their seeds.
    #[serde(default)]
    pub plan_hash: String,
    /// The program.
    pub program: Program,
    /// Hashes of designs that are not the bundled one.
    pub designs: BTreeMap<String, String>,
    /// Numbers of runs.
    pub runs: Counts,
    /// Failures, those of one kind together, the most frequent first.
    pub groups: Vec<Group>,
    /// What is wrong with the suite as a whole, and what was never compared.
    pub findings: Vec<Finding>,
    /// What was compared.
    pub coverage: Vec<Coverage>,
    /// Parts of the suite that compared something: `implementation/design/stimulus`.
    #[serde(default)]
    pub parts: BTreeSet<String>,
    /// Waivers.
    pub waivers: Vec<Waiver>,
    /// Runs that were started more than once, because the environment ended them.
    pub retried: Vec<String>,
    /// The rounds until coverage was reached, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// What is new since an earlier summary, if one was named.
    pub since: Option<Since>,
    /// The last summaries and this one, from the oldest on.
    #[serde(default)]
    pub history: Vec<Entry>,
    /// Times.
    pub times: Times,
}

/// Numbers of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// That the suite has.
    pub planned: usize,
    /// That have ended.
    pub ended: usize,
    /// That agree.
    pub passed: usize,
    /// That do not.
    pub failed: usize,
    /// Cycles compared.
    pub cycles: u64,
    /// Fields compared.
    pub compared: u64,
    /// Fields not compared, because they are UNKNOWN.
    pub not_compared: u64,
}

/// Failures of one signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// What they share.
    pub signature: Signature,
    /// Exit code of the runs.
    pub exit_code: u8,
    /// How many.
    pub count: usize,
    /// The first of them: in the fewest cycles, then by name.
    pub first: First,
    /// Names of all.
    pub runs: Vec<String>,
    /// Since when they are there.
    #[serde(default)]
    pub since: Option<Seen>,
}

/// The first failure of a signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct First {
    /// Name of the run.
    pub id: String,
    /// Seed, if its stimulus was generated.
    pub seed: Option<u64>,
    /// The cycle, if there is one.
    pub cycle: Option<u64>,
    /// The root field of a divergence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The model's value of it.
    pub expected: Option<String>,
    /// The design's.
    pub rtl: Option<String>,
    /// What the run ended with, if that was not a summary.
    pub message: Option<String>,
    /// Mistakes that explain every cycle, if some do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// Why the model's value is what it is, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derivation: Vec<String>,
    /// The command that shows it again, in the folder of the suite.
    pub replay: String,
    /// The folder of its report, below that of the results.
    pub folder: Option<String>,
    /// Divergences in other fields after it, of a run that went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Further>,
    /// Whether the run has another failure, whose kind has its capsule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_second: bool,
    /// Its capsule, from the folder of the summary.
    #[serde(default)]
    pub capsule: Option<String>,
    /// Its report as a page, from there; with the capsule, if the run left one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The command that shows it again from there; what it says of the design is for the folder of the suite.
    #[serde(default)]
    pub again: Option<String>,
    /// What `lockstep shrink` left of its stimulus, if that was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrunk: Option<Shrunk>,
}

/// Times of all runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Seconds of all cycles.
    pub cycles: f64,
    /// Seconds of all processes.
    pub processes: f64,
    /// The slowest runs.
    pub slowest: Vec<Slow>,
    /// The day of the first run.
    #[serde(default)]
    pub day: Option<Day>,
}

/// A slow run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slow {
    /// Its name.
    pub id: String,
    /// Seconds of its process.
    pub seconds: f64,
    /// Cycles that it ran in a second.
    pub cycles_per_second: f64,
}

impl Summary {
    /// The summary of merged results.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn of(merged: &Merged) -> io::Result<Self> {
        Self::and_totals(merged).map(|(summary, _)| summary)
    }

    /// The same, and what runs have taken together.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn and_totals(merged: &Merged) -> io::Result<(Self, Totals)> {
        let mut runs = Runs::default();
        for (number, record) in merged.records().enumerate() {
            runs.add(number, record?);
        }
        let coverage = runs.gathered.coverage();
        let waivers = runs.gathered.waivers();
        let day = runs.times.day;
        let findings = check::findings(merged, &runs.gathered, &coverage, &waivers, day);
        let faults = findings.iter().map(|finding| finding.verdict);
        let verdict = worst(faults.chain([runs.verdict]));
        let header = &merged.header;
        let mut summary = Self {
            format: FORMAT,
            verdict,
            exit_code: verdict.exit_code(),
            suite: header.suite.clone(),
            suite_hash: header.suite_hash.clone(),
            plan_hash: header.plan_hash.clone(),
            program: header.program.clone(),
            designs: header.designs.clone(),
            runs: Counts {
                planned: header.plan_runs,
                ..runs.counts
            },
            groups: groups(runs.kinds, day),
            findings,
            coverage,
            parts: runs.parts,
            waivers,
            retried: runs.retried,
            rounds: merged.rounds().cloned(),
            since: None,
            history: Vec::new(),
            times: runs.times,
        };
        summary.history = vec![summary.entry()];
        Ok((summary, runs.gathered.into_totals()))
    }

    /// Names of all runs that have failed.
    pub fn failed(&self) -> BTreeSet<&str> {
        let names = self.groups.iter().flat_map(|group| &group.runs);
        names.map(String::as_str).collect()
    }

    /// Kinds of its failures.
    fn signatures(&self) -> BTreeSet<Signature> {
        let groups = self.groups.iter();
        groups.map(|group| group.signature.clone()).collect()
    }

    /// It in some numbers.
    fn entry(&self) -> Entry {
        let day = self.times.day;
        let what = (
            &self.program.build,
            &self.suite_hash,
            &self.plan_hash,
            &self.designs,
            day,
        );
        let counted = self.coverage.iter().filter_map(|coverage| {
            let of = coverage.rules?;
            let hit = of.saturating_sub(coverage.never_taken.len());
            Some(Share { hit, of })
        });
        Entry {
            id: hash(&serde_json::to_vec(&what).unwrap_or_default()),
            day,
            runs: self.runs.ended,
            failed: self.runs.failed,
            kinds: self.groups.len(),
            cycles: self.runs.cycles,
            rules: counted.reduce(|one, other| Share {
                hit: one.hit + other.hit,
                of: one.of + other.of,
            }),
        }
    }

    /// Puts it behind `last`: what has changed since then, the history that it has, and since when failures are there.
    pub fn follow(&mut self, last: &Self) {
        let own = self.entry();
        let before = match last.history.is_empty() {
            true => vec![last.entry()],
            false => last.history.clone(),
        };
        let again = history::is_again(&before, &own);
        self.history = history::after(before, own);
        let seen = |group: &Group| group.since.unwrap_or(Seen::first(last.times.day));
        let kind = |group: &Group| Before {
            since: seen(group),
            parts: group.runs.iter().map(|run| since::part(run)).collect(),
        };
        let groups = last.groups.iter();
        let mut before: BTreeMap<_, _> = groups
            .map(|group| (group.signature.clone(), kind(group)))
            .collect();
        // What did not run last time either may be there all the same.
        let not_run = last.since.iter().flat_map(|since| &since.not_run);
        before.extend(not_run.map(|left| {
            let since = left.since;
            let parts = left.parts.clone();
            (left.signature.clone(), Before { since, parts })
        }));
        self.since = Some(Since::of(
            &before,
            &self.signatures(),
            &self.parts,
            last.suite_hash == self.suite_hash,
        ));
        for group in &mut self.groups {
            if let Some(before) = before.get(&group.signature) {
                group.since = Some(before.since.next(again));
            }
        }
    }

    /// Findings that fail the suite.
    pub fn faults(&self) -> impl Iterator<Item = &Finding> {
        let fails = |finding: &&Finding| finding.verdict != Verdict::Agree;
        self.findings.iter().filter(fails)
    }

    /// Waivers that expire soon.
    pub fn expiring(&self) -> impl Iterator<Item = &Finding> {
        let expires = |finding: &&Finding| finding.kind == Kind::WaiverExpires;
        self.findings.iter().filter(expires)
    }
}

/// What a summary takes of runs, one after the other.
#[derive(Debug)]
struct Runs {
    /// The worst of all.
    verdict: Verdict,
    counts: Counts,
    kinds: BTreeMap<Signature, OfKind>,
    gathered: Gathered,
    parts: BTreeSet<String>,
    retried: Vec<String>,
    times: Times,
}

/// Failures of a kind.
#[derive(Debug)]
struct OfKind {
    /// The one in the fewest cycles, and the first by its name of these, of runs without another failure, if there are some.
    first: Record,
    /// Whether that run has another one, and its cycle.
    place: (bool, u64),
    runs: Vec<String>,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            verdict: Verdict::Agree,
            counts: Counts::default(),
            kinds: BTreeMap::new(),
            gathered: Gathered::default(),
            parts: BTreeSet::new(),
            retried: Vec::new(),
            times: Times::default(),
        }
    }
}

impl Runs {
    /// Adds run `number`, in the order of names.
    fn add(&mut self, number: usize, record: Record) {
        let judged = match record.verdict {
            // Judged over all runs.
            Verdict::UnusedWaiver => Verdict::Agree,
            verdict => verdict,
        };
        self.verdict = worst([self.verdict, judged]);
        self.counts.ended += 1;
        match record.has_failed() {
            true => self.counts.failed += 1,
            false => self.counts.passed += 1,
        }
        if let Some(compared) = &record.compared {
            self.counts.cycles += compared.cycles;
            self.counts.compared += compared.compared;
            self.counts.not_compared += compared.not_compared;
            if compared.compared > 0 {
                self.parts.insert(since::part(&record.id));
            }
        }
        self.gathered.add(number, &record);
        if record.attempts > 1 {
            self.retried.push(record.id.clone());
        }
        self.times.add(&record);
        self.fail(record);
    }

    /// Adds what failed to its kinds.
    fn fail(&mut self, record: Record) {
        let failure = record.failure.as_ref();
        let initial = failure.and_then(|failure| failure.from_initial_state(&record.command));
        if initial.is_some() {
            let failure = initial;
            self.enter(
                Record {
                    failure,
                    ..record.clone()
                },
                true,
            );
        }
        self.enter(record, false);
    }

    /// Adds a failure to those of its kind; `is_second`: the run has another one.
    fn enter(&mut self, record: Record, is_second: bool) {
        let Some(failure) = &record.failure else {
            return;
        };
        let place = (is_second, failure.cycle.unwrap_or(u64::MAX));
        match self.kinds.get_mut(&failure.signature) {
            Some(held) => {
                held.runs.push(record.id.clone());
                if place < held.place {
                    held.first = record;
                    held.place = place;
                }
            }
            None => {
                let runs = vec![record.id.clone()];
                let signature = failure.signature.clone();
                let first = record;
                self.kinds.insert(signature, OfKind { first, place, runs });
            }
        }
    }
}

/// Failures by kind, the most frequent first.
fn groups(kinds: BTreeMap<Signature, OfKind>, day: Option<Day>) -> Vec<Group> {
    let group = |(signature, of_kind): (Signature, OfKind)| {
        let OfKind { first, place, runs } = of_kind;
        let failure = first.failure?;
        Some(Group {
            signature,
            exit_code: first.exit_code,
            count: runs.len(),
            first: First {
                id: first.id,
                seed: first.seed,
                cycle: failure.cycle,
                field: failure.field,
                expected: failure.expected,
                rtl: failure.rtl,
                message: first.message,
                causes: failure.causes,
                derivation: failure.derivation,
                replay: failure.replay,
                folder: failure.folder,
                further: failure.further,
                is_second: place.0,
                capsule: None,
                page: None,
                again: None,
                shrunk: None,
            },
            runs,
            since: Some(Seen::first(day)),
        })
    };
    let mut groups: Vec<_> = kinds.into_iter().filter_map(group).collect();
    groups.sort_by(|one, other| {
        other
            .count
            .cmp(&one.count)
            .then(one.signature.cmp(&other.signature))
    });
    groups
}

impl Times {
    /// Adds those of a run, in the order of names.
    fn add(&mut self, record: &Record) {
        let time = &record.time;
        self.cycles += time.cycles;
        self.processes += time.process;
        self.day = self.day.into_iter().chain(time.day).min();
        let slower = |slow: &Slow| slow.seconds.total_cmp(&time.process).is_ge();
        let place = self.slowest.partition_point(slower);
        if place < SLOWEST {
            let cycles = record.compared.as_ref();
            let cycles = cycles.map_or(0, |compared| compared.cycles);
            let slow = Slow {
                id: record.id.clone(),
                seconds: time.process,
                cycles_per_second: cycles as f64 / time.cycles.max(f64::MIN_POSITIVE),
            };
            self.slowest.insert(place, slow);
            self.slowest.truncate(SLOWEST);
        }
    }
}
