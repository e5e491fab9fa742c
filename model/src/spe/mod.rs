//! Statistical Profiling: which operations are selected for sampling, and which selections collide
//! (DDI0487 D17.3, requirements SPE-01 to SPE-47).
//!
//! [`Profiler`] takes the operations of the sample population of one PE, cycle by cycle, and reports every
//! selection. Operations that are not members of the population (SPE-33) or belong to another PE (SPE-34) are
//! not for it to see. It selects the operation that the counters say (SPE-32): a design that shifts its choice
//! is the scoreboard's matter.
//!
//! ```
//! use pmu_model::spe::{Config, Input, Profiler};
//!
//! let mut profiler = Profiler::new(&Config::default()).expect("the default is consistent");
//! let ignore = |_, _| ();
//! // INTERVAL = 2, no random perturbation.
//! profiler.step(&Input { write_pmsirr: Some(2 << 8), ..Input::default() }, ignore)?;
//! // 600 operations in a cycle: number 2 * 256 + 1 is selected, counted from 1.
//! let mut selected = Vec::new();
//! let input = Input { enabled: true, operations: 600, ..Input::default() };
//! let output = profiler.step(&input, |index, _| selected.push(index + 1))?;
//! assert_eq!(selected, [2 * 256 + 1]);
//! assert_eq!(output.sample_feed, 1);
//! # Ok::<(), pmu_model::spe::MissingRandom>(())
//! ```

mod collision;
mod config;
mod interval;
mod random;
pub mod registers;
#[cfg(test)]
mod tests;
mod unit;

pub use collision::{BufferStatus, Selected, other_event_target};
pub(crate) use config::no_sample_in_flight;
pub use config::{CompleteOrder, Config, InitLoad, Knobs, Select, WriteOrder, ZeroInterval};
pub use interval::Happened;
pub use random::MissingRandom;
pub use unit::{Sampled, SamplingUnit};

use crate::ImplementationError;

use collision::SamplesInFlight;
use interval::IntervalCounters;
use random::{OneByte, Random, RandomBytes};

/// What happens to the profiler in one Processor cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Input<'a> {
    /// Profiling is enabled (D17.4).
    pub enabled: bool,
    /// Members of the sample population in this cycle, in program order (A-SPE-7).
    pub operations: u32,
    /// Bytes that the random number generator returned, in order of use.
    pub random: &'a [u8],
    /// Samples that complete.
    pub complete: u32,
    /// Of those, how many filtering removes.
    pub filtered_out: u32,
    /// The samples in flight are discarded.
    pub discard: bool,
    /// Effective MDCR_EL3.PMSEE, two bits.
    pub pmsee: u8,
    /// Effective PMSCR_EL2.EE, two bits.
    pub ee: u8,
    /// A direct write of PMSICR_EL1.
    pub write_pmsicr: Option<u64>,
    /// A direct write of PMSIRR_EL1.
    pub write_pmsirr: Option<u64>,
    /// COLL in direct writes of PMBSR_EL1, PMBSR_EL2, PMBSR_EL3.
    pub write_coll: [Option<bool>; 3],
}

/// The profiler at the end of a cycle, and what it counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// PMU event SAMPLE_POP.
    pub sample_pop: u32,
    /// PMU event SAMPLE_FEED.
    pub sample_feed: u32,
    /// PMU event SAMPLE_FILTRATE: samples that completed and that filtering did not remove.
    pub sample_filtrate: u32,
    /// PMU event SAMPLE_COLLISION.
    pub sample_collision: u32,
    /// Random bytes drawn (SPE-30).
    pub random_drawn: usize,
    /// PMSICR_EL1.
    pub pmsicr: u64,
    /// PMBSR_EL1.COLL, PMBSR_EL2.COLL, PMBSR_EL3.COLL.
    pub coll: [bool; 3],
    /// Samples in flight.
    pub in_flight: u32,
    /// What of this is not architected.
    pub not_architected: NotArchitected,
}

