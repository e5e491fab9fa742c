//! The parser of the value changes: one nom parser per kind of command, chosen by its first byte.

use std::ops::ControlFlow;

use crate::codes::{Codes, is_blank};
use crate::declarations::{blanks, keyword, until_end};
use crate::digits;
use crate::error::{Checked, Expected, Parsed, fail, incomplete};
use crate::header::SignalId;
use crate::value::{BitsRef, State, ValueRef};

/// One thing that happens in a dump, borrowed from its text.
///
/// ```
/// use lockstep_vcd::{Event, Slice};
///
/// let mut dump = Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n#5\n1!\n")?;
/// let mut events = dump.events();
/// assert_eq!(events.next().unwrap()?, Event::Time(5));
/// let Event::Change(signal, value) = events.next().unwrap()? else { panic!() };
/// assert_eq!((signal.index(), value.to_u64()), (0, Some(1)));
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// Time advances to this tick. What comes before the first one happens at time 0.
    Time(u64),
    /// A signal takes a value.
    Change(SignalId, ValueRef<'a>),
    /// A section of the dump begins.
    Begin(Section),
    /// The section ends. Some tools leave this out.
    End(Section),
    /// A `$comment`, or a section that is unknown here: its text, trimmed.
    Comment(&'a [u8]),
}

/// A command of the simulator that wrote values, whether or not they changed.
///
/// ```
/// use lockstep_vcd::{Event, Section, Slice};
///
/// let mut dump = Slice::new(b"$enddefinitions $end\n$dumpvars $end\n")?;
/// let events: Vec<_> = dump.events().collect::<Result<_, _>>()?;
/// assert_eq!(events, [Event::Begin(Section::DumpVars), Event::End(Section::DumpVars)]);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// `$dumpall`: a checkpoint of all signals.
    DumpAll,
    /// `$dumpoff`: dumping stops, values are x.
    DumpOff,
    /// `$dumpon`: dumping resumes.
    DumpOn,
    /// `$dumpvars`: initial values.
    DumpVars,
}

/// What a first byte begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Blank,
    Scalar,
    Time,
    Vector,
    Real,
    Text,
    Command,
    /// Of an extended dump.
    Port,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'#' => Class::Time,
            b'b' | b'B' => Class::Vector,
            b'r' | b'R' => Class::Real,
            b's' | b'S' => Class::Text,
            b'$' => Class::Command,
            b'p' => Class::Port,
            other if is_blank(other) => Class::Blank,
            other if State::from_byte(other).is_some() => Class::Scalar,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte is a digit of a vector.
const DIGITS: [bool; 256] = {
    let mut digits = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        digits[byte] = State::from_byte(byte as u8).is_some();
        byte += 1;
    }
    digits
};

/// What the parser must know of the dump before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    /// The time now.
    pub(crate) time: u64,
    /// The section that was begun last, if it has not ended.
    pub(crate) section: Option<Section>,
    /// The time at which it was begun.
    begun: u64,
    /// A section of this dump has ended with `$end`.
    ends: bool,
    /// Fractions of a tick are rounded.
    pub(crate) lenient: bool,
    /// Some were.
    pub(crate) rounded: bool,
    /// The last time where they are: whole ticks, and billionths of billionths of one.
    exact: (u64, u64),
    /// A comment says that the limit of the dump was reached.
    pub(crate) limited: bool,
}

impl Progress {
    /// The same reader at another place, at which it is `time`.
    pub(crate) const fn at(self, time: u64) -> Self {
        Self {
            time,
            section: None,
            exact: (0, 0),
            ..self
        }
    }

    /// The same reader at the start of the dump, of which it knows nothing: what was read elsewhere may have been a comment.
    pub(crate) const fn at_start(self) -> Self {
        Self {
            ends: false,
            ..self.at(0)
        }
    }

    /// A fault if the dump ends here in the middle of a section, by a tool that ends them.
    pub(crate) fn end<'a>(&self, rest: &'a [u8]) -> Checked<'a, ()> {
        match self.ends && self.section.is_some() && self.begun == self.time {
            true => fail(&rest[rest.len()..], Expected::SectionEnd),
            false => Ok(()),
        }
    }
}

