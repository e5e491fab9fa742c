//! An event that stays what it is while another one occurs (DUT-16): what waits in a stalled stage is counted in every cycle,
//! as where a level is counted for a pulse.

use std::fmt;

use pmu_model::contract::COUNTER_LANES;
use pmu_model::{CycleInput, Model};

use lockstep_engine::lockstep::compare::first_difference;

use super::bench::{Bench, run_model};

/// Cycles that tell such a design from a right one, at least: an event and another one are many pairs.
const TELLING: usize = 12;

/// An event that stays what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stalled {
    /// Its lane.
    event: usize,
    /// The lane of the event that stalls it.
    by: usize,
    /// It stays 0, too.
    keeps_zero: bool,
}

impl Stalled {
    /// Those of the events of a divergent cycle: of counters that differ, stalled by what occurs there.
    pub(super) fn all(bench: &Bench<'_>) -> Vec<Self> {
        let divergent = bench.stretch.divergent;
        let (expected, rtl) = (&bench.expected[divergent], &bench.stretch.rtl[divergent]);
        let counters = 0..COUNTER_LANES - 1;
        let differing = counters.filter(|&n| expected.increment[n] != rtl.increment[n]);
        let mut events = bench.events_of(differing);
        let (input, _) = bench.cycle(divergent);
        let lanes = input
            .event
            .len()
            .min(bench.implementation.pmu.event_count.into());
        events.retain(|&event| usize::from(event) < lanes);
        events.sort_unstable();
        events.dedup();
        let occurring = (0..lanes).filter(|&lane| input.event[lane] != 0);
        let pairs = events.into_iter().map(usize::from).flat_map(|event| {
            let others = occurring.clone().filter(move |&by| by != event);
            others.map(move |by| (event, by))
        });
        let both = |(event, by)| {
            [true, false].map(|keeps_zero| Self {
                event,
                by,
                keeps_zero,
            })
        };
        match bench.differing >= TELLING {
            true => pairs.flat_map(both).collect(),
            false => Vec::new(),
        }
    }

    /// The first cycle that it does not explain.
    pub(super) fn first_miss(self, bench: &Bench<'_>) -> Option<usize> {
        let Ok(model) = Model::new(bench.implementation) else {
            return Some(0);
        };
        let inputs = self.inputs(bench.stretch.inputs);
        let (outputs, _) = run_model(model, &inputs, &bench.random);
        first_difference(&outputs, &bench.unknown, bench.stretch.rtl)
    }

    /// What the design counts of these inputs, as those of others.
    pub(super) fn inputs(self, inputs: &[CycleInput]) -> Vec<CycleInput> {
        let mut last = 0;
        let cycles = inputs.iter().map(|input| {
            let stalls = input.event[self.by] != 0 && (self.keeps_zero || last != 0);
            let mut input = *input;
            if stalls {
                input.event[self.event] = last;
            }
            last = match input.is_reset() {
                true => 0,
                false => input.event[self.event],
            };
            input
        });
        cycles.collect()
    }
}

impl fmt::Display for Stalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, by) = (self.event, self.by);
        let unless = match self.keeps_zero {
            true => "",
            false => ", unless that is 0,",
        };
        write!(
            f,
            "event {event:#06x} keeps its value of the cycle before{unless} while event {by:#06x} occurs"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What event 3 is where event 5 stalls it.
    fn stalled(keeps_zero: bool, cycles: &[CycleInput]) -> Vec<u16> {
        let stalled = Stalled {
            event: 3,
            by: 5,
            keeps_zero,
        };
        let inputs = stalled.inputs(cycles);
        inputs.iter().map(|input| input.event[3]).collect()
    }

    #[test]
    fn an_event_stays_what_it_is_while_another_one_occurs() {
        let cycle = |event: u16, by: u16| {
            let mut input = CycleInput::default();
            input.event[3] = event;
            input.event[5] = by;
            input
        };
        let cycles = [
            cycle(7, 0),
            cycle(1, 1),
            cycle(2, 9),
            cycle(0, 0),
            cycle(4, 1),
            cycle(5, 1),
            CycleInput::reset(),
            cycle(6, 1),
        ];
        assert_eq!(stalled(true, &cycles), [7, 7, 7, 0, 0, 0, 0, 0]);
        assert_eq!(stalled(false, &cycles), [7, 7, 7, 0, 4, 4, 0, 6]);
    }
}
