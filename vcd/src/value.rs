//! Values: borrowed as they stand in the dump ([`ValueRef`], [`BitsRef`]) and owned ([`Value`],
//! [`Bits`]).

use std::fmt;

use crate::digits;

/// One of the four states of a bit.
///
/// ```
/// use lockstep_vcd::{BitsRef, State};
/// assert_eq!(BitsRef::new(b"1x", 2).unwrap().bit(0), Some(State::X));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Low.
    Zero,
    /// High.
    One,
    /// Unknown.
    X,
    /// High impedance.
    Z,
}

impl State {
    /// The state that a character of a dump stands for. The further states that VHDL tools write
    /// are read as IEEE 1164 `To_X01` does: `l` as 0, `h` as 1, and `u`, `w`, `-` as x.
    ///
    /// ```
    /// use lockstep_vcd::State;
    /// assert_eq!(State::from_byte(b'Z'), Some(State::Z));
    /// assert_eq!(State::from_byte(b'2'), None);
    /// ```
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            b'0' | b'l' | b'L' => Self::Zero,
            b'1' | b'h' | b'H' => Self::One,
            b'x' | b'X' | b'u' | b'U' | b'w' | b'W' | b'-' => Self::X,
            b'z' | b'Z' => Self::Z,
            _ => return None,
        })
    }

    /// The character for this state: `0`, `1`, `x` or `z`.
    ///
    /// ```
    /// assert_eq!(lockstep_vcd::State::X.to_char(), 'x');
    /// ```
    #[must_use]
    pub const fn to_char(self) -> char {
        match self {
            Self::Zero => '0',
            Self::One => '1',
            Self::X => 'x',
            Self::Z => 'z',
        }
    }

    /// The state of the bits left of the leftmost written digit (IEEE 1364 "left-extend"): 0
    /// after 0 or 1, x after x, z after z.
    const fn extension(self) -> Self {
        match self {
            Self::Zero | Self::One => Self::Zero,
            other => other,
        }
    }

    /// The two planes of the encoding that VPI uses: 0 is 00, 1 is 10, z is 01, x is 11.
    const fn planes(self) -> (bool, bool) {
        match self {
            Self::Zero => (false, false),
            Self::One => (true, false),
            Self::Z => (false, true),
            Self::X => (true, true),
        }
    }

    const fn from_planes(a: bool, b: bool) -> Self {
        match (a, b) {
            (false, false) => Self::Zero,
            (true, false) => Self::One,
            (false, true) => Self::Z,
            (true, true) => Self::X,
        }
    }
}

/// Written binary digits of a value change, borrowed from the dump.
///
/// The digits may be fewer than the signal is wide; all accessors see the value extended to the
/// full width. Bit 0 is the rightmost one, whatever range the variable was declared with.
///
/// ```
/// let bits = lockstep_vcd::BitsRef::new(b"z1", 4).unwrap();
/// assert_eq!(format!("{:b}", bits.to_bits()), "zzz1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitsRef<'a> {
    pub(crate) digits: &'a [u8],
    pub(crate) width: u32,
}

impl<'a> BitsRef<'a> {
    /// The value of a signal of `width` bits from binary digits, leftmost first.
    ///
    /// None if a digit stands for no [`State`] or if there are more digits than `width`.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"101", 8).unwrap();
    /// assert_eq!(bits.to_u64(), Some(5));
    /// ```
    #[must_use]
    pub fn new(digits: &'a [u8], width: u32) -> Option<Self> {
        let fits = digits.len() <= width as usize;
        let each = || {
            let mut digits = digits.iter();
            digits.all(|&digit| State::from_byte(digit).is_some())
        };
        // Nearly all are 0 and 1, and are seen to be without a look at each.
        let valid = digits::are_binary(digits) || each();
        (fits && valid).then_some(Self { digits, width })
    }

