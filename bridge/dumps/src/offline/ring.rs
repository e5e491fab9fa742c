//! The last stretch of a dump that is read once: what a window is cut out of when the dump is gone.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use lockstep_vcd::{Error, Event, Header, Source, Value, ValueRef};

use crate::batch::{Batch, escaped};

/// Bytes of changes that are kept, beside the last tick: those of some hundred cycles of a design with ten thousand
/// changes in each.
pub const LIMIT: usize = 64 << 20;

/// Bytes from which on a stretch is full.
const FULL: usize = 1 << 12;

/// What all signals did in the last stretch of a dump, and their values before.
///
/// It holds at most [`LIMIT`] bytes of changes, and a value of each signal.
#[derive(Debug)]
pub struct Ring {
    header: Arc<Header>,
    limit: usize,
    /// By signal, whether a variable shows it.
    shown: Vec<bool>,
    /// By signal, its value before the first stretch.
    before: Vec<Option<Value>>,
    /// Oldest first; there is always one.
    stretches: VecDeque<Stretch>,
    /// Bytes of all stretches.
    bytes: usize,
    /// The memory of a stretch that was let go.
    spare: Batch,
}

/// Changes of some ticks, all of which are in it.
#[derive(Debug, Default)]
struct Stretch {
    first: u64,
    last: u64,
    batch: Batch,
}

impl Ring {
    /// An empty one for a dump with this header.
    pub fn new(header: &Arc<Header>) -> Self {
        Self::with_limit(header, LIMIT)
    }

    fn with_limit(header: &Arc<Header>, limit: usize) -> Self {
        let mut shown = vec![false; header.signal_count()];
        for variable in header.variables() {
            shown[variable.signal().index()] = true;
        }
        Self {
            limit,
            before: vec![None; shown.len()],
            shown,
            stretches: VecDeque::from([Stretch::default()]),
            bytes: 0,
            spare: Batch::default(),
            header: Arc::clone(header),
        }
    }

    /// The same source, with what is read of it put into the ring.
    pub fn over<'r, S: Source>(&'r mut self, source: &'r mut S) -> impl Source {
        Recorded { ring: self, source }
    }

    /// The tick from which on all changes are there.
    pub fn since(&self) -> u64 {
        self.stretches.front().map_or(0, |stretch| stretch.first)
    }

    /// Lets go what was before `tick`.
    pub fn forget(&mut self, tick: u64) {
        while self.stretches.len() > 1
            && self
                .stretches
                .front()
                .is_some_and(|oldest| oldest.last < tick)
        {
            self.drop_oldest();
        }
    }

    /// What is in the ring, as a dump: the values before, then the changes.
    pub fn replay(&self) -> impl Source {
        let mut before = Batch::default();
        for (signal, value) in self.before.iter().enumerate() {
            let signal = signal as u32;
            match value {
                Some(Value::Bits(bits)) => {
                    before.bits(signal, format!("{bits:b}").as_bytes());
                }
                Some(Value::Real(value)) => before.real(signal, *value),
                Some(Value::Text(text)) => before.text(signal, &escaped(text.as_bytes())),
                None => {}
            }
        }
        Replay {
            ring: self,
            before,
            batch: 0,
            place: 0,
        }
    }

    fn enter(&mut self, event: Event<'_>) {
        match event {
            Event::Time(time) => self.time(time),
            Event::Change(signal, value) if self.shown[signal.index()] => {
                self.change(signal.index() as u32, value);
            }
            _ => {}
        }
    }

    fn time(&mut self, time: u64) {
        let full = |last: &Stretch| last.batch.len() >= FULL && time > last.last;
        if self.stretches.back().is_none_or(full) {
            while self.bytes > self.limit && self.stretches.len() > 1 {
                self.drop_oldest();
            }
            self.stretches.push_back(Stretch {
                first: time,
                last: time,
                batch: std::mem::take(&mut self.spare),
            });
        }
        if let Some(stretch) = self.stretches.back_mut() {
            let before = stretch.batch.len();
            stretch.last = time;
            stretch.batch.time(time);
            self.bytes += stretch.batch.len() - before;
        }
    }

    fn change(&mut self, signal: u32, value: ValueRef<'_>) {
        if let Some(stretch) = self.stretches.back_mut() {
            let before = stretch.batch.len();
            stretch.batch.value(signal, value);
            self.bytes += stretch.batch.len() - before;
        }
    }

    /// Makes the changes of the oldest stretch.
    fn drop_oldest(&mut self) {
        let Some(mut oldest) = self.stretches.pop_front() else {
            return;
        };
        self.bytes -= oldest.batch.len();
        let before = &mut self.before;
        let _ = oldest.batch.visit(&mut 0, &self.header, &mut |event| {
            if let Event::Change(signal, value) = event {
                before[signal.index()] = Some(value.to_value());
            }
            ControlFlow::<()>::Continue(())
        });
        oldest.batch.clear();
        self.spare = oldest.batch;
    }
}

/// A source whose events are recorded.
struct Recorded<'r, S> {
    ring: &'r mut Ring,
    source: &'r mut S,
}

