//! A Verilated design.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::{cast_slice, cast_slice_mut, pod_read_unaligned};
use pmu_model::{CycleInput, CycleOutput, DutParameters};
use verilator_sys::DutStop;

use super::{Dut, Pulse, Stop, StopKind, TraceUnavailable};

/// A Verilated design, linked in or loaded.
pub struct VerilatedDut {
    inner: verilator_sys::Dut,
    parameters: DutParameters,
    running: Arc<AtomicBool>,
}

impl VerilatedDut {
    /// Takes an instance whose ports have the contract's sizes.
    pub fn new(inner: verilator_sys::Dut) -> Self {
        let parameters = pod_read_unaligned(&inner.parameters());
        Self {
            inner,
            parameters,
            running: Arc::default(),
        }
    }
}

impl Dut for VerilatedDut {
    fn parameters(&self) -> DutParameters {
        self.parameters
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.running.store(true, Ordering::Relaxed);
        let result = self.inner.run(cast_slice(inputs), cast_slice_mut(outputs));
        self.running.store(false, Ordering::Relaxed);
        // What the design prints goes to the user as it would in any simulation; standard output is for results.
        let printed = self.inner.take_log();
        if !printed.is_empty() && result.is_ok() {
            eprint!("{printed}");
        }
        result.map_err(stop)
    }

    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable> {
        self.inner.set_cycle(cycle);
        self.inner
            .trace_open(path)
            .map_err(|error| TraceUnavailable(error.to_string()))
    }

    fn end_trace(&mut self) -> Result<(), TraceUnavailable> {
        self.inner
            .trace_close()
            .map_err(|error| TraceUnavailable(error.to_string()))
    }

    fn pulse(&self) -> Pulse {
        Pulse {
            cycles: self.inner.progress(),
            running: Arc::clone(&self.running),
        }
    }
}

fn stop(stop: DutStop) -> Stop {
    use verilator_sys::StopKind as Verilator;
    let kind = match stop.kind {
        Verilator::Finish => StopKind::Finish,
        Verilator::Stop => StopKind::Stop,
        Verilator::Fatal => StopKind::Fatal,
        Verilator::Assertion => StopKind::Assertion,
        Verilator::NotConverged | Verilator::RunTime => StopKind::Simulator,
    };
    let message = match (stop.scope.is_empty(), stop.message.is_empty()) {
        (true, _) => stop.message,
        (false, true) => format!("in {}", stop.scope),
        (false, false) => format!("{} (in {})", stop.message, stop.scope),
    };
    Stop {
        kind,
        completed: stop.completed,
        message,
        file: stop.file.display().to_string(),
        line: stop.line,
    }
}
