//! The changes of a block, in the order of time.
//!
//! The file has them by signal: each begins with a number, the steps from the tick of the change before, among those of
//! the block, and what form the value has.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;

use crate::batch::spread;

use super::blocks::Changes;
use super::frame::{Field, Fields, Stored};
use super::places::Places;
use super::unpack::{damaged, long, number, unpacked};

/// What a single bit is, by the number before it.
const DIGITS: &[u8; 10] = b"01xzhuwl-?";

/// No signal.
const NONE: u32 = u32::MAX;

/// A signal, and its next change.
#[derive(Clone, Debug)]
struct Cursor {
    signal: u32,
    field: Field,
    /// The number that the change begins with.
    head: u32,
    /// What stands behind it, up to the last change.
    rest: Range<usize>,
    /// The next cursor with a change in this tick.
    next: u32,
}

/// The changes of some signals in a block.
#[derive(Debug)]
pub(super) struct Block<'f> {
    fields: &'f Fields,
    times: Vec<u64>,
    /// Changes of one signal behind those of another.
    bytes: Vec<u8>,
    cursors: Vec<Cursor>,
}

impl<'f> Block<'f> {
    /// Unpacks the changes of `wanted` signals, in order.
    pub(super) fn new(
        input: &mut BufReader<impl Read + Seek>,
        changes: &Changes,
        fields: &'f Fields,
        wanted: &[usize],
    ) -> io::Result<Self> {
        let times = times(&unpacked(input, changes.times)?, changes.ticks)?;
        let mut table = vec![0; (changes.places.end - changes.places.start) as usize];
        input.seek(SeekFrom::Start(changes.places.start))?;
        input.read_exact(&mut table)?;
        let end = changes.places.start - changes.values;
        let places = Places::new(&table, changes.signed_steps, fields.len(), end)
            .ok_or_else(|| damaged("places that are not in the block"))?;
        let mut block = Self {
            fields,
            times,
            bytes: Vec::new(),
            cursors: Vec::new(),
        };
        let mut unpacked: Vec<Range<usize>> = vec![0..0; places.len()];
        let mut packed = Vec::new();
        let mut position = changes.values;
        input.seek(SeekFrom::Start(position))?;
        for &signal in wanted {
            let Some(number) = places.changes(signal).map_err(damaged)? else {
                continue;
            };
            if unpacked[number].is_empty() {
                let range = places.range(number);
                let start = changes.values + range.start;
                input.seek_relative(start.wrapping_sub(position) as i64)?;
                position = changes.values + range.end;
                packed.resize((range.end - range.start) as usize, 0);
                input.read_exact(&mut packed)?;
                unpacked[number] = block.unpack(&packed, changes)?;
            }
            block.cursors.push(Cursor {
                signal: signal as u32,
                field: fields.of(signal),
                head: 0,
                rest: unpacked[number].clone(),
                next: NONE,
            });
        }
        Ok(block)
    }

    /// Adds the changes of a signal.
    fn unpack(&mut self, packed: &[u8], changes: &Changes) -> io::Result<Range<usize>> {
        let start = self.bytes.len();
        let mut at = 0;
        let length = number(packed, &mut at).ok_or_else(|| damaged("a length without an end"))?;
        let packed = &packed[at..];
        if length == 0 {
            // They are as they are.
            self.bytes.extend_from_slice(packed);
        } else {
            let length = length as usize;
            if !changes.packing.can_expand(packed.len(), length) {
                return Err(damaged("a length that cannot be true"));
            }
            self.bytes.resize(start + length, 0);
            changes.packing.unpack(packed, &mut self.bytes[start..])?;
        }
        Ok(start..self.bytes.len())
    }

    /// The first tick with changes of any signal.
    pub(super) fn first(&self) -> Option<u64> {
        self.times.first().copied()
    }

