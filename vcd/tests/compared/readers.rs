//! The three readers, each as a function from a file to what it saw.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use lockstep_vcd::{BitsRef, Event, Source, Stream, ValueRef, VarKind};

/// For each variable the ticks and values that it takes, without repetitions; of an event, all triggers.
pub type Values = BTreeMap<String, Vec<(u64, String)>>;

/// What a reader saw of a dump.
#[derive(Debug, Default)]
pub struct Seen {
    pub values: Values,
    pub error: Option<String>,
}

impl Seen {
    fn error(error: impl ToString) -> Self {
        Self {
            error: Some(error.to_string()),
            ..Self::default()
        }
    }
}

pub type Reader = fn(&Path) -> Seen;

/// Shown as a trigger of an event.
const TRIGGER: &str = "!";

/// The changes of each signal.
struct Collected(Vec<Vec<(u64, String)>>);

impl Collected {
    fn new(signals: usize) -> Self {
        Self(vec![vec![]; signals])
    }

    fn push(&mut self, signal: usize, time: u64, value: String) {
        let values = &mut self.0[signal];
        if value == TRIGGER {
            return values.push((time, value));
        }
        // Of several values in a tick the last one is what is left.
        if values.last().is_some_and(|(last, _)| *last == time) {
            values.pop();
        }
        if values.last().is_none_or(|(_, last)| *last != value) {
            values.push((time, value));
        }
    }

    /// Two variables of one name are told apart, as they are not what was asked for.
    fn named(&self, names: impl IntoIterator<Item = (String, usize)>) -> Values {
        let mut values = Values::new();
        for (mut name, signal) in names {
            while values.contains_key(&name) {
                name.push('\'');
            }
            values.insert(name, self.0[signal].clone());
        }
        values
    }
}

/// Digits at the width of the signal, in four states, without zeros beyond.
fn extended(digits: &str, width: u32) -> String {
    let above = digits.len().saturating_sub(width as usize);
    let digits = match digits[..above].bytes().all(|digit| digit == b'0') {
        true => &digits[above..],
        false => digits,
    };
    let bits = BitsRef::new(digits.as_bytes(), width);
    bits.map_or(digits.to_owned(), |bits| format!("{:b}", bits.to_bits()))
}

pub fn this_crate(path: &Path) -> Seen {
    let mut dump = match Stream::open(path) {
        Ok(dump) => dump,
        Err(error) => return Seen::error(error),
    };
    let header = dump.header().clone();
    let variables = header.variables();
    let is_event = |signal| {
        let of_signal = |v: &&lockstep_vcd::Variable| v.signal() == signal;
        variables.iter().find(of_signal).map(|v| v.kind()) == Some(VarKind::Event)
    };
    let (mut collected, mut now) = (Collected::new(header.signal_count()), 0);
    let read = dump.for_each(|event| match event {
        Event::Time(time) => now = time,
        Event::Change(signal, value) => {
            let shown = match value {
                _ if is_event(signal) && !value.to_value().is_trigger() => return,
                _ if is_event(signal) => TRIGGER.to_owned(),
                ValueRef::Bits(bits) => format!("{:b}", bits.to_bits()),
                ValueRef::Real(real) => format!("r{real:?}"),
                ValueRef::Text(_) => format!("s{}", value.to_value()),
            };
            collected.push(signal.index(), now, shown);
        }
        _ => {}
    });
    let names = variables.iter();
    Seen {
        values: collected.named(names.map(|v| (header.path(v), v.signal().index()))),
        error: read.err().map(|error| error.to_string()),
    }
}

/// A name of wellen, which keeps backslashes, and shows elements of arrays as scopes.
fn plain(path: &str) -> String {
    path.replace('\\', "").replace(".[", "[")
}

fn of_wellen(value: wellen::SignalValueRef<'_>) -> String {
    match value {
        wellen::SignalValueRef::Event => TRIGGER.to_owned(),
        wellen::SignalValueRef::Real(real) => format!("r{real:?}"),
        wellen::SignalValueRef::String(text) => format!("s{text}"),
        bits => {
            let digits = bits.to_bit_string().unwrap_or_default();
            extended(&digits, digits.len() as u32)
        }
    }
}

/// The variables of wellen with their signals, and the signals.
fn wellen_variables(
    hierarchy: &wellen::Hierarchy,
) -> (Vec<(String, usize)>, Vec<wellen::SignalRef>) {
    let mut signals = Vec::new();
    let mut names = Vec::new();
    for reference in hierarchy.all_vars() {
        let variable = &hierarchy[reference];
        let signal = variable.signal_ref();
        let place = signals.iter().position(|other| *other == signal);
        let place = place.unwrap_or_else(|| {
            signals.push(signal);
            signals.len() - 1
        });
        names.push((plain(&variable.full_name(hierarchy)), place));
    }
    (names, signals)
}

