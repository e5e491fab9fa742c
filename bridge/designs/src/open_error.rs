//! Why a design cannot be had.

use std::io;
use std::path::PathBuf;

use pmu_model::ImplementationError;
use verilator_sys::find::FindError;
use verilator_sys::shared::SharedDutError;
use verilator_sys::verilate::VerilateError;
use verilator_sys::{BuildError, CompileError, CreateError, LoadError};

use super::folder_error::FolderError;
use crate::isolation::StartError;
use lockstep_base::verdict::Verdict;
use lockstep_engine::dut::{ContractMismatch, FileListError, ParameterMismatch, Stop};

/// A design that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No Verilator.
    #[error(transparent)]
    Find(#[from] FindError),
    /// It does not build or load.
    #[error(transparent)]
    Build(#[from] SharedDutError),
    /// It cannot be instantiated.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The bundled design in this program is not usable.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It stopped in an initial block (DUT-40, DUT-43).
    #[error("in its initial blocks, before the first cycle, {0}")]
    Stopped(Stop),
    /// It stopped, ended or hangs when it was taken down again (DUT-40 to DUT-42).
    #[error("when it was taken down, without a cycle, {0}")]
    Late(Stop),
    /// Its process ended (DUT-42).
    #[error("{0}")]
    Ended(Stop),
    /// It does not come back from its initial blocks (DUT-41).
    #[error(
        "the design does not come back from its initial blocks, before the first cycle: no progress for {seconds} s; look for a loop \
         without delay (delays are not simulated), or raise --hang-after"
    )]
    Hang {
        /// Time that it had.
        seconds: u64,
    },
    /// Another design than configured.
    #[error(transparent)]
    Parameters(#[from] ParameterMismatch),
    /// A configuration that no design can have.
    #[error(transparent)]
    Implementation(#[from] ImplementationError),
    /// Another contract than that of this program.
    #[error(transparent)]
    Contract(#[from] ContractMismatch),
    /// There is no process for it.
    #[error(transparent)]
    Process(#[from] StartError),
    /// A file list that cannot be used.
    #[error(transparent)]
    FileList(#[from] FileListError),
    /// A folder of `lockstep build` that cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its files cannot be read.
    #[error("{}: {source}; name SystemVerilog files, or a folder of them, with --rtl", path.display())]
    Read {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// The cache cannot be written.
    #[error(
        "[cache] expected a folder for built designs that can be written, found at {}: {source}; set LOCKSTEP_CACHE to \
         another folder", path.display()
    )]
    Cache {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
}

impl From<BuildError> for OpenError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Cache { path, source } => Self::Cache { path, source },
            error => Self::Build(error.into()),
        }
    }
}

impl OpenError {
    /// What to call it: the user's files, a design that stops at once, or the machine.
    pub fn verdict(&self) -> Verdict {
        match self {
            Self::Parameters(_)
            | Self::Implementation(_)
            | Self::Contract(_)
            | Self::FileList(_)
            | Self::Read { .. } => Verdict::Usage,
            Self::Build(SharedDutError::Build(
                BuildError::Port(_)
                | BuildError::Compile(CompileError::Undefined { .. })
                | BuildError::Verilate(
                    VerilateError::NoSource { .. }
                    | VerilateError::Path { .. }
                    | VerilateError::Argument { .. }
                    | VerilateError::NoTop { .. }
                    | VerilateError::NoParameter { .. }
                    | VerilateError::Missing { .. }
                    | VerilateError::Rejected { .. },
                ),
            )) => Verdict::Usage,
            Self::Hang { .. } => Verdict::Hang,
            Self::Folder(error) if error.is_the_users() => Verdict::Usage,
            Self::Stopped(stop) | Self::Late(stop) | Self::Ended(stop) => stop.verdict(),
            _ => Verdict::Infrastructure,
        }
    }
}
