//! Random words: the ChaCha8 key stream of a seed, and the cutting of words into small integers.

/// Bytes 8 to 31 of the key; bytes 0 to 7 are the seed.
const KEY_TEXT: &[u8; 24] = b"pmu-lockstep stimulus v2";
/// The first words of a block.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646E, 0x7962_2D32, 0x6B20_6574];
/// Blocks that are made at once, side by side.
const BLOCKS: usize = 16;
/// Words of 64 bits in a block.
const BLOCK_WORDS: usize = 8;
/// Words that are made at once.
const BUFFERED: usize = BLOCKS * BLOCK_WORDS;

/// A word of 32 bits of every block.
type Lanes = [u32; BLOCKS];

/// The words of a seed: the key stream as 64-bit little-endian integers, in order.
#[derive(Clone, Debug)]
pub(super) struct Words {
    key: [u32; 8],
    /// Number of the next block.
    block: u64,
    buffer: [Lanes; 2 * BLOCK_WORDS],
    /// Words of the buffer that have been taken.
    at: usize,
}

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        let mut key = [0; 8];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut key);
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        bytes[8..].copy_from_slice(KEY_TEXT);
        Self {
            key: key.map(u32::from_le),
            block: 0,
            buffer: [[0; BLOCKS]; 2 * BLOCK_WORDS],
            at: BUFFERED,
        }
    }

    /// The next word.
    #[inline(always)]
    pub(super) fn next(&mut self) -> u64 {
        if self.at >= BUFFERED {
            self.refill();
        }
        let word = self.word(self.at);
        self.at += 1;
        word
    }

    /// The next two words.
    #[inline(always)]
    pub(super) fn next_two(&mut self) -> [u64; 2] {
        if self.at >= BUFFERED - 1 {
            return [self.next(), self.next()];
        }
        let words = [self.word(self.at), self.word(self.at + 1)];
        self.at += 2;
        words
    }

    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        let (place, block) = (at % BLOCK_WORDS, at / BLOCK_WORDS % BLOCKS);
        let [low, high] = [0, 1].map(|half| self.buffer[2 * place + half][block]);
        u64::from(high) << 32 | u64::from(low)
    }

    /// The next word, to be cut.
    #[inline(always)]
    pub(super) fn bits(&mut self) -> Bits {
        Bits(self.next())
    }

    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        pulp::Arch::new().dispatch(Blocks {
            key: &self.key,
            first: self.block,
            out: &mut self.buffer,
        });
        self.block = self.block.wrapping_add(BLOCKS as u64);
        self.at = 0;
    }
}

/// Makes the blocks of ChaCha8 from number `first` on. Done here, since the crates that have it make AVX-512
/// instructions of it only in a program that is compiled for them, and the key stream is an eighth of the generator.
struct Blocks<'a> {
    key: &'a [u32; 8],
    first: u64,
    out: &'a mut [Lanes; 2 * BLOCK_WORDS],
}

impl pulp::WithSimd for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, simd: S) {
        // The number of a block has 64 bits, and the nonce is 0.
        let number = |lane: usize| self.first.wrapping_add(lane as u64);
        let numbers: [Lanes; 2] = [
            std::array::from_fn(|lane| number(lane) as u32),
            std::array::from_fn(|lane| (number(lane) >> 32) as u32),
        ];
        for chunk in 0..BLOCKS / S::U32_LANES {
            let mut start = [simd.splat_u32s(0); 16];
            for i in 0..4 {
                start[i] = simd.splat_u32s(CONSTANTS[i]);
            }
            for i in 0..8 {
                start[4 + i] = simd.splat_u32s(self.key[i]);
            }
            for i in 0..2 {
                start[12 + i] = S::as_simd_u32s(&numbers[i]).0[chunk];
            }
            let mut state = start;
            for _ in 0..4 {
                quarter(simd, &mut state, [0, 4, 8, 12]);
                quarter(simd, &mut state, [1, 5, 9, 13]);
                quarter(simd, &mut state, [2, 6, 10, 14]);
                quarter(simd, &mut state, [3, 7, 11, 15]);
                quarter(simd, &mut state, [0, 5, 10, 15]);
                quarter(simd, &mut state, [1, 6, 11, 12]);
                quarter(simd, &mut state, [2, 7, 8, 13]);
                quarter(simd, &mut state, [3, 4, 9, 14]);
            }
            for i in 0..16 {
                let sum = simd.add_u32s(state[i], start[i]);
                S::as_mut_simd_u32s(&mut self.out[i]).0[chunk] = sum;
            }
        }
    }
}

