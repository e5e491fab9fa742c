//! `lockstep stimulus export`.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use pmu_model::CycleInput;

use crate::cli::places::Places;
use crate::cli::{Failure, output};
use crate::implementation_file;
use crate::kit::{Exporter, Format};
use crate::lockstep::Verdict;
use crate::report::counted;
use crate::stimulus::{Generator, Profile, Reader, Stimulus, StimulusError};

/// Cycles of generated stimulus: some megabytes.
const CYCLES: u64 = 10_000;

/// Cycles that are written at once.
const BATCH: usize = 1024;

/// Arguments of `stimulus export`.
#[derive(Args)]
pub struct ExportArgs {
    /// A recorded stimulus [default: one is generated]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Seed of generated stimulus
    #[arg(long, default_value_t = 1, conflicts_with = "file", value_parser = crate::cli::number::<u64>(0, u64::MAX))]
    seed: u64,
    /// Mix of generated stimulus: threshold, spe, access, cycles, spmu, mixed, or a TOML file [default: mixed]
    #[arg(long, value_name = "NAME|FILE.toml", conflicts_with = "file")]
    profile: Option<String>,
    /// Features, sizes and knobs (TOML) that stimulus is generated for [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml", conflicts_with = "file")]
    implementation: Option<PathBuf>,
    /// Cycles to write [default: 10000; a recorded stimulus to its end]
    #[arg(long, value_parser = crate::cli::number::<u64>(1, u64::MAX))]
    cycles: Option<u64>,
    /// The form
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Format::Hex)]
    format: Format,
    /// Write to this file [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes stimulus for other programs.
pub(super) fn export(args: &ExportArgs) -> Result<Verdict, Failure> {
    let implementation = args.implementation.as_deref();
    let profile = args.profile.as_ref().map(Path::new);
    Places::new()
        .writes("--output", args.output.as_deref())
        .reads("the stimulus", args.file.as_deref())
        .reads("--profile", profile)
        .reads("--implementation", implementation)
        .check()?;
    let (mut stimulus, limit): (Stimulus, _) = match &args.file {
        Some(path) => {
            let reader = Reader::open(path).map_err(Failure::input)?;
            (reader.into(), u64::MAX)
        }
        None => {
            let implementation =
                implementation_file::load(implementation).map_err(Failure::input)?;
            let profile = match &args.profile {
                Some(word) => Profile::load(word).map_err(Failure::input)?,
                None => Profile::default(),
            };
            let generator = Generator::new(args.seed, &implementation, &profile);
            (generator.map_err(Failure::input)?.into(), CYCLES)
        }
    };
    let limit = args.cycles.unwrap_or(limit);
    let about = stimulus.description();
    let mut fault = None;
    // None where who reads standard output has enough.
    let mut cycles = None;
    let mut write = |out: &mut dyn Write| -> io::Result<()> {
        let mut exporter = Exporter::new(out, args.format, &about)?;
        if let Some(error) = copy(&mut stimulus, limit, &mut exporter)? {
            let text = error.to_string();
            fault = Some(error);
            return Err(io::Error::other(text));
        }
        cycles = Some(exporter.finish()?);
        Ok(())
    };
    let written = match &args.output {
        Some(path) => output::write_whole(path, |out| write(out)),
        None => output::printed(write(&mut BufWriter::new(io::stdout().lock()))),
    };
    if let Some(error) = fault {
        return Err(Failure::usage(error));
    }
    written?;
    let Some(cycles) = cycles else {
        return Ok(Verdict::Agree);
    };
    if args.cycles.is_some_and(|wanted| cycles < wanted) {
        let cycles = counted(cycles, "cycle");
        output::note(&format!("the stimulus ends after {cycles}"));
    }
    if let Some(path) = &args.output {
        let cycles = counted(cycles, "cycle");
        output::print(&format!("{cycles} of {about} in {}\n", path.display()))?;
    }
    Ok(Verdict::Agree)
}

/// Writes at most `limit` cycles.
///
/// # Returns
/// Why the stimulus ends before, if it is damaged.
fn copy(
    stimulus: &mut Stimulus,
    limit: u64,
    to: &mut Exporter<&mut dyn Write>,
) -> io::Result<Option<StimulusError>> {
    let mut batch = vec![CycleInput::default(); BATCH];
    let mut left = limit;
    while left > 0 {
        let wanted = left.min(BATCH as u64) as usize;
        let made = match stimulus.fill(&mut batch[..wanted]) {
            Ok(made) => made,
            Err(error) => return Ok(Some(error)),
        };
        if made == 0 {
            break;
        }
        to.append(&batch[..made])?;
        left -= made as u64;
    }
    Ok(None)
}
