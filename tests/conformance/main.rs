//! Vectors made by hand from the examples of the requirements: stimulus and expected values, each line with the
//! example that it is. The folder `vectors` has one file an area.

use std::fs;
use std::path::{Path, PathBuf};

use pmu_lockstep::conform::{AREAS, run_files};
use serde_json::Value;

#[cfg(feature = "rtl")]
mod rtl;

fn vectors(area: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/vectors");
    folder.join(area).with_extension("jsonl")
}

fn passes(area: &str) {
    let summary = run_files(&[vectors(area)]).expect("vectors");
    assert!(summary.failures.is_empty(), "{:#?}", summary.failures);
    let lines = fs::read_to_string(vectors(area))
        .expect("a file")
        .lines()
        .count();
    let tally = &summary.areas[0];
    assert_eq!((tally.area.as_str(), tally.passed), (area, lines));
}

#[test]
fn threshold_edge_and_link() {
    passes("th");
}

#[test]
fn sample_intervals() {
    passes("spe");
}

#[test]
fn event_type_registers() {
    passes("ety");
}

#[test]
fn cycle_events() {
    passes("cyc");
}

#[test]
fn system_pmu() {
    passes("spmu");
}

#[test]
fn every_area_has_a_file() {
    for area in AREAS {
        assert!(vectors(area).is_file(), "{area}");
    }
}

/// Every expected number counts: a line with one of them changed fails.
#[test]
fn a_changed_number_is_found() {
    for area in AREAS {
        let text = fs::read_to_string(vectors(area)).expect("a file");
        for (index, line) in text.lines().enumerate() {
            let mut vector: Value = serde_json::from_str(line).expect("JSON");
            assert!(
                spoil(area, &mut vector),
                "{area} line {index} expects nothing"
            );
            let (_folder, path) = file_of(&vector.to_string());
            let summary = run_files(&[path]).expect("a vector");
            assert_eq!(summary.failures.len(), 1, "{area} line {index}: {vector}");
        }
    }
}

/// A file of one line, as long as its folder is kept.
fn file_of(line: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.jsonl");
    fs::write(&path, line).expect("written");
    (folder, path)
}

/// Changes the last number that the vector expects.
fn spoil(area: &str, vector: &mut Value) -> bool {
    let mut of = |key| vector.get_mut(key).is_some_and(add_one);
    match area {
        "ety" => of("fields") || of("read"),
        "spmu" => of("decode") || of("SPMCFGR"),
        _ => {
            let cycles = vector["cycles"].as_array_mut().into_iter().flatten();
            cycles.rev().any(|cycle| add_one(&mut cycle["expect"]))
        }
    }
}

/// Adds 1 to the last number in `value`.
fn add_one(value: &mut Value) -> bool {
    match value {
        Value::Number(number) => {
            *value = (number.as_u64().expect("a whole number") + 1).into();
            true
        }
        Value::String(text) if text.starts_with("0x") => {
            let number = u64::from_str_radix(&text[2..], 16).expect("a number");
            *value = number.wrapping_add(1).into();
            true
        }
        Value::Array(elements) => elements.iter_mut().rev().any(add_one),
        Value::Object(fields) => {
            // The number of a counter is not expected of the model.
            let mut fields: Vec<_> = fields.iter_mut().filter(|(key, _)| *key != "n").collect();
            fields.iter_mut().rev().any(|(_, value)| add_one(value))
        }
        _ => false,
    }
}
