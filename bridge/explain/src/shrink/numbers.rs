//! Smaller numbers.

use pmu_model::CycleInput;
use pmu_model::contract::{EVENT_LANES, THREADS};

use super::ShrinkError;
use super::search::Search;

/// A number of a cycle that can be smaller.
#[derive(Clone, Copy, Debug)]
enum Number {
    Lane(usize),
    Count(usize),
    Operations,
    Complete,
    FilteredOut,
}

impl Number {
    fn all() -> impl Iterator<Item = Self> {
        (0..EVENT_LANES)
            .map(Self::Lane)
            .chain((0..THREADS).map(Self::Count))
            .chain([Self::Operations, Self::Complete, Self::FilteredOut])
    }

    fn of(self, input: &CycleInput) -> u16 {
        match self {
            Self::Lane(lane) => input.event[lane],
            Self::Count(thread) => input.threads[thread].count,
            Self::Operations => input.operations.into(),
            Self::Complete => input.complete.into(),
            Self::FilteredOut => input.filtered_out.into(),
        }
    }

    /// Puts a number that is not larger than the one that is there.
    fn put(self, input: &mut CycleInput, value: u16) {
        match self {
            Self::Lane(lane) => input.event[lane] = value,
            Self::Count(thread) => input.threads[thread].count = value,
            Self::Operations => input.operations = value as u8,
            Self::Complete => input.complete = value as u8,
            Self::FilteredOut => input.filtered_out = value as u8,
        }
    }
}

/// Lowers every number as far as it goes, by halves of what is left.
pub fn lower(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    for number in Number::all() {
        let mut k = 0;
        while k < search.best().len() {
            lower_one(search, number, k)?;
            k += 1;
        }
    }
    Ok(())
}

fn lower_one(search: &mut Search<'_, '_>, number: Number, k: usize) -> Result<(), ShrinkError> {
    let value = |search: &Search<'_, '_>| search.best().get(k).map_or(0, |input| number.of(input));
    let mut step = value(search).saturating_sub(1);
    while step > 0 && !search.is_over() {
        let now = value(search);
        // At least 1: a number that can be 0 has been put to rest.
        if now <= step {
            step = now.saturating_sub(1).min(step / 2);
            continue;
        }
        let mut candidate = search.best().to_vec();
        number.put(&mut candidate[k], now - step);
        if !search.attempt(candidate)? {
            step /= 2;
        }
    }
    Ok(())
}
