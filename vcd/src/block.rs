//! 64 bytes of a dump, looked at with the widest instructions that the machine has.

use wide::u8x16;

/// Number of bytes.
pub(crate) const BLOCK: usize = 64;

/// Instructions that compare the bytes of a block; a bit for each byte, the first one lowest.
pub(crate) trait Lanes: Copy {
    type Bytes: Copy;

    fn load(self, bytes: &[u8; BLOCK]) -> Self::Bytes;

    /// Which bytes are `byte`.
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64;

    /// Which bytes with `bits` set are `byte`.
    fn equal_with(self, bytes: Self::Bytes, bits: u8, byte: u8) -> u64;

    /// Which bytes are at most `byte`.
    fn at_most(self, bytes: Self::Bytes, byte: u8) -> u64;
}

/// Instructions of every machine.
#[derive(Clone, Copy)]
pub(crate) struct Any;

#[inline(always)]
fn join(quarters: [u8x16; 4], of: impl Fn(u8x16) -> u8x16) -> u64 {
    let part = |place: usize| u64::from(of(quarters[place]).to_bitmask() as u16) << (16 * place);
    part(0) | part(1) | part(2) | part(3)
}

impl Lanes for Any {
    type Bytes = [u8x16; 4];

    #[inline(always)]
    fn load(self, bytes: &[u8; BLOCK]) -> Self::Bytes {
        let (quarters, _) = bytes.as_chunks::<16>();
        std::array::from_fn(|place| u8x16::new(quarters[place]))
    }

    #[inline(always)]
    fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
        join(bytes, |quarter| quarter.simd_eq(u8x16::splat(byte)))
    }

    #[inline(always)]
    fn equal_with(self, bytes: Self::Bytes, bits: u8, byte: u8) -> u64 {
        join(bytes, |quarter| {
            (quarter | u8x16::splat(bits)).simd_eq(u8x16::splat(byte))
        })
    }

    #[inline(always)]
    fn at_most(self, bytes: Self::Bytes, byte: u8) -> u64 {
        let byte = u8x16::splat(byte);
        let least = bytes[0].min(bytes[1]).min(bytes[2].min(bytes[3]));
        match least.max(byte).simd_eq(byte).any() {
            true => join(bytes, |quarter| quarter.max(byte).simd_eq(byte)),
            false => 0,
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{__m256i, __m512i};

    use pulp::cast;
    use pulp::x86::{V3, V4};

    use super::{BLOCK, Lanes};

    /// A closure would not be compiled for the machine, so there are none here.
    trait Join {
        fn join(self, low: __m256i, high: __m256i) -> u64;
    }

    impl Join for V3 {
        #[inline(always)]
        fn join(self, low: __m256i, high: __m256i) -> u64 {
            let low = self.avx2._mm256_movemask_epi8(low) as u32;
            let high = self.avx2._mm256_movemask_epi8(high) as u32;
            u64::from(high) << 32 | u64::from(low)
        }
    }

    /// AVX2.
    impl Lanes for V3 {
        type Bytes = [__m256i; 2];

        #[inline(always)]
        fn load(self, bytes: &[u8; BLOCK]) -> Self::Bytes {
            let halves: [[u8; 32]; 2] = cast(*bytes);
            [cast(halves[0]), cast(halves[1])]
        }

        #[inline(always)]
        fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
            self.equal_with(bytes, 0, byte)
        }

        #[inline(always)]
        fn equal_with(self, bytes: Self::Bytes, bits: u8, byte: u8) -> u64 {
            let avx2 = self.avx2;
            let (bits, byte): (__m256i, __m256i) = (cast([bits; 32]), cast([byte; 32]));
            let low = avx2._mm256_cmpeq_epi8(avx2._mm256_or_si256(bytes[0], bits), byte);
            let high = avx2._mm256_cmpeq_epi8(avx2._mm256_or_si256(bytes[1], bits), byte);
            self.join(low, high)
        }

        #[inline(always)]
        fn at_most(self, bytes: Self::Bytes, byte: u8) -> u64 {
            let avx2 = self.avx2;
            let byte: __m256i = cast([byte; 32]);
            let low = avx2._mm256_cmpeq_epi8(avx2._mm256_max_epu8(bytes[0], byte), byte);
            let high = avx2._mm256_cmpeq_epi8(avx2._mm256_max_epu8(bytes[1], byte), byte);
            self.join(low, high)
        }
    }

    /// AVX-512.
    impl Lanes for V4 {
        type Bytes = __m512i;

        #[inline(always)]
        fn load(self, bytes: &[u8; BLOCK]) -> Self::Bytes {
            cast(*bytes)
        }

        #[inline(always)]
        fn equal(self, bytes: Self::Bytes, byte: u8) -> u64 {
            self.avx512bw
                ._mm512_cmpeq_epi8_mask(bytes, cast([byte; BLOCK]))
        }

        #[inline(always)]
        fn equal_with(self, bytes: Self::Bytes, bits: u8, byte: u8) -> u64 {
            let bytes = self.avx512f._mm512_or_si512(bytes, cast([bits; BLOCK]));
            self.equal(bytes, byte)
        }

        #[inline(always)]
        fn at_most(self, bytes: Self::Bytes, byte: u8) -> u64 {
            self.avx512bw
                ._mm512_cmple_epu8_mask(bytes, cast([byte; BLOCK]))
        }
    }
}

