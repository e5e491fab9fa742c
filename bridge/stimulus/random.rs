//! Random words: the ChaCha8 key stream of a seed, and the cutting of words into small integers.

use rand_chacha::ChaCha8Core;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::rand_core::block::Generator as _;

/// Bytes 8 to 31 of the key; bytes 0 to 7 are the seed.
const KEY_TEXT: &[u8; 24] = b"pmu-lockstep stimulus v2";
/// 32-bit words that are made at once: four blocks.
const BUFFERED: usize = 64;

/// The words of a seed: the key stream as 64-bit little-endian integers, in order.
#[derive(Clone, Debug)]
pub(super) struct Words {
    core: ChaCha8Core,
    buffer: [u32; BUFFERED],
    at: usize,
}

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(KEY_TEXT);
        Self {
            core: ChaCha8Core::from_seed(key),
            buffer: [0; BUFFERED],
            at: BUFFERED,
        }
    }

    /// The next word.
    #[inline(always)]
    pub(super) fn next(&mut self) -> u64 {
        if self.at >= BUFFERED {
            self.refill();
        }
        let low = self.buffer[self.at % BUFFERED];
        let high = self.buffer[(self.at + 1) % BUFFERED];
        self.at += 2;
        u64::from(high) << 32 | u64::from(low)
    }

    /// The next word, to be cut.
    #[inline(always)]
    pub(super) fn bits(&mut self) -> Bits {
        Bits(self.next())
    }

    #[inline(never)]
    fn refill(&mut self) {
        self.core.generate(&mut self.buffer);
        self.at = 0;
    }
}

/// A word made from two others, for what need not be independent of other cycles: the halves of the 128-bit product of
/// `a ^ 0x9E3779B97F4A7C15` and `b ^ 0xD1B54A32D192ED03`, XORed.
#[inline(always)]
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9E37_79B9_7F4A_7C15) * u128::from(b ^ 0xD1B5_4A32_D192_ED03);
    product as u64 ^ (product >> 64) as u64
}

/// A word that is cut into small integers, from bit 0 up. When it is used up, it gives zeros.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits(u64);

impl Bits {
    /// The next `count` bits, 1 to 32.
    #[inline(always)]
    pub(super) fn take(&mut self, count: u32) -> u32 {
        let value = self.0 & ((1 << count) - 1);
        self.0 >>= count;
        value as u32
    }

    /// An integer below `limit`, at most 65536: the next 16 bits times `limit`, divided by 65536.
    #[inline(always)]
    pub(super) fn below(&mut self, limit: u32) -> u32 {
        (self.take(16) * limit) >> 16
    }

    /// What [`Bits::below`] would return.
    #[inline(always)]
    pub(super) fn peek_below(mut self, limit: u32) -> u32 {
        self.below(limit)
    }

    /// TRUE in `share` of 65536 cases: the next 16 bits are below it.
    #[inline(always)]
    pub(super) fn chance(&mut self, share: u16) -> bool {
        self.take(16) < u32::from(share)
    }
}

/// A table of 256 choices, in proportion to their weights.
#[derive(Clone, Debug)]
pub(super) struct Menu([u8; 256]);

impl Menu {
    /// Entry *i* is the first choice whose sum of weights up to and with itself, times 256, exceeds *i* times the
    /// total. One weight at least is not zero.
    pub(super) fn new(weights: &[u16]) -> Self {
        let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut choice = 0;
        let mut sum = u64::from(weights[0]);
        Self(std::array::from_fn(|i| {
            while sum * 256 <= i as u64 * total {
                choice += 1;
                sum += u64::from(weights[choice]);
            }
            choice as u8
        }))
    }

    /// The choice of 8 random bits.
    #[inline(always)]
    pub(super) fn choose(&self, random: u8) -> usize {
        usize::from(self.0[usize::from(random)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_key_stream_of_the_documented_key() {
        // The first block of ChaCha8 with the key of seed 1, nonce 0, block counter 0.
        let mut words = Words::new(1);
        let first: [u64; 2] = std::array::from_fn(|_| words.next());
        assert_eq!(first, reference_block(1));
    }

    /// ChaCha8 as RFC 8439 writes it (with 8 rounds), for the first two words of block 0.
    fn reference_block(seed: u64) -> [u64; 2] {
        let mut key = [0u8; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(KEY_TEXT);
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
        let mut start = [0u32; 16];
        for (i, chunk) in b"expand 32-byte k"
            .chunks(4)
            .chain(key.chunks(4))
            .enumerate()
        {
            start[i] = word(chunk);
        }
        let mut state = start;
        let mut quarter = |[a, b, c, d]: [usize; 4]| {
            for (x, y, z, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                state[x] = state[x].wrapping_add(state[y]);
                state[z] = (state[z] ^ state[x]).rotate_left(turn);
            }
        };
        for _ in 0..4 {
            for i in 0..4 {
                quarter([i, 4 + i, 8 + i, 12 + i]);
            }
            for i in 0..4 {
                quarter([i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4]);
            }
        }
        let out: [u32; 4] = std::array::from_fn(|i| state[i].wrapping_add(start[i]));
        [0, 2].map(|i| u64::from(out[i + 1]) << 32 | u64::from(out[i]))
    }

    #[test]
    fn menus_are_in_proportion() {
        let menu = Menu::new(&[0, 3, 0, 1, 0]);
        let count = |choice| (0..=255).filter(|&i| menu.choose(i) == choice).count();
        assert_eq!(
            [count(0), count(1), count(2), count(3), count(4)],
            [0, 192, 0, 64, 0]
        );
    }

    #[test]
    fn bits_are_cut_from_the_low_end() {
        let mut bits = Bits(0x1234_8000_FFA5);
        assert_eq!(bits.take(4), 5);
        assert_eq!(bits.take(4), 0xA);
        assert_eq!(bits.take(8), 0xFF);
        assert_eq!(bits.below(31), 15);
        assert!(bits.chance(0x1235));
        assert_eq!(bits.take(32), 0);
    }
}
