//! What both readers can do, and the reader of a dump that is in memory.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::changes::{Event, Progress, event, visit_all};
use crate::codes::Codes;
use crate::declarations::{BYTE_ORDER_MARK, Declarations};
use crate::error::{Error, Expected, Fault};
use crate::header::Header;
use crate::joined::JoinedValues;

/// A dump whose events can be visited once, in order.
///
/// [`Slice`] reads from memory, [`Stream`](crate::Stream) from anything that implements `Read`. What
/// takes a source takes both, and a reader of another format that implements this.
///
/// ```
/// use lockstep_vcd::{Error, Event, Slice, Source, Stream};
///
/// fn changes(mut dump: impl Source) -> Result<u32, Error> {
///     let mut count = 0;
///     dump.for_each(|event| count += u32::from(matches!(event, Event::Change(..))))?;
///     Ok(count)
/// }
///
/// let text = &b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n#5\n0!\n"[..];
/// assert_eq!(changes(Slice::new(text)?)?, 2);
/// assert_eq!(changes(Stream::new(text)?)?, 2);
/// # Ok::<(), Error>(())
/// ```
pub trait Source {
    /// The declarations. Shared, so that a clone of the `Arc` can be used while events are read.
    fn header(&self) -> &Arc<Header>;

    /// Visits events until `visit` breaks or the dump ends; what follows a break is visited by
    /// the next call.
    ///
    /// All events before a fault are visited, then its error is returned; so of a truncated dump
    /// all complete changes are seen.
    ///
    /// A joined signal (see [`Header::variables`]) changes once a tick, at its end, and its parts
    /// where they are written.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use lockstep_vcd::{Event, Slice, Source};
    ///
    /// let mut dump = Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n#5\n0!\n")?;
    /// let first_change = dump.try_for_each(|event| match event {
    ///     Event::Change(_, value) => ControlFlow::Break(value.to_u64()),
    ///     _ => ControlFlow::Continue(()),
    /// })?;
    /// assert_eq!(first_change, ControlFlow::Break(Some(1)));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Syntax`] for a dump that is none, [`Error::Io`] if reading fails.
    fn try_for_each<B>(
        &mut self,
        visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error>;

    /// Visits all events.
    ///
    /// ```
    /// use lockstep_vcd::{Event, Slice, Source};
    ///
    /// let mut dump = Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n#5\n0!\n")?;
    /// let mut times = vec![];
    /// dump.for_each(|event| {
    ///     if let Event::Time(time) = event {
    ///         times.push(time);
    ///     }
    /// })?;
    /// assert_eq!(times, [3, 5]);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`try_for_each`](Self::try_for_each).
    fn for_each(&mut self, mut visit: impl FnMut(Event<'_>)) -> Result<(), Error> {
        let visited = self.try_for_each(|event| {
            visit(event);
            ControlFlow::<()>::Continue(())
        });
        visited.map(drop)
    }
}

/// Where a parser is in a text of which it has seen everything before `text`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// Bytes before the text.
    pub(crate) offset: u64,
    /// Line feeds before the text.
    pub(crate) lines: u64,
}

impl Place {
    /// The place after `text`.
    pub(crate) fn after(self, text: &[u8]) -> Self {
        Self {
            offset: self.offset + text.len() as u64,
            lines: self.lines + lines(text),
        }
    }

    /// A fault within `text`, which begins at this place, as an error.
    pub(crate) fn error(self, text: &[u8], fault: &Fault<'_>) -> Error {
        let start = fault.at.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        let at = self.after(text.get(..start).unwrap_or(text));
        let found = Fault {
            at: text.get(start..).unwrap_or(&[]),
            ..*fault
        };
        Error::syntax(&found, at.lines + 1, at.offset)
    }
}

fn lines(text: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', text).count() as u64
}

/// A nom error, of which only a fault can be left when the input is all there.
pub(crate) fn fault_of<'a>(error: nom::Err<Fault<'a>>, text: &'a [u8]) -> Fault<'a> {
    match error {
        nom::Err::Error(fault) | nom::Err::Failure(fault) => fault,
        nom::Err::Incomplete(_) => Fault {
            at: &text[text.len()..],
            expected: Expected::HeaderCommand,
        },
    }
}

/// Bytes that are fetched before they are parsed: they fit into the first cache of any processor.
const NEAR: usize = if cfg!(fuzzing) { 1 << 7 } else { 1 << 14 };

/// Brings bytes near the processor, which waits less for all of them at once than for each where it is parsed.
#[inline(always)]
fn fetch(bytes: &[u8]) {
    const LINE: usize = 64;
    let read = |sum, line: &[u8; LINE]| sum ^ line[0];
    std::hint::black_box(bytes.as_chunks().0.iter().fold(0, read));
}

/// A dump in memory.
///
/// ```
/// use lockstep_vcd::{Slice, Source};
///
/// let dump = Slice::new(b"$timescale 1 ns $end $var reg 8 ! a $end $enddefinitions $end\n")?;
/// assert_eq!(dump.header().timescale().unwrap().to_string(), "1 ns");
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slice<'a> {
    header: Arc<Header>,
    codes: Arc<Codes>,
    text: &'a [u8],
    rest: &'a [u8],
    progress: Progress,
    joined: Option<JoinedValues>,
}

