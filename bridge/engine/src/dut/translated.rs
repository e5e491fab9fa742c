//! A design that does not show V, seen as one that does (DUT-71).

use std::collections::VecDeque;
use std::path::Path;

use pmu_model::contract::COUNTER_LANES;
use pmu_model::wrapper::Increments;
use pmu_model::{
    CycleInput, CycleOutput, DutParameters, Implementation, ImplementationError, Model, NoTracer,
    Number, SysReg, Unknown,
};

use super::{CoverageUnavailable, Dut, Pulse, Stop, TraceUnavailable};

/// What the model says of a cycle.
#[derive(Clone, Copy, Default)]
struct Expected {
    increment: [u16; COUNTER_LANES],
    /// Bits \[15:0\] of the counters after the cycle.
    counters: [u16; COUNTER_LANES],
    /// Event counters with UNKNOWN values.
    unknown: u32,
}

/// V of a design that shows its counters, or nothing of them: what the model expects, plus what a counter that is shown
/// is too high by in this cycle.
///
/// A counter in a cycle that writes it is compared as well: a write that goes wrong shows as a V that differs.
pub struct Translation {
    model: Model,
    form: Increments,
    /// By what counters were too high in the cycle before.
    excess: [u16; COUNTER_LANES],
    /// The last cycles, the newest last: as many as the latency of the increments.
    past: VecDeque<Expected>,
}

impl Translation {
    /// One from the first cycle on, for a design that shows what it shows of `increment` so many cycles late.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        implementation: &Implementation,
        latency: usize,
    ) -> Result<Self, ImplementationError> {
        Ok(Self {
            model: Model::new(implementation)?,
            form: implementation.wrapper.increments,
            excess: [0; COUNTER_LANES],
            past: vec![Expected::default(); latency].into(),
        })
    }

    /// Makes V of what the design shows in the next cycle.
    pub fn translate(&mut self, input: &CycleInput, output: &mut CycleOutput) {
        let now = self.expect(input, output.random_byte);
        self.past.push_back(now);
        if let Some(then) = self.past.pop_front() {
            self.correct(&mut output.increment, &then);
        }
    }

    fn expect(&mut self, input: &CycleInput, random: u8) -> Expected {
        let (mut output, mut unknown) = (CycleOutput::default(), Unknown::default());
        self.model
            .step(input, random, &mut output, &mut unknown, &mut NoTracer);
        let mut counters = [0; COUNTER_LANES];
        let (cycle_counter, events) = counters.split_last_mut().expect("32 lanes");
        for (n, counter) in Number::all().zip(events) {
            *counter = self.model.register(SysReg::Pmevcntr(n)) as u16;
        }
        *cycle_counter = self.model.register(SysReg::Pmccntr) as u16;
        Expected {
            increment: output.increment,
            counters,
            unknown: self.model.unknown_counters(),
        }
    }

    fn correct(&mut self, shown: &mut [u16; COUNTER_LANES], expected: &Expected) {
        for (n, lane) in shown.iter_mut().enumerate() {
            let known = self.form == Increments::Counters && expected.unknown >> n & 1 == 0;
            let excess = lane.wrapping_sub(expected.counters[n]);
            let excess = if known { excess } else { 0 };
            // One that is right again was written.
            let more = match excess {
                0 => 0,
                excess => excess.wrapping_sub(self.excess[n]),
            };
            self.excess[n] = excess;
            *lane = expected.increment[n].wrapping_add(more);
        }
    }
}

/// A design that shows its counters, or nothing of them, with V in place of that.
pub struct Translated {
    inner: Box<dyn Dut>,
    translation: Translation,
}

impl Translated {
    /// `dut`, which is one for `implementation`.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(
        dut: Box<dyn Dut>,
        implementation: &Implementation,
    ) -> Result<Self, ImplementationError> {
        let latency = usize::from(dut.parameters().latency_increment);
        Ok(Self {
            inner: dut,
            translation: Translation::new(implementation, latency)?,
        })
    }
}

