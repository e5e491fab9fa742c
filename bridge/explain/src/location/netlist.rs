//! What drives what in a design.

use super::expression::Expression;
use super::span::Span;

/// Lines of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file, as Verilator was given it.
    pub file: String,
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// An assignment, or a connection of an instance.
#[derive(Clone, Debug)]
pub struct Driver {
    /// What it sets.
    pub target: Span,
    /// What its value is made of.
    pub value: Expression,
    /// What decides whether it is made, the outermost condition first.
    pub conditions: Vec<Condition>,
    /// Where it stands.
    pub place: u32,
    /// Where the functions and constants are that it uses.
    pub uses: Vec<u32>,
    /// Whether it is made at an edge of a clock.
    pub clocked: bool,
}

/// What decides whether an assignment is made.
#[derive(Clone, Debug)]
pub struct Condition {
    /// It holds if this is one of those values; if there are none, if it is none of `not`.
    pub value: Expression,
    pub is: Vec<Expression>,
    pub not: Vec<Expression>,
    /// Where it stands.
    pub place: u32,
}

impl Condition {
    /// Whether it holds, if that is known.
    pub fn holds(&self, of: &impl Fn(&Span) -> Option<u64>) -> Option<bool> {
        if self.is.is_empty() && self.not.is_empty() {
            return Some(true);
        }
        let value = self.value.value(of)?;
        let among = |all: &[Expression]| -> Option<bool> {
            let mut found = false;
            for one in all {
                found |= one.value(of)? == value;
            }
            Some(found)
        };
        match self.is.is_empty() {
            true => among(&self.not).map(|found| !found),
            false => among(&self.is),
        }
    }
}

/// A design, with all its instances.
#[derive(Debug, Default)]
pub struct Netlist {
    /// Names of the signals, from the top module on.
    pub(super) signals: Vec<String>,
    /// All assignments.
    pub(super) drivers: Vec<Driver>,
    /// By signal, the numbers of the assignments that set it.
    pub(super) driven_by: Vec<Vec<u32>>,
    /// Where they stand.
    pub(super) places: Vec<Place>,
}

impl Netlist {
    /// The places at which a signal is set, by its name from the top module on.
    pub fn places_of(&self, signal: &str) -> Vec<&Place> {
        let found = self.signals.iter().position(|name| name == signal);
        let drivers = found.map(|signal| self.driven_by[signal].iter());
        let drivers = drivers.into_iter().flatten();
        drivers
            .map(|&driver| &self.places[self.drivers[driver as usize].place as usize])
            .collect()
    }
}
