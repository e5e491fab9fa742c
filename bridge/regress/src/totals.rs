//! What runs have taken together, by implementation and design.

use std::collections::BTreeMap;

use pmu_model::Implementation;
use pmu_model::coverage::Coverage;
use serde_json::{Map, Value, json};

use crate::record::Record;
use crate::taken::{Taken, sorted};

/// What all runs of an implementation with a design took, of those that came to their ends: what follows a divergence is
/// not compared.
#[derive(Clone, Debug)]
pub struct Total {
    /// Name of the implementation in the suite.
    pub implementation: String,
    /// Name of the design.
    pub design: String,
    /// Runs that counted.
    pub runs: usize,
    /// Cycles of them.
    pub cycles: u64,
    /// Keys that differ from the default.
    keys: Map<String, Value>,
    rules: Vec<u64>,
    /// Runs that hit each point.
    points: BTreeMap<String, Vec<u64>>,
}

impl Total {
    fn new(record: &Record, taken: &Taken) -> Self {
        Self {
            implementation: record.implementation.clone(),
            design: record.design.clone(),
            runs: 0,
            cycles: 0,
            keys: taken.implementation.clone(),
            rules: Vec::new(),
            points: BTreeMap::new(),
        }
    }

    /// Adds what a run took.
    ///
    /// # Returns
    /// Whether something of it is new.
    fn add(&mut self, cycles: u64, taken: &Taken) -> bool {
        self.runs += 1;
        self.cycles += cycles;
        let mut new = add(&mut self.rules, taken.rules.iter().copied());
        for (name, points) in &taken.crosses {
            let held = match self.points.get_mut(name) {
                Some(held) => held,
                None => self.points.entry(name.clone()).or_default(),
            };
            new |= add(held, points.bits().map(u64::from));
        }
        new
    }

    /// Points of crosses that the implementation can reach.
    pub fn points(&self) -> usize {
        self.points.values().map(Vec::len).sum()
    }

    /// Those of them that a run hit.
    pub fn points_hit(&self) -> usize {
        let counts = self.points.values().flatten();
        counts.filter(|&&count| count > 0).count()
    }

    /// Rules and points that a run took, and how many there are.
    pub fn share(&self) -> (usize, usize) {
        let rules = self.rules.iter().filter(|&&count| count > 0).count();
        (rules + self.points_hit(), self.rules.len() + self.points())
    }

    /// The same as coverage of a run is written. A point counts the runs that hit it.
    ///
    /// # Errors
    /// It is not of an implementation, rules and points of this version.
    pub fn coverage(&self) -> Result<Coverage, serde_json::Error> {
        let implementation: Implementation =
            serde_json::from_value(Value::Object(self.keys.clone()))?;
        let blank = Coverage::new(&implementation);
        let rules: BTreeMap<_, _> = blank.rules().collect();
        let rules: BTreeMap<_, _> = rules.into_keys().zip(&self.rules).collect();
        let none = Vec::new();
        let crosses = blank.crosses().map(|(name, points)| {
            let counts = self.points.get(name).unwrap_or(&none);
            let points: BTreeMap<_, _> = sorted(points).into_keys().zip(counts).collect();
            (name, points)
        });
        let crosses: BTreeMap<_, _> = crosses.collect();
        serde_json::from_value(json!({
            "implementation": implementation,
            "cycles": self.cycles,
            "rules": rules,
            "crosses": crosses,
        }))
    }
}

/// Adds counts.
///
/// # Returns
/// Whether one was zero, and is not any more.
fn add(held: &mut Vec<u64>, counts: impl Iterator<Item = u64>) -> bool {
    let mut new = false;
    for (place, count) in counts.enumerate() {
        if place == held.len() {
            held.push(0);
        }
        new |= held[place] == 0 && count > 0;
        held[place] = held[place].saturating_add(count);
    }
    new
}

/// Totals by implementation and design.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    all: BTreeMap<(String, String, String), Total>,
}

impl Totals {
    /// Adds a run, if it came to its end and counted what it took.
    ///
    /// # Returns
    /// Whether it took something that no run before took.
    pub fn add(&mut self, record: &Record) -> bool {
        let compared = record.compared.as_ref().filter(|_| record.is_complete());
        let Some((compared, taken)) = compared.and_then(|it| Some((it, it.taken.as_ref()?))) else {
            return false;
        };
        // A recording has an implementation of its own.
        let keys = serde_json::to_string(&taken.implementation).unwrap_or_default();
        let key = (record.implementation.clone(), record.design.clone(), keys);
        let total = self.all.entry(key);
        let total = total.or_insert_with(|| Total::new(record, taken));
        total.add(compared.cycles, taken)
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Total> {
        self.all.values()
    }
}
