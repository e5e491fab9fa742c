//! A bug of the RTL's source.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::Error;
use crate::source::{Unit, flat};

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// A relation replaced.
    Relation,
    /// An operator of arithmetic or a shift replaced.
    Arithmetic,
    /// An operator of logic replaced.
    Logic,
    /// A term of an operation lost.
    Term,
    /// A negation added or lost.
    Negation,
    /// A constant of another value, or another constant.
    Constant,
    /// An index or a part of a vector off by one.
    Index,
    /// Another signal of the same width.
    Neighbour,
    /// Two statements, results or values in each other's place.
    Moved,
    /// The row of a case copied, and not edited.
    Row,
    /// A statement or the row of a case lost.
    Lost,
    /// A value cut to fewer bits.
    Width,
    /// A reset of a register lost, or of another value.
    Reset,
    /// The order of conditions changed.
    Priority,
    /// The condition of a register's update lost.
    Enable,
    /// The old value of a register instead of the new one, or the other way round.
    OldOrNew,
    /// A signal a cycle late.
    Late,
    /// What is fixed before the design runs: constants, labels of rows, ends of loops.
    Fixed,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 18] = [
        Self::Relation,
        Self::Arithmetic,
        Self::Logic,
        Self::Term,
        Self::Negation,
        Self::Constant,
        Self::Index,
        Self::Neighbour,
        Self::Moved,
        Self::Row,
        Self::Lost,
        Self::Width,
        Self::Reset,
        Self::Priority,
        Self::Enable,
        Self::OldOrNew,
        Self::Late,
        Self::Fixed,
    ];
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Relation => "relation",
            Self::Arithmetic => "arithmetic",
            Self::Logic => "logic",
            Self::Term => "term lost",
            Self::Negation => "negation",
            Self::Constant => "constant",
            Self::Index => "index",
            Self::Neighbour => "neighbour",
            Self::Moved => "moved",
            Self::Row => "row copied",
            Self::Lost => "statement lost",
            Self::Width => "width",
            Self::Reset => "reset",
            Self::Priority => "priority",
            Self::Enable => "enable lost",
            Self::OldOrNew => "old or new",
            Self::Late => "a cycle late",
            Self::Fixed => "fixed value",
        })
    }
}

/// What an edit replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Expression,
    Statement,
    /// Nothing: a declaration or a block that is added, and that several mutants may share.
    Item,
}

/// Text in the place of other text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub range: Range<usize>,
    pub form: Form,
    pub text: String,
}

/// A bug, as the edits of one file that make it. They are in order, and do not touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub class: Class,
    /// Index of the file.
    pub unit: usize,
    pub edits: Vec<Edit>,
}

impl Mutant {
    /// Whether it cannot be chosen when the design runs, and needs a build of its own.
    pub fn is_alone(&self) -> bool {
        self.class == Class::Fixed
    }

    /// The lines that it changes, from the first to the last.
    pub fn lines(&self, units: &[Unit]) -> (usize, usize) {
        let unit = &units[self.unit];
        let start = self.replaced().map(|edit| edit.range.start).min();
        let end = self.replaced().map(|edit| edit.range.end).max();
        (unit.line(start.unwrap_or(0)), unit.line(end.unwrap_or(0)))
    }

    /// What was there, in a line.
    pub fn before(&self, units: &[Unit]) -> String {
        let text = &units[self.unit].text;
        joined(self.replaced().map(|edit| &text[edit.range.clone()]))
    }

    /// What is there instead, in a line.
    pub fn after(&self) -> String {
        let text = |edit: &Edit| match edit.text.is_empty() {
            true => "nothing".to_owned(),
            false => edit.text.clone(),
        };
        let texts: Vec<_> = self.replaced().map(text).collect();
        joined(texts.iter().map(String::as_str))
    }

    /// The edits that replace something.
    pub fn replaced(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().filter(|edit| edit.form != Form::Item)
    }

    /// Its file.
    pub fn text(&self, units: &[Unit]) -> String {
        let mut mutated = units[self.unit].text.clone();
        for edit in self.edits.iter().rev() {
            let text = match (edit.text.is_empty(), edit.form) {
                (true, Form::Statement) => ";".into(),
                (_, Form::Item) => format!("\n {}", edit.text),
                _ => edit.text.clone(),
            };
            mutated.replace_range(edit.range.clone(), &text);
        }
        mutated
    }

    /// Its file, in which every other line stands where it was.
    pub fn text_by_line(&self, units: &[Unit]) -> String {
        let mut mutated = units[self.unit].text.clone();
        for edit in self.edits.iter().rev() {
            let gone = mutated[edit.range.clone()].matches('\n').count();
            let text = match (edit.text.is_empty(), edit.form) {
                (true, Form::Statement) => ";".into(),
                _ => format!(" {} ", flat(&edit.text)),
            };
            mutated.replace_range(edit.range.clone(), &(text + &"\n".repeat(gone)));
        }
        mutated
    }

    /// It as a patch of rtl/.
    ///
    /// # Errors
    /// There is no such patch.
    pub fn patch(&self, units: &[Unit]) -> Result<String, Error> {
        let unit = &units[self.unit];
        let mutated = self.text(units);
        let name = |side| format!("{side}/rtl/{}", unit.name);
        let patch = diffy::create_patch(&unit.text, &mutated).to_string();
        let (_, rest) = patch.split_once("\n+++ modified\n").ok_or("a patch")?;
        Ok(format!("--- {}\n+++ {}\n{rest}", name("a"), name("b")))
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.map(flat).collect::<Vec<_>>().join(" | ")
}
