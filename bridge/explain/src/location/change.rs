//! Small changes of a node of the source, each of which may be what mends it.

use std::fmt;

use super::expression::{Expression, Operator, mask};
use super::netlist::Netlist;

/// A change of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Another operator.
    Operator(Operator),
    /// One of its operands alone.
    Operand(u8),
    /// Its opposite.
    Not,
    /// Always the same.
    Always(u64),
    /// More or less.
    Offset(i64),
    /// One bit of a constant is another one.
    Bit(u32),
    /// A constant that the design has elsewhere.
    Constant(u64),
    /// Another signal, by the number of its name.
    Signal(u32),
    /// Under a condition more.
    And { name: u32, inverted: bool },
    /// Also under another condition.
    Or { name: u32, inverted: bool },
    /// A statement that is made under a condition more.
    Only { name: u32, inverted: bool },
    /// A statement that is not there.
    Made,
    /// Of two choices, or of three parts, the inner one first.
    Exchanged,
    /// Two parts in the other order.
    Turned,
    /// What it was in the cycle before.
    Before,
    /// What it is in the cycle after.
    After,
    /// Something else in some cycles alone, where [`Differences::forced`] says so: no change of the source, but what one may do.
    ///
    /// [`Differences::forced`]: super::simulation::Differences::forced
    During { first: usize, last: usize },
}

/// What a node is in some cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// Some of its bits are others.
    Flipped(u64),
    /// More or less.
    Moved(i64),
    /// A value.
    Is(u64),
}

/// A node, and what it is changed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    pub node: u32,
    pub width: u32,
    pub change: Change,
}

impl Change {
    /// How far-fetched it is.
    pub fn cost(self) -> f64 {
        match self {
            Self::Operator(_) | Self::Not | Self::Offset(_) => 1.0,
            Self::Operand(_) | Self::Bit(_) | Self::Exchanged | Self::Turned => 1.2,
            Self::Constant(_) => 1.6,
            Self::Signal(_) | Self::Only { .. } | Self::Made => 1.5,
            Self::Before | Self::After => 2.0,
            Self::And { .. } | Self::Or { .. } => 2.5,
            Self::Always(_) => 2.5,
            Self::During { .. } => f64::INFINITY,
        }
    }

    /// As a person would say it.
    pub fn text(self, of: &Expression, design: &Netlist) -> String {
        let named = |name: u32| design.names[name as usize].as_str();
        let with = |inverted: bool, name| match inverted {
            true => format!("!{}", named(name)),
            false => named(name).to_owned(),
        };
        match self {
            Self::Operator(operator) => match of.plain() {
                Expression::Operator { operator: is, .. } => format!("{operator} for {is}"),
                _ => format!("{operator}"),
            },
            Self::Operand(number) => match (of.plain(), number) {
                (Expression::Chosen { .. }, 1) => "its condition always true",
                (Expression::Chosen { .. }, _) => "its condition always false",
                (Expression::Select { .. }, _) => "its lowest bits in their place",
                (
                    Expression::Operator {
                        operator: Operator::Not | Operator::LogicalNot,
                        ..
                    },
                    _,
                ) => "no negation",
                (_, 0) => "what is left of the operator alone",
                _ => "what is right of the operator alone",
            }
            .to_owned(),
            Self::Not => "negated".to_owned(),
            Self::Always(value) => format!("always {value:#x}"),
            Self::Offset(by) => match of.plain() {
                Expression::Constant(is) => {
                    format!("{:#x} for {is:#x}", is.wrapping_add_signed(by))
                }
                _ => format!("{by:+}"),
            },
            Self::Bit(bit) => match of.plain() {
                Expression::Constant(is) => format!("{:#x} for {is:#x}", is ^ 1 << bit),
                _ => format!("bit {bit} inverted"),
            },
            Self::Constant(other) => match of.plain() {
                Expression::Constant(is) => format!("{other:#x} for {is:#x}"),
                _ => format!("{other:#x}"),
            },
            Self::Signal(name) => format!("{} in its place", named(name)),
            Self::And { name, inverted } => format!("and {} with it", with(inverted, name)),
            Self::Or { name, inverted } => format!("or {} with it", with(inverted, name)),
            Self::Only { name, inverted } => format!("only if {}", with(inverted, name)),
            Self::Made => match of.plain() {
                Expression::Constant(value) => format!("set to {value:#x} here, too"),
                _ => "set here, too".to_owned(),
            },
            Self::Exchanged => match of.plain() {
                Expression::Concat { .. } => "two of its parts exchanged",
                _ => "the two conditions in the other order",
            }
            .to_owned(),
            Self::Turned => "its parts in the other order".to_owned(),
            Self::Before => "its value of the cycle before".to_owned(),
            Self::After => "its value of the cycle after".to_owned(),
            Self::During { first, last } => {
                format!("something else in cycles {first} to {last}")
            }
        }
    }

    /// The conditions that a statement may lack, of signals of one bit.
    pub fn conditions(names: &[u32]) -> Vec<Self> {
        let both = |&name| [false, true].map(|inverted| Self::Only { name, inverted });
        names.iter().flat_map(both).collect()
    }

