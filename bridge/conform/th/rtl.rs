//! Area `th` on the RTL: V shows as the increment of a counter, V_B is the lane of its event.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use pmu_model::CycleInput;
use pmu_model::pmu::event_type::{TC, TE, TH, TLC};
use pmu_model::sysreg::SysReg;

use super::{Cycle, Vector};
use crate::conform::rtl::{
    Bench, Expression, Feature, Interruption, Requirements, Values, knob_without_rtl,
};

/// The lane of a counter's event: that of its number, but for 30, which is CHAIN.
fn lane(n: usize) -> usize {
    if n == 30 { 31 } else { n }
}

/// PMEVTYPER<n>_EL0: what the vector says of threshold, edge and link, and the lane.
fn typer(n: usize, value: u64) -> u64 {
    value & (TC.mask() | TE.mask() | TLC.mask() | TH.mask()) | lane(n) as u64
}

/// A vector in terms of the ports.
pub fn express(vector: Vector) -> Expression {
    let mut implementation = match vector.cfg.implementation() {
        Ok(implementation) => implementation,
        Err(error) => return Expression::none(error.to_string()),
    };
    let reserved = |cycle: &Cycle| {
        let mut rows = cycle.expect.iter();
        rows.any(|row| row.reserved != Some(false) && row.v.is_some())
    };
    implementation.knobs.compare_reserved = vector.cycles.iter().any(reserved);
    if let Some(knob) = knob_without_rtl(&implementation) {
        return Expression::none(format!("the RTL has no knob {knob}"));
    }
    let wide = |cycle: &Cycle| {
        let mut lanes = cycle.vb.iter().zip(&cycle.counting);
        lanes.any(|(v_b, counting)| counting.0 != 0 && v_b.0 > u16::MAX.into())
    };
    if vector.cycles.iter().any(wide) {
        return Expression::none("V_B has more than 16 bits");
    }
    let Some(schedule) = schedule(&vector) else {
        return Expression::none(
            "more registers are written between two cycles that count than there are cycles",
        );
    };
    let mut expression = Expression::default();
    let vector = Rc::new(vector);
    expression.add(requirements(&vector), move |bench| {
        run(&vector, &schedule, bench)
    });
    expression
}

/// TH-01..08: a feature matters if a register has a bit of its fields.
fn requirements(vector: &Vector) -> Requirements {
    let cfg = &vector.cfg;
    let types = || {
        let first = vector.types.iter().enumerate();
        let later = vector.cycles.iter().flat_map(|cycle| &cycle.writes);
        first
            .map(|(n, value)| (n, value.0))
            .chain(later.map(|(&n, value)| (n, value.0)))
    };
    let mut requirements = Requirements::default();
    let any = |bits: u64| types().any(|(_, value)| value & bits != 0);
    requirements.fix_if(any(TC.mask() | TH.mask()), Feature::Th, cfg.th);
    requirements.fix_if(any(TE.mask()), Feature::Edge, cfg.edge);
    let linked = types().any(|(n, value)| n % 2 == 1 && value & TLC.mask() != 0);
    requirements.fix_if(linked, Feature::Th2, cfg.th2);
    if cfg.th {
        // TH-08: a width that gives every register the same TH is as good.
        let low = |value: u64, width: usize| TH.of(value) & ((1 << width) - 1);
        requirements.thwidth = Values::such_that(|width| {
            (1..=12).contains(&width)
                && types().all(|(_, value)| low(value, width) == low(value, cfg.thwidth.into()))
        });
    }
    let counters = vector.types.len();
    requirements.counters = Values::from(counters);
    let lanes = (0..counters).map(lane).max().map_or(1, |last| last + 1);
    requirements.event_count = Values::from(lanes);
    requirements
}

/// The registers as they are before the first cycle, and the write of each cycle.
struct Schedule {
    first: Vec<u64>,
    writes: BTreeMap<usize, (usize, u64)>,
}

/// A write that has to be made in one of the cycles from `from` to `to`, to be in force in the cycle after `to`.
struct Write {
    from: usize,
    to: usize,
    n: usize,
    value: u64,
}

