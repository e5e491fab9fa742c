//! Summaries one after another, each in some numbers: `--since` names the one before, which has those before that.

use lockstep_base::day::Day;
use serde::{Deserialize, Serialize};

use crate::share::Share;

/// Entries that are kept, of the last summaries.
pub const MOST: usize = 30;

/// A summary in some numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Hash of the program, suite, designs, number of runs and day: a summary that is made again takes its own place.
    pub id: String,
    /// The day of its first run, where the results say it.
    pub day: Option<Day>,
    /// Runs that ended.
    pub runs: usize,
    /// Those that failed.
    pub failed: usize,
    /// Kinds of failures.
    pub kinds: usize,
    /// Cycles compared.
    pub cycles: u64,
    /// Rules that were taken, where they were counted, of those of all implementations and designs.
    pub rules: Option<Share>,
}

/// The entries before `own`, the last ones, and `own`.
pub fn after(mut before: Vec<Entry>, own: Entry) -> Vec<Entry> {
    if is_again(&before, &own) {
        before.pop();
    }
    before.push(own);
    let surplus = before.len().saturating_sub(MOST);
    before.split_off(surplus)
}

/// Whether `own` is of the summary that was the last one, made again.
pub fn is_again(before: &[Entry], own: &Entry) -> bool {
    before.last().is_some_and(|last| last.id == own.id)
}

/// Since when failures of one kind are there, without a summary between that has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The day of the first summary, where its results say it.
    pub day: Option<Day>,
    /// How many summaries it is in, with this one.
    pub summaries: u32,
}

impl Seen {
    /// In one summary.
    pub fn first(day: Option<Day>) -> Self {
        Self { day, summaries: 1 }
    }

    /// The same in the next summary, which may be the same one made again.
    #[must_use]
    pub fn next(self, again: bool) -> Self {
        Self {
            summaries: self.summaries.saturating_add(u32::from(!again)),
            ..self
        }
    }

    /// In words, if it was there before.
    pub fn words(&self) -> Option<String> {
        let nights = (self.summaries > 1).then(|| format!("{} nights", self.summaries))?;
        Some(match self.day {
            Some(day) => format!("since {day}, {nights}"),
            None => format!("for {nights}"),
        })
    }
}
