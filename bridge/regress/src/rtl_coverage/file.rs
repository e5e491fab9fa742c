//! Data files of coverage, in Verilator's format: a line for each point, what it is and what it counted.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lockstep_base::printable::escaped;

use super::{Point, RtlCoverage, key};

/// The first line of a file.
pub const HEADER: &str = "# SystemC::Coverage-3";
/// What the second line begins with in files of this program, which tells whether they are whole.
const POINTS: &str = "# points: ";

/// A data file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// It cannot be read.
    #[error("{}: expected coverage of RTL, found that it cannot be read: {source}", path.display())]
    Io {
        /// File.
        path: PathBuf,
        /// Reason.
        source: io::Error,
    },
    /// It is something else.
    #[error("{}:1: expected coverage of RTL in Verilator's format (`{HEADER}`), found `{found}`", path.display())]
    Header {
        /// File.
        path: PathBuf,
        /// The beginning of it.
        found: String,
    },
    /// It is cut or damaged.
    #[error("{}:{line}: expected {expected}, found {found}: the file is cut or damaged; run it again", path.display())]
    Damaged {
        /// File.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// What should be there.
        expected: String,
        /// What is.
        found: String,
    },
}

/// Reads a file, of Verilator or of this program.
///
/// # Errors
/// It cannot be read, or is no such file, or not a whole one.
pub fn read(path: &Path) -> Result<RtlCoverage, DataError> {
    let bytes = fs::read(path).map_err(|source| DataError::Io {
        path: path.into(),
        source,
    })?;
    parse(path, &String::from_utf8_lossy(&bytes))
}

fn parse(path: &Path, text: &str) -> Result<RtlCoverage, DataError> {
    let start = |line: &str| escaped(&line.chars().take(40).collect::<String>());
    let mut lines = text.split_inclusive('\n').zip(1..);
    let first = lines.next().map_or("", |(line, _)| line);
    if first.trim_end() != HEADER {
        return Err(DataError::Header {
            path: path.into(),
            found: start(first.trim_end()),
        });
    }
    let damaged = |line, expected: &str, found: String| DataError::Damaged {
        path: path.into(),
        line,
        expected: expected.into(),
        found,
    };
    let (mut points, mut said) = (Vec::new(), None::<usize>);
    for (line, number) in lines {
        let whole = line.strip_suffix('\n');
        if let Some(count) = whole.and_then(|line| line.strip_prefix(POINTS)) {
            said = count.parse().ok();
        } else if !line.starts_with('#') {
            let point = whole.and_then(point);
            let wrong = || {
                damaged(
                    number,
                    "a point and its count",
                    format!("`{}`", start(line)),
                )
            };
            points.push(point.ok_or_else(wrong)?);
        }
    }
    let found = points.len();
    match said {
        Some(said) if said != found => {
            let expected = format!("{said} points");
            Err(damaged(2, &expected, found.to_string()))
        }
        None if found == 0 => Err(damaged(2, "points", "none".into())),
        _ => Ok(RtlCoverage::of(points.into_iter())),
    }
}

/// A line: `C '…' COUNT`. What stands in quotes may have others in it.
fn point(line: &str) -> Option<(Point, u64)> {
    let (text, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
    let (file, place) = value(text, key::FILE)?;
    let (number, _) = value(text, key::LINE)?;
    let point = Point {
        file: plain(file).into(),
        line: number.parse().ok()?,
        text: format!("{}{}", &text[..place], &text[place + file.len()..]).into(),
    };
    Some((point, count.parse().ok()?))
}

/// The value of a key, and where it begins: keys stand behind a byte 1, their values behind a byte 2.
pub fn value<'a>(text: &'a str, key: &str) -> Option<(&'a str, usize)> {
    let mark = format!("\u{1}{key}\u{2}");
    let place = text.find(&mark)? + mark.len();
    let rest = &text[place..];
    Some((&rest[..rest.find('\u{1}').unwrap_or(rest.len())], place))
}

