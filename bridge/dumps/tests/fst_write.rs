//! What is written as FST is what was read: by the own reader, by wellen, and by GTKWave's `fst2vcd` where that is
//! installed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::Command;

use lockstep_dumps::fst::Fst;
use lockstep_dumps::fst::write::{WriteError, convert, longest_texts, write};
use lockstep_vcd::{Probe, Slice, Source, Stream, Value, window};
use wellen::{SignalValueRef, VarType, simple};

/// Values of a variable from tick to tick, as digits; a real as its bits.
type Line = BTreeMap<u64, String>;

/// Every plain VCD of the corpus.
fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vcd");
    let mut all = Vec::new();
    for folder in fs::read_dir(root).expect("the corpus") {
        let folder = folder.expect("an entry").path();
        if !folder.is_dir() || folder.ends_with("malformed") || folder.ends_with("designs") {
            continue;
        }
        for file in fs::read_dir(folder).expect("a folder") {
            let file = file.expect("an entry").path();
            if file.extension().is_some_and(|end| end == "vcd") {
                all.push(file);
            }
        }
    }
    all.sort();
    assert!(all.len() > 25, "{}", all.len());
    all
}

/// A real with the 16 digits that the readers show.
fn real(value: f64) -> String {
    format!("{value:.15e}")
}

/// Digits of a value; of a text, so many of its characters.
fn digits(value: &Value, width: usize) -> String {
    match value {
        Value::Bits(bits) => format!("{bits:b}"),
        Value::Real(value) => real(*value),
        Value::Text(text) => {
            let bits: String = text.bytes().map(|byte| format!("{byte:08b}")).collect();
            format!("{bits:0>width$}")
        }
    }
}

/// Whether digits say that there is no value.
fn is_nothing(digits: &str) -> bool {
    digits.bytes().all(|digit| digit == b'x') || digits == real(f64::NAN)
}

/// Every variable by path, range and place among those of one name, with its values; triggers of events at their ticks.
fn lines(dump: &mut impl Source, longest: &[usize]) -> BTreeMap<String, Line> {
    let header = dump.header().clone();
    let count = header.variables().len();
    let probes: Vec<_> = (0..count)
        .map(|index| Probe::variable(&header, index).expect("a variable"))
        .collect();
    let traces = window(dump, &probes, 0..=u64::MAX).expect("a dump");
    let mut lines = BTreeMap::new();
    for (variable, trace) in header.variables().iter().zip(traces) {
        let longest = longest.get(variable.signal().index()).copied();
        let width = 8 * longest.unwrap_or(0);
        let mut line = Line::new();
        for (time, value) in &trace.changes {
            line.insert(*time, digits(value, width));
        }
        let range = match variable.range() {
            _ if width > 0 => format!("[{}:0]", width - 1),
            Some(range) => range.to_string(),
            None => String::new(),
        };
        let path = header.path(variable).replace(char::is_whitespace, "_");
        let key = format!("{path} {range}");
        let twice = (0..).map(|number| format!("{key} {number}"));
        let free = twice.into_iter().find(|key| !lines.contains_key(key));
        lines.insert(free.expect("a number"), line);
    }
    lines
}

/// Without what is no value, at the start.
fn changes(line: &Line) -> Vec<(u64, &str)> {
    let line = line.iter().map(|(time, digits)| (*time, digits.as_str()));
    line.skip_while(|(_, digits)| is_nothing(digits)).collect()
}

fn same(
    found: &BTreeMap<String, Line>,
    expected: &BTreeMap<String, Line>,
    factor: u64,
    what: &str,
) {
    let names = |lines: &BTreeMap<String, Line>| lines.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names(found), names(expected), "{what}");
    for (name, line) in expected {
        let expected: Vec<_> = changes(line);
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(time, value)| (factor * time, value))
            .collect();
        assert_eq!(changes(&found[name]), expected, "{what}: {name}");
    }
}

fn written(path: &Path) -> (Vec<u8>, Vec<usize>) {
    let mut dump = Stream::open(path).expect("a dump");
    let longest = longest_texts(&mut dump).expect("a dump");
    let mut dump = Stream::open(path).expect("a dump");
    let file = write(&mut dump, &longest, Cursor::new(Vec::new())).expect("written");
    (file.into_inner(), longest)
}

#[test]
fn the_own_reader_reads_what_was_written() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in corpus() {
        let (bytes, longest) = written(&path);
        let file = folder.path().join("dump.fst");
        fs::write(&file, bytes).expect("written");
        let mut fst = Fst::open(File::open(&file).expect("a file"), Default::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut dump = Stream::open(&path).expect("a dump");
        let expected = lines(&mut dump, &longest);
        let what = path.display().to_string();
        same(&lines(&mut fst, &[]), &expected, 1, &what);
        let (theirs, ours) = (fst.header().timescale(), dump.header().timescale());
        if let (Some(theirs), Some(ours)) = (theirs, ours) {
            assert_eq!(theirs.seconds(1), ours.seconds(1), "{what}");
        }
    }
}

