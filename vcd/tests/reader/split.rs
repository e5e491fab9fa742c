//! Vectors written bit by bit: what they are joined to, and that every bit has its values. Read a
//! second time by a reader of a few lines that knows bits alone.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::PathBuf;

use lockstep_vcd::{
    BitsRef, Event, Header, Probe, Sampler, Slice, Source, Stream, Ticks, ValueRef, window,
};

fn folder() -> PathBuf {
    lockstep_vcd_tests::dumps().join("split")
}

fn dumps() -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 7, "the corpus is incomplete: {paths:?}");
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    paths.into_iter().map(read).collect()
}

/// For each path and index of a bit, the times and digits that it takes, without repetitions.
type Bits = BTreeMap<(String, i64), Vec<(u64, char)>>;

fn push(values: &mut Vec<(u64, char)>, time: u64, digit: char) {
    if values.last().is_some_and(|(last, _)| *last == time) {
        values.pop();
    }
    if values.last().is_none_or(|(_, last)| *last != digit) {
        values.push((time, digit));
    }
}

/// The bits of a dump, by its words.
fn words(text: &str) -> Bits {
    let mut words = text.split_whitespace();
    let mut scopes = Vec::new();
    let mut named: BTreeMap<&str, Vec<(String, Vec<i64>)>> = BTreeMap::new();
    while let Some(word) = words.next() {
        let section: Vec<_> = words.by_ref().take_while(|word| *word != "$end").collect();
        match word {
            "$scope" => scopes.push(section[1]),
            "$upscope" => drop(scopes.pop()),
            "$enddefinitions" => break,
            "$var" => {
                let width: i64 = section[1].parse().unwrap();
                let name = section[3..].concat();
                let range = name
                    .strip_suffix(']')
                    .and_then(|name| name.rsplit_once('['));
                let range = range.map(|(name, range)| {
                    let (msb, lsb) = range.split_once(':').unwrap_or((range, range));
                    (
                        name,
                        msb.parse::<i64>().unwrap(),
                        lsb.parse::<i64>().unwrap(),
                    )
                });
                let (name, indices): (_, Vec<i64>) = match range {
                    Some((name, msb, lsb)) if msb >= lsb && msb - lsb + 1 == width => {
                        (name, (lsb..=msb).rev().collect())
                    }
                    Some((name, msb, lsb)) if lsb - msb + 1 == width => {
                        (name, (msb..=lsb).collect())
                    }
                    _ => (&*name, (0..width).rev().collect()),
                };
                let path = scopes.iter().chain([&name]).copied().collect::<Vec<_>>();
                let of_code = named.entry(section[2]).or_default();
                of_code.push((path.join("."), indices));
            }
            _ => {}
        }
    }
    let (mut bits, mut now) = (Bits::new(), 0);
    while let Some(word) = words.next() {
        let (digits, code) = match word.split_at(1) {
            ("#", time) => {
                now = time.parse().unwrap();
                continue;
            }
            ("$", _) => continue,
            ("b", digits) => (digits, words.next().unwrap()),
            scalar => scalar,
        };
        for (path, indices) in &named[code] {
            let first = digits.chars().next().unwrap();
            let fill = if first == '1' { '0' } else { first };
            let extended = std::iter::repeat_n(fill, indices.len() - digits.len());
            for (index, digit) in indices.iter().zip(extended.chain(digits.chars())) {
                push(bits.entry((path.clone(), *index)).or_default(), now, digit);
            }
        }
    }
    bits
}

/// The same, as this crate reads them.
fn read(source: &mut impl Source) -> Bits {
    let header = source.header().clone();
    let (mut bits, mut now) = (Bits::new(), 0);
    source
        .for_each(|event| match event {
            Event::Time(time) => now = time,
            Event::Change(signal, ValueRef::Bits(value)) => {
                let digits = format!("{:b}", value.to_bits());
                for variable in header.variables().iter().filter(|v| v.signal() == signal) {
                    for (index, digit) in indices(variable).into_iter().zip(digits.chars()) {
                        push(
                            bits.entry((header.path(variable), index)).or_default(),
                            now,
                            digit,
                        );
                    }
                }
            }
            _ => {}
        })
        .unwrap();
    bits
}

