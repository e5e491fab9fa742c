//! Any bytes: no panic, and slice and stream read the same. Run with
//! `cargo +nightly fuzz run read corpus/read ../../tests/vcd/*/` in `vcd/fuzz`.
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
    if text.len() < 4096 {
        assert_eq!(digest(Stream::new(Drops(text))), expected);
    }
    let Ok(mut slice) = Slice::new(text) else {
        return;
    };
    let header = slice.header().clone();
    let probes: Vec<Probe> = (0..3)
        .filter_map(|index| Probe::variable(&header, index))
        .collect();
    let _ = window(&mut slice, &probes, 5..=50);
    if let Ok(mut stream) = Stream::new(Cursor::new(text)) {
        let _ = stream.window(&probes, 5..=50);
    }
    if let Some(&clock) = probes.first() {
        slice.rewind();
        let _ = Sampler::rising(clock).last(2).run(&mut slice, &probes);
    }
});
