//! Capsules of failures: made by `regress` and `merge`, replayed, and searched with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{json, regress, suite, two_designs};

/// The capsules of a report, in the order of their names; pages are beside them.
fn capsules(report: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(report.join("capsules")).expect("capsules");
    let paths = entries.map(|entry| entry.expect("one").path());
    let is_capsule = |path: &PathBuf| path.extension().is_some_and(|end| end == "zst");
    let mut paths: Vec<_> = paths.filter(is_capsule).collect();
    paths.sort();
    paths
}

fn named(report: &Path, start: &str) -> String {
    let all = capsules(report);
    let found = all.iter().find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(start))
    });
    found.expect(start).display().to_string()
}

/// A suite of a divergence, and of a crash in cycle 2500 of a recording.
fn ran(name: &str) -> PathBuf {
    let folder = two_designs(name);
    let path = folder.join("suite.toml");
    let text = fs::read_to_string(&path).expect("a suite");
    fs::write(folder.join("waivers.toml"), "").expect("written");
    let text = text.replace("'bundled', 'mute'", "'mute'");
    suite(
        &folder,
        &text.replace("cycles = 2000", "cycles = 2000\nwaivers = 'waivers.toml'"),
    );
    let ran = regress(
        &folder,
        &["regress", "suite.toml", "--out", "out", "--capsule-sources"],
    );
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    folder
}

#[test]
fn each_kind_has_a_capsule_that_shows_it_again() {
    let folder = ran("capsules");
    let report = folder.join("out/report");
    let summary = json(&report.join("summary.json"));
    let groups = summary["groups"].as_array().expect("groups");
    let links: Vec<_> = groups
        .iter()
        .map(|group| group["first"]["capsule"].as_str().expect("a link"))
        .collect();
    assert_eq!((links.len(), capsules(&report).len()), (2, 2), "{links:?}");
    let page = fs::read_to_string(report.join("index.html")).expect("a page");
    for link in links {
        assert!(report.join(link).exists() && page.contains(link), "{link}");
    }
    // Nothing of the run is needed: it is shown from the copy of its sources.
    let (crash, divergence) = (
        named(&report, "mute-crashed"),
        named(&report, "mute-access"),
    );
    let other = folder.join("elsewhere");
    fs::create_dir(&other).expect("made");
    for (path, code, line) in [
        (
            &crash,
            6,
            "it ends as in recorded/mute/idle: CRASHED in cycle 2500\n",
        ),
        (&divergence, 1, "it ends as in default/mute/mixed/2000/"),
    ] {
        let again = regress(&other, &["replay", path]);
        assert_eq!(again.code, code, "{}", again.stderr);
        assert!(again.stderr.contains(line), "{}", again.stderr);
    }
    // Another design does not end so, and is told.
    let text = fs::read_to_string(folder.join("abort.sv")).expect("a design");
    fs::write(other.join("mended.sv"), text.replace("abort();", "")).expect("written");
    let rtl = ["--rtl", "../idle_pkg.sv", "--rtl", "mended.sv"];
    let again = regress(&other, &[&["replay", &crash], &rtl[..]].concat());
    assert_eq!(again.code, 0, "{}", again.stderr);
    for part in [
        "it does NOT end as in",
        "found PASS",
        "files that the run's design was not made of",
    ] {
        assert!(again.stderr.contains(part), "{}", again.stderr);
    }
    // What is cut is told.
    let cut = other.join("cut");
    let bytes = fs::read(&crash).expect("read");
    fs::write(&cut, &bytes[..bytes.len() / 2]).expect("written");
    let again = regress(&other, &["replay", "cut"]);
    assert_eq!(again.code, 2);
    assert!(
        again.stderr.contains("the capsule is cut or damaged"),
        "{}",
        again.stderr
    );
    // Merging again comes to the same bytes, also where the folders of runs are gone.
    let before: Vec<_> = capsules(&report)
        .iter()
        .map(|path| fs::read(path).expect("read"))
        .collect();
    let merged = |words: &[&str]| {
        assert_eq!(regress(&folder, words).code, 1);
        let paths = capsules(&folder.join("again"));
        paths
            .iter()
            .map(|path| fs::read(path).expect("read"))
            .collect::<Vec<_>>()
    };
    assert!(merged(&["merge", "out", "-o", "again", "--capsule-sources"]) == before);
    fs::remove_dir_all(folder.join("out/runs")).expect("removed");
    assert!(merged(&["merge", "out/report", "-o", "again"]) == before);
    // Without either, that is said.
    let none = regress(&folder, &["merge", "out", "-o", "none"]);
    assert!(
        none.stderr
            .contains("no capsule: what recorded/mute/idle left is not beside"),
        "{}",
        none.stderr
    );
    let summary = json(&folder.join("none/summary.json"));
    let findings = summary["findings"].as_array().expect("findings");
    assert_eq!(
        findings
            .iter()
            .filter(|finding| finding["kind"] == "capsule")
            .count(),
        2
    );
    assert!(!folder.join("none/capsules").exists());
}