/// Parses events and shows them to `visit`, until it breaks or no whole one is left; `rest` is then
/// what follows the last one shown.
///
/// The most frequent kinds have their own calls of `visit`, so that their events stay in
/// registers.
#[inline(always)]
pub(crate) fn visit_all<'a, const LAST: bool, B>(
    codes: &Codes,
    progress: &mut Progress,
    rest: &mut &'a [u8],
    visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
) -> Checked<'a, ControlFlow<B>> {
    loop {
        if let Some(visited) = visit_lines(codes, progress, rest, visit) {
            return Ok(visited);
        }
        let visited = if let Some((after, event)) = binary_change(codes, rest) {
            *rest = after;
            visit(event)
        } else {
            let (after, event) = match event::<LAST>(codes, progress, rest) {
                Err(nom::Err::Incomplete(_)) => {
                    (*rest, ()) = blanks(rest)?;
                    if LAST {
                        progress.end(rest)?;
                    }
                    return Ok(ControlFlow::Continue(()));
                }
                other => other?,
            };
            *rest = after;
            visit(event)
        };
        if visited.is_break() {
            return Ok(visited);
        }
    }
}

/// Bytes of which the ends of lines are looked for at once.
const BLOCK: usize = 64;

/// The rest from a block on: no line of it is read beyond this.
type Lines = [u8; BLOCK + 16];

/// Parses lines that are times and changes to 0, 1 or a vector of them, as long as they are that and nothing else, and
/// are short. What comes then is left to the general parsers. Some if `visit` breaks.
///
/// Where a line ends is known for a whole block before anything of it is parsed, so that the processor parses a line
/// while those before it are still under way.
#[inline(always)]
fn visit_lines<B>(
    codes: &Codes,
    progress: &mut Progress,
    rest: &mut &[u8],
    visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
) -> Option<ControlFlow<B>> {
    while let Some(lines) = rest.first_chunk() {
        let block: &[u8; BLOCK] = lines.first_chunk()?;
        let mut ends = digits::newlines(block);
        let others = digits::not_binary(block);
        if ends == 0 {
            return None;
        }
        let mut start = 0;
        while ends != 0 {
            let end = ends.trailing_zeros() as usize;
            ends &= ends - 1;
            let visited = if lines[start] == b'#' {
                let time = line_time(lines, start + 1, end).filter(|&time| time >= progress.time);
                time.map(|time| {
                    progress.time = time;
                    visit(Event::Time(time))
                })
            } else {
                line_change(codes, lines, others, start, end).map(&mut *visit)
            };
            let Some(visited) = visited else {
                *rest = &rest[start..];
                return None;
            };
            start = end + 1;
            if visited.is_break() {
                *rest = &rest[start..];
                return Some(visited);
            }
        }
        *rest = &rest[start..];
    }
    None
}

/// A time of 1 to 16 digits.
#[inline(always)]
fn line_time(lines: &Lines, start: usize, end: usize) -> Option<u64> {
    let length = end.checked_sub(start).filter(|&length| length > 0)? as u32;
    let first = digits::eight(lines.get(start..)?)?;
    if length <= 8 {
        return (digits::until_not_decimal(first) >= length)
            .then(|| digits::decimal(first, length));
    }
    let second = digits::eight(lines.get(start + 8..)?)?;
    let more = length - 8;
    let is_decimal =
        digits::until_not_decimal(first) == 8 && digits::until_not_decimal(second) >= more;
    is_decimal
        .then(|| digits::decimal(first, 8) * POWERS[more as usize] + digits::decimal(second, more))
}

/// A change to 0, 1 or a vector of them; `others` tells which bytes are neither `0` nor `1`.
///
/// Which of the two comes next, nobody can predict; so this decides nothing by branches that depend on it.
#[inline(always)]
fn line_change<'a>(
    codes: &Codes,
    lines: &'a Lines,
    others: u64,
    start: usize,
    end: usize,
) -> Option<Event<'a>> {
    let vector = lines[start] == b'b';
    let first = start + usize::from(vector);
    let after = match vector {
        true => (others >> start >> 1).trailing_zeros() as usize + start + 1,
        false => start + 1,
    };
    let code = after + usize::from(vector);
    let separated = !vector | (*lines.get(after)? == b' ');
    let is_change = (others >> first & 1 == 0) & separated & (code < end);
    if !is_change {
        return None;
    }
    let entry = codes.of_length(digits::eight(lines.get(code..)?)?, end - code)?;
    let digits = lines.get(first..after)?;
    if digits.len() > entry.width as usize {
        return None;
    }
    let bits = BitsRef {
        digits,
        width: entry.width,
    };
    Some(Event::Change(entry.signal, ValueRef::Bits(bits)))
}

