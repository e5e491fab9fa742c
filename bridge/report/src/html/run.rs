//! A run that did not diverge as one HTML file: what was run, what was compared, and how it ended.

use askama::Template;

use crate::{Coverage, counted, grouped};
use lockstep_engine::lockstep::Verdict;

/// What the page of a run shows.
#[derive(Clone, Debug)]
pub struct RunPage {
    /// How it ended; not with a divergence, which has a page of its own.
    pub verdict: Verdict,
    /// Seed of the stimulus, if it was generated.
    pub seed: Option<u64>,
    /// What the stimulus is.
    pub stimulus: String,
    /// The hash of the cycles that were run.
    pub stimulus_hash: String,
    /// Name of the implementation.
    pub implementation: String,
    /// Event counters of it.
    pub counters: u8,
    /// What the RTL is.
    pub rtl: String,
    /// The command that runs the same cycles again.
    pub command: String,
    /// Time of the run, in seconds.
    pub seconds: f64,
    /// Why the design stopped, if it did.
    pub stop: Option<StopLine>,
    /// What was compared.
    pub coverage: Coverage,
    /// What it showed from other initial states of the design, in a line, if that was asked for.
    pub initial_states: Option<String>,
    /// What is wrong with the design's random number generator beyond doubt.
    pub random_generator: Option<String>,
    /// Statistics of sampling, if the design samples.
    pub sampling: Option<SamplingLines>,
    /// Rules and crosses that the run has taken, in lines, if they were counted.
    pub counted: Vec<String>,
}

/// A stop.
#[derive(Clone, Debug)]
pub struct StopLine {
    /// Its cycle.
    pub cycle: u64,
    /// Time of the rising edge of that cycle, in nanoseconds.
    pub time_ns: u64,
    /// What stopped the design.
    pub text: String,
}

/// Statistics of sampling.
#[derive(Clone, Debug)]
pub struct SamplingLines {
    /// Operations selected.
    pub selections: u64,
    /// How many of them collided.
    pub collisions: u64,
    /// Random bytes, and intervals by mode.
    pub lines: Vec<String>,
}

/// The page of a run that did not diverge.
///
/// # Errors
/// None that is known, as for [`super::page`].
pub fn run_page(run: &RunPage) -> Result<String, askama::Error> {
    Page {
        run,
        style: super::STYLE,
    }
    .render()
}

#[derive(Template)]
#[template(path = "run.html", config = "src/html/askama.toml")]
struct Page<'a> {
    run: &'a RunPage,
    style: &'static str,
}

impl Page<'_> {
    /// The verdict in a sentence.
    fn sentence(&self) -> String {
        let cycles = counted(self.run.coverage.cycles, "cycle");
        let stopped_at = self.run.stop.as_ref().map_or(0, |stop| stop.cycle);
        match self.run.verdict {
            Verdict::Agree => format!("RTL and model agree in {cycles}"),
            Verdict::UnusedWaiver => {
                format!("RTL and model agree in {cycles}, and a waiver was not needed")
            }
            Verdict::NotRandom => {
                format!("RTL and model agree in {cycles}, and the random bytes are not uniform")
            }
            Verdict::Interrupted => {
                format!("Interrupted; RTL and model agree in the {cycles} until then")
            }
            Verdict::Stopped => {
                format!("The design stopped in cycle {}", grouped(stopped_at))
            }
            verdict => verdict.word().to_lowercase(),
        }
    }

    /// How many were run.
    fn cycles(&self) -> String {
        counted(self.run.coverage.cycles, "cycle")
    }

    /// The colour of the verdict, by its class.
    fn class(&self) -> &'static str {
        match self.run.verdict {
            Verdict::Agree => "pass",
            Verdict::Interrupted | Verdict::UnusedWaiver => "warn",
            _ => "",
        }
    }

    /// Comparisons with a value other than the one before.
    fn changed(&self) -> String {
        let fields = self.run.coverage.fields.iter();
        grouped(fields.map(|field| field.changed).sum())
    }

    /// How long it took, and how fast it was.
    fn seconds(&self) -> String {
        let seconds = self.run.seconds;
        let speed = self.run.coverage.cycles as f64 / seconds.max(f64::MIN_POSITIVE);
        format!("{seconds:.2} s, {:.2} M cycles/s", speed / 1e6)
    }

    /// A number, in groups of three digits.
    fn number(&self, number: &u64) -> String {
        grouped(*number)
    }
}
