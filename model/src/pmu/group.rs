//! The threads that a counter counts, and the states that it does not count in (DUT-50).

use std::sync::Arc;

use crate::contract::{CYCLE_COUNTER, CycleInput, THREADS, Thread, control};
use crate::evtyper::filter::{ExecutionState, filtered};
use crate::implementation::Implementation;

use super::event_type::{MT, VS};

/// States of a thread: Exception level, Security state, Streaming mode.
const STATES: usize = 32;
/// Lowest bit of the fields that filter by level and Security state: P is bit 31, RLH bit 20.
const FILTERS: u32 = 20;
/// Values of these fields.
const FILTER_VALUES: usize = 1 << 12;
/// States with one value of Streaming mode.
const LEVELS: u32 = 0xFFFF;

/// The filters of all counters, decoded when `PMEVTYPER<n>_EL0` or PMCCFILTR_EL0 is written.
#[derive(Clone, Debug)]
pub struct Filters {
    /// Bit *n* of `[state]`: counter *n* counts in that state; bit 31 is the cycle counter.
    counts_in: [u32; STATES],
    /// MT of the counters, where it is present.
    mt: u32,
    /// The bit of `controls` without which FEAT_MTPMU is Disabled; 0 if there is none.
    mtpme: u32,
    threads: u8,
    rules: Arc<Rules>,
    /// The situation that was seen last, and its group: neither changes in most cycles.
    situation: Situation,
    group: Group,
}

/// ETY-20 and ETY-22 as tables.
#[derive(Debug)]
struct Rules {
    /// The states, without Streaming mode, that a value of the fields P to RLH filters.
    by_level: Box<[u16]>,
    /// The states that a value of VS filters.
    by_streaming: [u32; 4],
}

/// The group of a cycle, as masks of counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// The counters that thread *t* is not filtered for; none if it is not in the group.
    pub unfiltered: [u32; THREADS],
    /// For every set of threads, thread *t* in bit *t*: the counters that any of them is not filtered for.
    pub of_any: [u32; 1 << THREADS],
    /// Counters with an Effective MT of 1.
    pub mt: u32,
    /// Counters that are filtered: not counting.
    pub filtered: u32,
}

impl Group {
    /// The group in which thread *t* is not filtered for the counters in `unfiltered[t]`.
    pub fn new(unfiltered: [u32; THREADS], mt: u32) -> Self {
        let mut group = Self::default();
        group.set(unfiltered, mt);
        group
    }

    /// The same in place.
    #[inline]
    fn set(&mut self, unfiltered: [u32; THREADS], mt: u32) {
        let of_any = &mut self.of_any;
        for (t, counters) in unfiltered.iter().enumerate() {
            for set in 0..1 << t {
                of_any[1 << t | set] = of_any[set] | counters;
            }
        }
        let (own, any) = (unfiltered[0], of_any[of_any.len() - 1]);
        self.unfiltered = unfiltered;
        self.mt = mt;
        self.filtered = !((own & !mt) | (any & mt));
    }
}

/// What the group of a cycle depends on, besides the types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Situation {
    /// The state of each thread, in the place that it has in [`CycleInput::threads`].
    states: u128,
    /// `driven`, and the bit of `controls` that enables FEAT_MTPMU.
    bits: u32,
}

/// The states, in [`CycleInput::threads`].
const STATE_BITS: u128 = {
    const STATE: u8 = STATES as u8 - 1;
    u128::from_ne_bytes([
        STATE, 0, 0, 0, STATE, 0, 0, 0, STATE, 0, 0, 0, STATE, 0, 0, 0,
    ])
};

