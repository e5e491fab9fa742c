//! `lockstep run --against`: two designs, without the model.

use std::path::{Path, PathBuf};
use std::time::Instant;

use pmu_model::Implementation;
use serde::Serialize;

use super::end::{End, SIDES};
use super::kept::{keep_printed, printed_by_design};
use super::progress::{Building, Progress};
use super::running::{DesignArgs, nothing_compared, open_failure, stimulus_failure};
use crate::against::{Against, AgainstReport, Files, Names, Outcome, report};
use crate::cli::ledger_summary::{LedgerSummary, waiver_lines};
use crate::cli::output_folder::OutputFolder;
use crate::cli::{Failure, output, report_files};
use crate::dut::printed::Printed;
use crate::dut::{Dut, DutFolder, OpenError, ParameterMismatch, RtlFiles, RtlSource, Stop, open};
use crate::interrupt;
use crate::isolation::{SandboxReport, sandbox_report, settled, tell};
use crate::lockstep::Verdict;
use crate::lockstep::engine::Control;
use crate::lockstep::supervise::{Supervised, supervise};
use crate::lockstep::waivers::Waivers;
use crate::report::{counted, grouped};
use crate::stimulus::{Stimulus, StimulusHash, StimulusHasher};

/// Names of the waveforms.
const WAVES: [&str; 2] = ["a.vcd", "b.vcd"];
const REPORT: &str = "against.json";
/// Names of the files that a pair leaves beside those of a report.
pub(super) const NAMES: [&str; 3] = [WAVES[0], WAVES[1], REPORT];

/// A run of two designs.
pub(super) struct Pair<'a> {
    /// What both are.
    pub implementation: &'a Implementation,
    /// The first, and the second.
    pub sources: [RtlSource; 2],
    pub stimulus: Stimulus,
    pub limit: u64,
    pub waivers: Waivers,
    pub out: &'a Path,
    pub hang: &'a DesignArgs,
    /// The command that runs so many cycles again.
    pub command: &'a dyn Fn(u64) -> String,
    pub json: bool,
    /// The file of the stimulus, if there is one.
    pub read: Option<&'a Path>,
}

/// How two designs compare, for programs.
#[derive(Serialize)]
struct Summary {
    verdict: Verdict,
    exit_code: u8,
    cycles: u64,
    seconds: f64,
    cycles_per_second: f64,
    seed: Option<u64>,
    stimulus: String,
    stimulus_hash: StimulusHash,
    implementation: String,
    designs: Names,
    ledger: LedgerSummary,
    printed: Option<Printed>,
    stop: Option<SideStop>,
    divergence: Option<AgainstReport>,
    /// What the designs' processes may do, and tried.
    sandbox: Option<SandboxReport>,
    /// The signal that interrupted the run.
    signal: Option<String>,
}

#[derive(Serialize)]
struct SideStop {
    /// `a` or `b`.
    design: &'static str,
    cycle: u64,
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    report: Option<PathBuf>,
    #[serde(flatten)]
    stop: Stop,
}

/// The design that `--against` names: a folder of `lockstep build`, `bundled`, or RTL as with `--rtl` and `--filelist`,
/// with the top module and options of `like`.
pub(super) fn second(word: &Path, like: &RtlSource) -> Result<RtlSource, Failure> {
    if word == Path::new("bundled") {
        return Ok(RtlSource::Bundled);
    }
    if DutFolder::is_one(word) {
        let folder = DutFolder::open(word).map_err(|error| open_failure(error.into()))?;
        return Ok(RtlSource::Built(Box::new(folder)));
    }
    let options = match like {
        RtlSource::Files(files) => files.clone(),
        RtlSource::Built(folder) => folder.options(),
        RtlSource::Bundled => RtlFiles::default(),
    };
    let is_list = word.is_file() && word.extension().is_some_and(|extension| extension == "f");
    let (paths, file_lists): (Vec<PathBuf>, Vec<PathBuf>) = match is_list {
        true => (Vec::new(), vec![word.into()]),
        false => (vec![word.into()], Vec::new()),
    };
    Ok(RtlSource::Files(RtlFiles {
        paths,
        file_lists,
        ..options
    }))
}

/// Why one of the designs, 0 or 1, cannot be had: which of them, where the message does not name its files.
fn failure_of(side: usize, source: &RtlSource, error: OpenError) -> Failure {
    let letter = SIDES[side.min(1)].to_uppercase();
    let name = format!("design {letter} ({})", source.describe());
    match error {
        // Its parameters are those of the implementation; what is left is what its wrapper cannot be.
        OpenError::Parameters(mismatch) if *source == RtlSource::Bundled => {
            Failure::usage(format!(
                "{name} does not match implementation {:?}: {}: the implementation has {}, the bundled RTL states {}; it cannot \
                 be otherwise: compare with a design of your own that states the same, or with the model, without --against",
                mismatch.implementation, mismatch.name, mismatch.expected, mismatch.found
            ))
        }
        OpenError::Parameters(mismatch) => open_failure(OpenError::Parameters(ParameterMismatch {
            design: Some(name),
            ..mismatch
        })),
        error @ (OpenError::Contract(_) | OpenError::Create(_)) => {
            let failure = open_failure(error);
            Failure {
                message: format!("{name}: {}", failure.message),
                ..failure
            }
        }
        error => open_failure(error).of_side(side),
    }
}

