//! Operators replaced, terms lost, negations added and lost, values in each other's place.

use tree_sitter::Node;

use super::{Binary, Finder, bare, binary, choice, edit, is_operand};
use crate::mutant::{Class, Form};
use crate::source::{child, children};

/// What each operator is mistaken for.
const OPERATORS: [(&str, Class, &[&str]); 18] = [
    ("==", Class::Relation, &["!=", ">=", "<="]),
    ("!=", Class::Relation, &["==", ">", "<"]),
    ("<", Class::Relation, &["<=", ">", ">=", "!="]),
    ("<=", Class::Relation, &["<", ">=", ">", "=="]),
    (">", Class::Relation, &[">=", "<", "<=", "!="]),
    (">=", Class::Relation, &[">", "<=", "<", "=="]),
    ("+", Class::Arithmetic, &["-", "|", "^"]),
    ("-", Class::Arithmetic, &["+", "^"]),
    ("*", Class::Arithmetic, &["+"]),
    ("<<", Class::Arithmetic, &[">>"]),
    (">>", Class::Arithmetic, &["<<", ">>>"]),
    ("&&", Class::Logic, &["||"]),
    ("||", Class::Logic, &["&&", "^"]),
    ("&", Class::Logic, &["|", "^"]),
    ("|", Class::Logic, &["&", "^", "+"]),
    ("^", Class::Logic, &["&", "|"]),
    ("/", Class::Arithmetic, &["%"]),
    ("%", Class::Arithmetic, &["/"]),
];
/// Those of which a term can be lost.
const TERMS: [&str; 6] = ["&&", "||", "&", "|", "+", "-"];

impl Finder<'_> {
    pub(super) fn expressions(&mut self, node: Node<'_>) {
        if let Some(operation) = binary(node) {
            self.operator(node, &operation);
            self.terms(node, &operation);
        }
        self.negations(node);
        if let Some(choice) = choice(node) {
            let (yes, no) = (self.text(choice.yes), self.text(choice.no));
            let edits = vec![
                edit(choice.yes, Form::Expression, no),
                edit(choice.no, Form::Expression, yes),
            ];
            self.edits(Class::Moved, edits);
            self.order(node);
        }
    }

    pub(super) fn text(&self, node: Node<'_>) -> String {
        self.unit.flat(node)
    }

    fn operator(&mut self, node: Node<'_>, operation: &Binary<'_>) {
        let operator = self.text(operation.operator);
        let known = OPERATORS.iter().find(|(known, ..)| *known == operator);
        let Some(&(_, class, others)) = known else {
            return;
        };
        let operand = |operand: Node<'_>| {
            let text = self.unit.flat(operand);
            match binary(operand).is_some() {
                true => format!("({text})"),
                false => text,
            }
        };
        let (left, right) = (operand(operation.left), operand(operation.right));
        let mut texts: Vec<_> = others
            .iter()
            .map(|other| format!("{left} {other} {right}"))
            .collect();
        if ["<", "<=", ">", ">="].contains(&operator.as_str()) {
            texts.push(format!("$signed({left}) {operator} $signed({right})"));
        }
        for text in texts {
            let text = match is_operand(node) {
                true => format!("({text})"),
                false => text,
            };
            self.expression(class, node, text);
        }
    }

    fn terms(&mut self, node: Node<'_>, operation: &Binary<'_>) {
        let operator = self.text(operation.operator);
        if TERMS.contains(&operator.as_str()) {
            for kept in [operation.left, operation.right] {
                self.expression(Class::Term, node, self.text(kept));
            }
        }
    }

    fn negations(&mut self, node: Node<'_>) {
        // A negation lost.
        if let [operator, operand] = children(node)[..]
            && operator.kind() == "unary_operator"
            && ["!", "~"].contains(&self.text(operator).as_str())
        {
            self.expression(Class::Negation, node, self.text(operand));
            return;
        }
        // One too many, where something is true or false.
        let Some(outer) = node.parent() else {
            return;
        };
        let operator = binary(outer).map(|operation| self.text(operation.operator));
        let text = self.text(node);
        let is_condition = match outer.kind() {
            "cond_predicate" => text != "rst_i",
            "conditional_expression" => children(outer).first() == Some(&node),
            _ => operator.is_some_and(|operator| ["&&", "||"].contains(&operator.as_str())),
        };
        if is_condition {
            let text = match child(node, "primary").is_some() && children(node).len() == 1 {
                true => format!("!{text}"),
                false => format!("!({text})"),
            };
            self.expression(Class::Negation, node, text);
        }
    }

    /// A choice whose second condition is asked first.
    fn order(&mut self, node: Node<'_>) {
        let Some(first) = choice(node) else {
            return;
        };
        let Some(second) = choice(bare(first.no)) else {
            return;
        };
        let text = format!(
            "{} ? {} : ({} ? {} : {})",
            self.text(second.condition),
            self.text(second.yes),
            self.text(first.condition),
            self.text(first.yes),
            self.text(second.no)
        );
        let text = match is_operand(node) {
            true => format!("({text})"),
            false => text,
        };
        self.expression(Class::Priority, node, text);
    }
}
