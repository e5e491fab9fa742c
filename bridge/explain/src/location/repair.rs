//! Which small change of the source makes the cycles right: the design is run again with it, from the dump's values on.
//!
//! What comes right in every failing stretch, and leaves right what is, points to where the mistake is more surely than any
//! path back from the outputs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::change::{Change, Edit};
use super::expression::Expression;
use super::netlist::NO_NODE;
use super::search::Search;
use super::simulation::{Differences, SETTLED, Simulation, expressions, visit};
use super::span::Span;
use super::stretch::Stretch;
use crate::cores;

/// Failing stretches in which a change is tried first, at most.
const FIRST: usize = 6;
/// Uses of a node in a failing stretch that are looked at, at most.
const USES: usize = 512;
/// Changes that are kept.
const FOUND: usize = 200;
/// Constants of one width that others of it may have been taken for, at most.
const CONSTANTS: usize = 128;
/// Assignments that are looked at, at most.
const WORK: u64 = 120_000_000;
/// Changes that all cores try before what comes of them is looked at.
const TOGETHER: usize = 512;
/// The cost up to which a change is tried first.
const NEAR: f64 = 1.5;
/// What it costs that a stretch is wrong later: up to twice that, the earlier.
const LATER: f64 = 0.15;
/// Of how many stretches one may stay wrong: for a reason that is none of the change's.
const ALLOWED: usize = 7;

/// A change that makes failing cycles right.
#[derive(Clone, Debug)]
pub struct Repair {
    pub edit: Edit,
    /// The lines of its statement.
    pub place: u32,
    pub cost: f64,
    pub text: String,
    /// The signal that is set there.
    pub signal: u32,
}

/// A stretch in which outputs are wrong, and what they come of.
struct Failure<'a> {
    stretch: &'a Stretch,
    divergent: usize,
    /// By node, where it is made use of: what is set there, in which cycle.
    uses: HashMap<u32, Vec<(Span, usize)>>,
}

/// A node that is made use of above the outputs that differ.
struct Candidate<'a> {
    node: u32,
    /// Its expression; none for a statement.
    of: Option<&'a Expression>,
    width: u32,
    driver: u32,
    rank: usize,
}

/// Looks for changes; of each place by its rank.
pub fn repairs(search: &Search<'_>, ranks: &HashMap<u32, usize>) -> Vec<Repair> {
    let Some(simulation) = Simulation::new(search) else {
        return Vec::new();
    };
    let failures = failures(search, &simulation);
    let candidates = candidates(search, &failures, ranks);
    let constants = constants(search);
    let mut found = Vec::new();
    let mut work = 0;
    // What is less far-fetched comes first.
    for is_near in [true, false] {
        let all = candidates.iter().flat_map(|candidate| {
            let changes = candidate.changes(search, &constants).into_iter();
            let changes = changes.filter(|change| (change.cost() <= NEAR) == is_near);
            changes.map(move |change| (candidate, change))
        });
        let all: Vec<_> = all.collect();
        for batch in all.chunks(TOGETHER) {
            let tried = all_tried(batch, &simulation, &failures, search.stretches);
            for ((candidate, change), (missed, own_work)) in batch.iter().zip(tried) {
                if work > WORK || found.len() >= FOUND {
                    return found;
                }
                work += own_work;
                found.extend(missed.map(|missed| candidate.repair(*change, missed, search)));
            }
        }
    }
    found
}

