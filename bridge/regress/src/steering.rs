//! Runs whose profiles move to what was not taken before, and rounds of runs until enough is taken.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use lockstep_base::plain::of_json;
use lockstep_base::text_file;
use lockstep_stimulus::implementation_file::{self, FileError};
use lockstep_stimulus::steering::{Choice, Steered};
use lockstep_stimulus::{Named, Profile, StimulusError};
use pmu_model::Implementation;
use pmu_model::coverage::Coverage;
use serde::Deserialize;

use crate::coverage::Of;
use crate::plan::{Plan, Run, Stimulus};
use crate::seeds::seed_after;
use crate::share::Share;

/// An implementation with a design: what is counted together, and steered together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Name of the implementation in the suite.
    pub implementation: String,
    /// Name of the design.
    pub design: String,
}

impl Part {
    fn of(run: &Run) -> Self {
        Self {
            implementation: run.implementation.clone(),
            design: run.design.clone(),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.implementation, self.design)
    }
}

/// What cannot be steered, or not by this.
#[derive(Debug, thiserror::Error)]
pub enum SteeringError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}; name coverage.json in a report of `lockstep regress` or `lockstep merge`", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It holds something else.
    #[error(
        "{}: expected merged coverage of this version of lockstep, found something else: {}; name coverage.json in a report of \
         `lockstep regress` or `lockstep merge`, and merge results of an older version again with this one",
        path.display(), of_json(source)
    )]
    Syntax {
        /// File.
        path: PathBuf,
        /// Reason.
        source: serde_json::Error,
    },
    /// It is of an implementation that has only the name of the suite's.
    #[error(
        "{path}: expected coverage of {part} with the implementation as the suite has it, found that of another one, which \
         differs in features, sizes or knobs: name coverage of this suite, or run it once without --steer"
    )]
    OtherImplementation {
        /// File.
        path: String,
        /// What has the same name.
        part: Part,
    },
    /// It has nothing of the suite.
    #[error(
        "{path}: expected coverage of {expected}, found that of {found}: name coverage of this suite, or run it once without \
         --steer"
    )]
    NoPart {
        /// File.
        path: String,
        /// What the suite counts.
        expected: String,
        /// What the file has.
        found: String,
    },
    /// No run of the suite can be steered.
    #[error(
        "expected a group with `coverage = true` and generated stimulus, found none among the runs of the suite: nothing can \
         be steered by coverage, or run until it is complete"
    )]
    Nothing,
    /// A file of the suite.
    #[error(transparent)]
    Implementation(#[from] FileError),
    /// A profile of the suite.
    #[error(transparent)]
    Profile(#[from] StimulusError),
}

/// Merged coverage in a file.
#[derive(Deserialize)]
struct File {
    merged: Vec<Of>,
}

/// The coverage that an earlier report has.
///
/// # Errors
/// It cannot be read, or is none, or of another version.
pub fn read(path: &Path) -> Result<Vec<Of>, SteeringError> {
    let text = text_file::read(path).map_err(|source| SteeringError::Io {
        path: path.into(),
        source,
    })?;
    let file: File = serde_json::from_str(&text).map_err(|source| SteeringError::Syntax {
        path: path.into(),
        source,
    })?;
    Ok(file.merged)
}

/// What each implementation with each design of a plan has taken, of those whose runs can be steered.
#[derive(Debug)]
pub struct Taken(BTreeMap<Part, Coverage>);

impl Taken {
    /// Of the runs in `plan`, whose paths start in `folder`: what `merged` has, and nothing of what it does not have.
    ///
    /// # Errors
    /// No run can be steered, or an implementation cannot be read.
    pub fn of(plan: &Plan, folder: &Path, merged: Vec<Of>) -> Result<Self, SteeringError> {
        let mut all = BTreeMap::new();
        for run in plan.runs.iter().filter(|run| is_steered(run)) {
            if let Entry::Vacant(place) = all.entry(Part::of(run)) {
                let file = run.file.as_ref().map(|file| folder.join(file));
                let implementation = implementation_file::load(file.as_deref())?;
                place.insert(Coverage::new(&implementation));
            }
        }
        if all.is_empty() {
            return Err(SteeringError::Nothing);
        }
        for of in merged {
            let part = Part {
                implementation: of.implementation,
                design: of.design,
            };
            if let Some(held) = all.get_mut(&part)
                && held.implementation() == of.coverage.implementation()
            {
                *held = of.coverage;
            }
        }
        Ok(Self(all))
    }

    /// The same of the file at `path`, which must be of this suite.
    ///
    /// # Errors
    /// The same, and it is not.
    pub fn of_file(plan: &Plan, folder: &Path, path: &Path) -> Result<Self, SteeringError> {
        let merged = read(path)?;
        let path = path.display().to_string();
        let found: BTreeMap<_, Vec<Implementation>> =
            merged.iter().fold(BTreeMap::new(), |mut all, of| {
                let part = Part {
                    implementation: of.implementation.clone(),
                    design: of.design.clone(),
                };
                let implementations: &mut Vec<_> = all.entry(part).or_default();
                implementations.push(of.coverage.implementation().clone());
                all
            });
        let taken = Self::of(plan, folder, merged)?;
        let words = |parts: Vec<&Part>| {
            let words: Vec<_> = parts.into_iter().map(Part::to_string).collect();
            words.join(", ")
        };
        if !taken.0.keys().any(|part| found.contains_key(part)) {
            return Err(SteeringError::NoPart {
                path,
                expected: words(taken.0.keys().collect()),
                found: words(found.keys().collect()),
            });
        }
        for (part, coverage) in &taken.0 {
            if let Some(others) = found.get(part)
                && !others.contains(coverage.implementation())
            {
                return Err(SteeringError::OtherImplementation {
                    path,
                    part: part.clone(),
                });
            }
        }
        Ok(taken)
    }

    /// How much of what can be taken was, rules and points of crosses together.
    pub fn shares(&self) -> impl Iterator<Item = (&Part, Share)> {
        self.0.iter().map(|(part, coverage)| {
            let rules = coverage.rules().map(|(_, count)| count);
            let points = coverage.crosses().flat_map(|(_, points)| points);
            let counts = rules.chain(points.map(|&(_, count)| count));
            let share = counts.fold(Share::default(), |sum, count| Share {
                hit: sum.hit + usize::from(count > 0),
                of: sum.of + 1,
            });
            (part, share)
        })
    }

    /// Rules and points of a part that were not taken.
    pub fn missing(&self, part: &Part) -> Vec<String> {
        let coverage = self.0.get(part);
        coverage.map_or_else(Vec::new, Coverage::uncovered)
    }
}

/// Whether coverage can move its profile.
fn is_steered(run: &Run) -> bool {
    run.coverage && matches!(run.stimulus, Stimulus::Generated { .. })
}

/// The runs of round `number`, from 2: those of the first round that can be steered and are of one of `parts`, each with seed
/// number `number` after its own.
pub fn round(first: &[Run], number: u64, parts: &BTreeSet<Part>) -> Plan {
    let runs = first
        .iter()
        .filter(|run| is_steered(run) && parts.contains(&Part::of(run)));
    let again = runs.map(|run| match &run.stimulus {
        Stimulus::Generated {
            profile,
            seed,
            cycles,
        } => run.with(Stimulus::Generated {
            profile: profile.clone(),
            seed: seed_after(&seed.to_string(), number),
            cycles: *cycles,
        }),
        Stimulus::Recorded(_) => run.clone(),
    });
    Plan {
        runs: again.collect(),
    }
}

/// Where steered profiles come from and go to.
pub struct Steering<'a> {
    /// The folder of the suite's file.
    pub folder: &'a Path,
    /// The folder of profiles that are written, as command lines of runs name it.
    pub profiles: &'a Path,
    /// Threads.
    pub jobs: usize,
    /// Is told of each profile that was tried, and says whether to go on.
    pub tick: &'a (dyn Fn() -> bool + Sync),
}

