//! All dumps of the corpus: no command fails on a good one, and all tell the fault of a bad one.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::Value;

use crate::command::{lockstep, run};
use crate::golden::{dumps, vcd};

/// The ends of the names of all dumps.
const ALL: &[&str] = &["vcd", "fst", "ghw"];

/// The ends of those that are Value Change Dumps.
const VCD: &[&str] = &["vcd"];

fn files(folder: &str, ends: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(dumps().join(folder)).expect("a folder of the corpus");
    let is_dump = |path: &PathBuf| {
        let end = path.extension().and_then(|end| end.to_str());
        end.is_some_and(|end| ends.contains(&end))
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(is_dump)
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The folders of dumps without a fault.
fn good_folders() -> Vec<String> {
    let folders = fs::read_dir(dumps()).expect("the corpus");
    let mut folders: Vec<_> = folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() && !path.ends_with("malformed") && !path.ends_with("designs"))
        .collect();
    folders.sort();
    assert!(folders.len() >= 7, "{folders:?}");
    let names = folders.iter().filter_map(|path| path.file_name()?.to_str());
    names.map(str::to_owned).collect()
}

/// The folders of all dumps.
fn folders() -> Vec<String> {
    let mut folders = good_folders();
    folders.push("malformed".to_owned());
    folders
}

/// All dumps without a fault that are Value Change Dumps.
pub fn good_files() -> Vec<PathBuf> {
    let folders = good_folders();
    folders.iter().flat_map(|name| files(name, VCD)).collect()
}

/// Traps of dumps, and the folder and start of name of those that have them.
const TRAPS: [(&str, &[&str]); 14] = [
    (
        "vectors in bits or pieces",
        &["split/", "gtkwave-3.3.118/questa_"],
    ),
    (
        "events",
        &["events/", "icarus-11/events", "icarus-12/events"],
    ),
    ("names that stand twice", &["twice/"]),
    ("cut", &["malformed/cut_", "malformed/truncated_"]),
    ("times that go back", &["malformed/time_backwards"]),
    ("fractions of a tick", &["malformed/fraction"]),
    ("extended VCD", &["malformed/port"]),
    ("byte order marks", &["loose/byte_order_mark"]),
    ("zeros above the width", &["loose/zeros_"]),
    (
        "escapes in strings",
        &["loose/escapes", "gtkwave-3.3.118/escapes"],
    ),
    (
        "elements of arrays",
        &[
            "loose/elements_",
            "icarus-12/memories",
            "verilator-5.048/memories",
        ],
    ),
    (
        "no line feed at the end",
        &["loose/no_line_feed", "loose/end_"],
    ),
    (
        "FST",
        &[
            "verilator-5.032/memories.fst",
            "verilator-5.048/memories.fst",
            "ghdl-5.0/tree.fst",
            "icarus-12/tricky.fst",
            "gtkwave-3.3.121/questa.fst",
        ],
    ),
    (
        "GHW",
        &[
            "ghdl-2.0/kinds.ghw",
            "ghdl-2.0/tree.ghw",
            "ghdl-5.0/bus.ghw",
            "ghdl-5.0/fifo.ghw",
            "ghdl-5.0/kinds.ghw",
        ],
    ),
];

#[test]
fn every_trap_has_five_dumps() {
    let mut names: Vec<String> = Vec::new();
    for folder in folders() {
        let files = files(&folder, ALL);
        names.extend(files.iter().map(|file| name(file)));
    }
    for (trap, starts) in TRAPS {
        let has_it = |name: &&String| starts.iter().any(|start| name.starts_with(start));
        let found = names.iter().filter(has_it).count();
        assert!(found >= 5, "{trap}: {found}");
    }
}

/// A dump as folder and file.
fn name(file: &Path) -> String {
    let name = file.strip_prefix(dumps()).expect("a dump of the corpus");
    name.to_str().expect("a name").to_owned()
}

/// What every command says of a dump.
fn told(file: &str) -> String {
    let mut told = String::new();
    let mut tell = |words: &[&str]| {
        let ran = run(lockstep(&dumps()).arg("vcd").args(words));
        let line = words.join(" ");
        let (out, error) = (&ran.stdout, &ran.stderr);
        writeln!(
            told,
            "$ lockstep vcd {line}\n{out}{error}[exit code {}]\n",
            ran.code
        )
        .expect("a text");
        ran
    };
    let show = ["show", file, "--signals", "**", "--changes", "--at"];
    if tell(&["info", file, "--signals"]).code != 0 {
        if file.contains("fraction") {
            tell(&[&show[..], &["1", "--lenient"]].concat());
        }
        return told;
    }
    let json = run(&mut vcd(&dumps(), &format!("info {file} --signals --json")));
    let facts: Value = serde_json::from_str(&json.stdout).expect("JSON");
    let middle = (facts["ticks"][1].as_u64().unwrap_or_default() / 2).to_string();
    tell(&[&show[..], &[&middle, "--window", "1"]].concat());
    let plain = |path: &&str| {
        path.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
    };
    let variables = facts["variables"].as_array().expect("variables").iter();
    let bits = variables.filter(|variable| {
        let kind = variable["kind"].as_str().expect("a kind");
        !kind.contains("real") && kind != "string" && variable["width"] != 0
    });
    if let Some(path) = bits
        .filter_map(|variable| variable["path"].as_str())
        .find(plain)
    {
        tell(&["find", file, &format!("$changed({path})"), "--limit", "2"]);
    }
    tell(&["stats", file]);
    tell(&["cut", file, "--from", &middle, "--to", &middle, "-o", "-"]);
    tell(&["diff", file, file]);
    tell(&["map", file]);
    told
}

#[test]
fn every_command_on_every_dump() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("snapshots/corpus");
    let check = |folder: String| {
        for file in files(&folder, ALL) {
            let name = name(&file);
            settings.bind(|| insta::assert_snapshot!(name.replace(['/', '.'], "_"), told(&name)));
        }
    };
    let check = &check;
    thread::scope(|scope| {
        for folder in folders() {
            scope.spawn(move || check(folder));
        }
    });
}

#[test]
fn good_dumps() {
    for file in good_files() {
        let file = file.display();
        for command in [
            format!("info {file}"),
            format!("info {file} --signals --json"),
            format!("show {file} --signals ** --at 0 --changes"),
            format!("diff {file} {file}"),
        ] {
            let ran = run(&mut vcd(&dumps(), &command));
            assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        }
    }
}

#[test]
fn bad_dumps() {
    for file in files("malformed", VCD) {
        let told = fs::read_to_string(file.with_extension("error")).expect("a golden answer");
        let message = told.find("[vcd]").map(|start| told[start..].trim_end());
        let message = message.expect("a message");
        let file = file.display();
        for command in [
            format!("info {file}"),
            format!("show {file} --signals ** --at 18446744073709551615 --changes"),
            format!("diff {file} {file}"),
        ] {
            let ran = run(&mut vcd(&dumps(), &command));
            assert_eq!(ran.code, 2, "{command}: {}", ran.stdout);
            // A dump without declarations has nothing to compare.
            if !command.starts_with("diff") {
                assert!(ran.stderr.contains(message), "{command}: {}", ran.stderr);
            }
        }
    }
}