impl<'a> Slice<'a> {
    /// Parses the declarations of the dump `text`, which is not compressed.
    ///
    /// ```
    /// let error = lockstep_vcd::Slice::new(b"$var wire one ! a $end").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "[vcd] expected a size in bits, at most 16777216, found `one` (line 1, byte 10)",
    /// );
    /// ```
    ///
    /// # Errors
    /// [`Error::Syntax`] for a fault in the declarations. Those in the changes come when they are read.
    pub fn new(text: &'a [u8]) -> Result<Self, Error> {
        let mut declarations = Declarations::default();
        let mut rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if let Err(error) = declarations.parse(&mut rest, true) {
            return Err(Place::default().error(text, &fault_of(error, text)));
        }
        let (header, codes) = declarations.finish((text.len() - rest.len()) as u64);
        Ok(Self {
            joined: JoinedValues::new(&header),
            header: Arc::new(header),
            codes: Arc::new(codes),
            text,
            rest,
            progress: Progress::default(),
        })
    }

    /// Goes back to the first event.
    ///
    /// ```
    /// use lockstep_vcd::{Slice, Source};
    ///
    /// let mut dump = Slice::new(b"$var wire 1 ! a $end $enddefinitions $end\n1!\n")?;
    /// let mut count = 0;
    /// dump.for_each(|_| count += 1)?;
    /// dump.rewind();
    /// dump.for_each(|_| count += 1)?;
    /// assert_eq!(count, 2);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    pub fn rewind(&mut self) {
        self.rest = &self.text[self.header.start as usize..];
        self.progress = self.progress.at_start();
        if let Some(joined) = &mut self.joined {
            joined.reset(0, true);
        }
    }

    /// The events that are left, as an iterator over values that live as long as the text: those of
    /// the file. A joined signal has no values there; its parts have.
    ///
    /// After an error there are no more.
    ///
    /// ```
    /// use lockstep_vcd::{Event, Slice};
    ///
    /// let text = b"$var wire 1 ! a $end $enddefinitions $end\n#3\n1!\n#5\n0!\n";
    /// let events = Slice::new(text)?.events().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(events.iter().filter(|event| matches!(event, Event::Time(_))).count(), 2);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    pub fn events(&mut self) -> Events<'_, 'a> {
        Events {
            slice: self,
            failed: false,
        }
    }

    /// Visits the events of the file.
    #[inline(always)]
    fn read_all<B>(
        &mut self,
        visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let (codes, progress) = (&self.codes, &mut self.progress);
        let mut length = NEAR;
        while let Some((near, _)) = self.rest.split_at_checked(length) {
            fetch(near);
            let mut rest = near;
            let visited = visit_all::<false, B>(codes, progress, &mut rest, visit);
            let read = near.len() - rest.len();
            self.rest = &self.rest[read..];
            match visited {
                // A command may be longer.
                Ok(ControlFlow::Continue(())) => length = if read == 0 { 2 * length } else { NEAR },
                Ok(visited) => return Ok(visited),
                // It is found once more, with all that stands there.
                Err(_) => break,
            }
        }
        let visited = visit_all::<true, B>(codes, progress, &mut self.rest, visit);
        visited.map_err(|error| self.error(&fault_of(error, self.text)))
    }

    /// Visits also the joined signals.
    #[inline(never)]
    fn read_joined<B>(
        &mut self,
        joined: &mut JoinedValues,
        visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        joined.through(visit, |visits| {
            self.read_all(&mut |event| visits.event(event))
        })
    }

    fn error(&self, fault: &Fault<'a>) -> Error {
        Place::default().error(self.text, fault)
    }
}

impl Source for Slice<'_> {
    fn header(&self) -> &Arc<Header> {
        &self.header
    }

    fn try_for_each<B>(
        &mut self,
        mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let Some(mut joined) = self.joined.take() else {
            return self.read_all(&mut visit);
        };
        let result = self.read_joined(&mut joined, visit);
        self.joined = Some(joined);
        result
    }
}

/// Iterator over the events of a [`Slice`]; made by [`Slice::events`].
#[derive(Debug)]
pub struct Events<'s, 'a> {
    slice: &'s mut Slice<'a>,
    failed: bool,
}

impl<'a> Iterator for Events<'_, 'a> {
    type Item = Result<Event<'a>, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let slice = &mut *self.slice;
        match event::<true>(&slice.codes, &mut slice.progress, slice.rest) {
            Ok((rest, event)) => {
                slice.rest = rest;
                Some(Ok(event))
            }
            Err(nom::Err::Incomplete(_)) => match slice.progress.end(slice.rest) {
                Err(nom::Err::Failure(fault)) => {
                    self.failed = true;
                    Some(Err(slice.error(&fault)))
                }
                _ => None,
            },
            Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => {
                self.failed = true;
                Some(Err(slice.error(&fault)))
            }
        }
    }
}
