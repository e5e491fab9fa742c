//! What was found, as a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pmu_model::Implementation;
use pmu_model::contract::CYCLE_COUNTER;

use super::contract::{OF_SYSTEM_COUNTERS, OF_SYSTEM_PMUS, SAMPLES, Target};
use super::equal::First;
use super::template::{Sample, effort, of_all, ranges};
use super::{INPUT, OUTPUT, Suggestion};
use crate::correspondence::named;

/// Names of one thing that are looked at.
const MOST: usize = 32;

/// The names of each thing, by its place in the correspondence.
#[derive(Default)]
pub struct Found {
    names: BTreeMap<&'static str, Vec<Sample>>,
    valid: BTreeMap<&'static str, Vec<Sample>>,
}

impl Found {
    /// More names of a thing.
    pub fn add(&mut self, target: &Target, names: &[String]) {
        if !names.is_empty() {
            let sample = (target.numbers.clone(), names.to_vec());
            self.names.entry(target.key).or_default().push(sample);
        }
    }

    /// The bits that say whether a register holds something.
    pub fn valid(&mut self, target: &Target, names: &[String]) {
        let sample = (target.numbers.clone(), names.to_vec());
        self.valid.entry(target.key).or_default().push(sample);
    }

    fn name(&self, key: &str) -> Option<String> {
        best(self.names.get(key)?)
    }

    /// Of many bits that are the same as whether the cycle counter counts, that beside those of the others.
    fn cycle_counting(&self) -> Option<String> {
        let (_, names) = self.names.get("common.cycle_counting")?.first()?;
        let like = self.name("counter.counting");
        let like = like.map(|name| named(&name, &[('n', CYCLE_COUNTER)]));
        like.filter(|name| names.contains(name))
            .or_else(|| names.first().cloned())
    }
}

/// The name of all of these, those first of which least is possible.
fn best(samples: &[Sample]) -> Option<String> {
    let mut samples = samples.to_vec();
    samples.sort_by_key(|(_, names)| names.len());
    of_all(&samples, MOST)
}

/// The file.
pub fn written(implementation: &Implementation, found: &Found, first: &First) -> Suggestion {
    let mut text = String::from(
        "# Which signals of this design stand for what of the contract: found in random stimulus, and to be read through.\n\n",
    );
    let mut missing = Vec::new();
    let mut line = |text: &mut String, key: &str, name: Option<String>| {
        let last = key.rsplit('.').next().unwrap_or(key);
        if name.is_none() {
            missing.push(key.to_owned());
        }
        let name = name.unwrap_or_else(|| "?".into());
        let _ = writeln!(text, "{last} = {name:?}");
    };
    line(&mut text, "input_port", Some(INPUT.into()));
    line(&mut text, "input", first.input.clone());
    line(&mut text, "output", Some(OUTPUT.into()));
    let counters = usize::from(implementation.pmu.counters);
    text += "\n[counter]\n";
    for key in ["counting", "base", "type", "c_p", "value"] {
        let key = format!("counter.{key}");
        // Without counters there is none to name.
        let name = match counters {
            0 => Some(String::new()),
            _ => found.name(&key),
        };
        line(&mut text, &key, name);
    }
    text += &follow("follow", &of_counters(&first.follow[..counters]));
    text += "\n[common]\n";
    for key in ["enable", "enabled", "cycle_filter"] {
        let key = format!("common.{key}");
        line(&mut text, &key, found.name(&key));
    }
    let of_cycles = ranges(&first.follow[CYCLE_COUNTER]);
    text += &follow("cycle_filter_follow", &of_cycles);
    line(&mut text, "common.cycle_counting", found.cycle_counting());
    for key in ["cycles", "long", "flags", "select"] {
        let key = format!("common.{key}");
        line(&mut text, &key, found.name(&key));
    }
    if implementation.spe.implemented {
        text += "\n[sampling]\n";
        for key in [
            "count",
            "ecount",
            "interval",
            "random",
            "enabled",
            "in_flight",
            "buffer",
        ] {
            let key = format!("sampling.{key}");
            line(&mut text, &key, found.name(&key));
        }
        let events = SAMPLES.map(|key| found.name(key));
        let mut names = Vec::new();
        for (key, name) in SAMPLES.iter().zip(events) {
            if name.is_none() {
                missing.push((*key).to_owned());
            }
            names.push(name.unwrap_or_else(|| "?".into()));
        }
        text += &list("events", &names);
    }
    if !implementation.system_pmu.is_empty() {
        text += "\n[system]\n";
        let mut line = |text: &mut String, key: &str, last: &str, name: Option<String>| {
            if name.is_none() {
                missing.push(key.to_owned());
            }
            let name = name.unwrap_or_else(|| "?".into());
            let _ = writeln!(text, "{last} = {name:?}");
        };
        for last in ["select", "bank"] {
            let key = format!("system.{last}");
            line(&mut text, &key, last, found.name(&key));
        }
        for key in OF_SYSTEM_COUNTERS.into_iter().chain(OF_SYSTEM_PMUS) {
            let _ = writeln!(text, "\n[{key}]");
            line(&mut text, key, "value", found.name(key));
            if let Some(samples) = found.valid.get(key)
                && let Some(valid) = best(samples)
            {
                let _ = writeln!(text, "valid = {valid:?}");
            }
        }
    }
    Suggestion { text, missing }
}

/// Names that follow the types of several counters, as one.
fn of_counters(follow: &[BTreeSet<String>]) -> Vec<String> {
    let of = |n: usize| -> Sample { (vec![('n', n)], follow[n].iter().cloned().collect()) };
    let mut found = BTreeSet::new();
    for n in 0..follow.len() {
        for name in &follow[n] {
            let is_known = |template: &String| named(template, &[('n', n)]) == *name;
            if found.iter().any(is_known) {
                continue;
            }
            let own: Sample = (vec![('n', n)], vec![name.clone()]);
            // Not every counter has been seen to have it.
            let others = (0..follow.len()).filter(|&other| other != n);
            let pairs = others.map(|other| [own.clone(), of(other)]);
            let templates = pairs.filter_map(|pair| of_all(&pair, 1));
            let template = templates.min_by_key(|template| effort(template));
            found.insert(template.unwrap_or_else(|| name.clone()));
        }
    }
    ranges(&found)
}

/// A list of names that may be empty.
fn follow(key: &str, names: &[String]) -> String {
    match names.is_empty() {
        true => String::new(),
        false => list(key, names),
    }
}

fn list(key: &str, names: &[String]) -> String {
    let lines = names.iter().map(|name| format!("  {name:?},\n"));
    format!("{key} = [\n{}]\n", lines.collect::<String>())
}