impl Filters {
    /// The filters of `implementation`, with all registers zero.
    pub fn new(implementation: &Implementation) -> Self {
        let by_level = (0..FILTER_VALUES).map(|value| {
            let effective = (value as u64) << FILTERS;
            filtered_states(effective, implementation) as u16
        });
        let by_streaming = [0u64, 1, 2, 3].map(|vs| {
            // The fields that filter by level are zero, which filters EL2 alone: EL0 and EL1 tell VS.
            let states = filtered_states(vs << VS.low, implementation);
            let in_mode = |streaming: bool| {
                let state = u32::from(streaming) << 4;
                if states >> state & 1 == 1 {
                    LEVELS << state
                } else {
                    0
                }
            };
            in_mode(false) | in_mode(true)
        });
        let pe = &implementation.pe;
        // ETY-21: the highest Exception level that is implemented enables FEAT_MTPMU.
        let mtpme = match (pe.mtpmu, pe.el3, pe.el2) {
            (true, true, _) => control::MDCR_EL3_MTPME,
            (true, false, true) => control::MDCR_EL2_MTPME,
            _ => 0,
        };
        let mut filters = Self {
            counts_in: [0; STATES],
            mt: 0,
            mtpme,
            threads: implementation.threads.count,
            rules: Arc::new(Rules {
                by_level: by_level.collect(),
                by_streaming,
            }),
            situation: Situation::default(),
            group: Group::default(),
        };
        for n in 0..=CYCLE_COUNTER {
            filters.set_type(n, 0);
        }
        filters
    }

    /// Takes a new `PMEVTYPER<n>_EL0`, or PMCCFILTR_EL0 as number 31: its value with effect.
    pub fn set_type(&mut self, n: usize, effective: u64) {
        let value = (effective >> FILTERS) as usize % FILTER_VALUES;
        let by_level = u32::from(self.rules.by_level[value]);
        let filtered = (by_level * 0x1_0001) | self.rules.by_streaming[VS.of(effective) as usize];
        let bit = 1 << n;
        for (state, counters) in self.counts_in.iter_mut().enumerate() {
            *counters = *counters & !bit | (!filtered >> state & 1) << n;
        }
        // DUT-50: PMCCFILTR_EL0 has no MT.
        self.mt = self.mt & !bit | (MT.of(effective) as u32) << n;
        self.set_group();
    }

    /// Takes the states and controls of a cycle.
    #[inline(always)]
    pub fn take(&mut self, input: &CycleInput) {
        const DRIVEN: u8 = CycleInput::DRIVEN_PE | CycleInput::DRIVEN_THREADS;
        let threads: u128 = bytemuck::cast(input.threads);
        let situation = Situation {
            states: threads & STATE_BITS,
            bits: u32::from(input.driven & DRIVEN) | (input.controls & self.mtpme),
        };
        if situation != self.situation {
            self.situation = situation;
            self.set_group();
        }
    }

    /// DUT-50: the group of the cycle that was taken last, and what is filtered in it.
    #[inline(always)]
    pub fn group(&self) -> &Group {
        &self.group
    }

    #[inline(never)]
    fn set_group(&mut self) {
        let Situation { states, bits } = self.situation;
        let pe = bits & u32::from(CycleInput::DRIVEN_PE) != 0;
        let threads = if bits & u32::from(CycleInput::DRIVEN_THREADS) != 0 {
            self.threads
        } else {
            1
        };
        let seen: [Thread; THREADS] = bytemuck::cast(states);
        let mut unfiltered = [0; THREADS];
        for (t, counters) in unfiltered.iter_mut().enumerate() {
            if t < usize::from(threads) {
                let state = usize::from(seen[t].state) % STATES;
                // ETY-24: by the state of each thread.
                *counters = if pe { self.counts_in[state] } else { u32::MAX };
            }
        }
        let mt = if pe && self.mtpme != 0 && bits & self.mtpme == 0 {
            0
        } else {
            self.mt
        };
        self.group.set(unfiltered, mt);
    }
}

