//! The reader of a dump that comes from a file, a pipe or a decompressor, in constant memory.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use crate::changes::{Event, Progress, visit_all};
use crate::codes::Codes;
use crate::declarations::{BYTE_ORDER_MARK, Declarations};
use crate::error::{Error, Expected, Fault};
use crate::header::Header;
use crate::joined::JoinedValues;
use crate::reading::{MAX_COMMAND, make_room, read};
use crate::skim::{Noted, Skim};
use crate::source::{Place, Source, fault_of};

/// Bytes from a fault on that are enough to show what was found.
const MESSAGE: usize = 64;

/// Text of a dump of which the parsed part is forgotten.
struct Buffer {
    bytes: Vec<u8>,
    /// The part of `bytes` that holds text.
    start: usize,
    end: usize,
    /// Place of `bytes[0]`.
    place: Place,
    ended: bool,
}

impl Buffer {
    fn new(place: Place) -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            end: 0,
            place,
            ended: false,
        }
    }

    fn text(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Whether there is enough text to show what was found; if not, one can read on and parse
    /// again.
    fn shows(&self, fault: &Fault<'_>) -> bool {
        let start = fault
            .at
            .as_ptr()
            .addr()
            .wrapping_sub(self.bytes.as_ptr().addr());
        self.ended || self.end.saturating_sub(start) >= MESSAGE
    }

    fn error(&self, fault: &Fault<'_>) -> Error {
        self.place.error(&self.bytes[..self.end], fault)
    }

    /// Reads on behind the text that is left, which holds no whole command.
    fn refill(&mut self, reader: &mut impl Read) -> Result<(), Error> {
        if self.text().len() > MAX_COMMAND {
            let expected = Expected::CommandLength(MAX_COMMAND);
            return Err(self.error(&Fault {
                at: self.text(),
                expected,
            }));
        }
        self.place = self.place.after(&self.bytes[..self.start]);
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        make_room(&mut self.bytes, self.end);
        let offset = self.place.offset + self.end as u64;
        match read(reader, &mut self.bytes[self.end..]) {
            Ok(0) => self.ended = true,
            Ok(length) => self.end += length,
            Err(source) => return Err(Error::Io { offset, source }),
        }
        Ok(())
    }
}

/// A dump that is read once, from its beginning to its end, through a window of 256 KiB. The window
/// grows only for a command that is longer, up to about 17 MiB.
///
/// ```
/// use lockstep_vcd::{Source, Stream};
///
/// let pipe = &b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n"[..];
/// let mut dump = Stream::new(pipe)?;
/// let mut count = 0;
/// dump.for_each(|_event| count += 1)?;
/// assert_eq!(count, 2);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
pub struct Stream<R> {
    reader: R,
    header: Arc<Header>,
    codes: Codes,
    buffer: Buffer,
    progress: Progress,
    /// Place at which the changes begin.
    changes: Place,
    /// What a pass over the dump noted for windows.
    pub(crate) noted: Noted,
    joined: Option<JoinedValues>,
}

impl<R> fmt::Debug for Stream<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.buffer.place.offset + self.buffer.start as u64;
        f.debug_struct("Stream")
            .field("place", &place)
            .finish_non_exhaustive()
    }
}

/// What [`Stream::open`] reads from: a file, or what decompresses one.
pub type Input = Box<dyn Read + Send>;

impl Stream<Input> {
    /// Opens a file and parses its declarations.
    ///
    /// With the features `gzip` and `zstd`, a compressed file is recognised by its first bytes.
    ///
    /// ```
    /// use lockstep_vcd::{Error, Stream};
    ///
    /// assert!(matches!(Stream::open("no such file"), Err(Error::Io { .. })));
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Syntax`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let file = File::open(path).map_err(|source| Error::Io { offset: 0, source })?;
        Self::from_reader(file)
    }

    /// The same for bytes from anywhere: standard input, for instance.
    ///
    /// ```
    /// use lockstep_vcd::{Source, Stream};
    ///
    /// let pipe = &b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n"[..];
    /// let dump = Stream::from_reader(pipe)?;
    /// assert_eq!(dump.header().signal_count(), 1);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Syntax`].
    pub fn from_reader(reader: impl Read + Send + 'static) -> Result<Self, Error> {
        Self::new(input(reader).map_err(|source| Error::Io { offset: 0, source })?)
    }
}

/// The text behind `reader`, whose first bytes tell whether it is compressed.
fn input(mut reader: impl Read + Send + 'static) -> io::Result<Input> {
    let mut magic = [0; 4];
    let mut length = 0;
    while length < magic.len() {
        match read(&mut reader, &mut magic[length..])? {
            0 => break,
            more => length += more,
        }
    }
    // A pipe cannot go back, so what was read of it is put before the rest.
    let whole = Box::new(io::Cursor::new(magic).take(length as u64).chain(reader));
    match magic {
        [0x1f, 0x8b, ..] => gunzip(whole),
        [0x28, 0xb5, 0x2f, 0xfd] => unzstd(whole),
        _ => Ok(whole),
    }
}

