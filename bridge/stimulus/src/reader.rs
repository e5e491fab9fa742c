//! Reading a stimulus file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use bytemuck::Zeroable;
use pmu_model::{CycleInput, Implementation};
use twox_hash::XxHash3_64;

use super::file::{CHUNK_CYCLES, FIXED, Layout, body_offset, file_length};
use super::{ContractCheck, Header, StimulusError, StimulusHasher};

/// Reads a stimulus file, one chunk at a time: memory does not grow with the file. A clone goes on from the same
/// cycle, on its own.
#[derive(Clone, Debug)]
pub struct Reader {
    path: Arc<Path>,
    file: Arc<Mutex<File>>,
    header: Arc<Header>,
    body: u64,
    /// The next cycle.
    cycle: u64,
    /// The chunk in memory, and its number.
    chunk: Vec<CycleInput>,
    chunk_number: Option<u64>,
    /// The bytes of the chunk, if they are of layout 1.
    bytes: Vec<u8>,
    /// What cycles are held to; `None` where somebody else looks at them.
    check: Option<ContractCheck>,
}

impl Reader {
    /// Opens the file at `path` and checks its header and its length.
    ///
    /// # Errors
    /// A file that cannot be read, is no stimulus file, of another version, damaged, truncated or too long.
    pub fn open(path: &Path) -> Result<Self, StimulusError> {
        let failed = |source| StimulusError::Read {
            path: path.into(),
            source,
        };
        let mut file = File::open(path).map_err(failed)?;
        let found_bytes = file.metadata().map_err(failed)?.len();
        let fixed = read_up_to(&mut file, FIXED).map_err(failed)?;
        let (layout, lengths) = Header::layout_and_text_lengths(path, &fixed)?;
        let body = body_offset(lengths);
        let text_bytes = (lengths[0] + lengths[1]) as usize;
        let texts = read_up_to(&mut file, text_bytes).map_err(failed)?;
        if texts.len() < text_bytes {
            return Err(StimulusError::Header {
                path: path.into(),
                expected: "the implementation and the profile in full",
                found: format!("{} of {text_bytes} bytes of them", texts.len()),
            });
        }
        let header = Header::from_bytes(path, &fixed, &texts)?;
        let expected = file_length(body, layout, header.cycles);
        if expected != Some(found_bytes) {
            return Err(StimulusError::Length {
                path: path.into(),
                announced: header.cycles,
                complete: header
                    .cycles
                    .min(found_bytes.saturating_sub(body) / layout.cycle_bytes() as u64),
                expected_bytes: expected.unwrap_or(u64::MAX),
                found_bytes,
            });
        }
        let check = ContractCheck::new(&header.implementation);
        Ok(Self {
            path: path.into(),
            file: Arc::new(Mutex::new(file)),
            header: Arc::new(header),
            body,
            cycle: 0,
            chunk: Vec::new(),
            chunk_number: None,
            bytes: Vec::new(),
            check: Some(check),
        })
    }

    /// The same file for a design of another implementation than the one that it was made for.
    #[must_use]
    pub fn for_design(self, implementation: &Implementation) -> Self {
        Self {
            chunk_number: None,
            check: Some(ContractCheck::new(implementation)),
            ..self
        }
    }

