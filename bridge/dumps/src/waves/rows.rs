//! Values of signals around a place in a dump, one row a clock cycle or a change.

use std::collections::VecDeque;
use std::io::{Read, Seek};
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
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Tick.
    pub time: u64,
    /// Number of the rising edge, if they were counted.
    pub cycle: Option<u64>,
    /// A value a probe. None if the dump had given none yet.
    pub values: Vec<Option<Value>>,
}

/// Rows around a place.
#[derive(Debug)]
pub struct Rows {
    /// Values of the row before the first one, to tell changes from.
    pub previous: Option<Vec<Option<Value>>>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Which row was asked for. None if the dump breaks off before it, or if the time is before the first row.
    pub target: Option<usize>,
    /// Why there are no more rows, if not for the end of the dump or the window.
    pub fault: Option<Error>,
}

impl Rows {
    /// Whether the value of a signal differs from that of the row before, or, of an event, whether it was triggered.
    pub fn has_changed(&self, row: usize, place: usize, event: bool) -> bool {
        let value = &self.rows[row].values[place];
        let before = match row.checked_sub(1) {
            Some(before) => Some(&self.rows[before].values[place]),
            None => self.previous.as_ref().map(|values| &values[place]),
        };
        match event {
            true => value.is_some(),
            false => before.is_some_and(|before| before != value),
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

impl Request<'_> {
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
    pub fn collect(&self, dump: &mut Dump) -> Result<Rows, RowsError> {
        match dump {
            Dump::Pipe(stream) => self.scan(stream),
            Dump::Ghw(ghw) => self.scan(ghw),
            Dump::Fst(fst) => self.scan_blocks(fst),
            Dump::File(stream) => match self.seek(stream) {
                // A scan shows what stands before the fault, and tells its line.
                Err(RowsError::Dump(Error::Syntax { .. })) => {
                    stream.rewind()?;
                    self.scan(stream)
                }
                rows => rows,
            },
        }
    }

    /// Reads once, from the start on.
    fn scan(&self, source: &mut impl Source) -> Result<Rows, RowsError> {
        let mut watched = self.probes.to_vec();
        watched.extend(self.pace.clock());
        let mut ticks = Ticks::new(source.header(), &watched);
        let header = Arc::clone(source.header());
        let mut scan = Scan::new(self, &header);
        let fault = scan.run(source, &mut ticks);
        scan.finish(&header, ticks.time(), fault)
    }

    /// Reads the blocks around the place, and up to a cycle all.
    fn scan_blocks(&self, fst: &mut Fst) -> Result<Rows, RowsError> {
        let mut watched = self.probes.to_vec();
        watched.extend(self.pace.clock());
        fst.watch(watched.iter().map(Probe::signal))?;
        let Target::Time(at) = self.target else {
            return self.scan(fst);
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
                let mut scan = Scan::new(self, &header);
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
                    Ok(Some(time)) => {
                        scan.tick(time, &mut ticks);
                    }
                    Ok(None) => {}
                    Err(_) => continue,
                }
                if !scan.done && scan.run(fst, &mut ticks).is_some() {
                    continue;
                }
                if scan.before.len() >= self.kept() {
                    return scan.finish(&header, ticks.time(), None);
                }
            }
            back = 2 * back + 1;
        }
        fst.jump(0)?;
        self.scan(fst)
    }

