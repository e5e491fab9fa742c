//! Which profile a run is to have, so that it takes what was not taken before: the candidates drive the model alone, with
//! the run's own seed, and those that take the most of what is missing are chosen.
//!
//! The choice is a pure function of its inputs: it counts points, looks at no clock, and is the same whatever the number
//! of threads.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use pmu_model::Implementation;
use pmu_model::coverage::Coverage;

use super::profile::Named;
use super::{Generator, alone};

/// Cycles of a run that are looked at, from its first one on.
pub const LOOKED_AT: u64 = 20_000;
/// Runs that are steered at most.
pub const MOST: usize = 16;
/// Candidates that are tried for the runs behind the first one: those that together took the most there.
const KEPT: usize = 16;
/// So many runs behind each other for which no candidate takes anything that is missing are the last ones.
const FRUITLESS: usize = 3;

/// A run that can be steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steered {
    /// Its seed.
    pub seed: u64,
    /// Its cycles.
    pub cycles: u64,
}

/// What there is to choose from, and what for.
pub struct Choice<'a> {
    /// The implementation of all runs.
    pub implementation: &'a Implementation,
    /// What has been taken of it.
    pub taken: &'a Coverage,
    /// The runs, in their order.
    pub runs: &'a [Steered],
    /// The profiles, of which of equally good ones the first is taken.
    pub candidates: &'a [Named],
    /// Threads.
    pub jobs: usize,
    /// Is told of each profile that was tried, and says whether to go on.
    pub tick: &'a (dyn Fn() -> bool + Sync),
}

impl Choice<'_> {
    /// For each run the number of the candidate that it is to have, if it is to have one: a run for which none takes
    /// anything that is missing keeps its own, and so do all behind the first [`MOST`].
    ///
    /// # Returns
    /// None if `tick` did not want to go on.
    pub fn choose(&self) -> Option<Vec<Option<usize>>> {
        let mut missing = Points::of(self.taken, |count| count == 0);
        let mut tried: Vec<usize> = (0..self.candidates.len()).collect();
        let mut chosen = vec![None; self.runs.len()];
        let mut fruitless = 0;
        for (place, run) in self.runs.iter().enumerate().take(MOST) {
            if missing.is_empty() || fruitless == FRUITLESS {
                break;
            }
            let found = self.take(*run, &tried)?;
            if place == 0 {
                let kept = together(&found, &missing, KEPT);
                if !kept.is_empty() {
                    tried = kept.iter().map(|&at| tried[at]).collect();
                }
                chosen[place] = kept.first().copied();
                kept.first().inspect(|&&at| missing.remove(&found[at]));
            } else if let Some(&at) = together(&found, &missing, 1).first() {
                chosen[place] = Some(tried[at]);
                missing.remove(&found[at]);
            }
            fruitless = match chosen[place] {
                Some(_) => 0,
                None => fruitless + 1,
            };
        }
        Some(chosen)
    }

    /// What the candidates `tried` take in a run.
    fn take(&self, run: Steered, tried: &[usize]) -> Option<Vec<Points>> {
        let next = AtomicUsize::new(0);
        let goes_on = AtomicBool::new(true);
        let work = || {
            let mut own = Vec::new();
            while goes_on.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(&number) = tried.get(at) else { break };
                own.push((at, self.points(run, number)));
                if !(self.tick)() {
                    goes_on.store(false, Ordering::Relaxed);
                }
            }
            own
        };
        let mut all = thread::scope(|scope| {
            let threads: Vec<_> = (1..self.jobs).map(|_| scope.spawn(work)).collect();
            let mut all = work();
            all.extend(
                threads
                    .into_iter()
                    .flat_map(|one| one.join().unwrap_or_default()),
            );
            all
        });
        all.sort_unstable_by_key(|&(at, _)| at);
        (all.len() == tried.len()).then(|| all.into_iter().map(|(_, points)| points).collect())
    }

    /// What a candidate takes in a run; nothing if it is impossible, which the run itself tells.
    fn points(&self, run: Steered, number: usize) -> Points {
        let profile = &self.candidates[number].profile;
        let generator = Generator::new(run.seed, self.implementation, profile);
        let cycles = run.cycles.min(LOOKED_AT);
        let taken = generator.and_then(|it| alone::take(it, self.implementation, cycles));
        taken.map_or(Points(Vec::new()), |taken| {
            Points::of(&taken, |count| count > 0)
        })
    }
}

