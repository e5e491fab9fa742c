//! The files of a divergence: page, report, and what belongs to the waveform.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read};
use std::path::Path;

use lockstep_vcd::{Source, Stream};

use super::Failure;
use super::output_folder::OutputFolder;
use crate::report::{self, Report, html};
use crate::window::{gtkwave, merge, surfer};

/// Names of the files, and what the report calls them.
pub const WINDOW: &str = "window.vcd";
const GTKWAVE: (&str, &str) = ("GTKWave", "window.gtkw");
const SURFER: (&str, &str) = ("Surfer", "window.sucl");
const PAGE: (&str, &str) = (report::PAGE, "report.html");
/// What the design printed.
pub const PRINTED: (&str, &str) = ("printed by the design", "design.log");
/// The stimulus from the reset of the re-run on.
pub const STIMULUS: (&str, &str) = ("stimulus", "stimulus.stim");
pub const REPORT: (&str, &str) = ("report", "report.json");

/// All names of files that a report has in its folder.
pub const NAMES: [&str; 7] = [
    WINDOW, GTKWAVE.1, SURFER.1, PAGE.1, PRINTED.1, STIMULUS.1, REPORT.1,
];

/// How files begin that a report can be known by, or what their beginning contains.
const MARKS: [(&str, &str); 3] = [
    (REPORT.1, "{\n  \"format\": "),
    (
        PAGE.1,
        "content=\"default-src 'none'; style-src 'unsafe-inline'\"",
    ),
    (STIMULUS.1, "PMUSTIM\n"),
];

/// Bytes that are looked at for a mark.
const BEGINNING: u64 = 1024;

/// Whether what has a name of a report can be one that an earlier run left.
fn is_earlier(path: &Path, name: &str) -> bool {
    let Ok(found) = std::fs::metadata(path) else {
        return true;
    };
    let mark = MARKS.iter().find(|(marked, _)| *marked == name);
    let (Some((_, mark)), true) = (mark, found.is_file()) else {
        return found.is_file();
    };
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    // What cannot be read cannot be replaced either, and is told then.
    read.is_err() || beginning.is_empty() || String::from_utf8_lossy(&beginning).contains(mark)
}

/// Removes what an earlier run left, which would be taken for this one's; but for the stimulus that is `run`, if it is there.
///
/// # Errors
/// A file cannot be removed, or is none of a report.
pub fn remove(out: &OutputFolder, run: Option<&Path>) -> Result<(), Failure> {
    for name in NAMES {
        let path = out.file(name);
        if !is_earlier(&path, name) {
            return Err(Failure::usage(format!(
                "{}: expected a file that an earlier run left, or none, found something else, which this run would replace: \
                 move it, or name another folder with --out",
                path.display()
            )));
        }
    }
    let stimulus = out.file(STIMULUS.1).canonicalize().ok();
    if stimulus.is_some() && stimulus != run.and_then(|path| path.canonicalize().ok()) {
        out.remove(STIMULUS.1)?;
    }
    out.remove(WINDOW)?;
    for (_, name) in [GTKWAVE, SURFER, PAGE, REPORT, PRINTED] {
        out.remove(name)?;
    }
    Ok(())
}

/// Writes everything. What cannot be written becomes a note: the divergence is worth more than the file.
pub fn write(report: &mut Report, out: &OutputFolder) {
    let waveform = report.files.iter().find(|file| file.what == report::WINDOW);
    let clock = waveform.and_then(|file| clock(&file.path));
    write_with_clock(report, out, clock.as_deref());
}

/// The same, where the clock's path in the waveform is known.
pub fn write_with_clock(report: &mut Report, out: &OutputFolder, clock: Option<&str>) {
    let waveform = report.files.iter().find(|file| file.what == report::WINDOW);
    let waveform = waveform.map(|file| file.path.clone());
    report.files.insert(0, file(out, PAGE));
    if let Some(path) = waveform {
        if let Err(failure) = add_model(report, &path, out) {
            report.notes.push(failure.message);
        }
        let save = gtkwave::save_file(&report.waves, WINDOW, clock);
        add(report, out, GTKWAVE, &save);
        let commands = surfer::command_file(&report.waves, clock);
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

/// The design's clock in the waveform, the outermost if there are several.
fn clock(path: &Path) -> Option<String> {
    let dump = Stream::open(path).ok()?;
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
