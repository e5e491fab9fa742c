//! What follows a reset, one access a cycle: registers are read back, then types are written.

use super::context::Context;
use super::queue::Op;
use super::registers::{PMSIRR, event_type};

/// What follows a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// Nothing: the phases decide.
    None,
    /// Reads of `left` registers, from number `at` on, of those of the event counters or of `everything`.
    ReadBack {
        at: u32,
        left: u32,
        everything: bool,
    },
    /// Types of all counters from `at` on.
    Types { at: u32 },
}

impl Sequence {
    /// The sequence that begins at a reset. `beyond`: there are areas with other registers than those of the counters.
    #[cold]
    pub(super) fn after_reset(beyond: bool, context: &mut Context) -> Self {
        let mut bits = context.words.bits();
        let everything = beyond && bits.take(1) == 1;
        let registers = registers(everything, context).len() as u32;
        let start = bits.below(registers);
        let (at, left) = match bits.take(2) {
            0 | 1 => (start, registers),
            2 => (0, 1 + bits.take(4)),
            _ => (0, 0),
        };
        if left == 0 {
            return Self::configure(context);
        }
        Self::ReadBack {
            at,
            left,
            everything,
        }
    }

    /// The access of a cycle in which no other access waits.
    #[inline(never)]
    pub(super) fn next(&mut self, context: &mut Context) -> Option<Op> {
        match *self {
            Self::None => None,
            Self::ReadBack {
                at,
                left,
                everything,
            } => {
                let all = registers(everything, context);
                let op = Op::read_at(all[at as usize % all.len()]);
                *self = match left {
                    0 | 1 => Self::configure(context),
                    _ => Self::ReadBack {
                        at: at + 1,
                        left: left - 1,
                        everything,
                    },
                };
                Some(op)
            }
            Self::Types { at } => {
                *self = Self::Types { at: at + 1 };
                if at + 1 >= context.facts.counters {
                    *self = Self::None;
                }
                let data = context.allocated_type(at);
                Some(Op::write_at(event_type(at), data))
            }
        }
    }

    /// Counters are enabled before their types are written or while: the queue goes before the sequence.
    fn configure(context: &mut Context) -> Self {
        context.enable_most();
        if context.facts.samples {
            // Till then INTERVAL is 0, and profiling is not enabled.
            let mut bits = context.words.bits();
            let data = context.interval(&mut bits);
            context.queue.push(Op::write_at(PMSIRR, data));
        }
        if context.facts.counters == 0 {
            Self::None
        } else {
            Self::Types { at: 0 }
        }
    }
}

fn registers(everything: bool, context: &Context) -> &[u16] {
    if everything {
        &context.facts.everything
    } else {
        &context.facts.readable
    }
}