/// Work that can be compiled for some machine.
pub(crate) trait Work {
    type Output;

    /// Must be `inline(always)`, and so must be all that it calls often.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Work and the instructions with which to do it.
struct With<W, L> {
    work: W,
    lanes: L,
}

impl<W: Work, L: Lanes> pulp::WithSimd for With<W, L> {
    type Output = W::Output;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        self.work.run(self.lanes)
    }
}

/// Does `work` with the best instructions that there are.
pub(crate) fn best<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(lanes) = pulp::x86::V4::try_new() {
            return pulp::Simd::vectorize(lanes, With { work, lanes });
        }
        if let Some(lanes) = pulp::x86::V3::try_new() {
            return pulp::Simd::vectorize(lanes, With { work, lanes });
        }
    }
    work.run(Any)
}

/// What bytes of a block may mean; for each a bit, the first one lowest.
pub(crate) struct Block {
    /// Bytes that are not above a space.
    pub(crate) blank: u64,
    pub(crate) feed: u64,
    pub(crate) space: u64,
    /// `b`, `r`, `s` and their capitals, and `c`, with which no command begins.
    pub(crate) value: u64,
    pub(crate) hash: u64,
    pub(crate) dollar: u64,
    /// The last character of the clock's code.
    pub(crate) code: u64,
}

/// Whether a command that begins with this byte has a value and a code; also true for `c`.
#[inline(always)]
pub(crate) const fn is_value(byte: u8) -> bool {
    byte | 0x31 == b's'
}

impl Block {
    /// None if all bytes are above a space.
    #[inline(always)]
    pub(crate) fn new(lanes: impl Lanes, bytes: &[u8; BLOCK], code: u8) -> Option<Self> {
        let bytes = lanes.load(bytes);
        let blank = lanes.at_most(bytes, b' ');
        if blank == 0 {
            return None;
        }
        Some(Self {
            blank,
            feed: lanes.equal(bytes, b'\n'),
            space: lanes.equal(bytes, b' '),
            value: lanes.equal_with(bytes, 0x31, b's'),
            hash: lanes.equal(bytes, b'#'),
            dollar: lanes.equal(bytes, b'$'),
            code: lanes.equal(bytes, code),
        })
    }

    /// Starts of lines; `before` is the byte before.
    #[inline(always)]
    pub(crate) fn starts(&self, before: u8) -> u64 {
        self.feed << 1 | u64::from(before == b'\n')
    }

