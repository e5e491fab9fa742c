//! `lockstep vcd check`.

use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use pmu_model::contract::Output;
use pmu_model::implementation::RandomBytes;
use pmu_model::{CycleInput, Implementation};
use serde::Serialize;

use super::patience::Patience;
use super::reading::Reading;
use super::{Failure, in_file, in_signals, note_repeated};
use crate::cli::ledger_summary::{LedgerSummary, waiver_lines};
use crate::cli::output;
use crate::cli::output_folder::OutputFolder;
use crate::cli::places::Places;
use crate::cli::quoted::quoted;
use crate::cli::report_files::{self, WindowArgs};
use crate::diagnosis::internals::Internals;
use crate::implementation_file;
use crate::lockstep::compare::{Compared, Field};
use crate::lockstep::waivers::Waivers;
use crate::lockstep::{FieldTally, Verdict};
use crate::offline::check::{CheckError, Checked, Found, Options, check_dump};
use crate::offline::excerpt::{excerpt, excerpt_of_ring};
use crate::offline::fields::Side;
use crate::offline::ring::{LIMIT, Ring};
use crate::offline::wiring::{Wiring, WiringError, listed};
use crate::offline::{Map, map::MapError};
use crate::report::{self, File, Report, RunFacts};
use crate::report::{counted, grouped, left_out};
use crate::waves::time::written;

