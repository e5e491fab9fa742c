//! What was found, as a file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pmu_model::Implementation;
use pmu_model::contract::CYCLE_COUNTER;
use pmu_model::implementation::Layout;

use super::contract::{OF_SYSTEM_COUNTERS, OF_SYSTEM_PMUS, SAMPLES, Target};
use super::equal::First;
use super::template::{Sample, effort, of_all, ranges};
use super::{INPUT, OUTPUT, Suggestion};
use crate::correspondence::named;

/// Names of one thing that are looked at.
const MOST: usize = 32;

const HEAD: &str = "# Which signals of this design stand for what of the contract: found in random stimulus, and to be \
    read through.\n\n";

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

/// The file, as far as it is written.
struct Lines {
    text: String,
    missing: Vec<String>,
}

impl Lines {
    /// `last = name`, for what has the key; what a design need not have is not missed.
    fn name(&mut self, (key, last): (&str, &str), name: Option<String>, is_needed: bool) {
        if name.is_none() && is_needed {
            self.missing.push(key.to_owned());
        }
        let name = name.unwrap_or_else(|| "?".into());
        let _ = writeln!(self.text, "{last} = {name:?}");
    }
}

/// The file.
pub fn written(implementation: &Implementation, found: &Found, first: &First) -> Suggestion {
    let pmu = &implementation.pmu;
    let has_edges = pmu.edge && implementation.knobs.layout == Layout::Current;
    let mut lines = Lines {
        text: HEAD.to_owned(),
        missing: Vec::new(),
    };
    let add = |lines: &mut Lines, table: &str, last: &str, is_needed: bool| {
        let key = format!("{table}.{last}");
        let name = match key.as_str() {
            "common.cycle_counting" => found.cycle_counting(),
            _ => found.name(&key),
        };
        lines.name((&key, last), name, is_needed);
    };
    lines.name(("input_port", "input_port"), Some(INPUT.into()), true);
    lines.name(("input", "input"), first.input.clone(), true);
    lines.name(("output", "output"), Some(OUTPUT.into()), true);
    lines.text += "\n[counter]\n";
    let counters = usize::from(pmu.counters);
    for last in ["counting", "base", "type", "c_p", "value"] {
        add(
            &mut lines,
            "counter",
            last,
            counters > 0 && (last != "c_p" || has_edges),
        );
    }
    lines.text += &follow("follow", &of_counters(&first.follow[..counters]));
    lines.text += "\n[common]\n";
    for last in ["enable", "enabled", "cycle_filter"] {
        add(&mut lines, "common", last, true);
    }
    let of_cycles = ranges(&first.follow[CYCLE_COUNTER]);
    lines.text += &follow("cycle_filter_follow", &of_cycles);
    for last in ["cycle_counting", "cycles", "long", "flags", "select"] {
        add(
            &mut lines,
            "common",
            last,
            last != "long" || pmu.counter_bits == 64,
        );
    }
    if implementation.spe.implemented {
        lines.text += "\n[sampling]\n";
        for last in [
            "count",
            "ecount",
            "interval",
            "random",
            "enabled",
            "in_flight",
            "buffer",
        ] {
            add(&mut lines, "sampling", last, last != "enabled");
        }
        let names = SAMPLES.map(|key| {
            let name = found.name(key);
            // Without a counter there is no use of it.
            if name.is_none() && pmu.counters > 0 {
                lines.missing.push(key.to_owned());
            }
            name.unwrap_or_else(|| "?".into())
        });
        lines.text += &list("events", &names);
    }
    if !implementation.system_pmu.is_empty() {
        lines.text += "\n[system]\n";
        for last in ["select", "bank"] {
            add(&mut lines, "system", last, true);
        }
        for key in OF_SYSTEM_COUNTERS.into_iter().chain(OF_SYSTEM_PMUS) {
            let _ = writeln!(lines.text, "\n[{key}]");
            lines.name((key, "value"), found.name(key), true);
            if let Some(valid) = found.valid.get(key).and_then(|samples| best(samples)) {
                let _ = writeln!(lines.text, "valid = {valid:?}");
            }
        }
    }
    let Lines { text, missing } = lines;
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
