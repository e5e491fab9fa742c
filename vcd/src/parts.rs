//! Windows of joined signals, made of those of their parts.

use crate::find::Probe;
use crate::header::Header;
use crate::value::{BitsRef, Value, ValueRef};
use crate::window::Trace;

/// Probes of joined signals as those of their parts.
pub(crate) struct Parts {
    /// What to look at: signals of the file.
    pub(crate) probes: Vec<Probe>,
    /// For each probe asked for, where its own begin, and one more.
    first: Vec<usize>,
}

impl Parts {
    /// None if no probe is of a joined signal.
    pub(crate) fn new(header: &Header, probes: &[Probe]) -> Option<Self> {
        let parts = |probe: &Probe| header.parts(probe.signal());
        if !probes.iter().any(|probe| parts(probe).is_some()) {
            return None;
        }
        let mut split = Self {
            probes: Vec::new(),
            first: vec![0],
        };
        for probe in probes {
            match parts(probe) {
                Some(parts) => split.probes.extend(
                    parts
                        .iter()
                        .map(|part| Probe::of_part(header, *probe, part)),
                ),
                None => split.probes.push(*probe),
            }
            split.first.push(split.probes.len());
        }
        Some(split)
    }

    /// The windows of what was asked for, of those of the parts.
    pub(crate) fn join(&self, header: &Header, asked: &[Probe], traces: Vec<Trace>) -> Vec<Trace> {
        let places = self.first.windows(2).map(|two| two[0]..two[1]);
        let mut traces = traces;
        asked
            .iter()
            .zip(places)
            .map(|(probe, places)| match header.parts(probe.signal()) {
                Some(_) => joined(header, *probe, &traces[places]),
                None => std::mem::take(&mut traces[places.start]),
            })
            .collect()
    }
}

/// What a joined signal does, by what its parts do.
fn joined(header: &Header, probe: Probe, parts: &[Trace]) -> Trace {
    let width = header.signal_width(probe.signal()) as usize;
    let places: Vec<_> = header
        .parts(probe.signal())
        .unwrap_or_default()
        .iter()
        .map(|part| {
            let start = width - (part.low + part.width) as usize;
            start..start + part.width as usize
        })
        .collect();
    let mut digits = vec![b'x'; width];
    let mut any = false;
    for (place, trace) in places.iter().zip(parts) {
        if let Some(value) = &trace.initial {
            write(&mut digits[place.clone()], value);
            any = true;
        }
    }
    let value = |digits: &[u8]| {
        let bits = BitsRef {
            digits,
            width: width as u32,
        };
        probe.value(ValueRef::Bits(bits))
    };
    let mut trace = Trace {
        initial: any.then(|| value(&digits)),
        changes: Vec::new(),
    };
    let mut changes: Vec<_> = places
        .iter()
        .zip(parts)
        .flat_map(|(place, trace)| {
            let changes = trace.changes.iter();
            changes.map(move |(time, value)| (*time, place, value))
        })
        .collect();
    // Stable, so that of several changes of a part in a tick the last one counts.
    changes.sort_by_key(|(time, ..)| *time);
    for tick in changes.chunk_by(|one, two| one.0 == two.0) {
        for (_, place, value) in tick {
            write(&mut digits[(*place).clone()], value);
        }
        trace.push(tick[0].0, value(&digits));
    }
    trace
}

fn write(digits: &mut [u8], value: &Value) {
    let states = value.bits().map(|bits| {
        let width = digits.len() as u32;
        (0..width).rev().map(move |bit| bits.bit(bit))
    });
    match states {
        Some(states) => {
            for (digit, state) in digits.iter_mut().zip(states) {
                *digit = state.map_or(b'x', |state| state.to_char() as u8);
            }
        }
        None => digits.fill(b'x'),
    }
}