/// `git bisect run` finds the commit that brings the failure, over one that does not build.
#[test]
fn a_failure_of_another_initial_state_is_seen_again() {
    let folder = two_designs("capsule_of_a_state");
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl/forgotten.sv");
    fs::copy(rtl, folder.join("forgotten.sv")).expect("copied");
    suite(
        &folder,
        "name = 'states'\n[designs.forgotten]\nrtl = ['idle_pkg.sv', 'forgotten.sv']\n\
         [[group]]\ndesigns = ['forgotten']\nrecorded = ['idle.stim']\ninit = 4\n",
    );
    let ran = regress(&folder, &["regress", "suite.toml", "--out", "out"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let capsule = named(
        &folder.join("out/report"),
        "forgotten-V-n-depends-on-the-initial-state",
    );
    let files = ["--rtl", "idle_pkg.sv", "--rtl", "forgotten.sv"];
    let replayed = regress(&folder, &[&["replay", &capsule][..], &files].concat());
    assert_eq!(replayed.code, 1, "{}", replayed.stdout);
    assert!(
        replayed.stderr.contains("it ends as in"),
        "{}",
        replayed.stderr
    );
    let bisected = regress(&folder, &[&["bisect", &capsule][..], &files].concat());
    assert_eq!(bisected.code, 1, "{}", bisected.stderr);
}

#[test]
fn a_commit_is_found() {
    let folder = ran("bisect");
    let crash = named(&folder.join("out/report"), "mute-crashed");
    let history = folder.join("history");
    fs::create_dir(&history).expect("made");
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&history)
            .args([
                "-c",
                "user.name=n",
                "-c",
                "user.email=n@example.org",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(words)
            .env(
                "LOCKSTEP_CACHE",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"),
            );
        let output = git.output().expect("git");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.success(),
            text(&output.stdout) + &text(&output.stderr),
        )
    };
    fs::copy(folder.join("idle_pkg.sv"), history.join("idle_pkg.sv")).expect("copied");
    let bad = fs::read_to_string(folder.join("abort.sv")).expect("a design");
    let good = bad.replace("abort();", "");
    assert!(good != bad && git(&["init", "-q"]).0);
    // The third does not build, the fourth crashes.
    for (message, text, builds) in [
        ("one", good.clone(), true),
        ("two", format!("{good}// 2\n"), true),
        ("three", format!("{good}// 3\n"), false),
        ("four", bad.clone(), true),
        ("five", format!("{bad}// 5\n"), true),
    ] {
        fs::write(history.join("abort.sv"), text).expect("written");
        fs::write(
            history.join("build.sh"),
            format!("exit {}\n", u8::from(!builds)),
        )
        .expect("written");
        assert!(git(&["add", "."]).0);
        let (done, said) = git(&["commit", "-q", "-m", message]);
        assert!(done, "{said}");
    }
    assert!(git(&["bisect", "start", "HEAD", "HEAD~4"]).0);
    let (_, said) = git(&[
        "bisect",
        "run",
        env!("CARGO_BIN_EXE_lockstep"),
        "bisect",
        &crash,
        "--rtl",
        "idle_pkg.sv",
        "--rtl",
        "abort.sv",
        "--",
        "sh",
        "build.sh",
    ]);
    let (_, log) = git(&["bisect", "log"]);
    for (word, message) in [("good", "two"), ("skip", "three"), ("bad", "four")] {
        let is_it = |line: &str| {
            line.starts_with(&format!("# {word}:")) && line.ends_with(&format!("] {message}"))
        };
        assert!(log.lines().any(is_it), "{word} {message}\n{log}\n{said}");
    }
    let codes = regress(&history, &["bisect", "none"]);
    assert_eq!(codes.code, 125);
    assert!(
        codes
            .stderr
            .contains("it cannot be told: none: cannot be read"),
        "{}",
        codes.stderr
    );
}
