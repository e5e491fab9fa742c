//! Parts of a concatenation, and ports of an instance, in each other's place.

use tree_sitter::Node;

use super::{Finder, edit};
use crate::mutant::{Class, Form};
use crate::source::{child, children};

impl Finder<'_> {
    pub(super) fn orders(&mut self, node: Node<'_>) {
        let parts: Vec<_> = match node.kind() {
            "concatenation" => children(node)
                .into_iter()
                .filter(|part| part.kind() == "expression")
                .collect(),
            "list_of_port_connections" => children(node)
                .into_iter()
                .filter(|port| port.kind() == "named_port_connection" && !self.is_skipped(*port))
                .filter_map(|port| child(port, "expression"))
                .collect(),
            _ => return,
        };
        let is_port = node.kind() == "list_of_port_connections";
        for pair in parts.windows(2) {
            let &[first, second] = pair else {
                continue;
            };
            if is_port && !self.is_alike(first, second) {
                continue;
            }
            let edits = vec![
                edit(first, Form::Expression, self.text(second)),
                edit(second, Form::Expression, self.text(first)),
            ];
            match is_port {
                true => self.edits(Class::Moved, edits),
                // Parts of other widths: the whole changes, and no part alone.
                false => self.exchanged(node, first, second),
            }
        }
    }

    /// Whether two expressions are signals of the same dimensions.
    fn is_alike(&self, first: Node<'_>, second: Node<'_>) -> bool {
        let at = first.start_byte();
        let form = |node: Node<'_>| {
            let signal = self.names.find(self.unit.of(node), at)?;
            Some((&signal.packed, &signal.unpacked))
        };
        form(first).is_some() && form(first) == form(second)
    }

    /// A concatenation with two neighbours in each other's place.
    fn exchanged(&mut self, node: Node<'_>, first: Node<'_>, second: Node<'_>) {
        // That of an lvalue, or of a repetition, is no expression.
        let Some(whole) = node.parent().and_then(|primary| primary.parent()) else {
            return;
        };
        if whole.byte_range() != node.byte_range() || whole.kind() != "expression" {
            return;
        }
        let text = &self.unit.text;
        let text = [
            &text[node.start_byte()..first.start_byte()],
            self.unit.of(second),
            &text[first.end_byte()..second.start_byte()],
            self.unit.of(first),
            &text[second.end_byte()..node.end_byte()],
        ];
        let text = crate::source::flat(&text.concat());
        self.expression(Class::Moved, whole, text);
    }
}
