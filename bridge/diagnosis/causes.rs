//! Which differences of a cycle are consequences of another one.

use pmu_model::{CycleOutput, EventType, Model};

use crate::lockstep::compare::{Difference, Field};

use super::replay::WindowCycle;

/// A difference, and the one that it follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caused {
    /// The difference.
    pub difference: Difference,
    /// The field of the same cycle that it follows from.
    pub cause: Option<Field>,
}

/// Tells causes and consequences apart. `model` is the model at the start of the cycle.
pub fn causes(
    differences: &[Difference],
    cycle: Option<&WindowCycle>,
    model: &Model,
    rtl: &CycleOutput,
) -> Vec<Caused> {
    let differs = |field: Field| {
        differences
            .iter()
            .any(|difference| difference.field == field)
    };
    differences
        .iter()
        .map(|&difference| {
            let cause = match difference.field {
                Field::Increment(n) if n % 2 == 1 && differs(Field::Increment(n - 1)) => cycle
                    .filter(|cycle| follows_from_link(n, cycle, &model.event_type(n), rtl))
                    .map(|_| Field::Increment(n - 1)),
                // Without outcome OK the data are zero.
                Field::AccessData if differs(Field::AccessOutcome) => Some(Field::AccessOutcome),
                _ => None,
            };
            Caused { difference, cause }
        })
        .collect()
}

/// Whether V\[n\] of the design is what rows (C), (D), (E), (G) make of its own V\[n-1\].
fn follows_from_link(
    n: u8,
    cycle: &WindowCycle,
    event_type: &EventType,
    rtl: &CycleOutput,
) -> bool {
    let n = usize::from(n);
    links(n, cycle, event_type) && rtl.increment[n] == rtl.increment[n - 1]
}

/// Whether odd counter `n` counts V\[n-1\] in this cycle (TH-24, TH-26).
pub fn links(n: usize, cycle: &WindowCycle, event_type: &EventType) -> bool {
    let record = &cycle.record;
    let condition = if event_type.te {
        record.values.c_e[n]
    } else {
        record.values.c_t[n]
    } != 0;
    let counting = record.counting >> n & 1 == 1;
    let linked = match event_type.table_row() {
        Some('C' | 'D') => !condition,
        Some('E' | 'G') => condition,
        _ => false,
    };
    counting && linked
}
