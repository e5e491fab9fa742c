//! Reports of a divergence: one content, for people and for programs.

mod cells;
pub mod further;
pub mod html;
pub mod plan;
pub mod recipe;
mod shortest;
pub mod terminal;
pub mod window;

use std::path::PathBuf;

use pmu_model::Implementation;
use serde::Serialize;

use lockstep_engine::dut::CYCLE_NS;
pub use lockstep_engine::lockstep::Further;
use lockstep_engine::lockstep::compare::{Compared, Divergence};
use lockstep_engine::lockstep::ledger::{FieldTally, Ledger};
pub use lockstep_engine::lockstep::waivers::WaiverTally;
use lockstep_explain::diagnosis::causes::causes;
use lockstep_explain::diagnosis::explain::{Explanation, explain};
use lockstep_explain::diagnosis::internals::Internals;
use lockstep_explain::diagnosis::replay::Replay;
use lockstep_explain::hypotheses::{self, Findings};
use lockstep_explain::location::{self, Mended, Suspect};
use window::Waves;

pub use cells::{Cells, Row};
pub use lockstep_base::counted::{counted, grouped, left_out};
pub use shortest::Shortest;

/// Version of the JSON form.
pub const FORMAT: u32 = 1;

/// What a run was made of.
#[derive(Clone, Debug, Serialize)]
pub struct RunFacts {
    /// Seed of the stimulus, if it was generated.
    pub seed: Option<u64>,
    /// What the stimulus is.
    pub stimulus: String,
    /// Name of the implementation.
    pub implementation: String,
    /// What the RTL is.
    pub rtl: String,
    /// The command that shows the divergence again.
    pub replay: String,
}

/// The first line.
#[derive(Clone, Debug, Serialize)]
pub struct Headline {
    /// Register or signal.
    pub field: String,
    /// Bits of the wrapper's port that carry it.
    pub signal: String,
    /// The model's value.
    pub expected: String,
    /// The design's value.
    pub rtl: String,
}

/// A field that differs.
#[derive(Clone, Debug, Serialize)]
pub struct FieldRow {
    /// Register or signal.
    pub field: String,
    /// The model's value.
    pub expected: String,
    /// The design's value.
    pub rtl: String,
    /// The bits that differ.
    pub xor: String,
    /// The field that this difference is a consequence of.
    pub follows_from: Option<String>,
}

/// What the run compared until then.
#[derive(Clone, Debug, Serialize)]
pub struct Coverage {
    /// Cycles.
    pub cycles: u64,
    /// Field comparisons.
    #[serde(flatten)]
    pub compared: Compared,
    /// Fields that were compared and never changed.
    pub never_changed: Vec<String>,
    /// Registers that were never read.
    pub never_read: Vec<String>,
    /// What the design does not have, in words: nothing of it was compared.
    pub absent: Vec<&'static str>,
    /// Waivers, and how often each was needed.
    pub waivers: Vec<WaiverTally>,
    /// The ledger.
    pub fields: Vec<FieldTally>,
}

impl Coverage {
    /// What `ledger` has of a run of so many cycles.
    pub fn of(ledger: &Ledger, cycles: u64) -> Self {
        let fields = ledger.fields();
        Self {
            cycles,
            compared: ledger.total(),
            never_changed: ledger.never_changed(&fields),
            never_read: ledger.never_read(),
            absent: ledger.absent().to_vec(),
            waivers: ledger.waivers().tallies(),
            fields,
        }
    }
}

/// A place of the RTL that a divergence may come from.
#[derive(Clone, Debug, Serialize)]
pub struct Location {
    /// The file.
    pub file: String,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub last_line: u32,
    /// The signal that is set there, from the top module on.
    pub signal: String,
    /// A small change there that makes all cycles right that were looked at, in words.
    pub repair: Option<String>,
    /// What is known of that change on other stimulus, all of which is right with it.
    pub tried: Option<Tried>,
    /// Whether that is enough to call what it changes the cause.
    pub is_cause: bool,
}

/// Other stimulus on which a change of the RTL makes all right.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Tried {
    /// How much there was.
    pub cycles: usize,
    /// Runs of it, each from a reset on, that diverge without the change.
    pub telling: usize,
}

