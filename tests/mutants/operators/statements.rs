//! Statements lost, moved and copied; resets, enables and priorities of registers.

use tree_sitter::Node;

use super::{Finder, edit};
use crate::mutant::{Class, Form};
use crate::names::is_clocked;
use crate::source::{Unit, all, around, child, children};

impl Finder<'_> {
    pub(super) fn statements(&mut self, node: Node<'_>) {
        match node.kind() {
            "statement_or_null" => self.statement(node),
            "seq_block" => self.block(node),
            "case_statement" => self.rows(node),
            "conditional_statement" => self.conditions(node),
            "module_declaration" | "generate_block" => self.assignments(node),
            _ => {}
        }
    }

    /// An assignment that is lost, or a reset of another value.
    fn statement(&mut self, node: Node<'_>) {
        let Some(target) = target(self.unit, node) else {
            return;
        };
        if is_reset(self.unit, node) {
            self.edits(
                Class::Reset,
                vec![edit(node, Form::Statement, String::new())],
            );
            if let Some(value) = value(node) {
                let other = match self.unit.of(value) {
                    "'0" => "'1",
                    "1'b0" => "1'b1",
                    _ => return,
                };
                self.expression(Class::Reset, value, other.into());
            }
        } else if is_clocked(self.unit, node) || self.has_default(node, &target) {
            self.edits(
                Class::Lost,
                vec![edit(node, Form::Statement, String::new())],
            );
        }
    }

    /// Whether the signal has a value from further up in the same block, or in one around it.
    fn has_default(&self, node: Node<'_>, name: &str) -> bool {
        let blocks = around(node).take_while(|outer| outer.kind() != "always_construct");
        blocks
            .filter(|outer| outer.kind() == "seq_block")
            .any(|block| {
                let before = children(block)
                    .into_iter()
                    .take_while(|other| other.end_byte() <= node.start_byte());
                before
                    .filter_map(|other| target(self.unit, other))
                    .any(|other| other.contains(name))
            })
    }

    /// Neighbours in a block: in the other order, or each with the value of the other.
    fn block(&mut self, block: Node<'_>) {
        let statements: Vec<_> = children(block)
            .into_iter()
            .filter(|child| child.kind() == "statement_or_null")
            .collect();
        for pair in statements.windows(2) {
            let &[first, second] = pair else {
                continue;
            };
            let is_simple = |node| target(self.unit, node).is_some();
            if !is_clocked(self.unit, block) {
                // Of the same or dependent values, the order matters.
                let name = target(self.unit, first).or_else(|| assigned(self.unit, first));
                let depends = name.is_some_and(|name| self.unit.of(second).contains(&name));
                if depends && (is_simple(first) || is_simple(second)) {
                    self.swap(first, second);
                }
            }
            if is_simple(first) && is_simple(second) {
                self.swap_values(first, second);
            }
        }
    }

    fn swap(&mut self, first: Node<'_>, second: Node<'_>) {
        let edits = vec![
            edit(first, Form::Statement, self.text(second)),
            edit(second, Form::Statement, self.text(first)),
        ];
        self.edits(Class::Moved, edits);
    }

    /// Two assignments, each with the value of the other: one was copied, and the wrong half of it edited.
    fn swap_values(&mut self, first: Node<'_>, second: Node<'_>) {
        let (Some(one), Some(other)) = (value(first), value(second)) else {
            return;
        };
        let (Some(to_one), Some(to_other)) = (target(self.unit, first), target(self.unit, second))
        else {
            return;
        };
        let form = |name: &str| {
            let signal = self.names.find(name, first.start_byte())?;
            Some((signal.packed.clone(), signal.unpacked.clone()))
        };
        let reads = |value: Node<'_>, name: &str| {
            let names = all(value, "simple_identifier");
            names.iter().any(|read| self.unit.of(*read) == name)
        };
        let is_loop = [one, other]
            .iter()
            .any(|value| reads(*value, &to_one) || reads(*value, &to_other));
        if form(&to_one) == form(&to_other) && form(&to_one).is_some() && !is_loop {
            let edits = vec![
                edit(one, Form::Expression, self.text(other)),
                edit(other, Form::Expression, self.text(one)),
            ];
            self.edits(Class::Moved, edits);
        }
    }

    /// Neighbours among continuous assignments.
    fn assignments(&mut self, node: Node<'_>) {
        let items = children(node);
        for pair in items.windows(2) {
            if let &[first, second] = pair
                && first.kind() == "continuous_assign"
                && second.kind() == "continuous_assign"
                && !self.unit.of(first).contains("unused")
            {
                // A value may depend on what is driven further down.
                let (Some(one), Some(other)) = (value(first), value(second)) else {
                    continue;
                };
                let known = all(other, "simple_identifier").into_iter().all(|name| {
                    let at = one.start_byte();
                    let signal = self.names.find(self.unit.of(name), at);
                    signal.is_none_or(|signal| self.names.is_before(signal, at))
                });
                if known {
                    self.swap_values(first, second);
                }
            }
        }
    }

    /// Rows of a case in each other's place, with the result of another row, or lost.
    fn rows(&mut self, node: Node<'_>) {
        let rows: Vec<_> = children(node)
            .into_iter()
            .filter(|child| child.kind() == "case_item")
            .filter_map(|row| Some((row, child(row, "statement_or_null")?)))
            .collect();
        for pair in rows.windows(2) {
            let &[(_, first), (_, second)] = pair else {
                continue;
            };
            self.swap(first, second);
            let (one, other) = (self.text(first), self.text(second));
            self.edits(Class::Row, vec![edit(first, Form::Statement, other)]);
            self.edits(Class::Row, vec![edit(second, Form::Statement, one)]);
        }
        let is_default = |row: Node<'_>| self.unit.of(row).starts_with("default");
        let default = rows.iter().find(|(row, _)| is_default(*row));
        if let Some((_, result)) = default {
            let result = self.text(*result);
            for (row, own) in &rows {
                if !is_default(*row) {
                    self.edits(
                        Class::Lost,
                        vec![edit(*own, Form::Statement, result.clone())],
                    );
                }
            }
        }
    }

    /// Conditions in another order, and enables that are lost.
    fn conditions(&mut self, node: Node<'_>) {
        let parts = children(node);
        let of = |kind: &str| -> Vec<Node<'_>> {
            let all = parts.iter().filter(|part| part.kind() == kind);
            all.copied().collect()
        };
        let (conditions, branches) = (of("cond_predicate"), of("statement_or_null"));
        let is_reset = |condition: &Node<'_>| self.unit.of(*condition).contains("rst_i");
        if is_clocked(self.unit, node) {
            let enables: Vec<_> = conditions
                .iter()
                .filter(|condition| !is_reset(condition))
                .filter_map(|condition| child(*condition, "expression"))
                .collect();
            for enable in enables {
                self.expression(Class::Enable, enable, "1'b1".into());
            }
        }
        for first in 0..conditions.len().saturating_sub(1) {
            if is_reset(&conditions[first]) || branches.len() <= first + 1 {
                continue;
            }
            let second = first + 1;
            let mut edits = Vec::new();
            let mut exchange = |one: Node<'_>, other: Node<'_>, form| {
                edits.push(edit(one, form, self.unit.flat(other)));
            };
            let (one, other) = (inside(conditions[first]), inside(conditions[second]));
            exchange(one, other, Form::Expression);
            exchange(branches[first], branches[second], Form::Statement);
            exchange(other, one, Form::Expression);
            exchange(branches[second], branches[first], Form::Statement);
            self.edits_in_part(edits);
        }
    }

    /// Conditions in another order; two branches that do the same need not change their places.
    fn edits_in_part(&mut self, mut edits: Vec<crate::mutant::Edit>) {
        edits.retain(|edit| self.unit.text[edit.range.clone()] != edit.text);
        if edits.len() > 2 {
            self.edits(Class::Priority, edits);
        }
    }
}