/// Finds a cycle for each write: there is one access a cycle, and it takes effect in the next (DUT-12). What a
/// register holds matters only in cycles in which its counter counts (TH-09), so a write may be earlier or later
/// than the vector's, between two of these; the earliest deadline goes first. `None` if there are too many.
fn schedule(vector: &Vector) -> Option<Schedule> {
    let mut first = Vec::new();
    let mut writes = Vec::new();
    for (n, initial) in vector.types.iter().enumerate() {
        let mut wanted = typer(n, initial.0);
        // The value in force, and the last cycle that counted with it.
        let mut held: Option<(u64, usize)> = None;
        let mut start = wanted;
        for (index, cycle) in vector.cycles.iter().enumerate() {
            if let Some(value) = cycle.writes.get(&n) {
                wanted = typer(n, value.0);
            }
            if cycle.counting.get(n).is_none_or(|counting| counting.0 == 0) {
                continue;
            }
            match held {
                None => start = wanted,
                Some((value, last)) if value != wanted => writes.push(Write {
                    from: last,
                    to: index - 1,
                    n,
                    value: wanted,
                }),
                Some(_) => {}
            }
            held = Some((wanted, index));
        }
        first.push(start);
    }
    writes.sort_by_key(|write| write.from);
    let mut waiting = VecDeque::from(writes);
    let mut due: Vec<Write> = Vec::new();
    let mut made = BTreeMap::new();
    for cycle in 0..vector.cycles.len() {
        while let Some(write) = waiting.pop_front_if(|write| write.from <= cycle) {
            due.push(write);
        }
        let Some(next) = (0..due.len()).min_by_key(|&index| due[index].to) else {
            continue;
        };
        let write = due.swap_remove(next);
        if write.to < cycle {
            return None;
        }
        made.insert(cycle, (write.n, write.value));
    }
    (due.is_empty() && waiting.is_empty()).then_some(Schedule {
        first,
        writes: made,
    })
}

fn run(vector: &Vector, schedule: &Schedule, bench: &mut Bench) -> Result<(), Interruption> {
    bench.reset()?;
    for (n, &value) in schedule.first.iter().enumerate() {
        bench.write(SysReg::Pmevtyper(n as u8), value)?;
    }
    bench.enable((1_u32 << schedule.first.len()) - 1)?;
    for (index, cycle) in vector.cycles.iter().enumerate() {
        let mut input = match schedule.writes.get(&index) {
            Some(&(n, value)) => CycleInput::write(SysReg::Pmevtyper(n as u8), value),
            None => CycleInput::default(),
        };
        input.counting_allowed = 0;
        for (n, (v_b, counting)) in cycle.vb.iter().zip(&cycle.counting).enumerate() {
            // The low bits of a value that is not counted are as good as any.
            input.event[lane(n)] = v_b.0 as u16;
            input.counting_allowed |= u32::from(counting.0 != 0) << n;
        }
        let output = bench.cycle(&input)?;
        for row in &cycle.expect {
            let expected = row.v.map(|v| v.0);
            let v = output.increment[row.n].into();
            bench.expect(format_args!("cycle {index}, V[{}]", row.n), expected, v)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two counters that count in the cycles given, with the writes given in each.
    fn vector(cycles: &[([u8; 2], &str)]) -> Vector {
        let cycles: Vec<_> = cycles
            .iter()
            .map(|(counting, writes)| {
                format!(
                    r#"{{"writes": {{{writes}}}, "vb": [1, 1], "counting": {counting:?}, "expect": []}}"#
                )
            })
            .collect();
        let text = format!(
            r#"{{"cfg": {{"counters": 2, "th": true, "edge": true, "th2": true, "thwidth": 12}},
                "types": ["0x0", "0x0"], "cycles": [{}]}}"#,
            cycles.join(", ")
        );
        serde_json::from_str(&text).expect("a vector")
    }

    const ONE: &str = r#""0": "0x2000000000000000""#;
    const BOTH: &str = r#""0": "0x2000000000000000", "1": "0x2000000000000000""#;

    /// Cycles of the writes, and the counters that are written.
    fn made(cycles: &[([u8; 2], &str)]) -> Option<Vec<(usize, usize)>> {
        let schedule = schedule(&vector(cycles))?;
        let writes = schedule.writes.iter();
        Some(writes.map(|(&cycle, &(n, _))| (cycle, n)).collect())
    }

    #[test]
    fn a_write_is_made_in_the_cycle_before() {
        let counts = [1, 1];
        assert_eq!(made(&[(counts, ""), (counts, ONE)]), Some(vec![(0, 0)]));
    }

    #[test]
    fn two_writes_need_two_cycles() {
        let counts = [1, 1];
        assert_eq!(made(&[(counts, ""), (counts, BOTH)]), None);
        // A counter that does not count can be written later, and one that has not counted yet at the start.
        let later = [(counts, ""), ([1, 0], BOTH), (counts, "")];
        assert_eq!(made(&later), Some(vec![(0, 0), (1, 1)]));
        assert_eq!(made(&[([1, 0], ""), (counts, BOTH)]), Some(vec![(0, 0)]));
    }

    #[test]
    fn fields_that_are_zero_ask_for_nothing() {
        assert!(requirements(&vector(&[])).features.is_empty());
        let writes = requirements(&vector(&[([1, 1], ONE)]));
        assert_eq!(Vec::from_iter(writes.features), [(Feature::Th, true)]);
    }
}