/// ETY-20, ETY-22: bit *s* is set if a counter with this type does not count in state *s*.
fn filtered_states(effective: u64, implementation: &Implementation) -> u32 {
    (0..STATES as u8).fold(0, |states, state| {
        let is_filtered = filtered(effective, ExecutionState::of_thread(state), implementation);
        states | u32::from(is_filtered) << state
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evtyper::configuration::Vs11;
    use crate::evtyper::effective_mt::{MtpmuEnables, effective_mt};

    fn implementations() -> Vec<Implementation> {
        let default = Implementation::default();
        let mut all = vec![default.clone(); 5];
        all[1].knobs.vs11 = Vs11::Filter;
        (all[2].pe.el3, all[2].pe.sel2, all[2].pe.rme) = (false, false, false);
        all[3] = all[2].clone();
        all[3].pe.el2 = false;
        all[4].pe.mtpmu = false;
        all
    }

    fn group_of(filters: &mut Filters, input: &CycleInput) -> Group {
        filters.take(input);
        *filters.group()
    }

    /// Values of all fields that matter here, present or not: the caller gives what has effect.
    fn types() -> impl Iterator<Item = u64> {
        (0..4096u64).map(|i| i << 20 | ((i * 7) & 3) << VS.low)
    }

    #[test]
    fn dut_50_the_tables_are_ety_20_and_ety_22() {
        for implementation in implementations() {
            let present = super::super::event_type::present_mask(1, &implementation);
            let mut filters = Filters::new(&implementation);
            for effective in types().map(|value| value & present) {
                filters.set_type(9, effective);
                for state in 0..STATES as u8 {
                    let expected =
                        filtered(effective, ExecutionState::of_thread(state), &implementation);
                    let counts = filters.counts_in[usize::from(state)] >> 9 & 1 == 1;
                    assert_eq!(counts, !expected, "{effective:#x} {state:#b}");
                }
            }
        }
    }

    #[test]
    fn dut_50_effective_mt_is_ety_21_where_the_pe_is_driven() {
        for implementation in implementations() {
            let mut filters = Filters::new(&implementation);
            filters.set_type(3, MT.mask());
            for (el3, el2) in [(false, false), (false, true), (true, false), (true, true)] {
                let bit = |on: bool, bit: u32| if on { bit } else { 0 };
                let mut input = CycleInput {
                    driven: CycleInput::DRIVEN_PE,
                    controls: bit(el3, control::MDCR_EL3_MTPME) | bit(el2, control::MDCR_EL2_MTPME),
                    ..CycleInput::default()
                };
                let enables = MtpmuEnables {
                    mdcr_el3_mtpme: el3,
                    mdcr_el2_mtpme: el2,
                };
                let expected = effective_mt(MT.mask(), enables, &implementation);
                assert_eq!(group_of(&mut filters, &input).mt, u32::from(expected) << 3);
                input.driven = CycleInput::DRIVEN_THREADS;
                assert_eq!(group_of(&mut filters, &input).mt, 1 << 3, "the field");
            }
        }
    }

    #[test]
    fn dut_50_with_mt_a_counter_is_filtered_if_every_thread_of_the_group_is() {
        let mut implementation = Implementation::default();
        implementation.threads.count = 2;
        let mut filters = Filters::new(&implementation);
        // Filtered at EL0: U.
        filters.set_type(0, 1 << 30);
        filters.set_type(1, 1 << 30 | MT.mask());
        let state = |level| Thread {
            state: Thread::state_of(level, 1, false),
            ..Thread::default()
        };
        let mut input = CycleInput {
            driven: CycleInput::DRIVEN_PE | CycleInput::DRIVEN_THREADS,
            controls: control::MDCR_EL3_MTPME,
            threads: [state(0), state(1), state(1), state(1)],
            ..CycleInput::default()
        };
        let group = group_of(&mut filters, &input);
        assert_eq!(group.filtered & 3, 0b01);
        assert_eq!(group.unfiltered.map(|counters| counters & 3), [0, 3, 0, 0]);
        input.threads[1] = state(0);
        assert_eq!(
            group_of(&mut filters, &input).filtered & 3,
            0b11,
            "threads 2 and 3 are not there"
        );
        input.driven = CycleInput::DRIVEN_THREADS;
        assert_eq!(group_of(&mut filters, &input).filtered, 0);
        input.driven = CycleInput::DRIVEN_PE;
        input.threads[1] = state(1);
        assert_eq!(
            group_of(&mut filters, &input).filtered & 3,
            0b11,
            "thread 0 alone"
        );
    }
}
