//! What a merge finds beside the verdicts of runs: whether seeds make a difference, what was never compared or taken, and
//! waivers that nothing needed.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_base::counted::counted;
use lockstep_base::day::Day;
use lockstep_base::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::merge::Merged;
use crate::record::{Compared, Record, Waiver};
use crate::rtl_coverage::Tally;
use crate::stimulus::Stimuli;
use crate::totals::Totals;

/// Something that is wrong with the suite as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// What it is a case of.
    pub kind: Kind,
    /// The verdict that it makes of the suite; agreement if it is told and fails nothing.
    pub verdict: Verdict,
    /// In words.
    pub text: String,
}

/// Kinds of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A shard is missing or not whole.
    Shard,
    /// Runs have no result.
    NotRun,
    /// A run came to two ends.
    NotReproduced,
    /// Runs of different seeds had the same stimulus.
    SeedIgnored,
    /// Runs of the same inputs had different stimulus.
    StimulusDiffers,
    /// A run compared nothing, or less cycles than it was asked for.
    NotCompared,
    /// A field was never compared, or with one value alone.
    Field,
    /// A rule was never taken.
    Rule,
    /// A waiver that no run needed.
    Waiver,
    /// A waiver that expires soon.
    WaiverExpires,
    /// A kind of failures has no capsule, or one without all that it should have.
    Capsule,
}

/// What was compared of one implementation with one design, over all runs that had an end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Name of the implementation.
    pub implementation: String,
    /// Name of the design.
    pub design: String,
    /// Runs.
    pub runs: usize,
    /// Cycles of them.
    pub cycles: u64,
    /// Field comparisons.
    pub compared: u64,
    /// Those left out as UNKNOWN.
    pub not_compared: u64,
    /// Fields that no run compared.
    pub never_compared: BTreeSet<String>,
    /// Fields that every run compared with one value alone, or not at all.
    pub never_changed: BTreeSet<String>,
    /// Fields that were UNKNOWN in most comparisons of every run.
    pub mostly_unknown: BTreeSet<String>,
    /// What the design does not have.
    pub absent: BTreeSet<String>,
    /// Rules that a cycle can take, where they were counted.
    pub rules: Option<usize>,
    /// Those of them that no run took.
    pub never_taken: BTreeSet<String>,
    /// Points of crosses that can be reached, where they were counted.
    #[serde(default)]
    pub points: Option<usize>,
    /// Those of them that no run hit.
    #[serde(default)]
    pub never_hit: usize,
    /// What was covered of the RTL, where that was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtl: Option<RtlCovered>,
}

/// What runs have covered of RTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RtlCovered {
    /// Runs that counted.
    pub runs: usize,
    /// Shares of what can be covered.
    #[serde(flatten)]
    pub tally: Tally,
}

/// What runs tell one after the other, beside their verdicts.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    coverage: BTreeMap<(String, String), Coverage>,
    totals: Totals,
    /// By file, line, field and reason.
    waivers: BTreeMap<(String, usize, String, String), Waiver>,
    stimuli: Stimuli,
    /// Runs that agree and compared too little, in words.
    too_little: Vec<String>,
}

impl Gathered {
    /// Adds run `number`.
    pub(crate) fn add(&mut self, number: usize, record: &Record) {
        self.totals.add(record);
        self.stimuli.add(number, record);
        let text = record.is_complete().then(|| too_little(record)).flatten();
        self.too_little.extend(text);
        let Some(compared) = &record.compared else {
            return;
        };
        self.compare(record, compared);
        for waiver in &compared.waivers {
            let key = (
                waiver.file.clone(),
                waiver.line,
                waiver.field.clone(),
                waiver.reason.clone(),
            );
            let entry = self.waivers.entry(key).or_insert_with(|| Waiver {
                waived: 0,
                ..waiver.clone()
            });
            entry.waived += waiver.waived;
        }
    }

