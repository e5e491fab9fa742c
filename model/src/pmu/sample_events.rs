//! The events of Statistical Profiling: which counters count them (DUT-51, SPE-05).

use crate::implementation::Implementation;
use crate::spe::registers::{SAMPLE_COLLISION, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_POP};

use super::lane::{Lanes, lanes};
use super::select::Select;

/// The events, in the order of their numbers.
pub const SAMPLE_EVENTS: [u16; 4] = [SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION];

/// Which counters count an event of Statistical Profiling.
#[derive(Clone, Debug)]
pub struct SampleEvents {
    counters: [u32; 4],
    event_mask: u16,
}

impl SampleEvents {
    /// No counter of `implementation` counts any.
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            counters: [0; 4],
            event_mask: u16::MAX >> (16 - implementation.pmu.event_width),
        }
    }

    /// Takes a new evtCount of counter `n`.
    pub fn set_event(&mut self, n: usize, event: u16) {
        for (counters, of) in self.counters.iter_mut().zip(SAMPLE_EVENTS) {
            *counters = *counters & !(1 << n) | u32::from(event == of) << n;
        }
    }

    /// The counters that count any.
    #[inline(always)]
    pub fn any(&self) -> u32 {
        self.counters.iter().fold(0, |any, counters| any | counters)
    }

    /// DUT-62: the counters whose event is not known while the interval is not. SAMPLE_POP is.
    #[inline(always)]
    pub fn depend_on_interval(&self) -> u32 {
        let [_, feed, filtrate, collision] = self.counters;
        feed | filtrate | collision
    }

    /// The values of the events, for the counters in `attributed`.
    #[inline(always)]
    pub fn values(&self, values: [u16; 4], attributed: u32, select: impl Select) -> Lanes<u16> {
        let [population, feed, filtrate, collision] = self
            .counters
            .map(|counters| select.expand(counters & attributed));
        let event_mask = self.event_mask;
        lanes(
            #[inline(always)]
            |n| {
                let pair = (population[n] & values[0]) | (feed[n] & values[1]);
                (pair | (filtrate[n] & values[2]) | (collision[n] & values[3])) & event_mask
            },
        )
    }
}