impl Steering<'_> {
    /// Gives runs of `plan` other profiles, which take more of what `taken` lacks: a pure function of both, and of the files
    /// that the suite names.
    ///
    /// # Returns
    /// The profiles that have to be written, by the names of their files; none if `tick` did not want to go on.
    ///
    /// # Errors
    /// A profile of the suite cannot be used.
    pub fn steer(
        &self,
        plan: &mut Plan,
        taken: &Taken,
    ) -> Result<Option<BTreeMap<String, Profile>>, SteeringError> {
        let mut names: BTreeSet<String> = plan.runs.iter().map(|run| run.id.clone()).collect();
        let mut written = BTreeMap::new();
        for (part, coverage) in &taken.0 {
            let own = |run: &Run| is_steered(run) && Part::of(run) == *part;
            let places: Vec<_> = (0..plan.runs.len())
                .filter(|&at| own(&plan.runs[at]))
                .collect();
            let runs: Vec<_> = places.iter().map(|&at| &plan.runs[at]).collect();
            let candidates = self.candidates(&runs)?;
            let steered = runs.iter().filter_map(|run| {
                Some(Steered {
                    seed: run.stimulus.seed()?,
                    cycles: run.stimulus.cycles()?,
                })
            });
            let choice = Choice {
                implementation: coverage.implementation(),
                taken: coverage,
                runs: &steered.collect::<Vec<_>>(),
                candidates: &candidates,
                jobs: self.jobs,
                tick: self.tick,
            };
            let Some(chosen) = choice.choose() else {
                return Ok(None);
            };
            for (at, number) in places.into_iter().zip(chosen) {
                let Some(Named { name, profile }) = number.map(|number| &candidates[number]) else {
                    continue;
                };
                let run = plan.runs[at].with_profile(name);
                // Where another run has this profile, seed and number of cycles, it is kept as it is.
                if !names.insert(run.id.clone()) {
                    continue;
                }
                if Path::new(name).starts_with(self.profiles) {
                    let file = Path::new(name).file_name().unwrap_or_default();
                    written.insert(file.to_string_lossy().into_owned(), profile.clone());
                }
                plan.runs[at] = run;
            }
        }
        Ok(Some(written))
    }

    /// Profiles to choose from, by the words that name them: those of the runs, the built-in ones, and the first of the runs
    /// with one weight raised.
    fn candidates(&self, runs: &[&Run]) -> Result<Vec<Named>, SteeringError> {
        let own = runs.iter().filter_map(|run| match &run.stimulus {
            Stimulus::Generated { profile, .. } => Some((profile.as_str(), run.stimulus.name())),
            Stimulus::Recorded(_) => None,
        });
        let built_in = Profile::names().map(|name| (name, name.to_owned()));
        let mut all: Vec<Named> = Vec::new();
        let mut raised = Vec::new();
        for (word, stem) in own.chain(built_in) {
            if all.iter().any(|known| known.name == word) {
                continue;
            }
            let path = self.folder.join(word);
            let profile = match Profile::named(word) {
                Some(profile) => profile,
                None => Profile::load(&path.to_string_lossy())?,
            };
            if all.is_empty() {
                raised = profile.raised(&stem);
            }
            all.push(Named {
                name: word.to_owned(),
                profile,
            });
        }
        all.extend(raised.into_iter().map(|Named { name, profile }| {
            Named {
                name: self
                    .profiles
                    .join(format!("{name}.toml"))
                    .display()
                    .to_string(),
                profile,
            }
        }));
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Suite;

    const SUITE: &str = "name = 'n'\n[[group]]\nseeds = '1-2'\ncycles = 600\ncoverage = true\n\
                         [[group]]\nprofiles = ['spe']\ncycles = 600\n";

    fn plan(text: &str) -> Plan {
        let suite: Suite = toml::from_str(text).expect("a suite");
        Plan::of(&suite).expect("a plan")
    }

    fn names(plan: &Plan) -> Vec<&str> {
        plan.runs.iter().map(|run| run.id.as_str()).collect()
    }

    fn steer(plan: &mut Plan, jobs: usize) -> BTreeMap<String, Profile> {
        let taken = Taken::of(plan, Path::new(""), Vec::new()).expect("nothing taken");
        let steering = Steering {
            folder: Path::new(""),
            profiles: Path::new("out/steered"),
            jobs,
            tick: &|| true,
        };
        let written = steering.steer(plan, &taken).expect("profiles");
        written.expect("it goes on")
    }

    #[test]
    fn runs_move_and_what_they_run_can_be_written() {
        let mut one = plan(SUITE);
        let written = steer(&mut one, 1);
        let mut other = plan(SUITE);
        assert_eq!(steer(&mut other, 3), written);
        assert_eq!(names(&one), names(&other));
        assert_eq!(one.runs[2].id, "default/bundled/spe/600/1");
        assert_ne!(one.runs[0].id, "default/bundled/mixed/600/1");
        for run in &one.runs[..2] {
            let Stimulus::Generated { profile, .. } = &run.stimulus else {
                panic!("{run:?}");
            };
            let file = Path::new(profile)
                .strip_prefix("out/steered")
                .map(|file| file.display().to_string());
            let known = file.is_ok_and(|file| written.contains_key(&file));
            assert!(known || Profile::named(profile).is_some(), "{profile}");
        }
    }

    #[test]
    fn a_round_has_other_seeds_and_what_counts_alone() {
        let first = plan(SUITE).runs;
        let parts = BTreeSet::from([Part::of(&first[0])]);
        let second = round(&first, 2, &parts);
        let expected = ["1", "2"].map(|seed| {
            let seed = seed_after(seed, 2);
            format!("default/bundled/mixed/600/{seed}")
        });
        assert_eq!(names(&second), expected);
        assert_ne!(names(&second), names(&round(&first, 3, &parts)));
        assert!(round(&first, 2, &BTreeSet::new()).runs.is_empty());
    }

    #[test]
    fn coverage_of_something_else_is_refused() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("coverage.json");
        let refused = |text: &str| {
            std::fs::write(&path, text).expect("written");
            let error = Taken::of_file(&plan(SUITE), Path::new(""), &path).unwrap_err();
            error.to_string()
        };
        assert!(refused("{}").contains("expected merged coverage of this version"));
        let mut small = Implementation::default();
        small.pmu.counters = 2;
        let of = |implementation: &Implementation, name: &str| {
            let coverage = Coverage::new(implementation);
            let of = Of {
                implementation: name.into(),
                design: "bundled".into(),
                runs: 1,
                coverage,
            };
            serde_json::to_string(&serde_json::json!({"suite": "n", "merged": [of]})).expect("JSON")
        };
        let message = refused(&of(&small, "default"));
        assert!(message.contains("found that of another one"), "{message}");
        let message = refused(&of(&small, "small"));
        let words = "expected coverage of default/bundled, found that of small/bundled";
        assert!(message.contains(words), "{message}");
        let older = of(&small, "default").replacen("\"TH-01\"", "\"GONE-1\"", 1);
        let message = refused(&older.replacen("\"rules\":{", "\"rules\":{\"GONE-1\":1,", 1));
        assert!(message.contains("GONE-1 is no rule or point"), "{message}");
        std::fs::write(&path, of(&Implementation::default(), "default")).expect("written");
        assert!(Taken::of_file(&plan(SUITE), Path::new(""), &path).is_ok());
        let none = plan("name = 'n'\n[[group]]\n");
        let error = Taken::of(&none, Path::new(""), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("`coverage = true`"));
    }
}
