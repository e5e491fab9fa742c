//! What runs of a suite have covered of RTL: one data file for each implementation and design, in the folder of a shard's
//! results, and in that of a report.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cli::output_folder::OutputFolder;
use crate::cli::{Failure, output};
use crate::regress::rtl_coverage::{Part, RtlCoverage, page, read};
use crate::regress::summary::Summary;
use crate::report::counted;

/// The folder of the files, in that of a report or a shard.
pub(super) const FOLDER: &str = "rtl-coverage";
/// The page, in the folder of a report.
pub(super) const PAGE: &str = "rtl-coverage.html";
/// Ends of the names of data files and of LCOV's tracefiles.
const DATA: &str = "dat";
const LCOV: &str = "info";

/// An implementation and a design.
type Of = (String, String);

/// The name of a file, without its end. The names that it consists of have no `+`.
fn name(implementation: &str, design: &str) -> String {
    format!("{implementation}+{design}")
}

/// The files of a folder; none, if there is no folder.
///
/// # Errors
/// The folder cannot be read.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let entries = entries.map_err(|error| {
        Failure::usage(format!("{}: cannot be read: {error}", folder.display()))
    })?;
    let paths = entries.into_iter().map(|entry| entry.path());
    let is_ours = |path: &PathBuf| {
        let end = path.extension();
        end.is_some_and(|end| end == DATA || end == LCOV)
    };
    let mut paths: Vec<_> = paths.filter(is_ours).collect();
    paths.sort();
    Ok(paths)
}

/// Removes the files of a folder, and the folder where nothing else is in it.
///
/// # Errors
/// One cannot be removed.
pub(super) fn remove(folder: &Path) -> Result<(), Failure> {
    for path in files(folder)? {
        fs::remove_file(&path).map_err(|error| {
            let text = format!("{}: cannot be removed: {error}", path.display());
            Failure::infrastructure(text)
        })?;
    }
    // It stays if something is in it, and there may be none.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// Coverage by implementation and design.
#[derive(Default)]
struct All(BTreeMap<Of, RtlCoverage>);

impl All {
    /// Adds what the data files of a folder have.
    ///
    /// # Errors
    /// One cannot be read, or is damaged.
    fn take(&mut self, folder: &Path) -> Result<(), Failure> {
        for path in files(folder)? {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let (Some((implementation, design)), true) = (
                stem.split_once('+'),
                path.extension().is_some_and(|end| end == DATA),
            ) else {
                continue;
            };
            let counted = read(&path).map_err(Failure::input)?;
            let of = (implementation.to_owned(), design.to_owned());
            self.0.entry(of).or_default().join(counted);
        }
        Ok(())
    }
}

/// What the runs of a shard have covered, which is in its files at any time.
pub(super) struct Shard {
    folder: PathBuf,
    /// The folder that names of files start from.
    base: PathBuf,
    all: Mutex<All>,
}

impl Shard {
    /// That of earlier runs in `folder`, if they are gone on with, or nothing. Runs run in the folder `base`.
    ///
    /// # Errors
    /// A file cannot be read or removed.
    pub fn open(folder: PathBuf, base: &Path, goes_on: bool) -> Result<Self, Failure> {
        let mut all = All::default();
        match goes_on {
            true => all.take(&folder)?,
            false => remove(&folder)?,
        }
        Ok(Self {
            folder,
            base: base.to_owned(),
            all: Mutex::new(all),
        })
    }

    /// Adds the data file of a run.
    ///
    /// # Errors
    /// It cannot be read, or that of the shard cannot be written.
    pub fn add(&self, implementation: &str, design: &str, file: &Path) -> Result<(), Failure> {
        let counted = read(file).map_err(Failure::infrastructure)?;
        let counted = counted.renamed(|name| self.base.join(name).display().to_string());
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let of = (implementation.to_owned(), design.to_owned());
        let held = all.0.entry(of).or_default();
        held.join(counted);
        let folder = &self.folder;
        fs::create_dir_all(folder).map_err(|error| output::failed(folder, &error))?;
        let name = format!("{}.{DATA}", name(implementation, design));
        output::write_whole(&folder.join(name), |to| held.write(to))
    }
}

/// The folders that the data of a file of results may be in: of a shard, and of a report.
fn beside(results: &Path) -> [PathBuf; 2] {
    let name = results.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.split(".jsonl").next().unwrap_or_default();
    [
        results.with_file_name(stem),
        crate::scratch::folder_of(results).to_owned(),
    ]
    .map(|folder| folder.join(FOLDER))
}

/// Writes what all runs have covered to the folder of a report: data, tracefiles, and a page. `results` are the files that
/// it is of. What an earlier report had there goes.
///
/// # Errors
/// Data cannot be read, or a file cannot be written.
pub(super) fn write(
    summary: &mut Summary,
    results: &[PathBuf],
    out: &OutputFolder,
) -> Result<(), Failure> {
    let mut all = All::default();
    let folders = results.iter().flat_map(|path| beside(path));
    let folders: std::collections::BTreeSet<_> = folders.collect();
    for folder in folders {
        all.take(&folder)?;
    }
    let folder = out.file(FOLDER);
    remove(&folder)?;
    let mut parts = Vec::new();
    for coverage in &mut summary.coverage {
        let of = (coverage.implementation.clone(), coverage.design.clone());
        let Some(own) = coverage.rtl.as_mut() else {
            continue;
        };
        let (implementation, design) = &of;
        let Some(found) = all.0.get(&of) else {
            let runs = counted(own.runs as u64, "run");
            output::note(&format!(
                "{implementation} on {design}: {runs} counted coverage of the RTL, and their data is not beside the results: \
                 expected {}.{DATA} in {FOLDER}/ of a shard or a report",
                name(implementation, design)
            ));
            continue;
        };
        own.tally = found.tally();
        fs::create_dir_all(&folder).map_err(|error| output::failed(&folder, &error))?;
        let file = |end: &str| format!("{FOLDER}/{}.{end}", name(implementation, design));
        output::write_whole(&out.file(&file(DATA)), |to| found.write(to))?;
        output::write_whole(&out.file(&file(LCOV)), |to| found.write_lcov(to))?;
        parts.push(Part {
            implementation: &coverage.implementation,
            design: &coverage.design,
            runs: own.runs,
            coverage: found,
            lcov: file(LCOV),
        });
    }
    if parts.is_empty() {
        return out.remove(PAGE);
    }
    let html = page(&summary.suite, &parts).map_err(Failure::infrastructure)?;
    out.write(PAGE, &html).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_beside_the_results() {
        for (results, of_shard) in [
            ("out/shard-2-of-4.jsonl", "out/shard-2-of-4/rtl-coverage"),
            (
                "out/shard-2-of-4.jsonl.partial",
                "out/shard-2-of-4/rtl-coverage",
            ),
            ("report/results.jsonl", "report/results/rtl-coverage"),
        ] {
            let [found, of_report] = beside(Path::new(results));
            assert_eq!(found, Path::new(of_shard));
            assert_eq!(of_report, Path::new(results).with_file_name(FOLDER));
        }
    }
}
