//! What drives what in a design.

use std::collections::HashMap;

use super::expression::{Expression, Values};
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
    /// The same, from the line on in which a block begins that it is the first in: a condition of it would stand there.
    pub block: u32,
    /// Whether it is made at an edge of a clock.
    pub clocked: bool,
    /// Its node, that of all copies; [`NO_NODE`] for none.
    pub node: u32,
    /// From where on names are looked for.
    pub scope: u32,
    /// Signals that are something else where it stands: steps of their block.
    pub steps: Vec<(u32, u32)>,
    /// It is not there: a statement that may have been lost.
    pub is_lost: bool,
}

/// A module's instance, or a block in it.
#[derive(Clone, Debug)]
pub struct Scope {
    /// What is around it in its module.
    pub around: Option<u32>,
    /// The signals that are declared in it, by their names' numbers.
    pub signals: HashMap<u32, u32>,
}

/// A node of the source.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The lines of the statement that it is in.
    pub place: u32,
    /// How many bits its value has; [`u32::MAX`] if that is not known.
    pub width: u32,
}

/// What is no node of the source.
pub const NO_NODE: u32 = u32::MAX;
/// What is between the name of a signal and the number of a step; it is in no name.
pub const STEP: char = '\u{1}';

/// What decides whether an assignment is made.
#[derive(Clone, Debug)]
pub struct Condition {
    /// It holds if this is none of `not`, and one of `is` where there are any.
    pub value: Expression,
    pub is: Vec<Expression>,
    pub not: Vec<Expression>,
    /// Where it stands.
    pub place: u32,
}

impl Condition {
    /// Whether it holds, if that is known.
    pub fn holds(&self, of: &impl Values) -> Option<bool> {
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
        if !self.not.is_empty() && among(&self.not)? {
            return Some(false);
        }
        match self.is.is_empty() {
            true => Some(true),
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
    /// Bits of the signals; [`u32::MAX`] if that is not known.
    pub(super) widths: Vec<u32>,
    pub(super) nodes: Vec<Node>,
    pub(super) scopes: Vec<Scope>,
    /// Names of signals in their scopes, by number.
    pub(super) names: Vec<String>,
}

impl Netlist {
    /// Whether a signal is what another is between two statements of a block.
    pub(super) fn is_step(&self, signal: u32) -> bool {
        self.signals[signal as usize].contains(STEP)
    }

    /// The name of a signal, for steps that of what they are a step of.
    pub(super) fn name(&self, signal: u32) -> &str {
        let name = &self.signals[signal as usize];
        name.split(STEP).next().unwrap_or(name)
    }

    /// The signal of a name, seen from a scope.
    pub(super) fn named(&self, name: u32, scope: u32) -> Option<u32> {
        let mut around = self.around(scope);
        around.find_map(|scope| scope.signals.get(&name).copied())
    }

    /// A scope and those around it, the innermost first.
    pub(super) fn around(&self, scope: u32) -> impl Iterator<Item = &Scope> {
        let of = |scope: u32| &self.scopes[scope as usize];
        std::iter::successors(Some(of(scope)), move |scope| scope.around.map(of))
    }

    /// Names of signals that a statement sees: those of one bit, and those of a width.
    pub(super) fn seen_from(&self, driver: u32, width: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut bits, mut same) = (Vec::new(), Vec::new());
        for here in self.around(self.drivers[driver as usize].scope) {
            for (&name, &signal) in &here.signals {
                let has = self.widths[signal as usize];
                if has == 1 {
                    bits.push(name);
                }
                if has == width {
                    same.push(name);
                }
            }
        }
        for names in [&mut bits, &mut same] {
            names.sort_unstable();
            names.dedup();
        }
        (bits, same)
    }

    /// The places at which a signal is set, by its name from the top module on.
    pub fn places_of(&self, signal: &str) -> Vec<&Place> {
        let found = self.signals.iter().position(|name| name == signal);
        let drivers = found.map(|signal| self.driven_by[signal].iter());
        let drivers = drivers.into_iter().flatten();
        drivers
            .map(|&driver| &self.drivers[driver as usize])
            .filter(|driver| !driver.is_lost)
            .map(|driver| &self.places[driver.place as usize])
            .collect()
    }
}
