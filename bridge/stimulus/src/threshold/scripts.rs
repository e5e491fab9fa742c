//! Accesses to the registers of the event counters: short sequences, which wait in the queue.

use pmu_model::contract::{AccessKind, CYCLE_COUNTER};
use pmu_model::pmu::event_type::{CHAIN, NSH};
use pmu_model::pmu::registers::{PMCR_C, PMCR_E, PMCR_LC, PMCR_LP, PMCR_P};

use super::super::context::{Context, pause};
use super::super::profile::AccessScript;
use super::super::queue::Op;
use super::super::random::Bits;
use super::super::registers::{
    PMCCFILTR, PMCCNTR, PMCNTENCLR, PMCNTENSET, PMCR, PMMIR, PMOVSCLR, PMOVSSET, PMSELR, PMXEVCNTR,
    PMXEVTYPER, event_counter, event_type, is_register,
};

/// Defined bits of PMCR_EL0.
const PMCR_DEFINED: u64 = PMCR_E | PMCR_P | PMCR_C | PMCR_LC | PMCR_LP;

/// Begins an access, or a sequence of them.
///
/// # Returns
/// The access, if it does not wait in the queue.
#[inline(never)]
pub(crate) fn begin(script: AccessScript, context: &mut Context) -> Option<Op> {
    let bits = context.words.bits();
    match script {
        AccessScript::ReadAny => return Some(context.read_any(bits)),
        AccessScript::ReadRecent => return Some(context.read_recent(bits)),
        AccessScript::ReadCounter => return Some(context.read_counter(bits)),
        AccessScript::ReadFlags => return Some(read_flags(bits)),
        AccessScript::WriteType => context.script_type(bits),
        AccessScript::WritePair => context.script_pair(bits),
        AccessScript::WriteCounter => context.script_counter(bits),
        AccessScript::NearOverflow => context.script_near_overflow(bits),
        AccessScript::Enable => context.script_enable(bits),
        AccessScript::Control => context.script_control(bits),
        AccessScript::Select => context.script_select(bits),
        AccessScript::Flags => context.script_flags(bits),
        AccessScript::CycleCounter => context.script_cycle_counter(bits),
        AccessScript::Undefined => context.script_undefined(bits),
        AccessScript::Reserved => context.script_reserved(bits),
    }
    None
}

impl Context {
    fn read_any(&self, mut bits: Bits) -> Op {
        let all = &self.facts.readable;
        Op::read_at(all[bits.below(all.len() as u32) as usize])
    }

    fn read_recent(&self, mut bits: Bits) -> Op {
        Op::read_at(self.shadow.recent[bits.take(3) as usize])
    }

    /// A read that fills the waiting of other accesses.
    pub(crate) fn read_any_or_recent(&self, mut bits: Bits) -> Op {
        if bits.take(1) == 1 {
            self.read_any(bits)
        } else {
            self.read_recent(bits)
        }
    }

    fn read_counter(&self, mut bits: Bits) -> Op {
        match self.facts.counters {
            0 => Op::read_at(PMCCNTR),
            counters => Op::read_at(event_counter(bits.below(counters))),
        }
    }

    fn script_type(&mut self, mut bits: Bits) {
        let Some(n) = self.some_counter(&mut bits) else {
            return;
        };
        let data = self.allocated_type(n);
        self.queue.push(Op::write_at(event_type(n), data));
        match bits.take(2) {
            0 => {}
            1 => self.queue.push(Op::read_at(event_type(n))),
            2 => self
                .queue
                .push(Op::read_at(event_type(n)).after(bits.take(4))),
            _ => self
                .queue
                .push(Op::read_at(event_counter(n)).after(bits.take(3))),
        }
    }

    fn script_pair(&mut self, mut bits: Bits) {
        let Some(n) = self.some_counter(&mut bits) else {
            return;
        };
        for n in [n & !1, n | 1] {
            if n < self.facts.counters {
                let data = self.allocated_type(n);
                self.queue.push(Op::write_at(event_type(n), data));
            }
        }
        let last = (n | 1).min(self.facts.counters - 1);
        match bits.take(2) {
            0 => self
                .queue
                .push(Op::read_at(event_type(last)).after(bits.take(3))),
            1 => self.queue.push(Op::read_at(event_type(n & !1))),
            _ => {}
        }
    }

