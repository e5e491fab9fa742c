//! A small design for tests.

use std::collections::HashMap;

use super::columns::{Column, History};
use super::contract::{Known, Quantity};
use super::expression::{Expression, Operator, mask};
use super::mine::Match;
use super::netlist::{Condition, Driver, Netlist, Node, Place, Scope};
use super::search::Search;
use super::simulation::Simulation;
use super::span::Span;
use super::stretch::{SETTLED, Stretch};
use super::waves::Waves;

const CYCLES: usize = 64;
/// Values of two inputs, a bit a cycle.
pub const A: u64 = 0x5A3C_96F0_1234_FEDC;
pub const B: u64 = 0x0F1E_2D3C_A5A5_3C96;
/// The node of the first line's value.
pub const BOTH: u32 = 2;

fn column(bits: u64) -> Column {
    Column {
        bits: vec![bits],
        known: None,
        changes: 2,
    }
}

fn node(node: u32, of: Expression) -> Expression {
    Expression::Node {
        node,
        of: Box::new(of),
    }
}

fn bit(signal: u32) -> Expression {
    Expression::Bits {
        span: Span::whole(signal),
        width: 1,
    }
}

fn driver(target: u32, value: Expression, place: u32, clocked: bool) -> Driver {
    Driver {
        target: Span::whole(target),
        value,
        conditions: Vec::new(),
        place,
        block: place,
        clocked,
        node: 3 + place,
        scope: 0,
        steps: Vec::new(),
        is_lost: false,
    }
}

/// The lowest bits of a signal.
pub fn bits(signal: u32, width: u32) -> Expression {
    let low = 0;
    Expression::Bits {
        span: Span { signal, low, width },
        width,
    }
}

pub fn operator(operator: Operator, of: [Expression; 2], width: u32) -> Expression {
    let of = of.into();
    Expression::Operator {
        operator,
        of,
        width,
    }
}

/// Signals 0 to 3 in a cycle; of signal 9 nothing is known.
pub fn of(span: &Span) -> Option<u64> {
    let value = [0_u64, 1, 0b1010, 0xabcd].get(span.signal as usize)?;
    Some(value >> span.low & mask(span.width))
}

/// `both = a & b; always_ff q <= both; cycle_output_o = q`, line by line. That `q` is set to 0 where `a` is 1 may have been
/// lost.
fn design() -> Netlist {
    let names = ["top.a", "top.b", "top.both", "top.q", "top.cycle_output_o"];
    let place = |first| Place {
        file: "top.sv".to_owned(),
        first,
        last: first,
    };
    let both = Expression::Operator {
        operator: Operator::And,
        of: vec![node(0, bit(0)), node(1, bit(1))],
        width: 1,
    };
    let of = |place, width| Node { place, width };
    let mut lost = driver(3, Expression::Constant(0), 3, true);
    lost.is_lost = true;
    lost.conditions.push(Condition {
        value: bit(0),
        is: vec![Expression::Constant(1)],
        not: Vec::new(),
        place: 3,
    });
    Netlist {
        signals: names.map(str::to_owned).to_vec(),
        drivers: vec![
            driver(2, node(2, both), 0, false),
            driver(3, bit(2), 1, true),
            driver(4, bit(3), 2, false),
            lost,
        ],
        driven_by: vec![vec![], vec![], vec![0], vec![1, 3], vec![2]],
        places: [1, 2, 3, 4].map(place).to_vec(),
        widths: vec![1; 5],
        nodes: vec![
            of(0, 1),
            of(0, 1),
            of(0, 1),
            of(0, 0),
            of(1, 0),
            of(2, 0),
            of(3, 0),
        ],
        scopes: vec![Scope {
            around: None,
            signals: HashMap::new(),
        }],
        names: Vec::new(),
    }
}

/// The same with `if (a) both = 1; else both = 0;`.
fn branching() -> Netlist {
    let condition = |is, not| Condition {
        value: node(BOTH, bit(0)),
        is,
        not,
        place: 0,
    };
    let zero = || vec![Expression::Constant(0)];
    let mut design = design();
    let [mut then, mut other] = [1, 0].map(|of| driver(2, Expression::Constant(of), 0, false));
    then.conditions.push(condition(Vec::new(), zero()));
    other.conditions.push(condition(zero(), Vec::new()));
    design.drivers[0] = then;
    design.driven_by[2].push(design.drivers.len() as u32);
    design.drivers.push(other);
    design
}

/// What is found of the design where its output should be `expected`, a bit a cycle.
pub fn searched<T>(expected: u64, find: impl FnOnce(&Search<'_>, &Simulation<'_>) -> T) -> T {
    searched_in(&design(), A & B, expected, find)
}

/// What is found of the design with a branch, the same way.
pub fn searched_branching<T>(
    expected: u64,
    find: impl FnOnce(&Search<'_>, &Simulation<'_>) -> T,
) -> T {
    searched_in(&branching(), A, expected, find)
}

fn searched_in<T>(
    design: &Netlist,
    both: u64,
    expected: u64,
    find: impl FnOnce(&Search<'_>, &Simulation<'_>) -> T,
) -> T {
    let q = both << 1;
    let names = design.signals.iter().cloned().zip(0..);
    let histories = [A, B, both, q, q].map(|bits| {
        let mut history = History::default();
        (0..CYCLES).for_each(|cycle| history.push(cycle, &[bits >> cycle & 1]));
        history
    });
    let waves = Waves {
        histories: histories.to_vec(),
        widths: vec![1; 5],
        columns: [A, B, both, q, q]
            .map(|bits| vec![(0, column(bits))])
            .to_vec(),
        signals: names.collect(),
    };
    let right = Match {
        with: 0,
        inverted: false,
    };
    let matches = HashMap::from([((4, 0), Some(right))]);
    let known = [Known {
        quantity: Quantity::Output,
        bit: 0,
        column: column(expected),
    }];
    let wrong = (q ^ expected) >> SETTLED << SETTLED;
    let stretches = [Stretch {
        first: 0,
        cycles: CYCLES,
        divergent: (wrong != 0).then(|| wrong.trailing_zeros() as usize),
        is_last: true,
    }];
    let search = Search::new(design, &waves, &matches, &known, &stretches);
    let simulation = Simulation::new(&search).unwrap();
    find(&search, &simulation)
}
