//! Bad ends of a run: what is told of a hang, a crash and a stop, and the report that they leave.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::output_folder::OutputFolder;
use super::{Failure, output, report_files};
use crate::dut::printed::{self, Printed};
use crate::dut::{CYCLE_NS, Stop, StopKind};
use crate::isolation::{Death, Facts, facts};
use crate::lockstep::Verdict;
use crate::report::{FORMAT, RunFacts};

/// A run that ended badly, for programs: `report.json`.
#[derive(Debug, Serialize)]
pub struct End {
    /// See [`FORMAT`].
    format: u32,
    /// The verdict: hang, stopped, crash or unsettled.
    verdict: Verdict,
    /// The exit code of the command.
    exit_code: u8,
    /// The end in words.
    message: String,
    /// The cycle that was not completed, if cycles were run.
    cycle: Option<u64>,
    /// Time of its rising edge.
    time_ns: Option<u64>,
    /// Kind of a stop.
    kind: Option<StopKind>,
    /// The signal of a crash.
    signal: Option<String>,
    /// The design's source file, if it is known.
    file: Option<String>,
    /// Line in it.
    line: Option<u32>,
    /// The run, if it had begun.
    run: Option<RunFacts>,
    /// What the process that crashed wrote to standard error last, where that is not a terminal.
    stderr: Option<String>,
    /// What the design printed.
    printed: Option<Printed>,
    /// The last lines of it.
    last_lines: Vec<String>,
    /// Where this is written to.
    report: Option<PathBuf>,
}

/// Lines of what the design printed that a report has.
const LAST_LINES: usize = 20;
/// Those of them that the terminal has.
const SHOWN_LINES: usize = 5;

impl End {
    fn new(verdict: Verdict, message: String, cycle: Option<u64>, facts: &Facts) -> Self {
        let run = facts.replay.as_ref().map(|replay| RunFacts {
            seed: facts.seed,
            stimulus: facts.stimulus.clone(),
            implementation: facts.implementation.clone(),
            rtl: facts.rtl.clone(),
            replay: replay.command(cycle.map_or(1, |cycle| cycle + 1)),
        });
        Self {
            format: FORMAT,
            verdict,
            exit_code: verdict.exit_code(),
            message,
            cycle,
            time_ns: cycle.map(|cycle| CYCLE_NS * cycle),
            kind: None,
            signal: None,
            file: None,
            line: None,
            run,
            stderr: None,
            printed: None,
            last_lines: Vec::new(),
            report: None,
        }
    }

    /// Adds what the design printed.
    #[must_use]
    pub fn with_printed(self, printed: Option<Printed>) -> Self {
        let lines = printed
            .as_ref()
            .map(|printed| printed.last_lines(LAST_LINES));
        Self {
            last_lines: lines.unwrap_or_default(),
            printed,
            ..self
        }
    }

    /// The user did not want to wait for a design that completes no cycle after `cycles` of them.
    pub fn interrupted_hang(cycles: u64) -> Self {
        let message = format!(
            "interrupted while the design does not come back from cycle {cycles}: nothing was compared after it"
        );
        Self::new(Verdict::Interrupted, message, Some(cycles), &facts())
    }

    /// The design completed no cycle after `cycles` of them (DUT-41).
    pub fn hang(message: String, cycles: Option<u64>) -> Self {
        Self::new(Verdict::Hang, message, cycles, &facts())
    }

    /// The design stopped in `cycle` (DUT-40, DUT-43).
    pub fn stop(stop: &Stop, cycle: u64) -> Self {
        let file = (!stop.file.is_empty()).then(|| stop.file.clone());
        Self {
            kind: Some(stop.kind),
            line: file.is_some().then_some(stop.line),
            file,
            ..Self::new(stop.verdict(), stop.to_string(), Some(cycle), &facts())
        }
    }

    /// A signal ended the process that ran the design (DUT-42).
    pub fn death(death: &Death) -> Self {
        let signal = death.signal;
        let (verdict, message) = if signal.is_crash() {
            (Verdict::Crash, death.words())
        } else if signal.is_interrupt() {
            let message = format!("interrupted by {}: nothing was written", signal.name());
            (Verdict::Interrupted, message)
        } else {
            let message = format!(
                "{} ended the process that ran the design, as the system does when memory runs out or a limit is reached; \
                 make room, or raise the limit",
                signal.name()
            );
            (Verdict::Infrastructure, message)
        };
        let log = death.facts.out.as_ref();
        let log = log.map(|out| out.join(report_files::PRINTED.1));
        let printed = log.and_then(|path| {
            printed::complete(&path, &death.printed()).unwrap_or_else(|error| {
                output::note(&format!("{}: {error}", path.display()));
                None
            })
        });
        Self {
            signal: Some(signal.name()),
            stderr: (!death.stderr.is_empty()).then(|| death.stderr.clone()),
            ..Self::new(verdict, message, death.cycle(), &death.facts)
        }
        .with_printed(printed)
    }

    /// Writes the report to `out`; what prevents that is told.
    pub fn write(&mut self, out: &OutputFolder) {
        self.report = Some(out.file(report_files::REPORT.1));
        let json = serde_json::to_string_pretty(self).map_err(Failure::infrastructure);
        let written = json.and_then(|json| out.write(report_files::REPORT.1, &(json + "\n")));
        if let Err(failure) = written {
            self.report = None;
            output::note(&failure.message);
        }
    }

    /// The file of the report, if there is one.
    pub fn report(&self) -> Option<&PathBuf> {
        self.report.as_ref()
    }

    /// Writes the report of a run that left no summary, if it has a folder, and tells the end.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn tell(mut self, facts: &Facts, json: bool) -> Result<Verdict, Failure> {
        let is_bad = !matches!(self.verdict, Verdict::Interrupted | Verdict::Infrastructure);
        if let Some(out) = facts.out.as_ref().filter(|_| is_bad)
            && let Ok(out) = OutputFolder::shared(out)
        {
            self.write(&out);
        }
        anstream::eprint!("lockstep: {}", self.text());
        if json {
            output::print_json(&self)?;
        }
        Ok(self.verdict)
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.message);
        // Writing to a string does not fail.
        if let Some(run) = &self.run {
            let _ = writeln!(text, "  replay {}", run.replay);
        }
        if let Some(report) = &self.report {
            let _ = writeln!(text, "  report {}", report.display());
        }
        if let Some(printed) = &self.printed {
            let _ = writeln!(
                text,
                "  printed by the design {}; its last lines:",
                printed.text()
            );
            let skipped = self.last_lines.len().saturating_sub(SHOWN_LINES);
            for line in &self.last_lines[skipped..] {
                let _ = writeln!(text, "    {line}");
            }
        }
        text
    }
}
