//! The grammar of expressions, as nom parsers.

use std::ops::Range;

use lockstep_vcd::{Bits, BitsRef, State};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{anychar, char, digit1, multispace0, one_of, satisfy};
use nom::combinator::{not, opt, peek, recognize, value};
use nom::error::ErrorKind;
use nom::multi::many0_count;
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use super::ExpressionError;
use super::operators::extended;
use super::tree::{Binary, Function, Node, Number, Tree, Unary};

/// Longest expression, in bytes.
const LONGEST: usize = 4096;

/// Deepest nesting.
const DEEPEST: usize = 64;

/// Widest number, in bits.
const WIDEST: u32 = 1 << 16;

/// Most rows that `$past` looks back.
const FARTHEST: u16 = 1024;

/// Width of a number without a size, at least.
const UNSIZED: u32 = 32;

const OPERAND: &str = "a signal, a number or `(`";

/// What is wrong, and where.
#[derive(Debug)]
struct Fault<'t> {
    /// What follows.
    at: &'t str,
    /// Bytes at fault.
    length: usize,
    message: String,
}

type Parsed<'t, T> = IResult<&'t str, T, Fault<'t>>;

impl<'t> nom::error::ParseError<&'t str> for Fault<'t> {
    fn from_error_kind(at: &'t str, _: ErrorKind) -> Self {
        expected(at, OPERAND)
    }

    fn append(_: &'t str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// A fault at the next token.
fn expected<'t>(at: &'t str, what: &str) -> Fault<'t> {
    let at = at.trim_start();
    let word = at.find(|c: char| !(c.is_alphanumeric() || "_$.".contains(c)));
    let length = match (word.unwrap_or(at.len()), at.chars().next()) {
        (0, Some(first)) => first.len_utf8(),
        (length, _) => length,
    };
    let found = match &at[..length] {
        "" => "the end".to_owned(),
        token => format!("`{}`", lockstep_base::printable::printable(token)),
    };
    Fault {
        at,
        length,
        message: format!("expected {what}, found {found}"),
    }
}

/// A fault that no alternative mends.
const fn failure<T>(fault: Fault<'_>) -> Parsed<'_, T> {
    Err(nom::Err::Failure(fault))
}

/// A fault of `length` bytes that are there, but mean nothing.
fn wrong<T>(at: &str, length: usize, message: String) -> Parsed<'_, T> {
    failure(Fault {
        at,
        length,
        message,
    })
}

/// Reads an expression.
///
/// # Errors
/// It is none.
pub fn parse(text: &str) -> Result<Tree, ExpressionError> {
    let error = |at: Range<usize>, message: String| ExpressionError {
        text: text.to_owned(),
        at,
        message,
        is_signal: false,
    };
    if text.len() > LONGEST {
        let message = format!(
            "expected an expression of at most {LONGEST} bytes, found {}",
            text.len()
        );
        return Err(ExpressionError {
            text: text.chars().take(LONGEST / 64).collect::<String>() + "...",
            at: 0..0,
            message,
            is_signal: false,
        });
    }
    let grammar = Grammar { length: text.len() };
    let fault = match grammar.operation(text, 0, 0) {
        Ok((rest, tree)) if rest.trim_start().is_empty() => return Ok(tree),
        Ok((rest, _)) => expected(rest, "an operator or the end"),
        Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => fault,
        Err(nom::Err::Incomplete(_)) => expected("", OPERAND),
    };
    let start = text.len() - fault.at.len();
    Err(error(start..start + fault.length, fault.message))
}

/// Operators by how weakly they bind.
const LEVELS: [&[Binary]; 7] = [
    &[Binary::LogicalOr],
    &[Binary::LogicalAnd],
    &[Binary::Or],
    &[Binary::Xor],
    &[Binary::And],
    &[
        Binary::Equal,
        Binary::NotEqual,
        Binary::CaseEqual,
        Binary::CaseNotEqual,
        Binary::WildEqual,
        Binary::WildNotEqual,
    ],
    &[
        Binary::Less,
        Binary::LessOrEqual,
        Binary::Greater,
        Binary::GreaterOrEqual,
    ],
];

