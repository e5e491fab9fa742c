//! Recordings of a run that diverges: what `--record` gets beyond the divergence, and the stimulus in the report's folder,
//! from a reset on, which `lockstep shrink` takes.

use std::path::{Path, PathBuf};

use pmu_model::{CycleInput, Implementation};

use super::output_folder::OutputFolder;
use super::report_files;
use super::rtl_args::RtlArgs;
use super::running::quoted;
use crate::diagnosis::replay::{AFTER, Replay};
use crate::hypotheses::BEYOND;
use crate::lockstep::Lockstep;
use crate::lockstep::batch::BATCH;
use crate::report::{File, Report, Shrink};
use crate::stimulus::{StimulusError, Writer};

/// Records on from cycle `recorded`, as far as hypotheses look beyond the divergence in `cycle`: a run of the recording finds
/// those that this run finds.
///
/// # Errors
/// The stimulus cannot be read, or the file cannot be written.
pub(super) fn go_on(
    recorder: &mut Writer,
    run: &Lockstep,
    recorded: u64,
    cycle: u64,
) -> Result<(), StimulusError> {
    // The run's own stimulus is some batches ahead.
    let mut stimulus = run.stimulus().clone();
    let place = run.checkpoints(recorded).swap_remove(0);
    stimulus.restore(&place.stimulus)?;
    stimulus.skip(recorded - place.cycle)?;
    let mut left = (cycle + 1 + AFTER + BEYOND as u64).saturating_sub(recorded);
    let mut batch = vec![CycleInput::default(); BATCH];
    while left > 0 {
        let wanted = left.min(BATCH as u64) as usize;
        let made = stimulus.fill(&mut batch[..wanted])?;
        if made == 0 {
            break;
        }
        recorder.append(&batch[..made])?;
        left -= made as u64;
    }
    Ok(())
}

/// The command line of `lockstep shrink` for a stimulus, but for its file.
pub(super) struct Options<'a> {
    pub implementation: Option<&'a Path>,
    pub rtl: &'a RtlArgs,
    pub waivers: Option<&'a Path>,
    /// The folder of the run.
    pub out: &'a Path,
}

impl Options<'_> {
    fn command(&self, stimulus: &Path) -> String {
        let path = |path: &Path| quoted(&path.display().to_string());
        let option = |name: &str, value: Option<&Path>| {
            value.map_or(String::new(), |value| format!(" {name} {}", path(value)))
        };
        let out = Some(self.out).filter(|out| *out != Path::new(super::DEFAULT_OUT));
        format!("lockstep shrink {}", path(stimulus))
            + &option("--implementation", self.implementation)
            + &self.rtl.command()
            + &option("--waivers", self.waivers)
            + &option("--out", out)
    }
}

/// Leaves what the re-run was given, from its reset to beyond the divergence, beside the report, and says how it is shrunk;
/// nothing, if the re-run did not show the divergence. A file of that name that the run itself reads or has written is left as
/// it is: `taken` are such. What cannot be written becomes a note.
pub(super) fn leave(
    report: &mut Report,
    replay: &Replay,
    implementation: &Implementation,
    out: &OutputFolder,
    taken: &[PathBuf],
    options: &Options<'_>,
) {
    if !replay.diverges_from_first() {
        return;
    }
    let path = out.file(report_files::STIMULUS.1);
    let canonical = path.canonicalize().ok();
    let is_taken = |other: &PathBuf| canonical.is_some() && other.canonicalize().ok() == canonical;
    if taken.iter().any(is_taken) {
        report.shrink = Some(Shrink {
            command: options.command(&path),
            first: 0,
        });
        return;
    }
    let write = || {
        let mut writer = Writer::create(&path, implementation, None)?;
        for cycles in replay.recording.driven() {
            writer.append(cycles)?;
        }
        writer.finish()
    };
    match write() {
        Err(error) => report.notes.push(error.to_string()),
        Ok(_) => {
            report.shrink = Some(Shrink {
                command: options.command(&path),
                first: replay.recording.first,
            });
            report.files.push(File {
                what: report_files::STIMULUS.0.into(),
                path,
            });
        }
    }
}
