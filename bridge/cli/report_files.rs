//! The files of a divergence: page, report, and what belongs to the waveform.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read};
use std::path::Path;

use clap::Args;
use lockstep_vcd::{Source, Stream};

use super::output_folder::OutputFolder;
use super::{DEFAULT_OUT, Failure, output};
use crate::fst;
use crate::offline::excerpt;
use crate::regress::shrunk;
use crate::report::{self, Report, html};
use crate::window::{Format, gtkwave, merge, surfer, wcp};

/// What becomes of the window of a divergence.
#[derive(Args, Clone, Debug, Default)]
pub struct WindowArgs {
    /// Write the waveform of a divergence as FST too, and let the files for viewers open that
    #[arg(long)]
    fst: bool,
    /// Show the waveform of a divergence in a viewer that is running and speaks the waveform control protocol, as Surfer
    /// does [default: localhost:54321]
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, require_equals = true, default_missing_value = wcp::ADDRESS,
        value_parser = address)]
    view: Option<String>,
}

/// An address as it can be connected to.
fn address(text: &str) -> Result<String, String> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok_and(|it| it > 0) => {
            Ok(text.to_owned())
        }
        _ => Err("expected HOST:PORT, such as localhost:54321".to_owned()),
    }
}

/// Names of the files, and what the report calls them.
pub const WINDOW: &str = Format::Vcd.name();
const FST: (&str, &str) = ("as FST", Format::Fst.name());
const GTKWAVE: (&str, &str) = ("GTKWave", "window.gtkw");
const SURFER: (&str, &str) = ("Surfer", "window.sucl");
pub const PAGE: (&str, &str) = (report::PAGE, "report.html");
/// What the design printed.
pub const PRINTED: (&str, &str) = ("printed by the design", "design.log");
/// The stimulus from the reset of the re-run on.
pub const STIMULUS: (&str, &str) = ("stimulus", "stimulus.stim");
pub const REPORT: (&str, &str) = ("report", "report.json");
/// What a run has covered of the RTL.
pub const RTL_COVERAGE: &str = "coverage.dat";

/// What is left of the stimulus when it is shrunk: as stimulus, as JSON and as a test.
pub const SHRUNK: [&str; 3] = ["shrunk.stim", shrunk::FILE, "regression.rs"];

/// All names of files that a run has in its folder.
pub const NAMES: [&str; 12] = [
    WINDOW,
    FST.1,
    GTKWAVE.1,
    SURFER.1,
    PAGE.1,
    PRINTED.1,
    STIMULUS.1,
    REPORT.1,
    SHRUNK[0],
    SHRUNK[1],
    SHRUNK[2],
    RTL_COVERAGE,
];

/// What the beginning of files contains that this program leaves, by the ends of their names.
const MARKS: [(&str, &[&str]); 12] = [
    // Coverage of a suite begins with the suite's name.
    (".json", &["{\n  \"format\": ", "{\n  \"suite\": "]),
    (
        ".html",
        &["content=\"default-src 'none'; style-src 'unsafe-inline'\""],
    ),
    (".jsonl", &["{\"line\":\"header\","]),
    (".xml", &["<testsuites name="]),
    (".stim", &["PMUSTIM\n"]),
    // Zstandard; what is no text of its first bytes is replaced before they are looked at.
    (".tar.zst", &["(\u{FFFD}/\u{FFFD}"]),
    // A window is Verilator's, or one of a dump.
    (".vcd", &["VerilatedVcd", excerpt::COMMENT]),
    (".gtkw", &["[*] pmu-lockstep: "]),
    (".sucl", &["# pmu-lockstep: "]),
    // Verilator's own have no number of points.
    (".dat", &["# SystemC::Coverage-3\n# points: "]),
    (".info", &["TN:lockstep"]),
    (".rs", &["//! Made by `lockstep shrink`."]),
];

/// Bytes that are looked at for a mark.
const BEGINNING: u64 = 1024;

