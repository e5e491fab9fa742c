//! `lockstep shrink`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use clap::Args;
use pmu_model::Implementation;
use serde::Serialize;

use super::args::RtlArgs;
use super::end::End;
use super::kept::{keep_printed, printed_by_design};
use super::progress::{Building, Progress};
use super::running::{
    DesignArgs, load_waivers, note_refused, open_failure, open_recorded, quoted, stimulus_failure,
};
use crate::cli::output_folder::OutputFolder;
use crate::cli::places::Places;
use crate::cli::{Failure, output, report_files};
use crate::dut::{BuildOptions, Rtl, RtlSource, check_knobs};
use crate::hypotheses::Findings;
use crate::interrupt;
use crate::isolation::{Facts, Replay, tell};
use crate::lockstep::Verdict;
use crate::lockstep::supervise::{Supervised, supervise};
use crate::report::recipe;
use crate::shrink::{
    Bench, Reduced, ShrinkError, Shrunk, Watch, explaining, failing_stretch, regression_test,
    shrink as reduce, shrunk,
};
use crate::stimulus::{Reader, Stimulus, Writer};

/// Names of the files that are written.
pub(super) const STIMULUS: &str = report_files::SHRUNK[0];
const JSON: &str = report_files::SHRUNK[1];
const TEST: &str = report_files::SHRUNK[2];
/// Cycles that the terminal shows.
const SHOWN: usize = 40;

/// Arguments of `shrink`.
#[derive(Args)]
pub struct ShrinkArgs {
    /// A recorded stimulus that fails
    #[arg(value_name = "FILE")]
    stimulus: PathBuf,
    /// Features, sizes and knobs (TOML) [default: those of the recorded stimulus]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    #[command(flatten)]
    rtl: RtlArgs,
    /// Differences that are accepted for some time (TOML)
    #[arg(long, value_name = "FILE.toml")]
    waivers: Option<PathBuf>,
    /// Folder for shrunk.stim, shrunk.json and regression.rs
    #[arg(long, value_name = "DIR", default_value = crate::cli::DEFAULT_OUT)]
    out: PathBuf,
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
    /// Cycles of the stimulus up to its divergence.
    cycles_before: usize,
    /// Register writes among them, from the reset that the reduction started with.
    writes_before: usize,
    /// Runs of RTL and model.
    trials: u64,
    seconds: f64,
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    files: Vec<PathBuf>,
    replay: String,
    #[serde(flatten)]
    shrunk: &'a Shrunk<'a>,
}

/// What the reduction was made of.
struct Done {
    reduced: Reduced,
    hypotheses: Findings,
    cycles_before: usize,
    writes_before: usize,
}

/// Reduces a recorded stimulus.
pub(super) fn shrink(args: &ShrinkArgs) -> Result<Verdict, Failure> {
    let (reader, implementation) = open_recorded(&args.stimulus, args.implementation.as_deref())?;
    let source = args.rtl.source()?;
    if source == RtlSource::Bundled {
        check_knobs(&implementation).map_err(Failure::input)?;
    }
    let names = [STIMULUS, JSON, TEST, report_files::PRINTED.1];
    let places = Places::new()
        .writes_in("--out", &args.out, names)
        .reads("the stimulus", Some(&args.stimulus))
        .reads("--implementation", args.implementation.as_deref())
        .reads("--waivers", args.waivers.as_deref());
    args.rtl.reads(places).check()?;
    let out = OutputFolder::new(&args.out)?;
    report_files::check(out.path(), &[STIMULUS, JSON, TEST])?;
    out.make()?;
    // What an earlier reduction left would be taken for this one's.
    for name in [STIMULUS, JSON, TEST] {
        out.remove(name)?;
    }
    // A report of the run that was recorded stays, unless this ends badly; what is printed is this command's.
    out.remove(report_files::PRINTED.1)?;
    keep_printed(Some(&out));
    tell(|facts| {
        *facts = Facts {
            stimulus: Stimulus::from(reader.clone()).description(),
            implementation: implementation.name.clone(),
            rtl: source.describe(),
            replay: Some(again(args)),
            out: Some(args.out.clone()),
            ..Facts::default()
        }
    });
    let rtl = load(
        &source,
        &implementation,
        &args.hang.options(Some(&args.out))?,
    )?;
    let watch = Watch::default();
    interrupt::ask(watch.interrupted.clone());

    tell(|facts| facts.during = Some("the trials of the reduction".into()));
    let start = Instant::now();
    let done = supervised(args, &implementation, rtl, reader, &watch)?;
    let seconds = start.elapsed().as_secs_f64();
    conclude(args, &implementation, &done, seconds, &out)
}

