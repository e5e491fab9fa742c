//! The blocks of an FST file: where they are, and whether their lengths can be true.
//!
//! Memory is reserved by the lengths in the file, so those that are damaged must be found before.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

use super::error::FstError;
use super::unpack::{Packed, Packing, can_expand};

/// Bytes of the first block.
const HEADER: u64 = 329;

/// The changes between two times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Changes {
    /// The tick whose values the block starts with.
    pub(super) start: u64,
    /// Its last tick.
    pub(super) end: u64,
    /// The values that it starts with.
    pub(super) frame: Packed,
    /// The byte from which on the places of the changes are counted.
    pub(super) values: u64,
    /// How the changes of a signal are compressed.
    pub(super) packing: Packing,
    /// Where the places stand.
    pub(super) places: Range<u64>,
    /// Whether these are in the form of newer writers.
    pub(super) signed_steps: bool,
    /// Its ticks.
    pub(super) times: Packed,
    /// Their number.
    pub(super) ticks: usize,
}

/// Where everything is in a file.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// In the order of time.
    pub(super) changes: Vec<Changes>,
    /// Lengths of the signals.
    pub(super) lengths: Packed,
    /// Number of the signals.
    pub(super) signals: u64,
    /// Whether reals have their highest byte first.
    pub(super) big_endian: bool,
}

/// Finds the blocks.
pub(super) fn blocks(input: &mut (impl Read + Seek)) -> Result<Layout, FstError> {
    let size = input.seek(SeekFrom::End(0))?;
    let mut file = Blocks {
        input,
        size,
        handles: None,
        big_endian: false,
        hierarchy: false,
        changes: Vec::new(),
        counts: Vec::new(),
    };
    let mut offset = 0;
    while offset < size {
        let length = file.block(offset)?;
        offset += 1 + length;
    }
    file.finish()
}

struct Blocks<'i, I> {
    input: &'i mut I,
    size: u64,
    /// Number of signals, and their lengths.
    handles: Option<(u64, Packed)>,
    big_endian: bool,
    hierarchy: bool,
    changes: Vec<Changes>,
    /// Numbers of signals that blocks of changes tell, and where.
    counts: Vec<(u64, u64)>,
}