/// Text without Verilator's `%` and two digits for a byte, which for bytes from 0x80 on are eight.
fn plain(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = match after {
            _ if byte != b'%' => None,
            [b'F', b'F', b'F', b'F', b'F', b'F', digits @ ..] => digits.get(..2).map(|it| (it, 8)),
            digits => digits.get(..2).map(|it| (it, 2)),
        };
        let code = digits.and_then(|(digits, length)| {
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, length))
        });
        let (byte, length) = code.unwrap_or((byte, 0));
        bytes.push(byte);
        rest = &after[length..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The same the other way round.
fn quoted(text: &str) -> String {
    let quote = |&byte: &u8| match byte {
        b'%' | b'"' | 0..0x20 | 0x7F.. => format!("%{byte:02X}"),
        _ => char::from(byte).to_string(),
    };
    text.as_bytes().iter().map(quote).collect()
}

impl RtlCoverage {
    /// Writes a file that Verilator's `verilator_coverage` reads, too.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "{HEADER}\n{POINTS}{}", self.points.len())?;
        for (point, count) in &self.points {
            let place = value(&point.text, key::FILE).map_or(0, |(_, place)| place);
            let (before, after) = point.text.split_at(place);
            let file = quoted(&self.path(&point.file).to_string_lossy());
            writeln!(to, "C '{before}{file}{after}' {count}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "# SystemC::Coverage-3
C '\u{1}f\u{2}rtl/a b's.sv\u{1}l\u{2}7\u{1}n\u{2}3\u{1}t\u{2}line\u{1}page\u{2}v_line/a\u{1}o\u{2}if\u{1}h\u{2}TOP.a' 12
C '\u{1}f\u{2}rtl/%22%FFFFFFC3%FFFFFFA4.sv\u{1}l\u{2}1\u{1}n\u{2}3\u{1}t\u{2}toggle\u{1}page\u{2}v_toggle/a\u{1}o\u{2}x:0->1' 0
";

    fn text(coverage: &RtlCoverage) -> String {
        let mut bytes = Vec::new();
        coverage.write(&mut bytes).expect("written");
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn what_is_written_is_read_again() {
        let path = Path::new("a.dat");
        let read = parse(path, LINES).expect("read");
        let files: Vec<_> = read.points.keys().map(|point| &*point.file).collect();
        assert_eq!(files, ["\"ä.sv", "a b's.sv"]);
        let written = text(&read);
        assert_eq!(parse(path, &written).expect("read"), read);
        let mut lines: Vec<_> = LINES.lines().map(str::to_owned).collect();
        lines[2] = lines[2].replace("%FFFFFF", "%");
        lines.insert(1, "# points: 2".into());
        lines.swap(2, 3);
        assert_eq!(written, lines.join("\n") + "\n");
    }

    #[test]
    fn damage_has_a_place() {
        let error = |text: &str| {
            let parsed = parse(Path::new("a.dat"), text);
            parsed.expect_err(text).to_string()
        };
        let cut = "the file is cut or damaged; run it again";
        let whole = text(&parse(Path::new("a.dat"), LINES).expect("read"));
        let without_last = whole
            .trim_end()
            .rsplit_once('\n')
            .expect("lines")
            .0
            .to_owned()
            + "\n";
        for (text, message) in [
            (
                "",
                "a.dat:1: expected coverage of RTL in Verilator's format (`# SystemC::Coverage-3`), found ``".to_owned(),
            ),
            (
                "{\n",
                "a.dat:1: expected coverage of RTL in Verilator's format (`# SystemC::Coverage-3`), found `{`".to_owned(),
            ),
            (
                "# SystemC::Coverage-3\n",
                format!("a.dat:2: expected points, found none: {cut}"),
            ),
            (
                &LINES[..LINES.len() - 1],
                format!(
                    "a.dat:3: expected a point and its count, found `C '\\u{{1}}f\\u{{2}}rtl/%22%FFFFFFC3%FFFFFFA4.sv\\u{{1}}l\\u{{2}}1\\u{{1}}n`: {cut}"
                ),
            ),
            (
                &without_last,
                format!("a.dat:2: expected 2 points, found 1: {cut}"),
            ),
        ] {
            assert_eq!(error(text), message);
        }
    }
}