/// Whether what has a name of a report can be one that an earlier run left.
fn is_earlier(path: &Path, name: &str) -> bool {
    let Ok(found) = std::fs::metadata(path) else {
        return true;
    };
    let marks = MARKS.iter().find(|(end, _)| name.ends_with(end));
    let (Some((_, marks)), true) = (marks, found.is_file()) else {
        return found.is_file();
    };
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    // What cannot be read cannot be replaced either, and is told then.
    let text = String::from_utf8_lossy(&beginning);
    read.is_err() || beginning.is_empty() || marks.iter().any(|mark| text.contains(mark))
}

/// Checks that what has these names in a folder is nothing of the user's.
///
/// # Errors
/// A file is none that an earlier run left.
pub fn check(folder: &Path, names: &[&str]) -> Result<(), Failure> {
    for name in names {
        let path = folder.join(name);
        if !is_earlier(&path, name) {
            return Err(Failure::usage(format!(
                "{}: expected a file that an earlier run left, or none, found something else, which this run would replace: \
                 move it, or name another folder with --out",
                path.display()
            )));
        }
    }
    Ok(())
}

/// Removes what an earlier run left, which would be taken for this one's; but for stimulus that is `run`, if it is there, and
/// what was shrunk to that.
///
/// # Errors
/// A file cannot be removed, or is none of a report.
pub fn remove(out: &OutputFolder, run: Option<&Path>) -> Result<(), Failure> {
    check(out.path(), &NAMES)?;
    match remove_all(out, run) {
        // A run that agrees does not need the usual folder.
        Err(failure) if out.path() == Path::new(DEFAULT_OUT) => {
            output::note(&format!(
                "{}; what is there is of an earlier run, name a folder for this one with --out",
                failure.message
            ));
            Ok(())
        }
        removed => removed,
    }
}

fn remove_all(out: &OutputFolder, run: Option<&Path>) -> Result<(), Failure> {
    let run = run.and_then(|path| path.canonicalize().ok());
    for names in [&[STIMULUS.1][..], &SHRUNK] {
        let stimulus = out.file(names[0]).canonicalize().ok();
        if stimulus.is_none() || stimulus != run {
            names.iter().try_for_each(|name| out.remove(name))?;
        }
    }
    out.remove(WINDOW)?;
    out.remove(RTL_COVERAGE)?;
    for (_, name) in [FST, GTKWAVE, SURFER, PAGE, REPORT, PRINTED] {
        out.remove(name)?;
    }
    Ok(())
}

/// Writes everything. What cannot be written becomes a note: the divergence is worth more than the file.
pub fn write(report: &mut Report, out: &OutputFolder, args: &WindowArgs) {
    let clock = clock(report);
    write_with_clock(report, out, clock.as_deref(), args);
}

/// The same, where the clock's path in the waveform is known.
pub fn write_with_clock(
    report: &mut Report,
    out: &OutputFolder,
    clock: Option<&str>,
    args: &WindowArgs,
) {
    let waveform = path_of(report, report::WINDOW).map(Path::to_owned);
    report.files.insert(0, file(out, PAGE));
    if let Some(path) = waveform {
        if let Err(failure) = add_model(report, &path, out) {
            report.notes.push(failure.message);
        }
        let mut dump = Format::Vcd;
        if args.fst {
            match write_fst(&path, out) {
                Ok(()) => {
                    report.files.push(file(out, FST));
                    dump = Format::Fst;
                }
                Err(failure) => report.notes.push(failure.message),
            }
        }
        let save = gtkwave::save_file(&report.waves, dump, clock);
        add(report, out, GTKWAVE, &save);
        let commands = surfer::command_file(&report.waves, dump, clock);
        add(report, out, SURFER, &commands);
    }
    report.files.push(file(out, REPORT));
    let page = html::page(report).map_err(Failure::infrastructure);
    let written = page.and_then(|page| out.write(PAGE.1, &page));
    note(report, PAGE, written.err());
    let json = serde_json::to_string_pretty(report).map_err(Failure::infrastructure);
    let written = json.and_then(|json| out.write(REPORT.1, &json));
    note(report, REPORT, written.err());
    // Of a folder that cannot be had, every file tells.
    let mut told = HashSet::new();
    report.notes.retain(|note| told.insert(note.clone()));
}

