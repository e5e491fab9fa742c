//! `lockstep vcd map`.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::reading::Reading;
use crate::cli::output;
use crate::cli::places::Places;
use crate::implementation_file;
use crate::lockstep::Verdict;
use crate::offline::propose::propose;
use crate::printable::printable;

/// Arguments of `vcd map`.
#[derive(Args)]
pub struct MapArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input
    file: PathBuf,
    /// Write the map to this file instead of standard output
    #[arg(short, long, value_name = "MAP.toml")]
    output: Option<PathBuf>,
    /// Features, sizes and knobs (TOML) [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

/// Proposes a map of a dump.
pub(super) fn map(args: &MapArgs) -> Result<Verdict, Failure> {
    let places = Places::new()
        .writes("--output", args.output.as_deref())
        .reads_dump(&args.file)
        .reads("--implementation", args.implementation.as_deref());
    places.check()?;
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let mut opened = args.reading.open(&args.file)?;
    let name = printable(&args.file.display().to_string());
    let proposal = propose(&mut opened.dump, &name, &implementation);
    match &args.output {
        None => output::print(&proposal.text)?,
        Some(path) => {
            output::write_whole(path, |out| out.write_all(proposal.text.as_bytes()))?;
            output::print(&format!("{}: {}\n", path.display(), proposal.summary))?;
        }
    }
    if !proposal.complete {
        output::tell(
            "lockstep: not everything was found; the comments in the map tell what to add before `lockstep vcd check`\n",
        );
    }
    Ok(Verdict::Agree)
}