/// Arguments of `vcd check`.
#[derive(Args)]
#[command(
    after_help = "Exit codes: 0 the dump agrees with the model, 1 divergence, 2 usage, a map that does not fit, x or z \
        where a value matters, inputs that the contract excludes, or a dump that is damaged; 8 a waiver was not needed."
)]
pub struct CheckArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input
    file: PathBuf,
    /// Which signals are which fields of the contract; `lockstep vcd map` proposes one
    #[arg(long, value_name = "MAP.toml")]
    map: PathBuf,
    /// Features, sizes and knobs (TOML) [default: everything, 31 counters]
    #[arg(long, value_name = "FILE.toml")]
    implementation: Option<PathBuf>,
    /// Differences that are accepted for some time (TOML); one that has expired, or is not needed, is a failure
    #[arg(long, value_name = "FILE.toml")]
    waivers: Option<PathBuf>,
    /// Folder for the report of a divergence
    #[arg(long, value_name = "DIR", default_value = crate::cli::DEFAULT_OUT)]
    out: PathBuf,
    #[command(flatten)]
    window: WindowArgs,
    /// What to do with inputs that the map does not have
    #[arg(long, value_name = "WHAT", default_value = "error")]
    unmapped: Unmapped,
    /// What to do with bits that are x or z and matter
    #[arg(long, value_name = "WHAT", default_value = "error")]
    x: Vague,
    /// Compare from the first cycle on, as if there had been a reset before
    #[arg(long)]
    assume_reset: bool,
    /// Read little beyond the first divergence: a simulation behind a pipe ends there, and hypotheses are told apart by fewer
    /// cycles
    #[arg(long)]
    stop: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Unmapped {
    /// End with an error that names them
    Error,
    /// Take them as zero
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Vague {
    /// End with an error that names signal, time and cycle
    Error,
    /// Take them as zero in inputs, leave them out in outputs
    Skip,
}

/// A check and how it ended, for programs.
#[derive(Serialize)]
struct Summary {
    verdict: Verdict,
    exit_code: u8,
    /// What is wrong with the design's random number generator beyond doubt, in words.
    random_generator: Option<String>,
    dump: String,
    map: String,
    implementation: String,
    counters: u8,
    /// Cycles compared.
    cycles: u64,
    /// Clock edges before the first of them.
    skipped: u64,
    bytes: u64,
    seconds: f64,
    ledger: LedgerSummary,
    /// Inputs taken as zero.
    unmapped_inputs: Vec<String>,
    /// Outputs not compared.
    unmapped_outputs: Vec<String>,
    /// Cycles with x or z in an input that was taken as zero.
    vague_inputs: u64,
    /// The first of them: from there on the model may be in another state than the design.
    first_vague_input: Option<u64>,
    /// Cycles with x or z in an output that was not compared.
    vague_outputs: u64,
    /// When the edge is whose cycle the dump does not have to its end, so that it was not compared.
    unfinished: Option<String>,
    /// When the last tick is, if nothing behind it in the dump tells that it is whole.
    open_tick: Option<String>,
    /// Why the check ended before the dump.
    fault: Option<String>,
    divergence: Option<Report>,
}

/// Checks a dump against the model.
pub(super) fn vcd_check(args: &CheckArgs) -> Result<Verdict, Failure> {
    let places = Places::new()
        .writes_in("--out", &args.out, report_files::NAMES)
        .reads_dump(&args.file)
        .reads("--map", Some(&args.map))
        .reads("--implementation", args.implementation.as_deref())
        .reads("--waivers", args.waivers.as_deref());
    places.check()?;
    let implementation =
        implementation_file::load(args.implementation.as_deref()).map_err(Failure::input)?;
    let waivers = Waivers::of(args.waivers.as_deref()).map_err(Failure::input)?;
    let map = load(&args.map)?;
    let mut opened = args.reading.open(&args.file)?;
    let header = opened.dump.header();
    let zero = args.unmapped == Unmapped::Zero;
    let wiring = Wiring::new(&map, &header, &implementation, zero).map_err(|error| {
        let message = format!("{}: {error}", args.map.display());
        match error {
            WiringError::Signal { .. } => {
                let Failure { message, .. } = in_signals(&args.file, error);
                Failure::usage(format!("{}: in {message}", args.map.display()))
            }
            _ => Failure::usage(message),
        }
    })?;
    wiring.repeated.iter().for_each(|path| note_repeated(path));
    opened
        .dump
        .watch(wiring.signals(&header))
        .map_err(|error| in_file(&args.file, error))?;
    let out = OutputFolder::new(&args.out)?;
    report_files::remove(&out, None)?;
    let options = Options {
        skip_vague: args.x == Vague::Skip,
        assume_reset: args.assume_reset,
        stop: args.stop,
    };
    // What is no file is read once.
    let mut ring = opened.size.is_none().then(|| Ring::new(&header));
    let start = Instant::now();
    let checked = {
        let _patience = Patience::start(Arc::clone(&opened.read), opened.size);
        check_dump(
            &mut opened.dump,
            &map,
            &wiring,
            &implementation,
            options,
            waivers,
            ring.as_mut(),
        )
    };
    let mut checked = checked.map_err(|error| match error {
        CheckError::NoEdge(_) | CheckError::NoReset { .. } | CheckError::Dump(_) => {
            in_file(&args.file, error)
        }
        other => Failure::usage(other),
    })?;
    args.reading.note(&args.file, &opened.dump);
    if !opened.dump.may_be_cut() {
        checked.open_tick = None;
    }
    let job = Job {
        args,
        wiring: &wiring,
        implementation: &implementation,
        ring: ring.as_ref(),
        seconds: start.elapsed().as_secs_f64(),
        bytes: opened.read.load(Ordering::Relaxed),
    };
    job.conclude(checked, &out, &header)
}

fn load(path: &Path) -> Result<Map, Failure> {
    let text = crate::text_file::read(path).map_err(|error| {
        Failure::usage(format!(
            "{}: cannot be read: {error}; name a map (TOML) with --map, `lockstep vcd map` proposes one",
            path.display()
        ))
    })?;
    Map::parse(&text).map_err(|MapError { line, message }| {
        let line = line.map_or_else(String::new, |line| format!("{line}:"));
        let path = path.display();
        Failure::usage(match line.is_empty() {
            true => format!("{path}: {message}"),
            false => format!("{path}:{line} {message}"),
        })
    })
}

struct Job<'j> {
    args: &'j CheckArgs,
    wiring: &'j Wiring,
    implementation: &'j Implementation,
    /// What is left of a dump that is read once.
    ring: Option<&'j Ring>,
    seconds: f64,
    bytes: u64,
}

