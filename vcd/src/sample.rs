//! Rows of values, one for each edge of a clock.

use std::collections::VecDeque;
use std::ops::{Bound, ControlFlow, RangeBounds};

use crate::changes::Event;
use crate::error::Error;
use crate::find::Probe;
use crate::source::Source;
use crate::value::{State, Value};
use crate::window::Slots;

/// Which change of the clock makes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    Rising,
    Falling,
}

/// Takes a row of values at each edge of a clock.
///
/// The clock and the signals are looked at once a tick, when all changes of that tick are read;
/// glitches within a tick are not seen. A rising edge is a tick after which the clock is 1 and
/// before which it was something else (0, x or z, but not without any value); a falling edge the
/// same with 0. Of a vector, bit 0 of the probe is the clock.
///
/// ```
/// use lockstep_vcd::{Sampler, Slice, Source};
///
/// let mut dump = Slice::new(b"$scope module top $end $var wire 1 ! clk $end \
///     $var reg 8 \" count [7:0] $end $upscope $end $enddefinitions $end\n\
///     #0\n0!\nb0 \"\n#5\n1!\nb1 \"\n#10\n0!\n#15\n1!\nb10 \"\n")?;
/// let header = dump.header().clone();
/// let samples = Sampler::rising(header.find("top.clk")?)
///     .last(20)
///     .run(&mut dump, &[header.find("count")?])?;
/// // Just before the edges, as a flip-flop sees them.
/// assert_eq!(samples.times(), [5, 15]);
/// assert_eq!(samples.u64(0, 0), Some(0));
/// assert_eq!(samples.u64(1, 0), Some(1));
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    clock: Probe,
    edge: Edge,
    after: bool,
    start: u64,
    /// None if the range is empty.
    end: Option<u64>,
    last: usize,
}

impl Sampler {
    fn new(clock: Probe, edge: Edge) -> Self {
        Self {
            clock,
            edge,
            after: false,
            start: 0,
            end: Some(u64::MAX),
            last: usize::MAX,
        }
    }

    /// Samples at rising edges, all of the dump, values just before the edge.
    #[must_use]
    pub fn rising(clock: Probe) -> Self {
        Self::new(clock, Edge::Rising)
    }

    /// Samples at falling edges, all of the dump, values just before the edge.
    #[must_use]
    pub fn falling(clock: Probe) -> Self {
        Self::new(clock, Edge::Falling)
    }

    /// Samples the values before the tick of the edge: what a flip-flop at this clock takes in.
    /// This is the default.
    #[must_use]
    pub const fn before(mut self) -> Self {
        self.after = false;
        self
    }

    /// Samples the values at the end of the tick of the edge: what a flip-flop at this clock
    /// puts out.
    #[must_use]
    pub const fn after(mut self) -> Self {
        self.after = true;
        self
    }

