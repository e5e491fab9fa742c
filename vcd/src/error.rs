//! The error of this crate, and the small fault that the parsers carry until its place is known.

use std::fmt;
use std::io;

/// What went wrong while a dump was read or asked about.
///
/// Every message starts with `[vcd] expected` and ends with what was found instead.
///
/// ```
/// use lockstep_vcd::{Error, Slice, Source};
///
/// let mut dump = Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n#5\n1\"\n")?;
/// let error = dump.for_each(|_event| {}).unwrap_err();
/// assert!(matches!(error, Error::Syntax { line: 3, offset: 46, .. }));
/// assert_eq!(
///     error.to_string(),
///     "[vcd] expected an identifier code that a `$var` declared, found `\"` (line 3, byte 46)",
/// );
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a Value Change Dump.
    #[error("[vcd] expected {expected}, found {found} (line {line}, byte {offset})")]
    Syntax {
        /// What the grammar allows here.
        expected: String,
        /// The start of what stands there, printable.
        found: String,
        /// Line of the fault, the first is 1.
        line: u64,
        /// Byte of the fault in the uncompressed dump, the first is 0.
        offset: u64,
        /// The fault is in a time, so that the tick before it is whole.
        in_time: bool,
    },
    /// The source of the bytes failed.
    #[error("[vcd] expected to read on at byte {offset}, found an input error: {source}")]
    Io {
        /// Byte of the uncompressed dump up to which all was read.
        offset: u64,
        /// The error of the operating system or of the decompressor.
        source: io::Error,
    },
    /// A source that reads another format failed.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// No variable has the path that was asked for.
    #[error("[vcd] expected a variable `{path}`, found none{}", alternatives(.candidates))]
    NotFound {
        /// The path as asked.
        path: String,
        /// Full paths of some variables whose name is like it.
        candidates: Vec<String>,
    },
    /// Several different signals have the path suffix that was asked for.
    #[error("[vcd] expected one variable `{path}`, found several{}", alternatives(.candidates))]
    Ambiguous {
        /// The path as asked.
        path: String,
        /// Full paths of some of them.
        candidates: Vec<String>,
    },
    /// The variable has not the bits that were asked for.
    #[error("[vcd] expected bits of `{path}` within [{msb}:{lsb}], found [{asked}]")]
    Bits {
        /// Full path of the variable.
        path: String,
        /// Index of its leftmost bit.
        msb: i64,
        /// Index of its rightmost bit.
        lsb: i64,
        /// The bits as asked.
        asked: String,
    },
}

fn alternatives(candidates: &[String]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let quoted: Vec<_> = candidates.iter().map(|c| format!("`{c}`")).collect();
    format!("; there is {}", quoted.join(", "))
}

/// What the grammar allows at a place. Small, so that parsers can return it at no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Anything that nom's own parsers name; replaced before it is shown.
    Token,
    Change,
    HeaderCommand,
    Keyword,
    End,
    ScopeType,
    OpenScope,
    Depth(u32),
    Size(u32),
    Code,
    KnownCode,
    VarType,
    Name,
    NoMore,
    TimescaleNumber,
    TimescaleUnit,
    Digits,
    AtMostDigits(u32),
    Real,
    Text,
    Time,
    TimeNotBelow(u64),
    /// The same of times that are rounded.
    TimeNotBack,
    Separator,
    /// The same behind a time.
    AfterTime,
    OpenSection,
    FourState,
    WholeToken,
    /// The same of a time.
    WholeTime,
    WholeTicks,
    SectionEnd,
    CommandLength(usize),
    ManySignals,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token => f.write_str("a token"),
            Self::Change => f.write_str("a value change, a time or a command"),
            Self::HeaderCommand => f.write_str("a declaration command or `$enddefinitions`"),
            Self::Keyword => f.write_str("a keyword after `$`"),
            Self::End => f.write_str("`$end`"),
            Self::ScopeType => f.write_str("a scope type"),
            Self::OpenScope => f.write_str("an open scope for `$upscope`"),
            Self::Depth(most) => write!(f, "at most {most} nested scopes"),
            Self::Size(most) => write!(f, "a size in bits, at most {most}"),
            Self::Code => f.write_str("an identifier code of printable characters"),
            Self::KnownCode => f.write_str("an identifier code that a `$var` declared"),
            Self::VarType => f.write_str("a variable type"),
            Self::Name => f.write_str("a name"),
            Self::NoMore => f.write_str("`$end` and nothing before it"),
            Self::TimescaleNumber => f.write_str("the number of a timescale"),
            Self::TimescaleUnit => f.write_str("a unit of time (s, ms, us, ns, ps, fs)"),
            Self::Digits => f.write_str("binary digits"),
            Self::AtMostDigits(width) => write!(f, "at most {width} binary digits"),
            Self::Real => f.write_str("a real number"),
            Self::Text => f.write_str("the characters of a string"),
            Self::Time => f.write_str("a time below 2^64"),
            Self::TimeNotBelow(time) => write!(f, "a time not below #{time}"),
            Self::TimeNotBack => f.write_str("a time not below the one before"),
            Self::Separator | Self::AfterTime => f.write_str("white space"),
            Self::OpenSection => f.write_str("an open `$dump` section for `$end`"),
            Self::FourState => f.write_str(
                "a four-state dump (not `$dumpports`), which evcd2vcd makes of an extended one",
            ),
            Self::WholeToken | Self::WholeTime => {
                f.write_str("white space after the last code or number, which may be cut off")
            }
            Self::WholeTicks => f.write_str("a whole number of ticks"),
            Self::SectionEnd => f.write_str("`$end` of the `$dump` section"),
            Self::CommandLength(most) => write!(f, "a command of at most {most} bytes"),
            Self::ManySignals => f.write_str("less than 2^32 variables"),
        }
    }
}

