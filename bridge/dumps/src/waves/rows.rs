//! Values of signals around a place in a dump, one row a clock cycle or a change.

use std::collections::VecDeque;
use std::io::{Read, Seek};
use std::ops::ControlFlow;
use std::sync::Arc;

use lockstep_vcd::{Error, Header, Probe, Source, Stream, Ticks, Trace, Value};

use crate::fst::Fst;

use super::clock::Edges;
use super::dump::Dump;
pub use super::walker::{Pace, Sample};
use super::walker::{Settled, Walker, replace, triggered};

/// The part of the time from the start of a block of FST to a place that is looked at first.
const NEAR: u64 = 64;

/// The place that was asked for.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// The last row not after this tick.
    Time(u64),
    /// The row of this rising edge of the clock, counted from 0.
    Cycle(u64),
}

/// What to collect.
#[derive(Clone, Copy, Debug)]
pub struct Request<'p> {
    /// A column each.
    pub probes: &'p [Probe],
    /// Rows.
    pub pace: Pace,
    /// The row in the middle.
    pub target: Target,
    /// Rows before and after it.
    pub window: usize,
}

/// Values at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'r> {
    /// Tick.
    pub time: u64,
    /// Number of the rising edge, if they were counted.
    pub cycle: Option<u64>,
    /// A value a probe. None if the dump had given none yet.
    pub values: &'r [Option<Value>],
    /// For each probe, whether its value differs from that of the row before, or, of an event, whether it was triggered.
    pub changed: &'r [bool],
}

/// The same, kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRow {
    /// Tick.
    pub time: u64,
    /// Number of the rising edge, if they were counted.
    pub cycle: Option<u64>,
    /// A value a probe.
    pub values: Vec<Option<Value>>,
    /// For each probe, whether it has changed.
    pub changed: Vec<bool>,
}

impl From<Row<'_>> for KeptRow {
    fn from(row: Row<'_>) -> Self {
        Self {
            time: row.time,
            cycle: row.cycle,
            values: row.values.to_vec(),
            changed: row.changed.to_vec(),
        }
    }
}

impl KeptRow {
    fn row(&self) -> Row<'_> {
        Row {
            time: self.time,
            cycle: self.cycle,
            values: &self.values,
            changed: &self.changed,
        }
    }
}

/// Rows around a place. Those behind it are read while they are shown.
pub struct Rows<'r, S> {
    /// Which row was asked for, counted from 0. None if the dump breaks off before it, or if the time is before the first
    /// row.
    pub target: Option<usize>,
    /// The rows up to the one behind the target.
    rows: VecDeque<KeptRow>,
    fault: Option<Error>,
    rest: Option<Rest<'r, S>>,
}

/// Where rows are read on.
struct Rest<'r, S> {
    source: &'r mut S,
    ticks: Ticks,
    scan: Scan<'r>,
}

impl Rows<'_, Dump> {
    /// Shows all rows until `show` breaks.
    ///
    /// # Returns
    /// Why there are no more rows, if not for the end of the dump or the window.
    pub fn each(self, show: &mut dyn FnMut(Row<'_>) -> ControlFlow<()>) -> Option<Error> {
        self.run(show)
    }
}

impl<S: Source> Rows<'_, S> {
    fn run(self, mut show: impl FnMut(Row<'_>) -> ControlFlow<()>) -> Option<Error> {
        for row in self.rows {
            if show(row.row()).is_break() {
                return None;
            }
        }
        match self.rest {
            Some(mut rest) => rest.scan.run(rest.source, &mut rest.ticks, show),
            None => self.fault,
        }
    }
}

/// Why there are no rows.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The dump cannot be read.
    #[error(transparent)]
    Dump(#[from] Error),
    /// The time is after the end.
    #[error("expected a time not after the end of the dump")]
    AfterEnd {
        /// Last tick of the dump.
        last: u64,
    },
    /// The clock does not rise so often.
    #[error("expected a cycle of the dump, found {asked}; the clock rises {cycles} times, so that the last cycle is {}", cycles.saturating_sub(1))]
    NoCycle {
        /// The cycle asked for.
        asked: u64,
        /// Rising edges in the dump.
        cycles: u64,
    },
    /// There is nothing to make rows of.
    #[error(
        "expected rising edges of the clock, found none; name another with --clock PATH, or take --changes"
    )]
    NoEdge,
    /// There is nothing to make rows of.
    #[error("expected values of the signals, found none in the dump")]
    NoChange,
}