    /// Adds what a run compared.
    fn compare(&mut self, record: &Record, compared: &Compared) {
        let key = (record.implementation.clone(), record.design.clone());
        let set = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        let entry = self.coverage.entry(key).or_insert_with(|| Coverage {
            implementation: record.implementation.clone(),
            design: record.design.clone(),
            runs: 0,
            cycles: 0,
            compared: 0,
            not_compared: 0,
            never_compared: set(&compared.never_compared),
            never_changed: &set(&compared.never_changed) | &set(&compared.never_compared),
            mostly_unknown: &set(&compared.mostly_unknown) | &set(&compared.never_compared),
            absent: set(&compared.absent),
            rules: None,
            never_taken: BTreeSet::new(),
            points: None,
            never_hit: 0,
            rtl: None,
        });
        if compared.rtl_coverage {
            entry.rtl.get_or_insert_default().runs += 1;
        }
        entry.runs += 1;
        entry.cycles += compared.cycles;
        entry.compared += compared.compared;
        entry.not_compared += compared.not_compared;
        keep(&mut entry.never_compared, &[&compared.never_compared]);
        keep(
            &mut entry.never_changed,
            &[&compared.never_changed, &compared.never_compared],
        );
        keep(
            &mut entry.mostly_unknown,
            &[&compared.mostly_unknown, &compared.never_compared],
        );
        // What follows a divergence is not compared.
        let rules = compared.rules.as_ref();
        if let Some(rules) = rules.filter(|_| record.is_complete()) {
            match entry.rules {
                Some(_) => keep(&mut entry.never_taken, &[&rules.never_taken]),
                None => entry.never_taken = set(&rules.never_taken),
            }
            entry.rules = Some(rules.possible);
        }
    }

    /// What was compared, by implementation and design.
    pub(crate) fn coverage(&self) -> Vec<Coverage> {
        let mut all = self.coverage.clone();
        for total in self.totals.all() {
            let key = (total.implementation.clone(), total.design.clone());
            if let Some(entry) = all.get_mut(&key) {
                *entry.points.get_or_insert(0) += total.points();
                entry.never_hit += total.points() - total.points_hit();
            }
        }
        let mut all: Vec<_> = all.into_values().collect();
        for coverage in &mut all {
            coverage.never_changed = &coverage.never_changed - &coverage.never_compared;
            coverage.mostly_unknown = &coverage.mostly_unknown - &coverage.never_compared;
        }
        all
    }

    /// What runs have taken together.
    pub(crate) fn into_totals(self) -> Totals {
        self.totals
    }

    /// Waivers of all runs, with what they waived in all.
    pub(crate) fn waivers(&self) -> Vec<Waiver> {
        self.waivers.values().cloned().collect()
    }
}

/// Keeps the names that one of some lists has.
fn keep(held: &mut BTreeSet<String>, lists: &[&[String]]) {
    if held.is_empty() {
        return;
    }
    let names: BTreeSet<_> = lists.iter().copied().flatten().collect();
    held.retain(|name| names.contains(name));
}

/// Days before its last one from which on a waiver is told to expire.
pub const SOON: i64 = 14;

/// How long a waiver has left on `day`, in words, if that is soon.
pub fn soon(waiver: &Waiver, day: Option<Day>) -> Option<String> {
    match waiver.days_left(day?)? {
        0 => Some("with this day".into()),
        left @ 1..=SOON => Some(format!("in {}", counted(left.unsigned_abs(), "day"))),
        _ => None,
    }
}