/// An operator between operands: the longest that stands there.
fn binary(input: &str) -> Parsed<'_, Binary> {
    let equalities = alt((
        value(Binary::CaseEqual, tag("===")),
        value(Binary::CaseNotEqual, tag("!==")),
        value(Binary::WildEqual, tag("==?")),
        value(Binary::WildNotEqual, tag("!=?")),
        value(Binary::Equal, tag("==")),
        value(Binary::NotEqual, tag("!=")),
    ));
    let others = alt((
        value(Binary::LogicalOr, tag("||")),
        value(Binary::LogicalAnd, tag("&&")),
        value(Binary::LessOrEqual, tag("<=")),
        value(Binary::GreaterOrEqual, tag(">=")),
        value(Binary::Less, tag("<")),
        value(Binary::Greater, tag(">")),
        value(Binary::Or, tag("|")),
        value(Binary::Xor, tag("^")),
        value(Binary::And, tag("&")),
    ));
    preceded(multispace0, alt((equalities, others))).parse(input)
}

/// An operator before its operand, and whether its result is negated as a truth.
fn unary(input: &str) -> Parsed<'_, (Unary, bool)> {
    alt((
        value((Unary::ReduceAnd, true), tag("~&")),
        value((Unary::ReduceOr, true), tag("~|")),
        value((Unary::ReduceXor, true), alt((tag("~^"), tag("^~")))),
        value((Unary::Not, false), char('~')),
        value((Unary::LogicalNot, false), char('!')),
        value((Unary::ReduceAnd, false), char('&')),
        value((Unary::ReduceOr, false), char('|')),
        value((Unary::ReduceXor, false), char('^')),
    ))
    .parse(input)
}

/// What needs to know where in the text it is.
struct Grammar {
    /// Of the whole text, in bytes.
    length: usize,
}

impl Grammar {
    /// Bytes before a rest of the text.
    const fn offset(&self, rest: &str) -> usize {
        self.length - rest.len()
    }

    /// What is between two rests of the text.
    const fn between(&self, start: &str, end: &str) -> Range<usize> {
        self.offset(start)..self.offset(end)
    }

    /// Operators of a level and those that bind more strongly.
    fn operation<'t>(&self, input: &'t str, level: usize, depth: usize) -> Parsed<'t, Tree> {
        let Some(operators) = LEVELS.get(level) else {
            return self.operand(input, depth);
        };
        let (mut rest, mut tree) = self.operation(input, level + 1, depth)?;
        while let Ok((after, operator)) = binary(rest)
            && operators.contains(&operator)
        {
            let (after, right) = self.operation(after, level + 1, depth)?;
            let at = tree.at.start..right.at.end;
            tree = Tree {
                node: Node::Binary(operator, Box::new([tree, right])),
                at,
            };
            rest = after;
        }
        Ok((rest, tree))
    }

    fn operand<'t>(&self, input: &'t str, depth: usize) -> Parsed<'t, Tree> {
        let (start, _) = multispace0(input)?;
        if depth > DEEPEST {
            let message =
                format!("expected at most {DEEPEST} expressions in each other, found more");
            return wrong(start, 1, message);
        }
        if let Ok((rest, (operator, negated))) = unary(start) {
            let (rest, operand) = self.operand(rest, depth + 1)?;
            let at = self.between(start, rest);
            let node = Node::Unary(operator, Box::new(operand));
            let tree = Tree {
                node,
                at: at.clone(),
            };
            let node = match negated {
                true => Node::Unary(Unary::LogicalNot, Box::new(tree)),
                false => tree.node,
            };
            return Ok((rest, Tree { node, at }));
        }
        if let Some(rest) = start.strip_prefix('(') {
            let (rest, tree) = self.operation(rest, 0, depth + 1)?;
            let (rest, ()) = closed(rest)?;
            return Ok((rest, tree));
        }
        let (rest, node) = match start.chars().next() {
            Some('0'..='9' | '\'') => {
                number(start).map(|(rest, number)| (rest, Node::Number(number)))?
            }
            _ => match call(start) {
                Ok((rest, name)) => self.call(start, name, rest, depth)?,
                Err(_) => signal(start)?,
            },
        };
        let at = self.between(start, rest);
        Ok((rest, Tree { node, at }))
    }

    /// A system function, of which `rest` follows the parenthesis.
    fn call<'t>(
        &self,
        start: &'t str,
        name: &'t str,
        rest: &'t str,
        depth: usize,
    ) -> Parsed<'t, Node> {
        let Some(mut function) = Function::named(name) else {
            return failure(expected(
                start,
                "$rose, $fell, $changed, $stable, $past, $isunknown, $countones, $onehot or $onehot0",
            ));
        };
        let (mut rest, operand) = self.operation(rest, 0, depth + 1)?;
        if let Function::Past(rows) = &mut function
            && let (after, Some(_)) = opt(preceded(multispace0, char(','))).parse(rest)?
        {
            (rest, *rows) = count(after)?;
        }
        let (rest, ()) = closed(rest)?;
        Ok((rest, Node::Call(function, Box::new(operand))))
    }
}

