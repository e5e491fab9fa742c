//! The parser of the declarations: nom combinators over one section at a time.

use std::collections::HashMap;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1, i64 as integer};
use nom::combinator::{all_consuming, map_opt, opt};
use nom::sequence::{delimited, preceded, separated_pair};

use crate::codes::{Codes, is_blank};
use crate::error::{Checked, Expected, Fault, Parsed, expect, fail, incomplete};
use crate::header::{
    BitRange, Header, MAX_WIDTH, Scope, ScopeId, ScopeKind, SignalId, Timescale, UNITS, VarKind,
    Variable,
};
use crate::join::join;
use crate::value::decoded;

/// What some editors put before a text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Deepest nesting of scopes.
const MAX_DEPTH: u32 = 4096;

/// The text from `$keyword` to its `$end`.
pub(crate) struct Section<'a> {
    pub(crate) keyword: &'a [u8],
    pub(crate) content: &'a [u8],
}

/// Skips white space.
pub(crate) fn blanks(input: &[u8]) -> Parsed<'_, ()> {
    take_while(is_blank).map(drop).parse(input)
}

/// A token: everything up to white space.
fn word(input: &[u8]) -> Parsed<'_, &[u8]> {
    preceded(blanks, take_while1(|byte| !is_blank(byte))).parse(input)
}

/// `$keyword` at the start of `input`, which must be ended by white space, or by the end of the
/// dump if this is its `last` part.
pub(crate) fn keyword(input: &[u8], last: bool) -> Parsed<'_, &[u8]> {
    let (rest, _) = expect(Expected::HeaderCommand, char('$'))(input)?;
    let length = rest.iter().take_while(|&&byte| !is_blank(byte)).count();
    let (keyword, after) = rest.split_at(length);
    match (after.is_empty(), keyword.is_empty()) {
        (true, _) if !last => incomplete(),
        (_, true) => fail(rest, Expected::Keyword),
        _ => Ok((after, keyword)),
    }
}

/// What stands before the next token `$end`, and `$end` itself.
pub(crate) fn until_end(input: &[u8], last: bool) -> Parsed<'_, &[u8]> {
    for start in memchr::memmem::find_iter(input, b"$end") {
        let after = &input[start + 4..];
        let whole_token = start == 0 || is_blank(input[start - 1]);
        match after.first() {
            None if !last => break,
            Some(&byte) if !is_blank(byte) => {}
            _ if whole_token => return Ok((after, &input[..start])),
            _ => {}
        }
    }
    match last {
        true => fail(&input[input.len()..], Expected::End),
        false => incomplete(),
    }
}

/// The next section of the declarations. `$enddefinitions` may lack its `$end`, but not at the end of a dump.
fn section(input: &[u8], last: bool) -> Parsed<'_, Section<'_>> {
    if input.is_empty() && !last {
        return incomplete();
    }
    let (rest, keyword) = keyword(input, last)?;
    if keyword == b"enddefinitions" {
        let (after, ()) = blanks(rest)?;
        if after.len() < 5 && !last {
            return incomplete();
        }
        let (end, found) = opt(tag(&b"$end"[..])).parse(after)?;
        let ended = found.is_some() && end.first().is_none_or(|&byte| is_blank(byte));
        if !ended && after.is_empty() {
            // It lacks what would follow as well: the dump is cut.
            return fail(after, Expected::End);
        }
        let rest = if ended { end } else { rest };
        return Ok((
            rest,
            Section {
                keyword,
                content: &[],
            },
        ));
    }
    let (rest, content) = until_end(rest, last)?;
    Ok((rest, Section { keyword, content }))
}

/// A fault within a section, moved on over white space to the token that is in the way.
fn at_next_token<'a>(input: &'a [u8], fault: Fault<'a>) -> Fault<'a> {
    let start = fault.at.as_ptr().addr().wrapping_sub(input.as_ptr().addr());
    let at = input.get(start..).unwrap_or(fault.at);
    Fault {
        at: at.trim_ascii_start(),
        ..fault
    }
}

/// Builds a [`Header`] from sections.
#[derive(Default)]
pub(crate) struct Declarations {
    header: Header,
    open: Vec<ScopeId>,
    codes: HashMap<Box<[u8]>, (SignalId, u32)>,
    /// Variables of one bit whose name ends with an index: bits of a vector, or elements of an array.
    elements: Vec<u32>,
}

