//! Contents of PMEVTYPER\<n\>_EL0.

use pmu_model::pmu::event_type::{CHAIN, TH};

use super::context::Context;
use super::facts::{CYCLE_EVENTS, SAMPLE_POP};
use super::random::Bits;
use super::shadow::NOBODY;

impl Context {
    /// A type of counter `n` with an allocated {TC, TE, TLC}.
    pub(super) fn allocated_type(&mut self, n: u32) -> u64 {
        let event = self.event_number(n);
        self.allocated_type_of(n, event)
    }

    /// A type of counter `n` that counts `event`, with an allocated {TC, TE, TLC}.
    pub(super) fn allocated_type_of(&mut self, n: u32, event: u16) -> u64 {
        let bits = self.words.bits();
        let list = &self.facts.allocated[n as usize % 2];
        self.complete_type(
            n,
            event,
            list[bits.peek_below(list.len() as u32) as usize],
            bits,
        )
    }

    /// A type of counter `n` with a reserved {TC, TE, TLC}; `None` if the implementation has none.
    pub(super) fn reserved_type(&mut self, n: u32) -> Option<u64> {
        let event = self.event_number(n);
        let bits = self.words.bits();
        let list = &self.facts.reserved[n as usize % 2];
        let control = *list.get(bits.peek_below(list.len() as u32) as usize)?;
        Some(self.complete_type(n, event, control, bits))
    }

    /// A type of counter `n` with {TC, TE, TLC} of `control`.
    pub(super) fn type_with(&mut self, n: u32, control: u64) -> u64 {
        let event = self.event_number(n);
        let bits = self.words.bits();
        self.complete_type(n, event, control, bits)
    }

    /// The type with {TC, TE, TLC} of `control`, which the first 16 of `bits` chose.
    fn complete_type(&mut self, n: u32, event: u16, control: u64, mut bits: Bits) -> u64 {
        bits.take(16);
        let threshold = self.threshold(&mut bits, event);
        let facts = &self.facts;
        let random = self.words.next();
        let filters = if bits.chance(facts.types.filtered) {
            random & facts.filters
        } else {
            random & facts.harmless | facts.open
        };
        let value = control | u64::from(threshold) << TH.low | filters | u64::from(event);
        // What is left of `random`: fields are above bit 19.
        if random as u16 >= facts.types.res0 {
            value
        } else {
            value | (self.words.next() & self.facts.res0[n as usize % 2])
        }
    }

    /// TH: 16 bits of `bits`.
    fn threshold(&self, bits: &mut Bits, event: u16) -> u16 {
        let width = self.facts.thwidth;
        let compared = (1u32 << width.min(self.facts.event_width)) - 1;
        let all = (1u32 << width) - 1;
        let class = bits.take(4);
        let random = bits.take(12);
        let threshold = match class {
            // The values of this event are mostly 0 and 1, and at most 15.
            5.. if self.facts.is_small(event) => random & 3 >> (random >> 11),
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => all,
            5 => (all >> 1) + 1,
            // All but one bit.
            6 => all & !(1 << ((random * width.max(1)) >> 12)),
            7..=9 => random & compared,
            10 | 11 => random & 15,
            12 => random & 3,
            13 => 1 << ((random * width.max(1)) >> 12),
            14 => random,
            _ => compared,
        };
        (threshold & all) as u16
    }

    /// evtCount.
    fn event_number(&mut self, n: u32) -> u16 {
        let facts = &self.facts;
        let types = &facts.types;
        let mut bits = self.words.bits();
        let kind = bits.take(16);
        let mut limit = 0;
        let mut is = |share: u16| {
            limit += u32::from(share);
            kind < limit
        };
        let chain = match (facts.writes_chain, n % 2) {
            (false, _) => 0,
            (true, 0) => types.chain_even,
            (true, _) if facts.has_chain => types.chain,
            (true, _) => types.chain / 4,
        };
        if is(chain) {
            return CHAIN;
        }
        if is(types.samples) {
            return SAMPLE_POP + bits.take(2) as u16;
        }
        if is(types.cycles) {
            return CYCLE_EVENTS[bits.below(CYCLE_EVENTS.len() as u32) as usize];
        }
        let lane = bits.below(facts.event_count);
        if is(types.alias) {
            return (lane ^ (1 << (5 + bits.below(11)))) as u16;
        }
        if is(types.unsupported) {
            return bits.take(16) as u16;
        }
        if is(types.shared) && n ^ 1 < facts.counters {
            return self.shadow.event[n as usize ^ 1];
        }
        // An event that no other counter counts, if two further tries find one.
        let mut lane = lane;
        for _ in 0..2 {
            let owner = self.shadow.owners[lane as usize];
            let taken = owner != NOBODY
                && u32::from(owner) != n
                && u32::from(self.shadow.event[usize::from(owner)]) == lane;
            if !taken {
                break;
            }
            lane = bits.below(facts.event_count);
        }
        lane as u16
    }
}
