//! What the value of an expression comes of.

use super::expression::{Expression, Operator, Values, mask};
use super::netlist::Condition;
use super::span::Span;

/// All bits of an expression.
pub const ALL: u32 = u32::MAX;

/// What a value comes of, as far as is known: not what is not chosen, and of a conjunction that is 0 only the operands that are
/// 0.
#[derive(Default)]
pub struct Live {
    pub spans: Vec<Span>,
    /// The nodes of the source in which it is made; some may be there twice.
    pub nodes: Vec<u32>,
}

impl Live {
    /// What decides a condition.
    pub fn condition(&mut self, condition: &Condition, of: &impl Values) {
        self.part(&condition.value, (0, ALL), of);
        let value = condition.value.value(of);
        let meets = |one: &&Expression| value.is_some() && one.value(of) == value;
        // Of what it must not be, one that it is decides alone.
        if let Some(met) = condition.not.iter().find(meets) {
            return self.part(met, (0, ALL), of);
        }
        for one in &condition.not {
            self.part(one, (0, ALL), of);
        }
        match condition.is.iter().find(meets) {
            Some(met) => self.part(met, (0, ALL), of),
            None => condition
                .is
                .iter()
                .for_each(|one| self.part(one, (0, ALL), of)),
        }
    }

    /// What some bits of an expression come of: the lowest one, and how many.
    pub fn part(&mut self, from: &Expression, (at, bits): (u32, u32), of: &impl Values) {
        let all = (0, ALL);
        match from {
            Expression::Node { node, of: inner } => {
                self.nodes.push(*node);
                self.part(inner, (at, bits), of);
            }
            Expression::Constant(_) => {}
            Expression::Bits { span, width } => self.span(*span, *width, (at, bits)),
            Expression::Select { from, low, width } => {
                self.part(low, all, of);
                match low.value(of).map(u32::try_from) {
                    Some(Ok(low)) if at < *width => {
                        let part = (low.saturating_add(at), bits.min(width - at));
                        self.part(from, part, of);
                    }
                    Some(_) => {}
                    None => self.part(from, all, of),
                }
            }
            Expression::Element {
                elements,
                index,
                width,
            } => {
                self.part(index, all, of);
                match index.value(of) {
                    Some(index) => {
                        if let Some(span) = elements.get(index as usize) {
                            self.span(*span, *width, (at, bits));
                        }
                    }
                    None => self.spans.extend(elements),
                }
            }
            Expression::Chosen {
                condition,
                then,
                other,
            } => {
                self.part(condition, all, of);
                let value = condition.value(of);
                if value != Some(0) {
                    self.part(then, (at, bits), of);
                }
                if value.is_none_or(|value| value == 0) {
                    self.part(other, (at, bits), of);
                }
            }
            Expression::Concat {
                high,
                low,
                low_width,
            } => {
                let below = low_width.saturating_sub(at).min(bits);
                if below > 0 {
                    self.part(low, (at, below), of);
                }
                if bits > below {
                    let rest = if bits == ALL { ALL } else { bits - below };
                    self.part(high, (at.saturating_sub(*low_width), rest), of);
                }
            }
            Expression::Repeated {
                of: one, of_width, ..
            } => match at % of_width {
                low if bits <= of_width - low => self.part(one, (low, bits), of),
                _ => self.part(one, all, of),
            },
            Expression::Operator {
                operator,
                of: operands,
                width,
            } => {
                let bits = bits.min(width.saturating_sub(at));
                self.operator(*operator, operands, (at, bits), of);
            }
            Expression::Other(parts) => parts.iter().for_each(|one| self.part(one, all, of)),
        }
    }

    fn span(&mut self, span: Span, width: u32, (at, bits): (u32, u32)) {
        if at == 0 && bits >= width {
            self.spans.push(span);
        } else if at < width {
            self.spans.push(Span {
                low: span.low + at,
                width: bits.min(width - at),
                ..span
            });
        }
    }

    fn operator(
        &mut self,
        operator: Operator,
        operands: &[Expression],
        (at, bits): (u32, u32),
        of: &impl Values,
    ) {
        // Of which bits of its operands these bits come.
        let part = match operator {
            Operator::And | Operator::Or | Operator::Xor | Operator::Not => (at, bits),
            _ => (0, ALL),
        };
        let decides = |value: u64| match operator {
            Operator::And | Operator::LogicalAnd => value == 0,
            Operator::Or => value == mask(bits),
            Operator::LogicalOr => value != 0,
            _ => false,
        };
        let value = |operand: &Expression| match part {
            (_, ALL) => operand.value(of),
            (at, bits) => operand.part_value(at, bits, of),
        };
        let deciding = |operand: &Expression| value(operand).is_some_and(decides);
        let deciding: Vec<bool> = operands.iter().map(deciding).collect();
        let any = deciding.contains(&true);
        for (operand, decides) in operands.iter().zip(deciding) {
            if decides || !any {
                self.part(operand, part, of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::fixture::{bits, of, operator};

    fn live(expression: &Expression) -> Live {
        let mut live = Live::default();
        live.part(expression, (0, ALL), &of);
        live
    }

    fn signals(expression: &Expression) -> Vec<u32> {
        live(expression)
            .spans
            .iter()
            .map(|span| span.signal)
            .collect()
    }

    #[test]
    fn what_is_not_chosen_is_of_no_matter() {
        let chosen = |condition| Expression::Chosen {
            condition: Box::new(bits(condition, 1)),
            then: Box::new(bits(2, 4)),
            other: Box::new(bits(3, 16)),
        };
        assert_eq!(signals(&chosen(1)), [1, 2]);
        assert_eq!(signals(&chosen(0)), [0, 3]);
        assert_eq!(signals(&chosen(9)), [9, 2, 3]);
        // A conjunction is 0 because of the operand that is.
        let and = operator(Operator::And, [bits(1, 1), bits(0, 1)], 1);
        assert_eq!(signals(&and), [0]);
        let both = operator(Operator::And, [bits(1, 1), bits(1, 1)], 1);
        assert_eq!(signals(&both), [1, 1]);
        let part = Expression::Concat {
            high: Box::new(bits(2, 4)),
            low: Box::new(bits(3, 16)),
            low_width: 16,
        };
        assert_eq!(signals(&part.part(16, 2)), [2]);
        assert_eq!(signals(&part.part(3, 2)), [3]);
        assert_eq!(signals(&part.part(14, 4)), [3, 2]);
        let copies = Expression::Repeated {
            of: Box::new(part),
            of_width: 20,
            times: 3,
        };
        assert_eq!(signals(&copies.part(37, 2)), [2]);
        assert_eq!(signals(&copies.part(37, 4)), [3, 2]);
    }

    #[test]
    fn of_bits_that_are_combined_only_those_that_are_meant_are() {
        let node = |node, of: Expression| Expression::Node {
            node,
            of: Box::new(of),
        };
        // Bit 1 of signal 2 is 1, bit 0 is not.
        let and = operator(Operator::And, [node(5, bits(2, 4)), node(6, bits(3, 4))], 4);
        let one = |at| {
            let live = live(&and.part(at, 1));
            let spans: Vec<_> = live.spans.iter().map(|s| (s.signal, s.low)).collect();
            (spans, live.nodes)
        };
        assert_eq!(one(0), (vec![(2, 0)], vec![5]));
        assert_eq!(one(1), (vec![(3, 1)], vec![6]));
        assert_eq!(one(3), (vec![(2, 3), (3, 3)], vec![5, 6]));
    }
}
