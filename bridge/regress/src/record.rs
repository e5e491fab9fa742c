//! Lines of a file of results: a header, a record of each run, a trailer.

use std::collections::BTreeMap;

use lockstep_base::day::Day;
use lockstep_base::verdict::Verdict;
use serde::{Deserialize, Serialize};

use crate::rounds::Rounds;
use crate::signature::Signature;
use crate::taken::Taken;

/// Version of the lines.
pub const FORMAT: u32 = 1;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// The first one.
    Header(Header),
    /// One for each run that has ended.
    Run(Box<Record>),
    /// The last one: the file is whole.
    Trailer(Trailer),
}

/// What was to be run, of what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// The program.
    pub program: Program,
    /// Name of the suite.
    pub suite: String,
    /// Hash of what the suite says, and of the files that it names.
    pub suite_hash: String,
    /// Hash of the names of all runs that were chosen of it; with rounds, of those of the first one.
    pub plan_hash: String,
    /// How many these are.
    pub plan_runs: usize,
    /// Hash of each design that is not the bundled one, by its name.
    pub designs: BTreeMap<String, String>,
    /// Whether a field that was never compared is a failure.
    pub demand_fields: bool,
    /// Whether a rule that was never taken is one.
    pub demand_rules: bool,
    /// Parts of the suite.
    pub shards: u32,
    /// Those that the file is of: one, and of merged results several.
    pub parts: Vec<Part>,
}

/// The program that ran it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// Hash of its file, which the bundled design is in.
    pub build: String,
}

/// A shard, as a file of results has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 1.
    pub shard: u32,
    /// Runs of it.
    pub runs: usize,
    /// What was wrong with files of it, in merged results.
    pub damage: Vec<String>,
}

/// The end of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trailer {
    /// Runs in the file.
    pub runs: usize,
    /// Shards that have ended in order.
    pub whole: Vec<u32>,
    /// Why some of them did not run all of their runs, if they did not.
    pub stopped: Vec<String>,
    /// The rounds until coverage was reached, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
}

/// A run and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its name in the plan.
    pub id: String,
    /// Name of the implementation in the suite.
    pub implementation: String,
    /// Name of the design in the suite.
    pub design: String,
    /// Name of the profile or of the recording.
    pub stimulus: String,
    /// Seed, if the stimulus is generated.
    pub seed: Option<u64>,
    /// Cycles that were asked for, if it is.
    pub cycles_wanted: Option<u64>,
    /// Verdict of the run.
    pub verdict: Verdict,
    /// Its exit code.
    pub exit_code: u8,
    /// The limit that it exceeded: `wall` or `memory`. Its verdict is then that of the environment.
    pub limit: Option<Limit>,
    /// What it ended with, if that was not a summary.
    pub message: Option<String>,
    /// What it compared, if it came to that.
    pub compared: Option<Compared>,
    /// What failed, if something did.
    pub failure: Option<Failure>,
    /// The command, in the folder of the suite.
    pub command: String,
    /// How often it was started: more than once only after ends that the environment caused.
    pub attempts: u32,
    /// How long it took.
    pub time: Time,
}

/// A limit of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Time.
    Wall,
    /// Memory.
    Memory,
}

/// What a run compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compared {
    /// Cycles.
    pub cycles: u64,
    /// Hash of the stimulus of these cycles.
    pub stimulus_hash: String,
    /// Field comparisons.
    pub compared: u64,
    /// Those left out, because the architecture leaves the value UNKNOWN, or a waiver accepts whatever the RTL shows.
    pub not_compared: u64,
    /// Those with another value than before.
    pub changed: u64,
    /// Fields that were never compared.
    pub never_compared: Vec<String>,
    /// Fields that were UNKNOWN more often than not.
    pub mostly_unknown: Vec<String>,
    /// Fields that were compared and had one value.
    pub never_changed: Vec<String>,
    /// What the design does not have.
    pub absent: Vec<String>,
    /// Waivers.
    pub waivers: Vec<Waiver>,
    /// Rules, if they were counted.
    pub rules: Option<Rules>,
    /// What the run took, if that was counted and the run came to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<Taken>,
    /// Whether coverage of the RTL was counted, and the run came to its end: it is in the data of the shard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rtl_coverage: bool,
}

/// A waiver, and how often a run needed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiver {
    /// The field.
    pub field: String,
    /// Why.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day of it.
    pub expires: String,
    /// The file, as the suite names it.
    #[serde(default)]
    pub file: String,
    /// Its line in the file.
    pub line: usize,
    /// Differences that it waived.
    pub waived: u64,
}

