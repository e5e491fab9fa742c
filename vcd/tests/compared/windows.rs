//! How much of a dump is read for a window near its end.

use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_vcd::{Source, Stream};

/// Counts the bytes that are read.
struct Counting {
    text: Cursor<Arc<[u8]>>,
    count: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.text.read(buffer)?;
        self.count.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}

impl Seek for Counting {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.text.seek(place)
    }
}

/// Ticks of the dump, and the window.
const TICKS: u64 = 400_000;
const FROM: u64 = TICKS / 100 * 95;
const TO: u64 = FROM + 20;

fn dump() -> Arc<[u8]> {
    let mut text =
        String::from("$var wire 1 ! clk $end\n$var reg 8 v v $end\n$enddefinitions $end\n");
    for tick in 0..TICKS {
        text += &format!("#{tick:07}\n{}!\nb{:06b} v\n", tick % 2, tick % 64);
    }
    text.into_bytes().into()
}

/// The share of the dump that this crate, wellen and the `vcd` crate read to give the changes of two signals in the
/// window.
pub fn shares() -> [String; 3] {
    let text = dump();
    let share = |changes: &dyn Fn(Counting) -> usize| {
        let count = Arc::new(AtomicU64::new(0));
        let reader = Counting {
            text: Cursor::new(text.clone()),
            count: count.clone(),
        };
        assert_eq!(changes(reader) as u64, 2 * (TO - FROM + 1));
        let share = 100 * count.load(Ordering::Relaxed) / text.len() as u64;
        format!("{share} %")
    };
    [share(&this_crate), share(&wellen), share(&vcd_crate)]
}

fn this_crate(reader: Counting) -> usize {
    let mut dump = Stream::new(reader).unwrap();
    let probes = ["clk", "v"].map(|name| dump.header().find(name).unwrap());
    let traces = dump.window(&probes, FROM..=TO).unwrap();
    traces.iter().map(|trace| trace.changes.len()).sum()
}

fn wellen(reader: Counting) -> usize {
    let options = wellen::LoadOptions::default();
    let mut dump = wellen::stream::read(BufReader::new(reader), &options).unwrap();
    let signals: Vec<_> = {
        let hierarchy = dump.hierarchy();
        let variables = hierarchy.all_vars();
        variables.map(|v| hierarchy[v].signal_ref()).collect()
    };
    let mut changes = 0;
    // The times of a filter are not heeded in a VCD, so the caller heeds them, and ends the stream with an error.
    let filter = wellen::stream::Filter::include_signals(&signals);
    let ended = dump.stream_changes(filter, |time, _, _| {
        changes += usize::from((FROM..=TO).contains(&time));
        match time {
            0..=TO => Ok(()),
            _ => Err(std::fmt::Error),
        }
    });
    assert!(ended.is_err());
    changes
}

fn vcd_crate(reader: Counting) -> usize {
    let mut parser = vcd::Parser::new(BufReader::new(reader));
    parser.parse_header().unwrap();
    let (mut changes, mut now) = (0, 0);
    for command in parser {
        match command.unwrap() {
            vcd::Command::Timestamp(time) if time > TO => break,
            vcd::Command::Timestamp(time) => now = time,
            vcd::Command::ChangeScalar(..) | vcd::Command::ChangeVector(..) if now >= FROM => {
                changes += 1;
            }
            _ => {}
        }
    }
    changes
}
