//! The values of joined signals while a dump is read: the digits that their parts left, shown once
//! a tick, at its end.

use std::ops::ControlFlow;

use crate::changes::Event;
use crate::error::Error;
use crate::header::{Header, SignalId};
use crate::value::{BitsRef, ValueRef};

/// Where a part goes.
#[derive(Clone, Copy, Debug)]
struct Target {
    joined: u32,
    /// The place of its first digit.
    start: u32,
    width: u32,
    /// Number of the part in all of them.
    part: u32,
}

/// The digits of one joined signal.
#[derive(Clone, Debug)]
struct Digits {
    digits: Vec<u8>,
    /// It was changed in this tick.
    touched: bool,
    /// Parts whose value is not known: all after a jump, none from the start, where they are x.
    unknown: u32,
    /// Number of parts.
    parts: u32,
}

/// All joined signals of a dump.
#[derive(Clone, Debug)]
pub(crate) struct JoinedValues {
    /// By signal of the file, where its targets begin, and one more.
    first: Vec<u32>,
    targets: Vec<Target>,
    values: Vec<Digits>,
    /// Signals below this number are those of the file.
    file_signals: u32,
    /// After a jump: by part, whether its value was seen.
    seen: Vec<bool>,
    jumped: bool,
    touched: Vec<u32>,
    /// How many of them were shown.
    shown: usize,
    now: u64,
    /// The time that ended the tick.
    held: Option<u64>,
}

impl JoinedValues {
    /// None if no signal of the dump is joined.
    pub(crate) fn new(header: &Header) -> Option<Self> {
        if header.joined.is_empty() {
            return None;
        }
        let file_signals = header.widths.len() - header.joined.len();
        let mut first = vec![0_u32; file_signals + 1];
        let parts = || header.joined.iter().flat_map(|joined| &joined.parts);
        for part in parts() {
            first[part.signal.index()] += 1;
        }
        let mut count = 0;
        for slot in &mut first {
            count += *slot;
            *slot = count;
        }
        let unused = Target {
            joined: 0,
            start: 0,
            width: 0,
            part: 0,
        };
        let mut targets = vec![unused; count as usize];
        let mut number = 0;
        let widths = &header.widths[file_signals..];
        for ((joined, &width), place) in header.joined.iter().zip(widths).zip(0..) {
            for part in &joined.parts {
                let slot = &mut first[part.signal.index()];
                *slot -= 1;
                targets[*slot as usize] = Target {
                    joined: place,
                    start: width - part.low - part.width,
                    width: part.width,
                    part: number,
                };
                number += 1;
            }
        }
        let values = header
            .joined
            .iter()
            .zip(widths)
            .map(|(joined, &width)| Digits {
                digits: vec![b'x'; width as usize],
                touched: false,
                unknown: 0,
                parts: joined.parts.len() as u32,
            });
        Some(Self {
            values: values.collect(),
            first,
            targets,
            file_signals: file_signals as u32,
            seen: vec![false; number as usize],
            jumped: false,
            touched: Vec::new(),
            shown: 0,
            now: 0,
            held: None,
        })
    }

    /// From here on it is `time`, and nothing is known of before, unless it is the start.
    pub(crate) fn reset(&mut self, time: u64, start: bool) {
        for value in &mut self.values {
            value.digits.fill(b'x');
            value.touched = false;
            value.unknown = if start { 0 } else { value.parts };
        }
        self.seen.fill(false);
        self.jumped = !start;
        self.touched.clear();
        self.shown = 0;
        self.now = time;
        self.held = None;
    }

    /// Shows what a break left, then the events of the file that `read` passes on, and with them the joined
    /// signals at the end of each tick.
    #[inline]
    pub(crate) fn through<B, V: FnMut(Event<'_>) -> ControlFlow<B>>(
        &mut self,
        mut visit: V,
        read: impl FnOnce(&mut Visits<'_, V>) -> Result<ControlFlow<B>, Error>,
    ) -> Result<ControlFlow<B>, Error> {
        if let flow @ ControlFlow::Break(_) = self.resume(&mut visit) {
            return Ok(flow);
        }
        let mut visits = Visits {
            joined: self,
            visit,
        };
        let result = read(&mut visits);
        let Visits { joined, mut visit } = visits;
        match result {
            Ok(ControlFlow::Break(_)) => result,
            _ => match joined.show(&mut visit) {
                ControlFlow::Continue(()) => result,
                flow => result.map(|_| flow),
            },
        }
    }

    /// Shows an event of the file, and before a new time the joined signals that changed.
    #[inline]
    fn take<B>(
        &mut self,
        event: Event<'_>,
        visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match event {
            Event::Change(signal, value) => {
                self.change(signal, value);
                visit(event)
            }
            Event::Time(time) if time > self.now => {
                self.now = time;
                self.held = Some(time);
                self.show(visit)
            }
            _ => visit(event),
        }
    }

    /// Shows what changed in the tick that ends, and then the time that ended it; after a break, the
    /// rest of them.
    fn show<B>(&mut self, visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>) -> ControlFlow<B> {
        while let Some(&place) = self.touched.get(self.shown) {
            self.shown += 1;
            let value = &mut self.values[place as usize];
            value.touched = false;
            if value.unknown > 0 {
                continue;
            }
            let bits = BitsRef {
                digits: &value.digits,
                width: value.digits.len() as u32,
            };
            let signal = SignalId(self.file_signals + place);
            visit(Event::Change(signal, ValueRef::Bits(bits)))?;
        }
        self.touched.clear();
        self.shown = 0;
        match self.held.take() {
            Some(time) => visit(Event::Time(time)),
            None => ControlFlow::Continue(()),
        }
    }

    /// Shows what a break left, if it came at the end of a tick.
    fn resume<B>(&mut self, visit: &mut impl FnMut(Event<'_>) -> ControlFlow<B>) -> ControlFlow<B> {
        match self.held {
            Some(_) => self.show(visit),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline]
    fn change(&mut self, signal: SignalId, value: ValueRef<'_>) {
        let signal = signal.index();
        let (first, last) = (self.first[signal] as usize, self.first[signal + 1] as usize);
        for target in &self.targets[first..last] {
            let slot = &mut self.values[target.joined as usize];
            if self.jumped && !std::mem::replace(&mut self.seen[target.part as usize], true) {
                slot.unknown -= 1;
            }
            let start = target.start as usize;
            let digits = &mut slot.digits[start..start + target.width as usize];
            write(digits, value);
            if !slot.touched {
                slot.touched = true;
                self.touched.push(target.joined);
            }
        }
    }
}

/// What visits the events of the file, and joins.
pub(crate) struct Visits<'j, V> {
    joined: &'j mut JoinedValues,
    visit: V,
}

impl<V> Visits<'_, V> {
    /// Visits an event of the file.
    #[inline]
    pub(crate) fn event<B>(&mut self, event: Event<'_>) -> ControlFlow<B>
    where
        V: FnMut(Event<'_>) -> ControlFlow<B>,
    {
        self.joined.take(event, &mut self.visit)
    }
}

/// Writes a value over `digits`, extended to their number, or its lowest bits.
fn write(digits: &mut [u8], value: ValueRef<'_>) {
    let ValueRef::Bits(bits) = value else {
        digits.fill(b'x');
        return;
    };
    let written = bits.digits();
    match written.len().checked_sub(digits.len()) {
        Some(above) => digits.copy_from_slice(&written[above..]),
        None => {
            let (extended, low) = digits.split_at_mut(digits.len() - written.len());
            extended.fill(bits.fill().to_char() as u8);
            low.copy_from_slice(written);
        }
    }
}
