//! Computes expressions row by row.

use std::collections::VecDeque;

use lockstep_vcd::{Bits, State, Value};

use super::bind::{Expression, Operation, Term};
use super::operators::{
    and, bit, both, count_ones, either, equal, extended, known, less, negated, not, or, reduce_and,
    reduce_xor, truth, unknown, wild_equal, xor,
};
use super::tree::{Binary, Function, Unary};

/// Computes an expression for one row after the other.
#[derive(Clone, Debug)]
pub struct Evaluator<'e> {
    expression: &'e Expression,
    /// For each function that looks back, the values of the rows before, the oldest first.
    past: Vec<VecDeque<Bits>>,
}

impl<'e> Evaluator<'e> {
    /// Before the first row.
    pub fn new(expression: &'e Expression) -> Self {
        Self {
            expression,
            past: vec![VecDeque::new(); expression.histories.len()],
        }
    }

    /// Whether the expression holds in the next row, in which its signals have the first of these values: 1, 0, or x if
    /// that is not known. A signal without a value is x, an event is 1 if it has one.
    pub fn next(&mut self, values: &[Option<Value>]) -> State {
        let mut row = Row {
            events: &self.expression.events,
            values,
            histories: &self.expression.histories,
            past: &mut self.past,
        };
        truth(&row.value(&self.expression.root))
    }
}

struct Row<'r> {
    events: &'r [bool],
    values: &'r [Option<Value>],
    histories: &'r [usize],
    past: &'r mut [VecDeque<Bits>],
}

impl Row<'_> {
    /// All of a term is computed in every row, so that nothing is missing in a history.
    fn value(&mut self, term: &Term) -> Bits {
        let value = match &term.operation {
            Operation::Constant(bits, _) => return bits.clone(),
            Operation::Signal(place, width) => self.signal(*place, *width),
            Operation::Unary(operator, operand) => unary(*operator, &self.value(operand)),
            Operation::Binary(operator, operands) => {
                let [one, two] = [self.value(&operands[0]), self.value(&operands[1])];
                binary(*operator, [&one, &two])
            }
            Operation::Call(function, operand, place) => {
                let now = self.value(operand);
                self.call(*function, now, *place)
            }
        };
        match value.width() == term.width {
            true => value,
            false => extended(&value, term.width, State::Zero),
        }
    }

    fn signal(&self, place: usize, width: u32) -> Bits {
        match (self.values.get(place), self.events.get(place)) {
            (Some(value), Some(true)) => known(value.is_some()),
            (Some(Some(Value::Bits(bits))), _) => bits.clone(),
            _ => unknown(width),
        }
    }

    fn call(&mut self, function: Function, now: Bits, place: usize) -> Bits {
        match function {
            Function::IsUnknown => known(!now.is_known()),
            Function::CountOnes => Bits::from_u64(count_ones(&now).into(), 32),
            Function::OneHot => known(count_ones(&now) == 1),
            Function::OneHotOrZero => known(count_ones(&now) <= 1),
            Function::Past(_) => {
                let width = now.width();
                self.before(now, place).unwrap_or_else(|| unknown(width))
            }
            Function::Rose | Function::Fell => {
                let (state, now) = match function {
                    Function::Rose => (State::One, lowest(&now)),
                    _ => (State::Zero, lowest(&now)),
                };
                let before = self.before(bit(now), place);
                known(now == state && before.is_some_and(|before| lowest(&before) != state))
            }
            Function::Changed | Function::Stable => {
                let before = self.before(now.clone(), place);
                let changed = before.is_some_and(|before| before != now);
                known(changed == (function == Function::Changed))
            }
        }
    }

    /// The value so many rows before as a history has; enters the one of this row.
    fn before(&mut self, now: Bits, place: usize) -> Option<Bits> {
        let rows = self.histories[place];
        let past = &mut self.past[place];
        let before = match past.len() == rows {
            true => past.pop_front(),
            false => None,
        };
        past.push_back(now);
        before
    }
}

fn lowest(value: &Bits) -> State {
    value.bit(0).unwrap_or(State::X)
}

