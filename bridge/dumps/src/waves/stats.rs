//! What each signal does in a dump: how often it changes, and how long it has which value. In constant memory.

use std::ops::RangeInclusive;

use lockstep_vcd::{Error, Header, Probe, Ticks, Value};

use super::dump::Dump;

/// Most different values of a signal of which the times are kept.
const VALUES: usize = 16;

/// What a signal does.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    /// Ticks at whose end it has another value than at the end of the one before; of an event, triggers.
    pub changes: u64,
    /// Tick of the first of them.
    pub first: Option<u64>,
    /// Tick of the last of them.
    pub last: Option<u64>,
    /// Ticks in which a bit is x or z.
    pub unknown: u64,
    /// Ticks of each value, in the order in which they come. None if there are too many, and for events.
    pub values: Option<Vec<(Value, u64)>>,
}

/// What the signals of a dump do.
#[derive(Debug)]
pub struct Stats {
    /// An entry a probe.
    pub signals: Vec<Activity>,
    /// First and last tick that count. None if the dump has none there.
    pub times: Option<(u64, u64)>,
    /// The last tick that was read.
    pub last: u64,
    /// Why the dump ends early.
    pub fault: Option<Error>,
}

/// Counts what `probes` do in a dump that was just opened, between two ticks.
pub fn stats(dump: &mut Dump, probes: &[Probe], between: &RangeInclusive<u64>) -> Stats {
    let header = dump.header();
    let mut ticks = Ticks::new(&header, probes).to(*between.end());
    let mut counts = Counts::new(&header, probes, between);
    let mut fault = dump.watch(probes.iter().map(Probe::signal)).err();
    while fault.is_none() {
        match ticks.next(dump) {
            Ok(Some(time)) => {
                counts.tick(time, &mut ticks);
            }
            Ok(None) => break,
            Err(error) => fault = Some(error),
        }
    }
    let end = ticks.time().min(*between.end());
    let start = ticks.first().map(|first| first.max(*between.start()));
    Stats {
        signals: counts.finish(end),
        times: start
            .filter(|start| *start <= end)
            .map(|start| (start, end)),
        last: ticks.time(),
        fault,
    }
}

struct Counts<'c> {
    between: &'c RangeInclusive<u64>,
    signals: Vec<Counted>,
    /// Signals that were written in this tick.
    touched: Vec<usize>,
}

/// A signal that is counted.
struct Counted {
    activity: Activity,
    event: bool,
    value: Option<Value>,
    /// Tick since which it has the value.
    since: u64,
    /// The last value that was written in this tick.
    next: Option<Value>,
}

impl<'c> Counts<'c> {
    fn new(header: &Header, probes: &[Probe], between: &'c RangeInclusive<u64>) -> Self {
        let signals = probes.iter().map(|probe| {
            let event = probe.is_event(header);
            Counted {
                activity: Activity {
                    values: (!event).then(Vec::new),
                    ..Activity::default()
                },
                event,
                value: None,
                since: 0,
                next: None,
            }
        });
        Self {
            between,
            signals: signals.collect(),
            touched: Vec::new(),
        }
    }

    fn tick(&mut self, time: u64, ticks: &mut Ticks) {
        let counts = self.between.contains(&time);
        for (place, value) in ticks.drain() {
            let signal = &mut self.signals[place];
            if signal.event {
                if counts && value.is_trigger() {
                    signal.activity.change(time);
                }
            } else if signal.next.replace(value).is_none() {
                self.touched.push(place);
            }
        }
        let start = *self.between.start();
        for place in self.touched.drain(..) {
            self.signals[place].settle(time, start, counts);
        }
    }

    fn finish(self, end: u64) -> Vec<Activity> {
        let start = *self.between.start();
        let signals = self.signals.into_iter().map(|mut signal| {
            signal.leave(end, start);
            signal.activity
        });
        signals.collect()
    }
}

impl Counted {
    /// Ends a tick in which the signal was written.
    fn settle(&mut self, time: u64, start: u64, counts: bool) {
        if self.next == self.value {
            self.next = None;
            return;
        }
        self.leave(time, start);
        if counts && self.value.is_some() {
            self.activity.change(time);
        }
        self.value = self.next.take();
        self.since = time;
    }

