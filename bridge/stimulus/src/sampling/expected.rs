//! What the interval counters are expected to hold, so that accesses can be made to coincide with a selection. The random
//! bytes are not known here: where one is drawn, the values are a guess till PMSICR_EL1 is written again.

use super::super::facts::Facts;
use super::super::registers::{PMSICR, PMSIRR};
use super::Inputs;

/// The interval counters and the samples in flight, as far as can be told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    count: u32,
    ecount: u8,
    interval: u32,
    random: bool,
    in_flight: u32,
    was_enabled: bool,
    /// INTERVAL is not 0, or what follows is to be UNKNOWN for once.
    pub(super) is_known: bool,
}

impl Expected {
    /// Takes a write of `address`.
    pub(crate) fn write(&mut self, address: u16, data: u64, reset_is_near: bool) {
        match address {
            PMSICR => (self.count, self.ecount) = (data as u32, (data >> 56) as u8),
            PMSIRR => {
                self.interval = data as u32 >> 8;
                self.random = data & 1 == 1;
                self.is_known = self.interval != 0 || reset_is_near;
            }
            _ => {}
        }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.count == 0
    }

    /// Takes the operations of a cycle.
    ///
    /// # Returns
    /// Whether one is selected, and whether it collides.
    #[inline(always)]
    pub(super) fn count(&mut self, inputs: &Inputs, facts: &Facts) -> (bool, bool) {
        let enabled = inputs.profiling & 1 == 1;
        let operations = u32::from(inputs.operations);
        self.in_flight = if inputs.profiling & 2 != 0 {
            0
        } else {
            self.in_flight.saturating_sub(u32::from(inputs.complete))
        };
        let was_enabled = std::mem::replace(&mut self.was_enabled, enabled);
        if !enabled {
            return (false, false);
        }
        if !was_enabled && self.count == 0 && self.ecount == 0 {
            self.load(facts);
        }
        let secondary = self.random && facts.ernd && self.ecount > 0;
        let running = if secondary { operations } else { 0 };
        if operations <= self.count && (!secondary || running < u32::from(self.ecount)) {
            self.count -= operations;
            self.ecount -= running as u8;
            return (false, false);
        }
        self.count_one_by_one(operations, facts)
    }

    fn load(&mut self, facts: &Facts) {
        // In the middle of what the random byte may be.
        let low = if self.random && !facts.ernd { 128 } else { 0 };
        self.count = self.interval << 8 | low;
    }

    #[inline(never)]
    fn count_one_by_one(&mut self, operations: u32, facts: &Facts) -> (bool, bool) {
        let mut selected = 0;
        let secondary = self.random && facts.ernd;
        for _ in 0..operations {
            if self.count == 0 {
                self.load(facts);
                self.ecount = if secondary { 128 } else { self.ecount };
                selected += u32::from(!secondary);
            } else {
                self.count -= 1;
                if secondary && self.ecount > 0 {
                    self.ecount -= 1;
                    selected += u32::from(self.ecount == 0);
                }
            }
        }
        let free = facts.max_inflight.saturating_sub(self.in_flight);
        self.in_flight += selected.min(free);
        (selected > 0, selected > free)
    }
}