impl Pair<'_> {
    fn names(&self) -> Names {
        let [a, b] = self.sources.each_ref().map(RtlSource::describe);
        Names { a, b }
    }

    /// Both designs, which can write traces to files if some are named.
    fn open(&self, traces: &[PathBuf]) -> Result<[Box<dyn Dut>; 2], Failure> {
        let mut building = Building::default();
        let options = self.hang.options(Some(self.out))?;
        let options = options.writing(traces.iter().cloned());
        let traced = !traces.is_empty();
        let mut one = |side: usize| {
            open(
                &self.sources[side],
                self.implementation,
                traced,
                &options,
                &mut |event| building.tell(event),
            )
            .map_err(|error| failure_of(side, &self.sources[side], error))
        };
        Ok([one(0)?, one(1)?])
    }

    /// Runs both and tells how they compare.
    pub fn run(self) -> Result<Verdict, Failure> {
        let out = OutputFolder::new(self.out)?;
        report_files::check(out.path(), &WAVES)?;
        for name in NAMES {
            out.remove(name)?;
        }
        report_files::remove(&out, self.read)?;
        keep_printed(Some(&out));
        tell(|facts| facts.is_pair = true);
        let _offered = out.offer();
        let duts = self.open(&[])?;
        let control = Control::default();
        interrupt::ask(control.interrupted.clone());
        let stimulus = self.stimulus.clone();
        let total = stimulus
            .cycles()
            .map_or(self.limit, |all| all.min(self.limit));
        let waivers = self.waivers.clone();
        let mut against = Against::new(self.implementation, duts, stimulus, waivers);
        let progress = Progress::new(total, "cycles", control.progress.clone());
        let (limit, start) = (self.limit, Instant::now());
        let interrupted = control.interrupted.clone();
        let ended = supervise(
            &against.pulse(),
            self.hang.limit(),
            &interrupted,
            move || {
                let mut hasher = StimulusHasher::default();
                let mut outcome = against.run(limit, &control, |inputs| {
                    hasher.update(inputs);
                    Ok(())
                });
                if let Ok(Outcome::Agree) = outcome
                    && let Err((side, stop)) = against.finish()
                {
                    // All cycles agree, and the run is none all the same.
                    let cycle = against.cycles();
                    outcome = Ok(Outcome::Stopped { side, cycle, stop });
                }
                (against, hasher.hash(), outcome)
            },
        );
        let seconds = start.elapsed().as_secs_f64();
        drop(progress);
        match ended {
            Supervised::Panicked(message) => Err(Failure::defect(&message)),
            Supervised::Hang { cycles, .. } => Err(End::hang(cycles, self.hang.limit()).into()),
            Supervised::Interrupted { cycles } => Err(End::interrupted_hang(cycles).into()),
            Supervised::Done((against, hash, outcome)) => {
                let outcome = outcome.map_err(stimulus_failure)?;
                self.conclude(&against, hash, outcome, seconds, &out)
            }
        }
    }

    fn conclude(
        &self,
        against: &Against,
        stimulus_hash: StimulusHash,
        outcome: Outcome,
        seconds: f64,
        out: &OutputFolder,
    ) -> Result<Verdict, Failure> {
        // What the designs' C code has printed is there when their processes have ended.
        let late = settled();
        let mut summary = Summary {
            verdict: Verdict::Agree,
            exit_code: 0,
            cycles: against.cycles(),
            seconds,
            cycles_per_second: against.cycles() as f64 / seconds,
            seed: self.stimulus.seed(),
            stimulus: self.stimulus.description(),
            stimulus_hash,
            implementation: self.implementation.name.clone(),
            designs: self.names(),
            ledger: LedgerSummary::of(against.ledger()),
            printed: printed_by_design(),
            stop: None,
            divergence: None,
            sandbox: sandbox_report(),
            signal: match outcome {
                Outcome::Interrupted => interrupt::signal(),
                _ => None,
            },
        };
        if let (Outcome::Agree, Some(death)) = (&outcome, late) {
            return Err(End::late(&death).with_printed(summary.printed).into());
        }
        match outcome {
            Outcome::Agree if summary.ledger.total.compared == 0 => {
                return Err(nothing_compared(
                    against.cycles(),
                    against.latency(),
                    &summary.ledger,
                ));
            }
            Outcome::Agree if summary.ledger.has_unused_waivers() => {
                summary.verdict = Verdict::UnusedWaiver;
            }
            Outcome::Agree => {}
            Outcome::Interrupted => summary.verdict = Verdict::Interrupted,
            Outcome::Stopped { side, cycle, stop } if stop.died() => {
                let end = End::stop(&stop, cycle).of_side(side);
                return Err(end.with_printed(summary.printed.clone()).into());
            }
            Outcome::Stopped { side, cycle, stop } => {
                summary.verdict = stop.verdict();
                let design = SIDES[side.min(1)];
                let end = End::stop(&stop, cycle).of_side(side);
                let mut end = end.with_printed(summary.printed.clone());
                end.write(out);
                summary.stop = Some(SideStop {
                    design,
                    cycle,
                    report: end.report().cloned(),
                    stop,
                });
            }
            Outcome::Diverged(divergence) => {
                summary.verdict = Verdict::Divergence;
                let replay = (self.command)(divergence.cycle + 1);
                let mut found = report(against, &divergence, self.names(), replay);
                self.waves(against, &mut found, out);
                let json = serde_json::to_string_pretty(&found).map_err(Failure::infrastructure)?;
                output::beside(Verdict::Divergence, out.write(REPORT, &json))?;
                summary.divergence = Some(found);
            }
        }
        summary.exit_code = summary.verdict.exit_code();
        let printed = match (&summary.divergence, self.json) {
            (_, true) => output::print_json(&summary),
            (Some(found), false) => output::print(&found.text()),
            (None, false) => output::print(&summary.text()),
        };
        output::beside(summary.verdict, printed)?;
        Ok(summary.verdict)
    }

    /// Runs both again with tracing; what goes wrong becomes a note.
    fn waves(&self, against: &Against, found: &mut AgainstReport, out: &OutputFolder) {
        let paths = WAVES.map(|name| out.file(name));
        let made: Result<Vec<_>, _> = WAVES.into_iter().map(|name| out.empty(name)).collect();
        let traced = made.and_then(|made| self.open(&made));
        let traced = traced.map_err(|failure| failure.message);
        let again = traced.and_then(|duts| {
            let [a, b] = paths.each_ref().map(PathBuf::as_path);
            against
                .traced(self.implementation, duts, found.cycle, [a, b])
                .map_err(|error| error.to_string())
        });
        match again {
            Err(message) => {
                let why = message.strip_prefix("no waveform: ").unwrap_or(&message);
                found.note = format!("no waveforms: {why}");
                for path in paths {
                    // It may not be there.
                    let _ = std::fs::remove_file(path);
                }
            }
            Ok(first) => {
                let [a, b] = paths;
                found.files = Some(Files { a, b });
                if first != Some(found.cycle) {
                    let instead =
                        first.map_or("none".into(), |cycle| format!("one in cycle {cycle}"));
                    found.note = format!(
                        "the re-run from the last reset did NOT reach this divergence, it showed {instead}"
                    );
                }
            }
        }
    }
}

