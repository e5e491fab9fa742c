//! The runs of a suite, one by one, in an order that is the suite's alone.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use lockstep_base::glob::Glob;
use serde::Serialize;
use twox_hash::XxHash3_128;

use crate::suite::{BUNDLED, DEFAULT, Design, Group, Limits, Suite};

/// The implementation of a recorded stimulus, where the suite names none.
const RECORDED: &str = "recorded";

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// `IMPLEMENTATION/DESIGN/STIMULUS/CYCLES/SEED`, of a recorded stimulus without the last two.
    pub id: String,
    /// Name of the implementation.
    pub implementation: String,
    /// Its file, if it has one.
    pub file: Option<PathBuf>,
    /// Name of the design.
    pub design: String,
    /// What happens to it.
    pub stimulus: Stimulus,
    /// The waivers.
    pub waivers: Option<PathBuf>,
    /// Whether rules are counted.
    pub coverage: bool,
    /// Whether coverage of the RTL is.
    pub rtl_coverage: bool,
    /// Whether it goes on after a divergence.
    pub keep_going: bool,
    /// Initial states of the design, beside zeros.
    pub init: Option<u32>,
}

/// What happens to a design.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Stimulus {
    /// Generated.
    Generated {
        /// Name or file.
        profile: String,
        /// Seed.
        seed: u64,
        /// Cycles.
        cycles: u64,
    },
    /// From a file, to its end.
    Recorded(PathBuf),
}

impl Stimulus {
    /// Its name in that of a run: of a file, the name without the end.
    pub fn name(&self) -> String {
        let path = match self {
            Self::Generated { profile, .. } => Path::new(profile),
            Self::Recorded(path) => path,
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "_-.".contains(c) {
                c
            } else {
                '_'
            }
        };
        stem.chars().map(plain).collect()
    }

    /// Seed, if it is generated.
    pub fn seed(&self) -> Option<u64> {
        match self {
            Self::Generated { seed, .. } => Some(*seed),
            Self::Recorded(_) => None,
        }
    }

    /// Cycles, if it is generated.
    pub fn cycles(&self) -> Option<u64> {
        match self {
            Self::Generated { cycles, .. } => Some(*cycles),
            Self::Recorded(_) => None,
        }
    }
}

impl Run {
    /// Options of `lockstep run` but those of the design and of results. Paths are those of the suite. Generated stimulus is
    /// for `shortened` cycles, where that is given.
    pub fn options(&self, limits: &Limits, shortened: Option<u64>) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        match &self.stimulus {
            Stimulus::Generated {
                profile,
                seed,
                cycles,
            } => {
                add("--seed", seed.to_string());
                add("--cycles", shortened.unwrap_or(*cycles).to_string());
                if profile != MIXED {
                    add("--profile", profile.clone());
                }
            }
            Stimulus::Recorded(path) => add("--stimulus", path.display().to_string()),
        }
        if let Some(file) = &self.file {
            add("--implementation", file.display().to_string());
        }
        if let Some(file) = &self.waivers {
            add("--waivers", file.display().to_string());
        }
        if let Some(states) = self.init {
            add("--init", states.to_string());
        }
        if let Some(seconds) = limits.hang_after {
            add("--hang-after", seconds.to_string());
        }
        // What is shortened ends with its divergence.
        if self.keep_going && shortened.is_none() {
            words.push("--keep-going".into());
        }
        words
    }

    /// The name of the folder of what it leaves: that of the run, with `+` for `/`, which no part of it has.
    pub fn folder(&self) -> String {
        self.id.replace('/', "+")
    }

    /// The same with other stimulus, and the name that it has then.
    pub(crate) fn with(&self, stimulus: Stimulus) -> Self {
        Self {
            stimulus,
            ..self.clone()
        }
        .named()
    }

    /// The same with another profile, if its stimulus is generated.
    pub(crate) fn with_profile(&self, name: &str) -> Self {
        let mut stimulus = self.stimulus.clone();
        if let Stimulus::Generated { profile, .. } = &mut stimulus {
            name.clone_into(profile);
        }
        self.with(stimulus)
    }

    fn named(mut self) -> Self {
        let stimulus = self.stimulus.name();
        self.id = format!("{}/{}/{stimulus}", self.implementation, self.design);
        if let Stimulus::Generated { seed, cycles, .. } = &self.stimulus {
            self.id += &format!("/{cycles}/{seed}");
        }
        self
    }
}

/// The usual mix.
const MIXED: &str = "mixed";

/// The runs of a suite.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order of the suite: group by group, implementation, design, stimulus, cycles, seed.
    pub runs: Vec<Run>,
}

/// A plan that cannot be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Two different runs would have one name.
    #[error(
        "two runs of the suite have the name {0}, and differ in their files, waivers, coverage, initial states or what they do after a \
         divergence: give profiles and stimulus files other names, or their groups other seeds or cycles (--base gives all groups \
         one base)"
    )]
    OneName(String),
    /// There is nothing to run.
    #[error("no run of the suite fits {0}: `lockstep regress SUITE --list` lists their names")]
    Nothing(String),
}

