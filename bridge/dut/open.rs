//! Getting a Verilated design: the bundled RTL with its default parameters is linked in; the same with other
//! parameters, and any other RTL, is built into a shared library once and kept in a cache; what `lockstep build` made
//! is loaded as it is.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pmu_model::wrapper::Increments;
use pmu_model::{Implementation, ImplementationError};
use verilator_sys::find::FindError;
use verilator_sys::shared::SharedDutError;
use verilator_sys::verilate::VerilateError;
use verilator_sys::{BuildError, CompileError, CreateError, DutLibrary, LoadError};

use super::build::{self, BuildOptions};
use super::file_list::FileListError;
use super::folder::FolderError;
use super::source::{self, RtlSource};
use super::stated::ContractMismatch;
use super::wrapper_parameters::wrapper_parameters;
use super::{Dut, ParameterMismatch, Translated, VerilatedDut, check_parameters};
use crate::lockstep::Verdict;

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
    /// It does not come back from its initial blocks (DUT-41).
    #[error(
        "the design does not come back from its initial blocks, before the first cycle: no progress for {seconds} s; delays (#) are not \
         simulated: look for a loop in an initial block, or raise --hang-after"
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
    #[error("{}: {source}; set LOCKSTEP_CACHE to a folder that can be written", path.display())]
    Cache {
        /// File or folder.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
}

impl From<BuildError> for OpenError {
    fn from(error: BuildError) -> Self {
        Self::Build(error.into())
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
                    | VerilateError::Argument { .. }
                    | VerilateError::NoTop { .. }
                    | VerilateError::Rejected { .. },
                ),
            )) => Verdict::Usage,
            Self::Hang { .. } => Verdict::Hang,
            Self::Folder(error) if error.is_the_users() => Verdict::Usage,
            Self::Create(CreateError::Stopped(stop)) => stop_verdict(stop.kind),
            _ => Verdict::Infrastructure,
        }
    }
}

/// What to call a design that stops in an initial block.
fn stop_verdict(kind: verilator_sys::StopKind) -> Verdict {
    match kind {
        verilator_sys::StopKind::NotConverged => Verdict::Unsettled,
        _ => Verdict::Stopped,
    }
}

/// Makes an instance of `source` for `implementation`, and checks that it is one. `building` is told when a
/// build starts that may take a while.
///
/// # Errors
/// The design cannot be found, built, loaded or instantiated, or has other parameters.
pub fn open(
    source: &RtlSource,
    implementation: &Implementation,
    traced: bool,
    options: &BuildOptions,
    building: &mut dyn FnMut(&str),
) -> Result<Box<dyn Dut>, OpenError> {
    Rtl::load(source, implementation, traced, options, building)?.instance()
}

/// RTL that is built and loaded, of which any number of instances can be made.
#[derive(Clone, Debug)]
pub struct Rtl {
    library: DutLibrary,
    implementation: Implementation,
    traced: bool,
    patience: Duration,
}

impl Rtl {
    /// Builds `source` for `implementation`, unless that is done, and loads it. `building` is told when a build starts
    /// that may take a while.
    ///
    /// # Errors
    /// The design cannot be found, built or loaded.
    pub fn load(
        source: &RtlSource,
        implementation: &Implementation,
        traced: bool,
        options: &BuildOptions,
        building: &mut dyn FnMut(&str),
    ) -> Result<Self, OpenError> {
        let library = match source {
            RtlSource::Bundled => {
                let parameters = wrapper_parameters(implementation);
                if parameters == wrapper_parameters(&Implementation::default()) {
                    verilator_sys::static_library!(lockstep_bundled)?
                } else {
                    let design = source::bundled(implementation, &options.cache)?;
                    let what = format!("bundled for implementation {}", implementation.name);
                    build::one(design, traced, options, &what, building)?.load()?
                }
            }
            RtlSource::Files(files) => {
                let (design, what) = (files.design()?, source.describe());
                build::one(design, traced, options, &what, building)?.load()?
            }
            RtlSource::Built(folder) => folder.library(traced)?,
        };
        Ok(Self {
            library,
            implementation: implementation.clone(),
            traced,
            patience: options.patience,
        })
    }

    /// Makes an instance, whatever it states to be.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn unchecked(&self) -> Result<VerilatedDut, OpenError> {
        instance(&self.library, self.traced, self.patience)
    }

    /// Makes an instance, and checks that it is one for the implementation. It shows V (DUT-71), whatever the design
    /// does.
    ///
    /// # Errors
    /// It cannot be made, or has other parameters.
    pub fn instance(&self) -> Result<Box<dyn Dut>, OpenError> {
        let dut = self.unchecked()?;
        check_parameters(&self.implementation, &dut.parameters())?;
        if self.implementation.wrapper.increments == Increments::Shown {
            return Ok(Box::new(dut));
        }
        let dut = Translated::new(Box::new(dut), &self.implementation)?;
        Ok(Box::new(dut))
    }
}

/// Makes an instance, whatever parameters it has. One that takes longer than `patience` is left to its thread.
pub(super) fn instance(
    library: &DutLibrary,
    traced: bool,
    patience: Duration,
) -> Result<VerilatedDut, OpenError> {
    let (done, made) = channel();
    let library = library.clone();
    thread::spawn(move || {
        // A receiver that is gone has given up.
        let _ = done.send(VerilatedDut::new(&library, traced));
    });
    match made.recv_timeout(patience) {
        Ok(made) => Ok(made?),
        Err(_) => Err(OpenError::Hang {
            seconds: patience.as_secs(),
        }),
    }
}
