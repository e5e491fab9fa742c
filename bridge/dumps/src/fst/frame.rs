//! The values that a block of changes starts with. The library shows them for the first block alone.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::read::ZlibDecoder;
use fst_reader::FstSignalValue;

use super::blocks::{Layout, Packed};

/// The bytes at a place, decompressed.
fn unpacked(input: &mut (impl Read + Seek), place: Packed) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(place.offset))?;
    let packed = input.take(place.packed);
    let mut bytes = Vec::new();
    match place.packed == place.bytes {
        true => packed.take(place.bytes).read_to_end(&mut bytes)?,
        false => ZlibDecoder::new(packed)
            .take(place.bytes)
            .read_to_end(&mut bytes)?,
    };
    match bytes.len() as u64 == place.bytes {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// What a signal is in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Digits(usize),
    Real,
}

impl Field {
    const fn bytes(self) -> usize {
        match self {
            Self::Digits(count) => count,
            Self::Real => 8,
        }
    }
}

/// The signals of a file as its frames have them.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    fields: Vec<Field>,
    big_endian: bool,
}

impl Frames {
    /// Reads the lengths of the signals.
    pub(super) fn new(input: &mut (impl Read + Seek), layout: &Layout) -> io::Result<Self> {
        let bytes = unpacked(input, layout.lengths)?;
        let mut fields = Vec::new();
        let (mut number, mut shift) = (0_u64, 0);
        for byte in bytes {
            number |= u64::from(byte & 0x7f) << shift.min(57);
            shift += 7;
            if byte >= 0x80 {
                continue;
            }
            fields.push(match number as u32 {
                0 => Field::Real,
                // Of any length, so it has no value here.
                u32::MAX => Field::Digits(0),
                length => Field::Digits(length as usize),
            });
            (number, shift) = (0, 0);
        }
        match fields.len() as u64 == layout.signals {
            true => Ok(Self {
                fields,
                big_endian: layout.big_endian,
            }),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Shows the values of a frame by signal.
    pub(super) fn visit<E: From<io::Error>>(
        &self,
        input: &mut (impl Read + Seek),
        frame: Packed,
        mut visit: impl FnMut(usize, &FstSignalValue<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = unpacked(input, frame)?;
        let mut rest = bytes.as_slice();
        for (handle, field) in self.fields.iter().enumerate() {
            let Some((value, after)) = rest.split_at_checked(field.bytes()) else {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            };
            rest = after;
            match (field, value.first_chunk()) {
                (Field::Digits(0), _) => {}
                (Field::Real, Some(value)) if self.big_endian => {
                    visit(handle, &FstSignalValue::Real(f64::from_be_bytes(*value)))?;
                }
                (Field::Real, Some(value)) => {
                    visit(handle, &FstSignalValue::Real(f64::from_le_bytes(*value)))?;
                }
                _ => visit(handle, &FstSignalValue::String(value))?,
            }
        }
        Ok(())
    }
}
