//! Any dump as an FST file, by the library `fst-writer`.
//!
//! It writes numbers and bits, and no text. A signal of text becomes a vector of its characters, 8 bits each, as Verilog
//! has strings: the last one is the lowest, and above a short text are zeros. Viewers show it as ASCII.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;

use crate::written::is_element;
use fst_writer::{
    FstBodyWriter, FstFileType, FstHeaderWriter, FstInfo, FstScopeType, FstSignalId, FstSignalType,
    FstVarDirection, FstVarType, FstWriteError,
};
use lockstep_vcd::{
    BitsRef, Error, Event, Header, Probe, ScopeId, ScopeKind, Source, Timescale, ValueRef, VarKind,
    Variable,
};

/// Bytes of changes in a block.
const BLOCK: usize = 32 << 20;

/// Bytes of the longest name of a scope or variable, with its range.
const LONGEST: usize = 65_535;

/// The time scale of a dump that has none.
const NO_TIMESCALE: Timescale = Timescale {
    number: 1,
    exponent: -9,
};

/// Why there is no FST file.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The dump cannot be read.
    #[error(transparent)]
    Dump(#[from] Error),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A time is too large in the time scale of the file.
    #[error(
        "expected times below 2^64 of the time scale, found tick {0} of {1} of them; FST has no such time scale"
    )]
    Time(u64, u32),
    /// A variable has values of another form than the one that it is declared with.
    #[error(
        "expected {expected} of `{path}`, as it is declared, found {found}; in FST a variable has values of one form: \
         leave it out with --signals, or write a VCD"
    )]
    Form {
        /// The variable.
        path: String,
        /// The form that is declared.
        expected: &'static str,
        /// The form that was found.
        found: &'static str,
    },
    /// The library writes the values of time 0 when a later time comes.
    #[error(
        "expected a time beyond 0, found none; FST cannot hold a dump that ends at 0: write a VCD, or more of the dump"
    )]
    OneTime,
    /// At time 0 an event has a value, as all others: no number of triggers.
    #[error(
        "expected one trigger of `{0}` at time 0, found another; FST keeps one there: leave it out with --signals, or \
         write a VCD"
    )]
    Triggers(String),
    /// To readers of FST it is one of text.
    #[error(
        "expected signals of at least one bit, found `{0}` with none; FST cannot hold it: leave it out with --signals, or \
         write a VCD"
    )]
    NoBits(String),
    /// Readers of FST take names up to a limit.
    #[error(
        "expected names of at most {LONGEST} bytes, found one of {0}; no reader of FST takes it: leave it out with \
         --signals or --scope, or write a VCD"
    )]
    Name(usize),
    /// The library cannot write it.
    #[error("[fst] {0}")]
    Library(String),
}

impl From<FstWriteError> for WriteError {
    fn from(error: FstWriteError) -> Self {
        match error {
            FstWriteError::Io(error) => Self::Write(error),
            other => Self::Library(other.to_string()),
        }
    }
}

/// Bytes of the longest text of each signal of a dump, which was just opened; 0 for one without text. [`write()`] must
/// know them before.
///
/// # Errors
/// Those of [`Source::try_for_each`].
pub fn longest_texts(dump: &mut impl Source) -> Result<Vec<usize>, Error> {
    let mut longest = vec![0; dump.header().signal_count()];
    let texts = dump.header().variables().iter();
    if !texts
        .clone()
        .any(|variable| variable.kind() == VarKind::String)
    {
        return Ok(longest);
    }
    dump.for_each(|event| {
        if let Event::Change(signal, value @ ValueRef::Text(_)) = event {
            let bytes = text(value).len();
            longest[signal.index()] = longest[signal.index()].max(bytes);
        }
    })?;
    Ok(longest)
}

/// Writes the VCD in `from` as an FST file.
///
/// # Errors
/// [`WriteError`].
pub fn convert(from: &Path, to: File) -> Result<(), WriteError> {
    let longest = longest_texts(&mut lockstep_vcd::Stream::open(from)?)?;
    let out = BufWriter::new(to);
    let mut out = write(&mut lockstep_vcd::Stream::open(from)?, &longest, out)?;
    out.flush()?;
    Ok(())
}

