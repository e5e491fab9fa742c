//! Coverage over the implementations of `tests/implementations` and the default one: each is run on the default
//! stimulus, RTL and model must agree, and together they must take every rule that a cycle can take.
//!
//! `make cover` runs all of them; arguments choose those whose names contain one of them, and then nothing is demanded
//! of the rules. The coverage of each is left in `target/tmp/coverage`, for `lockstep plan`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[path = "../support/implementations.rs"]
mod implementations;
#[path = "../support/jobs.rs"]
mod jobs;

use pmu_lockstep::dut::RtlSource;
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::plan::{Counts, Gap, Plan};
use pmu_lockstep::stimulus::{Generator, Profile, StimulusError};
use pmu_model::Implementation;
use pmu_model::coverage::Coverage;

/// Cycles in which RTL and model of an implementation must agree, and every rule that it can take must be taken.
const CYCLES: u64 = 1_000_000;

/// Cycles, of all implementations together, in which every rule must be taken.
const COVERED: u64 = 5_000_000;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// One implementation.
struct Subject {
    name: String,
    implementation: Implementation,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("coverage: {error}");
            ExitCode::from(5)
        }
    }
}

fn run() -> Result<bool, Error> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coverage");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let (subjects, all) = load()?;
    println!(
        "{:<20} {:>10} {:>10}  {:<9} {:<11} never taken",
        "implementation", "agree", "covered", "rules", "points"
    );
    let covered = COVERED / subjects.len().max(1) as u64;
    let start = Instant::now();
    let failed = jobs::run(
        &subjects,
        |subject| cover(subject, covered, &folder),
        |subject, result| {
            match &result {
                Ok(coverage) => println!("{}", line(&subject.name, coverage)),
                Err(error) => println!("{:<20} FAILED: {error}", subject.name),
            }
            result.is_ok()
        },
    );
    println!(
        "{} implementations in {:.0} s: {} agree, {failed} failed",
        subjects.len(),
        start.elapsed().as_secs_f64(),
        subjects.len() - failed
    );
    Ok(failed == 0 && (!all || complete(&folder)?))
}

/// The implementations that the command line asks for, and whether these are all.
fn load() -> Result<(Vec<Subject>, bool), Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/implementations");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            names.extend(
                path.file_stem()
                    .map(|stem| stem.to_string_lossy().into_owned()),
            );
        }
    }
    names.sort();
    let files = names.into_iter().map(|name| Subject {
        implementation: implementations::implementation(&name),
        name,
    });
    let default = Subject {
        name: "default".into(),
        implementation: Implementation::default(),
    };
    let mut subjects: Vec<_> = [default].into_iter().chain(files).collect();
    let all = jobs::wanted(&mut subjects, |subject| &subject.name);
    if subjects.is_empty() {
        return Err(
            "no implementation of tests/implementations has one of the arguments in its name"
                .into(),
        );
    }
    Ok((subjects, all))
}

/// Runs RTL and model; the coverage is that of the first `covered` cycles.
fn cover(subject: &Subject, covered: u64, folder: &Path) -> Result<Coverage, Error> {
    let implementation = &subject.implementation;
    let dut = implementations::rtl(&RtlSource::Bundled, implementation);
    let generator = Generator::new(1, implementation, &Profile::default())?;
    let mut run = Lockstep::new(implementation, dut, generator.into(), 1)?;
    run.cover();
    let mut coverage = None;
    for limit in [covered.min(CYCLES), CYCLES] {
        match run.run(limit, &Control::default(), |_| Ok::<_, StimulusError>(()))? {
            Outcome::Agree => {}
            Outcome::Diverged(divergence) => {
                let fields = divergence
                    .differences
                    .iter()
                    .map(|found| found.field.name(&divergence.input));
                let fields = fields.collect::<Vec<_>>().join(", ");
                return Err(format!("diverges in cycle {}: {fields}", divergence.cycle).into());
            }
            other => return Err(format!("ended with {other:?}").into()),
        }
        coverage = coverage.or_else(|| run.coverage().cloned());
    }
    // What an implementation is said to be able to take, it takes.
    let all = run.coverage().into_iter().flat_map(Coverage::rules);
    let never: Vec<_> = all.filter(|&(_, count)| count == 0).collect();
    if !never.is_empty() {
        let never: Vec<_> = never.into_iter().map(|(id, _)| id).collect();
        let never = never.join(", ");
        return Err(
            format!("rules that it can take, and did not in {CYCLES} cycles: {never}").into(),
        );
    }
    let coverage = coverage.ok_or("coverage was asked for")?;
    let mut text = serde_json::to_string_pretty(&coverage)?;
    text.push('\n');
    fs::write(folder.join(format!("{}.json", subject.name)), text)?;
    Ok(coverage)
}

fn line(name: &str, coverage: &Coverage) -> String {
    let rules: Vec<_> = coverage.rules().collect();
    let never: Vec<_> = rules
        .iter()
        .filter(|&&(_, count)| count == 0)
        .map(|&(id, _)| id)
        .collect();
    let points = || coverage.crosses().flat_map(|(_, points)| points.iter());
    format!(
        "{name:<20} {CYCLES:>10} {:>10}  {:<9} {:<11} {}",
        coverage.cycles(),
        format!("{}/{}", rules.len() - never.len(), rules.len()),
        format!(
            "{}/{}",
            points().filter(|&&(_, count)| count > 0).count(),
            points().count()
        ),
        never.join(" ")
    )
}

/// Whether the runs took every rule together.
fn complete(folder: &Path) -> Result<bool, Error> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    let mut plan = Plan::new(Some(&Counts::read(&files)?));
    plan.demand_coverage();
    let never: Vec<_> = plan
        .gaps
        .iter()
        .filter_map(|gap| match gap {
            // One of them must be able to.
            Gap::NeverTaken { id } | Gap::NotPossible { id, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    let taken = plan.rows.iter().filter(|row| row.covered > Some(0)).count();
    println!(
        "{taken} of {} rules taken in {COVERED} cycles; {} are exceptions, which `lockstep plan` lists",
        plan.rows.len(),
        plan.rows.len() - taken - never.len()
    );
    if !never.is_empty() {
        println!("NEVER TAKEN: {}", never.join(" "));
    }
    Ok(never.is_empty())
}
