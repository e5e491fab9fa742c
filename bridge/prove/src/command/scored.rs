//! What a person reads of a score, and what a program does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use lockstep_prove::score::{Counts, Fate, Scored};
use pmu_model::Implementation;
use serde::Serialize;

/// Tells how far it is, where somebody looks.
pub struct Told(ProgressBar);

impl Told {
    /// Quiet where the result is JSON; indicatif is where there is no terminal.
    pub fn new(is_json: bool) -> Self {
        let bar = match is_json {
            true => ProgressBar::hidden(),
            false => ProgressBar::no_length(),
        };
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// A line that stays.
    pub fn line(&self, words: &str) {
        if !self.0.is_hidden() {
            self.0.suspend(|| eprintln!("{words}"));
        }
    }

    /// What is done now, to so many; 0 if nobody knows.
    pub fn begin(&self, words: &str, count: usize) {
        let form = match count {
            0 => "{spinner} {msg}",
            _ => "{spinner} {msg}: {pos} of {len}, {eta} left",
        };
        if let Ok(style) = ProgressStyle::with_template(form) {
            self.0.set_style(style);
        }
        self.0.set_length(count as u64);
        self.0.set_position(0);
        self.0.set_message(words.to_owned());
    }

    /// One of them is done.
    pub fn one(&self) {
        self.0.inc(1);
    }

    /// There is nothing more to wait for.
    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

/// All that is told.
#[derive(Serialize)]
pub struct Result<'a> {
    pub seed: u64,
    pub yosys: &'a str,
    pub implementation: &'a Implementation,
    /// Of random stimulus.
    pub cycles: u64,
    /// To build, to run, to judge.
    pub seconds: [f64; 3],
    pub counts: Counts,
    /// In percent.
    pub score: Option<f64>,
    pub at_least: Option<f64>,
    pub mutants: &'a [Scored],
}

/// The result for a program.
pub fn json(result: &Result<'_>) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(result)? + "\n")
}

/// The result for a person: the verdict is last.
pub fn text(result: &Result<'_>, is_judged: bool) -> String {
    let mut text = String::new();
    let file = |of: &Scored| match of.mutant.place.split_once(':') {
        Some((file, _)) => file.to_owned(),
        None => "memories".to_owned(),
    };
    let mut files: BTreeMap<String, Vec<&Fate>> = BTreeMap::new();
    for of in result.mutants {
        files.entry(file(of)).or_default().push(&of.fate);
    }
    let width = files
        .keys()
        .map(String::len)
        .max()
        .unwrap_or(0)
        .clamp(4, 40);
    let head = ["MUTANTS", "NOTICED", "LEFT", "EQUAL", "NOT DECIDED"];
    let _ = write!(text, "{:<width$}", "FILE");
    for word in head {
        let _ = write!(text, "  {word:>7}");
    }
    text.push_str("  SCORE\n");
    let mut row = |name: &str, counts: Counts| {
        let open = counts.not_decided + counts.alive;
        let columns = [
            counts.made,
            counts.killed,
            counts.left,
            counts.equivalent,
            open,
        ];
        let _ = write!(text, "{name:<width$}");
        for (column, head) in columns.into_iter().zip(head) {
            let _ = write!(text, "  {column:>0$}", head.len().max(7));
        }
        let score = counts
            .score()
            .map_or("-".into(), |score| format!("{score:.0} %"));
        let _ = writeln!(text, "  {score:>5}");
    };
    for (file, fates) in &files {
        row(file, Counts::of(fates.iter().copied()));
    }
    row("all", result.counts);
    for of in result.mutants {
        let mutant = &of.mutant;
        let what = match &of.fate {
            Fate::Killed(_) | Fate::Equivalent { .. } => continue,
            Fate::Left { claim, kill } => format!(
                "left: {claim} does not hold; {} notices it in cycle {}, by {}",
                kill.by, kill.cycle, kill.field
            ),
            Fate::NotDecided { claim } => format!("not decided: {claim}"),
            Fate::Alive => "not noticed".into(),
        };
        let _ = writeln!(
            text,
            "\n{}  {}, port {} of {}\n  {what}",
            mutant.place,
            mode(&mutant.mode),
            mutant.port,
            mutant.cell
        );
    }
    if !is_judged && result.counts.alive > 0 {
        text.push_str(
            "\nNo solver was asked about what the regression does not notice: some of it may be equal to the design. With \
             --correspondence one is.\n",
        );
    }
    let [build, run, judge] = result.seconds;
    let _ = writeln!(
        text,
        "\nseed {}; {build:.0} s to build, {run:.0} s to run, {judge:.0} s to judge",
        result.seed
    );
    let counts = result.counts;
    let others = counts.made - counts.equivalent;
    let below = match (result.at_least, result.score) {
        (Some(least), Some(score)) if score < least => format!(", below {least} %"),
        _ => String::new(),
    };
    let _ = match result.score {
        Some(score) => writeln!(
            text,
            "SCORE: {score:.1} %{below}: {} of {others} mutants that are not the design are noticed",
            counts.killed
        ),
        None => writeln!(text, "SCORE: none: every mutant is equal to the design"),
    };
    text
}

/// What Yosys does, in words.
fn mode(mode: &str) -> &str {
    match mode {
        "inv" => "inverted",
        "const0" => "always 0",
        "const1" => "always 1",
        "cnot0" => "inverted where another bit is 0",
        "cnot1" => "inverted where another bit is 1",
        other => other,
    }
}
