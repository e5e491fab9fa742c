//! Passes over a dump at the speed of memory, looking only for the changes of a few signals.
//!
//! All tools write one command a line. 64 bytes at a time, a [`Block`] checks that the lines have
//! this shape and marks those that may matter; the others are not parsed. A line of any other shape
//! (a command with `$`, two commands on a line, a value and its code on two, a tab, a carriage
//! return) goes to the parser, and some text behind it. So of a dump without faults everything is
//! found, however it is written; it only takes longer. Faults in lines passed over go unseen.

use std::io::Read;
use std::ops::RangeInclusive;

use crate::block::{BLOCK, Block, Lanes, Work, best, is_value};
use crate::changes::{Event, Progress, event, ticks};
use crate::codes::{Codes, DIRECT, masked_number, number};
use crate::digits::eight;
use crate::error::Error;
use crate::find::Probe;
use crate::header::{Header, SignalId, Variable};
use crate::reading::{MAX_COMMAND, make_room, read};
use crate::value::{State, ValueRef};

/// Bytes before a block that are looked at as well: the longest scalar change of a clock.
const BEFORE: usize = 8;

/// Longest code of a clock: with the line feed, the state and the line feed before, one word.
const CLOCK_CODE: usize = 5;

/// Longest code of a signal whose last change is sought.
const SOUGHT_CODE: usize = 4;

/// Bytes to parse after a line of another shape, so that a dump full of those is not tried line by
/// line. Doubled as long as it does not get better.
const PARSED: usize = if cfg!(fuzzing) { 16 } else { 1 << 10 };
const PARSED_MOST: usize = 1 << 20;

/// Lines that are found before they are read.
const BATCH: usize = 256;

/// A fault in the dump, or times in disorder; a scan from the start tells which.
pub(crate) struct Faulty;

/// Why a pass ended early.
pub(crate) enum Failed {
    Faulty,
    Io(Error),
}

impl From<Faulty> for Failed {
    fn from(_: Faulty) -> Self {
        Self::Faulty
    }
}

/// Rising edges of a clock, as [`Sampler`](crate::Sampler) defines them.
#[derive(Clone, Debug)]
pub(crate) struct Counter {
    numbers: RangeInclusive<u64>,
    now: u64,
    /// The clock before this tick: None for no value yet, and in it None for a value of no bits.
    before: Option<Option<State>>,
    /// The clock at the end of this tick, if it changes in it.
    pending: Option<Option<State>>,
    pub(crate) count: u64,
    pub(crate) times: Vec<u64>,
}

impl Counter {
    /// Keeps the times of the edges with these numbers.
    pub(crate) const fn new(numbers: RangeInclusive<u64>) -> Self {
        Self {
            numbers,
            now: 0,
            before: None,
            pending: None,
            count: 0,
            times: Vec::new(),
        }
    }

    #[inline(always)]
    pub(crate) const fn is_done(&self) -> bool {
        self.count > *self.numbers.end()
    }

    /// It is `time` from here on.
    #[inline(always)]
    pub(crate) fn time(&mut self, time: u64) -> Result<(), Faulty> {
        if time > self.now {
            self.settle();
        } else if time < self.now {
            return Err(Faulty);
        }
        self.now = time;
        Ok(())
    }

    #[inline(always)]
    pub(crate) const fn change(&mut self, state: Option<State>) {
        self.pending = Some(state);
    }

    /// Ends a tick.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        let Some(now) = self.pending.take() else {
            return;
        };
        let before = self.before.replace(now);
        if now == Some(State::One) && before.is_some_and(|before| before != Some(State::One)) {
            if self.numbers.contains(&self.count) {
                self.times.push(self.now);
            }
            self.count += 1;
        }
    }
}

/// The clock whose rises are counted.
pub(crate) struct Clock {
    probe: Probe,
    line: ClockLine,
    /// The last character of the code.
    last: u8,
    pub(crate) rises: Counter,
}

/// How the lines end in which the clock changes.
#[derive(Clone, Copy)]
struct ClockLine {
    /// The code and the line feed behind it, at the end of a word.
    code: u64,
    /// How many bits of the word stand before them.
    before: u32,
}

impl Clock {
    /// None if the clock is not one bit, or has a long code.
    pub(crate) fn new(header: &Header, probe: Probe, rises: Counter) -> Option<Self> {
        let code = probe.code(header)?;
        if header.signal_width(probe.signal()) != 1 || code.len() > CLOCK_CODE {
            return None;
        }
        let word = code.bytes().chain([b'\n']);
        Some(Self {
            probe,
            line: ClockLine {
                code: word.fold(0, |word, byte| word >> 8 | u64::from(byte) << 56),
                before: 56 - 8 * code.len() as u32,
            },
            last: *code.as_bytes().last()?,
            rises,
        })
    }
}