    /// All that a node may be instead; `names` are those of signals of one bit, and of its own width, `constants` those of its
    /// width in the design.
    pub fn all(
        of: &Expression,
        width: u32,
        names: (&[u32], &[u32]),
        constants: &[u64],
    ) -> Vec<Self> {
        let mut all = Vec::new();
        let (bits, same) = names;
        let is_constant = matches!(of.plain(), Expression::Constant(_));
        match of {
            _ if is_constant => {
                all.extend([Self::Offset(1), Self::Offset(-1)]);
                all.extend((1..width.min(24)).map(Self::Bit));
                all.extend(constants.iter().map(|&other| Self::Constant(other)));
            }
            Expression::Operator { operator, of, .. } => {
                all.extend(operator.others().iter().map(|&other| Self::Operator(other)));
                if of.len() == 2 {
                    all.extend([Self::Operand(0), Self::Operand(1)]);
                    if matches!(operator, Operator::Subtract) {
                        all.push(Self::Turned);
                    }
                } else if matches!(operator, Operator::Not | Operator::LogicalNot) {
                    all.push(Self::Operand(0));
                }
            }
            Expression::Select { .. } => all.push(Self::Operand(0)),
            Expression::Concat { high, low, .. } => {
                all.push(Self::Turned);
                let is_concat =
                    |part: &Expression| matches!(part.plain(), Expression::Concat { .. });
                if is_concat(high) || is_concat(low) {
                    all.push(Self::Exchanged);
                }
            }
            // Bits are added to some of a value's bits.
            Expression::Node { .. } if matches!(of.plain(), Expression::Select { .. }) => {
                all.push(Self::Operand(0));
            }
            Expression::Chosen { other, .. } => {
                all.extend([Self::Operand(1), Self::Operand(2)]);
                if matches!(other.plain(), Expression::Chosen { .. }) {
                    all.push(Self::Exchanged);
                }
            }
            _ => {}
        }
        if !is_constant {
            all.push(Self::Not);
            if (2..=16).contains(&width) {
                all.extend([Self::Offset(1), Self::Offset(-1)]);
            }
            all.extend([Self::Before, Self::After]);
        }
        all.extend([Self::Always(0), Self::Always(mask(width))]);
        all.extend(same.iter().map(|&name| Self::Signal(name)));
        if width == 1 {
            for &name in bits {
                for inverted in [false, true] {
                    all.push(Self::And { name, inverted });
                    all.push(Self::Or { name, inverted });
                }
            }
        }
        all
    }
}

impl Operator {
    /// What it may have been taken for.
    const fn others(self) -> &'static [Self] {
        match self {
            Self::And => &[Self::Or, Self::Xor],
            Self::Or => &[Self::And, Self::Xor, Self::Add],
            Self::Xor => &[Self::And, Self::Or, Self::Add, Self::Subtract],
            Self::LogicalAnd => &[Self::LogicalOr],
            Self::LogicalOr => &[Self::LogicalAnd],
            Self::Equal => &[
                Self::Different,
                Self::Less,
                Self::LessOrEqual,
                Self::Greater,
                Self::GreaterOrEqual,
            ],
            Self::Different => &[
                Self::Equal,
                Self::Less,
                Self::LessOrEqual,
                Self::Greater,
                Self::GreaterOrEqual,
            ],
            Self::Less => &[
                Self::LessOrEqual,
                Self::Greater,
                Self::GreaterOrEqual,
                Self::Equal,
                Self::Different,
                Self::SignedLess,
            ],
            Self::LessOrEqual => &[
                Self::Less,
                Self::Greater,
                Self::GreaterOrEqual,
                Self::Equal,
                Self::Different,
                Self::SignedLessOrEqual,
            ],
            Self::Greater => &[
                Self::GreaterOrEqual,
                Self::Less,
                Self::LessOrEqual,
                Self::Equal,
                Self::Different,
                Self::SignedGreater,
            ],
            Self::GreaterOrEqual => &[
                Self::Greater,
                Self::Less,
                Self::LessOrEqual,
                Self::Equal,
                Self::Different,
                Self::SignedGreaterOrEqual,
            ],
            Self::SignedLess => &[Self::Less],
            Self::SignedLessOrEqual => &[Self::LessOrEqual],
            Self::SignedGreater => &[Self::Greater],
            Self::SignedGreaterOrEqual => &[Self::GreaterOrEqual],
            Self::AllOnes => &[Self::AnyOne, Self::Parity],
            Self::AnyOne => &[Self::AllOnes, Self::Parity],
            Self::Parity => &[Self::AnyOne, Self::AllOnes],
            Self::Add => &[Self::Subtract, Self::Or, Self::Xor],
            Self::Subtract => &[Self::Add, Self::Xor],
            Self::Multiply | Self::Divide | Self::Remainder => &[],
            Self::ShiftLeft => &[Self::ShiftRight],
            Self::ShiftRight => &[Self::ShiftLeft],
            Self::Not | Self::LogicalNot => &[],
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::And | Self::AllOnes => "&",
            Self::Or | Self::AnyOne => "|",
            Self::Xor | Self::Parity => "^",
            Self::Not => "~",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
            Self::LogicalNot => "!",
            Self::Equal => "==",
            Self::Different => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::SignedLess => "signed <",
            Self::SignedLessOrEqual => "signed <=",
            Self::SignedGreater => "signed >",
            Self::SignedGreaterOrEqual => "signed >=",
        })
    }
}
