//! Coverage: which rules, and which combinations of what matters, a run has taken.
//!
//! [`Coverage`] is a [`Tracer`]: it looks at the record of each cycle. A rule counts as taken when its condition was
//! decided by the inputs of a cycle, not because code was there. Rules that no cycle can take are told in
//! [`Takes`](crate::rules::Takes).
//!
//! ```
//! use pmu_model::coverage::Coverage;
//! use pmu_model::{CycleInput, CycleOutput, Implementation, Model, SysReg, Unknown};
//!
//! let implementation = Implementation::default();
//! let mut coverage = Coverage::new(&implementation);
//! let mut model = Model::new(&implementation).expect("the default is consistent");
//! let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
//! let read = CycleInput::read(SysReg::Pmmir);
//! model.step(&read, 0, &mut output, &mut unknown, &mut coverage);
//! assert_eq!(coverage.rule("TH-07"), Some(1));
//! assert_eq!(coverage.rule("TH-20"), Some(0));
//! assert!(coverage.uncovered().contains(&"TH-20".to_owned()));
//! ```

mod audit;
mod crosses;
pub mod points;
mod predicates;
#[cfg(test)]
mod tests;
mod view;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::AccessKind;
use crate::implementation::Implementation;
use crate::trace::{CycleRecord, Tracer};
use crate::wrapper::PARTS;

use audit::Audit;
use crosses::{Cross, Crosses};
use points::{Point, Threshold};
use predicates::{OTHERS, PREDICATES, Predicate};
use view::{Memory, Types, View};

/// Counts of rules and of points of crosses, for one implementation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Coverage {
    implementation: Implementation,
    cycles: u64,
    /// By position in [`PREDICATES`] and [`OTHERS`].
    taken: Vec<u64>,
    others: Vec<u64>,
    crosses: Crosses,
    audit: Audit,
    types: Types,
    memory: Memory,
}

/// Coverage as it is written: by names.
#[derive(Serialize, Deserialize)]
struct Saved {
    implementation: Implementation,
    cycles: u64,
    rules: BTreeMap<String, u64>,
    crosses: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Coverage that cannot be taken together, or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoverageError {
    /// Of two implementations.
    #[error(
        "expected coverage of implementation {expected:?}, found that of {found:?}, which differs in features or knobs"
    )]
    OtherImplementation {
        /// Name of one.
        expected: String,
        /// Name of the other.
        found: String,
    },
    /// A rule or a point that there is none of, in a file of another version.
    #[error("{what} is no rule or point of implementation {implementation:?} in this version")]
    NoSuchPoint {
        /// Its name.
        what: String,
        /// Name of the implementation.
        implementation: String,
    },
}

