//! Values as text.

use lockstep_vcd::{Bits, State, Value};

/// How vectors are written; single bits are 0, 1, x, z in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Radix {
    /// Hexadecimal digits, as many as the width needs
    #[default]
    Hex,
    /// Unsigned decimal numbers
    Dec,
    /// A digit a bit
    Bin,
}

impl Radix {
    /// The name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hex => "hexadecimal",
            Self::Dec => "decimal",
            Self::Bin => "binary",
        }
    }
}

/// Longest text of a value that is not shortened.
const LONGEST: usize = 16;

/// Characters at the start and the end of a shortened one.
const ENDS: [usize; 2] = [4, 8];

/// A value in `radix`. A hexadecimal digit of bits that are all x or z is `x` or `z`; if only some are, it
/// is `X` or `Z`, as with `%h` of IEEE 1364; the same for a decimal number as a whole.
pub fn written(value: &Value, radix: Radix) -> String {
    let mut text = Vec::new();
    match value {
        Value::Text(text) => return lockstep_base::printable::printable(text),
        Value::Real(real) => return real.to_string(),
        Value::Bits(bits) => write_bits(&mut text, bits, radix),
    }
    ascii(text)
}

/// A value for programs, as [`write_exact`] has it.
pub fn exact(value: &Value, radix: Radix) -> String {
    let mut text = Vec::new();
    match value {
        Value::Text(text) => return text.to_string(),
        _ => write_exact(&mut text, value, radix),
    }
    ascii(text)
}

/// Appends a value for programs, nothing lost: bits that are all 0 or 1 as `0x0f`, `15` or `0b00001111`, others as `0b`
/// and a digit a bit in any radix; a single bit is 0, 1, x or z.
pub fn write_exact(text: &mut Vec<u8>, value: &Value, radix: Radix) {
    match (value, radix) {
        (Value::Text(value), _) => text.extend_from_slice(value.as_bytes()),
        (Value::Real(real), _) => text.extend_from_slice(real.to_string().as_bytes()),
        (Value::Bits(bits), _) if bits.width() <= 1 => binary(text, bits),
        (Value::Bits(bits), _) if !bits.is_known() => {
            text.extend_from_slice(b"0b");
            binary(text, bits);
        }
        (Value::Bits(bits), _) => {
            text.extend_from_slice(match radix {
                Radix::Hex => b"0x",
                Radix::Bin => b"0b",
                Radix::Dec => b"",
            });
            match radix {
                Radix::Hex => known_hexadecimal(text, bits),
                _ => write_bits(text, bits, radix),
            }
        }
    }
}

fn write_bits(text: &mut Vec<u8>, bits: &Bits, radix: Radix) {
    match radix {
        _ if bits.width() <= 1 => binary(text, bits),
        Radix::Hex => hexadecimal(text, bits),
        Radix::Dec => text.extend_from_slice(decimal(bits).as_bytes()),
        Radix::Bin => binary(text, bits),
    }
}

fn ascii(text: Vec<u8>) -> String {
    String::from_utf8(text).unwrap_or_default()
}

/// A value as [`written`], but not longer than a table bears: of reals that are longer stand six digits behind a `~`, of
/// others the middle is left out.
pub fn brief(value: &Value, radix: Radix) -> String {
    match value {
        Value::Real(real) => brief_real(*real),
        _ => shortened(&written(value, radix)),
    }
}

fn brief_real(real: f64) -> String {
    let short = |text: String| (text.len() <= LONGEST).then_some(text);
    let exact = short(real.to_string()).or_else(|| short(format!("{real:e}")));
    exact.unwrap_or_else(|| {
        // Six digits are always a number again.
        let rounded: f64 = format!("{real:.5e}").parse().unwrap_or(real);
        let rounded = short(rounded.to_string()).unwrap_or_else(|| format!("{rounded:e}"));
        format!("~{rounded}")
    })
}

