//! What the areas share: the random words, what does not change, what was written, and the accesses that wait.

use std::sync::Arc;

use super::facts::Facts;
use super::queue::{Op, Queue};
use super::random::{Bits, Words};
use super::registers::PMCCNTR;
use super::shadow::Shadow;

/// What the areas share.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) words: Words,
    pub(super) facts: Arc<Facts>,
    pub(super) shadow: Shadow,
    pub(super) queue: Queue,
    /// A reset is to come in so many cycles, because the architecture leaves something UNKNOWN till then.
    pub(super) reset_within: Option<u32>,
    /// MDCR_EL2.HPMN.
    pub(super) hpmn: u8,
    /// Accesses to types are not refused.
    pub(super) is_open: bool,
}

impl Context {
    pub(super) fn new(seed: u64, facts: Facts) -> Self {
        Self {
            words: Words::new(seed),
            hpmn: facts.counters as u8,
            facts: Arc::new(facts),
            shadow: Shadow::new(),
            queue: Queue::new(),
            reset_within: None,
            is_open: true,
        }
    }

    /// A counter drawn at random; without event counters a read of the cycle counter is queued instead.
    pub(super) fn some_counter(&mut self, bits: &mut Bits) -> Option<u32> {
        match self.facts.counters {
            0 => {
                self.queue.push(Op::read_at(PMCCNTR));
                None
            }
            counters => Some(bits.below(counters)),
        }
    }
}

/// Cycles until something that was stopped goes on: 0 in half of the cases, seldom more than 15.
pub(super) fn pause(bits: &mut Bits) -> u32 {
    match bits.take(3) {
        0..=3 => 0,
        4 => 1,
        5 => 2,
        6 => bits.take(4),
        _ => bits.take(6),
    }
}