    fn script_counter(&mut self, mut bits: Bits) {
        let Some(n) = self.some_counter(&mut bits) else {
            return;
        };
        let counter = event_counter(n);
        let data = self.counter_value();
        self.queue.push(Op::write_at(counter, data));
        match bits.take(2) {
            0 => self.queue.push(Op::read_at(counter)),
            1 => self.queue.push(Op::read_at(counter).after(bits.take(4))),
            2 => {
                let data = self.counter_value();
                self.queue
                    .push(Op::write_at(counter, data).after(bits.take(2)));
                self.queue.push(Op::read_at(counter).after(bits.take(2)));
            }
            _ => {}
        }
    }

    /// A counter's value of any kind.
    fn counter_value(&mut self) -> u64 {
        let mut bits = self.words.bits();
        let small = u64::from(bits.take(16));
        let edges = [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x1_0000_0000];
        match bits.take(3) {
            0 => 0,
            1 => u64::MAX,
            2 => small,
            3 => small.wrapping_neg(),
            4 => 0x1_0000_0000 - 1 - small,
            5 => edges[bits.take(2) as usize],
            _ => self.words.next(),
        }
    }

    /// A value that is about to overflow.
    fn near_overflow_value(&self, bits: &mut Bits) -> u64 {
        let distance = 1 + u64::from(match bits.take(3) {
            0..=2 => 0,
            3 => bits.take(2),
            4 => bits.take(4),
            5 => bits.take(8),
            6 => bits.take(12),
            _ => bits.take(16),
        });
        // Seven of eight are near the overflow that PMCR_EL0.LP asks for.
        let long = self.shadow.long != (bits.take(3) == 0);
        match (long, bits.take(2)) {
            (true, _) => distance.wrapping_neg(),
            (false, 0) => distance.wrapping_neg() & 0x8000_0000_FFFF_FFFF,
            (false, 1) => distance.wrapping_neg(),
            (false, _) => 0x1_0000_0000 - distance,
        }
    }

    /// The counter below the first one that counts CHAIN, from `n` on and around; without one, `n`.
    fn below_chain(&self, n: u32) -> u32 {
        let facts = &self.facts;
        let around = (n..facts.counters).chain(0..n);
        let chained = around
            .filter(|&n| n > 0 && facts.writes_chain)
            .find(|&n| self.shadow.event[n as usize] == CHAIN);
        chained.map_or(n, |chained| chained - 1)
    }

    fn script_near_overflow(&mut self, mut bits: Bits) {
        let Some(mut n) = self.some_counter(&mut bits) else {
            return;
        };
        n = match bits.take(2) {
            0 => n,
            1 => n & !1,
            _ => self.below_chain(n),
        };
        let counters = self.facts.counters;
        let mut flags = 1u64 << n;
        let mut values = self.words.bits();
        if bits.take(1) == 0 && n ^ 1 < counters {
            let data = self.near_overflow_value(&mut values);
            self.queue.push(Op::write_at(event_counter(n ^ 1), data));
            flags |= 1 << (n ^ 1);
        }
        let counter = event_counter(n);
        let data = self.near_overflow_value(&mut values);
        self.queue.push(Op::write_at(counter, data));
        for _ in 0..=bits.take(2) {
            let wait = if bits.take(2) == 0 { bits.take(2) } else { 0 };
            let op = match bits.take(4) {
                0..=3 => Op::write_at(PMOVSCLR, flags),
                4 => Op::write_at(PMOVSCLR, u64::MAX),
                5 => Op::write_at(PMOVSSET, flags),
                6..=8 => {
                    let mut values = self.words.bits();
                    let data = self.near_overflow_value(&mut values);
                    Op::write_at(counter, data)
                }
                9 | 10 => {
                    let bits = self.words.bits();
                    let long = if self.shadow.long { PMCR_LP } else { 0 };
                    Op::write_at(PMCR, self.control(PMCR_E | PMCR_P | long, bits))
                }
                11 => {
                    self.queue
                        .push(Op::write_at(PMCNTENCLR, 1 << n).after(wait));
                    Op::write_at(PMCNTENSET, 1 << n)
                }
                12 => Op::read_at(counter),
                13 => {
                    let data = self.allocated_type(n);
                    Op::write_at(event_type(n), data)
                }
                14 => Op::read_at(PMOVSCLR),
                _ => Op::read_at(PMOVSSET),
            };
            self.queue.push(op.after(wait));
        }
        self.queue.push(Op::read_at(PMOVSSET));
        self.queue.push(Op::read_at(counter));
    }

