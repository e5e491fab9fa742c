//! A Verilated design.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::{cast_slice, cast_slice_mut, pod_read_unaligned};
use pmu_model::{CycleInput, CycleOutput, DutParameters};
use verilator_sys::{CreateError, DutLibrary, DutStop};

use super::printed;
use super::stops::{in_final_block, plain, with_loops};
use lockstep_engine::dut::{Counter, CoverageUnavailable, Dut, Pulse, Stop, TraceUnavailable};

/// A Verilated design, linked in or loaded.
pub struct VerilatedDut {
    inner: verilator_sys::Dut,
    parameters: DutParameters,
    running: Arc<AtomicBool>,
    /// Places of combinational loops that Verilator warned of.
    loops: Vec<String>,
}

impl VerilatedDut {
    /// Makes an instance of a design whose ports have the contract's sizes, which begins with zeros or with state `start`.
    ///
    /// # Errors
    /// It stopped in an initial block, was not built with tracing or for such states, or there is no memory for it.
    pub fn new(
        library: &DutLibrary,
        traced: bool,
        start: Option<NonZeroU32>,
    ) -> Result<Self, CreateError> {
        let made = library.create_from(start, traced, None);
        let inner = made.inspect_err(|error| {
            if let CreateError::Stopped { printed, .. } = error {
                // A stop has its message.
                printed::print(printed.as_bytes(), false);
            }
        })?;
        let parameters = pod_read_unaligned(&inner.parameters());
        Ok(Self {
            inner,
            parameters,
            running: Arc::default(),
            loops: Vec::new(),
        })
    }

    /// The same; a stop because logic does not settle names `loops`, of which Verilator warned.
    #[must_use]
    pub(super) fn with_loops(mut self, loops: &[String]) -> Self {
        self.loops = loops.to_vec();
        self
    }

    /// Has printed what the design printed, and tells its stop, which `words` is for.
    fn told(
        &mut self,
        result: Result<(), DutStop>,
        words: fn(DutStop) -> Stop,
    ) -> Result<(), Stop> {
        let printed = self.inner.take_log();
        if !printed.is_empty() {
            // A stop has its message.
            printed::print(printed.as_bytes(), result.is_ok());
        }
        result.map_err(|stop| with_loops(words(stop), &self.loops))
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
        self.told(result, plain)
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

    fn write_coverage(&mut self, path: &Path) -> Result<(), CoverageUnavailable> {
        self.inner
            .write_coverage(path)
            .map_err(|error| CoverageUnavailable(error.to_string()))
    }

    fn finish(&mut self) -> Result<(), Stop> {
        let finished = self.inner.finish();
        self.told(finished, in_final_block)
    }

    fn pulse(&self) -> Pulse {
        Pulse {
            cycles: Counter::Own(self.inner.progress()),
            running: Arc::clone(&self.running),
        }
    }
}
