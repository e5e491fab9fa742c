//! Planted bugs: each patch of this folder is applied to a copy of the RTL, built, and run against the model on
//! the default stimulus. Every one must be found, the field named first must be one that it can change, and the
//! explanation must name a rule that it breaks.
//!
//! `make bugs` runs all of them; arguments choose those whose names contain one of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use std::{env, fs, thread};

use pmu_lockstep::diagnosis;
use pmu_lockstep::dut::{BuildOptions, RtlSource, open};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::report::{self, RunFacts};
use pmu_lockstep::stimulus::{Generator, Profile, StimulusError};
use pmu_model::Implementation;
use serde::Deserialize;
use verilator_sys::Optimization;

/// A bug that takes longer to be found has not been found.
const CYCLES: u64 = 1_000_000;

#[derive(Deserialize)]
struct Bugs {
    bug: Vec<Bug>,
}

#[derive(Clone, Deserialize)]
struct Bug {
    name: String,
    patch: String,
    title: String,
    rules: Vec<String>,
    fields: Vec<String>,
}

type Error = Box<dyn std::error::Error + Send + Sync>;

/// The first divergence, as the report shows it.
struct Finding {
    cycle: u64,
    /// The field that differs first.
    field: String,
    /// Ids of the rules of the explanation.
    explained: Vec<&'static str>,
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
        "{:<32} {:>8}  {:<22} {:<16} title",
        "bug", "cycle", "first field", "rules"
    );
    let failed = AtomicUsize::new(0);
    let next = AtomicUsize::new(0);
    let print = Mutex::new(());
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(bug) = bugs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = hunt(root, bug);
                    let _print = print.lock().expect("printing does not panic");
                    if !judge(bug, result) {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner();
    println!(
        "{} bugs in {:.0} s",
        bugs.len(),
        start.elapsed().as_secs_f64()
    );
    println!("{} passed, {failed} failed", bugs.len() - failed);
    ExitCode::from(u8::from(failed > 0))
}

/// The bugs that the command line asks for, after the clean RTL.
fn load(root: &Path) -> Result<Vec<Bug>, Error> {
    let text = fs::read_to_string(root.join("tests/planted/bugs.toml"))?;
    let mut bugs = toml::from_str::<Bugs>(&text)?.bug;
    bugs.insert(
        0,
        Bug {
            name: "none".into(),
            patch: String::new(),
            title: "The RTL as it is: must not be blamed.".into(),
            rules: Vec::new(),
            fields: Vec::new(),
        },
    );
    let wanted: Vec<_> = env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .collect();
    if !wanted.is_empty() {
        bugs.retain(|bug| wanted.iter().any(|word| bug.name.contains(word.as_str())));
    }
    Ok(bugs)
}

/// Prints what became of a bug; true if it is as it must be.
fn judge(bug: &Bug, result: Result<Found, Error>) -> bool {
    let clean = bug.patch.is_empty();
    let (cycle, field, verdict) = match result {
        Err(error) => ("-".into(), "-".into(), Err(format!("FAILED: {error}"))),
        Ok(None) if clean => ("-".into(), "agrees".into(), Ok(())),
        Ok(None) => (
            "-".into(),
            "-".into(),
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
                Ok(())
            };
            (found.cycle.to_string(), found.field, verdict)
        }
    };
    let rules = bug.rules.join(" ");
    println!(
        "{:<32} {cycle:>8}  {field:<22} {rules:<16} {}",
        bug.name, bug.title
    );
    if let Err(why) = &verdict {
        println!("  {why}");
    }
    verdict.is_ok()
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
fn hunt(root: &Path, bug: &Bug) -> Result<Found, Error> {
    let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let folder = base.join(&bug.name);
    patched(root, bug, &folder)?;
    let source = RtlSource::Files {
        paths: vec![folder.clone()],
        parameters: Vec::new(),
    };
    let implementation = Implementation::default();
    // Libraries of broken RTL are of no use in the user's cache, and run for less time than they are built.
    let options = BuildOptions {
        cache: base.join("cache"),
        optimization: Optimization::Quick,
    };
    let untraced = || open(&source, &implementation, false, &options, &mut |_| ());
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
            let steps = report.explanation.derivation.iter();
            Ok(Some(Finding {
                cycle: report.cycle,
                field: report.headline.field,
                explained: steps
                    .flat_map(|step| &step.rules)
                    .map(|rule| rule.id)
                    .collect(),
            }))
        }
        other => Err(format!("ended with {other:?}").into()),
    }
}

/// Copies the RTL to `folder` with the bug's patch applied.
fn patched(root: &Path, bug: &Bug, folder: &Path) -> Result<(), Error> {
    let rtl = root.join("rtl");
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(&rtl)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "sv") {
            fs::copy(&path, folder.join(path.file_name().ok_or("a file")?))?;
        }
    }
    if bug.patch.is_empty() {
        return Ok(());
    }
    let text = fs::read_to_string(root.join("tests/planted").join(&bug.patch))?;
    for part in parts(&text) {
        let patch = diffy::Patch::from_str(part)?;
        let name = patch.modified().ok_or("a patch names its file")?;
        let name = PathBuf::from(name);
        let path = folder.join(name.file_name().ok_or("a patch names its file")?);
        let before = fs::read_to_string(&path)?;
        fs::write(&path, diffy::apply(&before, &patch)?)?;
    }
    Ok(())
}

/// The parts of a patch, one for each file.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut starts: Vec<_> = text.match_indices("--- a/").map(|(at, _)| at).collect();
    starts.push(text.len());
    let cuts: Vec<_> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
    cuts.into_iter().map(move |(from, to)| &text[from..to])
}