/// A parse error before its place in the file is known: the input that is left, and what was
/// expected at its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault<'a> {
    pub(crate) at: &'a [u8],
    pub(crate) expected: Expected,
}

impl<'a> nom::error::ParseError<&'a [u8]> for Fault<'a> {
    fn from_error_kind(at: &'a [u8], _: nom::error::ErrorKind) -> Self {
        Self {
            at,
            expected: Expected::Token,
        }
    }

    fn append(_: &'a [u8], _: nom::error::ErrorKind, other: Self) -> Self {
        other
    }
}

/// The result of every parser of this crate.
pub(crate) type Parsed<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

/// The same for what leaves no input over.
pub(crate) type Checked<'a, T> = Result<T, nom::Err<Fault<'a>>>;

/// A fault at `at` that no other alternative can mend.
#[cold]
pub(crate) fn fail<'a, T>(at: &'a [u8], expected: Expected) -> Checked<'a, T> {
    Err(nom::Err::Failure(Fault { at, expected }))
}

/// More input is needed to decide.
pub(crate) const fn incomplete<'a, T>() -> Checked<'a, T> {
    Err(nom::Err::Incomplete(nom::Needed::Unknown))
}

/// `parser`, whose failure is reported as `expected`.
pub(crate) fn expect<'a, O>(
    expected: Expected,
    mut parser: impl nom::Parser<&'a [u8], Output = O, Error = Fault<'a>>,
) -> impl FnMut(&'a [u8]) -> Parsed<'a, O> {
    move |input| match parser.parse(input) {
        Err(nom::Err::Error(fault)) => fail(fault.at, expected),
        other => other,
    }
}

impl Error {
    /// A syntax error from a fault and the place of its first byte.
    pub(crate) fn syntax(fault: &Fault<'_>, line: u64, offset: u64) -> Self {
        Self::Syntax {
            expected: fault.expected.to_string(),
            found: found(fault.at),
            line,
            offset,
            in_time: matches!(
                fault.expected,
                Expected::Time
                    | Expected::TimeNotBelow(_)
                    | Expected::TimeNotBack
                    | Expected::WholeTicks
                    | Expected::WholeTime
                    | Expected::AfterTime
            ),
        }
    }
}

/// The first word of `at`, printable and short enough for one line.
fn found(at: &[u8]) -> String {
    const MOST: usize = 32;
    if at.is_empty() {
        return "the end of the dump".to_owned();
    }
    if at[0].is_ascii_whitespace() {
        return "white space".to_owned();
    }
    let length = at
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(at.len());
    let dots = if length > MOST { "..." } else { "" };
    let shown = at[..length.min(MOST)].escape_ascii().to_string();
    // Quotes need no escape here.
    format!(
        "`{}{dots}`",
        shown.replace("\\\"", "\"").replace("\\'", "'")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syntax_error_says_what_was_expected_and_found_and_where() {
        let fault = Fault {
            at: b"\xffabc def",
            expected: Expected::Digits,
        };
        assert_eq!(
            Error::syntax(&fault, 3, 17).to_string(),
            "[vcd] expected binary digits, found `\\xffabc` (line 3, byte 17)"
        );
    }

    #[test]
    fn a_long_token_is_shortened() {
        assert_eq!(found(&[b'1'; 1000]), format!("`{}...`", "1".repeat(32)));
        assert_eq!(found(b""), "the end of the dump");
        assert_eq!(found(b"\nx"), "white space");
    }
}
