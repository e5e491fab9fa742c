//! Constants of another value, other constants, indices off by one, parts of a vector too narrow.

use tree_sitter::Node;

use super::Finder;
use crate::mutant::Class;
use crate::source::{all, child};

/// Bits of a constant that are inverted, from the lowest on.
const BITS: u32 = 3;

impl Finder<'_> {
    pub(super) fn literals(&mut self, node: Node<'_>) {
        let primary = child(node, "primary").or_else(|| child(node, "constant_primary"));
        let Some(primary) = primary else {
            return;
        };
        if primary.byte_range() != node.byte_range() {
            return;
        }
        if let Some(literal) = child(primary, "primary_literal") {
            let text = self.unit.of(literal);
            // A number without a size is one of a sum.
            let texts = match number(text).filter(|_| self.fixed) {
                Some(_) => off_by_one(text),
                None => others(text),
            };
            for text in texts {
                self.expression(Class::Constant, node, text);
            }
        }
        self.constant(node);
        self.select(node, primary);
    }

    /// The constants beside one of a package.
    fn constant(&mut self, node: Node<'_>) {
        let text = self.unit.of(node);
        let Some((package, name)) = text.split_once("::") else {
            return;
        };
        let place = self
            .constants
            .iter()
            .position(|constant| constant.package == package && constant.name == name);
        let Some(place) = place else {
            return;
        };
        let own = &self.constants[place];
        let mut texts = Vec::new();
        for beside in [place.checked_sub(1), Some(place + 1)] {
            let Some(other) = beside.and_then(|beside| self.constants.get(beside)) else {
                continue;
            };
            if other.package == own.package
                && other.of == own.of
                && first_word(&other.name) == first_word(&own.name)
            {
                texts.push(format!("{}::{}", other.package, other.name));
            }
        }
        for text in texts {
            self.expression(Class::Constant, node, text);
        }
    }

    /// Indices and parts.
    fn select(&mut self, node: Node<'_>, primary: Node<'_>) {
        let (Some(name), Some(select)) = (
            child(primary, "hierarchical_identifier"),
            child(primary, "select"),
        ) else {
            return;
        };
        let name = self.unit.of(name).to_owned();
        if let [bit] = all(select, "bit_select")[..] {
            let index = child(bit, "expression").map(|index| self.text(index));
            if let Some(index) = index {
                for text in off_by_one(&index) {
                    self.expression(Class::Index, node, format!("{name}[{text}]"));
                }
            }
        }
        if let Some(range) = child(select, "indexed_range") {
            let text = self.text(range);
            let Some((base, width)) = text.split_once("+:") else {
                return;
            };
            for base in off_by_one(base.trim()) {
                let text = format!("{name}[{base} +: {}]", width.trim());
                self.expression(Class::Index, node, text);
            }
        }
        if let Some(range) = child(select, "constant_range") {
            let text = self.text(range);
            let numbers = text.split_once(':');
            let numbers = numbers.and_then(|(h, l)| Some((number(h)?, number(l)?)));
            let Some((high, low)) = numbers.filter(|(high, low)| high >= low) else {
                return;
            };
            let mut ranges = vec![(high + 1, low + 1)];
            if low > 0 {
                ranges.push((high - 1, low - 1));
            }
            for (high, low) in ranges {
                self.expression(Class::Index, node, format!("{name}[{high}:{low}]"));
            }
            if high > low {
                let text = format!("{}'({name}[{}:{low}])", high - low + 1, high - 1);
                self.expression(Class::Width, node, text);
            }
        }
    }
}

/// The beginning of a name of several words.
fn first_word(name: &str) -> &str {
    let end = name
        .char_indices()
        .skip(1)
        .find(|(_, letter)| letter.is_uppercase());
    &name[..end.map_or(name.len(), |(at, _)| at)]
}

fn number(text: &str) -> Option<usize> {
    text.trim().parse().ok()
}

/// An index, off by one either way.
fn off_by_one(index: &str) -> Vec<String> {
    if let Some(index) = number(index) {
        let above = Some(index + 1);
        let both = [above, index.checked_sub(1)];
        return both.iter().flatten().map(usize::to_string).collect();
    }
    if index.contains('\'') {
        // It has a size, and so has what is added to it.
        return others(index);
    }
    vec![format!("{index} + 1"), format!("{index} - 1")]
}

/// A constant off by one, and with one of its bits inverted.
fn others(literal: &str) -> Vec<String> {
    match literal {
        "'0" => return vec!["'1".into()],
        "'1" => return vec!["'0".into()],
        _ => {}
    }
    let Some((value, form)) = parse(literal) else {
        return Vec::new();
    };
    let mask = u64::MAX >> (64 - form.width);
    let mut values = vec![value.wrapping_add(1) & mask, value.wrapping_sub(1) & mask];
    values.extend((0..form.width.min(BITS)).map(|bit| value ^ 1 << bit));
    values.push(value ^ 1 << (form.width - 1));
    values.sort_unstable();
    values.dedup();
    values.retain(|&other| other != value);
    values.into_iter().map(|value| form.text(value)).collect()
}

/// How a constant is written.
struct Form {
    width: u32,
    base: char,
}

impl Form {
    fn text(&self, value: u64) -> String {
        let Self { width, base } = self;
        let (bits, digits) = (*width as usize, width.div_ceil(4) as usize);
        match base {
            'b' => format!("{width}'b{value:0bits$b}"),
            'h' => format!("{width}'h{value:0digits$X}"),
            _ => format!("{width}'d{value}"),
        }
    }
}

/// A constant with a size of up to 64 bits.
fn parse(literal: &str) -> Option<(u64, Form)> {
    let (width, rest) = literal.split_once('\'')?;
    let width = width.trim().parse().ok()?;
    let base = rest.chars().next()?;
    let radix = match base {
        'b' => 2,
        'h' => 16,
        'd' => 10,
        _ => return None,
    };
    let digits = rest[1..].trim().replace('_', "");
    let value = u64::from_str_radix(&digits, radix).ok()?;
    (1..=64)
        .contains(&width)
        .then_some((value, Form { width, base }))
}
