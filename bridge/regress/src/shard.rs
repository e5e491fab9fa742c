//! Which part of a suite a process runs.

use std::fmt;
use std::str::FromStr;

/// Part `index`, from 1, of `of` parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// From 1.
    pub index: u32,
    /// At least `index`.
    pub of: u32,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Whether the run of number `number` in the plan, from 0, is in it: they are dealt in turns.
    pub fn has(self, number: usize) -> bool {
        number as u64 % u64::from(self.of) == u64::from(self.index - 1)
    }

    /// How many of `runs` are in it.
    pub fn size(self, runs: usize) -> usize {
        (0..runs).filter(|&number| self.has(number)).count()
    }

    fn checked(index: u64, of: u64) -> Option<Self> {
        let (index, of) = (u32::try_from(index).ok()?, u32::try_from(of).ok()?);
        (1..=of).contains(&index).then_some(Self { index, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(index, of)| Some((index.parse().ok()?, of.parse().ok()?)));
        numbers
            .and_then(|(index, of)| Self::checked(index, of))
            .ok_or_else(|| "expected I/N with I from 1 to N, such as 2/4".into())
    }
}

/// A scheduler or CI system that numbers the tasks of an array: its variables.
struct System {
    name: &'static str,
    index: &'static str,
    /// The number of the first task: a variable, or what it always is.
    first: Result<&'static str, u64>,
    step: Option<&'static str>,
    /// How many there are, or the number of the last one.
    count: Count,
}