impl ClockLine {
    /// Reads the end of a line, with the line feed highest.
    #[inline(always)]
    fn read(self, word: u64) -> Line {
        if (word ^ self.code) >> self.before != 0 {
            return Line::Other;
        }
        // Two bytes before the code.
        let before = (word >> (self.before - 16)) as u16;
        match before.to_le_bytes() {
            _ if before == CHANGE_TO_0 => Line::Change(State::Zero),
            _ if before == CHANGE_TO_1 => Line::Change(State::One),
            // Another state, or a vector.
            [b'\n', _] | [_, b' '] => Line::General,
            // The end of a longer code.
            _ => Line::Other,
        }
    }
}

const CHANGE_TO_0: u16 = u16::from_le_bytes(*b"\n0");
const CHANGE_TO_1: u16 = u16::from_le_bytes(*b"\n1");

enum Line {
    Change(State),
    /// A change that the parser must read.
    General,
    Other,
}

/// Places of the last changes of some signals.
pub(crate) struct Lasts {
    signals: Vec<SignalId>,
    /// By the number of a code, one more than the place in `signals`.
    slots: Vec<u32>,
    /// The same by the index of a signal.
    slots_of_signals: Vec<u32>,
    /// By slot, where the parser can begin to read the last change. The first slot is for all
    /// other signals; 0 is for none.
    places: Vec<u64>,
}

/// The number of a code, if it can be sought.
fn number_of(code: &str) -> Option<usize> {
    if code.len() > SOUGHT_CODE {
        return None;
    }
    let number = number(code.bytes().rev().fold(0, |key, c| key << 8 | u32::from(c)));
    (number < DIRECT).then_some(number)
}

impl Lasts {
    /// None if one has a long code, or one of a very high number.
    pub(crate) fn new(header: &Header, probes: impl IntoIterator<Item = Probe>) -> Option<Self> {
        let codes = header.variables().iter().map(Variable::code);
        let codes = codes.chain(header.codes_of_parts.values().map(|code| &**code));
        let most = codes.filter_map(number_of).max().unwrap_or(0);
        let mut lasts = Self {
            signals: Vec::new(),
            // Of all signals, so that hardly a code is outside: nobody could predict which.
            slots: vec![0; most + 1],
            slots_of_signals: vec![0; header.signal_count()],
            places: vec![0],
        };
        for probe in probes {
            let number = number_of(probe.code(header)?)?;
            if lasts.slots[number] != 0 {
                continue;
            }
            lasts.signals.push(probe.signal());
            lasts.places.push(0);
            let slot = lasts.signals.len() as u32;
            lasts.slots[number] = slot;
            *lasts.slots_of_signals.get_mut(probe.signal().index())? = slot;
        }
        Some(lasts)
    }

    /// The signals, and the place of the last change of each, if there was one.
    pub(crate) fn all(&self) -> impl Iterator<Item = (SignalId, Option<u64>)> {
        let places = self.places[1..].iter();
        self.signals
            .iter()
            .zip(places)
            .map(|(&signal, &place)| (signal, (place != 0).then_some(place)))
    }

    /// A line of the usual shape that begins at byte `place`; `word` is its end without the line
    /// feed.
    #[inline(always)]
    fn line(&mut self, word: u64, place: u64) {
        const HIGHS: u64 = 0x8080_8080_8080_8080;
        // Exact for every byte: no sum is above 0xff.
        let above = ((word & !HIGHS) + 0x5f5f_5f5f_5f5f_5f5f) | word;
        let blanks = !above & HIGHS;
        let length = blanks.leading_zeros() / 8;
        if length == 0 || length > SOUGHT_CODE as u32 + 1 {
            return;
        }
        let token = word >> (64 - 8 * length);
        // The token is a code, or if it is all the line, the code stands behind a state.
        let line = (word >> (56 - 8 * length)) as u8 == b'\n';
        let time = line & (token as u8 == b'#');
        let code = token >> (8 * u32::from(line));
        let mask = (1_u64 << (8 * (length - u32::from(line)))) - 1;
        let short = mask <= u64::from(u32::MAX);
        let slot = match self.slots.get(masked_number(code as u32, mask as u32)) {
            Some(&slot) if !time & short => slot,
            _ => 0,
        };
        self.places[slot as usize] = place;
    }