#[test]
fn fst2vcd_reads_what_was_written() {
    if Command::new("fst2vcd").arg("--help").output().is_err() {
        eprintln!("skipped: fst2vcd not found; install GTKWave (Debian: gtkwave)");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for path in corpus() {
        if path.ends_with("header_order.vcd") {
            // Its last tick is beyond what fst2vcd counts.
            continue;
        }
        let (bytes, longest) = written(&path);
        let file = folder.path().join("dump.fst");
        fs::write(&file, bytes).expect("written");
        let ran = Command::new("fst2vcd").arg(&file).output().expect("run");
        assert!(ran.status.success());
        let mut back = Slice::new(&ran.stdout).expect("a VCD");
        let expected = lines(&mut Stream::open(&path).expect("a dump"), &longest);
        same(
            &lines(&mut back, &[]),
            &expected,
            1,
            &path.display().to_string(),
        );
    }
}

#[test]
fn wellen_reads_what_was_written() {
    let mut values = 0;
    for path in corpus() {
        let (bytes, longest) = written(&path);
        let mut wave = simple::read_from_reader(Cursor::new(bytes)).expect("an FST file");
        let expected = lines(&mut Stream::open(&path).expect("a dump"), &longest);
        let vars: Vec<_> = wave
            .hierarchy()
            .all_vars()
            .map(|var| {
                let hierarchy = wave.hierarchy();
                let var = &hierarchy[var];
                let event = var.var_type() == VarType::Event;
                (var.full_name(hierarchy), var.signal_ref(), event)
            })
            .collect();
        let signals: Vec<_> = vars.iter().map(|(_, signal, _)| *signal).collect();
        wave.load_signals(&signals);
        // Elements of one bit are joined there, whatever their names begin with.
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.starts_with("memories")) && vars.len() < expected.len() {
            continue;
        }
        assert_eq!(vars.len(), expected.len(), "{}", path.display());
        let times = wave.time_table().to_vec();
        for (name, signal, event) in &vars {
            let signal = wave.get_signal(*signal).expect("loaded");
            let mut line = Line::new();
            let mut last = String::new();
            for (index, value) in signal.iter_changes() {
                let digits = match value {
                    SignalValueRef::Event => "1".to_owned(),
                    SignalValueRef::Real(value) => real(value),
                    // A value of the own reader has four states.
                    value => value
                        .to_bit_string()
                        .expect("bits")
                        .replace(['u', 'w', '-'], "x")
                        .replace('h', "1")
                        .replace('l', "0"),
                };
                if *event || digits != last {
                    line.insert(times[index as usize], digits.clone());
                }
                last = digits;
            }
            if *event {
                // That there is no value yet is a trigger there.
                line.insert(0, String::new());
            }
            // Names are cut there at every dot, and elements of arrays are in scopes.
            let mut same = expected.values().map(|expected| {
                let mut expected = expected.clone();
                if *event {
                    expected.insert(0, String::new());
                }
                expected
            });
            values += line.len();
            let what = format!("{}: {name}", path.display());
            assert!(
                same.any(|expected| changes(&expected) == changes(&line)),
                "{what}: {line:?}"
            );
        }
    }
    assert!(values > 3000, "{values}");
}

/// Blocks of changes follow each other where they are large; a time scale that FST does not have is multiplied.
#[test]
fn large_dumps_and_other_time_scales() {
    let mut text = String::from(
        "$timescale 5 ns $end $var wire 20000 w w $end $var wire 8 w low [7:0] $end $var event 1 e e $end \
         $enddefinitions $end\n",
    );
    for time in 1..2000_u32 {
        text += &format!("#{time}\nbx{time:0>19999b} w\n1e\n1e\n");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("a.vcd"), folder.path().join("a.fst"));
    fs::write(&from, &text).expect("written");
    convert(&from, File::create(&to).expect("a file")).expect("converted");
    let mut fst = Fst::open(File::open(&to).expect("a file"), Default::default()).expect("FST");
    assert!(fst.block_before(9000) > 0, "one block");
    let expected = lines(&mut Slice::new(text.as_bytes()).expect("a dump"), &[]);
    same(&lines(&mut fst, &[]), &expected, 5, "blocks");
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("a.vcd");
    let to = || File::create(folder.path().join("a.fst")).expect("a file");
    fs::write(
        &from,
        "$var wire 1 ! a $end $enddefinitions $end\n#1\n1!\nnonsense",
    )
    .expect("written");
    assert!(matches!(convert(&from, to()), Err(WriteError::Dump(_))));
    fs::write(
        &from,
        "$timescale 3 ns $end $var wire 1 ! a $end $enddefinitions $end\n#18446744073709551615\n1!\n",
    )
    .expect("written");
    let error = convert(&from, to()).expect_err("too large");
    assert!(matches!(error, WriteError::Time(..)), "{error}");
}

#[test]
fn a_variable_has_values_of_the_form_that_it_is_declared_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("a.vcd");
    for (kind, value, expected, found) in [
        ("wire 64", "r1.5 !", "bits", "reals"),
        ("parameter 64", "r1.5 !", "bits", "reals"),
        ("real 64", "b101 !", "reals", "bits"),
        ("real 64", "sabc !", "reals", "strings"),
        ("string 8", "b1 !", "strings", "bits"),
    ] {
        let text = format!(
            "$scope module t $end $var {kind} ! x $end $upscope $end $enddefinitions $end\n#0\n{value}\n#5\n"
        );
        fs::write(&from, text).expect("written");
        let to = File::create(folder.path().join("a.fst")).expect("a file");
        let error = convert(&from, to).expect_err("another form").to_string();
        let start = format!("expected {expected} of `t.x`, as it is declared, found {found};");
        assert!(error.starts_with(&start), "{kind}: {error}");
    }
}
