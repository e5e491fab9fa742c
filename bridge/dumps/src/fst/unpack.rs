//! Compressed bytes of an FST file, and the numbers in them.

use std::io::{self, Read, Seek, SeekFrom};

use flate2::read::ZlibDecoder;

/// More than any of the compressions reaches (zlib 1,032:1).
const RATIO: u64 = 1100;

/// Whether so many bytes can come of `packed` ones.
pub(super) const fn can_expand(packed: u64, bytes: u64) -> bool {
    bytes <= packed.saturating_mul(RATIO).saturating_add(4096)
}

/// What is in the file, and cannot be.
pub(super) fn damaged(found: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, found)
}

/// Bytes that may be compressed with zlib.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// Where they are in the file.
    pub(super) offset: u64,
    /// Their number in the file.
    pub(super) packed: u64,
    /// Their number; the same if they are not compressed.
    pub(super) bytes: u64,
}

/// The bytes at a place.
pub(super) fn unpacked(input: &mut (impl Read + Seek), place: Packed) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(place.offset))?;
    let packed = input.take(place.packed);
    let mut bytes = Vec::new();
    match place.packed == place.bytes {
        true => packed.take(place.bytes).read_to_end(&mut bytes)?,
        false => ZlibDecoder::new(packed)
            .take(place.bytes)
            .read_to_end(&mut bytes)?,
    };
    match bytes.len() as u64 == place.bytes {
        true => Ok(bytes),
        false => Err(damaged("compressed bytes that are too few")),
    }
}

/// How the changes of a signal are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    Zlib,
    Lz4,
    FastLz,
}

impl Packing {
    /// By the letter in the file.
    pub(super) const fn of(letter: u8) -> Option<Self> {
        match letter {
            b'Z' => Some(Self::Zlib),
            b'4' => Some(Self::Lz4),
            b'F' => Some(Self::FastLz),
            _ => None,
        }
    }

    /// Whether so many bytes can come of `packed` ones.
    pub(super) const fn can_expand(self, packed: usize, bytes: usize) -> bool {
        // A byte of length makes at most 255 of them.
        match self {
            Self::Zlib => can_expand(packed as u64, bytes as u64),
            Self::Lz4 | Self::FastLz => bytes <= packed.saturating_mul(255),
        }
    }

    /// Unpacks to all of `bytes`.
    pub(super) fn unpack(self, packed: &[u8], bytes: &mut [u8]) -> io::Result<()> {
        let whole = match self {
            Self::Zlib => ZlibDecoder::new(packed).read_exact(bytes).is_ok(),
            Self::Lz4 => {
                let unpacked = lz4_flex::block::decompress_into(packed, bytes);
                unpacked.is_ok_and(|length| length == bytes.len())
            }
            Self::FastLz => fast_lz(packed, bytes).is_some(),
        };
        match whole {
            true => Ok(()),
            false => Err(damaged("compressed bytes that do not unpack")),
        }
    }
}

/// FastLZ: a byte below 32 says how many follow as they are; the others are what came before, how far back and how
/// much of it. Of the two levels, the second has longer distances and lengths; the highest bits of the first byte tell.
fn fast_lz(packed: &[u8], bytes: &mut [u8]) -> Option<()> {
    /// The longest distance that fits the short form.
    const FAR: usize = 8191;
    let mut rest = packed.iter().copied();
    let mut code = rest.next()?;
    let second = match code >> 5 {
        0 => false,
        1 => true,
        _ => return None,
    };
    code &= 0x1f;
    let mut end = 0;
    loop {
        if code < 32 {
            for byte in bytes.get_mut(end..=end + usize::from(code))? {
                *byte = rest.next()?;
            }
            end += usize::from(code) + 1;
        } else {
            let mut length = usize::from(code >> 5) + 2;
            let high = usize::from(code & 0x1f) << 8;
            if length == 9 {
                loop {
                    let more = rest.next()?;
                    length += usize::from(more);
                    if !second || more < 255 {
                        break;
                    }
                }
            }
            let mut distance = high + usize::from(rest.next()?);
            if second && distance == FAR {
                distance += usize::from(rest.next()?) << 8 | usize::from(rest.next()?);
            }
            let start = end.checked_sub(distance + 1)?;
            bytes.get(..end + length)?;
            for place in 0..length {
                bytes[end + place] = bytes[start + place];
            }
            end += length;
        }
        match rest.next() {
            Some(next) => code = next,
            None => return (end == bytes.len()).then_some(()),
        }
    }
}

