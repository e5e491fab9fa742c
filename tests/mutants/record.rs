//! What became of each mutant.

use serde::Serialize;

use crate::mutant::{Class, Mutant};
use crate::source::Unit;

/// Places among which that of the mutant must be.
const PLACES: usize = 3;
/// Causes among which the true one must be.
pub const CAUSES: usize = 3;

/// The file of a seed.
#[derive(Serialize)]
pub struct Results<'a> {
    pub seed: u64,
    pub mutants: &'a [Record],
}

/// A mutant, and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    pub number: usize,
    pub class: Class,
    pub file: String,
    pub line: usize,
    pub last_line: usize,
    pub before: String,
    pub after: String,
    /// The seed of its stimulus.
    pub seed: u64,
    pub outcome: Outcome,
}

/// What became of a mutant.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It agrees with the model.
    Alive,
    /// It diverged.
    Killed(Killed),
    /// The design stopped.
    Stopped { cycle: u64, why: String },
    /// It cannot be built, or states to be another design: no mutant that anybody would have to find.
    Refused { why: String },
    /// It could not be run.
    Failed { why: String },
}

/// The first divergence.
#[derive(Clone, Debug, Serialize)]
pub struct Killed {
    pub cycle: u64,
    /// The field that differs first.
    pub field: String,
    /// Hypotheses that explain the recorded cycles.
    pub causes: Vec<Cause>,
    /// What is said where there are none.
    pub brief: String,
    /// Places of the RTL, the most suspicious first; none where the report names no places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<Location>>,
    /// How long these took to be found, on cores that others were busy on as well.
    pub seconds: f64,
}

/// A hypothesis that explains a mutant.
#[derive(Clone, Debug, Serialize)]
pub struct Cause {
    pub text: String,
    /// The first cycle of other stimulus that it does not explain; none if it is true.
    pub miss: Option<u64>,
    /// Whether that was looked for.
    pub checked: bool,
}

/// A place of the RTL.
#[derive(Clone, Debug, Serialize)]
pub struct Location {
    pub file: String,
    pub line: usize,
    pub last_line: usize,
    /// What is set there.
    pub signal: String,
    /// A change there that makes the cycles right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// What comes of still other stimulus with it, where it is said to be the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
}

impl Record {
    pub fn new(
        number: usize,
        mutant: &Mutant,
        units: &[Unit],
        seed: u64,
        outcome: Outcome,
    ) -> Self {
        let (line, last_line) = mutant.lines(units);
        Self {
            number,
            class: mutant.class,
            file: units[mutant.unit].name.clone(),
            line,
            last_line,
            before: mutant.before(units),
            after: mutant.after(),
            seed,
            outcome,
        }
    }

    /// The first divergence, if there was one.
    pub fn killed(&self) -> Option<&Killed> {
        match &self.outcome {
            Outcome::Killed(killed) => Some(killed),
            _ => None,
        }
    }

    /// Whether it was found.
    pub fn is_found(&self) -> bool {
        matches!(self.outcome, Outcome::Killed(_) | Outcome::Stopped { .. })
    }

    /// What is said to be the cause: hypotheses, and where there are none changes of the RTL.
    pub fn causes(&self) -> Vec<&Cause> {
        let Some(killed) = self.killed() else {
            return Vec::new();
        };
        if !killed.causes.is_empty() {
            return killed.causes.iter().collect();
        }
        let places = killed.locations.iter().flatten();
        places.filter_map(|place| place.cause.as_ref()).collect()
    }

    /// Whether the cause was named, alone or as one of a few, and is true.
    pub fn is_explained(&self) -> bool {
        let causes = self.causes();
        causes.len() <= CAUSES && causes.iter().any(|cause| cause.is_true())
    }

    /// Whether causes were named, and none of them is true.
    pub fn is_misled(&self) -> bool {
        let causes = self.causes();
        !causes.is_empty() && !causes.iter().any(|cause| cause.is_true())
    }

    /// Which of the places that were named is its own, from 1 on; none where none is.
    pub fn found_at(&self) -> Option<usize> {
        let locations = self.killed()?.locations.as_ref()?;
        let is_here = |place: &Location| {
            place.file == self.file && place.line <= self.last_line && self.line <= place.last_line
        };
        Some(locations.iter().position(is_here)? + 1)
    }

    /// Whether its place is among the first that were named; none where the report names no places.
    pub fn is_located(&self) -> Option<bool> {
        self.killed()?.locations.as_ref()?;
        Some(self.found_at().is_some_and(|place| place <= PLACES))
    }
}

impl Cause {
    /// Whether the mistake and the design were found to be the same.
    pub fn is_true(&self) -> bool {
        self.checked && self.miss.is_none()
    }
}