/// Reasons why the values of a cycle depend on choices that the architecture leaves open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NotArchitected {
    /// The interval was loaded from an INTERVAL of zero, and is UNKNOWN (SPE-29).
    pub interval_zero: bool,
    /// Profiling became enabled with COUNT zero and ECOUNT not (A-SPE-3).
    pub count_zero_ecount_nonzero: bool,
    /// PMSICR_EL1 is written while profiling is enabled (A-SPE-6).
    pub pmsicr_written_while_enabled: bool,
}

/// The sample interval counters of a PE and its samples in flight.
#[derive(Clone, Debug)]
pub struct Profiler {
    write_order: WriteOrder,
    complete_order: CompleteOrder,
    /// Profiling was enabled in the last cycle.
    enabled: bool,
    counters: IntervalCounters,
    samples: SamplesInFlight,
}

impl Profiler {
    /// A profiler with all registers zero and profiling disabled. The architecture resets PMSICR_EL1 and
    /// PMSIRR_EL1 to UNKNOWN values (SPE-01, SPE-02): write them before anything is compared.
    ///
    /// # Errors
    /// [`Config::validate`].
    pub fn new(config: &Config) -> Result<Self, ImplementationError> {
        config.validate()?;
        Ok(Self {
            write_order: config.knobs.write_order,
            complete_order: config.knobs.complete_order,
            enabled: false,
            counters: IntervalCounters::new(config),
            samples: SamplesInFlight::new(config),
        })
    }

    /// PMSICR_EL1.
    pub fn pmsicr(&self) -> registers::Pmsicr {
        self.counters.pmsicr
    }

    /// Whether profiling was enabled in the last cycle.
    pub fn was_enabled(&self) -> bool {
        self.enabled
    }

    /// PMSIRR_EL1.
    pub fn pmsirr(&self) -> registers::Pmsirr {
        self.counters.pmsirr
    }

    /// One cycle. `on_selected` is given every selected operation: its place among the operations of this
    /// cycle, from 0, and what became of it.
    ///
    /// # Errors
    /// `input.random` is too short. The profiler is then as it was before the cycle, though `on_selected` may
    /// have been given operations.
    pub fn step(
        &mut self,
        input: &Input<'_>,
        on_selected: impl FnMut(u32, Selected),
    ) -> Result<Output, MissingRandom> {
        let mut next = self.clone();
        let output = next.cycle(input, &mut RandomBytes::new(input.random), on_selected)?;
        *self = next;
        Ok(output)
    }

    /// One cycle of a design that draws at most one byte in a cycle, `random`; `input.random` is not looked at.
    #[inline(always)]
    fn step_with(
        &mut self,
        input: &Input<'_>,
        random: u8,
        on_selected: impl FnMut(u32, Selected),
    ) -> Output {
        let Ok(output) = self.cycle(input, &mut OneByte::new(random), on_selected);
        output
    }

    /// A cycle in which operations are all that happens. Returns whether it has been made: not if profiling becomes
    /// enabled or disabled, or one of the counters reaches zero.
    #[inline(always)]
    fn count_only(&mut self, enabled: bool, operations: u8) -> bool {
        if enabled != self.enabled {
            return false;
        }
        self.counters.happened = Happened::default();
        !enabled || self.counters.count_operations(operations.into())
    }

    /// Completions in a cycle of [`Profiler::count_only`]. Returns how many filtering does not remove.
    #[inline(always)]
    fn complete(&mut self, complete: u8, filtered_out: u8) -> u8 {
        let completed = self.samples.complete(complete.into());
        completed.saturating_sub(filtered_out.into()) as u8
    }

    /// Reset: all registers are zero, no sample is in flight, and profiling was disabled.
    pub fn reset(&mut self) {
        self.enabled = false;
        self.counters.reset();
        self.samples.reset();
    }

