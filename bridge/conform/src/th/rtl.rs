//! Area `th` on the RTL: V shows as the increment of a counter, V_B is the lane of its event.

use pmu_model::features::Feature;
use pmu_model::implementation::Pmu;
use pmu_model::pmu::event_type::{TC, TE, TH, TLC};
use pmu_model::sysreg::SysReg;
use pmu_model::{CycleInput, CycleOutput};

use super::{Cycle, Vector};
use crate::bench::{Bench, Interruption};
use crate::rtl::{Expression, Requirements, Values, knob_without_rtl};

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
    let mut implementation = vector.implementation.clone();
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
    let schedule = schedule(&vector);
    let mut expression = Expression::default();
    expression.add(requirements(&vector), move |bench| {
        run(&vector, &schedule, bench)
    });
    expression
}

/// TH-01..08: a feature matters if a register has a bit of its fields.
fn requirements(vector: &Vector) -> Requirements {
    let wanted = &vector.implementation;
    let types = || {
        let first = vector.types.iter().enumerate();
        let later = vector.cycles.iter().flat_map(|cycle| &cycle.writes);
        first
            .map(|(n, value)| (n, value.0))
            .chain(later.map(|(&n, value)| (n, value.0)))
    };
    let mut requirements = Requirements::default();
    let any = |bits: u64| types().any(|(_, value)| value & bits != 0);
    requirements.alike(any(TC.mask() | TH.mask()), Feature::Th, wanted);
    requirements.alike(any(TE.mask()), Feature::Edge, wanted);
    let linked = types().any(|(n, value)| n % 2 == 1 && value & TLC.mask() != 0);
    requirements.alike(linked, Feature::Th2, wanted);
    // A-ETY-2: the layout of 2021 has neither TE nor TLC.
    requirements.fix_if(any(TE.mask()) || linked, Feature::Layout2021, false);
    if wanted.pmu.th {
        let thwidth = wanted.pmu.thwidth.into();
        // TH-08: a width that gives every register the same TH is as good.
        let low = |value: u64, width: usize| TH.of(value) & ((1 << width) - 1);
        requirements.thwidth = Values::such_that(|width| {
            (1..=12).contains(&width)
                && types().all(|(_, value)| low(value, width) == low(value, thwidth))
        });
    }
    let counters = vector.types.len();
    requirements.counters = Values::from(counters);
    let lanes = (0..counters).map(lane).max().map_or(1, |last| last + 1);
    requirements.event_count = Values::from(lanes);
    requirements
}

/// The registers as they are before the first cycle, and the writes of each cycle: the first in the cycle itself,
/// each of the others in a cycle that is put in after it.
struct Schedule {
    first: Vec<u64>,
    writes: Vec<Vec<(usize, u64)>>,
}

/// A write that has to be made in one of the cycles from `from` to `to`, to be in force in the cycle after `to`.
struct Write {
    from: usize,
    to: usize,
    n: usize,
    value: u64,
}

