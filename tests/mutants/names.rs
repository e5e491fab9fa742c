//! The signals of a file, and the constants of packages.

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use crate::source::{Unit, all, around, child, children};

/// A signal.
#[derive(Debug)]
pub struct Signal {
    pub name: String,
    /// Its dimensions, as they are written.
    pub packed: String,
    pub unpacked: String,
    /// Where it can be named.
    scope: Range<usize>,
    /// A port that comes in.
    is_input: bool,
    /// Where more can be declared that knows it.
    pub after: usize,
}

/// The signals of a file.
pub struct Names {
    signals: Vec<Signal>,
    /// Where each is driven first.
    driven: HashMap<String, usize>,
}

/// A constant of a package.
#[derive(Debug)]
pub struct Constant {
    pub package: String,
    pub name: String,
    /// Its type, as it is written.
    pub of: String,
}

impl Names {
    pub fn of(unit: &Unit) -> Self {
        let mut signals = Vec::new();
        for node in all(unit.root(), "ansi_port_declaration") {
            let Some(name) = child(node, "simple_identifier") else {
                continue;
            };
            signals.push(Signal {
                name: unit.of(name).into(),
                packed: dimensions(unit, node, "packed_dimension"),
                unpacked: dimensions(unit, node, "unpacked_dimension"),
                scope: scope(node),
                is_input: unit.of(node).starts_with("input"),
                after: around(node)
                    .find(|outer| outer.kind() == "module_ansi_header")
                    .map_or(0, |header| header.end_byte()),
            });
        }
        for node in all(unit.root(), "data_declaration") {
            let Some(of) = child(node, "data_type_or_implicit") else {
                continue;
            };
            for declared in all(node, "variable_decl_assignment") {
                let Some(name) = child(declared, "simple_identifier") else {
                    continue;
                };
                let whole = unit.of(declared);
                signals.push(Signal {
                    name: unit.of(name).into(),
                    packed: dimensions(unit, of, "packed_dimension"),
                    unpacked: whole[unit.of(name).len()..].trim().into(),
                    scope: scope(node),
                    is_input: false,
                    after: node.end_byte(),
                });
            }
        }
        Self {
            signals,
            driven: driven(unit),
        }
    }

    /// The signal that a name means at a place.
    pub fn find(&self, name: &str, at: usize) -> Option<&Signal> {
        let named = self.at(at).filter(|signal| signal.name == name);
        named.min_by_key(|signal| signal.scope.len())
    }

    /// The other signals of the same dimensions.
    pub fn alike(&self, signal: &Signal, at: usize) -> impl Iterator<Item = &Signal> {
        let form = (&signal.packed, &signal.unpacked);
        let same = move |other: &&Signal| (&other.packed, &other.unpacked) == form;
        let is_other = move |other: &&Signal| other.name != signal.name;
        self.at(at).filter(same).filter(is_other)
    }

    /// Whether reading a signal in logic at a place makes no loop: it comes in, is a register, or is driven further up.
    pub fn is_before(&self, signal: &Signal, at: usize) -> bool {
        let driven = self.driven.get(&signal.name);
        signal.is_input || signal.name.ends_with("_q") || driven.is_some_and(|&driven| driven < at)
    }

    fn at(&self, at: usize) -> impl Iterator<Item = &Signal> {
        self.signals
            .iter()
            .filter(move |signal| signal.scope.contains(&at))
    }
}

/// The constants of all packages, in their order.
pub fn constants(units: &[Unit]) -> Vec<Constant> {
    let mut found = Vec::new();
    for unit in units {
        for package in all(unit.root(), "package_declaration") {
            let Some(name) = child(package, "simple_identifier") else {
                continue;
            };
            for node in all(package, "local_parameter_declaration") {
                let of = child(node, "data_type_or_implicit");
                let of = of.map(|of| unit.flat(of)).unwrap_or_default();
                for constant in all(node, "param_assignment") {
                    if let Some(simple) = child(constant, "simple_identifier") {
                        found.push(Constant {
                            package: unit.of(name).into(),
                            name: unit.of(simple).into(),
                            of: of.clone(),
                        });
                    }
                }
            }
        }
    }
    found
}

/// The text of the dimensions of a kind below `node`.
fn dimensions(unit: &Unit, node: Node<'_>, kind: &str) -> String {
    all(node, kind)
        .into_iter()
        .map(|dimension| unit.flat(dimension))
        .collect()
}

/// Where a declaration holds.
fn scope(node: Node<'_>) -> Range<usize> {
    const SCOPES: [&str; 4] = [
        "generate_block",
        "seq_block",
        "function_declaration",
        "module_declaration",
    ];
    let scope = around(node).find(|outer| SCOPES.contains(&outer.kind()));
    scope.map_or(0..usize::MAX, |scope| scope.byte_range())
}

/// Where each signal is driven first.
fn driven(unit: &Unit) -> HashMap<String, usize> {
    let mut driven: HashMap<String, usize> = HashMap::new();
    let mut drive = |name: &str, at: usize| {
        let first = driven.entry(name.into()).or_insert(at);
        *first = at.min(*first);
    };
    for kind in ["net_lvalue", "variable_lvalue"] {
        for node in all(unit.root(), kind) {
            if let Some(name) = all(node, "simple_identifier").first() {
                drive(unit.of(*name), node.start_byte());
            }
        }
    }
    for node in all(unit.root(), "named_port_connection") {
        let Some(port) = child(node, "simple_identifier") else {
            continue;
        };
        if unit.of(port).ends_with("_o") {
            let names = all(node, "simple_identifier");
            let name = names.get(1).copied().unwrap_or(port);
            // What it depends on is anywhere in the instance.
            drive(unit.of(name), node.end_byte());
        }
    }
    driven
}

/// Whether a node is in a block that the clock runs.
pub fn is_clocked(unit: &Unit, node: Node<'_>) -> bool {
    let always = around(node).find(|outer| outer.kind() == "always_construct");
    always
        .and_then(|always| children(always).first().copied())
        .is_some_and(|keyword| unit.of(keyword) == "always_ff")
}
