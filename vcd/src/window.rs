//! Values of some signals between two times.

use std::ops::{ControlFlow, RangeInclusive};

use crate::changes::Event;
use crate::error::Error;
use crate::find::Probe;
use crate::source::Source;
use crate::value::Value;

/// Which probes look at a signal, in one step from the signal.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// For each signal, one more than the place of its first probe.
    first: Vec<u32>,
    /// For each probe, one more than the place of the next one of the same signal.
    next: Vec<u32>,
}

impl Slots {
    pub(crate) fn new(signals: usize, probes: &[Probe]) -> Self {
        let mut slots = Self {
            first: vec![0; signals],
            next: vec![0; probes.len()],
        };
        for (place, probe) in probes.iter().enumerate() {
            if let Some(first) = slots.first.get_mut(probe.signal().index()) {
                slots.next[place] = std::mem::replace(first, place as u32 + 1);
            }
        }
        slots
    }

    /// Places of the probes that look at a signal.
    #[inline(always)]
    pub(crate) fn of(&self, signal: crate::SignalId) -> impl Iterator<Item = usize> {
        let mut next = self.first.get(signal.index()).copied().unwrap_or(0);
        std::iter::from_fn(move || {
            let place = (next as usize).checked_sub(1)?;
            next = self.next[place];
            Some(place)
        })
    }
}

/// What one probe saw in a window; read by [`window()`] and [`Stream::window`](crate::Stream::window).
///
/// Times are ticks of the dump.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The value just before the window. None if there was none yet.
    pub initial: Option<Value>,
    /// Times within the window and the value from then on, in the order of the dump. Only real
    /// changes of the probe's bits: a value that is written again is left out. Of an event, all ticks
    /// in which it is triggered.
    pub changes: Vec<(u64, Value)>,
}

impl Trace {
    /// The value at the end of a tick. None if there was none yet, or for a tick before the
    /// window.
    ///
    /// ```
    /// use lockstep_vcd::{Bits, Trace, Value};
    ///
    /// let bit = |value| Value::Bits(Bits::from_u64(value, 1));
    /// let trace = Trace { initial: Some(bit(0)), changes: vec![(5, bit(1)), (7, bit(0))] };
    /// assert_eq!(trace.at(4), Some(&bit(0)));
    /// assert_eq!(trace.at(6), Some(&bit(1)));
    /// ```
    #[must_use]
    pub fn at(&self, time: u64) -> Option<&Value> {
        let after = self
            .changes
            .partition_point(|(changed, _)| *changed <= time);
        match after.checked_sub(1) {
            Some(last) => Some(&self.changes[last].1),
            None => self.initial.as_ref(),
        }
    }

    fn last(&self) -> Option<&Value> {
        self.changes
            .last()
            .map(|(_, value)| value)
            .or(self.initial.as_ref())
    }

    /// Enters a change of an event, if it is a trigger, once a tick.
    fn trigger(&mut self, time: u64, value: Value) {
        if value.is_trigger() && self.changes.last().is_none_or(|(last, _)| *last != time) {
            self.changes.push((time, value));
        }
    }

    /// Drops a first change that is none, once the initial value is known.
    pub(crate) fn drop_repeated(&mut self) {
        if self.initial.is_some() && self.changes.first().map(|(_, v)| v) == self.initial.as_ref() {
            self.changes.remove(0);
        }
    }

    /// Enters the value from `time` on, if it is another one.
    pub(crate) fn push(&mut self, time: u64, value: Value) {
        if self.last() != Some(&value) {
            self.changes.push((time, value));
        }
    }
}

/// Reads what `probes` see at the times of `range`, which are ticks of the dump, both ends
/// included; one trace for each probe, in their order.
///
/// Reads from where `source` stands, which should be its start, up to the first time after the
/// window and no further. Memory grows with the probes' changes in the window alone.
///
/// ```
/// use lockstep_vcd::{Slice, Source, window};
///
/// let mut dump = Slice::new(b"$var reg 8 ! a $end $enddefinitions $end\n\
///     #0\nb1 !\n#10\nb10 !\n#20\nb11 !\n#30\nb100 !\n")?;
/// let a = dump.header().find("a")?;
/// let traces = window(&mut dump, &[a], 5..=20)?;
/// assert_eq!(traces[0].initial.as_ref().unwrap().to_u64(), Some(1));
/// assert_eq!(traces[0].changes.len(), 2);
/// assert_eq!(traces[0].at(20).unwrap().to_u64(), Some(3));
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
///
/// # Errors
/// Those of [`Source::try_for_each`], for faults up to the end of the window.
pub fn window(
    source: &mut impl Source,
    probes: &[Probe],
    range: RangeInclusive<u64>,
) -> Result<Vec<Trace>, Error> {
    let traces = vec![Trace::default(); probes.len()];
    scan(source, probes, range, 0, traces)
}

/// Reads on from `now`, with initial values that are known already.
pub(crate) fn scan(
    source: &mut impl Source,
    probes: &[Probe],
    range: RangeInclusive<u64>,
    mut now: u64,
    mut traces: Vec<Trace>,
) -> Result<Vec<Trace>, Error> {
    let slots = Slots::new(source.header().signal_count(), probes);
    let events: Vec<_> = probes
        .iter()
        .map(|probe| probe.is_event(source.header()))
        .collect();
    let (start, end) = (*range.start(), *range.end());
    let visited = source.try_for_each(|event| {
        match event {
            Event::Time(time) if time > end => return ControlFlow::Break(()),
            Event::Time(time) => now = time,
            Event::Change(signal, value) => {
                for place in slots.of(signal) {
                    let value = probes[place].value(value);
                    if now < start {
                        traces[place].initial = Some(value);
                    } else if now <= end && events[place] {
                        traces[place].trigger(now, value);
                    } else if now <= end {
                        traces[place].push(now, value);
                    }
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    });
    visited.map(|_| traces)
}