/// Parses the next event.
///
/// `Incomplete` means: with `LAST`, that nothing but white space is left; without, that the rest
/// does not hold a whole event. With `LAST` the end of the input also ends a token.
#[inline(always)]
pub(crate) fn event<'a, const LAST: bool>(
    codes: &Codes,
    progress: &mut Progress,
    mut input: &'a [u8],
) -> Parsed<'a, Event<'a>> {
    loop {
        let Some((first, rest)) = input.split_first() else {
            return incomplete();
        };
        return match CLASSES[usize::from(*first)] {
            Class::Blank => {
                input = rest;
                continue;
            }
            Class::Scalar => scalar::<LAST>(codes, input, rest),
            Class::Vector => vector::<LAST>(codes, rest),
            Class::Time => time::<LAST>(progress, rest),
            Class::Real => real::<LAST>(codes, rest),
            Class::Text => string::<LAST>(codes, rest),
            Class::Command => command::<LAST>(progress, input),
            Class::Port => fail(input, Expected::FourState),
            Class::Other => fail(input, Expected::Change),
        };
    }
}

/// Parses a change to 0, 1 or a vector of 1 to 64 of them, if the input is nothing but that and
/// goes on for long enough. Everything else is None, and left to the general parsers.
///
/// Which kind of change comes next, and how long it is, nobody can predict; so this decides
/// nothing by branches that depend on it.
#[inline(always)]
fn binary_change<'a>(codes: &Codes, input: &'a [u8]) -> Option<(&'a [u8], Event<'a>)> {
    let head = input.first_chunk::<80>()?;
    let vector = head[0] == b'b';
    if head[usize::from(vector)] & !1 != b'0' {
        return None;
    }
    // The first digit of a vector is the byte before these.
    let others = digits::not_binary(head[2..].first_chunk::<64>()?);
    let written = others.trailing_zeros() as usize + 1;
    let (start, end, code) = if vector {
        (1, 1 + written, 2 + written)
    } else {
        (0, 1, 1)
    };
    if vector & ((head[end] != b' ') | (others == 0)) {
        return None;
    }
    let (length, entry) = codes.short(digits::eight(head.get(code..)?)?)?;
    if end - start > entry.width as usize {
        return None;
    }
    let bits = BitsRef {
        digits: head.get(start..end)?,
        width: entry.width,
    };
    let rest = input.get(code + length + 1..)?;
    Some((rest, Event::Change(entry.signal, ValueRef::Bits(bits))))
}

#[inline(always)]
fn scalar<'a, const LAST: bool>(
    codes: &Codes,
    input: &'a [u8],
    rest: &'a [u8],
) -> Parsed<'a, Event<'a>> {
    let (rest, entry) = codes.parse::<LAST>(rest)?;
    let bits = BitsRef {
        digits: &input[..1],
        width: entry.width,
    };
    if entry.width == 0 {
        return fail(input, Expected::AtMostDigits(0));
    }
    Ok((rest, Event::Change(entry.signal, ValueRef::Bits(bits))))
}

#[inline(always)]
fn vector<'a, const LAST: bool>(codes: &Codes, input: &'a [u8]) -> Parsed<'a, Event<'a>> {
    let (rest, digits) = binary_digits(input);
    let (rest, ()) = gap::<LAST>(rest, Expected::Digits)?;
    let (rest, entry) = codes.parse::<LAST>(rest)?;
    // Some tools write zeros above the width.
    let digits = match digits.len().checked_sub(entry.width as usize) {
        Some(above) if digits[..above].iter().all(|&digit| digit == b'0') => &digits[above..],
        Some(_) => return fail(input, Expected::AtMostDigits(entry.width)),
        None => digits,
    };
    if digits.is_empty() && entry.width > 0 {
        return fail(input, Expected::Digits);
    }
    let bits = BitsRef {
        digits,
        width: entry.width,
    };
    Ok((rest, Event::Change(entry.signal, ValueRef::Bits(bits))))
}