    /// Lines that are not one command as all tools write it: bits at some of their bytes.
    /// `open` tells whether the first byte continues the first token of a line with a value, and
    /// is then the same for the next block; `before` is the byte before.
    #[inline(always)]
    pub(crate) fn irregular(&self, before: u8, open: &mut bool) -> u64 {
        let starts = self.starts(before);
        // Carries run from the start of a line with a value to the end of its first token.
        let (sum, first) = (!self.blank).overflowing_add(self.value & starts);
        let (sum, second) = sum.overflowing_add(u64::from(*open));
        *open = first | second;
        let ends = sum & self.blank;
        let behind_space = self.space << 1 | u64::from(before == b' ');
        // The end of the first token of a line with a value is the one place of a space.
        (self.blank ^ self.feed ^ self.space)
            | (ends ^ self.space)
            | (behind_space & self.blank)
            | (self.dollar & starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that the lanes tell of a block.
    struct All<'b>(&'b [u8; BLOCK]);

    impl Work for All<'_> {
        type Output = [u64; 4];

        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> [u64; 4] {
            let bytes = lanes.load(self.0);
            [
                lanes.equal(bytes, b'#'),
                lanes.equal(bytes, 0xff),
                lanes.equal_with(bytes, 0x31, b's'),
                lanes.at_most(bytes, b' '),
            ]
        }
    }

    #[test]
    fn every_machine_sees_the_same() {
        for first in 0..=255_u8 {
            let bytes = std::array::from_fn(|place| first.wrapping_add((37 * place) as u8));
            let mask = |of: &dyn Fn(u8) -> bool| {
                let bits = bytes.iter().enumerate();
                bits.fold(0, |mask, (place, &byte)| {
                    mask | u64::from(of(byte)) << place
                })
            };
            let expected = [
                mask(&|byte| byte == b'#'),
                mask(&|byte| byte == 0xff),
                mask(&is_value),
                mask(&|byte| byte <= b' '),
            ];
            assert_eq!(All(&bytes).run(Any), expected);
            assert_eq!(best(All(&bytes)), expected);
            #[cfg(target_arch = "x86_64")]
            if let Some(lanes) = pulp::x86::V3::try_new() {
                let work = All(&bytes);
                assert_eq!(pulp::Simd::vectorize(lanes, With { work, lanes }), expected);
            }
        }
    }

    #[test]
    fn values_begin_with_b_r_and_s() {
        let values: String = (0..=255_u8)
            .filter(|&byte| is_value(byte))
            .map(char::from)
            .collect();
        assert_eq!(values, "BCRSbcrs");
    }

    /// Whether a text that begins a line is regular, at every place of a block and across two.
    fn is_regular(text: &str) -> bool {
        let mut answers = Vec::new();
        for place in 0..2 * BLOCK - 1 - text.len() {
            // Lines of any length before and behind, without anything special.
            let mut bytes = [b'0'; 3 * BLOCK];
            if let Some(before) = place.checked_sub(1) {
                bytes[before] = b'\n';
            }
            bytes[place..place + text.len()].copy_from_slice(text.as_bytes());
            let (mut open, mut before, mut irregular) = (false, b'\n', 0);
            for block in bytes.as_chunks::<BLOCK>().0 {
                if let Some(block) = Block::new(Any, block, 0) {
                    irregular |= block.irregular(before, &mut open);
                } else if before == b'\n' {
                    open = is_value(block[0]);
                }
                before = block[BLOCK - 1];
            }
            answers.push(irregular == 0);
        }
        answers.dedup();
        assert_eq!(answers.len(), 1, "{text:?}");
        answers[0]
    }

    #[test]
    fn one_command_a_line_is_regular() {
        for text in [
            "0!\n",
            "b101 !\n",
            "B1 a!\n",
            "r1.5 r\n",
            "sab $\n",
            "#12\n",
            "\n",
            "\n\n",
            "x#\n#1\n",
            "b1 b1\nb1 s\n",
            "0$\n",
        ] {
            assert!(is_regular(text), "{text:?}");
        }
        for text in [
            "0! 1!\n",
            "0!\r\n",
            "b101\n!\n",
            "b1  !\n",
            "b1 \n!\n",
            "b1 ! \n",
            " 0!\n",
            "$end\n",
            "b1\t!\n",
            "#1 0!\n",
            "b1 ! 0!\n",
            "$comment\n",
            "\n \n",
            "0! \n",
            "s\x01 !\n",
        ] {
            assert!(!is_regular(text), "{text:?}");
        }
    }
}