fn unary(operator: Unary, operand: &Bits) -> Bits {
    bit(match operator {
        Unary::Not => return not(operand),
        Unary::LogicalNot => negated(truth(operand)),
        Unary::ReduceAnd => reduce_and(operand),
        Unary::ReduceOr => truth(operand),
        Unary::ReduceXor => reduce_xor(operand),
    })
}

fn binary(operator: Binary, operands: [&Bits; 2]) -> Bits {
    let [one, two] = operands;
    bit(match operator {
        Binary::And => return and(operands),
        Binary::Or => return or(operands),
        Binary::Xor => return xor(operands),
        Binary::CaseEqual => return known(one == two),
        Binary::CaseNotEqual => return known(one != two),
        Binary::LogicalAnd => both(truth(one), truth(two)),
        Binary::LogicalOr => either(truth(one), truth(two)),
        Binary::Equal => equal(operands),
        Binary::NotEqual => negated(equal(operands)),
        Binary::WildEqual => wild_equal(operands),
        Binary::WildNotEqual => negated(wild_equal(operands)),
        Binary::Less => less(operands),
        Binary::Greater => less([two, one]),
        Binary::LessOrEqual => negated(less([two, one])),
        Binary::GreaterOrEqual => negated(less(operands)),
    })
}

#[cfg(test)]
mod tests {
    use lockstep_vcd::{BitsRef, Header, Slice, Source};

    use super::*;

    fn header() -> Header {
        let dump = Slice::new(
            b"$var wire 4 a a [3:0] $end $var wire 8 b b [7:0] $end $var wire 1 c c $end $var event 1 e e $end \
              $var real 64 r r $end $enddefinitions $end",
        );
        Header::clone(dump.expect("a dump").header())
    }

    fn value(digits: &str) -> Option<Value> {
        let width = digits.len() as u32;
        let bits = BitsRef::new(digits.as_bytes(), width)?;
        (width > 0).then(|| Value::Bits(bits.to_bits()))
    }

    /// Whether an expression holds in rows of one signal.
    fn holds(text: &str, rows: &[&str]) -> String {
        let expression = Expression::new(text, &header()).unwrap_or_else(|error| panic!("{error}"));
        let mut evaluator = Evaluator::new(&expression);
        let rows = rows
            .iter()
            .map(|digits| evaluator.next(&[value(digits)]).to_char());
        rows.collect()
    }

    #[test]
    fn functions_look_back_row_by_row() {
        assert_eq!(holds("$rose(c)", &["1", "0", "1", "1", "x", "1"]), "001001");
        assert_eq!(holds("$fell(c)", &["0", "1", "0", "x", "0"]), "00101");
        assert_eq!(
            holds("$changed(a)", &["0000", "0000", "0001", "000x", "000x"]),
            "00110"
        );
        assert_eq!(holds("$stable(a)", &["0000", "0000", "0001"]), "110");
        assert_eq!(holds("$past(a) == 2", &["0010", "0001", "0000"]), "x10");
        // A signal without a value is x, and as wide as it is.
        assert_eq!(holds("a != c", &["0100", "0001", "0000"]), "1xx");
        assert_eq!(holds("$past(a, 2) == 2", &["0010", "0001", "0000"]), "xx1");
        assert_eq!(
            holds("$past($past(a)) == 2", &["0010", "0001", "0000"]),
            "xx1"
        );
        // The lowest bit counts, and nothing is skipped where the left side is false.
        assert_eq!(holds("$rose(a)", &["0010", "0100", "0101"]), "001");
        assert_eq!(holds("a[3] && $rose(a[0])", &["0000"]), "0");
    }

    #[test]
    fn operands_are_as_wide_as_what_they_meet() {
        assert_eq!(holds("~a == 8'hf0", &["1111"]), "1");
        assert_eq!(holds("~a == 4'h0", &["1111"]), "1");
        // A number without a size has 32 bits, as in SystemVerilog.
        assert_eq!(holds("~a == 0", &["1111"]), "0");
        assert_eq!(holds("(a | 8'h80) == 8'h81", &["0001"]), "1");
        assert_eq!(holds("a == '1", &["1111"]), "1");
        assert_eq!(holds("~(a == 4'h1) == 1'b0", &["0001"]), "1");
    }

