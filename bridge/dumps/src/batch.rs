//! Events in a row of bytes: times and values, as a dump that is not text, or that is gone, shows them.

use std::ops::ControlFlow;

use lockstep_vcd::{BitsRef, Event, Header, ValueRef};

/// Bytes before a value: what it is and how long, then the signal.
const HEAD: usize = 8;

// Kinds of entries, in the two highest bits of their first number.
const TIME: u32 = 0;
const BITS: u32 = 1;
const REAL: u32 = 2;
const TEXT: u32 = 3;

/// Bytes of the longest value.
pub(crate) const LONGEST: usize = (1 << 30) - 1;

/// Events, oldest first. Signals have their numbers in the header of the dump.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
}

impl Batch {
    /// One with room for so many bytes.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Enters what stands before at most [`LONGEST`] bytes.
    fn head(&mut self, kind: u32, signal: u32, length: usize) {
        let head = u64::from(kind << 30 | length as u32) | u64::from(signal) << 32;
        self.bytes.extend_from_slice(&head.to_le_bytes());
    }

    /// Enters what has at most [`LONGEST`] bytes; gives them.
    fn entry(&mut self, kind: u32, signal: u32, payload: &[u8]) -> &mut [u8] {
        self.head(kind, signal, payload.len());
        let start = self.bytes.len();
        self.bytes.extend_from_slice(payload);
        &mut self.bytes[start..]
    }

    /// Enters a tick; what follows happens in it.
    pub(crate) fn time(&mut self, time: u64) {
        self.entry(TIME, 0, &time.to_le_bytes());
    }

    /// Enters digits, the highest first; gives them as they were entered.
    pub(crate) fn bits(&mut self, signal: u32, digits: &[u8]) -> &mut [u8] {
        self.entry(BITS, signal, digits)
    }

    /// Enters so many bits, which are eight a byte, the highest first.
    pub(crate) fn packed(&mut self, signal: u32, bits: &[u8], count: usize) {
        self.head(BITS, signal, count);
        let start = self.bytes.len();
        self.bytes.resize(start + bits.len() * 8, 0);
        for (digits, &bits) in self.bytes[start..].chunks_exact_mut(8).zip(bits) {
            digits.copy_from_slice(&spread(bits));
        }
        self.bytes.truncate(start + count);
    }

    /// Enters a real.
    pub(crate) fn real(&mut self, signal: u32, value: f64) {
        self.entry(REAL, signal, &value.to_le_bytes());
    }

    /// Enters a string as a VCD has it.
    pub(crate) fn text(&mut self, signal: u32, text: &[u8]) {
        self.entry(TEXT, signal, text);
    }

    /// Enters a value, cut to [`LONGEST`].
    pub(crate) fn value(&mut self, signal: u32, value: ValueRef<'_>) {
        match value {
            ValueRef::Bits(bits) => {
                let digits = bits.digits();
                self.bits(signal, &digits[digits.len().saturating_sub(LONGEST)..]);
            }
            ValueRef::Real(value) => self.real(signal, value),
            ValueRef::Text(text) => self.text(signal, &text[..text.len().min(LONGEST)]),
        }
    }

    /// Bytes that it has.
    pub(crate) const fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes that it has room for.
    pub(crate) const fn room(&self) -> usize {
        self.bytes.capacity()
    }

    /// Whether it has no event.
    pub(crate) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes all events out, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// All ticks that are entered.
    pub(crate) fn times(&self) -> impl Iterator<Item = u64> {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            while let Some((head, behind)) = rest.split_first_chunk::<HEAD>() {
                let [a, b, c, d, ..] = *head;
                let head = u32::from_le_bytes([a, b, c, d]);
                let (payload, behind) = behind.split_at_checked(head as usize & LONGEST)?;
                rest = behind;
                if head >> 30 == TIME {
                    return payload
                        .first_chunk()
                        .map(|bytes| u64::from_le_bytes(*bytes));
                }
            }
            None
        })
    }

    /// Visits what stands from byte `place` on, which moves on behind each event that was shown.
    pub(crate) fn visit<B>(
        &self,
        place: &mut usize,
        header: &Header,
        visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while let Some((head, rest)) = self.bytes[*place..].split_first_chunk::<HEAD>() {
            let [a, b, c, d, signal @ ..] = *head;
            let head = u32::from_le_bytes([a, b, c, d]);
            let length = head as usize & LONGEST;
            let payload = &rest[..length];
            *place += HEAD + length;
            let number = || payload.first_chunk().copied().unwrap_or_default();
            if head >> 30 == TIME {
                visit(Event::Time(u64::from_le_bytes(number())))?;
                continue;
            }
            let Some(signal) = header.signal(u32::from_le_bytes(signal) as usize) else {
                continue;
            };
            let value = match head >> 30 {
                BITS => BitsRef::new(payload, header.signal_width(signal)).map(ValueRef::Bits),
                REAL => Some(ValueRef::Real(f64::from_le_bytes(number()))),
                _ => Some(ValueRef::Text(payload)),
            };
            if let Some(value) = value {
                visit(Event::Change(signal, value))?;
            }
        }
        ControlFlow::Continue(())
    }
}

/// The digits of eight bits, the highest first.
pub(crate) const fn spread(bits: u8) -> [u8; 8] {
    // Nine bits apart, no two copies of the bits overlap, and each has another one of them at the top of a byte.
    let copies = (bits as u64).wrapping_mul(0x8040_2010_0804_0201);
    ((copies >> 7 & 0x0101_0101_0101_0101) | 0x3030_3030_3030_3030).to_le_bytes()
}

/// A string as a VCD has it, in which white space is escaped.
pub(crate) fn escaped(bytes: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'!'..=b'~' if byte != b'\\' => escaped.push(byte),
            0x80.. => escaped.push(byte),
            _ => escaped.extend_from_slice(format!("\\{byte:03o}").as_bytes()),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_spread_to_their_digits() {
        for bits in 0..=u8::MAX {
            assert_eq!(spread(bits).as_slice(), format!("{bits:08b}").as_bytes());
        }
    }
}
