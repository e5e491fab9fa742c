//! The cache of designs: one build however the path is written, damage, and what is kept.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::project::Project;

/// Runs a command line in `folder` with the cache `cache`.
fn run_in(folder: &Path, cache: &Path, words: &[&str]) -> Ran {
    run(lockstep(folder).env("LOCKSTEP_CACHE", cache).args(words))
}

/// The entries of the cache that are designs.
fn designs(cache: &Path) -> Vec<Value> {
    let ran = run_in(cache, cache, &["cache", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let entries = json["entries"].as_array().expect("a list").iter();
    entries
        .filter(|entry| entry["kind"] == "design")
        .cloned()
        .collect()
}

/// Everything below a folder.
fn everything(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let below = |path: PathBuf| match path.is_dir() {
        true => [vec![path.clone()], everything(&path)].concat(),
        false => vec![path],
    };
    let mut paths: Vec<_> = entries.flat_map(|entry| below(entry.path())).collect();
    paths.sort();
    paths
}

/// A folder with a name that neither a shell nor Verilator nor make would take as it is.
#[test]
fn a_design_is_built_once_and_again_when_its_library_is_damaged() {
    let project = Project::new("cache");
    let cache = project.path("its own, $(cache) \"here\"");
    let odd = project.path("a $(b) \"c\"\nd");
    fs::rename(project.path("rtl"), &odd).expect("renamed");
    std::os::unix::fs::symlink(&odd, project.path("link")).expect("linked");
    let list = odd.join("dut.f");
    let run_of = |folder: &Path, list: &Path| {
        let list = list.to_str().expect("UTF-8");
        let words = [
            "run",
            "--cycles",
            "1",
            "--filelist",
            list,
            "--top",
            "silent_wrapper",
            "--out",
            "out",
        ];
        run_in(folder, &cache, &words)
    };
    let building = "building RTL ";
    let first = run_of(&project.0, &list);
    assert_eq!(first.code, 0, "{}", first.stderr);
    assert!(first.stderr.starts_with(building), "{}", first.stderr);
    for (folder, list) in [
        (&odd, Path::new("dut.f")),
        (&project.0, Path::new("link/dut.f")),
    ] {
        let again = run_of(folder, list);
        assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    }
    let [design] = &designs(&cache)[..] else {
        panic!("{:?}", designs(&cache));
    };
    let what = design["what"].as_str().expect("words");
    assert!(
        what.starts_with("module silent_wrapper, without tracing, Verilator "),
        "{what}"
    );
    let library = Path::new(design["path"].as_str().expect("a path")).join("dut.so");
    let before = everything(&cache);

    let bytes = fs::read(&library).expect("a library");
    fs::write(&library, &bytes[..bytes.len() / 2]).expect("cut");
    let healed = run_of(&project.0, &list);
    let lines: Vec<_> = healed.stderr.lines().collect();
    let note = "expected a built design as it was written, found that dut.so was changed: it is removed and built again";
    assert!(
        lines[0].starts_with("lockstep: note: ") && lines[0].ends_with(note),
        "{lines:?}"
    );
    assert!(
        lines.iter().any(|line| line.starts_with(building)),
        "{lines:?}"
    );
    assert_eq!(designs(&cache).len(), 1);
    // Nothing is left of the building.
    assert_eq!(everything(&cache).len(), before.len());

    let text = run_in(&project.0, &cache, &["cache"]).stdout;
    assert!(
        text.contains(" of at most 10.0 GB\n") && text.contains(what),
        "{text}"
    );
    let pruned = run_in(
        &project.0,
        &cache,
        &["cache", "prune", "--older-than", "1h"],
    );
    assert!(
        pruned.stdout.ends_with(": 0 B removed\n"),
        "{}",
        pruned.stdout
    );
    let pruned = run_in(&project.0, &cache, &["cache", "prune", "--all"]);
    assert!(pruned.stdout.contains(what), "{}", pruned.stdout);
    assert_eq!((pruned.code, designs(&cache).len()), (0, 0));
    let left = everything(&cache);
    assert!(left.iter().all(|path| path.is_dir()), "{left:?}");
}
