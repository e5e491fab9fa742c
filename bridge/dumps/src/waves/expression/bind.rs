//! Finds the signals of an expression in a dump, and settles the width of everything.
//!
//! Widths are those of IEEE 1800: operands of `& | ^ ~` are as wide as what they are compared or joined with, all
//! unsigned; those of `&& || !` and of functions are as wide as they are by themselves.

use std::collections::HashMap;

use lockstep_vcd::{Bits, Header, State, VarKind};

use super::ExpressionError;
use super::operators::extended;
use super::tree::{Binary, Function, Node, Tree, Unary};
use crate::waves::select::{Selected, single};

/// Width of what `$countones` gives: that of an `int`.
const COUNT: u32 = 32;

/// An expression over the signals of a dump.
#[derive(Clone, Debug)]
pub struct Expression {
    pub(super) root: Term,
    /// The signals, each once.
    pub(super) signals: Vec<Selected>,
    /// For each signal, whether it is an event.
    pub(super) events: Vec<bool>,
    /// For each function that looks back, how many rows.
    pub(super) histories: Vec<usize>,
}

/// A part of an expression.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) operation: Operation,
    /// Of the result, in bits.
    pub(super) width: u32,
}

/// What a part does.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    /// What stands left of its bits, if more are needed, is the second.
    Constant(Bits, State),
    /// By its place, with its own width.
    Signal(usize, u32),
    Unary(Unary, Box<Term>),
    Binary(Binary, Box<[Term; 2]>),
    /// The last is the place of its history, if it has one.
    Call(Function, Box<Term>, usize),
}

impl Expression {
    /// The expression `text` over the signals that a dump with this header has.
    ///
    /// # Errors
    /// A signal is not there or has no bits, or `text` is no expression.
    pub fn new(text: &str, header: &Header) -> Result<Self, ExpressionError> {
        let tree = super::parse::parse(text)?;
        let mut binder = Binder {
            text,
            header,
            signals: Vec::new(),
            places: HashMap::new(),
            histories: Vec::new(),
        };
        let mut root = binder.term(&tree)?;
        root.widen(root.width);
        let events = binder.signals.iter();
        Ok(Self {
            root,
            events: events.map(|one| one.probe.is_event(header)).collect(),
            signals: binder.signals,
            histories: binder.histories,
        })
    }

    /// Its signals, each once, in the order in which they are named.
    pub fn signals(&self) -> &[Selected] {
        &self.signals
    }
}

struct Binder<'b> {
    text: &'b str,
    header: &'b Header,
    signals: Vec<Selected>,
    /// Places of the signals that were found, as they are written.
    places: HashMap<String, usize>,
    histories: Vec<usize>,
}

impl Binder<'_> {
    /// An expression with the width that it has by itself.
    fn term(&mut self, tree: &Tree) -> Result<Term, ExpressionError> {
        let (operation, width) = match &tree.node {
            Node::Number(number) => {
                let constant = Operation::Constant(number.bits.clone(), number.extension);
                (constant, number.bits.width())
            }
            Node::Signal(path) => {
                let place = self.find(path, tree)?;
                let width = self.signals[place].probe.width(self.header).max(1);
                (Operation::Signal(place, width), width)
            }
            Node::Unary(operator, operand) => {
                let operand = self.term(operand)?;
                let width = match operator {
                    Unary::Not => operand.width,
                    _ => 1,
                };
                (Operation::Unary(*operator, Box::new(operand)), width)
            }
            Node::Binary(operator, both) => {
                let both = [self.term(&both[0])?, self.term(&both[1])?];
                let width = match operator {
                    Binary::And | Binary::Or | Binary::Xor => both[0].width.max(both[1].width),
                    _ => 1,
                };
                (Operation::Binary(*operator, Box::new(both)), width)
            }
            Node::Call(function, operand) => {
                let operand = self.term(operand)?;
                let width = match function {
                    Function::Past(_) => operand.width,
                    Function::CountOnes => COUNT,
                    _ => 1,
                };
                let place = self.histories.len();
                if function.rows() > 0 {
                    self.histories.push(function.rows());
                }
                (Operation::Call(*function, Box::new(operand), place), width)
            }
        };
        Ok(Term { operation, width })
    }

    /// The place of a signal.
    fn find(&mut self, path: &str, tree: &Tree) -> Result<usize, ExpressionError> {
        if let Some(place) = self.places.get(path) {
            return Ok(*place);
        }
        let error = |message: String| ExpressionError {
            text: self.text.to_owned(),
            at: tree.at.clone(),
            message,
            is_signal: false,
        };
        let found = single(self.header, path).map_err(|fault| {
            let fault = fault.to_string();
            ExpressionError {
                is_signal: true,
                ..error(fault.trim_start_matches("[vcd] ").to_owned())
            }
        })?;
        let variable = &self.header.variables()[found.probe.variable_index()];
        let kind = match variable.kind() {
            VarKind::Real | VarKind::Realtime | VarKind::RealParameter | VarKind::ShortReal => {
                Some("a real")
            }
            VarKind::String => Some("a string"),
            _ => None,
        };
        if let Some(kind) = kind {
            let message = format!("expected a signal of bits, found `{path}`, {kind}");
            return Err(error(message));
        }
        let known = self.signals.iter().position(|one| one.path == found.path);
        let place = known.unwrap_or(self.signals.len());
        if known.is_none() {
            self.signals.push(found);
        }
        self.places.insert(path.to_owned(), place);
        Ok(place)
    }
}

impl Term {
    /// Gives the result `width` bits, at least as many as it has by itself, and operands the widths that follow.
    fn widen(&mut self, width: u32) {
        self.width = width;
        match &mut self.operation {
            Operation::Constant(bits, extension) => *bits = extended(bits, width, *extension),
            Operation::Signal(..) => {}
            Operation::Unary(Unary::Not, operand) => operand.widen(width),
            Operation::Unary(_, operand) | Operation::Call(_, operand, _) => {
                operand.widen(operand.width);
            }
            Operation::Binary(operator, both) => {
                let [one, two] = both.each_ref().map(|term| term.width);
                let [one, two] = match operator {
                    Binary::And | Binary::Or | Binary::Xor => [width; 2],
                    Binary::LogicalAnd | Binary::LogicalOr => [one, two],
                    _ => [one.max(two); 2],
                };
                both[0].widen(one);
                both[1].widen(two);
            }
        }
    }
}
