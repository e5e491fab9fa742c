//! From the changes of a dump to rows: inputs and outputs of a cycle each, in constant memory.

use std::ops::ControlFlow;

use bytemuck::{Pod, bytes_of_mut, pod_read_unaligned};
use lockstep_vcd::{BitsRef, Error, Event, Header, Source, State, ValueRef};
use pmu_model::{CycleInput, CycleOutput, DutParameters};

use super::fields::Side;
use super::map::{Edge, InputTime, OutputTime, Sample};
use super::wiring::Wiring;
use crate::waves::time::written;

/// Why no rows can be made of what follows in a dump.
#[derive(Debug, thiserror::Error)]
enum SampleError {
    /// The clock was 0 or 1 before, and is neither now.
    #[error(
        "expected 0 or 1 of the clock `{path}`, found x or z at {at}: cycles are missing from there on; check what was \
         dumped without $dumpoff, or cut a part out that has its clock (`lockstep vcd cut --from --to`)"
    )]
    Clock {
        /// Its path.
        path: String,
        /// Time in the dump.
        at: String,
    },
    /// A real or a string.
    #[error(
        "expected bits of `{path}`, found {found} at {at}; map a signal that is declared and written as bits"
    )]
    Form {
        /// Path of the signal.
        path: String,
        /// What it is.
        found: &'static str,
        /// Time in the dump.
        at: String,
    },
}

/// The rows of a batch.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// What the design was given.
    pub inputs: Vec<CycleInput>,
    /// What it showed.
    pub outputs: Vec<CycleOutput>,
    /// Ticks of the edges.
    pub times: Vec<u64>,
    /// Ticks from which on the outputs are to be seen.
    pub shown: Vec<u64>,
    /// Bits that were neither 0 nor 1, by row, in order.
    pub vague: Vec<Vague>,
}

/// Bits of a row that were neither 0 nor 1; in the row they are 0.
#[derive(Clone, Debug)]
pub struct Vague {
    /// Index of the row.
    pub row: usize,
    /// They are 1 here.
    pub inputs: CycleInput,
    /// They are 1 here.
    pub outputs: CycleOutput,
}

impl Rows {
    /// Rows.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
        self.times.clear();
        self.shown.clear();
        self.vague.clear();
    }

    /// Takes the first ones out.
    pub fn drop_first(&mut self, count: usize) {
        self.inputs.drain(..count);
        self.outputs.drain(..count);
        self.times.drain(..count);
        self.shown.drain(..count);
        self.vague.retain(|vague| vague.row >= count);
        for vague in &mut self.vague {
            vague.row -= count;
        }
    }
}

/// Bits of one struct as they are now.
#[derive(Clone, Debug)]
struct Image {
    bits: Vec<u8>,
    vague: Vec<u8>,
    /// Wires with a bit that is neither 0 nor 1.
    vague_wires: usize,
}

impl Image {
    fn new(constants: &[u8]) -> Self {
        Self {
            bits: constants.to_vec(),
            vague: vec![0; constants.len()],
            vague_wires: 0,
        }
    }
}

/// A wire, as the loop needs it.
#[derive(Clone, Copy, Debug)]
struct Tap {
    low: u32,
    width: u32,
    side: Side,
    to: u32,
    inverted: bool,
    vague: bool,
}

/// A row whose outputs are not there yet.
#[derive(Clone, Debug)]
struct Open {
    input: CycleInput,
    vague: Option<CycleInput>,
    time: u64,
    shown: u64,
}

