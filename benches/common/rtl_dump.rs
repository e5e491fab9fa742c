//! A dump of the bundled RTL, made once.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use pmu_lockstep::dut::{BuildOptions, RtlSource, open};
use pmu_lockstep::lockstep::batch::BATCH;
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_model::{CycleInput, CycleOutput, Implementation};
use tempfile::NamedTempFile;

/// Size of a dump.
pub const MEGABYTES: usize = 300;

/// The file `path`, made if it is not there; it is there when it is whole.
pub fn once(
    path: &Path,
    make: impl Fn(&Path) -> Result<(), Box<dyn Error>>,
) -> Result<PathBuf, Box<dyn Error>> {
    if !path.exists() {
        let folder = path.parent().ok_or("a file in a folder")?;
        let unfinished = NamedTempFile::new_in(folder)?;
        make(unfinished.path())?;
        unfinished.persist(path)?;
    }
    Ok(path.into())
}

/// A dump of the traced design on the default stimulus.
pub fn rtl(path: &Path) -> Result<(), Box<dyn Error>> {
    let implementation = Implementation::default();
    let options = BuildOptions::from_env();
    let mut dut = open(
        &RtlSource::Bundled,
        &implementation,
        true,
        &options,
        &mut |_| (),
    )?;
    let mut generator = Generator::new(1, &implementation, &Profile::default())?;
    let mut inputs = vec![CycleInput::default(); BATCH];
    let mut outputs = vec![CycleOutput::default(); BATCH];
    dut.trace_to(path, 0)?;
    while fs::metadata(path)?.len() < (MEGABYTES as u64) * 1_000_000 {
        generator.fill(&mut inputs);
        dut.run(&inputs, &mut outputs)?;
    }
    dut.end_trace()?;
    Ok(())
}