impl Plan {
    /// All runs of `suite`. A run that several groups have is one.
    ///
    /// # Errors
    /// Two runs that differ would have one name.
    pub fn of(suite: &Suite) -> Result<Self, PlanError> {
        let mut runs: Vec<Run> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for run in suite.group.iter().flat_map(|group| suite.runs(group)) {
            match places.get(&run.id) {
                Some(&place) if runs[place] == run => {}
                Some(_) => return Err(PlanError::OneName(run.id)),
                None => {
                    places.insert(run.id.clone(), runs.len());
                    runs.push(run);
                }
            }
        }
        Ok(Self { runs })
    }

    /// Keeps the runs whose names have one of `words` in them, or fit it where it has wildcards.
    ///
    /// # Errors
    /// None does.
    pub fn only(&mut self, words: &[String]) -> Result<(), PlanError> {
        if words.is_empty() {
            return Ok(());
        }
        let globs: Vec<_> = words.iter().map(|word| Glob::new(word)).collect();
        let fits = |glob: &Glob, id: &str| match glob.has_wildcards() {
            true => glob.captures(id).is_some(),
            false => id.contains(glob.text()),
        };
        self.keep(&words.join(", "), |run| {
            globs.iter().any(|glob| fits(glob, &run.id))
        })
    }

    /// Keeps the runs that `wanted` wants; `what` is that in words.
    ///
    /// # Errors
    /// There are none.
    pub fn keep(&mut self, what: &str, wanted: impl Fn(&Run) -> bool) -> Result<(), PlanError> {
        self.runs.retain(wanted);
        match self.runs.is_empty() {
            true => Err(PlanError::Nothing(what.into())),
            false => Ok(()),
        }
    }

    /// The hash of the names of its runs, in their order.
    pub fn hash(&self) -> String {
        let names: Vec<_> = self.runs.iter().map(|run| run.id.as_str()).collect();
        hash(names.join("\n").as_bytes())
    }
}

/// XXH3-128 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(bytes))
}

impl Suite {
    /// The runs of a group.
    fn runs<'a>(&'a self, group: &'a Group) -> impl Iterator<Item = Run> + 'a {
        let stimuli = group.stimuli();
        let pairs = stimuli.into_iter().map(move |stimulus| {
            let implementations = self.implementations(group, &stimulus);
            (stimulus, implementations)
        });
        let mut runs: Vec<(usize, usize, usize, Run)> = Vec::new();
        for (third, (stimulus, implementations)) in pairs.enumerate() {
            for (first, implementation) in implementations.into_iter().enumerate() {
                for (second, design) in self.designs(group).into_iter().enumerate() {
                    let run = Run {
                        id: String::new(),
                        file: self.implementations.get(&implementation).cloned(),
                        implementation: implementation.clone(),
                        design,
                        stimulus: stimulus.clone(),
                        waivers: group.waivers.clone(),
                        coverage: group.coverage,
                        rtl_coverage: group.rtl_coverage,
                        keep_going: group.keep_going,
                        init: group.init,
                    };
                    runs.push((first, second, third, run.named()));
                }
            }
        }
        runs.sort_by_key(|&(first, second, third, _)| (first, second, third));
        runs.into_iter().map(|(.., run)| run)
    }

    fn implementations(&self, group: &Group, stimulus: &Stimulus) -> Vec<String> {
        let of_recording = matches!(stimulus, Stimulus::Recorded(_));
        match &group.implementations {
            Some(names) => names.clone(),
            // A recording is for the implementation that it was made for.
            None if of_recording => vec![RECORDED.into()],
            None if self.implementations.is_empty() => vec![DEFAULT.into()],
            None => self.implementations.keys().cloned().collect(),
        }
    }

    fn designs(&self, group: &Group) -> Vec<String> {
        match &group.designs {
            Some(names) => names.clone(),
            None if self.designs.is_empty() => vec![BUNDLED.into()],
            None => self.designs.keys().cloned().collect(),
        }
    }

    /// The design of a name; none of the bundled one.
    pub fn design(&self, name: &str) -> Option<&Design> {
        self.designs.get(name)
    }

    /// Takes another base for all seeds that follow from one.
    ///
    /// # Returns
    /// Whether there are such seeds.
    pub fn rebase(&mut self, base: &str) -> bool {
        let rebased = self.group.iter_mut().map(|group| group.seeds.rebase(base));
        // All of them, not up to the first.
        rebased.fold(false, |any, one| any | one)
    }

    /// Takes so many seeds, where they follow from a base.
    ///
    /// # Returns
    /// Whether there are such seeds.
    pub fn reseed(&mut self, number: u64) -> bool {
        let reseeded = self
            .group
            .iter_mut()
            .map(|group| group.seeds.reseed(number));
        // All of them, not up to the first.
        reseeded.fold(false, |any, one| any | one)
    }

