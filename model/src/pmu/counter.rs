//! The counters: additions and overflow (TH-50, DUT-22).

use crate::contract::{COUNTER_LANES, CYCLE_COUNTER};
use crate::implementation::Implementation;

use super::lane::Lanes;

/// `PMEVCNTR<n>_EL0`, and PMCCNTR_EL0 in lane 31.
#[derive(Clone, Debug)]
pub struct Counters {
    value: [u64; COUNTER_LANES],
    /// Bits of an event counter.
    mask: u64,
}

/// What one cycle adds.
#[derive(Clone, Debug)]
pub struct Sum {
    value: [u64; COUNTER_LANES],
    /// Bit *n*: counter *n* overflows.
    pub overflow: u32,
}

impl Counters {
    /// The counters of `implementation`, all zero.
    pub fn new(implementation: &Implementation) -> Self {
        let mask = if implementation.pmu.counter_bits == 64 {
            u64::MAX
        } else {
            0xFFFF_FFFF
        };
        Self {
            value: [0; COUNTER_LANES],
            mask,
        }
    }

    /// TH-50, DUT-22: all counters plus their increments. With `long`, event counters overflow out of bit 63.
    #[inline(always)]
    pub fn add(&self, increment: &Lanes<u16>, long: bool) -> Sum {
        let mut value = [0; COUNTER_LANES];
        let mut any = 0;
        for n in 0..COUNTER_LANES {
            value[n] = self.value[n].wrapping_add(u64::from(increment[n])) & self.mask;
            // A carry out of bit 31 changes bit 32 of the sum, and a sum of 32 bits gets smaller.
            any |= u64::from(value[n] < self.value[n]) | ((value[n] ^ self.value[n]) >> 32);
        }
        // PMCCNTR_EL0 has 64 bits, whatever the event counters have.
        value[CYCLE_COUNTER] =
            self.value[CYCLE_COUNTER].wrapping_add(u64::from(increment[CYCLE_COUNTER]));
        any |= u64::from(value[CYCLE_COUNTER] < self.value[CYCLE_COUNTER]);
        let overflow = if any == 0 {
            0
        } else {
            self.overflow(&value, long)
        };
        Sum { value, overflow }
    }

    #[cold]
    fn overflow(&self, sum: &[u64; COUNTER_LANES], long: bool) -> u32 {
        let mut overflow = 0;
        for (n, (&old, &new)) in self.value.iter().zip(sum).enumerate() {
            let carries = if long || n == CYCLE_COUNTER {
                new < old
            } else {
                (new as u32) < old as u32
            };
            overflow |= u32::from(carries) << n;
        }
        overflow
    }

    /// Ends a cycle.
    #[inline(always)]
    pub fn commit(&mut self, sum: &Sum) {
        self.value = sum.value;
    }

    /// Bits of an event counter.
    pub fn mask(&self) -> u64 {
        self.mask
    }

    /// The value of counter `n`, 31 for PMCCNTR_EL0.
    pub fn get(&self, n: usize) -> u64 {
        self.value[n]
    }

    /// Writes counter `n`; bits that it does not have are ignored.
    pub fn set(&mut self, n: usize, value: u64) {
        self.value[n] = if n == CYCLE_COUNTER {
            value
        } else {
            value & self.mask
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum_of(bits: u8, start: u64, increment: u16, long: bool) -> (u64, u32) {
        let mut implementation = Implementation::default();
        implementation.pmu.counter_bits = bits;
        let mut counters = Counters::new(&implementation);
        counters.set(3, start);
        let mut increments = [0; COUNTER_LANES];
        increments[3] = increment;
        let sum = counters.add(&increments, long);
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
        let sum = counters.add(&increments, false);
        counters.commit(&sum);
        assert_eq!(
            (counters.get(CYCLE_COUNTER), sum.overflow),
            (0x1_0000_0000, 0)
        );
        counters.set(CYCLE_COUNTER, u64::MAX);
        assert_eq!(counters.add(&increments, false).overflow, 1 << 31);
    }
}
