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
struct Row([u16; EVENT_LANES]);

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

    /// The values of a cycle. `choice` has four numbers of sources, of 4 bits; bit *e* of `first` and `second` says
    /// which of them event *e* takes.
    #[inline(always)]
    pub(super) fn draw(
        &mut self,
        choice: u16,
        [first, second]: [u64; 2],
        out: &mut [u16; EVENT_LANES],
    ) {
        let source = |i: u32| self.palette[usize::from(choice >> (4 * i) & 15)];
        let row = |source: Source| &self.rows[usize::from(source.row & 3)].0;
        let (s0, s1, s2, s3) = (source(0), source(1), source(2), source(3));
        let (r0, r1, r2, r3) = (row(s0), row(s1), row(s2), row(s3));
        let mut values = Row([0; EVENT_LANES]);
        for group in 0..4 {
            let (first, second) = (
                (first >> (16 * group)) as u16,
                (second >> (16 * group)) as u16,
            );
            for bit in 0..16 {
                let e = 16 * group + bit;
                let choose_first = expand(first, bit);
                let choose_second = expand(second, bit);
                let low = select(
                    choose_first,
                    r1[e].wrapping_add(s1.plus),
                    r0[e].wrapping_add(s0.plus),
                );
                let high = select(
                    choose_first,
                    r3[e].wrapping_add(s3.plus),
                    r2[e].wrapping_add(s2.plus),
                );
                values.0[e] = select(choose_second, high, low);
            }
        }
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
        values.draw(0x8765, [0b1010, 0b1100], &mut out);
        assert_eq!(out[..4], [1, 7, u16::MAX, 0]);
        values.draw(0x8888, [0b1010, 0b1100], &mut out);
        assert_eq!(out[..4], [1, 7, u16::MAX, 0]);
    }
}
