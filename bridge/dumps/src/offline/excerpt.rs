//! A window cut out of a dump: all signals, some times.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::Arc;

use lockstep_vcd::{
    Error, Header, Probe, ScopeId, ScopeKind, Source, Trace, Value, VarKind, window,
};

use super::ring::Ring;
use crate::waves::dump::Dump;

/// Why there is no window.
#[derive(Debug, thiserror::Error)]
pub enum ExcerptError {
    /// The dump cannot be read again.
    #[error(transparent)]
    Dump(#[from] Error),
    /// The window cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// Copies what all signals of `dump`, which was just opened, do in `range` to `out`, with their values before.
///
/// # Errors
/// [`ExcerptError`].
pub fn excerpt(
    dump: &mut Dump,
    range: RangeInclusive<u64>,
    out: &mut impl Write,
) -> Result<(), ExcerptError> {
    let header = dump.header();
    let probes = widest(&header);
    let traces = match dump {
        Dump::File(stream) => stream.window(&probes, range.clone())?,
        Dump::Pipe(stream) => window(stream, &probes, range.clone())?,
        Dump::Ghw(ghw) => window(ghw, &probes, range.clone())?,
        Dump::Fst(fst) => {
            let start = *range.start();
            fst.jump_near(fst.block_before(start), start)?;
            window(fst, &probes, range.clone())?
        }
    };
    write(&header, &probes, &traces, *range.start(), out)?;
    Ok(())
}

/// The same of a dump that is gone, of what `ring` has kept of it.
///
/// # Errors
/// [`ExcerptError`].
pub fn excerpt_of_ring(
    ring: &Ring,
    range: RangeInclusive<u64>,
    out: &mut impl Write,
) -> Result<(), ExcerptError> {
    let mut replay = ring.replay();
    let header = Arc::clone(replay.header());
    let probes = widest(&header);
    let traces = window(&mut replay, &probes, range.clone())?;
    write(&header, &probes, &traces, *range.start(), out)?;
    Ok(())
}

/// A variable of each signal that shows all of it: one is enough for its values.
fn widest(header: &Header) -> Vec<Probe> {
    let mut probes: Vec<Option<Probe>> = vec![None; header.signal_count()];
    for (index, variable) in header.variables().iter().enumerate() {
        let widest = variable.width() == header.signal_width(variable.signal());
        let slot = &mut probes[variable.signal().index()];
        if widest && slot.is_none() {
            *slot = Probe::variable(header, index);
        }
    }
    probes.into_iter().flatten().collect()
}

fn write(
    header: &Header,
    probes: &[Probe],
    traces: &[Trace],
    start: u64,
    out: &mut impl Write,
) -> io::Result<()> {
    let codes = codes(header);
    declare(header, &codes, out)?;
    let codes: Vec<_> = probes
        .iter()
        .map(|probe| codes[probe.signal().index()].as_str())
        .collect();
    changes(&codes, traces, start, out)
}

/// A code for each signal: that of the dump, unless the signal is joined of several.
fn codes(header: &Header) -> Vec<String> {
    let mut codes = vec![String::new(); header.signal_count()];
    let variables = header.variables().iter();
    let (joined, others): (Vec<_>, Vec<_>) =
        variables.partition(|variable| header.is_joined(variable.signal()));
    let taken: HashSet<_> = others.iter().map(|variable| variable.code()).collect();
    for variable in &others {
        codes[variable.signal().index()] = variable.code().to_owned();
    }
    let mut free = (0_u64..)
        .map(|number| format!("j{number}"))
        .filter(|code| !taken.contains(code.as_str()));
    for variable in joined {
        let code = &mut codes[variable.signal().index()];
        if code.is_empty() {
            *code = free.next().unwrap_or_default();
        }
    }
    codes
}

/// The comment of a window: what wrote it.
pub const COMMENT: &str = "pmu-lockstep: a window of a dump";

fn declare(header: &Header, codes: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "$comment {COMMENT} $end")?;
    if let Some(timescale) = header.timescale() {
        writeln!(out, "$timescale {timescale} $end")?;
    }
    // Scopes stand before their children, so that the open ones are a path.
    let mut open: Vec<ScopeId> = Vec::new();
    let mut last = None;
    for variable in header.variables() {
        if last != Some(variable.scope()) {
            enter(header, variable.scope(), &mut open, out)?;
            last = Some(variable.scope());
        }
        let range = variable
            .range()
            .map_or_else(String::new, |range| format!(" {range}"));
        writeln!(
            out,
            "$var {} {} {} {}{range} $end",
            word(variable.kind()),
            variable.width(),
            codes[variable.signal().index()],
            variable.name().replace(char::is_whitespace, "_"),
        )?;
    }
    enter(header, None, &mut open, out)?;
    writeln!(out, "$enddefinitions $end")
}

/// Closes and opens scopes until those around `to` are open.
fn enter(
    header: &Header,
    to: Option<ScopeId>,
    open: &mut Vec<ScopeId>,
    out: &mut impl Write,
) -> io::Result<()> {
    let parent = |scope: &ScopeId| header.scopes()[scope.index()].parent();
    let mut path: Vec<_> = std::iter::successors(to, parent).collect();
    path.reverse();
    let common = open
        .iter()
        .zip(&path)
        .take_while(|(one, other)| one == other)
        .count();
    for _ in common..open.len() {
        writeln!(out, "$upscope $end")?;
    }
    for scope in &path[common..] {
        let scope = &header.scopes()[scope.index()];
        let kind = match scope.kind() {
            ScopeKind::Task => "task",
            ScopeKind::Function => "function",
            ScopeKind::Begin => "begin",
            ScopeKind::Fork => "fork",
            _ => "module",
        };
        let name = match scope.name() {
            "" => "_".to_owned(),
            name => name.replace(char::is_whitespace, "_"),
        };
        writeln!(out, "$scope {kind} {name} $end")?;
    }
    *open = path;
    Ok(())
}

/// The kinds that every reader knows.
const fn word(kind: VarKind) -> &'static str {
    match kind {
        VarKind::Event => "event",
        VarKind::Integer => "integer",
        VarKind::Parameter => "parameter",
        VarKind::Real | VarKind::Realtime | VarKind::ShortReal | VarKind::RealParameter => "real",
        VarKind::String => "string",
        VarKind::Reg | VarKind::Logic | VarKind::Bit => "reg",
        _ => "wire",
    }
}

