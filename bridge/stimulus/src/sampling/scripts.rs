//! Accesses to the registers of Statistical Profiling.

use super::super::context::Context;
use super::super::facts::SAMPLE_POP;
use super::super::profile::SpeScript;
use super::super::queue::Op;
use super::super::random::Bits;
use super::super::registers::{PMBSR, PMSICR, PMSIRR, SAMPLING, event_counter, event_type};
use super::Sampling;

/// PMBSR_ELx.COLL.
const COLL: u64 = 1 << 16;

/// Begins an access, or a sequence of them.
///
/// # Returns
/// The access, if it does not wait in the queue.
#[inline(never)]
pub(crate) fn begin(
    script: SpeScript,
    sampling: &mut Sampling,
    context: &mut Context,
) -> Option<Op> {
    let mut bits = context.words.bits();
    match script {
        SpeScript::Interval => {
            let data = context.interval(&mut bits);
            context.queue.push(Op::write_at(PMSIRR, data));
            if bits.take(2) == 0 {
                context.queue.push(Op::read_at(PMSIRR).after(bits.take(2)));
            }
        }
        SpeScript::Count => {
            let data = context.interval_counters();
            context.queue.push(Op::write_at(PMSICR, data));
            match bits.take(2) {
                0 => context.queue.push(Op::read_at(PMSICR)),
                1 => context.queue.push(Op::read_at(PMSICR).after(bits.take(3))),
                _ => {}
            }
        }
        SpeScript::Read => return Some(read(&mut bits)),
        SpeScript::Buffer => {
            let op = context.buffer_status(1, &mut bits);
            context.queue.push(op);
            if bits.take(1) == 0 {
                context
                    .queue
                    .push(Op::read_at(op.address()).after(bits.take(2)));
            }
        }
        SpeScript::Coincide => sampling.coincide(bits, context),
        SpeScript::SampleType => sample_type(bits, context),
        SpeScript::Restart => sampling.restart(bits, context),
        SpeScript::Unknown => {
            // INTERVAL = 0 is loaded at the next expiry; from there to the reset nothing is compared.
            context.reset_within = Some(32 + bits.take(6));
            let data = u64::from(bits.take(1));
            context.queue.push(Op::write_at(PMSIRR, data));
            context
                .queue
                .push(Op::write_at(PMSICR, u64::from(bits.take(3))));
        }
    }
    None
}

fn read(bits: &mut Bits) -> Op {
    Op::read_at(SAMPLING[bits.below(SAMPLING.len() as u32) as usize])
}

/// A type for SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE or SAMPLE_COLLISION, then a read of the counter.
fn sample_type(mut bits: Bits, context: &mut Context) {
    let Some(n) = context.some_counter(&mut bits) else {
        return;
    };
    let event = SAMPLE_POP + bits.take(2) as u16;
    let data = context.allocated_type_of(n, event);
    context.queue.push(Op::write_at(event_type(n), data));
    if bits.take(1) == 0 {
        let counter = event_counter(n);
        context.queue.push(Op::read_at(counter).after(bits.take(4)));
    }
}

impl Sampling {
    /// COUNT is made to expire soon, and an access waits for that cycle.
    fn coincide(&mut self, mut bits: Bits, context: &mut Context) {
        let kind = bits.take(3);
        let op = match kind {
            0..=3 => context.buffer_status(2, &mut bits),
            4 => Op::write_at(PMSICR, context.interval_counters()),
            5 => Op::write_at(PMSIRR, context.interval(&mut bits)),
            _ => read(&mut bits),
        };
        let needs_collision = bits.take(2) != 0;
        self.coincidence = Some((op, needs_collision));
        let count = 1 + bits.below(20);
        context.queue.push(Op::write_at(PMSICR, u64::from(count)));
    }
}

impl Context {
    /// PMSIRR_EL1 with INTERVAL other than 0.
    pub(crate) fn interval(&mut self, bits: &mut Bits) -> u64 {
        let interval = match bits.take(5) {
            0..=15 => 1 + bits.take(2),
            16..=27 => 1,
            28 => 0x10 + bits.take(4),
            29 => 0x10 | bits.take(8),
            30 => 1 | bits.take(16) << 8,
            _ => 0xFF_FFFF,
        };
        let ignored = if bits.take(2) == 0 {
            self.words.next() & !0xFFFF_FF01
        } else {
            0
        };
        u64::from(interval) << 8 | u64::from(bits.take(1)) | ignored
    }

    /// PMSICR_EL1: zero, or a few operations before it is.
    pub(super) fn interval_counters(&mut self) -> u64 {
        let mut bits = self.words.bits();
        let small = 1 + bits.below(20);
        let secondary = match bits.take(2) {
            0 => 1 + bits.below(5),
            _ => 0,
        };
        let (count, ecount) = match bits.take(4) {
            0..=3 => (0, 0),
            4..=10 => (small, secondary),
            11 => (0, 1 + bits.take(2)),
            12 => (bits.take(9), secondary),
            13 => (bits.take(12), bits.take(8)),
            14 => (u32::MAX - bits.take(3), secondary),
            // RES0 bits.
            _ => return u64::from(small) | self.words.next() & 0x00FF_FFFF_0000_0000,
        };
        u64::from(ecount) << 56 | u64::from(count)
    }

    /// A write of a PMBSR_ELx: COLL is set in `sets` of four cases, else cleared; the other bits are random or zero.
    fn buffer_status(&mut self, sets: u32, bits: &mut Bits) -> Op {
        let register = match bits.take(3) {
            0..=3 => PMBSR[0],
            4 | 5 => PMBSR[1],
            _ => PMBSR[2],
        };
        let other = if bits.take(1) == 0 {
            0
        } else {
            self.words.next() & !COLL
        };
        let coll = if bits.take(2) < sets { COLL } else { 0 };
        Op::write_at(register, other | coll)
    }
}