fn shortened(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(ENDS[0]).collect();
    let end: String = text.chars().skip(length - ENDS[1]).collect();
    format!("{start}..{end}")
}

fn binary(text: &mut Vec<u8>, bits: &Bits) {
    let states = (0..bits.width()).rev().filter_map(|bit| bits.bit(bit));
    text.extend(states.map(|state| state.to_char() as u8));
}

fn hexadecimal(text: &mut Vec<u8>, bits: &Bits) {
    if bits.is_known() {
        return known_hexadecimal(text, bits);
    }
    let words: Vec<_> = bits.planes().collect();
    let digit = |low: u32| {
        let (ones, unknown) = words[low as usize / 64];
        let used = (1 << (bits.width() - low).min(4)) - 1;
        let part = |plane: u64| (plane >> (low % 64)) as u32 & used;
        match (part(ones), part(unknown)) {
            (value, 0) => eight_digits(value)[7],
            (ones, unknown) if unknown == used && ones == used => b'x',
            (0, unknown) if unknown == used => b'z',
            (ones, unknown) if ones & unknown != 0 => b'X',
            _ => b'Z',
        }
    };
    let places = (0..bits.width().div_ceil(4)).rev();
    text.extend(places.map(|place| digit(4 * place)));
}

/// Of bits that are all 0 or 1.
fn known_hexadecimal(text: &mut Vec<u8>, bits: &Bits) {
    let digits = |word: u64| [word >> 32, word].map(|half| eight_digits(half as u32));
    let mut words = bits.planes().map(|(ones, _)| digits(ones)).rev();
    // The word at the top may need less than all.
    let needed = (bits.width().div_ceil(4) as usize - 1) % 16 + 1;
    let top = words.next().unwrap_or_default();
    text.extend_from_slice(&top.as_flattened()[16 - needed..]);
    words.for_each(|word| text.extend_from_slice(word.as_flattened()));
}

/// The hexadecimal digits of a number: `{:x}` for each word would be a third of the time of all that `show` does.
const fn eight_digits(number: u32) -> [u8; 8] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // A digit a byte.
    let number = number as u64;
    let number = (number << 16 | number) & 0x0000_ffff_0000_ffff;
    let number = (number << 8 | number) & 0x00ff_00ff_00ff_00ff;
    let number = (number << 4 | number) & 0x0f0f_0f0f_0f0f_0f0f;
    // Those above 9 reach 16 with another 6.
    let letters = (number + 6 * ONES) >> 4 & ONES;
    (number + b'0' as u64 * ONES + letters * (b'a' - b'0' - 10) as u64).to_be_bytes()
}

/// The letter for bits that are not all 0 or 1.
fn letter(states: &[State]) -> Option<char> {
    let all = |state| states.iter().all(|s| *s == state);
    let any = |state| states.contains(&state);
    match () {
        () if all(State::X) => Some('x'),
        () if all(State::Z) => Some('z'),
        () if any(State::X) => Some('X'),
        () if any(State::Z) => Some('Z'),
        () => None,
    }
}

