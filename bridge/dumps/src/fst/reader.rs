//! The reader of an FST dump.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::SyncSender;

use fst_reader::{FstFilter, FstReader, FstSignalHandle, FstSignalValue, ReadSignalsError};
use lockstep_vcd::{Error, Event, Header, Joining, SignalId, Source};

use super::blocks::{Layout, blocks};
use super::declarations::Declarations;
use super::error::FstError;
use super::events::{Signals, enter};
use super::frame::Frames;
use crate::batch::Batch;
use crate::library::{Ahead, FULL, Input, parts, spawn};

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
        let events = Events {
            input,
            signals: Arc::new(signals),
            layout,
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

    /// The same; but of the ticks between that time and `from` only the last one is shown, with the last values of all
    /// signals that have changed since, and without triggers of events.
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
    layout: Layout,
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

/// Why the library was stopped.
enum Stop {
    /// The receiver of the batches is gone.
    Stopped,
    Fault(String),
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
        if self.from > 0 {
            self.begin()?;
        }
        Ok(time.filter(|_| self.from > 0))
    }

    /// Puts the values that the block starts with before what is read.
    fn begin(&mut self) -> Result<(), FstError> {
        let block = self.layout.changes[self.from];
        let mut input = BufReader::new(self.input.clone());
        let frames = Frames::new(&mut input, &self.layout)?;
        self.ahead.batch.time(block.start);
        let mut batch = std::mem::take(&mut self.ahead.batch);
        frames.visit(&mut input, block.frame, |handle, value| {
            match self.signals.numbers.get(handle) {
                Some(Some(number)) if self.is_watched(*number) => {}
                _ => return Ok(()),
            }
            let added = enter(&mut batch, &self.signals, handle, value);
            added.map_err(|found| FstError::Values {
                after: block.start,
                found,
            })
        })?;
        self.ahead.batch = batch;
        Ok(())
    }

    fn is_watched(&self, number: u32) -> bool {
        let watched = self.watched.as_ref();
        watched.is_none_or(|watched| watched.binary_search(&(number as usize)).is_ok())
    }

    /// What is read from where it begins.
    fn filter(&self) -> FstFilter {
        // The block before may end with the tick whose values the block starts with.
        let start = self.layout.changes.get(self.from).filter(|_| self.from > 0);
        let start = start.map_or(0, |block| block.start.saturating_add(1));
        let include = self.watched.as_ref().map(|watched| {
            let handles = self.signals.numbers.iter().enumerate();
            let wanted = handles.filter(|(_, number)| {
                number.is_some_and(|number| watched.binary_search(&(number as usize)).is_ok())
            });
            wanted
                .map(|(handle, _)| FstSignalHandle::from_index(handle))
                .collect()
        });
        FstFilter {
            start,
            end: None,
            include,
        }
    }

    /// The next batch; false at the end.
    fn next(&mut self) -> Result<bool, Error> {
        let mut ahead = std::mem::take(&mut self.ahead);
        let read = || {
            let (input, signals) = (self.input.clone(), Arc::clone(&self.signals));
            let (filter, from) = (self.filter(), self.shown_from);
            move |sender| send(input, &signals, &filter, from, &sender)
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

/// The last values of signals in ticks that are not shown.
#[derive(Default)]
struct Passed {
    time: Option<u64>,
    /// By signal of the file; empty without one.
    values: Vec<Vec<u8>>,
    /// By signal of the file.
    reals: Vec<Option<f64>>,
}

impl Passed {
    fn take(&mut self, time: u64, handle: usize, value: &FstSignalValue<'_>) {
        self.time = Some(time);
        match value {
            FstSignalValue::Real(value) => {
                if handle >= self.reals.len() {
                    self.reals.resize(handle + 1, None);
                }
                self.reals[handle] = Some(*value);
            }
            FstSignalValue::String(bytes) => {
                if handle >= self.values.len() {
                    self.values.resize(handle + 1, Vec::new());
                }
                self.values[handle].clear();
                self.values[handle].extend_from_slice(bytes);
            }
        }
    }

    /// Enters the last tick, with all values.
    fn enter(self, batch: &mut Batch, signals: &Signals) -> Result<(), String> {
        let Some(time) = self.time else {
            return Ok(());
        };
        batch.time(time);
        for (handle, value) in self.reals.into_iter().enumerate() {
            if let Some(value) = value {
                enter(batch, signals, handle, &FstSignalValue::Real(value))?;
            }
        }
        for (handle, bytes) in self.values.iter().enumerate() {
            let number = signals.numbers.get(handle).copied().flatten();
            let event = number.is_some_and(|number| signals.events[number as usize]);
            if !bytes.is_empty() && !event {
                enter(batch, signals, handle, &FstSignalValue::String(bytes))?;
            }
        }
        Ok(())
    }
}

/// Sends all events from a tick on, and before them what has come of those before, until the receiver is gone.
fn send(
    mut input: Input,
    signals: &Signals,
    filter: &FstFilter,
    from: u64,
    sender: &SyncSender<Batch>,
) -> Result<(), FstError> {
    input.rewind()?;
    let room = || Batch::with_room(FULL + FULL / 8);
    let mut batch = room();
    let mut passed = Passed::default();
    let mut now = None;
    let fault = |now: Option<u64>, found| FstError::Values {
        after: now.unwrap_or(0),
        found,
    };
    let mut reader =
        FstReader::open(BufReader::new(input)).map_err(|error| fault(now, told(&error)))?;
    let read = reader.read_signals(filter, |time, handle, value| {
        if now != Some(time) {
            if now.is_some_and(|now| time < now) {
                return Err(Stop::Fault(format!("tick {time}")));
            }
            if batch.len() >= FULL && sender.send(std::mem::replace(&mut batch, room())).is_err() {
                return Err(Stop::Stopped);
            }
            now = Some(time);
            if time >= from {
                let passed = std::mem::take(&mut passed);
                passed.enter(&mut batch, signals).map_err(Stop::Fault)?;
                batch.time(time);
            }
        }
        if time < from {
            passed.take(time, handle.get_index(), &value);
            return Ok(());
        }
        enter(&mut batch, signals, handle.get_index(), &value).map_err(Stop::Fault)
    });
    let last = passed.enter(&mut batch, signals);
    last.map_err(|found| fault(now, found))?;
    // All that stands before a fault is shown.
    let sent = batch.is_empty() || sender.send(batch).is_ok();
    match read {
        Ok(()) => Ok(()),
        Err(_) if !sent => Ok(()),
        Err(ReadSignalsError::CallbackError(Stop::Stopped)) => Ok(()),
        Err(ReadSignalsError::CallbackError(Stop::Fault(found))) => Err(fault(now, found)),
        Err(ReadSignalsError::ReadError(error)) => Err(fault(now, told(&error))),
    }
}
