//! Fewer cycles.

use pmu_model::contract::{EVENT_LANES, MAX_OPERATIONS, THREADS};
use pmu_model::{AccessKind, CycleInput, Implementation, SysReg};

use super::search::Search;
use super::{LONG, MANY, ShrinkError, writes};

/// Takes cycles out: those without a write first, since a design remembers writes above all, then the writes.
pub fn remove(search: &mut Search<'_, '_>) -> Result<(), ShrinkError> {
    for writes in [false, true] {
        loop {
            let before = search.accepted();
            let mut size = count(search, writes);
            while size > 0 {
                // From the end: what is done last is most likely to matter, and the rest goes in large pieces.
                let mut end = count(search, writes);
                while end > 0 && !search.is_over() {
                    let from = end.saturating_sub(size);
                    without(search, writes, from, end)?;
                    end = from;
                }
                size /= 2;
            }
            if search.accepted() == before || search.is_over() {
                break;
            }
        }
    }
    Ok(())
}

fn is_write(input: &CycleInput) -> bool {
    AccessKind::from_code(input.access_kind).is_write()
}

/// Cycles that may go, those with a write or those without.
fn count(search: &Search<'_, '_>, writes: bool) -> usize {
    let cycles = search.best().iter().skip(1);
    cycles.filter(|input| is_write(input) == writes).count()
}

/// Tries the best candidate without the cycles of a kind whose numbers among those of the kind are `from` to `end`.
fn without(
    search: &mut Search<'_, '_>,
    writes: bool,
    from: usize,
    end: usize,
) -> Result<(), ShrinkError> {
    let mut number = 0;
    let mut candidate = Vec::with_capacity(search.best().len());
    for (k, input) in search.best().iter().enumerate() {
        let of_kind = k > 0 && is_write(input) == writes;
        let out = of_kind && (from..end).contains(&number);
        number += usize::from(of_kind);
        if !out {
            candidate.push(*input);
        }
    }
    if candidate.len() < search.best().len() {
        search.attempt(candidate)?;
    }
    Ok(())
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
            if length > 2 {
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
