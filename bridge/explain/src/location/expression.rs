//! Expressions of a design, as far as their values decide what else is of matter.

use super::span::Span;

/// An operator of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    And,
    Or,
    Xor,
    Not,
    LogicalAnd,
    LogicalOr,
    LogicalNot,
    Equal,
    Different,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    AllOnes,
    AnyOne,
    Parity,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    SignedLess,
    SignedLessOrEqual,
    SignedGreater,
    SignedGreaterOrEqual,
}

impl Operator {
    /// What Verilator calls them.
    pub fn named(kind: &str) -> Option<Self> {
        Some(match kind {
            "AND" => Self::And,
            "OR" => Self::Or,
            "XOR" => Self::Xor,
            "NOT" => Self::Not,
            "LOGAND" => Self::LogicalAnd,
            "LOGOR" => Self::LogicalOr,
            "LOGNOT" => Self::LogicalNot,
            "EQ" | "EQCASE" | "EQWILD" => Self::Equal,
            "NEQ" | "NEQCASE" | "NEQWILD" => Self::Different,
            "LT" => Self::Less,
            "LTE" => Self::LessOrEqual,
            "GT" => Self::Greater,
            "GTE" => Self::GreaterOrEqual,
            "REDAND" => Self::AllOnes,
            "REDOR" => Self::AnyOne,
            "REDXOR" => Self::Parity,
            "ADD" => Self::Add,
            "SUB" => Self::Subtract,
            "MUL" | "MULS" => Self::Multiply,
            "DIV" | "DIVS" => Self::Divide,
            "MODDIV" | "MODDIVS" => Self::Remainder,
            "SHIFTL" => Self::ShiftLeft,
            "SHIFTR" => Self::ShiftRight,
            "LTS" => Self::SignedLess,
            "LTES" => Self::SignedLessOrEqual,
            "GTS" => Self::SignedGreater,
            "GTES" => Self::SignedGreaterOrEqual,
            _ => return None,
        })
    }
}

/// What an expression is asked for in.
pub trait Values {
    /// The value of some bits, if it is known.
    fn bits(&self, span: &Span) -> Option<u64>;

    /// What a node of the source is instead of what it is made of, where it is changed.
    fn changed(&self, _node: u32, _of: &Expression) -> Option<Option<u64>> {
        None
    }

    /// Whether that may be asked for.
    fn is_changed(&self, _node: u32) -> bool {
        false
    }
}

impl<F: Fn(&Span) -> Option<u64>> Values for F {
    fn bits(&self, span: &Span) -> Option<u64> {
        self(span)
    }
}

/// An expression. Widths are in bits.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// What a node of the source is, of which there may be many copies.
    Node {
        node: u32,
        of: Box<Self>,
    },
    Constant(u64),
    Bits {
        span: Span,
        width: u32,
    },
    Select {
        from: Box<Self>,
        low: Box<Self>,
        width: u32,
    },
    /// An element of an array, by its index.
    Element {
        elements: Vec<Span>,
        index: Box<Self>,
        width: u32,
    },
    Chosen {
        condition: Box<Self>,
        then: Box<Self>,
        other: Box<Self>,
    },
    Concat {
        high: Box<Self>,
        low: Box<Self>,
        low_width: u32,
    },
    /// Copies side by side.
    Repeated {
        of: Box<Self>,
        of_width: u32,
        times: u32,
    },
    Operator {
        operator: Operator,
        of: Vec<Self>,
        width: u32,
    },
    /// Of anything else all that it reads.
    Other(Vec<Self>),
}

