//! The reader of a GHW dump.

use std::any::Any;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Seek};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use lockstep_vcd::{Error, Event, Header, Joining, SignalId, Source};
use wellen::viewers::{HeaderResult, read_body, read_header};
use wellen::{LoadOptions, SignalValueRef};

use super::declarations::{Signals, declare};
use super::error::GhwError;
use super::{promised, sections};
use crate::batch::{Batch, escaped};
use crate::library::{Ahead, FULL, Input, Outlet, parts, spawn};

/// What the library found, if it has ended by a panic.
const PANICKED: &str = "types, numbers or sections that are not in the file";

/// A GHW dump in a file.
///
/// It needs the memory of all changes of the dump, and those of the signals that are read once more.
#[derive(Debug)]
pub struct Ghw {
    events: Joining<Events>,
}

impl Ghw {
    /// Reads the declarations of the dump in `file`; `read` counts its bytes.
    ///
    /// # Errors
    /// [`GhwError`].
    pub fn open(file: File, read: Arc<AtomicU64>) -> Result<Self, GhwError> {
        let length = file.metadata()?.len();
        let mut input = Input::new(file, read);
        input.rewind()?;
        promised::follow(BufReader::new(&mut input), length)?;
        sections::follow(&mut input)?;
        let declared = input.clone();
        let declared = spawn(move || declare(&opened(declared)?.hierarchy))?.join();
        let signals = declared.unwrap_or_else(|panic| Err(ended(&*panic)))?;
        let events = Events {
            input,
            signals: Arc::new(signals),
            watched: None,
            ahead: Ahead::default(),
        };
        Ok(Self {
            events: Joining::new(events),
        })
    }

    /// Reads only these signals from now on, from the start of the dump.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`].
    pub fn watch(&mut self, signals: impl IntoIterator<Item = SignalId>) -> Result<(), Error> {
        let watched = parts(self.header(), signals);
        self.events.jump(|events| {
            events.ahead.stop();
            events.watched = Some(watched);
            Ok(None)
        })
    }
}

impl Source for Ghw {
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

fn damaged(expected: &'static str) -> GhwError {
    GhwError::Damaged {
        expected,
        found: PANICKED.to_owned(),
    }
}

/// Why the library ended while it read declarations: it says so of what it does not know.
fn ended(panic: &(dyn Any + Send)) -> GhwError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    match text.and_then(|text| text.strip_prefix("not yet implemented: ")) {
        Some(kind) => GhwError::Unknown(kind.trim_start_matches("Support: ").to_owned()),
        None => damaged("declarations"),
    }
}

/// What the library says.
fn told(expected: &'static str) -> impl Fn(wellen::WellenError) -> GhwError {
    move |error| {
        let found = match error {
            wellen::WellenError::FailedToLoad(_, text) => text,
            other => other.to_string(),
        };
        let found = found.lines().next().unwrap_or_default();
        let found = found.trim_start_matches("[ghw] ").trim_end_matches('.');
        let found = found.to_owned();
        GhwError::Damaged { expected, found }
    }
}

/// The declarations of the file, from its start on.
fn opened(mut input: Input) -> Result<HeaderResult<BufReader<Input>>, GhwError> {
    input.rewind()?;
    let options = LoadOptions {
        multi_thread: false,
        ..LoadOptions::default()
    };
    read_header(BufReader::new(input), &options).map_err(told("declarations"))
}

/// The events of the file.
struct Events {
    input: Input,
    signals: Arc<Signals>,
    /// Signals to be read, by their numbers in the header. None for all.
    watched: Option<Vec<usize>>,
    ahead: Ahead<GhwError>,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("ended", &self.ahead.ended)
            .finish_non_exhaustive()
    }
}

