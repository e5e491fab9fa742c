//! The design under test, behind one interface (`docs/dut-contract.md`).

pub mod chosen;
mod file_list;
mod identifier;
mod knobs;
mod modelled;
mod parameters;
mod stated;
mod translated;
mod wrapper_parameters;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pmu_model::{CycleInput, CycleOutput, DutParameters};
use serde::{Deserialize, Serialize};

use lockstep_base::verdict::Verdict;

pub use file_list::{FileList, FileListError, ListProblem};
pub use identifier::is_identifier;
pub use knobs::{KnobMismatch, check_knobs};
pub use modelled::ModelledDut;
pub use parameters::{ParameterMismatch, check_parameters};
pub use stated::{ContractMismatch, Stated, check_contract};
pub use translated::{Translated, Translation};
pub use wrapper_parameters::wrapper_parameters;

/// Cycles in a batch: long enough that a batch's fixed costs do not show, short enough that all of it, 110 KiB, stays in
/// the caches beside the design and the model. `make bench` decides.
pub const BATCH: usize = 256;

/// Nanoseconds of a clock cycle in the time of a design: cycle *k*'s rising edge is at `CYCLE_NS` * *k*.
pub const CYCLE_NS: u64 = 10;

/// A design that makes one [`CycleOutput`] of each [`CycleInput`].
pub trait Dut: Send {
    /// The parameters that the design states.
    fn parameters(&self) -> DutParameters;

    /// Runs as many cycles as there are inputs.
    ///
    /// # Errors
    /// The design stopped; the outputs of [`Stop::completed`] cycles are valid.
    fn run(&mut self, inputs: &[CycleInput], outputs: &mut [CycleOutput]) -> Result<(), Stop>;

    /// Starts writing the following cycles to a VCD file, the next one as number `cycle` of the run. Cycle
    /// *k*'s rising edge is at 10 *k* ns.
    ///
    /// # Errors
    /// The design cannot trace, or the file cannot be written.
    fn trace_to(&mut self, path: &Path, cycle: u64) -> Result<(), TraceUnavailable>;

    /// Ends the VCD file.
    ///
    /// # Errors
    /// The file could not be written to its end.
    fn end_trace(&mut self) -> Result<(), TraceUnavailable>;

    /// Writes how often each line and each change of a bit of its RTL was counted so far, in Verilator's format.
    ///
    /// # Errors
    /// The design was not built to count, or the file cannot be written.
    fn write_coverage(&mut self, _path: &Path) -> Result<(), CoverageUnavailable> {
        Err(CoverageUnavailable("the design counts none".into()))
    }

    /// What a supervisor may look at from another thread.
    fn pulse(&self) -> Pulse;

    /// How many batches may be [posted](Dut::post) before the first is taken; with 0, none.
    fn ahead(&self) -> usize {
        0
    }

    /// Has a batch run elsewhere, and goes on. A design with [`ahead`](Dut::ahead) of 0 need not know this.
    fn post(&mut self, _inputs: &[CycleInput]) {}

    /// The outputs of the batch that was posted first, as [`run`](Dut::run) has them. `outputs` is as long as its inputs.
    ///
    /// # Errors
    /// Those of [`run`](Dut::run).
    fn take(&mut self, _outputs: &mut [CycleOutput]) -> Result<(), Stop> {
        Ok(())
    }

    /// Takes the design down: its final blocks run. Nothing runs afterwards. Dropping does the same in silence.
    ///
    /// # Errors
    /// That ended its process.
    fn finish(&mut self) -> Result<(), Stop> {
        Ok(())
    }
}

/// Something that counts completed cycles in memory of another process.
pub trait Completed: std::fmt::Debug + Send + Sync {
    /// What the counter says, as far as it can be believed.
    fn completed(&self) -> u64;
}

/// A counter that another thread may read.
#[derive(Clone, Debug)]
pub enum Counter {
    /// In memory of this process.
    Own(Arc<AtomicU64>),
    /// In memory that another process counts in.
    Remote(Arc<dyn Completed>),
}

impl Default for Counter {
    fn default() -> Self {
        Self::Own(Arc::default())
    }
}

