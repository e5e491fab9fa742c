//! The counters: additions and overflow (TH-50, DUT-22).

use crate::contract::{COUNTER_LANES, CYCLE_COUNTER};
use crate::implementation::Implementation;

use super::lane::Lanes;
use super::select::Select;

/// PMCCNTR_EL0 in masks of counters.
const CYCLE: u32 = 1 << CYCLE_COUNTER;

/// `PMEVCNTR<n>_EL0`, and PMCCNTR_EL0 in lane 31, in halves: a cycle adds to the lower ones, and few cycles carry into
/// an upper one.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Counters {
    low: Lanes<u32>,
    /// Zero for counters of 32 bits.
    high: Lanes<u32>,
    /// Counters of 64 bits.
    wide: u32,
}

/// What one cycle adds.
#[derive(Clone, Debug)]
pub struct Sum {
    low: Lanes<u32>,
    /// Bit *n*: counter *n* carries out of bit 31.
    carry: u32,
    /// Bit *n*: counter *n* overflows.
    pub overflow: u32,
}

impl Counters {
    /// The counters of `implementation`, all zero.
    pub fn new(implementation: &Implementation) -> Self {
        Self {
            low: [0; COUNTER_LANES],
            high: [0; COUNTER_LANES],
            // PMCCNTR_EL0 has 64 bits, whatever the event counters have.
            wide: if implementation.pmu.counter_bits == 64 {
                u32::MAX
            } else {
                CYCLE
            },
        }
    }

    /// TH-50, DUT-22: all counters plus their increments. With `long`, event counters overflow out of bit 63.
    #[inline(always)]
    pub fn add(&self, increment: &Lanes<u16>, long: bool, select: impl Select) -> Sum {
        let (low, carry) = select.add(&self.low, increment);
        let overflow = if carry == 0 {
            0
        } else {
            self.overflow(carry, long)
        };
        Sum {
            low,
            carry,
            overflow,
        }
    }

    #[cold]
    fn overflow(&self, carry: u32, long: bool) -> u32 {
        let out_of_bit_31 = if long { 0 } else { !CYCLE };
        let out_of_bit_63 = (0..COUNTER_LANES).fold(0, |counters, n| {
            counters | u32::from(self.high[n] == u32::MAX) << n
        });
        carry & (out_of_bit_31 | out_of_bit_63)
    }

    /// Ends a cycle.
    #[inline(always)]
    pub fn commit(&mut self, sum: &Sum) {
        self.low = sum.low;
        if sum.carry != 0 {
            self.carry(sum.carry);
        }
    }

    #[cold]
    fn carry(&mut self, carry: u32) {
        for (n, high) in self.high.iter_mut().enumerate() {
            *high = high.wrapping_add((carry & self.wide) >> n & 1);
        }
    }

    /// Bits of an event counter.
    pub fn mask(&self) -> u64 {
        self.mask_of(0)
    }

    fn mask_of(&self, n: usize) -> u64 {
        if self.wide >> n & 1 == 1 {
            u64::MAX
        } else {
            0xFFFF_FFFF
        }
    }

    /// The value of counter `n`, 31 for PMCCNTR_EL0.
    pub fn get(&self, n: usize) -> u64 {
        u64::from(self.high[n]) << 32 | u64::from(self.low[n])
    }

    /// Writes counter `n`; bits that it does not have are ignored.
    pub fn set(&mut self, n: usize, value: u64) {
        let value = value & self.mask_of(n);
        self.low[n] = value as u32;
        self.high[n] = (value >> 32) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::super::select::OneByOne;
    use super::*;

    fn sum_of(bits: u8, start: u64, increment: u16, long: bool) -> (u64, u32) {
        let mut implementation = Implementation::default();
        implementation.pmu.counter_bits = bits;
        let mut counters = Counters::new(&implementation);
        counters.set(3, start);
        let mut increments = [0; COUNTER_LANES];
        increments[3] = increment;
        let sum = counters.add(&increments, long, OneByOne);
        counters.commit(&sum);
        (counters.get(3), sum.overflow)
    }

    #[test]
    fn th_50_overflow_may_leave_a_nonzero_value() {
        assert_eq!(sum_of(32, 0xFFFF_FFFE, 5, false), (3, 1 << 3));
        assert_eq!(sum_of(64, 0xFFFF_FFFE, 5, false), (0x1_0000_0003, 1 << 3));
        assert_eq!(sum_of(64, 0xFFFF_FFFE, 5, true), (0x1_0000_0003, 0));
        assert_eq!(sum_of(64, u64::MAX, 1, true), (0, 1 << 3));
        assert_eq!(sum_of(64, u64::MAX, 1, false), (0, 1 << 3));
        assert_eq!(sum_of(32, 0xFFFF_FFFE, 1, false), (0xFFFF_FFFF, 0));
    }

    #[test]
    fn dut_22_the_cycle_counter_has_64_bits() {
        let mut implementation = Implementation::default();
        implementation.pmu.counter_bits = 32;
        let mut counters = Counters::new(&implementation);
        counters.set(CYCLE_COUNTER, 0xFFFF_FFFF);
        let mut increments = [0; COUNTER_LANES];
        increments[CYCLE_COUNTER] = 1;
        let sum = counters.add(&increments, false, OneByOne);
        counters.commit(&sum);
        assert_eq!(
            (counters.get(CYCLE_COUNTER), sum.overflow),
            (0x1_0000_0000, 0)
        );
        counters.set(CYCLE_COUNTER, u64::MAX);
        assert_eq!(counters.add(&increments, false, OneByOne).overflow, 1 << 31);
    }
}
