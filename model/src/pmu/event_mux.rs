//! The event multiplexer: V_B of each counter from the base values of all events (DUT-16, ETY-30).

use crate::contract::{COUNTER_LANES, CYCLE_COUNTER, EVENT_LANES};
use crate::implementation::Implementation;

use super::event_type::CHAIN;
use super::lane::{Lanes, lanes};
use super::select::Select;

/// Which event each counter counts.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct EventMux {
    /// Lane of the event, or any lane if nothing of it is taken.
    select: Lanes<u16>,
    /// Bits of the lane that are taken: none for an unsupported event and for CHAIN.
    taken: Lanes<u16>,
    /// What is there without any event: 1 for the cycle counter (DUT-14).
    constant: Lanes<u16>,
    /// Odd counters that count CHAIN.
    chain: u32,
    event_count: u8,
    event_mask: u16,
    has_chain: bool,
}

/// Values that do not come from the lanes (DUT-51). None of them is of the cycle counter.
#[derive(Clone, Copy, Debug)]
pub struct Others<'a> {
    /// Counters that count an event that is attributed to a thread of their group.
    pub attributed: u32,
    /// Those of them that take their lane.
    pub kept: u32,
    /// Counters that count 1.
    pub ones: u32,
    /// Values of counters that count a sum over threads, zero for others.
    pub sums: &'a Lanes<u16>,
    /// Values of counters that count an event of Statistical Profiling, zero for others.
    pub samples: &'a Lanes<u16>,
}

impl EventMux {
    /// The multiplexer of `implementation` out of reset: every counter counts event 0.
    pub fn new(implementation: &Implementation) -> Self {
        let pmu = &implementation.pmu;
        let event_mask = u16::MAX >> (16 - pmu.event_width);
        let cycle_counter = |n| n == CYCLE_COUNTER;
        Self {
            select: [0; COUNTER_LANES],
            taken: lanes(|n| if cycle_counter(n) { 0 } else { event_mask }),
            constant: lanes(|n| u16::from(cycle_counter(n))),
            chain: 0,
            event_count: pmu.event_count,
            event_mask,
            has_chain: pmu.chain,
        }
    }

    /// Takes a new evtCount of counter `n`.
    pub fn set_event(&mut self, n: usize, event: u16) {
        let is_chain = self.is_chain(event);
        // DUT-16, ETY-30: an event that is not supported counts nothing.
        let supported = self.is_supported(event) && !is_chain;
        self.select[n] = if supported { event } else { 0 };
        self.taken[n] = if supported { self.event_mask } else { 0 };
        // DUT-17: CHAIN counts on odd counters only.
        let bit = 1 << n;
        self.chain = self.chain & !bit | if is_chain && n % 2 == 1 { bit } else { 0 };
    }

    /// DUT-16, DUT-51: V_B of every counter, CHAIN left out; the cycle counter counts 1.
    #[inline(always)]
    pub fn base_values(
        &self,
        events: &[u16; EVENT_LANES],
        others: Others<'_>,
        select: impl Select,
    ) -> Lanes<u16> {
        let selected = select.select(events, &self.select);
        let Others {
            attributed,
            kept,
            ones,
            sums,
            samples,
        } = others;
        let (kept, ones) = (select.expand(kept), select.expand(ones));
        let attributed = select.expand(attributed);
        lanes(
            #[inline(always)]
            |n| {
                let lane = (selected[n] & self.taken[n]) | self.constant[n];
                (lane & kept[n]) | (ones[n] & 1) | sums[n] | (samples[n] & attributed[n])
            },
        )
    }

    /// DUT-17: whether `event` is CHAIN.
    pub fn is_chain(&self, event: u16) -> bool {
        self.has_chain && event == CHAIN
    }

    /// DUT-16, ETY-30: whether the design has `event`.
    pub fn is_supported(&self, event: u16) -> bool {
        event < u16::from(self.event_count)
    }

    /// DUT-16: the base value of `event`, if the design has it.
    pub fn event_value(&self, event: u16, events: &[u16; EVENT_LANES]) -> Option<u16> {
        self.is_supported(event)
            .then(|| events[usize::from(event)] & self.event_mask)
    }

    /// The counters that count CHAIN.
    pub fn chain(&self) -> u32 {
        self.chain
    }
}