    fn script_enable(&mut self, mut bits: Bits) {
        let random = self.words.next();
        let one = 1u64 << bits.take(5);
        let kind = bits.take(3);
        let mask = match kind {
            0..=2 => one,
            // Both counters of a pair, or one of them.
            3 => 0b11 << (bits.take(4) * 2),
            4 => random & random >> 32,
            5 => u64::MAX,
            _ => random,
        };
        match kind {
            6 => {
                let most = self.words.next() | self.words.next() | random;
                self.queue.push(Op::write_at(PMCNTENSET, most));
            }
            7 => self.queue.push(Op::write_at(
                PMCNTENCLR,
                random & random >> 32 & random >> 16,
            )),
            _ => {
                let pause = pause(&mut bits);
                self.queue.push(Op::write_at(PMCNTENCLR, mask));
                self.queue.push(Op::write_at(PMCNTENSET, mask).after(pause));
            }
        }
        match bits.take(2) {
            0 => self.queue.push(Op::read_at(PMCNTENSET)),
            1 => self.queue.push(Op::read_at(PMCNTENCLR)),
            _ => {}
        }
    }

    /// PMCR_EL0 with `fields`, and in one of four cases ones in bits that are RES0, RES1 or read-only.
    fn control(&mut self, fields: u64, mut bits: Bits) -> u64 {
        if bits.take(2) == 0 {
            fields | (self.words.next() & !PMCR_DEFINED)
        } else {
            fields
        }
    }

    /// Enables counting of most counters.
    pub(crate) fn enable_most(&mut self) {
        let most = self.words.next() | self.words.next() | self.words.next();
        self.queue
            .push(Op::write_at(PMCNTENSET, most | 1 << CYCLE_COUNTER));
        let mut bits = self.words.bits();
        let long = if bits.take(3) < 3 { PMCR_LP } else { 0 };
        let data = self.control(PMCR_E | long, bits);
        self.queue.push(Op::write_at(PMCR, data));
    }

    fn script_control(&mut self, mut bits: Bits) {
        let long = if self.shadow.long { PMCR_LP } else { 0 };
        let kind = bits.take(3);
        let (fields, then) = match kind {
            // Counting stops and goes on.
            0..=2 => {
                let zero = if bits.take(3) == 0 { PMCR_P } else { 0 };
                (long | zero, Some(PMCR_E | long))
            }
            3 => (PMCR_E | PMCR_P | long, None),
            4 => (PMCR_E | PMCR_C | long, None),
            5 => (PMCR_E | PMCR_P | PMCR_C | long, None),
            _ => (PMCR_E | (long ^ PMCR_LP), None),
        };
        let (garbage, more_garbage) = (self.words.bits(), self.words.bits());
        let data = self.control(fields, garbage);
        self.queue.push(Op::write_at(PMCR, data));
        if let Some(then) = then {
            let pause = pause(&mut bits);
            let data = self.control(then, more_garbage);
            self.queue.push(Op::write_at(PMCR, data).after(pause));
        }
        match bits.take(2) {
            0 => self.queue.push(Op::read_at(PMCR)),
            1 => {
                let bits = self.words.bits();
                self.queue.push(self.read_counter(bits));
            }
            2 => self.queue.push(Op::read_at(PMCCNTR)),
            _ => {}
        }
    }

    fn script_select(&mut self, mut bits: Bits) {
        let counters = self.facts.counters;
        let select = match bits.take(3) {
            0 => 31,
            1 => bits.take(5),
            _ => bits.below(counters.max(1)),
        };
        let ignored = if bits.take(2) == 0 {
            self.words.next() & !31
        } else {
            0
        };
        if bits.take(3) == 0 {
            self.queue
                .push(Op::write_at(PMSELR, u64::from(bits.take(5))));
        }
        self.queue
            .push(Op::write_at(PMSELR, u64::from(select) | ignored));
        let wait = if bits.take(1) == 0 { 0 } else { bits.take(4) };
        match bits.take(2) {
            0 => self.queue.push(Op::read_at(PMXEVTYPER).after(wait)),
            1 => self.queue.push(Op::read_at(PMXEVCNTR).after(wait)),
            2 => {
                let data = match select {
                    31 => self.words.next(),
                    n => self.allocated_type(n),
                };
                self.queue.push(Op::write_at(PMXEVTYPER, data).after(wait));
                self.queue.push(Op::read_at(event_type(select)));
            }
            _ => {
                let data = self.counter_value();
                self.queue.push(Op::write_at(PMXEVCNTR, data).after(wait));
                self.queue.push(Op::read_at(event_counter(select)));
            }
        }
        match bits.take(2) {
            0 => self.queue.push(Op::read_at(PMSELR)),
            1 => self.queue.push(Op::read_at(PMXEVTYPER)),
            2 => self.queue.push(Op::read_at(PMXEVCNTR)),
            _ => {}
        }
    }

