//! Digits, eight at a time: the arithmetic that the fast paths share.

use wide::u8x16;

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first eight bytes of `input`, the first one lowest.
#[inline(always)]
pub(crate) fn eight(input: &[u8]) -> Option<u64> {
    input
        .first_chunk::<8>()
        .map(|bytes| u64::from_le_bytes(*bytes))
}

/// How many of the eight bytes stand before the first one that is not above a space.
/// Bytes from 0x80 count as above.
#[inline(always)]
pub(crate) fn until_blank(word: u64) -> u32 {
    let blanks = word.wrapping_sub(ONES * 0x21) & !word & HIGHS;
    blanks.trailing_zeros() / 8
}

/// How many of the eight bytes stand before the first one that is neither `0` nor `1`.
#[inline(always)]
pub(crate) fn until_not_binary(word: u64) -> u32 {
    ((word ^ (ONES * 0x30)) & (ONES * 0xfe)).trailing_zeros() / 8
}

/// Whether all are `0` or `1`.
pub(crate) fn are_binary(digits: &[u8]) -> bool {
    digits.iter().fold(0, |odd, digit| odd | (digit ^ b'0')) <= 1
}

/// How many of the eight bytes stand before the first one that is not a decimal digit.
#[inline(always)]
pub(crate) fn until_not_decimal(word: u64) -> u32 {
    let high = (word & (ONES * 0xf0)) ^ (ONES * 0x30);
    // The carry out of a byte reaches only bytes after one that is no digit.
    let above = (word.wrapping_add(ONES * 0x06) & (ONES * 0xf0)) ^ (ONES * 0x30);
    ((high | above).trailing_zeros() / 8).min(8)
}

/// The value of the first `length` (at most 8) bytes, which are decimal digits.
#[inline(always)]
pub(crate) fn decimal(word: u64, length: u32) -> u64 {
    if length == 0 {
        return 0;
    }
    let digits = (word << (64 - 8 * length)) & (ONES * 0x0f);
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
}

/// The value of eight bytes, each `0` or `1`, the first one the highest bit.
#[inline(always)]
pub(crate) fn binary(word: u64) -> u64 {
    // Bit 0 of byte i moves to bit 63 - i.
    (word & ONES).wrapping_mul(0x8040_2010_0804_0201) >> 56
}

/// For each of 64 bytes a bit, the first one lowest: whether it is neither `0` nor `1`.
#[inline(always)]
pub(crate) fn not_binary(block: &[u8; 64]) -> u64 {
    !equal(block, !1, b'0')
}

/// The value of 64 bytes, the first one the highest bit. None if one is neither `0` nor `1`.
#[inline(always)]
pub(crate) fn ones(block: &[u8; 64]) -> Option<u64> {
    (not_binary(block) == 0).then(|| equal(block, !0, b'1').reverse_bits())
}

/// For each of 64 bytes a bit, the first one lowest: whether it ends a line.
#[inline(always)]
pub(crate) fn newlines(block: &[u8; 64]) -> u64 {
    equal(block, !0, b'\n')
}

/// For each of 64 bytes a bit, the first one lowest: whether it is `byte` in the bits of `mask`.
#[inline(always)]
fn equal(block: &[u8; 64], mask: u8, byte: u8) -> u64 {
    let (quarters, _) = block.as_chunks::<16>();
    let mut equal = 0;
    for (place, quarter) in quarters.iter().enumerate() {
        let masked = u8x16::new(*quarter) & u8x16::splat(mask);
        let bits = masked.simd_eq(u8x16::splat(byte)).to_bitmask();
        equal |= u64::from(bits as u16) << (16 * place);
    }
    equal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> u64 {
        eight(text.as_bytes()).unwrap()
    }

    #[test]
    fn lengths_stop_at_the_first_other_byte() {
        for length in 0..=8_u32 {
            for other in 0..=255_u8 {
                let mut bytes = *b"10110101";
                if length < 8 {
                    bytes[length as usize] = other;
                }
                let at = |stops: bool| {
                    if length < 8 && stops { length } else { 8 }
                };
                let word = u64::from_le_bytes(bytes);
                assert_eq!(until_blank(word), at(other <= b' '));
                assert_eq!(until_not_binary(word), at(!matches!(other, b'0' | b'1')));
                assert_eq!(
                    until_not_decimal(word),
                    at(!other.is_ascii_digit()),
                    "{bytes:?}"
                );
            }
        }
    }

    #[test]
    fn masks_tell_binary_digits_from_other_bytes() {
        for place in 0..64 {
            for other in 0..=255_u8 {
                let mut block = [b'1'; 64];
                block[place] = other;
                let expected = u64::from(!matches!(other, b'0' | b'1')) << place;
                assert_eq!(not_binary(&block), expected);
                assert_eq!(newlines(&block), u64::from(other == b'\n') << place);
                let zero = 1 << 63 >> place;
                let number = match other {
                    b'0' => Some(!zero),
                    b'1' => Some(!0),
                    _ => None,
                };
                assert_eq!(ones(&block), number);
            }
        }
    }

    #[test]
    fn digits_have_their_value() {
        assert_eq!(decimal(word("12345678"), 8), 12_345_678);
        assert_eq!(decimal(word("99999999"), 8), 99_999_999);
        assert_eq!(decimal(word("407\n#aaa"), 3), 407);
        assert_eq!(decimal(word("\n1234567"), 0), 0);
        assert_eq!(binary(word("10000011")), 0x83);
        for value in 0..=255_u64 {
            assert_eq!(binary(word(&format!("{value:08b}"))), value);
        }
    }
}
