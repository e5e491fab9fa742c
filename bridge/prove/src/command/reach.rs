//! `lockstep reach`.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lockstep_base::verdict::Verdict;
use lockstep_engine::dut::check_knobs;
use lockstep_prove::reach::{Reach, full_name, taken_by};
use lockstep_report::plan;
use lockstep_stimulus::{Generator, Profile, Writer, alone, implementation_file};
use pmu_model::coverage::Coverage;
use pmu_model::{CycleInput, Implementation};

use super::Failure;
use super::proved::Told;
use super::reached::{self, OfPoint, Result};

/// Arguments of `reach`.
#[derive(clap::Args)]
#[command(after_help = EXIT_CODES)]
pub struct Args {
    /// Features, sizes and knobs (TOML) [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml", conflicts_with = "coverage")]
    implementation: Option<PathBuf>,
    /// What runs took: what `run --coverage` wrote, or coverage.json of a regression [default: what random stimulus takes of
    /// the model]
    #[arg(long, value_name = "FILE.json")]
    coverage: Option<PathBuf>,
    /// Cycles of random stimulus
    #[arg(long, default_value_t = 1_000_000, conflicts_with = "coverage")]
    cycles: u64,
    /// Its seed
    #[arg(long, default_value_t = 1, conflicts_with = "coverage")]
    seed: u64,
    /// What it is like: a built-in profile, or a file (TOML)
    #[arg(long, value_name = "NAME|FILE.toml", conflicts_with = "coverage")]
    profile: Option<String>,
    /// Seconds for each point; one that takes longer is not decided
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    limit: u64,
    /// Folder for the stimulus
    #[arg(long, value_name = "DIR", default_value = "lockstep-out")]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
}

const EXIT_CODES: &str = "Exit codes: 0 stimulus takes what random stimulus did not, or none can, 2 usage or configuration, \
    5 infrastructure, 9 something is not decided.";

/// Looks for what was not taken, of each implementation.
pub fn run(args: &Args) -> std::result::Result<Verdict, Failure> {
    let mut told = Told::new(args.json);
    let all = match &args.coverage {
        Some(path) => read(path)?,
        None => {
            told.begin(&format!("{} cycles of random stimulus", args.cycles));
            vec![random(args)?]
        }
    };
    let mut results = Vec::new();
    for (number, taken) in (1..).zip(&all) {
        let file = match all.len() {
            1 => "reach.stim".to_owned(),
            _ => format!("reach-{number}.stim"),
        };
        results.push(looked_at(args, taken, &args.out.join(file), &mut told)?);
    }
    told.end();
    let text = match args.json {
        true => reached::json(&results),
        false => reached::text(&results),
    };
    let out = io::stdout().write_all(text.as_bytes());
    out.map_err(Failure::infrastructure)?;
    Ok(reached::verdict(&results))
}

/// Looks for what runs of an implementation did not take, and writes the stimulus that does.
fn looked_at<'a>(
    args: &Args,
    taken: &'a Coverage,
    path: &Path,
    told: &mut Told,
) -> std::result::Result<Result<'a>, Failure> {
    let implementation = taken.implementation();
    told.begin("what the contract is");
    let knows_knobs = check_knobs(implementation).is_ok();
    let limit = Duration::from_secs(args.limit);
    let reach = Reach::new(implementation, limit, knows_knobs);
    let reach = reach.map_err(Failure::usage)?;
    let defect = |error| Failure::infrastructure(format!("a defect of lockstep itself: {error}"));
    let left_out: Vec<_> = taken.left_out().collect();
    let never = reach.never("threshold", &left_out).map_err(defect)?;
    told.begin("points");
    let mut points = Vec::new();
    for (cross, name, point) in taken.missing() {
        let found = reach.find(&full_name(cross, name), point).map_err(defect)?;
        told.claim();
        points.push(OfPoint {
            cross,
            name: name.to_owned(),
            found,
        });
    }
    let cycles: Vec<_> = points.iter().flat_map(OfPoint::cycles).copied().collect();
    if !cycles.is_empty() {
        fs::create_dir_all(&args.out).map_err(Failure::at(&args.out))?;
        write(path, implementation, &cycles)?;
    }
    Ok(Result {
        taken,
        points,
        left_out: (left_out.len(), never),
        stimulus: (!cycles.is_empty()).then(|| path.to_owned()),
        cycles: cycles.len(),
        together: taken_by(implementation, &cycles),
    })
}

/// What runs took, by implementation: whatever the design was.
fn read(path: &Path) -> std::result::Result<Vec<Coverage>, Failure> {
    let mut all: Vec<Coverage> = Vec::new();
    for one in plan::read(path).map_err(Failure::usage)? {
        let own = all
            .iter_mut()
            .find(|of| of.implementation() == one.implementation());
        match own {
            Some(own) => own.merge(&one).map_err(Failure::usage)?,
            None => all.push(one),
        }
    }
    Ok(all)
}

/// What random stimulus takes of the model alone.
fn random(args: &Args) -> std::result::Result<Coverage, Failure> {
    let implementation = implementation_file::load(args.implementation.as_deref());
    let implementation = implementation.map_err(Failure::usage)?;
    let profile = args.profile.as_deref().map(Profile::load);
    let profile = profile.transpose().map_err(Failure::usage)?;
    let generator = Generator::new(args.seed, &implementation, &profile.unwrap_or_default());
    let taken =
        generator.and_then(|generator| alone::take(generator, &implementation, args.cycles));
    taken.map_err(Failure::usage)
}

/// Writes the stimulus.
fn write(
    path: &Path,
    implementation: &Implementation,
    cycles: &[CycleInput],
) -> std::result::Result<(), Failure> {
    let written = Writer::create(path, implementation, None).and_then(|mut writer| {
        writer.append(cycles)?;
        writer.finish()
    });
    written.map(drop).map_err(Failure::infrastructure)
}
