//! `lockstep vcd cut`.

use std::io::{self, BufWriter, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use lockstep_vcd::Header;

use super::patience::Patience;
use super::reading::Reading;
use super::span::Span;
use super::{Failure, count, file_and_signals, globs_of, in_file, in_signals, note_repeated};
use crate::cli::output;
use crate::cli::places::Places;
use crate::fst::write::{WriteError, convert};
use crate::glob::Glob;
use crate::lockstep::Verdict;
use crate::printable::printable;
use crate::scratch::ScratchFile;
use crate::waves::cut::{Copied, Cut, CutError};
use crate::waves::cut_vcd::VcdTarget;
use crate::waves::dump::Dump;
use crate::waves::select::SelectError;
use crate::waves::time::written;

/// Endings of names of formats that are not written, and what makes such a file.
const FORMATS: [(&str, &str); 3] = [
    ("gz", "write to standard output: `-o - | gzip`"),
    ("zst", "write to standard output: `-o - | zstd`"),
    ("ghw", "such files are read alone"),
];

/// Arguments of `vcd cut`.
#[derive(Args)]
pub struct CutArgs {
    /// The dump: VCD, may be compressed with gzip or Zstandard, FST or GHW; `-` is standard input. It may stand behind the signals or scopes
    #[arg(required_unless_present_any = ["signals", "scope"])]
    file: Option<PathBuf>,
    /// Signals to keep [default: all]: a path or the end of one, with bits if wanted, or a pattern: `*` is anything
    /// within a name, `**` anything
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    signals: Vec<String>,
    /// Keep of them what is in these scopes, and below them: a path or the end of one, or a pattern
    #[arg(long, value_name = "SCOPE", num_args = 1..)]
    scope: Vec<String>,
    #[command(flatten)]
    span: Span,
    /// Write to this file, as FST if it is named so, else as VCD; `-` is standard output
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

/// Writes a part of a dump as one of its own.
pub(super) fn cut(args: &CutArgs) -> Result<Verdict, Failure> {
    // It may be the last word behind either.
    let is_behind_scope = match (args.signals.last(), args.scope.is_empty()) {
        (Some(last), false) => !Path::new(last).exists(),
        (last, _) => last.is_none(),
    };
    let (file, signals, scopes) = match is_behind_scope {
        true => {
            let (file, scopes) = file_and_signals(args.file.as_ref(), &args.scope)?;
            (file, &args.signals[..], scopes)
        }
        false => {
            let (file, signals) = file_and_signals(args.file.as_ref(), &args.signals)?;
            (file, signals, &args.scope[..])
        }
    };
    let file = file.as_path();
    let is_pipe = args.output == Path::new("-");
    check(args, file, is_pipe)?;
    let mut opened = args.reading.open(file)?;
    let header = opened.dump.header();
    let cut = chosen((signals, scopes), file, &header)?;
    cut.repeated.iter().for_each(|path| note_repeated(path));
    let job = Job {
        args,
        file,
        header: &header,
        cut: &cut,
        between: args.span.ticks(file, &header)?,
    };
    let mut copied = None;
    let written = {
        let _patience = Patience::start(Arc::clone(&opened.read), opened.size);
        let mut write = |out: &mut dyn Write| job.write(&mut opened.dump, out, &mut copied);
        match (is_pipe, end_of(&args.output) == "fst") {
            (true, _) => {
                let mut out = BufWriter::new(io::stdout());
                output::printed(write(&mut out).and_then(|()| out.flush()))
            }
            (false, false) => output::write_whole(&args.output, |out| write(out)),
            (false, true) => write_fst(&args.output, write),
        }
    };
    let copied = match (copied, written) {
        (Some(Ok(copied)), Ok(())) => copied,
        (Some(Err(failure)), _) | (_, Err(failure)) => return Err(failure),
        // Who reads standard output has enough.
        (None, Ok(())) => return Ok(Verdict::Agree),
    };
    if !is_pipe {
        output::print(&job.summary(&copied))?;
    }
    if end_of(&args.output) == "fst"
        && let Some(path) = cut.string(&header)
    {
        output::note(&format!(
            "`{}` is text, which is written to FST as a vector of its characters, 8 bits each",
            printable(&path)
        ));
    }
    if end_of(&args.output) == "fst" && header.timescale().is_none() {
        output::note("the dump has no timescale, which FST needs: its ticks are 1 ns there");
    }
    args.reading.note(file, &opened.dump);
    match copied.fault {
        Some(fault) => Err(in_file(file, fault)),
        None => Ok(Verdict::Agree),
    }
}

/// The end of a file's name.
fn end_of(path: &Path) -> String {
    let end = path.extension().and_then(|end| end.to_str());
    end.map(str::to_ascii_lowercase).unwrap_or_default()
}

/// Writes an FST file of what `write` writes, by way of a VCD beside it.
fn write_fst(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let path = &output::target(path)?;
    if output::is_device(path) {
        return Err(Failure::usage(format!(
            "{}: expected a file, found a pipe or a device, which cannot hold FST; name a file, or write a VCD",
            path.display()
        )));
    }
    let through = || -> Result<(), WriteError> {
        let mut text = BufWriter::new(ScratchFile::beside(path)?);
        write(&mut text)?;
        let text = text.into_inner().map_err(io::IntoInnerError::into_error)?;
        let file = ScratchFile::beside(path)?;
        convert(text.path(), file.as_file().try_clone()?)?;
        Ok(file.keep(path)?)
    };
    through().map_err(|error| match error {
        WriteError::Write(error) => output::failed(path, &error),
        other => Failure::usage(format!("{}: {other}", path.display())),
    })
}

/// Refuses an output that would replace the dump, or of another format.
fn check(args: &CutArgs, file: &Path, is_pipe: bool) -> Result<(), Failure> {
    let output = (!is_pipe).then_some(args.output.as_path());
    let places = match is_pipe {
        true => Places::new(),
        false => Places::default(),
    };
    places.writes("--output", output).reads_dump(file).check()?;
    let end = end_of(&args.output);
    match FORMATS.iter().find(|(format, _)| *format == end) {
        Some((_, instead)) => Err(Failure::usage(format!(
            "expected the name of a VCD or an FST file, found {}; {instead}",
            args.output.display()
        ))),
        None => Ok(()),
    }
}

/// What is cut out.
fn chosen(
    (signals, scopes): (&[String], &[String]),
    file: &Path,
    header: &Header,
) -> Result<Cut, Failure> {
    let globs = globs_of(signals);
    let scopes: Vec<_> = scopes.iter().map(|text| Glob::new(text)).collect();
    Cut::new(header, &globs, &scopes).map_err(|error| match error {
        CutError::Signals(SelectError::NoneFits(_)) | CutError::NoScope(_) | CutError::Nothing => {
            in_file(file, error)
        }
        CutError::Signals(error) => in_signals(file, error),
    })
}

/// What is to be done.
struct Job<'j> {
    args: &'j CutArgs,
    file: &'j Path,
    header: &'j Header,
    cut: &'j Cut,
    /// Ticks.
    between: RangeInclusive<u64>,
}

impl Job<'_> {
    /// Writes the cut. `copied` is what came of it, or why there is to be none.
    fn write(
        &self,
        dump: &mut Dump,
        out: &mut dyn Write,
        copied: &mut Option<Result<Copied, Failure>>,
    ) -> io::Result<()> {
        let mut target = VcdTarget::new(out, "cut by lockstep");
        let result = self.cut.copy(dump, &self.between, &mut target)?;
        let is_empty = result.times.is_none() && result.fault.is_none();
        let last = result.last;
        *copied = Some(match is_empty {
            true => Err(self.empty(last)),
            false => Ok(result),
        });
        match is_empty {
            // Leaves no file.
            true => Err(io::Error::other("empty")),
            false => Ok(()),
        }
    }

    /// Why nothing is in the part that was asked for.
    fn empty(&self, last: u64) -> Failure {
        let late = self.args.span.check(self.file, self.header, last).err();
        late.unwrap_or_else(|| {
            in_file(
                self.file,
                "expected times between --from and --to, found none in the dump",
            )
        })
    }

    fn summary(&self, copied: &Copied) -> String {
        let [signals, names] = self.cut.chosen;
        let at = |time| written(self.header.timescale(), time);
        let times = match copied.times {
            Some((first, last)) => format!(", {} to {}", at(first), at(last)),
            None => String::new(),
        };
        format!(
            "{} with {} of {}{times}, in {}\n",
            count(signals as u64, "signal"),
            count(names as u64, "name"),
            printable(&self.file.display().to_string()),
            self.args.output.display()
        )
    }
}
