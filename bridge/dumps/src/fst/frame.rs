//! The values that a block of changes starts with, and the lengths of the signals.

use std::io::{self, Read, Seek};

use super::blocks::Layout;
use super::unpack::{Packed, damaged, number, unpacked};

/// What a signal is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Digits(usize),
    Real,
    /// Of any length, so it has no value in a frame.
    Text,
}

/// A value as the file has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stored<'b> {
    /// Digits, the highest first, or text.
    Bytes(&'b [u8]),
    /// So many bits, eight a byte, the highest first.
    Bits(&'b [u8], usize),
    Real(f64),
}

impl Stored<'_> {
    /// Digits, or bytes of text.
    pub(super) const fn len(self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Bits(_, count) => count,
            Self::Real(_) => 8,
        }
    }
}

/// The signals of a file as its blocks have them.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    fields: Vec<Field>,
    big_endian: bool,
}

impl Fields {
    /// Reads the lengths of the signals.
    pub(super) fn new(input: &mut (impl Read + Seek), layout: &Layout) -> io::Result<Self> {
        let bytes = unpacked(input, layout.lengths)?;
        let (mut fields, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            fields.push(match number(&bytes, &mut at) {
                Some(0) => Field::Real,
                Some(u32::MAX) => Field::Text,
                Some(length) => Field::Digits(length as usize),
                None => return Err(damaged("a length without an end")),
            });
        }
        match fields.len() as u64 == layout.signals {
            true => Ok(Self {
                fields,
                big_endian: layout.big_endian,
            }),
            false => Err(damaged("lengths of another number of signals")),
        }
    }

    /// How many there are.
    pub(super) const fn len(&self) -> usize {
        self.fields.len()
    }

    /// What a signal is.
    pub(super) fn of(&self, signal: usize) -> Field {
        self.fields[signal]
    }

    /// A real of eight bytes.
    pub(super) fn real(&self, bytes: [u8; 8]) -> f64 {
        match self.big_endian {
            true => f64::from_be_bytes(bytes),
            false => f64::from_le_bytes(bytes),
        }
    }

    /// Shows the values of a frame by signal.
    pub(super) fn frame<E: From<io::Error>>(
        &self,
        input: &mut (impl Read + Seek),
        frame: Packed,
        mut visit: impl FnMut(usize, Stored<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = unpacked(input, frame)?;
        let mut rest = bytes.as_slice();
        let short = || damaged("values of a start that are too few");
        for (signal, field) in self.fields.iter().enumerate() {
            match *field {
                Field::Text => {}
                Field::Digits(count) => {
                    let (value, behind) = rest.split_at_checked(count).ok_or_else(short)?;
                    rest = behind;
                    visit(signal, Stored::Bytes(value))?;
                }
                Field::Real => {
                    let (value, behind) = rest.split_first_chunk().ok_or_else(short)?;
                    rest = behind;
                    visit(signal, Stored::Real(self.real(*value)))?;
                }
            }
        }
        Ok(())
    }
}