/// Makes rows of the changes of a dump.
#[derive(Clone, Debug)]
pub struct Sampler {
    clock: usize,
    clock_bit: u32,
    edge: Edge,
    sample: Sample,
    /// Where the taps of each signal begin, and one more.
    first: Vec<u32>,
    taps: Vec<Tap>,
    images: [Image; 2],
    /// Changes of the tick that is being read: signal, and the place of its digits.
    pending: Vec<(u32, u32, u32)>,
    digits: Vec<u8>,
    clock_now: Option<State>,
    clock_next: Option<State>,
    open: Option<Open>,
    now: u64,
    /// There were changes in the tick that is being read.
    changed: bool,
    last_edge: Option<u64>,
    /// A signal with a value that is none of bits, and what that is.
    odd: Option<(usize, &'static str)>,
    /// Signal of `parameters_o`, and its value.
    parameters: Option<(usize, Option<DutParameters>)>,
}

impl Sampler {
    /// Looks at what `wiring` says.
    pub fn new(wiring: &Wiring, header: &Header, edge: Edge, sample: Sample) -> Self {
        let signals = header.signal_count();
        let mut order: Vec<_> = wiring.wires.iter().collect();
        order.sort_by_key(|wire| wire.signal);
        let mut first = vec![0; signals + 1];
        for wire in &order {
            first[wire.signal + 1] += 1;
        }
        for signal in 0..signals {
            first[signal + 1] += first[signal];
        }
        let mut images = [
            Image::new(&wiring.constants[0]),
            Image::new(&wiring.constants[1]),
        ];
        let taps: Vec<_> = order
            .into_iter()
            .map(|wire| Tap {
                low: wire.low,
                width: wire.width,
                side: wire.side,
                to: wire.to,
                inverted: wire.inverted,
                // There is no value yet.
                vague: true,
            })
            .collect();
        for tap in &taps {
            let image = &mut images[tap.side as usize];
            image.vague_wires += 1;
            for from in (0..tap.width).step_by(64) {
                let width = (tap.width - from).min(64);
                store(&mut image.vague, tap.to + from, width, u64::MAX);
            }
        }
        Self {
            clock: wiring.clock.0,
            clock_bit: wiring.clock.1,
            edge,
            sample,
            first,
            taps,
            images,
            pending: Vec::new(),
            digits: Vec::new(),
            clock_now: None,
            clock_next: None,
            open: None,
            now: 0,
            changed: false,
            last_edge: None,
            odd: None,
            parameters: wiring
                .parameters
                .map(|probe| (probe.signal().index(), None)),
        }
    }

    /// The value of `parameters_o`, if the map has it and every bit is known.
    pub fn parameters(&self) -> Option<DutParameters> {
        self.parameters.and_then(|(_, value)| value)
    }

    /// Tick of the last edge, if the outputs of its cycle were not there to its end. Where they are those before the next
    /// edge, the last one is always such a one, and none is told.
    pub fn unfinished(&self) -> Option<u64> {
        let told = self.sample.outputs != OutputTime::Next;
        let open = self.open.as_ref().filter(|_| told);
        open.map(|open| open.time)
    }

    /// At the end of the dump: the last tick, if it has changes, as no later time tells whether it is whole.
    pub fn open_tick(&self) -> Option<u64> {
        self.changed.then_some(self.now)
    }

    /// Reads on until `rows` has `wanted` of them; fewer at the end of the dump.
    ///
    /// # Errors
    /// Those of [`Source::try_for_each`]; the rows before the fault are there.
    pub fn fill(
        &mut self,
        source: &mut impl Source,
        rows: &mut Rows,
        wanted: usize,
    ) -> Result<(), Error> {
        if rows.len() >= wanted {
            return Ok(());
        }
        let visited = source.try_for_each(|event| {
            match event {
                Event::Change(signal, value) => {
                    self.changed = true;
                    self.change(signal.index(), value);
                }
                Event::Time(time) if time > self.now => {
                    if self.is_lost() {
                        return ControlFlow::Break(());
                    }
                    self.end_tick(rows);
                    self.now = time;
                    self.changed = false;
                    if rows.len() >= wanted {
                        return ControlFlow::Break(());
                    }
                }
                _ => {}
            }
            ControlFlow::Continue(())
        })?;
        if self.is_lost() {
            return Err(self.lost(source.header()));
        }
        if visited.is_continue() {
            // The end.
            self.end_tick(rows);
        }
        Ok(())
    }

