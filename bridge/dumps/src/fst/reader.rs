//! The reader of an FST dump.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Seek};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use fst_reader::FstReader;
use lockstep_vcd::{Error, Event, Header, Joining, SignalId, Source};

use super::blocks::{Layout, blocks};
use super::changes::Block;
use super::declarations::Declarations;
use super::error::FstError;
use super::events::{Signals, enter};
use super::frame::{Fields, Stored};
use super::unpack::damaged;
use crate::batch::Batch;
use crate::library::{Ahead, FULL, Input, Outlet, parts, spawn};

/// What the library found, if it has ended by a panic.
const PANICKED: &str = "lengths or places that are not in the file";

/// An FST dump in a file.
///
/// It needs the memory of one of its blocks, of the signals that are read; how large a block is, the writer chooses.
#[derive(Debug)]
pub struct Fst {
    events: Joining<Events>,
}

impl Fst {
    /// Reads the declarations of the dump in `file`; `read` counts its bytes.
    ///
    /// # Errors
    /// [`FstError`].
    pub fn open(file: File, read: Arc<AtomicU64>) -> Result<Self, FstError> {
        let input = Input::new(file, read);
        let layout = blocks(&mut BufReader::new(input.clone()))?;
        let opened = input.clone();
        let opened = spawn(move || declared(opened))?.join();
        let (signals, times) = opened.unwrap_or_else(|_| {
            Err(FstError::Hierarchy {
                expected: "entries of a hierarchy".to_owned(),
                found: PANICKED.to_owned(),
            })
        })?;
        let fields = Fields::new(&mut BufReader::new(input.clone()), &layout);
        let fields = fields.map_err(|error| fault(0, error))?;
        let events = Events {
            input,
            signals: Arc::new(signals),
            fields: Arc::new(fields),
            layout: Arc::new(layout),
            times,
            watched: None,
            from: 0,
            shown_from: 0,
            ahead: Ahead::default(),
            now: 0,
        };
        Ok(Self {
            events: Joining::new(events),
        })
    }

    /// First and last tick. None without changes.
    pub fn times(&self) -> Option<RangeInclusive<u64>> {
        let events = self.events.source();
        (!events.layout.changes.is_empty()).then(|| events.times.clone())
    }

    /// Reads only these signals from now on, from the start of the dump.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`].
    pub fn watch(&mut self, signals: impl IntoIterator<Item = SignalId>) -> Result<(), Error> {
        let watched = parts(self.header(), signals);
        self.events.jump(|events| {
            events.watched = Some(watched);
            events.jump(0)
        })
    }

    /// The number of a block whose first values are those of a tick before `time`, the last such one. Of text a block
    /// has no first values, so where such signals are watched, it is the first one.
    pub fn block_before(&self, time: u64) -> usize {
        let events = self.events.source();
        if events.has_text() {
            return 0;
        }
        let after = events
            .layout
            .changes
            .partition_point(|block| block.start < time);
        after.saturating_sub(1)
    }

    /// The first tick of a block. None if there is no such block.
    pub fn start_of(&self, block: usize) -> Option<u64> {
        let changes = &self.events.source().layout.changes;
        changes.get(block).map(|block| block.start)
    }

    /// Goes to a block. Some time if the first changes there, at that time, are the values of all signals; None if it
    /// is the start of the dump.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`].
    pub fn jump(&mut self, block: usize) -> Result<Option<u64>, Error> {
        self.jump_near(block, 0)
    }

    /// The same; but of the ticks between that time and `from` only the last one of each block is shown, with the last
    /// values of all signals that have changed in it, and without triggers of events.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`].
    pub fn jump_near(&mut self, block: usize, from: u64) -> Result<Option<u64>, Error> {
        let mut time = None;
        self.events.jump(|events| {
            time = events.jump(block)?;
            events.shown_from = time.map_or(0, |_| from);
            Ok(time)
        })?;
        Ok(time)
    }
}

/// What two dumps have that say the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alike {
    /// Ticks with changes.
    pub ticks: u64,
    /// The first and the last of them.
    pub times: Option<(u64, u64)>,
    /// The last time of each dump, with or without changes.
    pub ends: [u64; 2],
}