    /// The digits as they stand in the dump, at most [`width`](Self::width) of them.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"X01", 8).unwrap();
    /// assert_eq!(bits.digits(), b"X01");
    /// ```
    #[must_use]
    pub const fn digits(&self) -> &'a [u8] {
        self.digits
    }

    /// Width of the signal in bits.
    ///
    /// ```
    /// assert_eq!(lockstep_vcd::BitsRef::new(b"1", 8).unwrap().width(), 8);
    /// ```
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The state of a bit, 0 is the rightmost. None at or above the width.
    ///
    /// ```
    /// use lockstep_vcd::{BitsRef, State};
    /// let bits = BitsRef::new(b"x1", 8).unwrap();
    /// assert_eq!(bits.bit(0), Some(State::One));
    /// assert_eq!(bits.bit(7), Some(State::X));
    /// assert_eq!(bits.bit(8), None);
    /// ```
    #[must_use]
    pub fn bit(&self, index: u32) -> Option<State> {
        if index >= self.width {
            return None;
        }
        let from_left = self.digits.len().checked_sub(1 + index as usize);
        Some(match from_left {
            Some(at) => State::from_byte(self.digits[at]).unwrap_or(State::X),
            None => self.fill(),
        })
    }

    /// The value as an unsigned number. None if a bit is x or z, or if it is 2^64 or more.
    ///
    /// ```
    /// use lockstep_vcd::BitsRef;
    /// assert_eq!(BitsRef::new(b"1111", 100).unwrap().to_u64(), Some(15));
    /// assert_eq!(BitsRef::new(b"x", 100).unwrap().to_u64(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        let mut digits = self.digits;
        if digits.len() > 64 {
            let (above, low) = digits.split_at(digits.len() - 64);
            if above
                .iter()
                .any(|&digit| !matches!(digit, b'0' | b'l' | b'L'))
            {
                return None;
            }
            digits = low;
        }
        let mut value = 0_u64;
        while let Some(word) = digits::eight(digits) {
            if digits::until_not_binary(word) < 8 {
                break;
            }
            value = value << 8 | digits::binary(word);
            digits = &digits[8..];
        }
        for &digit in digits {
            value = value << 1
                | match State::from_byte(digit) {
                    Some(State::Zero) => 0,
                    Some(State::One) => 1,
                    _ => return None,
                };
        }
        Some(value)
    }

    /// Whether any bit is x.
    ///
    /// ```
    /// assert!(lockstep_vcd::BitsRef::new(b"1x", 2).unwrap().has_x());
    /// ```
    #[must_use]
    pub fn has_x(&self) -> bool {
        self.digits
            .iter()
            .any(|&digit| State::from_byte(digit) == Some(State::X))
    }

    /// Whether any bit is z.
    ///
    /// ```
    /// assert!(lockstep_vcd::BitsRef::new(b"1z", 2).unwrap().has_z());
    /// ```
    #[must_use]
    pub fn has_z(&self) -> bool {
        self.digits
            .iter()
            .any(|&digit| State::from_byte(digit) == Some(State::Z))
    }

    /// The value, owned and extended to the full width.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"101", 8).unwrap().to_bits();
    /// assert_eq!(format!("{bits:b}"), "00000101");
    /// ```
    #[must_use]
    pub fn to_bits(&self) -> Bits {
        let mut words: Words = self.digits.rchunks(64).map(planes).collect();
        let fill = self.fill();
        // The word at the top is extended in itself; only words above it need `fill`.
        let top = self.digits.len() % 64;
        if top > 0 || self.digits.is_empty() {
            let (a, b) = fill.planes();
            let mask = !0 << top;
            let last = words.last_mut();
            last.0 |= if a { mask } else { 0 };
            last.1 |= if b { mask } else { 0 };
        }
        Bits {
            width: self.width,
            fill,
            words,
        }
    }

    /// Bits `hi` down to `lo`, owned, as a value of `hi - lo + 1` bits. None if `lo` is above `hi` or
    /// `hi` is not below the width.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"11001010", 8).unwrap();
    /// assert_eq!(bits.slice(7, 4).unwrap().to_u64(), Some(0xc));
    /// ```
    #[must_use]
    pub fn slice(&self, hi: u32, lo: u32) -> Option<Bits> {
        if lo > hi || hi >= self.width {
            return None;
        }
        let width = hi - lo + 1;
        let end = self.digits.len().saturating_sub(lo as usize);
        let start = self.digits.len().saturating_sub(hi as usize + 1);
        let digits = &self.digits[start..end];
        if digits.is_empty() {
            return Some(Bits::repeat(self.fill(), width));
        }
        // What is left of these digits is extension only if no written digit stands there.
        Some(Self { digits, width }.to_bits())
    }

    /// The state of the bits left of the digits.
    pub(crate) fn fill(&self) -> State {
        let leftmost = self.digits.first().copied().and_then(State::from_byte);
        leftmost.map_or(State::X, State::extension)
    }
}

