//! Rising edges that a pass at the speed of memory finds are those of a scan, however a dump is
//! written.

use std::cell::Cell;
use std::fmt::Write;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

use lockstep_vcd::{Error, Event, Probe, Rises, Sampler, Slice, Source, Stream, window};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Declares a clock, a vector, signals whose codes look like changes of the clock or end like it, a
/// real and a string.
fn header(clock: &str) -> String {
    let mut text = String::new();
    let codes = [
        (clock.to_owned(), "wire 1", "clk"),
        ("v".to_owned(), "reg 200", "vector"),
        (format!("1{clock}"), "reg 8", "like"),
        (format!("x{clock}"), "wire 1", "ending"),
        ("b".to_owned(), "reg 1", "b"),
        ("r".to_owned(), "real 64", "real"),
        ("$e".to_owned(), "string 1", "text"),
        ("longer_code".to_owned(), "reg 4", "longer"),
        ("on".to_owned(), "reg 4", "once"),
    ];
    for (code, kind, name) in codes {
        writeln!(text, "$var {kind} {code} {name} $end").unwrap();
    }
    text + "$enddefinitions $end\n"
}

struct Random(ChaCha8Rng);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0.next_u64() % end
    }
}

/// A valid dump of some thousand commands; `strange` of a thousand are written as tools do not.
fn dump(seed: u64, clock: &str, strange: u64) -> String {
    let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
    let mut text = header(clock);
    let mut time = random.below(20);
    writeln!(text, "b1010 on").unwrap();
    for command in 0..20_000 {
        if command == 500 {
            writeln!(text, "b1011 on").unwrap();
        }
        let odd = random.below(1000) < strange;
        let value = random.0.next_u64();
        let bit = value & 1;
        match random.below(8) {
            0..=1 if odd && bit == 0 => writeln!(text, "#{time}").unwrap(),
            0..=1 => {
                time += 1 + random.below(10);
                writeln!(text, "#{time}").unwrap();
            }
            2..=3 if odd => {
                let text_of_clock = [
                    format!("x{clock}"),
                    format!("b{bit} {clock}"),
                    format!("b{bit}\t{clock}"),
                    format!("b{bit}\n{clock}"),
                    format!("r1.5 {clock}"),
                    format!("{bit}{clock} 0{clock}"),
                    format!("  {bit}{clock}"),
                    format!("{bit}{clock}\r"),
                    format!("Z{clock}\n0{clock}\n{bit}{clock}"),
                    format!("$dumpall\n{bit}{clock}\n$end"),
                    format!("$dumpvars {bit}{clock} $end"),
                ];
                let place = random.below(text_of_clock.len() as u64) as usize;
                writeln!(text, "{}", text_of_clock[place]).unwrap();
            }
            2..=3 => writeln!(text, "{bit}{clock}").unwrap(),
            4 if odd => {
                let fooling = [
                    format!("$comment\n1{clock}\n#007\n0{clock}\n1{clock}\n$end"),
                    format!("$comment\n{bit}{clock}\n$end"),
                    format!("b101\n1{clock}"),
                    format!("sstring\n1{clock}"),
                    format!("r2.5\n1{clock}"),
                    format!("$unknown 1{clock} $end"),
                    format!("s#9 1{clock}"),
                    format!("s\u{e9}\n1{clock}"),
                    "\n\n".to_owned(),
                    format!("$comment $end {bit}{clock}"),
                ];
                let place = random.below(fooling.len() as u64) as usize;
                writeln!(text, "{}", fooling[place]).unwrap();
            }
            4 => writeln!(text, "b{value:b} 1{clock}", value = value & 0xff).unwrap(),
            5 => writeln!(text, "b{:b} v", u128::from(value) << random.below(60)).unwrap(),
            6 => writeln!(text, "{bit}x{clock}\n{bit}b\nr{bit} r").unwrap(),
            _ => writeln!(text, "s{value:x} $e\nb1 longer_code").unwrap(),
        }
    }
    text
}

fn scanned(text: &str, clock: &str) -> Vec<u64> {
    let mut dump = Slice::new(text.as_bytes()).unwrap();
    let clock = dump.header().find(clock).unwrap();
    let rises = Sampler::rising(clock).run(&mut dump, &[]).unwrap();
    rises.times().to_vec()
}

fn rises(text: &str, range: std::ops::RangeInclusive<u64>) -> Result<Rises, Error> {
    let mut dump = Stream::new(Cursor::new(text))?;
    let clock = dump.header().find("clk")?;
    dump.rises(clock, range, &[])
}

#[test]
fn a_pass_finds_the_rises_of_a_scan() {
    for (seed, strange) in [0, 0, 1, 2, 20, 20, 200, 200, 1000, 1000]
        .into_iter()
        .enumerate()
    {
        for clock in ["!", "h4", "#", "0", "abcde", "abcdef"] {
            let text = dump(seed as u64, clock, strange);
            let expected = scanned(&text, "clk");
            assert!(expected.len() > 300);
            let found = rises(&text, 0..=u64::MAX - 1).unwrap();
            assert_eq!(found.times, expected, "{clock} {seed}");
            assert_eq!(found.count, expected.len() as u64);
        }
    }
}

#[test]
fn rises_are_numbered_from_0_and_reading_stops_after_the_last_one() {
    let text = dump(7, "!", 2);
    let expected = scanned(&text, "clk");
    for start in [0, 1, 200, 499] {
        for end in [start, start + 1, start + 40] {
            let found = rises(&text, start..=end).unwrap();
            assert_eq!(found.times, expected[start as usize..=end as usize]);
            assert_eq!(found.count, end + 1);
        }
    }
    let most = expected.len() as u64;
    let found = rises(&text, most - 1..=most + 1).unwrap();
    assert_eq!((found.times.len(), found.count), (1, most));
    assert_eq!(rises(&text, most..=most).unwrap().times, [0; 0]);
}

