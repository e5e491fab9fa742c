//! What the targets share: files to read, and changes that leave a document well-formed.

mod tree;

use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzzer_mutate;

pub use tree::{Node, changed};

/// Writes a file that a reader opens by its path; `fuzz/run.py` sets TMPDIR to a folder in memory.
pub fn file(name: &str, contents: &[u8]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pmu-lockstep-fuzz-{}", std::process::id()));
    let path = folder.join(name);
    if fs::write(&path, contents).is_err() {
        fs::create_dir_all(&folder).expect("the folder of temporary files can be written");
        fs::write(&path, contents).expect("the folder of temporary files can be written");
    }
    path
}

/// Changes text in place: as a tree by `tree`, which gives nothing for text that is none, else as bytes.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    tree: impl FnOnce(&str, u32) -> Option<String>,
) -> usize {
    // Half of the changes are of bytes: a reader must also stand what is not well-formed.
    if seed.is_multiple_of(2)
        && let Ok(text) = std::str::from_utf8(&data[..size])
        && let Some(text) = tree(text, seed)
        && text.len() <= max_size
    {
        data[..text.len()].copy_from_slice(text.as_bytes());
        return text.len();
    }
    fuzzer_mutate(data, size, max_size)
}

/// A change of a TOML document.
pub fn toml(text: &str, seed: u32) -> Option<String> {
    let document: toml::Table = toml::from_str(text).ok()?;
    toml::to_string(&changed(toml::Value::Table(document), seed)).ok()
}

/// A change of one line of JSON Lines.
pub fn json_lines(text: &str, seed: u32) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let chosen = seed as usize % lines.len().max(1);
    let line = lines.get_mut(chosen)?;
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    *line = changed(value, seed).to_string();
    Some(lines.join("\n"))
}
