//! `--init`: what the same run shows from other initial states of the design.

use std::num::NonZeroU32;

use serde::Serialize;

use crate::lockstep::{Divergence, Outcome};
use crate::report::counted;

/// The most initial states of a run.
pub use crate::regress::suite::MOST_STATES;

/// Runs from other initial states than zeros.
#[derive(Clone, Debug, Serialize)]
pub struct InitialStates {
    /// How many were asked for; they have numbers from 1.
    pub wanted: u32,
    /// Runs that came to an end.
    pub tried: u32,
    /// Those that ended otherwise than the one from zeros.
    pub differ: Vec<StateRun>,
    /// That the outputs depend on the initial state, in words, if they do.
    pub finding: Option<String>,
    /// The run from zeros.
    zeros: StateRun,
}

/// How a run from an initial state ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateRun {
    /// The state; 0 for zeros.
    pub state: u32,
    /// The cycle that it ended in, if it did not come to its end.
    pub cycle: Option<u64>,
    /// How.
    pub shows: String,
    /// The first field that differs from the model, if one does.
    pub field: Option<String>,
}

impl StateRun {
    fn of(state: u32, outcome: &Outcome) -> Self {
        let (cycle, shows, field) = match outcome {
            Outcome::Diverged(found) => (Some(found.cycle), differences(found), Some(field(found))),
            Outcome::Stopped { cycle, stop } => (Some(*cycle), stop.to_string(), None),
            Outcome::Agree | Outcome::Interrupted => (None, "RTL and model agree".into(), None),
        };
        Self {
            state,
            cycle,
            shows,
            field,
        }
    }

    /// Whether it ended in the same way.
    fn is_like(&self, other: &Self) -> bool {
        (self.cycle, &self.shows) == (other.cycle, &other.shows)
    }

    fn words(&self) -> String {
        let cycle = self.cycle;
        self.shows.clone() + &cycle.map_or(String::new(), |cycle| format!(" in cycle {cycle}"))
    }
}

/// The name of the field that a divergence is about.
fn field(found: &Divergence) -> String {
    found.root().field.name(&found.input)
}

/// What differs: the field that a divergence is about, and how many others do.
fn differences(found: &Divergence) -> String {
    let root = found.root();
    let (expected, rtl) = (root.field.text(root.expected), root.field.text(root.rtl));
    let others = match found.differences.len() - 1 {
        0 => String::new(),
        more => format!(" and {}", counted(more as u64, "other field")),
    };
    format!("{}: expected {expected}, RTL {rtl}{others}", field(found))
}

impl InitialStates {
    /// None of `wanted` yet; `zeros` is how the run from zeros ended.
    pub fn new(wanted: NonZeroU32, zeros: &Outcome) -> Self {
        Self {
            wanted: wanted.get(),
            tried: 0,
            differ: Vec::new(),
            finding: None,
            zeros: StateRun::of(0, zeros),
        }
    }

    /// Enters how the run from `state` ended.
    ///
    /// # Returns
    /// Whether it is another end than that from zeros.
    pub fn enter(&mut self, state: u32, outcome: &Outcome) -> bool {
        self.tried += 1;
        let run = StateRun::of(state, outcome);
        let differs = !run.is_like(&self.zeros);
        if differs {
            self.differ.push(run);
        }
        self.finding = self.found();
        differs
    }

    /// What was found, in words.
    pub fn finding(&self) -> Option<String> {
        self.finding.clone()
    }

    fn found(&self) -> Option<String> {
        let first = self.differ.first()?;
        let numbers: Vec<_> = self
            .differ
            .iter()
            .map(|run| run.state.to_string())
            .collect();
        let zeros = match self.zeros.cycle {
            None => "it agrees from zeros, differs from".to_owned(),
            Some(_) => format!("from zeros {}, otherwise from", self.zeros.words()),
        };
        Some(format!(
            "the design's outputs depend on its initial state: {zeros} initial state {}: {}; of {} that were tried, {} differ: {}",
            first.state,
            first.words(),
            self.tried,
            numbers.len(),
            numbers.join(", ")
        ))
    }

    /// A line of a summary.
    pub fn line(&self) -> String {
        self.finding().unwrap_or_else(|| {
            format!(
                "initial states: the same from zeros and from {}",
                counted(self.tried.into(), "random one")
            )
        })
    }
}
