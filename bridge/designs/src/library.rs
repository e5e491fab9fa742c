//! A built design that is loaded: by a process of its own, or by this one, where that is no command.

use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use verilator_sys::{CreateError, DutLibrary, LoadError, PortSizes};

use super::VerilatedDut;
use super::build_options::BuildOptions;
use super::open_error::OpenError;
use super::stops::stop_of;
use crate::isolation::{self, Design, LoadFailure, MakeFailure};
use lockstep_engine::dut::Dut;

/// A design of which instances can be made.
#[derive(Clone, Debug)]
pub enum Library {
    /// Its code is part of this process.
    Here(DutLibrary),
    /// Processes of their own have it.
    Elsewhere(Arc<Design>),
}

impl Library {
    /// Loads `path`, a library that is known to be one that was built.
    ///
    /// # Errors
    /// It cannot be loaded.
    pub(super) fn load(path: &Path, options: &BuildOptions) -> Result<Self, LoadFailure> {
        // The loader looks for a name without a slash elsewhere.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if isolation::is_enabled() {
            return Design::load(path, &options.sandbox, options.patience).map(Self::Elsewhere);
        }
        // SAFETY: the caller knows where it is from; running it is what it was built for.
        let library = unsafe { DutLibrary::load(&path) }?;
        Ok(Self::Here(library))
    }

    /// Sizes of the ports.
    pub(super) fn sizes(&self) -> PortSizes {
        match self {
            Self::Here(library) => library.sizes(),
            Self::Elsewhere(design) => PortSizes {
                input: design.facts().input,
                output: design.facts().output,
                parameters: design.facts().parameters,
            },
        }
    }

    /// Name of the top module.
    pub(super) fn top(&self) -> &str {
        match self {
            Self::Here(library) => library.top(),
            Self::Elsewhere(design) => &design.facts().top,
        }
    }

    /// Version of the Verilator that made it.
    pub(super) fn verilator_version(&self) -> &str {
        match self {
            Self::Here(library) => library.verilator_version(),
            Self::Elsewhere(design) => &design.facts().verilator,
        }
    }

    /// Makes an instance, whatever parameters it has, which begins with zeros or with state `start`. One that takes longer
    /// than `patience` is left behind. `loops` are those that Verilator warned of.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn instance(
        &self,
        traced: bool,
        start: Option<NonZeroU32>,
        patience: Duration,
        loops: &[String],
    ) -> Result<Box<dyn Dut>, OpenError> {
        match self {
            Self::Here(library) => {
                isolation::number_instance();
                here(library, (traced, start), patience, loops)
            }
            Self::Elsewhere(design) => match design.instance(traced, start, loops) {
                Ok(dut) => Ok(Box::new(dut)),
                Err(MakeFailure::Hangs) => Err(OpenError::Hang {
                    seconds: patience.as_secs(),
                }),
                Err(MakeFailure::Stopped(stop)) => Err(OpenError::Stopped(stop)),
                Err(MakeFailure::Create(error)) => Err(error.into()),
                Err(MakeFailure::Load(failure)) => Err(failure.into()),
            },
        }
    }
}

fn here(
    library: &DutLibrary,
    (traced, start): (bool, Option<NonZeroU32>),
    patience: Duration,
    loops: &[String],
) -> Result<Box<dyn Dut>, OpenError> {
    let (done, made) = channel();
    let library = library.clone();
    thread::spawn(move || {
        // A receiver that is gone has given up.
        let _ = done.send(VerilatedDut::new(&library, traced, start));
    });
    match made.recv_timeout(patience) {
        Ok(Err(CreateError::Stopped { stop, .. })) => {
            Err(OpenError::Stopped(stop_of(*stop, loops)))
        }
        Ok(made) => Ok(Box::new(made?.with_loops(loops))),
        Err(_) => Err(OpenError::Hang {
            seconds: patience.as_secs(),
        }),
    }
}

impl From<LoadFailure> for OpenError {
    fn from(failure: LoadFailure) -> Self {
        match failure {
            LoadFailure::Start(error) => Self::Process(error),
            LoadFailure::Load(error) => load_error(error),
            LoadFailure::Stopped(stop) => Self::Stopped(stop),
        }
    }
}

fn load_error(error: LoadError) -> OpenError {
    OpenError::Build(error.into())
}