/// Shows the waveform in a viewer, if that was asked for. Why it is not shown is a note: the verdict stands.
pub fn view(report: &Report, args: &WindowArgs) {
    let clock = args.view.as_ref().and_then(|_| clock(report));
    view_with_clock(report, clock.as_deref(), args);
}

/// The same, where the clock's path in the waveform is known.
pub fn view_with_clock(report: &Report, clock: Option<&str>, args: &WindowArgs) {
    let Some(address) = &args.view else {
        return;
    };
    let dump = path_of(report, FST.0).or_else(|| path_of(report, report::WINDOW));
    let Some(dump) = dump else {
        output::note("--view: there is no waveform to show");
        return;
    };
    let shown = std::path::absolute(dump)
        .map_err(|error| error.to_string())
        .and_then(|dump| {
            wcp::show(address, &dump, &report.waves, clock).map_err(|error| error.to_string())
        });
    if let Err(why) = shown {
        output::note(&format!("--view: {address}: {why}"));
    }
}

/// A file of the report, by what it is.
fn path_of<'r>(report: &'r Report, what: &str) -> Option<&'r Path> {
    let file = report.files.iter().find(|file| file.what == what);
    file.map(|file| file.path.as_path())
}

/// Writes the waveform as FST.
fn write_fst(from: &Path, out: &OutputFolder) -> Result<(), Failure> {
    let path = out.file(FST.1);
    let failed = |error: &dyn std::fmt::Display| {
        Failure::infrastructure(format!("{}: cannot be written: {error}", path.display()))
    };
    let draft = out.draft(FST.1)?;
    let to = File::create(draft.path()).map_err(|error| failed(&error))?;
    fst::write::convert(from, to).map_err(|error| failed(&error))?;
    draft.keep().map(|_| ())
}

/// Puts the model's signals into the waveform, which stays as it is if that fails.
fn add_model(report: &Report, path: &Path, out: &OutputFolder) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::infrastructure(format!(
            "{}: has the design's signals alone, the model's cannot be added: {error}",
            path.display()
        ))
    };
    let draft = out.draft(WINDOW)?;
    let from = BufReader::new(File::open(path).map_err(failed)?);
    let to = BufWriter::new(File::create(draft.path()).map_err(failed)?);
    merge::merge(from, &report.waves, to).map_err(failed)?;
    draft.keep().map(|_| ())
}

/// The design's clock in the waveform of a report, the outermost if there are several.
fn clock(report: &Report) -> Option<String> {
    let dump = Stream::open(path_of(report, report::WINDOW)?).ok()?;
    let header = dump.header();
    let clocks = header
        .variables()
        .iter()
        .filter(|variable| variable.name() == "clk_i");
    clocks
        .map(|variable| header.path(variable))
        .min_by_key(String::len)
}

fn add(report: &mut Report, out: &OutputFolder, (what, name): (&str, &str), contents: &str) {
    match out.write(name, contents) {
        Ok(path) => report.files.push(report::File {
            what: what.into(),
            path,
        }),
        Err(failure) => report.notes.push(failure.message),
    }
}

fn file(out: &OutputFolder, (what, name): (&str, &str)) -> report::File {
    report::File {
        what: what.into(),
        path: out.file(name),
    }
}

fn note(report: &mut Report, (what, _): (&str, &str), failure: Option<Failure>) {
    if let Some(failure) = failure {
        report.files.retain(|file| file.what != what);
        report.notes.push(failure.message);
    }
}
