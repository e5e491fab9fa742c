//! Planted bugs: each patch of this folder is applied to a copy of the RTL, built, and run against the model on
//! the default stimulus. Every one must be found, the field named first must be one that it can change, and the
//! explanation must name one of its rules. What is printed as explaining the RTL must be the mistake that was made, or
//! nothing where bugs.toml says so; most must be explained. The failing stimulus, padded with itself, must shrink.
//!
//! `make bugs` runs all of them; arguments choose those whose names contain one of them.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

#[path = "../support/jobs.rs"]
mod jobs;
#[path = "../support/planted.rs"]
mod planted;

use pmu_lockstep::diagnosis;
use pmu_lockstep::dut::{BuildOptions, Dut, Rtl, RtlSource};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::report::{self, RunFacts};
use pmu_lockstep::shrink::{Bench, Reduced, Watch, failing_stretch, shrink};
use pmu_lockstep::stimulus::{Generator, Profile, Reader, StimulusError, Writer};
use pmu_model::{CycleInput, Implementation};
use serde::Deserialize;
use verilator_sys::Optimization;

/// A bug that takes longer to be found has not been found.
const CYCLES: u64 = 1_000_000;
/// Least cycles of a stimulus that is shrunk.
const FAILING: usize = 10_000;
/// Most cycles, register writes and seconds of a reduction.
const SHRUNK: (usize, usize, f64) = (30, 5, 10.0);
/// Of a hundred bugs, how many must be explained.
const EXPLAINED: usize = 80;

#[derive(Deserialize)]
struct Bugs {
    bug: Vec<Bug>,
    /// Errata that the contract cannot carry.
    #[serde(default)]
    beyond: Vec<Beyond>,
}

#[derive(Deserialize)]
struct Beyond {
    name: String,
    title: String,
    why: String,
}

#[derive(Clone, Deserialize)]
struct Bug {
    name: String,
    patch: String,
    title: String,
    /// How the bug does what an erratum says.
    here: Option<String>,
    rules: Vec<String>,
    fields: Vec<String>,
    /// The hypothesis that is this mistake; none if no hypothesis is.
    hypothesis: Option<String>,
    /// Cycles that it takes at most, where that is more than usual.
    cycles: Option<usize>,
    /// A hypothesis that does the same in the recorded cycles.
    #[serde(default)]
    same: Vec<String>,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The first divergence, as the report shows it.
struct Finding {
    cycle: u64,
    /// The field that differs first.
    field: String,
    /// Ids of the rules of the explanation.
    explained: Vec<&'static str>,
    /// The hypotheses that explain every cycle.
    hypotheses: Vec<String>,
    reduced: Reduced,
    /// Time of the reduction.
    seconds: f64,
}

type Found = Option<Finding>;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bugs = match load(root) {
        Ok(bugs) => bugs,
        Err(error) => {
            eprintln!("planted bugs: {error}");
            return ExitCode::from(5);
        }
    };
    println!(
        "{:<32} {:>8}  {:<22} {:<16} {:<20} title",
        "bug", "cycle", "first field", "rules", "shrunk"
    );
    let start = Instant::now();
    let mut explained = 0;
    let mut failed = jobs::run(&bugs, hunt, |bug, result| {
        let found = result.as_ref().ok().and_then(Option::as_ref);
        explained += usize::from(found.is_some_and(|found| !found.hypotheses.is_empty()));
        judge(bug, result)
    });
    let number = bugs.iter().filter(|bug| !bug.patch.is_empty()).count();
    println!("{explained} of {number} explained by a hypothesis");
    // A few that were chosen by name may be those that are not.
    if number > EXPLAINED && 100 * explained < EXPLAINED * number {
        println!("  FAILED: expected {EXPLAINED} of 100");
        failed += 1;
    }
    println!(
        "{} bugs in {:.0} s",
        bugs.len(),
        start.elapsed().as_secs_f64()
    );
    println!(
        "{} passed, {failed} failed",
        bugs.len().saturating_sub(failed)
    );
    ExitCode::from(u8::from(failed > 0))
}

