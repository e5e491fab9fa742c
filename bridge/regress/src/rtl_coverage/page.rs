//! The page of coverage of RTL: what was never covered first, then totals by file.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::Path;

use askama::Template;
use lockstep_report::html::STYLE;
use lockstep_report::{counted, grouped};

use super::tally::{Counts, File};
use super::{RtlCoverage, Tally};
use crate::share::Share;

/// Places that are shown of an implementation with a design; the tracefile has all.
const SHOWN: usize = 500;
/// Characters of a line of source text that are shown.
const WIDTH: usize = 160;

/// What the runs of an implementation with a design have covered.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Name of the implementation in the suite.
    pub implementation: &'a str,
    /// Name of the design.
    pub design: &'a str,
    /// Runs that counted.
    pub runs: usize,
    /// What they counted.
    pub coverage: &'a RtlCoverage,
    /// The tracefile that has all of it, from the page.
    pub lcov: String,
}

/// The page of a suite.
///
/// # Errors
/// None that is known: the template is part of the program, and strings take what is written to them.
pub fn page(suite: &str, parts: &[Part<'_>]) -> Result<String, askama::Error> {
    Page {
        suite,
        parts: parts.iter().map(Shown::of).collect(),
        style: STYLE,
    }
    .render()
}

#[derive(Template)]
#[template(path = "rtl-coverage.html", config = "src/rtl_coverage/askama.toml")]
struct Page<'a> {
    suite: &'a str,
    parts: Vec<Shown<'a>>,
    style: &'static str,
}

/// A part as it is shown.
struct Shown<'a> {
    of: &'a Part<'a>,
    tally: Tally,
    /// Lines that never ran, and what else never happened in lines that did.
    never: List,
    /// Signals with bits that never changed.
    still: List,
    /// Files, those with the most missing first.
    files: Vec<(&'a str, Tally)>,
}

/// Places, the first of them.
#[derive(Default)]
struct List {
    shown: Vec<Never>,
    /// How many there are.
    all: usize,
}

/// A place that was never covered.
struct Never {
    file: String,
    /// The first and the last line of it.
    lines: (u32, u32),
    /// What never was.
    what: String,
    /// The text of the first line.
    text: String,
}

impl List {
    fn extend(&mut self, places: Vec<Never>) {
        self.all += places.len();
        let room = SHOWN.saturating_sub(self.shown.len());
        self.shown.extend(places.into_iter().take(room));
    }

    fn more(&self) -> usize {
        self.all - self.shown.len()
    }
}

impl<'a> Shown<'a> {
    fn of(of: &'a Part<'a>) -> Self {
        let files = of.coverage.files();
        let (mut never, mut still) = (List::default(), List::default());
        for (name, file) in &files {
            let text = source(&of.coverage.path(name));
            never.extend(missing(name, file, &text));
            still.extend(unchanged(name, file, &text));
        }
        let mut tallies: Vec<_> = files
            .iter()
            .map(|(name, file)| (*name, file.tally()))
            .collect();
        let missing = |tally: &Tally| {
            let ran = tally.lines.missing() + tally.branches.missing();
            (ran, tally.toggles.missing())
        };
        tallies.sort_by_key(|(name, tally)| (Reverse(missing(tally)), *name));
        Self {
            of,
            tally: of.coverage.tally(),
            never,
            still,
            files: tallies,
        }
    }
}

/// The lines of a file, as far as it is there.
fn source(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = |line: &str| line.trim().chars().take(WIDTH).collect();
    text.lines().map(line).collect()
}

impl Never {
    fn new(file: &str, lines: (u32, u32), what: String, text: &[String]) -> Self {
        let first = (lines.0 as usize).checked_sub(1);
        let text = first.and_then(|first| text.get(first)).cloned();
        Self {
            file: file.into(),
            lines,
            what,
            text: text.unwrap_or_default(),
        }
    }
}