enum Count {
    Variable(&'static str),
    /// The same, beside the number of the last one: an array may be a list with gaps.
    List(&'static str, &'static str),
    Last(&'static str),
    /// It does not say.
    Unknown,
}

/// In the order in which they are asked: a scheduler may run below a CI system, and not the other way round.
const SYSTEMS: [System; 9] = [
    System {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        first: Ok("SLURM_ARRAY_TASK_MIN"),
        step: Some("SLURM_ARRAY_TASK_STEP"),
        count: Count::List("SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MAX"),
    },
    System {
        name: "LSF",
        index: "LSB_JOBINDEX",
        first: Err(1),
        step: Some("LSB_JOBINDEX_STEP"),
        count: Count::Last("LSB_JOBINDEX_END"),
    },
    System {
        name: "Grid Engine",
        index: "SGE_TASK_ID",
        first: Ok("SGE_TASK_FIRST"),
        step: Some("SGE_TASK_STEPSIZE"),
        count: Count::Last("SGE_TASK_LAST"),
    },
    System {
        name: "PBS",
        index: "PBS_ARRAY_INDEX",
        first: Err(1),
        step: None,
        count: Count::Unknown,
    },
    System {
        name: "Torque",
        index: "PBS_ARRAYID",
        first: Err(1),
        step: None,
        count: Count::Unknown,
    },
    System {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        first: Err(0),
        step: None,
        count: Count::Unknown,
    },
    System {
        name: "GitLab",
        index: "CI_NODE_INDEX",
        first: Err(1),
        step: None,
        count: Count::Variable("CI_NODE_TOTAL"),
    },
    System {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        first: Err(0),
        step: None,
        count: Count::Variable("CIRCLE_NODE_TOTAL"),
    },
    System {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        first: Err(0),
        step: None,
        count: Count::Variable("BUILDKITE_PARALLEL_JOB_COUNT"),
    },
];

/// The shard that the environment names, and who named it. `given` is the number of shards, where the user has said it.
///
/// # Errors
/// Its variables do not make one.
pub fn of_environment(
    variable: impl Fn(&str) -> Option<String>,
    given: Option<u32>,
) -> Result<Option<(Shard, &'static str)>, String> {
    for system in &SYSTEMS {
        let Some(word) = variable(system.index) else {
            continue;
        };
        // Outside of an array, Grid Engine says so in words, and LSF with a 0.
        let is_none = match system.name {
            "LSF" => word == "0",
            "Grid Engine" => word == "undefined",
            _ => false,
        };
        if is_none || word.is_empty() {
            continue;
        }
        return system
            .shard(&word, &variable, given)
            .map(|shard| Some((shard, system.name)));
    }
    Ok(None)
}

impl System {
    fn shard(
        &self,
        word: &str,
        variable: &impl Fn(&str) -> Option<String>,
        given: Option<u32>,
    ) -> Result<Shard, String> {
        let number = |name: &str| -> Result<Option<u64>, String> {
            let Some(word) = variable(name) else {
                return Ok(None);
            };
            let number = word.parse().map(Some);
            number.map_err(|_| self.wrong(name, &word))
        };
        let index: u64 = word.parse().map_err(|_| self.wrong(self.index, word))?;
        let first = match self.first {
            Ok(name) => number(name)?.unwrap_or(1),
            Err(first) => first,
        };
        let step = self.step.map(number).transpose()?.flatten();
        let step = step.unwrap_or(1).max(1);
        let up_to = |last: u64| last.saturating_sub(first) / step + 1;
        let count = match self.count {
            Count::Variable(name) => number(name)?,
            Count::List(name, last) => {
                let (count, last) = (number(name)?, number(last)?);
                if let (Some(count), Some(last)) = (count, last)
                    && up_to(last) != count
                {
                    return Err(format!(
                        "{} says that this is task {index} ({}) of {count} between {first} and {last}: expected an array of all \
                         parts; name the shard with --shard I/N, or submit all: parts that are done are kept",
                        self.name, self.index
                    ));
                }
                count
            }
            Count::Last(name) => number(name)?.map(up_to),
            Count::Unknown => None,
        };
        if let (Some(given), Some(count)) = (given, count)
            && u64::from(given) != count
        {
            return Err(format!(
                "{} says that there are {count} tasks, and --shards {given}: expected an array of all parts; name the shard with \
                 --shard I/N",
                self.name
            ));
        }
        let Some(count) = given.map(u64::from).or(count) else {
            return Err(format!(
                "{} says that this is task {index} ({}), and not of how many: name the number with --shards N, or the shard \
                 with --shard I/N",
                self.name, self.index
            ));
        };
        let place = index.checked_sub(first).map(|past| past / step + 1);
        place
            .and_then(|place| Shard::checked(place, count))
            .ok_or_else(|| {
                format!(
                    "{} says that this is task {index} ({}) of {count} from {first} on: expected one of them; name the shard with \
                     --shard I/N",
                    self.name, self.index
                )
            })
    }

    fn wrong(&self, name: &str, word: &str) -> String {
        format!(
            "{} has set {name} to {word:?}: expected a whole number; name the shard with --shard I/N",
            self.name
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)], given: Option<u32>) -> Result<Option<String>, String> {
        let variable = |name: &str| {
            let mut all = variables.iter();
            all.find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        };
        let shard = of_environment(variable, given)?;
        Ok(shard.map(|(shard, who)| format!("{who} {shard}")))
    }

    #[test]
    fn each_system_counts_in_its_own_way() {
        for (variables, given, expected) in [
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "8"),
                    ("SLURM_ARRAY_TASK_MIN", "4"),
                    ("SLURM_ARRAY_TASK_STEP", "2"),
                    ("SLURM_ARRAY_TASK_MAX", "8"),
                    ("SLURM_ARRAY_TASK_COUNT", "3"),
                ][..],
                None,
                "Slurm 3 of 3",
            ),
            (
                &[
                    ("SLURM_ARRAY_TASK_ID", "0"),
                    ("SLURM_ARRAY_TASK_MIN", "0"),
                    ("SLURM_ARRAY_TASK_COUNT", "16"),
                ],
                None,
                "Slurm 1 of 16",
            ),
            (
                &[("LSB_JOBINDEX", "2"), ("LSB_JOBINDEX_END", "4")],
                None,
                "LSF 2 of 4",
            ),
            (
                &[
                    ("SGE_TASK_ID", "7"),
                    ("SGE_TASK_FIRST", "1"),
                    ("SGE_TASK_LAST", "9"),
                    ("SGE_TASK_STEPSIZE", "2"),
                ],
                None,
                "Grid Engine 4 of 5",
            ),
            (&[("PBS_ARRAY_INDEX", "16")], Some(16), "PBS 16 of 16"),
            (
                &[("JOB_COMPLETION_INDEX", "0")],
                Some(3),
                "Kubernetes 1 of 3",
            ),
            (
                &[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "5")],
                None,
                "GitLab 2 of 5",
            ),
            (
                &[("CIRCLE_NODE_INDEX", "0"), ("CIRCLE_NODE_TOTAL", "2")],
                None,
                "CircleCI 1 of 2",
            ),
            (
                &[
                    ("BUILDKITE_PARALLEL_JOB", "1"),
                    ("BUILDKITE_PARALLEL_JOB_COUNT", "2"),
                ],
                None,
                "Buildkite 2 of 2",
            ),
        ] {
            assert_eq!(
                found(variables, given),
                Ok(Some(expected.into())),
                "{variables:?}"
            );
        }
        assert_eq!(
            found(&[("SGE_TASK_ID", "undefined"), ("LSB_JOBINDEX", "0")], None),
            Ok(None)
        );
        assert_eq!(
            found(&[("SGE_TASK_ID", ""), ("LSB_JOBINDEX", "")], None),
            Ok(None)
        );
    }

    #[test]
    fn what_makes_no_shard_is_told() {
        let error = found(&[("PBS_ARRAY_INDEX", "1")], None).unwrap_err();
        assert!(error.contains("--shards N"), "{error}");
        let error = found(&[("PBS_ARRAY_INDEX", "0")], Some(4)).unwrap_err();
        assert!(
            error.contains("task 0 (PBS_ARRAY_INDEX) of 4 from 1 on"),
            "{error}"
        );
        assert!(found(&[("CI_NODE_INDEX", "x"), ("CI_NODE_TOTAL", "5")], None).is_err());
        // sbatch --array=3,7, as Slurm 22.05 tells it.
        let some = [
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "7"),
            ("SLURM_ARRAY_TASK_COUNT", "2"),
            ("SLURM_ARRAY_TASK_STEP", "1"),
        ];
        let error = found(&some, None).unwrap_err();
        assert!(error.contains("of 2 between 3 and 7"), "{error}");
        let error = found(&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "5")], Some(8)).unwrap_err();
        assert!(
            error.contains("there are 5 tasks, and --shards 8"),
            "{error}"
        );
        for word in ["0/4", "5/4", "4", "a/b", "1/0"] {
            assert!(word.parse::<Shard>().is_err(), "{word}");
        }
    }

    #[test]
    fn shards_are_a_partition() {
        for (of, runs) in [(1, 7), (3, 7), (4, 2), (16, 200)] {
            let sizes = (1..=of).map(|index| Shard { index, of }.size(runs));
            assert_eq!(sizes.sum::<usize>(), runs);
            for number in 0..runs {
                let owners = (1..=of).filter(|&index| Shard { index, of }.has(number));
                assert_eq!(owners.count(), 1);
            }
        }
    }
}
