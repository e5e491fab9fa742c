//! What a person reads of proofs, and what a program does.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use cadical_sys::CaDiCal;
use clap::ValueEnum;
use indicatif::ProgressBar;
use lockstep_base::verdict::Verdict;
use lockstep_prove::proof::{Area, Claim, Found};
use pmu_model::Implementation;
use serde_json::{Value, json};

/// What came of an area.
pub struct OfArea {
    pub area: Area,
    pub claims: Vec<Claim>,
}

impl OfArea {
    fn count(&self, result: Found) -> usize {
        let claims = self.claims.iter();
        claims.filter(|claim| claim.result == result).count()
    }

    fn seconds(&self) -> f64 {
        // The sum of none is -0.0.
        0.0 + self.claims.iter().map(|claim| claim.seconds).sum::<f64>()
    }
}

/// A counter-example, and what a run of it came to.
pub struct Shown {
    pub stimulus: PathBuf,
    /// The report of the run.
    pub report: String,
    /// Where the run differs first.
    pub cycle: u64,
    pub field: String,
    /// That is what the claim is about.
    pub is_about: bool,
}

/// Tells how far it is, where somebody looks.
pub struct Told {
    bar: ProgressBar,
    done: usize,
    words: String,
}

impl Told {
    /// Quiet where the result is JSON; indicatif is where there is no terminal.
    pub fn new(is_json: bool) -> Self {
        let bar = match is_json {
            true => ProgressBar::hidden(),
            false => ProgressBar::new_spinner(),
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            done: 0,
            words: String::new(),
        }
    }

    /// What is done now.
    pub fn begin(&mut self, words: &str) {
        words.clone_into(&mut self.words);
        self.done = 0;
        self.bar.set_message(words.to_owned());
    }

    /// The design has been read.
    pub fn read(&self, yosys: &str, registers: usize, gates: usize) {
        if !self.bar.is_hidden() {
            self.bar
                .suspend(|| eprintln!("{yosys}: {registers} registers, {gates} gates"));
        }
    }

    /// A claim has been looked at.
    pub fn claim(&mut self) {
        self.done += 1;
        self.bar
            .set_message(format!("{}: {} claims", self.words, self.done));
    }

    /// There is nothing more to wait for.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// The word of an area on the command line and in files.
pub fn key(area: Area) -> String {
    let value = area.to_possible_value();
    value.map_or_else(String::new, |value| value.get_name().to_owned())
}

/// An area that is not looked at, and why.
pub type LeftOut = (Area, &'static str);

/// The result for a person: the verdict is last.
pub fn text(
    yosys: &str,
    (results, left_out, notes): (&[OfArea], &[LeftOut], &[String]),
    verdict: Verdict,
    refuted: Option<&Claim>,
    shown: Option<&Shown>,
) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<26}{:>8}{:>8}{:>13}{:>9}{:>10}",
        "AREA", "CLAIMS", "PROVED", "NOT DECIDED", "REFUTED", "TIME"
    );
    for result in results {
        let _ = writeln!(
            text,
            "{:<26}{:>8}{:>8}{:>13}{:>9}{:>8.1} s",
            result.area.words(),
            result.claims.len(),
            result.count(Found::Proved),
            result.count(Found::NotDecided),
            result.count(Found::Refuted),
            result.seconds()
        );
    }
    let claims = || results.iter().flat_map(|result| &result.claims);
    let certified = claims().filter(|claim| claim.steps > 0).count();
    let proved = claims()
        .filter(|claim| claim.result == Found::Proved)
        .count();
    let _ = writeln!(
        text,
        "\n{certified} by a solver, whose derivations were checked; {} as both make the same circuit.",
        proved - certified
    );
    for (area, why) in left_out {
        let _ = writeln!(text, "\nnot looked at: {} ({why})", area.words());
    }
    text.push_str("\nTaken for granted:\n");
    for assumption in assumptions(results, notes) {
        let _ = writeln!(text, "- {assumption}");
    }
    let _ = writeln!(text, "\nBy lockstep {VERSION}, {yosys}, {}.", solver());
    for claim in claims().filter(|claim| claim.result == Found::NotDecided) {
        let _ = writeln!(text, "\nnot decided: {}", claim.claim);
    }
    if let Some(shown) = shown {
        let stimulus = shown.stimulus.display();
        let _ = write!(text, "\n{}\nstimulus: {stimulus}\n", shown.report);
        if !shown.is_about {
            let Shown { cycle, field, .. } = shown;
            let _ = writeln!(
                text,
                "first it differs in something else: {field}, in cycle {cycle}"
            );
        }
    }
    text.push('\n');
    match (verdict, refuted) {
        (Verdict::Agree, _) => {
            text.push_str("PROVED: for all states and inputs, with what is taken for granted\n")
        }
        (Verdict::Divergence, Some(claim)) => {
            let rules = claim.rules.join(", ");
            let _ = writeln!(text, "REFUTED: {} ({rules})", claim.claim);
        }
        (_, Some(claim)) => {
            let _ = writeln!(
                text,
                "NOT DECIDED: {} does not hold in some state, but no stimulus of the form that was tried comes to one",
                claim.claim
            );
        }
        _ if claims().all(|claim| claim.result == Found::Proved) => text.push_str(
            "NOT DECIDED: what was looked at is proved, and the rest was not looked at (--area leaves it out)\n",
        ),
        _ => text.push_str("NOT DECIDED: more time may do (--limit)\n"),
    }
    text
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The solver and its version.
fn solver() -> String {
    format!("CaDiCaL {}", CaDiCal::version())
}

/// All that is taken for granted, each once.
fn assumptions<'a>(results: &[OfArea], notes: &'a [String]) -> Vec<&'a str> {
    let of_areas = results
        .iter()
        .flat_map(|result| result.area.assumptions().iter().copied());
    let of_all = [
        "the netlist that Yosys makes means what Verilator runs",
        "what has no circuit in the model is run for each value of what it depends on, or joined by the named rules",
        "a claim becomes the formula that is certified without a check of its own",
    ];
    let notes = notes.iter().map(String::as_str);
    let mut all: Vec<&str> = Vec::new();
    for assumption in of_areas.chain(of_all).chain(notes) {
        if !all.contains(&assumption) {
            all.push(assumption);
        }
    }
    all
}

/// The result for a program.
pub fn json(
    yosys: &str,
    implementation: &Implementation,
    (results, left_out, notes): (&[OfArea], &[LeftOut], &[String]),
    verdict: Verdict,
    shown: Option<&Shown>,
) -> String {
    let areas: Vec<Value> = results
        .iter()
        .map(|result| {
            json!({
                "area": result.area,
                "claims": result.claims,
                "assumptions": result.area.assumptions(),
            })
        })
        .collect();
    let word = match verdict {
        Verdict::Agree => "proved",
        Verdict::Divergence => "refuted",
        _ => "not_decided",
    };
    let value = json!({
        "verdict": word,
        "lockstep": VERSION,
        "yosys": yosys,
        "solver": solver(),
        "implementation": implementation,
        "areas": areas,
        "left_out": left_out
            .iter()
            .map(|(area, why)| json!({ "area": area, "why": why }))
            .collect::<Vec<_>>(),
        "assumptions": assumptions(results, notes),
        "counter_example": shown.map(|shown| json!({
            "stimulus": shown.stimulus,
            "cycle": shown.cycle,
            "field": shown.field,
            "is_of_claim": shown.is_about,
        })),
    });
    format!("{value:#}\n")
}