#[test]
fn a_window_after_a_pass_is_that_of_a_scan() {
    for (seed, strange) in [0, 2, 200].into_iter().enumerate() {
        let text = dump(seed as u64, "!", strange).repeat_body(4);
        let mut slice = Slice::new(text.as_bytes()).unwrap();
        let header = slice.header().clone();
        let probes: Vec<Probe> = (0..header.variables().len())
            .filter_map(|index| Probe::variable(&header, index))
            // Not a real, in whose window NaN would differ from itself, nor one of long code.
            .filter(|probe| probe.variable_index() != 7)
            .collect();
        let clock = header.find("clk").unwrap();
        let all = scanned(&text, "clk");
        for number in [0, 30, all.len() / 2, all.len() - 3] {
            let mut stream = Stream::new(Cursor::new(&text)).unwrap();
            let numbers = number as u64..=number as u64 + 2;
            let times = stream.rises(clock, numbers, &probes).unwrap().times;
            let range = times[0]..=times[2];
            let found = stream.window(&probes, range.clone()).unwrap();
            slice.rewind();
            assert_eq!(
                found,
                window(&mut slice, &probes, range).unwrap(),
                "{number}"
            );
        }
    }
}

/// Counts the bytes that are read.
struct Counted<'r, R>(R, &'r Cell<u64>);

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.0.read(buffer)?;
        self.1.set(self.1.get() + length as u64);
        Ok(length)
    }
}

impl<R: Seek> Seek for Counted<'_, R> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.0.seek(place)
    }
}

#[test]
fn a_dump_is_read_once_and_a_window_after_that_does_not_go_back() {
    let text = dump(3, "!", 0).repeat_body(12);
    let length = text.len() as u64;
    let all = scanned(&text, "clk").len() as u64;
    let read = Cell::new(0);
    let mut stream = Stream::new(Counted(Cursor::new(&text), &read)).unwrap();
    let find = |path| stream.header().find(path).unwrap();
    let (clock, probes) = (find("clk"), [find("once"), find("vector")]);
    let times = stream
        .rises(clock, all - 5..=all - 3, &probes)
        .unwrap()
        .times;
    // The end of the dump is looked at before, for what does not change there.
    assert!(
        read.get() < length + (1 << 20),
        "{} of {length}",
        read.get()
    );
    read.set(0);
    let traces = stream.window(&probes, times[0]..=times[2]).unwrap();
    assert_eq!(traces[0].initial.as_ref().unwrap().to_u64(), Some(11));
    assert!(length > 4 << 20);
    assert!(read.get() < 1 << 20, "{} of {length}", read.get());
    // Without a note it goes back, and finds the same.
    let mut fresh = Stream::new(Cursor::new(&text)).unwrap();
    assert_eq!(fresh.window(&probes, times[0]..=times[2]).unwrap(), traces);
}

/// Makes dumps longer.
trait RepeatBody {
    /// The body again and again, with times that go on.
    fn repeat_body(&self, count: u64) -> String;
}

impl RepeatBody for String {
    fn repeat_body(&self, count: u64) -> String {
        let (header, body) = self.split_at(self.find("b1010 on").unwrap());
        let mut text = header.to_owned() + "b1010 on\n";
        for part in 0..count {
            for line in body.lines().skip(1) {
                match line.strip_prefix('#') {
                    // Within comments there are other times.
                    Some(time) if line != "#007" => {
                        let time: u64 = time.parse().unwrap();
                        writeln!(text, "#{}", time + part * 1_000_000).unwrap();
                    }
                    _ if part > 0 && line.ends_with(" on") => {}
                    _ => writeln!(text, "{line}").unwrap(),
                }
            }
        }
        text
    }
}

#[test]
fn a_tick_written_in_two_parts_is_one() {
    let body = "#0\n0!\n#5\n1!\n#5\n0!\n#6\n1!\n#7\n0!\n#9\n#9\n1!\n#10\n0!\n#10\n1!\n#010\n0!\n";
    let text = header("!") + body + &"b1 v\n".repeat(100);
    assert_eq!(scanned(&text, "clk"), [6, 9]);
    assert_eq!(rises(&text, 0..=9).unwrap().times, [6, 9]);
}

#[test]
fn a_fault_at_a_time_is_told_with_its_line() {
    let body = "#0\n0!\n#5\n1!\n".to_owned() + &"b1 v\n".repeat(100) + "#3\n0!\n#8\n1!\n";
    let text = header("!") + &body + &"b1 v\n".repeat(100);
    let line = text
        .find("#3")
        .map(|place| text[..place].lines().count() + 1);
    let error = rises(&text, 0..=9).unwrap_err().to_string();
    assert_eq!(
        error,
        format!(
            "[vcd] expected a time not below #5, found `3` (line {}, byte {})",
            line.unwrap(),
            text.find("#3").unwrap() + 1
        )
    );
}

/// What a comment looks like from its middle tells nothing of the dump: its last section has no `$end`.
#[test]
fn a_section_in_a_comment_is_none() {
    let body = "$comment\n#0\n$dumpvars\n0!\n$end\n#0\n$dumpvars\n0!\n";
    let text = header("!") + body;
    let mut stream = Stream::new(Cursor::new(text)).unwrap();
    let clock = stream.header().find("clk").unwrap();
    stream.rises(clock, 0..=9, &[clock]).unwrap();
    let mut values = 0;
    let read = stream.for_each(|event| values += u64::from(matches!(event, Event::Change(..))));
    read.unwrap();
    assert_eq!(values, 1);
}