impl<'p> Request<'p> {
    /// Rows of the signals before the target, itself, and the one before these, to tell changes from.
    fn kept(&self) -> usize {
        self.window.saturating_add(2)
    }

    /// Rows after the target. Before the first row, the first one is shown in any case.
    const fn wanted_after(&self, none_before: bool) -> usize {
        match (self.window, none_before) {
            (0, true) => 1,
            (window, _) => window,
        }
    }

    fn is_past(&self, time: u64, cycle: Option<u64>) -> bool {
        match self.target {
            Target::Time(at) => time > at,
            Target::Cycle(at) => cycle.is_some_and(|cycle| cycle > at),
        }
    }

    /// The rows of `dump`, which was just opened. A file is read only around the place; up to a cycle, only the edges
    /// of the clock are read.
    ///
    /// # Errors
    /// [`RowsError`].
    pub fn find(&self, dump: &'p mut Dump) -> Result<Rows<'p, Dump>, RowsError> {
        match dump {
            Dump::Pipe(_) | Dump::Ghw(_) => {}
            Dump::Fst(fst) => {
                if let Some((ticks, scan)) = self.scan_blocks(fst)? {
                    return scan.found(dump, ticks, None);
                }
            }
            Dump::File(stream) => match self.seek(stream) {
                // A scan shows what stands before the fault, and tells its line.
                Err(RowsError::Dump(Error::Syntax { .. })) => stream.rewind()?,
                rows => return rows,
            },
        }
        self.scan(dump)
    }

    /// Reads once, from the start on.
    fn scan<S: Source>(&self, source: &'p mut S) -> Result<Rows<'p, S>, RowsError> {
        let mut ticks = Ticks::new(source.header(), &self.watched());
        let mut scan = Scan::new(*self, source.header());
        let fault = scan.find(source, &mut ticks);
        scan.found(source, ticks, fault)
    }

    /// The probes, and behind them the clock.
    fn watched(&self) -> Vec<Probe> {
        self.probes
            .iter()
            .copied()
            .chain(self.pace.clock())
            .collect()
    }

    /// Reads the blocks around a time. None if all are to be read, from the start on.
    fn scan_blocks(&self, fst: &mut Fst) -> Result<Option<(Ticks, Scan<'p>)>, RowsError> {
        let watched = self.watched();
        fst.watch(watched.iter().map(Probe::signal))?;
        let Target::Time(at) = self.target else {
            return Ok(None);
        };
        let header = Arc::clone(fst.header());
        let last = fst.block_before(at);
        let mut back = 0;
        while back < last {
            let block = last - back;
            let Some(start) = fst.start_of(block) else {
                break;
            };
            // Most often a little before the place is enough, and what comes before need not be looked at.
            for from in [at - (at - start) / NEAR, 0] {
                fst.jump_near(block, from)?;
                let mut ticks = Ticks::new(&header, &watched);
                let mut scan = Scan::new(*self, &header);
                // First come the values at the start, which are no changes.
                if ticks.next(fst)? != Some(start) || !scan.begin(&mut ticks) {
                    continue;
                }
                let next = loop {
                    match ticks.next(fst) {
                        // Nor are those that have come of them.
                        Ok(Some(time)) if time < from => scan.begin(&mut ticks),
                        next => break next,
                    };
                };
                match next {
                    Ok(Some(time)) => scan.enter(time, &mut ticks),
                    Ok(None) => {}
                    Err(_) => continue,
                }
                if !scan.past && scan.find(fst, &mut ticks).is_some() {
                    continue;
                }
                if scan.before >= self.kept() {
                    return Ok(Some((ticks, scan)));
                }
            }
            back = 2 * back + 1;
        }
        fst.jump(0)?;
        Ok(None)
    }

    /// Finds the times of the rows, then the values there.
    fn seek<R: Read + Seek, S>(&self, stream: &mut Stream<R>) -> Result<Rows<'p, S>, RowsError> {
        let places = match self.target {
            Target::Time(at) => self.places_around(stream, at)?,
            Target::Cycle(at) => self.places_of_cycles(stream, at)?,
        };
        let traces = self.traces(stream, &places)?;
        match (self.pace, self.target) {
            // What a signal was before the part that was read, only the window tells.
            (Pace::Changes, Target::Time(at))
                if !places
                    .all()
                    .all(|row| self.changes(stream.header(), &traces, row.0)) =>
            {
                self.seek_changes(stream, at)
            }
            _ => Ok(self.rows_of(stream.header(), &places, &traces)),
        }
    }

    /// What the probes see at some places and between them.
    fn traces<R: Read + Seek>(
        &self,
        stream: &mut Stream<R>,
        places: &Places,
    ) -> Result<Vec<Trace>, RowsError> {
        let (Some(first), Some(last)) = (places.all().next(), places.all().last()) else {
            return Err(self.no_rows());
        };
        let events = self
            .probes
            .iter()
            .any(|probe| probe.is_event(stream.header()));
        let start = match events && self.has_first(places) {
            true => 0,
            false => first.0.saturating_sub(1),
        };
        Ok(stream.window(self.probes, start..=last.0)?)
    }

    /// Whether the first of the places is the first row of the dump.
    fn has_first(&self, places: &Places) -> bool {
        places.before.len() < self.kept()
    }

    fn rows_of<S>(&self, header: &Header, places: &Places, traces: &[Trace]) -> Rows<'p, S> {
        let early = matches!(self.pace, Pace::Clock(_, Sample::Before));
        let seen = |time: u64| {
            if early {
                time.checked_sub(1)
            } else {
                Some(time)
            }
        };
        let events: Vec<_> = self.probes.iter().map(|one| one.is_event(header)).collect();
        let value = |event: bool, trace: &Trace, last: Option<u64>, time: u64| {
            if !event {
                return trace.at(seen(time)?).cloned();
            }
            // A trigger since the row before.
            let changes = trace.changes.iter().rev();
            let changes = changes.skip_while(|(changed, _)| Some(*changed) > seen(time));
            let mut triggers = changes.filter(|(_, value)| value.is_trigger());
            let (changed, _) = triggers.next()?;
            let since = match last {
                Some(last) => Some(*changed) > seen(last),
                None => seen(time).is_some(),
            };
            since.then(triggered)
        };
        let mut rows = VecDeque::<KeptRow>::new();
        for &(time, cycle) in places.all() {
            let last = rows.back();
            let at = last.map(|row| row.time);
            let values = events.iter().zip(traces);
            let values = values.map(|(event, trace)| value(*event, trace, at, time));
            let values: Vec<_> = values.collect();
            let changed = values.iter().zip(&events).enumerate();
            let changed = changed.map(|(place, (value, event))| match event {
                true => value.is_some(),
                false => last.is_some_and(|last| last.values[place] != *value),
            });
            rows.push_back(KeptRow {
                time,
                cycle,
                changed: changed.collect(),
                values,
            });
        }
        self.rows(rows, places.before.len(), None, None)
    }