/// The two planes of at most 64 digits, the last one lowest.
fn planes(mut digits: &[u8]) -> (u64, u64) {
    let (mut a, mut b) = (0, 0);
    if let Some(ones) = digits.first_chunk().and_then(digits::ones) {
        return (ones, 0);
    }
    while let Some(word) = digits::eight(digits) {
        if digits::until_not_binary(word) < 8 {
            break;
        }
        (a, b) = (a << 8 | digits::binary(word), b << 8);
        digits = &digits[8..];
    }
    for &digit in digits {
        let (one, two) = State::from_byte(digit).unwrap_or(State::X).planes();
        (a, b) = (a << 1 | u64::from(one), b << 1 | u64::from(two));
    }
    (a, b)
}

/// Words of two planes, lowest first, without an allocation for one word.
#[derive(Clone, Debug)]
enum Words {
    One((u64, u64)),
    Many(Box<[(u64, u64)]>),
}

impl FromIterator<(u64, u64)> for Words {
    fn from_iter<I: IntoIterator<Item = (u64, u64)>>(words: I) -> Self {
        let mut words = words.into_iter();
        let first = words.next().unwrap_or_default();
        match words.next() {
            None => Self::One(first),
            Some(second) => Self::Many([first, second].into_iter().chain(words).collect()),
        }
    }
}

impl Words {
    fn as_slice(&self) -> &[(u64, u64)] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Many(words) => words,
        }
    }

    fn last_mut(&mut self) -> &mut (u64, u64) {
        match self {
            Self::One(word) => word,
            Self::Many(words) => {
                let last = words.len() - 1;
                &mut words[last]
            }
        }
    }
}

/// A value of four-state bits, owned. Bit 0 is the rightmost.
///
/// As much is stored as was written; what left-extension adds is computed when asked for, so a
/// short value of a wide signal is small.
///
/// Formats: `{}` as a Verilog literal (`8'h0f`, with binary digits where a hexadecimal one would
/// mix states), `{:x}` and `{:b}` as digits of the full width.
///
/// ```
/// let bits = lockstep_vcd::BitsRef::new(b"x1010", 8).unwrap().to_bits();
/// assert_eq!(format!("{bits} {bits:b} {bits:x}"), "8'hxa xxxx1010 xa");
/// assert_eq!(lockstep_vcd::Bits::from_u64(5, 3).to_string(), "3'h5");
/// ```
#[derive(Clone, Debug)]
pub struct Bits {
    width: u32,
    fill: State,
    words: Words,
}

impl Bits {
    /// A value from a number, of `width` bits; higher bits of the number are dropped.
    ///
    /// ```
    /// use lockstep_vcd::Bits;
    /// assert_eq!(Bits::from_u64(0x1ff, 8).to_u64(), Some(0xff));
    /// ```
    #[must_use]
    pub fn from_u64(value: u64, width: u32) -> Self {
        let words = Words::One((value, 0));
        Self {
            width,
            fill: State::Zero,
            words,
        }
    }

    fn repeat(state: State, width: u32) -> Self {
        let (a, b) = state.planes();
        let plane = |set: bool| if set { !0 } else { 0 };
        let words = Words::One((plane(a), plane(b)));
        Self {
            width,
            fill: state,
            words,
        }
    }

    /// A value from the words that [`planes`](Self::planes) gives; bits that are missing are 0.
    ///
    /// ```
    /// use lockstep_vcd::Bits;
    /// assert_eq!(format!("{:b}", Bits::from_planes(4, [(0b1010, 0b1100)])), "xz10");
    /// ```
    #[must_use]
    pub fn from_planes(width: u32, words: impl IntoIterator<Item = (u64, u64)>) -> Self {
        Self {
            width,
            fill: State::Zero,
            words: words.into_iter().collect(),
        }
    }

