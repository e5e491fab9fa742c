//! Contents of PMEVTYPER\<n\>_EL0.

use pmu_model::pmu::event_type::{CHAIN, EVTCOUNT, TH};

use super::generator::Generator;
use super::random::Bits;
use super::shadow::NOBODY;

impl Generator {
    /// A type of counter `n` with an allocated {TC, TE, TLC}.
    pub(super) fn allocated_type(&mut self, n: u32) -> u64 {
        let mut bits = self.words.bits();
        let list = &self.tables.facts.allocated[n as usize % 2];
        let control = list[bits.below(list.len() as u32) as usize];
        let threshold = self.threshold(bits);
        self.complete_type(n, control, threshold)
    }

    /// A type of counter `n` with a reserved {TC, TE, TLC}; `None` if the implementation has none.
    pub(super) fn reserved_type(&mut self, n: u32) -> Option<u64> {
        let mut bits = self.words.bits();
        let list = &self.tables.facts.reserved[n as usize % 2];
        if list.is_empty() {
            return None;
        }
        let control = list[bits.below(list.len() as u32) as usize];
        let threshold = self.threshold(bits);
        Some(self.complete_type(n, control, threshold))
    }

    fn complete_type(&mut self, n: u32, control: u64, threshold: u16) -> u64 {
        let event = self.event_number(n);
        let filters = self.words.next() & self.tables.facts.filters;
        let value = control | u64::from(threshold) << TH.low | filters | u64::from(event);
        let mut bits = self.words.bits();
        if bits.chance(self.tables.profile.types.res0) {
            value | (self.words.next() & self.tables.facts.res0[n as usize % 2])
        } else {
            value
        }
    }

    /// TH.
    fn threshold(&self, mut bits: Bits) -> u16 {
        let width = self.tables.widths.threshold;
        let compared = (1u32 << width.min(self.tables.widths.event)) - 1;
        let all = (1u32 << width) - 1;
        let class = bits.take(4);
        let random = bits.take(12);
        let threshold = match class {
            0 | 1 => 0,
            2 => 1,
            3 => 2,
            4 => all,
            5 => (all >> 1) + 1,
            6 => all >> 1,
            7..=9 => random & compared,
            10 | 11 => random & 15,
            12 => random & 3,
            13 => 1 << bits.below(width.max(1)),
            14 => random,
            _ => compared,
        };
        (threshold & all) as u16
    }

    /// evtCount.
    fn event_number(&mut self, n: u32) -> u16 {
        let facts = &self.tables.facts;
        let types = &self.tables.profile.types;
        let mut bits = self.words.bits();
        let kind = bits.take(16);
        let mut limit = 0;
        let mut is = |share: u16| {
            limit += u32::from(share);
            kind < limit
        };
        let chain = match (facts.has_chain, n % 2) {
            (false, _) => 0,
            (true, 0) => types.chain_even,
            (true, _) => types.chain,
        };
        if is(chain) {
            return CHAIN;
        }
        let lane = bits.below(facts.event_count);
        if is(types.alias) {
            return (lane ^ (1 << (5 + bits.below(11)))) as u16;
        }
        if is(types.unsupported) {
            return bits.take(16) as u16;
        }
        if is(types.shared) && n ^ 1 < facts.counters {
            return self.shadow.event[n as usize ^ 1] & EVTCOUNT.mask() as u16;
        }
        // An event that no other counter counts, if two further tries find one.
        let mut lane = lane;
        for _ in 0..2 {
            let owner = self.owners[lane as usize];
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
