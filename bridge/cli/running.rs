//! What the commands that run a design share: its time limit, interrupts, files that they take, and how they fail.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use pmu_model::Implementation;

use super::end::End;
pub(super) use super::quoted::quoted;
use super::{Failure, implementation, output};
use crate::dut::OpenError;
use crate::lockstep::Verdict;
use crate::lockstep::waivers::Waivers;
use crate::stimulus::{Reader, StimulusError};

/// How long a design may take.
#[derive(Args)]
pub struct HangArgs {
    /// Give up when the design completes no cycle for so many seconds
    #[arg(long = "hang-after", value_name = "SECONDS", default_value_t = 20, value_parser = super::number::<u64>(1, u64::MAX))]
    seconds: u64,
}

impl HangArgs {
    /// The time after which a design that completes no cycle hangs.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }
}

/// Opens a recorded stimulus, which must be for the implementation of `file`, if one is named. What that demands of random
/// bytes is no property of a stimulus, and may differ.
pub(super) fn open_recorded(
    path: &Path,
    file: Option<&Path>,
) -> Result<(Reader, Implementation), Failure> {
    let reader = Reader::open(path).map_err(Failure::usage)?;
    let mut recorded = reader.header().implementation.clone();
    if let Some(file) = file {
        let given = implementation::load(Some(file)).map_err(Failure::usage)?;
        recorded.spe.random = given.spe.random;
        if given != recorded {
            return Err(Failure::usage(format!(
                "{} was recorded for implementation {}, which differs from {}; leave \
                 --implementation out, or record the stimulus again",
                path.display(),
                recorded.name,
                file.display()
            )));
        }
    }
    Ok((reader, recorded))
}

/// Two signals within this time are one: a terminal and `timeout` send it to a process and to the one that watches it,
/// which passes it on.
const ONE_SIGNAL: Duration = Duration::from_millis(300);

/// Sets `interrupted` at Ctrl-C, or when the process is asked to end, and ends the command at a second one.
///
/// # Errors
/// The system does not allow to listen.
pub(super) fn interrupt(interrupted: Arc<AtomicBool>) -> Result<(), Failure> {
    let mut first: Option<Instant> = None;
    ctrlc::set_handler(move || {
        interrupted.store(true, Ordering::Relaxed);
        let since = first.get_or_insert_with(Instant::now).elapsed();
        if since > ONE_SIGNAL {
            // The second time: do not wait for the batch.
            std::process::exit(i32::from(Verdict::Interrupted.exit_code()));
        }
    })
    .map_err(Failure::infrastructure)
}

/// The waivers of a file; none without one.
pub(super) fn load_waivers(path: Option<&Path>) -> Result<Waivers, Failure> {
    path.map_or_else(|| Ok(Waivers::default()), Waivers::load)
        .map_err(Failure::usage)
}

pub(super) fn open_failure(error: OpenError) -> Failure {
    match error {
        OpenError::Stopped(_) | OpenError::Hang { .. } => End::at_start(&error).into(),
        error => Failure::new(error.verdict(), error),
    }
}

pub(super) fn stimulus_failure(error: StimulusError) -> Failure {
    match &error {
        StimulusError::Write { source, .. } if output::is_disk_full(source) => {
            Failure::infrastructure(error)
        }
        _ => Failure::usage(error),
    }
}
