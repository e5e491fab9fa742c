//! The steps of a cycle that plain loops do not make fast: selecting 32 of 64 lanes by number, linking lanes, making
//! lanes of a mask, and additions that tell their carries.

use crate::contract::{COUNTER_LANES, EVENT_LANES, THREADS};

use super::count_value::link;
use super::lane::{Lane, Lanes, lanes};

/// A way to make lanes.
pub trait Select: Copy {
    /// [`Lane::expand`].
    fn expand(self, bits: u32) -> Lanes<u16>;

    /// `events[index[n]]` for every n; indices are taken modulo 64.
    fn select(self, events: &[u16; EVENT_LANES], index: &Lanes<u16>) -> Lanes<u16>;

    /// `values[index[n]]` for every n, 0 for an index of 4; indices are 0 to 4.
    fn select_of_four(self, values: [u16; 4], index: &Lanes<u16>) -> Lanes<u16>;

    /// Four bits a condition: bit *t* of them is the bit of the condition in `conditions[t]`.
    fn threads_with(self, conditions: [u8; THREADS]) -> u32;

    /// [`link`].
    fn link(self, own: &Lanes<u16>, linking: &Lanes<u16>) -> Lanes<u16>;

    /// `low[n] + increment[n]` for every n, and bit *n* of a mask if that carries.
    fn add(self, low: &Lanes<u32>, increment: &Lanes<u16>) -> (Lanes<u32>, u32);
}

/// One lane after the other.
#[derive(Clone, Copy, Debug)]
pub struct OneByOne;

impl Select for OneByOne {
    #[inline(always)]
    fn expand(self, bits: u32) -> Lanes<u16> {
        Lane::expand(bits)
    }

    #[inline(always)]
    fn select(self, events: &[u16; EVENT_LANES], index: &Lanes<u16>) -> Lanes<u16> {
        lanes(
            #[inline(always)]
            |n| events[usize::from(index[n]) % EVENT_LANES],
        )
    }

    #[inline(always)]
    fn select_of_four(self, values: [u16; 4], index: &Lanes<u16>) -> Lanes<u16> {
        lanes(
            #[inline(always)]
            |n| values.get(usize::from(index[n])).copied().unwrap_or(0),
        )
    }

    #[inline(always)]
    fn threads_with(self, conditions: [u8; THREADS]) -> u32 {
        let conditions = u32::from_le_bytes(conditions);
        (0..8).fold(0, |threads, bit| {
            // One bit a thread, from the lowest of each byte to the highest four of all.
            let of_bit = (conditions >> bit & 0x0101_0101).wrapping_mul(0x0102_0408) >> 24 & 0xF;
            threads | of_bit << (4 * bit)
        })
    }

    #[inline(always)]
    fn link(self, own: &Lanes<u16>, linking: &Lanes<u16>) -> Lanes<u16> {
        link(own, linking)
    }

    #[inline(always)]
    fn add(self, low: &Lanes<u32>, increment: &Lanes<u16>) -> (Lanes<u32>, u32) {
        let sum = lanes(
            #[inline(always)]
            |n| low[n].wrapping_add(u32::from(increment[n])),
        );
        // A sum of 32 bits that carries gets smaller. Mostly there is none, which is found out for all lanes at once.
        let lanes = || sum.iter().zip(low).enumerate();
        if !lanes().fold(false, |any, (_, (sum, low))| any | (sum < low)) {
            return (sum, 0);
        }
        let carry = lanes().fold(0, |carry, (n, (sum, low))| {
            carry | u32::from(sum < low) << n
        });
        (sum, carry)
    }
}

/// All lanes by one instruction of AVX-512, which looks at the low six bits of an index.
#[cfg(target_arch = "x86_64")]
impl Select for pulp::x86::V4 {
    #[inline(always)]
    fn expand(self, bits: u32) -> Lanes<u16> {
        pulp::cast(self.avx512bw._mm512_movm_epi16(bits))
    }

    #[inline(always)]
    fn select(self, events: &[u16; EVENT_LANES], index: &Lanes<u16>) -> Lanes<u16> {
        let [low, high]: [Lanes<u16>; 2] = bytemuck::cast(*events);
        let (low, high) = (pulp::cast(low), pulp::cast(high));
        pulp::cast(
            self.avx512bw
                ._mm512_permutex2var_epi16(low, pulp::cast(*index), high),
        )
    }

