//! Writing a stimulus file.

use std::hash::Hasher as _;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use pmu_model::{CycleInput, Implementation};
use twox_hash::XxHash3_64;

use lockstep_scratch::ScratchFile;

use super::contract::check_values;
use super::file::{CHUNK_CYCLES, Layout};
use super::{Header, Origin, StimulusError, StimulusHash, StimulusHasher};

/// Writes a stimulus file as the cycles come. The file gets its name when it is complete; until then, and if anything
/// goes wrong, there is only a temporary file beside it, which is removed.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    out: BufWriter<ScratchFile>,
    header: Header,
    hasher: StimulusHasher,
    chunk: Chunk,
}

/// The checksums of the chunks: 8 bytes for 196608 of cycles.
#[derive(Default)]
struct Chunk {
    hasher: XxHash3_64,
    cycles: usize,
    checksums: Vec<u64>,
}

impl std::fmt::Debug for Chunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Chunk")
            .field("cycles", &self.cycles)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Begins the file at `path`.
    ///
    /// # Errors
    /// The folder cannot be written to.
    pub fn create(
        path: &Path,
        implementation: &Implementation,
        origin: Option<Origin>,
    ) -> Result<Self, StimulusError> {
        let header = Header {
            origin,
            implementation: implementation.clone(),
            layout: Layout::Present,
            cycles: 0,
            hash: StimulusHash(0),
        };
        let begin = || {
            if path.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // Renaming would replace a device or a pipe.
            if path.metadata().is_ok_and(|found| !found.is_file()) {
                return Err(io::Error::other("it is a device or a pipe, not a file"));
            }
            let mut out = BufWriter::with_capacity(1 << 18, ScratchFile::beside(path)?);
            out.write_all(&header.to_bytes())?;
            Ok(out)
        };
        let out = begin().map_err(|source| error(path, source))?;
        let (path, hasher, chunk) = (path.into(), StimulusHasher::default(), Chunk::default());
        Ok(Self {
            path,
            out,
            header,
            hasher,
            chunk,
        })
    }

    /// Appends cycles.
    ///
    /// # Errors
    /// A cycle with a value that no field has (DUT-80), or a file that cannot be written.
    pub fn append(&mut self, cycles: &[CycleInput]) -> Result<(), StimulusError> {
        check_values(self.header.cycles, cycles).map_err(|violation| StimulusError::Excluded {
            path: self.path.clone(),
            violation: Box::new(violation),
        })?;
        self.hasher.update(cycles);
        self.chunk.update(cycles);
        self.header.cycles += cycles.len() as u64;
        self.out
            .write_all(bytemuck::cast_slice(cycles))
            .map_err(|source| error(&self.path, source))
    }

    /// Completes the file and gives it its name; a file that had it is replaced.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<Header, StimulusError> {
        self.header.hash = self.hasher.hash();
        self.chunk.finish();
        let Self {
            path,
            out,
            header,
            chunk,
            ..
        } = self;
        complete(&path, out, &header, &chunk.checksums).map_err(|source| error(&path, source))?;
        Ok(header)
    }
}

fn complete(
    path: &Path,
    mut out: BufWriter<ScratchFile>,
    header: &Header,
    checksums: &[u64],
) -> io::Result<()> {
    for checksum in checksums {
        out.write_all(&checksum.to_le_bytes())?;
    }
    let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.to_bytes())?;
    file.as_file().sync_all()?;
    file.keep(path)
}

impl Chunk {
    fn update(&mut self, mut cycles: &[CycleInput]) {
        while !cycles.is_empty() {
            let (now, later) = cycles.split_at(cycles.len().min(CHUNK_CYCLES - self.cycles));
            self.hasher.write(bytemuck::cast_slice(now));
            self.cycles += now.len();
            if self.cycles == CHUNK_CYCLES {
                self.finish();
            }
            cycles = later;
        }
    }

    fn finish(&mut self) {
        if self.cycles > 0 {
            self.checksums.push(self.hasher.finish());
            self.hasher = XxHash3_64::default();
            self.cycles = 0;
        }
    }
}

fn error(path: &Path, source: io::Error) -> StimulusError {
    let source = match source.kind() {
        // The name that would be told is that of the file, which is to be new.
        kind @ io::ErrorKind::NotFound => io::Error::new(kind, "no such folder"),
        _ => source,
    };
    StimulusError::Write {
        path: path.into(),
        source,
    }
}