    /// The hash of what the suite says, and of the files that it names but those of designs, in `folder`. It does not depend
    /// on the base of seeds, so that a suite that runs every night, with seeds of that night, is one suite.
    ///
    /// # Errors
    /// The file that cannot be read.
    pub fn hash(&self, folder: &Path) -> Result<String, (PathBuf, io::Error)> {
        let mut suite = self.clone();
        suite.rebase("");
        let mut all = serde_json::to_vec(&suite).unwrap_or_default();
        let of_group = |group: &Group| {
            let profiles = group.profiles.iter().flatten();
            let profiles = profiles
                .filter(|name| name.ends_with(".toml"))
                .map(PathBuf::from);
            let recorded = group.recorded.iter().cloned();
            let files: Vec<_> = profiles
                .chain(recorded)
                .chain(group.waivers.clone())
                .collect();
            files
        };
        let files = self.group.iter().flat_map(of_group);
        for file in self.implementations.values().cloned().chain(files) {
            let path = folder.join(&file);
            let bytes = fs::read(&path).map_err(|error| (path, error))?;
            all.extend(hash(&bytes).into_bytes());
        }
        Ok(hash(&all))
    }
}

impl Group {
    /// Its stimulus: what is generated, profile by profile, then what is recorded.
    fn stimuli(&self) -> Vec<Stimulus> {
        let usual = match self.recorded.is_empty() {
            true => vec![MIXED.to_owned()],
            false => Vec::new(),
        };
        let profiles = self.profiles.clone().unwrap_or(usual);
        let seeds = self.seeds.all();
        let mut all = Vec::new();
        for profile in profiles {
            for &cycles in &self.cycles.0 {
                all.extend(seeds.iter().map(|&seed| Stimulus::Generated {
                    profile: profile.clone(),
                    seed,
                    cycles,
                }));
            }
        }
        all.extend(self.recorded.iter().cloned().map(Stimulus::Recorded));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: &str) -> Result<Vec<String>, PlanError> {
        let suite: Suite = toml::from_str(text).expect("a suite");
        let plan = Plan::of(&suite)?;
        Ok(plan.runs.into_iter().map(|run| run.id).collect())
    }

    #[test]
    fn everything_with_everything() {
        let text = "name = 'n'\n[implementations]\na = 'a.toml'\nb = 'b.toml'\n[[group]]\n\
                    profiles = ['spe', 'p/own.toml']\nseeds = '1-2'\ncycles = 9\n[[group]]\nrecorded = ['x/y.stim']\n";
        assert_eq!(
            plan(text).expect("a plan"),
            [
                "a/bundled/spe/9/1",
                "a/bundled/spe/9/2",
                "a/bundled/own/9/1",
                "a/bundled/own/9/2",
                "b/bundled/spe/9/1",
                "b/bundled/spe/9/2",
                "b/bundled/own/9/1",
                "b/bundled/own/9/2",
                "recorded/bundled/y",
            ]
        );
    }

    #[test]
    fn a_run_of_two_groups_is_one_unless_it_differs() {
        let same = "name = 'n'\n[[group]]\nseeds = '1-3'\n[[group]]\nseeds = '3-4'\n";
        assert_eq!(plan(same).expect("a plan").len(), 4);
        let other = format!("{same}coverage = true\n");
        let error = plan(&other).unwrap_err();
        assert_eq!(
            error,
            PlanError::OneName("default/bundled/mixed/1000000/3".into())
        );
    }

    #[test]
    fn a_suite_of_another_night_is_the_same_suite() {
        let of = |seeds: &str, base: Option<&str>| {
            let text = format!("name = 'n'\n[[group]]\nseeds = {seeds}\n");
            let mut suite: Suite = toml::from_str(&text).expect("a suite");
            if let Some(base) = base {
                suite.rebase(base);
            }
            let plan = Plan::of(&suite).expect("a plan");
            (suite.hash(Path::new("")).expect("no files"), plan.hash())
        };
        let seeds = "{ count = 3, base = '2026-11-26' }";
        let (suite, plan) = of(seeds, None);
        let (same, other) = of(seeds, Some("2026-11-27"));
        assert_eq!(suite, same);
        assert_ne!(plan, other);
        assert_ne!(suite, of("{ count = 4, base = '2026-11-26' }", None).0);
    }

    #[test]
    fn runs_are_chosen_by_their_names() {
        let suite: Suite =
            toml::from_str("name = 'n'\n[[group]]\nseeds = '1-20'\n").expect("a suite");
        let chosen = |word: &str| {
            let mut plan = Plan::of(&suite).expect("a plan");
            plan.only(&[word.into()]).map(|()| plan.runs.len())
        };
        assert_eq!(chosen("mixed"), Ok(20));
        assert_eq!(chosen("**/7"), Ok(1));
        assert_eq!(chosen("*/bundled/*/*/1*"), Ok(11));
        assert_eq!(chosen("spe"), Err(PlanError::Nothing("spe".into())));
    }
}
