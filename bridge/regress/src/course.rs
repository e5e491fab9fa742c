//! When rounds of runs are to end: coverage was reached, nothing new comes, or there are enough.

use std::collections::BTreeSet;

use crate::rounds::{OfPart, Rounds, Why};
use crate::share::Share;
use crate::steering::{Part, Taken};

/// Rules and points that are named of an implementation with a design; the report's coverage has all.
const NAMED: usize = 10;

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// Hundredths of what can be taken, 1 to 100.
    pub percent: u8,
    /// Rounds at most.
    pub rounds: u64,
    /// So many rounds without anything new are the last ones.
    pub patience: u64,
}

/// What the rounds have come to so far.
#[derive(Clone, Debug)]
pub struct Course {
    aim: Aim,
    rounds: u64,
    nothing_new: u64,
    hit: usize,
}

impl Course {
    /// Before the first round.
    pub fn new(aim: Aim) -> Self {
        Self {
            aim,
            rounds: 0,
            nothing_new: 0,
            hit: 0,
        }
    }

    /// Whether a part is to be taken further.
    fn is_open(&self, share: Share) -> bool {
        share.percent() < usize::from(self.aim.percent)
    }

    /// A round has ended, and this is what all have taken together.
    ///
    /// # Returns
    /// Why it was the last one, if it was.
    pub fn ended(&mut self, taken: &Taken) -> Option<Why> {
        self.rounds += 1;
        let hit = taken.shares().map(|(_, share)| share.hit).sum();
        self.nothing_new = match hit > self.hit {
            true => 0,
            false => self.nothing_new + 1,
        };
        self.hit = hit;
        if self.open(taken).is_empty() {
            Some(Why::Reached)
        } else if self.nothing_new >= self.aim.patience {
            Some(Why::NothingNew)
        } else if self.rounds >= self.aim.rounds {
            Some(Why::Limit)
        } else {
            None
        }
    }

    /// The number of the round that is next, from 1.
    pub fn next(&self) -> u64 {
        self.rounds + 1
    }

    /// What has not come to what was asked for.
    pub fn open(&self, taken: &Taken) -> BTreeSet<Part> {
        let open = taken.shares().filter(|(_, share)| self.is_open(*share));
        open.map(|(part, _)| part.clone()).collect()
    }

    /// What the rounds came to, which ended because of `why`.
    pub fn end(&self, why: Why, taken: &Taken) -> Rounds {
        let parts = taken.shares().map(|(part, share)| OfPart {
            implementation: part.implementation.clone(),
            design: part.design.clone(),
            taken: share.hit,
            of: share.of,
            missing: taken.missing(part).into_iter().take(NAMED).collect(),
        });
        Rounds {
            rounds: self.rounds,
            percent: self.aim.percent,
            nothing_new: self.nothing_new,
            why,
            parts: parts.collect(),
        }
    }
}
