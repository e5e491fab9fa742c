//! Counters of the events of the threads.

use pmu_model::pmu::event_type::MT;

use super::super::context::Context;
use super::super::facts::CYCLE_EVENTS;
use super::super::profile::CyclesScript;
use super::super::queue::Op;
use super::super::random::Bits;
use super::super::registers::{PMCCNTR, event_counter, event_type};

/// Begins an access, or a sequence of them.
///
/// # Returns
/// The access, if it does not wait in the queue.
#[inline(never)]
pub(crate) fn begin(script: CyclesScript, context: &mut Context) -> Option<Op> {
    let mut bits = context.words.bits();
    let event = CYCLE_EVENTS[bits.below(CYCLE_EVENTS.len() as u32) as usize];
    match script {
        CyclesScript::OneType => one_type(event, bits, context),
        CyclesScript::SameEvent => same_event(event, bits, context),
        CyclesScript::Read => return Some(read(bits, context)),
    }
    None
}

fn one_type(event: u16, mut bits: Bits, context: &mut Context) {
    let Some(n) = context.some_counter(&mut bits) else {
        return;
    };
    let data = context.allocated_type_of(n, event);
    context.queue.push(Op::write_at(event_type(n), data));
    if bits.take(1) == 0 {
        let counter = event_counter(n);
        context.queue.push(Op::read_at(counter).after(bits.take(4)));
    }
}

/// The same event in two to five counters, as it is counted: with MT 0 and 1 in turns and, in half of the cases, other
/// filters.
fn same_event(event: u16, mut bits: Bits, context: &mut Context) {
    let Some(first) = context.some_counter(&mut bits) else {
        return;
    };
    let last = (first + 1 + bits.take(2)).min(context.facts.counters - 1);
    let filtered = bits.take(1) == 1;
    for n in first..=last {
        let facts = &context.facts;
        let (filters, open, harmless) = (facts.filters, facts.open, facts.harmless);
        let filters = if filtered {
            context.words.next() & filters & !MT.mask()
        } else {
            open
        };
        let mt = if (n ^ first) & 1 == 1 {
            MT.mask() & harmless
        } else {
            0
        };
        let data = u64::from(event) | filters | mt;
        context.queue.push(Op::write_at(event_type(n), data));
    }
}

fn read(mut bits: Bits, context: &mut Context) -> Op {
    match (context.facts.counters, bits.take(3)) {
        (0, _) | (_, 0) => Op::read_at(PMCCNTR),
        (counters, _) => Op::read_at(event_counter(bits.below(counters))),
    }
}