    /// Words of 64 bits, lowest first, as many as the width needs, of two planes as VPI has them: 0 is 00, 1 is
    /// 10, z is 01, x is 11.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"xz10", 4).unwrap().to_bits();
    /// assert_eq!(bits.planes().collect::<Vec<_>>(), [(0b1010, 0b1100)]);
    /// ```
    pub fn planes(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        (0..self.word_count()).map(|index| self.word(index))
    }

    /// Width in bits.
    ///
    /// ```
    /// assert_eq!(lockstep_vcd::Bits::from_u64(1, 8).width(), 8);
    /// ```
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Both planes of a word of 64 bits, 0 is the lowest; bits above the width are 0.
    fn word(&self, index: usize) -> (u64, u64) {
        let (a, b) = match self.words.as_slice().get(index) {
            Some(word) => *word,
            None => {
                let (a, b) = self.fill.planes();
                (if a { !0 } else { 0 }, if b { !0 } else { 0 })
            }
        };
        let below = u64::from(self.width).saturating_sub(64 * index as u64);
        let mask = if below >= 64 { !0 } else { (1 << below) - 1 };
        (a & mask, b & mask)
    }

    fn word_count(&self) -> usize {
        (self.width as usize).div_ceil(64)
    }

    /// How many words say all: those stored, and one of the fill.
    fn telling_words(&self) -> usize {
        self.word_count().min(self.words.as_slice().len() + 1)
    }

    /// The state of a bit. None at or above the width.
    ///
    /// ```
    /// use lockstep_vcd::{Bits, State};
    /// assert_eq!(Bits::from_u64(2, 8).bit(1), Some(State::One));
    /// ```
    #[must_use]
    pub fn bit(&self, index: u32) -> Option<State> {
        if index >= self.width {
            return None;
        }
        let (a, b) = self.word(index as usize / 64);
        let bit = index % 64;
        Some(State::from_planes(a >> bit & 1 == 1, b >> bit & 1 == 1))
    }

    /// Whether no bit is x or z.
    ///
    /// ```
    /// assert!(lockstep_vcd::Bits::from_u64(2, 8).is_known());
    /// ```
    #[must_use]
    pub fn is_known(&self) -> bool {
        let words = self.words.as_slice();
        // Of these, every bit is below the width.
        let whole = words.len().min(self.width as usize / 64);
        let any = words[..whole].iter().fold(0, |any, word| any | word.1);
        any == 0 && (whole..self.telling_words()).all(|i| self.word(i).1 == 0)
    }

    /// Whether any bit is x.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"x", 70).unwrap().to_bits();
    /// assert!(bits.has_x() && !bits.has_z());
    /// ```
    #[must_use]
    pub fn has_x(&self) -> bool {
        (0..self.telling_words()).any(|i| self.word(i).0 & self.word(i).1 != 0)
    }

    /// Whether any bit is z.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"0z", 2).unwrap().to_bits();
    /// assert!(bits.has_z() && !bits.has_x());
    /// ```
    #[must_use]
    pub fn has_z(&self) -> bool {
        (0..self.telling_words()).any(|i| !self.word(i).0 & self.word(i).1 != 0)
    }