impl From<Suspect> for Location {
    fn from(suspect: Suspect) -> Self {
        let Suspect {
            place,
            signal,
            repair,
        } = suspect;
        let tried = repair.as_ref().and_then(|repair| match repair.tried {
            location::Tried::Right { cycles, telling } => Some(Tried { cycles, telling }),
            _ => None,
        });
        Self {
            file: place.file,
            line: place.first,
            last_line: place.last,
            signal,
            tried,
            is_cause: repair.as_ref().is_some_and(Mended::is_cause),
            repair: repair.map(|repair| repair.text),
        }
    }
}

impl Location {
    /// File and lines.
    pub fn place(&self) -> String {
        match self.line == self.last_line {
            true => format!("{}:{}", self.file, self.line),
            false => format!("{}:{}-{}", self.file, self.line, self.last_line),
        }
    }

    /// What is set there, and what would be right.
    pub fn words(&self) -> String {
        // The top module is the same for all.
        let signal = self
            .signal
            .split_once('.')
            .map_or(&*self.signal, |(_, rest)| rest);
        let Some(repair) = &self.repair else {
            return format!("sets {signal}");
        };
        let tried = match self.tried {
            Some(Tried {
                cycles,
                telling: telling @ 1..,
            }) => format!(
                ", and {} of other stimulus, where {} without",
                counted(cycles as u64, "cycle"),
                match telling {
                    1 => "1 run diverges".to_owned(),
                    runs => format!("{runs} runs diverge"),
                }
            ),
            _ => String::new(),
        };
        format!("sets {signal}; all cycles would be right with {repair}{tried}")
    }
}

/// Places that are shown to people.
pub const PLACES: usize = 3;

/// A file that belongs to the report.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// What it is.
    pub what: String,
    /// Its path.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub path: PathBuf,
}

/// How the stimulus of a divergence is shrunk.
#[derive(Clone, Debug, Serialize)]
pub struct Shrink {
    /// The command.
    pub command: String,
    /// The cycle of the run that is cycle 0 of its stimulus.
    pub first: u64,
}

impl Shrink {
    /// How cycles are numbered there, if not as in the run.
    pub fn numbering(&self) -> Option<String> {
        let first = self.first;
        (first != 0).then(|| format!("its cycle 0 is cycle {first} of this run"))
    }
}

/// The report of a first divergence.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// See [`FORMAT`].
    pub format: u32,
    /// The first line.
    pub headline: Headline,
    /// Number of the cycle in which the difference shows.
    pub cycle: u64,
    /// Number of the cycle that it belongs to.
    pub about: u64,
    /// Time of the rising edge of that cycle in the waveform.
    pub time_ns: u64,
    /// The same as a dump of another simulator has it, and the number of the edge there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_dump: Option<String>,
    /// The run.
    pub run: RunFacts,
    /// Every field that differs in the cycle.
    pub fields: Vec<FieldRow>,
    /// Why the value was expected.
    pub explanation: Explanation,
    /// What would explain the RTL.
    pub hypotheses: Findings,
    /// Where in the RTL it may come from, the most suspicious place first. None if that was not looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<Location>>,
    /// What came after it, if the run went on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<Further>,
    /// The last cycles.
    pub cycles: Cells,
    /// What was compared.
    pub coverage: Coverage,
    /// Whether the re-run was the same.
    pub reproduction: String,
    /// Whether it came to this divergence.
    pub reproduced: bool,
    /// The shortest stimulus that fails in the same field, if it was looked for and found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shortest: Option<Shortest>,
    /// How its stimulus is shrunk, if that was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shrink: Option<Shrink>,
    /// Remarks: a waveform that could not be had, for instance.
    pub notes: Vec<String>,
    /// Files.
    pub files: Vec<File>,
    /// The window as signals: JSON has the table of the last cycles, and the dump.
    #[serde(skip)]
    pub waves: Waves,
}

impl Report {
    /// When the divergent cycle begins.
    pub fn time(&self) -> String {
        let time = || format!("{} ns", self.time_ns);
        self.in_dump.clone().unwrap_or_else(time)
    }

