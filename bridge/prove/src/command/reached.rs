//! What a person reads of points that random stimulus did not take, and what a program does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use lockstep_base::verdict::Verdict;
use lockstep_prove::reach::Found;
use lockstep_prove::solver::Certificate;
use pmu_model::CycleInput;
use pmu_model::coverage::Coverage;
use serde_json::{Value, json};

/// What came of a point.
pub struct OfPoint {
    pub cross: &'static str,
    pub name: String,
    pub found: Found,
}

impl OfPoint {
    /// The stimulus that takes it.
    pub fn cycles(&self) -> &[CycleInput] {
        match &self.found {
            Found::Taken(cycles) => cycles,
            Found::Never(_) | Found::NotDecided(_) => &[],
        }
    }
}

/// What came of an implementation.
pub struct Result<'a> {
    /// What there was before.
    pub taken: &'a Coverage,
    /// Points that were not taken.
    pub points: Vec<OfPoint>,
    /// How many combinations of the cross `threshold` are no points, and that no cycle has them.
    pub left_out: (usize, Option<Certificate>),
    /// The stimulus of all points for which there is some, and its cycles.
    pub stimulus: Option<PathBuf>,
    pub cycles: usize,
    /// What that takes.
    pub together: Option<Coverage>,
}

impl Result<'_> {
    fn rules(&self) -> Vec<&'static str> {
        let never = self.taken.rules().filter(|&(_, count)| count == 0);
        never.map(|(id, _)| id).collect()
    }

    /// Rules that the stimulus takes by the way, and the others.
    fn rules_by_the_way(&self) -> [Vec<&'static str>; 2] {
        let is_taken = |id: &str| {
            let together = self.together.as_ref().and_then(|taken| taken.rule(id));
            together.is_some_and(|count| count > 0)
        };
        let (taken, not) = self.rules().into_iter().partition(|id| is_taken(id));
        [taken, not]
    }

    /// Points without stimulus, by what came of them and their cross.
    fn told(&self) -> BTreeMap<String, Vec<&str>> {
        let mut told: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for point in &self.points {
            let cross = point.cross;
            let words = match &point.found {
                Found::Never(_) => format!("never, of {cross}"),
                Found::NotDecided(why) => format!("not decided, of {cross} ({why})"),
                Found::Taken(_) => continue,
            };
            told.entry(words).or_default().push(&point.name[..]);
        }
        told
    }

    fn verdict(&self) -> Verdict {
        let points = self.points.iter();
        let undecided = points.filter(|point| matches!(point.found, Found::NotDecided(_)));
        let is_left_out = self.left_out.0 == 0 || self.left_out.1.is_some();
        let [_, rules] = self.rules_by_the_way();
        match undecided.count() == 0 && is_left_out && rules.is_empty() {
            true => Verdict::Agree,
            false => Verdict::NotFound,
        }
    }
}

/// So many points are named of those of a cross that end alike.
const NAMED: usize = 4;

/// The verdict of all implementations.
pub fn verdict(results: &[Result]) -> Verdict {
    match results.iter().all(|of| of.verdict() == Verdict::Agree) {
        true => Verdict::Agree,
        false => Verdict::NotFound,
    }
}

/// The results for a person: the verdict is last.
pub fn text(results: &[Result]) -> String {
    let mut text = String::new();
    for result in results {
        if results.len() > 1 {
            let name = &result.taken.implementation().name;
            let _ = writeln!(text, "implementation {name}");
        }
        told(&mut text, result);
        text.push('\n');
    }
    text.push_str(match verdict(results) {
        Verdict::Agree => "REACHED: stimulus takes every point, or none can\n",
        _ => "NOT DECIDED: some points are neither taken, nor proved to be out of reach\n",
    });
    text
}

/// What came of an implementation.
fn told(text: &mut String, result: &Result) {
    let cycles = result.taken.cycles();
    let _ = writeln!(
        text,
        "{:<24}{:>8}{:>8}{:>8}{:>7}{:>13}",
        "CROSS", "POINTS", "TAKEN", "FOUND", "NEVER", "NOT DECIDED"
    );
    let line = |text: &mut String, name: &str, counts: [usize; 5]| {
        let [points, taken, found, never, not] = counts;
        let _ = writeln!(
            text,
            "{name:<24}{points:>8}{taken:>8}{found:>8}{never:>7}{not:>13}"
        );
    };
    for (cross, points) in result.taken.crosses() {
        let own = || result.points.iter().filter(|point| point.cross == cross);
        let count = |is: fn(&Found) -> bool| own().filter(|point| is(&point.found)).count();
        let counts = [
            points.len(),
            points.len() - own().count(),
            count(|found| matches!(found, Found::Taken(_))),
            count(|found| matches!(found, Found::Never(_))),
            count(|found| matches!(found, Found::NotDecided(_))),
        ];
        line(text, cross, counts);
    }
    let [by_the_way, rules] = result.rules_by_the_way();
    let all = result.taken.rules().count();
    let taken = all - by_the_way.len() - rules.len();
    let counts = [all, taken, by_the_way.len(), 0, rules.len()];
    line(text, "rules", counts);
    let _ = writeln!(text, "\nTAKEN: in {cycles} cycles");
    let (left_out, never) = (result.left_out.0, &result.left_out.1);
    match never {
        Some(certificate) if left_out > 0 => {
            let steps = certificate.steps.len();
            let _ = writeln!(
                text,
                "threshold: {left_out} other combinations are no points; that no cycle has one is proved ({steps} steps)"
            );
        }
        None if left_out > 0 => {
            let _ = writeln!(
                text,
                "not decided: whether a cycle can have one of {left_out} combinations that are no points of threshold"
            );
        }
        _ => {}
    }
    for (words, points) in result.told() {
        let more = match points.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = points[..points.len().min(NAMED)].join("; ");
        let _ = writeln!(text, "{words}: {named}{more}");
    }
    if !rules.is_empty() {
        let _ = writeln!(
            text,
            "not decided (rules have no formulas): {}",
            rules.join(", ")
        );
    }
    if let Some(path) = &result.stimulus {
        let (path, cycles) = (path.display(), result.cycles);
        let found = result.points.iter().filter(|of| !of.cycles().is_empty());
        let found = found.count();
        let _ = writeln!(
            text,
            "stimulus: {path}, {cycles} cycles from resets on, takes the {found} that were found"
        );
    }
}

/// The results for a program.
pub fn json(results: &[Result]) -> String {
    let of: Vec<_> = results.iter().map(value).collect();
    let value = json!({ "verdict": word(verdict(results)), "implementations": of });
    format!("{value:#}\n")
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agree => "reached",
        _ => "not_decided",
    }
}

/// What came of an implementation.
fn value(result: &Result) -> Value {
    let points: Vec<Value> = result
        .points
        .iter()
        .map(|point| {
            let (word, why) = match &point.found {
                Found::Taken(_) => ("found", None),
                Found::Never(_) => ("never", None),
                Found::NotDecided(why) => ("not_decided", Some(why)),
            };
            json!({ "cross": point.cross, "point": point.name, "found": word, "why": why })
        })
        .collect();
    let [by_the_way, rules] = result.rules_by_the_way();
    json!({
        "verdict": word(result.verdict()),
        "implementation": result.taken.implementation(),
        "cycles": result.taken.cycles(),
        "points": points,
        "rules": { "found": by_the_way, "not_decided": rules },
        "left_out": { "threshold": result.left_out.0, "never": result.left_out.1.is_some() },
        "stimulus": result.stimulus,
    })
}
