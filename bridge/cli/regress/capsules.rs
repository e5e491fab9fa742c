//! Capsules of a report: one for each kind of failures, of the first of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pmu_model::CycleInput;

use crate::cli::output_folder::OutputFolder;
use crate::cli::quoted::quoted;
use crate::cli::{Failure, output, report_files};
use crate::implementation_file;
use crate::lockstep::Verdict;
use crate::lockstep::batch::BATCH;
use crate::regress::capsule::{
    self, Capsule, IMPLEMENTATION, MANIFEST, MOST, PROFILE, Packer, RECORDED, STIMULUS, WAIVERS,
};
use crate::regress::check::{Finding, Kind};
use crate::regress::shrunk::{self, Shrunk};
use crate::regress::summary::{First, Group, Summary};
use crate::scratch::ScratchFolder;
use crate::stimulus::{GENERATOR_VERSION, Generator, Origin, Profile, Writer};

/// Their folder, in that of the report.
const FOLDER: &str = "capsules";

/// Where capsules come from, and what is in them.
pub(super) struct Capsules<'a> {
    /// Folders of results, and of earlier reports.
    pub roots: &'a [PathBuf],
    /// Whether the sources of designs are copied.
    pub sources: bool,
}

/// What became of a capsule.
enum Made {
    /// It is there, but for what it lacks.
    Whole(Vec<String>),
    /// It is not, because of that.
    No(String),
}

/// Names of files of a report that its capsules have.
pub(super) fn names(summary: &Summary) -> Vec<String> {
    let groups = summary.groups.iter().filter(|group| is_wanted(group));
    let names = groups.map(|group| capsule::name(&group.signature));
    names
        .flat_map(|name| [page_of(&name), name])
        .map(|name| format!("{FOLDER}/{name}"))
        .collect()
}

/// The name of the page that stands beside a capsule.
fn page_of(name: &str) -> String {
    name.trim_end_matches(capsule::END).to_owned() + ".html"
}

/// Whether failures are those of a design, and the first has no capsule of another kind.
fn is_wanted(group: &Group) -> bool {
    group.signature.verdict.is_finding() && !group.first.is_second
}