    /// What happened to the interval counters in the last cycle.
    pub fn happened(&self) -> Happened {
        self.counters.happened
    }

    /// DUT-60: discard, becoming enabled, completion, operations, register writes.
    #[inline(always)]
    fn cycle<R: Random>(
        &mut self,
        input: &Input<'_>,
        random: &mut R,
        on_selected: impl FnMut(u32, Selected),
    ) -> Result<Output, R::Missing> {
        let mut output = Output::default();
        self.counters.happened = Happened::default();
        if self.write_order == WriteOrder::Start {
            self.write(input);
        }
        output.not_architected = NotArchitected {
            interval_zero: self.counters.interval_unknown,
            count_zero_ecount_nonzero: self.becomes_enabled(input)
                && self.pmsicr().count == 0
                && self.pmsicr().ecount != 0,
            pmsicr_written_while_enabled: input.enabled && input.write_pmsicr.is_some(),
        };
        self.set_enabled(input, random)?;
        if input.discard {
            self.samples.discard();
        }
        let mut completed = 0;
        if self.complete_order == CompleteOrder::Before {
            completed = self.samples.complete(input.complete);
        }
        self.count_operations(input, random, &mut output, on_selected)?;
        if self.complete_order == CompleteOrder::After {
            completed = self.samples.complete(input.complete);
        }
        output.sample_filtrate = completed - input.filtered_out.min(completed);
        output.not_architected.interval_zero |= self.counters.interval_unknown;
        if self.write_order == WriteOrder::End {
            self.write(input);
        }
        output.random_drawn = random.drawn();
        output.pmsicr = self.pmsicr().value();
        output.coll = self.samples.coll;
        output.in_flight = self.samples.count;
        Ok(output)
    }

    /// PMBSR_EL1.COLL, PMBSR_EL2.COLL, PMBSR_EL3.COLL.
    pub fn coll(&self) -> [bool; 3] {
        self.samples.coll
    }

    /// Samples in flight.
    pub fn in_flight(&self) -> u32 {
        self.samples.count
    }

    /// The direct writes of a cycle.
    #[inline(always)]
    fn write(&mut self, input: &Input<'_>) {
        if let Some(value) = input.write_pmsicr {
            self.counters.write_pmsicr(value);
        }
        if let Some(value) = input.write_pmsirr {
            self.counters.write_pmsirr(value);
        }
        self.samples.write_coll(&input.write_coll);
    }

    fn becomes_enabled(&self, input: &Input<'_>) -> bool {
        input.enabled && !self.enabled
    }

    /// SPE-10: the transition from disabled to enabled. The other one does nothing (SPE-11).
    #[inline(always)]
    fn set_enabled<R: Random>(
        &mut self,
        input: &Input<'_>,
        random: &mut R,
    ) -> Result<(), R::Missing> {
        if self.becomes_enabled(input) {
            self.counters.enable(random)?;
        }
        self.enabled = input.enabled;
        Ok(())
    }

    /// SPE-28: the operations of a cycle, one after another. While profiling is disabled they are not counted
    /// (SPE-11).
    #[inline(always)]
    fn count_operations<R: Random>(
        &mut self,
        input: &Input<'_>,
        random: &mut R,
        output: &mut Output,
        mut on_selected: impl FnMut(u32, Selected),
    ) -> Result<(), R::Missing> {
        if !input.enabled {
            return Ok(());
        }
        // SPE-45.
        output.sample_pop = input.operations;
        if self.counters.count_operations(input.operations) {
            return Ok(());
        }
        for index in 0..input.operations {
            // SPE-44: the counters know nothing of collisions.
            if !self.counters.count_operation(random)? {
                continue;
            }
            let selected = self.samples.start_sample(input.pmsee, input.ee);
            match selected {
                Selected::Sampled => output.sample_feed += 1,
                Selected::Collided => output.sample_collision += 1,
            }
            on_selected(index, selected);
        }
        Ok(())
    }
}
