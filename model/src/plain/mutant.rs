//! Mutants: what is done otherwise at a site, and when.

use super::instances::At;
use super::site::Site;
use super::when::{Moment, When};

/// A relation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// !=.
    Ne,
    /// ==.
    Eq,
    /// >=.
    Ge,
    /// >.
    Gt,
    /// <.
    Lt,
    /// <=.
    Le,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Ne, Self::Eq, Self::Ge, Self::Gt, Self::Lt, Self::Le];

    /// Whether it holds.
    #[inline(always)]
    pub fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Self::Ne => left != right,
            Self::Eq => left == right,
            Self::Ge => left >= right,
            Self::Gt => left > right,
            Self::Lt => left < right,
            Self::Le => left <= right,
        }
    }

    /// How it is written.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Ne => "!=",
            Self::Eq => "==",
            Self::Ge => ">=",
            Self::Gt => ">",
            Self::Lt => "<",
            Self::Le => "<=",
        }
    }
}

/// What is done otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// A bit is negated.
    Inverted,
    /// A bit or number is zero.
    Zero,
    /// A bit is one.
    One,
    /// All bits of a number are one.
    Ones,
    /// A number has so many bits.
    Cut(u8),
    /// A number is at most what so many bits hold.
    Saturates(u8),
    /// A number is at most that.
    AtMost(u8),
    /// A bit of a number has that value always.
    Stuck(u8, bool),
    /// A bit of a number is negated.
    Flipped(u8),
    /// A bit of a number and the one above are exchanged.
    Swapped(u8),
    /// So much is added to a number.
    Plus(i8),
    /// A number is negated, as a two's complement.
    Negated,
    /// A number is shifted to the left, or to the right, by one.
    Shifted(bool),
    /// The two lower bytes of a number are exchanged.
    BytesSwapped,
    /// Another relation.
    Relation(Relation),
    /// A comparison is of signed numbers.
    Signed,
    /// Another one of several, by its number.
    Other(u8),
    /// The one so many places further.
    Neighbour(i8),
    /// The other one of a pair: n ^ 1.
    Paired,
}

impl Mutation {
    /// What it makes of a bit.
    pub fn of_bit(self, value: bool) -> bool {
        match self {
            Self::Inverted => !value,
            Self::Zero => false,
            Self::One => true,
            _ => value,
        }
    }

    /// What it makes of a number of so many bits.
    pub fn of_word(self, value: u64, width: u8) -> u64 {
        let mask = u64::MAX >> (64 - width);
        let made = match self {
            Self::Inverted => !value,
            Self::Zero => 0,
            Self::One => 1,
            Self::Ones => u64::MAX,
            Self::Cut(bits) => value & u64::MAX >> (64 - bits),
            Self::Saturates(bits) => value.min(u64::MAX >> (64 - bits)),
            Self::AtMost(most) => value.min(most.into()),
            Self::Stuck(bit, true) => value | 1 << bit,
            Self::Stuck(bit, false) => value & !(1 << bit),
            Self::Flipped(bit) => value ^ 1 << bit,
            Self::Swapped(bit) => {
                let both = (value >> bit ^ value >> (bit + 1)) & 1;
                value ^ (both | both << 1) << bit
            }
            Self::Plus(by) => value.wrapping_add_signed(by.into()),
            Self::Negated => value.wrapping_neg(),
            Self::Shifted(true) => value << 1,
            Self::Shifted(false) => value >> 1,
            Self::BytesSwapped => value & !0xFFFF | u64::from((value as u16).swap_bytes()),
            Self::Other(other) => other.into(),
            _ => value,
        };
        made & mask
    }

    /// What it makes of a number of a thing among `count`.
    pub fn of_index(self, index: usize, count: usize) -> usize {
        match self {
            Self::Other(other) => usize::from(other),
            Self::Neighbour(by) => {
                (index as i64 + i64::from(by)).rem_euclid(count.max(1) as i64) as usize
            }
            Self::Paired => index ^ 1,
            Self::Zero => 0,
            _ => index,
        }
    }
}

/// The contract with one thing done otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Where.
    pub site: Site,
    /// At which instances of the site.
    pub at: At,
    /// What.
    pub mutation: Mutation,
    /// When.
    pub when: When,
    /// And when.
    pub and: When,
}

impl Mutant {
    /// The same mutant whatever event occurs, if it acts while one does.
    pub fn of_any_event(&self) -> Option<Self> {
        let without = |when| match when {
            When::Occurs(_) => When::Always,
            when => when,
        };
        let mutant = Self {
            when: without(self.when),
            and: without(self.and),
            ..*self
        };
        (mutant != *self).then_some(mutant)
    }

    /// Whether it acts at an instance, at a moment.
    #[inline(always)]
    pub fn acts(&self, at: usize, moment: &Moment) -> bool {
        self.at.has(at) && self.when.holds(moment) && self.and.holds(moment)
    }
}
