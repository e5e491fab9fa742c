//! Memory does not grow with the length of a dump.
#![cfg(target_os = "linux")]

use std::io::{self, Read, Seek, SeekFrom};

use lockstep_vcd::{Sampler, Source, Stream, window};

const HEADER: &str = "$var wire 1 ! clk $end $var reg 32 v v $end $enddefinitions $end\n1!\n";

/// Bytes of a tick.
const TICK: u64 = 50;

/// A dump of this many bytes that is nowhere as a whole.
struct Dump {
    length: u64,
    place: u64,
}

impl Dump {
    fn new(megabytes: u64) -> Stream<Self> {
        let ticks = megabytes * 1_000_000 / TICK;
        let length = HEADER.len() as u64 + ticks * TICK;
        Stream::new(Self { length, place: 0 }).unwrap()
    }

    fn tick(number: u64) -> [u8; TICK as usize] {
        let text = format!(
            "#{number:09}\n{}!\nb{:032b} v\n",
            number % 2,
            number & 0xffff_ffff
        );
        text.into_bytes().try_into().unwrap()
    }
}

impl Read for Dump {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() && self.place < self.length {
            let body = self.place.checked_sub(HEADER.len() as u64);
            let tick = body.map(|body| Self::tick(body / TICK));
            let text = match (&tick, body) {
                (Some(tick), Some(body)) => &tick[(body % TICK) as usize..],
                _ => &HEADER.as_bytes()[self.place as usize..],
            };
            let length = text.len().min(buffer.len() - filled);
            buffer[filled..filled + length].copy_from_slice(&text[..length]);
            filled += length;
            self.place += length as u64;
        }
        Ok(filled)
    }
}

impl Seek for Dump {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.place = match place {
            SeekFrom::Start(place) => place,
            SeekFrom::End(_) => self.length,
            SeekFrom::Current(_) => self.place,
        };
        Ok(self.place)
    }
}

/// The most memory that this process has had, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}

/// Everything that reads a dump from its start to its end; the number of rising edges.
fn read(megabytes: u64) -> u64 {
    let mut dump = Dump::new(megabytes);
    let header = dump.header().clone();
    let [clock, v] = ["clk", "v"].map(|path| header.find(path).unwrap());
    let rises = dump.rises(clock, u64::MAX..=u64::MAX, &[clock, v]).unwrap();
    let samples = Sampler::rising(clock)
        .last(20)
        .run(&mut dump, &[v])
        .unwrap();
    let last = *samples.times().last().unwrap();
    dump.rewind().unwrap();
    let scanned = window(&mut dump, &[v], last - 20..=last).unwrap();
    assert_eq!(dump.window(&[v], last - 20..=last).unwrap(), scanned);
    rises.count
}

#[test]
fn ten_times_the_dump_takes_the_same_memory() {
    let rises = read(30);
    let small = peak();
    assert!(read(300) > 9 * rises);
    let large = peak();
    println!("{small} KiB for 30 MB, {large} KiB for 300 MB");
    assert!(
        large <= small + 512,
        "{small} KiB for 30 MB, {large} KiB for 300 MB"
    );
}