/// The lowest bits.
pub fn mask(width: u32) -> u64 {
    match width {
        0..64 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

impl Expression {
    /// The same where the first signal has another number.
    pub fn at(&self, base: u32) -> Self {
        let moved = |span: &Span| Span {
            signal: span.signal + base,
            ..*span
        };
        let one = |of: &Self| Box::new(of.at(base));
        let all = |of: &[Self]| of.iter().map(|one| one.at(base)).collect();
        match self {
            Self::Node { node, of } => Self::Node {
                node: *node,
                of: one(of),
            },
            Self::Constant(value) => Self::Constant(*value),
            Self::Bits { span, width } => Self::Bits {
                span: moved(span),
                width: *width,
            },
            Self::Select { from, low, width } => Self::Select {
                from: one(from),
                low: one(low),
                width: *width,
            },
            Self::Element {
                elements,
                index,
                width,
            } => Self::Element {
                elements: elements.iter().map(moved).collect(),
                index: one(index),
                width: *width,
            },
            Self::Chosen {
                condition,
                then,
                other,
            } => Self::Chosen {
                condition: one(condition),
                then: one(then),
                other: one(other),
            },
            Self::Concat {
                high,
                low,
                low_width,
            } => Self::Concat {
                high: one(high),
                low: one(low),
                low_width: *low_width,
            },
            Self::Repeated {
                of,
                of_width,
                times,
            } => Self::Repeated {
                of: one(of),
                of_width: *of_width,
                times: *times,
            },
            Self::Operator {
                operator,
                of,
                width,
            } => Self::Operator {
                operator: *operator,
                of: all(of),
                width: *width,
            },
            Self::Other(of) => Self::Other(all(of)),
        }
    }

    /// How much there is to get wrong: nothing in what only hands bits on.
    pub fn weight(&self) -> f64 {
        match self {
            Self::Node { of, .. } | Self::Repeated { of, .. } => of.weight(),
            Self::Constant(_) => 0.5,
            Self::Bits { .. } => 0.0,
            Self::Select { from, low, .. } => from.weight() + 0.5 * low.weight(),
            Self::Element { index, .. } => 0.5 + index.weight(),
            Self::Chosen {
                condition,
                then,
                other,
            } => 1.0 + condition.weight() + then.weight() + other.weight(),
            Self::Concat { high, low, .. } => high.weight() + low.weight(),
            Self::Operator { of, .. } => 1.0 + of.iter().map(Self::weight).sum::<f64>(),
            Self::Other(of) => 0.5 + of.iter().map(Self::weight).sum::<f64>(),
        }
    }

    /// Some bits of it.
    pub fn part(&self, low: u32, width: u32) -> Self {
        Self::Select {
            from: Box::new(self.clone()),
            low: Box::new(Self::Constant(low.into())),
            width,
        }
    }

    /// What it is made of.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Node { of, .. } | Self::Repeated { of, .. } => vec![of],
            Self::Constant(_) | Self::Bits { .. } => Vec::new(),
            Self::Select { from, low, .. } => vec![from, low],
            Self::Element { index, .. } => vec![index],
            Self::Chosen {
                condition,
                then,
                other,
            } => vec![condition, then, other],
            Self::Concat { high, low, .. } => vec![high, low],
            Self::Operator { of, .. } | Self::Other(of) => of.iter().collect(),
        }
    }

    /// What it is, without the node that it comes of.
    pub fn plain(&self) -> &Self {
        match self {
            Self::Node { of, .. } => of.plain(),
            other => other,
        }
    }

    /// How many bits it has, where that is known.
    pub fn width(&self) -> Option<u32> {
        let width = match self {
            Self::Node { of, .. } => return of.width(),
            Self::Bits { width, .. }
            | Self::Select { width, .. }
            | Self::Element { width, .. }
            | Self::Operator { width, .. } => *width,
            Self::Chosen { then, .. } => return then.width(),
            Self::Concat {
                high, low_width, ..
            } => high.width()?.checked_add(*low_width)?,
            Self::Repeated {
                of_width, times, ..
            } => of_width.checked_mul(*times)?,
            Self::Constant(_) | Self::Other(_) => return None,
        };
        (width != u32::MAX).then_some(width)
    }

    /// The value of some of its bits, if it is known: 64 at most.
    pub fn part_value(&self, at: u32, bits: u32, of: &impl Values) -> Option<u64> {
        let whole = || Some(self.value(of)?.checked_shr(at).unwrap_or(0) & mask(bits));
        if bits > 64 {
            return None;
        }
        match self {
            Self::Node { node, .. } if of.is_changed(*node) => whole(),
            Self::Node { of: inner, .. } => inner.part_value(at, bits, of),
            Self::Bits { span, width } => {
                let bits = bits.min(width.saturating_sub(at));
                if bits == 0 {
                    return Some(0);
                }
                of.bits(&Span {
                    signal: span.signal,
                    low: span.low + at,
                    width: bits,
                })
            }
            Self::Select { from, low, width } => {
                let low = u32::try_from(low.value(of)?).ok()?;
                let bits = bits.min(width.saturating_sub(at));
                from.part_value(low.checked_add(at)?, bits, of)
            }
            Self::Element {
                elements,
                index,
                width,
            } => match elements.get(index.value(of)? as usize) {
                Some(&span) => {
                    let width = *width;
                    Self::Bits { span, width }.part_value(at, bits, of)
                }
                None => Some(0),
            },
            Self::Chosen {
                condition,
                then,
                other,
            } => match condition.value(of)? {
                0 => other.part_value(at, bits, of),
                _ => then.part_value(at, bits, of),
            },
            Self::Concat {
                high,
                low,
                low_width,
            } => {
                if at >= *low_width {
                    return high.part_value(at - low_width, bits, of);
                }
                let below = bits.min(low_width - at);
                let value = low.part_value(at, below, of)?;
                match bits - below {
                    0 => Some(value),
                    rest => Some(high.part_value(0, rest, of)? << below | value),
                }
            }
            Self::Repeated {
                of: one,
                of_width,
                times,
            } => {
                let (width, all) = (*of_width, of_width.checked_mul(*times)?);
                let mut value = 0;
                let mut found = 0;
                let copy = (width <= 64).then(|| one.value(of));
                // Bits beyond the last copy are zeros.
                while found < bits && at + found < all {
                    let low = (at + found) % width;
                    let some = (bits - found).min(width - low);
                    let part = match copy {
                        Some(copy) => copy? >> low & mask(some),
                        None => one.part_value(low, some, of)?,
                    };
                    value |= part << found;
                    found += some;
                }
                Some(value)
            }
            Self::Operator {
                operator: operator @ (Operator::And | Operator::Or | Operator::Xor | Operator::Not),
                of: operands,
                ..
            } => {
                let mut parts = operands
                    .iter()
                    .map(|operand| operand.part_value(at, bits, of));
                let one = parts.next()??;
                if *operator == Operator::Not {
                    return Some(!one & mask(bits));
                }
                if *operator == Operator::And && one == 0 {
                    return Some(0);
                }
                let other = parts.next()??;
                Some(match operator {
                    Operator::And => one & other,
                    Operator::Or => one | other,
                    _ => one ^ other,
                })
            }
            _ => whole(),
        }
    }

    /// What it is by constants alone.
    pub fn constant(&self) -> Option<u64> {
        self.value(&|_: &Span| None)
    }

    /// Its value, if it is known and has at most 64 bits.
    pub fn value(&self, of: &impl Values) -> Option<u64> {
        Some(match self {
            Self::Node { node, of: inner } => match of.changed(*node, inner) {
                Some(value) => value?,
                None => inner.value(of)?,
            },
            Self::Constant(value) => *value,
            Self::Bits { span, width } => {
                let narrow = Span {
                    width: span.width.min(*width),
                    ..*span
                };
                (*width <= 64).then(|| of.bits(&narrow)).flatten()? & mask(*width)
            }
            Self::Select { from, low, width } => {
                let low = u32::try_from(low.value(of)?).ok()?;
                from.part_value(low, *width, of)?
            }
            Self::Element {
                elements,
                index,
                width,
            } => {
                let index = index.value(of)? as usize;
                // Beyond the last one Verilator reads zeros.
                let Some(element) = elements.get(index) else {
                    return Some(0);
                };
                let span = Span {
                    width: *width,
                    ..*element
                };
                (*width <= 64).then(|| of.bits(&span)).flatten()? & mask(*width)
            }
            Self::Chosen {
                condition,
                then,
                other,
            } => match condition.value(of)? {
                0 => other.value(of)?,
                _ => then.value(of)?,
            },
            Self::Concat {
                high,
                low,
                low_width,
            } => high.value(of)?.checked_shl(*low_width)? | low.value(of)?,
            Self::Repeated {
                of_width, times, ..
            } => self.part_value(0, of_width.checked_mul(*times)?, of)?,
            Self::Operator {
                operator,
                of: operands,
                width,
            } => Self::operate(*operator, operands, *width, of)?,
            Self::Other(_) => return None,
        })
    }

    /// The value of an operator with its operands.
    pub fn operate(
        operator: Operator,
        operands: &[Self],
        width: u32,
        of: &impl Values,
    ) -> Option<u64> {
        let first = operands.first()?;
        let one = first.value(of);
        let is_conjunction = matches!(operator, Operator::And | Operator::LogicalAnd);
        match operator {
            // One operand may be enough.
            _ if is_conjunction && one == Some(0) => return Some(0),
            Operator::LogicalOr if one.is_some_and(|one| one != 0) => return Some(1),
            _ => {}
        }
        if one.is_none() && !is_conjunction {
            return None;
        }
        // Once, as it may be as large as the whole.
        let second = operands.get(1).and_then(|second| second.value(of));
        if is_conjunction && second == Some(0) {
            return Some(0);
        }
        let second = || second;
        let one = one?;
        // Constants alone are those of a loop, which counts with an `int`.
        let signed_width = || {
            let mut widths = operands.iter().filter_map(Self::width);
            let is_constant = |of: &Self| matches!(of.plain(), Self::Constant(0..=0xFFFF_FFFF));
            let of_loop = operands.iter().all(is_constant).then_some(32);
            widths.next().or(of_loop)
        };
        let signed = |value: u64| -> Option<i64> {
            let unused = 64 - signed_width().filter(|width| *width <= 64)?;
            Some((value << unused) as i64 >> unused)
        };
        Some(match operator {
            Operator::SignedLess => (signed(one)? < signed(second()?)?).into(),
            Operator::SignedLessOrEqual => (signed(one)? <= signed(second()?)?).into(),
            Operator::SignedGreater => (signed(one)? > signed(second()?)?).into(),
            Operator::SignedGreaterOrEqual => (signed(one)? >= signed(second()?)?).into(),
            Operator::Not => !one & mask(width),
            Operator::LogicalNot => (one == 0).into(),
            Operator::AllOnes => (one == mask(first.width()?)).into(),
            Operator::AnyOne => (one != 0).into(),
            Operator::Parity => (one.count_ones() % 2).into(),
            Operator::And => one & second()?,
            Operator::Or => one | second()?,
            Operator::Xor => one ^ second()?,
            Operator::LogicalAnd => (second()? != 0).into(),
            Operator::LogicalOr => (second()? != 0).into(),
            Operator::Equal => (one == second()?).into(),
            Operator::Different => (one != second()?).into(),
            Operator::Less => (one < second()?).into(),
            Operator::LessOrEqual => (one <= second()?).into(),
            Operator::Greater => (one > second()?).into(),
            Operator::GreaterOrEqual => (one >= second()?).into(),
            Operator::Add => one.wrapping_add(second()?) & mask(width),
            Operator::Subtract => one.wrapping_sub(second()?) & mask(width),
            Operator::Multiply => one.wrapping_mul(second()?) & mask(width),
            // Signed ones of what is positive alone: indices are.
            Operator::Divide => one.checked_div(second()?)?,
            Operator::Remainder => one.checked_rem(second()?)?,
            Operator::ShiftLeft => one.checked_shl(second()? as u32).unwrap_or(0) & mask(width),
            Operator::ShiftRight => one.checked_shr(second()? as u32).unwrap_or(0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::fixture::{bits, of, operator};

    #[test]
    fn values() {
        let and = operator(Operator::And, [bits(2, 4), Expression::Constant(0b0110)], 4);
        assert_eq!(and.value(&of), Some(0b0010));
        let not = Expression::Operator {
            operator: Operator::Not,
            of: vec![bits(2, 4)],
            width: 4,
        };
        assert_eq!(not.value(&of), Some(0b0101));
        assert_eq!(bits(3, 16).part(4, 8).value(&of), Some(0xbc));
        let both = Expression::Concat {
            high: Box::new(bits(2, 4)),
            low: Box::new(bits(3, 16)),
            low_width: 16,
        };
        assert_eq!(both.value(&of), Some(0xaabcd));
        assert_eq!(bits(9, 1).value(&of), None);
        // One operand that is 0 is enough.
        let lost = operator(Operator::And, [bits(9, 1), bits(0, 1)], 1);
        assert_eq!(lost.value(&of), Some(0));
    }

    /// What is nested is looked at once, or this would not end.
    #[test]
    fn operands_are_looked_at_once() {
        let all = (0..64).fold(bits(1, 1), |all, _| {
            operator(Operator::And, [bits(1, 1), all], 1)
        });
        assert_eq!(all.value(&of), Some(1));
    }

    #[test]
    fn copies_are_side_by_side() {
        let repeated = |of: Expression, of_width, times| Expression::Repeated {
            of: Box::new(of),
            of_width,
            times,
        };
        let nibbles = repeated(bits(2, 4), 4, 3);
        assert_eq!(nibbles.width(), Some(12));
        assert_eq!(nibbles.value(&of), Some(0xaaa));
        assert_eq!(nibbles.part(2, 9).value(&of), Some(0b0_1010_1010));
        assert_eq!(nibbles.part(10, 8).value(&of), Some(0b10));
        // Of more than 64 bits some.
        let words = repeated(bits(3, 16), 16, 8);
        assert_eq!(words.value(&of), None);
        assert_eq!(words.part(72, 48).value(&of), Some(0xcdab_cdab_cdab));
        let wide = repeated(nibbles.clone(), 12, 8);
        assert_eq!(wide.part(88, 8).value(&of), Some(0xaa));
        assert_eq!(repeated(bits(9, 1), 1, 4).value(&of), None);
        assert_eq!(repeated(bits(1, 4).part(2, 1), 1, 32).weight(), 0.25);
    }

    #[test]
    fn loops_count_with_signed_numbers() {
        let less = |one: u64, two: u64| Expression::Operator {
            operator: Operator::SignedLess,
            of: vec![Expression::Constant(one), Expression::Constant(two)],
            width: 1,
        };
        assert_eq!(less(3, 31).value(&of), Some(1));
        assert_eq!(less(31, 31).value(&of), Some(0));
        assert_eq!(less(0xFFFF_FFFF, 0).value(&of), Some(1));
    }

    #[test]
    fn beyond_an_array_are_zeros() {
        let element = |index| Expression::Element {
            elements: vec![Span {
                signal: 3,
                low: 0,
                width: 16,
            }],
            index: Box::new(Expression::Constant(index)),
            width: 16,
        };
        assert_eq!(element(0).value(&of), Some(0xabcd));
        assert_eq!(element(1).value(&of), Some(0));
        assert_eq!(element(1).part(4, 8).value(&of), Some(0));
    }

    #[test]
    fn what_hands_on_weighs_nothing() {
        assert_eq!(bits(1, 4).weight(), 0.0);
        let wired = bits(1, 4).part(2, 1);
        assert!(wired.weight() > 0.0 && wired.weight() < 1.0);
        let and = operator(Operator::And, [bits(1, 1), bits(0, 1)], 1);
        assert_eq!(and.weight(), 1.0);
    }
}
