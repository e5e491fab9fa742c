//! Dumps of real tools: this crate, wellen and the `vcd` crate must read the same out of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lockstep_vcd::{Bits, Event, Slice, Source, Stream, ValueRef, VarKind};

/// All dumps of the corpus.
pub fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(lockstep_vcd_tests::dumps())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .flat_map(|path| {
            fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().path())
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "vcd"))
        .collect();
    files.sort();
    files
}

/// Those that are well formed.
fn dumps() -> Vec<PathBuf> {
    let mut dumps = files();
    dumps.retain(|path| !path.starts_with(lockstep_vcd_tests::dumps().join("malformed")));
    assert!(dumps.len() >= 10, "the corpus is incomplete: {dumps:?}");
    dumps
}

/// A change as `time code value`, the value at full width in lower case.
type Changes = Vec<(u64, String, String)>;

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Bits(bits) => format!("{:b}", bits.to_bits()),
        ValueRef::Real(real) => format!("r{real:?}"),
        ValueRef::Text(text) => format!("s{}", String::from_utf8_lossy(text)),
    }
}

/// The codes of a dump's signals and their widths, in the order of declaration. A joined signal has
/// none.
fn codes(text: &[u8]) -> Vec<(String, u32)> {
    let text = String::from_utf8_lossy(text);
    let declarations = text.split("$enddefinitions").next().unwrap();
    let mut codes = Vec::new();
    for variable in declarations.split("$var").skip(1) {
        let mut words = variable.split_whitespace();
        let is_event = words.next() == Some("event");
        let width: u32 = words.next().unwrap().parse().unwrap();
        let width = if is_event { 1 } else { width };
        let code = words.next().unwrap().to_owned();
        match codes.iter_mut().find(|(other, _)| *other == code) {
            Some((_, widest)) => *widest = width.max(*widest),
            None => codes.push((code, width)),
        }
    }
    codes
}

fn our_changes(source: &mut impl Source, text: &[u8]) -> Changes {
    let codes = codes(text);
    let (mut changes, mut now) = (Changes::new(), 0);
    source
        .for_each(|event| match event {
            Event::Time(time) => now = time,
            Event::Change(signal, value) => {
                if let Some((code, _)) = codes.get(signal.index()) {
                    changes.push((now, code.clone(), shown(value)));
                }
            }
            _ => {}
        })
        .unwrap();
    changes
}

/// Digits at the width of the signal, in the four states.
fn extended(digits: &str, width: u32) -> String {
    let digits = digits.to_lowercase();
    let above = digits.len().saturating_sub(width as usize);
    let digits = match digits[..above].bytes().all(|digit| digit == b'0') {
        true => digits[above..].to_owned(),
        false => digits,
    };
    let bits = lockstep_vcd::BitsRef::new(digits.as_bytes(), width);
    bits.map_or(digits.clone(), |bits| format!("{:b}", bits.to_bits()))
}

#[test]
fn slice_and_stream_read_the_same() {
    for path in dumps() {
        let text = fs::read(&path).unwrap();
        let expected = our_changes(&mut Slice::new(&text).unwrap(), &text);
        assert_eq!(
            our_changes(&mut Stream::open(&path).unwrap(), &text),
            expected,
            "{path:?}"
        );
        // Windows of one byte and of odd sizes cut every token somewhere.
        for size in [1, 2, 7, 61] {
            let mut stream = Stream::new(Drops { text: &text, size }).unwrap();
            assert_eq!(
                our_changes(&mut stream, &text),
                expected,
                "{path:?} in pieces of {size}"
            );
        }
    }
}

/// Gives a few bytes at a time, like a slow pipe.
struct Drops<'a> {
    text: &'a [u8],
    size: usize,
}

impl std::io::Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = self.size.min(buffer.len());
        std::io::Read::read(&mut self.text, &mut buffer[..size])
    }
}

