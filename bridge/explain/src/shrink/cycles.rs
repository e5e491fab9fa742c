//! Fewer cycles.

use pmu_model::contract::{EVENT_LANES, MAX_OPERATIONS, THREADS};
use pmu_model::{AccessKind, CycleInput, Implementation, SysReg};

use super::search::Search;
use super::{LONG, MANY, ShrinkError, writes};

/// Puts everything at rest but the first cycle, which is a reset: for what shows after some time, whatever is driven.
pub fn rest(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    let mut candidate = vec![CycleInput::default(); search.best().len()];
    candidate[0] = search.best()[0];
    if candidate != search.best() {
        search.attempt(candidate)?;
    }
    Ok(())
}

/// Takes cycles out: those without a write first, since a design remembers writes above all, then the writes.
pub fn remove(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    for writes in [false, true] {
        loop {
            let before = search.accepted();
            let mut size = places(search.best(), writes).len();
            while size > 0 {
                remove_pieces(search, writes, size)?;
                size /= 2;
            }
            if search.accepted() == before || search.is_over() {
                break;
            }
        }
    }
    Ok(())
}

/// Takes cycles of a kind out, `size` at once.
fn remove_pieces(
    search: &mut Search<'_, '_>,
    writes: bool,
    size: usize,
) -> Result<(), ShrinkError> {
    // From the end: what is done last is most likely to matter, and the rest goes in large pieces.
    let mut kind = places(search.best(), writes);
    let mut end = kind.len();
    let mut behind_stays = false;
    while end > 0 && !search.is_over() {
        let from = end.saturating_sub(size);
        let same = behind_stays && end - from == size;
        // It makes no difference which of some cycles that are the same is out.
        if !same || !are_same(search.best(), &kind[from..end + size]) {
            let candidate = without(search.best(), &kind[from..end]);
            behind_stays = !search.attempt(candidate)?;
            if !behind_stays {
                kind = places(search.best(), writes);
            }
        }
        end = from.min(kind.len());
    }
    Ok(())
}

fn is_write(input: &CycleInput) -> bool {
    AccessKind::from_code(input.access_kind).is_write()
}

/// Cycles that may go, those with a write or those without.
fn places(cycles: &[CycleInput], writes: bool) -> Vec<usize> {
    let all = 1..cycles.len();
    all.filter(|k| is_write(&cycles[*k]) == writes).collect()
}

/// Whether these cycles follow one another and are all the same.
fn are_same(cycles: &[CycleInput], places: &[usize]) -> bool {
    let mut pairs = places.windows(2);
    pairs.all(|pair| pair[0] + 1 == pair[1] && cycles[pair[0]] == cycles[pair[1]])
}

/// The cycles but for those at `places`, which are in order.
fn without(cycles: &[CycleInput], places: &[usize]) -> Vec<CycleInput> {
    let mut out = places.iter().peekable();
    let stays = |(k, input): (usize, &CycleInput)| match out.next_if_eq(&&k) {
        Some(_) => None,
        None => Some(*input),
    };
    cycles.iter().enumerate().filter_map(stays).collect()
}

/// Puts one write of PMSICR_EL1 in place of cycles without an access: with COUNT zero the next operation is selected, so
/// that no interval has to be waited for (A-SPE-6). A case that is short already does not get many writes for it.
pub fn skip(
    search: &mut Search<'_, '_>,
    implementation: &Implementation,
) -> Result<(), ShrinkError> {
    if !implementation.spe.implemented {
        return Ok(());
    }
    let mut size = search.best().len();
    while size > 2 {
        let mut from = 1;
        while from < search.best().len() && !search.is_over() {
            let cycles = &search.best()[from..];
            let quiet = |input: &&CycleInput| input.access_kind == 0 && !input.is_reset();
            let length = cycles.iter().take_while(quiet).count().min(size);
            let selects = cycles[..length].iter().any(|input| input.operations > 0);
            if length > 2 && selects {
                let write = CycleInput {
                    access_kind: AccessKind::Write as u8,
                    access_address: SysReg::Pmsicr.address(),
                    access_data: 0,
                    operations: 0,
                    ..search.best()[from]
                };
                let mut candidate = search.best().to_vec();
                candidate.splice(from..from + length, [write]);
                if search.best().len() > LONG || writes(&candidate) <= MANY {
                    search.attempt(candidate)?;
                }
            }
            from += (length / 2).max(1);
        }
        size /= 2;
    }
    Ok(())
}

/// Makes one cycle of two that follow each other, where at most one has an access.
pub fn merge(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    let mut k = 1;
    while k + 1 < search.best().len() && !search.is_over() {
        let (one, other) = (search.best()[k], search.best()[k + 1]);
        let mut taken = false;
        for merged in [merged(&one, &other), merged(&other, &one)]
            .into_iter()
            .flatten()
        {
            if merged == one || merged == other {
                // That is to take one of them out.
                continue;
            }
            let mut candidate = search.best().to_vec();
            candidate.splice(k..k + 2, [merged]);
            taken = search.attempt(candidate)?;
            if taken {
                break;
            }
        }
        if !taken {
            k += 1;
        }
    }
    Ok(())
}

/// Both cycles in one: what happens is added up, and what holds is that of `base`. `None` if both have an access, or
/// one of them is a cycle of reset.
fn merged(base: &CycleInput, other: &CycleInput) -> Option<CycleInput> {
    if base.is_reset() || other.is_reset() || (base.access_kind != 0 && other.access_kind != 0) {
        return None;
    }
    let mut merged = *base;
    if other.access_kind != 0 {
        merged.access_kind = other.access_kind;
        merged.access_address = other.access_address;
        merged.access_data = other.access_data;
        merged.access_rt = other.access_rt;
    }
    for lane in 0..EVENT_LANES {
        merged.event[lane] = base.event[lane].saturating_add(other.event[lane]);
    }
    for thread in 0..THREADS {
        let count = other.threads[thread].count;
        merged.threads[thread].count = base.threads[thread].count.saturating_add(count);
    }
    let sum = |one: u8, other: u8| (one + other).min(MAX_OPERATIONS);
    merged.operations = sum(base.operations, other.operations);
    merged.complete = sum(base.complete, other.complete);
    merged.filtered_out = sum(base.filtered_out, other.filtered_out);
    Some(merged)
}