/// A closing parenthesis.
fn closed(input: &str) -> Parsed<'_, ()> {
    match input.trim_start().strip_prefix(')') {
        Some(rest) => Ok((rest, ())),
        None => failure(expected(input, "an operator or `)`")),
    }
}

/// A number of rows.
fn count(input: &str) -> Parsed<'_, u16> {
    let number = preceded(multispace0, digit1::<_, Fault<'_>>).parse(input);
    let rows = number.ok().and_then(|(rest, digits)| {
        let rows = digits.parse().ok();
        Some((rest, rows.filter(|rows| (1..=FARTHEST).contains(rows))?))
    });
    match rows {
        Some(rows) => Ok(rows),
        None => failure(expected(
            input,
            &format!("a number of rows, 1 to {FARTHEST}"),
        )),
    }
}

/// Name of a function and its parenthesis.
fn call(input: &str) -> Parsed<'_, &str> {
    let name = take_while1(|c: char| c.is_alphanumeric() || c == '_');
    delimited(char('$'), name, (multispace0, char('('))).parse(input)
}

/// The path of a signal.
fn signal(input: &str) -> Parsed<'_, Node> {
    let mut path = String::new();
    let mut rest = input;
    loop {
        let (after, part) = match escaped(rest) {
            Ok((after, part)) => {
                path.push('\\');
                (after, part)
            }
            Err(_) => {
                let found: Parsed<'_, &str> = name(rest);
                match found {
                    Ok(found) => found,
                    Err(_) if path.is_empty() => {
                        return Err(nom::Err::Error(expected(rest, OPERAND)));
                    }
                    Err(_) => return failure(expected(rest, "a name after the dot")),
                }
            }
        };
        path += part;
        let (after, indices) = recognize(many0_count(index)).parse(after)?;
        path.extend(indices.chars().filter(|c| !c.is_whitespace()));
        if let Some(bits) = after.strip_prefix('[') {
            return failure(expected(bits, "bits, as in `[3]` or `[7:4]`"));
        }
        match after.strip_prefix('.') {
            Some(after) => {
                path.push('.');
                rest = after;
            }
            None => return Ok((after, Node::Signal(path))),
        }
    }
}

fn name(input: &str) -> Parsed<'_, &str> {
    let first = satisfy(|c| c.is_alphabetic() || c == '_' || c == '$');
    recognize((
        first,
        take_while(|c: char| c.is_alphanumeric() || c == '_' || c == '$'),
    ))
    .parse(input)
}

/// A backslash, anything but blanks, and a blank, or the end.
fn escaped(input: &str) -> Parsed<'_, &str> {
    let name = take_while1(|c: char| !c.is_whitespace());
    delimited(char('\\'), name, opt(satisfy(char::is_whitespace))).parse(input)
}

/// `[3]` or `[7:4]`.
fn index(input: &str) -> Parsed<'_, ()> {
    let number = || delimited(multispace0, (opt(char('-')), digit1), multispace0);
    let range = (number(), opt(preceded(char(':'), number())));
    value((), delimited(char('['), range, char(']'))).parse(input)
}