impl<I: Read + Seek> Blocks<'_, I> {
    /// Checks the block at a byte; its length without the byte of its kind.
    fn block(&mut self, offset: u64) -> Result<u64, FstError> {
        let fault = |expected, found| FstError::Block {
            expected,
            found,
            offset,
        };
        self.input.seek(SeekFrom::Start(offset))?;
        let kind = self.byte(offset)?;
        let length = self.number(offset)?;
        let least = match kind {
            0 => HEADER,
            1 | 5 | 8 => 8 * 8,
            2 | 255 => 8,
            3 => 8 * 3,
            4 | 6 | 7 => 8 * 2,
            other => return Err(fault("a kind of block", format!("{other}"))),
        };
        if (offset == 0) != (kind == 0) || (kind == 0 && length != HEADER) {
            let found = format!("one of kind {kind}, {length} bytes");
            return Err(fault("one header of 329 bytes at the start", found));
        }
        if length < least || length > self.size - offset - 1 {
            let left = self.size - offset - 1;
            return Err(fault(
                "a block within the file",
                format!("{length} bytes, of which {left} are there"),
            ));
        }
        match kind {
            0 => {
                let _times = [self.number(offset)?, self.number(offset)?];
                // The file has this number so that one can tell.
                self.big_endian = self.read(offset)? == std::f64::consts::E.to_be_bytes();
            }
            1 | 5 | 8 => self.changes(kind, offset, length)?,
            2 => {
                let count = self.varint(offset)?;
                if count > length {
                    return Err(fault("pauses that fit their block", format!("{count}")));
                }
            }
            3 => {
                let bytes = self.number(offset)?;
                let handles = self.number(offset)?;
                self.expands(offset, bytes, length)?;
                if handles > bytes || self.handles.is_some() {
                    let found = format!("{handles} in {bytes} bytes");
                    return Err(fault("one list of signals", found));
                }
                let lengths = Packed {
                    offset: self.input.stream_position()?,
                    packed: length - 3 * 8,
                    bytes,
                };
                self.handles = Some((handles, lengths));
            }
            4 | 6 | 7 => {
                let bytes = self.number(offset)?;
                let mut packed = length;
                if kind == 7 {
                    packed = self.varint(offset)?;
                    self.expands(offset, packed, length)?;
                }
                self.expands(offset, bytes, packed)?;
                if std::mem::replace(&mut self.hierarchy, true) {
                    return Err(fault("one hierarchy", "another one".to_owned()));
                }
            }
            _ => {}
        }
        Ok(length)
    }

    /// Changes: the values at their start, the changes by signal, where each of them is, and the times.
    fn changes(&mut self, kind: u8, offset: u64, length: u64) -> Result<(), FstError> {
        let fault = |expected, found| FstError::Block {
            expected,
            found,
            offset,
        };
        let (start, end) = (self.number(offset)?, self.number(offset)?);
        let before = self.changes.last().map_or(0, |block| block.end);
        if start > end || start < before {
            let found = format!("those from {start} to {end} after {before}");
            return Err(fault("times that go on", found));
        }
        let _memory = self.number(offset)?;
        let (bytes, packed) = (self.varint(offset)?, self.varint(offset)?);
        let first = self.varint(offset)?;
        self.expands(offset, bytes, packed)?;
        let frame = Packed {
            offset: self.input.stream_position()?,
            packed,
            bytes,
        };
        let last = offset + 1 + length;
        // Behind: three numbers of the times, and before these the length of the places.
        let Some(values) = frame
            .offset
            .checked_add(packed)
            .filter(|&at| at + 4 * 8 < last)
        else {
            return Err(fault(
                "values within their block",
                format!("{packed} bytes"),
            ));
        };
        self.input.seek(SeekFrom::Start(values))?;
        let second = self.varint(offset)?;
        self.counts.extend([(first, offset), (second, offset)]);
        let values = self.input.stream_position()?;
        let letter = self.byte(offset)?;
        let packing = Packing::of(letter).ok_or_else(|| {
            let found = format!("`{}`", letter.escape_ascii());
            fault("changes packed by zlib, LZ4 or FastLZ", found)
        })?;
        self.input.seek(SeekFrom::Start(last - 3 * 8))?;
        let (bytes, packed) = (self.number(offset)?, self.number(offset)?);
        let count = self.number(offset)?;
        self.expands(offset, bytes, packed)?;
        if count > bytes {
            let found = format!("{count} in {bytes} bytes");
            return Err(fault("times that fit their bytes", found));
        }
        let behind_places = (last - 4 * 8)
            .checked_sub(packed)
            .filter(|&at| at > values)
            .ok_or_else(|| fault("times within their block", format!("{packed} bytes")))?;
        let times = Packed {
            offset: behind_places + 8,
            packed,
            bytes,
        };
        self.input.seek(SeekFrom::Start(behind_places))?;
        let packed = self.number(offset)?;
        let start_of_places = behind_places.checked_sub(packed);
        let Some(places) = start_of_places.filter(|&at| at > values) else {
            return Err(fault(
                "places within their block",
                format!("{packed} bytes"),
            ));
        };
        self.changes.push(Changes {
            start,
            end,
            frame,
            values,
            packing,
            places: places..behind_places,
            signed_steps: kind == 8,
            times,
            ticks: count as usize,
        });
        Ok(())
    }

    /// Checks that so many bytes can come of `packed` ones.
    fn expands(&self, offset: u64, bytes: u64, packed: u64) -> Result<(), FstError> {
        match packed <= self.size && can_expand(packed, bytes) {
            true => Ok(()),
            false => Err(FstError::Block {
                expected: "lengths that can be true",
                found: format!("{packed} bytes that expand to {bytes}"),
                offset,
            }),
        }
    }

    fn finish(self) -> Result<Layout, FstError> {
        let missing = |expected, found: &str| FstError::Block {
            expected,
            found: found.to_owned(),
            offset: self.size,
        };
        let Some((handles, lengths)) = self.handles else {
            return Err(missing("a list of signals", "the end of the file"));
        };
        if !self.hierarchy {
            return Err(missing("a hierarchy", "the end of the file"));
        }
        let other = self.counts.iter().find(|(count, _)| *count != handles);
        match other {
            None => Ok(Layout {
                changes: self.changes,
                lengths,
                signals: handles,
                big_endian: self.big_endian,
            }),
            Some(&(count, offset)) => Err(FstError::Block {
                expected: "changes of all signals",
                found: format!("{count} signals instead of {handles}"),
                offset,
            }),
        }
    }

    fn read<const N: usize>(&mut self, offset: u64) -> Result<[u8; N], FstError> {
        let mut bytes = [0; N];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(FstError::Block {
                    expected: "a whole block",
                    found: "the end of the file".to_owned(),
                    offset,
                })
            }
            Err(error) => Err(error.into()),
        }
    }

    fn byte(&mut self, offset: u64) -> Result<u8, FstError> {
        self.read::<1>(offset).map(|[byte]| byte)
    }

    fn number(&mut self, offset: u64) -> Result<u64, FstError> {
        self.read(offset).map(u64::from_be_bytes)
    }

    /// Seven bits a byte, the lowest first; the highest bit of a byte says that there are more.
    fn varint(&mut self, offset: u64) -> Result<u64, FstError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte(offset)?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(FstError::Block {
            expected: "a number below 2^64",
            found: "a longer one".to_owned(),
            offset,
        })
    }
}
