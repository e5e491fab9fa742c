//! Changes of some signals, pulled one tick at a time.

use std::ops::ControlFlow;

use crate::changes::Event;
use crate::error::Error;
use crate::find::Probe;
use crate::header::Header;
use crate::source::Source;
use crate::value::Value;
use crate::window::Slots;

/// Pulls the changes of some probes out of a dump, one tick at a time: for who reads two dumps
/// side by side, or stops and goes on.
///
/// Ticks without a change of the probes are passed over. What is written is told, whether or not
/// it differs from the value before.
///
/// ```
/// use lockstep_vcd::{Slice, Source, Ticks};
///
/// let mut dump = Slice::new(b"$var reg 8 ! a $end $var wire 1 x b $end $enddefinitions $end\n\
///     #0\nb1 !\n#10\n1x\n#20\nb11 !\n#30\n")?;
/// let a = dump.header().find("a")?;
/// let mut ticks = Ticks::new(dump.header(), &[a]);
/// assert_eq!(ticks.next(&mut dump)?, Some(0));
/// assert_eq!(ticks.next(&mut dump)?, Some(20));
/// let (place, value) = &ticks.changes()[0];
/// assert_eq!((*place, value.to_u64()), (0, Some(3)));
/// assert_eq!(ticks.next(&mut dump)?, None);
/// assert_eq!(ticks.time(), 30);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Debug)]
pub struct Ticks {
    probes: Vec<Probe>,
    slots: Slots,
    changes: Vec<(usize, Value)>,
    first: Option<u64>,
    now: u64,
    /// The time that ended the last tick.
    ahead: Option<u64>,
    end: u64,
    /// A fault in the time that ended the last tick.
    fault: Option<Error>,
}

impl Ticks {
    /// Changes of `probes` of a dump with this header, from the dump's start.
    #[must_use]
    pub fn new(header: &Header, probes: &[Probe]) -> Self {
        Self {
            slots: Slots::new(header.signal_count(), probes),
            probes: probes.to_vec(),
            changes: Vec::new(),
            first: None,
            now: 0,
            ahead: None,
            end: u64::MAX,
            fault: None,
        }
    }

    /// The same for a dump that stands at `time`: what [`Stream::seek`](crate::Stream::seek)
    /// returned.
    #[must_use]
    pub const fn from(mut self, time: u64) -> Self {
        self.now = time;
        self
    }

    /// Reads no further than the first time after this tick.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source, Ticks};
    /// # let mut dump = Slice::new(b"$var reg 8 ! a $end $enddefinitions $end\n\
    /// #     #0\nb1 !\n#10\nb10 !\n#20\nb11 !\n")?;
    /// # let a = dump.header().find("a")?;
    /// let mut ticks = Ticks::new(dump.header(), &[a]).to(10);
    /// assert_eq!(ticks.next(&mut dump)?, Some(0));
    /// assert_eq!(ticks.next(&mut dump)?, Some(10));
    /// assert_eq!(ticks.next(&mut dump)?, None);
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn to(mut self, end: u64) -> Self {
        self.end = end;
        self
    }

    /// The next tick with changes; `source` must be the same in every call. None at the end.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`]. [`changes`](Self::changes) then holds those of an
    /// unfinished tick. After a tick that is whole, as the fault is in the time that ends it,
    /// the error comes with the next call.
    pub fn next(&mut self, source: &mut impl Source) -> Result<Option<u64>, Error> {
        self.changes.clear();
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        if let Some(time) = self.ahead.take() {
            self.now = time;
        }
        let Self {
            probes,
            slots,
            changes,
            first,
            now,
            end,
            ..
        } = self;
        if *now > *end {
            return Ok(None);
        }
        let visited = source.try_for_each(|event| {
            match event {
                Event::Time(time) if time > *now => {
                    first.get_or_insert(time);
                    if !changes.is_empty() || time > *end {
                        return ControlFlow::Break(time);
                    }
                    *now = time;
                }
                Event::Change(signal, value) => {
                    first.get_or_insert(*now);
                    for place in slots.of(signal) {
                        changes.push((place, probes[place].value(value)));
                    }
                }
                Event::Time(time) => {
                    first.get_or_insert(time);
                }
                _ => {}
            }
            ControlFlow::Continue(())
        });
        match visited {
            Ok(ControlFlow::Break(time)) => self.ahead = Some(time),
            Ok(ControlFlow::Continue(())) => {}
            Err(fault @ Error::Syntax { in_time: true, .. }) if !changes.is_empty() => {
                self.fault = Some(fault);
            }
            Err(fault) => return Err(fault),
        }
        Ok((!self.changes.is_empty()).then_some(self.now))
    }

