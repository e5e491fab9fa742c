//! `lockstep stimulus audit`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use pmu_model::Implementation;
use pmu_model::audit::CROSSES;
use pmu_model::coverage::Coverage;
use serde::Serialize;

use super::super::{DEFAULT_CYCLES, Failure, number, output};
use crate::implementation_file;
use crate::lockstep::Verdict;
use crate::stimulus::{Generator, Profile, alone};

/// Arguments of `stimulus audit`.
#[derive(Args)]
pub(super) struct AuditArgs {
    /// Seed of the stimulus
    #[arg(long, default_value_t = 1, value_parser = number::<u64>(0, u64::MAX))]
    seed: u64,
    /// Cycles to look at
    #[arg(long, default_value_t = DEFAULT_CYCLES, value_parser = number::<u64>(1, u64::MAX))]
    cycles: u64,
    /// Mix of the stimulus: threshold, spe, access, cycles, spmu, mixed, or a TOML file [default: mixed]
    #[arg(long, value_name = "NAME|FILE.toml")]
    profile: Option<String>,
    /// Features, sizes and knobs (TOML)
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// How the command ends.
pub(super) const EXIT_CODES: &str =
    "Exit codes: 0 all of it is driven, 1 something is not, 2 usage.";

/// What was driven.
#[derive(Serialize)]
struct Audit {
    complete: bool,
    seed: u64,
    cycles: u64,
    implementation: String,
    /// Points in all.
    points: usize,
    groups: Vec<Group>,
}

/// The points of one kind.
#[derive(Serialize)]
struct Group {
    name: &'static str,
    points: usize,
    not_driven: Vec<String>,
}

/// Drives a model, and tells what the stimulus left out.
pub(super) fn audit(args: &AuditArgs) -> Result<Verdict, Failure> {
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let profile = match &args.profile {
        Some(word) => Profile::load(word).map_err(Failure::input)?,
        None => Profile::default(),
    };
    let generator = Generator::new(args.seed, &implementation, &profile).map_err(Failure::input)?;
    let coverage = alone::take(generator, &implementation, args.cycles).map_err(Failure::input)?;
    let audit = Audit::of(args, &coverage, &implementation);
    if args.json {
        output::print_json(&audit)?;
    } else {
        output::print(&audit.text())?;
    }
    Ok(match audit.complete {
        true => Verdict::Agree,
        false => Verdict::Divergence,
    })
}

impl Audit {
    fn of(args: &AuditArgs, coverage: &Coverage, implementation: &Implementation) -> Self {
        let groups = coverage
            .audit()
            .filter(|(_, points)| !points.is_empty())
            .map(|(name, points)| Group {
                name: name.strip_prefix(CROSSES).unwrap_or(name),
                points: points.len(),
                not_driven: points
                    .iter()
                    .filter(|(_, count)| *count == 0)
                    .map(|(name, _)| name.clone())
                    .collect(),
            });
        let groups: Vec<_> = groups.collect();
        Self {
            complete: groups.iter().all(|group| group.not_driven.is_empty()),
            seed: args.seed,
            cycles: args.cycles,
            implementation: implementation.name.clone(),
            points: groups.iter().map(|group| group.points).sum(),
            groups,
        }
    }

    fn text(&self) -> String {
        if self.complete {
            return format!("audit complete: {} points\n", self.points);
        }
        let not_driven = |group: &Group| group.not_driven.len();
        let missing: usize = self.groups.iter().map(not_driven).sum();
        let mut text = format!(
            "{missing} of {} points not driven in {} cycles of seed {}, implementation {}\n",
            self.points, self.cycles, self.seed, self.implementation
        );
        for group in self.groups.iter().filter(|group| not_driven(group) > 0) {
            let _ = writeln!(
                text,
                "{}: {} of {}",
                group.name,
                not_driven(group),
                group.points
            );
            for point in &group.not_driven {
                let _ = writeln!(text, "  {point}");
            }
        }
        text
    }
}