    /// Rows where a signal changes, from windows that grow until there are enough.
    fn seek_changes<R: Read + Seek, S>(
        &self,
        stream: &mut Stream<R>,
        at: u64,
    ) -> Result<Rows<'p, S>, RowsError> {
        let Some(times) = stream.times()? else {
            return Err(self.no_rows());
        };
        let (first, last) = times.into_inner();
        let mut reach = 1_u64;
        loop {
            let (start, end) = (at.saturating_sub(reach), at.saturating_add(reach));
            let traces = stream.window(self.probes, start..=end)?;
            let changes = traces.iter().flat_map(|trace| &trace.changes);
            let mut times: Vec<_> = changes.map(|(time, _)| *time).collect();
            times.sort_unstable();
            times.dedup();
            times.retain(|&time| self.changes(stream.header(), &traces, time));
            let mut places = Places::default();
            for time in times {
                if places.enter((time, None), self) {
                    break;
                }
            }
            let enough = self.are_enough(&places);
            if (start <= first || enough[0]) && (end >= last || enough[1]) {
                return match places.all().next() {
                    Some(_) => Ok(self.rows_of(stream.header(), &places, &traces)),
                    None => Err(self.no_rows()),
                };
            }
            reach = reach.saturating_mul(4);
        }
    }

    /// Whether one of the probes has another value after a tick than before, or is triggered in it.
    fn changes(&self, header: &Header, traces: &[Trace], time: u64) -> bool {
        self.probes.iter().zip(traces).any(|(probe, trace)| {
            let changed = trace.changes.binary_search_by_key(&time, |(time, _)| *time);
            let before = || time.checked_sub(1).and_then(|before| trace.at(before));
            changed.is_ok() && (probe.is_event(header) || trace.at(time) != before())
        })
    }

    /// Whether there are enough rows before and after the target.
    fn are_enough(&self, places: &Places) -> [bool; 2] {
        let wanted = self.wanted_after(places.before.is_empty());
        [
            places.before.len() >= self.kept(),
            places.after.len() >= wanted,
        ]
    }

    /// Rows at and before the cycle `at`, as many as are kept, and rows after it, counted from the start of the dump.
    fn places_of_cycles<R: Read + Seek>(
        &self,
        stream: &mut Stream<R>,
        at: u64,
    ) -> Result<Places, RowsError> {
        let clock = self.pace.clock().ok_or(RowsError::NoEdge)?;
        let (before, after) = (self.kept() as u64 - 1, self.wanted_after(false) as u64);
        let (first, last) = (at.saturating_sub(before), at.saturating_add(after));
        let rises = stream.rises(clock, first..=last, self.probes)?;
        if at >= rises.count {
            return Err(no_cycle(at, rises.count));
        }
        let mut places = Places::default();
        for (cycle, time) in (first..).zip(rises.times) {
            places.enter((time, Some(cycle)), self);
        }
        Ok(places)
    }

    /// The same for a time, reading only around it, in growing steps.
    fn places_around<R: Read + Seek>(
        &self,
        stream: &mut Stream<R>,
        at: u64,
    ) -> Result<Places, RowsError> {
        let Some(times) = stream.times()? else {
            return Err(self.no_rows());
        };
        let (first, last) = times.into_inner();
        if at > last {
            return Err(RowsError::AfterEnd { last });
        }
        let mut reach = 1_u64;
        loop {
            let (start, end) = (at.saturating_sub(reach), at.saturating_add(reach));
            let mut places = Places::default();
            let from = stream.seek(start)?;
            let mut finder = Finder::new(self, stream, from, end);
            while let Some(time) = finder.next(stream)? {
                if time >= start && places.enter((time, None), self) {
                    break;
                }
            }
            let enough = self.are_enough(&places);
            if (start <= first || enough[0]) && (end >= last || enough[1]) {
                return Ok(places);
            }
            reach = reach.saturating_mul(4);
        }
    }

    fn no_rows(&self) -> RowsError {
        match self.pace {
            Pace::Clock(..) => RowsError::NoEdge,
            Pace::Changes => RowsError::NoChange,
        }
    }

    /// Puts rows together, of which some are not behind the target; of these, the first may be there only to tell changes
    /// from.
    fn rows<S>(
        &self,
        mut rows: VecDeque<KeptRow>,
        mut before: usize,
        fault: Option<Error>,
        rest: Option<Rest<'p, S>>,
    ) -> Rows<'p, S> {
        let last = before.checked_sub(1).map(|last| rows[last].cycle);
        let reached = match self.target {
            Target::Time(_) => fault.is_none(),
            Target::Cycle(at) => last == Some(Some(at)),
        };
        if before > self.window.saturating_add(1) {
            rows.pop_front();
            before -= 1;
        }
        Rows {
            // Before the first row, there is none to point at.
            target: before.checked_sub(1).filter(|_| reached),
            rows,
            fault,
            rest,
        }
    }
}