impl Counter {
    /// What it says now.
    pub fn load(&self) -> u64 {
        match self {
            Self::Own(counter) => counter.load(Ordering::Relaxed),
            Self::Remote(counter) => counter.completed(),
        }
    }

    /// So many cycles more, where this process counts them.
    pub fn add(&self, cycles: u64) {
        if let Self::Own(counter) = self {
            counter.fetch_add(cycles, Ordering::Relaxed);
        }
    }
}

/// Signs of life of a design: cycles completed, and whether it is being run now.
#[derive(Clone, Debug, Default)]
pub struct Pulse {
    /// Cycles completed since the design was made.
    pub cycles: Counter,
    /// A batch is being run.
    pub running: Arc<AtomicBool>,
}

/// Why a design stopped (DUT-40).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopKind {
    /// `$fatal`.
    Fatal,
    /// `$stop`.
    Stop,
    /// `$finish` before the end of the run.
    Finish,
    /// An assertion, or `$error`.
    Assertion,
    /// Logic that does not settle: a combinational loop (DUT-43).
    Unsettled,
    /// The simulator itself.
    Simulator,
    /// It ended its process (DUT-42).
    Ended,
    /// A signal ended its process that tells of a mistake in its code (DUT-42).
    Crash,
    /// Another signal ended its process.
    Killed,
    /// It does not come back (DUT-41).
    Hang,
}

impl StopKind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Fatal => "$fatal",
            Self::Stop => "$stop",
            Self::Finish => "$finish before the end of the run",
            Self::Assertion => "a failed assertion or $error",
            Self::Unsettled => "logic that does not settle, a combinational loop",
            Self::Simulator => "a run-time error of the simulation",
            Self::Ended => "ending its process",
            Self::Crash => "a crash",
            Self::Killed => "a signal from outside",
            Self::Hang => "not coming back",
        }
    }
}

impl Stop {
    /// What to call a run that ends so: a loop that does not settle (DUT-43) is a verdict of its own.
    pub fn verdict(&self) -> Verdict {
        match self.kind {
            StopKind::Unsettled => Verdict::Unsettled,
            StopKind::Crash => Verdict::Crash,
            StopKind::Killed => Verdict::Infrastructure,
            StopKind::Hang => Verdict::Hang,
            _ => Verdict::Stopped,
        }
    }

    /// One with nothing but a message.
    pub fn of(kind: StopKind, message: &str) -> Self {
        Self {
            kind,
            completed: 0,
            message: message.into(),
            file: String::new(),
            line: 0,
        }
    }

    /// Whether the process of the design is not there any more, so that nothing of this design runs again.
    pub fn ended_its_process(&self) -> bool {
        self.kind == StopKind::Ended || self.died()
    }

    /// Whether that was no deed of the design: a signal came, or it does not come back.
    pub fn died(&self) -> bool {
        use StopKind::{Crash, Hang, Killed};
        matches!(self.kind, Crash | Killed | Hang)
    }
}

/// A design that stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{}", start(self.kind), details(self))]
pub struct Stop {
    /// Why.
    pub kind: StopKind,
    /// Cycles of the batch that were completed before.
    pub completed: usize,
    /// The design's message.
    pub message: String,
    /// Source file, empty if not known.
    pub file: String,
    /// Line in it.
    pub line: u32,
}

fn start(kind: StopKind) -> String {
    match kind {
        StopKind::Ended => "the design ended the process".into(),
        kind => format!("the design stopped by {}", kind.words()),
    }
}

/// Place and message of a stop, as far as they are known.
fn details(stop: &Stop) -> String {
    let mut text = String::new();
    if !stop.file.is_empty() {
        text.push_str(&format!(" at {}:{}", stop.file, stop.line));
    }
    if !stop.message.is_empty() {
        text.push_str(&format!(": {}", stop.message));
    }
    text
}

/// Coverage of the RTL that cannot be had.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no coverage of the RTL: {0}")]
pub struct CoverageUnavailable(pub String);

/// A waveform that cannot be had.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no waveform: {0}")]
pub struct TraceUnavailable(pub String);