impl Summary {
    fn text(&self) -> String {
        let seed = self
            .seed
            .map_or(String::new(), |seed| format!(", seed {seed}"));
        let mut lines = vec![format!(
            "{}  {}{seed}, implementation {}, without the model",
            self.verdict.word(),
            counted(self.cycles, "cycle"),
            self.implementation
        )];
        lines.push(format!("  A  {}", self.designs.a));
        lines.push(format!("  B  {}", self.designs.b));
        if let Some(SideStop {
            design,
            cycle,
            report,
            stop,
        }) = &self.stop
        {
            lines.push(format!(
                "  {} in cycle {cycle}: {stop}",
                design.to_uppercase()
            ));
            let report = report.iter();
            lines.extend(report.map(|path| format!("  report {}", path.display())));
        }
        if let Some(printed) = &self.printed {
            lines.push(format!("  printed by the designs {}", printed.text()));
        }
        let sandbox = self.sandbox.iter().flat_map(SandboxReport::lines);
        lines.extend(sandbox.map(|line| format!("  {line}")));
        let signal = self.signal.iter();
        lines.extend(signal.map(|signal| format!("  by {signal}")));
        lines.push(format!(
            "  {:.2} M cycles/s ({:.2} s)",
            self.cycles_per_second / 1e6,
            self.seconds
        ));
        lines.push(format!(
            "  fields compared {}, changed {}",
            grouped(self.ledger.total.compared),
            grouped(self.ledger.changed)
        ));
        let waivers = waiver_lines(&self.ledger.waivers);
        lines.extend(waivers.iter().map(|line| format!("  {line}")));
        lines.push(format!(
            "  stimulus {}: {}",
            self.stimulus_hash, self.stimulus
        ));
        lines.join("\n") + "\n"
    }
}