/// Writes all that `dump` has, which was just opened; `longest` are its [`longest_texts`]. Memory is that of a block of
/// 32 MiB of changes. Gives `out` back, all written.
///
/// # Errors
/// [`WriteError`].
pub fn write<W: Write + Seek>(
    dump: &mut impl Source,
    longest: &[usize],
    out: W,
) -> Result<W, WriteError> {
    let header = dump.header().clone();
    let timescale = header.timescale().unwrap_or(NO_TIMESCALE);
    let (exponent, factor) = match timescale.number {
        1 => (0, 1),
        10 => (1, 1),
        100 => (2, 1),
        other => (0, other),
    };
    let word = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let info = FstInfo {
        start_time: 0,
        timescale_exponent: timescale.exponent + exponent,
        version: word(header.version()),
        date: word(header.date()),
        file_type: FstFileType::Verilog,
    };
    let mut file = FstHeaderWriter::new(out, &info)?;
    let signals = declare(&mut file, &header, longest)?;
    let mut body = Body {
        file: file.finish()?,
        header: &header,
        signals,
        factor,
        digits: Vec::new(),
        triggered: Some(Vec::new()),
    };
    // A trigger of an event is a change to what it is.
    body.file.set_deduplicate(false);
    let visited = dump.try_for_each(|event| match body.enter(event) {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    })?;
    match visited {
        ControlFlow::Continue(()) if body.triggered.is_some() => Err(WriteError::OneTime),
        ControlFlow::Continue(()) => Ok(body.file.finish()?),
        ControlFlow::Break(error) => Err(error),
    }
}

/// A signal of the file.
#[derive(Clone, Copy, Debug)]
struct Written {
    id: FstSignalId,
    /// Digits of a value.
    width: usize,
    form: Form,
    /// Place of the variable.
    variable: usize,
}

/// What values of a signal are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Bits,
    /// Triggers alone are written: some readers take x for one.
    Event,
    Real,
    Text,
}

impl Form {
    const fn of(kind: VarKind) -> Self {
        match kind {
            VarKind::Event => Self::Event,
            VarKind::Real | VarKind::Realtime | VarKind::ShortReal | VarKind::RealParameter => {
                Self::Real
            }
            VarKind::String => Self::Text,
            _ => Self::Bits,
        }
    }

    /// Of which values are these: of an event, any is a trigger.
    const fn takes(self, value: &ValueRef<'_>) -> bool {
        matches!(
            (self, value),
            (Self::Event, _)
                | (Self::Bits, ValueRef::Bits(_))
                | (Self::Real, ValueRef::Real(_))
                | (Self::Text, ValueRef::Text(_))
        )
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Event => "triggers",
            Self::Real => "reals",
            Self::Text => "strings",
        }
    }
}

/// By signal of the dump, those of the file: one for every width and form that a variable has.
type Signals = Vec<Vec<Written>>;

fn declare<W: Write + Seek>(
    file: &mut FstHeaderWriter<W>,
    header: &Header,
    longest: &[usize],
) -> Result<Signals, WriteError> {
    let mut signals: Signals = vec![Vec::new(); header.signal_count()];
    let mut open: Vec<ScopeId> = Vec::new();
    for (place, variable) in header.variables().iter().enumerate() {
        enter(file, header, variable.scope(), &mut open)?;
        if let Some(range) = variable.range().filter(|_| variable.is_of_bits()) {
            // Which end of it is the left one is not known: its bits stay bits.
            let probe = Probe::variable(header, place);
            let parts = probe.iter().flat_map(|probe| probe.parts(header));
            for (part, index) in parts.zip((range.lsb..=range.msb).rev()) {
                let signal = part.signal().index();
                let same = signals[signal]
                    .iter()
                    .find(|written| written.width == 1 && written.form == Form::Bits);
                let alias = same.map(|written| written.id);
                let name = fitting(format!("{} [{index}]", printable(variable.name())))?;
                let kind = written(variable.kind());
                let of_file = FstSignalType::bit_vec(1);
                let id = file.var(name, of_file, kind, FstVarDirection::Implicit, alias)?;
                if alias.is_none() {
                    signals[signal].push(Written {
                        id,
                        width: 1,
                        form: Form::Bits,
                        variable: place,
                    });
                }
            }
            continue;
        }
        let signal = variable.signal().index();
        let form = Form::of(variable.kind());
        let width = match form {
            Form::Text => 8 * longest[signal].max(1),
            // Tools write any width of an event.
            Form::Event => variable.width().max(1) as usize,
            Form::Bits if variable.width() == 0 => {
                return Err(WriteError::NoBits(header.path(variable)));
            }
            _ => variable.width() as usize,
        };
        let kind = written(variable.kind());
        let of_file = match form {
            Form::Real => FstSignalType::real(),
            _ => FstSignalType::bit_vec(width as u32),
        };
        let same = signals[signal]
            .iter()
            .find(|written| written.width == width && written.form == form);
        let alias = same.map(|written| written.id);
        let name = fitting(name(variable, width))?;
        let id = file.var(name, of_file, kind, FstVarDirection::Implicit, alias)?;
        if alias.is_none() {
            signals[signal].push(Written {
                id,
                width,
                form,
                variable: place,
            });
        }
    }
    enter(file, header, None, &mut open)?;
    Ok(signals)
}