impl Waiver {
    /// Days that it has left on `day`: 0 on its last one.
    pub fn days_left(&self, day: Day) -> Option<i64> {
        Some(day.days_to(self.expires.parse().ok()?))
    }
}

/// Rules that a run took.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// How many the implementation can take.
    pub possible: usize,
    /// Those that it never took.
    pub never_taken: Vec<String>,
}

/// What failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What failures of one kind share.
    pub signature: Signature,
    /// The cycle, if there is one.
    pub cycle: Option<u64>,
    /// The root field of a divergence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The model's value of it.
    pub expected: Option<String>,
    /// The design's.
    pub rtl: Option<String>,
    /// Mistakes that explain every cycle, the simplest first, if some do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// Why the model's value is what it is, step by step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub derivation: Vec<String>,
    /// The command that shows it again, in the folder of the suite.
    pub replay: String,
    /// The folder of its report, below that of the results, if it left one.
    pub folder: Option<String>,
    /// Divergences in other fields after it, of a run that went on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Further>,
    /// That from another initial state the design does something else, of a run that failed from zeros too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial: Option<FromInitialState>,
}

/// What a run that failed from zeros showed from another initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FromInitialState {
    /// What others of its kind share.
    pub signature: Signature,
    /// The cycle, if there is one.
    pub cycle: Option<u64>,
}

impl Failure {
    /// What was found from another initial state, as a failure of its own of a run with that command.
    pub fn from_initial_state(&self, command: &str) -> Option<Self> {
        let found = self.initial.as_ref()?;
        Some(Self {
            signature: found.signature.clone(),
            cycle: found.cycle,
            field: None,
            expected: None,
            rtl: None,
            causes: Vec::new(),
            derivation: Vec::new(),
            replay: command.into(),
            folder: self.folder.clone(),
            further: Vec::new(),
            initial: None,
        })
    }
}

/// A divergence after the first one, in another field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Further {
    /// The field.
    pub field: String,
    /// The cycle in which it shows first.
    pub cycle: u64,
    /// The model's value.
    pub expected: String,
    /// The design's.
    pub rtl: String,
    /// Stretches from a reset on that ended with one in this field, numbers of counters left out.
    pub stretches: u64,
}

/// Times of a run, in seconds, and its day. Nothing else of a record depends on where and when it ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// Of its cycles.
    pub cycles: f64,
    /// Of its process.
    pub process: f64,
    /// The day on which it was started, where waivers are judged; nothing of one that was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<Day>,
}

impl Record {
    /// Whether it is a failure of the suite. A waiver that one run does not need may be needed by another: that is judged
    /// over all of them.
    pub fn has_failed(&self) -> bool {
        !matches!(self.verdict, Verdict::Agree | Verdict::UnusedWaiver)
    }

    /// Whether the run came to an end that the environment did not cause.
    pub fn is_decided(&self) -> bool {
        !matches!(self.verdict, Verdict::Infrastructure | Verdict::Interrupted)
    }

    /// Whether its stimulus was run to the end.
    pub fn is_complete(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Agree | Verdict::UnusedWaiver | Verdict::NotRandom
        )
    }

    /// The record without its times: what is the same wherever and whenever it runs.
    pub fn timeless(&self) -> String {
        let bare = Self {
            time: Time::default(),
            attempts: 1,
            ..self.clone()
        };
        serde_json::to_string(&bare).unwrap_or_default()
    }
}

/// How bad an end is, the worst first: what the design did comes before what prevented a run, and what was asked of
/// the suite as a whole after both.
const ORDER: [Verdict; 10] = [
    Verdict::Divergence,
    Verdict::Crash,
    Verdict::Stopped,
    Verdict::Unsettled,
    Verdict::Hang,
    Verdict::NotRandom,
    Verdict::Usage,
    Verdict::Infrastructure,
    Verdict::Interrupted,
    Verdict::UnusedWaiver,
];

/// The worst of some verdicts; agreement without any.
pub fn worst(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    let place = |verdict: &Verdict| {
        let place = ORDER.iter().position(|other| other == verdict);
        place.unwrap_or(ORDER.len())
    };
    verdicts
        .into_iter()
        .min_by_key(place)
        .unwrap_or(Verdict::Agree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_decides() {
        assert_eq!(worst([]), Verdict::Agree);
        assert_eq!(
            worst([Verdict::Agree, Verdict::UnusedWaiver]),
            Verdict::UnusedWaiver
        );
        let both = [Verdict::Infrastructure, Verdict::Divergence, Verdict::Usage];
        assert_eq!(worst(both), Verdict::Divergence);
        assert_eq!(worst([Verdict::Hang, Verdict::Crash]), Verdict::Crash);
    }
}