/// A decompressor, which says of an end that comes early what has ended.
#[cfg(any(feature = "gzip", feature = "zstd"))]
struct Whole<R>(R);

#[cfg(any(feature = "gzip", feature = "zstd"))]
impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| match error.kind() {
            kind @ io::ErrorKind::UnexpectedEof => io::Error::new(
                kind,
                "the compressed file ends in the middle; it is cut off: copy or write it anew",
            ),
            _ => error,
        })
    }
}

#[cfg(feature = "gzip")]
fn gunzip(input: Input) -> io::Result<Input> {
    let decoder = flate2::read::MultiGzDecoder::new(input);
    Ok(Box::new(Whole(decoder)))
}

#[cfg(not(feature = "gzip"))]
fn gunzip(_: Input) -> io::Result<Input> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "a gzip file needs the feature `gzip`",
    ))
}

#[cfg(feature = "zstd")]
fn unzstd(input: Input) -> io::Result<Input> {
    let decoder = zstd::stream::read::Decoder::new(input)?;
    Ok(Box::new(Whole(decoder)))
}

#[cfg(not(feature = "zstd"))]
fn unzstd(_: Input) -> io::Result<Input> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "a Zstandard file needs the feature `zstd`",
    ))
}

impl<R: Read> Stream<R> {
    /// Reads and parses the declarations of a dump. No `BufReader` is needed, and nothing is
    /// decompressed; a reader in which one can seek can be asked for a [`window`](Self::window).
    ///
    /// ```no_run
    /// use std::fs::File;
    /// use lockstep_vcd::{Error, Source, Stream};
    ///
    /// let file = File::open("dump.vcd").map_err(|source| Error::Io { offset: 0, source })?;
    /// let mut dump = Stream::new(file)?;
    /// let count = dump.header().find("top.count")?;
    /// let traces = dump.window(&[count], 1000..=2000)?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Syntax`].
    pub fn new(mut reader: R) -> Result<Self, Error> {
        let mut buffer = Buffer::new(Place::default());
        let mut declarations = Declarations::default();
        while buffer.text().len() < BYTE_ORDER_MARK.len() && !buffer.ended {
            buffer.refill(&mut reader)?;
        }
        if buffer.text().starts_with(BYTE_ORDER_MARK) {
            buffer.start += BYTE_ORDER_MARK.len();
        }
        loop {
            let mut rest = buffer.text();
            let done = match declarations.parse(&mut rest, buffer.ended) {
                Ok(done) => done,
                Err(error) => {
                    let fault = fault_of(error, buffer.text());
                    if buffer.shows(&fault) {
                        return Err(buffer.error(&fault));
                    }
                    false
                }
            };
            buffer.start = buffer.end - rest.len();
            if done {
                break;
            }
            buffer.refill(&mut reader)?;
        }
        let changes = buffer.place.after(&buffer.bytes[..buffer.start]);
        let (header, codes) = declarations.finish(changes.offset);
        let joined = JoinedValues::new(&header);
        let header = Arc::new(header);
        Ok(Self {
            reader,
            header,
            codes,
            buffer,
            progress: Progress::default(),
            changes,
            noted: Noted::default(),
            joined,
        })
    }

    /// Rounds times with a fraction of a tick, which are faults else, to the nearest tick.
    ///
    /// ```
    /// use lockstep_vcd::{Event, Source, Stream};
    ///
    /// let text = &b"$var wire 1 ! a $end $enddefinitions $end\n#2.5\n1!\n"[..];
    /// let mut dump = Stream::new(text)?.lenient();
    /// let mut times = vec![];
    /// dump.for_each(|event| {
    ///     if let Event::Time(time) = event {
    ///         times.push(time);
    ///     }
    /// })?;
    /// assert_eq!((times, dump.has_rounded()), (vec![3], true));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.progress.lenient = true;
        self
    }

    /// Whether a time was rounded; see [`lenient`](Self::lenient).
    #[must_use]
    pub const fn has_rounded(&self) -> bool {
        self.progress.rounded
    }

    /// Whether a comment was read that says that the simulator has stopped dumping at its `$dumplimit`.
    ///
    /// ```
    /// use lockstep_vcd::{Source, Stream};
    ///
    /// let text = &b"$var wire 1 ! a $end $enddefinitions $end\n#2\n1!\n$comment Dump limit reached $end\n"[..];
    /// let mut dump = Stream::new(text)?;
    /// dump.for_each(|_event| {})?;
    /// assert!(dump.has_hit_limit());
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn has_hit_limit(&self) -> bool {
        self.progress.limited
    }

    /// The last command of the dump, if it was read to its end and no white space follows: what comes behind may be
    /// missing, though the command itself is whole.
    ///
    /// ```
    /// use lockstep_vcd::{Source, Stream};
    ///
    /// let text = &b"$var wire 1 ! a $end $enddefinitions $end\n#2\n1!"[..];
    /// let mut dump = Stream::new(text)?;
    /// dump.for_each(|_event| {})?;
    /// assert_eq!(dump.unended(), Some(&b"1!"[..]));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn unended(&self) -> Option<&[u8]> {
        let Buffer {
            bytes, start, end, ..
        } = &self.buffer;
        let read = self.buffer.ended && start == end;
        let text = if read { &bytes[..*end] } else { &[][..] };
        let last = text.rsplit(|byte| *byte == b'\n').next()?;
        (!last.is_empty() && !last[last.len() - 1].is_ascii_whitespace()).then_some(last)
    }

    /// Visits the events that are in the window as a whole.
    #[inline(always)]
    fn drain<const LAST: bool, B>(
        &mut self,
        visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let mut rest = &self.buffer.bytes[self.buffer.start..self.buffer.end];
        let visited = visit_all::<LAST, B>(&self.codes, &mut self.progress, &mut rest, visit);
        let visited = match visited.map_err(|error| fault_of(error, rest)) {
            Ok(flow) => Ok(flow),
            Err(fault) if self.buffer.shows(&fault) => Err(self.buffer.error(&fault)),
            Err(_) => Ok(ControlFlow::Continue(())),
        };
        self.buffer.start = self.buffer.end - rest.len();
        visited
    }
}

