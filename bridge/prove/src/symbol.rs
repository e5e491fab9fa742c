//! Symbols: words of a circuit that the model's datapath takes in place of numbers, so that the very code that runs in
//! lockstep makes the circuit that is proved.

use std::cell::RefCell;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use pmu_model::contract::COUNTER_LANES;
use pmu_model::pmu::lane::{Lane, Lanes, lanes};

use crate::circuit::{Circuit, Lit};

/// Bits of a word: those of a lane of the contract.
pub const WIDTH: usize = 16;

/// The bits of a word, bit 0 first.
pub type Word = [Lit; WIDTH];

/// The circuit of this thread, and the words in it.
struct Symbols {
    circuit: Circuit,
    words: Vec<Word>,
    /// The operator that does otherwise, by its number, and how many have been used.
    broken: Option<usize>,
    used: usize,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut one = [Lit::FALSE; WIDTH];
        one[0] = Lit::TRUE;
        Self {
            circuit: Circuit::default(),
            // In the order of `Symbol`'s constants.
            words: vec![[Lit::FALSE; WIDTH], one, [Lit::TRUE; WIDTH]],
            broken: None,
            used: 0,
        }
    }
}

thread_local! {
    static SYMBOLS: RefCell<Symbols> = RefCell::default();
}

/// Works on the circuit of this thread, in which all symbols are. No symbol is used within `work`.
pub fn circuit<T>(work: impl FnOnce(&mut Circuit) -> T) -> T {
    SYMBOLS.with_borrow_mut(|symbols| work(&mut symbols.circuit))
}

/// Begins with an empty circuit: symbols from before are of no more use.
pub fn forget() {
    SYMBOLS.with_borrow_mut(|symbols| {
        let broken = symbols.broken;
        *symbols = Symbols {
            broken,
            ..Symbols::default()
        };
    });
}

/// From now on the operator with this number, counted from an empty circuit, has another result: what a proof must
/// notice.
pub fn break_operator(number: Option<usize>) {
    SYMBOLS.with_borrow_mut(|symbols| symbols.broken = number);
}

/// How many operators were used in this circuit.
pub fn operators_used() -> usize {
    SYMBOLS.with_borrow(|symbols| symbols.used)
}

/// A word of the circuit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbol(u32);

impl Symbol {
    /// The word with these bits; the others are zero.
    pub fn of(bits: &[Lit]) -> Self {
        let mut word = [Lit::FALSE; WIDTH];
        word[..bits.len()].copy_from_slice(bits);
        SYMBOLS.with_borrow_mut(|symbols| symbols.keep(word))
    }

    /// All ones if the bit is 1, else zero.
    pub fn mask_of(bit: Lit) -> Self {
        SYMBOLS.with_borrow_mut(|symbols| symbols.keep([bit; WIDTH]))
    }

    /// Its bits.
    pub fn bits(self) -> Word {
        SYMBOLS.with_borrow(|symbols| symbols.words[self.0 as usize])
    }
}

impl Symbols {
    fn keep(&mut self, word: Word) -> Symbol {
        self.words.push(word);
        Symbol(self.words.len() as u32 - 1)
    }

    /// The result of an operator.
    fn result(&mut self, mut word: Word) -> Symbol {
        if self.broken == Some(self.used) {
            word[0] = !word[0];
        }
        self.used += 1;
        self.keep(word)
    }
}

/// An operator that does the same for every bit.
fn bitwise(a: Symbol, b: Symbol, of: fn(&mut Circuit, Lit, Lit) -> Lit) -> Symbol {
    SYMBOLS.with_borrow_mut(|symbols| {
        let (a, b) = (symbols.words[a.0 as usize], symbols.words[b.0 as usize]);
        let word = std::array::from_fn(|bit| of(&mut symbols.circuit, a[bit], b[bit]));
        symbols.result(word)
    })
}

/// An operator that compares.
fn compared(a: Symbol, b: Symbol, of: fn(&mut Circuit, &Word, &Word) -> Lit) -> Symbol {
    SYMBOLS.with_borrow_mut(|symbols| {
        let (a, b) = (symbols.words[a.0 as usize], symbols.words[b.0 as usize]);
        let holds = of(&mut symbols.circuit, &a, &b);
        symbols.result([holds; WIDTH])
    })
}

impl BitAnd for Symbol {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        bitwise(self, other, Circuit::and)
    }
}

impl BitOr for Symbol {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        bitwise(self, other, Circuit::or)
    }
}

impl BitXor for Symbol {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        bitwise(self, other, Circuit::xor)
    }
}

impl Not for Symbol {
    type Output = Self;

    fn not(self) -> Self {
        bitwise(self, self, |_, a, _| !a)
    }
}

impl Lane for Symbol {
    const ZERO: Self = Self(0);
    const ONE: Self = Self(1);
    const TRUE: Self = Self(2);

    fn mask(condition: bool) -> Self {
        if condition { Self::TRUE } else { Self::ZERO }
    }

    fn from_th(value: u16) -> Self {
        let bits: Word = std::array::from_fn(|bit| Lit::known(value >> bit & 1 == 1));
        Self::of(&bits)
    }

    fn equal(self, other: Self) -> Self {
        compared(self, other, |circuit, a, b| !circuit.differ(a, b))
    }

    fn less(self, other: Self) -> Self {
        compared(self, other, |circuit, a, b| circuit.less(a, b))
    }

    fn expand(bits: u32) -> Lanes<Self> {
        lanes(|n| Self::mask(bits >> n & 1 == 1))
    }

    fn below(values: &Lanes<Self>) -> Lanes<Self> {
        let mut below = [Self::ZERO; COUNTER_LANES];
        for n in (1..COUNTER_LANES).step_by(2) {
            below[n] = values[n - 1];
        }
        below
    }
}
