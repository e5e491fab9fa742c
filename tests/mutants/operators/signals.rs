//! Another signal, the old or the new value of one, fewer bits of one.

use tree_sitter::Node;

use super::Finder;
use crate::mutant::Class;
use crate::names::is_clocked;
use crate::source::child;

/// Signals that one is mistaken for: those whose names are most like its own.
const NEIGHBOURS: usize = 3;
/// What is never another signal, nor mistaken for one.
const SPECIAL: [&str; 3] = ["clk_i", "rst_i", "rst"];

impl Finder<'_> {
    pub(super) fn signals(&mut self, node: Node<'_>) {
        let Some(primary) = child(node, "primary").filter(|_| !self.fixed) else {
            return;
        };
        let Some(name) = child(primary, "hierarchical_identifier") else {
            return;
        };
        if primary.byte_range() != node.byte_range() {
            return;
        }
        let at = node.start_byte();
        let (whole, text) = (self.unit.of(node), self.unit.of(name));
        let select = &whole[text.len()..];
        let Some(signal) = self.names.find(text, at) else {
            return;
        };
        if SPECIAL.contains(&text) {
            return;
        }
        let clocked = is_clocked(self.unit, node);
        let mut others: Vec<&str> = self
            .names
            .alike(signal, at)
            .filter(|other| clocked || self.names.is_before(other, at))
            .map(|other| other.name.as_str())
            .filter(|other| !SPECIAL.contains(other) && !other.starts_with("unused"))
            .collect();
        others.sort_by_key(|other| std::cmp::Reverse(likeness(text, other)));
        others.dedup();
        let (same, others): (Vec<_>, Vec<_>) = others
            .into_iter()
            .partition(|other| stem(other) == stem(text));
        let mut found: Vec<(Class, String)> = Vec::new();
        found.extend(
            same.iter()
                .map(|other| (Class::OldOrNew, format!("{other}{select}"))),
        );
        let others = others.iter().take(NEIGHBOURS);
        found.extend(others.map(|other| (Class::Neighbour, format!("{other}{select}"))));
        // Fewer bits: without the highest one, and the lower half.
        if select.is_empty()
            && signal.unpacked.is_empty()
            && let Some(width) = width(&signal.packed)
            && width > 1
        {
            for kept in [width - 1, width.div_ceil(2)] {
                found.push((Class::Width, format!("{width}'({kept}'({text}))")));
            }
        }
        for (class, text) in found {
            self.expression(class, node, text);
        }
    }
}

/// A name without what tells the old value from the new one.
fn stem(name: &str) -> &str {
    let stem = name.strip_suffix("_q").or_else(|| name.strip_suffix("_d"));
    stem.unwrap_or(name)
}

/// Letters that two names have in common at both ends.
fn likeness(a: &str, b: &str) -> usize {
    let same = |(a, b): &(char, char)| a == b;
    let front = a.chars().zip(b.chars()).take_while(same).count();
    let back = a.chars().rev().zip(b.chars().rev()).take_while(same);
    front + back.count()
}

/// The bits of a vector whose size is a number.
fn width(packed: &str) -> Option<usize> {
    let range = packed.strip_prefix('[')?.strip_suffix(":0]")?;
    range.parse::<usize>().ok().map(|high| high + 1)
}