    #[inline(always)]
    fn select_of_four(self, values: [u16; 4], index: &Lanes<u16>) -> Lanes<u16> {
        let mut lanes = [0; COUNTER_LANES];
        [lanes[0], lanes[1], lanes[2], lanes[3]] = values;
        pulp::cast(
            self.avx512bw
                ._mm512_permutexvar_epi16(pulp::cast(*index), pulp::cast(lanes)),
        )
    }

    #[inline(always)]
    fn threads_with(self, conditions: [u8; THREADS]) -> u32 {
        // The conditions of all threads, once for each bit, which is looked at there.
        const BITS: [u8; 64] = {
            let mut bits = [0; 64];
            let mut place = 0;
            while place < 8 * THREADS {
                bits[place] = 1 << (place / THREADS);
                place += 1;
            }
            bits
        };
        let repeated = self
            .avx512f
            ._mm512_set1_epi32(i32::from_le_bytes(conditions));
        self.avx512bw
            ._mm512_test_epi8_mask(repeated, pulp::cast(BITS)) as u32
    }

    #[inline(always)]
    fn link(self, own: &Lanes<u16>, linking: &Lanes<u16>) -> Lanes<u16> {
        let own = pulp::cast(*own);
        // In a pair of lanes the even one moves up.
        let below = self.avx512f._mm512_slli_epi32::<16>(own);
        let linked = self.avx512f._mm512_and_si512(below, pulp::cast(*linking));
        pulp::cast(self.avx512f._mm512_or_si512(own, linked))
    }

    #[inline(always)]
    fn add(self, low: &Lanes<u32>, increment: &Lanes<u16>) -> (Lanes<u32>, u32) {
        let low: [[u32; 16]; 2] = bytemuck::cast(*low);
        let increment: [[u16; 16]; 2] = bytemuck::cast(*increment);
        let half = |half: usize| {
            let low = pulp::cast(low[half]);
            let increment = self
                .avx512f
                ._mm512_cvtepu16_epi32(pulp::cast(increment[half]));
            let sum = self.avx512f._mm512_add_epi32(low, increment);
            // A sum of 32 bits that carries gets smaller.
            (
                pulp::cast(sum),
                self.avx512f._mm512_cmplt_epu32_mask(sum, low),
            )
        };
        let ((low, low_carry), (high, high_carry)): (([u32; 16], _), ([u32; 16], _)) =
            (half(0), half(1));
        let carry = u32::from(high_carry) << 16 | u32::from(low_carry);
        (bytemuck::cast([low, high]), carry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_select_the_same() {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            let events = std::array::from_fn(|lane| (lane * 1021) as u16);
            let mut carries = 0;
            for start in 0..EVENT_LANES {
                let index = lanes(|n| ((start * 7 + n * 13) % EVENT_LANES) as u16);
                assert_eq!(
                    simd.select(&events, &index),
                    OneByOne.select(&events, &index)
                );
                let bits = 0x9E37_79B9_u32 >> (start % 32);
                let of_four = lanes(|n| (start * 3 + n * 7) as u16 % 5);
                let four = [1, 2, 3, 4].map(|value: u16| value << 12 | start as u16);
                assert_eq!(
                    simd.select_of_four(four, &of_four),
                    OneByOne.select_of_four(four, &of_four)
                );
                let conditions = bits.to_le_bytes();
                let threads = simd.threads_with(conditions);
                assert_eq!(threads, OneByOne.threads_with(conditions));
                let linking = simd.expand(bits);
                assert_eq!(linking, OneByOne.expand(bits));
                let low = lanes(|n| u32::MAX - (n * (500 + 37 * start)) as u32);
                let increment = lanes(|n| events[n]);
                let (sum, carry) = simd.add(&low, &increment);
                assert_eq!((sum, carry), OneByOne.add(&low, &increment));
                carries |= carry;
                assert_eq!(simd.link(&index, &linking), OneByOne.link(&index, &linking));
            }
            // Lane 0 adds zero.
            assert_eq!(carries, !1);
        }
    }
}