impl Declarations {
    /// Parses as many sections as `input` has in whole, and leaves the rest; true once
    /// `$enddefinitions` was reached. After a fault `input` begins with its section.
    pub(crate) fn parse<'a>(&mut self, input: &mut &'a [u8], last: bool) -> Checked<'a, bool> {
        loop {
            (*input, ()) = blanks(input)?;
            let (rest, section) = match section(input, last) {
                Err(nom::Err::Incomplete(_)) => return Ok(false),
                other => other?,
            };
            let end = section.keyword == b"enddefinitions";
            if !end && let Err(error) = self.add(&section) {
                return Err(error.map(|fault| at_next_token(input, fault)));
            }
            *input = rest;
            if end {
                return Ok(true);
            }
        }
    }

    /// The header, which ends at byte `end` of the dump, and the table of its codes.
    pub(crate) fn finish(mut self, end: u64) -> (Header, Codes) {
        self.header.start = end;
        self.header.widths = vec![0; self.codes.len()];
        for (signal, width) in self.codes.values() {
            self.header.widths[signal.index()] = *width;
        }
        join(&mut self.header, &self.elements);
        (self.header, Codes::new(self.codes))
    }

    fn add<'a>(&mut self, section: &Section<'a>) -> Checked<'a, ()> {
        let content = section.content;
        match section.keyword {
            b"date" => self.header.date = Some(text(content)),
            b"version" => self.header.version = Some(text(content)),
            b"comment" => self.header.comments.push(text(content)),
            b"timescale" => {
                // Of ticks of no length nothing follows.
                let (_, told) = timescale(content)?;
                self.header.timescale = Some(told).filter(|told| told.number > 0);
            }
            b"scope" => self.scope(content)?,
            b"upscope" => self.upscope(content)?,
            b"var" => self.variable(content)?,
            // Other simulators' sections, such as `$attrbegin`, say nothing about values.
            _ => {}
        }
        Ok(())
    }

    fn scope<'a>(&mut self, input: &'a [u8]) -> Checked<'a, ()> {
        let (name, kind) = expect(Expected::ScopeType, word)(input)?;
        if self.open.len() >= MAX_DEPTH as usize {
            return fail(input, Expected::Depth(MAX_DEPTH));
        }
        let kind = match kind {
            b"module" => ScopeKind::Module,
            b"task" => ScopeKind::Task,
            b"function" => ScopeKind::Function,
            b"begin" => ScopeKind::Begin,
            b"fork" => ScopeKind::Fork,
            other => ScopeKind::Other(text(other).into()),
        };
        let id = ScopeId(index(self.header.scopes.len(), input)?);
        self.header.scopes.push(Scope {
            kind,
            name: plain(&text(name)).into(),
            parent: self.open.last().copied(),
            escaped: is_escaped(name),
        });
        self.open.push(id);
        Ok(())
    }

    fn upscope<'a>(&mut self, input: &'a [u8]) -> Checked<'a, ()> {
        let (rest, ()) = blanks(input)?;
        if !rest.is_empty() {
            return fail(rest, Expected::NoMore);
        }
        match self.open.pop() {
            Some(_) => Ok(()),
            None => fail(input, Expected::OpenScope),
        }
    }

    fn variable<'a>(&mut self, input: &'a [u8]) -> Checked<'a, ()> {
        let (rest, kind) = expect(Expected::VarType, word)(input)?;
        if kind == b"port" && rest.trim_ascii_start().starts_with(b"[") {
            return fail(input, Expected::FourState);
        }
        let (rest, width) = expect(Expected::Size(MAX_WIDTH), size)(rest)?;
        let (rest, code) = expect(Expected::Code, code)(rest)?;
        let kind = VarKind::from_word(kind);
        // Tools write any size for an event, 0 as well.
        let width = if kind == VarKind::Event { 1 } else { width };
        let (_, (name, range)) = reference(rest, width)?;
        let next = index(self.codes.len(), input)?;
        if width == 1 && range.is_none() && name.ends_with(']') && !is_escaped(rest) {
            self.elements.push(self.header.variables.len() as u32);
        }
        let (signal, widest) = self
            .codes
            .entry(code.into())
            .or_insert_with(|| (SignalId(next), width));
        *widest = (*widest).max(width);
        self.header.variables.push(Variable {
            kind,
            width,
            signal: *signal,
            code: text(code).into(),
            name,
            range,
            scope: self.open.last().copied(),
            bits: false,
            escaped: is_escaped(rest),
        });
        Ok(())
    }
}

