//! The summary of a run.

use std::fmt::Write;
use std::path::PathBuf;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::coverage::CoverageSummary;
use super::initial_states::InitialStates;
use super::rtl_coverage::RtlCoverageSummary;
use crate::cli::ledger_summary::{LedgerSummary, waiver_lines};
use crate::dut::Stop;
use crate::dut::printed::Printed;
use crate::isolation::SandboxReport;
use crate::lockstep::Verdict;
use crate::lockstep::sampling::SamplingSummary;
use crate::report::html::{RunPage, SamplingLines, StopLine};
use crate::report::{Coverage, Report};
use crate::report::{counted, grouped, left_out};
use crate::stimulus::StimulusHash;

/// A run and how it ended, for programs.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// The verdict.
    pub verdict: Verdict,
    /// The exit code of the command.
    pub exit_code: u8,
    /// What is wrong with the design's random number generator beyond doubt, in words.
    pub random_generator: Option<String>,
    /// Cycles run and compared.
    pub cycles: u64,
    /// Time that they took.
    pub seconds: f64,
    /// Their quotient.
    pub cycles_per_second: f64,
    /// Seed of the stimulus, if it was generated.
    pub seed: Option<u64>,
    /// What the stimulus is.
    pub stimulus: String,
    /// Its hash, over the cycles run.
    pub stimulus_hash: StimulusHash,
    /// Name of the implementation.
    pub implementation: String,
    /// Event counters of it.
    pub counters: u8,
    /// What the RTL is.
    pub rtl: String,
    /// What was compared.
    pub ledger: LedgerSummary,
    /// Statistics of sampling, if the design samples.
    pub sampling: Option<SamplingSummary>,
    /// What it showed from other initial states, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_states: Option<InitialStates>,
    /// What the run has taken of rules and crosses, if it was to be counted.
    pub coverage: Option<CoverageSummary>,
    /// What the run has covered of the RTL, if that was to be counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtl_coverage: Option<RtlCoverageSummary>,
    /// What the design printed, if it did.
    pub printed: Option<Printed>,
    /// Why the design stopped, if it did.
    pub stop: Option<StopSummary>,
    /// The first divergence, if there is one.
    pub divergence: Option<Report>,
    /// How long its report took.
    pub report: Option<ReportTime>,
    /// What the design's process may do, and tried; nothing if the design is linked in.
    pub sandbox: Option<SandboxReport>,
    /// The signal that interrupted the run.
    pub signal: Option<String>,
}

/// Time from the divergence to its finished report.
#[derive(Clone, Debug, Serialize)]
pub struct ReportTime {
    /// Seconds, without those of `build_seconds`.
    pub seconds: f64,
    /// Seconds that a build of the RTL with tracing took; 0 if there was one.
    pub build_seconds: f64,
}

impl ReportTime {
    /// The line under a report.
    pub fn line(&self) -> String {
        let build = match self.build_seconds {
            0.0 => String::new(),
            seconds => format!(", and {seconds:.0} s for the build with tracing, which is kept"),
        };
        format!("\nreport in {:.2} s{build}\n", self.seconds)
    }
}

/// A stop and its cycle.
#[derive(Debug, Serialize)]
pub struct StopSummary {
    /// The cycle.
    pub cycle: u64,
    /// Time of its rising edge.
    pub time_ns: u64,
    /// The command that shows it again.
    pub replay: String,
    /// The report.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub report: Option<PathBuf>,
    /// The stop.
    #[serde(flatten)]
    pub stop: Stop,
}

