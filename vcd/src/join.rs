//! Which variables are bits and pieces of one vector, and the one variable that they become.
//!
//! Several simulators write a variable for each bit of a vector: `q [7]`, `q [6]`, and so on. Joined
//! are variables of one scope, name and kind that have the width of their ranges, where the ranges
//! are disjoint and leave no gap. What overlaps is not one vector, and stays as it is; of what has
//! gaps, each part without one is joined, unless its pieces are thousands of bits wide. A lone bit
//! stays a bit. Declared twice, they make two
//! vectors, the first of the first ones.

use std::collections::HashMap;

use crate::header::{
    BitRange, Header, Joined, MAX_WIDTH, Part, ScopeId, SignalId, VarKind, Variable,
};

/// Bits of a piece, on average. The digits of a joined vector stay in memory, and a few declarations
/// must not take all of it.
const PIECE: u64 = 1 << 12;

/// Joins what belongs together. `elements` are the places of variables of one bit whose index is
/// written as part of the name, `q[2]`, in order.
pub(crate) fn join(header: &mut Header, elements: &[u32]) {
    let groups = groups(header, elements);
    if groups.is_empty() {
        return;
    }
    let mut joining = Joining {
        joined: vec![None; header.variables.len()],
        dropped: vec![false; header.variables.len()],
        signals: HashMap::new(),
    };
    for group in groups {
        for vector in vectors(&group.pieces) {
            joining.add(header, &group, &vector);
        }
        // What is left of the group must be found by the name that the vector has.
        for piece in &group.pieces {
            let variable = &mut header.variables[piece.variable];
            if group.is_joined(&joining) && variable.range.is_none() {
                variable.name.clone_from(&group.name);
                variable.range = Some(piece.range);
            }
        }
    }
    let Joining {
        joined, dropped, ..
    } = joining;
    let variables = std::mem::take(&mut header.variables);
    let all = variables.into_iter().zip(joined).zip(dropped);
    header.variables = all
        .filter(|(_, dropped)| !dropped)
        .map(|((variable, joined), _)| joined.unwrap_or(variable))
        .collect();
}

/// A variable that may be a piece of a vector.
#[derive(Clone, Copy)]
struct Piece {
    variable: usize,
    range: BitRange,
}

impl Piece {
    const fn low(&self) -> i64 {
        self.range.ends().0
    }

    const fn high(&self) -> i64 {
        self.range.ends().1
    }
}

/// Pieces of one scope, name and kind, in the order of declaration.
struct Group {
    name: Box<str>,
    pieces: Vec<Piece>,
}

impl Group {
    fn is_joined(&self, joining: &Joining) -> bool {
        let mut pieces = self.pieces.iter();
        pieces.any(|piece| joining.joined[piece.variable].is_some())
    }
}

/// The groups of more than one piece.
fn groups(header: &Header, elements: &[u32]) -> Vec<Group> {
    enum Seen {
        Once(Piece),
        Group(usize),
    }
    let scopes = same_scopes(header);
    let mut elements = elements.iter().map(|&place| place as usize).peekable();
    let mut seen: HashMap<(Option<ScopeId>, &str, VarKind), Seen> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (index, variable) in header.variables.iter().enumerate() {
        let is_element = elements.next_if_eq(&index).is_some();
        let Some((name, range)) = piece(variable, is_element) else {
            continue;
        };
        let piece = Piece {
            variable: index,
            range,
        };
        let scope = variable.scope.map(|scope| scopes[scope.index()]);
        let slot = seen.entry((scope, name, variable.kind));
        match *slot.or_insert(Seen::Once(piece)) {
            Seen::Once(first) if first.variable == index => {}
            Seen::Once(first) => {
                let group = Seen::Group(groups.len());
                seen.insert((scope, name, variable.kind), group);
                groups.push(Group {
                    name: name.into(),
                    pieces: vec![first, piece],
                });
            }
            Seen::Group(group) => groups[group].pieces.push(piece),
        }
    }
    groups
}

/// For each scope the first one with its path: some tools open a scope again for every variable.
fn same_scopes(header: &Header) -> Vec<ScopeId> {
    let mut first = HashMap::new();
    let mut same: Vec<ScopeId> = Vec::with_capacity(header.scopes.len());
    for (index, scope) in header.scopes.iter().enumerate() {
        let parent = scope.parent.map(|parent| same[parent.index()]);
        let this = ScopeId(index as u32);
        same.push(*first.entry((parent, &*scope.name)).or_insert(this));
    }
    same
}