impl Capsules<'_> {
    /// Writes the capsules to the folder of a report, and names them in its summary. What an earlier report had there goes.
    /// What they lack is a finding that fails nothing.
    ///
    /// # Errors
    /// One cannot be written.
    pub fn write(&self, summary: &mut Summary, out: &OutputFolder) -> Result<(), Failure> {
        let folder = out.file(FOLDER);
        let mut kept = BTreeSet::new();
        let (program, suite) = (summary.program.clone(), summary.suite_hash.clone());
        for group in summary.groups.iter_mut().filter(|group| is_wanted(group)) {
            let name = capsule::name(&group.signature);
            let is_it = |found: &Capsule| {
                (&found.run, &found.signature) == (&group.first.id, &group.signature)
                    && (&found.program, &found.suite_hash) == (&program, &suite)
            };
            fs::create_dir_all(&folder).map_err(|error| output::failed(&folder, &error))?;
            // A report without capsules is one all the same.
            let made = self.one(&group.first.id, &name, is_it, &folder);
            let lacks = match made.unwrap_or_else(|failure| Made::No(failure.message)) {
                Made::Whole(lacks) => {
                    tell(&mut group.first, &folder, &name);
                    if let Some(page) = page(&folder, &name)? {
                        group.first.page = Some(format!("{FOLDER}/{page}"));
                        kept.insert(page);
                    }
                    kept.insert(name);
                    lacks
                }
                Made::No(why) => vec![format!("no capsule: {why}")],
            };
            for lack in lacks {
                let text = format!("{}: {lack}", group.signature.words());
                output::note(&text);
                summary.findings.push(Finding {
                    kind: Kind::Capsule,
                    verdict: Verdict::Agree,
                    text,
                });
            }
        }
        tidy(&folder, &kept)
    }

    /// Writes one, from the folder of the run, or as an earlier report has it.
    ///
    /// # Returns
    /// What it lacks, or why there is none.
    fn one(
        &self,
        run: &str,
        name: &str,
        is_it: impl Fn(&Capsule) -> bool,
        folder: &Path,
    ) -> Result<Made, Failure> {
        let to = folder.join(name);
        for root in self.roots {
            let place = root.join("runs").join(folder_of(run));
            let text = fs::read(place.join(MANIFEST)).ok();
            let draft: Option<Capsule> = text.and_then(|text| serde_json::from_slice(&text).ok());
            if let Some(draft) = draft.filter(&is_it) {
                return self.pack(draft, &place, &to).map(Made::Whole);
            }
        }
        for root in self.roots {
            let earlier = root.join(FOLDER).join(name);
            let Some(found) = capsule::manifest(&earlier).ok().filter(&is_it) else {
                continue;
            };
            let bytes = fs::read(&earlier).map_err(|error| output::failed(&earlier, &error))?;
            output::write_whole(&to, |out| out.write_all(&bytes))?;
            return Ok(Made::Whole(found.lacks));
        }
        Ok(Made::No(format!(
            "what {run} left is not beside the results (runs/{}), nor a capsule of an earlier report",
            folder_of(run)
        )))
    }

    /// Packs what is in the folder of a run.
    fn pack(&self, mut draft: Capsule, place: &Path, to: &Path) -> Result<Vec<String>, Failure> {
        let mut packer = Packer::default();
        let scratch = ScratchFolder::new().map_err(Failure::infrastructure)?;
        let mut lacks = Vec::new();
        let others = report_files::NAMES
            .into_iter()
            .filter(|name| *name != report_files::STIMULUS.1);
        let others = others.chain([IMPLEMENTATION, WAIVERS, PROFILE]);
        for name in others {
            packer
                .add(name, &place.join(name))
                .map_err(Failure::infrastructure)?;
        }
        let left = [report_files::STIMULUS.1, RECORDED].map(|name| place.join(name));
        let stimulus = match left.iter().find(|path| path.exists()) {
            Some(path) => Ok(path.clone()),
            None => generated(&draft, place, &scratch),
        };
        let added = stimulus.and_then(|path| {
            let added = packer.add(STIMULUS, &path);
            let added = added.map_err(|error| error.to_string())?;
            let large = || format!("{}: larger than a capsule can be", path.display());
            added.then_some(()).ok_or_else(large)
        });
        if let Err(why) = added {
            lacks.push(format!("the capsule has no stimulus: {why}"));
        }
        let copied = match self.sources {
            true => copy(&mut draft, &mut packer),
            false => Err(String::new()),
        };
        if let Err(why) = copied {
            draft.design.copy.clear();
            if !why.is_empty() {
                lacks.push(format!(
                    "the capsule has no sources that can be built: {why}"
                ));
            }
        }
        draft.lacks.clone_from(&lacks);
        output::write_whole(to, |out| packer.write(draft, out))?;
        Ok(lacks)
    }
}

/// Says of a failure what its capsule has: the command that replays it, and the recipe, if there is one.
fn tell(first: &mut First, folder: &Path, name: &str) {
    let place = folder.join(name);
    let path = format!("{FOLDER}/{name}");
    // It was written just now; what cannot be read is told where it is replayed.
    let design = capsule::manifest(&place).map(|capsule| capsule.design).ok();
    // A capsule of an earlier version does not tell where it was.
    let is_named = |design: &capsule::Design| {
        !design.bundled && design.copy.is_empty() && design.folder.is_none()
    };
    let options = design.filter(is_named);
    let words = options.map_or_else(Vec::new, |design| design.options);
    let words = words.iter().map(|word| format!(" {}", quoted(word)));
    first.again = Some(format!("lockstep replay {}", quoted(&path)) + &words.collect::<String>());
    let file = capsule::file(&place, shrunk::FILE).ok().flatten();
    first.shrunk = file.and_then(|bytes| Shrunk::read(&bytes));
    first.capsule = Some(path);
}

/// Puts the page of the report that a capsule has beside it: the page of all has links to nothing outside of its folder.
///
/// # Returns
/// Its name; nothing of a run that left none.
fn page(folder: &Path, name: &str) -> Result<Option<String>, Failure> {
    let page = capsule::file(&folder.join(name), report_files::PAGE.1);
    let Some(bytes) = page.ok().flatten() else {
        return Ok(None);
    };
    let name = page_of(name);
    output::write_whole(&folder.join(&name), |out| out.write_all(&bytes))?;
    Ok(Some(name))
}

/// The name of the folder of a run.
fn folder_of(run: &str) -> String {
    run.replace('/', "+")
}

