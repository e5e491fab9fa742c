//! What the generator remembers of its own writes. It never sees the design's outputs.

use pmu_model::contract::{COUNTER_LANES, CYCLE_COUNTER, EVENT_LANES};
use pmu_model::pmu::event_type::{CHAIN, EVTCOUNT, TH};

use super::facts::Facts;
use super::registers::{
    PMCNTENCLR, PMCNTENSET, PMCR, PMSELR, PMXEVTYPER, SPMSELR, from_aarch32, of_event_type,
};

/// No counter.
pub(super) const NOBODY: u8 = 0xFF;

/// Register contents that the generator wrote.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    /// PMCR_EL0.E.
    pub(super) enable: bool,
    /// PMCR_EL0.LP.
    pub(super) long: bool,
    /// PMCNTENSET_EL0.
    pub(super) enabled: u32,
    /// PMSELR_EL0.SEL.
    pub(super) select: u8,
    /// SPMSELR_EL0.SYSPMUSEL and BANK.
    pub(super) system_pmu: u8,
    pub(super) bank: u8,
    /// evtCount and TH of each counter.
    pub(super) event: [u16; COUNTER_LANES],
    pub(super) threshold: [u16; COUNTER_LANES],
    /// The counter whose TH an event is moved around. A reset does not change it.
    pub(super) owners: [u8; EVENT_LANES],
    /// The registers written last.
    pub(super) recent: [u16; 8],
    recent_at: u8,
}

impl Shadow {
    /// Before the first reset.
    pub(super) fn new() -> Self {
        Self {
            enable: false,
            long: false,
            enabled: 0,
            select: 0,
            system_pmu: 0,
            bank: 0,
            event: [0; COUNTER_LANES],
            threshold: [0; COUNTER_LANES],
            owners: [NOBODY; EVENT_LANES],
            recent: [PMCR; 8],
            recent_at: 0,
        }
    }

    /// After a reset (DUT-11).
    pub(super) fn reset(&mut self) {
        *self = Self {
            owners: self.owners,
            ..Self::new()
        };
    }

    /// The event lane that counter `n` counts.
    pub(super) fn lane(&self, n: usize, facts: &Facts) -> Option<usize> {
        let event = self.event[n];
        let is_chain = facts.has_chain && event == CHAIN;
        (u32::from(event) < facts.event_count && !is_chain).then_some(usize::from(event))
    }

    /// Takes an MSR that is not refused.
    ///
    /// # Returns
    /// The counter whose type it sets.
    pub(super) fn write(&mut self, address: u16, data: u64, facts: &Facts) -> Option<usize> {
        let mut typed = None;
        match address {
            PMCR => {
                self.enable = data & 1 == 1;
                self.long = facts.has_long && data >> 7 & 1 == 1;
            }
            PMCNTENSET => self.enabled |= data as u32,
            PMCNTENCLR => self.enabled &= !(data as u32),
            PMSELR => self.select = data as u8 & 31,
            PMXEVTYPER => typed = self.set_type(self.select, data, facts),
            SPMSELR => {
                self.system_pmu = (data >> 4) as u8 & 0x3F;
                self.bank = data as u8 & 3;
            }
            _ => {
                if let Some(n) = of_event_type(address) {
                    typed = self.set_type(n, data, facts);
                }
            }
        }
        self.recent[usize::from(self.recent_at)] = address;
        self.recent_at = (self.recent_at + 1) % 8;
        typed
    }

    /// Takes an MCR that is not refused.
    ///
    /// # Returns
    /// The counter whose type it sets.
    pub(super) fn write_from_aarch32(
        &mut self,
        address: u16,
        data: u32,
        facts: &Facts,
    ) -> Option<usize> {
        const PMSELR_32: u16 = from_aarch32(PMSELR);
        const PMXEVTYPER_32: u16 = from_aarch32(PMXEVTYPER);
        match address {
            PMSELR_32 => {
                self.select = data as u8 & 31;
                None
            }
            PMXEVTYPER_32 => self.set_half(self.select, false, data, facts),
            _ => {
                let n = of_event_type(address | 3 << 11).filter(|_| address >> 11 & 7 == 0)?;
                self.set_half(n, false, data, facts)
            }
        }
    }

    /// Takes a type of counter `n`.
    ///
    /// # Returns
    /// The counter, if there is one.
    fn set_type(&mut self, n: u8, data: u64, facts: &Facts) -> Option<usize> {
        self.set_half(n, false, data as u32, facts);
        self.set_half(n, true, (data >> 32) as u32, facts)
    }

    /// Takes a half of a type of counter `n`.
    ///
    /// # Returns
    /// The counter, if there is one.
    pub(super) fn set_half(
        &mut self,
        n: u8,
        high: bool,
        data: u32,
        facts: &Facts,
    ) -> Option<usize> {
        if u32::from(n) >= facts.counters {
            return None;
        }
        let n = usize::from(n);
        if high {
            self.threshold[n] = TH.of(u64::from(data) << 32) as u16 & facts.th_mask;
        } else {
            self.event[n] = EVTCOUNT.of(data.into()) as u16 & facts.event_mask;
        }
        Some(n)
    }

    /// Whether fewer than half of the counters are enabled.
    pub(super) fn is_mostly_off(&self, facts: &Facts) -> bool {
        let events = self.enabled & ((1 << facts.counters) - 1);
        !self.enable
            || 2 * events.count_ones() < facts.counters
            || self.enabled >> CYCLE_COUNTER == 0
    }
}
