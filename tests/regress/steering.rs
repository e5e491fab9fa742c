//! Runs that move to what was not taken, and rounds of them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{json, records, regress, suite};
use crate::scratch::scratch;

const SUITE: &str = "name = 'n'\n[[group]]\nseeds = { count = 2, base = 'b' }\ncycles = 1000\ncoverage = true\n\
     [[group]]\nprofiles = ['spe']\ncycles = 1000\n";

fn folder(name: &str) -> PathBuf {
    let folder = scratch(&format!("regress/{name}"));
    suite(&folder, SUITE);
    folder
}

fn list(folder: &Path, words: &[&str]) -> Vec<String> {
    let ran = regress(
        folder,
        &[&["regress", "suite.toml", "--list"], words].concat(),
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    ran.stdout.lines().map(str::to_owned).collect()
}

/// Records by name, without what depends on when they ran.
fn timeless(path: &Path) -> BTreeSet<String> {
    let records = records(path).into_iter();
    let bare = records.map(|mut record| {
        let fields = record.as_object_mut().expect("an object");
        fields.remove("time");
        record.to_string()
    });
    bare.collect()
}

#[test]
fn rounds_go_on_where_they_ended_and_each_run_runs_alone() {
    let folder = folder("rounds");
    let words = ["regress", "suite.toml", "--until-coverage", "100"];
    let run = |more: &[&str]| {
        let ran = regress(&folder, &[&words, more].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        ran
    };
    let ran = run(&["--rounds", "2", "--out", "out"]);
    let limit = "coverage of 100 % not reached in 2 rounds, the most that there may be (--rounds)";
    assert!(ran.stdout.contains(limit), "{}", ran.stdout);
    let ran = run(&["--rounds", "3", "--out", "out"]);
    assert!(
        ran.stderr.contains("note: 5 runs in "),
        "what was done is kept: {}",
        ran.stderr
    );
    run(&["--rounds", "3", "--out", "again"]);
    let results = folder.join("out/shard-1-of-1.jsonl");
    let again = timeless(&folder.join("again/shard-1-of-1.jsonl"));
    let paths = |text: &String| text.replace("again/", "out/");
    let again: BTreeSet<_> = again.iter().map(paths).collect();
    assert_eq!(timeless(&results), again);
    // Three of the suite, and two in each further round, of the group that counts.
    let records = records(&results);
    let profiles: BTreeSet<_> = records
        .iter()
        .map(|run| run["stimulus"].to_string())
        .collect();
    assert_eq!(records.len(), 3 + 2 + 2);
    assert!(
        profiles.iter().any(|name| name.starts_with("\"mixed-")),
        "{profiles:?}"
    );
    for record in &records {
        let command = record["command"].as_str().expect("a command");
        let words: Vec<_> = command.split(' ').skip(1).collect();
        let ran = regress(
            &folder,
            &[&words[..], &["--json", "--out", "alone"]].concat(),
        );
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        let alone: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let hash = &record["compared"]["stimulus_hash"];
        assert!(
            ran.stdout.contains(hash.as_str().expect("a hash")),
            "{alone}"
        );
    }
    // The merge tells it as well, and coverage.json is what was counted.
    let ran = regress(&folder, &["merge", "out", "-o", "merged"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let rounds = &json(&folder.join("merged/summary.json"))["rounds"];
    assert_eq!(
        rounds,
        &json(&folder.join("out/report/summary.json"))["rounds"]
    );
    assert_eq!(
        (&rounds["rounds"], &rounds["why"]),
        (&3.into(), &"limit".into())
    );
    let coverage = &json(&folder.join("merged/coverage.json"))["merged"][0]["coverage"];
    let rules = coverage["rules"].as_object().expect("rules").values();
    let crosses = coverage["crosses"].as_object().expect("crosses").values();
    let points = crosses.flat_map(|points| points.as_object().expect("points").values());
    let counts: Vec<_> = rules.chain(points).collect();
    let taken = counts.iter().filter(|count| **count != 0).count();
    assert_eq!(rounds["parts"][0]["of"], counts.len());
    assert_eq!(rounds["parts"][0]["taken"], taken);
    let page = fs::read_to_string(folder.join("merged/index.html")).expect("a page");
    assert!(page.contains("coverage of 100 % not reached in 3 rounds"));
}

#[test]
fn rounds_end_when_it_is_reached_and_when_nothing_new_comes() {
    let folder = folder("reached");
    let words = ["regress", "suite.toml", "--out", "out", "--until-coverage"];
    let ran = regress(&folder, &[&words[..], &["10", "--unsteered"]].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let reached = "coverage of 10 % reached in 1 round\n";
    assert!(ran.stdout.contains(reached), "{}", ran.stdout);
    // The first cycle is a reset, and takes the same whatever the seed.
    suite(&folder, &SUITE.replace("1000", "1"));
    let more = ["100", "--unsteered", "--patience", "2", "--out", "short"];
    let words = ["regress", "suite.toml", "--until-coverage"];
    let ran = regress(&folder, &[&words[..], &more].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let nothing = "not reached in 3 rounds: nothing new in the last 2\n";
    assert!(ran.stdout.contains(nothing), "{}", ran.stdout);
    // Without coverage there is nothing to reach.
    suite(&folder, "name = 'n'\n[[group]]\n");
    let ran = regress(&folder, &[&words[..], &["100", "--out", "none"]].concat());
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr
            .contains("expected a group with `coverage = true`"),
        "{}",
        ran.stderr
    );
    let ran = regress(&folder, &[&words[..], &["100", "--shard", "1/2"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

#[test]
fn every_shard_steers_to_the_same_runs() {
    let folder = folder("steered");
    let own = "name = 'n'\n[implementations]\nown = 'own.toml'\n";
    suite(&folder, &SUITE.replace("name = 'n'\n", own));
    fs::write(folder.join("own.toml"), "[pmu]\ncounters = 6\n").expect("written");
    let ran = regress(&folder, &["regress", "suite.toml", "--out", "first"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let steer = ["--steer", "first/report/coverage.json"];
    let own = list(&folder, &[]);
    let all = list(&folder, &steer);
    assert_eq!((all.len(), &all[2]), (own.len(), &own[2]));
    assert!(
        all[..2].iter().zip(&own).all(|(new, old)| new != old),
        "{all:?}"
    );
    let mut shards: Vec<_> = ["1/2", "2/2"]
        .iter()
        .flat_map(|shard| list(&folder, &[&steer[..], &["--shard", shard]].concat()))
        .collect();
    shards.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(shards, sorted);
    for shard in ["1/2", "2/2"] {
        let words = ["regress", "suite.toml", "--out", "second", "--shard", shard];
        let ran = regress(&folder, &[&words[..], &steer].concat());
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
    let ran = regress(&folder, &["merge", "second", "-o", "second/report"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // What the profiles are is not lost with the coverage that they are of.
    fs::remove_dir_all(folder.join("first")).expect("removed");
    let result = records(&folder.join("second/shard-1-of-2.jsonl"));
    let command = result[0]["command"].as_str().expect("a command");
    let words: Vec<_> = command.split(' ').skip(1).collect();
    assert_eq!(regress(&folder, &words).code, 0, "{command}");
    // What is none of the suite is refused.
    let refused = |words: &[&str], message: &str| {
        let ran = regress(&folder, &[&["regress", "suite.toml"], words].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    };
    refused(&["--steer", "none.json"], "none.json: cannot be read");
    let words = ["--steer", "second/report/summary.json"];
    refused(&words, "expected merged coverage of this version");
    fs::write(folder.join("own.toml"), "[pmu]\ncounters = 4\n").expect("written");
    let words = ["--steer", "second/report/coverage.json"];
    refused(
        &words,
        "found that of another one, which differs in features",
    );
}
