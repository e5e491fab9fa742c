//! What a dump holds: tool, times, scopes, signals.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use lockstep_vcd::{Error, Event, Header, ScopeKind, SignalId, Source, VarKind, Variable};
use serde::Serialize;

use super::dump::Dump;
use lockstep_base::glob::Glob;

/// A dump at a glance.
#[derive(Clone, Debug, Serialize)]
pub struct Outline {
    /// File, or `-`.
    pub file: String,
    /// Bytes of the file, or read from the pipe.
    pub bytes: u64,
    /// The tool that wrote it: `$version`.
    pub version: Option<String>,
    /// `$date`.
    pub date: Option<String>,
    /// What a tick is: `1 ps`.
    pub timescale: Option<String>,
    /// First and last tick. None for a dump without times.
    pub ticks: Option<(u64, u64)>,
    /// Different signals.
    pub signals: usize,
    /// Further names of them.
    pub aliases: usize,
    /// Scopes, a parent before its children.
    pub scopes: Vec<Scope>,
    /// Signals, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Vec<Signal>>,
    /// What is wrong with the dump.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A scope.
#[derive(Clone, Debug, Serialize)]
pub struct Scope {
    /// Full path.
    pub path: String,
    /// Its own name.
    pub name: String,
    /// `module`, `task`, ...
    pub kind: String,
    /// How many scopes are around it.
    pub depth: usize,
    /// Names of signals in it.
    pub names: usize,
    /// The same with all scopes below.
    pub names_below: usize,
}

/// A name of a signal.
#[derive(Clone, Debug, Serialize)]
pub struct Signal {
    /// Full path.
    pub path: String,
    /// Bits as declared: `[7:0]`.
    pub range: Option<String>,
    /// Width in bits.
    pub width: u32,
    /// `wire`, `reg`, `real`, ...
    pub kind: String,
    /// Path of the first name, if this is a further one.
    pub alias_of: Option<String>,
}

/// First and last tick, and the fault at which reading ended.
pub fn times(dump: &mut Dump) -> (Option<RangeInclusive<u64>>, Option<Error>) {
    if let Dump::File(stream) = dump {
        match stream.times() {
            Ok(times) => return (times, None),
            Err(Error::Syntax { .. }) => {
                if let Err(error) = stream.rewind() {
                    return (None, Some(error));
                }
            }
            Err(error) => return (None, Some(error)),
        }
    }
    if let Dump::Fst(fst) = dump {
        return (fst.times(), None);
    }
    let mut times: Option<(u64, u64)> = None;
    let read = dump.for_each(|event| {
        let time = match event {
            Event::Time(time) => time,
            Event::Change(..) if times.is_none() => 0,
            _ => return,
        };
        let first = times.map_or(time, |(first, _)| first);
        times = Some((first, time));
    });
    (times.map(|(first, last)| first..=last), read.err())
}

/// Number of different signals that have a name. Parts of a vector that are signals of the file have none.
pub fn named_signals(header: &Header) -> usize {
    let named: HashSet<_> = header.variables().iter().map(key).collect();
    named.len()
}

/// What names of one signal have in common: the same bits of it, which an event is not.
fn key(variable: &Variable) -> (SignalId, u32, bool) {
    let is_event = variable.kind() == VarKind::Event;
    (variable.signal(), variable.width(), is_event)
}

/// The scopes of a dump.
pub fn scopes(header: &Header) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::with_capacity(header.scopes().len());
    for scope in header.scopes() {
        let parent = scope.parent().and_then(|parent| scopes.get(parent.index()));
        let name = lockstep_base::printable::printable(scope.name());
        let (path, depth) = match parent {
            Some(parent) if name.is_empty() => (parent.path.clone(), parent.depth + 1),
            Some(parent) if !parent.path.is_empty() => {
                (format!("{}.{name}", parent.path), parent.depth + 1)
            }
            Some(parent) => (name.clone(), parent.depth + 1),
            None => (name.clone(), 0),
        };
        scopes.push(Scope {
            path,
            name,
            kind: kind(scope.kind()),
            depth,
            names: 0,
            names_below: 0,
        });
    }
    for variable in header.variables() {
        if let Some(scope) = variable
            .scope()
            .and_then(|scope| scopes.get_mut(scope.index()))
        {
            scope.names += 1;
            scope.names_below += 1;
        }
    }
    // Children stand behind their parents.
    for index in (0..scopes.len()).rev() {
        let below = scopes[index].names_below;
        if let Some(parent) = header.scopes()[index].parent() {
            scopes[parent.index()].names_below += below;
        }
    }
    scopes
}

fn kind(kind: &ScopeKind) -> String {
    match kind {
        ScopeKind::Other(word) => lockstep_base::printable::printable(word),
        known => format!("{known:?}").to_lowercase(),
    }
}

/// The names of signals that fit `glob`.
pub fn signals(header: &Header, glob: &Glob) -> Vec<Signal> {
    let mut first = HashMap::new();
    let mut signals = Vec::new();
    for (index, variable) in header.variables().iter().enumerate() {
        let alias_of = *first.entry(key(variable)).or_insert(index);
        let path = header.path(variable);
        if !glob.fits(&path) {
            continue;
        }
        signals.push(Signal {
            path: lockstep_base::printable::printable(&path),
            range: variable.range().map(|range| range.to_string()),
            width: variable.width(),
            kind: format!("{:?}", variable.kind()).to_lowercase(),
            alias_of: (alias_of != index).then(|| {
                lockstep_base::printable::printable(&header.path(&header.variables()[alias_of]))
            }),
        });
    }
    signals
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::Slice;

    use super::*;

    #[test]
    fn scopes_count_what_is_in_and_below_them() {
        let text = "$scope module a $end $var wire 1 ! x $end $scope begin b $end $var wire 1 x y $end \
            $var wire 1 ! z $end $upscope $end $upscope $end $scope struct c $end $enddefinitions $end";
        let dump = Slice::new(text.as_bytes()).unwrap();
        let counts: Vec<_> = scopes(dump.header())
            .into_iter()
            .map(|scope| {
                (
                    scope.path,
                    scope.kind,
                    scope.depth,
                    scope.names,
                    scope.names_below,
                )
            })
            .collect();
        assert_eq!(
            counts,
            [
                ("a".into(), "module".into(), 0, 1, 3),
                ("a.b".into(), "begin".into(), 1, 2, 2),
                ("c".into(), "struct".into(), 0, 0, 0),
            ]
        );
        let aliases: Vec<_> = signals(dump.header(), &Glob::new("**"))
            .into_iter()
            .map(|signal| signal.alias_of)
            .collect();
        assert_eq!(aliases, [None, None, Some("a.x".into())]);
    }
}
