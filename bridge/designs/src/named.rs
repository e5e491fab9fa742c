//! A design whose stops name files as the user does.

use std::path::Path;

use pmu_model::{CycleInput, CycleOutput, DutParameters};
use verilator_sys::shared::Names;

use super::open_error::OpenError;
use lockstep_engine::dut::{CoverageUnavailable, Dut, Pulse, Stop, TraceUnavailable};

/// A library is the same wherever its sources lie; this one knows what they are called here.
pub(super) struct Named {
    inner: Box<dyn Dut>,
    names: Names,
}

impl Named {
    pub(super) fn new(inner: Box<dyn Dut>, names: Names) -> Self {
        Self { inner, names }
    }
}

/// A stop before the first cycle, in a file by the name of here.
pub(super) fn named_stop(error: OpenError, names: &Names) -> OpenError {
    match error {
        OpenError::Stopped(stop) => OpenError::Stopped(named(stop, names)),
        OpenError::Late(stop) => OpenError::Late(named(stop, names)),
        error => error,
    }
}

/// A stop in a file by the name of here.
fn named(stop: Stop, names: &Names) -> Stop {
    Stop {
        file: names.of(&stop.file).to_owned(),
        ..stop
    }
}

impl Dut for Named {
    fn parameters(&self) -> DutParameters {
        self.inner.parameters()
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        let ran = self.inner.run(inputs, outputs);
        ran.map_err(|stop| named(stop, &self.names))
    }

    fn ahead(&self) -> usize {
        self.inner.ahead()
    }

    fn post(&mut self, inputs: &[CycleInput]) {
        self.inner.post(inputs);
    }

    fn take(&mut self, outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        let taken = self.inner.take(outputs);
        taken.map_err(|stop| named(stop, &self.names))
    }

    fn finish(&mut self) -> Result<(), Stop> {
        let finished = self.inner.finish();
        finished.map_err(|stop| named(stop, &self.names))
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
}