/// A number.
fn number(input: &str) -> Parsed<'_, Number> {
    let mut digits = take_while(|c: char| c.is_ascii_digit() || c == '_');
    let (rest, written) = digits.parse(input)?;
    let (after, number) = match rest.chars().next() {
        Some('\'') => based(rest, written)?,
        Some('x' | 'X') if written == "0" => without_size(&rest[1..], 16, false)?,
        Some('b' | 'B') if written == "0" => without_size(&rest[1..], 2, true)?,
        _ => decimal(input, rest, written)?,
    };
    let (after, _) = ended(after)?;
    Ok((after, number))
}

/// A number ends where no name goes on.
fn ended(input: &str) -> Parsed<'_, ()> {
    let ends: Parsed<'_, ()> = not(peek(satisfy(|c| c.is_alphanumeric() || c == '_'))).parse(input);
    match ends {
        Ok(ends) => Ok(ends),
        Err(_) => failure(expected(input, "an operator or the end behind the number")),
    }
}

/// A decimal number without a size.
fn decimal<'t>(input: &'t str, rest: &'t str, written: &str) -> Parsed<'t, Number> {
    match written.replace('_', "").parse::<u128>() {
        Ok(number) => Ok((rest, unsized_number(&binary_digits(number), State::Zero))),
        Err(_) => {
            let message = "expected a number below 2^128, found a larger one; write it as 'h...";
            wrong(input, input.len() - rest.len(), message.into())
        }
    }
}

fn binary_digits(number: u128) -> String {
    format!("{number:b}")
}

/// A number that is as wide as its digits, but at least as an integer.
fn unsized_number(digits: &str, extension: State) -> Number {
    let bits = bits(digits);
    let width = bits.width().max(UNSIZED);
    Number {
        bits: extended(&bits, width, extension),
        extension,
    }
}

fn bits(digits: &str) -> Bits {
    let width = digits.len() as u32;
    BitsRef::new(digits.as_bytes(), width)
        .map_or_else(|| Bits::from_u64(0, 1), |bits| bits.to_bits())
}

/// Digits behind `0x` or `0b`.
fn without_size(input: &str, base: u32, states: bool) -> Parsed<'_, Number> {
    let (rest, digits) = states_of(input, base, states)?;
    Ok((rest, unsized_number(&digits, leftmost(&digits))))
}

/// What stands left of digits.
fn leftmost(digits: &str) -> State {
    match digits.as_bytes().first() {
        Some(b'x') => State::X,
        Some(b'z') => State::Z,
        _ => State::Zero,
    }
}

/// `'hff` behind its size, if it has one; `'0`, `'1`, `'x`, `'z`.
fn based<'t>(input: &'t str, size: &str) -> Parsed<'t, Number> {
    let after = &input[1..];
    let alone: Parsed<'_, char> = terminated(one_of("01xXzZ?"), ended).parse(after);
    if let (true, Ok((rest, digit))) = (size.is_empty(), alone) {
        let extension = State::from_byte(state(digit) as u8).unwrap_or(State::X);
        let number = Number {
            bits: bits(&state(digit).to_string()),
            extension,
        };
        return Ok((rest, number));
    }
    let (after, _) = opt(one_of("sS")).parse(after)?;
    let base: Parsed<'_, char> = one_of("bBoOdDhH").parse(after);
    let Ok((after, base)) = base else {
        return failure(expected(after, "a base of b, o, d, h"));
    };
    let base = match base.to_ascii_lowercase() {
        'b' => 2,
        'o' => 8,
        'd' => 10,
        _ => 16,
    };
    let (rest, digits) = states_of(after, base, true)?;
    if size.is_empty() {
        return Ok((rest, unsized_number(&digits, leftmost(&digits))));
    }
    let width = size.replace('_', "").parse().ok();
    let Some(width) = width.filter(|width| (1..=WIDEST).contains(width)) else {
        let message = format!("expected a size of 1 to {WIDEST} bits, found `{size}`");
        return failure(Fault {
            at: input,
            length: 1,
            message,
        });
    };
    let extra = digits.len().saturating_sub(width as usize);
    if digits[..extra].contains('1') {
        let message = format!("expected a number of {width} bits, found a larger one");
        return wrong(after, after.len() - rest.len(), message);
    }
    let number = Number {
        bits: extended(&bits(&digits[extra..]), width, leftmost(&digits)),
        extension: State::Zero,
    };
    Ok((rest, number))
}