impl Dut for Translated {
    fn parameters(&self) -> DutParameters {
        self.inner.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        let result = self.inner.run(inputs, outputs);
        let completed = result
            .as_ref()
            .map_or_else(|stop| stop.completed, |()| inputs.len());
        for (input, output) in inputs.iter().zip(outputs).take(completed) {
            self.translation.translate(input, output);
        }
        result
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        self.inner.trace_to(path, cycle)
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.inner.end_trace()
    }

    fn write_coverage(&mut self, path: &Path) -> Result<(), CoverageUnavailable> {
        self.inner.write_coverage(path)
    }

    fn pulse(&self) -> Pulse {
        self.inner.pulse()
    }

    fn finish(&mut self) -> Result<(), Stop> {
        self.inner.finish()
    }
}

#[cfg(test)]
mod tests {
    use pmu_model::Implementation;

    use super::super::ModelledDut;
    use super::*;
    use crate::lockstep::engine::Control;
    use crate::lockstep::{Lockstep, Outcome};
    use lockstep_stimulus::{Generator, Profile, StimulusError};

    /// An implementation whose design shows `form`.
    fn of(form: Increments) -> Implementation {
        let mut implementation = Implementation::default();
        implementation.wrapper.increments = form;
        implementation
    }

    /// Lockstep of the model with itself as a design of `form` with a latency: counters that are `extra` too high from
    /// cycle `from` on.
    fn run(form: Increments, latency: u8, from: u64, extra: u16) -> Outcome {
        let implementation = of(form);
        let mut twin = Model::new(&implementation).expect("legal");
        let fault = move |cycle: u64, input: &CycleInput, output: &mut CycleOutput| {
            let mut own = CycleOutput::default();
            let byte = output.random_byte;
            twin.step(
                input,
                byte,
                &mut own,
                &mut Unknown::default(),
                &mut NoTracer,
            );
            for (n, lane) in output.increment.iter_mut().enumerate() {
                let register = SysReg::pmevcntr(n as u8).unwrap_or(SysReg::Pmccntr);
                *lane = match form {
                    Increments::Shown => *lane,
                    Increments::Hidden => 0,
                    Increments::Counters => twin.register(register) as u16,
                };
            }
            if cycle >= from {
                output.increment[5] = output.increment[5].wrapping_add(extra);
            }
            Ok(())
        };
        let dut = ModelledDut::with_fault(&implementation, Box::new(fault)).expect("legal");
        let dut = Box::new(dut.with_latency(latency, latency));
        let dut = Box::new(Translated::new(dut, &implementation).expect("legal"));
        let stimulus = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let mut lockstep = Lockstep::new(&implementation, dut, stimulus.into(), 1).expect("legal");
        lockstep
            .run(20_000, &Control::default(), |_| Ok::<_, StimulusError>(()))
            .expect("no file is read")
    }

    #[test]
    fn dut_71_counters_agree_after_every_cycle() {
        for latency in [0, 2] {
            let outcome = run(Increments::Counters, latency, 0, 0);
            assert!(matches!(outcome, Outcome::Agree), "{outcome:?}");
        }
    }

    #[test]
    fn dut_71_a_counter_that_is_too_high_is_an_increment_that_is() {
        for latency in [0, 2] {
            let outcome = run(Increments::Counters, latency, 4321, 3);
            let Outcome::Diverged(divergence) = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!(divergence.about, 4321);
            let difference = divergence.differences[0];
            assert_eq!(difference.field.name(&divergence.input), "V[5]");
            assert_eq!(difference.rtl, difference.expected + 3);
        }
    }

    #[test]
    fn dut_71_hidden_increments_are_not_compared() {
        let outcome = run(Increments::Hidden, 0, 4321, 3);
        assert!(matches!(outcome, Outcome::Agree), "{outcome:?}");
    }
}