fn load(
    source: &RtlSource,
    implementation: &Implementation,
    options: &BuildOptions,
) -> Result<Rtl, Failure> {
    let mut building = Building::default();
    Rtl::load(source, implementation, false, options, &mut |event| {
        building.tell(event)
    })
    .map_err(open_failure)
}

fn supervised(
    args: &ShrinkArgs,
    implementation: &Implementation,
    rtl: Rtl,
    reader: Reader,
    watch: &Watch,
) -> Result<Done, Failure> {
    // A design with other parameters is told before anything is run.
    drop(rtl.instance().map_err(open_failure)?);
    let make = move || rtl.instance().map_err(|error| error.to_string());
    let mut bench = Bench::new(implementation, Box::new(make)).map_err(Failure::input)?;
    bench.accept(load_waivers(args.waivers.as_deref())?);
    let progress = Progress::new(reader.header().cycles, "cycles gone", watch.removed.clone());
    let interrupted = watch.interrupted.clone();
    let (watch, implementation) = (watch.clone(), implementation.clone());
    let limit = args.hang.limit();
    let ended = supervise(&bench.pulse(), limit, &interrupted, move || {
        let stretch = failing_stretch(&mut bench, &reader, &watch)?;
        watch.removed.store(stretch.start, Ordering::Relaxed);
        let writes_before = crate::shrink::writes(&stretch.cycles);
        let hypotheses = explaining(&mut bench, &implementation, &reader, &stretch)?;
        let field = &stretch.failing.field;
        let reduced = reduce(&mut bench, &implementation, stretch.cycles, field, &watch)?;
        Ok(Done {
            reduced,
            hypotheses,
            cycles_before: stretch.failing.cycle + 1,
            writes_before,
        })
    });
    drop(progress);
    match ended {
        Supervised::Done(done) => done.map_err(failure),
        Supervised::Panicked(message) => Err(Failure::defect(&message)),
        Supervised::Interrupted { .. } => Err(failure(ShrinkError::Interrupted)),
        Supervised::Hang { cycles, .. } => Err(End::hang(cycles, limit).into()),
    }
}

fn failure(error: ShrinkError) -> Failure {
    let verdict = match error {
        ShrinkError::Stimulus(error) => return stimulus_failure(error),
        ShrinkError::Agrees { .. } | ShrinkError::Excluded(_) => Verdict::Usage,
        ShrinkError::NotReproduced { .. } => Verdict::Divergence,
        ShrinkError::Stop(ref stop) => {
            if !stop.ended_its_process() {
                // The cycle is one of the stimulus.
                tell(|facts| facts.during = None);
            }
            return End::stop(stop, stop.completed as u64).into();
        }
        ShrinkError::Design(_) => Verdict::Infrastructure,
        ShrinkError::Interrupted => Verdict::Interrupted,
    };
    printed_by_design();
    Failure::new(verdict, error)
}

fn conclude(
    args: &ShrinkArgs,
    implementation: &Implementation,
    done: &Done,
    seconds: f64,
    out: &OutputFolder,
) -> Result<Verdict, Failure> {
    printed_by_design();
    note_refused();
    let reduced = &done.reduced;
    let shrunk = shrunk(reduced, &done.hypotheses, implementation);
    let files = leave(reduced, &shrunk, implementation, out)?;
    let verdict = if reduced.minimal {
        Verdict::Divergence
    } else {
        Verdict::Interrupted
    };
    let summary = Summary {
        verdict,
        exit_code: verdict.exit_code(),
        cycles_before: done.cycles_before,
        writes_before: done.writes_before,
        trials: reduced.trials,
        seconds,
        files,
        replay: replay(&out.file(STIMULUS), args),
        shrunk: &shrunk,
    };
    if args.json {
        output::print_json(&summary)?;
    } else {
        output::print(&text(&summary))?;
    }
    Ok(verdict)
}