    /// The value as an unsigned number. None if a bit is x or z, or if it is 2^64 or more.
    ///
    /// ```
    /// let bits = lockstep_vcd::BitsRef::new(b"101", 200).unwrap().to_bits();
    /// assert_eq!(bits.to_u64(), Some(5));
    /// ```
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        let fits = (1..self.telling_words()).all(|i| self.word(i).0 == 0);
        (fits && self.is_known()).then(|| self.word(0).0)
    }

    /// The value as words of 64 bits, lowest first, as many as the width needs. None if a bit is
    /// x or z.
    ///
    /// ```
    /// let wide = lockstep_vcd::BitsRef::new(&[b'1'; 65], 130).unwrap().to_bits();
    /// assert_eq!(wide.to_words(), Some(vec![u64::MAX, 1, 0]));
    /// ```
    #[must_use]
    pub fn to_words(&self) -> Option<Vec<u64>> {
        self.is_known()
            .then(|| (0..self.word_count()).map(|i| self.word(i).0).collect())
    }

    /// Bits `hi` down to `lo`, as a value of `hi - lo + 1` bits. None if `lo` is above `hi` or
    /// `hi` is not below the width.
    ///
    /// ```
    /// use lockstep_vcd::Bits;
    /// assert_eq!(Bits::from_u64(0xcafe, 16).slice(11, 4), Some(Bits::from_u64(0xaf, 8)));
    /// ```
    #[must_use]
    pub fn slice(&self, hi: u32, lo: u32) -> Option<Self> {
        if lo > hi || hi >= self.width {
            return None;
        }
        let width = hi - lo + 1;
        let stored = 64 * self.words.as_slice().len();
        if lo as usize >= stored {
            return Some(Self::repeat(self.fill, width));
        }
        let (first, shift) = (lo as usize / 64, lo % 64);
        let join = |low: u64, high: u64| match shift {
            0 => low,
            _ => low >> shift | high << (64 - shift),
        };
        let count = (width as usize)
            .div_ceil(64)
            .min(self.words.as_slice().len() - first);
        let words = (first..first + count).map(|i| {
            let (low, high) = (self.word(i), self.word(i + 1));
            (join(low.0, high.0), join(low.1, high.1))
        });
        let words = words.collect();
        // Above the stored words there is only the fill, if the slice reaches that far.
        Some(Self {
            width,
            fill: self.fill,
            words,
        })
    }

    fn digit(&self, index: u32) -> char {
        let states = (0..4).filter_map(|i| self.bit(4 * index + i));
        let mut value = 0;
        let (mut x, mut z, mut known) = (false, false, false);
        for (i, state) in states.enumerate() {
            match state {
                State::Zero => known = true,
                State::One => (known, value) = (true, value | 1 << i),
                State::X => x = true,
                State::Z => z = true,
            }
        }
        match (known, x, z) {
            (true, false, false) => char::from_digit(value, 16).unwrap_or('?'),
            (false, true, false) => 'x',
            (false, false, true) => 'z',
            _ => '?',
        }
    }
}

impl PartialEq for Bits {
    fn eq(&self, other: &Self) -> bool {
        let count = self.telling_words().max(other.telling_words());
        self.width == other.width && (0..count).all(|i| self.word(i) == other.word(i))
    }
}

impl Eq for Bits {}

impl fmt::Binary for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        (0..self.width)
            .rev()
            .filter_map(|i| self.bit(i))
            .try_for_each(|s| f.write_char(s.to_char()))
    }
}

/// Hexadecimal digits; one that covers bits of different states, not all known, is `?`.
impl fmt::LowerHex for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write;
        (0..self.width.div_ceil(4))
            .rev()
            .try_for_each(|i| f.write_char(self.digit(i)))
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mixed = !self.is_known() && (0..self.width.div_ceil(4)).any(|i| self.digit(i) == '?');
        match mixed {
            true => write!(f, "{}'b{self:b}", self.width),
            false => write!(f, "{}'h{self:x}", self.width),
        }
    }
}

/// The new value of a change, borrowed from the dump.
///
/// ```
/// use lockstep_vcd::{Event, Slice, ValueRef};
///
/// let mut dump = Slice::new(b"$var real 64 ! r $end $enddefinitions $end\nr0.5 !\n")?;
/// let Some(Ok(Event::Change(_, ValueRef::Real(real)))) = dump.events().next() else { panic!() };
/// assert_eq!(real, 0.5);
/// # Ok::<(), lockstep_vcd::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueRef<'a> {
    /// A scalar or a vector; an event that occurs is one bit.
    Bits(BitsRef<'a>),
    /// A real number.
    Real(f64),
    /// A string or an enumeration literal, the bytes as they stand in the dump. An extension
    /// that GHDL and GTKWave use.
    Text(&'a [u8]),
}

impl ValueRef<'_> {
    /// The value as an unsigned number; see [`BitsRef::to_u64`]. None for reals and strings.
    ///
    /// ```
    /// use lockstep_vcd::{BitsRef, ValueRef};
    /// assert_eq!(ValueRef::Bits(BitsRef::new(b"11", 2).unwrap()).to_u64(), Some(3));
    /// assert_eq!(ValueRef::Real(3.0).to_u64(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match self {
            Self::Bits(bits) => bits.to_u64(),
            _ => None,
        }
    }

    /// The value, owned.
    ///
    /// ```
    /// use lockstep_vcd::{Value, ValueRef};
    /// assert_eq!(ValueRef::Text(b"idle").to_value(), Value::Text("idle".into()));
    /// // Tools escape what would end a string, as C does.
    /// assert_eq!(ValueRef::Text(br"a\x20b\n").to_value(), Value::Text("a b\n".into()));
    /// ```
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Bits(bits) => Value::Bits(bits.to_bits()),
            Self::Real(real) => Value::Real(*real),
            Self::Text(text) => Value::Text(unescaped(text).into()),
        }
    }
}