    /// Whether the tick that is being read says nothing of the cycles that follow.
    fn is_lost(&self) -> bool {
        let is_clock = |state: Option<State>| matches!(state, Some(State::Zero | State::One));
        let stops =
            is_clock(self.clock_now) && self.clock_next.is_some() && !is_clock(self.clock_next);
        stops || self.odd.is_some()
    }

    fn lost(&self, header: &Header) -> Error {
        let path = |signal: usize| {
            let mut variables = header.variables().iter();
            let variable = variables.find(|variable| variable.signal().index() == signal);
            variable
                .map(|variable| header.path(variable))
                .unwrap_or_default()
        };
        let at = written(header.timescale(), self.now);
        Error::Other(Box::new(match self.odd {
            Some((signal, found)) => SampleError::Form {
                path: path(signal),
                found,
                at,
            },
            None => SampleError::Clock {
                path: path(self.clock),
                at,
            },
        }))
    }

    #[inline]
    fn change(&mut self, signal: usize, value: ValueRef<'_>) {
        let is_tapped = self.first[signal] != self.first[signal + 1];
        if is_tapped || signal == self.clock {
            match value {
                ValueRef::Bits(_) => {}
                ValueRef::Real(_) => self.odd = Some((signal, "a real")),
                ValueRef::Text(_) => self.odd = Some((signal, "a string")),
            }
        }
        if signal == self.clock {
            self.clock_next = match value {
                ValueRef::Bits(bits) => bits.bit(self.clock_bit),
                _ => None,
            };
        }
        if let Some((parameters, stated)) = &mut self.parameters
            && *parameters == signal
            && let ValueRef::Bits(bits) = value
        {
            *stated = bytes(bits);
        }
        if !is_tapped {
            return;
        }
        if let ValueRef::Bits(bits) = value {
            let start = self.digits.len() as u32;
            self.digits.extend_from_slice(bits.digits());
            self.pending
                .push((signal as u32, start, bits.digits().len() as u32));
        }
    }

    /// Ends a tick: makes its changes, and rows of its edges.
    fn end_tick(&mut self, rows: &mut Rows) {
        let Some(next) = self.clock_next.take() else {
            self.settle();
            return;
        };
        let before = self.clock_now.replace(next);
        let (active, opposite) = match self.edge {
            Edge::Rising => (State::One, State::Zero),
            Edge::Falling => (State::Zero, State::One),
        };
        let came = before.map_or(self.sample.first_edge, |before| before != next);
        if came && next == active {
            self.end_open(rows);
            let early = self.sample.inputs == InputTime::Before;
            let input = early.then(|| self.input());
            let output = (self.sample.outputs == OutputTime::Before).then(|| self.output());
            self.settle();
            let (input, vague) = input.unwrap_or_else(|| self.input());
            let shown = match self.sample.outputs {
                OutputTime::Before => self.last_edge.unwrap_or(0),
                _ => self.now,
            };
            self.last_edge = Some(self.now);
            let open = Open {
                input,
                vague,
                time: self.now,
                shown,
            };
            match (output, self.sample.outputs) {
                (Some(output), _) => push(rows, open, output),
                (None, OutputTime::After) => {
                    let output = self.output();
                    push(rows, open, output);
                }
                (None, _) => self.open = Some(open),
            }
            return;
        }
        self.settle();
        if came && next == opposite && self.sample.outputs == OutputTime::Opposite {
            self.end_open(rows);
        }
    }

    /// Gives the row that waits for outputs those of now, also where a clock goes to x and back, which is no
    /// opposite edge.
    fn end_open(&mut self, rows: &mut Rows) {
        if let Some(open) = self.open.take() {
            let output = self.output();
            push(rows, open, output);
        }
    }

    fn input(&self) -> (CycleInput, Option<CycleInput>) {
        let image = &self.images[0];
        let vague = (image.vague_wires > 0).then(|| pod_read_unaligned(&image.vague));
        (pod_read_unaligned(&image.bits), vague)
    }

    fn output(&self) -> (CycleOutput, Option<CycleOutput>) {
        let image = &self.images[1];
        let vague = (image.vague_wires > 0).then(|| pod_read_unaligned(&image.vague));
        (pod_read_unaligned(&image.bits), vague)
    }