/// The longest prefix of digits, and what follows it.
#[inline(always)]
fn binary_digits(input: &[u8]) -> (&[u8], &[u8]) {
    let mut rest = input;
    while let Some(block) = rest.first_chunk::<64>() {
        let length = digits::not_binary(block).trailing_zeros() as usize;
        rest = &rest[length..];
        if length < 64 {
            break;
        }
    }
    // Usually a blank; the table is for other states, and for the end of the input.
    if rest.first().is_some_and(|&byte| DIGITS[usize::from(byte)]) {
        let more = rest
            .iter()
            .take_while(|&&byte| DIGITS[usize::from(byte)])
            .count();
        rest = &rest[more..];
    }
    let length = input.len() - rest.len();
    (rest, &input[..length])
}

/// The white space between a value and its code.
#[inline(always)]
fn gap<const LAST: bool>(input: &[u8], value: Expected) -> Parsed<'_, ()> {
    match input {
        [first, second, ..] if is_blank(*first) && *second > b' ' => Ok((&input[1..], ())),
        _ => long_gap::<LAST>(input, value),
    }
}

#[cold]
fn long_gap<const LAST: bool>(input: &[u8], value: Expected) -> Parsed<'_, ()> {
    match input.first() {
        None if LAST => fail(input, Expected::Code),
        None => incomplete(),
        Some(&byte) if !is_blank(byte) => fail(input, value),
        Some(_) => blanks(input),
    }
}

#[inline(always)]
fn time<'a, const LAST: bool>(progress: &mut Progress, input: &'a [u8]) -> Parsed<'a, Event<'a>> {
    let (rest, time) = match ticks::<LAST>(input) {
        Err(nom::Err::Failure(fault)) if fault.expected == Expected::WholeTicks => {
            if !progress.lenient {
                return Err(nom::Err::Failure(fault));
            }
            let (rest, exact) = fraction::<LAST>(input)?;
            progress.rounded = true;
            let up = u64::from(exact.1 >= HALF);
            let Some(time) = exact.0.checked_add(up) else {
                return fail(input, Expected::Time);
            };
            in_order(progress, input, exact)?;
            (rest, time)
        }
        other => {
            let (rest, time) = other?;
            if progress.lenient {
                in_order(progress, input, (time, 0))?;
            }
            (rest, time)
        }
    };
    if time < progress.time {
        return fail(input, Expected::TimeNotBelow(progress.time));
    }
    progress.time = time;
    Ok((rest, Event::Time(time)))
}

/// Half a tick in the unit of fractions.
const HALF: u64 = 500_000_000_000_000_000;

/// Takes a time that may have a fraction: rounded ones may be equal where these go back.
#[inline(never)]
fn in_order<'a>(progress: &mut Progress, input: &'a [u8], exact: (u64, u64)) -> Checked<'a, ()> {
    if exact < progress.exact {
        return fail(input, Expected::TimeNotBack);
    }
    progress.exact = exact;
    Ok(())
}

/// What the digits are worth that stand before up to eight others.
const POWERS: [u64; 9] = {
    let mut powers = [1; 9];
    let mut place = 1;
    while place < powers.len() {
        powers[place] = 10 * powers[place - 1];
        place += 1;
    }
    powers
};

/// The digits of a time, and the one white space after them.
#[inline(always)]
pub(crate) fn ticks<const LAST: bool>(input: &[u8]) -> Parsed<'_, u64> {
    if let Some((first, second)) = digits::eight(input).zip(input.get(8..).and_then(digits::eight))
    {
        let length = digits::until_not_decimal(first);
        if length < 8 {
            if length > 0 && is_blank((first >> (8 * length)) as u8) {
                return Ok((
                    &input[length as usize + 1..],
                    digits::decimal(first, length),
                ));
            }
        } else {
            let more = digits::until_not_decimal(second);
            if more < 8 && is_blank((second >> (8 * more)) as u8) {
                let high = digits::decimal(first, 8);
                let time = high * POWERS[more as usize] + digits::decimal(second, more);
                return Ok((&input[more as usize + 9..], time));
            }
        }
    }
    any_ticks::<LAST>(input)
}