fn changes(codes: &[&str], traces: &[Trace], start: u64, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "#{}\n$dumpvars", start.saturating_sub(1))?;
    for (code, trace) in codes.iter().zip(traces) {
        if let Some(value) = &trace.initial {
            change(code, value, out)?;
        }
    }
    writeln!(out, "$end")?;
    let mut all: Vec<_> = codes
        .iter()
        .zip(traces)
        .flat_map(|(code, trace)| {
            trace
                .changes
                .iter()
                .map(move |change| (change.0, *code, &change.1))
        })
        .collect();
    all.sort_by_key(|(time, ..)| *time);
    let mut now = start.saturating_sub(1);
    for (time, code, value) in all {
        if time != now {
            writeln!(out, "#{time}")?;
            now = time;
        }
        change(code, value, out)?;
    }
    Ok(())
}

fn change(code: &str, value: &Value, out: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Bits(bits) if bits.width() == 1 => writeln!(out, "{bits:b}{code}"),
        Value::Bits(bits) => writeln!(out, "b{bits:b} {code}"),
        Value::Real(real) => writeln!(out, "r{real} {code}"),
        Value::Text(text) => writeln!(out, "s{} {code}", escaped(text)),
    }
}

/// A string as one word.
fn escaped(text: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'\\' => "\\\\".to_owned(),
        0x21..=0x7e => char::from(byte).to_string(),
        other => format!("\\x{other:02x}"),
    };
    text.bytes().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockstep_vcd::Slice;

    #[test]
    fn a_window_has_every_signal_and_its_values_in_it() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/vcd/verilator-5.048/hierarchy.vcd"
        );
        let open = || {
            crate::waves::dump::open(path.as_ref())
                .expect("a dump")
                .dump
        };
        let mut text = Vec::new();
        excerpt(&mut open(), 40..=60, &mut text).expect("a window");
        let mut cut = Slice::new(&text).expect("a dump");
        let header = cut.header().clone();
        let whole = open().header();
        let paths = |header: &Header| {
            let variables = header.variables().iter();
            variables
                .map(|variable| (header.path(variable), variable.width(), variable.range()))
                .collect::<Vec<_>>()
        };
        assert_eq!(paths(&header), paths(&whole));
        assert_eq!(header.timescale(), whole.timescale());
        let probe = |header: &Header| {
            (0..header.variables().len())
                .filter_map(|index| Probe::variable(header, index))
                .collect::<Vec<_>>()
        };
        let Dump::File(mut stream) = open() else {
            panic!("a plain file");
        };
        let expected = stream.window(&probe(&whole), 40..=60).expect("a window");
        let found = window(&mut cut, &probe(&header), 40..=60).expect("a window");
        assert_eq!(found, expected);
    }
}
