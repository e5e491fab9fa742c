//! A design whose coverage is written when it is taken down.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use pmu_model::{CycleInput, CycleOutput, DutParameters};

use lockstep_engine::dut::{CoverageUnavailable, Dut, Pulse, Stop, TraceUnavailable};

/// What became of the coverage of a design, once that is taken down.
pub type Written = Arc<OnceLock<Result<(), CoverageUnavailable>>>;

/// A design that counts coverage, which goes to a file before its final blocks run.
pub struct Covered {
    inner: Box<dyn Dut>,
    path: PathBuf,
    written: Written,
}

impl Covered {
    /// `inner`, whose coverage goes to `path`.
    pub fn new(inner: Box<dyn Dut>, path: PathBuf) -> Self {
        Self {
            inner,
            path,
            written: Written::default(),
        }
    }

    /// Where that is told.
    pub fn written(&self) -> Written {
        Arc::clone(&self.written)
    }
}

impl Dut for Covered {
    fn parameters(&self) -> DutParameters {
        self.inner.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.inner.run(inputs, outputs)
    }

    fn ahead(&self) -> usize {
        self.inner.ahead()
    }

    fn post(&mut self, inputs: &[CycleInput]) {
        self.inner.post(inputs);
    }

    fn take(&mut self, outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.inner.take(outputs)
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
        let (inner, path) = (&mut self.inner, &self.path);
        self.written.get_or_init(|| inner.write_coverage(path));
        self.inner.finish()
    }
}