/// A number of seven bits a byte, the lowest first, of which 32 are taken; moves `at` behind it.
pub(super) fn number(bytes: &[u8], at: &mut usize) -> Option<u32> {
    let first = *bytes.get(*at)?;
    *at += 1;
    if first < 0x80 {
        return Some(first.into());
    }
    let mut number = u32::from(first & 0x7f);
    for shift in [7, 14, 21, 28] {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The same, of 64 bits.
pub(super) fn long(bytes: &[u8], at: &mut usize) -> Option<u64> {
    digits(bytes, at).map(|(number, _, _)| number)
}

/// The same, where the highest bit is the sign.
pub(super) fn signed(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let (number, last, bits) = digits(bytes, at)?;
    let sign = match last & 0x40 != 0 && bits < 64 {
        true => u64::MAX << bits,
        false => 0,
    };
    Some((number | sign) as i64)
}

/// A number, its last byte, and how many bits it has.
fn digits(bytes: &[u8], at: &mut usize) -> Option<(u64, u8, u32)> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some((number, byte, shift + 7));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_byte_and_of_more() {
        let bytes = [0x05, 0xe5, 0x8e, 0x26, 0xff];
        let mut at = 0;
        assert_eq!(number(&bytes, &mut at), Some(5));
        assert_eq!(number(&bytes, &mut at), Some(624_485));
        assert_eq!(number(&bytes, &mut at), None, "no end");
        assert_eq!(signed(&[0x7b], &mut 0), Some(-5));
        assert_eq!(signed(&[0x13], &mut 0), Some(19));
        assert_eq!(signed(&[0x80, 0x7f], &mut 0), Some(-128));
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(long(&most, &mut 0), Some(u64::MAX));
        assert_eq!(signed(&most, &mut 0), Some(-1));
        assert_eq!(long(&[0x80; 10], &mut 0), None);
    }

    #[test]
    fn fast_lz_of_both_levels() {
        // Three bytes as they are, then eight from three back, then two.
        let mut bytes = [0; 13];
        let first = [0x02, b'a', b'b', b'c', 0xc0, 0x02, 0x01, b'x', b'y'];
        fast_lz(&first, &mut bytes).expect("whole");
        assert_eq!(&bytes, b"abcabcabcabxy");
        // The second level: a length of more than 264, and a distance of more than 8,191.
        let mut packed = vec![0x20, b'a', 0xe0, 0xff, 0xff, 0xff, 0x00, 0x00];
        let mut expected = vec![b'a'; 1 + 9 + 3 * 255];
        for byte in 0..8192_usize {
            if byte % 32 == 0 {
                packed.push(31);
            }
            packed.push(byte as u8);
            expected.push(byte as u8);
        }
        packed.extend([0x3f, 0xff, 0x00, 0x01]);
        let from = expected.len() - 8193;
        expected.extend_from_within(from..from + 3);
        let mut bytes = vec![0; expected.len()];
        fast_lz(&packed, &mut bytes).expect("whole");
        assert_eq!(bytes, expected);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (packed, length) in [
            (&[][..], 0),
            (&[0x40, 0], 1),
            (&[0x02, b'a', b'b'], 3),
            (&[0x02, b'a', b'b', b'c'], 2),
            (&[0x02, b'a', b'b', b'c'], 4),
            (&[0x00, b'a', 0x20, 0x01], 4),
            (&[0x00, b'a', 0x20, 0x00], 3),
        ] {
            let mut bytes = vec![0; length];
            let found = fast_lz(packed, &mut bytes);
            assert_eq!(found, None, "{packed:x?} to {length}");
        }
        for letter in [b'Z', b'4', b'F'] {
            let packing = Packing::of(letter).expect("a packing");
            assert!(packing.unpack(&[0xff; 9], &mut [0; 64]).is_err());
        }
    }
}
