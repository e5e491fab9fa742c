//! `lockstep build`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;

use super::progress::Busy;
use super::rtl_args::FileArgs;
use super::running::{HangArgs, keep_printed, open_failure};
use super::{Failure, output};
use crate::dut::{BuildOptions, DutFolder, Manifest, OpenError, RtlFiles, RtlSource, pair, stated};
use crate::lockstep::Verdict;

/// Arguments of `build`.
#[derive(Args)]
pub struct BuildArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Folder for the built design: dut.so, dut-traced.so and dut.toml
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    hang: HangArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The result, for programs.
#[derive(Serialize)]
struct Summary<'a> {
    verdict: Verdict,
    exit_code: u8,
    folder: &'a Path,
    /// Neither library was built anew.
    cached: bool,
    seconds: f64,
    /// Verilator's warnings; empty if it did not run.
    warnings: &'a str,
    manifest: &'a Manifest,
}

/// Builds a design into a folder.
pub(super) fn build(args: &BuildArgs) -> Result<Verdict, Failure> {
    let start = Instant::now();
    let Some(files) = args.files.files() else {
        return Err(Failure::usage(
            "expected a design to build, found none: name it with --filelist FILE or --rtl PATH",
        ));
    };
    keep_printed(None);
    let built = built(files, &args.output, args.hang.limit()).map_err(open_failure)?;
    let summary = Summary {
        verdict: Verdict::Agree,
        exit_code: Verdict::Agree.exit_code(),
        folder: &args.output,
        cached: built.cached,
        seconds: start.elapsed().as_secs_f64(),
        warnings: &built.warnings,
        manifest: built.folder.manifest(),
    };
    if args.json {
        output::print_json(&summary)?;
    } else {
        if !summary.warnings.is_empty() {
            anstream::eprintln!("{}", summary.warnings);
        }
        output::print(&text(&summary))?;
    }
    Ok(summary.verdict)
}

/// A build that is done.
struct Built {
    folder: DutFolder,
    cached: bool,
    warnings: String,
}

fn built(files: RtlFiles, output: &Path, patience: Duration) -> Result<Built, OpenError> {
    DutFolder::check_target(output)?;
    let design = files.design()?;
    let what = RtlSource::Files(files).describe();
    let mut busy = None;
    let mut building = |what: &str| {
        // One sign at a time.
        drop(busy.take());
        busy = Some(Busy::start(what));
    };
    let options = BuildOptions::from_env().waiting(patience);
    let pair = pair(&design, &options, &what, &mut building)?;
    drop(busy);
    let stated = stated(&pair, &options)?;
    let folder = DutFolder::write(output, &design, &pair, stated)?;
    let (untraced, traced) = (pair.untraced, pair.traced);
    // Both are made of the same sources, so their warnings are the same.
    let warnings = match untraced.warnings.is_empty() {
        true => traced.warnings,
        false => untraced.warnings,
    };
    Ok(Built {
        folder,
        cached: untraced.cached && traced.cached,
        warnings,
    })
}

fn text(summary: &Summary<'_>) -> String {
    let manifest = summary.manifest;
    let stated = &manifest.stated;
    let how = match summary.cached {
        true => "from the cache",
        false => "built",
    };
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let files = manifest.source.len();
    let mut text = format!(
        "BUILT  {}: module {}, {files} file{}, {how} in {:.2} s\n",
        summary.folder.display(),
        manifest.top,
        plural(files),
        summary.seconds
    );
    text += &format!(
        "  states {} event counters of {} bits, {} events of {} bits, THWIDTH {}, {} thread{}, {} System PMU{}\n",
        stated.counters,
        stated.counter_bits,
        stated.event_count,
        stated.event_width,
        stated.thwidth,
        stated.threads,
        plural(stated.threads.into()),
        stated.spmcfgr.len(),
        plural(stated.spmcfgr.len()),
    );
    text += &format!(
        "  features {}\n",
        match stated.features.is_empty() {
            true => "none".into(),
            false => stated.features.join(", "),
        }
    );
    text += &format!(
        "  Verilator {}, {}\n",
        manifest.verilator, manifest.compiler
    );
    text
}
