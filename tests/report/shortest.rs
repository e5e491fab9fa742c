//! The shortest stimulus that fails, which a report begins with.

use std::path::Path;

use serde_json::Value;

use crate::command::{lockstep, run};
use crate::planted::plant;
use crate::scratch::scratch;

fn report(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("out/report.json")).expect("written");
    serde_json::from_str(&text).expect("JSON")
}

const LEFT: [&str; 3] = ["shrunk.stim", "shrunk.json", "regression.rs"];

#[test]
fn a_report_begins_with_the_shortest_stimulus_that_fails() {
    let folder = scratch("report/shortest");
    let bug = "40-cntenclr-misses-cycle-counter.patch";
    plant(Some(bug), &folder.join("rtl")).expect("planted");
    let left = || LEFT.map(|name| folder.join("out").join(name).exists());
    let ran = |words: &[&str]| {
        let common = ["--rtl", "rtl", "--out", "out"];
        run(lockstep(&folder).args(words.iter().chain(&common)))
    };

    let first = ran(&["run", "--cycles", "20000"]);
    assert_eq!(first.code, 1, "{}{}", first.stdout, first.stderr);
    let whole = report(&folder);
    let found = &whole["shortest"];
    assert_eq!(found["minimal"], true, "{found}");
    assert_eq!(found["writes"], 2, "{found}");
    assert!(found["cycles"].as_u64() < found["cycles_before"].as_u64());
    let begin = first.stdout.lines().take(9).collect::<Vec<_>>().join("\n");
    for words in [
        "shortest stimulus that fails",
        "MSR PMCNTENCLR_EL0 = 0x80000000",
    ] {
        assert!(begin.contains(words), "{begin}");
        let page = std::fs::read_to_string(folder.join("out/report.html")).expect("written");
        let page = page.to_lowercase();
        assert!(page.contains(&words.to_lowercase()), "{words}");
    }
    let replay = "lockstep replay out/shrunk.stim --rtl rtl";
    assert_eq!(found["replay"], replay);
    assert!(first.stdout.contains(replay), "{}", first.stdout);
    assert_eq!(left(), [true; 3]);

    // What it leaves fails in the same field, and is not shrunk again over itself.
    let before = std::fs::read(folder.join("out/shrunk.json")).expect("written");
    let again = ran(&["replay", "out/shrunk.stim"]);
    assert_eq!(again.code, 1, "{}{}", again.stdout, again.stderr);
    let short = report(&folder);
    assert_eq!(short["headline"]["field"], whole["headline"]["field"]);
    assert!(short["shortest"].is_null());
    let after = std::fs::read(folder.join("out/shrunk.json")).expect("still there");
    assert_eq!(before, after);

    // Nothing is left of an earlier run.
    let without = ran(&["run", "--cycles", "20000", "--no-shrink"]);
    assert_eq!(without.code, 1, "{}{}", without.stdout, without.stderr);
    assert!(report(&folder)["shortest"].is_null());
    assert_eq!(left(), [false; 3]);
}
