//! What designs print (DUT-44): `$display`, messages of `$error`, warnings of Verilator's run time.
//!
//! One place for all designs of the process. Without a file it goes to standard error, as in any simulation. With one, the
//! newest megabyte is kept there, for good or for the time of the command, and standard error has the first lines.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{MemfdFlags, memfd_create};
use serde::Serialize;

use lockstep_base::printable::escaped;
use lockstep_scratch::folder_of;

/// Bytes that are kept.
pub const KEPT: u64 = 1 << 20;
/// Lines that standard error has.
pub const SHOWN: u64 = 20;
/// Bytes that are shown of a line.
const LONGEST: usize = 2000;
/// Begins the first line of a file that does not have all.
const CUT: &str = "[lockstep] bytes that are not kept: ";

/// What became of the text of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Printed {
    /// The file.
    #[serde(serialize_with = "lockstep_base::shown_path::serialize")]
    pub file: PathBuf,
    /// Bytes that were printed.
    pub bytes: u64,
    /// Those of them that the file does not have: the oldest.
    pub left_out: u64,
}

/// Where text goes.
enum Sink {
    StandardError,
    File(Log),
    Nowhere,
}

static SINK: Mutex<Sink> = Mutex::new(Sink::StandardError);

/// A file of the newest text.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    /// Open when there is something in it.
    file: Option<File>,
    /// Bytes in it after its first line, if that tells of a cut.
    size: u64,
    left_out: u64,
    /// Lines that standard error has; one more when that has been told.
    shown: u64,
    /// Bytes of the line that has no end yet.
    column: usize,
    /// Whether the user may look into it.
    is_for_good: bool,
}

/// Keeps text in the file `path` from here on.
pub fn keep(path: &Path) {
    set(Sink::File(Log::new(path)));
}

/// Keeps text in a file without a name, which is gone when the command has ended. Without one it goes to standard error as
/// it comes.
pub fn keep_for_now() {
    let Ok(file) = memfd_create("lockstep-printed", MemfdFlags::CLOEXEC) else {
        return;
    };
    set(Sink::File(Log {
        is_for_good: false,
        ..Log::new(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd())))
    }));
    // Open to the end of the process.
    std::mem::forget(file);
}

/// Ends the file. What is printed from here on is not kept: a re-run prints the same again.
///
/// # Returns
/// What was printed, if anything was.
///
/// # Errors
/// The file cannot be written.
pub fn finish() -> io::Result<Option<Printed>> {
    match set(Sink::Nowhere) {
        Sink::File(log) => log.finish(),
        Sink::StandardError | Sink::Nowhere => Ok(None),
    }
}

/// Takes text of a design; with `shown`, standard error may have it too. A file that cannot be written is not the
/// design's fault: the rest of the text is lost.
pub fn print(text: &[u8], shown: bool) {
    if text.is_empty() {
        return;
    }
    let mut sink = SINK.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *sink {
        Sink::StandardError if shown => tell(text),
        Sink::File(log) => {
            if shown {
                log.show(text);
            }
            if let Err(error) = log.append(text) {
                let note = format!("lockstep: note: {}: {error}\n", log.path.display());
                tell(note.as_bytes());
                *sink = Sink::Nowhere;
            }
        }
        Sink::StandardError | Sink::Nowhere => {}
    }
}

/// Writes to standard error; where nobody listens, nobody misses it.
fn tell(text: &[u8]) {
    let _ = io::stderr().write_all(text);
}

fn set(sink: Sink) -> Sink {
    let mut current = SINK.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut current, sink)
}

impl Log {
    fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            file: None,
            size: 0,
            left_out: 0,
            shown: 0,
            column: 0,
            is_for_good: true,
        }
    }

    /// Shows the first lines, and of long ones the beginning. A line may come in parts.
    fn show(&mut self, text: &[u8]) {
        for part in text.split_inclusive(|&byte| byte == b'\n') {
            if self.shown == SHOWN {
                let where_to = match self.is_for_good {
                    true => format!(": see {}", self.path.display()),
                    false => ", which is not shown".into(),
                };
                let note = format!("lockstep: note: the design prints more{where_to}\n");
                tell(note.as_bytes());
                self.shown += 1;
            }
            if self.shown > SHOWN {
                break;
            }
            let shown = self.next(part);
            tell(shown.as_bytes());
        }
    }

    /// What is shown of the next part of a line.
    fn next(&mut self, part: &[u8]) -> String {
        let (body, has_end) = match part.strip_suffix(b"\n") {
            Some(body) => (body, true),
            None => (part, false),
        };
        let room = LONGEST.saturating_sub(self.column);
        let mut shown = fit(&body[..body.len().min(room)]);
        self.column += body.len();
        if has_end {
            shown += &beyond(self.column);
            shown.push('\n');
            self.column = 0;
            self.shown += 1;
        }
        shown
    }

    fn append(&mut self, text: &[u8]) -> io::Result<()> {
        if self.file.is_none() {
            // The folder of a command is made when there is something to leave.
            fs::create_dir_all(folder_of(&self.path))?;
            self.file = Some(open(&self.path, true)?);
        }
        if let Some(file) = &mut self.file {
            file.write_all(text)?;
        }
        self.size += text.len() as u64;
        // In large steps: a design that prints in every cycle costs two writes of each byte.
        if self.size > 2 * KEPT {
            self.cut()?;
        }
        Ok(())
    }

    /// Keeps the last megabyte, from the start of a line if it has one.
    fn cut(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut kept = Vec::new();
        file.seek(SeekFrom::End(-(KEPT as i64)))?;
        file.read_to_end(&mut kept)?;
        let start = kept[..kept.len() / 2]
            .iter()
            .position(|byte| *byte == b'\n');
        let kept = &kept[start.map_or(0, |newline| newline + 1)..];
        self.left_out += self.size - kept.len() as u64;
        self.size = kept.len() as u64;
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{CUT}{}", self.left_out)?;
        file.write_all(kept)
    }

    fn finish(mut self) -> io::Result<Option<Printed>> {
        if self.file.is_none() {
            return Ok(None);
        }
        if self.size > KEPT {
            self.cut()?;
        }
        Ok(Some(Printed {
            bytes: self.left_out + self.size,
            left_out: self.left_out,
            file: self.path,
        }))
    }
}

