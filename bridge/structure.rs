//! Imports have no circle: between crates the compiler sees to it, between the modules of a crate this test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What modules of a crate import of each other.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// All Rust files below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push(path);
        }
    }
}

/// Names in `code` that stand after `path`, such as `crate::`.
fn named<'a>(code: &'a str, path: &'a str) -> impl Iterator<Item = String> + 'a {
    code.split(path).skip(1).flat_map(|rest| {
        let group = rest
            .strip_prefix('{')
            .and_then(|rest| rest.split_once(';'))
            .map_or(rest, |(group, _)| group);
        let many = group.len() < rest.len();
        let words = group.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .take(if many { usize::MAX } else { 1 })
            .collect::<Vec<_>>()
    })
}

/// The graph of the crate in a folder, module by module.
fn graph(folder: &Path) -> Graph {
    let mut all = Vec::new();
    files(folder, &mut all);
    let mut graph = Graph::new();
    for path in &all {
        let inside = path.strip_prefix(folder).expect("below it");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        let own = first.trim_end_matches(".rs");
        if own == "lib" || own == "tests" {
            continue;
        }
        let is_file = inside.iter().count() == 1 || inside.ends_with("mod.rs");
        let text = fs::read_to_string(path).expect("source");
        let code = text.split("#[cfg(test)]\nmod tests").next();
        let code = code.unwrap_or_default();
        let mut imports: BTreeSet<_> = named(code, "crate::").collect();
        if is_file {
            imports.extend(named(code, "super::"));
        }
        imports.remove(own);
        graph.entry(own.to_owned()).or_default().extend(imports);
    }
    graph
}

/// Takes away what imports nothing that is left: what stays is in a circle, or imports one.
fn circles(mut graph: Graph) -> Graph {
    loop {
        let modules: BTreeSet<_> = graph.keys().cloned().collect();
        for imports in graph.values_mut() {
            imports.retain(|other| modules.contains(other));
        }
        let before = graph.len();
        graph.retain(|_, imports| !imports.is_empty());
        if graph.len() == before {
            return graph;
        }
    }
}

#[test]
fn imports_have_no_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut crates = vec![root.join("vcd/src")];
    for entry in fs::read_dir(root.join("bridge")).expect("the source") {
        crates.push(entry.expect("an entry").path().join("src"));
    }
    let mut modules = 0;
    for folder in crates.iter().filter(|folder| folder.is_dir()) {
        let graph = graph(folder);
        modules += graph.len();
        let left = circles(graph);
        assert!(left.is_empty(), "{}: {left:?}", folder.display());
    }
    assert!(modules > 100, "{modules} modules");
}

/// The check finds a circle.
#[test]
fn a_circle_is_found() {
    let imports = |name: &str, other: &str| (name.to_owned(), BTreeSet::from([other.to_owned()]));
    let graph = Graph::from([imports("a", "b"), imports("b", "c"), imports("c", "b")]);
    assert_eq!(circles(graph.clone()).len(), 3);
    let open: Graph = graph.into_iter().filter(|(name, _)| name != "c").collect();
    assert!(circles(open).is_empty());
}