    fn change(&mut self, signal: SignalId, place: u64) {
        let slot = self.slots_of_signals.get(signal.index());
        self.places[slot.map_or(0, |&slot| slot as usize)] = place;
    }
}

/// Last changes before byte `end`, as a pass left them.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    pub(crate) end: u64,
    pub(crate) lasts: Vec<(SignalId, Option<u64>)>,
}

/// A part of a dump that is passed over.
pub(crate) struct Skim<'s, R> {
    reader: &'s mut R,
    codes: &'s Codes,
    clock: Option<Clock>,
    lasts: Option<Lasts>,
    progress: Progress,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// Byte of the dump at which `bytes` begins, and at which to stop.
    offset: u64,
    limit: u64,
    ended: bool,
}

impl<'s, R: Read> Skim<'s, R> {
    /// Begins at byte `from` of the dump, at which `reader` stands and a command may begin, and
    /// reads up to byte `to`.
    pub(crate) fn new(reader: &'s mut R, codes: &'s Codes, from: u64, to: u64) -> Self {
        Self {
            reader,
            codes,
            clock: None,
            lasts: None,
            progress: Progress::default(),
            // What stands before is not known, so the parser begins.
            bytes: vec![b' '; BEFORE],
            start: BEFORE,
            end: BEFORE,
            offset: from.saturating_sub(BEFORE as u64),
            limit: to,
            ended: false,
        }
    }

    /// Counts the rises of a clock, and stops when no more are wanted.
    pub(crate) fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Looks for last changes.
    pub(crate) fn lasts(mut self, lasts: Option<Lasts>) -> Self {
        self.lasts = lasts;
        self
    }

    /// Reads on; the byte at which it stopped, and what was found.
    pub(crate) fn run(mut self) -> Result<(u64, Option<Counter>, Option<Lasts>), Failed> {
        let mut parsed = PARSED;
        loop {
            let more = self.parse(parsed)?;
            if !more || self.is_done() {
                break;
            }
            let begun = self.offset + self.start as u64;
            self.pass()?;
            let passed = self.offset + self.start as u64 - begun;
            parsed = match passed as usize > 8 * parsed {
                true => PARSED,
                false => (2 * parsed).min(PARSED_MOST),
            };
            if self.is_done() {
                break;
            }
        }
        let stopped = self.offset + self.start as u64;
        let rises = self.clock.map(|clock| clock.rises);
        Ok((stopped, rises, self.lasts))
    }

    #[inline(always)]
    fn is_done(&self) -> bool {
        self.clock
            .as_ref()
            .is_some_and(|clock| clock.rises.is_done())
    }

    /// Parses some commands, up to the start of a line; whether there are more.
    fn parse(&mut self, least: usize) -> Result<bool, Failed> {
        let mut length = 0;
        loop {
            if length >= least && self.bytes[self.start - 1] == b'\n' {
                return Ok(true);
            }
            let text = &self.bytes[self.start..self.end];
            let parsed = match self.ended {
                true => event::<true>(self.codes, &mut self.progress, text),
                false => event::<false>(self.codes, &mut self.progress, text),
            };
            let (rest, event) = match parsed {
                Ok(parsed) => parsed,
                Err(nom::Err::Incomplete(_)) if self.ended => {
                    self.start = self.end;
                    if let Some(clock) = &mut self.clock {
                        clock.rises.settle();
                    }
                    return Ok(false);
                }
                Err(nom::Err::Incomplete(_)) => {
                    self.refill()?;
                    continue;
                }
                Err(_) => return Err(Failed::Faulty),
            };
            let place = self.offset + self.start as u64;
            let used = text.len() - rest.len();
            match event {
                Event::Time(time) => {
                    if let Some(clock) = &mut self.clock {
                        clock.rises.time(time)?;
                    }
                }
                Event::Change(signal, value) => {
                    if let Some(lasts) = &mut self.lasts {
                        lasts.change(signal, place);
                    }
                    if let Some(clock) = &mut self.clock
                        && clock.probe.signal() == signal
                    {
                        clock.rises.change(state(clock.probe, value));
                    }
                }
                _ => {}
            }
            self.start += used;
            length += used;
            if self.is_done() {
                return Ok(true);
            }
        }
    }

