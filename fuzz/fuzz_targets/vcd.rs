//! Any bytes: no panic; slice and stream read the same; a pass over the dump finds the rising
//! edges that a scan finds. README.md of the repository tells how to run it.
#![no_main]

use std::io::{Cursor, Read};

use libfuzzer_sys::fuzz_target;
use lockstep_vcd::{Error, Event, Probe, Sampler, Slice, Source, Stream, window};

/// Gives seven bytes at a time, so that every token is cut somewhere.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = 7.min(buffer.len());
        self.0.read(&mut buffer[..size])
    }
}

/// Numbers that tell two readings apart, and the message at their end.
fn digest<S: Source>(source: Result<S, Error>) -> (u64, u64, String) {
    let (mut events, mut sum) = (0_u64, 0_u64);
    let result = source.and_then(|mut source| {
        source.for_each(|event| {
            events += 1;
            let value = match event {
                Event::Time(time) => time,
                Event::Change(signal, value) => {
                    assert_eq!(value.to_u64(), value.to_value().to_u64());
                    value.to_u64().unwrap_or(signal.index() as u64)
                }
                Event::Comment(text) => text.len() as u64,
                _ => 1,
            };
            sum = sum.rotate_left(5) ^ value;
        })
    });
    (
        events,
        sum,
        result
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default(),
    )
}

fuzz_target!(|text: &[u8]| {
    let expected = digest(Slice::new(text));
    assert_eq!(digest(Stream::new(text)), expected);
    assert_eq!(digest(Stream::new(Drops(text))), expected);
    let Ok(mut slice) = Slice::new(text) else {
        return;
    };
    let header = slice.header().clone();
    let probes: Vec<Probe> = (0..3)
        .filter_map(|index| Probe::variable(&header, index))
        .collect();
    let _ = window(&mut slice, &probes, 5..=50);
    let Ok(mut stream) = Stream::new(Cursor::new(text)) else {
        return;
    };
    let _ = stream.window(&probes, 5..=50);
    let _ = stream.times();
    for &clock in &probes {
        slice.rewind();
        let sampler = Sampler::rising(clock);
        let Ok(scanned) = sampler.last(2).run(&mut slice, &probes) else {
            continue;
        };
        slice.rewind();
        let all = Sampler::rising(clock).run(&mut slice, &[]).unwrap();
        let rises = stream.rises(clock, 0..=u64::MAX - 1, &probes).unwrap();
        assert_eq!(rises.times, all.times());
        assert_eq!(rises.count, all.len() as u64);
        assert!(scanned.len() <= 2);
        // What was noted on the way is used here.
        let _ = stream.window(&probes, 5..=50);
    }
});
