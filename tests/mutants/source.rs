//! The RTL, and what its syntax tree says.

use std::fs;
use std::path::Path;

use tree_sitter::{Node, Parser, Tree};

use crate::Error;

/// A file of the RTL.
pub struct Unit {
    /// Its name, without folders.
    pub name: String,
    pub text: String,
    tree: Tree,
}

/// Reads and parses every SystemVerilog file of `folder`.
///
/// # Errors
/// A file that cannot be read, or is none for the parser.
pub fn read(folder: &Path) -> Result<Vec<Unit>, Error> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_systemverilog::LANGUAGE.into())?;
    let mut units = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "sv") {
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let tree = parser.parse(&text, None).ok_or("no syntax tree")?;
        if tree.root_node().has_error() {
            return Err(format!("{}: the parser does not understand it", path.display()).into());
        }
        let name = path.file_name().ok_or("a file")?;
        units.push(Unit {
            name: name.to_string_lossy().into_owned(),
            text,
            tree,
        });
    }
    units.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(units)
}

impl Unit {
    /// The root of the syntax tree.
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// The text of a node.
    pub fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// The text of a node in one line, without comments.
    pub fn flat(&self, node: Node<'_>) -> String {
        flat(self.of(node))
    }

    /// The line of a place, from 1.
    pub fn line(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }
}

/// Text in one line, without comments.
pub fn flat(text: &str) -> String {
    let words = text
        .lines()
        .flat_map(|line| line.split("//").next().unwrap_or("").split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

/// The children that are no comments.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let children = node.children(&mut cursor);
    children.filter(|child| !child.is_extra()).collect()
}

/// The first child of a kind.
pub fn child<'a>(node: Node<'a>, kind: &str) -> Option<Node<'a>> {
    children(node)
        .into_iter()
        .find(|child| child.kind() == kind)
}

/// Every node of a kind below `node`, in order.
pub fn all<'a>(node: Node<'a>, kind: &str) -> Vec<Node<'a>> {
    let mut found = Vec::new();
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        if node.kind() == kind {
            found.push(node);
        }
        left.extend(children(node).into_iter().rev());
    }
    found
}

/// The nodes around `node`, from the nearest on.
pub fn around(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}
