//! Mutation operators: the mistakes that people make with words of a source.

mod expressions;
mod late;
mod literals;
mod orders;
mod signals;
mod statements;

use tree_sitter::Node;

use crate::mutant::{Class, Edit, Form, Mutant};
use crate::names::{Constant, Names, constants};
use crate::source::{Unit, all, child, children};

/// What is constant, is no expression, or has nothing that could be wrong.
const SKIPPED: [&str; 13] = [
    "parameter_port_list",
    "parameter_value_assignment",
    "constant_range",
    "data_type_or_implicit",
    "packed_dimension",
    "unpacked_dimension",
    "event_control",
    "casting_type",
    "net_lvalue",
    "variable_lvalue",
    "for_initialization",
    "for_step",
    "elaboration_severity_system_task",
];
/// Where everything is fixed before the design runs.
const FIXED: [&str; 2] = ["local_parameter_declaration", "case_item_expression"];
/// Beginnings and ends of names of constants that are the contract's, and without which there is no design.
const CONTRACT: [&str; 5] = ["In", "Max", "Magic", "Out", "Param"];
const CONTRACT_ENDS: [&str; 2] = ["Version", "Width"];
/// Signals that nobody reads, that the run is set up with, and that choose the mutant.
const UNTOUCHED: [&str; 3] = ["unused", "parameters_o", "cycle_input_q"];

/// Every mutant of the RTL.
pub fn all_mutants(units: &[Unit]) -> Vec<Mutant> {
    let constants = constants(units);
    let mut found = Vec::new();
    for (index, unit) in units.iter().enumerate() {
        let mut finder = Finder {
            unit,
            index,
            names: Names::of(unit),
            constants: &constants,
            folded: folded(unit),
            fixed: false,
            found: Vec::new(),
        };
        finder.visit(unit.root());
        found.append(&mut finder.found);
    }
    found.dedup();
    found
}

/// Looks for mutants in a file.
struct Finder<'a> {
    unit: &'a Unit,
    index: usize,
    names: Names,
    constants: &'a [Constant],
    /// Names of functions that constants are made with.
    folded: Vec<String>,
    /// Whether the place is one of [`FIXED`].
    fixed: bool,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn visit(&mut self, node: Node<'_>) {
        if self.is_skipped(node) {
            return;
        }
        self.statements(node);
        self.orders(node);
        if EXPRESSIONS.contains(&node.kind()) && !is_doubled(node) {
            self.expressions(node);
            self.signals(node);
            self.late(node);
            self.literals(node);
        }
        let mut within = children(node);
        if node.kind() == "multiple_concatenation" {
            // The count of a repetition is the width of a vector.
            within.retain(|child| child.kind() == "concatenation");
        }
        let fixed = self.fixed;
        for child in within {
            // The header of a loop is unrolled.
            let of_loop = node.kind() == "loop_statement" && child.kind() != "statement_or_null";
            self.fixed = fixed || of_loop || FIXED.contains(&child.kind());
            self.visit(child);
        }
        self.fixed = fixed;
    }

    fn is_skipped(&self, node: Node<'_>) -> bool {
        let text = self.unit.of(node);
        match node.kind() {
            "net_assignment" | "nonblocking_assignment" => {
                UNTOUCHED.iter().any(|name| text.starts_with(name))
            }
            // Outputs are connected to what they drive, and clocks are one.
            "named_port_connection" => {
                let port = child(node, "simple_identifier").map(|port| self.unit.of(port));
                port.is_none_or(|port| port.ends_with("_o") || port == "clk_i")
            }
            "function_declaration" => {
                let names = all(node, "simple_identifier");
                names.iter().any(|name| {
                    self.folded
                        .iter()
                        .any(|folded| folded == self.unit.of(*name))
                })
            }
            "param_assignment" => {
                CONTRACT.iter().any(|start| begins(text, start))
                    || CONTRACT_ENDS
                        .iter()
                        .any(|end| text.contains(&format!("{end} =")))
            }
            // Of a generate block, an instance, a width.
            "constant_expression" => !self.fixed,
            kind => SKIPPED.contains(&kind),
        }
    }

    /// Adds a mutant of one edit of an expression.
    fn expression(&mut self, class: Class, node: Node<'_>, text: String) {
        self.edits(class, vec![edit(node, Form::Expression, text)]);
    }

    fn edits(&mut self, class: Class, edits: Vec<Edit>) {
        let class = match self.fixed {
            true => Class::Fixed,
            false => class,
        };
        let changes = |edit: &Edit| self.unit.text[edit.range.clone()] != edit.text;
        if edits.iter().all(changes) {
            self.found.push(Mutant {
                class,
                unit: self.index,
                edits,
            });
        }
    }
}

