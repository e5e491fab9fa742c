//! Streams at their limits: long commands, failing readers, compressed files.

use std::io::{self, Read};
use std::ops::ControlFlow;

use lockstep_vcd::{Error, Event, Slice, Source, Stream};

const HEADER: &str = "$var wire 5000000 ! a $end $var wire 1 \" b $end $enddefinitions $end\n";

#[test]
fn a_command_may_be_longer_than_the_window() {
    let digits = "10".repeat(2_500_000);
    let comment = "word ".repeat(500_000);
    let text = format!("{HEADER}#1\nb{digits} !\n$comment {comment}$end\n1\"\n");
    let mut stream = Stream::new(text.as_bytes()).unwrap();
    let mut seen = Vec::new();
    stream
        .for_each(|event| match event {
            Event::Change(_, lockstep_vcd::ValueRef::Bits(bits)) => seen.push(bits.digits().len()),
            Event::Comment(text) => seen.push(text.len()),
            _ => {}
        })
        .unwrap();
    assert_eq!(seen, [5_000_000, 2_499_999, 1]);
}

#[test]
fn a_command_without_end_is_given_up() {
    let endless = HEADER
        .as_bytes()
        .chain(&b"$comment "[..])
        .chain(io::repeat(b'c'));
    let error = Stream::new(endless).unwrap().for_each(|_| {}).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("[vcd] expected a command of at most "),
        "{message}"
    );
}

#[test]
fn white_space_without_end_takes_no_memory() {
    let blanks = || io::repeat(b'\n').take(1 << 26);
    let text = blanks()
        .chain(HEADER.as_bytes())
        .chain(&b"1\""[..])
        .chain(blanks());
    let mut events = 0;
    Stream::new(text)
        .unwrap()
        .for_each(|_| events += 1)
        .unwrap();
    assert_eq!(events, 1);
}

#[test]
fn a_header_without_end_is_given_up() {
    let error = Stream::new(io::repeat(b'\n').take(1 << 27))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("[vcd] expected a declaration command"),
        "{error}"
    );
    let error = Stream::new((&b"$date "[..]).chain(io::repeat(b'c')))
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("[vcd] expected a command of at most "),
        "{error}"
    );
}

struct Fails;

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

#[test]
fn a_failing_reader_is_told_after_all_whole_changes() {
    let text = format!("{HEADER}#1\n1\"\n0");
    let mut stream = Stream::new(text.as_bytes().chain(Fails)).unwrap();
    let mut events = 0;
    let error = stream.for_each(|_| events += 1).unwrap_err();
    assert_eq!(events, 2);
    assert!(matches!(error, Error::Io { .. }));
    assert_eq!(
        error.to_string(),
        format!(
            "[vcd] expected to read on at byte {}, found an input error: the disk is gone",
            text.len()
        )
    );
}

fn compressed(name: &str, compress: impl Fn(&[u8]) -> Vec<u8>) {
    let text = format!("{HEADER}#1\n1\"\n#2\n0\"\n");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, compress(text.as_bytes())).unwrap();
    let mut events = 0;
    Stream::open(&path)
        .unwrap()
        .for_each(|_| events += 1)
        .unwrap();
    assert_eq!(events, 4);
    // A file that was cut off says so.
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let cut = Stream::open(&path).and_then(|mut stream| stream.for_each(|_| {}));
    assert!(matches!(cut, Err(Error::Io { .. })), "{cut:?}");
}

#[test]
fn a_gzip_file_is_recognised() {
    compressed("dump.vcd.gz", |text| {
        let mut encoder = flate2::read::GzEncoder::new(text, flate2::Compression::fast());
        let mut bytes = Vec::new();
        encoder.read_to_end(&mut bytes).unwrap();
        bytes
    });
}

#[test]
fn a_zstandard_file_is_recognised() {
    compressed("dump.vcd.zst", |text| zstd::encode_all(text, 1).unwrap());
}

#[test]
fn a_slice_is_read_in_parts_as_it_is_in_whole() {
    let lines: String = (0..9000)
        .map(|n| format!("#{n}\n{}\"\nb{n:b} !\n", n % 2))
        .collect();
    let (digits, comment) = ("01".repeat(40_000), "word ".repeat(20_000));
    let start = format!("{HEADER}{lines}#9001\nb{digits} !\n$comment {comment}$end\n");
    for end in [
        "#9002\n1\"\n",
        "#9002\n1\"\n1?\n",
        "#7\n",
        &format!("#9002\n{lines}"),
    ] {
        let text = format!("{start}{end}");
        let shown = |event: Event<'_>| format!("{event:?}");
        let mut expected = Vec::new();
        let mut fault = None;
        for event in Slice::new(text.as_bytes()).unwrap().events() {
            match event {
                Ok(event) => expected.push(shown(event)),
                Err(error) => fault = Some(error.to_string()),
            }
        }
        for stride in [1, 1000, usize::MAX] {
            let mut seen = Vec::new();
            let mut slice = Slice::new(text.as_bytes()).unwrap();
            let ended = loop {
                let visited = slice.try_for_each(|event| {
                    seen.push(shown(event));
                    match seen.len() % stride {
                        0 => ControlFlow::Break(()),
                        _ => ControlFlow::Continue(()),
                    }
                });
                match visited {
                    Ok(ControlFlow::Break(())) => {}
                    Ok(ControlFlow::Continue(())) => break None,
                    Err(error) => break Some(error.to_string()),
                }
            };
            assert!(
                seen == expected,
                "{} and {} events",
                seen.len(),
                expected.len()
            );
            assert_eq!(ended, fault);
        }
    }
}