impl<S: Source> Source for Recorded<'_, S> {
    fn header(&self) -> &Arc<Header> {
        self.source.header()
    }

    fn try_for_each<B>(
        &mut self,
        mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let ring = &mut *self.ring;
        self.source.try_for_each(|event| {
            ring.enter(event);
            visit(event)
        })
    }
}

/// A ring that is read.
struct Replay<'r> {
    ring: &'r Ring,
    /// Values before the first stretch.
    before: Batch,
    /// What is being read: 0 for `before`, then the stretches.
    batch: usize,
    /// Byte in it.
    place: usize,
}

impl Source for Replay<'_> {
    fn header(&self) -> &Arc<Header> {
        &self.ring.header
    }

    fn try_for_each<B>(
        &mut self,
        mut visit: impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        loop {
            let batch = match self.batch.checked_sub(1) {
                None => Some(&self.before),
                Some(index) => self.ring.stretches.get(index).map(|stretch| &stretch.batch),
            };
            let Some(batch) = batch else {
                return Ok(ControlFlow::Continue(()));
            };
            let shown = batch.visit(&mut self.place, &self.ring.header, &mut visit);
            if shown.is_break() {
                return Ok(shown);
            }
            (self.batch, self.place) = (self.batch + 1, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::{Probe, Slice, window};

    use super::*;

    const HEADER: &str = "$var wire 1 c clk $end $var wire 40 v v [39:0] $end $var real 64 r r $end \
        $var string 1 s s $end $var event 1 e e $end $var wire 1 p q [1] $end $var wire 1 o q [0] $end \
        $enddefinitions $end\n";

    /// A dump of so many cycles of ten ticks.
    fn dump(cycles: u64) -> String {
        let mut text = format!("{HEADER}$dumpvars\nbx v\nr1.5 r\nsa s\n$end\n");
        for cycle in 0..cycles {
            let (time, odd) = (10 * cycle, cycle % 2);
            text += &format!("#{time}\n1c\nb{cycle:b} v\n1e\n{odd}p\nr{cycle}.25 r\n");
            text += &format!("#{}\n0c\nsw\\x20{cycle} s\nxo\n", time + 5);
        }
        text
    }

    fn probes(header: &Header) -> Vec<Probe> {
        (0..header.variables().len())
            .filter_map(|index| Probe::variable(header, index))
            .collect()
    }

    /// Reads a dump through a ring and lets go what is `kept` ticks old.
    fn read(text: &str, limit: usize, kept: u64) -> Ring {
        let mut dump = Slice::new(text.as_bytes()).expect("a dump");
        let mut ring = Ring::with_limit(dump.header(), limit);
        loop {
            let broken = ring.over(&mut dump).try_for_each(|event| match event {
                Event::Time(time) if time % 500 == 0 => ControlFlow::Break(time),
                _ => ControlFlow::Continue(()),
            });
            match broken.expect("a dump") {
                ControlFlow::Break(time) => ring.forget(time.saturating_sub(kept)),
                ControlFlow::Continue(()) => return ring,
            }
        }
    }

    /// Windows of the ring and of the dump are the same in what the ring still has.
    #[test]
    fn a_window_is_that_of_the_dump() {
        let text = dump(20_000);
        for (limit, kept) in [(LIMIT, u64::MAX), (LIMIT, 5000), (2 * FULL, u64::MAX)] {
            let ring = read(&text, limit, kept);
            let mut dump = Slice::new(text.as_bytes()).expect("a dump");
            let probes = probes(&dump.header().clone());
            let range = ring.since().max(1000)..=199_995;
            let expected = window(&mut dump, &probes, range.clone()).expect("a window");
            let found = window(&mut ring.replay(), &probes, range).expect("a window");
            assert_eq!(found, expected, "{limit} {kept}");
        }
    }

    #[test]
    fn memory_ends_at_the_limit_and_what_is_kept_is_there() {
        let text = dump(20_000);
        let all = read(&text, LIMIT, u64::MAX);
        assert_eq!(all.since(), 0);
        assert!(all.bytes > 20 * FULL, "{}", all.bytes);
        let some = read(&text, LIMIT, 5000);
        assert!(some.since() > 190_000 && some.since() <= 194_500);
        assert!(some.bytes < 40 * FULL, "{}", some.bytes);
        let few = read(&text, 2 * FULL, u64::MAX);
        assert!(few.since() > 199_000, "{}", few.since());
        assert!(few.bytes < 4 * FULL, "{}", few.bytes);
    }

    /// A reader may stop anywhere.
    #[test]
    fn a_replay_goes_on_where_it_was_stopped() {
        let ring = read(&dump(3000), LIMIT, u64::MAX);
        let mut whole = Vec::new();
        ring.replay()
            .for_each(|event| whole.push(format!("{event:?}")))
            .expect("no fault");
        let mut replay = ring.replay();
        let mut steps = Vec::new();
        while let ControlFlow::Break(event) = replay
            .try_for_each(|event| ControlFlow::Break(format!("{event:?}")))
            .expect("no fault")
        {
            steps.push(event);
        }
        assert!(steps.len() > 1000);
        assert_eq!(steps, whole);
    }
}