const fn no_cycle(asked: u64, cycles: u64) -> RowsError {
    match cycles {
        0 => RowsError::NoEdge,
        _ => RowsError::NoCycle { asked, cycles },
    }
}

/// Times and cycles of rows.
#[derive(Debug, Default)]
struct Places {
    /// At and before the target.
    before: VecDeque<(u64, Option<u64>)>,
    after: Vec<(u64, Option<u64>)>,
}

impl Places {
    fn all(&self) -> impl Iterator<Item = &(u64, Option<u64>)> {
        self.before.iter().chain(&self.after)
    }

    /// Enters a row; whether it is the last one needed.
    fn enter(&mut self, place: (u64, Option<u64>), request: &Request<'_>) -> bool {
        if request.is_past(place.0, place.1) {
            let wanted = request.wanted_after(self.before.is_empty());
            if self.after.len() < wanted {
                self.after.push(place);
            }
            return self.after.len() >= wanted;
        }
        self.before.push_back(place);
        if self.before.len() > request.kept() {
            self.before.pop_front();
        }
        false
    }
}

/// Finds rows from the middle of a dump on.
struct Finder {
    ticks: Ticks,
    pace: Pace,
    edges: Edges,
    events: Vec<bool>,
    values: Vec<Option<Value>>,
    settled: Settled,
}