    /// Shows all changes from a tick on, and before them, at the last tick with one, the last value of each signal that
    /// has changed.
    pub(super) fn visit<E: From<io::Error>>(
        self,
        from: u64,
        mut visit: impl FnMut(u64, usize, Stored<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self {
            fields,
            times,
            bytes,
            mut cursors,
        } = self;
        let first = times.partition_point(|&time| time < from);
        // By tick, the first cursor with a change then.
        let mut heads = vec![NONE; times.len()];
        let (mut passed, mut last) = (Vec::new(), 0);
        for (place, cursor) in cursors.iter_mut().enumerate() {
            let (mut index, mut shown) = (0, None);
            while cursor.step(&bytes, &mut index, times.len())? {
                if index >= first {
                    cursor.next = std::mem::replace(&mut heads[index], place as u32);
                    break;
                }
                last = last.max(index);
                shown = Some((cursor.head, cursor.rest.start));
                cursor.take(fields, &bytes)?;
            }
            passed.extend(shown.map(|shown| (place, shown)));
        }
        for (place, (head, start)) in passed {
            let mut cursor = cursors[place].clone();
            (cursor.head, cursor.rest.start) = (head, start);
            let value = cursor.take(fields, &bytes)?;
            visit(times[last], cursor.signal as usize, value)?;
        }
        for index in first..times.len() {
            while heads[index] != NONE {
                let place = heads[index];
                let cursor = &mut cursors[place as usize];
                let value = cursor.take(fields, &bytes)?;
                visit(times[index], cursor.signal as usize, value)?;
                heads[index] = cursor.next;
                let mut next = index;
                if cursor.step(&bytes, &mut next, times.len())? {
                    cursor.next = std::mem::replace(&mut heads[next], place);
                }
            }
        }
        Ok(())
    }
}

impl Cursor {
    /// Goes to the next change, whose tick `index` becomes; false if there is none.
    fn step(&mut self, bytes: &[u8], index: &mut usize, ticks: usize) -> io::Result<bool> {
        if self.rest.is_empty() {
            return Ok(false);
        }
        let bytes = &bytes[..self.rest.end];
        self.head = number(bytes, &mut self.rest.start)
            .ok_or_else(|| damaged("a change without an end"))?;
        let steps = match (self.field, self.head & 1) {
            (Field::Digits(1), 0) => self.head >> 2,
            (Field::Digits(1), _) => self.head >> 4,
            _ => self.head >> 1,
        };
        *index += steps as usize;
        match *index < ticks {
            true => Ok(true),
            false => Err(damaged("a change after the last tick")),
        }
    }

    /// The value of the change, and goes on behind it.
    fn take<'b>(&mut self, fields: &Fields, bytes: &'b [u8]) -> io::Result<Stored<'b>> {
        let cut = || damaged("a value without an end");
        let bytes = &bytes[..self.rest.end];
        let start = &mut self.rest.start;
        let mut next = |count: usize| {
            let value = bytes[*start..].get(..count).ok_or_else(cut)?;
            *start += count;
            Ok::<_, io::Error>(value)
        };
        let known = self.head & 1 == 0;
        Ok(match self.field {
            Field::Digits(1) => {
                let digit = match known {
                    true => self.head >> 1 & 1,
                    false => 2 + (self.head >> 1 & 7),
                } as usize;
                Stored::Bytes(&DIGITS[digit..=digit])
            }
            Field::Digits(count) if known => Stored::Bits(next(count.div_ceil(8))?, count),
            Field::Digits(count) => Stored::Bytes(next(count)?),
            // Bytes that are all those of the digits 0 and 1 are stored as such digits.
            Field::Real if known => {
                let [bits] = *next(1)?.first_chunk().ok_or_else(cut)?;
                Stored::Real(fields.real(spread(bits)))
            }
            Field::Real => Stored::Real(fields.real(*next(8)?.first_chunk().ok_or_else(cut)?)),
            Field::Text => {
                let count = number(bytes, start).ok_or_else(cut)? as usize;
                let value = bytes[*start..].get(..count).ok_or_else(cut)?;
                *start += count;
                Stored::Bytes(value)
            }
        })
    }
}

/// The ticks of a block: each is told as the distance from the one before.
fn times(bytes: &[u8], count: usize) -> io::Result<Vec<u64>> {
    let (mut at, mut time) = (0, 0_u64);
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let step = long(bytes, &mut at);
        time = step
            .and_then(|step| time.checked_add(step))
            .ok_or_else(|| damaged("ticks that are too few"))?;
        times.push(time);
    }
    Ok(times)
}
