//! `lockstep init-ci`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toml_edit::{Array, DocumentMut, Item, Table, value};

use crate::cli::identifiers::module;
use crate::cli::new_files::{self, NewFile};
use crate::cli::quoted::quoted;
use crate::cli::{Failure, output};
use crate::lockstep::Verdict;
use crate::stimulus::Profile;

/// Arguments of `init-ci`.
#[derive(Args)]
pub struct InitCiArgs {
    /// Folder for suite.toml, and the files of systems
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// A system that runs parts of the suite side by side; again for another
    #[arg(long = "for", value_name = "SYSTEM", value_enum)]
    systems: Vec<System>,
    /// Your design: a file list as simulators take it with -f [default: the bundled RTL]
    #[arg(long, value_name = "FILE")]
    filelist: Option<PathBuf>,
    /// The wrapper module of that design
    #[arg(long, value_name = "MODULE", value_parser = module, requires = "filelist")]
    top: Option<String>,
    /// Its features and sizes (TOML) [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Overwrite files that are there
    #[arg(long)]
    force: bool,
}

/// A system that runs parts of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum System {
    Slurm,
    GridEngine,
    Lsf,
    Kubernetes,
    Github,
    Gitlab,
}

impl System {
    /// The file that it takes, and how it is used.
    fn file(self) -> (NewFile, &'static str) {
        let (name, text, hint) = match self {
            Self::Slurm => (
                "slurm.sh",
                include_str!("../../../ci/slurm.sh"),
                "sh slurm.sh suite.toml /shared/results",
            ),
            Self::GridEngine => (
                "grid-engine.sh",
                include_str!("../../../ci/grid-engine.sh"),
                "sh grid-engine.sh suite.toml /shared/results",
            ),
            Self::Lsf => (
                "lsf.sh",
                include_str!("../../../ci/lsf.sh"),
                "sh lsf.sh suite.toml /shared/results",
            ),
            Self::Kubernetes => (
                "kubernetes.yml",
                include_str!("../../../ci/kubernetes.yml"),
                "name image and claim in it, then kubectl apply -f kubernetes.yml",
            ),
            Self::Github => (
                "github.yml",
                include_str!("../../../ci/github.yml"),
                "copy it to .github/workflows, and say in its first job where lockstep comes from",
            ),
            Self::Gitlab => (
                "gitlab.yml",
                include_str!("../../../ci/gitlab.yml"),
                "include it in .gitlab-ci.yml, and say in its first job where lockstep comes from",
            ),
        };
        ((name, text.to_owned()), hint)
    }
}

/// The name of a suite's file.
const FILE: &str = "suite.toml";

/// What a first suite has, but for designs and implementations.
const SUITE: &str = r#"# A suite of `lockstep regress`: docs/regressions.md tells all keys.
name = "nightly"

[limits] # of each run
wall_seconds = 1800
memory_mib = 4096
hang_after = 20

# New stimulus every night: lockstep regress suite.toml --base "$(date +%F)"
[[group]]
seeds = { count = 20, base = "1" }
cycles = 1000000

# What rules are taken is counted in some runs: that is slower.
[[group]]
seeds = [1]
cycles = 1000000
coverage = true
"#;

/// Writes a first suite, if there is none, and what systems take.
pub(in crate::cli) fn init_ci(args: &InitCiArgs) -> Result<Verdict, Failure> {
    let files: Vec<_> = args.systems.iter().map(|system| system.file()).collect();
    let path = args.folder.join(FILE);
    // A suite that is there already gets what systems take beside it.
    let says_nothing_of_it = args.filelist.is_none() && args.implementation.is_none();
    let is_kept = !args.systems.is_empty() && says_nothing_of_it && !args.force && path.is_file();
    let new = match is_kept {
        true => None,
        false => Some((FILE, suite(args)?)),
    };
    let own = files.iter().map(|(file, _)| file.clone());
    let own: Vec<NewFile> = new.into_iter().chain(own).collect();
    let mut lines = new_files::write(&args.folder, &[], &own, args.force)?;
    let path = quoted(&path.display().to_string());
    if is_kept {
        lines.push_str(&format!("{path} is as it was\n"));
    }
    lines.push_str(&format!(
        "next: lockstep regress {path} --list, then\n  lockstep regress {path}\n"
    ));
    for ((name, _), hint) in &files {
        lines.push_str(&format!("{name}: {hint}\n"));
    }
    output::print(&lines)?;
    Ok(Verdict::Agree)
}

fn suite(args: &InitCiArgs) -> Result<String, Failure> {
    let mut suite: DocumentMut = SUITE.parse().map_err(Failure::infrastructure)?;
    if let Some(path) = &args.implementation {
        suite["implementations"]["mine"] = value(seen_from(&args.folder, path)?);
    }
    if let Some(path) = &args.filelist {
        let mut design = Table::new();
        design["filelist"] = value(Array::from_iter([seen_from(&args.folder, path)?]));
        if let Some(top) = &args.top {
            design["top"] = value(top);
        }
        let mut designs = Table::new();
        designs.set_implicit(true);
        designs.insert("mine", Item::Table(design));
        suite["designs"] = Item::Table(designs);
    }
    let groups = suite["group"].as_array_of_tables_mut();
    for group in groups.into_iter().flat_map(|groups| groups.iter_mut()) {
        if args.filelist.is_some() {
            group["designs"] = value(Array::from_iter(["mine"]));
        }
        if args.implementation.is_some() {
            group["implementations"] = value(Array::from_iter(["mine"]));
        }
        group["profiles"] = value(Array::from_iter(Profile::names()));
    }
    Ok(suite.to_string())
}

/// A path as a file in `folder` names it.
fn seen_from(folder: &Path, path: &Path) -> Result<String, Failure> {
    if !path.is_file() {
        return Err(Failure::usage(format!(
            "{}: expected a file, found none",
            path.display()
        )));
    }
    let path = match folder == Path::new(".") {
        true => path.to_owned(),
        false => std::path::absolute(path).map_err(Failure::input)?,
    };
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        Failure::usage(format!(
            "{}: expected a path of text, which TOML can have, found other bytes",
            path.display()
        ))
    })
}
