//! Base values of all events in a cycle.
//!
//! An event takes its value from one of four *sources*, which are drawn anew each cycle; two random bits of its own
//! say from which. A source is a row of values, one for each event, plus a constant.

use pmu_model::contract::EVENT_LANES;

use super::super::facts::Facts;
use super::super::profile::ValueKind;
use super::super::random::{Bits, Menu, Words};

/// Sources among which the cycles of a phase choose.
const PALETTE: usize = 16;

/// Numbers of the rows.
const PREVIOUS: u8 = 0;
const THRESHOLD: u8 = 1;
const ZERO: u8 = 2;
const RANDOM: u8 = 3;

#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Row([u16; EVENT_LANES]);

#[derive(Clone, Copy, Debug, Default)]
struct Source {
    row: u8,
    plus: u16,
}

/// The rows, and the sources of the phase.
#[derive(Clone, Debug)]
pub(super) struct EventValues {
    rows: [Row; 4],
    palette: [Source; PALETTE],
}

impl EventValues {
    pub(super) fn new() -> Self {
        let zero = || Row([0; EVENT_LANES]);
        Self {
            rows: [zero(), zero(), zero(), zero()],
            palette: [Source::default(); PALETTE],
        }
    }

    /// Makes `threshold` the value that event `lane` is moved around.
    pub(super) fn center(&mut self, lane: usize, threshold: u16) {
        self.rows[usize::from(THRESHOLD)].0[lane] = threshold;
    }

    /// The values of a cycle. `choice` has four numbers of sources, of 4 bits; bit *e* of the first and of the second of
    /// `masks` says which of them event *e* takes.
    #[inline(always)]
    pub(super) fn draw(
        &mut self,
        choose: impl Choose,
        choice: u16,
        masks: [u64; 2],
        out: &mut [u16; EVENT_LANES],
    ) {
        let sources = [0, 4, 8, 12].map(|low| self.palette[usize::from(choice >> low & 15)]);
        let rows = sources.map(|source| &self.rows[usize::from(source.row & 3)]);
        let values = choose.choose(rows, sources.map(|source| source.plus), masks);
        *out = values.0;
        self.rows[usize::from(PREVIOUS)] = values;
    }

    /// Draws the sources of a phase, and its random row.
    pub(super) fn begin_phase(&mut self, words: &mut Words, menu: &Menu, facts: &Facts) {
        for entry in &mut self.palette {
            *entry = source(words.bits(), menu, facts);
        }
        let kept = match words.bits().take(2) {
            0 => 0xFFFF,
            1 => 0x0FFF,
            2 => 0x000F,
            _ => (1u64 << facts.thwidth) - 1,
        };
        let kept = kept * 0x0001_0001_0001_0001;
        for four in self.rows[usize::from(RANDOM)].0.chunks_exact_mut(4) {
            let word = words.next() & kept;
            for (i, value) in four.iter_mut().enumerate() {
                *value = (word >> (16 * i)) as u16;
            }
        }
    }
}

/// A way to choose the values of all events.
pub(crate) trait Choose: Copy {
    /// For event *e* the value of `rows[n]` plus `plus[n]`; bit *e* of `masks` are the bits of *n*, the lower one first.
    fn choose(self, rows: [&Row; 4], plus: [u16; 4], masks: [u64; 2]) -> Row;
}

/// One event after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OneByOne;

impl Choose for OneByOne {
    #[inline(always)]
    fn choose(self, rows: [&Row; 4], plus: [u16; 4], [first, second]: [u64; 2]) -> Row {
        let mut values = Row([0; EVENT_LANES]);
        for group in 0..4 {
            let (first, second) = (
                (first >> (16 * group)) as u16,
                (second >> (16 * group)) as u16,
            );
            for bit in 0..16 {
                let e = 16 * group + bit;
                let value = |n: usize| rows[n].0[e].wrapping_add(plus[n]);
                let low = select(expand(first, bit), value(1), value(0));
                let high = select(expand(first, bit), value(3), value(2));
                values.0[e] = select(expand(second, bit), high, low);
            }
        }
        values
    }
}