/// All findings, the failures first. `day` is that of the runs.
pub(crate) fn findings(
    merged: &Merged,
    gathered: &Gathered,
    coverage: &[Coverage],
    waivers: &[Waiver],
    day: Option<Day>,
) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut add = |kind, verdict, text: String| {
        all.push(Finding {
            kind,
            verdict,
            text,
        });
    };
    let lost = Verdict::Infrastructure;
    let shards = merged.header.shards;
    for (shard, why) in merged.lacking() {
        add(
            Kind::Shard,
            lost,
            format!("shard {shard} of {shards} is {why}"),
        );
    }
    let (done, planned) = (merged.len(), merged.header.plan_runs);
    if done < planned {
        let stopped: Vec<_> = merged.stopped().collect();
        let why = match stopped.is_empty() {
            true => String::new(),
            false => format!(" ({})", stopped.join("; ")),
        };
        add(
            Kind::NotRun,
            lost,
            format!("{} of {planned} runs have no result{why}", planned - done),
        );
    }
    if done > planned {
        add(
            Kind::NotRun,
            lost,
            format!("{done} runs have results, and {planned} were to run"),
        );
    }
    for id in merged.unsettled() {
        add(
            Kind::NotReproduced,
            Verdict::Divergence,
            format!("{id} was run more than once, and did not come to the same end each time"),
        );
    }
    for (kind, texts) in [
        (Kind::SeedIgnored, gathered.stimuli.ignored(merged)),
        (Kind::StimulusDiffers, gathered.stimuli.different(merged)),
        (Kind::NotCompared, gathered.too_little.clone()),
    ] {
        for text in texts {
            add(kind, Verdict::Divergence, text);
        }
    }
    let fails = |demanded| {
        if demanded {
            Verdict::Divergence
        } else {
            Verdict::Agree
        }
    };
    let fields = fails(merged.header.demand_fields);
    let rules = fails(merged.header.demand_rules);
    for entry in coverage {
        let of = format!("{}/{}", entry.implementation, entry.design);
        for (names, what) in [
            (&entry.never_compared, "never compared"),
            (&entry.never_changed, "compared with one value alone"),
            (&entry.mostly_unknown, "UNKNOWN in most comparisons"),
        ] {
            if !names.is_empty() {
                add(
                    Kind::Field,
                    fields,
                    format!("{of}: {what}: {}", listed(names)),
                );
            }
        }
        if !entry.never_taken.is_empty() {
            add(
                Kind::Rule,
                rules,
                format!("{of}: rules never taken: {}", listed(&entry.never_taken)),
            );
        }
        if entry.rules.is_none() && merged.header.demand_rules {
            add(
                Kind::Rule,
                rules,
                format!(
                    "{of}: rules were not counted: expected a group with `coverage = true`, and a run that comes to its end"
                ),
            );
        }
    }
    for waiver in waivers.iter().filter(|waiver| waiver.waived == 0) {
        add(
            Kind::Waiver,
            Verdict::UnusedWaiver,
            format!(
                "the waiver of line {} was not needed by any run: {}: {} ({}, until {})",
                waiver.line, waiver.field, waiver.reason, waiver.owner, waiver.expires
            ),
        );
    }
    for waiver in waivers {
        if let Some(soon) = soon(waiver, day) {
            add(
                Kind::WaiverExpires,
                Verdict::Agree,
                format!(
                    "the waiver of line {} expires {soon}, on {}: {}: {} ({})",
                    waiver.line, waiver.expires, waiver.field, waiver.reason, waiver.owner
                ),
            );
        }
    }
    all.sort_by_key(|finding| (finding.verdict == Verdict::Agree, finding.kind));
    all
}

/// Names shown of a list.
const SHOWN: usize = 8;

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<_> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A run that agrees, and has compared nothing or not all of it.
fn too_little(record: &Record) -> Option<String> {
    let id = &record.id;
    let Some(compared) = &record.compared else {
        return Some(format!("{id} agrees, and does not say what it compared"));
    };
    match record.cycles_wanted {
        _ if compared.compared == 0 => Some(format!("{id} agrees, and compared nothing")),
        Some(wanted) if compared.cycles != wanted => Some(format!(
            "{id} agrees, and ran {} of {wanted} cycles",
            compared.cycles
        )),
        _ => None,
    }
}