impl Fst {
    /// Reads both dumps to their ends, as long as they say the same of signals with the same numbers: at the speed of
    /// memory, without a look at the values.
    ///
    /// # Returns
    /// None if they do not, or if one cannot be read to its end. They are to be read from the start then, by
    /// [`watch`](Self::watch).
    pub fn alike(&mut self, other: &mut Self) -> Option<Alike> {
        let mut alike = Alike::default();
        let mut same = false;
        let read = self.events.jump(|one| {
            other.events.jump(|two| {
                same = one.same(two, &mut alike)?;
                Ok(None)
            })?;
            Ok(None)
        });
        (read.is_ok() && same).then_some(alike)
    }
}

impl Source for Fst {
    fn header(&self) -> &Arc<Header> {
        self.events.header()
    }

    fn try_for_each<B>(
        &mut self,
        visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        self.events.try_for_each(visit)
    }
}

/// What is wrong behind a tick.
fn fault(after: u64, error: io::Error) -> FstError {
    match error.kind() {
        io::ErrorKind::InvalidData => FstError::Values {
            after,
            found: error.to_string(),
        },
        io::ErrorKind::UnexpectedEof => FstError::Values {
            after,
            found: "the end of the file".to_owned(),
        },
        _ => FstError::Read(error),
    }
}

/// What the library says.
fn told(error: &fst_reader::ReaderError) -> String {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    first.trim_end_matches(['.', ':']).to_owned()
}

/// The signals of a file, and its first and last tick.
fn declared(mut input: Input) -> Result<(Signals, RangeInclusive<u64>), FstError> {
    let fault = |error| FstError::Hierarchy {
        expected: "entries of a hierarchy".to_owned(),
        found: told(&error),
    };
    input.rewind()?;
    let mut reader = FstReader::open(BufReader::new(input)).map_err(fault)?;
    let header = reader.get_header();
    let mut declarations = Declarations::default();
    declarations.start(&header);
    let mut faults = None;
    let read = reader.read_hierarchy(|entry| {
        if let Err(fault) = declarations.add(&entry, header.max_handle) {
            faults = Some(fault);
        }
    });
    read.map_err(fault)?;
    match faults {
        None => Ok((declarations.finish()?, header.start_time..=header.end_time)),
        Some(fault) => Err(fault),
    }
}

/// The events of the file.
struct Events {
    input: Input,
    signals: Arc<Signals>,
    fields: Arc<Fields>,
    layout: Arc<Layout>,
    times: RangeInclusive<u64>,
    /// Signals to be read, by their numbers in the header. None for all.
    watched: Option<Vec<usize>>,
    /// Block to begin with.
    from: usize,
    /// The tick from which on all is shown.
    shown_from: u64,
    ahead: Ahead<FstError>,
    now: u64,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Events {
    fn has_text(&self) -> bool {
        let text = |&number: &usize| self.signals.strings.get(number) == Some(&true);
        match &self.watched {
            Some(watched) => watched.iter().any(text),
            None => self.signals.strings.contains(&true),
        }
    }

    /// Goes to a block, unless it cannot be begun with.
    fn jump(&mut self, block: usize) -> Result<Option<u64>, Error> {
        self.ahead.stop();
        self.shown_from = 0;
        self.from = if self.has_text() { 0 } else { block };
        let time = self.layout.changes.get(self.from).map(|block| block.start);
        self.now = 0;
        Ok(time.filter(|_| self.from > 0))
    }

    /// The signals of the file that are read.
    fn wanted(&self) -> Vec<usize> {
        let is_wanted = |number: u32| match &self.watched {
            Some(watched) => watched.binary_search(&(number as usize)).is_ok(),
            None => true,
        };
        let signals = self.signals.numbers.iter().enumerate();
        let wanted = signals.filter(|(_, number)| number.is_some_and(is_wanted));
        wanted.map(|(signal, _)| signal).collect()
    }

    /// The next batch; false at the end.
    fn next(&mut self) -> Result<bool, Error> {
        let mut ahead = std::mem::take(&mut self.ahead);
        let read = || {
            let reading = Reading {
                signals: Arc::clone(&self.signals),
                fields: Arc::clone(&self.fields),
                layout: Arc::clone(&self.layout),
                wanted: self.wanted(),
                block: self.from,
                from: self.shown_from,
            };
            let input = self.input.clone();
            move |outlet| reading.send(input, outlet)
        };
        let panicked = || FstError::Values {
            after: self.now,
            found: PANICKED.to_owned(),
        };
        let next = ahead.next(read, panicked);
        self.ahead = ahead;
        next.map_err(Error::from)
    }
}

impl Events {
    /// Goes on to the end, as long as the batches of another dump are the same.
    fn same(&mut self, other: &mut Self, alike: &mut Alike) -> Result<bool, Error> {
        loop {
            if (self.next()?, other.next()?) != (true, true) {
                break;
            }
            if self.ahead.batch != other.ahead.batch {
                return Ok(false);
            }
            for time in self.ahead.batch.times() {
                alike.ticks += 1;
                alike.times = Some((alike.times.map_or(time, |(first, _)| first), time));
            }
        }
        let last = alike.times.map_or(0, |(_, last)| last);
        alike.ends = [&self, &other].map(|events| last.max(*events.times.end()));
        Ok(self.ahead.ended && other.ahead.ended)
    }
}

impl Source for Events {
    fn header(&self) -> &Arc<Header> {
        &self.signals.header
    }

