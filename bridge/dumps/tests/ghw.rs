//! GHW dumps event by event: stopping and going on, some signals alone, and files that are damaged.

use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lockstep_dumps::ghw::{Ghw, GhwError};
use lockstep_vcd::{Error, Event, Source};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vcd/ghdl-2.0/kinds.ghw")
}

fn open(path: &Path) -> Result<Ghw, GhwError> {
    Ghw::open(File::open(path).expect("a file"), Default::default())
}

fn all(dump: &mut Ghw) -> Result<Vec<String>, Error> {
    let mut events = Vec::new();
    dump.for_each(|event| events.push(format!("{event:?}")))?;
    Ok(events)
}

#[test]
fn reading_goes_on_after_every_break() {
    let expected = all(&mut open(&path()).expect("a dump")).expect("events");
    assert!(expected.len() > 300, "{}", expected.len());
    let mut dump = open(&path()).expect("a dump");
    let mut found = Vec::new();
    while let ControlFlow::Break(event) = dump
        .try_for_each(|event| ControlFlow::Break(format!("{event:?}")))
        .expect("an event")
    {
        found.push(event);
    }
    assert_eq!(found, expected);
}

#[test]
fn signals_that_are_watched_are_read_alone_from_the_start_on() {
    let mut dump = open(&path()).expect("a dump");
    let header = dump.header().clone();
    let clock = header.find("kinds.clk").expect("a clock").signal();
    let of_clock = |dump: &mut Ghw| {
        let mut events = Vec::new();
        let mut others = 0;
        dump.for_each(|event| match event {
            Event::Change(signal, value) if signal == clock => events.push(value.to_u64()),
            Event::Change(..) => others += 1,
            _ => {}
        })
        .expect("events");
        (events, others)
    };
    let (expected, others) = of_clock(&mut dump);
    assert!(expected.len() == 41 && others > 200, "{others}");
    // Stopped within, or read to its end.
    for _ in 0..2 {
        dump.watch([clock]).expect("the start");
        let first = dump.try_for_each(|_| ControlFlow::Break(()));
        assert!(first.is_ok_and(|first| first.is_break()));
        dump.watch([clock]).expect("the start");
        assert_eq!(of_clock(&mut dump), (expected.clone(), 0));
    }
}

/// Reads a file of these bytes to its end.
fn read(file: &Path, bytes: &[u8]) -> Result<usize, String> {
    fs::write(file, bytes).expect("written");
    let mut dump = open(file).map_err(|error| error.to_string())?;
    let events = all(&mut dump).map_err(|error| error.to_string())?;
    Ok(events.len())
}

#[test]
fn a_cut_file_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cut.ghw");
    let bytes = fs::read(path()).expect("a dump");
    assert!(read(&file, &bytes).is_ok());
    for length in (0..bytes.len()).step_by(13) {
        let error = read(&file, &bytes[..length]).expect_err("cut");
        assert!(error.starts_with("[ghw] expected "), "{length}: {error}");
        assert_eq!(error.matches("[ghw]").count(), 1, "{error}");
    }
}

/// Some of the bytes are values.
#[test]
fn flipped_bytes_are_an_error_or_other_values_and_never_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("flipped.ghw");
    let bytes = fs::read(path()).expect("a dump");
    let mut errors = 0;
    for (place, flip) in (0..bytes.len())
        .step_by(3)
        .zip([0x01, 0x80, 0xff, 0x40].repeat(9999))
    {
        let mut flipped = bytes.clone();
        flipped[place] ^= flip;
        errors += usize::from(read(&file, &flipped).is_err());
    }
    assert!(errors > 100, "{errors}");
}
