//! How much a regression notices: mutants of a design's netlist, each of which runs kill, or a solver judges.

pub mod mutants;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lockstep_designs::{OpenError, Rtl};
use lockstep_engine::dut::Dut;
use lockstep_engine::dut::chosen::Chosen;
use lockstep_engine::lockstep::Outcome;
use lockstep_stimulus::{Generator, Profile, Reader, Stimulus, StimulusError};
use pmu_model::{CycleInput, Implementation};
use serde::Serialize;
use thiserror::Error;

use crate::judge::{Judge, JudgeError, Judged};
use crate::replay::{self, RunError};
use mutants::Mutant;

/// A mutant could not be run, or not be judged.
#[derive(Debug, Error)]
pub enum ScoreError {
    /// It cannot be instantiated.
    #[error(transparent)]
    Open(#[from] Box<OpenError>),
    /// It cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// It cannot be judged.
    #[error(transparent)]
    Judge(#[from] Box<JudgeError>),
    /// Interrupted by the user.
    #[error("interrupted")]
    Interrupted,
}

/// A divergence that kills a mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kill {
    /// Its stimulus: a file, or `seed N`.
    pub by: String,
    /// The cycle in which it is found.
    pub cycle: u64,
    /// The field that differs first, or what else comes of the mutant.
    pub field: String,
}

/// What became of a mutant.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "fate", rename_all = "snake_case")]
pub enum Fate {
    /// The regression notices it.
    Killed(Kill),
    /// The regression does not, and this stimulus of a solver does.
    Left {
        /// What does not hold of it.
        claim: String,
        /// How it is noticed.
        kill: Kill,
    },
    /// It is the design, for all inputs and in all states that the design can be in.
    Equivalent {
        /// So many claims are about what it changes, and hold; 0 where it changes nothing that a claim is about.
        claims: usize,
    },
    /// The regression does not notice it, and this was not finished, or does not hold in a state to which no stimulus was
    /// found.
    NotDecided {
        /// The claim.
        claim: String,
    },
    /// The regression does not notice it, and no solver was asked.
    Alive,
}

/// The runs that are to notice mutants.
#[derive(Clone, Debug)]
pub struct Regression {
    /// Recorded stimulus.
    pub recorded: Vec<PathBuf>,
    /// What random stimulus is like.
    pub profile: Profile,
    /// Its seed.
    pub seed: u64,
    /// How long it is; 0 for none.
    pub cycles: u64,
}

/// A design with mutants in it.
#[derive(Debug)]
pub struct Bench<'a> {
    /// As it is built.
    pub rtl: &'a Rtl,
    /// What it is.
    pub implementation: &'a Implementation,
}

impl Bench<'_> {
    /// The first run that notices the mutant with this number; number 0 is the design itself.
    ///
    /// # Errors
    /// It cannot be run.
    pub fn hunt(&self, regression: &Regression, number: usize) -> Result<Option<Kill>, ScoreError> {
        for path in &regression.recorded {
            let killed = self.run(
                number,
                path.display().to_string(),
                Reader::open(path).map_err(unread)?,
                u64::MAX,
            )?;
            if killed.is_some() {
                return Ok(killed);
            }
        }
        if regression.cycles == 0 {
            return Ok(None);
        }
        let Regression { seed, profile, .. } = regression;
        let generator = Generator::new(*seed, self.implementation, profile).map_err(unread)?;
        self.run(number, format!("seed {seed}"), generator, regression.cycles)
    }

    /// Has a solver look at a mutant that no run notices. What stimulus it finds becomes the file `NUMBER.stim` in `folder`,
    /// and is run.
    ///
    /// # Errors
    /// It cannot be judged, or a file cannot be written.
    pub fn judge(
        &self,
        judge: &Judge<'_>,
        number: usize,
        folder: &Path,
    ) -> Result<Fate, ScoreError> {
        Ok(match judge.judge(number as u64).map_err(Box::new)? {
            Judged::Same => Fate::Equivalent { claims: 0 },
            Judged::Equivalent(claims) => Fate::Equivalent { claims },
            Judged::NotDecided(claim) => Fate::NotDecided { claim },
            Judged::Killed(claim, cycles) => {
                let path = folder.join(format!("{number}.stim"));
                let mut kill = self.replay(number, &path, &cycles)?;
                if kill.is_none()
                    && let Some(cycles) = judge.by_access(number as u64).map_err(Box::new)?
                {
                    kill = self.replay(number, &path, &cycles)?;
                }
                match kill {
                    Some(kill) => Fate::Left { claim, kill },
                    None => Fate::NotDecided {
                        claim: format!("{claim}, and {} does not show it", path.display()),
                    },
                }
            }
        })
    }

    /// The same in stimulus that becomes a file.
    fn replay(
        &self,
        number: usize,
        path: &Path,
        cycles: &[CycleInput],
    ) -> Result<Option<Kill>, ScoreError> {
        let dut = self.mutant(number)?;
        let outcome = replay::replay(self.implementation, dut, cycles, path)?;
        killed(path.display().to_string(), outcome)
    }

    /// The first difference from the model in a run of at most so many cycles.
    fn run(
        &self,
        number: usize,
        by: String,
        stimulus: impl Into<Stimulus>,
        most: u64,
    ) -> Result<Option<Kill>, ScoreError> {
        let outcome = replay::run(self.implementation, self.mutant(number)?, stimulus, most)?;
        killed(by, outcome)
    }

    /// The design as the mutant with this number.
    fn mutant(&self, number: usize) -> Result<Box<dyn Dut>, ScoreError> {
        let number = u16::try_from(number).unwrap_or(u16::MAX);
        let dut = self.rtl.instance().map_err(Box::new)?;
        Ok(Box::new(Chosen::new(dut, number)))
    }
}

