//! What the commands that run a design share: its time limit, interrupts, files that they take, and how they fail.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use pmu_model::Implementation;

use super::end::End;
use crate::cli::Failure;
use crate::cli::ledger_summary::LedgerSummary;
use crate::cli::output::note;
use crate::cli::output_folder::DESIGN;
pub(super) use crate::cli::quoted::quoted;
use crate::dut::{BuildOptions, OpenError};
use crate::implementation_file;
use crate::isolation::{Sandbox, SandboxMode, SandboxReport, sandbox_report};
use crate::lockstep::waivers::{Day, Waivers};
use crate::report::counted;
use crate::scratch::is_no_place;
use crate::stimulus::{Reader, StimulusError};

/// Seconds without a completed cycle after which a design hangs.
const HANG_AFTER: u64 = 20;

/// How a design is run: how long it may take, and what its process may do.
#[derive(Args, Clone)]
pub struct DesignArgs {
    /// Give up when the design completes no cycle for so many seconds
    #[arg(long = "hang-after", value_name = "SECONDS", default_value_t = HANG_AFTER, value_parser = crate::cli::number::<u64>(1, u32::MAX.into()))]
    seconds: u64,
    /// Confine a design that is not linked in: it reads everything, writes below DIR/design of --out and below
    /// --allow-write alone, starts no program, opens no socket; auto: as far as the kernel can, require: or fail, off: not at all
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true, default_value_t = SandboxMode::Auto)]
    sandbox: SandboxMode,
    /// Let the design write below this folder, or to this file; again for another
    #[arg(long, value_name = "PATH")]
    allow_write: Vec<PathBuf>,
}

impl DesignArgs {
    /// The time after which a design that completes no cycle hangs.
    pub fn limit(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// Takes the time of a suite, where it has one and none was asked for.
    pub fn set_limit(&mut self, seconds: Option<u64>) {
        if let (HANG_AFTER, Some(seconds)) = (self.seconds, seconds) {
            self.seconds = seconds;
        }
    }

    /// How designs are built and loaded by a command that writes to the folder `out`, of which a part is the design's.
    ///
    /// # Errors
    /// A place that may be written is not there.
    pub fn options(&self, out: Option<&Path>) -> Result<BuildOptions, Failure> {
        if let Some(missing) = self.allow_write.iter().find(|path| !path.exists()) {
            return Err(Failure::usage(format!(
                "--allow-write {}: expected a folder or a file that is there, found none: make it first",
                missing.display()
            )));
        }
        let own = out.map(|out| out.join(DESIGN)).into_iter();
        let sandbox = Sandbox {
            mode: self.sandbox,
            writable: own.chain(self.allow_write.iter().cloned()).collect(),
        };
        let options = BuildOptions::from_env().waiting(self.limit());
        Ok(options.confined(sandbox))
    }

    /// The arguments again, as far as they differ from the defaults.
    pub fn command(&self) -> String {
        let mode = match self.sandbox {
            SandboxMode::Auto => "",
            SandboxMode::Require => " --sandbox=require",
            SandboxMode::Off => " --sandbox=off",
        };
        let paths = self.allow_write.iter();
        let paths =
            paths.map(|path| format!(" --allow-write {}", quoted(&path.display().to_string())));
        mode.to_owned() + &paths.collect::<String>()
    }
}

/// Opens a recorded stimulus, which must be for the implementation of `file`, if one is named. What that demands of random
/// bytes is no property of a stimulus, and may differ.
pub(super) fn open_recorded(
    path: &Path,
    file: Option<&Path>,
) -> Result<(Reader, Implementation), Failure> {
    let reader = Reader::open(path).map_err(Failure::input)?;
    let mut recorded = reader.header().implementation.clone();
    if let Some(file) = file {
        let given = implementation_file::load(Some(file)).map_err(Failure::input)?;
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

/// The waivers of a file; none without one.
pub(super) fn load_waivers(path: Option<&Path>) -> Result<Waivers, Failure> {
    waivers_on(path, Day::today())
}

/// The same as on another day.
pub(super) fn waivers_on(path: Option<&Path>, day: Day) -> Result<Waivers, Failure> {
    let waivers = path.map(|path| Waivers::load_on(path, day)).transpose();
    Ok(waivers.map_err(Failure::input)?.unwrap_or_default())
}

pub(super) fn open_failure(error: OpenError) -> Failure {
    match error {
        OpenError::Stopped(_)
        | OpenError::Late(_)
        | OpenError::Ended(_)
        | OpenError::Hang { .. } => End::at_start(&error).into(),
        error => Failure::new(error.verdict(), error),
    }
}

pub(super) fn stimulus_failure(error: StimulusError) -> Failure {
    match &error {
        StimulusError::Write { source, .. } if !is_no_place(source) => {
            Failure::infrastructure(error)
        }
        _ => Failure::input(error),
    }
}

/// Tells what designs tried and were refused, for commands whose results do not.
pub(super) fn note_refused() {
    let report = sandbox_report();
    for line in report.iter().flat_map(SandboxReport::lines) {
        note(&line);
    }
}

/// A run that says nothing: it ended before the design showed what became of any of its cycles, or waivers accept whatever
/// that is.
pub(super) fn nothing_compared(cycles: u64, latency: u64, ledger: &LedgerSummary) -> Failure {
    let ran = counted(cycles, "cycle");
    Failure::usage(match cycles {
        0 => "nothing was compared: expected a stimulus, found one of 0 cycles".into(),
        _ if cycles > latency && !ledger.waivers.is_empty() => format!(
            "nothing was compared in {ran}: the waivers accept whatever the RTL shows of every field; name the fields that may \
             differ, and a condition"
        ),
        _ => format!(
            "nothing was compared in {ran}: the design shows what becomes of a cycle up to {} later; run more than that, \
             with --cycles or a longer stimulus",
            counted(latency, "cycle")
        ),
    })
}
