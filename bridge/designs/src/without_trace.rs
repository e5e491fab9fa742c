//! A design that runs without a waveform where one with it cannot be had.

use std::path::Path;

use pmu_model::{CycleInput, CycleOutput, DutParameters};

use lockstep_engine::dut::{Dut, Pulse, Stop, TraceUnavailable};

/// A design as it is, but for waveforms, which it does not write: `why` is told instead.
pub struct WithoutTrace {
    inner: Box<dyn Dut>,
    why: String,
}

impl WithoutTrace {
    /// `inner` without waveforms.
    pub fn new(inner: Box<dyn Dut>, why: String) -> Self {
        Self { inner, why }
    }

    fn unavailable(&self) -> Result<(), TraceUnavailable> {
        Err(TraceUnavailable(self.why.clone()))
    }
}

impl Dut for WithoutTrace {
    fn parameters(&self) -> DutParameters {
        self.inner.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.inner.run(inputs, outputs)
    }

    fn trace_to(&mut self, _: &Path, _: u64) -> Result<(), TraceUnavailable> {
        self.unavailable()
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.unavailable()
    }

    fn pulse(&self) -> Pulse {
        self.inner.pulse()
    }

    fn finish(&mut self) -> Result<(), Stop> {
        self.inner.finish()
    }
}