fn open(path: &Path, anew: bool) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(anew)
        .open(path)
}

impl Printed {
    /// In a line.
    pub fn text(&self) -> String {
        let file = self.file.display();
        match self.left_out {
            0 => format!("{file}: {} bytes", self.bytes),
            left_out => format!(
                "{file}: the last {} of {} bytes",
                self.bytes - left_out,
                self.bytes
            ),
        }
    }

    /// The end of the text: at most so many lines.
    pub fn last_lines(&self, lines: usize) -> Vec<String> {
        // A file that is gone has no lines.
        last_lines(&fs::read(&self.file).unwrap_or_default(), lines)
    }
}

/// The end of a text: at most so many lines.
pub fn last_lines(text: &[u8], lines: usize) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let newest = text.rsplit(|byte| *byte == b'\n').take(lines);
    let shown = newest.map(|line| {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        fit(&line[..line.len().min(LONGEST)]) + &beyond(line.len())
    });
    let mut shown: Vec<_> = shown.collect();
    shown.reverse();
    shown
}

/// Text of a design without what a terminal would act on.
pub fn fit(text: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in text.utf8_chunks() {
        let words: Vec<_> = chunk.valid().split('\t').map(escaped).collect();
        shown += &words.join("\t");
        shown += &chunk.invalid().escape_ascii().to_string();
    }
    shown
}

/// What stands in place of the rest of a line of `bytes`.
fn beyond(bytes: usize) -> String {
    match bytes.saturating_sub(LONGEST) {
        0 => String::new(),
        more => format!(" [{more} more bytes]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: usize) -> String {
        format!("line {number:>58}\n")
    }

    #[test]
    fn the_last_megabyte_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("design.log");
        let mut log = Log::new(&path);
        let lines = 5 * KEPT as usize / 64;
        for number in 0..lines {
            log.append(line(number).as_bytes()).expect("written");
            assert!(log.size <= 2 * KEPT);
        }
        let printed = log.finish().expect("written").expect("something");
        assert_eq!(printed.bytes, lines as u64 * 64);
        let text = fs::read_to_string(&path).expect("text");
        let (first, rest) = text.split_once('\n').expect("lines");
        assert_eq!(first, format!("{CUT}{}", printed.left_out));
        assert_eq!(rest.len() as u64, printed.bytes - printed.left_out);
        assert!(rest.len() as u64 <= KEPT && rest.len() as u64 > KEPT - 128);
        assert!(rest.ends_with(&line(lines - 1)));
        assert_eq!(printed.last_lines(1), [line(lines - 1).trim_end()]);
    }

    #[test]
    fn what_is_shown_is_fit_for_a_terminal() {
        assert_eq!(
            fit(b"a\tb \x1b[2J\rc \xC2\xB5 \xFF"),
            "a\tb \\u{1b}[2J\\rc \u{b5} \\xff"
        );
        let long = [b"x".repeat(2 * LONGEST), b"\ny\r\n".to_vec()].concat();
        let first = "x".repeat(LONGEST) + " [2000 more bytes]";
        assert_eq!(last_lines(&long, 7), [first.as_str(), "y"]);
        let mut log = Log::new(Path::new("none"));
        let parts = long
            .chunks(1500)
            .flat_map(|part| part.split_inclusive(|byte| *byte == b'\n'));
        let shown: String = parts.map(|part| log.next(part)).collect();
        assert_eq!(shown, first + "\ny\\r\n");
        assert_eq!(last_lines(b"", 7), [""; 0]);
        assert_eq!(last_lines(b"one\n\x1b[1Atwo\n", 1), ["\\u{1b}[1Atwo"]);
    }

    #[test]
    fn a_line_without_an_end_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut log = Log::new(&folder.path().join("design.log"));
        let part = b"x".repeat(1 << 16);
        (0..100).for_each(|_| log.append(&part).expect("written"));
        log.append(b"\n").expect("written");
        let printed = log.finish().expect("written").expect("text");
        assert_eq!(printed.bytes - printed.left_out, KEPT);
    }

    #[test]
    fn a_little_is_kept_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("design.log");
        let nothing = Log::new(&path).finish().expect("nothing to write");
        assert_eq!(nothing, None);
        assert!(!path.exists());
        let mut log = Log::new(&path);
        log.append(b"one\n").expect("written");
        log.append(b"two\n").expect("written");
        let printed = log.finish().expect("written").expect("text");
        assert_eq!((printed.bytes, printed.left_out), (8, 0));
        assert_eq!(fs::read(&path).expect("text"), b"one\ntwo\n");
    }
}
