//! Less in a cycle: what is driven goes back to rest.

use pmu_model::contract::{EVENT_LANES, THREADS, Thread};
use pmu_model::{AccessKind, CycleInput, Implementation};

use super::ShrinkError;
use super::search::Search;
use lockstep_stimulus::ContractCheck;

/// Something of a cycle that can be at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The register access.
    Access,
    /// The general-purpose register of it.
    Rt,
    /// A bit of its data.
    Data(u8),
    /// An event lane.
    Lane(u8),
    /// A bit of `counting_allowed`: at rest nothing stops a counter.
    Allowed(u8),
    /// Everything of a thread.
    Thread(u8),
    /// The state of a thread.
    State(u8),
    /// A condition of a thread.
    Condition(u8, u8),
    /// The count of a thread.
    Count(u8),
    /// A bit of `controls`.
    Control(u8),
    /// MDCR_EL2.HPMN: at rest all counters are accessible.
    Hpmn,
    /// A bit of `pmuacr`.
    Pmuacr(u8),
    /// SPMACCESSR_EL2 of a System PMU.
    SpmaccessrEl2(u8),
    /// SPMACCESSR_EL3 of a System PMU.
    SpmaccessrEl3(u8),
    /// A bit of `driven`.
    Driven(u8),
    /// The stopped clock.
    Clock,
    /// The operations.
    Operations,
    /// The samples that complete.
    Complete,
    /// Those that are removed.
    FilteredOut,
    /// A field of `profiling`, by its mask.
    Profiling(u8),
    /// The reset.
    Reset,
}

impl Part {
    /// All of them, the large ones first.
    fn all() -> Vec<Self> {
        let bits = |bits: u8, of: fn(u8) -> Self| (0..bits).map(of);
        let threads = |of: fn(u8) -> Self| (0..THREADS as u8).map(of);
        let mut parts = vec![Self::Access, Self::Rt, Self::Reset];
        parts.extend(bits(EVENT_LANES as u8, Self::Lane));
        parts.extend([Self::Operations, Self::Complete, Self::FilteredOut]);
        parts.extend([0x0C, 0x30, 2, 1].map(Self::Profiling));
        parts.push(Self::Clock);
        parts.extend(threads(Self::Thread));
        parts.extend(bits(2, Self::Driven));
        parts.extend(threads(Self::State));
        parts.extend(threads(Self::Count));
        for thread in 0..THREADS as u8 {
            parts.extend((0..7).map(|bit| Self::Condition(thread, bit)));
        }
        parts.push(Self::Hpmn);
        parts.extend(bits(20, Self::Control));
        parts.extend(bits(32, Self::Pmuacr));
        parts.extend(bits(32, Self::SpmaccessrEl2));
        parts.extend(bits(32, Self::SpmaccessrEl3));
        parts.extend(bits(32, Self::Allowed));
        parts.extend(bits(64, Self::Data));
        parts
    }

    /// Puts the part of `input` to rest.
    fn rest(self, input: &mut CycleInput, counters: u8) {
        let thread = |t: u8| usize::from(t);
        match self {
            Self::Access => {
                input.access_kind = AccessKind::None as u8;
                input.access_address = 0;
                input.access_data = 0;
                input.access_rt = 0;
            }
            Self::Rt => input.access_rt = 0,
            Self::Data(bit) => input.access_data &= !(1 << bit),
            Self::Lane(lane) => input.event[usize::from(lane)] = 0,
            // A cycle of reset looks at nothing (DUT-10).
            Self::Allowed(bit) if input.is_reset() => input.counting_allowed &= !(1 << bit),
            Self::Allowed(bit) => input.counting_allowed |= 1 << bit,
            Self::Thread(t) => input.threads[thread(t)] = Thread::default(),
            Self::State(t) => input.threads[thread(t)].state = 0,
            Self::Condition(t, bit) => input.threads[thread(t)].conditions &= !(1 << bit),
            Self::Count(t) => input.threads[thread(t)].count = 0,
            Self::Control(bit) => input.controls &= !(1 << bit),
            Self::Hpmn => input.hpmn = hpmn_at_rest(input, counters),
            Self::Pmuacr(bit) => input.pmuacr &= !(1 << bit),
            Self::SpmaccessrEl2(pmu) => input.spmaccessr_el2 &= !(3 << (2 * pmu)),
            Self::SpmaccessrEl3(pmu) => input.spmaccessr_el3 &= !(3 << (2 * pmu)),
            Self::Driven(bit) => input.driven &= !(1 << bit),
            Self::Clock => input.clock_stopped = 0,
            Self::Operations => input.operations = 0,
            Self::Complete => input.complete = 0,
            Self::FilteredOut => input.filtered_out = 0,
            Self::Profiling(mask) => input.profiling &= !mask,
            Self::Reset => input.reset = 0,
        }
    }
}

/// MDCR_EL2.HPMN of a cycle in which it reserves no counter: 0 where it is not driven.
pub fn hpmn_at_rest(input: &CycleInput, counters: u8) -> u8 {
    let driven = input.driven & CycleInput::DRIVEN_PE != 0;
    if driven && !input.is_reset() {
        counters
    } else {
        0
    }
}

/// Puts as much as possible to rest. The reset of the first cycle stays.
pub fn rest(
    search: &mut Search<'_, '_>,
    implementation: &Implementation,
) -> Result<(), ShrinkError> {
    let counters = implementation.pmu.counters;
    let contract = ContractCheck::new(implementation);
    let at_rest = |part: Part, input: &mut CycleInput| {
        part.rest(input, counters);
        contract.settle(input);
    };
    let changes = |input: &CycleInput, k: usize, part: Part| {
        let mut rested = *input;
        at_rest(part, &mut rested);
        rested != *input && !(k == 0 && part == Part::Reset)
    };
    let mut edits = Vec::new();
    for part in Part::all() {
        for (k, input) in search.best().iter().enumerate() {
            if changes(input, k, part) {
                edits.push((k, part));
            }
        }
    }
    // An attempt that brings the divergence forward takes the cycles after it away.
    search.apply(&edits, &|best, edits| {
        let mut candidate = best.to_vec();
        for &(k, part) in edits {
            if let Some(input) = candidate.get_mut(k) {
                at_rest(part, input);
            }
        }
        (candidate != best).then_some(candidate)
    })
}