/// Generates the stimulus of a run that left none, to the end of the batch after the failure: up to there the design is
/// given the same in the same pieces.
///
/// # Errors
/// Why there is none.
fn generated(draft: &Capsule, place: &Path, scratch: &ScratchFolder) -> Result<PathBuf, String> {
    let origin = &draft.stimulus;
    let (Some(seed), Some(wanted), Some(profile)) =
        (origin.seed, origin.cycles, origin.profile.as_ref())
    else {
        return Err(format!("{} is not there", place.join(RECORDED).display()));
    };
    if origin.generator != GENERATOR_VERSION {
        return Err(format!(
            "the run had generator version {}, and this lockstep has {GENERATOR_VERSION}: merge with that of the run",
            origin.generator
        ));
    }
    let batch = BATCH as u64;
    let needed = draft
        .end
        .cycle
        .map_or(wanted, |cycle| (cycle / batch + 2) * batch);
    let cycles = needed.min(wanted);
    if cycles > MOST / 2 / size_of::<CycleInput>() as u64 {
        return Err(format!("{cycles} cycles are more than a capsule can have"));
    }
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let file = |name: &str| Some(place.join(name)).filter(|path| path.exists());
    let implementation = implementation_file::load(file(IMPLEMENTATION).as_deref());
    let implementation = implementation.map_err(|error| words(&error))?;
    let own = file(PROFILE).map(|path| path.display().to_string());
    let profile = Profile::load(own.as_ref().unwrap_or(profile)).map_err(|error| words(&error))?;
    let generator = Generator::new(seed, &implementation, &profile);
    let mut generator = generator.map_err(|error| words(&error))?;
    let path = scratch.path().join(STIMULUS);
    let mut write = || {
        let mut writer = Writer::create(&path, &implementation, Some(Origin::of(&generator)))?;
        let mut left = cycles;
        let mut inputs = vec![CycleInput::default(); BATCH];
        while left > 0 {
            let part = &mut inputs[..left.min(batch) as usize];
            generator.fill(part);
            writer.append(part)?;
            left -= part.len() as u64;
        }
        writer.finish()
    };
    write().map_err(|error| words(&error))?;
    Ok(path)
}

/// Adds the sources of a design.
///
/// # Errors
/// Why they are not there, or cannot be built; nothing of the bundled design.
#[cfg(feature = "rtl")]
fn copy(draft: &mut Capsule, packer: &mut Packer) -> Result<(), String> {
    let design = &mut draft.design;
    if design.bundled {
        return Err(String::new());
    }
    let canonical = |path: &str| fs::canonicalize(path).map_err(|error| format!("{path}: {error}"));
    let mut paths = Vec::new();
    for source in &design.sources {
        let path = canonical(&source.path)?;
        let found = verilator_sys::shared::content_hash(&path);
        if found.ok().as_ref() != Some(&source.sha256) {
            return Err(format!("{} has changed since the run", source.path));
        }
        paths.push(path);
    }
    let first = paths.first().and_then(|path| path.parent());
    let mut root = first
        .ok_or("the run does not tell what it was made of")?
        .to_owned();
    while !paths.iter().all(|path| path.starts_with(&root)) {
        root.pop();
    }
    let inside = |path: &Path| {
        let rest = path.strip_prefix(&root).ok().and_then(Path::to_str);
        rest.map(|rest| format!("{}/{rest}", capsule::SOURCES))
            .ok_or_else(|| {
                format!(
                    "{}: expected a path of text below {}",
                    path.display(),
                    root.display()
                )
            })
    };
    for path in &paths {
        let name = inside(path)?;
        let added = packer.add(&name, path).map_err(|error| error.to_string())?;
        if !added {
            return Err(format!("{}: larger than a capsule can be", path.display()));
        }
    }
    if design.copy.is_empty() {
        return Err(
            "it was carried as a built design, and the order of its files is not known".into(),
        );
    }
    let copies = design.copy.iter().map(|path| inside(&canonical(path)?));
    design.copy = copies.collect::<Result<_, _>>()?;
    Ok(())
}

#[cfg(not(feature = "rtl"))]
fn copy(_: &mut Capsule, _: &mut Packer) -> Result<(), String> {
    Err("this lockstep was built without designs".into())
}

/// Removes capsules of an earlier report, and the folder if nothing is left in it.
fn tidy(folder: &Path, kept: &BTreeSet<String>) -> Result<(), Failure> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if kept.contains(&name) || capsule::manifest(&path).is_err() {
            continue;
        }
        let page = page_of(&name);
        let beside = folder.join(&page);
        if !kept.contains(&page) && beside.exists() {
            fs::remove_file(&beside).map_err(|error| output::failed(&beside, &error))?;
        }
        fs::remove_file(&path).map_err(|error| output::failed(&path, &error))?;
    }
    // It stays if something is in it.
    let _ = fs::remove_dir(folder);
    Ok(())
}