/// Lines of a file that never ran, as stretches, and what else never happened in lines that did.
fn missing(name: &str, file: &File<'_>, text: &[String]) -> Vec<Never> {
    let mut stretches: Vec<(u32, u32)> = Vec::new();
    let mut goes_on = false;
    for (&line, &count) in &file.lines {
        match stretches.last_mut() {
            _ if count > 0 => {}
            Some((_, last)) if goes_on => *last = line,
            _ => stretches.push((line, line)),
        }
        goes_on = count == 0;
    }
    let lines = stretches
        .into_iter()
        .map(|lines| Never::new(name, lines, "never ran".into(), text));
    let has_run = |line: &u32| file.lines.get(line).is_none_or(|&count| count > 0);
    let others = file.others.iter();
    let others = others.filter(|((line, ..), count)| **count == 0 && has_run(line));
    let others = others.map(|((line, kind, comment), _)| {
        let what = match *kind {
            "user" => format!("cover {comment} never held"),
            // Verilator's words for the two values of a choice.
            _ => match *comment {
                "cond_then" => "the value before : was never taken".to_owned(),
                "cond_else" => "the value behind : was never taken".to_owned(),
                branch => format!("{branch} was never taken"),
            },
        };
        Never::new(name, (*line, *line), what, text)
    });
    let mut all: Vec<_> = lines.chain(others).collect();
    all.sort_by_key(|place| place.lines);
    all
}

/// Signals of a file with bits that never changed.
fn unchanged(name: &str, file: &File<'_>, text: &[String]) -> Vec<Never> {
    let still = file.toggles.iter().filter_map(|((line, signal), changes)| {
        let what = changes.values().any(|&count| count == 0);
        let what = what.then(|| still(signal, changes))?;
        Some(Never::new(name, (*line, *line), what, text))
    });
    still.collect()
}

/// What of a signal never changed, in words: a change is named by the signal, an index if it has any, and the two values.
fn still(signal: &str, changes: &Counts<&str>) -> String {
    let mut bits: BTreeMap<(Option<u32>, &str), [Option<bool>; 3]> = BTreeMap::new();
    for (name, &count) in changes {
        let name = name.strip_prefix(signal).unwrap_or(name);
        let (bit, change) = name.split_once(':').unwrap_or((name, ""));
        let inside = bit.strip_prefix('[').and_then(|bit| bit.strip_suffix(']'));
        let number = inside.and_then(|inside| inside.parse().ok());
        let change = match change {
            "0->1" => 1,
            "1->0" => 2,
            _ => 0,
        };
        bits.entry((number, bit)).or_default()[change] = Some(count > 0);
    }
    let is_still = |changes: &[Option<bool>; 3]| !changes.contains(&Some(true));
    if bits.values().all(is_still) {
        return format!("{signal} never changed");
    }
    let words = [(0, "never changed"), (1, "never rose"), (2, "never fell")];
    let words = words.into_iter().filter_map(|(change, words)| {
        let those = bits.iter().filter(|(_, changes)| match change {
            0 => is_still(changes),
            _ => !is_still(changes) && changes[change] == Some(false),
        });
        let those: Vec<_> = those.map(|(bit, _)| *bit).collect();
        let listed = ranges(&those);
        (!those.is_empty()).then(|| match listed.is_empty() {
            true => words.to_owned(),
            false => format!("{listed} {words}"),
        })
    });
    format!("{signal}: {}", words.collect::<Vec<_>>().join("; "))
}

/// Ranges of bits that are shown of a signal.
const RANGES: usize = 6;

