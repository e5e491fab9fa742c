//! A design made of the model itself, with a fault of the caller's choice: to test everything around a design
//! without RTL.

use std::path::Path;
use std::sync::atomic::Ordering;

use pmu_model::{
    CycleInput, CycleOutput, DutParameters, Implementation, ImplementationError, Model, Unknown,
};

use super::{Dut, Pulse, Stop, TraceUnavailable};

/// Changes what a cycle shows: number of the cycle, its input, and the output to change.
pub type Fault = Box<dyn FnMut(u64, &CycleInput, &mut CycleOutput) -> Result<(), Stop> + Send>;

/// The model as a design.
pub struct ModelledDut {
    model: Model,
    parameters: DutParameters,
    fault: Fault,
    pulse: Pulse,
    random: RandomBytes,
    /// Outputs of the last cycles, for latencies.
    late: Vec<CycleOutput>,
}

impl ModelledDut {
    /// A design that is right.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn new(implementation: &Implementation) -> Result<Self, ImplementationError> {
        Self::with_fault(implementation, Box::new(|_, _, _| Ok(())))
    }

    /// A design with a fault.
    ///
    /// # Errors
    /// The implementation is impossible.
    pub fn with_fault(
        implementation: &Implementation,
        fault: Fault,
    ) -> Result<Self, ImplementationError> {
        Ok(Self {
            model: Model::new(implementation)?,
            parameters: DutParameters::of(implementation),
            fault,
            pulse: Pulse::default(),
            random: RandomBytes::default(),
            late: Vec::new(),
        })
    }

    /// Makes the design show `increment` and the access group later by so many cycles.
    #[must_use]
    pub fn with_latency(mut self, increment: u8, access: u8) -> Self {
        self.parameters.latency_increment = increment;
        self.parameters.latency_access = access;
        self
    }

    /// Makes the design show group SPE later by so many cycles.
    #[must_use]
    pub fn with_latency_of_spe(mut self, spe: u8) -> Self {
        self.parameters.latency_spe = spe;
        self
    }
}

/// A random number generator, which a reset brings into its first state (DUT-11): xorshift64*.
struct RandomBytes(u64);

impl Default for RandomBytes {
    fn default() -> Self {
        Self(0x9E37_79B9_7F4A_7C15)
    }
}

impl RandomBytes {
    /// The byte that the next draw returns.
    fn next(&self) -> u8 {
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56) as u8
    }

    fn take(&mut self, bytes: u8) {
        for _ in 0..bytes {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
        }
    }
}

impl Dut for ModelledDut {
    fn parameters(&self) -> DutParameters {
        self.parameters
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.pulse.running.store(true, Ordering::Relaxed);
        for (index, (input, shown)) in inputs.iter().zip(outputs).enumerate() {
            let cycle = self.model.cycle();
            let mut output = CycleOutput::default();
            if input.is_reset() {
                self.random = RandomBytes::default();
            }
            self.model.step(
                input,
                self.random.next(),
                &mut output,
                &mut Unknown::default(),
                &mut pmu_model::NoTracer,
            );
            self.random.take(output.random_drawn);
            (self.fault)(cycle, input, &mut output).map_err(|stop| Stop {
                completed: index,
                ..stop
            })?;
            self.late.insert(0, output);
            let past = |latency: u8| {
                self.late
                    .get(usize::from(latency))
                    .copied()
                    .unwrap_or_default()
            };
            let DutParameters {
                latency_increment,
                latency_access,
                latency_spe,
                ..
            } = self.parameters;
            *shown = past(latency_spe)
                .with(&CycleOutput::INCREMENTS, &past(latency_increment))
                .with(&CycleOutput::ACCESS, &past(latency_access));
            let depth = latency_increment.max(latency_access).max(latency_spe);
            self.late.truncate(usize::from(depth) + 1);
            self.pulse.cycles.add(1);
        }
        self.pulse.running.store(false, Ordering::Relaxed);
        Ok(())
    }

    fn trace_to(&mut self, _: &Path, _: u64) -> Result<(), TraceUnavailable> {
        Err(TraceUnavailable(
            "the model as a design has no signals".into(),
        ))
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        Ok(())
    }

    fn pulse(&self) -> Pulse {
        self.pulse.clone()
    }
}
