//! Rows of a dump one after the other: at every edge of a clock, or at every change.

use lockstep_vcd::{Bits, Header, Probe, Ticks, Value};

use super::clock::Edges;

/// Where a row is.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// At every rising edge of this clock.
    Clock(Probe, Sample),
    /// At every tick in which one of the signals changes.
    Changes,
}

impl Pace {
    /// The clock.
    pub(super) const fn clock(&self) -> Option<Probe> {
        match self {
            Self::Clock(probe, _) => Some(*probe),
            Self::Changes => None,
        }
    }
}

/// Which values belong to a clock edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sample {
    /// At the end of the tick of the edge: what flip-flops put out
    After,
    /// Just before the tick of the edge: what flip-flops take in
    Before,
}

impl Sample {
    /// As a word before "rising edges".
    pub const fn word(self) -> &'static str {
        match self {
            Self::After => "after",
            Self::Before => "before",
        }
    }
}

/// Follows the values of some signals from the start of a dump, and knows where rows are.
pub(super) struct Walker {
    pace: Pace,
    events: Vec<bool>,
    values: Vec<Option<Value>>,
    /// Which signals were written since the row before, and the values that these had there.
    written: Vec<bool>,
    before: Vec<Option<Value>>,
    changed: Vec<bool>,
    pending: Vec<(usize, Value)>,
    settled: Settled,
    edges: Edges,
    rows: u64,
    /// Signals whose changes make rows: the first ones.
    telling: usize,
}

impl Walker {
    /// Follows `probes`. The ticks must be of them and, behind them, of the clock.
    pub(super) fn new(header: &Header, probes: &[Probe], pace: Pace) -> Self {
        Self {
            pace,
            events: probes.iter().map(|probe| probe.is_event(header)).collect(),
            values: vec![None; probes.len()],
            written: vec![false; probes.len()],
            before: vec![None; probes.len()],
            changed: vec![false; probes.len()],
            pending: Vec::new(),
            settled: Settled::new(probes.len()),
            edges: Edges::default(),
            rows: 0,
            telling: probes.len(),
        }
    }

    /// The same with rows only where one of the first signals changes.
    pub(super) const fn telling(mut self, signals: usize) -> Self {
        self.telling = signals;
        self
    }

    /// Rows so far.
    pub(super) const fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the values before the first tick; whether all have one.
    pub(super) fn begin(&mut self, ticks: &mut Ticks) -> bool {
        let clocks = usize::from(self.pace.clock().is_some());
        let mut seen = vec![false; self.values.len() + clocks];
        for (place, value) in ticks.drain() {
            seen[place] = true;
            match self.events.get(place) {
                Some(true) => {}
                Some(false) => self.values[place] = Some(value),
                None => self.edges.change(&value),
            }
        }
        let _first = self.edges.tick();
        seen.iter().all(|seen| *seen)
    }

    /// Takes the changes of a tick, and shows the row that is there, if one is: its number, its values, and which of them
    /// differ from those of the row before; of events, which were triggered since.
    pub(super) fn tick(
        &mut self,
        ticks: &mut Ticks,
        mut row: impl FnMut(u64, &[Option<Value>], &[bool]),
    ) {
        for (place, value) in ticks.drain() {
            match place < self.values.len() {
                true => self.pending.push((place, value)),
                false => self.edges.change(&value),
            }
        }
        let risen = self.edges.tick();
        let before = matches!(self.pace, Pace::Clock(_, Sample::Before));
        if risen && before {
            self.enter(&mut row);
        }
        let mut changed = false;
        self.settled.begin();
        for (place, value) in self.pending.drain(..).rev() {
            let value = match self.events[place] {
                true if !value.is_trigger() => continue,
                true => triggered(),
                false if self.settled.again(place) => continue,
                false => value,
            };
            let slot = &mut self.values[place];
            changed |= slot.as_ref() != Some(&value) && place < self.telling;
            let last = slot.replace(value);
            if !std::mem::replace(&mut self.written[place], true) {
                self.before[place] = last;
            }
        }
        let is_row = match self.pace {
            Pace::Clock(..) => risen && !before,
            Pace::Changes => changed,
        };
        if is_row {
            self.enter(&mut row);
        }
    }

    fn enter(&mut self, row: &mut impl FnMut(u64, &[Option<Value>], &[bool])) {
        for (place, changed) in self.changed.iter_mut().enumerate() {
            let value = &self.values[place];
            let written = std::mem::take(&mut self.written[place]);
            *changed = match self.events[place] {
                true => value.is_some(),
                false => self.rows > 0 && written && *value != self.before[place],
            };
        }
        row(self.rows, &self.values, &self.changed);
        self.rows += 1;
        // An event has a value only up to the row after its trigger.
        for (value, event) in self.values.iter_mut().zip(&self.events) {
            if *event {
                *value = None;
            }
        }
    }
}

/// Which signals have their last value of a tick, where its changes are taken from the last one on: of several values in
/// a tick it is the only one that counts.
pub(super) struct Settled {
    tick: u64,
    /// For each signal, the last tick in which it had a value.
    ticks: Vec<u64>,
}

impl Settled {
    pub(super) fn new(signals: usize) -> Self {
        Self {
            tick: 0,
            ticks: vec![0; signals],
        }
    }

    /// Another tick begins.
    pub(super) const fn begin(&mut self) {
        self.tick += 1;
    }

    /// Enters a value of the tick; whether there was one already.
    pub(super) fn again(&mut self, place: usize) -> bool {
        std::mem::replace(&mut self.ticks[place], self.tick) == self.tick
    }
}

/// The value of an event that was triggered, whatever the dump writes for it.
pub(super) fn triggered() -> Value {
    Value::Bits(Bits::from_u64(1, 1))
}

/// Sets a value; whether it differs from the one before.
pub(super) fn replace(slot: &mut Option<Value>, value: Value) -> bool {
    let changed = slot.as_ref() != Some(&value);
    *slot = Some(value);
    changed
}