/// The expression of a condition.
fn inside(condition: Node<'_>) -> Node<'_> {
    child(condition, "expression").unwrap_or(condition)
}

/// The name of what a statement assigns to, if it is an assignment.
fn target(unit: &Unit, node: Node<'_>) -> Option<String> {
    let assignment = assignment(node)?;
    let lvalue = ["variable_lvalue", "net_lvalue"]
        .iter()
        .find_map(|kind| all(assignment, kind).first().copied());
    let name = match lvalue {
        Some(lvalue) if unit.of(lvalue).starts_with('{') => unit.of(lvalue).to_owned(),
        Some(lvalue) => unit
            .of(*all(lvalue, "simple_identifier").first()?)
            .to_owned(),
        None => unit
            .of(*all(assignment, "simple_identifier").first()?)
            .to_owned(),
    };
    Some(name)
}

/// The name of the first signal that is assigned to within a statement.
fn assigned(unit: &Unit, node: Node<'_>) -> Option<String> {
    let lvalue = all(node, "variable_lvalue").first().copied()?;
    let name = all(lvalue, "simple_identifier").first().copied()?;
    Some(unit.of(name).to_owned())
}

/// The assignment that a statement is.
fn assignment(node: Node<'_>) -> Option<Node<'_>> {
    const KINDS: [&str; 5] = [
        "operator_assignment",
        "nonblocking_assignment",
        "net_assignment",
        "blocking_assignment",
        "inc_or_dec_expression",
    ];
    if KINDS.contains(&node.kind()) {
        return Some(node);
    }
    let within: Vec<_> = children(node).into_iter().filter(Node::is_named).collect();
    match within[..] {
        [only] => assignment(only),
        _ => None,
    }
}

/// The value that a statement assigns.
fn value(node: Node<'_>) -> Option<Node<'_>> {
    let assignment = assignment(node)?;
    let inner = child(assignment, "operator_assignment").unwrap_or(assignment);
    child(inner, "expression")
}

/// Whether a statement is what happens in reset.
fn is_reset(unit: &Unit, node: Node<'_>) -> bool {
    let outer = around(node).find(|outer| outer.kind() == "conditional_statement");
    let Some(outer) = outer.filter(|outer| is_clocked(unit, *outer)) else {
        return false;
    };
    let condition = child(outer, "cond_predicate");
    let branch = child(outer, "statement_or_null");
    condition.is_some_and(|condition| unit.of(condition) == "rst_i")
        && branch.is_some_and(|branch| branch.end_byte() >= node.end_byte())
}
