//! All dumps of the corpus: no command fails on a good one, and all tell the fault of a bad one.

use std::fs;
use std::path::PathBuf;

use crate::command::run;
use crate::golden::{dumps, vcd};

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(dumps().join(folder)).expect("a folder of the corpus");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "vcd"))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// All dumps without a fault.
pub fn good_files() -> Vec<PathBuf> {
    let folders = fs::read_dir(dumps()).expect("the corpus");
    let mut folders: Vec<_> = folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir() && !path.ends_with("malformed") && !path.ends_with("designs"))
        .collect();
    folders.sort();
    assert!(folders.len() >= 7, "{folders:?}");
    let names = folders.iter().filter_map(|path| path.file_name()?.to_str());
    names.flat_map(files).collect()
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
    for file in files("malformed") {
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
