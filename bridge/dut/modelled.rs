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
            self.model.step(
                input,
                0,
                &mut output,
                &mut Unknown::default(),
                &mut pmu_model::NoTracer,
            );
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
            let access = past(self.parameters.latency_access);
            *shown = CycleOutput {
                increment: past(self.parameters.latency_increment).increment,
                ..access
            };
            let depth = self
                .parameters
                .latency_increment
                .max(self.parameters.latency_access);
            self.late.truncate(usize::from(depth) + 1);
            self.pulse.cycles.fetch_add(1, Ordering::Relaxed);
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