impl Job<'_> {
    fn conclude(
        &self,
        checked: Checked,
        out: &OutputFolder,
        header: &lockstep_vcd::Header,
    ) -> Result<Verdict, Failure> {
        let ledger = self.ledger(&checked);
        if checked.found.is_none() && checked.fault.is_none() && ledger.total.compared == 0 {
            return Err(Failure::usage(format!(
                "{}: nothing was compared in {}: expected values of the RTL, found every field that the map has to be x, z, UNKNOWN \
                 or waived whatever it is",
                self.args.file.display(),
                counted(checked.cycles, "cycle")
            )));
        }
        let demanded = self.implementation.spe.random == RandomBytes::Uniform;
        // Bytes that the dump does not have are zero.
        let sampling = checked.ledger.sampling();
        let sampling = sampling.filter(|_| checked.vague_outputs == 0);
        let random_generator = sampling.and_then(|sampling| sampling.finding(demanded));
        let verdict = match (&checked.found, &checked.fault) {
            (Some(_), _) => Verdict::Divergence,
            (None, Some(_)) => Verdict::Usage,
            (None, None) if demanded && random_generator.is_some() => Verdict::NotRandom,
            (None, None) if ledger.has_unused_waivers() => Verdict::UnusedWaiver,
            (None, None) => Verdict::Agree,
        };
        let mut summary = Summary {
            verdict,
            exit_code: verdict.exit_code(),
            random_generator,
            dump: self.args.file.display().to_string(),
            map: self.args.map.display().to_string(),
            implementation: self.implementation.name.clone(),
            counters: self.implementation.pmu.counters,
            cycles: checked.cycles,
            skipped: checked.skipped,
            bytes: self.bytes,
            seconds: self.seconds,
            ledger,
            unmapped_inputs: self.wiring.unmapped_inputs.clone(),
            unmapped_outputs: self.wiring.unmapped_outputs.clone(),
            vague_inputs: checked.vague_inputs,
            first_vague_input: checked.first_vague_input,
            vague_outputs: checked.vague_outputs,
            unfinished: checked
                .unfinished
                .map(|tick| written(header.timescale(), tick)),
            open_tick: checked
                .open_tick
                .map(|tick| written(header.timescale(), tick)),
            fault: checked.fault.as_ref().map(ToString::to_string),
            divergence: None,
        };
        if let Some(found) = &checked.found {
            summary.divergence = Some(self.report(&checked, found, &summary, out, header));
        }
        let fault = checked.fault.map(|fault| in_file(&self.args.file, fault));
        let view = || {
            if let Some(report) = &summary.divergence {
                let clock = Some(self.wiring.clock_path.as_str());
                report_files::view_with_clock(report, clock, &self.args.window);
            }
        };
        if self.args.json {
            output::beside(verdict, output::print_json(&summary))?;
            view();
            if let Some(Failure { message, .. }) = fault {
                output::tell(&format!("lockstep: {message}\n"));
            }
            return Ok(verdict);
        }
        let printed = match &summary.divergence {
            Some(report) => output::print_report(report, None),
            None => output::print(&summary.text()),
        };
        output::beside(verdict, printed)?;
        view();
        fault.map_or(Ok(verdict), Err)
    }

    /// Whether a field of the ledger is compared, by its name.
    fn compares(&self, name: &str) -> bool {
        let input = CycleInput::default();
        let register = Field::Whole(Output::AccessData);
        let field = Field::all().find(|field| *field != register && field.name(&input) == name);
        let (from, width) = place(field.unwrap_or(register));
        self.wiring.compares(from, width)
    }

    /// What was compared, without the fields that the map does not have.
    fn ledger(&self, checked: &Checked) -> LedgerSummary {
        let mut ledger = LedgerSummary::of(&checked.ledger);
        ledger.fields.retain(|tally| self.compares(&tally.field));
        for tally in &mut ledger.fields {
            let vague = checked.vague_fields.get(&tally.field).copied();
            let vague = vague.unwrap_or(0).min(tally.compared);
            tally.compared -= vague;
            tally.not_compared += vague;
        }
        let sum = |of: fn(&FieldTally) -> u64| ledger.fields.iter().map(of).sum::<u64>();
        ledger.total = Compared {
            compared: sum(|tally| tally.compared),
            not_compared: sum(|tally| tally.not_compared),
        };
        ledger.changed = sum(|tally| tally.changed);
        let fields = &ledger.fields;
        ledger
            .never_changed
            .retain(|name| fields.iter().any(|tally| tally.field == *name));
        if !self.compares("access data") {
            ledger.never_read.clear();
        }
        ledger
    }

    fn report(
        &self,
        checked: &Checked,
        found: &Found,
        summary: &Summary,
        out: &OutputFolder,
        header: &lockstep_vcd::Header,
    ) -> Report {
        let file = self.args.file.display().to_string();
        let mut notes = Vec::from_iter(summary.random_generator.clone());
        notes.extend(summary.remarks());
        let mut files = Vec::new();
        match self.window(found, out, &mut notes) {
            Ok(path) => files.push(File {
                what: report::WINDOW.into(),
                path,
            }),
            Err(why) => notes.push(why),
        }
        let facts = RunFacts {
            seed: None,
            stimulus: format!("inputs of {file}"),
            implementation: self.implementation.name.clone(),
            rtl: file.clone(),
            replay: self.command(),
        };
        let window = files.first().map(|file| file.path.clone());
        let first = found.replay.window.first;
        let internals = |n| match &window {
            Some(path) => Internals::read_at(path, self.implementation, n, (first, &found.times))
                .map_err(|error| format!("{}: {error}", path.display())),
            None => Ok(Internals::default()),
        };
        let mut report = report::report_with(
            &found.divergence,
            &found.replay,
            self.implementation,
            &checked.ledger,
            facts,
            files,
            internals,
        );
        let root = found
            .divergence
            .differences
            .iter()
            .map(|difference| difference.field)
            .find(|field| field.signal() == report.headline.signal);
        if let Some((from, width)) = root.map(place)
            && let Some(path) = self.wiring.path_of(Side::Output, from, width)
        {
            report.headline.signal = path;
        }
        let timescale = header.timescale();
        report.in_dump = Some(format!(
            "{} (clock edge {} of the dump)",
            written(timescale, found.time),
            found.edge
        ));
        report.time_ns = timescale.map_or(0, |timescale| {
            (timescale.seconds(found.time) * 1e9).floor() as u64
        });
        let coverage = &mut report.coverage;
        coverage.cycles = checked.cycles;
        coverage.compared = summary.ledger.total;
        coverage.fields.clone_from(&summary.ledger.fields);
        coverage.never_read.clone_from(&summary.ledger.never_read);
        coverage
            .never_changed
            .clone_from(&summary.ledger.never_changed);
        report.reproduction = format!(
            "the model alone, on the inputs of the dump; cycle 0 is clock edge {}",
            checked.skipped
        );
        report.notes.splice(0..0, notes);
        report.waves.times.clone_from(&found.times);
        self.clear_unmapped(&mut report);
        let clock = Some(self.wiring.clock_path.as_str());
        report_files::write_with_clock(&mut report, out, clock, &self.args.window);
        report
    }

    /// Takes the values of outputs out of the waveform that the dump does not have.
    fn clear_unmapped(&self, report: &mut Report) {
        let input = CycleInput::default();
        let labels: Vec<_> = Field::all()
            .filter(|&field| {
                let (from, width) = place(field);
                !self.wiring.compares(from, width)
            })
            .map(|field| match field {
                Field::Whole(Output::AccessData) => "access data".to_owned(),
                field => field.name(&input),
            })
            .collect();
        for signal in &mut report.waves.signals {
            if signal.scope == ["rtl"] && labels.contains(&signal.label) {
                signal.values.fill(None);
            }
        }
    }

    /// Cuts the window out of the dump; notes go to `notes`.
    fn window(
        &self,
        found: &Found,
        out: &OutputFolder,
        notes: &mut Vec<String>,
    ) -> Result<PathBuf, String> {
        let (Some(&first), Some(&last)) = (found.times.first(), found.times.last()) else {
            return Err("there is no cycle to show".to_owned());
        };
        let failed = |error: &dyn std::fmt::Display| {
            format!("{}: no waveform: {error}", self.args.file.display())
        };
        let message = |failure: Failure| failure.message;
        let draft = out.draft(report_files::WINDOW).map_err(message)?;
        let file = std::fs::File::create(draft.path()).map_err(|error| failed(&error))?;
        let mut to = BufWriter::new(file);
        match self.ring {
            None => {
                let mut opened = self.args.reading.open(&self.args.file).map_err(message)?;
                excerpt(&mut opened.dump, first..=last, &mut to).map_err(|error| failed(&error))?;
            }
            Some(ring) => {
                let since = ring.since();
                if since > first {
                    let kept = found.times.iter().filter(|&&time| time >= since).count();
                    notes.push(format!(
                        "of a dump that is read once, {} MiB of changes are kept: the waveform has the last {} of {} cycles,                          check a file to have all",
                        LIMIT >> 20,
                        kept.saturating_sub(1),
                        found.times.len() - 1
                    ));
                }
                excerpt_of_ring(ring, first.max(since)..=last, &mut to)
                    .map_err(|error| failed(&error))?;
            }
        }
        to.flush().map_err(|error| failed(&error))?;
        draft.keep().map_err(message)
    }

    fn command(&self) -> String {
        let args = self.args;
        let path = |path: &Path| quoted(&path.display().to_string());
        // What came through a pipe is gone.
        let (before, file) = match self.ring.is_some() {
            true => ("with the dump of the simulation in a FILE: ", "FILE".into()),
            false => ("", path(&args.file)),
        };
        let mut command = format!(
            "{before}lockstep vcd check {file} --map {}",
            path(&args.map)
        );
        if let Some(file) = &args.implementation {
            let _ = write!(command, " --implementation {}", path(file));
        }
        if args.unmapped == Unmapped::Zero {
            command.push_str(" --unmapped zero");
        }
        if args.x == Vague::Skip {
            command.push_str(" --x skip");
        }
        if let Some(file) = &args.waivers {
            let _ = write!(command, " --waivers {}", path(file));
        }
        if args.assume_reset {
            command.push_str(" --assume-reset");
        }
        command
    }
}