impl Finder {
    fn new(request: &Request<'_>, source: &impl Source, from: u64, end: u64) -> Self {
        let watched = match request.pace {
            Pace::Clock(clock, _) => vec![clock],
            // From the middle on, the value of a joined signal is not known.
            Pace::Changes => {
                let probes = request.probes.iter();
                probes
                    .flat_map(|probe| probe.parts(source.header()))
                    .collect()
            }
        };
        let events = watched.iter().map(|probe| probe.is_event(source.header()));
        Self {
            ticks: Ticks::new(source.header(), &watched).from(from).to(end),
            pace: request.pace,
            edges: Edges::default(),
            events: events.collect(),
            values: vec![None; watched.len()],
            settled: Settled::new(watched.len()),
        }
    }

    /// Time of the next row.
    fn next(&mut self, source: &mut impl Source) -> Result<Option<u64>, Error> {
        while let Some(time) = self.ticks.next(source)? {
            let mut changed = false;
            if let Pace::Clock(..) = self.pace {
                let changes = self.ticks.drain();
                changes.for_each(|(_, value)| self.edges.change(&value));
            }
            self.settled.begin();
            for (place, value) in self.ticks.drain().rev() {
                match self.pace {
                    Pace::Clock(..) => {}
                    Pace::Changes if self.events[place] => changed |= value.is_trigger(),
                    Pace::Changes if self.settled.again(place) => {}
                    Pace::Changes => changed |= replace(&mut self.values[place], value),
                }
            }
            if self.edges.tick() || changed {
                return Ok(Some(time));
            }
        }
        Ok(None)
    }
}

/// Finds rows while a dump is read from its start.
struct Scan<'r> {
    request: Request<'r>,
    walker: Walker,
    /// As many rows up to the target as are wanted, and one behind it.
    kept: VecDeque<KeptRow>,
    /// How many of them are not behind it.
    before: usize,
    /// A row behind the target was read.
    past: bool,
    /// Rows to come.
    wanted: usize,
}

impl<'r> Scan<'r> {
    fn new(request: Request<'r>, header: &Header) -> Self {
        Self {
            request,
            walker: Walker::new(header, request.probes, request.pace),
            kept: VecDeque::new(),
            before: 0,
            past: false,
            wanted: 0,
        }
    }

    /// Takes the values before the first tick; whether all have one.
    fn begin(&mut self, ticks: &mut Ticks) -> bool {
        self.walker.begin(ticks)
    }

    /// Takes ticks up to the row behind the target, or until the dump ends, perhaps with a fault.
    fn find(&mut self, source: &mut impl Source, ticks: &mut Ticks) -> Option<Error> {
        while !self.past {
            match ticks.next(source) {
                Ok(Some(time)) => self.enter(time, ticks),
                Ok(None) => return None,
                Err(error) => return Some(error),
            }
        }
        None
    }

