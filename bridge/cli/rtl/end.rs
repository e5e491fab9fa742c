//! Bad ends of a command that runs a design: what is told of a hang, a crash and a stop, and the report that they leave.

use std::fmt::Write;
use std::mem;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;

use super::kept::printed_by_design;
use crate::cli::output_folder::OutputFolder;
use crate::cli::{Failure, output, report_files};
use crate::dut::printed::{self, Printed};
use crate::dut::{CYCLE_NS, OpenError, Stop, StopKind};
use crate::interrupt;
use crate::isolation::{
    Death, Facts, SandboxReport, at_work, facts, first_death, sandbox_report, settled,
};
use crate::lockstep::Verdict;
use crate::report::html::{EndPage, end_page};
use crate::report::{FORMAT, RunFacts};
use crate::scratch;

/// A command that ended badly, for programs: `report.json`.
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
    /// Which of two designs, `a` or `b`, if two ran and it is known.
    design: Option<&'static str>,
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
    /// What the design's process wrote to standard output and error last, by other means than SystemVerilog's.
    stderr: Option<String>,
    /// What the design's process may do, and tried.
    sandbox: Option<SandboxReport>,
    /// Where what the design printed is kept, if the command has a folder.
    printed: Option<Printed>,
    /// The last lines of it.
    last_lines: Vec<String>,
    /// Where this is written to.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    report: Option<PathBuf>,
}

