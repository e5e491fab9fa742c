//! The shortest stimulus that fails, as the report of a run has it: its recipe.

use lockstep_base::counted::plural;
use serde::Serialize;
use serde_json::Value;

use super::recipe;

/// Lines of a recipe that people are shown.
const SHOWN: usize = 8;

/// The shortest stimulus that was found to diverge in the same field.
#[derive(Clone, Debug, Serialize)]
pub struct Shortest {
    /// Its cycles.
    pub cycles: usize,
    /// Those of the run, from a reset to the divergence.
    pub cycles_before: usize,
    /// Its register writes.
    pub writes: usize,
    /// Those of the run.
    pub writes_before: usize,
    /// Whether nothing more can be taken away; else there was no more time.
    pub minimal: bool,
    /// What is driven, a line for a cycle.
    pub recipe: Vec<String>,
    /// The command line that runs it.
    pub replay: String,
}

impl Shortest {
    /// What is driven, of the cycles of `shrunk.json`.
    pub fn recipe(cycles: &[Value]) -> Vec<String> {
        cycles.iter().map(recipe::words).collect()
    }

    /// How much it is of what the run had.
    pub fn sentence(&self) -> String {
        let end = match self.minimal {
            true => "nothing more can be taken away",
            false => "the best in five seconds",
        };
        format!(
            "{} of {} cycles, {} of {}: {end}",
            self.cycles,
            self.cycles_before,
            self.writes,
            plural(self.writes_before as u64, "register write"),
        )
    }

    /// The numbers of cycles, and what is driven in them: cycles in which the same is driven are one line. Of many, those before
    /// the last ones are left out.
    pub fn lines(&self) -> Vec<(String, String)> {
        let mut runs: Vec<(usize, usize, &str)> = Vec::new();
        for (cycle, words) in self.recipe.iter().enumerate() {
            match runs.last_mut() {
                Some((_, last, same)) if same == words => *last = cycle,
                _ => runs.push((cycle, cycle, words)),
            }
        }
        let line = |&(first, last, words): &(usize, usize, &str)| {
            let cycles = match first == last {
                true => first.to_string(),
                false => format!("{first}-{last}"),
            };
            (cycles, words.to_owned())
        };
        if runs.len() <= SHOWN {
            return runs.iter().map(line).collect();
        }
        let (begin, end) = runs.split_at(SHOWN / 2);
        let (left_out, end) = end.split_at(end.len() - (SHOWN - SHOWN / 2 - 1));
        let more = plural(left_out.len() as u64, "step");
        let gap = ("…".to_owned(), format!("{more} more, in shrunk.json"));
        let begin = begin.iter().map(line);
        begin.chain([gap]).chain(end.iter().map(line)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(recipe: &[&str]) -> Shortest {
        Shortest {
            cycles: recipe.len(),
            cycles_before: 900,
            writes: 1,
            writes_before: 1,
            minimal: true,
            recipe: recipe.iter().map(ToString::to_string).collect(),
            replay: String::new(),
        }
    }

    #[test]
    fn cycles_that_are_alike_are_one_line() {
        let lines = of(&["reset", "nothing", "nothing", "MRS PMCR_EL0"]).lines();
        let lines: Vec<_> = lines
            .iter()
            .map(|(n, what)| format!("{n} {what}"))
            .collect();
        assert_eq!(lines, ["0 reset", "1-2 nothing", "3 MRS PMCR_EL0"]);
    }

    #[test]
    fn a_long_one_shows_where_it_begins_and_ends() {
        let words: Vec<_> = (0..20).map(|k| format!("write {k}")).collect();
        let words: Vec<_> = words.iter().map(String::as_str).collect();
        let lines = of(&words).lines();
        assert_eq!(lines.len(), SHOWN);
        assert_eq!(lines[3], ("3".into(), "write 3".into()));
        assert_eq!(lines[4].1, "13 steps more, in shrunk.json");
        assert_eq!(lines[7], ("19".into(), "write 19".into()));
    }

    #[test]
    fn it_is_told_how_much_is_left() {
        assert_eq!(
            of(&["reset"]).sentence(),
            "1 of 900 cycles, 1 of 1 register write: nothing more can be taken away"
        );
    }
}