#[inline(never)]
fn any_ticks<const LAST: bool>(input: &[u8]) -> Parsed<'_, u64> {
    let length = input
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (digits, rest) = input.split_at(length);
    let value = || std::str::from_utf8(digits).ok()?.parse().ok();
    match rest.split_first() {
        None if !LAST => incomplete(),
        None if length > 0 => fail(input, Expected::WholeTime),
        Some((b'.', _)) if length > 0 => fail(input, Expected::WholeTicks),
        Some((&byte, _)) if !is_blank(byte) && length > 0 => fail(rest, Expected::AfterTime),
        after => match value() {
            Some(time) => Ok((after.map_or(rest, |(_, rest)| rest), time)),
            None => fail(input, Expected::Time),
        },
    }
}

/// A time with a fraction: whole ticks, and billionths of billionths of one.
#[cold]
fn fraction<const LAST: bool>(input: &[u8]) -> Parsed<'_, (u64, u64)> {
    let length = input.iter().take_while(|&&byte| !is_blank(byte)).count();
    let (token, rest) = input.split_at(length);
    match rest.first() {
        None if !LAST => return incomplete(),
        None => return fail(input, Expected::WholeTime),
        Some(_) => {}
    }
    let parts = std::str::from_utf8(token)
        .ok()
        .and_then(|token| token.split_once('.'));
    let time = parts.and_then(|(whole, fraction)| {
        let is_number = fraction.bytes().all(|byte| byte.is_ascii_digit());
        let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(18);
        let fraction = digits.fold(0, |sum, digit| 10 * sum + u64::from(digit & 0xf));
        Some((whole.parse().ok()?, fraction)).filter(|_| is_number)
    });
    match time {
        Some(time) => Ok((&rest[1..], time)),
        None => fail(input, Expected::Time),
    }
}

/// A token that is followed by a gap and a code, for the rarer values.
fn token<const LAST: bool>(input: &[u8], value: Expected) -> Parsed<'_, &[u8]> {
    let length = input.iter().take_while(|&&byte| !is_blank(byte)).count();
    let (token, rest) = input.split_at(length);
    let (rest, ()) = gap::<LAST>(rest, value)?;
    Ok((rest, token))
}

#[inline(never)]
fn real<'a, const LAST: bool>(codes: &Codes, input: &'a [u8]) -> Parsed<'a, Event<'a>> {
    let (rest, token) = token::<LAST>(input, Expected::Real)?;
    let number = std::str::from_utf8(token)
        .ok()
        .and_then(|token| token.parse().ok());
    let Some(number) = number else {
        return fail(input, Expected::Real);
    };
    let (rest, entry) = codes.parse::<LAST>(rest)?;
    Ok((rest, Event::Change(entry.signal, ValueRef::Real(number))))
}

#[inline(never)]
fn string<'a, const LAST: bool>(codes: &Codes, input: &'a [u8]) -> Parsed<'a, Event<'a>> {
    let (rest, token) = token::<LAST>(input, Expected::Text)?;
    let (rest, entry) = codes.parse::<LAST>(rest)?;
    Ok((rest, Event::Change(entry.signal, ValueRef::Text(token))))
}

#[inline(never)]
fn command<'a, const LAST: bool>(
    progress: &mut Progress,
    input: &'a [u8],
) -> Parsed<'a, Event<'a>> {
    let (rest, keyword) = keyword(input, LAST)?;
    let section = match keyword {
        b"dumpall" => Section::DumpAll,
        b"dumpoff" => Section::DumpOff,
        b"dumpon" => Section::DumpOn,
        b"dumpvars" => Section::DumpVars,
        b"end" => {
            return match progress.section.take() {
                Some(section) => {
                    progress.ends = true;
                    Ok((rest, Event::End(section)))
                }
                None => fail(input, Expected::OpenSection),
            };
        }
        b"var" | b"scope" | b"upscope" | b"enddefinitions" => {
            return fail(input, Expected::Change);
        }
        other if other.starts_with(b"dumpports") => return fail(input, Expected::FourState),
        _ => {
            let (rest, text) = until_end(rest, LAST)?;
            let text = text.trim_ascii();
            progress.limited |= keyword == b"comment" && tells_a_limit(text);
            return Ok((rest, Event::Comment(text)));
        }
    };
    progress.section = Some(section);
    progress.begun = progress.time;
    Ok((rest, Event::Begin(section)))
}