fn decimal(bits: &Bits) -> String {
    /// Largest power of ten in a word.
    const PART: u128 = 10_000_000_000_000_000_000;
    let Some(mut words) = bits.to_words() else {
        let states: Vec<_> = (0..bits.width()).filter_map(|bit| bits.bit(bit)).collect();
        return letter(&states).unwrap_or('X').to_string();
    };
    let mut parts = Vec::new();
    while words.iter().any(|word| *word != 0) {
        let mut rest = 0;
        for word in words.iter_mut().rev() {
            let value = rest << 64 | u128::from(*word);
            // Below 2^64, since `rest` is below the divisor.
            *word = (value / PART) as u64;
            rest = value % PART;
        }
        parts.push(rest);
    }
    let Some(first) = parts.pop() else {
        return "0".into();
    };
    let rest = parts.iter().rev().map(|part| format!("{part:019}"));
    first.to_string() + &rest.collect::<String>()
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::BitsRef;

    use super::*;

    fn bits(digits: &str, width: u32) -> Value {
        let bits = BitsRef::new(digits.as_bytes(), width).expect("digits");
        Value::Bits(bits.to_bits())
    }

    #[test]
    fn hexadecimal_digits_show_x_and_z_as_ieee_1364_does() {
        let hex = |digits: &str| written(&bits(digits, digits.len() as u32), Radix::Hex);
        assert_eq!(hex("00001111"), "0f");
        assert_eq!(hex("xxxx1111"), "xf");
        assert_eq!(hex("x0011zzz"), "XZ");
        assert_eq!(hex("zzzzzz"), "zz");
        assert_eq!(hex("xz0000"), "X0");
        assert_eq!(
            hex(&format!("1x{}", "01".repeat(34))),
            format!("X{}", "5".repeat(17))
        );
        assert_eq!(
            hex(&format!("z{}", "01".repeat(34))),
            format!("z{}", "5".repeat(17))
        );
        assert_eq!(
            hex(&format!("1{}", "01".repeat(34))),
            format!("1{}", "5".repeat(17))
        );
        assert_eq!(hex(&"0".repeat(65)), "0".repeat(17));
        assert_eq!(hex("1"), "1");
        assert_eq!(hex("x"), "x");
    }

    #[test]
    fn numbers_have_their_hexadecimal_digits() {
        for number in [0, 9, 10, 15, 0x0123_4567, 0x89ab_cdef, u32::MAX] {
            let digits = format!("{number:08x}");
            assert_eq!(eight_digits(number).as_slice(), digits.as_bytes());
        }
    }

    #[test]
    fn decimal_numbers_may_be_wide() {
        let dec = |digits: &str, width| written(&bits(digits, width), Radix::Dec);
        assert_eq!(dec("1010", 8), "10");
        assert_eq!(dec("0", 100), "0");
        assert_eq!(dec(&"1".repeat(64), 64), u64::MAX.to_string());
        assert_eq!(dec(&"1".repeat(128), 128), u128::MAX.to_string());
        let power = format!("1{}", "0".repeat(127));
        assert_eq!(dec(&power, 130), (1_u128 << 127).to_string());
        assert_eq!(dec("x0", 2), "X");
        assert_eq!(dec("zz", 2), "z");
    }

    #[test]
    fn programs_lose_nothing() {
        let exact = |digits: &str, radix| exact(&bits(digits, digits.len() as u32), radix);
        assert_eq!(exact("00001111", Radix::Hex), "0x0f");
        assert_eq!(exact("00001111", Radix::Dec), "15");
        assert_eq!(exact("00001111", Radix::Bin), "0b00001111");
        for radix in [Radix::Hex, Radix::Dec, Radix::Bin] {
            assert_eq!(exact("x0011zzz", radix), "0bx0011zzz");
            assert_eq!(
                ["0", "1", "x", "z"].map(|bit| exact(bit, radix)),
                ["0", "1", "x", "z"]
            );
        }
    }

    #[test]
    fn reals_that_are_rounded_are_marked() {
        let brief = |real| brief(&Value::Real(real), Radix::Hex);
        assert_eq!(brief(-0.899_999_999_999_999_9), "~-0.9");
        assert_eq!(brief(1_234_567.8), "1234567.8");
        assert_eq!(brief(1e300), "1e300");
        assert_eq!(brief(-1.234_567_890_123_45e-300), "~-1.23457e-300");
        assert_eq!(brief(f64::INFINITY), "inf");
        assert_eq!(brief(f64::NAN), "NaN");
    }

    #[test]
    fn long_values_lose_their_middle() {
        assert_eq!(shortened("0123456789abcdef"), "0123456789abcdef");
        assert_eq!(
            shortened("0123456789abcdef0123456789abcdef"),
            "0123..89abcdef"
        );
    }
}
