//! Conformance vectors on the RTL, for `lockstep conform`.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::Args;
use pmu_model::Implementation;
use verilator_sys::Optimization;

use super::end::End;
use super::kept::keep_printed;
use super::progress::Building;
use super::running::{DesignArgs, note_refused, open_failure};
use crate::cli::Failure;
use crate::conform::{Designs, OnRtlError, Summary, run_files, run_files_on_rtl};
use crate::dut::{self, BuildOptions, OpenError, Pulse, RtlSource, wrapper_parameters};
use crate::isolation::tell;
use crate::lockstep::supervise::{Supervised, supervise};

/// Arguments of `conform` about the RTL.
#[derive(Args)]
pub struct OnRtl {
    /// Run the vectors on the RTL as well, where its ports can express them: the bundled RTL, or a folder with
    /// other RTL behind the same wrapper
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true)]
    rtl: Option<Option<PathBuf>>,
    /// Build the RTL for at most so many configurations besides the default one, those of the most vectors first
    #[arg(long, value_name = "N", default_value_t = 8, requires = "rtl")]
    rtl_builds: usize,
    #[command(flatten)]
    hang: DesignArgs,
}

impl OnRtl {
    /// Runs vectors on the model, and on the RTL if that is asked for.
    ///
    /// # Errors
    /// A file cannot be run, or a design cannot be had or does not come back.
    pub fn run(&self, files: &[PathBuf]) -> Result<Summary, Failure> {
        let Some(folder) = self.rtl.clone() else {
            return run_files(files).map_err(Failure::input);
        };
        keep_printed(None);
        tell(|facts| facts.during = Some("the vectors".into()));
        let limit = self.hang.limit();
        // Designs are built to be run for a moment.
        let options = BuildOptions {
            optimization: Optimization::Quick,
            ..self.hang.options(None)?
        };
        let pulse = Pulse::default();
        let (files, builds, of_designs) = (files.to_vec(), self.rtl_builds, pulse.clone());
        let ended = supervise(&pulse, limit, &AtomicBool::new(false), move || {
            let mut building = Building::default();
            let mut open = |implementation: &Implementation| {
                let source = source(folder.as_deref(), implementation);
                dut::open(&source, implementation, false, &options, &mut |event| {
                    building.tell(event);
                })
            };
            let designs = Designs {
                builds,
                open: &mut open,
                pulse: of_designs,
            };
            run_files_on_rtl(&files, designs)
        });
        match ended {
            Supervised::Done(summary) => {
                note_refused();
                summary.map_err(failure)
            }
            Supervised::Hang { cycles, .. } | Supervised::Interrupted { cycles } => {
                Err(End::hang(cycles, limit).into())
            }
            Supervised::Panicked(message) => Err(Failure::defect(&message)),
        }
    }
}

/// The bundled RTL, or other RTL behind the same wrapper.
fn source(folder: Option<&Path>, implementation: &Implementation) -> RtlSource {
    match folder {
        None => RtlSource::Bundled,
        Some(folder) => RtlSource::files([folder.into()], wrapper_parameters(implementation)),
    }
}

fn failure(error: OnRtlError<OpenError>) -> Failure {
    match error {
        OnRtlError::File(error) => Failure::usage(error),
        OnRtlError::Open(error) => open_failure(error),
        OnRtlError::Ended(stop) => open_failure(OpenError::Ended(stop)),
    }
}
