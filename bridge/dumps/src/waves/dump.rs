//! Dumps from files and pipes, of every format.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_vcd::{Error, Header, Input, SignalId, Source, Stream};

use crate::fst::{Fst, FstError, unpacked};
use crate::ghw::{Ghw, GhwError};

use super::foreign::{MAGIC, foreign, is_fst, is_ghw, is_packed_fst};

/// A reader that counts what is read.
pub struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.inner.seek(place)
    }
}

/// A dump that is open.
pub enum Dump {
    /// In a file in which one can go back and forth.
    File(Stream<Counted<File>>),
    /// In a pipe or a compressed file, read once.
    Pipe(Stream<Input>),
    /// In a file of the format FST.
    Fst(Fst),
    /// In a file of the format GHW.
    Ghw(Ghw),
}

/// An open dump and what is known of its bytes.
pub struct Opened {
    /// The dump.
    pub dump: Dump,
    /// Size of the file. None for a pipe.
    pub size: Option<u64>,
    /// Bytes read so far, before decompression.
    pub read: Arc<AtomicU64>,
}

/// Why a dump is not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error(
        "cannot be read: {0}; name a Value Change Dump, an FST or a GHW file, or `-` for standard input"
    )]
    Read(#[from] io::Error),
    /// It is of another format.
    #[error("expected a Value Change Dump, an FST or a GHW file, found {0}")]
    Foreign(&'static str),
    /// It is of the format FST and damaged.
    #[error(transparent)]
    Fst(#[from] FstError),
    /// It is of the format GHW and damaged.
    #[error(transparent)]
    Ghw(#[from] GhwError),
    /// It is no dump.
    #[error(transparent)]
    Dump(#[from] Error),
}

/// Opens the dump at `path`, `-` for standard input. A VCD may be compressed with gzip or Zstandard; FST and GHW must
/// be in a file.
///
/// # Errors
/// [`OpenError`].
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    let read = Arc::new(AtomicU64::new(0));
    if path == Path::new("-") {
        let mut start = Vec::new();
        io::stdin().take(MAGIC).read_to_end(&mut start)?;
        if is_fst(&start) || is_packed_fst(&start) {
            return Err(OpenError::Foreign("an FST file in a pipe; name the file"));
        }
        if is_ghw(&start) {
            return Err(OpenError::Foreign("a GHW file in a pipe; name the file"));
        }
        if let Some(format) = foreign(&start, path) {
            return Err(OpenError::Foreign(format));
        }
        let counted = Counted {
            inner: io::Cursor::new(start).chain(io::stdin()),
            bytes: Arc::clone(&read),
        };
        return Ok(Opened {
            dump: Dump::Pipe(Stream::from_reader(counted).map_err(unpackable)?),
            size: None,
            read,
        });
    }
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir()
        && let Some(format) = foreign(&[0], path)
    {
        return Err(OpenError::Foreign(format));
    }
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    let start = match metadata.is_file() {
        true => start(&mut file)?,
        false => Vec::new(),
    };
    if let Some(format) = foreign(&start, path) {
        return Err(OpenError::Foreign(format));
    }
    if is_fst(&start) || is_packed_fst(&start) {
        let file = match is_fst(&start) {
            true => file,
            false => unpacked(file)?,
        };
        return Ok(Opened {
            dump: Dump::Fst(Fst::open(file, Arc::clone(&read))?),
            size: Some(metadata.len()),
            read,
        });
    }
    if is_ghw(&start) {
        return Ok(Opened {
            dump: Dump::Ghw(Ghw::open(file, Arc::clone(&read))?),
            size: Some(metadata.len()),
            read,
        });
    }
    let plain = metadata.is_file() && !is_compressed(&start);
    let counted = Counted {
        inner: file,
        bytes: Arc::clone(&read),
    };
    let dump = match plain {
        true => Dump::File(Stream::new(counted)?),
        false => Dump::Pipe(Stream::from_reader(counted).map_err(unpackable)?),
    };
    Ok(Opened {
        dump,
        size: metadata.is_file().then_some(metadata.len()),
        read,
    })
}

/// The first bytes of a file.
fn start(file: &mut File) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    Read::by_ref(file).take(MAGIC).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start)
}

/// Names the format of what came out of a pipe or a decompressor and is no text.
fn unpackable(error: Error) -> OpenError {
    let format = match &error {
        Error::Syntax {
            found, offset: 0, ..
        } if found.contains("GHDLwave") => {
            "a GHW file, compressed or in a pipe; name the file itself, unpacked"
        }
        Error::Syntax {
            found, offset: 0, ..
        } if found.contains(FST_AS_TEXT) => {
            "an FST file, compressed or in a pipe; name the file itself, unpacked"
        }
        _ => return error.into(),
    };
    OpenError::Foreign(format)
}

/// How the first bytes of an FST file are shown in an error.
const FST_AS_TEXT: &str = r"\x00\x00\x00\x00\x00\x00\x00\x01I";

/// Whether a file starts as gzip or Zstandard files do.
fn is_compressed(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b]) || start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])
}