fn indices(variable: &lockstep_vcd::Variable) -> Vec<i64> {
    match variable.range() {
        Some(range) if range.msb < range.lsb => (range.msb..=range.lsb).collect(),
        Some(range) => (range.lsb..=range.msb).rev().collect(),
        None => (0..i64::from(variable.width())).rev().collect(),
    }
}

/// No value yet and x are the same: a joined vector has a value when one of its bits has.
fn without_x_at_first(bits: Bits) -> Bits {
    let known = |(bit, mut values): (_, Vec<(u64, char)>)| {
        if values.first().is_some_and(|(_, digit)| *digit == 'x') {
            values.remove(0);
        }
        (bit, values)
    };
    bits.into_iter().map(known).collect()
}

#[test]
fn every_bit_has_its_values() {
    for (path, text) in dumps() {
        let expected = without_x_at_first(words(&text));
        assert!(expected.len() > 140, "{path:?}");
        let slice = read(&mut Slice::new(text.as_bytes()).unwrap());
        assert_eq!(without_x_at_first(slice), expected, "{path:?}");
        let stream = read(&mut Stream::new(text.as_bytes()).unwrap());
        assert_eq!(without_x_at_first(stream), expected, "{path:?}");
    }
}

#[test]
fn every_form_has_the_vectors_of_the_whole() {
    let names = |text: &str| {
        let dump = Slice::new(text.as_bytes()).unwrap();
        let header = dump.header().clone();
        let of = |v: &lockstep_vcd::Variable| (header.path(v), v.width());
        let mut names: Vec<_> = header.variables().iter().map(of).collect();
        names.sort();
        names
    };
    let whole = names(&fs::read_to_string(folder().join("whole.vcd")).unwrap());
    assert_eq!(whole.len(), 10);
    for (path, text) in dumps() {
        assert_eq!(names(&text), whole, "{path:?}");
    }
}

fn header(declarations: &str) -> std::sync::Arc<Header> {
    let text = format!("{declarations} $enddefinitions $end\n");
    Slice::new(text.as_bytes()).unwrap().header().clone()
}

/// The variables of some, each as `kind width name`, separated by commas.
fn joined(variables: &str) -> Vec<String> {
    let of = |(place, variable): (usize, &str)| {
        let mut words = variable.split_whitespace();
        let (kind, width) = (words.next().unwrap(), words.next().unwrap());
        let name: Vec<_> = words.collect();
        format!("$var {kind} {width} c{place} {} $end ", name.join(" "))
    };
    let text: String = variables.split(',').enumerate().map(of).collect();
    let header = header(&text);
    let shown = |v: &lockstep_vcd::Variable| {
        let range = v
            .range()
            .map_or_else(String::new, |range| range.to_string());
        format!("{}{range}", v.name())
    };
    header.variables().iter().map(shown).collect()
}

#[test]
fn what_makes_one_range_is_one_vector() {
    for (variables, expected) in [
        ("wire 1 q [1], wire 1 q [0]", &["q[1:0]"][..]),
        ("wire 1 q [0], wire 1 q [1]", &["q[1:0]"]),
        ("wire 1 q[0], wire 1 q[1]", &["q[1:0]"]),
        ("wire 1 q[0], wire 1 q [1]", &["q[1:0]"]),
        ("wire 1 q [-1], wire 1 q [0]", &["q[0:-1]"]),
        ("wire 4 q [7:4], wire 4 q [3:0]", &["q[7:0]"]),
        ("wire 4 q [0:3], wire 4 q [4:7]", &["q[0:7]"]),
        ("wire 4 q [0:3], wire 1 q [4]", &["q[0:4]"]),
        ("wire 1 q [1], wire 1 a, wire 1 q [0]", &["q[1:0]", "a"]),
        ("wire 1 m[1] [1], wire 1 m[1] [0]", &["m[1][1:0]"]),
        ("wire 1 m[1][1], wire 1 m[1][0]", &["m[1][1:0]"]),
        ("wire 1 \\a.b [1], wire 1 \\a.b [0]", &["a.b[1:0]"]),
        // Declared twice, they are two vectors.
        (
            "wire 1 q [1], wire 1 q [0], wire 1 q [1], wire 1 q [0]",
            &["q[1:0]", "q[1:0]"],
        ),
        // Of what has gaps, the parts that have none.
        (
            "wire 1 q [7], wire 1 q [6], wire 1 q [4], wire 1 q [3]",
            &["q[7:6]", "q[4:3]"],
        ),
        ("wire 1 q[7], wire 1 q[6], wire 1 q[2]", &["q[7:6]", "q[2]"]),
    ] {
        assert_eq!(joined(variables), expected, "{variables}");
    }
}