    /// Passes over lines of the usual shape, from the start of a line to that of one of another
    /// shape, or to the last ones.
    fn pass(&mut self) -> Result<(), Failed> {
        loop {
            let regular = match self.lasts {
                Some(_) => best(PassWindow::<'_, '_, R, true>(self))?,
                None => best(PassWindow::<'_, '_, R, false>(self))?,
            };
            if !regular || self.is_done() || self.ended {
                return Ok(());
            }
            self.refill()?;
        }
    }

    /// The same for what is read already; whether all of it is regular.
    #[inline(always)]
    fn pass_window<const LASTS: bool>(&mut self, lanes: impl Lanes) -> Result<bool, Faulty> {
        let code = self.clock.as_ref().map_or(0, |clock| clock.last);
        let mut batch = Batch::new(self.start);
        let mut base = self.start;
        let mut open = false;
        // The last line with a time; 0 is none.
        let mut hash = 0;
        // A byte of the first line of another shape.
        let mut stop = None;
        while stop.is_none() {
            let bytes = &self.bytes[..self.end];
            let Some(text) = bytes.get(base..).and_then(<[u8]>::first_chunk::<BLOCK>) else {
                break;
            };
            let before = bytes[base - 1];
            let Some(block) = Block::new(lanes, text, code) else {
                if before == b'\n' {
                    match text[0] {
                        b'$' => stop = Some(base),
                        b'#' => hash = base,
                        first => open = is_value(first),
                    }
                }
                base += BLOCK;
                continue;
            };
            let irregular = block.irregular(before, &mut open);
            let valid = below(irregular);
            let hashes = block.hash & block.starts(before) & valid;
            let code_before = block.code << 1 | u64::from(before == code);
            let changes = block.feed & code_before & valid;
            // Where last changes are sought, most lines are other ones.
            if !LASTS || changes != 0 {
                batch.changes(base, changes, hashes, hash);
            }
            if LASTS {
                batch.lines(base, block.feed & valid);
            }
            if hashes != 0 {
                hash = base + hashes.ilog2() as usize;
            }
            if irregular != 0 {
                stop = Some(base + irregular.trailing_zeros() as usize);
            }
            base += BLOCK;
            if batch.is_full() {
                stop = self.take::<LASTS>(&mut batch)?.or(stop);
                if self.is_done() {
                    return Ok(true);
                }
            }
        }
        stop = self.take::<LASTS>(&mut batch)?.or(stop);
        if self.is_done() {
            return Ok(true);
        }
        // Before the first byte there is a line feed.
        let passed = &self.bytes[self.start - 1..stop.unwrap_or(base).min(self.end)];
        let start = self.start + memchr::memrchr(b'\n', passed).ok_or(Faulty)?;
        if hash != 0 && hash < start {
            self.time(hash)?;
        }
        self.start = start;
        Ok(stop.is_none())
    }

    /// The time of the line at `hash` begins.
    #[inline(always)]
    fn time(&mut self, hash: usize) -> Result<(), Faulty> {
        let time = time(&self.bytes[hash..self.end])?;
        self.progress.time = time;
        match &mut self.clock {
            Some(clock) => clock.rises.time(time),
            None => Ok(()),
        }
    }

    /// Reads the lines of a batch, up to one that the parser must read; the end of that one. If
    /// all rises are there, the text begins with the first line that was not looked at.
    #[inline(always)]
    fn take<const LASTS: bool>(&mut self, batch: &mut Batch) -> Result<Option<usize>, Faulty> {
        let mut stop = None;
        let bytes = &self.bytes[..self.end];
        if let Some(clock) = &mut self.clock {
            let Clock { line, rises, .. } = clock;
            for (&end, &hash) in batch.ends.iter().zip(&batch.hashes).take(batch.changes) {
                let (end, hash) = (end as usize, hash as usize);
                let word = eight(&bytes[end + 1 - BEFORE..]).ok_or(Faulty)?;
                let line = line.read(word);
                if matches!(line, Line::Other) {
                    continue;
                }
                if hash != 0 {
                    let time = time(&bytes[hash..])?;
                    self.progress.time = time;
                    rises.time(time)?;
                    if rises.is_done() {
                        self.start = batch.line;
                        return Ok(None);
                    }
                }
                let Line::Change(state) = line else {
                    stop = Some(end);
                    break;
                };
                rises.change(Some(state));
            }
        }
        batch.changes = 0;
        if LASTS && let Some(lasts) = &mut self.lasts {
            let mut start = batch.line;
            for &end in &batch.feeds[..batch.lines] {
                let end = end as usize;
                if stop.is_some_and(|stop| end >= stop) {
                    break;
                }
                let word = eight(&bytes[end - BEFORE..]).ok_or(Faulty)?;
                lasts.line(word, self.offset + start as u64);
                start = end + 1;
            }
            batch.line = start;
            batch.lines = 0;
        }
        Ok(stop)
    }

