//! Fewer register writes where sampling needs many of them.
//!
//! An interval is at least 257 operations, so that a write of PMSICR_EL1 stands for one while cycles are what there is too
//! much of ([`super::cycles::skip`]). A case that is left with many writes may be longer for fewer.

use pmu_model::contract::MAX_OPERATIONS;
use pmu_model::{AccessKind, CycleInput, Implementation, SysReg};

use super::search::Search;
use super::{LONG, MANY, ShrinkError, writes};

/// PMSIRR_EL1 with INTERVAL 1, which is the shortest that is known (SPE-29).
const INTERVAL_1: u64 = 1 << 8;
/// PMSIRR_EL1.RND.
const RND: u64 = 1;
/// PMSICR_EL1 with ECOUNT and COUNT 1: with RND the next operation is selected (SPE-23), and the one after it finds COUNT
/// zero (SPE-22).
const BOTH_1: u64 = 1 << 56 | 1;
/// Cycles in which all operations that there can be use up an interval of INTERVAL 1.
const AN_INTERVAL: usize = 257usize.div_ceil(MAX_OPERATIONS as usize);

/// Tries cases of one shape, where a case has many writes, some of PMSICR_EL1: an interval of 1, a value of PMSICR_EL1 or
/// the load at enable (SPE-10), then operations in every cycle, with all writes of other registers first, and with writes of zero to
/// PMSICR_EL1 at once or after the first interval. Each of them takes an operation and selects the next one that comes.
pub fn canonical(
    search: &mut Search<'_, '_>,
    implementation: &Implementation,
) -> Result<(), ShrinkError> {
    let of_pmsicr = |input: &CycleInput| is_write_of(input, SysReg::Pmsicr);
    let sampled = implementation.spe.implemented && search.best().iter().any(of_pmsicr);
    if !sampled || writes(search.best()) <= MANY {
        return Ok(());
    }
    for random in [RND, 0] {
        for start in [None, Some(BOTH_1)] {
            for waits in [0, AN_INTERVAL] {
                for zeros in 0..MANY {
                    let shape = Shape {
                        random,
                        start,
                        waits,
                        zeros,
                    };
                    let candidate = shape.cycles(search.best());
                    if writes(&candidate) <= MANY && search.attempt(candidate)? {
                        return Ok(());
                    }
                }
            }
        }
    }
    Ok(())
}

/// A case of sampling.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// RND of PMSIRR_EL1.
    random: u64,
    /// What is written to PMSICR_EL1 before profiling is enabled; without it COUNT is loaded then.
    start: Option<u64>,
    /// Cycles of operations before `zeros`.
    waits: usize,
    /// Writes of zero to PMSICR_EL1.
    zeros: usize,
}

impl Shape {
    /// The cycles, with the writes of other registers, and all that is not sampling, of `best`.
    fn cycles(self, best: &[CycleInput]) -> Vec<CycleInput> {
        let (Some(first), Some(last)) = (best.first(), best.last()) else {
            return Vec::new();
        };
        let quiet = CycleInput {
            access_kind: AccessKind::None as u8,
            access_address: 0,
            access_data: 0,
            access_rt: 0,
            operations: 0,
            profiling: 0,
            ..*last
        };
        let profiled = CycleInput {
            operations: MAX_OPERATIONS,
            profiling: last.profiling | CycleInput::PROFILING_ENABLED,
            ..quiet
        };
        let write = |register: SysReg, data, base: CycleInput| CycleInput {
            access_kind: AccessKind::Write as u8,
            access_address: register.address(),
            access_data: data,
            ..base
        };
        let mut cycles = vec![*first];
        cycles.push(write(SysReg::Pmsirr, INTERVAL_1 | self.random, quiet));
        cycles.extend(self.start.map(|data| write(SysReg::Pmsicr, data, quiet)));
        let sampling =
            |input: &CycleInput| [SysReg::Pmsicr, SysReg::Pmsirr].map(|r| is_write_of(input, r));
        let others = best.iter().skip(1).filter(|input| {
            AccessKind::from_code(input.access_kind).is_write() && sampling(input) == [false; 2]
        });
        cycles.extend(others.map(|input| CycleInput {
            operations: profiled.operations,
            profiling: profiled.profiling,
            ..*input
        }));
        cycles.extend(std::iter::repeat_n(profiled, self.waits));
        let zero = CycleInput {
            operations: 1,
            ..write(SysReg::Pmsicr, 0, profiled)
        };
        cycles.extend(std::iter::repeat_n(zero, self.zeros));
        while cycles.len() < LONG {
            cycles.push(profiled);
        }
        cycles.truncate(LONG);
        cycles
    }
}

fn is_write_of(input: &CycleInput, register: SysReg) -> bool {
    let kind = AccessKind::from_code(input.access_kind);
    kind == AccessKind::Write && input.access_address == register.address()
}