#[test]
fn what_does_not_is_left_as_it_is() {
    for (variables, expected) in [
        ("wire 1 q [3]", &["q[3]"][..]),
        ("wire 1 q[3]", &["q[3]"]),
        ("wire 1 q [3], wire 1 q [1]", &["q[3]", "q[1]"]),
        // Other kinds and scopes.
        ("wire 1 q [1], reg 1 q [0]", &["q[1]", "q[0]"]),
        // Bits of a vector that is there as well.
        (
            "wire 2 q [1:0], wire 1 q [1], wire 1 q [0]",
            &["q[1:0]", "q[1]", "q[0]"],
        ),
        ("wire 2 q [2:1], wire 2 q [1:0]", &["q[2:1]", "q[1:0]"]),
        // Both directions.
        ("wire 2 q [3:2], wire 2 q [0:1]", &["q[3:2]", "q[0:1]"]),
        // Elements of an array.
        ("wire 8 m[0], wire 8 m[1]", &["m[0]", "m[1]"]),
        ("wire 8 m [0], wire 8 m [1]", &["m[0]", "m[1]"]),
        (
            "wire 2 m[0][1:0], wire 2 m[1][1:0]",
            &["m[0][1:0]", "m[1][1:0]"],
        ),
        ("wire 1 \\m[0] , wire 1 \\m[1] ", &["m[0]", "m[1]"]),
        ("real 1 r[0], real 1 r[1]", &["r[0]", "r[1]"]),
        ("real 1 r [0], real 1 r [1]", &["r[0]", "r[1]"]),
        ("event 1 e [0], event 1 e [1]", &["e[0]", "e[1]"]),
        ("string 1 s [0], string 1 s [1]", &["s[0]", "s[1]"]),
        // Too wide to stay in memory, and more bits than a variable may have.
        (
            "wire 5000 q [9999:5000], wire 5000 q [4999:0]",
            &["q[9999:5000]", "q[4999:0]"],
        ),
        (
            "wire 16777216 q [16777215:0], wire 1 q [16777216]",
            &["q[16777215:0]", "q[16777216]"],
        ),
    ] {
        assert_eq!(joined(variables), expected, "{variables}");
    }
}

const SCOPES: &str = "$scope module a $end $var wire 1 ! q [1] $end $upscope $end \
    $scope module a $end $var wire 1 \" q [0] $end $upscope $end \
    $scope module b $end $var wire 1 ! q [1] $end $var wire 1 \" q [0] $end $upscope $end ";

#[test]
fn scopes_that_are_opened_again_are_one_and_others_are_not() {
    let header = header(SCOPES);
    let paths: Vec<_> = header.variables().iter().map(|v| header.path(v)).collect();
    assert_eq!(paths, ["a.q", "b.q"]);
    // Of the same codes they are the same signal.
    let signals: Vec<_> = header.variables().iter().map(|v| v.signal()).collect();
    assert_eq!(signals[0], signals[1]);
    assert_eq!(header.signal_count(), 3);
}

