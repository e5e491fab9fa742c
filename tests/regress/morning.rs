//! What a report says of a failure in the morning: what else the run found, its recipe, and the commands that go on.

use std::fs;
use std::path::{Path, PathBuf};

use pmu_lockstep::stimulus::Writer;
use pmu_model::{CycleInput, Implementation};

use super::{json, regress, suite, two_designs};
use crate::scratch::scratch;

/// A suite of a design with two mistakes that never meet, played 1600 cycles with a reset in every 400th.
fn two_faults(name: &str) -> PathBuf {
    let folder = scratch(&format!("regress/{name}"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    for file in ["idle_pkg.sv", "two_faults.sv"] {
        fs::copy(rtl.join(file), folder.join(file)).expect("copied");
    }
    let mut cycles = vec![CycleInput::default(); 1600];
    for stretch in cycles.chunks_mut(400) {
        stretch[0] = CycleInput::reset();
    }
    let path = folder.join("resets.stim");
    let mut writer = Writer::create(&path, &Implementation::default(), None).expect("written");
    writer.append(&cycles).expect("written");
    writer.finish().expect("written");
    fs::write(folder.join("own.toml"), "").expect("written");
    suite(
        &folder,
        "name = 'two faults'\n[implementations]\nown = 'own.toml'\n\
         [designs.two]\nrtl = ['idle_pkg.sv', 'two_faults.sv']\n\
         [[group]]\nimplementations = ['own']\ndesigns = ['two']\nrecorded = ['resets.stim']\nkeep_going = true\n",
    );
    folder
}

/// The words of the line of a report that begins with `lockstep shrink`, behind what it is.
fn shrink_words(stdout: &str) -> Option<Vec<String>> {
    let lines = stdout.lines().map(str::trim_start);
    let command = lines
        .filter_map(|line| line.strip_prefix("shrink"))
        .next()?;
    let words = command.split_whitespace().skip(1);
    Some(words.map(str::to_owned).collect())
}

#[test]
fn a_failure_has_what_else_was_found_and_its_recipe() {
    let folder = two_faults("morning");
    let ran = regress(&folder, &["regress", "suite.toml", "--out", "out"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let then =
        "    then access outcome: expected no access, RTL UNDEFINED, in cycle 450, 2 stretches\n";
    assert!(ran.stdout.contains(then), "{}", ran.stdout);
    let first = |report: &str| {
        let summary = json(&folder.join(report).join("summary.json"));
        summary["groups"][0]["first"].clone()
    };
    let before = first("out/report");
    assert!(before["derivation"][0].is_string(), "{before}");
    let capsule = before["capsule"].as_str().expect("a capsule");
    let again = format!("lockstep replay {capsule}");
    assert_eq!(before["again"], again.as_str());
    let page = fs::read_to_string(folder.join("out/report/index.html")).expect("a page");
    let beside = before["page"].as_str().expect("a page of its own");
    assert!(page.contains(&format!("href=\"{beside}\"")), "{page}");
    assert!(folder.join("out/report").join(beside).exists());
    // As it is given, from the folder of the page: the design is where the suite had it, until it is not.
    let report = folder.join("out/report");
    let words = ["replay", capsule, "--no-shrink", "--out", "../there"];
    let ran = regress(&report, &words);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("it ends as in"), "{}", ran.stderr);
    let [here, gone] = ["two_faults.sv", "gone.sv"].map(|name| folder.join(name));
    fs::rename(&here, &gone).expect("moved");
    let ran = regress(&report, &words);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let told = "the suite, in ";
    assert!(ran.stderr.contains(told), "{}", ran.stderr);
    fs::rename(&gone, &here).expect("moved");
    // What replay says of shrinking can be done.
    let capsule = format!("out/report/{capsule}");
    let rtl = ["--rtl", "idle_pkg.sv", "--rtl", "two_faults.sv"];
    let ran = regress(
        &folder,
        &[
            &["replay", &capsule, "--no-shrink", "--out", "again"],
            &rtl[..],
        ]
        .concat(),
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let words = shrink_words(&ran.stdout).expect("a command");
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let ran = regress(&folder, &words);
    assert_eq!(ran.code, 1, "{words:?}: {}", ran.stderr);
    // In the folder of the run it is the recipe of the failure, also where the capsule alone is left.
    let run = before["folder"].as_str().expect("a folder");
    let place = folder.join("out").join(run);
    fs::copy(folder.join("again/shrunk.json"), place.join("shrunk.json")).expect("copied");
    let merged = regress(&folder, &["merge", "out", "-o", "morning"]);
    assert_eq!(merged.code, 1, "{}", merged.stderr);
    let shrunk = &first("morning")["shrunk"];
    assert_eq!(shrunk["recipe"][0], "reset", "{shrunk}");
    let page = fs::read_to_string(folder.join("morning/index.html")).expect("a page");
    assert!(page.contains("<li>reset</li>"), "{page}");
    let merged = regress(
        &folder,
        &["merge", "morning/results.jsonl", "-o", "morning"],
    );
    assert_eq!(merged.code, 1, "{}", merged.stderr);
    assert_eq!(first("morning")["shrunk"], *shrunk);
}

#[test]
fn what_is_gone_with_the_capsule_is_not_named() {
    let folder = two_faults("morning_copied");
    let words = ["regress", "suite.toml", "--out", "out", "--capsule-sources"];
    assert_eq!(regress(&folder, &words).code, 1);
    let summary = json(&folder.join("out/report/summary.json"));
    let again = summary["groups"][0]["first"]["again"].as_str();
    let words: Vec<_> = again.expect("a command").split(' ').skip(1).collect();
    assert_eq!(words.len(), 2, "{words:?}");
    let ran = regress(&folder.join("out/report"), &words);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(shrink_words(&ran.stdout), None, "{}", ran.stdout);
}

/// Designs take minutes to build.
#[test]
fn other_results_are_refused_before_designs_are_built() {
    let folder = two_designs("refused");
    let words = ["regress", "suite.toml", "--out", "out", "--only"];
    let ran = regress(&folder, &[&words[..], &["bundled/mixed/2000/1"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = regress(&folder, &[&words[..], &["mute"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let message = "expected results of this choice of runs, found those of another one";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    assert!(!ran.stderr.contains("building design"), "{}", ran.stderr);
}
