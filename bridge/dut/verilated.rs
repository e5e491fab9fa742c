//! A Verilated design.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::{cast_slice, cast_slice_mut, pod_read_unaligned};
use pmu_model::{CycleInput, CycleOutput, DutParameters};
use verilator_sys::{CreateError, DutLibrary, DutStop};

use super::printed;
use super::{Counter, Dut, Pulse, Stop, StopKind, TraceUnavailable};

/// A Verilated design, linked in or loaded.
pub struct VerilatedDut {
    inner: verilator_sys::Dut,
    parameters: DutParameters,
    running: Arc<AtomicBool>,
    /// Places of combinational loops that Verilator warned of.
    loops: Vec<String>,
}

impl VerilatedDut {
    /// Makes an instance of a design whose ports have the contract's sizes.
    ///
    /// # Errors
    /// It stopped in an initial block, was not built with tracing, or there is no memory for it.
    pub fn new(library: &DutLibrary, traced: bool) -> Result<Self, CreateError> {
        let made = match traced {
            true => library.create_traced(),
            false => library.create(),
        };
        let inner = made.inspect_err(|error| {
            if let CreateError::Stopped { printed, .. } = error {
                // A stop has its message.
                printed::print(printed, false);
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
}

/// A stop; `loops` are those that Verilator warned of, which matter if logic does not settle.
pub(super) fn stop_of(stop: DutStop, loops: &[String]) -> Stop {
    with_loops(Stop::from(stop), loops)
}

/// The same of a stop that was told.
pub(crate) fn with_loops(mut stop: Stop, loops: &[String]) -> Stop {
    if stop.kind == StopKind::Unsettled && !loops.is_empty() {
        let separator = if stop.message.is_empty() { "" } else { "; " };
        let loops = named(loops);
        stop.message += &format!("{separator}when it was built, Verilator warned of {loops}");
    }
    stop
}

/// Some loops in a sentence.
fn named(loops: &[String]) -> String {
    const SHOWN: usize = 4;
    let more = match loops.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more (UNOPTFLAT)"),
    };
    let shown: Vec<_> = loops.iter().take(SHOWN).map(String::as_str).collect();
    shown.join("; ") + &more
}

impl Dut for VerilatedDut {
    fn parameters(&self) -> DutParameters {
        self.parameters
    }

    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        self.running.store(true, Ordering::Relaxed);
        let result = self.inner.run(cast_slice(inputs), cast_slice_mut(outputs));
        self.running.store(false, Ordering::Relaxed);
        let printed = self.inner.take_log();
        if !printed.is_empty() {
            // A stop has its message.
            printed::print(&printed, result.is_ok());
        }
        result.map_err(|stop| stop_of(stop, &self.loops))
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
            cycles: Counter::Own(self.inner.progress()),
            running: Arc::clone(&self.running),
        }
    }
}

impl From<DutStop> for Stop {
    fn from(stop: DutStop) -> Self {
        use verilator_sys::StopKind as Verilator;
        let kind = match stop.kind {
            Verilator::Finish => StopKind::Finish,
            Verilator::Stop => StopKind::Stop,
            Verilator::Fatal => StopKind::Fatal,
            Verilator::Assertion => StopKind::Assertion,
            Verilator::NotConverged => StopKind::Unsettled,
            Verilator::RunTime => StopKind::Simulator,
        };
        let message = match (stop.scope.is_empty(), stop.message.is_empty()) {
            (true, _) => stop.message,
            (false, true) => format!("in {}", stop.scope),
            (false, false) => format!("{} (in {})", stop.message, stop.scope),
        };
        Self {
            kind,
            completed: stop.completed,
            message,
            file: stop.file.display().to_string(),
            line: stop.line,
        }
    }
}
