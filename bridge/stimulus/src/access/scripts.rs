//! Accesses to event types: all counters, implemented or not, from AArch64, from AArch32 and from outside.

use pmu_model::contract::AccessKind;

use super::super::context::Context;
use super::super::profile::TypeScript;
use super::super::queue::Op;
use super::super::random::Bits;
use super::super::registers::{PMSELR, PMXEVTYPER, event_type, external, from_aarch32};

/// Number of PMCCFILTR_EL0 among the types.
const CYCLE_FILTER: u32 = 31;

/// Begins an access, or a sequence of them.
///
/// # Returns
/// The access, if it does not wait in the queue.
#[inline(never)]
pub(crate) fn begin(script: TypeScript, context: &mut Context) -> Option<Op> {
    let mut bits = context.words.bits();
    match script {
        TypeScript::ReadType => return Some(Op::read_at(event_type(context.any_type(&mut bits)))),
        TypeScript::WriteType => {
            let n = context.any_type(&mut bits);
            let data = context.type_of(n);
            context.queue.push(Op::write_at(event_type(n), data));
            // A refused write leaves no trace.
            let read = read_by_any_way(n, &mut bits);
            context.queue.push(read.after(bits.take(1)));
        }
        TypeScript::Select => select(bits, context),
        TypeScript::Aarch32 => aarch32(bits, context),
        TypeScript::External => from_outside(bits, context),
        TypeScript::CycleFilter => {
            let write = context.write_by_any_way(CYCLE_FILTER, &mut bits);
            context.queue.push(write);
            context
                .queue
                .push(read_by_any_way(CYCLE_FILTER, &mut bits).after(bits.take(1)));
        }
    }
    None
}

/// PMSELR_EL0, then PMXEVTYPER_EL0, then the type that was meant.
fn select(mut bits: Bits, context: &mut Context) {
    let n = match bits.take(3) {
        0 => CYCLE_FILTER,
        _ => context.any_type(&mut bits),
    };
    let address = |address: u16, aarch32: bool| {
        if aarch32 {
            from_aarch32(address)
        } else {
            address
        }
    };
    let in_aarch32 = bits.take(2) == 0;
    let (read, write) = if in_aarch32 {
        (AccessKind::Read32, AccessKind::Write32)
    } else {
        (AccessKind::Read, AccessKind::Write)
    };
    let ignored = if bits.take(2) == 0 {
        context.words.next() & !31
    } else {
        0
    };
    context.queue.push(Op::new(
        write,
        address(PMSELR, in_aarch32),
        u64::from(n) | ignored,
    ));
    let selected = address(PMXEVTYPER, in_aarch32);
    if bits.take(1) == 0 {
        let data = context.type_of(n);
        context.queue.push(Op::new(write, selected, data));
        context.queue.push(read_by_any_way(n, &mut bits));
    }
    context
        .queue
        .push(Op::new(read, selected, 0).after(bits.take(1)));
    if bits.take(2) == 0 {
        let select = address(PMSELR, in_aarch32);
        context.queue.push(Op::new(read, select, 0));
    }
}

/// MRC or MCR of a register that AArch32 reaches, or, in one of eight cases, of one that it does not.
fn aarch32(mut bits: Bits, context: &mut Context) {
    let kind = bits.take(3);
    let n = match kind {
        0 => {
            let all = &context.facts.everything;
            let other = all[bits.below(all.len() as u32) as usize] | 0xC000;
            let data = context.words.next();
            let kind = if bits.take(1) == 0 {
                AccessKind::Read32
            } else {
                AccessKind::Write32
            };
            // With opc1 = 0, or with that of AArch64, which AArch32 does not know.
            let address = if bits.take(2) == 0 {
                other
            } else {
                from_aarch32(other)
            };
            let reaches = address == from_aarch32(PMSELR);
            let data = if reaches { data & 31 } else { data };
            let is_type = address >> 5 == from_aarch32(event_type(0)) >> 5
                || address == from_aarch32(PMXEVTYPER);
            let kind = if is_type { AccessKind::Read32 } else { kind };
            context.queue.push(Op::new(kind, address, data));
            return;
        }
        1 => CYCLE_FILTER,
        _ => context.any_type(&mut bits),
    };
    let address = from_aarch32(event_type(n));
    if bits.take(1) == 0 {
        // Bits 63:32 of the data are to be ignored.
        let data = context.type_of(n);
        context
            .queue
            .push(Op::new(AccessKind::Write32, address, data));
        context.queue.push(read_by_any_way(n, &mut bits));
    } else {
        context.queue.push(Op::new(AccessKind::Read32, address, 0));
    }
}

