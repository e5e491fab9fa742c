//! A design that is one of the mutants of its build.

use std::path::Path;

use pmu_lockstep::dut::{Dut, Pulse, Stop, TraceUnavailable};
use pmu_model::{CycleInput, CycleOutput, DutParameters};

use crate::instrument::mark;

/// Tells the design in every cycle which mutant it is.
pub struct Tagged {
    dut: Box<dyn Dut>,
    number: u16,
    inputs: Vec<CycleInput>,
}

impl Tagged {
    pub fn new(dut: Box<dyn Dut>, number: u16) -> Self {
        Self {
            dut,
            number,
            inputs: Vec::new(),
        }
    }

    fn tag(&mut self, inputs: &[CycleInput]) {
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
        for input in &mut self.inputs {
            mark(input, self.number);
        }
    }
}

impl Dut for Tagged {
    fn parameters(&self) -> DutParameters {
        self.dut.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.tag(inputs);
        self.dut.run(&self.inputs, outputs)
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        self.dut.trace_to(path, cycle)
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.dut.end_trace()
    }

    fn pulse(&self) -> Pulse {
        self.dut.pulse()
    }

    fn ahead(&self) -> usize {
        self.dut.ahead()
    }

    fn post(&mut self, inputs: &[CycleInput]) {
        self.tag(inputs);
        self.dut.post(&self.inputs);
    }

    fn take(&mut self, outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.dut.take(outputs)
    }

    fn finish(&mut self) -> Result<(), Stop> {
        self.dut.finish()
    }
}
