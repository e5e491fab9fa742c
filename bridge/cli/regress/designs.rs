//! Designs of a suite: folders that are there, and RTL that is built before the runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::child::this_program;
use super::order::Order;
use crate::cli::{Failure, output};
use crate::dut::{DutFolder, Manifest};
use crate::lockstep::Verdict;
use crate::regress::plan::hash;
use crate::regress::suite::Design;

/// A design that can be run: its folder, if it is not the bundled one.
pub(super) type Ready = Option<PathBuf>;

/// Why a design cannot be run.
#[derive(Clone, Debug)]
pub(super) struct Unbuilt {
    /// How its build ended.
    pub verdict: Verdict,
    /// The same in words.
    pub message: String,
}

/// The designs of a shard.
pub(super) struct Designs {
    all: BTreeMap<String, Result<(Ready, String), Unbuilt>>,
}

impl Designs {
    /// The folder of a design.
    pub fn get(&self, name: &str) -> Result<Ready, &Unbuilt> {
        match self.all.get(name) {
            Some(Ok((ready, _))) => Ok(ready.clone()),
            Some(Err(unbuilt)) => Err(unbuilt),
            None => Ok(None),
        }
    }

    /// Hashes of those that can be run, by their names.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        let built = self.all.iter().filter_map(|(name, design)| {
            let (_, hash) = design.as_ref().ok()?;
            Some((name.clone(), hash.clone()))
        });
        built.collect()
    }
}

impl Designs {
    /// Whether all are what they were when the runs began.
    pub fn are_unchanged(&self) -> bool {
        self.all.values().flatten().all(|(path, hash)| {
            path.as_ref().is_none_or(|path| {
                DutFolder::open(path).is_ok_and(|folder| identity(folder.manifest()) == *hash)
            })
        })
    }
}

/// Builds what the runs of the shard need. RTL that does not build fails its runs, and no other.
///
/// # Errors
/// A folder that is no design.
pub(super) fn prepare(order: &Order<'_>) -> Result<Designs, Failure> {
    let runs = order.plan.runs.iter().enumerate();
    let runs = runs.filter(|&(number, _)| order.shard.has(number));
    let mut names: BTreeMap<_, bool> = BTreeMap::new();
    for (_, run) in runs {
        *names.entry(run.design.as_str()).or_default() |= run.rtl_coverage;
    }
    let mut all = BTreeMap::new();
    for (name, covers) in names {
        let Some(design) = order.suite.design(name) else {
            continue;
        };
        let ready = match &design.dut {
            Some(path) => {
                let path = order.folder.join(path);
                if covers {
                    let folder = DutFolder::open(&path).map_err(Failure::input)?;
                    folder.check_coverage().map_err(Failure::input)?;
                }
                Ok(path)
            }
            None => built(order, name, design)?,
        };
        let ready = match ready {
            Ok(path) => Ok(identified(path)?),
            Err(unbuilt) => {
                output::tell(&format!("lockstep: design `{name}`: {}\n", unbuilt.message));
                Err(unbuilt)
            }
        };
        all.insert(name.to_owned(), ready);
    }
    Ok(Designs { all })
}

/// The folder, and the hash of what it was made of, which is the same wherever it was built.
fn identified(path: PathBuf) -> Result<(Ready, String), Failure> {
    let folder = DutFolder::open(&path).map_err(Failure::input)?;
    let hash = identity(folder.manifest());
    Ok((Some(path), hash))
}

fn identity(manifest: &Manifest) -> String {
    let mut sources: Vec<_> = manifest
        .source
        .iter()
        .map(|source| &source.sha256)
        .collect();
    sources.sort();
    let parts = serde_json::json!([
        manifest.verilator,
        manifest.top,
        manifest.parameters,
        manifest.defines,
        manifest.verilator_args,
        sources,
    ]);
    hash(parts.to_string().as_bytes())
}

/// Builds RTL in a process of its own.
///
/// # Errors
/// The process cannot be started.
fn built(
    order: &Order<'_>,
    name: &str,
    design: &Design,
) -> Result<Result<PathBuf, Unbuilt>, Failure> {
    let place = order.own("designs").join(name);
    if let Some(parent) = place.parent() {
        std::fs::create_dir_all(parent).map_err(|error| output::failed(parent, &error))?;
    }
    output::tell(&format!("building design {name}\n"));
    let ended = Command::new(this_program()?)
        .current_dir(&order.folder)
        .arg("build")
        .args(design.options(PathBuf::clone))
        .arg("--output")
        .arg(&place)
        .arg("--json")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(Failure::infrastructure)?;
    if ended.status.success() {
        return Ok(Ok(place));
    }
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap_or_default();
    let verdict = serde_json::from_value(told["verdict"].clone());
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let message = told["message"].as_str().map_or(stderr.trim(), str::trim);
    Ok(Err(Unbuilt {
        verdict: verdict.unwrap_or(Verdict::Infrastructure),
        message: format!("it does not build: {message}"),
    }))
}

/// The path of a design's folder as a word of a command line.
pub(super) fn word(path: &Path) -> String {
    path.display().to_string()
}