/// Finds a place for each write: there is one access a cycle, and it takes effect in the next (DUT-12). What a
/// register holds matters only in cycles in which its counter counts (TH-09), so a write may be earlier or later
/// than the vector's, between two of these; the earliest deadline goes first. Where there are more writes than
/// cycles, cycles are put in.
fn schedule(vector: &Vector) -> Schedule {
    let mut first = Vec::new();
    let mut waiting = Vec::new();
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
                Some((value, last)) if value != wanted => waiting.push(Write {
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
    let mut writes = Vec::new();
    for cycle in 0..vector.cycles.len() {
        let (mut due, later): (Vec<_>, Vec<_>) =
            waiting.into_iter().partition(|write| write.from <= cycle);
        waiting = later;
        due.sort_by_key(|write| write.to);
        let urgent = due.iter().filter(|write| write.to == cycle).count();
        let kept = due.split_off(urgent.max(1).min(due.len()));
        waiting.extend(kept);
        writes.push(due.iter().map(|write| (write.n, write.value)).collect());
    }
    Schedule { first, writes }
}

/// The value of V_B for which C_T is 1 under a type (TH-20); `None` if there is none.
fn v_b_of_true(pmu: &Pmu, value: u64) -> Option<u16> {
    // TH-21: more than TH can be.
    const GREATER: u16 = u16::MAX;
    let (tc, th) = match pmu.th {
        true => (TC.of(value), TH.of(value) & ((1 << pmu.thwidth) - 1)),
        false => (0, 0),
    };
    match tc >> 1 {
        0b00 | 0b10 => Some(GREATER),
        0b01 => Some(th as u16),
        _ => (th > 0).then_some(0),
    }
}

/// A cycle that is put in after the cycle before `next`: C_P is all that a cycle leaves behind (TH-28), and this
/// one leaves the C_P that the vector has in cycle `next`, with `types` in force.
fn put_in(vector: &Vector, next: usize, types: &[u64]) -> Option<CycleInput> {
    let mut input = CycleInput::default();
    for (n, &value) in types.iter().enumerate() {
        let mut rows = vector.cycles[next].expect.iter();
        let c_p = rows.find(|row| row.n == n)?.cp?;
        if c_p.0 != 0 {
            input.event[lane(n)] = v_b_of_true(&vector.implementation.pmu, value)?;
            input.counting_allowed |= 1 << n;
        }
    }
    Some(input)
}

fn run(vector: &Vector, schedule: &Schedule, bench: &mut Bench) -> Result<(), Interruption> {
    bench.reset()?;
    let mut types = schedule.first.clone();
    for (n, &value) in types.iter().enumerate() {
        bench.write(
            SysReg::pmevtyper(n as u8).expect("as many types as counters"),
            value,
        )?;
    }
    bench.enable((1_u32 << types.len()) - 1)?;
    for (index, cycle) in vector.cycles.iter().enumerate() {
        let mut input = CycleInput::default();
        for (n, (v_b, counting)) in cycle.vb.iter().zip(&cycle.counting).enumerate() {
            // The low bits of a value that is not counted are as good as any.
            input.event[lane(n)] = v_b.0 as u16;
            input.counting_allowed |= u32::from(counting.0 != 0) << n;
        }
        let mut writes = schedule.writes[index].iter();
        let output = step(bench, input, writes.next(), &mut types)?;
        for row in &cycle.expect {
            let expected = row.v.map(|v| v.0);
            let v = output.increment[row.n].into();
            bench.expect(format_args!("cycle {index}, V[{}]", row.n), expected, v)?;
        }
        for write in writes {
            let input = put_in(vector, index + 1, &types).ok_or(Interruption::NotExpressible(
                "several writes for one cycle, and a C_P that no other cycle leaves",
            ))?;
            step(bench, input, Some(write), &mut types)?;
        }
    }
    Ok(())
}

/// Runs a cycle with a write, which is in force afterwards.
fn step(
    bench: &mut Bench,
    mut input: CycleInput,
    write: Option<&(usize, u64)>,
    types: &mut [u64],
) -> Result<CycleOutput, Interruption> {
    if let Some(&(n, value)) = write {
        types[n] = value;
        input = CycleInput {
            event: input.event,
            counting_allowed: input.counting_allowed,
            ..CycleInput::write(
                SysReg::pmevtyper(n as u8).expect("as many types as counters"),
                value,
            )
        };
    }
    bench.cycle(&input)
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
            r#"{{"types": ["0x0", "0x0"], "cycles": [{}]}}"#,
            cycles.join(", ")
        );
        serde_json::from_str(&text).expect("a vector")
    }

    const ONE: &str = r#""0": "0x2000000000000000""#;
    const BOTH: &str = r#""0": "0x2000000000000000", "1": "0x2000000000000000""#;

    /// The counters that are written in each cycle.
    fn written(cycles: &[([u8; 2], &str)]) -> Vec<Vec<usize>> {
        let writes = schedule(&vector(cycles)).writes.into_iter();
        writes
            .map(|writes| writes.iter().map(|&(n, _)| n).collect())
            .collect()
    }

    #[test]
    fn a_write_is_made_in_the_cycle_before() {
        let counts = [1, 1];
        let cycles = [(counts, ""), (counts, ""), (counts, ONE)];
        assert_eq!(written(&cycles), [vec![], vec![0], vec![]]);
    }

    #[test]
    fn two_writes_need_two_cycles() {
        let counts = [1, 1];
        let both = [(counts, ""), (counts, BOTH)];
        assert_eq!(written(&both), [vec![0, 1], vec![]]);
        // A counter that does not count can be written later, and one that has not counted yet at the start.
        let later = [(counts, ""), ([1, 0], BOTH), (counts, "")];
        assert_eq!(written(&later), [vec![0], vec![1], vec![]]);
        let start = [([1, 0], ""), (counts, BOTH)];
        assert_eq!(written(&start), [vec![0], vec![]]);
    }

    #[test]
    fn a_cycle_that_is_put_in_leaves_the_c_p_of_the_vector() {
        let mut cycles = vector(&[([1, 1], ""), ([1, 1], BOTH)]);
        let row = |n, cp| format!(r#"{{"n": {n}, "CP": {cp}}}"#);
        let rows = format!("[{}, {}]", row(0, 1), row(1, 0));
        cycles.cycles[1].expect = serde_json::from_str(&rows).expect("rows");
        let types = [typer(0, 0x6000_0005_0000_0000), typer(1, 0)];
        let input = put_in(&cycles, 1, &types).expect("a cycle");
        assert_eq!((input.event[0], input.counting_allowed), (5, 0b01));
        // V_B < 0 is never true.
        let types = [typer(0, 0xC000_0000_0000_0000), typer(1, 0)];
        assert_eq!(put_in(&cycles, 1, &types), None);
    }

    #[test]
    fn fields_that_are_zero_ask_for_nothing() {
        assert!(requirements(&vector(&[])).features.is_empty());
        let writes = requirements(&vector(&[([1, 1], ONE)]));
        assert_eq!(Vec::from_iter(writes.features), [(Feature::Th, true)]);
    }
}
