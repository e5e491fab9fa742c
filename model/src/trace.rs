//! Tracing: how a cycle's outputs come about.
//!
//! The model is generic over a [`Tracer`]. [`NoTracer`] costs nothing; a [`Recorder`] keeps the derivation of
//! the last cycles, from which reports are made.

use std::collections::VecDeque;

use crate::contract::{COUNTER_LANES, Unknown};
use crate::pmu::count_value::{Intermediates, Values};
use crate::pmu::registers::Access;

/// Everything that decided the outputs of one cycle.
#[derive(Clone, Debug)]
pub struct CycleRecord {
    /// Number of the cycle.
    pub cycle: u64,
    /// A cycle of reset: the rest is zero.
    pub reset: bool,
    /// Counters that count, bit 31 the cycle counter.
    pub counting: u32,
    /// V_B, C_T, C_P, C_E and V of every counter.
    pub values: Values<u16>,
    /// V_T and V_E of every counter.
    pub intermediates: Intermediates<u16>,
    /// The register access.
    pub access: Access,
    /// Counters that overflow.
    pub overflow: u32,
    /// Counters whose CHAIN event happens.
    pub chained: u32,
    /// Counters whose values are written, which loses their increments.
    pub written: u32,
    /// What is UNKNOWN of the outputs.
    pub unknown: Unknown,
}

impl CycleRecord {
    /// The record of a cycle of reset.
    pub fn reset(cycle: u64) -> Self {
        let zero = [0; COUNTER_LANES];
        Self {
            cycle,
            reset: true,
            counting: 0,
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
            overflow: 0,
            chained: 0,
            written: 0,
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
            records: VecDeque::with_capacity(depth),
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
        if self.records.len() == self.depth {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }
}