impl Coverage {
    /// Nothing has been taken of what `implementation` can take.
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            cycles: 0,
            taken: vec![0; PREDICATES.len()],
            others: vec![0; OTHERS.len()],
            crosses: Crosses::new(implementation),
            audit: Audit::new(implementation),
            types: Types::new(implementation),
            memory: Memory::default(),
            implementation: implementation.clone(),
        }
    }

    /// What the counts are of.
    pub fn implementation(&self) -> &Implementation {
        &self.implementation
    }

    /// Cycles looked at.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// In how many cycles each rule was taken, for those that the implementation can take in a cycle.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.taken.iter().chain(&self.others);
        PREDICATES
            .iter()
            .chain(OTHERS)
            .zip(counts)
            .filter(|(predicate, _)| (predicate.reachable)(&self.implementation))
            .map(|(predicate, &count)| (predicate.id, count))
    }

    /// In how many cycles the rule was taken; `None` if the implementation cannot take it in a cycle.
    pub fn rule(&self, id: &str) -> Option<u64> {
        self.rules()
            .find(|&(of, _)| of == id)
            .map(|(_, count)| count)
    }

    /// The rules that a cycle takes in some implementation and not in this one; with each the key of the first part of the contract
    /// that this one's wrapper lacks and would need for it (DUT-72), none where its features or sizes decide.
    pub fn not_possible(&self) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        let implementation = &self.implementation;
        let lacks = implementation.wrapper.lacks();
        let rules = PREDICATES.iter().chain(OTHERS);
        let not_possible = rules.filter(|rule| !(rule.reachable)(implementation));
        not_possible.map(move |rule| {
            let with = |lacks: u16| {
                let wrapper = implementation.wrapper.clone().with_parts(lacks);
                let implementation = Implementation {
                    wrapper,
                    ..implementation.clone()
                };
                (rule.reachable)(&implementation)
            };
            let mut parts = (0..PARTS.len()).filter(|part| lacks >> part & 1 == 1);
            let part = match with(0) {
                // Where two parts must be there, either of them.
                true => parts.find(|part| !with(1 << part)),
                false => None,
            };
            (rule.id, part.map(|part| PARTS[part].0))
        })
    }

    /// The crosses by name, each with the points that the implementation can reach, and how often each was.
    pub fn crosses(&self) -> impl Iterator<Item = (&'static str, &[(String, u64)])> {
        let all = self.crosses.all.iter().chain(&self.audit.crosses);
        all.map(|cross| (cross.name, cross.points.as_slice()))
    }

    /// The points that have not been taken, by cross and name, and what each means.
    pub fn missing(&self) -> impl Iterator<Item = (&'static str, &str, Point)> {
        let all = self.crosses.all.iter().chain(&self.audit.crosses);
        all.flat_map(|cross| {
            let points = cross.points.iter().zip(&cross.meanings);
            let never = points.filter(|((_, count), _)| *count == 0);
            never.map(|((name, _), meaning)| (cross.name, name.as_str(), *meaning))
        })
    }

    /// The combinations of the cross `threshold` that are none of its points: no cycle is said to have them.
    pub fn left_out(&self) -> impl Iterator<Item = Threshold> {
        self.crosses.left_out_of_threshold().map(Threshold::of)
    }

    fn crosses_mut(&mut self) -> impl Iterator<Item = &mut Cross> {
        self.crosses.all.iter_mut().chain(&mut self.audit.crosses)
    }

    /// The crosses of the audit (see [`crate::audit`]).
    pub fn audit(&self) -> impl Iterator<Item = (&'static str, &[(String, u64)])> {
        let audit = self.audit.crosses.iter();
        audit.map(|cross| (cross.name, cross.points.as_slice()))
    }

    /// The rules and the points that have not been taken: ids, and names of cross and point.
    pub fn uncovered(&self) -> Vec<String> {
        let rules = self.rules().filter(|&(_, count)| count == 0);
        let points = self.crosses().flat_map(|(name, points)| {
            let never = points.iter().filter(|(_, count)| *count == 0);
            never.map(move |(point, _)| format!("{name}: {point}"))
        });
        rules.map(|(id, _)| id.to_owned()).chain(points).collect()
    }

    /// Adds what `other` has taken.
    ///
    /// # Errors
    /// It is of another implementation.
    pub fn merge(&mut self, other: &Self) -> Result<(), CoverageError> {
        if self.implementation != other.implementation {
            return Err(CoverageError::OtherImplementation {
                expected: self.implementation.name.clone(),
                found: other.implementation.name.clone(),
            });
        }
        self.cycles += other.cycles;
        let counts = self.taken.iter_mut().chain(&mut self.others);
        for (count, other) in counts.zip(other.taken.iter().chain(&other.others)) {
            *count += other;
        }
        for (cross, (_, other)) in self.crosses_mut().zip(other.crosses()) {
            for ((_, count), (_, other)) in cross.points.iter_mut().zip(other) {
                *count += other;
            }
        }
        Ok(())
    }

    /// Takes a cycle.
    pub fn take(&mut self, record: &CycleRecord) {
        self.cycles += 1;
        if record.reset || record.clock_stopped {
            let view = View::new(record, &self.implementation, &self.types, &self.memory);
            count(OTHERS, &mut self.others, &view);
        } else {
            let changed = self.types.take(record, &self.implementation);
            let view = View::new(record, &self.implementation, &self.types, &self.memory);
            count(PREDICATES, &mut self.taken, &view);
            self.crosses.take(&view);
            self.audit.take(&view, changed);
            let type_written = view.type_written();
            self.memory.counting = view.counting;
            self.remember(record, type_written);
        }
        if record.reset {
            self.memory = Memory {
                untouched: true,
                ..Memory::default()
            };
        }
    }

    fn remember(&mut self, record: &CycleRecord, type_written: Option<(usize, u64)>) {
        let memory = &mut self.memory;
        if AccessKind::from_code(record.input.access_kind) != AccessKind::None {
            memory.untouched = false;
        }
        if let Some((n, _)) = type_written {
            memory.types_written |= 1 << n;
        }
        let happened = &record.sampling.happened;
        if happened.loaded_at_enable || happened.restarted {
            memory.loaded_at_enable = happened.loaded_at_enable;
            memory.selected = false;
        }
        memory.selected |= record.sampling.sampled.selected() != 0;
    }
}

/// Counts the predicates that hold.
fn count(predicates: &[Predicate], counts: &mut [u64], view: &View<'_>) {
    for (predicate, count) in predicates.iter().zip(counts) {
        *count += u64::from((predicate.taken)(view));
    }
}

impl Tracer for Coverage {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.take(&record);
    }
}

impl From<Coverage> for Saved {
    fn from(coverage: Coverage) -> Self {
        let rules = coverage.rules().map(|(id, count)| (id.to_owned(), count));
        let crosses = coverage.crosses().map(|(name, points)| {
            let points = points.iter().cloned().collect();
            (name.to_owned(), points)
        });
        Self {
            cycles: coverage.cycles,
            rules: rules.collect(),
            crosses: crosses.collect(),
            implementation: coverage.implementation,
        }
    }
}

impl TryFrom<Saved> for Coverage {
    type Error = CoverageError;

    fn try_from(mut saved: Saved) -> Result<Self, CoverageError> {
        let mut coverage = Self::new(&saved.implementation);
        coverage.cycles = saved.cycles;
        let counts = coverage.taken.iter_mut().chain(&mut coverage.others);
        for (predicate, count) in PREDICATES.iter().chain(OTHERS).zip(counts) {
            *count = saved.rules.remove(predicate.id).unwrap_or(0);
        }
        for cross in coverage.crosses_mut() {
            let mut points = saved.crosses.remove(cross.name).unwrap_or_default();
            for (name, count) in &mut cross.points {
                *count = points.remove(name).unwrap_or(0);
            }
            saved.rules.extend(points);
        }
        let left = saved
            .rules
            .into_keys()
            .chain(saved.crosses.into_keys())
            .next();
        match left {
            None => Ok(coverage),
            Some(what) => Err(CoverageError::NoSuchPoint {
                what,
                implementation: saved.implementation.name,
            }),
        }
    }
}