    /// The cause in a few words: a hypothesis, or else a change of the RTL that makes other stimulus right, too.
    pub fn cause(&self) -> String {
        let brief = self.hypotheses.brief();
        if !self.hypotheses.explaining.is_empty() {
            return brief;
        }
        let located = self.locations.iter().flatten();
        let mut causes = located.filter(|location| location.is_cause);
        let Some((first, repair)) = causes
            .next()
            .and_then(|first| Some((first, first.repair.as_ref()?)))
        else {
            return brief;
        };
        let which = match causes.count() {
            0 => "",
            1 => "one of two places, such as ",
            _ => "one of several places, such as ",
        };
        format!("{which}{}, which is right with {repair}", first.place())
    }
}

/// Makes the report of `divergence`.
pub fn report(
    divergence: &Divergence,
    replay: &Replay,
    implementation: &Implementation,
    ledger: &Ledger,
    run: RunFacts,
    files: Vec<File>,
) -> Report {
    let window = files.iter().find(|file| file.what == WINDOW);
    let window = window.map(|file| file.path.clone());
    let internals = |n| match (&replay.window.vcd, &window) {
        (Ok(()), Some(path)) => Internals::read(path, implementation, n)
            .map_err(|error| format!("{}: {error}", path.display())),
        _ => Ok(Internals::default()),
    };
    report_with(
        divergence,
        replay,
        implementation,
        ledger,
        run,
        files,
        internals,
    )
}

/// The same, with values inside the design from elsewhere: `internals` is asked for those of one counter.
pub fn report_with(
    divergence: &Divergence,
    replay: &Replay,
    implementation: &Implementation,
    ledger: &Ledger,
    run: RunFacts,
    files: Vec<File>,
    internals_of: impl FnOnce(u8) -> Result<Internals, String>,
) -> Report {
    let window = &replay.window;
    let about = divergence.about;
    let caused = causes(
        &divergence.differences,
        window.at(about),
        &window.model,
        &divergence.rtl,
    );
    let root = caused
        .iter()
        .find(|caused| caused.cause.is_none())
        .or(caused.first())
        .copied()
        .expect("a divergence has a difference");
    let name = |field: lockstep_engine::lockstep::compare::Field| field.name(&divergence.input);
    let difference = root.difference;
    let field = difference.field;
    let mut notes = Vec::new();
    let mut internals = Internals::default();
    let counter = cells::counter_of(field, window.at(about));
    if let Some(n) = counter {
        match internals_of(n) {
            Ok(read) => internals = read,
            Err(why) => notes.push(why),
        }
    }
    if let Err(why) = &window.vcd {
        notes.push(why.clone());
    }
    Report {
        format: FORMAT,
        headline: Headline {
            field: name(field),
            signal: field.signal(),
            expected: field.text(difference.expected),
            rtl: field.text(difference.rtl),
        },
        cycle: divergence.cycle,
        about,
        time_ns: CYCLE_NS * divergence.cycle,
        in_dump: None,
        run,
        fields: caused
            .iter()
            .map(|caused| FieldRow {
                field: name(caused.difference.field),
                expected: caused.difference.field.text(caused.difference.expected),
                rtl: caused.difference.field.text(caused.difference.rtl),
                xor: format!(
                    "{:#x}",
                    (caused.difference.expected ^ caused.difference.rtl)
                        & caused.difference.compared
                ),
                follows_from: caused.cause.map(name),
            })
            .collect(),
        explanation: explain(&difference, replay, about),
        hypotheses: match replay.recording.inputs.is_empty() {
            true => {
                Findings::untested("the cycles from a reset to this divergence are not recorded")
            }
            false => hypotheses::test(&replay.recording, implementation),
        },
        locations: None,
        further: None,
        cycles: cells::cells(field, window, divergence, &internals),
        coverage: Coverage::of(ledger, divergence.cycle + 1),
        reproduction: replay.reproduction.sentence(),
        reproduced: replay.reproduction.is_reached(),
        shortest: None,
        shrink: None,
        notes,
        files,
        waves: window::collect(
            window,
            divergence,
            &caused,
            counter,
            implementation.pmu.counters,
            &internals,
        ),
    }
}

/// What [`File::what`] says of the HTML report.
pub const PAGE: &str = "page";
/// What [`File::what`] says of the waveform.
pub const WINDOW: &str = "waveform";
