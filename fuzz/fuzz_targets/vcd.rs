//! Any bytes: no panic; slice and stream read the same; a pass over the dump finds the rising
//! edges that a scan finds, and a window what a scan finds; what is found by its path is what was declared; ticks, samples and
//! windows tell the same values. README.md of the repository tells how to run it.
#![no_main]

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use libfuzzer_sys::fuzz_target;
use lockstep_vcd::{
    Bits, Error, Event, Header, Probe, Sampler, Slice, Source, Stream, Ticks, Trace, Value,
    ValueRef, window,
};

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
                    same_in_all_forms(value);
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

/// A value that is borrowed, one that is owned, its bits and its text are the same.
fn same_in_all_forms(value: ValueRef<'_>) {
    if matches!(value, ValueRef::Bits(bits) if bits.width() > 4096) {
        // Millions of bits take as long as thousands of other inputs.
        return;
    }
    let owned = value.to_value();
    assert_eq!(value.to_u64(), owned.to_u64());
    let text = owned.to_string();
    let (ValueRef::Bits(borrowed), Value::Bits(bits)) = (value, &owned) else {
        return;
    };
    assert_eq!(borrowed.to_bits(), *bits);
    assert_eq!(
        (borrowed.has_x(), borrowed.has_z()),
        (bits.has_x(), bits.has_z())
    );
    assert_eq!(bits.is_known(), !bits.has_x() && !bits.has_z());
    assert_eq!(bits.to_words().is_some(), bits.is_known());
    let width = bits.width();
    if width == 0 {
        return;
    }
    assert_eq!(format!("{bits:b}").len(), width as usize);
    assert!(format!("{bits:x}").len() <= width as usize && !text.is_empty());
    for index in [0, 1, width / 2, width - 1, width] {
        assert_eq!(borrowed.bit(index), bits.bit(index));
        assert_eq!(bits.bit(index).is_some(), index < width);
    }
    let (hi, lo) = (width - 1, width / 3);
    assert_eq!(borrowed.slice(hi, lo), bits.slice(hi, lo));
    assert_eq!(bits.slice(hi, 0).as_ref(), Some(bits));
    assert_eq!(bits.slice(width, 0), None);
    if let Some(number) = bits.to_u64() {
        assert_eq!(Bits::from_u64(number, width), *bits);
    }
}

/// Whatever can be asked of declarations; every variable is found by its path, or the error says why not.
fn declared(header: &Header) {
    let _ = (header.date(), header.version(), header.comments());
    if let Some(timescale) = header.timescale() {
        assert!(timescale.seconds(1).is_finite() && !timescale.to_string().is_empty());
    }
    for scope in header.scopes().iter().take(8) {
        let _ = (scope.name(), scope.kind());
    }
    for (index, variable) in header.variables().iter().enumerate().take(8) {
        let path = header.path(variable);
        assert!(path.ends_with(variable.name()));
        let _ = (variable.code(), variable.kind(), variable.range());
        let declared = Probe::variable(header, index).map(|probe| probe.signal());
        if let Ok(found) = header.find(&path) {
            assert!(found.width(header) <= header.signal_width(found.signal()));
            assert!(declared.is_some());
        }
        for suffix in ["[0]", "[3:1]", "[1:3]", "[x]", "["] {
            if let Ok(bit) = header.find(&format!("{path}{suffix}")) {
                assert!(bit.width(header) <= header.signal_width(bit.signal()));
            }
        }
    }
    let _ = header
        .find("no.such.path")
        .map_err(|error| error.to_string());
}

/// The last value of each tick of `probe`, by all that happens.
fn by_events(slice: &mut Slice<'_>, probe: Probe) -> Option<BTreeMap<u64, String>> {
    let (mut now, mut values) = (0, BTreeMap::new());
    slice.rewind();
    let read = slice.for_each(|event| match event {
        Event::Time(time) => now = time,
        Event::Change(signal, value) if signal == probe.signal() => {
            values.insert(now, probe.value(value).to_string());
        }
        _ => {}
    });
    read.is_ok().then_some(values)
}

fuzz_target!(|text: &[u8]| {
    let expected = digest(Slice::new(text));
    assert_eq!(digest(Stream::new(text)), expected);
    assert_eq!(digest(Stream::new(Drops(text))), expected);
    let Ok(mut slice) = Slice::new(text) else {
        return;
    };
    let header = slice.header().clone();
    declared(&header);
    let probes: Vec<Probe> = (0..3)
        .filter_map(|index| Probe::variable(&header, index))
        .collect();
    let scanned = window(&mut slice, &probes, 5..=50);
    let Ok(mut stream) = Stream::new(Cursor::new(text)) else {
        return;
    };
    let mut has_comment = false;
    slice.rewind();
    let read = slice.for_each(|event| has_comment |= matches!(event, Event::Comment(_)));
    // A scan ends before a fault behind the window; what seeks may be led astray by it.
    let is_plain = !has_comment && read.is_ok();
    let windows = stream.window(&probes, 5..=50);
    if let (Ok(scanned), Ok(windows), true) = (&scanned, &windows, is_plain) {
        for (one, other) in scanned.iter().zip(windows) {
            let at = |trace: &Trace| trace.at(20).map(Value::to_string);
            assert_eq!(at(one), at(other));
        }
    }
    let _ = stream.times();
    for &clock in &probes {
        let changes = by_events(&mut slice, clock);
        slice.rewind();
        let mut ticks = Ticks::new(&header, &[clock]);
        let mut told = BTreeMap::new();
        while let Ok(Some(time)) = ticks.next(&mut slice) {
            let last = ticks.changes().last().expect("a tick with changes");
            told.insert(time, last.1.to_string());
        }
        if let Some(changes) = &changes {
            assert_eq!(told, *changes);
        }
        slice.rewind();
        let sampler = Sampler::rising(clock);
        let Ok(scanned) = sampler.last(2).run(&mut slice, &probes) else {
            continue;
        };
        slice.rewind();
        let all = Sampler::rising(clock).run(&mut slice, &probes).unwrap();
        slice.rewind();
        let some = Sampler::rising(clock)
            .between(5..=50)
            .run(&mut slice, &probes)
            .unwrap();
        let within = all.times().iter().filter(|time| (5..=50).contains(*time));
        assert!(some.times().iter().eq(within));
        assert_eq!(all.rows().count(), all.len());
        for row in 0..all.len() {
            let _ = (all.value(row, 0), all.u64(row, 0));
        }
        slice.rewind();
        let falls = Sampler::falling(clock).run(&mut slice, &[]).unwrap();
        assert!(falls.len().abs_diff(all.len()) <= 1 + expected.0 as usize);
        let rises = stream.rises(clock, 0..=u64::MAX - 1, &probes).unwrap();
        assert_eq!(rises.times, all.times());
        assert_eq!(rises.count, all.len() as u64);
        assert!(scanned.len() <= 2);
        // What was noted on the way is used here. Lines of a comment may look like times.
        let again = stream.window(&probes, 5..=50);
        if let (Ok(windows), Ok(again), false) = (&windows, again, has_comment) {
            for (one, other) in windows.iter().zip(&again) {
                let at = |trace: &Trace| trace.at(20).map(Value::to_string);
                assert_eq!(at(one), at(other));
            }
        }
    }
});