/// The bugs that the command line asks for, after the clean RTL.
fn load(root: &Path) -> Result<Vec<Bug>, Error> {
    let text = fs::read_to_string(root.join("tests/planted/bugs.toml"))?;
    let mut bugs = toml::from_str::<Bugs>(&text)?.bug;
    let text = fs::read_to_string(root.join("tests/errata/errata.toml"))?;
    let errata = toml::from_str::<Bugs>(&text)?;
    for beyond in &errata.beyond {
        println!("{}: not run: {} {}", beyond.name, beyond.title, beyond.why);
    }
    bugs.extend(errata.bug.into_iter().map(|erratum| {
        Bug {
            patch: format!("../errata/{}", erratum.patch),
            title: [Some(erratum.title), erratum.here.clone()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
            ..erratum
        }
    }));
    bugs.insert(
        0,
        Bug {
            name: "none".into(),
            patch: String::new(),
            title: "The RTL as it is: must not be blamed.".into(),
            here: None,
            rules: Vec::new(),
            fields: Vec::new(),
            hypothesis: None,
            cycles: None,
            same: Vec::new(),
        },
    );
    jobs::wanted(&mut bugs, |bug| &bug.name);
    Ok(bugs)
}

/// Prints what became of a bug; true if it is as it must be.
fn judge(bug: &Bug, result: Result<Found, Error>) -> bool {
    let clean = bug.patch.is_empty();
    let none = || "-".to_owned();
    let (cycle, field, shrunk, verdict) = match result {
        Err(error) => (none(), none(), none(), Err(format!("FAILED: {error}"))),
        Ok(None) if clean => (none(), "agrees".into(), none(), Ok(())),
        Ok(None) => (
            none(),
            none(),
            none(),
            Err(format!("NOT FOUND in {CYCLES} cycles")),
        ),
        Ok(Some(found)) => {
            let matches_field = |expected: &String| matches(expected, &found.field);
            let is_explained = |rule: &String| found.explained.contains(&rule.as_str());
            let verdict = if !bug.fields.iter().any(matches_field) {
                Err(format!("WRONG FIELD: expected one of {:?}", bug.fields))
            } else if !bug.rules.iter().any(is_explained) {
                Err(format!("WRONG RULES: found {:?}", found.explained))
            } else {
                hypotheses(bug, &found.hypotheses).and_then(|()| small(bug, &found))
            };
            let (cycles, writes) = (found.reduced.cycles.len(), found.reduced.writes());
            let shrunk = format!("{cycles} {writes} {:.2} s", found.seconds);
            (found.cycle.to_string(), found.field, shrunk, verdict)
        }
    };
    let rules = bug.rules.join(" ");
    println!(
        "{:<32} {cycle:>8}  {field:<22} {rules:<16} {shrunk:<20} {}",
        bug.name, bug.title
    );
    if let Err(why) = &verdict {
        println!("  {why}");
    }
    verdict.is_ok()
}

/// Whether the hypotheses that explain the RTL are those of the bug.
fn hypotheses(bug: &Bug, found: &[String]) -> Result<(), String> {
    let mut expected: Vec<_> = bug.hypothesis.iter().chain(&bug.same).collect();
    let mut found: Vec<_> = found.iter().collect();
    expected.sort();
    found.sort();
    match expected == found {
        true => Ok(()),
        false => Err(format!(
            "WRONG HYPOTHESES: expected {expected:?}, found {found:?}"
        )),
    }
}

/// Whether the reduction went as far as it must, in time.
fn small(bug: &Bug, found: &Finding) -> Result<(), String> {
    let (cycles, writes) = (found.reduced.cycles.len(), found.reduced.writes());
    let (most_cycles, most_writes, most_seconds) = SHRUNK;
    let most_cycles = bug.cycles.unwrap_or(most_cycles);
    match cycles <= most_cycles && writes <= most_writes && found.seconds < most_seconds {
        true => Ok(()),
        false => Err(format!(
            "NOT SMALL: {cycles} cycles and {writes} writes in {:.1} s, expected {most_cycles}, {most_writes}, \
             {most_seconds} s",
            found.seconds
        )),
    }
}

/// Whether a field is one that `pattern` of bugs.toml means.
fn matches(pattern: &str, field: &str) -> bool {
    let number = |prefix: &str, suffix: &str| {
        field
            .strip_prefix(prefix)?
            .strip_suffix(suffix)?
            .parse::<u32>()
            .ok()
    };
    match pattern {
        "V" => number("V[", "]").is_some(),
        "V[even]" => number("V[", "]").is_some_and(|n| n % 2 == 0),
        "V[odd]" => number("V[", "]").is_some_and(|n| n % 2 == 1),
        "PMEVTYPER" => field.starts_with("PMEVTYPER") || field.starts_with("PMXEVTYPER"),
        "PMCCFILTR" | "SPMEV" => field.starts_with(pattern),
        _ => match pattern.split_once("<n>") {
            Some((prefix, suffix)) => number(prefix, suffix).is_some(),
            None => pattern == field,
        },
    }
}

/// Builds the RTL with the bug and runs it until it diverges.
fn hunt(bug: &Bug) -> Result<Found, Error> {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let folder = base.join(&bug.name);
    let patch = (!bug.patch.is_empty()).then_some(bug.patch.as_str());
    planted::plant(patch, &folder)?;
    let source = RtlSource::files([folder.clone()], Vec::new());
    let implementation = Implementation::default();
    // Libraries of broken RTL are of no use in the user's cache, and run for less time than they are built.
    let options = BuildOptions {
        cache: base.join("cache"),
        optimization: Optimization::Quick,
        ..BuildOptions::from_env()
    };
    let rtl = Rtl::load(&source, &implementation, false, &options, &mut |_| ())?;
    let untraced = || rtl.instance();
    let generator = Generator::new(1, &implementation, &Profile::default())?;
    let mut run = Lockstep::new(&implementation, untraced()?, generator.into(), 1)?;
    let outcome = run.run(CYCLES, &Control::default(), |_| Ok::<_, StimulusError>(()))?;
    match outcome {
        Outcome::Agree => Ok(None),
        Outcome::Diverged(divergence) => {
            // Cycle and field need no waveform.
            let mut again = || untraced().map_err(|error| error.to_string());
            let replay =
                diagnosis::replay(&run, &divergence, &mut again, &folder.join("none.vcd"))?;
            let facts = RunFacts {
                seed: Some(1),
                stimulus: String::new(),
                implementation: implementation.name.clone(),
                rtl: bug.name.clone(),
                replay: String::new(),
            };
            let report = report::report(
                &divergence,
                &replay,
                &implementation,
                run.ledger(),
                facts,
                Vec::new(),
            );
            let start = Instant::now();
            let make = || rtl.instance().map_err(|error| error.to_string());
            let padded = padded(&implementation, report.cycle as usize + 1, &folder)?;
            let reduced = reduce(&implementation, Box::new(make), &padded)?;
            let seconds = start.elapsed().as_secs_f64();
            let steps = report.explanation.derivation.iter();
            Ok(Some(Finding {
                cycle: report.cycle,
                field: report.headline.field,
                explained: steps
                    .flat_map(|step| &step.rules)
                    .map(|rule| rule.id)
                    .collect(),
                hypotheses: report
                    .hypotheses
                    .explaining
                    .into_iter()
                    .map(|hypothesis| hypothesis.text)
                    .collect(),
                reduced,
                seconds,
            }))
        }
        other => Err(format!("ended with {other:?}").into()),
    }
}

/// Records the first `cycles` cycles of the default stimulus, after as many copies of those before the last as make it a
/// long run.
fn padded(implementation: &Implementation, cycles: usize, folder: &Path) -> Result<Reader, Error> {
    let mut inputs = vec![CycleInput::default(); cycles];
    Generator::new(1, implementation, &Profile::default())?.fill(&mut inputs);
    let path = folder.join("failing.stim");
    let mut writer = Writer::create(&path, implementation, None)?;
    let mut length = cycles;
    while length < FAILING && cycles > 1 {
        writer.append(&inputs[..cycles - 1])?;
        length += cycles - 1;
    }
    writer.append(&inputs)?;
    writer.finish()?;
    Ok(Reader::open(&path)?)
}

/// Shrinks a failing stimulus.
fn reduce(
    implementation: &Implementation,
    make: Box<dyn FnMut() -> Result<Box<dyn Dut>, String> + Send + '_>,
    failing: &Reader,
) -> Result<Reduced, Error> {
    let mut bench = Bench::new(implementation, make)?;
    let watch = Watch::default();
    let stretch = failing_stretch(&mut bench, failing, &watch)?;
    let field = &stretch.failing.field;
    Ok(shrink(
        &mut bench,
        implementation,
        stretch.cycles,
        field,
        &watch,
    )?)
}