#[test]
fn vectors_and_their_bits_are_found() {
    let header = header(
        "$scope module t $end $var wire 1 a f[0] $end $var wire 1 b f[1] $end \
         $var wire 4 c q [7:4] $end $var wire 4 d q [3:0] $end \
         $var wire 1 e g [5] $end $var wire 1 f g [4] $end $var wire 1 h g [2] $end \
         $var wire 2 m mem [1][1:0] $end $upscope $end",
    );
    for (path, width) in [
        ("f", 2),
        ("f[1]", 1),
        ("t.f[1:0]", 2),
        ("q", 8),
        ("t.q[6:5]", 2),
        ("q[5:2]", 4),
        ("t.g[5]", 1),
        ("g[5:4]", 2),
        ("g[2]", 1),
        ("mem[1]", 2),
        ("mem [1]", 2),
        ("mem[1][0]", 1),
    ] {
        assert_eq!(header.find(path).unwrap().width(&header), width, "{path}");
    }
    let message = |path: &str| header.find(path).unwrap_err().to_string();
    assert_eq!(
        message("g"),
        "[vcd] expected one variable `g`, found several; there is `t.g[5:4]`, `t.g[2]`"
    );
    assert_eq!(
        message("f[2]"),
        "[vcd] expected bits of `t.f` within [1:0], found [2]"
    );
}

/// Bits 0 to 3 of `q`, and a clock; q[3] is written once, and q[0] is another name of the clock.
fn counting(ticks: u64) -> String {
    let mut text = String::from(
        "$var wire 1 ! clk $end $var wire 1 c q [3] $end $var wire 1 b q [2] $end \
         $var wire 1 a q [1] $end $var wire 1 ! q [0] $end $enddefinitions $end\n#0\n1c\n",
    );
    for tick in 0..ticks {
        text += &format!("#{}\n{}!\n", 10 * tick, tick % 2);
        if tick % 2 == 0 {
            text += &format!("{}a\n", tick / 2 % 2);
        }
        if tick % 500 == 0 {
            text += &format!("{}b\n", tick / 500 % 2);
        }
    }
    text
}

#[test]
fn seeking_finds_what_a_scan_finds() {
    let text = counting(40_000);
    for paths in [
        &["q"][..],
        &["q", "clk", "q[3]", "q[2:1]"],
        &["q[0]", "q[3:1]"],
    ] {
        for range in [0..=5, 20..=20, 123_456..=123_500, 399_980..=400_000] {
            let mut slice = Slice::new(text.as_bytes()).unwrap();
            let header = slice.header().clone();
            let probes: Vec<_> = paths
                .iter()
                .map(|path| header.find(path).unwrap())
                .collect();
            let scanned = window(&mut slice, &probes, range.clone()).unwrap();
            assert!(scanned[0].at(*range.end()).is_some());
            let mut stream = Stream::new(Cursor::new(&text)).unwrap();
            assert_eq!(
                stream.window(&probes, range.clone()).unwrap(),
                scanned,
                "{range:?}"
            );
            let clock = header.find("q[0]").unwrap();
            let rises = stream.rises(clock, 1000..=1010, &probes).unwrap();
            assert_eq!(rises.times[0], 10 * 2001);
            assert_eq!(stream.window(&probes, range).unwrap(), scanned);
        }
    }
}

#[test]
fn a_clock_that_is_a_bit_rises_as_the_signal_does() {
    let text = counting(100);
    let times = |clock: &str, value: &str| {
        let mut dump = Slice::new(text.as_bytes()).unwrap();
        let header = dump.header().clone();
        let probe = |path| header.find(path).unwrap();
        let rows = Sampler::rising(probe(clock))
            .after()
            .run(&mut dump, &[probe(value)]);
        let rows = rows.unwrap();
        let values: Vec<_> = (0..rows.len()).map(|row| rows.u64(row, 0)).collect();
        (rows.times().to_vec(), values)
    };
    let expected = times("clk", "q");
    assert_eq!(expected.0.len(), 50);
    // q[3] and q[0] are 1 after an edge.
    assert_eq!(expected.1[..3], [Some(9), Some(11), Some(9)]);
    assert_eq!(times("q[0]", "q"), expected);
    // Bit 0 of a vector is the clock.
    assert_eq!(times("q", "q"), expected);
}

