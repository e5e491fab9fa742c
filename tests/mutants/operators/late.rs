//! A signal a cycle late: one register too many.

use tree_sitter::Node;

use super::Finder;
use crate::mutant::{Class, Edit, Form};
use crate::names::Signal;
use crate::source::{around, child};

impl Finder<'_> {
    pub(super) fn late(&mut self, node: Node<'_>) {
        let primary = child(node, "primary").filter(|_| !self.fixed);
        let name = primary.and_then(|primary| child(primary, "hierarchical_identifier"));
        let Some(name) = name.filter(|_| child(node, "primary").is_some()) else {
            return;
        };
        let text = self.unit.of(name);
        let whole = self.unit.of(node);
        if !whole.starts_with(text) || ["clk_i", "rst_i", "rst"].contains(&text) {
            return;
        }
        // Without a clock there is no register, nor in a function.
        let outer = |kind| around(node).find(|outer| outer.kind() == kind);
        let is_clocked = outer("module_declaration")
            .is_some_and(|module| self.unit.of(module).contains("logic clk_i"));
        if !is_clocked || outer("function_declaration").is_some() {
            return;
        }
        let signal = self.names.find(text, node.start_byte());
        let is_plain = |signal: &&Signal| signal.unpacked.is_empty();
        let Some(signal) = signal.filter(is_plain) else {
            return;
        };
        let packed = match signal.packed.as_str() {
            "" => String::new(),
            packed => format!("{packed} "),
        };
        let at = signal.after;
        let declared = format!(
            " logic {packed}{text}_late_q; always_ff @(posedge clk_i) {text}_late_q <= {text};"
        );
        let edits = vec![
            Edit {
                range: at..at,
                form: Form::Item,
                text: declared,
            },
            Edit {
                range: node.byte_range(),
                form: Form::Expression,
                text: format!("{text}_late_q{}", &whole[text.len()..]),
            },
        ];
        self.edits(Class::Late, edits);
    }
}