    /// The changes of the tick: place of the probe and its value, in the order of the dump.
    #[must_use]
    pub fn changes(&self) -> &[(usize, Value)] {
        &self.changes
    }

    /// The same, to be taken out.
    pub fn drain(&mut self) -> impl DoubleEndedIterator<Item = (usize, Value)> {
        self.changes.drain(..)
    }

    /// The first time that was read, with or without changes: 0 for changes before any. None
    /// before the first call of [`next`](Self::next), and of a dump without times and changes.
    ///
    /// ```
    /// # use lockstep_vcd::{Slice, Source, Ticks};
    /// # let mut dump = Slice::new(b"$var reg 8 ! a $end $enddefinitions $end\n#10\n#20\nb1 !\n")?;
    /// # let a = dump.header().find("a")?;
    /// let mut ticks = Ticks::new(dump.header(), &[a]);
    /// assert_eq!(ticks.next(&mut dump)?, Some(20));
    /// assert_eq!(ticks.first(), Some(10));
    /// # Ok::<(), lockstep_vcd::Error>(())
    /// ```
    #[must_use]
    pub const fn first(&self) -> Option<u64> {
        self.first
    }

    /// The last time that was read, with or without changes.
    #[must_use]
    pub fn time(&self) -> u64 {
        self.ahead.unwrap_or(self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Slice;

    const HEADER: &str = "$var wire 1 ! a $end $var reg 8 \" b [7:0] $end $enddefinitions $end\n";

    fn ticks(body: &str, end: u64) -> (Vec<(u64, usize)>, u64) {
        let text = format!("{HEADER}{body}");
        let mut dump = Slice::new(text.as_bytes()).unwrap();
        let header = dump.header().clone();
        let probes = [header.find("a").unwrap(), header.find("b[3:0]").unwrap()];
        let mut ticks = Ticks::new(&header, &probes).to(end);
        let mut seen = Vec::new();
        while let Some(time) = ticks.next(&mut dump).unwrap() {
            seen.push((time, ticks.changes().len()));
        }
        (seen, ticks.time())
    }

    #[test]
    fn a_tick_written_in_two_parts_is_one() {
        assert_eq!(
            ticks("#5\n1!\n#5\nb1 \"\n#6\n", u64::MAX),
            (vec![(5, 2)], 6)
        );
    }

    #[test]
    fn changes_before_the_first_time_are_at_0() {
        assert_eq!(ticks("1!\n#5\n0!\n", u64::MAX), (vec![(0, 1), (5, 1)], 5));
    }

    #[test]
    fn a_tick_before_a_time_that_goes_back_is_whole() {
        let split = "$var wire 1 a q [0] $end $var wire 1 b q [1] $end $enddefinitions $end\n";
        for (end, whole) in [
            ("#3\n", true),
            ("#3.5\n", true),
            ("#x\n", true),
            ("#6x\n", true),
            ("#6", true),
            ("1?\n", false),
        ] {
            let text = format!("{split}#4\n1a\n#5\n1b\n0a\n{end}1a\n");
            let mut dump = Slice::new(text.as_bytes()).unwrap();
            let q = dump.header().find("q").unwrap();
            let mut ticks = Ticks::new(dump.header(), &[q]);
            assert_eq!(ticks.next(&mut dump).unwrap(), Some(4));
            if whole {
                assert_eq!(ticks.next(&mut dump).unwrap(), Some(5), "{end}");
                assert_eq!(ticks.changes()[0].1.to_u64(), Some(2), "{end}");
            }
            let fault = ticks.next(&mut dump).unwrap_err().to_string();
            assert!(fault.contains("(line 7, "), "{fault}");
        }
    }

    #[test]
    fn reading_ends_behind_the_end() {
        assert_eq!(ticks("#5\n#9\n1!\n#12\n0!\n", 4), (vec![], 5));
        assert_eq!(ticks("#5\n#9\n1!\n#12\n0!\n", 9), (vec![(9, 1)], 12));
    }
}