impl Summary {
    /// The summary as text, with ANSI colours.
    pub fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out);
        out
    }

    /// The verdict of a run in which RTL and model agree. `random_demanded`: the random number generator may fail it.
    pub fn agreed(&self, random_demanded: bool) -> Verdict {
        if random_demanded && self.random_generator.is_some() {
            Verdict::NotRandom
        } else if self.ledger.has_unused_waivers() {
            Verdict::UnusedWaiver
        } else {
            Verdict::Agree
        }
    }

    /// The summary as a page, with the command that runs the same cycles again.
    pub fn page(&self, command: String) -> RunPage {
        let ledger = &self.ledger;
        RunPage {
            verdict: self.verdict,
            seed: self.seed,
            stimulus: self.stimulus.clone(),
            stimulus_hash: self.stimulus_hash.to_string(),
            implementation: self.implementation.clone(),
            counters: self.counters,
            rtl: self.rtl.clone(),
            command: self
                .stop
                .as_ref()
                .map_or(command, |stop| stop.replay.clone()),
            seconds: self.seconds,
            stop: self.stop.as_ref().map(|stop| StopLine {
                cycle: stop.cycle,
                time_ns: stop.time_ns,
                text: stop.stop.to_string(),
            }),
            coverage: Coverage {
                cycles: self.cycles,
                compared: ledger.total,
                never_changed: ledger.never_changed.clone(),
                never_read: ledger.never_read.clone(),
                absent: ledger.absent.clone(),
                waivers: ledger.waivers.clone(),
                fields: ledger.fields.clone(),
            },
            initial_states: self.initial_states.as_ref().map(InitialStates::line),
            random_generator: self.random_generator.clone(),
            sampling: self.sampling.as_ref().map(|sampling| SamplingLines {
                selections: sampling.selections,
                collisions: sampling.collisions,
                lines: sampling.tests(),
            }),
            counted: self
                .coverage
                .as_ref()
                .map_or_else(Vec::new, CoverageSummary::lines),
        }
    }

    /// What could have happened and never did, of a run to its end: as far as outputs tell, and more if rules were
    /// counted.
    fn never_seen(&self) -> Vec<&'static str> {
        if !matches!(
            self.verdict,
            Verdict::Agree | Verdict::UnusedWaiver | Verdict::NotRandom
        ) {
            return Vec::new();
        }
        let counted = self.coverage.iter().flat_map(CoverageSummary::never_seen);
        let outputs = self.ledger.never_seen.iter().copied();
        outputs.chain(counted).collect()
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        let colour = match self.verdict {
            Verdict::Agree => AnsiColor::Green,
            Verdict::Interrupted | Verdict::UnusedWaiver => AnsiColor::Yellow,
            _ => AnsiColor::Red,
        };
        let style: Style = colour.on_default().bold();
        let seed = self
            .seed
            .map_or(String::new(), |seed| format!(", seed {seed}"));
        writeln!(
            out,
            "{style}{}{style:#}  {}, {}{seed}, implementation {}, RTL {}",
            self.verdict.word(),
            counted(self.cycles, "cycle"),
            counted(self.counters.into(), "counter"),
            self.implementation,
            self.rtl
        )?;
        if let Some(finding) = &self.random_generator {
            const ALERT: Style = AnsiColor::Yellow.on_default().bold();
            writeln!(out, "  {ALERT}{finding}{ALERT:#}")?;
        }
        if let Some(StopSummary {
            cycle,
            time_ns,
            replay,
            report,
            stop,
        }) = &self.stop
        {
            writeln!(out, "  in cycle {cycle}, at {time_ns} ns, {stop}")?;
            writeln!(out, "  replay {replay}")?;
            if let Some(report) = report {
                writeln!(out, "  report {}", report.display())?;
            }
        }
        if let Some(signal) = &self.signal {
            writeln!(out, "  by {signal}")?;
        }
        for line in self.sandbox.iter().flat_map(SandboxReport::lines) {
            writeln!(out, "  {line}")?;
        }
        if let Some(printed) = &self.printed {
            writeln!(out, "  printed by the design {}", printed.text())?;
        }
        writeln!(
            out,
            "  {:.2} M cycles/s ({:.2} s)",
            self.cycles_per_second / 1e6,
            self.seconds
        )?;
        let ledger = &self.ledger;
        writeln!(
            out,
            "  fields compared {}, not compared ({}) {}, changed {}",
            grouped(ledger.total.compared),
            left_out(!ledger.waivers.is_empty()),
            grouped(ledger.total.not_compared),
            grouped(ledger.changed)
        )?;
        for (what, names) in [
            ("never changed", &ledger.never_changed),
            ("never read", &ledger.never_read),
        ] {
            if !names.is_empty() {
                let shown: Vec<_> = names.iter().take(8).map(String::as_str).collect();
                let more = names.len() - shown.len();
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                writeln!(out, "  {what}: {}{more}", shown.join(", "))?;
            }
        }
        let unseen: Vec<_> = self.never_seen();
        if !unseen.is_empty() {
            writeln!(out, "  never seen in this run: {}", unseen.join(", "))?;
        }
        for line in waiver_lines(&ledger.waivers) {
            writeln!(out, "  {line}")?;
        }
        if !ledger.absent.is_empty() {
            writeln!(
                out,
                "  not in the design, not compared: {}",
                ledger.absent.join(", ")
            )?;
        }
        for line in self.sampling.iter().flat_map(SamplingSummary::lines) {
            writeln!(out, "  {line}")?;
        }
        if let Some(states) = &self.initial_states {
            writeln!(out, "  {}", states.line())?;
        }
        for line in self.coverage.iter().flat_map(CoverageSummary::lines) {
            writeln!(out, "  {line}")?;
        }
        if let Some(covered) = &self.rtl_coverage {
            writeln!(out, "  {}", covered.line())?;
        }
        writeln!(out, "  stimulus {}: {}", self.stimulus_hash, self.stimulus)
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::{CycleInput, CycleOutput, Implementation, Model, NoTracer, Unknown};

    use super::*;
    use crate::dut::ModelledDut;
    use crate::lockstep::Lockstep;
    use crate::lockstep::engine::Control;
    use crate::report::html;
    use crate::stimulus::{Generator, Profile, StimulusError};

    /// The summary of a run of a design whose generator draws `byte` for ever.
    fn summary(byte: impl FnMut() -> u8 + Send + 'static, demanded: bool) -> Summary {
        let implementation = Implementation::default();
        let profile = Profile::named("spe").expect("built in");
        let generator = Generator::new(1, &implementation, &profile).expect("legal");
        let mut model = Model::new(&implementation).expect("legal");
        let mut byte = byte;
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            let mut unknown = Unknown::default();
            model.step(input, byte(), output, &mut unknown, &mut NoTracer);
            Ok(())
        };
        let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("legal");
        let mut run =
            Lockstep::new(&implementation, Box::new(dut), generator.into(), 1).expect("legal");
        let outcome = run.run(60_000, &Control::default(), |_| Ok::<_, StimulusError>(()));
        assert!(outcome.is_ok());
        let sampling = run.ledger().sampling();
        let mut summary = Summary {
            verdict: Verdict::Agree,
            exit_code: 0,
            random_generator: sampling.as_ref().and_then(|it| it.finding(demanded)),
            cycles: run.cycles(),
            seconds: 1.0,
            cycles_per_second: 1.0,
            seed: Some(1),
            stimulus: "seed 1".into(),
            stimulus_hash: StimulusHash(0),
            implementation: implementation.name.clone(),
            counters: implementation.pmu.counters,
            rtl: "a stub".into(),
            ledger: LedgerSummary::of(run.ledger()),
            sampling,
            initial_states: None,
            coverage: None,
            rtl_coverage: None,
            printed: None,
            stop: None,
            divergence: None,
            report: None,
            sandbox: None,
            signal: None,
        };
        summary.verdict = summary.agreed(demanded);
        summary.exit_code = summary.verdict.exit_code();
        summary
    }

    #[test]
    fn spe_30_a_dead_generator_stands_below_the_verdict_and_fails_a_run_that_demands_more() {
        let found = "the random number generator is DEAD: every byte is 0x5a";
        for (demanded, verdict, code) in [(false, "PASS", 0), (true, "NOT RANDOM", 1)] {
            let summary = summary(|| 0x5A, demanded);
            assert_eq!((summary.verdict.word(), summary.exit_code), (verdict, code));
            let text = summary.text();
            let lines: Vec<_> = text.lines().take(2).collect();
            assert!(lines[0].contains(verdict), "{text}");
            assert!(lines[1].contains(found), "{text}");
            assert_eq!(lines[1].contains("fails no run"), !demanded);
            let json = serde_json::to_value(&summary).expect("JSON");
            let told = json["random_generator"].as_str().unwrap_or_default();
            assert!(told.starts_with(found), "{told}");
            let defect = &json["sampling"]["random"]["defect"];
            assert_eq!(*defect, serde_json::json!({ "kind": "dead", "byte": 0x5A }));
            let page = html::run_page(&summary.page(String::new())).expect("a page");
            let (before, _) = page.split_once("What was run").expect("a section");
            assert!(before.contains(found) && before.contains(verdict));
        }
        // A fair one, and a waiver that was not needed beside it.
        let mut state = 1u64;
        let fair = move || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 56) as u8
        };
        let summary = summary(fair, true);
        assert_eq!(
            (summary.verdict, &summary.random_generator),
            (Verdict::Agree, &None)
        );
        assert!(!summary.text().contains("random number generator"));
    }
}