/// The name as writers of FST have it: with the range behind a blank.
fn name(variable: &Variable, width: usize) -> String {
    let name = printable(variable.name());
    match (variable.kind(), variable.range()) {
        (VarKind::String, _) => format!("{name} [{}:0]", width - 1),
        (_, Some(range)) => format!("{name} {range}"),
        (_, None) if is_element(variable) => format!("\\{name}"),
        (_, None) => name,
    }
}

/// A name without what ends it for readers.
fn printable(name: &str) -> String {
    name.replace(char::is_control, "_")
}

/// The name, if readers take it.
fn fitting(name: String) -> Result<String, WriteError> {
    match name.len() {
        ..=LONGEST => Ok(name),
        bytes => Err(WriteError::Name(bytes)),
    }
}

/// Closes and opens scopes until those around `to` are open.
fn enter<W: Write + Seek>(
    file: &mut FstHeaderWriter<W>,
    header: &Header,
    to: Option<ScopeId>,
    open: &mut Vec<ScopeId>,
) -> Result<(), WriteError> {
    if open.last() == to.as_ref() {
        return Ok(());
    }
    let parent = |scope: &ScopeId| header.scopes()[scope.index()].parent();
    let mut path: Vec<_> = std::iter::successors(to, parent).collect();
    path.reverse();
    let common = open.iter().zip(&path).take_while(|(a, b)| a == b).count();
    for _ in common..open.len() {
        file.up_scope()?;
    }
    for scope in &path[common..] {
        let scope = &header.scopes()[scope.index()];
        let name = fitting(printable(scope.name()))?;
        file.scope(name, "", scope_type(scope.kind()))?;
    }
    *open = path;
    Ok(())
}

struct Body<'h, W: Write + Seek> {
    file: FstBodyWriter<W>,
    header: &'h Header,
    signals: Signals,
    /// Units of the file in a tick.
    factor: u32,
    /// The value that is written.
    digits: Vec<u8>,
    /// At time 0, the events that were triggered.
    triggered: Option<Vec<FstSignalId>>,
}

