//! A window of a file in which one can seek, found by bisection.

use std::io::{Read, Seek};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::Arc;

use crate::changes::{Event, ticks};
use crate::error::Error;
use crate::find::Probe;
use crate::header::SignalId;
use crate::parts::Parts;
use crate::reading::read;
use crate::skim::{Clock, Counter, Failed, Lasts, Noted, state};
use crate::source::{Place, Source};
use crate::stream::Stream;
use crate::window::{Slots, Trace, scan, window};

/// Below this many bytes a scan is as fast as to bisect on.
const SCAN: u64 = if cfg!(fuzzing) { 1 << 7 } else { 1 << 16 };

/// Bytes read at once in search of a time.
const BLOCK: usize = if cfg!(fuzzing) { 1 << 6 } else { 1 << 13 };

/// First distance to go back for the value of a signal that does not change near the window.
const BACK: u64 = if cfg!(fuzzing) { 1 << 7 } else { 1 << 18 };

/// Rising edges of a clock; read by [`Stream::rises`], which shows them in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rises {
    /// The ticks of the edges asked for, as many of them as there are.
    pub times: Vec<u64>,
    /// Number of edges read: those asked for and all before them.
    pub count: u64,
}

/// A time in the dump: the place of its `#`, and its ticks.
#[derive(Clone, Copy, Debug)]
struct Mark {
    offset: u64,
    time: u64,
}

impl<R: Read + Seek> Stream<R> {
    /// Reads what `probes` see at the times of `range`; the same as
    /// [`window`](crate::window()) from the start of the dump, but reads only around the window.
    ///
    /// The place is found by bisection over the times. For signals without a change just before
    /// the window, it goes back for their last one, in growing steps, to the start of the dump if
    /// need be. Times must stand at the start of a line, as all tools write them, and a comment
    /// among the changes must not have a line that looks like a time. Where the dump
    /// shows that it is not like that, it is scanned from its start instead. Faults in the parts
    /// that are not read go unseen.
    ///
    /// Afterwards the stream stands behind the window or somewhere before it; see
    /// [`rewind`](Self::rewind).
    ///
    /// ```
    /// use std::io::Cursor;
    /// use lockstep_vcd::{Source, Stream};
    ///
    /// let text = b"$var reg 8 ! a $end $enddefinitions $end\n#0\nb1 !\n#10\nb10 !\n#20\nb11 !\n";
    /// let mut dump = Stream::new(Cursor::new(text))?;
    /// let a = dump.header().find("a")?;
    /// let traces = dump.window(&[a], 10..=15)?;
    /// assert_eq!(traces[0].initial.as_ref().unwrap().to_u64(), Some(1));
    /// assert_eq!(traces[0].at(15).unwrap().to_u64(), Some(2));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Syntax`] for faults before the end of the window.
    pub fn window(
        &mut self,
        probes: &[Probe],
        range: RangeInclusive<u64>,
    ) -> Result<Vec<Trace>, Error> {
        let header = Arc::clone(self.header());
        match Parts::new(&header, probes) {
            None => self.window_of_file(probes, range),
            Some(parts) => {
                let traces = self.window_of_file(&parts.probes, range)?;
                Ok(parts.join(&header, probes, traces))
            }
        }
    }