/// The quarter round on four words of every block.
#[inline(always)]
fn quarter<S: pulp::Simd>(simd: S, state: &mut [S::u32s; 16], [a, b, c, d]: [usize; 4]) {
    let (mut p, mut q, mut r, mut s) = (state[a], state[b], state[c], state[d]);
    p = simd.add_u32s(p, q);
    s = rotate(simd, simd.xor_u32s(s, p), 16);
    r = simd.add_u32s(r, s);
    q = rotate(simd, simd.xor_u32s(q, r), 12);
    p = simd.add_u32s(p, q);
    s = rotate(simd, simd.xor_u32s(s, p), 8);
    r = simd.add_u32s(r, s);
    q = rotate(simd, simd.xor_u32s(q, r), 7);
    (state[a], state[b], state[c], state[d]) = (p, q, r, s);
}

/// Each word rotated left by `count` bits.
#[inline(always)]
fn rotate<S: pulp::Simd>(simd: S, words: S::u32s, count: u32) -> S::u32s {
    let up = simd.wrapping_dyn_shl_u32s(words, simd.splat_u32s(count));
    let down = simd.wrapping_dyn_shr_u32s(words, simd.splat_u32s(32 - count));
    simd.or_u32s(up, down)
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
        for seed in [1, u64::MAX] {
            let mut words = Words::new(seed);
            for block in 0..3 * BLOCKS as u32 {
                let made = next_block(&mut words);
                assert_eq!(made, reference_block(seed, [block, 0]), "block {block}");
            }
        }
    }

    #[test]
    fn numbers_of_blocks_have_64_bits() {
        let mut words = Words::new(1);
        words.block = (1 << 32) - 2;
        for number in [[u32::MAX - 1, 0], [u32::MAX, 0], [0, 1], [1, 1]] {
            let made = next_block(&mut words);
            assert_eq!(made, reference_block(1, number), "block {number:?}");
        }
    }

    #[test]
    fn words_one_by_one_are_those_by_twos() {
        let (mut ones, mut twos) = (Words::new(1), Words::new(1));
        assert_eq!(ones.next(), twos.next());
        for _ in 0..2 * BUFFERED {
            assert_eq!([ones.next(), ones.next()], twos.next_two());
        }
    }

    #[test]
    fn every_way_makes_the_same_blocks() {
        let key = Words::new(7).key;
        let first = u64::from(u32::MAX) - 3;
        let [mut here, mut one_by_one] = [[[0; BLOCKS]; 2 * BLOCK_WORDS]; 2];
        let key = &key;
        pulp::Arch::new().dispatch(Blocks {
            key,
            first,
            out: &mut here,
        });
        let blocks = Blocks {
            key,
            first,
            out: &mut one_by_one,
        };
        pulp::WithSimd::with_simd(blocks, pulp::Scalar);
        assert_eq!(here, one_by_one);
    }

    fn next_block(words: &mut Words) -> [u64; BLOCK_WORDS] {
        std::array::from_fn(|_| words.next())
    }

    /// ChaCha8 as RFC 8439 writes it (with 8 rounds, a block number of 64 bits and a nonce of 0).
    fn reference_block(seed: u64, number: [u32; 2]) -> [u64; BLOCK_WORDS] {
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
        start[12..14].copy_from_slice(&number);
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
        let out: [u32; 16] = std::array::from_fn(|i| state[i].wrapping_add(start[i]));
        std::array::from_fn(|i| u64::from(out[2 * i + 1]) << 32 | u64::from(out[2 * i]))
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
