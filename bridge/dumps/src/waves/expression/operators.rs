//! Operators of IEEE 1800 on four-state values, of both operands the same width.

use lockstep_vcd::{Bits, State};

/// A word of both planes: 0 is 00, 1 is 10, z is 01, x is 11.
type Word = (u64, u64);

/// One bit.
pub fn bit(state: State) -> Bits {
    Bits::from_planes(1, [planes(state)])
}

/// One bit of a truth that is known.
pub fn known(truth: bool) -> Bits {
    Bits::from_u64(truth.into(), 1)
}

/// A value of x alone.
pub fn unknown(width: u32) -> Bits {
    extended(&bit(State::X), width, State::X)
}

/// A value with `width` bits: more of them are `extension`, those too many are dropped.
pub fn extended(value: &Bits, width: u32, extension: State) -> Bits {
    if value.width() == width {
        return value.clone();
    }
    let (a, b) = planes(extension);
    let all = |set: u64| if set == 1 { u64::MAX } else { 0 };
    let fill = (all(a), all(b));
    let mut own = value.planes();
    let words = (0..u64::from(width).div_ceil(64)).map(|index| {
        let below = u64::from(value.width()).saturating_sub(64 * index);
        let mask = if below >= 64 { 0 } else { u64::MAX << below };
        let (a, b) = own.next().unwrap_or_default();
        (a & !mask | fill.0 & mask, b & !mask | fill.1 & mask)
    });
    Bits::from_planes(width, words)
}

const fn planes(state: State) -> Word {
    match state {
        State::Zero => (0, 0),
        State::One => (1, 0),
        State::Z => (0, 1),
        State::X => (1, 1),
    }
}

/// Bits that are 1, and bits that are 0; the others are x or z.
const fn ones_and_zeros((a, b): Word) -> (u64, u64) {
    (a & !b, !a & !b)
}

/// A word in which what is neither 1 nor 0 is x.
const fn word((ones, zeros): (u64, u64)) -> Word {
    (!zeros, !(ones | zeros))
}

fn bitwise(
    [one, two]: [&Bits; 2],
    operator: impl Fn((u64, u64), (u64, u64)) -> (u64, u64),
) -> Bits {
    let words = one.planes().zip(two.planes());
    let words = words.map(|(one, two)| word(operator(ones_and_zeros(one), ones_and_zeros(two))));
    Bits::from_planes(one.width(), words)
}

/// `~`
pub fn not(value: &Bits) -> Bits {
    let words = value.planes().map(|word_of| {
        let (ones, zeros) = ones_and_zeros(word_of);
        word((zeros, ones))
    });
    Bits::from_planes(value.width(), words)
}

/// `&`
pub fn and(operands: [&Bits; 2]) -> Bits {
    bitwise(operands, |one, two| (one.0 & two.0, one.1 | two.1))
}

/// `|`
pub fn or(operands: [&Bits; 2]) -> Bits {
    bitwise(operands, |one, two| (one.0 | two.0, one.1 & two.1))
}

/// `^`
pub fn xor(operands: [&Bits; 2]) -> Bits {
    bitwise(operands, |one, two| {
        let ones = one.0 & two.1 | one.1 & two.0;
        let zeros = one.0 & two.0 | one.1 & two.1;
        (ones, zeros)
    })
}

/// Whether a value counts as true: a bit is 1, or all are 0, or it is not known.
pub fn truth(value: &Bits) -> State {
    if value.planes().any(|word| ones_and_zeros(word).0 != 0) {
        return State::One;
    }
    match value.is_known() {
        true => State::Zero,
        false => State::X,
    }
}

/// The opposite truth.
pub const fn negated(truth: State) -> State {
    match truth {
        State::Zero => State::One,
        State::One => State::Zero,
        State::X | State::Z => State::X,
    }
}

/// `&&` of truths.
pub const fn both(one: State, two: State) -> State {
    match (one, two) {
        (State::Zero, _) | (_, State::Zero) => State::Zero,
        (State::One, State::One) => State::One,
        _ => State::X,
    }
}

/// `||` of truths.
pub const fn either(one: State, two: State) -> State {
    negated(both(negated(one), negated(two)))
}

/// `==`: 0 if a bit is known to differ, else x if one is not known.
pub fn equal([one, two]: [&Bits; 2]) -> State {
    compared(one, two, |_| u64::MAX)
}

/// `==?`: as `==` without the bits that are x or z on the right.
pub fn wild_equal([one, two]: [&Bits; 2]) -> State {
    compared(one, two, |(_, b)| !b)
}

