//! Rounds of runs until coverage was reached: how they ended, and what is missing.

use lockstep_report::{counted, grouped};
use serde::{Deserialize, Serialize};

use crate::share::Share;

/// Why there were no more rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// What was asked for was taken.
    Reached,
    /// The last rounds took nothing new.
    NothingNew,
    /// As many as were allowed.
    Limit,
    /// Enough runs had failed.
    Stopped,
}

/// What the rounds came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Rounds {
    /// How many there were.
    pub rounds: u64,
    /// Hundredths that were asked for.
    pub percent: u8,
    /// How many of the last ones took nothing new.
    pub nothing_new: u64,
    /// Why there were no more.
    pub why: Why,
    /// By implementation and design.
    pub parts: Vec<OfPart>,
}

/// What an implementation with a design came to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OfPart {
    /// Name of the implementation in the suite.
    pub implementation: String,
    /// Name of the design.
    pub design: String,
    /// Rules and points that were taken.
    pub taken: usize,
    /// Rules and points that can be.
    pub of: usize,
    /// The first of those that were not.
    pub missing: Vec<String>,
}

impl Rounds {
    /// Why there were no more, in words.
    pub fn sentence(&self) -> String {
        let rounds = counted(self.rounds, "round");
        match self.why {
            Why::Reached => format!("coverage of {} % reached in {rounds}", self.percent),
            Why::NothingNew => format!(
                "coverage of {} % not reached in {rounds}: nothing new in the last {}",
                self.percent, self.nothing_new
            ),
            Why::Limit => format!(
                "coverage of {} % not reached in {rounds}, the most that there may be (--rounds)",
                self.percent
            ),
            Why::Stopped => format!(
                "coverage of {} % not reached in {rounds}: enough runs had failed",
                self.percent
            ),
        }
    }
}

impl OfPart {
    /// What was taken, in words.
    pub fn sentence(&self) -> String {
        let share = Share {
            hit: self.taken,
            of: self.of,
        };
        format!(
            "{}/{}: {} %, {} of {} rules and points",
            self.implementation,
            self.design,
            share.percent(),
            grouped(self.taken as u64),
            grouped(self.of as u64)
        )
    }

    /// How many are missing that are not named.
    pub fn more(&self) -> usize {
        self.of.saturating_sub(self.taken + self.missing.len())
    }
}