/// A half of a type from outside, or, in one of eight cases, an offset where there is none.
fn from_outside(mut bits: Bits, context: &mut Context) {
    if bits.take(3) == 0 {
        let offset = match bits.take(2) {
            0 => bits.take(12),
            1 => bits.take(10) << 2,
            // Beside a half: its bytes, the words around the two ranges.
            2 => u32::from(external(bits.take(5), false)) | (1 + bits.below(3)),
            _ => [0x3FC, 0x480, 0x9FC, 0xA80, 0x440, 0x600][bits.below(6) as usize],
        };
        // An offset of a half is read, not written with what is no type.
        let is_half = offset & 0xF83 == 0x400 || offset & 0xF83 == 0xA00;
        let kind = if bits.take(1) == 0 || is_half {
            AccessKind::ExternalRead
        } else {
            AccessKind::ExternalWrite
        };
        let data = context.words.next();
        context.queue.push(Op::new(kind, offset as u16, data));
        return;
    }
    let n = match bits.take(3) {
        0 => CYCLE_FILTER,
        _ => context.any_type(&mut bits),
    };
    if bits.take(1) == 0 {
        let op = context.write_from_outside(n, &mut bits);
        context.queue.push(op);
        context.queue.push(read_by_any_way(n, &mut bits));
    } else {
        let offset = external(n, bits.take(1) == 1);
        context
            .queue
            .push(Op::new(AccessKind::ExternalRead, offset, 0));
    }
}

/// A read of the type of counter `n`, as one of the ways has it.
fn read_by_any_way(n: u32, bits: &mut Bits) -> Op {
    match bits.take(2) {
        0 => Op::new(AccessKind::ExternalRead, external(n, false), 0),
        1 => Op::new(AccessKind::ExternalRead, external(n, true), 0),
        2 if bits.take(1) == 0 => Op::new(AccessKind::Read32, from_aarch32(event_type(n)), 0),
        _ => Op::read_at(event_type(n)),
    }
}

impl Context {
    /// A counter, implemented or not: mostly implemented.
    fn any_type(&self, bits: &mut Bits) -> u32 {
        match (self.facts.counters, bits.take(3)) {
            (0, _) | (_, 0) => bits.below(31),
            (counters, 1) => counters.min(30),
            (counters, _) => bits.below(counters),
        }
    }

    /// A type of counter `n`, or of the cycle counter.
    fn type_of(&mut self, n: u32) -> u64 {
        if n == CYCLE_FILTER {
            self.words.next()
        } else {
            self.allocated_type(n)
        }
    }

    fn write_from_outside(&mut self, n: u32, bits: &mut Bits) -> Op {
        let high = bits.take(1) == 1;
        let data = self.type_of(n);
        let half = if high { data >> 32 } else { data };
        Op::new(AccessKind::ExternalWrite, external(n, high), half)
    }

    fn write_by_any_way(&mut self, n: u32, bits: &mut Bits) -> Op {
        match bits.take(2) {
            0 => self.write_from_outside(n, bits),
            1 => {
                let data = self.type_of(n);
                Op::new(AccessKind::Write32, from_aarch32(event_type(n)), data)
            }
            _ => {
                let data = self.type_of(n);
                Op::write_at(event_type(n), data)
            }
        }
    }
}
