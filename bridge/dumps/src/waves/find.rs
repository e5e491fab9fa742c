//! Where an expression holds, in constant memory.

use std::ops::{ControlFlow, RangeInclusive};

use lockstep_vcd::{Error, Probe, State, Ticks, Value};

use super::dump::Dump;
use super::expression::bind::Expression;
use super::expression::evaluate::Evaluator;
use super::walker::{Pace, Walker};

/// What to look for, and where.
#[derive(Clone, Debug)]
pub struct Search<'s> {
    /// What must hold.
    pub expression: &'s Expression,
    /// Values to show: first the signals of the expression, then others.
    pub columns: &'s [Probe],
    /// Rows: clock edges, or the times at which a signal of the expression changes.
    pub pace: Pace,
    /// Ticks that count; rows before them are looked at, as what was before matters.
    pub times: RangeInclusive<u64>,
    /// Hits after which the search ends.
    pub limit: Option<u64>,
}

/// A row in which the expression holds.
#[derive(Clone, Copy, Debug)]
pub struct Hit<'h> {
    /// Tick.
    pub time: u64,
    /// Number of the rising edge, from 0. None where rows are changes.
    pub cycle: Option<u64>,
    /// A value a column. None if the dump had given none yet, or an event was not triggered since the row before.
    pub values: &'h [Option<Value>],
}

/// What came of a search.
#[derive(Debug, Default)]
pub struct Found {
    /// Rows in which the expression holds.
    pub hits: u64,
    /// Rows in the times that count, up to the end of the search.
    pub rows: u64,
    /// All rows, also before these times.
    pub all_rows: u64,
    /// The last tick that was read.
    pub last: u64,
    /// The search ended with the last hit that was wanted.
    pub is_limited: bool,
    /// Why the dump ends early.
    pub fault: Option<Error>,
}

impl Search<'_> {
    /// Reads a dump that was just opened, and shows every hit until `show` breaks.
    pub fn run(&self, dump: &mut Dump, show: &mut dyn FnMut(Hit<'_>) -> ControlFlow<()>) -> Found {
        let mut watched = self.columns.to_vec();
        watched.extend(self.pace.clock());
        let mut found = Found::default();
        if let Err(error) = dump.watch(watched.iter().map(Probe::signal)) {
            found.fault = Some(error);
            return found;
        }
        let header = dump.header();
        let telling = self.expression.signals().len();
        let mut walker = Walker::new(&header, self.columns, self.pace).telling(telling);
        let mut evaluator = Evaluator::new(self.expression);
        let mut ticks = Ticks::new(&header, &watched).to(*self.times.end());
        let clocked = self.pace.clock().is_some();
        let mut is_over = self.limit == Some(0);
        while !is_over {
            let time = match ticks.next(dump) {
                Ok(Some(time)) => time,
                Ok(None) => break,
                Err(error) => {
                    found.fault = Some(error);
                    break;
                }
            };
            walker.tick(&mut ticks, |number, values, _| {
                let holds = evaluator.next(values) == State::One;
                if !self.times.contains(&time) {
                    return;
                }
                found.rows += 1;
                if !holds {
                    return;
                }
                found.hits += 1;
                let cycle = clocked.then_some(number);
                found.is_limited = self.limit == Some(found.hits);
                is_over = show(Hit {
                    time,
                    cycle,
                    values,
                })
                .is_break()
                    || found.is_limited;
            });
        }
        found.all_rows = walker.rows();
        found.last = ticks.time();
        found
    }
}
