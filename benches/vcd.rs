//! Readers of waveform dumps, as ratios to wellen and the `vcd` crate: on a dump of the bundled RTL with many signals,
//! and on one of nine signals with millions of time stamps. All of it, and windows around a time and a clock cycle.
//!
//! `make bench`; `cargo bench --bench vcd -- ROUNDS` for another number of rounds than 5. The dumps, of 300 MB each,
//! are made once and left in `target/tmp/dumps`.

#[path = "../vcd/examples/generate/dump.rs"]
#[allow(dead_code, reason = "the other shape is for the example")]
mod dump;
#[path = "../vcd/examples/throughput/readers.rs"]
mod readers;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use dump::Shape;
use pmu_lockstep::dut::{BuildOptions, RtlSource, open};
use pmu_lockstep::lockstep::batch::BATCH;
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_model::{CycleInput, CycleOutput, Implementation};
use tempfile::NamedTempFile;

/// Size of a dump.
const MEGABYTES: usize = 300;

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().filter_map(|word| word.parse().ok()).next();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dumps");
    fs::create_dir_all(&folder)?;
    for (what, name, make) in [
        ("the bundled RTL", "rtl.vcd", rtl as fn(&Path) -> _),
        ("nine signals, many time stamps", "small.vcd", small),
    ] {
        println!("{what}");
        let path = once(&folder.join(name), make)?;
        readers::measure(&path, rounds.unwrap_or(5), None)?;
        println!();
    }
    Ok(())
}

/// The file `path`, made if it is not there; it is there when it is whole.
fn once(
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
fn rtl(path: &Path) -> Result<(), Box<dyn Error>> {
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

fn small(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    dump::dump(Shape::Small, MEGABYTES, &mut out)?;
    out.flush()?;
    Ok(())
}