    /// Takes only edges at these ticks. Reading stops after the end.
    ///
    /// ```
    /// # use lockstep_vcd::{Sampler, Slice, Source};
    /// # let mut dump = Slice::new(b"$var wire 1 ! clk $end $enddefinitions $end\n\
    /// #     #0\n0!\n#5\n1!\n#10\n0!\n#15\n1!\n")?;
    /// let clock = dump.header().find("clk")?;
    /// let samples = Sampler::rising(clock).between(10..).run(&mut dump, &[])?;
    /// assert_eq!(samples.times(), [15]);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub fn between(mut self, ticks: impl RangeBounds<u64>) -> Self {
        let start = match ticks.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&start) => start.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let end = match ticks.end_bound() {
            Bound::Included(&end) => Some(end),
            Bound::Excluded(&end) => end.checked_sub(1),
            Bound::Unbounded => Some(u64::MAX),
        };
        self.start = start.unwrap_or(u64::MAX);
        self.end = end.filter(|_| start.is_some());
        self
    }

    /// Keeps only the last `count` rows.
    #[must_use]
    pub const fn last(mut self, count: usize) -> Self {
        self.last = count;
        self
    }

    /// Reads `source` from where it stands, which should be its start, and collects the rows;
    /// one column for each of `probes`.
    ///
    /// Memory grows with the changes of the probes from row to row, and with
    /// [`last`](Self::last) only with those in the rows kept.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`], for faults up to the end of the range.
    pub fn run(&self, source: &mut impl Source, probes: &[Probe]) -> Result<Samples, Error> {
        let mut samples = Collected::new(probes.len(), self.last);
        let _all = self.scan(source, probes, &mut vec![], |time, row| {
            samples.push(time, row);
            ControlFlow::<()>::Continue(())
        })?;
        Ok(samples.finish())
    }

    /// Calls `visit` with the tick and the values of `probes` at each edge, in constant memory,
    /// until it breaks. A value is None as long as the dump gave none. Ignores
    /// [`last`](Self::last).
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use lockstep_vcd::{Sampler, Slice, Source};
    ///
    /// let mut dump = Slice::new(b"$var wire 1 ! clk $end $enddefinitions $end\n\
    ///     #0\n0!\n#5\n1!\n#10\n0!\n#15\n1!\n")?;
    /// let clock = dump.header().find("clk")?;
    /// let mut edges = 0;
    /// Sampler::rising(clock).for_each(&mut dump, &[], |_time, _row| {
    ///     edges += 1;
    ///     ControlFlow::<()>::Continue(())
    /// })?;
    /// assert_eq!(edges, 2);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn for_each<B>(
        &self,
        source: &mut impl Source,
        probes: &[Probe],
        visit: impl FnMut(u64, &[Option<Value>]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        self.scan(source, probes, &mut vec![], visit)
    }

    /// `initial` is what the probes, and behind them the clock, saw before; empty for nothing.
    pub(crate) fn scan<B>(
        &self,
        source: &mut impl Source,
        probes: &[Probe],
        initial: &mut Vec<Option<Value>>,
        mut visit: impl FnMut(u64, &[Option<Value>]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let Some(end) = self.end else {
            return Ok(ControlFlow::Continue(()));
        };
        let mut watched = probes.to_vec();
        watched.push(self.clock);
        let slots = Slots::new(source.header().signal_count(), &watched);
        initial.resize(watched.len(), None);
        let mut step = Step {
            sampler: self,
            clock: probes.len(),
            settled: std::mem::take(initial),
            pending: vec![None; watched.len()],
            touched: Vec::new(),
        };
        let mut now = 0;
        let visited = source.try_for_each(|event| {
            match event {
                Event::Time(time) => {
                    if time > now
                        && let ControlFlow::Break(value) = step.settle(now, &mut visit)
                    {
                        return ControlFlow::Break(Some(value));
                    }
                    now = time;
                    if time > end {
                        return ControlFlow::Break(None);
                    }
                }
                Event::Change(signal, value) => {
                    for place in slots.of(signal) {
                        step.change(place, watched[place].value(value));
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        Ok(match visited {
            ControlFlow::Break(Some(value)) => ControlFlow::Break(value),
            ControlFlow::Break(None) => ControlFlow::Continue(()),
            ControlFlow::Continue(()) => step.settle(now, &mut visit),
        })
    }
}

/// The values before a tick, and the changes in it.
struct Step<'s> {
    sampler: &'s Sampler,
    clock: usize,
    settled: Vec<Option<Value>>,
    pending: Vec<Option<Value>>,
    /// Places in `pending` that hold a value.
    touched: Vec<usize>,
}

impl Step<'_> {
    fn change(&mut self, place: usize, value: Value) {
        if self.pending[place].replace(value).is_none() {
            self.touched.push(place);
        }
    }

    /// Ends a tick: makes its changes, and shows a row if it has an edge.
    fn settle<B>(
        &mut self,
        time: u64,
        visit: &mut impl FnMut(u64, &[Option<Value>]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let edge = self.is_edge() && time >= self.sampler.start;
        if edge && !self.sampler.after {
            visit(time, &self.settled[..self.clock])?;
        }
        for place in self.touched.drain(..) {
            self.settled[place] = self.pending[place].take();
        }
        if edge && self.sampler.after {
            visit(time, &self.settled[..self.clock])?;
        }
        ControlFlow::Continue(())
    }

    fn is_edge(&self) -> bool {
        let clock = self.clock;
        let (Some(now), Some(before)) = (&self.pending[clock], &self.settled[clock]) else {
            return false;
        };
        let state = |value: &Value| value.bits().and_then(|bits| bits.bit(0));
        let to = match self.sampler.edge {
            Edge::Rising => State::One,
            Edge::Falling => State::Zero,
        };
        state(now) == Some(to) && state(before) != Some(to)
    }
}

/// Rows of values of some probes at the edges of a clock; made by [`Sampler::run`].
///
/// Rows count from 0 in the order of time, columns in the order of the probes.
///
/// ```
/// # use lockstep_vcd::{Sampler, Slice, Source};
/// # let mut dump = Slice::new(b"$var wire 1 ! clk $end $var wire 4 a n [3:0] $end \
/// #     $enddefinitions $end\n#0\n0!\nb0 a\n#5\n1!\nb101 a\n#10\n0!\n#15\n1!\nbx a\n")?;
/// # let (clock, n) = (dump.header().find("clk")?, dump.header().find("n")?);
/// let samples = Sampler::rising(clock).after().run(&mut dump, &[n])?;
/// assert_eq!((samples.len(), samples.is_empty()), (2, false));
/// assert_eq!(samples.times(), [5, 15]);
/// assert_eq!(samples.u64(0, 0), Some(5));
/// assert_eq!(samples.value(1, 0).unwrap().to_string(), "4'hx");
/// assert_eq!(samples.u64(1, 0), None);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    times: Vec<u64>,
    /// For each column, the rows in which its value differs from the row before.
    columns: Vec<Vec<(usize, Option<Value>)>>,
}

impl Samples {
    /// Number of rows.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The ticks of the edges, one for each row.
    #[must_use]
    pub fn times(&self) -> &[u64] {
        &self.times
    }

    /// The value in a row and a column. None if the dump had given none yet, or outside of the
    /// table.
    #[must_use]
    pub fn value(&self, row: usize, column: usize) -> Option<&Value> {
        if row >= self.len() {
            return None;
        }
        let changes = self.columns.get(column)?;
        let after = changes.partition_point(|(changed, _)| *changed <= row);
        changes[after.checked_sub(1)?].1.as_ref()
    }

    /// The value in a row and a column as an unsigned number. None as for
    /// [`value`](Self::value), and if it is no number below 2^64.
    #[must_use]
    pub fn u64(&self, row: usize, column: usize) -> Option<u64> {
        self.value(row, column)?.to_u64()
    }

    /// All rows in the order of time: the tick and the values.
    ///
    /// ```
    /// # use lockstep_vcd::{Sampler, Slice, Source};
    /// # let mut dump = Slice::new(b"$var wire 1 ! clk $end $enddefinitions $end\n\
    /// #     #0\n0!\n#5\n1!\n#10\n0!\n#15\n1!\n")?;
    /// # let clock = dump.header().find("clk")?;
    /// let samples = Sampler::falling(clock).run(&mut dump, &[clock])?;
    /// for (time, values) in samples.rows() {
    ///     assert_eq!(time, 10);
    ///     assert_eq!(values[0].unwrap().to_u64(), Some(1));
    /// }
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    pub fn rows(&self) -> impl Iterator<Item = (u64, Vec<Option<&Value>>)> {
        self.times.iter().enumerate().map(|(row, &time)| {
            (
                time,
                (0..self.columns.len())
                    .map(|column| self.value(row, column))
                    .collect(),
            )
        })
    }
}

/// The rows that are kept while reading.
struct Collected {
    last: usize,
    /// Number of rows that were dropped at the front.
    dropped: usize,
    times: VecDeque<u64>,
    columns: Vec<VecDeque<(usize, Option<Value>)>>,
}

impl Collected {
    fn new(columns: usize, last: usize) -> Self {
        let columns = vec![VecDeque::new(); columns];
        Self {
            last,
            dropped: 0,
            times: VecDeque::new(),
            columns,
        }
    }

    fn push(&mut self, time: u64, values: &[Option<Value>]) {
        let row = self.dropped + self.times.len();
        self.times.push_back(time);
        for (changes, value) in self.columns.iter_mut().zip(values) {
            if changes.back().is_none_or(|(_, last)| last != value) {
                changes.push_back((row, value.clone()));
            }
        }
        if self.times.len() > self.last {
            self.times.pop_front();
            self.dropped += 1;
            for changes in &mut self.columns {
                // The value of the first row that is kept must stay.
                if changes.get(1).is_some_and(|(row, _)| *row <= self.dropped) {
                    changes.pop_front();
                }
            }
        }
    }

    fn finish(self) -> Samples {
        let row = |(row, value): (usize, Option<Value>)| (row.saturating_sub(self.dropped), value);
        Samples {
            times: self.times.into(),
            columns: self
                .columns
                .into_iter()
                .map(|c| c.into_iter().map(row).collect())
                .collect(),
        }
    }
}