    fn try_for_each<B>(
        &mut self,
        mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        loop {
            let Self { ahead, now, .. } = self;
            let Ahead { batch, place, .. } = ahead;
            let shown = batch.visit(place, &self.signals.header, &mut |event| {
                if let Event::Time(time) = event {
                    *now = time;
                }
                visit(event)
            });
            if shown.is_break() {
                return Ok(shown);
            }
            if self.ahead.ended || !self.next()? {
                break;
            }
        }
        // The end is a time of the file, even without changes.
        let end = *self.times.end();
        if end > self.now && !self.layout.changes.is_empty() {
            self.now = end;
            return Ok(visit(Event::Time(end)));
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// What a thread reads.
struct Reading {
    signals: Arc<Signals>,
    fields: Arc<Fields>,
    layout: Arc<Layout>,
    /// Signals of the file.
    wanted: Vec<usize>,
    /// Block to begin with.
    block: usize,
    /// The tick from which on all is shown.
    from: u64,
}

impl Reading {
    /// Sends all events, until the receiver is gone.
    fn send(&self, input: Input, outlet: Outlet) -> Result<(), FstError> {
        let mut out = Out {
            signals: &self.signals,
            outlet,
            batch: Batch::with_room(FULL + FULL / 8),
            now: None,
        };
        let read = self.blocks(&mut BufReader::new(input), &mut out);
        // All that stands before a fault is shown.
        let sent = out.batch.is_empty() || out.outlet.send(&mut out.batch);
        match read {
            Err(Stop::Fault(error)) if sent => Err(fault(out.now.unwrap_or(0), error)),
            _ => Ok(()),
        }
    }

    fn blocks(&self, input: &mut BufReader<Input>, out: &mut Out<'_>) -> Result<(), Stop> {
        for (number, changes) in self.layout.changes.iter().enumerate().skip(self.block) {
            let block = Block::new(input, changes, &self.fields, &self.wanted)?;
            // Of the first block the file tells again what changes at its start; a later one begins with a tick of the
            // block before.
            let first = number == self.block;
            if first && (number > 0 || block.first().is_none_or(|time| time > changes.start)) {
                let mut wanted = self.wanted.iter().peekable();
                self.fields.frame(input, changes.frame, |signal, value| {
                    match wanted.next_if_eq(&&signal) {
                        Some(_) => out.change(changes.start, signal, value),
                        None => Ok(()),
                    }
                })?;
            }
            block.visit(self.from, |time, signal, value| {
                match time < self.from && self.signals.is_event(signal) {
                    true => Ok(()),
                    false => out.change(time, signal, value),
                }
            })?;
        }
        Ok(())
    }
}

/// Why no more is read.
enum Stop {
    /// The receiver of the batches is gone.
    Gone,
    Fault(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Fault(error)
    }
}

/// Events on their way into batches.
struct Out<'s> {
    signals: &'s Signals,
    outlet: Outlet,
    batch: Batch,
    now: Option<u64>,
}

impl Out<'_> {
    fn change(&mut self, time: u64, signal: usize, value: Stored<'_>) -> Result<(), Stop> {
        if self.now != Some(time) {
            if self.now.is_some_and(|now| time < now) {
                return Err(damaged(&format!("tick {time}")).into());
            }
            if self.batch.len() >= FULL && !self.outlet.send(&mut self.batch) {
                return Err(Stop::Gone);
            }
            self.now = Some(time);
            self.batch.time(time);
        }
        let entered = enter(&mut self.batch, self.signals, signal, value);
        entered.map_err(|found| damaged(&found).into())
    }
}