/// A value, owned. `{}` shows bits as a Verilog literal, reals and strings as they are.
///
/// ```
/// use lockstep_vcd::{Bits, Value};
///
/// assert_eq!(Value::Bits(Bits::from_u64(10, 8)).to_string(), "8'h0a");
/// assert_eq!(Value::Text("idle".into()).to_string(), "idle");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A scalar or a vector; an event that occurs is one bit.
    Bits(Bits),
    /// A real number.
    Real(f64),
    /// A string or an enumeration literal; what is not UTF-8 is replaced.
    Text(Box<str>),
}

impl Value {
    /// The value as an unsigned number; see [`Bits::to_u64`]. None for reals and strings.
    ///
    /// ```
    /// use lockstep_vcd::{Bits, Value};
    /// assert_eq!(Value::Bits(Bits::from_u64(7, 8)).to_u64(), Some(7));
    /// ```
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        self.bits()?.to_u64()
    }

    /// The bits. None for reals and strings.
    ///
    /// ```
    /// assert_eq!(lockstep_vcd::Value::Real(0.5).bits(), None);
    /// ```
    #[must_use]
    pub const fn bits(&self) -> Option<&Bits> {
        match self {
            Self::Bits(bits) => Some(bits),
            _ => None,
        }
    }
}

impl Value {
    /// Whether this value triggers an event: any but x and z, which the tools write for none.
    ///
    /// ```
    /// use lockstep_vcd::{BitsRef, ValueRef};
    /// let triggers = |digit| ValueRef::Bits(BitsRef::new(digit, 1).unwrap()).to_value().is_trigger();
    /// assert!(triggers(b"1") && !triggers(b"x"));
    /// ```
    #[must_use]
    pub fn is_trigger(&self) -> bool {
        self.bits().is_none_or(Bits::is_known)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits(bits) => bits.fmt(f),
            Self::Real(real) => real.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

/// A string of a dump with its escapes resolved: those of C. Any other backslash stays.
fn unescaped(text: &[u8]) -> String {
    if memchr::memchr(b'\\', text).is_none() {
        return decoded(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        match escape(after).filter(|_| first == b'\\') {
            Some((byte, length)) => {
                plain.push(byte);
                rest = &after[length..];
            }
            None => plain.push(first),
        }
    }
    decoded(&plain)
}

/// A text of a dump: UTF-8, or if it is none, ISO 8859-1, the characters of VHDL.
pub(crate) fn decoded(text: &[u8]) -> String {
    match std::str::from_utf8(text) {
        Ok(text) => text.to_owned(),
        Err(_) => text.iter().copied().map(char::from).collect(),
    }
}

/// The byte that stands for the characters after a backslash, and their number.
fn escape(after: &[u8]) -> Option<(u8, usize)> {
    let number = |digits: &[u8], radix| {
        let digits = std::str::from_utf8(digits).ok()?;
        u8::from_str_radix(digits, radix).ok()
    };
    let byte = match *after.first()? {
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        same @ (b'\\' | b'"' | b'\'' | b'?') => same,
        b'x' => {
            let digits = after[1..].iter().take(2);
            let length = digits.take_while(|byte| byte.is_ascii_hexdigit()).count();
            return Some((number(&after[1..=length], 16)?, 1 + length));
        }
        b'0'..=b'7' => {
            let digits = after.iter().take(3);
            let length = digits
                .take_while(|byte| matches!(byte, b'0'..=b'7'))
                .count();
            return Some((number(&after[..length], 8)?, length));
        }
        _ => return None,
    };
    Some((byte, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(digits: &str, width: u32) -> BitsRef<'_> {
        BitsRef::new(digits.as_bytes(), width).unwrap()
    }

    #[test]
    fn short_values_extend_by_their_leftmost_digit() {
        for (digits, full) in [("0", "0000"), ("1", "0001"), ("x", "xxxx"), ("z", "zzzz")] {
            assert_eq!(format!("{:b}", bits(digits, 4).to_bits()), full);
        }
        assert_eq!(format!("{:b}", bits("x0", 4).to_bits()), "xxx0");
        assert_eq!(format!("{:b}", bits("1x", 4).to_bits()), "001x");
        assert_eq!(format!("{:b}", bits("Z1", 4).to_bits()), "zzz1");
    }

    #[test]
    fn owned_and_borrowed_bits_agree_with_the_digits() {
        for width in [1_usize, 7, 8, 63, 64, 65, 127, 128, 129, 200] {
            for written in 1..=width {
                let digits: String = (0..written)
                    .map(|i| ['0', '1', 'x', 'z', '1'][i * 7 % 5])
                    .collect();
                let borrowed = bits(&digits, width as u32);
                let owned = borrowed.to_bits();
                let fill = match &digits[..1] {
                    "1" => "0",
                    other => other,
                };
                let full = fill.repeat(width - written) + &digits;
                assert_eq!(format!("{owned:b}"), full);
                for (i, digit) in full.bytes().rev().enumerate() {
                    assert_eq!(owned.bit(i as u32), State::from_byte(digit));
                    assert_eq!(borrowed.bit(i as u32), State::from_byte(digit));
                }
                assert_eq!(owned.has_x(), full.contains('x'));
                assert_eq!(owned.has_z(), full.contains('z'));
                assert_eq!(owned, bits(&full, width as u32).to_bits());
                for (hi, lo) in [
                    (width - 1, 0),
                    (width - 1, width / 2),
                    (width / 2, width / 3),
                ] {
                    let part = &full[width - 1 - hi..width - lo];
                    let slice = owned.slice(hi as u32, lo as u32).unwrap();
                    assert_eq!(format!("{slice:b}"), part, "{full}[{hi}:{lo}]");
                    assert_eq!(borrowed.slice(hi as u32, lo as u32).unwrap(), slice);
                }
            }
        }
    }

    #[test]
    fn numbers_are_those_of_the_digits() {
        let number = |digits: &str| bits(digits, 200).to_u64();
        assert_eq!(number(&"1".repeat(64)), Some(u64::MAX));
        assert_eq!(number(&format!("0001{}", "0".repeat(63))), Some(1 << 63));
        assert_eq!(number(&"1".repeat(65)), None);
        assert_eq!(number("z"), None);
        assert_eq!(bits(&"1".repeat(65), 65).to_bits().to_u64(), None);
        assert_eq!(bits("l1h-", 4).to_u64(), None);
        assert_eq!(bits("l1h", 4).to_u64(), Some(3));
    }

    #[test]
    fn literals_are_those_of_verilog() {
        let literal = |digits, width| bits(digits, width).to_bits().to_string();
        assert_eq!(literal("1111", 10), "10'h00f");
        assert_eq!(literal("x", 10), "10'hxxx");
        assert_eq!(literal("xxxx0001", 8), "8'hx1");
        assert_eq!(literal("10x1", 4), "4'b10x1");
        assert_eq!(Value::Real(0.5).to_string(), "0.5");
    }

    #[test]
    fn a_short_value_of_a_wide_signal_is_cheap() {
        let wide = bits("x", 1 << 24).to_bits();
        assert!(wide.has_x() && !wide.has_z());
        assert_eq!(wide, bits("xx", 1 << 24).to_bits());
        assert_eq!(
            wide.slice((1 << 24) - 1, 100).unwrap().bit(5),
            Some(State::X)
        );
    }
}