    /// Takes the changes of a tick, and keeps its row.
    fn enter(&mut self, time: u64, ticks: &mut Ticks) {
        let counted = self.counted();
        let Self {
            request,
            walker,
            kept,
            before,
            past,
            wanted,
        } = self;
        walker.tick(ticks, |number, values, changed| {
            let row = Row {
                time,
                cycle: counted.then_some(number),
                values,
                changed,
            };
            *past = request.is_past(time, row.cycle);
            if *past {
                *wanted = request.wanted_after(*before == 0);
                if *wanted > 0 {
                    kept.push_back(row.into());
                    *wanted -= 1;
                }
                return;
            }
            kept.push_back(row.into());
            if kept.len() > request.kept() {
                kept.pop_front();
            }
            *before = kept.len();
        });
    }

    /// Takes ticks, and shows their rows, as many as are wanted.
    fn run(
        &mut self,
        source: &mut impl Source,
        ticks: &mut Ticks,
        mut show: impl FnMut(Row<'_>) -> ControlFlow<()>,
    ) -> Option<Error> {
        let counted = self.counted();
        while self.wanted > 0 {
            let time = match ticks.next(source) {
                Ok(Some(time)) => time,
                Ok(None) => return None,
                Err(error) => return Some(error),
            };
            let wanted = &mut self.wanted;
            self.walker.tick(ticks, |number, values, changed| {
                let row = Row {
                    time,
                    cycle: counted.then_some(number),
                    values,
                    changed,
                };
                *wanted = match show(row) {
                    ControlFlow::Continue(()) => *wanted - 1,
                    ControlFlow::Break(()) => 0,
                };
            });
        }
        None
    }

    /// Whether rows have numbers: not where a time was asked for, as there cycles need not be counted.
    const fn counted(&self) -> bool {
        self.request.pace.clock().is_some() && matches!(self.request.target, Target::Cycle(_))
    }

    /// The rows that were found, up to where `fault` ends the dump, and those behind them.
    fn found<S>(
        mut self,
        source: &'r mut S,
        ticks: Ticks,
        fault: Option<Error>,
    ) -> Result<Rows<'r, S>, RowsError> {
        let request = self.request;
        if fault.is_none() {
            let (last, cycles) = (ticks.time(), self.walker.rows());
            match request.target {
                Target::Time(at) if at > last => return Err(RowsError::AfterEnd { last }),
                Target::Cycle(asked) if asked >= cycles => return Err(no_cycle(asked, cycles)),
                _ => {}
            }
        }
        if self.kept.is_empty() {
            return Err(fault.map_or_else(|| request.no_rows(), RowsError::Dump));
        }
        let (kept, before) = (std::mem::take(&mut self.kept), self.before);
        let rest = self.past.then_some(Rest {
            source,
            ticks,
            scan: self,
        });
        Ok(request.rows(kept, before, fault, rest))
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::io::Cursor;

    use lockstep_vcd::Slice;

    use super::*;

    /// 4000 cycles of 10 ticks, rising at 5; one signal counts, one changes every 900 cycles, one never.
    fn dump() -> String {
        let mut text = String::from(
            "$var wire 1 ! clk $end $var reg 16 a often $end $var reg 16 b rare $end $var reg 1 c once $end \
             $enddefinitions $end\n#0\n0!\nb0 a\nb0 b\n1c\n",
        );
        for cycle in 0..4000 {
            let time = 10 * cycle + 5;
            write!(text, "#{time}\n1!\nb{cycle:b} a\n").unwrap();
            if cycle % 900 == 0 {
                writeln!(text, "b{:b} b", cycle / 900).unwrap();
            }
            write!(text, "#{}\n0!\n", time + 5).unwrap();
        }
        text
    }

    #[derive(Debug)]
    struct Collected {
        rows: Vec<KeptRow>,
        target: Option<usize>,
        fault: Option<Error>,
    }

    fn request(
        text: &str,
        names: &[&str],
        pace: &str,
        target: Target,
        window: usize,
        seek: bool,
    ) -> Result<Collected, RowsError> {
        let mut stream = Stream::new(Cursor::new(text))?;
        let header = stream.header().clone();
        let probes = names
            .iter()
            .map(|name| header.find(name))
            .collect::<Result<Vec<_>, _>>()?;
        let clock = header.find("clk")?;
        let pace = match pace {
            "after" => Pace::Clock(clock, Sample::After),
            "before" => Pace::Clock(clock, Sample::Before),
            _ => Pace::Changes,
        };
        let request = Request {
            probes: &probes,
            pace,
            target,
            window,
        };
        let mut slice = Slice::new(text.as_bytes())?;
        let found = match seek {
            true => request.seek(&mut stream),
            false => request.scan(&mut slice),
        }?;
        let (target, mut rows) = (found.target, Vec::new());
        let fault = found.run(|row| {
            rows.push(KeptRow::from(row));
            ControlFlow::Continue(())
        });
        Ok(Collected {
            rows,
            target,
            fault,
        })
    }

    #[test]
    fn seeking_finds_what_a_scan_finds() {
        let text = dump();
        let times = [0, 4, 5, 17, 9_000, 9_005, 20_003, 39_990, 39_995, 40_000].map(Target::Time);
        let cycles = [0, 1, 900, 3998, 3999].map(Target::Cycle);
        for names in [&["often", "rare", "once"][..], &["rare"], &["once"]] {
            for pace in ["after", "before", "changes"] {
                for target in times.into_iter().chain(cycles) {
                    if pace == "changes" && matches!(target, Target::Cycle(_)) {
                        continue;
                    }
                    for window in [0, 1, 5] {
                        let [sought, scanned] = [true, false].map(|seek| {
                            let rows = request(&text, names, pace, target, window, seek).unwrap();
                            (rows.rows, rows.target)
                        });
                        assert_eq!(sought, scanned, "{names:?} {pace} {target:?} {window}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_comes_back_within_a_tick_makes_no_row() {
        let text = "$var wire 1 ! clk $end $var wire 1 a a $end $enddefinitions $end\n\
                    #0\n0a\n#5\n1a\n#10\n0a\n1a\n#15\n1a\n0a\n#20\n1a\n0a\n#25\n1a\n#30\n";
        for (seek, at) in [(true, 5), (true, 12), (true, 25), (false, 12)] {
            let rows = request(text, &["a"], "changes", Target::Time(at), 9, seek).unwrap();
            let times: Vec<_> = rows.rows.iter().map(|row| row.time).collect();
            assert_eq!(times, [0, 5, 15, 25], "{seek} {at}");
        }
    }

    #[test]
    fn the_row_asked_for_is_the_last_one_not_after_the_time() {
        let rows = request(&dump(), &["often"], "after", Target::Time(109), 2, true).unwrap();
        let times: Vec<_> = rows.rows.iter().map(|row| row.time).collect();
        assert_eq!(
            (times.as_slice(), rows.target),
            (&[85, 95, 105, 115, 125][..], Some(2))
        );
        let values: Vec<_> = rows
            .rows
            .iter()
            .map(|row| row.values[0].as_ref().unwrap().to_u64())
            .collect();
        assert_eq!(values, [8, 9, 10, 11, 12].map(Some));
        // The row before these is there to tell a change of the first one.
        assert!(rows.rows[0].changed[0]);
    }

    #[test]
    fn values_before_an_edge_are_those_that_flip_flops_take_in() {
        let rows = request(&dump(), &["often"], "before", Target::Cycle(10), 0, true).unwrap();
        assert_eq!(rows.rows[0].time, 105);
        assert_eq!(rows.rows[0].values[0].as_ref().unwrap().to_u64(), Some(9));
    }

    #[test]
    fn places_outside_of_the_dump_are_errors() {
        for seek in [true, false] {
            let of = |target| request(&dump(), &["often"], "after", target, 2, seek).unwrap_err();
            assert!(matches!(
                of(Target::Time(40_001)),
                RowsError::AfterEnd { last: 40_000 }
            ));
            assert!(matches!(
                of(Target::Cycle(4000)),
                RowsError::NoCycle {
                    asked: 4000,
                    cycles: 4000
                }
            ));
        }
    }

    #[test]
    fn a_dump_that_breaks_off_shows_what_it_has() {
        let text = dump() + "nonsense\n";
        let rows = request(&text, &["often"], "after", Target::Cycle(5000), 2, false).unwrap();
        assert!(rows.fault.is_some());
        assert_eq!(rows.target, None);
        assert_eq!(rows.rows.last().unwrap().time, 39_995);
    }
}
