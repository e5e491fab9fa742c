//! The values of a dump, cycle by cycle.

use std::collections::HashMap;

use lockstep_vcd::{BitsRef, Event, Source, Stream, ValueRef};

use super::expression::mask;
use super::netlist::Netlist;
use super::stretch::Dump;
use super::waves::{Waves, cycle_of, left_out, names, widths};

/// The values of a design's signals, a row of words a cycle.
pub struct Rows {
    /// By signal of the design, its first word in a row, and its bits; none if it is not in the dump.
    pub places: Vec<Option<(u32, u32)>>,
    /// Words of a cycle.
    length: usize,
    words: Vec<u64>,
}

/// The words in which bits are.
pub const fn words(bits: u32) -> usize {
    bits.div_ceil(64) as usize
}

/// Some bits of words, 64 at most.
pub fn bits_of(words: &[u64], low: u32, width: u32) -> u64 {
    let (word, bit) = (low as usize / 64, low % 64);
    let Some(first) = words.get(word) else {
        return 0;
    };
    let mut value = first >> bit;
    if bit > 0 {
        value |= words.get(word + 1).copied().unwrap_or(0) << (64 - bit);
    }
    value & mask(width)
}

/// Sets some bits of words, 64 at most.
pub fn set_bits(words: &mut [u64], low: u32, width: u32, value: u64) {
    let (word, bit) = (low as usize / 64, low % 64);
    let (mask, value) = (mask(width), value & mask(width));
    if let Some(first) = words.get_mut(word) {
        *first = *first & !(mask << bit) | value << bit;
    }
    if bit > 0
        && let Some(second) = words.get_mut(word + 1)
    {
        *second = *second & !(mask >> (64 - bit)) | value >> (64 - bit);
    }
}

impl Rows {
    /// Of waves that were read.
    pub fn of_waves(design: &Netlist, waves: &Waves, cycles: usize) -> Self {
        let is_shown = |wave: usize| !waves.histories[wave].changes.is_empty();
        let layout = Layout::new(design, &waves.signals, &waves.widths, is_shown);
        let mut rows = vec![0; layout.length * cycles];
        for (history, place) in waves.histories.iter().zip(&layout.of_waves) {
            let Some((first, bits)) = *place else {
                continue;
            };
            for (at, (from, value)) in history.changes.iter().enumerate() {
                let next = history.changes.get(at + 1);
                let end = next.map_or(cycles, |(next, _)| *next as usize);
                let words = words(bits).min(value.len());
                for cycle in *from as usize..end {
                    let place = cycle * layout.length + first as usize;
                    rows[place..place + words].copy_from_slice(&value[..words]);
                }
            }
        }
        layout.rows(rows)
    }

    /// Reads a dump of a design that has a value of every signal in its first cycle; `room` is that of rows that are not
    /// needed any more.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(
        design: &Netlist,
        dump: &Dump,
        cycles: usize,
        room: Option<Self>,
    ) -> Result<Self, lockstep_vcd::Error> {
        let mut dump = Stream::open(&dump.0)?;
        let header = dump.header().clone();
        let left_out = left_out(&header);
        let is_shown = |wave: usize| !left_out.contains(&wave);
        let layout = Layout::new(design, &names(&header), &widths(&header), is_shown);
        let mut row = vec![0; layout.length];
        let mut rows = room.map_or_else(Vec::new, |room| room.words);
        rows.clear();
        rows.reserve(layout.length * cycles);
        let mut cycle = 0;
        dump.for_each(|event| match event {
            Event::Time(time) => {
                let next = cycle_of(time);
                for _ in cycle..next.min(cycles) {
                    rows.extend_from_slice(&row);
                }
                cycle = next;
            }
            Event::Change(signal, ValueRef::Bits(bits)) if cycle < cycles => {
                if let Some((first, width)) = layout.of_waves[signal.index()] {
                    set_value(&mut row[first as usize..][..words(width)], &bits);
                }
            }
            _ => {}
        })?;
        while rows.len() < layout.length * cycles {
            rows.extend_from_slice(&row);
        }
        Ok(layout.rows(rows))
    }

    /// The words of a signal in a cycle.
    pub fn of(&self, signal: u32, cycle: usize) -> Option<&[u64]> {
        let (first, bits) = self.places[signal as usize]?;
        let from = cycle * self.length + first as usize;
        self.words.get(from..from + words(bits))
    }
}

/// Takes a value, but one with an unknown bit.
fn set_value(words: &mut [u64], bits: &BitsRef<'_>) {
    if let [word] = words {
        *word = bits.to_u64().unwrap_or(*word);
    } else if let Some(value) = bits.to_bits().to_words() {
        words.copy_from_slice(&value);
    }
}

/// Where in a row what is.
struct Layout {
    of_waves: Vec<Option<(u32, u32)>>,
    of_signals: Vec<Option<(u32, u32)>>,
    length: usize,
}

impl Layout {
    fn new(
        design: &Netlist,
        names: &HashMap<String, u32>,
        widths: &[u32],
        is_shown: impl Fn(usize) -> bool,
    ) -> Self {
        let mut of_waves = vec![None; widths.len()];
        let mut length = 0;
        let of_signals = design.signals.iter().map(|name| {
            let wave = *names.get(name)? as usize;
            if of_waves[wave].is_none() && is_shown(wave) && widths[wave] > 0 {
                of_waves[wave] = Some((length as u32, widths[wave]));
                length += words(widths[wave]);
            }
            of_waves[wave]
        });
        Self {
            of_signals: of_signals.collect(),
            of_waves,
            length,
        }
    }

    fn rows(self, words: Vec<u64>) -> Rows {
        Rows {
            places: self.of_signals,
            length: self.length,
            words,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_set_where_they_are_read() {
        for (low, width, value) in [
            (0, 64, u64::MAX),
            (3, 5, 0b10110),
            (60, 8, 0xA5),
            (64, 64, 7),
            (126, 9, 0x1FF),
        ] {
            let mut words = [0x0123_4567_89AB_CDEF, !0];
            let before = words;
            set_bits(&mut words, low, width, value);
            let inside = width.min(128 - low);
            assert_eq!(
                bits_of(&words, low, inside),
                value & mask(inside),
                "{low}, {width}"
            );
            set_bits(&mut words, low, inside, bits_of(&before, low, inside));
            assert_eq!(words, before, "{low}, {width}");
        }
    }
}
