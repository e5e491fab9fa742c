//! Recordings of a run that diverges: what `--record` gets beyond the divergence, and the stimulus in the report's folder,
//! from a reset on, which `lockstep shrink` takes.

use std::path::{Path, PathBuf};

use pmu_model::{CycleInput, Implementation};

use super::args::RtlArgs;
use super::running::quoted;
use crate::cli::output_folder::OutputFolder;
use crate::cli::report_files;
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
    let mut left = (cycle + 1 + AFTER + BEYOND as u64).saturating_sub(recorded);
    if left == 0 {
        return Ok(());
    }
    // The run's own stimulus is some batches ahead.
    let mut stimulus = run.stimulus().clone();
    let place = run.checkpoints(recorded).swap_remove(0);
    stimulus.restore(&place.stimulus)?;
    stimulus.skip(recorded - place.cycle)?;
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
        let out = Some(self.out).filter(|out| *out != Path::new(crate::cli::DEFAULT_OUT));
        format!("lockstep shrink {}", path(stimulus))
            + &option("--implementation", self.implementation)
            + &self.rtl.command()
            + &option("--waivers", self.waivers)
            + &option("--out", out)
    }
}

/// Leaves what the re-run was given, from its reset to beyond the divergence, beside the report, and says how it is shrunk;
/// a note, if the re-run did not show the divergence. A file of that name that the run itself reads or has written is left as
/// it is: `taken` are such. What cannot be written becomes a note.
pub(super) fn leave(
    report: &mut Report,
    replay: &Replay,
    implementation: &Implementation,
    out: &OutputFolder,
    taken: &[PathBuf],
    options: &Options<'_>,
) {
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
    if !replay.diverges_from_first() {
        report.notes.push(format!(
            "{}: not written, since the re-run did not show the divergence: to keep the stimulus of the whole run, give --record \
             FILE",
            path.display()
        ));
        return;
    }
    let written = out.make().map_err(|failure| failure.message);
    let written = written
        .and_then(|()| write(&path, replay, implementation).map_err(|error| error.to_string()));
    match written {
        Err(why) => report.notes.push(why),
        Ok(()) => {
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

fn write(
    path: &Path,
    replay: &Replay,
    implementation: &Implementation,
) -> Result<(), StimulusError> {
    let mut writer = Writer::create(path, implementation, replay.origin.clone())?;
    for cycles in replay.recording.driven() {
        writer.append(cycles)?;
    }
    writer.finish().map(|_| ())
}

#[cfg(test)]
mod tests {
    use pmu_model::{CycleOutput, Model, NoTracer, Unknown};
    use tempfile::TempDir;

    use super::*;
    use crate::diagnosis::replay::replay;
    use crate::dut::{Dut, ModelledDut};
    use crate::hypotheses::{self, Findings};
    use crate::lockstep::engine::Control;
    use crate::lockstep::{Divergence, Outcome};
    use crate::shrink::{Bench, Watch, explaining, failing_stretch};
    use crate::stimulus::{Generator, Profile, Reader, Stimulus};

    /// Of which a design shows something wrong, beside another mistake.
    type Trigger = [u16; 4];

    fn trigger(input: &CycleInput) -> Trigger {
        std::array::from_fn(|lane| input.event[lane])
    }

    /// A design that holds C_P while a counter does not count, and that is wrong in one more way after `second`.
    fn design(second: Option<Trigger>) -> Box<dyn Dut> {
        let implementation = Implementation::default();
        let mut varied = implementation.clone();
        let knobs = serde_json::json!({ "cp_when_not_counting": "HOLD" });
        varied.knobs = serde_json::from_value(knobs).expect("knobs");
        let mut model = Model::new(&varied).expect("legal");
        let fault = move |_, input: &CycleInput, output: &mut CycleOutput| {
            let (byte, mut unknown) = (output.random_byte, Unknown::default());
            model.step(input, byte, output, &mut unknown, &mut NoTracer);
            if Some(trigger(input)) == second {
                output.access_outcome ^= 1;
            }
            Ok(())
        };
        let design = ModelledDut::with_fault(&implementation, Box::new(fault));
        Box::new(design.expect("legal").with_latency(2, 3))
    }

    /// A run, recorded at `path`, to its divergence and, if that is asked for, beyond it.
    fn run(
        stimulus: Stimulus,
        second: Option<Trigger>,
        path: &Path,
        beyond: bool,
    ) -> (Lockstep, Box<Divergence>) {
        let implementation = Implementation::default();
        let mut run = Lockstep::new(&implementation, design(second), stimulus, 2).expect("legal");
        let mut writer = Writer::create(path, &implementation, None).expect("a file");
        let mut seen = 0;
        let outcome = run.run(100_000, &Control::default(), |inputs| {
            seen += inputs.len() as u64;
            writer.append(inputs)
        });
        let Ok(Outcome::Diverged(divergence)) = outcome else {
            panic!("{outcome:?}");
        };
        if beyond {
            go_on(&mut writer, &run, seen, divergence.cycle).expect("recorded");
        }
        writer.finish().expect("written");
        (run, divergence)
    }

    fn replayed(run: &Lockstep, divergence: &Divergence, second: Option<Trigger>) -> Replay {
        let mut traced = || Ok(design(second));
        replay(run, divergence, &mut traced, Path::new("none.vcd")).expect("the same")
    }

    fn findings(replay: &Replay) -> Findings {
        hypotheses::test(&replay.recording, &Implementation::default())
    }

    fn findings_of_shrink(path: &Path, second: Option<Trigger>) -> Findings {
        let implementation = Implementation::default();
        let reader = Reader::open(path).expect("stimulus");
        let make = move || Ok(design(second));
        let mut bench = Bench::new(&implementation, Box::new(make)).expect("legal");
        let stretch = failing_stretch(&mut bench, &reader, &Watch::default()).expect("it fails");
        explaining(&mut bench, &implementation, &reader, &stretch).expect("a design")
    }

    fn texts(findings: &Findings) -> Vec<&str> {
        let explaining = findings.explaining.iter();
        explaining.map(|found| &*found.text).collect()
    }

    /// The second mistake shows well after the first: no hypothesis explains both, and all that is left of a run must know.
    #[test]
    fn run_recording_and_shrunk_stimulus_have_the_same_hypotheses() {
        let folder = TempDir::new().expect("a folder");
        let file = |name: &str| folder.path().join(name);
        let implementation = Implementation::default();
        let generator = Generator::new(1, &implementation, &Profile::default()).expect("legal");
        let generated = || Stimulus::from(generator.clone());
        let recorded = |name: &str| Stimulus::from(Reader::open(&file(name)).expect("stimulus"));

        let (first, divergence) = run(generated(), None, &file("first.stim"), true);
        let held = findings(&replayed(&first, &divergence, None));
        assert!(
            texts(&held)
                .iter()
                .any(|text| text.contains("cp_when_not_counting")),
            "{held:?}"
        );

        let mut inputs = vec![CycleInput::default(); divergence.about as usize + 1000];
        generated().fill(&mut inputs).expect("cycles");
        let is_unique = |one: &&CycleInput| {
            let alike = inputs.iter().filter(|input| trigger(input) == trigger(one));
            alike.count() == 1
        };
        let second = inputs.iter().rev().find(is_unique).map(trigger);
        assert!(second.is_some());

        let (live, divergence) = run(generated(), second, &file("whole.stim"), true);
        let live = replayed(&live, &divergence, second);
        let none = findings(&live);
        assert_eq!(texts(&none), [""; 0]);
        // A recording that ends with the divergence knows less: it refutes fewer, and not the second mistake.
        run(generated(), second, &file("cut.stim"), false);
        let (cut, same) = run(recorded("cut.stim"), second, &file("again.stim"), true);
        let cut = findings(&replayed(&cut, &same, second));
        let (cut, held) = (texts(&cut), texts(&held));
        assert!(held.iter().all(|text| cut.contains(text)), "{cut:?}");

        let (again, same) = run(recorded("whole.stim"), second, &file("again.stim"), true);
        assert_eq!(same.cycle, divergence.cycle);
        let again = findings(&replayed(&again, &same, second));
        assert_eq!(again.lines(), none.lines());
        assert_eq!(
            texts(&findings_of_shrink(&file("whole.stim"), second)),
            texts(&none)
        );

        assert!(live.diverges_from_first());
        write(&file("left.stim"), &live, &implementation).expect("written");
        let left = findings_of_shrink(&file("left.stim"), second);
        assert_eq!((left.compared, left.explaining.len()), (none.compared, 0));
    }
}
