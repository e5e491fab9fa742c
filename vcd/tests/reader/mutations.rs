//! Dumps that were damaged at random: never a panic, and both readers agree to the last byte.

use std::fs;
use std::time::{Duration, Instant};

use lockstep_vcd::{Error, Event, Sampler, Slice, Source, Stream, window};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::corpus::files;

fn seeds() -> Vec<Vec<u8>> {
    let files = files().into_iter();
    files.map(|path| fs::read(path).unwrap()).collect()
}

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        (self.0.next_u64() % end.max(1) as u64) as usize
    }

    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let size = 1 << self.below(8);
        start..(start + self.below(size)).min(length)
    }
}

/// Words that mean something in a dump.
const WORDS: [&str; 16] = [
    "$end",
    "$var",
    "$scope module",
    "$upscope $end",
    "$enddefinitions $end",
    "$comment",
    "$dumpvars",
    "\r\n",
    " ",
    "\n#",
    "b1x0z ",
    "r1e5 ",
    "s",
    "-1",
    "99999999999999999999",
    "[7:0]",
];

fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(4) {
        let range = random.range(text.len());
        match random.below(6) {
            0 => text.truncate(range.start),
            1 => drop(text.drain(range)),
            2 => {
                let word = WORDS[random.below(WORDS.len())];
                drop(text.splice(range, word.bytes()));
            }
            3 => {
                let other = &seeds[random.below(seeds.len())];
                let piece = random.range(other.len());
                drop(text.splice(range, other[piece].iter().copied()));
            }
            4 => text[range]
                .iter_mut()
                .for_each(|byte| *byte = random.0.next_u32() as u8),
            _ => {
                if let Some(byte) = text.get_mut(range.start) {
                    *byte ^= 1 << random.below(8);
                }
            }
        }
    }
    text
}

/// Everything that a reader says.
fn transcript<S: Source>(source: Result<S, Error>) -> String {
    let mut said = String::new();
    let result = source.and_then(|mut source| {
        said += &format!("{:?}\n", source.header());
        source.for_each(|event| {
            said += &format!("{event:?}\n");
            if let Event::Change(_, value) = event {
                said += &format!("{} {:?}\n", value.to_value(), value.to_u64());
            }
        })
    });
    if let Err(error) = result {
        said += &error.to_string();
    }
    said
}

/// Gives a few bytes at a time.
struct Drops<'a>(&'a [u8]);

impl std::io::Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = 13.min(buffer.len());
        std::io::Read::read(&mut self.0, &mut buffer[..size])
    }
}

#[test]
fn damaged_dumps_are_read_alike_and_without_a_panic() {
    let seeds = seeds();
    let mut random = Random(ChaCha8Rng::seed_from_u64(1));
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 20_000 && start.elapsed() < Duration::from_secs(4) {
        let text = mutate(&mut random, &seeds);
        let slice = transcript(Slice::new(&text));
        same(&transcript(Stream::new(&text[..])), &slice, &text);
        if rounds % 8 == 0 {
            same(&transcript(Stream::new(Drops(&text))), &slice, &text);
        }
        queries(&text);
        rounds += 1;
    }
}

#[track_caller]
fn same(stream: &str, slice: &str, text: &[u8]) {
    let mut lines = stream.lines().zip(slice.lines());
    if let Some((stream, slice)) = lines.find(|(stream, slice)| stream != slice) {
        panic!(
            "stream: {stream}\nslice: {slice}\ndump: {}",
            text.escape_ascii()
        );
    }
    assert_eq!(stream.len(), slice.len());
}

/// Windows and samples of a damaged dump: the same by bisection, and no panic.
fn queries(text: &[u8]) {
    let Ok(mut slice) = Slice::new(text) else {
        return;
    };
    let header = slice.header().clone();
    let mut probes = Vec::new();
    for variable in header.variables().iter().take(4) {
        probes.extend(header.find(&header.path(variable)));
        probes.extend(header.find(&format!("{}[2:1]", header.path(variable))));
    }
    let Some(&clock) = probes.first() else { return };
    let by_scan = window(&mut slice, &probes, 20..=90).map_err(|error| error.to_string());
    let mut stream = Stream::new(std::io::Cursor::new(text)).unwrap();
    let by_bisection = stream
        .window(&probes, 20..=90)
        .map_err(|error| error.to_string());
    assert_eq!(by_scan.is_ok(), by_bisection.is_ok());
    if let (Ok(by_scan), Ok(by_bisection)) = (by_scan, by_bisection) {
        // Not compared as such: NaN is not equal to itself.
        assert_eq!(format!("{by_scan:?}"), format!("{by_bisection:?}"));
    }
    for &clock in &probes {
        slice.rewind();
        // Of a dump with a fault, a pass may see more or less.
        if let Ok(scanned) = Sampler::rising(clock).run(&mut slice, &[]) {
            let rises = stream.rises(clock, 0..=u64::MAX - 1, &probes).unwrap();
            assert_eq!(rises.times, scanned.times(), "{}", text.escape_ascii());
            assert_eq!(rises.count, scanned.len() as u64);
        }
    }
    slice.rewind();
    if let Ok(samples) = Sampler::rising(clock).last(3).run(&mut slice, &probes) {
        assert!(samples.len() <= 3);
        assert_eq!(samples.rows().count(), samples.len());
    }
}
