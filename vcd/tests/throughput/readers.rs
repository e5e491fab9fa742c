//! The readers, and what measures them.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

use lockstep_vcd::{
    Event, Probe, Sampler, Slice, Source, Stream, Trace, ValueRef, Variable, window,
};

/// Changes and time stamps.
type Counts = (u64, u64);

pub type Reader = Box<dyn Fn() -> Result<Counts, Box<dyn Error>>>;

fn count(source: &mut impl Source) -> Result<Counts, Box<dyn Error>> {
    let (mut changes, mut times) = (0, 0);
    source.for_each(|event| match event {
        Event::Change(signal, value) => {
            black_box((signal, value));
            changes += 1;
        }
        Event::Time(time) => {
            black_box(time);
            times += 1;
        }
        _ => {}
    })?;
    Ok((changes, times))
}

/// Converts every value, as one does who keeps them.
fn convert(source: &mut impl Source) -> Result<Counts, Box<dyn Error>> {
    let mut last = vec![None; source.header().signal_count()];
    let (mut changes, mut times) = (0, 0);
    source.for_each(|event| match event {
        Event::Change(signal, ValueRef::Bits(bits)) => {
            last[signal.index()] = bits.to_u64();
            changes += 1;
        }
        Event::Time(_) => times += 1,
        _ => {}
    })?;
    black_box(last);
    Ok((changes, times))
}

/// wellen as a stream: of a file, which it maps into memory, or of a reader.
fn wellen(path: &str, maps: bool) -> Result<Counts, Box<dyn Error>> {
    let (mut changes, mut times) = (0, 0);
    let options = wellen::LoadOptions {
        multi_thread: false,
        ..Default::default()
    };
    let mut dump = match maps {
        true => wellen::stream::read_from_file(path, &options)?,
        false => wellen::stream::read(BufReader::new(File::open(path)?), &options)?,
    };
    let mut last = u64::MAX;
    dump.stream_changes(wellen::stream::Filter::all(), |time, signal, value| {
        black_box((signal, value));
        changes += 1;
        times += u64::from(time != last);
        last = time;
        Ok::<(), std::fmt::Error>(())
    })
    .map_err(|error| format!("{error:?}"))?;
    Ok((changes, times))
}

/// wellen as a viewer has it: the whole dump in memory, read by all threads, and then every signal.
fn wellen_in_memory(path: &str) -> Result<Counts, Box<dyn Error>> {
    let mut dump = wellen::simple::read(path)?;
    let signals: BTreeSet<_> = {
        let hierarchy = dump.hierarchy();
        let all = hierarchy.all_vars();
        all.map(|variable| hierarchy[variable].signal_ref())
            .collect()
    };
    let signals: Vec<_> = signals.into_iter().collect();
    dump.load_signals_multi_threaded(&signals);
    let mut changes = 0;
    for signal in signals {
        let signal = dump.get_signal(signal).ok_or("expected a signal")?;
        for change in signal.iter_changes() {
            black_box(change);
            changes += 1;
        }
    }
    Ok((changes, dump.time_table().len() as u64))
}

fn vcd_crate(text: &[u8]) -> Result<Counts, Box<dyn Error>> {
    let mut parser = vcd::Parser::new(text);
    parser.parse_header()?;
    let (mut changes, mut times) = (0, 0);
    for command in parser {
        match command? {
            vcd::Command::Timestamp(time) => {
                black_box(time);
                times += 1;
            }
            vcd::Command::ChangeScalar(id, value) => {
                black_box((id, value));
                changes += 1;
            }
            vcd::Command::ChangeVector(id, value) => {
                black_box((id, value));
                changes += 1;
            }
            _ => {}
        }
    }
    Ok((changes, times))
}