fn index(length: usize, at: &[u8]) -> Checked<'_, u32> {
    match u32::try_from(length) {
        Ok(index) if index < u32::MAX => Ok(index),
        _ => fail(at, Expected::ManySignals),
    }
}

/// Free text, trimmed.
fn text(bytes: &[u8]) -> String {
    decoded(bytes.trim_ascii())
}

/// A name without the backslashes of an escaped one: before it in Verilog, around it in VHDL.
fn plain(name: &str) -> &str {
    match name.strip_prefix('\\') {
        Some(name) => name.strip_suffix('\\').unwrap_or(name),
        None => name,
    }
}

/// `1 ns`, with or without white space between.
fn timescale(input: &[u8]) -> Parsed<'_, Timescale> {
    let (rest, number) = expect(Expected::TimescaleNumber, preceded(blanks, decimal))(input)?;
    let unit = map_opt(word, |word| {
        UNITS
            .iter()
            .find(|(unit, _)| unit.as_bytes() == word)
            .map(|(_, exponent)| *exponent)
    });
    let (rest, exponent) = expect(Expected::TimescaleUnit, unit)(rest)?;
    let (rest, ()) = expect(Expected::NoMore, all_consuming(blanks))(rest)?;
    Ok((rest, Timescale { number, exponent }))
}

fn decimal(input: &[u8]) -> Parsed<'_, u32> {
    map_opt(digit1, |digits: &[u8]| {
        std::str::from_utf8(digits).ok()?.parse().ok()
    })
    .parse(input)
}

fn size(input: &[u8]) -> Parsed<'_, u32> {
    let bounded = map_opt(word, |digits| {
        let (_, width) = all_consuming(decimal).parse(digits).ok()?;
        (width <= MAX_WIDTH).then_some(width)
    });
    preceded(blanks, bounded).parse(input)
}

fn code(input: &[u8]) -> Parsed<'_, &[u8]> {
    map_opt(word, |code| {
        code.iter().all(u8::is_ascii_graphic).then_some(code)
    })
    .parse(input)
}

/// The name of a variable and its bit range, if one stands with it.
///
/// After white space, `[..]` is the range. Without, `[msb:lsb]` of the variable's own width is, as GHDL
/// writes it; anything else is part of the name, as in elements of arrays and in escaped names.
fn reference(input: &[u8], width: u32) -> Parsed<'_, (Box<str>, Option<BitRange>)> {
    let input = input.trim_ascii_end();
    let (rest, ()) = blanks(input)?;
    if rest.is_empty() {
        return fail(rest, Expected::Name);
    }
    let escaped = is_escaped(rest);
    let bracket = memchr::memrchr(b'[', rest).filter(|&at| at > 0);
    let (name, range) = match bracket {
        Some(at) => {
            let apart = is_blank(rest[at - 1]);
            let found = all_consuming(range)
                .parse(&rest[at..])
                .ok()
                .map(|(_, range)| range);
            let is_pair = rest[at..].contains(&b':');
            let its_own = |range: &BitRange| {
                is_pair && range.msb.abs_diff(range.lsb).checked_add(1) == Some(width.into())
            };
            match found.filter(|range| apart || (!escaped && its_own(range))) {
                Some(range) => (&rest[..at], Some(range)),
                None => (rest, None),
            }
        }
        None => (rest, None),
    };
    let mut name = text(name);
    if !escaped && memchr::memmem::find(name.as_bytes(), b" [").is_some() {
        // `mem [1] [3:0]` is the range of an element, which is `mem[1]`.
        let parts: Vec<_> = name.split('[').map(str::trim_end).collect();
        name = parts.join("[");
    }
    Ok((&[], (plain(&name).into(), range)))
}

/// Whether a name is an escaped one, in which brackets mean nothing.
fn is_escaped(name: &[u8]) -> bool {
    name.trim_ascii_start().starts_with(b"\\")
}

/// `[msb:lsb]` or `[bit]`.
fn range(input: &[u8]) -> Parsed<'_, BitRange> {
    let pair = separated_pair(number, char(':'), number).map(|(msb, lsb)| BitRange { msb, lsb });
    let bit = number.map(|bit| BitRange { msb: bit, lsb: bit });
    delimited(char('['), alt((pair, bit)), char(']')).parse(input)
}

fn number(input: &[u8]) -> Parsed<'_, i64> {
    delimited(blanks, integer, blanks).parse(input)
}
