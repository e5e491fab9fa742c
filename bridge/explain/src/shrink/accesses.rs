//! Fewer register writes, two at a time.

use pmu_model::{AccessKind, CycleInput};

use super::ShrinkError;
use super::search::Search;

/// Most writes whose pairs are tried: more are for [`super::cycles::remove`].
const FEW: usize = 16;

/// Takes two writes out at once: one of them may only undo what the other does.
pub fn remove_pairs(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    pairs(search, |best, one, other| {
        let mut candidate = best.to_vec();
        candidate.remove(other);
        candidate.remove(one);
        vec![candidate]
    })
}

/// Makes one write of two of the same register: with the bits of both, in the place of either.
pub fn unite(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    pairs(search, |best, one, other| {
        let place = |input: &CycleInput| (input.access_kind, input.access_address);
        if place(&best[one]) != place(&best[other]) {
            return Vec::new();
        }
        let both = best[one].access_data | best[other].access_data;
        let in_place = |at: usize, gone: usize| {
            let mut candidate = best.to_vec();
            candidate[at].access_data = both;
            candidate.remove(gone);
            candidate
        };
        vec![in_place(one, other), in_place(other, one)]
    })
}

/// Tries what `candidates` makes of every two writes, by their cycles, as long as one of them is taken.
fn pairs(
    search: &mut Search<'_, '_>,
    candidates: impl Fn(&[CycleInput], usize, usize) -> Vec<Vec<CycleInput>>,
) -> Result<(), ShrinkError> {
    while !search.is_over() && one_of(search, &candidates)? {}
    Ok(())
}

/// Whether one of the candidates was taken.
fn one_of(
    search: &mut Search<'_, '_>,
    candidates: &impl Fn(&[CycleInput], usize, usize) -> Vec<Vec<CycleInput>>,
) -> Result<bool, ShrinkError> {
    let writes = written(search.best());
    if writes.len() > FEW {
        return Ok(false);
    }
    for (number, &one) in writes.iter().enumerate() {
        for &other in &writes[number + 1..] {
            for candidate in candidates(search.best(), one, other) {
                if search.attempt(candidate)? {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}

/// The cycles with a write.
fn written(cycles: &[CycleInput]) -> Vec<usize> {
    let cycles = cycles.iter().enumerate();
    cycles
        .filter(|(k, input)| *k > 0 && AccessKind::from_code(input.access_kind).is_write())
        .map(|(k, _)| k)
        .collect()
}