    /// The same file, with cycles that the contract excludes as they are.
    #[must_use]
    pub fn unchecked(self) -> Self {
        Self {
            chunk_number: None,
            check: None,
            ..self
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of the next cycle.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Goes to `cycle`; the number of cycles is the end.
    ///
    /// # Errors
    /// There is no such cycle.
    pub fn seek(&mut self, cycle: u64) -> Result<(), StimulusError> {
        let cycles = self.header.cycles;
        if cycle > cycles {
            return Err(StimulusError::Beyond {
                path: self.path.to_path_buf(),
                cycle,
                cycles,
            });
        }
        self.cycle = cycle;
        Ok(())
    }

    /// Reads the next cycles.
    ///
    /// # Returns
    /// How many: fewer than asked for only at the end, 0 when there are none left.
    ///
    /// # Errors
    /// A file that cannot be read, bytes that are not those that were written, a cycle that the contract excludes
    /// for the implementation.
    pub fn fill(&mut self, cycles: &mut [CycleInput]) -> Result<usize, StimulusError> {
        let mut filled = 0;
        while filled < cycles.len() && self.cycle < self.header.cycles {
            let number = self.cycle / CHUNK_CYCLES as u64;
            if self.chunk_number != Some(number) {
                self.load(number)?;
            }
            let from = &self.chunk[(self.cycle % CHUNK_CYCLES as u64) as usize..];
            let count = from.len().min(cycles.len() - filled);
            cycles[filled..filled + count].copy_from_slice(&from[..count]);
            filled += count;
            self.cycle += count as u64;
        }
        Ok(filled)
    }

    /// Reads the whole file and checks the content hash; the position is kept.
    ///
    /// # Errors
    /// Those of [`Reader::fill`], and another hash than the header's.
    pub fn verify(&self) -> Result<(), StimulusError> {
        let mut reader = self.clone();
        reader.seek(0)?;
        let mut hasher = StimulusHasher::default();
        while reader.cycle < reader.header.cycles {
            reader.load(reader.cycle / CHUNK_CYCLES as u64)?;
            match self.header.layout {
                Layout::One => hasher.update_bytes(&reader.bytes),
                Layout::Present => hasher.update(&reader.chunk),
            }
            reader.cycle += reader.chunk.len() as u64;
        }
        let (expected, found) = (self.header.hash, hasher.hash());
        if expected != found {
            return Err(StimulusError::Content {
                path: self.path.to_path_buf(),
                expected,
                found,
            });
        }
        Ok(())
    }

    fn load(&mut self, number: u64) -> Result<(), StimulusError> {
        let first = number * CHUNK_CYCLES as u64;
        let count = (self.header.cycles - first).min(CHUNK_CYCLES as u64);
        let layout = self.header.layout;
        let cycle_bytes = layout.cycle_bytes() as u64;
        let checksums = self.body + self.header.cycles * cycle_bytes;
        self.chunk_number = None;
        self.chunk.resize(count as usize, CycleInput::zeroed());
        let bytes: &mut [u8] = match layout {
            Layout::One => {
                self.bytes.resize((count * cycle_bytes) as usize, 0);
                &mut self.bytes
            }
            Layout::Present => bytemuck::cast_slice_mut(&mut self.chunk),
        };
        let mut checksum = [0; 8];
        let read = |at, bytes: &mut [u8]| {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(bytes)
        };
        read(self.body + first * cycle_bytes, bytes)
            .and_then(|()| read(checksums + number * 8, &mut checksum))
            .map_err(|source| StimulusError::Read {
                path: self.path.to_path_buf(),
                source,
            })?;
        let (expected, found) = (u64::from_le_bytes(checksum), XxHash3_64::oneshot(bytes));
        if expected != found {
            return Err(StimulusError::Checksum {
                path: PathBuf::from(&*self.path),
                first,
                last: first + count - 1,
                expected,
                found,
            });
        }
        if layout == Layout::One {
            let narrow = self.bytes.chunks_exact(layout.cycle_bytes());
            for (cycle, narrow) in self.chunk.iter_mut().zip(narrow) {
                *cycle = CycleInput::zeroed();
                bytemuck::bytes_of_mut(cycle)[..narrow.len()].copy_from_slice(narrow);
            }
        }
        self.check(first)?;
        self.chunk_number = Some(number);
        Ok(())
    }

    /// Holds the chunk, which begins with cycle `first`, to the contract.
    fn check(&mut self, first: u64) -> Result<(), StimulusError> {
        let Some(check) = &mut self.check else {
            return Ok(());
        };
        if check.cycle() != first {
            check.go_to(first);
        }
        let checked = check.check(&self.chunk);
        checked.map_err(|violation| StimulusError::Excluded {
            path: self.path.to_path_buf(),
            violation: Box::new(violation),
        })
    }
}

/// Reads `count` bytes, or as many as there are.
fn read_up_to(file: &mut File, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
