//! What was counted, by file, and by kind of point.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{RtlCoverage, key};
use crate::share::Share;

/// How often something happened, by place, whatever the parameters of the module are there.
pub(super) type Counts<K> = BTreeMap<K, u64>;

/// Points of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct File<'a> {
    /// By line: how often it ran.
    pub lines: Counts<u32>,
    /// By line, kind and what happens there: branches, `cover`, terms of expressions.
    pub others: Counts<(u32, &'a str, &'a str)>,
    /// By line and signal: its changes.
    pub toggles: BTreeMap<(u32, &'a str), Counts<&'a str>>,
}

/// Shares of what can be counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Lines that ran.
    pub lines: Share,
    /// Branches that were taken, `cover` that held.
    pub branches: Share,
    /// Changes of bits.
    pub toggles: Share,
}

impl Tally {
    /// The shares with their names, without those of which there is nothing.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Share)> {
        let all = [
            ("lines", self.lines),
            ("branches", self.branches),
            ("toggles", self.toggles),
        ];
        all.into_iter().filter(|(_, share)| share.of > 0)
    }
}

impl<'a> File<'a> {
    /// Shares of the file.
    pub fn tally(&self) -> Tally {
        let of = |counts: &mut dyn Iterator<Item = u64>| {
            let mut share = Share::default();
            for count in counts {
                share.of += 1;
                share.hit += usize::from(count > 0);
            }
            share
        };
        let toggles = self.toggles.values().flat_map(BTreeMap::values).copied();
        Tally {
            lines: of(&mut self.lines.values().copied()),
            branches: of(&mut self.others.values().copied()),
            toggles: of(&mut { toggles }),
        }
    }
}

impl RtlCoverage {
    /// What was counted, by name of the file.
    pub(super) fn files(&self) -> BTreeMap<&str, File<'_>> {
        let mut files: BTreeMap<&str, File<'_>> = BTreeMap::new();
        for (point, &count) in &self.points {
            let file = files.entry(&point.file).or_default();
            let (kind, comment) = (point.kind(), point.value(key::COMMENT));
            if kind == "toggle" {
                let signal = comment.split(['[', ':']).next().unwrap_or(comment);
                let signal = file.toggles.entry((point.line, signal)).or_default();
                most(signal, comment, count);
                continue;
            }
            if kind != "line" {
                most(&mut file.others, (point.line, kind, comment), count);
            }
            if matches!(kind, "line" | "branch") {
                for line in point.lines() {
                    most(&mut file.lines, line, count);
                }
            }
        }
        files
    }

    /// Shares of all files.
    pub fn tally(&self) -> Tally {
        let add = |a: Share, b: Share| Share {
            hit: a.hit + b.hit,
            of: a.of + b.of,
        };
        let files = self.files();
        let tallies = files.values().map(File::tally);
        tallies.fold(Tally::default(), |sum, file| Tally {
            lines: add(sum.lines, file.lines),
            branches: add(sum.branches, file.branches),
            toggles: add(sum.toggles, file.toggles),
        })
    }
}

fn most<K: Ord>(counts: &mut Counts<K>, key: K, count: u64) {
    let held = counts.entry(key).or_default();
    *held = (*held).max(count);
}
