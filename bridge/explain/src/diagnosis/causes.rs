//! Which differences of a cycle are consequences of another one.

use pmu_model::contract::Output;
use pmu_model::spe::registers::{SAMPLE_COLLISION, SAMPLE_FEED};
use pmu_model::{CycleOutput, EventType, Model};

use lockstep_engine::lockstep::compare::{Difference, Field};

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
                    .zip(model.event_type(n))
                    .filter(|(cycle, event_type)| follows_from_link(n, cycle, event_type, rtl))
                    .map(|_| Field::Increment(n - 1)),
                Field::Increment(n) => model
                    .event_type(n)
                    .map_or(&[][..], |event_type| {
                        sampling_counted(n, &event_type, cycle, rtl)
                    })
                    .iter()
                    .copied()
                    .map(Field::Whole)
                    .find(|&cause| differs(cause)),
                field => field.causes().find(|&cause| differs(cause)),
            };
            Caused { difference, cause }
        })
        .collect()
}

/// The outputs that event SAMPLE_FEED or SAMPLE_COLLISION of counter `n` counts, if V\[n\] of the design is what its
/// own outputs make of it.
fn sampling_counted(
    n: u8,
    event_type: &EventType,
    cycle: Option<&WindowCycle>,
    rtl: &CycleOutput,
) -> &'static [Output] {
    let (value, causes): (_, &[_]) = match event_type.event {
        SAMPLE_FEED => (
            rtl.selected.wrapping_sub(rtl.collided),
            &[Output::Selected, Output::Collided],
        ),
        SAMPLE_COLLISION => (rtl.collided, &[Output::Collided]),
        _ => return &[],
    };
    let counting = cycle.is_some_and(|cycle| cycle.record.counting >> n & 1 == 1);
    let counted = rtl.increment[usize::from(n)] == u16::from(value);
    // Threshold, edge and link make another number of it.
    if counting && (counted || !event_type.bypassed) {
        causes
    } else {
        &[]
    }
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