impl<W: Write + Seek> Body<'_, W> {
    fn enter(&mut self, event: Event<'_>) -> Result<(), WriteError> {
        match event {
            Event::Time(tick) => {
                if self.file.size() >= BLOCK {
                    self.file.flush()?;
                }
                let time = tick.checked_mul(self.factor.into());
                let time = time.ok_or(WriteError::Time(tick, self.factor))?;
                if time > 0 {
                    self.triggered = None;
                }
                self.file.time_change(time)?;
            }
            Event::Change(signal, value) => {
                for written in &self.signals[signal.index()] {
                    let Written {
                        id, width, form, ..
                    } = written;
                    if !form.takes(&value) {
                        return Err(self.form(written, value));
                    }
                    match value {
                        _ if *form == Form::Event => {
                            if !value.to_value().is_trigger() {
                                continue;
                            }
                            if let Some(triggered) = &mut self.triggered {
                                if triggered.contains(id) {
                                    let variable = &self.header.variables()[written.variable];
                                    let path = self.header.path(variable);
                                    return Err(WriteError::Triggers(path));
                                }
                                triggered.push(*id);
                            }
                            self.digits.clear();
                            self.digits.resize(*width, b'1');
                        }
                        ValueRef::Bits(bits) => extend(&mut self.digits, bits, *width),
                        ValueRef::Real(value) => {
                            self.digits.clear();
                            self.digits.extend_from_slice(&value.to_le_bytes());
                        }
                        text @ ValueRef::Text(_) => characters(&mut self.digits, text, *width),
                    }
                    self.file.signal_change(*id, &self.digits)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The error of a value that a variable cannot have.
    fn form(&self, written: &Written, value: ValueRef<'_>) -> WriteError {
        let variable = &self.header.variables()[written.variable];
        let found = match value {
            ValueRef::Bits(_) => Form::Bits,
            ValueRef::Real(_) => Form::Real,
            ValueRef::Text(_) => Form::Text,
        };
        WriteError::Form {
            path: self.header.path(variable),
            expected: written.form.words(),
            found: found.words(),
        }
    }
}

/// The lowest `width` digits of a value: what is left of its first digit is 0 after 0 and 1, else like it.
fn extend(digits: &mut Vec<u8>, bits: BitsRef<'_>, width: usize) {
    let all = bits.digits();
    let fill = match all.first() {
        None | Some(b'0' | b'1') => b'0',
        Some(other) => *other,
    };
    digits.clear();
    digits.resize(width.saturating_sub(all.len()), fill);
    digits.extend_from_slice(&all[all.len().saturating_sub(width)..]);
    digits.make_ascii_lowercase();
}

/// The bits of the characters of a text.
fn characters(digits: &mut Vec<u8>, value: ValueRef<'_>, width: usize) {
    let text = text(value);
    digits.clear();
    digits.resize(width.saturating_sub(8 * text.len()), b'0');
    for byte in text.bytes() {
        digits.extend((0..8).rev().map(|bit| b'0' + (byte >> bit & 1)));
    }
    digits.truncate(width);
}

/// A text without escapes.
fn text(value: ValueRef<'_>) -> Box<str> {
    match value.to_value() {
        lockstep_vcd::Value::Text(text) => text,
        _ => Box::default(),
    }
}

fn scope_type(kind: &ScopeKind) -> FstScopeType {
    let word = match kind {
        ScopeKind::Task => return FstScopeType::Task,
        ScopeKind::Function => return FstScopeType::Function,
        ScopeKind::Begin => return FstScopeType::Begin,
        ScopeKind::Fork => return FstScopeType::Fork,
        ScopeKind::Other(word) => &**word,
        _ => "module",
    };
    match word {
        "generate" => FstScopeType::Generate,
        "struct" => FstScopeType::Struct,
        "union" => FstScopeType::Union,
        "class" => FstScopeType::Class,
        "interface" => FstScopeType::Interface,
        "package" => FstScopeType::Package,
        "program" => FstScopeType::Program,
        "vhdl_architecture" => FstScopeType::VhdlArchitecture,
        "vhdl_procedure" => FstScopeType::VhdlProcedure,
        "vhdl_function" => FstScopeType::VhdlFunction,
        "vhdl_record" => FstScopeType::VhdlRecord,
        "vhdl_process" => FstScopeType::VhdlProcess,
        "vhdl_block" => FstScopeType::VhdlBlock,
        "vhdl_for_generate" => FstScopeType::VhdlForGenerate,
        "vhdl_if_generate" => FstScopeType::VhdlIfGenerate,
        "vhdl_generate" => FstScopeType::VhdlGenerate,
        "vhdl_package" => FstScopeType::VhdlPackage,
        _ => FstScopeType::Module,
    }
}

const fn written(kind: VarKind) -> FstVarType {
    match kind {
        VarKind::Event => FstVarType::Event,
        VarKind::Integer => FstVarType::Integer,
        VarKind::Parameter => FstVarType::Parameter,
        VarKind::Real => FstVarType::Real,
        VarKind::RealParameter => FstVarType::RealParameter,
        VarKind::Realtime => FstVarType::RealTime,
        VarKind::Reg | VarKind::String => FstVarType::Reg,
        VarKind::Supply0 => FstVarType::Supply0,
        VarKind::Supply1 => FstVarType::Supply1,
        VarKind::Time => FstVarType::Time,
        VarKind::Tri => FstVarType::Tri,
        VarKind::Triand => FstVarType::TriAnd,
        VarKind::Trior => FstVarType::TriOr,
        VarKind::Trireg => FstVarType::TriReg,
        VarKind::Tri0 => FstVarType::Tri0,
        VarKind::Tri1 => FstVarType::Tri1,
        VarKind::Wand => FstVarType::Wand,
        VarKind::Wor => FstVarType::Wor,
        VarKind::SparseArray => FstVarType::SparseArray,
        VarKind::Bit => FstVarType::Bit,
        VarKind::Logic => FstVarType::Logic,
        VarKind::Int => FstVarType::Int,
        VarKind::ShortInt => FstVarType::ShortInt,
        VarKind::LongInt => FstVarType::LongInt,
        VarKind::Byte => FstVarType::Byte,
        VarKind::Enum => FstVarType::Enum,
        VarKind::ShortReal => FstVarType::ShortReal,
        // The length of a port is another one there.
        _ => FstVarType::Wire,
    }
}