/// What it costs that cycles stay wrong with each of some changes, none where it mends nothing; and the work of finding out.
fn all_tried(
    changes: &[(&Candidate<'_>, Change)],
    simulation: &Simulation<'_>,
    failures: &[Failure<'_>],
    stretches: &[Stretch],
) -> Vec<(Option<f64>, u64)> {
    let next = AtomicUsize::new(0);
    let mut tried = cores::on_all(|| {
        let mut differences = simulation.differences();
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some((candidate, change)) = changes.get(number) else {
                return own;
            };
            let edit = candidate.edit(*change);
            let before = differences.work();
            let missed = mends(simulation, edit, failures, &mut differences)
                .then(|| missed(stretches, simulation, edit, &mut differences));
            own.push((number, missed.flatten(), differences.work() - before));
        }
    });
    tried.sort_unstable_by_key(|(number, ..)| *number);
    let tried = tried.into_iter().map(|(_, missed, work)| (missed, work));
    tried.collect()
}

impl Candidate<'_> {
    const fn edit(&self, change: Change) -> Edit {
        Edit {
            node: self.node,
            width: self.width,
            change,
        }
    }

    fn repair(&self, change: Change, missed: f64, search: &Search<'_>) -> Repair {
        let design = search.design;
        let driver = &design.drivers[self.driver as usize];
        Repair {
            edit: self.edit(change),
            place: match change {
                Change::Only { .. } => driver.block,
                _ => design.nodes[self.node as usize].place,
            },
            cost: change.cost() + missed,
            text: change.text(self.of.unwrap_or(&driver.value), design),
            signal: driver.target.signal,
        }
    }

    /// All that it may be instead.
    fn changes(&self, search: &Search<'_>, constants: &HashMap<u32, Vec<u64>>) -> Vec<Change> {
        if search.design.drivers[self.driver as usize].is_lost {
            return vec![Change::Made];
        }
        let (bits, same) = names(search, self.driver, self.width);
        match self.of {
            Some(of) => {
                let constants = constants.get(&self.width).map_or(&[][..], Vec::as_slice);
                Change::all(of, self.width, (&bits, &same), constants)
            }
            None => Change::conditions(&bits),
        }
    }
}

fn failures<'a>(search: &Search<'a>, simulation: &Simulation<'_>) -> Vec<Failure<'a>> {
    let mut failures: Vec<_> = search
        .stretches
        .iter()
        .filter_map(|stretch| {
            let divergent = stretch
                .divergent
                .filter(|divergent| *divergent >= SETTLED)?;
            Some((stretch, divergent))
        })
        .collect();
    failures.sort_by_key(|(stretch, divergent)| (*divergent, stretch.first));
    failures.truncate(FIRST);
    failures
        .into_iter()
        .filter_map(|(stretch, divergent)| {
            let wrong = simulation.wrong(stretch.first + divergent);
            let mut uses: HashMap<u32, Vec<(Span, usize)>> = HashMap::new();
            let roots = wrong.iter().take(4).map(|bit| (*bit, divergent));
            let mut note = |node: u32, span: Span, cycle: usize| {
                let uses = uses.entry(node).or_default();
                if uses.len() < USES && uses.last() != Some(&(span, cycle)) {
                    uses.push((span, cycle));
                }
            };
            for (span, cycle, driver) in search.slice(roots, stretch) {
                let driver = &search.design.drivers[driver as usize];
                note(driver.node, span, cycle);
                for expression in expressions(driver) {
                    visit(expression, &mut |one| {
                        if let Expression::Node { node, .. } = one {
                            note(*node, span, cycle);
                        }
                    });
                }
            }
            let failure = Failure {
                stretch,
                divergent,
                uses,
            };
            (!wrong.is_empty()).then_some(failure)
        })
        .collect()
}

/// The nodes that all failures make use of, in the order of their places' ranks.
fn candidates<'a>(
    search: &Search<'a>,
    failures: &[Failure<'_>],
    ranks: &HashMap<u32, usize>,
) -> Vec<Candidate<'a>> {
    let Some((first, others)) = failures.split_first() else {
        return Vec::new();
    };
    let design = search.design;
    let mut common: HashSet<u32> = first.uses.keys().copied().collect();
    common.remove(&NO_NODE);
    common.retain(|node| others.iter().all(|other| other.uses.contains_key(node)));
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    let rank = |node: u32| ranks.get(&design.nodes[node as usize].place).copied();
    for (number, driver) in (0..).zip(&design.drivers) {
        if common.contains(&driver.node) && seen.insert(driver.node) {
            candidates.push(Candidate {
                node: driver.node,
                of: None,
                width: 0,
                driver: number,
                rank: rank(driver.node).unwrap_or(usize::MAX),
            });
        }
        let own = expressions(driver).filter(|_| !driver.is_lost);
        for expression in own {
            visit(expression, &mut |one| {
                let Expression::Node { node, of } = one else {
                    return;
                };
                if !common.contains(node) || !seen.insert(*node) {
                    return;
                }
                let about = design.nodes[*node as usize];
                if (1..=64).contains(&about.width) {
                    candidates.push(Candidate {
                        node: *node,
                        of: Some(of),
                        width: about.width,
                        driver: number,
                        rank: rank(*node).unwrap_or(usize::MAX),
                    });
                }
            });
        }
    }
    candidates.sort_by_key(|candidate| (candidate.rank, candidate.node));
    candidates
}

/// By width, the constants of the design, as far as they are not too many.
fn constants(search: &Search<'_>) -> HashMap<u32, Vec<u64>> {
    let design = search.design;
    let mut constants: HashMap<u32, BTreeSet<u64>> = HashMap::new();
    let real = design.drivers.iter().filter(|driver| !driver.is_lost);
    for expression in real.flat_map(expressions) {
        visit(expression, &mut |one| {
            if let Expression::Node { node, of } = one
                && let Expression::Constant(value) = of.plain()
            {
                let width = design.nodes[*node as usize].width;
                constants.entry(width).or_default().insert(*value);
            }
        });
    }
    // Of one bit or two there is nothing that is not tried anyway.
    constants.retain(|width, values| (3..=64).contains(width) && values.len() <= CONSTANTS);
    let lists = constants.into_iter();
    let lists = lists.map(|(width, values)| (width, values.into_iter().collect()));
    lists.collect()
}

