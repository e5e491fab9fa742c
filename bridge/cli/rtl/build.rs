//! `lockstep build`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use pmu_model::Implementation;
use pmu_model::wrapper::PARTS;
use serde::Serialize;

use super::args::FileArgs;
use super::kept::keep_printed;
use super::progress::Building;
use super::running::{DesignArgs, note_refused, open_failure};
use crate::cli::quoted::quoted;
use crate::cli::{Failure, output};
use crate::counted::plural;
use crate::dut::{
    BuildOptions, DutFolder, Manifest, OpenError, RtlSource, Stated, Warnings, pair, stated,
    wrapper_parameters,
};
use crate::implementation_file;
use crate::lockstep::Verdict;

/// Arguments of `build`.
#[derive(Args)]
pub struct BuildArgs {
    #[command(flatten)]
    files: FileArgs,
    /// Give the wrapper the parameters of an implementation (TOML), by their names in the bundled wrapper; --param goes
    /// before it. Without files, of the bundled RTL
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Folder for the built design: dut.so, dut-traced.so and dut.toml
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Have the design count which lines run, which branches are taken and which bits change (Verilator's coverage), for
    /// --rtl-coverage of a run; slower
    #[arg(long)]
    rtl_coverage: bool,
    #[command(flatten)]
    hang: DesignArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The result, for programs.
#[derive(Serialize)]
struct Summary<'a> {
    verdict: Verdict,
    exit_code: u8,
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    folder: &'a Path,
    /// Neither library was built anew.
    cached: bool,
    seconds: f64,
    /// Verilator's warnings in full, also those of the build that the cache has.
    warnings: &'a str,
    /// The file that keeps them.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    warnings_file: Option<&'a Path>,
    manifest: &'a Manifest,
}

/// Builds a design into a folder.
pub(super) fn build(args: &BuildArgs) -> Result<Verdict, Failure> {
    let start = Instant::now();
    let implementation = args.implementation.as_deref();
    let implementation = implementation
        .map(|path| implementation_file::load(Some(path)))
        .transpose()
        .map_err(Failure::input)?;
    let source = match (args.files.files(), &implementation) {
        (Some(files), None) => RtlSource::Files(files),
        (Some(mut files), Some(implementation)) => {
            let given = std::mem::take(&mut files.parameters);
            files.parameters = wrapper_parameters(implementation);
            // Of two values of one name the last one counts.
            files.parameters.extend(given);
            RtlSource::Files(files)
        }
        (None, Some(_)) => RtlSource::Bundled,
        (None, None) => {
            return Err(Failure::usage(
                "expected a design to build, found none: name it with --filelist FILE or --rtl PATH, or the bundled one \
                 with --implementation FILE.toml",
            ));
        }
    };
    keep_printed(None);
    let options = args.hang.options(None)?.covering(args.rtl_coverage);
    let implementation = implementation.unwrap_or_default();
    let built = built(&source, &implementation, args, &options).map_err(|error| match error {
        OpenError::Build(error)
            if args.implementation.is_some() && error.is_about_parameters() =>
        {
            Failure::usage(format!(
                "--implementation: expected a wrapper with the parameters of the bundled one, found another: {error}\nleave it \
                 out, and name those that there are with --param NAME=VALUE"
            ))
        }
        error => open_failure(error),
    })?;
    note_refused();
    let summary = Summary {
        verdict: Verdict::Agree,
        exit_code: Verdict::Agree.exit_code(),
        folder: &args.output,
        cached: built.cached,
        seconds: start.elapsed().as_secs_f64(),
        warnings: &built.messages,
        warnings_file: built.warnings.file(),
        manifest: built.folder.manifest(),
    };
    if args.json {
        output::print_json(&summary)?;
    } else {
        output::print(&text(&summary, &built.warnings))?;
    }
    Ok(summary.verdict)
}

/// A build that is done.
struct Built {
    folder: DutFolder,
    cached: bool,
    /// Verilator's messages.
    messages: String,
    warnings: Warnings,
}

fn built(
    source: &RtlSource,
    implementation: &Implementation,
    args: &BuildArgs,
    options: &BuildOptions,
) -> Result<Built, OpenError> {
    let output = &args.output;
    DutFolder::check_target(output)?;
    options.make_cache()?;
    let design = source
        .design(implementation, &options.cache)?
        .expect("no finished build");
    let what = source.describe();
    let mut building = Building::default();
    let pair = pair(&design, options, &what, &mut |event| building.tell(event))?;
    drop(building);
    let stated = stated(&pair, options)?;
    let place = quoted(&output.display().to_string());
    let coverage = match args.rtl_coverage {
        true => " --rtl-coverage",
        false => "",
    };
    let of = args
        .implementation
        .as_deref()
        .map_or(String::new(), |path| {
            format!(" --implementation {}", quoted(&path.display().to_string()))
        });
    let command = format!(
        "lockstep build{}{of} -o {place}{coverage}",
        args.files.command()
    );
    let folder = DutFolder::write(output, &design, &pair, stated, &command)?;
    Ok(Built {
        folder,
        cached: pair.is_cached(),
        warnings: pair.warnings(),
        messages: pair.untraced.warnings,
    })
}

fn text(summary: &Summary<'_>, warnings: &Warnings) -> String {
    let manifest = summary.manifest;
    let stated = &manifest.stated;
    let how = match summary.cached {
        true => "built before, from the cache",
        false => "built",
    };
    let count = |count: usize, noun: &str| plural(count as u64, noun);
    let mut text = format!(
        "BUILT  {}: module {}, {}, {how} in {:.2} s\n",
        summary.folder.display(),
        manifest.top,
        count(manifest.source.len(), "file"),
        summary.seconds
    );
    text += &format!(
        "  states {} event counters of {} bits, {} events of {} bits, THWIDTH {}, {}, {}\n",
        stated.counters,
        stated.counter_bits,
        stated.event_count,
        stated.event_width,
        stated.thwidth,
        count(stated.threads.into(), "thread"),
        count(stated.spmcfgr.len(), "System PMU"),
    );
    text += &format!(
        "  features {}\n",
        match stated.features.is_empty() {
            true => "none".into(),
            false => stated.features.join(", "),
        }
    );
    text += &format!("  {}\n", timing(stated));
    text += &format!("  lacks {}\n", lacks(stated));
    if manifest.rtl_coverage {
        text += "  counts coverage of its RTL\n";
    }
    text += &format!(
        "  Verilator {}, {}\n",
        manifest.verilator, manifest.compiler
    );
    if let (found @ 1.., Some(file)) = (warnings.count(), warnings.file()) {
        text += &format!(
            "  {} of Verilator, in {}\n",
            count(found, "warning"),
            file.display()
        );
    }
    text
}

/// When outputs come and accesses may, and what the increments are.
fn timing(stated: &Stated) -> String {
    let accesses = match stated.access_interval {
        0 | 1 => "an access in every cycle".into(),
        cycles => format!("an access every {cycles} cycles at most"),
    };
    format!(
        "latencies: increments {}, accesses {}, sampling {}; {accesses}; increments {}",
        stated.latency_increment, stated.latency_access, stated.latency_spe, stated.increments
    )
}

/// The parts of the contract that the design does not have, and what is therefore not compared (DUT-72).
fn lacks(stated: &Stated) -> String {
    let part = |name: &String| {
        let known = PARTS.iter().find(|(key, _)| key == name);
        known.map_or(name.clone(), |(key, what)| format!("{key} ({what})"))
    };
    match stated.lacks.is_empty() {
        true => "nothing of the contract".into(),
        false => stated.lacks.iter().map(part).collect::<Vec<_>>().join(", "),
    }
}