    /// Enters how long the value was there.
    fn leave(&mut self, time: u64, start: u64) {
        let Some(value) = &self.value else {
            return;
        };
        if time < start {
            return;
        }
        let ticks = time - self.since.max(start);
        let activity = &mut self.activity;
        if value.bits().is_some_and(|bits| !bits.is_known()) {
            activity.unknown += ticks;
        }
        let Some(values) = &mut activity.values else {
            return;
        };
        match values.iter().position(|(known, _)| known == value) {
            Some(place) => values[place].1 += ticks,
            None if values.len() < VALUES => values.push((value.clone(), ticks)),
            None => activity.values = None,
        }
    }
}

impl Activity {
    fn change(&mut self, time: u64) {
        self.changes += 1;
        self.first.get_or_insert(time);
        self.last = Some(time);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use lockstep_vcd::Stream;

    use super::*;

    fn stats_of(body: &str, between: RangeInclusive<u64>) -> Stats {
        let text = format!(
            "$var wire 1 a a $end $var reg 8 b b [7:0] $end $var event 1 e e $end $enddefinitions $end\n{body}"
        );
        let mut dump = Dump::Pipe(Stream::from_reader(Cursor::new(text)).expect("a dump"));
        let header = dump.header();
        let probes = ["a", "b", "e"].map(|name| header.find(name).expect("a signal"));
        stats(&mut dump, &probes, &between)
    }

    fn times(activity: &Activity) -> Vec<(String, u64)> {
        let values = activity.values.iter().flatten();
        values
            .map(|(value, ticks)| (value.to_string(), *ticks))
            .collect()
    }

    const BODY: &str = "#10\n0a\nbx b\n#20\n1a\n1e\n#25\n1a\nb1 b\n0e\n#30\n0a\n1a\n#40\n0a\n#60\n";

    #[test]
    fn values_are_counted_from_end_of_tick_to_end_of_tick() {
        let all = stats_of(BODY, 0..=u64::MAX);
        let [a, b, e] = &all.signals[..] else {
            panic!()
        };
        assert_eq!(
            (a.changes, a.first, a.last, a.unknown),
            (2, Some(20), Some(40), 0)
        );
        assert_eq!(times(a), [("1'h0".into(), 30), ("1'h1".into(), 20)]);
        assert_eq!((b.changes, b.first, b.unknown), (1, Some(25), 15));
        assert_eq!((e.changes, e.first, e.last), (2, Some(20), Some(25)));
        assert!(e.values.is_none());
        assert_eq!((all.times, all.last), (Some((10, 60)), 60));
    }

    #[test]
    fn a_part_counts_what_is_in_it() {
        let part = stats_of(BODY, 20..=35);
        let [a, b, e] = &part.signals[..] else {
            panic!()
        };
        assert_eq!((a.changes, a.first), (1, Some(20)));
        assert_eq!(times(a), [("1'h0".into(), 0), ("1'h1".into(), 15)]);
        assert_eq!((b.changes, b.unknown, e.changes), (1, 5, 2));
        let late = stats_of(BODY, 41..=50);
        assert_eq!(
            (late.signals[0].changes, times(&late.signals[0])),
            (0, vec![("1'h0".into(), 9)])
        );
        assert_eq!(stats_of(BODY, 70..=90).times, None);
    }

    #[test]
    fn times_are_those_of_the_dump_not_of_the_signals() {
        let late = stats_of("#10\n#20\n1a\n#30\n", 0..=u64::MAX);
        assert_eq!(late.times, Some((10, 30)));
        let never = stats_of("#10\n#30\n", 0..=u64::MAX);
        assert_eq!((never.times, never.signals[2].changes), (Some((10, 30)), 0));
    }

    #[test]
    fn of_many_values_there_are_no_times() {
        let body: String = (0..20).map(|n| format!("#{n}\nb{n:b} b\n")).collect();
        let all = stats_of(&body, 0..=u64::MAX);
        assert!(all.signals[1].values.is_none());
        assert_eq!(all.signals[1].changes, 19);
        let few: String = (0..20)
            .map(|n| format!("#{n}\nb{:b} b\n", n % 16))
            .collect();
        assert_eq!(
            stats_of(&few, 0..=u64::MAX).signals[1]
                .values
                .as_ref()
                .map(Vec::len),
            Some(16)
        );
    }
}