#[test]
fn from_the_middle_nothing_is_made_up() {
    let text = counting(40_000);
    let mut stream = Stream::new(Cursor::new(&text)).unwrap();
    let header = stream.header().clone();
    let q = header.find("q").unwrap();
    let from = stream.seek(200_000).unwrap();
    let mut ticks = Ticks::new(&header, &[q]).from(from);
    // q[3] is written at the start alone.
    assert_eq!(ticks.next(&mut stream).unwrap(), None);
    stream.rewind().unwrap();
    let mut ticks = Ticks::new(&header, &[q]);
    assert_eq!(ticks.next(&mut stream).unwrap(), Some(0));
    assert_eq!(ticks.changes()[0].1.to_u64(), Some(0b1000));
}

#[test]
fn a_joined_signal_changes_once_a_tick_at_its_end() {
    let text = "$var wire 1 a q [1] $end $var wire 1 b q [0] $end $enddefinitions $end\n\
        #5\n1a\n#5\n0b\n1b\n#6\n#7\n0a\nb";
    for stop in [1, 2, 3, usize::MAX] {
        let mut dump = Slice::new(text.trim_end_matches('b').as_bytes()).unwrap();
        let q = dump.header().find("q").unwrap().signal();
        let mut seen = Vec::new();
        // A visitor that breaks loses nothing.
        while let ControlFlow::Break(()) = dump
            .try_for_each(|event| {
                match event {
                    Event::Time(time) => seen.push(format!("#{time}")),
                    Event::Change(signal, value) if signal == q => {
                        seen.push(format!("{:?}", value.to_u64()));
                    }
                    _ => {}
                }
                match seen.len() % stop {
                    0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            })
            .unwrap()
        {}
        assert_eq!(seen, ["#5", "#5", "Some(3)", "#6", "#7", "Some(1)"]);
    }
}

#[test]
fn values_of_parts_are_extended_and_cut() {
    let text = "$var wire 4 a q [7:4] $end $var wire 4 b q [3:0] $end $var wire 8 b wide $end \
        $enddefinitions $end\n#0\nbz a\n#1\nb1 a\n#2\nb11110101 b\n#3\nr1.5 b\n";
    let mut dump = Slice::new(text.as_bytes()).unwrap();
    let q = dump.header().find("q").unwrap();
    let trace = window(&mut dump, &[q], 0..=3).unwrap().remove(0);
    let values = trace
        .changes
        .iter()
        .map(|(_, value)| format!("{:b}", value.bits().unwrap()));
    let values: Vec<_> = values.collect();
    assert_eq!(values, ["zzzzxxxx", "0001xxxx", "00010101", "0001xxxx"]);
}

#[test]
fn a_hundred_thousand_bits_take_no_time() {
    use std::fmt::Write as _;
    const BITS: usize = 100_000;
    let mut text = String::from("$scope module t $end\n");
    for bit in (0..BITS).rev() {
        writeln!(text, "$var wire 1 x{bit} q [{bit}] $end").unwrap();
    }
    text += "$upscope $end\n$enddefinitions $end\n#0\n";
    for bit in 0..BITS {
        writeln!(text, "{}x{bit}", bit % 2).unwrap();
    }
    for time in 1..BITS {
        writeln!(text, "#{time}\n{}x{time}", (time + 1) % 2).unwrap();
    }
    let start = std::time::Instant::now();
    let mut stream = Stream::new(Cursor::new(&text)).unwrap();
    let header = stream.header().clone();
    assert_eq!(
        (header.variables().len(), header.variables()[0].width()),
        (1, BITS as u32)
    );
    let mut count = 0;
    let q = header.find("t.q").unwrap();
    stream
        .for_each(|event| {
            count += u64::from(matches!(event, Event::Change(s, _) if s == q.signal()))
        })
        .unwrap();
    assert_eq!(count, BITS as u64);
    let traces = stream.window(&[q], 50_000..=50_010).unwrap();
    assert_eq!(traces[0].changes.len(), 11);
    // Seconds, where something quadratic takes minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn probes_of_variables_see_all_bits() {
    let header = header("$var wire 1 a q [1] $end $var wire 1 b q [0] $end");
    let probe = Probe::variable(&header, 0).unwrap();
    assert_eq!((probe.width(&header), probe.bits()), (2, None));
    let value = ValueRef::Bits(BitsRef::new(b"10", 2).unwrap());
    assert_eq!(probe.value(value).to_u64(), Some(2));
}