impl Dump {
    /// Whether nothing in the format tells that a dump is there to its end.
    pub const fn may_be_cut(&self) -> bool {
        matches!(self, Self::File(_) | Self::Pipe(_))
    }

    /// The same dump, read with times rounded that have a fraction of a tick.
    #[must_use]
    pub fn lenient(self) -> Self {
        match self {
            Self::File(stream) => Self::File(stream.lenient()),
            Self::Pipe(stream) => Self::Pipe(stream.lenient()),
            // Its times are whole ticks.
            Self::Fst(fst) => Self::Fst(fst),
            Self::Ghw(ghw) => Self::Ghw(ghw),
        }
    }

    /// Whether a time was rounded.
    pub const fn has_rounded(&self) -> bool {
        match self {
            Self::File(stream) => stream.has_rounded(),
            Self::Pipe(stream) => stream.has_rounded(),
            Self::Fst(_) | Self::Ghw(_) => false,
        }
    }

    /// Whether the dump says that the simulator has stopped it at its limit.
    pub const fn has_hit_limit(&self) -> bool {
        match self {
            Self::File(stream) => stream.has_hit_limit(),
            Self::Pipe(stream) => stream.has_hit_limit(),
            Self::Fst(_) | Self::Ghw(_) => false,
        }
    }

    /// The last command, if the dump was read to its end and no line feed follows.
    pub fn unended(&self) -> Option<&[u8]> {
        match self {
            Self::File(stream) => stream.unended(),
            Self::Pipe(stream) => stream.unended(),
            Self::Fst(_) | Self::Ghw(_) => None,
        }
    }

    /// The declarations.
    pub fn header(&self) -> Arc<Header> {
        match self {
            Self::File(stream) => Arc::clone(stream.header()),
            Self::Pipe(stream) => Arc::clone(stream.header()),
            Self::Fst(fst) => Arc::clone(fst.header()),
            Self::Ghw(ghw) => Arc::clone(ghw.header()),
        }
    }

    /// Prepares for events of these signals alone, from the start of the dump; others may be left out. Worth it where
    /// the format stores signal by signal.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`].
    pub fn watch(&mut self, signals: impl IntoIterator<Item = SignalId>) -> Result<(), Error> {
        match self {
            Self::File(_) | Self::Pipe(_) => Ok(()),
            Self::Fst(fst) => fst.watch(signals),
            Self::Ghw(ghw) => ghw.watch(signals),
        }
    }
}

impl Source for Dump {
    fn header(&self) -> &Arc<Header> {
        match self {
            Self::File(stream) => stream.header(),
            Self::Pipe(stream) => stream.header(),
            Self::Fst(fst) => fst.header(),
            Self::Ghw(ghw) => ghw.header(),
        }
    }

    fn try_for_each<B>(
        &mut self,
        visit: impl FnMut(lockstep_vcd::Event<'_>) -> std::ops::ControlFlow<B>,
    ) -> Result<std::ops::ControlFlow<B>, Error> {
        match self {
            Self::File(stream) => stream.try_for_each(visit),
            Self::Pipe(stream) => stream.try_for_each(visit),
            Self::Fst(fst) => fst.try_for_each(visit),
            Self::Ghw(ghw) => ghw.try_for_each(visit),
        }
    }
}