fn edit(node: Node<'_>, form: Form, text: String) -> Edit {
    Edit {
        range: node.byte_range(),
        form,
        text,
    }
}

/// Nodes that are expressions.
const EXPRESSIONS: [&str; 2] = ["expression", "constant_expression"];

/// Whether a name of several words begins with a word.
fn begins(name: &str, word: &str) -> bool {
    let rest = name.strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(char::is_lowercase))
}

/// Whether a node is all of another one of its kind.
fn is_doubled(node: Node<'_>) -> bool {
    let same =
        |outer: &Node<'_>| outer.kind() == node.kind() && outer.byte_range() == node.byte_range();
    node.parent().as_ref().is_some_and(same)
}

/// The functions that constants of a file are made with.
fn folded(unit: &Unit) -> Vec<String> {
    let constants = all(unit.root(), "local_parameter_declaration");
    let calls = constants
        .into_iter()
        .flat_map(|constant| all(constant, "simple_identifier"));
    let functions: Vec<_> = all(unit.root(), "function_declaration")
        .into_iter()
        .flat_map(|function| all(function, "simple_identifier"))
        .map(|name| unit.of(name))
        .collect();
    calls
        .map(|name| unit.of(name))
        .filter(|name| functions.contains(name) && is_function(unit, name))
        .map(Into::into)
        .collect()
}

fn is_function(unit: &Unit, name: &str) -> bool {
    unit.text.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("function ") && line.contains(&format!(" {name}("))
    })
}

/// An operation of two operands.
struct Binary<'a> {
    left: Node<'a>,
    operator: Node<'a>,
    right: Node<'a>,
}

fn binary(node: Node<'_>) -> Option<Binary<'_>> {
    let [left, operator, right] = children(node)[..] else {
        return None;
    };
    (EXPRESSIONS.contains(&left.kind()) && !operator.is_named()).then_some(Binary {
        left,
        operator,
        right,
    })
}

/// A choice of two values.
struct Choice<'a> {
    condition: Node<'a>,
    yes: Node<'a>,
    no: Node<'a>,
}

fn choice(node: Node<'_>) -> Option<Choice<'_>> {
    let conditional = child(node, "conditional_expression")?;
    let parts: Vec<_> = children(conditional)
        .into_iter()
        .filter(Node::is_named)
        .collect();
    let [condition, yes, no] = parts[..] else {
        return None;
    };
    Some(Choice { condition, yes, no })
}

/// What is in parentheses; `node` itself if it is in none.
fn bare(node: Node<'_>) -> Node<'_> {
    let inside = child(node, "primary")
        .and_then(|primary| child(primary, "mintypmax_expression"))
        .and_then(|inside| child(inside, "expression"));
    inside.map_or(node, bare)
}

/// Nodes that have operands.
const OPERATIONS: [&str; 3] = [
    "expression",
    "constant_expression",
    "conditional_expression",
];

/// Whether `node` is an operand of an operation.
fn is_operand(node: Node<'_>) -> bool {
    node.parent()
        .is_some_and(|outer| OPERATIONS.contains(&outer.kind()))
}