/// What two designs are called.
pub const SIDES: [&str; 2] = ["a", "b"];
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
            replay: replay.command(cycle.or(facts.divergence).map_or(1, |cycle| cycle + 1)),
        });
        Self {
            format: FORMAT,
            verdict,
            exit_code: verdict.exit_code(),
            message,
            cycle,
            time_ns: cycle.map(|cycle| CYCLE_NS * cycle),
            design: None,
            kind: None,
            signal: None,
            file: None,
            line: None,
            run,
            stderr: None,
            sandbox: sandbox_report(),
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

    /// The cycle that was not completed, if cycles were run.
    pub fn cycle(&self) -> Option<u64> {
        self.cycle
    }

    /// Says which of two designs it was, 0 or 1.
    #[must_use]
    pub fn of_side(self, side: usize) -> Self {
        let design = SIDES[side.min(1)];
        Self {
            design: Some(design),
            message: format!("{}: {}", design.to_uppercase(), self.message),
            ..self
        }
    }

    /// The end in words.
    pub fn into_message(self) -> String {
        self.message
    }

    /// The same, if it is known.
    fn of_one(self, side: Option<usize>) -> Self {
        match side {
            Some(side) => self.of_side(side),
            None => self,
        }
    }

    /// The user did not want to wait for a design that completes no cycle after `cycles` of them.
    pub fn interrupted_hang(cycles: u64) -> Self {
        let message = format!(
            "interrupted while the design does not come back from cycle {cycles}: nothing was compared after it"
        );
        Self {
            signal: interrupt::signal(),
            ..Self::new(Verdict::Interrupted, message, Some(cycles), &facts())
        }
    }

    /// The signal `name` came, and the command has nothing to show.
    pub fn interrupted(name: &str) -> Self {
        let facts = facts();
        let during = facts.during.as_ref();
        let during = during.map_or(String::new(), |during| format!(" during {during}"));
        let message = format!(
            "interrupted by {name}{during}: there is no result, and no file is half written"
        );
        Self {
            signal: Some(name.into()),
            ..Self::new(Verdict::Interrupted, message, None, &facts)
        }
    }

    /// The design completed no cycle for `limit` after `cycles` of them, as far as a batch tells (DUT-41).
    pub fn hang(cycles: u64, limit: Duration) -> Self {
        let facts = facts();
        let design = at_work();
        let cycle = design.as_ref().map_or(cycles, |design| design.cycles);
        let message = format!(
            "the design does not come back from cycle {cycle}{}: no progress for {} s; look for a loop without delay, or \
             raise --hang-after",
            facts.during(),
            limit.as_secs()
        );
        let end = Self::new(Verdict::Hang, message, Some(cycle), &facts);
        end.of_one(design.and_then(|design| facts.side(design.instance)))
    }

    /// The design stopped in `cycle` (DUT-40, DUT-43).
    pub fn stop(stop: &Stop, cycle: u64) -> Self {
        if stop.ended_its_process()
            && let Some(death) = first_death()
        {
            return Self::death(&death, stop);
        }
        let facts = facts();
        let (during, time) = (facts.during(), CYCLE_NS * cycle);
        let message = format!("in cycle {cycle}{during}, at {time} ns, {stop}");
        Self::new(stop.verdict(), message, Some(cycle), &facts).caused_by(stop)
    }

    /// The design did not come through its initial blocks (DUT-40, DUT-41, DUT-43).
    pub fn at_start(error: &OpenError) -> Self {
        let end = Self::new(error.verdict(), error.to_string(), None, &facts());
        let (OpenError::Stopped(stop) | OpenError::Late(stop) | OpenError::Ended(stop)) = error
        else {
            return end;
        };
        match first_death().or_else(settled) {
            Some(death) if stop.ended_its_process() => Self::death(&death, stop),
            _ => end.caused_by(stop),
        }
    }

    fn caused_by(self, stop: &Stop) -> Self {
        let file = (!stop.file.is_empty()).then(|| stop.file.clone());
        Self {
            kind: Some(stop.kind),
            line: file.is_some().then_some(stop.line),
            file,
            ..self
        }
    }

    /// The process of a design ended (DUT-42).
    fn death(death: &Death, stop: &Stop) -> Self {
        Self {
            kind: Some(stop.kind),
            signal: death.signal(),
            stderr: (!death.stderr.is_empty()).then(|| death.stderr.clone()),
            ..Self::new(stop.verdict(), death.words(), death.cycle(), &death.facts)
        }
    }

    /// The process of a design ended when all of its cycles had been compared.
    pub fn late(death: &Death) -> Self {
        Self::death(death, &death.stop()).of_one(death.side())
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

    /// Tells the end of a command of this process. What is not whole yet goes; the thread of a design that hangs ends with
    /// the process.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn tell_here(self, json: bool) -> Result<Verdict, Failure> {
        let facts = facts();
        if let Some(design) = at_work() {
            printed::print(&design.printed, true);
        }
        let printed = printed_by_design().or_else(|| self.printed.clone());
        let mut end = self.with_printed(printed);
        if facts.out.is_none() {
            // Its file goes with the process that watches this one.
            end.printed = None;
        }
        let told = end.tell(&facts, json);
        // What the other thread would make from here on, nobody would remove.
        mem::forget(scratch::abandon());
        told
    }

    /// Writes the report of a command that left no summary, if it has a folder, and tells the end.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub fn tell(mut self, facts: &Facts, json: bool) -> Result<Verdict, Failure> {
        let is_bad = match self.verdict {
            Verdict::Interrupted => false,
            // A design whose process was killed, but not a disk that is full.
            Verdict::Infrastructure => self.kind.is_some(),
            _ => true,
        };
        if let Some(out) = facts.out.as_ref().filter(|_| is_bad)
            && let Ok(out) = OutputFolder::shared(out)
        {
            self.write(&out);
        }
        if let (Some(run), Some(path)) = (&self.run, &facts.page)
            && let Err(failure) = self.write_page(run, path)
        {
            output::note(&failure.message);
        }
        output::tell(&format!("lockstep: {}", self.text()));
        if json {
            output::beside(self.verdict, output::print_json(&self))?;
        }
        Ok(self.verdict)
    }

    /// Writes the end as a page.
    fn write_page(&self, run: &RunFacts, path: &Path) -> Result<(), Failure> {
        let page = end_page(&EndPage {
            verdict: self.verdict,
            message: self.message.clone(),
            at: self.cycle.zip(self.time_ns),
            run: run.clone(),
            last_lines: self.last_lines.clone(),
            stderr: self.stderr.clone(),
            sandbox: self.sandbox.iter().flat_map(SandboxReport::lines).collect(),
        });
        let page = page.map_err(Failure::infrastructure)?;
        output::write_whole(path, |out| out.write_all(page.as_bytes()))
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
        let sandbox = self.sandbox.iter().flat_map(SandboxReport::lines);
        for line in sandbox {
            let _ = writeln!(text, "  {line}");
        }
        let _ = match &self.printed {
            Some(printed) => writeln!(
                text,
                "  printed by the design {}; its last lines:",
                printed.text()
            ),
            None if self.last_lines.is_empty() => Ok(()),
            None => writeln!(text, "  printed by the design; the last lines:"),
        };
        let skipped = self.last_lines.len().saturating_sub(SHOWN_LINES);
        for line in &self.last_lines[skipped..] {
            let _ = writeln!(text, "    {line}");
        }
        text
    }
}

impl Failure {
    /// Says which of two designs ended the command, 0 or 1, if one of them did.
    pub fn of_side(self, side: usize) -> Self {
        match self.end {
            Some(end) => end.of_side(side).into(),
            None => self,
        }
    }
}

impl From<End> for Failure {
    fn from(end: End) -> Self {
        Self {
            verdict: end.verdict,
            message: end.message.clone(),
            end: Some(Box::new(end)),
        }
    }
}