    /// The same for signals of the file.
    fn window_of_file(
        &mut self,
        probes: &[Probe],
        range: RangeInclusive<u64>,
    ) -> Result<Vec<Trace>, Error> {
        match self.bisected(probes, range.clone()) {
            Ok(Some(traces)) => Ok(traces),
            // What looks wrong from the middle may be right from the start, and else the scan
            // tells the line of the fault.
            Ok(None) | Err(Error::Syntax { .. }) => {
                self.rewind()?;
                window(self, probes, range)
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the ticks of some rising edges of `clock`, counted from 0: the same as with
    /// [`Sampler::rising`](crate::Sampler::rising) from the start of the dump, at the speed of
    /// memory. Reading stops after the last one.
    ///
    /// All is read, but only lines with a change of the clock, and those that are not written as
    /// all tools do, one command a line, are parsed. Faults in other lines go unseen. A clock that
    /// is wider than a bit takes a scan.
    ///
    /// On the way it is noted where the values of `probes` come from that do not change at the end
    /// of the dump, so that a [`window`](Self::window) around these edges need not go back for
    /// them. Afterwards the stream stands at its first event.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use lockstep_vcd::{Source, Stream};
    ///
    /// let text = b"$var wire 1 ! clk $end $enddefinitions $end\n\
    ///     #0\n0!\n#5\n1!\n#10\n0!\n#15\n1!\n#20\n0!\n";
    /// let mut dump = Stream::new(Cursor::new(text))?;
    /// let clock = dump.header().find("clk")?;
    /// let rises = dump.rises(clock, 1..=3, &[])?;
    /// assert_eq!((&rises.times[..], rises.count), (&[15][..], 2));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Syntax`] for faults in what is parsed.
    pub fn rises(
        &mut self,
        clock: Probe,
        numbers: RangeInclusive<u64>,
        probes: &[Probe],
    ) -> Result<Rises, Error> {
        let parts = Parts::new(self.header(), probes);
        let probes = parts.as_ref().map_or(probes, |parts| &parts.probes);
        let counter = match self.skimmed_rises(clock, numbers.clone(), probes)? {
            Some(counter) => counter,
            // The scan tells the line of a fault.
            None => self.scanned_rises(clock, numbers)?,
        };
        self.rewind()?;
        Ok(Rises {
            times: counter.times,
            count: counter.count,
        })
    }

    /// None for a fault, or a clock that cannot be sought.
    fn skimmed_rises(
        &mut self,
        clock: Probe,
        numbers: RangeInclusive<u64>,
        probes: &[Probe],
    ) -> Result<Option<Counter>, Error> {
        let Some(clock) = Clock::new(self.header(), clock, Counter::new(numbers)) else {
            return Ok(None);
        };
        let quiet = self.quiet(probes)?;
        let lasts = match quiet.is_empty() {
            true => None,
            false => Lasts::new(self.header(), quiet),
        };
        let start = self.start().offset;
        let skim = self.skim(start, u64::MAX)?.clock(clock).lasts(lasts);
        match skim.run() {
            Ok((end, counter, lasts)) => {
                let lasts = lasts.map_or_else(Vec::new, |lasts| lasts.all().collect());
                self.noted = Noted { end, lasts };
                Ok(counter)
            }
            Err(Failed::Faulty) => Ok(None),
            Err(Failed::Io(error)) => Err(error),
        }
    }

    fn scanned_rises(
        &mut self,
        clock: Probe,
        numbers: RangeInclusive<u64>,
    ) -> Result<Counter, Error> {
        let mut counter = Counter::new(numbers);
        self.rewind()?;
        let visited = self.try_for_each(|event| {
            match event {
                Event::Time(time) => {
                    // The parser has seen that times are in order.
                    let _in_order = counter.time(time);
                    if counter.is_done() {
                        return ControlFlow::Break(());
                    }
                }
                Event::Change(signal, value) if signal == clock.signal() => {
                    counter.change(state(clock, value));
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        if visited.is_continue() {
            counter.settle();
        }
        Ok(counter)
    }

    /// Those of `probes` that do not change just before the end of the dump.
    fn quiet(&mut self, probes: &[Probe]) -> Result<Vec<Probe>, Error> {
        let end = self.length()?;
        let from = end.saturating_sub(BACK).max(self.start().offset);
        let Some(mark) = self.next_mark(from, end)? else {
            return Ok(probes.to_vec());
        };
        self.go(mark)?;
        let mut slots = vec![true; self.header().signal_count()];
        let read = self.for_each(|event| {
            if let Event::Change(signal, _) = event {
                slots[signal.index()] = false;
            }
        });
        if let Err(error @ Error::Io { .. }) = read {
            return Err(error);
        }
        let quiet = |probe: &Probe| slots.get(probe.signal().index()) == Some(&true);
        Ok(probes.iter().copied().filter(quiet).collect())
    }

    /// Goes to a time stamp before `time` and not far before the last such, or to the first event
    /// if there is none; returns the time there. Found by bisection, under the same conditions as
    /// [`window`](Self::window).
    ///
    /// Lines of faults found from there on are counted from there: to learn the line of one,
    /// [`rewind`](Self::rewind) and read again.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use lockstep_vcd::{Source, Stream, Ticks};
    ///
    /// let text = b"$var reg 8 ! a $end $enddefinitions $end\n#0\nb1 !\n#10\nb10 !\n#20\nb11 !\n";
    /// let mut dump = Stream::new(Cursor::new(text))?;
    /// let a = dump.header().find("a")?;
    /// let from = dump.seek(10)?;
    /// assert!(from < 10);
    /// let mut ticks = Ticks::new(dump.header(), &[a]).from(from);
    /// while ticks.next(&mut dump)?.is_some_and(|time| time < 10) {}
    /// assert_eq!(ticks.changes()[0].1.to_u64(), Some(2));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn seek(&mut self, time: u64) -> Result<u64, Error> {
        let mark = self.last_mark_before(time)?.unwrap_or(self.first_mark());
        self.go(mark)?;
        Ok(mark.time)
    }

    /// The first and the last time of the dump. None if it has neither times nor changes. Reads
    /// only its two ends, under the same conditions as [`window`](Self::window); afterwards the
    /// stream stands at its end.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use lockstep_vcd::Stream;
    ///
    /// let text = b"$var reg 8 ! a $end $enddefinitions $end\n#5\nb1 !\n#10\n#20\n";
    /// assert_eq!(Stream::new(Cursor::new(text))?.times()?, Some(5..=20));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`], and [`Error::Syntax`] for a fault near the ends.
    pub fn times(&mut self) -> Result<Option<RangeInclusive<u64>>, Error> {
        self.rewind()?;
        let first = self.try_for_each(|event| match event {
            Event::Time(time) => ControlFlow::Break(time),
            Event::Change(..) => ControlFlow::Break(0),
            _ => ControlFlow::Continue(()),
        })?;
        let ControlFlow::Break(first) = first else {
            return Ok(None);
        };
        let from = self.seek(u64::MAX)?;
        let last = match self.last_time(from) {
            // What looks wrong from the middle may be right from the start, and else the scan
            // tells the line of the fault.
            Err(Error::Syntax { .. }) => {
                self.rewind()?;
                self.last_time(0)?
            }
            last => last?,
        };
        Ok(Some(first..=last))
    }

    fn last_time(&mut self, mut now: u64) -> Result<u64, Error> {
        self.for_each(|event| {
            if let Event::Time(time) = event {
                now = time;
            }
        })?;
        Ok(now)
    }

    /// None if the times of the dump are not in order.
    fn bisected(
        &mut self,
        probes: &[Probe],
        range: RangeInclusive<u64>,
    ) -> Result<Option<Vec<Trace>>, Error> {
        let Some(mark) = self.last_mark_before(*range.start())? else {
            return Ok(None);
        };
        self.go(mark)?;
        let empty = vec![Trace::default(); probes.len()];
        let mut traces = scan(self, probes, range, mark.time, empty)?;
        let found = self.initial_values(probes, mark, &mut traces)?;
        Ok(found.then_some(traces))
    }

    fn first_mark(&self) -> Mark {
        Mark {
            offset: self.start().offset,
            time: 0,
        }
    }

    fn go(&mut self, mark: Mark) -> Result<(), Error> {
        match mark.offset == self.start().offset {
            true => self.rewind(),
            // The line is not known; `window` does not let it be seen.
            false => self.jump(
                Place {
                    offset: mark.offset,
                    lines: 0,
                },
                mark.time,
            ),
        }
    }

    /// A mark before `time`, or the start of the changes, not far before the last such mark.
    fn last_mark_before(&mut self, time: u64) -> Result<Option<Mark>, Error> {
        let mut low = self.first_mark();
        let mut high = Mark {
            offset: self.length()?,
            time: u64::MAX,
        };
        while high.offset.saturating_sub(low.offset) > SCAN {
            let middle = low.offset + (high.offset - low.offset) / 2;
            match self.next_mark(middle, high.offset)? {
                Some(mark) if mark.time < low.time || mark.time > high.time => return Ok(None),
                Some(mark) if mark.time < time => low = mark,
                Some(mark) => {
                    high = Mark {
                        offset: middle,
                        time: mark.time,
                    }
                }
                None => high.offset = middle,
            }
        }
        Ok(Some(low))
    }

    /// The first mark at or after byte `from` and before byte `to`.
    fn next_mark(&mut self, from: u64, to: u64) -> Result<Option<Mark>, Error> {
        let reader = self.reader_at(from)?;
        // Text from byte `start` on that is not searched yet.
        let (mut text, mut start) = (Vec::new(), from);
        loop {
            let filled = text.len();
            text.resize(filled + BLOCK, 0);
            let offset = start + filled as u64;
            let length =
                read(reader, &mut text[filled..]).map_err(|source| Error::Io { offset, source })?;
            text.truncate(filled + length);
            let mut searched = 0;
            while let Some(found) = memchr::memmem::find(&text[searched..], b"\n#") {
                searched += found;
                let mark = start + searched as u64 + 1;
                match ticks::<false>(&text[searched + 2..]) {
                    _ if mark >= to => return Ok(None),
                    Ok((_, time)) => return Ok(Some(Mark { offset: mark, time })),
                    // A number longer than a block is none.
                    Err(nom::Err::Incomplete(_)) if text.len() - searched < BLOCK => break,
                    Err(_) => searched += 2,
                }
            }
            if length == 0 || offset >= to {
                return Ok(None);
            }
            if !text[searched..].starts_with(b"\n#") {
                // A line feed at the very end may begin a mark.
                searched = text.len() - 1;
            }
            text.drain(..searched);
            start += searched as u64;
        }
    }

    /// Finds the initial values that a scan from `mark` did not see; false for a fault.
    fn initial_values(
        &mut self,
        probes: &[Probe],
        mut mark: Mark,
        traces: &mut [Trace],
    ) -> Result<bool, Error> {
        let mut missing: Vec<usize> = (0..traces.len())
            .filter(|&place| traces[place].initial.is_none())
            .collect();
        // What was noted up to the mark or behind it, unless a change behind it hides others.
        if mark.offset <= self.noted.end {
            let noted: Vec<_> = self.noted.lasts.clone();
            let before = |place: Option<u64>| place.is_none_or(|place| place < mark.offset);
            let lasts = noted.into_iter().filter(|&(_, place)| before(place));
            self.values_at(lasts, probes, &mut missing, traces, true)?;
        }
        let mut distance = BACK;
        while !missing.is_empty() && mark.offset != self.start().offset {
            let back = mark.offset.saturating_sub(distance);
            let from = match back > self.start().offset {
                true => self
                    .next_mark(back, mark.offset)?
                    .unwrap_or(self.first_mark()),
                false => self.first_mark(),
            };
            let sought = missing.iter().map(|&place| probes[place]);
            match Lasts::new(self.header(), sought) {
                Some(lasts) => {
                    let skim = self.skim(from.offset, mark.offset)?.lasts(Some(lasts));
                    let lasts = match skim.run() {
                        Ok((_, _, lasts)) => lasts,
                        Err(Failed::Faulty) => return Ok(false),
                        Err(Failed::Io(error)) => return Err(error),
                    };
                    let lasts: Vec<_> = lasts.iter().flat_map(Lasts::all).collect();
                    self.values_at(lasts, probes, &mut missing, traces, false)?;
                }
                None => self.values_between(from, mark, probes, &mut missing, traces)?,
            }
            mark = from;
            distance = distance.saturating_mul(4);
        }
        Ok(true)
    }

    fn events(&self, probes: &[Probe]) -> Vec<bool> {
        let probes = probes.iter();
        probes.map(|probe| probe.is_event(self.header())).collect()
    }

    /// Reads initial values at the places of their changes, and takes them off the `missing` ones.
    /// A signal without a place is taken off if that means that it has no value.
    fn values_at(
        &mut self,
        lasts: impl IntoIterator<Item = (SignalId, Option<u64>)>,
        probes: &[Probe],
        missing: &mut Vec<usize>,
        traces: &mut [Trace],
        none_is_none: bool,
    ) -> Result<(), Error> {
        let sought: Vec<Probe> = missing.iter().map(|&place| probes[place]).collect();
        let slots = Slots::new(self.header().signal_count(), &sought);
        let events = self.events(probes);
        let mut found = vec![false; sought.len()];
        let mut places = Vec::new();
        for (signal, place) in lasts {
            match place {
                Some(place) => places.push((place, signal)),
                None => slots.of(signal).for_each(|slot| found[slot] = none_is_none),
            }
        }
        // Most are values that stand together at the start of the dump.
        places.sort_unstable_by_key(|&(place, _)| place);
        let mut jumped = false;
        for (offset, signal) in places {
            if slots.of(signal).next().is_none() {
                continue;
            }
            if !(jumped && self.skip_to(offset)) {
                self.jump(Place { offset, lines: 0 }, 0)?;
                jumped = true;
            }
            let _broke_off = self.try_for_each(|event| match event {
                Event::Change(changed, value) => {
                    for slot in slots.of(changed).filter(|_| changed == signal) {
                        let trace = &mut traces[missing[slot]];
                        trace.initial = Some(sought[slot].value(value));
                        if !events[missing[slot]] {
                            trace.drop_repeated();
                        }
                        found[slot] = true;
                    }
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            })?;
        }
        let mut found = found.into_iter();
        missing.retain(|_| found.next() == Some(false));
        Ok(())
    }

    /// The same for signals whose codes are too long to be sought, by a scan between two marks.
    fn values_between(
        &mut self,
        from: Mark,
        to: Mark,
        probes: &[Probe],
        missing: &mut Vec<usize>,
        traces: &mut [Trace],
    ) -> Result<(), Error> {
        let sought: Vec<Probe> = missing.iter().map(|&place| probes[place]).collect();
        let slots = Slots::new(self.header().signal_count(), &sought);
        let events = self.events(probes);
        self.go(from)?;
        let _broke_off = self.try_for_each(|event| {
            match event {
                // Up to the times seen already; there these signals do not change.
                Event::Time(time) if time > to.time => return ControlFlow::Break(()),
                Event::Change(signal, value) => {
                    for place in slots.of(signal) {
                        traces[missing[place]].initial = Some(sought[place].value(value));
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        missing.retain(|&place| {
            if !events[place] {
                traces[place].drop_repeated();
            }
            traces[place].initial.is_none()
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::io::Cursor;

    use super::*;
    use crate::Slice;

    /// 4000 ticks of three signals, of which one changes often, one rarely, one at the start.
    fn dump(line_end: &str) -> String {
        let mut text = String::from(
            "$var reg 16 ! often $end $var reg 16 \" rare $end $var reg 1 # once $end \
             $var reg 1 $ never $end $enddefinitions $end",
        );
        text += line_end;
        for tick in 0..40_000 {
            write!(
                text,
                "#{}{line_end}b{:b} !{line_end}",
                10 * tick,
                tick & 0xffff
            )
            .unwrap();
            if tick % 9000 == 0 {
                write!(text, "b{:b} \"{line_end}", tick / 9000).unwrap();
            }
            if tick == 0 {
                write!(text, "1#{line_end}").unwrap();
            }
        }
        text
    }

    #[track_caller]
    fn same_as_a_scan(text: &str, range: RangeInclusive<u64>) {
        let mut slice = Slice::new(text.as_bytes()).unwrap();
        let header = slice.header().clone();
        let probes: Vec<_> = (0..4)
            .map(|place| Probe::variable(&header, place).unwrap())
            .collect();
        let expected = window(&mut slice, &probes, range.clone()).unwrap();
        let mut stream = Stream::new(Cursor::new(text)).unwrap();
        let found = stream.window(&probes, range.clone()).unwrap();
        assert_eq!(found, expected, "{range:?}");
        let again = stream.window(&probes, range).unwrap();
        assert_eq!(again, expected);
    }

    #[test]
    fn bisection_finds_what_a_scan_finds() {
        for text in [dump("\n"), dump("\r\n")] {
            for start in [
                0, 1, 9, 10, 95_003, 95_010, 179_999, 180_000, 399_990, 500_000,
            ] {
                for length in [0, 5, 100, 90_000] {
                    same_as_a_scan(&text, start..=start + length);
                }
            }
        }
    }

    #[test]
    fn the_times_are_those_of_both_ends() {
        for line_end in ["\n", "\r\n", " "] {
            let text = dump(line_end);
            let mut stream = Stream::new(Cursor::new(&text)).unwrap();
            assert_eq!(stream.times().unwrap(), Some(0..=399_990));
            assert!(stream.seek(200_000).unwrap() < 200_000);
            // Twice the same, wherever the stream stands.
            assert_eq!(stream.times().unwrap(), Some(0..=399_990));
        }
        let mut empty = Stream::new(Cursor::new("$enddefinitions $end\n")).unwrap();
        assert_eq!(empty.times().unwrap(), None);
    }

    #[test]
    fn a_fault_at_the_end_is_told_with_its_line() {
        let text = dump("\n") + "nonsense\n";
        let mut stream = Stream::new(Cursor::new(&text)).unwrap();
        let error = stream.times().unwrap_err().to_string();
        let line = text.lines().count();
        assert!(error.contains(&format!("(line {line}, ")), "{error}");
    }

    #[test]
    fn a_dump_without_line_feeds_is_scanned() {
        same_as_a_scan(&dump(" "), 200_000..=200_050);
    }

    #[test]
    fn a_comment_with_times_in_disorder_makes_no_difference() {
        let mut text = dump("\n");
        let middle = text.find("#200000\n").unwrap();
        text.insert_str(
            middle,
            &format!("$comment\n{}$end\n", "#3\n".repeat(200_000)),
        );
        same_as_a_scan(&text, 300_000..=300_050);
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        let mut text = dump("\n");
        let middle = text.find("#200000\n").unwrap();
        text.insert_str(middle, "nonsense\n");
        let mut stream = Stream::new(Cursor::new(&text)).unwrap();
        let often = stream.header().find("often").unwrap();
        let error = stream
            .window(&[often], 200_000..=200_010)
            .unwrap_err()
            .to_string();
        let line = text[..middle].lines().count() + 1;
        assert_eq!(
            error,
            format!(
                "[vcd] expected a value change, a time or a command, found `nonsense` \
                 (line {line}, byte {middle})"
            )
        );
    }
}
