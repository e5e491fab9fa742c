//! Bad ends of a run: what is told of a hang, a crash and a stop, and the report that they leave.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::output_folder::OutputFolder;
use super::{Failure, output, report_files};
use crate::dut::{Stop, StopKind};
use crate::isolation::{Death, Facts, facts};
use crate::lockstep::Verdict;
use crate::report::{FORMAT, RunFacts};

/// Length of a clock cycle in the time of the design (DUT-03).
const CYCLE_NS: u64 = 10;

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
    /// Where this is written to.
    report: Option<PathBuf>,
}

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
            report: None,
        }
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
        Self {
            signal: Some(signal.name()),
            stderr: (!death.stderr.is_empty()).then(|| death.stderr.clone()),
            ..Self::new(verdict, message, death.cycle(), &death.facts)
        }
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
            && let Ok(out) = OutputFolder::new(out)
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
        text
    }
}