/// Name and range of a variable that may be a piece.
fn piece(variable: &Variable, is_element: bool) -> Option<(&str, BitRange)> {
    use VarKind::{Event, Real, RealParameter, Realtime, ShortReal, String};
    if matches!(
        variable.kind,
        Event | Real | RealParameter | Realtime | ShortReal | String
    ) {
        return None;
    }
    if let Some(range) = variable.range {
        let size = range.msb.abs_diff(range.lsb).checked_add(1)?;
        return (size == u64::from(variable.width)).then_some((&*variable.name, range));
    }
    let (name, index) = variable.name.strip_suffix(']')?.rsplit_once('[')?;
    let index: i64 = index.trim().parse().ok()?;
    let range = BitRange {
        msb: index,
        lsb: index,
    };
    (is_element && !name.is_empty()).then_some((name, range))
}

/// Pieces that make a vector, the leftmost first.
struct Vector {
    pieces: Vec<Piece>,
    range: BitRange,
    /// Only bits, of which nothing tells which end is the left one.
    bits: bool,
}

/// The vectors that some pieces of one name make.
fn vectors(pieces: &[Piece]) -> Vec<Vector> {
    // The first declarations of each range, the second ones, and so on.
    let mut rounds: Vec<Vec<Piece>> = Vec::new();
    let mut counts: HashMap<(i64, i64), usize> = HashMap::new();
    for piece in pieces {
        let count = counts.entry((piece.low(), piece.high())).or_insert(0);
        match rounds.get_mut(*count) {
            Some(round) => round.push(*piece),
            None => rounds.push(vec![*piece]),
        }
        *count += 1;
    }
    rounds.into_iter().flat_map(vectors_of_round).collect()
}

fn vectors_of_round(mut pieces: Vec<Piece>) -> Vec<Vector> {
    let of = |down: bool| {
        let told = |piece: &Piece| match down {
            true => piece.range.msb > piece.range.lsb,
            false => piece.range.msb < piece.range.lsb,
        };
        pieces.iter().any(told)
    };
    let (down, up) = (of(true), of(false));
    pieces.sort_by_key(Piece::low);
    let overlap = pieces.windows(2).any(|two| two[1].low() <= two[0].high());
    if overlap || (down && up) {
        return Vec::new();
    }
    let adjoining = |one: &Piece, two: &Piece| one.high().checked_add(1) == Some(two.low());
    let runs = pieces.chunk_by(adjoining).filter(|run| run.len() > 1);
    let mut vectors = Vec::new();
    for run in runs {
        let (low, high) = (run[0].low(), run[run.len() - 1].high());
        let most = u64::from(MAX_WIDTH).min(PIECE * run.len() as u64);
        if low.abs_diff(high) >= most {
            continue;
        }
        let mut run = run.to_vec();
        if !up {
            run.reverse();
        }
        let (msb, lsb) = if up { (low, high) } else { (high, low) };
        vectors.push(Vector {
            pieces: run,
            range: BitRange { msb, lsb },
            bits: !up && !down,
        });
    }
    vectors
}

struct Joining {
    /// By the first piece declared, the variable that takes its place.
    joined: Vec<Option<Variable>>,
    dropped: Vec<bool>,
    /// The signals there are already, by their parts.
    signals: HashMap<Vec<(SignalId, u32)>, SignalId>,
}

impl Joining {
    fn add(&mut self, header: &mut Header, group: &Group, vector: &Vector) {
        let of = |piece: &Piece| &header.variables[piece.variable];
        let pieces = vector.pieces.iter();
        let parts: Vec<_> = pieces
            .clone()
            .map(|p| (of(p).signal, of(p).width))
            .collect();
        let width = parts.iter().map(|(_, width)| width).sum();
        let next = SignalId(header.widths.len() as u32);
        let signal = *self.signals.entry(parts.clone()).or_insert(next);
        if signal == next {
            let mut low = width;
            let mut joined = Vec::with_capacity(parts.len());
            for (piece, (signal, width)) in vector.pieces.iter().zip(parts) {
                low -= width;
                joined.push(Part { signal, width, low });
                let code = &header.variables[piece.variable].code;
                let codes = &mut header.codes_of_parts;
                codes.entry(signal).or_insert_with(|| code.clone());
            }
            header.widths.push(width);
            header.joined.push(Joined { parts: joined });
        }
        let first = vector.pieces.iter().map(|piece| piece.variable).min();
        let Some(first) = first else {
            return;
        };
        for piece in &vector.pieces {
            self.dropped[piece.variable] = piece.variable != first;
        }
        let leftmost = &header.variables[vector.pieces[0].variable];
        self.joined[first] = Some(Variable {
            kind: leftmost.kind,
            width,
            signal,
            code: leftmost.code.clone(),
            name: group.name.clone(),
            range: Some(vector.range),
            scope: header.variables[first].scope,
            bits: vector.bits,
            escaped: header.variables[first].escaped,
        });
    }
}