    /// Reads on behind the text that is left.
    fn refill(&mut self) -> Result<(), Failed> {
        if self.end - self.start > MAX_COMMAND {
            return Err(Failed::Faulty);
        }
        let passed = self.start - BEFORE;
        self.bytes.copy_within(passed..self.end, 0);
        self.offset += passed as u64;
        self.start -= passed;
        self.end -= passed;
        make_room(&mut self.bytes, self.end);
        let offset = self.offset + self.end as u64;
        let room = (self.bytes.len() - self.end) as u64;
        let most = self.end + room.min(self.limit.saturating_sub(offset)) as usize;
        match read(self.reader, &mut self.bytes[self.end..most]) {
            Ok(0) => self.ended = true,
            Ok(length) => self.end += length,
            Err(source) => return Err(Failed::Io(Error::Io { offset, source })),
        }
        Ok(())
    }
}

/// Lines that are found and not yet read. To find and to read are two loops, since nobody can
/// predict how many lines a block has.
struct Batch {
    /// Number of lines that may be changes of the clock; their ends, and the last line with a time
    /// before each.
    changes: usize,
    ends: [u32; BATCH + BLOCK],
    hashes: [u32; BATCH + BLOCK],
    /// Number of all lines, and their ends.
    lines: usize,
    feeds: [u32; BATCH + BLOCK],
    /// Start of the first one of them.
    line: usize,
}

impl Batch {
    fn new(line: usize) -> Self {
        Self {
            changes: 0,
            ends: [0; BATCH + BLOCK],
            hashes: [0; BATCH + BLOCK],
            lines: 0,
            feeds: [0; BATCH + BLOCK],
            line,
        }
    }

    #[inline(always)]
    const fn is_full(&self) -> bool {
        self.changes > BATCH || self.lines > BATCH
    }

    /// Adds lines that end at bits of `lines`, in a block with times at `hashes`, before which the
    /// last time was at `hash`.
    #[inline(always)]
    fn changes(&mut self, base: usize, mut lines: u64, hashes: u64, hash: usize) {
        let count = lines.count_ones() as usize;
        let mut place = self.changes;
        self.changes += count;
        // Two in any case: more are rare.
        loop {
            for at in [place, place + 1] {
                let end = lines.trailing_zeros();
                let earlier = hashes & below(lines);
                let hash = match earlier.checked_ilog2() {
                    Some(bit) => base + bit as usize,
                    None => hash,
                };
                self.ends[at] = (base + end as usize) as u32;
                self.hashes[at] = hash as u32;
                lines &= lines.wrapping_sub(1);
            }
            place += 2;
            if lines == 0 {
                break;
            }
        }
    }

    /// Adds all lines.
    #[inline(always)]
    fn lines(&mut self, base: usize, mut feeds: u64) {
        let count = feeds.count_ones() as usize;
        let mut place = self.lines;
        self.lines += count;
        loop {
            for at in place..place + 4 {
                self.feeds[at] = (base + feeds.trailing_zeros() as usize) as u32;
                feeds &= feeds.wrapping_sub(1);
            }
            place += 4;
            if feeds == 0 {
                break;
            }
        }
    }
}

/// What is read already, to be passed over with the instructions of some machine.
struct PassWindow<'p, 's, R, const LASTS: bool>(&'p mut Skim<'s, R>);

impl<R: Read, const LASTS: bool> Work for PassWindow<'_, '_, R, LASTS> {
    type Output = Result<bool, Faulty>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Self::Output {
        self.0.pass_window::<LASTS>(lanes)
    }
}

/// The bits below the lowest one.
#[inline(always)]
const fn below(bits: u64) -> u64 {
    !bits & bits.wrapping_sub(1)
}

/// The time of a line that begins with `#` and is whole.
#[inline(always)]
fn time(line: &[u8]) -> Result<u64, Faulty> {
    match ticks::<false>(&line[1..]) {
        Ok((_, time)) => Ok(time),
        Err(_) => Err(Faulty),
    }
}

/// What a clock that takes `value` is.
pub(crate) fn state(probe: Probe, value: ValueRef<'_>) -> Option<State> {
    probe.value(value).bits().and_then(|bits| bits.bit(0))
}
