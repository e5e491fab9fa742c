//! Tracing: how a cycle's outputs come about.
//!
//! The model is generic over a [`Tracer`]. [`NoTracer`] costs nothing; a [`Recorder`] keeps the derivation of
//! the last cycles, from which reports are made.

use std::collections::VecDeque;

use crate::contract::{COUNTER_LANES, CycleInput, Unknown};
use crate::pmu::access::{Access, Decision};
use crate::pmu::count_value::{Intermediates, Values};
use crate::pmu::event_type::EventType;
use crate::pmu::group::Group;
use crate::spe::registers::{Pmsicr, Pmsirr};
use crate::spe::{Happened, Sampled};

/// Everything that decided the outputs of one cycle. Masks have a bit a counter, bit 31 for the cycle counter.
#[derive(Clone, Debug)]
pub struct CycleRecord {
    /// Number of the cycle.
    pub cycle: u64,
    /// A cycle of reset: the rest is zero.
    pub reset: bool,
    /// The clock is stopped (DUT-52): the rest is zero, but for `input`.
    pub clock_stopped: bool,
    /// What the cycle was given: thread conditions, states and controls among others.
    pub input: CycleInput,
    /// `PMEVTYPER<n>_EL0` in force.
    pub types: [EventType; COUNTER_LANES],
    /// The bits of `PMEVTYPER<n>_EL0` that have effect, and of PMCCFILTR_EL0 as number 31.
    pub effective_types: [u64; COUNTER_LANES],
    /// PMCR_EL0.LP.
    pub long: bool,
    /// Counters that count, bit 31 the cycle counter.
    pub counting: u32,
    /// Counters that would count if they were not filtered.
    pub enabled: u32,
    /// The threads that each counter counts, Effective MT, and what is filtered (DUT-50).
    pub group: Group,
    /// Counters whose event is of the threads in this cycle (DUT-51).
    pub thread_events: u32,
    /// Counters whose event is of Statistical Profiling (DUT-51).
    pub sample_events: u32,
    /// Counters whose event is 0 because thread 0 is filtered, where another thread is not (DUT-51).
    pub not_attributed: u32,
    /// V_B, C_T, C_P, C_E and V of every counter.
    pub values: Values<u16>,
    /// V_T and V_E of every counter.
    pub intermediates: Intermediates<u16>,
    /// The register access.
    pub access: Access,
    /// What decided about it.
    pub decision: Decision,
    /// PMSELR_EL0.SEL at the access.
    pub select: u8,
    /// SPMSELR_EL0 at the access.
    pub spmselr: u64,
    /// The counters at the start of the cycle.
    pub counters: [u64; COUNTER_LANES],
    /// Counters that overflow.
    pub overflow: u32,
    /// Overflow flags at the start of the cycle.
    pub flags: u32,
    /// Counters whose CHAIN event happens.
    pub chained: u32,
    /// Counters whose values are written, which loses their increments.
    pub written: u32,
    /// Statistical Profiling.
    pub sampling: SamplingRecord,
    /// What is UNKNOWN of the outputs.
    pub unknown: Unknown,
}

/// What Statistical Profiling did in a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingRecord {
    /// Profiling was enabled in the cycle before.
    pub was_enabled: bool,
    /// PMSICR_EL1 at the start of the cycle.
    pub pmsicr: Pmsicr,
    /// PMSIRR_EL1 at the start of the cycle.
    pub pmsirr: Pmsirr,
    /// Samples in flight at the start of the cycle.
    pub in_flight: u32,
    /// PMBSR_EL1.COLL, PMBSR_EL2.COLL, PMBSR_EL3.COLL at the start of the cycle, from bit 0.
    pub coll: u8,
    /// The same at its end.
    pub coll_after: u8,
    /// What came of it.
    pub sampled: Sampled,
    /// What happened to the interval counters.
    pub happened: Happened,
    /// The byte drawn, 0 if none is.
    pub random: u8,
    /// The interval is UNKNOWN (SPE-29).
    pub unknown: bool,
}

impl CycleRecord {
    /// The record of a cycle of reset.
    pub fn reset(cycle: u64) -> Self {
        Self {
            reset: true,
            ..Self::nothing(cycle, &CycleInput::reset())
        }
    }

    /// The record of a cycle with the clock stopped.
    pub fn clock_stopped(cycle: u64, input: &CycleInput) -> Self {
        Self {
            clock_stopped: true,
            ..Self::nothing(cycle, input)
        }
    }

    fn nothing(cycle: u64, input: &CycleInput) -> Self {
        let zero = [0; COUNTER_LANES];
        Self {
            cycle,
            reset: false,
            clock_stopped: false,
            input: *input,
            types: [EventType::ZERO; COUNTER_LANES],
            effective_types: [0; COUNTER_LANES],
            long: false,
            counting: 0,
            enabled: 0,
            group: Group::default(),
            thread_events: 0,
            sample_events: 0,
            not_attributed: 0,
            values: Values {
                counting: zero,
                v_b: zero,
                c_t: zero,
                c_p: zero,
                c_e: zero,
                v: zero,
            },
            intermediates: Intermediates {
                v_t: zero,
                v_e: zero,
            },
            access: Access::None,
            decision: Decision::Unrestricted,
            select: 0,
            spmselr: 0,
            counters: [0; COUNTER_LANES],
            overflow: 0,
            flags: 0,
            chained: 0,
            written: 0,
            sampling: SamplingRecord::default(),
            unknown: Unknown::default(),
        }
    }
}

/// Receives the derivation of each cycle.
pub trait Tracer {
    /// Whether records are wanted at all: a constant, so that making them costs nothing if not.
    const ACTIVE: bool;

    /// Takes the record of a cycle.
    fn record(&mut self, record: CycleRecord);
}

/// Wants nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTracer;

impl Tracer for NoTracer {
    const ACTIVE: bool = false;

    fn record(&mut self, _: CycleRecord) {}
}

/// Keeps the records of the last cycles.
#[derive(Clone, Debug)]
pub struct Recorder {
    records: VecDeque<CycleRecord>,
    depth: usize,
}

impl Recorder {
    /// A recorder of the last `depth` cycles.
    pub fn new(depth: usize) -> Self {
        Self {
            records: VecDeque::new(),
            depth,
        }
    }

    /// The records, oldest first.
    pub fn records(&self) -> impl DoubleEndedIterator<Item = &CycleRecord> {
        self.records.iter()
    }

    /// The record of `cycle`, if it is kept.
    pub fn at(&self, cycle: u64) -> Option<&CycleRecord> {
        self.records.iter().find(|record| record.cycle == cycle)
    }
}

impl Tracer for Recorder {
    const ACTIVE: bool = true;

    fn record(&mut self, record: CycleRecord) {
        self.records.push_back(record);
        if self.records.len() > self.depth {
            self.records.pop_front();
        }
    }
}
