//! What an expression says.

use std::ops::Range;

use lockstep_vcd::{Bits, State};

/// An expression, and the bytes of the text in which it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// What it is.
    pub node: Node,
    /// Where it stands.
    pub at: Range<usize>,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number.
    Number(Number),
    /// A path of a signal, or the end of one, with bits if wanted.
    Signal(String),
    /// An operator before an operand.
    Unary(Unary, Box<Tree>),
    /// An operator between operands.
    Binary(Binary, Box<[Tree; 2]>),
    /// A system function of an operand.
    Call(Function, Box<Tree>),
}

/// A number as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its bits; of one without a size, as many as were written, but at least 32.
    pub bits: Bits,
    /// What stands left of them where more are needed: x or z only of a number without a size, 1 of `'1`.
    pub extension: State,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `!`
    LogicalNot,
    /// `~`
    Not,
    /// `&`, of all bits.
    ReduceAnd,
    /// `|`, of all bits.
    ReduceOr,
    /// `^`, of all bits.
    ReduceXor,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`
    LogicalOr,
    /// `&&`
    LogicalAnd,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `===`
    CaseEqual,
    /// `!==`
    CaseNotEqual,
    /// `==?`
    WildEqual,
    /// `!=?`
    WildNotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A system function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The lowest bit became 1 since the row before.
    Rose,
    /// The lowest bit became 0 since the row before.
    Fell,
    /// The value is not that of the row before.
    Changed,
    /// The value is that of the row before.
    Stable,
    /// The value so many rows before.
    Past(u16),
    /// A bit is x or z.
    IsUnknown,
    /// How many bits are 1.
    CountOnes,
    /// Exactly one bit is 1.
    OneHot,
    /// At most one bit is 1.
    OneHotOrZero,
}

impl Function {
    /// The function of this name, without the dollar sign.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "rose" => Self::Rose,
            "fell" => Self::Fell,
            "changed" => Self::Changed,
            "stable" => Self::Stable,
            "past" => Self::Past(1),
            "isunknown" => Self::IsUnknown,
            "countones" => Self::CountOnes,
            "onehot" => Self::OneHot,
            "onehot0" => Self::OneHotOrZero,
            _ => return None,
        })
    }

    /// How many rows back it looks.
    pub const fn rows(self) -> usize {
        match self {
            Self::Rose | Self::Fell | Self::Changed | Self::Stable => 1,
            Self::Past(rows) => rows as usize,
            Self::IsUnknown | Self::CountOnes | Self::OneHot | Self::OneHotOrZero => 0,
        }
    }
}