/// Lowest bit of a field and its width.
fn place(field: Field) -> (u32, u32) {
    let bits = field.bits();
    match field {
        // Three bits of its byte, of which there may be one.
        Field::Whole(Output::Coll) => (bits.start, 1),
        _ => (bits.start, bits.end - bits.start),
    }
}

impl Summary {
    /// What was not as it should be, in sentences.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.skipped > 0 {
            let edges = grouped(self.skipped);
            remarks.push(format!(
                "before the first reset, not compared: {edges} cycles"
            ));
        }
        for (what, names) in [
            (
                "inputs without a signal, taken as zero",
                &self.unmapped_inputs,
            ),
            (
                "outputs without a signal, not compared",
                &self.unmapped_outputs,
            ),
        ] {
            if !names.is_empty() {
                remarks.push(format!("{what}: {}", listed(names)));
            }
        }
        if let Some(first) = self.first_vague_input {
            remarks.push(format!(
                "x or z in inputs, taken as zero: in {} cycles, the first is {first}; from there on the model may be in \
                 another state than the design, and a difference may come of that",
                grouped(self.vague_inputs)
            ));
        }
        if self.vague_outputs > 0 {
            let cycles = grouped(self.vague_outputs);
            remarks.push(format!(
                "x or z in outputs, not compared: in {cycles} cycles"
            ));
        }
        if let Some(time) = &self.unfinished {
            remarks.push(format!(
                "the dump ends within the cycle of the edge at {time}, not compared: look whether it was cut"
            ));
        } else if let Some(time) = &self.open_tick {
            remarks.push(format!(
                "the dump ends with changes at {time} and no later time: nothing tells whether it was cut there"
            ));
        }
        remarks
    }

    fn text(&self) -> String {
        let (style, word): (Style, _) = match self.verdict {
            Verdict::Agree => (AnsiColor::Green.on_default().bold(), "PASS"),
            Verdict::NotRandom | Verdict::UnusedWaiver => {
                (AnsiColor::Red.on_default().bold(), self.verdict.word())
            }
            _ => (AnsiColor::Red.on_default().bold(), "ENDED EARLY"),
        };
        let ledger = &self.ledger;
        let mut text = format!(
            "{style}{word}{style:#}  {} cycles of {}, {} counters, implementation {}\n",
            grouped(self.cycles),
            self.dump,
            self.counters,
            self.implementation
        );
        if let Some(finding) = &self.random_generator {
            let _ = writeln!(text, "  {finding}");
        }
        let megabytes = self.bytes as f64 / 1e6;
        let _ = writeln!(
            text,
            "  {megabytes:.1} MB, {:.0} MB/s ({:.2} s)",
            megabytes / self.seconds.max(1e-6),
            self.seconds
        );
        let _ = writeln!(
            text,
            "  fields compared {}, not compared ({}) {}, changed {}",
            grouped(ledger.total.compared),
            match (self.vague_outputs, !ledger.waivers.is_empty()) {
                (0, has_waivers) => left_out(has_waivers),
                (_, false) => "UNKNOWN, x or z",
                (_, true) => "UNKNOWN, x, z or waived",
            },
            grouped(ledger.total.not_compared),
            grouped(ledger.changed)
        );
        for remark in self
            .remarks()
            .into_iter()
            .chain(waiver_lines(&ledger.waivers))
        {
            let _ = writeln!(text, "  {remark}");
        }
        for (what, names) in [
            ("never changed", &ledger.never_changed),
            ("never read", &ledger.never_read),
        ] {
            if !names.is_empty() {
                let _ = writeln!(text, "  {what}: {}", listed(names));
            }
        }
        text
    }
}