/// Bits with their numbers and names, as ranges; nothing of a signal of one bit.
fn ranges(bits: &[(Option<u32>, &str)]) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut last: Option<(u32, u32)> = None;
    let close = |range: Option<(u32, u32)>| {
        range.map(|(first, last)| match first == last {
            true => format!("[{first}]"),
            false => format!("[{last}:{first}]"),
        })
    };
    for &(number, name) in bits {
        match (number, &mut last) {
            (Some(number), Some((_, end))) if *end + 1 == number => *end = number,
            (number, last) => {
                all.extend(close(last.take()));
                match number {
                    Some(number) => *last = Some((number, number)),
                    None => all.push(name.to_owned()),
                }
            }
        }
    }
    all.extend(close(last));
    let shown = all[..all.len().min(RANGES)].join(" ");
    match all.len().saturating_sub(RANGES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl Never {
    /// The place.
    fn place(&self) -> String {
        let (first, last) = self.lines;
        match first == last {
            true => format!("{}:{first}", self.file),
            false => format!("{}:{first}-{last}", self.file),
        }
    }
}

impl Page<'_> {
    /// What is missing of all, in a sentence.
    fn sentence(&self) -> String {
        let missing = |share: fn(&Tally) -> Share| -> u64 {
            let parts = self.parts.iter();
            parts.map(|part| share(&part.tally).missing() as u64).sum()
        };
        let counts = [
            (missing(|tally| tally.lines), "line"),
            (missing(|tally| tally.branches), "branch"),
            (missing(|tally| tally.toggles), "toggle"),
        ];
        let counts: Vec<_> = counts
            .into_iter()
            .filter(|&(count, _)| count > 0)
            .map(|(count, noun)| match noun {
                "branch" if count > 1 => format!("{} branches", grouped(count)),
                noun => counted(count, noun),
            })
            .collect();
        match counts.is_empty() {
            true => "Everything in the RTL was covered".into(),
            false => format!("Of the RTL, {} never covered", counts.join(", ")),
        }
    }

    fn class(&self) -> &'static str {
        let complete = |part: &Shown<'_>| part.tally.named().all(|(_, share)| share.missing() == 0);
        if self.parts.iter().all(complete) {
            "pass"
        } else {
            "warn"
        }
    }

    /// A number, in groups of three digits.
    fn number(&self, number: impl Display) -> String {
        grouped(number.to_string().parse().unwrap_or_default())
    }

    /// A share, of a file that has any of it.
    fn share(&self, share: &Share) -> String {
        match share.of {
            0 => String::new(),
            _ => format!(
                "{} of {}",
                grouped(share.hit as u64),
                grouped(share.of as u64)
            ),
        }
    }

    /// The same in hundredths.
    fn percent(&self, share: &Share) -> String {
        match share.of {
            0 => String::new(),
            _ => format!("{} %", share.percent()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::coverage;
    use super::*;

    #[test]
    fn bits_are_told_as_ranges() {
        let told = |changes: &[(&str, u64)]| still("a", &changes.iter().copied().collect());
        for (changes, words) in [
            (&[("a:0->1", 0), ("a:1->0", 0)][..], "a never changed"),
            (&[("a:0->1", 3), ("a:1->0", 0)], "a: never fell"),
            (
                &[
                    ("a[0]:0->1", 1),
                    ("a[0]:1->0", 0),
                    ("a[9]:0->1", 0),
                    ("a[9]:1->0", 0),
                    ("a[10]:0->1", 0),
                    ("a[10]:1->0", 0),
                    ("a[12]:0->1", 0),
                    ("a[12]:1->0", 2),
                ],
                "a: [10:9] never changed; [12] never rose; [0] never fell",
            ),
            // As of 5.006.
            (&[("a[0]", 0), ("a[1]", 2)], "a: [0] never changed"),
            (
                &[("a[0][1]", 0), ("a[1][1]", 0), ("a[2][1]", 1)],
                "a: [0][1] [1][1] never changed",
            ),
        ] {
            assert_eq!(told(changes), words);
        }
        let many: Vec<_> = (0..20).map(|bit| format!("a[{bit}]")).collect();
        let many: Vec<_> = many.iter().zip([0, 1].into_iter().cycle()).collect();
        let many: Vec<_> = many
            .iter()
            .map(|(name, count)| (name.as_str(), *count))
            .collect();
        assert_eq!(
            told(&many),
            "a: [0] [2] [4] [6] [8] [10] and 4 more never changed"
        );
    }

    #[test]
    fn what_was_never_covered_comes_first_with_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.sv");
        fs::write(&file, "one;\ntwo <three>;\nfour;\n").expect("written");
        let file = file.to_str().expect("text");
        let block = |lines: &str| format!("\u{1}t\u{2}line\u{1}o\u{2}block\u{1}S\u{2}{lines}");
        let branch = "\u{1}t\u{2}branch\u{1}o\u{2}if\u{1}S\u{2}3";
        let toggle = "\u{1}t\u{2}toggle\u{1}o\u{2}b:0->1";
        let covered = coverage(&[
            (file, 1, &block("1-2"), 0),
            (file, 3, &block("3"), 2),
            (file, 3, branch, 0),
            (file, 3, toggle, 0),
        ]);
        let part = Part {
            implementation: "default",
            design: "mine",
            runs: 1,
            coverage: &covered,
            lcov: "x.info".into(),
        };
        let page = page("n", &[part]).expect("a page");
        let places = [
            "Of the RTL, 2 lines, 1 branch, 1 toggle never covered",
            ">a.sv:1-2</th><td>never ran</td><td class=\"source\">one;<",
            ">a.sv:3</th><td>if was never taken</td><td class=\"source\">four;<",
            ">a.sv:3</th><td>b never changed</td><td class=\"source\">four;<",
            "<th scope=\"row\">a.sv</th><td>1 of 3</td>",
        ];
        let found = places.map(|text| page.find(text));
        assert!(found.is_sorted() && found[0].is_some(), "{found:?}{page}");
        // A source that is gone leaves its places.
        fs::remove_file(file).expect("removed");
    }
}