/// `?` is z, and small letters are enough.
const fn state(digit: char) -> char {
    match digit {
        '?' | 'z' | 'Z' => 'z',
        'x' | 'X' => 'x',
        other => other,
    }
}

/// Digits of a base as binary ones; x, z and ? are allowed if `states` are.
fn states_of(input: &str, base: u32, states: bool) -> Parsed<'_, String> {
    let is_digit = |c: char| c.is_digit(base) || (states && "xXzZ?".contains(c));
    let (rest, written) = take_while(|c| is_digit(c) || c == '_').parse(input)?;
    let written = written.replace('_', "");
    let what = format!("a digit of base {base}");
    if written.is_empty() {
        return failure(expected(input, &what));
    }
    if let Ok((_, next)) = peek(anychar::<_, Fault<'_>>).parse(rest)
        && next.is_ascii_hexdigit()
    {
        return failure(expected(rest, &what));
    }
    if base == 10 {
        return decimal_digits(input, rest, &written);
    }
    let per_digit = base.ilog2() as usize;
    let digits = written.chars().map(|c| match c.to_digit(base) {
        Some(value) => format!("{value:0per_digit$b}"),
        None => state(c).to_string().repeat(per_digit),
    });
    Ok((rest, digits.collect()))
}

/// `'d12`, or `'dx`.
fn decimal_digits<'t>(input: &'t str, rest: &'t str, written: &str) -> Parsed<'t, String> {
    let length = input.len() - rest.len();
    match (written.chars().next().map(state), written.parse::<u128>()) {
        (_, Ok(number)) => Ok((rest, binary_digits(number))),
        (Some(state @ ('x' | 'z')), _) if written.len() == 1 => Ok((rest, state.to_string())),
        _ => {
            let message = "expected a decimal number below 2^128, or x or z alone";
            wrong(input, length, format!("{message}, found `{written}`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        parse(text).expect_err(text).to_string()
    }

    fn number(text: &str) -> (String, char) {
        match parse(text).expect(text).node {
            Node::Number(number) => (format!("{:b}", number.bits), number.extension.to_char()),
            other => panic!("{other:?}"),
        }
    }

    /// The tree as text, with parentheses.
    fn shape(text: &str) -> String {
        fn of(tree: &Tree) -> String {
            match &tree.node {
                Node::Number(number) => format!("{}", number.bits),
                Node::Signal(path) => path.clone(),
                Node::Unary(operator, operand) => format!("{operator:?}({})", of(operand)),
                Node::Binary(operator, both) => {
                    format!("({} {operator:?} {})", of(&both[0]), of(&both[1]))
                }
                Node::Call(function, operand) => format!("{function:?}({})", of(operand)),
            }
        }
        of(&parse(text).expect(text))
    }

    #[test]
    fn operators_bind_as_in_systemverilog() {
        for (text, tree) in [
            ("a || b && c", "(a LogicalOr (b LogicalAnd c))"),
            ("a & b == c", "(a And (b Equal c))"),
            ("a | b ^ c & d", "(a Or (b Xor (c And d)))"),
            ("a < b == c >= d", "((a Less b) Equal (c GreaterOrEqual d))"),
            ("a == b != c", "((a Equal b) NotEqual c)"),
            (
                "!a && ~b === c",
                "(LogicalNot(a) LogicalAnd (Not(b) CaseEqual c))",
            ),
            ("a&&&b", "(a LogicalAnd ReduceAnd(b))"),
            ("~|a !=? b", "(LogicalNot(ReduceOr(a)) WildNotEqual b)"),
            ("(a || b) && c", "((a LogicalOr b) LogicalAnd c)"),
            (
                "$past( a , 3 ) !== $past(b)",
                "(Past(3)(a) CaseNotEqual Past(1)(b))",
            ),
        ] {
            assert_eq!(shape(text), tree, "{text}");
        }
    }

    #[test]
    fn paths_have_scopes_indices_and_escaped_names() {
        for (text, path) in [
            ("top.gen[0].u.q[7:4]", "top.gen[0].u.q[7:4]"),
            ("$rootio.clk", "$rootio.clk"),
            ("a[ -1 ]", "a[-1]"),
            (r"top.\odd+name .q", r"top.\odd+name.q"),
            (r"\odd+name [3:0]", r"\odd+name[3:0]"),
            (r"\odd", r"\odd"),
        ] {
            let tree = parse(text).expect(text);
            assert_eq!(tree.node, Node::Signal(path.into()), "{text}");
            assert_eq!(tree.at, 0..text.len(), "{text}");
        }
    }

    #[test]
    fn numbers_have_sizes_and_states() {
        assert_eq!(number("5"), (format!("{:032b}", 5), '0'));
        assert_eq!(number("0xff_ff").0, format!("{:032b}", 0xffff));
        assert_eq!(number("0b1x"), ("0".repeat(30) + "1x", '0'));
        assert_eq!(number("0bx1"), ("x".repeat(31) + "1", 'x'));
        assert_eq!(number("8'hA5"), ("10100101".into(), '0'));
        assert_eq!(number("8'bx1"), ("xxxxxxx1".into(), '0'));
        assert_eq!(number("6'o7?"), ("111zzz".into(), '0'));
        assert_eq!(number("4'd12"), ("1100".into(), '0'));
        assert_eq!(number("4'dz"), ("zzzz".into(), '0'));
        assert_eq!(number("4'sb0011"), ("0011".into(), '0'));
        assert_eq!(number("'1"), ("1".into(), '1'));
        assert_eq!(number("'x"), ("x".into(), 'x'));
        assert_eq!(number("'hz").1, 'z');
        assert_eq!(number("4'h0005").0, "0101");
        assert_eq!(number("0x1_0000_0000").0.len(), 36);
    }

    #[test]
    fn faults_have_a_column_and_a_caret() {
        assert_eq!(
            message("state == "),
            "expected a signal, a number or `(`, found the end (column 10)\n  state == \n           ^"
        );
        assert_eq!(
            message("(a && b"),
            "expected an operator or `)`, found the end (column 8)\n  (a && b\n         ^"
        );
        assert_eq!(
            message("a = b"),
            "expected an operator or the end, found `=` (column 3)\n  a = b\n    ^"
        );
        assert_eq!(
            message("ä == 4'b12"),
            "expected a digit of base 2, found `2` (column 10)\n  ä == 4'b12\n           ^"
        );
        for (text, part) in [
            ("", "found the end (column 1)"),
            ("a b", "expected an operator or the end, found `b`"),
            ("a[3", "expected bits, as in `[3]` or `[7:4]`, found `3`"),
            ("a.", "expected a name after the dot, found the end"),
            ("$rise(a)", "$onehot or $onehot0, found `$rise`"),
            (
                "$past(a, 0)",
                "expected a number of rows, 1 to 1024, found `0`",
            ),
            ("4'h1f", "expected a number of 4 bits, found a larger one"),
            ("0'h1", "expected a size of 1 to 65536 bits, found `0`"),
            ("4'q1", "expected a base of b, o, d, h, found `q1`"),
            ("4'b", "expected a digit of base 2, found the end"),
            ("12ab", "behind the number, found `ab`"),
            ("999999999999999999999999999999999999999999", "below 2^128"),
            ("4'dx1", "x or z alone, found `x1`"),
            ("a == \"b\"", "found `\"`"),
            (")", "found `)`"),
        ] {
            let message = message(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn nesting_and_length_have_limits() {
        let nested = |depth: usize| "(".repeat(depth) + "a" + &")".repeat(depth);
        assert!(parse(&nested(DEEPEST)).is_ok());
        assert!(message(&nested(DEEPEST + 2)).contains("at most 64"));
        assert!(message(&("!".repeat(1000) + "a")).contains("at most 64"));
        assert!(message(&"a|".repeat(3000)).contains("at most 4096 bytes"));
        assert!(parse(&("a|".repeat(2000) + "a")).is_ok());
    }
}
