//! FST dumps event by event: stopping, going on, starting in the middle, and files that are damaged.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lockstep_dumps::fst::Fst;
use lockstep_vcd::{Error, Event, Source, Value, window};

fn dumps() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vcd")
}

fn open(path: &Path) -> Fst {
    let file = File::open(path).expect("a dump of the corpus");
    Fst::open(file, Arc::default()).expect("an FST dump")
}

fn blocks() -> Fst {
    open(&dumps().join("icarus-11/blocks.fst"))
}

/// An event that owns its value.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Time(u64),
    Change(usize, Value),
}

fn seen(event: &Event<'_>) -> Seen {
    match event {
        Event::Time(time) => Seen::Time(*time),
        Event::Change(signal, value) => Seen::Change(signal.index(), value.to_value()),
        other => panic!("an event of text: {other:?}"),
    }
}

fn all(dump: &mut Fst) -> Result<Vec<Seen>, Error> {
    let mut events = Vec::new();
    dump.for_each(|event| events.push(seen(&event)))?;
    Ok(events)
}

#[test]
fn reading_goes_on_after_every_break() {
    for name in ["icarus-11/blocks.fst", "gtkwave-3.3.118/questa.fst"] {
        let path = dumps().join(name);
        let expected = all(&mut open(&path)).expect("events");
        assert!(expected.len() > 50, "{name}: {}", expected.len());
        let mut dump = open(&path);
        let mut found = Vec::new();
        loop {
            let next = dump.try_for_each(|event| ControlFlow::Break(seen(&event)));
            match next.expect("an event") {
                ControlFlow::Break(event) => found.push(event),
                ControlFlow::Continue(()) => break,
            }
        }
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_break_stops_the_thread_behind() {
    let mut dump = blocks();
    for _ in 0..200 {
        let first = dump.try_for_each(|_| ControlFlow::Break(()));
        assert_eq!(first.expect("an event"), ControlFlow::Break(()));
        dump.jump(0).expect("the start");
    }
}

#[test]
fn every_block_starts_with_the_values_there() {
    let mut dump = blocks();
    let header = Arc::clone(dump.header());
    let probes: Vec<_> = (0..header.variables().len())
        .filter_map(|index| lockstep_vcd::Probe::variable(&header, index))
        .collect();
    let end = dump.times().expect("times").into_inner().1;
    let last = dump.block_before(end);
    assert!(last > 10, "{last} blocks");
    for time in (0..end).step_by(5_000) {
        dump.jump(0).expect("the start");
        let expected = window(&mut dump, &probes, time..=time + 20_000).expect("a window");
        // However much of the block is passed.
        for from in [0, time / 2, time.saturating_sub(1), time] {
            let block = dump.block_before(time);
            dump.jump_near(block, from).expect("a block");
            let found = window(&mut dump, &probes, time..=time + 20_000).expect("a window");
            for ((found, expected), probe) in found.iter().zip(&expected).zip(&probes) {
                assert_eq!(found.changes, expected.changes, "at {time} from {from}");
                // An event has no value between its triggers.
                if !probe.is_event(&header) {
                    assert_eq!(found.initial, expected.initial, "at {time} from {from}");
                }
            }
        }
    }
}

#[test]
fn signals_that_are_watched_are_seen_as_among_all() {
    let mut dump = open(&dumps().join("gtkwave-3.3.118/questa.fst"));
    let header = Arc::clone(dump.header());
    let everything = all(&mut dump).expect("events");
    let changes = |events: &[Seen], signal: usize| {
        let of_signal =
            |event: &&Seen| matches!(event, Seen::Change(number, _) if *number == signal);
        events.iter().filter(of_signal).cloned().collect::<Vec<_>>()
    };
    let mut joined = 0;
    for variable in header.variables() {
        let signal = variable.signal();
        joined += usize::from(header.is_joined(signal));
        dump.watch([signal]).expect("the start");
        let found = all(&mut dump).expect("events");
        assert!(found.len() < everything.len());
        assert_eq!(
            changes(&found, signal.index()),
            changes(&everything, signal.index()),
            "{}",
            header.path(variable)
        );
    }
    assert!(joined > 0);
}

/// Reads a damaged file, which must end; whether it is taken for a good one.
fn read(path: &Path, bytes: &[u8]) -> bool {
    // A file that is cut to nothing and written again is flushed to the disk, which is slow.
    let _none_yet = fs::remove_file(path);
    fs::write(path, bytes).expect("written");
    let file = File::open(path).expect("a file");
    match Fst::open(file, Arc::default()) {
        Ok(mut dump) => match all(&mut dump) {
            Ok(_) => true,
            Err(error) => {
                let text = error.to_string();
                assert!(text.starts_with("[fst] expected"), "{text}");
                // That of a panic in the thread that reads values.
                assert!(!text.contains("lengths or places"), "{text}");
                false
            }
        },
        Err(error) => {
            assert!(error.to_string().starts_with("[fst] expected"), "{error}");
            false
        }
    }
}

#[test]
fn a_cut_file_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.fst");
    let whole = fs::read(dumps().join("icarus-11/tricky.fst")).expect("a dump");
    assert!(read(&path, &whole));
    for length in 0..whole.len() {
        assert!(!read(&path, &whole[..length]), "{length} bytes");
    }
}

#[test]
fn flipped_bytes_are_an_error_or_other_values_and_never_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flipped.fst");
    for name in [
        "icarus-11/tricky.fst",
        "gtkwave-3.3.118/writer.fst",
        "gtkwave-3.3.118/blocks_fastlz.fst",
    ] {
        let whole = fs::read(dumps().join(name)).expect("a dump");
        let mut refused = 0;
        for place in 0..whole.len() {
            for flip in [0x01, 0x80] {
                let mut bytes = whole.clone();
                bytes[place] ^= flip;
                refused += usize::from(!read(&path, &bytes));
            }
        }
        // Most bytes are compressed, with a checksum only where zlib is.
        assert!(
            refused > whole.len() / 2,
            "{name}: {refused} of {}",
            2 * whole.len()
        );
    }
}