/// The places in `found`, at most `most`, that take the most of `missing` together: one after the other, each what takes
/// the most of the rest, the first of equally good ones.
fn together(found: &[Points], missing: &Points, most: usize) -> Vec<usize> {
    let mut rest = missing.clone();
    let mut kept = Vec::new();
    while kept.len() < most {
        let gains = found.iter().map(|points| points.common(&rest));
        let best = gains
            .enumerate()
            .max_by_key(|&(at, gain)| (gain, Reverse(at)));
        let Some((at, 1..)) = best else { break };
        rest.remove(&found[at]);
        kept.push(at);
    }
    kept
}

/// Rules and points of an implementation, a bit each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Points(Vec<u64>);

impl Points {
    /// Those whose counts `are` so.
    fn of(coverage: &Coverage, are: impl Fn(u64) -> bool) -> Self {
        let rules = coverage.rules().map(|(_, count)| count);
        let points = coverage.crosses().flat_map(|(_, points)| points);
        let counts = rules.chain(points.map(|&(_, count)| count));
        let mut words = Vec::new();
        for (place, count) in counts.enumerate() {
            if place % 64 == 0 {
                words.push(0);
            }
            words[place / 64] |= u64::from(are(count)) << (place % 64);
        }
        Self(words)
    }

    /// How many are in both.
    fn common(&self, other: &Self) -> u32 {
        let pairs = self.0.iter().zip(&other.0);
        pairs.map(|(one, other)| (one & other).count_ones()).sum()
    }

    fn remove(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= !other;
        }
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    fn candidates() -> Vec<Named> {
        let mut all = vec![Named {
            name: "mixed".into(),
            profile: Profile::default(),
        }];
        let raised = Profile::default().raised("mixed").into_iter();
        all.extend(raised.filter(|one| one.name.starts_with("mixed-areas.")));
        all
    }

    fn choose(taken: &Coverage, jobs: usize) -> Vec<Option<usize>> {
        let runs = [1, 2, 3].map(|seed| Steered { seed, cycles: 2000 });
        let choice = Choice {
            implementation: taken.implementation(),
            taken,
            runs: &runs,
            candidates: &candidates(),
            jobs,
            tick: &|| true,
        };
        choice.choose().expect("it goes on")
    }

    #[test]
    fn the_choice_does_not_depend_on_threads() {
        let blank = Coverage::new(&Implementation::default());
        let one = choose(&blank, 1);
        assert!(one.iter().all(Option::is_some), "{one:?}");
        assert_eq!(one, choose(&blank, 5));
    }

    /// What is chosen takes more of what is missing than what the run would have had.
    #[test]
    fn what_is_chosen_takes_more() {
        let implementation = Implementation::default();
        let mixed = |seed| Generator::new(seed, &implementation, &Profile::default());
        let taken = alone::take(mixed(7).expect("legal"), &implementation, 100_000);
        let taken = taken.expect("consistent");
        let missing = Points::of(&taken, |count| count == 0);
        let chosen = choose(&taken, 2)[0].expect("one");
        let gain = |number: usize| {
            let profile = &candidates()[number].profile;
            let generator = Generator::new(1, &implementation, profile).expect("legal");
            let own = alone::take(generator, &implementation, 2000).expect("consistent");
            Points::of(&own, |count| count > 0).common(&missing)
        };
        let most = (0..candidates().len()).map(gain).max();
        assert!(chosen != 0 && gain(chosen) > gain(0), "{chosen}");
        assert_eq!(Some(gain(chosen)), most);
    }

    #[test]
    fn nothing_is_chosen_where_nothing_is_missing() {
        let implementation = Implementation::default();
        let taken = complete(&Coverage::new(&implementation));
        assert_eq!(choose(&taken, 1), [None; 3]);
    }

    /// The same with every count 1.
    fn complete(blank: &Coverage) -> Coverage {
        let mut all = toml::Table::try_from(blank).expect("a table");
        let ones = |table: &mut toml::Table| {
            for (_, value) in table.iter_mut() {
                *value = toml::Value::Integer(1);
            }
        };
        ones(all["rules"].as_table_mut().expect("rules"));
        let crosses = all["crosses"].as_table_mut().expect("crosses");
        for (_, points) in crosses.iter_mut() {
            ones(points.as_table_mut().expect("points"));
        }
        all.try_into().expect("coverage")
    }

    #[test]
    fn it_ends_where_it_is_told_to() {
        let blank = Coverage::new(&Implementation::default());
        let choice = Choice {
            implementation: blank.implementation(),
            taken: &blank,
            runs: &[Steered {
                seed: 1,
                cycles: 10,
            }],
            candidates: &candidates(),
            jobs: 2,
            tick: &|| false,
        };
        assert_eq!(choice.choose(), None);
    }
}
