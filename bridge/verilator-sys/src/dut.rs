//! One instance of a design.

use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cxx::UniquePtr;
use libloading::os::unix::Library;

use crate::PortSizes;
use crate::ffi::bridge;
use crate::stop::DutStop;

/// One instance of a Verilated design, made by a [`DutLibrary`](crate::DutLibrary).
///
/// It can move to another thread. After a stop it stays stopped.
pub struct Dut {
    // Dropped in this order: the instance before what it points to.
    inner: UniquePtr<bridge::Dut>,
    progress: Arc<AtomicU64>,
    sizes: PortSizes,
    /// What made it, if it counts coverage.
    covers: Option<Covers>,
    _loaded: Option<Arc<Library>>,
}

/// A library that made an instance, and writes its coverage.
struct Covers(*const bridge::DutLibrary);

// SAFETY: it points to a constant that is never written.
unsafe impl Send for Covers {}

/// Why coverage could not be written.
#[derive(Debug, thiserror::Error)]
pub enum CoverageError {
    /// The design was built without.
    #[error("[coverage] expected a design built with coverage for {path}, found one without")]
    NotCovered {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("[coverage] expected to write {path}, found: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Why a trace could not be written.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The instance was made by [`DutLibrary::create`](crate::DutLibrary::create).
    #[error("[trace] expected an instance built with tracing for {path}, found one without")]
    NotTraced {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be written.
    #[error("[trace] expected to write {path}, found: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A trace could not be completed, as when the disk is full.
    #[error("[trace] expected to complete the trace, found: {source}")]
    Close {
        /// The system's reason.
        source: io::Error,
    },
}

impl Dut {
    pub(crate) fn new(
        inner: UniquePtr<bridge::Dut>,
        sizes: PortSizes,
        covers: Option<*const bridge::DutLibrary>,
        loaded: Option<Arc<Library>>,
    ) -> Dut {
        let progress = Arc::new(AtomicU64::new(0));
        let mut dut = Dut {
            inner,
            progress,
            sizes,
            covers: covers.map(Covers),
            _loaded: loaded,
        };
        let counter = dut.progress.as_ptr();
        // SAFETY: `progress` is dropped after `inner`, and other holders only make it live longer.
        unsafe { bridge::set_heartbeat(dut.inner.pin_mut(), counter) };
        dut
    }

    /// Clocks the design once per input, in one call.
    ///
    /// `inputs` holds one value of `cycle_input_i` per cycle without gaps, `outputs` takes as many
    /// values of `cycle_output_o`. Objects of classes that the design lets go are freed by the next call.
    ///
    /// # Errors
    /// If the design stops: `completed` of the [`DutStop`] outputs are valid, the others untouched.
    /// Every later call returns the same stop with none completed.
    ///
    /// # Panics
    /// If the lengths are not multiples of [`sizes`](Dut::sizes) by the same number of cycles.
    pub fn run(&mut self, inputs: &[u8], outputs: &mut [u8]) -> Result<(), DutStop> {
        let cycles = inputs.len() / self.sizes.input;
        assert_eq!(inputs.len(), cycles * self.sizes.input, "whole inputs");
        assert_eq!(
            outputs.len(),
            cycles * self.sizes.output,
            "one output for each input"
        );
        // SAFETY: the lengths were checked.
        let completed = unsafe { bridge::run(self.inner.pin_mut(), inputs, outputs, cycles) };
        if completed == cycles && !(cycles == 0 && bridge::stopped(&self.inner)) {
            return Ok(());
        }
        Err(DutStop::new(bridge::stop(&self.inner), completed))
    }

    /// Clocks the design as a testbench in plain C++ does, with Verilator's `eval()` at either edge and no look at any
    /// output: what [`run`](Dut::run), and everything around it, is measured against. Nothing is traced.
    ///
    /// # Returns
    /// Cycles completed; fewer than there are inputs if the design stopped.
    ///
    /// # Panics
    /// If the length is no multiple of the input's size.
    pub fn run_bare(&mut self, inputs: &[u8]) -> usize {
        let cycles = inputs.len() / self.sizes.input;
        assert_eq!(inputs.len(), cycles * self.sizes.input, "whole inputs");
        // SAFETY: the length was checked.
        unsafe { bridge::run_bare(self.inner.pin_mut(), inputs, cycles) }
    }

    /// What stopped the design; `None` if it can go on.
    pub fn stop(&self) -> Option<DutStop> {
        bridge::stopped(&self.inner).then(|| DutStop::new(bridge::stop(&self.inner), 0))
    }

    /// The value of `parameters_o`.
    pub fn parameters(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.sizes.parameters];
        // SAFETY: the slice has the size of the port.
        unsafe { bridge::parameters(&self.inner, &mut bytes) };
        bytes
    }

    /// Sizes of the ports.
    pub fn sizes(&self) -> PortSizes {
        self.sizes
    }

    /// Cycles completed since the instance was made.
    pub fn cycles(&self) -> u64 {
        bridge::cycles(&self.inner)
    }

    /// Gives the next cycle a number, for a design that runs a stretch of a longer run: traces, stops and
    /// [`progress`](Dut::progress) follow it.
    pub fn set_cycle(&mut self, cycle: u64) {
        bridge::set_cycle(self.inner.pin_mut(), cycle);
    }

    /// The number of completed cycles, stored after every cycle also while [`run`](Dut::run) is at
    /// work: a supervisor on another thread that sees it stand still has found a hang.
    pub fn progress(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.progress)
    }

    /// Stores the number of completed cycles in `counter` instead, such as a word of
    /// [`SharedMemory`](crate::SharedMemory), where it outlives this process; [`progress`](Dut::progress) stands still
    /// from here on.
    pub fn set_progress(&mut self, counter: &'static AtomicU64) {
        counter.store(self.cycles(), Ordering::Relaxed);
        // SAFETY: a static counter outlives the instance.
        unsafe { bridge::set_heartbeat(self.inner.pin_mut(), counter.as_ptr()) };
    }

    /// Starts a value change dump at `path`, of every signal and from here on. A dump that is
    /// open is completed first.
    ///
    /// Cycle *k*, counted since the instance was made, begins with the rising edge at 10·*k* ns and
    /// has its falling edge at 10·*k* + 5 ns. If cycles were completed before, the dump begins
    /// with the state that the last one left, at its falling edge, so that the first rising edge
    /// is one to a viewer.
    ///
    /// # Errors
    /// [`TraceError`]; the instance can go on without trace.
    pub fn trace_open(&mut self, path: &Path) -> Result<(), TraceError> {
        self.trace_close()?;
        cxx::let_cxx_string!(name = path.as_os_str().as_bytes());
        match bridge::trace_open(self.inner.pin_mut(), &name) {
            0 => Ok(()),
            -1 => Err(TraceError::NotTraced {
                path: path.to_owned(),
            }),
            errno => Err(TraceError::Io {
                path: path.to_owned(),
                source: io::Error::from_raw_os_error(errno),
            }),
        }
    }

    /// Completes the dump. Without one, nothing happens.
    ///
    /// # Errors
    /// [`TraceError::Close`] if a part could not be written.
    pub fn trace_close(&mut self) -> Result<(), TraceError> {
        match bridge::trace_close(self.inner.pin_mut()) {
            0 => Ok(()),
            errno => Err(TraceError::Close {
                source: io::Error::from_raw_os_error(errno),
            }),
        }
    }

    /// Writes how often each point of its coverage was hit so far, in Verilator's format: a line each, files by the names
    /// that stops have. A disk that is full cuts the file; who reads it sees that.
    ///
    /// # Errors
    /// [`CoverageError`]; the instance can go on.
    pub fn write_coverage(&mut self, path: &Path) -> Result<(), CoverageError> {
        let Some(Covers(library)) = self.covers else {
            return Err(CoverageError::NotCovered {
                path: path.to_owned(),
            });
        };
        cxx::let_cxx_string!(name = path.as_os_str().as_bytes());
        // SAFETY: the library made this instance, which keeps its code loaded, and covers.
        match unsafe { bridge::write_coverage(library, self.inner.pin_mut(), &name) } {
            0 => Ok(()),
            errno => Err(CoverageError::Io {
                path: path.to_owned(),
                source: io::Error::from_raw_os_error(errno),
            }),
        }
    }

    /// What the design printed since the last call: `$display`, messages of `$error` and the like,
    /// warnings of the run time. At least the newest megabyte is kept; a first line tells how much is gone.
    pub fn take_log(&mut self) -> String {
        let text = bridge::log(&self.inner);
        let dropped = bridge::log_dropped(&self.inner);
        bridge::clear_log(self.inner.pin_mut());
        if dropped == 0 {
            text
        } else {
            format!("[DUT log] {dropped} bytes dropped\n{text}")
        }
    }

    /// Runs the design's final blocks, once, and completes the trace; nothing runs afterwards. What they print is in
    /// the [log](Dut::take_log). Dropping the instance does the same in silence.
    ///
    /// # Errors
    /// A stop in a final block. That of an earlier [`run`](Dut::run) is not told again.
    pub fn finish(&mut self) -> Result<(), DutStop> {
        let stopped_before = bridge::stopped(&self.inner);
        bridge::finish(self.inner.pin_mut());
        match self.stop() {
            Some(stop) if !stopped_before => Err(stop),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for Dut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Dut")
            .field("cycles", &self.cycles())
            .field("stop", &self.stop())
            .finish_non_exhaustive()
    }
}
