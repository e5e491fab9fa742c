//! Events on their way from the thread of the library: times and values in a batch of bytes.

use std::ops::ControlFlow;
use std::sync::Arc;

use fst_reader::FstSignalValue;
use lockstep_vcd::{BitsRef, Event, Header, State, ValueRef};

/// Bytes from which on a batch is full.
const FULL: usize = 1 << 16;

/// Bytes before a value: what it is and how long, then the signal.
const HEAD: usize = 8;

/// Kinds of entries, in the two highest bits of their first number.
const TIME: u32 = 0;
const BITS: u32 = 1;
const REAL: u32 = 2;
const TEXT: u32 = 3;

/// Longest value.
const LENGTH: u32 = (1 << 30) - 1;

/// The signals of a file.
#[derive(Debug)]
pub(super) struct Signals {
    pub(super) header: Arc<Header>,
    /// By signal of the file, its number in the header. None without a name.
    pub(super) numbers: Vec<Option<u32>>,
    /// By number, whether it is an event.
    pub(super) events: Vec<bool>,
    /// By number, whether its values are text.
    pub(super) strings: Vec<bool>,
}

/// A batch that is filled.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
}

impl Batch {
    fn entry(&mut self, kind: u32, signal: u32, payload: &[u8]) {
        let length = payload.len() as u32;
        self.bytes
            .extend_from_slice(&(kind << 30 | length).to_le_bytes());
        self.bytes.extend_from_slice(&signal.to_le_bytes());
        self.bytes.extend_from_slice(payload);
    }

    pub(super) fn time(&mut self, time: u64) {
        self.entry(TIME, 0, &time.to_le_bytes());
    }

    /// Enters a value of a signal of the file. An error tells a value that cannot be one.
    pub(super) fn value(
        &mut self,
        signals: &Signals,
        handle: usize,
        value: &FstSignalValue<'_>,
    ) -> Result<(), String> {
        let Some(Some(number)) = signals.numbers.get(handle) else {
            return Ok(());
        };
        let (number, place) = (*number, *number as usize);
        match value {
            FstSignalValue::Real(value) => {
                self.entry(REAL, number, &as_written(*value).to_le_bytes());
            }
            FstSignalValue::String(bytes) if bytes.len() > LENGTH as usize => {
                return Err(format!("a value of {} bytes", bytes.len()));
            }
            FstSignalValue::String(bytes) if signals.strings[place] => {
                self.entry(TEXT, number, &escaped(bytes));
            }
            FstSignalValue::String(digits) => {
                let mut digits = *digits;
                if signals.events[place] {
                    // Some writers give an event a width.
                    digits = &digits[digits.len().saturating_sub(1)..];
                }
                let width = signals.header.signal(place);
                let width = width.map_or(0, |signal| signals.header.signal_width(signal));
                if digits.len() > width as usize {
                    return Err(format!("{} digits for {width} bits", digits.len()));
                }
                let start = self.bytes.len() + HEAD;
                self.entry(BITS, number, digits);
                for digit in &mut self.bytes[start..] {
                    // Don't care, of VHDL, has a second form here.
                    if *digit == b'?' {
                        *digit = b'-';
                    }
                    if State::from_byte(*digit).is_none() {
                        return Err(format!("a digit `{}`", digit.escape_ascii()));
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) const fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Visits what stands from byte `place` on, which moves on behind each event that was shown.
    pub(super) fn visit<B>(
        &self,
        place: &mut usize,
        header: &Header,
        visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while let Some((head, rest)) = self.bytes[*place..].split_first_chunk::<HEAD>() {
            let [a, b, c, d, signal @ ..] = *head;
            let head = u32::from_le_bytes([a, b, c, d]);
            let length = (head & LENGTH) as usize;
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

/// A real with the 16 digits that a VCD has of it, so that both are the same number.
fn as_written(value: f64) -> f64 {
    format!("{value:.15e}").parse().unwrap_or(value)
}

/// A string as a VCD has it, in which white space is escaped.
fn escaped(bytes: &[u8]) -> Vec<u8> {
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