/// 32 events at a time.
#[cfg(target_arch = "x86_64")]
impl Choose for pulp::x86::V4 {
    #[inline(always)]
    fn choose(self, rows: [&Row; 4], plus: [u16; 4], [first, second]: [u64; 2]) -> Row {
        let simd = self.avx512bw;
        let mut values = [[0u16; 32]; 2];
        for (half, out) in values.iter_mut().enumerate() {
            let (first, second) = (
                (first >> (32 * half)) as u32,
                (second >> (32 * half)) as u32,
            );
            let value = |n: usize| {
                let halves: &[[u16; 32]; 2] = bytemuck::cast_ref(&rows[n].0);
                let plus = self.avx512f._mm512_set1_epi16(plus[n] as i16);
                simd._mm512_add_epi16(pulp::cast(halves[half]), plus)
            };
            let low = simd._mm512_mask_blend_epi16(first, value(0), value(1));
            let high = simd._mm512_mask_blend_epi16(first, value(2), value(3));
            *out = pulp::cast(simd._mm512_mask_blend_epi16(second, low, high));
        }
        Row(bytemuck::cast(values))
    }
}

/// All ones if `bit` of `bits` is one.
#[inline(always)]
fn expand(bits: u16, bit: usize) -> u16 {
    0u16.wrapping_sub(u16::from(bits & (1 << bit) != 0))
}

#[inline(always)]
fn select(mask: u16, if_ones: u16, if_zeros: u16) -> u16 {
    if_zeros ^ ((if_ones ^ if_zeros) & mask)
}

fn source(mut bits: Bits, menu: &Menu, facts: &Facts) -> Source {
    let kind = ValueKind::ALL[menu.choose(bits.take(8) as u8)];
    let one_bit = |bits: &mut Bits| 1u16 << bits.below(facts.event_width);
    let (row, plus) = match kind {
        ValueKind::Hold => (PREVIOUS, 0),
        ValueKind::Step => (PREVIOUS, if bits.take(1) == 1 { 1 } else { u16::MAX }),
        ValueKind::Threshold => (THRESHOLD, 0),
        ValueKind::Below => (THRESHOLD, u16::MAX),
        ValueKind::Above => (THRESHOLD, 1),
        ValueKind::Bit => {
            let plus = one_bit(&mut bits);
            (
                THRESHOLD,
                if bits.take(1) == 1 {
                    plus
                } else {
                    plus.wrapping_neg()
                },
            )
        }
        ValueKind::Alias => match bits.take(2) {
            0 => (THRESHOLD, 1 << facts.thwidth),
            1 => (THRESHOLD, 1 << 11),
            2 => (THRESHOLD, 1 << 12),
            _ => (THRESHOLD, (bits.take(4) as u16) << 12),
        },
        ValueKind::Zero => (ZERO, 0),
        ValueKind::One => (ZERO, 1),
        ValueKind::Ones => (ZERO, u16::MAX >> (16 - facts.event_width)),
        ValueKind::Small => (ZERO, bits.take(4) as u16),
        ValueKind::Power => (ZERO, one_bit(&mut bits)),
        ValueKind::Random => (RANDOM, bits.take(16) as u16),
    };
    // Bits above `event_width` are to be ignored.
    let ignored = if bits.take(1) == 1 {
        (bits.take(16) << facts.event_width) as u16
    } else {
        0
    };
    Source {
        row,
        plus: plus.wrapping_add(ignored),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_bits_of_its_own_choose_the_source_of_an_event() {
        let mut values = EventValues::new();
        values.center(1, 100);
        values.center(3, 200);
        values.palette[5] = Source {
            row: THRESHOLD,
            plus: 1,
        };
        values.palette[6] = Source { row: ZERO, plus: 7 };
        values.palette[7] = Source {
            row: THRESHOLD,
            plus: u16::MAX,
        };
        values.palette[8] = Source {
            row: PREVIOUS,
            plus: 0,
        };
        let mut out = [0; EVENT_LANES];
        values.draw(OneByOne, 0x8765, [0b1010, 0b1100], &mut out);
        assert_eq!(out[..4], [1, 7, u16::MAX, 0]);
        values.draw(OneByOne, 0x8888, [0b1010, 0b1100], &mut out);
        assert_eq!(out[..4], [1, 7, u16::MAX, 0]);
    }
    #[test]
    fn both_ways_choose_the_same() {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            let mut words = Words::new(1);
            let rows: [Row; 4] =
                std::array::from_fn(|_| Row(std::array::from_fn(|_| words.next() as u16)));
            for _ in 0..100 {
                let plus = [0; 4].map(|_: u16| words.next() as u16);
                let masks = words.next_two();
                assert_eq!(
                    simd.choose(rows.each_ref(), plus, masks).0,
                    OneByOne.choose(rows.each_ref(), plus, masks).0
                );
            }
        }
    }
}