impl Events {
    /// The next batch; false at the end.
    fn next(&mut self) -> Result<bool, Error> {
        let Self {
            input,
            signals,
            watched,
            ahead,
        } = self;
        let read = || {
            let (input, signals) = (input.clone(), Arc::clone(signals));
            let all = || (0..signals.all.len()).collect();
            let watched = watched.clone().unwrap_or_else(all);
            move |outlet| send(input, &signals, &watched, &outlet)
        };
        let next = ahead.next(read, || damaged("changes"));
        next.map_err(Error::from)
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
            let Ahead { batch, place, .. } = &mut self.ahead;
            let shown = batch.visit(place, &self.signals.header, &mut visit);
            if shown.is_break() {
                return Ok(shown);
            }
            if self.ahead.ended || !self.next()? {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }
}

/// Sends all events of the `watched` signals by time, until the receiver is gone.
fn send(
    input: Input,
    signals: &Signals,
    watched: &[usize],
    outlet: &Outlet,
) -> Result<(), GhwError> {
    let HeaderResult {
        hierarchy, body, ..
    } = opened(input)?;
    let mut body = read_body(body, &hierarchy, None).map_err(told("changes"))?;
    let ids: Vec<_> = watched
        .iter()
        .map(|&number| signals.all[number].id)
        .collect();
    let mut loaded: Vec<_> = body.source.load_signals(&ids, &hierarchy, false);
    loaded.sort_unstable_by_key(wellen::Signal::signal_ref);
    let mut lines: Vec<_> = ids
        .iter()
        .filter_map(|id| {
            let found = loaded.binary_search_by_key(id, wellen::Signal::signal_ref);
            found.ok().map(|place| loaded[place].iter_changes())
        })
        .collect();
    if lines.len() != ids.len() {
        return Err(damaged("a value of each signal"));
    }
    // The next change of each signal; of one time, in the order of signals.
    let mut next: Vec<_> = lines.iter_mut().map(Iterator::next).collect();
    let mut heap: BinaryHeap<_> = next
        .iter()
        .enumerate()
        .filter_map(|(line, change)| change.as_ref().map(|(time, _)| Reverse((*time, line))))
        .collect();
    let mut batch = Batch::default();
    let mut now = None;
    let mut value_of = Values::default();
    while let Some(Reverse((index, line))) = heap.pop() {
        let time = body.time_table[index as usize];
        if now != Some(time) {
            if batch.len() >= FULL && !outlet.send(&mut batch) {
                return Ok(());
            }
            batch.time(time);
            now = Some(time);
        }
        if let Some((_, value)) = next[line].take() {
            value_of.enter(&mut batch, signals, watched[line], value);
        }
        next[line] = lines[line].next();
        if let Some((time, _)) = next[line] {
            heap.push(Reverse((time, line)));
        }
    }
    // The end is a time of the file, even without changes.
    if let Some(&end) = body.time_table.last().filter(|&&end| now != Some(end)) {
        batch.time(end);
    }
    // If the receiver is gone, nobody needs them.
    let _ = outlet.send(&mut batch);
    Ok(())
}

/// Makes values of those of the library.
#[derive(Default)]
struct Values {
    digits: String,
}

impl Values {
    fn enter(
        &mut self,
        batch: &mut Batch,
        signals: &Signals,
        number: usize,
        value: SignalValueRef<'_>,
    ) {
        let signal = number as u32;
        match value {
            SignalValueRef::Real(value) => batch.real(signal, value),
            SignalValueRef::String(text) => batch.text(signal, &escaped(text.as_bytes())),
            SignalValueRef::Event => {
                batch.bits(signal, b"1");
            }
            SignalValueRef::BitVec(bits) => {
                self.digits.clear();
                self.digits
                    .extend(bits.iter_msb_to_lsb().map(|bit| bit.as_ascii()));
                match &signals.all[number].names {
                    None => {
                        batch.bits(signal, self.digits.as_bytes());
                    }
                    Some(names) => {
                        let name = names.get(&self.digits).unwrap_or(&self.digits);
                        batch.text(signal, &escaped(name.as_bytes()));
                    }
                }
            }
        }
    }
}