    /// Finds the times of the rows, then the values there.
    fn seek<R: Read + Seek>(&self, stream: &mut Stream<R>) -> Result<Rows, RowsError> {
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

    fn rows_of(&self, header: &Header, places: &Places, traces: &[Trace]) -> Rows {
        let early = matches!(self.pace, Pace::Clock(_, Sample::Before));
        let seen = |time: u64| {
            if early {
                time.checked_sub(1)
            } else {
                Some(time)
            }
        };
        let value = |probe: &Probe, trace: &Trace, last: Option<u64>, time: u64| {
            if !probe.is_event(header) {
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
        let mut last = None;
        let mut rows = |places: &mut dyn Iterator<Item = &(u64, Option<u64>)>| {
            let mut rows = Vec::new();
            for &(time, cycle) in places {
                let values = self.probes.iter().zip(traces);
                let values = values.map(|(probe, trace)| value(probe, trace, last, time));
                rows.push(Row {
                    time,
                    cycle,
                    values: values.collect(),
                });
                last = Some(time);
            }
            rows
        };
        let before = rows(&mut places.before.iter());
        let after = rows(&mut places.after.iter());
        self.rows(header, before.into(), after, None)
    }

    /// Rows where a signal changes, from windows that grow until there are enough.
    fn seek_changes<R: Read + Seek>(
        &self,
        stream: &mut Stream<R>,
        at: u64,
    ) -> Result<Rows, RowsError> {
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

    /// Puts rows together; of those before, the first may be there only to tell changes from.
    fn rows(
        &self,
        header: &Header,
        mut before: VecDeque<Row>,
        after: Vec<Row>,
        fault: Option<Error>,
    ) -> Rows {
        let mut previous = match before.len() > self.window.saturating_add(1) {
            true => before.pop_front().map(|row| row.values),
            false => None,
        };
        for (value, probe) in previous.iter_mut().flatten().zip(self.probes) {
            // What is before the first row is not read.
            if probe.is_event(header) {
                *value = None;
            }
        }
        let reached = match self.target {
            Target::Time(_) => fault.is_none() || !after.is_empty(),
            Target::Cycle(at) => before.back().is_some_and(|row| row.cycle == Some(at)),
        };
        // Before the first row, there is none to point at.
        let target = before.len().checked_sub(1).filter(|_| reached);
        Rows {
            previous,
            rows: before.into_iter().chain(after).collect(),
            target,
            fault,
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

/// Collects rows while a dump is read from its start.
struct Scan<'r> {
    request: &'r Request<'r>,
    walker: Walker,
    before: VecDeque<Row>,
    after: Vec<Row>,
    done: bool,
}

impl<'r> Scan<'r> {
    fn new(request: &'r Request<'r>, header: &Header) -> Self {
        Self {
            request,
            walker: Walker::new(header, request.probes, request.pace),
            before: VecDeque::new(),
            after: Vec::new(),
            done: false,
        }
    }

    /// Takes the values before the first tick; whether all have one.
    fn begin(&mut self, ticks: &mut Ticks) -> bool {
        self.walker.begin(ticks)
    }

    /// Takes ticks until all rows are there, or the dump ends with a fault.
    fn run(&mut self, source: &mut impl Source, ticks: &mut Ticks) -> Option<Error> {
        loop {
            match ticks.next(source) {
                Ok(Some(time)) if !self.tick(time, ticks) => {}
                Ok(_) => return None,
                Err(error) => return Some(error),
            }
        }
    }

    /// Takes the changes of a tick; whether all rows are there.
    fn tick(&mut self, time: u64, ticks: &mut Ticks) -> bool {
        let Self {
            request,
            before,
            after,
            done,
            ..
        } = self;
        self.walker.tick(ticks, |number, values| {
            let cycle = request.pace.clock().map(|_| number);
            let past = request.is_past(time, cycle);
            let wanted = request.wanted_after(before.is_empty());
            let row = || Row {
                time,
                // The same columns as where cycles are not counted.
                cycle: cycle.filter(|_| matches!(request.target, Target::Cycle(_))),
                values: values.to_vec(),
            };
            if !past {
                before.push_back(row());
                if before.len() > request.kept() {
                    before.pop_front();
                }
            } else if after.len() < wanted {
                after.push(row());
            }
            *done = past && after.len() >= wanted;
        });
        self.done
    }

    fn finish(self, header: &Header, last: u64, fault: Option<Error>) -> Result<Rows, RowsError> {
        if let (false, None) = (self.done, &fault) {
            match self.request.target {
                Target::Time(at) if at > last => return Err(RowsError::AfterEnd { last }),
                Target::Cycle(asked) if asked >= self.walker.rows() => {
                    return Err(no_cycle(asked, self.walker.rows()));
                }
                _ => {}
            }
        }
        if self.before.is_empty() && self.after.is_empty() {
            return Err(fault.map_or_else(|| self.request.no_rows(), RowsError::Dump));
        }
        Ok(self.request.rows(header, self.before, self.after, fault))
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

    fn request(
        text: &str,
        names: &[&str],
        pace: &str,
        target: Target,
        window: usize,
        seek: bool,
    ) -> Result<Rows, RowsError> {
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
        match seek {
            true => request.seek(&mut stream),
            false => request.scan(&mut Slice::new(text.as_bytes())?),
        }
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
                            (rows.previous, rows.rows, rows.target)
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
        assert_eq!(
            rows.previous.unwrap()[0].as_ref().unwrap().to_u64(),
            Some(7)
        );
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
