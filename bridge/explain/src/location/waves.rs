//! The values of a design's signals in every cycle, from a dump of it.

use std::collections::{HashMap, HashSet};

use lockstep_vcd::{Event, Header, Source, Stream, ValueRef};

use super::columns::{Column, History};
use super::stretch::Dump;
use super::template;

/// The values of a dump, and which signal has which name.
pub struct Waves {
    /// By signal of the dump, its values as they change.
    pub histories: Vec<History>,
    /// By signal of the dump, its bits.
    pub widths: Vec<u32>,
    /// By signal of the dump, the columns of its bits, if somebody asked for them.
    pub columns: Vec<Vec<(u32, Column)>>,
    /// The signal of the dump, by name from the top module on.
    pub signals: HashMap<String, u32>,
}

impl Waves {
    /// Reads dumps of one design, in which cycle *k* begins at `10 * k` ticks and the clock falls 5 ticks later. In `cycles`
    /// there is room for all of them.
    ///
    /// # Errors
    /// A dump cannot be read.
    pub fn read(dumps: &[Dump], cycles: usize) -> Result<Self, lockstep_vcd::Error> {
        let mut histories = Vec::new();
        let mut signals = HashMap::new();
        let mut widths: Vec<u32> = Vec::new();
        for Dump(path) in dumps {
            let mut dump = Stream::open(path)?;
            let header = dump.header().clone();
            let left_out = left_out(&header);
            histories.resize(header.signal_count(), History::default());
            let mut cycle = 0usize;
            dump.for_each(|event| match event {
                Event::Time(time) => cycle = cycle_of(time),
                Event::Change(signal, ValueRef::Bits(bits)) if cycle < cycles => {
                    let value = bits.to_bits().to_words().unwrap_or_default();
                    if !value.is_empty() && !left_out.contains(&signal.index()) {
                        histories[signal.index()].push(cycle, &value);
                    }
                }
                _ => {}
            })?;
            signals = names(&header);
            widths = self::widths(&header);
        }
        Ok(Self {
            histories,
            widths,
            columns: Vec::new(),
            signals,
        })
    }

    /// The same with columns.
    #[must_use]
    pub fn with_columns(mut self, cycles: usize) -> Self {
        let histories = self.histories.iter().zip(&self.widths);
        let columns = histories.map(|(history, width)| {
            let mut columns = history.columns(cycles, true);
            columns.truncate(*width as usize);
            columns
        });
        self.columns = columns.collect();
        self
    }
}

/// Bits of all signals above which large memories are left out.
const MOST: u64 = 1 << 18;
/// Elements of an array from which on it is a large memory.
const LARGE: usize = 64;

/// The signals of large memories, of a design that has so many bits that there is no room for them.
pub fn left_out(header: &Header) -> HashSet<usize> {
    let bits: u64 = widths(header).into_iter().map(u64::from).sum();
    if bits <= MOST {
        return HashSet::new();
    }
    let mut arrays: HashMap<String, Vec<usize>> = HashMap::new();
    for (name, signal) in names(header) {
        let (template, _) = template(&name);
        arrays.entry(template).or_default().push(signal as usize);
    }
    let large = arrays.into_values().filter(|all| all.len() > LARGE);
    large.flatten().collect()
}

/// The cycle of a tick: what changes when the clock has fallen belongs to the next.
pub const fn cycle_of(tick: u64) -> usize {
    ((tick + 5) / 10) as usize
}

/// By signal of a dump, its bits.
pub fn widths(header: &Header) -> Vec<u32> {
    let signals = 0..header.signal_count();
    let width = |signal| header.signal(signal).map(|of| header.signal_width(of));
    signals
        .map(|signal| width(signal).unwrap_or_default())
        .collect()
}

/// The signals of a dump, by name from the top module on.
pub fn names(header: &Header) -> HashMap<String, u32> {
    let variables = header.variables().iter();
    variables
        .map(|variable| {
            let scope = variable.scope().map(|scope| header.scope_path(scope));
            let scope = scope.unwrap_or_default();
            let scope = scope.strip_prefix("TOP.").unwrap_or(&scope);
            let name = format!("{scope}.{}", variable.name());
            (name, variable.signal().index() as u32)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a dump with a register and a memory of so many words.
    fn header(memory: usize) -> std::sync::Arc<Header> {
        let mut text = "$timescale 1ns $end $scope module top $end\n".to_owned();
        text += "$var wire 64 ! q [63:0] $end\n";
        for word in 0..memory {
            text += &format!("$var wire 64 m{word} words_q[{word}] [63:0] $end\n");
        }
        text += "$upscope $end $enddefinitions $end\n";
        let stream = Stream::from_reader(std::io::Cursor::new(text.into_bytes()));
        stream.expect("a dump").header().clone()
    }

    #[test]
    fn large_memories_are_left_out_where_there_is_no_room() {
        assert_eq!(left_out(&header(400)), HashSet::new());
        let large = left_out(&header(5000));
        assert_eq!((large.len(), large.contains(&0)), (5000, false));
    }
}