impl<R: Read> Source for Stream<R> {
    fn header(&self) -> &Arc<Header> {
        &self.header
    }

    fn try_for_each<B>(
        &mut self,
        mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let Some(mut joined) = self.joined.take() else {
            return self.read_all(&mut visit);
        };
        let result = self.read_joined(&mut joined, visit);
        self.joined = Some(joined);
        result
    }
}

impl<R: Read> Stream<R> {
    /// Visits the events of the file.
    #[inline(always)]
    fn read_all<B>(
        &mut self,
        visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        loop {
            if self.buffer.ended {
                return self.drain::<true, B>(visit);
            }
            if let ControlFlow::Break(value) = self.drain::<false, B>(visit)? {
                return Ok(ControlFlow::Break(value));
            }
            self.buffer.refill(&mut self.reader)?;
        }
    }

    /// Visits also the joined signals.
    #[inline(never)]
    fn read_joined<B>(
        &mut self,
        joined: &mut JoinedValues,
        visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        joined.through(visit, |visits| {
            self.read_all(&mut |event| visits.event(event))
        })
    }
}

impl<R: Read + Seek> Stream<R> {
    /// Goes back to the first event.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use lockstep_vcd::{Source, Stream};
    ///
    /// let text = b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n";
    /// let mut dump = Stream::new(Cursor::new(text))?;
    /// let mut count = 0;
    /// dump.for_each(|_event| count += 1)?;
    /// dump.rewind()?;
    /// dump.for_each(|_event| count += 1)?;
    /// assert_eq!(count, 4);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn rewind(&mut self) -> Result<(), Error> {
        self.jump(self.changes, 0)
    }

    /// Continues at a place between two commands, at which it is `time`.
    pub(crate) fn jump(&mut self, place: Place, time: u64) -> Result<(), Error> {
        let seek = self.reader.seek(SeekFrom::Start(place.offset));
        seek.map_err(|source| Error::Io {
            offset: place.offset,
            source,
        })?;
        let bytes = std::mem::take(&mut self.buffer.bytes);
        self.buffer = Buffer {
            bytes,
            ..Buffer::new(place)
        };
        let is_start = place.offset == self.changes.offset;
        self.progress = match is_start {
            true => self.progress.at_start(),
            false => self.progress.at(time),
        };
        if let Some(joined) = &mut self.joined {
            joined.reset(time, is_start);
        }
        Ok(())
    }

    /// Goes on to a place between two commands, if it is in the window; whether it is.
    pub(crate) fn skip_to(&mut self, offset: u64) -> bool {
        let buffer = &mut self.buffer;
        let within = offset.checked_sub(buffer.place.offset + buffer.start as u64);
        let start = within.map(|within| buffer.start as u64 + within);
        match start.and_then(|start| usize::try_from(start).ok()) {
            Some(start) if start < buffer.end => buffer.start = start,
            _ => return false,
        }
        true
    }

    /// Place at which the changes begin.
    pub(crate) const fn start(&self) -> Place {
        self.changes
    }

    /// Reads from byte `offset` on; the stream must `jump` before it goes on.
    pub(crate) fn reader_at(&mut self, offset: u64) -> Result<&mut R, Error> {
        match self.reader.seek(SeekFrom::Start(offset)) {
            Ok(_) => Ok(&mut self.reader),
            Err(source) => Err(Error::Io { offset, source }),
        }
    }

    /// A pass over bytes `from` to `to`, which both are between two commands; the stream must `jump`
    /// before it goes on.
    pub(crate) fn skim(&mut self, from: u64, to: u64) -> Result<Skim<'_, R>, Error> {
        self.reader_at(from)?;
        Ok(Skim::new(&mut self.reader, &self.codes, from, to))
    }

    /// Number of bytes of the dump; the stream must `jump` before it goes on.
    pub(crate) fn length(&mut self) -> Result<u64, Error> {
        self.reader
            .seek(SeekFrom::End(0))
            .map_err(|source| Error::Io { offset: 0, source })
    }
}
