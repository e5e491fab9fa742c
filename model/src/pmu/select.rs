//! Selecting 32 of 64 lanes by number, and making lanes of a mask: the steps of a cycle that plain loops do not make
//! fast.

use crate::contract::EVENT_LANES;

use super::lane::{Lane, Lanes, lanes};

/// A way to make lanes.
pub trait Select: Copy {
    /// [`Lane::expand`].
    fn expand(self, bits: u32) -> Lanes<u16>;

    /// `events[index[n]]` for every n; indices are taken modulo 64.
    fn select(self, events: &[u16; EVENT_LANES], index: &Lanes<u16>) -> Lanes<u16>;
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_select_the_same() {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V4::try_new() {
            let events = std::array::from_fn(|lane| (lane * 1021) as u16);
            for start in 0..EVENT_LANES {
                let index = lanes(|n| ((start * 7 + n * 13) % EVENT_LANES) as u16);
                assert_eq!(
                    simd.select(&events, &index),
                    OneByOne.select(&events, &index)
                );
                let bits = 0x9E37_79B9 >> (start % 32);
                assert_eq!(simd.expand(bits), OneByOne.expand(bits));
            }
        }
    }
}
