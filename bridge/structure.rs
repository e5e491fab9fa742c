//! The modules have an order, and imports go down it: a change is looked for above what it touches, and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

/// A design with a process of its own is one of the designs, and is run as any other.
const PAIR: [&str; 2] = ["dut", "isolation"];

/// The modules from the top down; those of a row do not know each other.
const LAYERS: &[&[&str]] = &[
    &["main"],
    &["lib"],
    &["cli"],
    &["report"],
    &[
        "plan", "window", "against", "conform", "exhaust", "shrink", "offline",
    ],
    &["waves"],
    &["diagnosis"],
    &["hypotheses"],
    &["kit", "lockstep"],
    &["stimulus"],
    &PAIR,
    &["registers", "implementation_file"],
    &[
        "counted",
        "glob",
        "plain",
        "printable",
        "scratch",
        "text_file",
        "verdict",
    ],
];

/// The layer of a module, counted from the top.
fn layer(module: &str) -> usize {
    let found = LAYERS.iter().position(|layer| layer.contains(&module));
    found.unwrap_or_else(|| panic!("{module} has no layer: give it one in {}", file!()))
}

/// All Rust files below a folder, but for crates of their own and tests.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the source") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() && !path.join("Cargo.toml").exists() {
            files(&path, all);
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "structure.rs" {
            all.push(path);
        }
    }
}

/// Modules of this crate that a text names.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

#[test]
fn imports_go_down() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("bridge");
    let mut all = Vec::new();
    files(&root, &mut all);
    let mut wrong = Vec::new();
    for path in &all {
        let inside = path.strip_prefix(&root).expect("below it");
        let first = inside.iter().next().expect("a name").to_string_lossy();
        let own = first.trim_end_matches(".rs");
        let text = fs::read_to_string(path).expect("source");
        let code = text
            .split("#[cfg(test)]\nmod tests")
            .next()
            .unwrap_or_default();
        let own_layer = layer(own);
        let is_many = |line: &str| line.trim_start().starts_with("use crate::{");
        assert!(
            !code.lines().any(is_many),
            "{}: a line a module",
            inside.display()
        );
        for other in named(code).filter(|other| *other != own) {
            let below = LAYERS.iter().position(|layer| layer.contains(&other));
            let is_pair = PAIR.contains(&own) && PAIR.contains(&other);
            if below.is_some_and(|below| below <= own_layer) && !is_pair {
                wrong.push(format!("{}: {own} -> {other}", inside.display()));
            }
        }
    }
    assert!(all.len() > 200, "{} files", all.len());
    assert!(
        wrong.is_empty(),
        "imports that go up:\n{}",
        wrong.join("\n")
    );
}