/// Stimulus that cannot be read or made.
fn unread(error: StimulusError) -> RunError {
    RunError::Stimulus(Box::new(error))
}

/// What a run by some stimulus that came to this notices.
fn killed(by: String, outcome: Outcome) -> Result<Option<Kill>, ScoreError> {
    let (cycle, field) = match outcome {
        Outcome::Agree => return Ok(None),
        Outcome::Diverged(divergence) => {
            let field = divergence.root().field.name(&divergence.input);
            (divergence.cycle, field)
        }
        Outcome::Stopped { cycle, stop } => (cycle, stop.to_string()),
        Outcome::Interrupted => return Err(ScoreError::Interrupted),
    };
    Ok(Some(Kill { by, cycle, field }))
}

/// A mutant, and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Scored {
    /// The mutant.
    #[serde(flatten)]
    pub mutant: Mutant,
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
}

impl Scored {
    /// One of which nothing is known yet.
    pub fn alive(mutant: Mutant) -> Self {
        Self {
            mutant,
            fate: Fate::Alive,
        }
    }
}

/// How many mutants came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All of them.
    pub made: usize,
    /// Those that the regression notices.
    pub killed: usize,
    /// Those that stimulus of a solver kills alone.
    pub left: usize,
    /// Those that are the design.
    pub equivalent: usize,
    /// Those of which a solver could not tell.
    pub not_decided: usize,
    /// Those of which none was asked.
    pub alive: usize,
}

impl Counts {
    /// Counts them.
    pub fn of<'b>(fates: impl IntoIterator<Item = &'b Fate>) -> Self {
        let mut counts = Self::default();
        for fate in fates {
            counts.made += 1;
            *match fate {
                Fate::Killed(_) => &mut counts.killed,
                Fate::Left { .. } => &mut counts.left,
                Fate::Equivalent { .. } => &mut counts.equivalent,
                Fate::NotDecided { .. } => &mut counts.not_decided,
                Fate::Alive => &mut counts.alive,
            } += 1;
        }
        counts
    }

    /// The score: the share that is noticed of those that are not the design, in percent; `None` if there are none.
    pub fn score(&self) -> Option<f64> {
        let others = self.made - self.equivalent;
        (others > 0).then(|| 100.0 * self.killed as f64 / others as f64)
    }
}

/// Does `work` of each of `jobs` on all cores; `done` gets what came of it, one at a time, and ends it all by an error.
///
/// # Errors
/// The first that `done` gives.
pub fn on_all_cores<T: Sync, R, E: Send>(
    jobs: &[T],
    work: impl Fn(&T) -> R + Sync,
    done: impl FnMut(&T, R) -> Result<(), E> + Send,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let state = Mutex::new((done, None));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(job);
                    let Ok(mut state) = state.lock() else { return };
                    let (done, failed) = &mut *state;
                    if failed.is_none() {
                        *failed = done(job, result).err();
                    }
                    if failed.is_some() {
                        return;
                    }
                }
            });
        }
    });
    match state.into_inner() {
        Ok((_, Some(error))) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_mutants_do_not_count() {
        let kill = || Kill {
            by: "seed 1".into(),
            cycle: 7,
            field: "V[0]".into(),
        };
        let claim = || String::from("a claim");
        let fates = [
            Fate::Killed(kill()),
            Fate::Killed(kill()),
            Fate::Killed(kill()),
            Fate::Left {
                claim: claim(),
                kill: kill(),
            },
            Fate::Equivalent { claims: 3 },
        ];
        let counts = Counts::of(&fates);
        assert_eq!(
            (counts.made, counts.killed, counts.left, counts.equivalent),
            (5, 3, 1, 1)
        );
        assert_eq!(counts.score(), Some(75.0));
        assert_eq!(Counts::of(&[Fate::Equivalent { claims: 0 }]).score(), None);
    }

    #[test]
    fn an_error_ends_all_jobs() {
        let jobs: Vec<usize> = (0..1000).collect();
        let mut seen = 0;
        let ended = on_all_cores(
            &jobs,
            |&job| job,
            |_, job| {
                seen += 1;
                if job == 5 { Err(job) } else { Ok(()) }
            },
        );
        assert_eq!(ended, Err(5));
        assert!(seen < 1000);
    }
}