    /// Makes the changes of the tick.
    fn settle(&mut self) {
        for &(signal, start, length) in &self.pending {
            let signal = signal as usize;
            let digits = &self.digits[start as usize..(start + length) as usize];
            let taps = self.first[signal] as usize..self.first[signal + 1] as usize;
            for tap in &mut self.taps[taps] {
                apply(tap, &mut self.images[tap.side as usize], digits);
            }
        }
        self.pending.clear();
        self.digits.clear();
    }
}

fn push(rows: &mut Rows, open: Open, (output, vague): (CycleOutput, Option<CycleOutput>)) {
    if open.vague.is_some() || vague.is_some() {
        rows.vague.push(Vague {
            row: rows.times.len(),
            inputs: open.vague.unwrap_or_default(),
            outputs: vague.unwrap_or_default(),
        });
    }
    rows.inputs.push(open.input);
    rows.outputs.push(output);
    rows.times.push(open.time);
    rows.shown.push(open.shown);
}

/// Puts the bits of a tap into the image.
fn apply(tap: &mut Tap, image: &mut Image, digits: &[u8]) {
    let mut vague = false;
    for from in (0..tap.width).step_by(64) {
        let width = (tap.width - from).min(64);
        let (mut bits, unknown) = word(digits, tap.low + from, width);
        if tap.inverted {
            bits = !bits & !unknown;
        }
        store(&mut image.bits, tap.to + from, width, bits);
        if tap.vague || unknown != 0 {
            store(&mut image.vague, tap.to + from, width, unknown);
        }
        vague |= unknown != 0;
    }
    match (tap.vague, vague) {
        (false, true) => image.vague_wires += 1,
        (true, false) => image.vague_wires -= 1,
        _ => {}
    }
    tap.vague = vague;
}

/// Bits from `low` on, at most 64, of a value of these digits, and which of them are neither 0 nor 1.
#[inline]
fn word(digits: &[u8], low: u32, width: u32) -> (u64, u64) {
    let end = digits.len().saturating_sub(low as usize);
    let start = digits.len().saturating_sub((low + width) as usize);
    let written = &digits[start..end];
    let (mut bits, mut unknown) = (0_u64, 0_u64);
    let (eights, rest) = written.as_chunks::<8>();
    if let Ok(eights) = eights.try_into()
        && let Some(bits) = whole::<8>(eights)
    {
        return (bits, 0);
    }
    for eight in eights {
        match whole(&[*eight]) {
            Some(byte) => (bits, unknown) = (bits << 8 | byte, unknown << 8),
            None => (bits, unknown) = slow(eight, bits, unknown),
        }
    }
    (bits, unknown) = slow(rest, bits, unknown);
    // What is left of the leftmost digit is 0 after 0 and 1, else like it.
    let above = width - (end - start) as u32;
    if above > 0
        && let Some(&leftmost) = digits.first()
        && !matches!(State::from_byte(leftmost), Some(State::Zero | State::One))
    {
        let ones = u64::MAX >> (64 - above);
        unknown |= ones << (width - above);
    }
    (bits, unknown)
}

/// Bits of digits that are all 0 or 1, without waiting from one byte to the next.
#[inline]
fn whole<const N: usize>(eights: &[[u8; 8]; N]) -> Option<u64> {
    let (mut bits, mut odd) = ([0; 8], 0);
    for (bits, eight) in bits[8 - N..].iter_mut().zip(eights) {
        let text = u64::from_le_bytes(*eight) ^ 0x3030_3030_3030_3030;
        odd |= text;
        // The leftmost digit, which is the lowest byte, becomes the highest bit.
        *bits = (text.wrapping_mul(0x8040_2010_0804_0201) >> 56) as u8;
    }
    (odd & 0xFEFE_FEFE_FEFE_FEFE == 0).then_some(u64::from_be_bytes(bits))
}

#[inline]
fn slow(digits: &[u8], mut bits: u64, mut unknown: u64) -> (u64, u64) {
    for &digit in digits {
        let (bit, vague) = match State::from_byte(digit) {
            Some(State::Zero) => (0, 0),
            Some(State::One) => (1, 0),
            _ => (0, 1),
        };
        (bits, unknown) = (bits << 1 | bit, unknown << 1 | vague);
    }
    (bits, unknown)
}

/// Puts the low `width` bits of `value` at bit `to`.
#[inline]
fn store(image: &mut [u8], to: u32, width: u32, value: u64) {
    let byte = to as usize / 8;
    if to.is_multiple_of(8)
        && width == 64
        && let Some(place) = image.get_mut(byte..byte + 8)
    {
        place.copy_from_slice(&value.to_le_bytes());
        return;
    }
    let mut left = width;
    let (mut to, mut value) = (to, value);
    while left > 0 {
        let bit = to % 8;
        let take = (8 - bit).min(left);
        let mask = (u8::MAX >> (8 - take)) << bit;
        let place = &mut image[to as usize / 8];
        *place = *place & !mask | ((value << bit) as u8 & mask);
        value >>= take;
        to += take;
        left -= take;
    }
}

/// The value of a signal as the bytes of a struct; None if it is not known.
fn bytes<T: Pod>(value: BitsRef<'_>) -> Option<T> {
    let mut out = T::zeroed();
    let image = bytes_of_mut(&mut out);
    for from in (0..value.width()).step_by(64) {
        let width = (value.width() - from).min(64);
        let (bits, unknown) = word(value.digits(), from, width);
        if unknown != 0 {
            return None;
        }
        store(image, from, width, bits);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::Slice;
    use pmu_model::Implementation;

    use super::*;
    use crate::offline::map::Map;

    #[test]
    fn words_are_cut_and_extended() {
        assert_eq!(word(b"10110011", 0, 8), (0b1011_0011, 0));
        assert_eq!(word(b"10110011", 2, 4), (0b1100, 0));
        assert_eq!(word(b"11", 0, 64), (3, 0));
        assert_eq!(word(b"11", 8, 8), (0, 0));
        assert_eq!(word(b"x1", 0, 4), (1, 0b1110));
        assert_eq!(word(b"z", 8, 8), (0, 0xFF));
        assert_eq!(word(b"0000x0001", 0, 16), (1, 0b10000));
        assert_eq!(word(&[b'1'; 64], 0, 64), (u64::MAX, 0));
        assert_eq!(word(b"x", 0, 64), (0, u64::MAX));
    }

    #[test]
    fn words_are_stored_at_any_bit() {
        let mut image = [0xFF_u8; 4];
        store(&mut image, 5, 9, 0b1_0000_0001);
        assert_eq!(image, [0b0011_1111, 0b1110_0000, 0xFF, 0xFF]);
        let mut image = [0_u8; 9];
        store(&mut image, 4, 64, u64::MAX);
        assert_eq!(image, [0xF0, 255, 255, 255, 255, 255, 255, 255, 0x0F]);
        let mut image = [0_u8; 8];
        store(&mut image, 0, 64, 0x0102_0304_0506_0708);
        assert_eq!(image, [8, 7, 6, 5, 4, 3, 2, 1]);
    }

    const HEADER: &str = "$var wire 1 c clk $end $var wire 1 n rst_n $end $var wire 16 d data [15:0] $end \
        $var wire 16 v v [15:0] $end $enddefinitions $end\n";

    /// Rows of event 0 and V[0] as (time, reset, event, V).
    fn rows(sample: &str, body: &str) -> Vec<(u64, u8, u16, u16)> {
        let text = format!("{HEADER}{body}");
        let mut dump = Slice::new(text.as_bytes()).expect("a dump");
        let header = dump.header().clone();
        let map = format!(
            "contract = 2\nclock = 'clk'\n[sample]\n{sample}\n[input]\n\
             reset = {{ signal = 'rst_n', active = 'low' }}\n'event[0]' = 'data'\n\
             [output]\n'increment[0]' = 'v'\n"
        );
        let map = Map::parse(&map).expect("a map");
        let wiring = Wiring::new(&map, &header, &Implementation::default(), true).expect("fits");
        let mut sampler = Sampler::new(&wiring, &header, map.edge, map.sample);
        let (mut rows, mut all) = (Rows::default(), Vec::new());
        loop {
            rows.clear();
            // One by one, to stop and go on everywhere.
            sampler.fill(&mut dump, &mut rows, 1).expect("no fault");
            if rows.is_empty() {
                return all;
            }
            assert!(rows.len() == 1);
            assert!(rows.vague.is_empty(), "{:?}", rows.vague);
            let (input, output) = (&rows.inputs[0], &rows.outputs[0]);
            all.push((
                rows.times[0],
                input.reset,
                input.event[0],
                output.increment[0],
            ));
        }
    }

    /// Edges at 10 and 20; inputs change with the first and at the second, outputs a tick after an edge.
    const BODY: &str = "#0\n0c\n0n\nb1 d\nb0 v\n#10\n1c\nb10 d\n#11\nb1 v\n1n\n#15\n0c\nb100 v\n#20\nb11 d\n1c\n#21\nb101 v\n#25\n0c\n";

    #[test]
    fn inputs_are_those_before_or_after_the_edge() {
        let opposite = rows("", BODY);
        assert_eq!(opposite, [(10, 1, 1, 4), (20, 0, 2, 5)]);
        assert_eq!(
            rows("inputs = 'after'", BODY),
            [(10, 1, 2, 4), (20, 0, 3, 5)]
        );
    }

    #[test]
    fn outputs_are_those_of_the_time_asked_for() {
        let v = |when: &str| {
            let rows = rows(&format!("outputs = '{when}'"), BODY);
            rows.iter().map(|row| row.3).collect::<Vec<_>>()
        };
        assert_eq!(v("before"), [0, 4]);
        assert_eq!(v("after"), [0, 4]);
        assert_eq!(v("opposite"), [4, 5]);
        // The last cycle is not complete.
        assert_eq!(v("next"), [4]);
    }

    #[test]
    fn a_first_level_is_an_edge_if_the_map_says_so() {
        let body = "#0\n1c\n0n\nb1 d\nb0 v\n#5\n0c\n#10\n1c\n#15\n0c\n";
        assert_eq!(rows("inputs = 'after'", body).len(), 1);
        let first = rows("inputs = 'after'\nfirst_edge = true", body);
        assert_eq!(first, [(0, 1, 1, 0), (10, 1, 1, 0)]);
    }

    #[test]
    fn bits_that_are_not_known_are_told() {
        let text = format!(
            "{HEADER}#0\n0c\n1n\nbx1 d\nb0 v\n#5\n1c\n#10\n0c\nb1 d\nbz v\n#15\n1c\n#20\n0c\n"
        );
        let mut dump = Slice::new(text.as_bytes()).expect("a dump");
        let header = dump.header().clone();
        let map =
            "contract = 2\nclock = 'clk'\n[input]\n'event[0]' = 'data'\n[output]\n'V[0]' = 'v'\n";
        let map = Map::parse(map).expect("a map");
        let wiring = Wiring::new(&map, &header, &Implementation::default(), true).expect("fits");
        let mut sampler = Sampler::new(&wiring, &header, map.edge, map.sample);
        let mut rows = Rows::default();
        sampler.fill(&mut dump, &mut rows, 9).expect("no fault");
        assert_eq!(rows.len(), 2);
        let [first, second] = &rows.vague[..] else {
            panic!("{:?}", rows.vague);
        };
        assert_eq!((first.row, first.inputs.event[0]), (0, 0xFFFE));
        // V is sampled when the clock has fallen.
        assert_eq!(first.outputs.increment[0], 0xFFFF);
        assert_eq!((second.row, second.inputs.event[0]), (1, 0));
        let outputs = bytemuck::bytes_of(&second.outputs);
        assert_eq!(wiring.first_of(Side::Output, outputs).as_deref(), Some("v"));
    }
}