fn newlines(text: &[u8]) -> Counts {
    (memchr::memchr_iter(b'\n', text).count() as u64, 0)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The name under which windows alone are measured.
pub const WINDOWS: &str = "windows";

/// The readers of the dump `path`, each with its name. Slices share the text of the file, which the first one reads.
///
/// # Errors
/// A path that is not UTF-8.
pub fn readers(path: &Path) -> Result<Vec<(&'static str, Reader)>, Box<dyn Error>> {
    let path: &'static str = path
        .to_str()
        .ok_or("expected a path in UTF-8")?
        .to_owned()
        .leak();
    let text: &'static OnceLock<Vec<u8>> = Box::leak(Box::default());
    let text = move || match text.get() {
        Some(text) => Ok(&text[..]),
        None => std::fs::read(path).map(|read| &text.get_or_init(|| read)[..]),
    };
    Ok(vec![
        ("vcd crate, slice", Box::new(move || vcd_crate(text()?))),
        ("slice", Box::new(move || count(&mut Slice::new(text()?)?))),
        (
            "slice, values",
            Box::new(move || convert(&mut Slice::new(text()?)?)),
        ),
        (
            "stream",
            Box::new(move || count(&mut Stream::new(File::open(path)?)?)),
        ),
        ("wellen, stream", Box::new(move || wellen(path, true))),
        (
            "stream, values",
            Box::new(move || convert(&mut Stream::new(File::open(path)?)?)),
        ),
        ("vcd crate, file", Box::new(move || vcd_crate_file(path))),
        ("wellen, reader", Box::new(move || wellen(path, false))),
        (
            "wellen, in memory",
            Box::new(move || wellen_in_memory(path)),
        ),
        ("newlines, memchr", Box::new(move || Ok(newlines(text()?)))),
    ])
}

/// Measures all readers on the dump `path`, or the one named `only` (`windows`: none but those), and prints a table: every reader visits all
/// changes, on one thread but for wellen in memory. The readers take turns, so that a busy machine is busy for all of
/// them; the fastest round of each is shown, medians, and medians of the ratios within a round. Then the same for a
/// window near the end.
///
/// # Errors
/// A file that cannot be read, or that is no dump.
pub fn measure(path: &Path, rounds: usize, only: Option<&str>) -> Result<(), Box<dyn Error>> {
    let readers = readers(path)?;
    let text = std::fs::read(path)?;
    let megabytes = text.len() as f64 / 1e6;
    // A first one reads the text of the slices, which is not to be measured.
    if let Some((_, newlines)) = readers.last() {
        newlines()?;
    }
    let mut seconds = vec![Vec::new(); readers.len()];
    let mut counts = vec![(0, 0); readers.len()];
    for _ in 0..rounds {
        for (place, (_, read)) in readers.iter().enumerate() {
            if only.is_some_and(|only| only != readers[place].0) {
                seconds[place].push(f64::NAN);
                continue;
            }
            let start = Instant::now();
            counts[place] = black_box(read()?);
            seconds[place].push(start.elapsed().as_secs_f64());
        }
    }
    // Of neighbours in one round, so that both ran on the same busy machine.
    let ratio = |ours: usize, theirs: usize| {
        median(
            (0..rounds)
                .map(|round| seconds[theirs][round] / seconds[ours][round])
                .collect(),
        )
    };
    let ratios = [ratio(3, 4), ratio(1, 0)];
    println!("{megabytes:.0} MB, {rounds} rounds");
    println!(
        "{:18} {:>9} {:>8} {:>12} {:>10}",
        "", "best MB/s", "median", "changes", "times"
    );
    for ((name, _), (seconds, (changes, times))) in readers.iter().zip(seconds.iter().zip(&counts))
    {
        let best = megabytes / least(seconds);
        let median = megabytes / median(seconds.clone());
        println!("{name:18} {best:9.0} {median:8.0} {changes:12} {times:10}");
    }
    println!("stream / wellen stream   {:6.1}", ratios[0]);
    println!("slice / vcd crate slice  {:6.1}", ratios[1]);
    if only.is_none_or(|only| only == WINDOWS) {
        windows(path, &text, rounds)?;
    }
    Ok(())
}

/// Twenty clock cycles at 95 % of the dump, of 50 signals: found by their time, by their number, by a scan, and by
/// wellen with a filter for the signals.
fn windows(path: &Path, text: &[u8], rounds: usize) -> Result<(), Box<dyn Error>> {
    let mark = |from: usize| {
        let found = memchr::memmem::find(&text[from..], b"\n#").ok_or("expected times")?;
        let digits = text[from + found + 2..]
            .split(u8::is_ascii_whitespace)
            .next();
        Ok::<u64, Box<dyn Error>>(std::str::from_utf8(digits.unwrap_or(b"0"))?.parse()?)
    };
    let start = mark(text.len() / 100 * 95)?;
    let header = Slice::new(text)?.header().clone();
    let probes: Vec<Probe> = (0..50)
        .filter_map(|index| Probe::variable(&header, index))
        .collect();
    let named = |variable: &Variable| variable.name() == "clk_i";
    let clock = header.variables().iter().position(named).unwrap_or(0);
    let clock = Probe::variable(&header, clock).ok_or("expected a clock")?;
    let edges = Sampler::rising(clock).between(..start);
    let edges = edges.run(&mut Slice::new(text)?, &[])?;
    let numbers = edges.len() as u64..=edges.len() as u64 + 20;
    let open = || Ok::<_, Box<dyn Error>>(Stream::new(File::open(path)?)?);
    let range = {
        let times = open()?.rises(clock, numbers.clone(), &[])?.times;
        let (first, last) = times.first().zip(times.last()).ok_or("expected cycles")?;
        *first..=*last
    };

    let changes_of = |traces: &[Trace]| traces.iter().map(|trace| trace.changes.len()).sum();
    type Query<'q> = (&'q str, Box<dyn Fn() -> Result<usize, Box<dyn Error>> + 'q>);
    let queries: [Query<'_>; 4] = [
        (
            "time, bisection",
            Box::new(|| Ok(changes_of(&open()?.window(&probes, range.clone())?))),
        ),
        (
            "cycle number",
            Box::new(|| {
                let mut dump = open()?;
                let times = dump.rises(clock, numbers.clone(), &probes)?.times;
                let (first, last) = times.first().zip(times.last()).ok_or("expected cycles")?;
                Ok(changes_of(&dump.window(&probes, *first..=*last)?))
            }),
        ),
        (
            "time, scan",
            Box::new(|| Ok(changes_of(&window(&mut open()?, &probes, range.clone())?))),
        ),
        (
            "time, wellen stream",
            Box::new(|| wellen_window(path, range.clone())),
        ),
    ];
    let mut seconds = vec![Vec::new(); queries.len()];
    let mut changes = vec![0; queries.len()];
    for _ in 0..rounds {
        for (place, (_, query)) in queries.iter().enumerate() {
            let now = Instant::now();
            changes[place] = black_box(query()?);
            seconds[place].push(now.elapsed().as_secs_f64());
        }
    }
    println!(
        "20 cycles at 95 %, {} signals       ms    changes  / wellen",
        probes.len()
    );
    for (place, (name, _)) in queries.iter().enumerate() {
        let ratios = (0..rounds)
            .map(|round| seconds[place][round] / seconds[queries.len() - 1][round])
            .collect();
        println!(
            "{name:26} {:11.2} {:10} {:9.4}",
            1e3 * median(seconds[place].clone()),
            changes[place],
            median(ratios)
        );
    }
    Ok(())
}

fn wellen_window(path: &Path, range: RangeInclusive<u64>) -> Result<usize, Box<dyn Error>> {
    let options = wellen::LoadOptions {
        multi_thread: false,
        ..Default::default()
    };
    let mut dump = wellen::stream::read_from_file(path, &options)?;
    let signals: Vec<_> = {
        let hierarchy = dump.hierarchy();
        let all = hierarchy
            .all_vars()
            .map(|variable| hierarchy[variable].signal_ref());
        all.take(50).collect()
    };
    // The times of a filter are not heeded in a VCD, so the caller heeds them, and ends the stream with an error.
    let filter = wellen::stream::Filter::include_signals(&signals);
    let mut changes = 0;
    let ended = dump.stream_changes(filter, |time, _, value| {
        black_box(value);
        changes += usize::from(range.contains(&time));
        match time > *range.end() {
            true => Err(std::fmt::Error),
            false => Ok(()),
        }
    });
    match ended {
        Err(wellen::stream::StreamError::Wellen(error)) => Err(error.into()),
        _ => Ok(changes),
    }
}

fn vcd_crate_file(path: &str) -> Result<Counts, Box<dyn Error>> {
    let mut parser = vcd::Parser::new(BufReader::new(File::open(path)?));
    parser.parse_header()?;
    let (mut changes, mut times) = (0, 0);
    for command in parser {
        match command? {
            vcd::Command::Timestamp(_) => times += 1,
            vcd::Command::ChangeScalar(..) | vcd::Command::ChangeVector(..) => changes += 1,
            _ => {}
        }
    }
    Ok((changes, times))
}