    fn script_flags(&mut self, mut bits: Bits) {
        let random = self.words.next();
        let mask = match bits.take(2) {
            0 => 1 << bits.take(5),
            1 => random & random >> 32,
            2 => random,
            _ => u64::MAX,
        };
        let (first, second) = (PMOVSCLR, PMOVSSET);
        let register = if bits.take(1) == 0 { first } else { second };
        self.queue.push(Op::write_at(register, mask));
        let read = if bits.take(1) == 0 { first } else { second };
        self.queue.push(Op::read_at(read).after(bits.take(1)));
    }

    fn script_cycle_counter(&mut self, mut bits: Bits) {
        let (register, data) = match bits.take(3) {
            0 | 1 => {
                let random = self.words.next();
                let filters = if bits.chance(self.facts.types.filtered) {
                    random
                } else {
                    NSH.mask()
                };
                (PMCCFILTR, filters)
            }
            2 => (PMCCNTR, self.counter_value()),
            3 => (PMCCNTR, 0xFFFF_FFFF - u64::from(bits.take(3))),
            4 => (PMCCNTR, u64::MAX),
            _ => (PMCCNTR, u64::MAX - u64::from(bits.take(3))),
        };
        self.queue.push(Op::write_at(register, data));
        if register == PMCCNTR {
            let flag = 1 << CYCLE_COUNTER;
            match bits.take(2) {
                0 => self
                    .queue
                    .push(Op::write_at(PMOVSCLR, flag).after(bits.take(2))),
                1 => {
                    let data = self.counter_value();
                    self.queue
                        .push(Op::write_at(PMCCNTR, data).after(bits.take(2)));
                }
                2 => self.queue.push(Op::write_at(PMOVSCLR, flag)),
                _ => {}
            }
            self.queue.push(Op::read_at(PMOVSSET).after(bits.take(2)));
        }
        self.queue.push(Op::read_at(register).after(bits.take(2)));
    }

    fn script_undefined(&mut self, mut bits: Bits) {
        let facts = &self.facts;
        let beyond = facts.counters + bits.below(31 - facts.counters);
        let known = facts.readable[bits.below(facts.readable.len() as u32) as usize];
        let address = match bits.take(3) {
            0 => PMMIR,
            1 if facts.counters < 31 => event_counter(beyond),
            2 if facts.counters < 31 => event_type(beyond),
            3 => undefined(bits.take(16) as u16),
            _ => undefined(known ^ 1 << bits.take(4)),
        };
        // A read of PMMIR_EL1 would be permitted; writes of the others are the dangerous case as well.
        let is_write = address == PMMIR || self.words.bits().take(1) == 1;
        let kind = if is_write {
            AccessKind::Write
        } else {
            AccessKind::Read
        };
        let data = self.words.next();
        self.queue.push(Op::new(kind, address, data));
    }

    fn script_reserved(&mut self, mut bits: Bits) {
        let Some(n) = self.some_counter(&mut bits) else {
            return;
        };
        // Where the types that follow may be refused, what becomes UNKNOWN would stay so.
        let data = if self.is_open {
            self.reserved_type(n)
        } else {
            None
        };
        let Some(data) = data else {
            let op = self.read_counter(bits);
            self.queue.push(op);
            return;
        };
        self.reserve(n, data, bits);
    }

    /// Counter `n` has a reserved type for a few cycles.
    pub(crate) fn reserve(&mut self, n: u32, data: u64, mut bits: Bits) {
        let register = event_type(n);
        self.queue.push(Op::write_at(register, data));
        match bits.take(2) {
            0 => self.queue.push(Op::read_at(register)),
            1 => self.queue.push(Op::read_at(register).after(bits.take(2))),
            _ => {}
        }
        // What has become UNKNOWN is made known: the counter, the one that is linked or chained to it, the flags.
        let data = self.allocated_type(n);
        self.queue
            .push(Op::write_at(register, data).after(bits.take(1)));
        let last = (n | 1).min(self.facts.counters - 1);
        let mut flags = 0;
        for n in n..=last {
            let data = self.counter_value();
            self.queue.push(Op::write_at(event_counter(n), data));
            flags |= 1 << n;
        }
        self.queue.push(Op::write_at(PMOVSCLR, flags));
    }
}

fn read_flags(mut bits: Bits) -> Op {
    Op::read_at(if bits.take(1) == 0 {
        PMOVSCLR
    } else {
        PMOVSSET
    })
}

/// `address`, or, if there is a register at it, one with another op0, where there is none.
fn undefined(address: u16) -> u16 {
    if is_register(address) {
        address ^ 0x8000
    } else {
        address
    }
}
