//! The events of Statistical Profiling: which counters count them (DUT-51, SPE-05).

use crate::contract::COUNTER_LANES;
use crate::implementation::Implementation;
use crate::spe::registers::{SAMPLE_COLLISION, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_POP};

use super::lane::Lanes;
use super::select::Select;

/// The events, in the order of their numbers.
pub const SAMPLE_EVENTS: [u16; 4] = [SAMPLE_POP, SAMPLE_FEED, SAMPLE_FILTRATE, SAMPLE_COLLISION];

/// Which counters count an event of Statistical Profiling.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct SampleEvents {
    /// The event of each counter, as its place in [`SAMPLE_EVENTS`]; 4 for none.
    event: Lanes<u16>,
    counters: [u32; 4],
    event_mask: u16,
}

impl SampleEvents {
    /// No counter of `implementation` counts any.
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            event: [SAMPLE_EVENTS.len() as u16; COUNTER_LANES],
            counters: [0; 4],
            event_mask: u16::MAX >> (16 - implementation.pmu.event_width),
        }
    }

    /// Takes a new evtCount of counter `n`.
    pub fn set_event(&mut self, n: usize, event: u16) {
        let place = SAMPLE_EVENTS.iter().position(|&of| of == event);
        self.event[n] = place.unwrap_or(SAMPLE_EVENTS.len()) as u16;
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

    /// The values of the events, for the counters that count them; zero for others.
    #[inline(always)]
    pub fn values(&self, values: [u16; 4], select: impl Select) -> Lanes<u16> {
        select.select_of_four(values.map(|value| value & self.event_mask), &self.event)
    }
}