/// Why another library does not read some dumps, and which.
type Exception = (&'static str, &'static [&'static str]);

/// What the `vcd` crate 0.7 does not read.
const NOT_FOR_VCD: &[Exception] = &[
    ("what is not UTF-8 is an error", &["loose/latin_1.vcd"]),
    (
        "a last line without its end is an error",
        &["loose/no_line_feed_at_the_end.vcd"],
    ),
    (
        "two indices after white space are an error",
        &["loose/elements_apart.vcd"],
    ),
    (
        "a byte order mark is an error",
        &[
            "loose/byte_order_mark.vcd",
            "loose/byte_order_mark_comment.vcd",
            "loose/byte_order_mark_crlf.vcd",
            "loose/byte_order_mark_no_space.vcd",
            "loose/byte_order_mark_split.vcd",
        ],
    ),
    (
        "the further states of VHDL are an error",
        &[
            "ghdl-2.0/bus.vcd",
            "ghdl-2.0/kinds.vcd",
            "ghdl-5.0/bus.vcd",
            "gtkwave-3.3.121/bus.vcd",
        ],
    ),
    (
        "an escaped name with blanks is an error",
        &[
            "ghdl-2.0/tree.vcd",
            "ghdl-5.0/kinds.vcd",
            "ghdl-5.0/tree.vcd",
            "gtkwave-3.3.118/kinds.vcd",
        ],
    ),
    (
        "a command that ends with the file is an error",
        &["loose/end_without_a_line_feed.vcd"],
    ),
    (
        "the scope types of VHDL are an error",
        &["hand/gtkwave.vcd"],
    ),
    ("an unknown section is an error", &["hand/header_order.vcd"]),
    (
        "`$enddefinitions` without `$end` is an error",
        &["hand/missing_end.vcd"],
    ),
    ("an empty string is an error", &["pyvcd-0.5.1/writer.vcd"]),
    (
        "scopes of type `struct` are an error",
        &["verilator-5.006/hierarchy.vcd"],
    ),
    (
        "an empty string takes the next word",
        &[
            "gtkwave-3.3.118/writer.vcd",
            "loose/escapes_and_events.vcd",
            "loose/escapes_of_quotes.vcd",
        ],
    ),
    (
        "indices of elements apart are an error",
        &[
            "loose/elements_in_scopes.vcd",
            "loose/elements_negative.vcd",
            "loose/elements_one_bit.vcd",
        ],
    ),
];

#[test]
fn the_vcd_crate_reads_the_same_changes() {
    none_differs(|path| {
        let text = fs::read(path).unwrap();
        let mut slice = Slice::new(&text).unwrap();
        let widths = codes(&text).into_iter().collect();
        let ours = our_changes(&mut slice, &text);
        let theirs = vcd_changes(&text, &widths).map_err(|error| error.to_string());
        compare(path, NOT_FOR_VCD, theirs, |theirs| {
            let mut both = ours.iter().zip(&theirs);
            match both.find(|(our, their)| our != their) {
                Some((our, their)) => Err(format!("{our:?} is {their:?}")),
                None if ours.len() != theirs.len() => {
                    Err(format!("{} changes are {}", ours.len(), theirs.len()))
                }
                None => Ok(()),
            }
        })
    });
}

/// Compares all dumps, and lists all that differ.
fn none_differs(compare: impl Fn(&Path) -> Result<(), String>) {
    let dumps = dumps();
    let faults = dumps.iter().filter_map(|path| compare(path).err());
    let faults = faults.collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{faults}");
}

/// Compares with what another library read, which must be an error just for the exceptions.
fn compare<T>(
    path: &Path,
    exceptions: &[Exception],
    theirs: Result<T, String>,
    same: impl FnOnce(T) -> Result<(), String>,
) -> Result<(), String> {
    let is_this = |name: &&str| path.ends_with(name);
    let exception = exceptions
        .iter()
        .find(|(_, names)| names.iter().any(is_this));
    let result = match (theirs.and_then(same), exception) {
        (result, None) => result,
        (Ok(()), Some((reason, _))) => Err(format!("is no exception any more: {reason}")),
        (Err(_), Some(_)) => Ok(()),
    };
    result.map_err(|error| format!("{}: {error}", path.display()))
}

fn vcd_changes(text: &[u8], widths: &BTreeMap<String, u32>) -> Result<Changes, std::io::Error> {
    let mut parser = vcd::Parser::new(text);
    parser.parse_header()?;
    let (mut changes, mut now) = (Changes::new(), 0);
    for command in parser {
        let (code, value) = match command? {
            vcd::Command::Timestamp(time) => {
                now = time;
                continue;
            }
            vcd::Command::ChangeScalar(id, value) => (id, value.to_string()),
            vcd::Command::ChangeVector(id, value) => (id, value.to_string()),
            vcd::Command::ChangeReal(id, value) => (id, format!("r{value:?}")),
            vcd::Command::ChangeString(id, value) => (id, format!("s{value}")),
            _ => continue,
        };
        let code = code.to_string();
        let value = match value.starts_with(['r', 's']) {
            true => value,
            false => extended(&value, widths[&code]),
        };
        changes.push((now, code, value));
    }
    Ok(changes)
}

/// wellen 0.25 panics at split vectors of which not all bits take the same states, which `split.rs` compares with
/// another reader, and at digits above the width.
const PANICS: &str = "it panics";

/// What wellen 0.25 does not read.
const NOT_FOR_WELLEN: &[Exception] = &[
    ("what is not UTF-8 is one character", &["loose/latin_1.vcd"]),
    (
        "a byte order mark is an error",
        &[
            "loose/byte_order_mark.vcd",
            "loose/byte_order_mark_comment.vcd",
            "loose/byte_order_mark_crlf.vcd",
            "loose/byte_order_mark_no_space.vcd",
            "loose/byte_order_mark_split.vcd",
        ],
    ),
    (
        "a CR LF between number and unit of the time scale is an error",
        &["hand/crlf.vcd"],
    ),
    ("an unknown section is an error", &["hand/header_order.vcd"]),
    (
        "`$enddefinitions` without `$end` is an error",
        &["hand/missing_end.vcd"],
    ),
    (
        "changes on the line of `$enddefinitions` are not seen",
        &["hand/one_line.vcd"],
    ),
    (
        PANICS,
        &[
            "gtkwave-3.3.118/pieces.vcd",
            "gtkwave-3.3.118/questa.vcd",
            "gtkwave-3.3.118/vcs.vcd",
            "gtkwave-3.3.121/questa.vcd",
            "loose/zeros_above_the_width.vcd",
            "loose/zeros_in_capitals.vcd",
            "loose/zeros_of_a_time.vcd",
            "loose/zeros_of_a_wide_one.vcd",
            "loose/zeros_of_bits.vcd",
            "split/gtkwave.vcd",
            "split/mixed.vcd",
            "split/pieces.vcd",
            "split/questa.vcd",
            "split/riviera.vcd",
            "split/vcs.vcd",
        ],
    ),
    (
        "an escaped byte is a character of Latin-1",
        &["loose/escapes_of_bytes.vcd"],
    ),
];

#[test]
fn wellen_reads_the_same_names_and_values() {
    none_differs(|path| {
        let mut ours = our_values(&fs::read(path).unwrap());
        compare(path, NOT_FOR_WELLEN, wellen_values(path), |mut theirs| {
            // It takes the end of the escaped name `\flags[0]` for an index.
            ours.retain(|name, _| !name.contains(".flags"));
            theirs.retain(|name, _| !name.contains(".flags"));
            let differing = ours
                .iter()
                .find(|(name, values)| theirs.get(*name) != Some(*values));
            match differing {
                Some((name, values)) => {
                    Err(format!("{name}: {values:?} is {:?}", theirs.get(name)))
                }
                None if ours.len() != theirs.len() => {
                    Err(format!("{} variables are {}", ours.len(), theirs.len()))
                }
                None => Ok(()),
            }
        })
    });
}

/// For each variable the times and values that it takes, without repetitions.
type Values = BTreeMap<String, Vec<(u64, String)>>;

fn push(values: &mut Vec<(u64, String)>, time: u64, value: String) {
    // Of several values in a tick the last one is what is left.
    if values.last().is_some_and(|(last, _)| *last == time) {
        values.pop();
    }
    if values.last().is_none_or(|(_, last)| *last != value) {
        values.push((time, value));
    }
}

/// Enters a trigger of an event, once a tick.
fn trigger(values: &mut Vec<(u64, String)>, time: u64) {
    if values.last().is_none_or(|(last, _)| *last != time) {
        values.push((time, "1".to_owned()));
    }
}

fn our_values(text: &[u8]) -> Values {
    let mut slice = Slice::new(text).unwrap();
    let header = slice.header().clone();
    let variables = header.variables().iter();
    let events: Vec<_> = variables
        .filter(|variable| variable.kind() == VarKind::Event)
        .map(lockstep_vcd::Variable::signal)
        .collect();
    let mut by_signal = vec![Vec::new(); header.signal_count()];
    let mut now = 0;
    slice
        .for_each(|event| match event {
            Event::Time(time) => now = time,
            // wellen sees a trigger in every change.
            Event::Change(signal, _) if events.contains(&signal) => {
                trigger(&mut by_signal[signal.index()], now);
            }
            Event::Change(signal, value) => {
                let values = &mut by_signal[signal.index()];
                match value {
                    ValueRef::Text(_) => push(values, now, format!("s{}", value.to_value())),
                    _ => push(values, now, shown(value)),
                }
            }
            _ => {}
        })
        .unwrap();
    let named = header.variables().iter();
    named
        .map(|v| (name(&header.path(v)), by_signal[v.signal().index()].clone()))
        .collect()
}

/// A name as both libraries can be compared by. wellen keeps backslashes and shows elements of
/// arrays as scopes, and takes the end of the escaped name `\escaped.name[3]` for an index.
fn name(path: &str) -> String {
    path.replace('\\', "")
        .replace(".[", "[")
        .replace("escaped.name[3]", "escaped.name")
}

fn wellen_values(path: &Path) -> Result<Values, String> {
    let read = std::panic::catch_unwind(|| wellen_values_or_panic(path));
    read.unwrap_or_else(|_| Err(PANICS.to_owned()))
}

fn wellen_values_or_panic(path: &Path) -> Result<Values, String> {
    let mut dump = wellen::simple::read(path).map_err(|error| error.to_string())?;
    let variables: Vec<_> = dump
        .hierarchy()
        .all_vars()
        .map(|reference| {
            let variable = &dump.hierarchy()[reference];
            (variable.full_name(dump.hierarchy()), variable.signal_ref())
        })
        .collect();
    let signals: Vec<_> = variables.iter().map(|(_, signal)| *signal).collect();
    dump.load_signals(&signals);
    let times = dump.time_table().to_vec();
    let mut all = Values::new();
    for (full_name, signal) in variables {
        let mut values = Vec::new();
        for (index, value) in dump.get_signal(signal).unwrap().iter_changes() {
            let value = match value {
                wellen::SignalValueRef::Real(real) => format!("r{real:?}"),
                wellen::SignalValueRef::String(text) => format!("s{text}"),
                wellen::SignalValueRef::Event => {
                    trigger(&mut values, times[index as usize]);
                    continue;
                }
                bits => {
                    let digits = bits.to_bit_string().unwrap();
                    extended(&digits, digits.len() as u32)
                }
            };
            push(&mut values, times[index as usize], value);
        }
        all.insert(name(&full_name), values);
    }
    // No value at all means that changes were not seen.
    if all.values().all(Vec::is_empty) {
        return Err("no changes".to_owned());
    }
    Ok(all)
}

#[test]
fn every_variable_is_found_by_its_path() {
    for path in dumps() {
        let text = fs::read(&path).unwrap();
        let slice = Slice::new(&text).unwrap();
        let header = slice.header();
        for variable in header.variables() {
            let path = header.path(variable);
            let alone = header.variables().iter().filter(|v| header.path(v) == path);
            let range = match (variable.range(), alone.count()) {
                (Some(range), 2..) => range.to_string(),
                _ => String::new(),
            };
            let probe = header.find(&(path + &range)).unwrap();
            let found = &header.variables()[probe.variable_index()];
            assert_eq!(header.path(found), header.path(variable));
        }
    }
}

#[test]
fn bits_survive_a_round_trip_through_their_digits() {
    for path in dumps() {
        let text = fs::read(&path).unwrap();
        for (_, _, value) in our_changes(&mut Slice::new(&text).unwrap(), &text) {
            if let Some(borrowed) = lockstep_vcd::BitsRef::new(value.as_bytes(), value.len() as u32)
            {
                let bits: Bits = borrowed.to_bits();
                assert_eq!(format!("{bits:b}"), extended(&value, bits.width()));
                assert_eq!(bits.to_u64(), borrowed.to_u64());
            }
        }
    }
}