/// wellen, all in memory.
pub fn wellen_in_memory(path: &Path) -> Seen {
    let mut dump = match wellen::simple::read(path) {
        Ok(dump) => dump,
        Err(error) => return Seen::error(error),
    };
    let (names, signals) = wellen_variables(dump.hierarchy());
    dump.load_signals(&signals);
    let mut collected = Collected::new(signals.len());
    for (place, signal) in signals.iter().enumerate() {
        let changes = dump.get_signal(*signal).map(|signal| signal.iter_changes());
        for (time, value) in changes.into_iter().flatten() {
            collected.push(place, dump.time_table()[time as usize], of_wellen(value));
        }
    }
    Seen {
        values: collected.named(names),
        error: None,
    }
}

/// wellen as a stream.
pub fn wellen_stream(path: &Path) -> Seen {
    let options = wellen::LoadOptions::default();
    let mut dump = match wellen::stream::read_from_file(path, &options) {
        Ok(dump) => dump,
        Err(error) => return Seen::error(error),
    };
    let (names, signals) = wellen_variables(dump.hierarchy());
    let mut collected = Collected::new(signals.len());
    let read = dump.stream_changes(wellen::stream::Filter::all(), |time, signal, value| {
        if let Some(place) = signals.iter().position(|other| *other == signal) {
            collected.push(place, time, of_wellen(value));
        }
        Ok::<(), std::fmt::Error>(())
    });
    Seen {
        values: collected.named(names),
        error: read.err().map(|error| format!("{error:?}")),
    }
}

/// The variables of the `vcd` crate, with their paths.
fn vcd_variables<'h>(
    items: &'h [vcd::ScopeItem],
    path: &str,
    variables: &mut Vec<(String, &'h vcd::Var)>,
) {
    for item in items {
        match item {
            vcd::ScopeItem::Var(variable) => {
                let name = variable.reference.replace('\\', "");
                // A bit that is a variable of its own is no vector.
                let bit = match variable.index {
                    Some(index @ vcd::ReferenceIndex::BitSelect(_)) => index.to_string(),
                    _ => String::new(),
                };
                variables.push((format!("{path}{name}{bit}"), variable));
            }
            vcd::ScopeItem::Scope(scope) => {
                let path = format!("{path}{}.", scope.identifier);
                vcd_variables(&scope.items, &path, variables);
            }
            _ => {}
        }
    }
}

/// The `vcd` crate, whose caller extends vectors and tells triggers from what is none.
pub fn vcd_crate(path: &Path) -> Seen {
    match File::open(path) {
        Ok(file) => vcd_commands(BufReader::new(file)),
        Err(error) => Seen::error(error),
    }
}

fn vcd_commands(reader: impl BufRead) -> Seen {
    let mut parser = vcd::Parser::new(reader);
    let header = match parser.parse_header() {
        Ok(header) => header,
        Err(error) => return Seen::error(error),
    };
    let mut variables = Vec::new();
    vcd_variables(&header.items, "", &mut variables);
    let place = |code| variables.iter().position(|(_, v)| v.code == code);
    let (mut collected, mut now, mut failed) = (Collected::new(variables.len()), 0, None);
    for command in parser {
        let (code, value) = match command {
            Ok(vcd::Command::Timestamp(time)) => {
                now = time;
                continue;
            }
            Ok(vcd::Command::ChangeScalar(code, value)) => (code, value.to_string()),
            Ok(vcd::Command::ChangeVector(code, value)) => (code, value.to_string()),
            Ok(vcd::Command::ChangeReal(code, value)) => (code, format!("r{value:?}")),
            Ok(vcd::Command::ChangeString(code, value)) => (code, format!("s{value}")),
            Ok(_) => continue,
            Err(error) => {
                failed = Some(error.to_string());
                break;
            }
        };
        let Some(place) = place(code) else { continue };
        let variable = variables[place].1;
        let shown = match variable.var_type {
            vcd::VarType::Event if value.starts_with(['x', 'z']) => continue,
            vcd::VarType::Event => TRIGGER.to_owned(),
            _ if value.starts_with(['r', 's']) => value,
            _ => extended(&value, variable.size),
        };
        collected.push(place, now, shown);
    }
    // Names of one code share what the first of them saw.
    let names = variables.iter();
    Seen {
        values: collected.named(names.map(|(name, v)| (name.clone(), place(v.code).unwrap_or(0)))),
        error: failed,
    }
}