/// Whether a comment is the one that a simulator ends a dump with at its `$dumplimit`: IEEE 1364, 18.1.5, has no wording.
fn tells_a_limit(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    text.starts_with(b"dump") && text.windows(5).any(|word| word == b"limit")
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use crate::{Slice, Source};

    /// All events of a dump, and the fault that ends them: by `next`, which knows no lines.
    fn one_by_one(text: &[u8]) -> Vec<String> {
        let mut dump = Slice::new(text).unwrap();
        let events = dump.events();
        events.map(|event| format!("{event:?}")).collect()
    }

    /// The same of `visit`, which begins again after every `pause` events.
    fn visited(text: &[u8], pause: usize) -> Vec<String> {
        let mut dump = Slice::new(text).unwrap();
        let mut all = vec![];
        loop {
            let mut left = pause;
            let visited = dump.try_for_each(|event| {
                all.push(format!("{:?}", Ok::<_, ()>(event)));
                left -= 1;
                match left {
                    0 => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            });
            match visited {
                Ok(ControlFlow::Break(())) => {}
                Ok(ControlFlow::Continue(())) => return all,
                Err(error) => {
                    all.push(format!("{:?}", Err::<(), _>(error)));
                    return all;
                }
            }
        }
    }

    #[test]
    fn lines_at_once_are_those_one_by_one() {
        let lines: [&[u8]; 43] = [
            b"0!",
            b"1!",
            b"1\"",
            b"0#",
            b"b0 $",
            b"b1011 $",
            b"b10110100 $",
            b"b101101001 $",
            b"bx01 $",
            b"b01z $",
            b"b $",
            b"b1  $",
            b"b1\t$",
            b"b1 $ ",
            b" 1!",
            b"x!",
            b"Z!",
            b"1 !",
            b"1! 0!",
            b"1%%",
            b"0%%",
            b"1~~~~~",
            b"1?",
            b"b1 ?",
            b"1",
            b"b101",
            b"",
            b"#",
            b"#+1",
            b"#1 1!",
            b"r0.5 &",
            b"s1! &",
            b"$dumpall",
            b"$end",
            b"$comment\n1! $end",
            b"B01 $",
            b"#0",
            b"b1-$",
            b"#12345678901234567",
            b"-1!",
            b"1!\r",
            b"b11111111111111111111111111111111111111111111111111111111111111 '",
            b"b1111111111111111111111111111111111111111111111111111111111111111111111 '",
        ];
        let header = b"$var wire 1 ! a $end $var wire 1 \" b $end $var wire 1 # c $end \
            $var wire 8 $ d $end $var wire 1 %% e $end $var real 64 & f $end $var wire 99 ' g $end \
            $var wire 2 ~~~~~ h $end $enddefinitions $end\n";
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) as usize % below
        };
        let mut faults = 0;
        for _ in 0..4000 {
            let mut text = header.to_vec();
            let mut time = 0_u64;
            for _ in 0..random(60) {
                match random(8) {
                    0..4 => text.extend(lines[random(8)]),
                    4..6 => {
                        time = time * 10 + random(20) as u64;
                        text.extend(format!("#{time}").bytes());
                        time %= 1 << 62;
                    }
                    // Almost every text has a fault somewhere.
                    6 if random(4) > 0 => text.extend(lines[random(8)]),
                    _ => text.extend(lines[random(lines.len())]),
                }
                text.push(b'\n');
            }
            let expected = one_by_one(&text);
            faults += usize::from(expected.last().is_some_and(|last| last.starts_with("Err")));
            for pause in [1, 3, usize::MAX] {
                assert_eq!(visited(&text, pause), expected, "{}", text.escape_ascii());
            }
        }
        assert!((400..3600).contains(&faults), "{faults}");
    }
}