/// Names of signals that a statement sees: those of one bit, and those of a width.
fn names(search: &Search<'_>, driver: u32, width: u32) -> (Vec<u32>, Vec<u32>) {
    let design = search.design;
    let (mut bits, mut same) = (Vec::new(), Vec::new());
    for here in design.around(design.drivers[driver as usize].scope) {
        for (&name, &signal) in &here.signals {
            let has = design.widths[signal as usize];
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

/// Whether what is wrong first comes right, where the change makes a difference to what that comes of.
fn mends(
    simulation: &Simulation<'_>,
    edit: Edit,
    failures: &[Failure<'_>],
    differences: &mut Differences,
) -> bool {
    let mut is_active = false;
    for failure in failures {
        let uses = failure.uses.get(&edit.node).into_iter().flatten();
        let none = &*differences;
        let mut active = uses.filter(|(span, cycle)| {
            *cycle > 0 && simulation.is_active(edit, *span, failure.stretch.first + cycle, none)
        });
        if active.next().is_none() {
            continue;
        }
        is_active = true;
        let cycles = (0, failure.divergent + 1);
        let wrong = simulation.first_wrong(edit, failure.stretch, cycles, differences, None);
        differences.forget();
        if !matches!(wrong, Ok(None)) {
            return false;
        }
    }
    is_active
}

/// What it costs that outputs stay wrong, if that is in few stretches: for a reason that is none of the change's.
fn missed(
    stretches: &[Stretch],
    simulation: &Simulation<'_>,
    edit: Edit,
    differences: &mut Differences,
) -> Option<f64> {
    let allowed = stretches.len() / ALLOWED;
    let (mut missed, mut later) = (0, 0.0);
    for stretch in stretches {
        let wrong = simulation.first_wrong(edit, stretch, (0, stretch.cycles), differences, None);
        differences.forget();
        match (wrong, stretch.divergent) {
            (Ok(None), _) => {}
            (Ok(Some(now)), Some(divergent)) if now > divergent => {
                let left = stretch.cycles - now;
                later += LATER * (1.0 + left as f64 / stretch.cycles as f64);
            }
            // What was right stays so.
            (_, None) => return None,
            _ => missed += 1,
        }
        if missed > allowed {
            return None;
        }
    }
    Some(missed as f64 + later)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::columns::{Column, History};
    use crate::location::contract::{Known, Quantity};
    use crate::location::expression::Operator;
    use crate::location::mine::Match;
    use crate::location::netlist::{Condition, Driver, Netlist, Node, Place, Scope};
    use crate::location::waves::Waves;

    const CYCLES: usize = 64;
    /// Values of two inputs, a bit a cycle.
    const A: u64 = 0x5A3C_96F0_1234_FEDC;
    const B: u64 = 0x0F1E_2D3C_A5A5_3C96;

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
            uses: Vec::new(),
            clocked,
            node: 3 + place,
            scope: 0,
            steps: Vec::new(),
            is_lost: false,
        }
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

    /// The repairs of the design where its output should be `expected`, a bit a cycle.
    fn repairs_for(expected: u64) -> Vec<Repair> {
        let both = A & B;
        let q = both << 1;
        let names = design().signals.into_iter().zip(0..);
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
        let design = design();
        let search = Search::new(&design, &waves, &matches, &known, &stretches);
        repairs(&search, &HashMap::new())
    }

    /// The least far-fetched one: its place, text and cost.
    fn first_for(expected: u64) -> (u32, String, f64) {
        let found = repairs_for(expected).into_iter();
        let first = found.min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
        (first.place, first.text, first.cost)
    }

    #[test]
    fn a_change_is_found_that_makes_all_cycles_right() {
        assert_eq!(first_for((A | B) << 1), (0, "| for &".to_owned(), 1.0));
        assert_eq!(first_for((A ^ B) << 1), (0, "^ for &".to_owned(), 1.0));
        assert!(repairs_for((A & B) << 1).is_empty(), "nothing is wrong");
    }

    #[test]
    fn a_statement_is_found_that_was_lost() {
        let found = repairs_for(0);
        let is_it = |repair: &Repair| repair.place == 3 && repair.text == "set to 0x0 here, too";
        assert!(found.iter().any(is_it), "{found:?}");
    }

    #[test]
    fn what_stays_wrong_later_costs_more() {
        let one_more = (A | B) << 1 ^ 1 << 40;
        let (place, text, cost) = first_for(one_more);
        assert_eq!((place, text.as_str()), (0, "| for &"));
        assert!(cost > 1.0);
    }
}