/// Writes what is left: as stimulus, as JSON and as a test.
///
/// # Errors
/// A file cannot be written.
pub(super) fn leave(
    reduced: &Reduced,
    shrunk: &Shrunk<'_>,
    implementation: &Implementation,
    out: &OutputFolder,
) -> Result<Vec<PathBuf>, Failure> {
    let path = out.file(STIMULUS);
    let mut writer = Writer::create(&path, implementation, None).map_err(stimulus_failure)?;
    writer.append(&reduced.cycles).map_err(stimulus_failure)?;
    writer.finish().map_err(stimulus_failure)?;
    let json = serde_json::to_string_pretty(shrunk).map_err(Failure::infrastructure)?;
    Ok(vec![
        path,
        out.write(JSON, &(json + "\n"))?,
        out.write(TEST, &regression_test(reduced, implementation))?,
    ])
}

/// The command again.
fn again(args: &ShrinkArgs) -> Replay {
    let path = |path: &Path| quoted(&path.display().to_string());
    let option = |name: &str, value: &Option<PathBuf>| {
        let value = value.as_deref();
        value.map_or(String::new(), |value| format!(" {name} {}", path(value)))
    };
    Replay {
        before: format!("lockstep shrink {}", path(&args.stimulus)),
        takes_cycles: false,
        after: option("--implementation", &args.implementation)
            + &args.rtl.command()
            + &option("--waivers", &args.waivers),
    }
}

fn replay(path: &Path, args: &ShrinkArgs) -> String {
    let path = quoted(&path.display().to_string());
    format!("lockstep replay {path}{}", args.rtl.command())
}

fn text(summary: &Summary<'_>) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, summary);
    out
}

fn write(out: &mut String, summary: &Summary<'_>) -> std::fmt::Result {
    const TITLE: Style = Style::new().bold();
    const DONE: Style = AnsiColor::Green.on_default().bold();
    const ENDED: Style = AnsiColor::Yellow.on_default().bold();
    let shrunk = summary.shrunk;
    let (style, word, end) = match shrunk.minimal {
        true => (DONE, "SHRUNK", "nothing more can be taken away"),
        false => (ENDED, "INTERRUPTED", "the best so far"),
    };
    writeln!(
        out,
        "{style}{word}{style:#}  {TITLE}{}: expected {}, RTL {}{TITLE:#}, in cycle {}",
        shrunk.field, shrunk.expected, shrunk.rtl, shrunk.cycle
    )?;
    writeln!(
        out,
        "{} cycles to {}, {} register writes to {}: {end}",
        summary.cycles_before,
        shrunk.cycles.len(),
        summary.writes_before,
        shrunk.writes
    )?;
    writeln!(out, "  {} runs in {:.2} s", summary.trials, summary.seconds)?;
    writeln!(out)?;
    for (k, cycle) in shrunk.cycles.iter().enumerate().take(SHOWN) {
        writeln!(out, "  {k:>4}  {}", recipe::words(cycle))?;
    }
    let more = shrunk.cycles.len().saturating_sub(SHOWN);
    if more > 0 {
        writeln!(out, "  and {more} more, in {JSON}")?;
    }
    writeln!(out)?;
    writeln!(out, "  what would explain the RTL, by the whole run")?;
    for line in shrunk.hypotheses.lines() {
        writeln!(out, "    {line}")?;
    }
    writeln!(out)?;
    for (what, path) in ["stimulus", "JSON", "test"].iter().zip(&summary.files) {
        writeln!(out, "  {what:<10} {}", path.display())?;
    }
    writeln!(out, "  {:<10} {TITLE}{}{TITLE:#}", "replay", summary.replay)
}