    #[test]
    fn what_is_not_known_is_not_true() {
        assert_eq!(holds("a == 4'hf", &["111x", "011x", "1111", ""]), "x01x");
        assert_eq!(holds("a === 4'b111x", &["111x", "1110"]), "10");
        assert_eq!(
            holds("a ==? 4'b1??0", &["1010", "1x10", "1011", "x000"]),
            "110x"
        );
        assert_eq!(holds("a !=? 4'b1???", &["1010", "0000"]), "01");
        assert_eq!(holds("a < 3", &["0010", "0011", "001x"]), "10x");
        assert_eq!(holds("!a", &["0000", "000x", "0x10"]), "1x0");
        assert_eq!(holds("c && 0 || c", &["x", "1"]), "x1");
        assert_eq!(holds("$isunknown(a)", &["000z", "0000", ""]), "101");
        assert_eq!(holds("a === 'x", &["xxxx", "xxx0"]), "10");
    }

    #[test]
    fn bits_are_counted() {
        assert_eq!(
            holds("$countones(a) == 2", &["1010", "1x10", "1110"]),
            "110"
        );
        assert_eq!(holds("$onehot(a)", &["0100", "0000", "0110"]), "100");
        assert_eq!(holds("$onehot0(a)", &["0100", "0000", "0110"]), "110");
        assert_eq!(holds("^a", &["0100", "0110", "x000"]), "10x");
        assert_eq!(holds("~&a", &["1111", "0111"]), "01");
        assert_eq!(holds("~&a == 1", &["1111", "0111"]), "01");
    }

    #[test]
    fn events_are_1_where_they_are_triggered() {
        assert_eq!(holds("e", &["0", ""]), "10");
    }

    #[test]
    fn signals_must_have_bits() {
        let message = |text: &str| {
            Expression::new(text, &header())
                .expect_err(text)
                .to_string()
        };
        assert_eq!(
            message("c && r > 3"),
            "expected a signal of bits, found `r`, a real (column 6)\n  c && r > 3\n       ^"
        );
        assert_eq!(
            message("a[4:1] == 1"),
            "expected bits of `a` within [3:0], found [4:1] (column 1)\n  a[4:1] == 1\n  ^^^^^^"
        );
        assert!(message("no == 1").starts_with("expected a variable `no`, found none"));
    }

    /// Words in any order are an expression or an error with a place in the text, and never a panic.
    #[test]
    fn any_words_are_an_expression_or_an_error() {
        const WORDS: [&str; 40] = [
            "a",
            "b",
            "c",
            "e",
            "a[1]",
            "b[7:4]",
            "b[9]",
            "r",
            "(",
            ")",
            "(",
            ")",
            "!",
            "~",
            "&",
            "|",
            "^",
            "==",
            "!==",
            "==?",
            "<=",
            ">",
            "&&",
            "||",
            "$rose(",
            "$past(",
            ", 2)",
            "$countones(",
            "$x",
            "4'b1x?0",
            "'1",
            "'hz",
            "0xff",
            "3",
            "70'd5",
            "\\b ",
            ".",
            "[",
            "'",
            "\u{e4}",
        ];
        let header = header();
        let (mut state, mut good) = (1_u64, 0);
        let mut draw = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        for _ in 0..50_000 {
            let length = 1 + draw(9);
            let text: String = (0..length).map(|_| WORDS[draw(WORDS.len())]).collect();
            match Expression::new(&text, &header) {
                Ok(expression) => {
                    good += 1;
                    let mut evaluator = Evaluator::new(&expression);
                    let values = [value("10xz"), value("00001111"), None, value("1")];
                    for row in 0..3 {
                        evaluator.next(&values[row..]);
                    }
                }
                Err(error) => {
                    assert!(text.get(error.at.clone()).is_some(), "{text:?} {error:?}");
                    assert!(error.message.starts_with("expected"), "{error}");
                }
            }
        }
        assert!(good > 1000, "{good}");
    }
}