/// Compares the bits that `telling` chooses by the word on the right.
fn compared(one: &Bits, two: &Bits, telling: impl Fn(Word) -> u64) -> State {
    let mut result = State::One;
    for (one, two) in one.planes().zip(two.planes()) {
        let mask = telling(two);
        let unknown = (one.1 | two.1) & mask;
        if (one.0 ^ two.0) & mask & !unknown != 0 {
            return State::Zero;
        }
        if unknown != 0 {
            result = State::X;
        }
    }
    result
}

/// `<`: x if a bit of either is x or z.
pub fn less([one, two]: [&Bits; 2]) -> State {
    let mut less = false;
    // The lowest words come first; a higher one that differs tells more.
    for (one, two) in one.planes().zip(two.planes()) {
        if one.1 | two.1 != 0 {
            return State::X;
        }
        if one.0 != two.0 {
            less = one.0 < two.0;
        }
    }
    match less {
        true => State::One,
        false => State::Zero,
    }
}

/// How many bits are 1.
pub fn count_ones(value: &Bits) -> u32 {
    let words = value.planes();
    words.map(|word| ones_and_zeros(word).0.count_ones()).sum()
}

/// `&` of all bits.
pub fn reduce_and(value: &Bits) -> State {
    negated(truth(&not(value)))
}

/// `^` of all bits.
pub fn reduce_xor(value: &Bits) -> State {
    match (value.is_known(), count_ones(value) % 2) {
        (false, _) => State::X,
        (true, 1) => State::One,
        (true, _) => State::Zero,
    }
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::BitsRef;

    use super::*;

    fn bits(digits: &str) -> Bits {
        let bits = BitsRef::new(digits.as_bytes(), digits.len() as u32).expect("digits");
        bits.to_bits()
    }

    #[test]
    fn bitwise_operators_are_those_of_ieee_1800() {
        let (one, two) = (
            bits(
                "0000111122223333"
                    .replace('2', "x")
                    .replace('3', "z")
                    .as_str(),
            ),
            bits("01xz01xz01xz01xz"),
        );
        let digits = |value: Bits| format!("{value:b}");
        assert_eq!(digits(and([&one, &two])), "000001xx0xxx0xxx");
        assert_eq!(digits(or([&one, &two])), "01xx1111x1xxx1xx");
        assert_eq!(digits(xor([&one, &two])), "01xx10xxxxxxxxxx");
        assert_eq!(digits(not(&two)), "10xx10xx10xx10xx");
    }

    #[test]
    fn a_bit_that_is_known_to_differ_decides() {
        let equal = |one: &str, two: &str| equal([&bits(one), &bits(two)]).to_char();
        assert_eq!(equal("0101", "0101"), '1');
        assert_eq!(equal("x101", "0101"), 'x');
        assert_eq!(equal("x101", "0001"), '0');
        let wild = |one: &str, two: &str| wild_equal([&bits(one), &bits(two)]).to_char();
        assert_eq!(wild("0101", "01xz"), '1');
        assert_eq!(wild("x101", "01xz"), 'x');
        assert_eq!(wild("x001", "01xz"), '0');
    }

    #[test]
    fn wide_values_are_ordered_by_their_highest_words() {
        let wide = |high: u64, low: u64| Bits::from_planes(128, [(low, 0), (high, 0)]);
        assert_eq!(less([&wide(1, 9), &wide(2, 3)]), State::One);
        assert_eq!(less([&wide(2, 3), &wide(1, 9)]), State::Zero);
        assert_eq!(less([&wide(2, 3), &wide(2, 3)]), State::Zero);
        assert_eq!(less([&wide(2, 3), &unknown(128)]), State::X);
    }

    #[test]
    fn values_are_extended_over_words() {
        let digits =
            |value: &str, width, state| format!("{:b}", extended(&bits(value), width, state));
        assert_eq!(digits("10", 4, State::Zero), "0010");
        assert_eq!(digits("10", 67, State::X), "x".repeat(65) + "10");
        assert_eq!(digits("1010", 2, State::Zero), "10");
        assert_eq!(format!("{:b}", unknown(70)), "x".repeat(70));
    }

    #[test]
    fn truths_need_one_bit_that_is_1() {
        assert_eq!(
            ["0x1", "00z", "000"].map(|digits| truth(&bits(digits))),
            [State::One, State::X, State::Zero]
        );
        assert_eq!(
            ["111", "1x1", "x0x"].map(|digits| reduce_and(&bits(digits))),
            [State::One, State::X, State::Zero]
        );
        assert_eq!(
            ["111", "1x1", "110"].map(|digits| reduce_xor(&bits(digits))),
            [State::One, State::X, State::Zero]
        );
    }
}
