//! Statements that may be gone: what other branches set, and one does not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::expression::Expression;
use super::super::netlist::{Condition, Driver, Node};
use super::super::span::Span;
use super::super::template;
use super::{At, Module, Reader};

/// Values that a statement that is gone may have set, at most: of more it is not told which.
const VALUES: usize = 4;

/// One way that statements go.
pub(super) struct Branch {
    /// What decides whether it is gone.
    pub condition: Option<Condition>,
    /// What it sets, by number in the module.
    pub drivers: Range<usize>,
    pub place: u32,
}

/// What is set, and to which constants; to none where these are not known.
type Set = BTreeMap<Span, BTreeSet<u64>>;

impl Reader<'_> {
    /// Adds the statements that may be lost of `branches`, of those with numbers `of`: of what others set and they do not.
    pub(super) fn lost(&mut self, branches: &[Branch], of: &[usize], at: &At, out: &mut Module) {
        let set = set_by(branches, at.clocked, out);
        let before = set_before(branches, at, &set, out);
        for &number in of {
            let branch = &branches[number];
            let own = out.drivers[branch.drivers.clone()].iter();
            let own: BTreeSet<u32> = own
                .filter(|driver| !driver.is_lost)
                .map(|driver| driver.target.signal)
                .collect();
            // That nothing is done otherwise is no place for something more, unless nothing is left of a reset.
            let is_within = at.clocked && !at.conditions.is_empty();
            if own.is_empty() && is_within && number > 0 {
                continue;
            }
            // A row in which nothing is done may be the only one that set what is set before all of them, and it may have
            // set that to anything; so may what comes behind a reset.
            let is_empty_row = own.is_empty() && !at.clocked;
            let is_otherwise = at.clocked && number == 1 && !own.is_empty();
            // Nobody writes down a condition under which nothing is done.
            let is_empty_then = own.is_empty() && is_within;
            let may_be_any = is_empty_row || is_otherwise || is_empty_then;
            let before = before.iter().filter(|_| is_empty_row || is_empty_then);
            for (&target, values) in set.iter().chain(before) {
                if own.contains(&target.signal) {
                    continue;
                }
                let width = width(target, out);
                let is_known = !is_otherwise && !is_empty_then;
                match (1..=VALUES).contains(&values.len()) && is_known {
                    true => {
                        for &value in values {
                            self.add_lost((target, width), Some(value), branch, at, out);
                        }
                    }
                    false if may_be_any && width <= 64 => {
                        self.add_lost((target, width), None, branch, at, out);
                    }
                    false => {}
                }
            }
        }
    }

    /// Adds one that sets `target`, to anything where there is no value.
    fn add_lost(
        &mut self,
        (target, width): (Span, u32),
        value: Option<u64>,
        branch: &Branch,
        at: &At,
        out: &mut Module,
    ) {
        let (name, _) = template(&out.signals[target.signal as usize]);
        let node = self.lost_node((branch.place, name, value), width);
        let constant = Expression::Constant(value.unwrap_or(0));
        let value = match value {
            Some(_) => constant,
            None => Expression::Node {
                node,
                of: Box::new(constant),
            },
        };
        let conditions = at.conditions.iter().chain(&branch.condition);
        out.drivers.push(Driver {
            target,
            value,
            conditions: conditions.cloned().collect(),
            place: branch.place,
            block: branch.place,
            clocked: at.clocked,
            node,
            scope: at.scope,
            steps: self.now(),
            is_lost: true,
        });
    }

    /// The number of a statement that may be lost, which its copies share; it sets so many bits.
    fn lost_node(&mut self, key: (u32, String, Option<u64>), of: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let (place, _, value) = key;
        *self.lost_numbers.entry(key).or_insert_with(|| {
            let width = if value.is_some() { 0 } else { of };
            self.nodes.push(Node { place, width });
            next
        })
    }
}

/// What branches set; at a clock to what a reset sets.
fn set_by(branches: &[Branch], clocked: bool, out: &Module) -> Set {
    let mut set = Set::new();
    for number in branches.iter().flat_map(|branch| branch.drivers.clone()) {
        let driver = &out.drivers[number];
        if driver.is_lost {
            continue;
        }
        let values = set.entry(driver.target).or_default();
        match driver.value.plain() {
            _ if clocked => values.insert(0),
            Expression::Constant(value) => values.insert(*value),
            _ => false,
        };
    }
    set
}

/// What a block sets before `branches`, and none of them does: a bit to its opposite.
fn set_before(branches: &[Branch], at: &At, set: &Set, out: &Module) -> Set {
    let first = branches.first().map_or(at.first, |of| of.drivers.start);
    let before = out.drivers[at.first..first].iter();
    let before = before.filter(|driver| !driver.is_lost && !set.contains_key(&driver.target));
    before
        .map(|driver| {
            let value = driver.value.constant();
            let value = value.filter(|_| width(driver.target, out) == 1);
            let opposite = value.map(|value| value & 1 ^ 1);
            (driver.target, opposite.into_iter().collect())
        })
        .collect()
}

/// The bits of a span.
fn width(target: Span, out: &Module) -> u32 {
    target.width.min(out.widths[target.signal as usize])
}
