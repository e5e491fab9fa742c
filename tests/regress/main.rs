//! Suites, as a user runs them: shards, interrupts, limits, and what is made of their results.

mod capsules;
#[path = "../support/command.rs"]
mod command;
mod coverage;
mod morning;
mod rtl_coverage;
#[path = "../support/scratch.rs"]
mod scratch;
mod steering;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use command::{Ran, lockstep, run};
use pmu_lockstep::stimulus::Writer;
use pmu_model::{CycleInput, Implementation};
use scratch::scratch;
use serde_json::Value;

/// What CI systems and schedulers set, which is not for the suites of tests.
const FOREIGN: [&str; 11] = [
    "SLURM_ARRAY_TASK_ID",
    "LSB_JOBINDEX",
    "SGE_TASK_ID",
    "PBS_ARRAY_INDEX",
    "PBS_ARRAYID",
    "JOB_COMPLETION_INDEX",
    "CI_NODE_INDEX",
    "CIRCLE_NODE_INDEX",
    "BUILDKITE_PARALLEL_JOB",
    "GITHUB_ACTIONS",
    "GITHUB_STEP_SUMMARY",
];

fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = lockstep(folder);
    for name in FOREIGN {
        command.env_remove(name);
    }
    command.args(words);
    command
}

fn regress(folder: &Path, words: &[&str]) -> Ran {
    run(&mut command(folder, words))
}

fn suite(folder: &Path, text: &str) {
    fs::write(folder.join("suite.toml"), text).expect("written");
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// Records of a file of results.
fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("results");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.filter(|line: &Value| line["line"] == "run").collect()
}

#[test]
fn a_waiver_of_everything_compares_nothing() {
    let folder = scratch("regress/waiver_of_everything");
    let waive = |field: &str| {
        let waiver = format!(
            "[[waiver]]\nfield = '{field}'\ncondition = 'always'\nreason = 'r'\nowner = 'o'\nexpires = 2999-12-31\n"
        );
        fs::write(folder.join("waivers.toml"), waiver).expect("written");
        suite(
            &folder,
            "name = 'waived'\n[[group]]\ncycles = 2000\nwaivers = 'waivers.toml'\n",
        );
        regress(&folder, &["regress", "suite.toml", "--fresh"])
    };
    let all = waive("*");
    assert_eq!(all.code, 2, "{}", all.stdout);
    let why = "nothing was compared in 2,000 cycles: the waivers accept whatever the RTL shows of every field";
    assert!(all.stdout.contains(why), "{}", all.stdout);
    let increments = waive("V[*]");
    assert_eq!(increments.code, 8, "{}", increments.stdout);
    let summary = json(&folder.join("lockstep-regress/report/summary.json"));
    let never = summary["coverage"][0]["never_compared"]
        .as_array()
        .expect("names");
    assert!(never.contains(&"V[0]".into()), "{never:?}");
}

#[test]
fn what_changes_while_runs_go_on_drops_their_results() {
    let folder = scratch("regress/changed");
    let waivers = folder.join("waivers.toml");
    fs::write(&waivers, "").expect("written");
    suite(
        &folder,
        "name = 'changed'\n[[group]]\nseeds = '1-4'\ncycles = 20000\nwaivers = 'waivers.toml'\n",
    );
    let words = ["regress", "suite.toml", "--jobs", "1", "--out", "out"];
    let mut going_on = command(&folder, &words);
    let going_on = going_on.stdout(Stdio::piped()).stderr(Stdio::piped());
    let going_on = going_on.spawn().expect("it starts");
    let begun = folder.join("out/shard-1-of-1.jsonl.partial");
    let end = Instant::now() + Duration::from_secs(60);
    while !begun.exists() && Instant::now() < end {
        sleep(Duration::from_millis(1));
    }
    fs::write(&waivers, "# another file\n").expect("written");
    let ran = Ran::of(going_on.wait_with_output().expect("it ends"));
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    let why = "the suite, or a file that it names, changed while its runs were going on";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    assert!(!begun.exists() && !begun.with_extension("").exists());
    assert_eq!(regress(&folder, &words).code, 0);
}

#[test]
fn failures_of_other_seeds_are_told_to_be_not_run_again() {
    let folder = two_designs("other_seeds");
    let again = |last: &str, name: &str, seeds: &str| {
        let group = format!("[[group]]\ndesigns = ['mute']\nseeds = '{seeds}'\ncycles = 2000\n");
        suite(
            &folder,
            &format!("name = 's'\n[designs.mute]\nrtl = ['idle_pkg.sv', 'abort.sv']\n{group}"),
        );
        let mut words = vec!["regress", "suite.toml", "--out", name, "--base", "other"];
        if !last.is_empty() {
            words.extend(["--rerun-failed", last]);
        }
        regress(&folder, &words)
    };
    let first = again("", "first", "1-2");
    assert_eq!(first.code, 1, "{}", first.stderr);
    assert!(
        first
            .stderr
            .contains("--base: no seeds of suite.toml follow from a base")
    );
    let second = again("first/report", "second", "2-3");
    let why = "--rerun-failed: 1 of 2 runs that failed in first/report are not in the suite, and are not run again: \
               default/mute/mixed/2000/1;";
    assert!(second.stderr.contains(why), "{}", second.stderr);
    assert_eq!(records(&folder.join("second/shard-1-of-1.jsonl")).len(), 1);
}

/// A suite on the bundled design, and on one that says nothing, and crashes in cycle 2500 of a stimulus that does not
/// mind that.
fn two_designs(name: &str) -> PathBuf {
    let folder = scratch(&format!("regress/{name}"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    for file in ["idle_pkg.sv", "abort.sv"] {
        fs::copy(rtl.join(file), folder.join(file)).expect("copied");
    }
    let path = folder.join("idle.stim");
    let mut writer = Writer::create(&path, &Implementation::default(), None).expect("written");
    let mut cycles = vec![CycleInput::default(); 5000];
    cycles[0] = CycleInput::reset();
    writer.append(&cycles).expect("written");
    writer.finish().expect("written");
    suite(
        &folder,
        "name = 'two designs'\n\
         [designs.mute]\nrtl = ['idle_pkg.sv', 'abort.sv']\n\
         [[group]]\ndesigns = ['bundled', 'mute']\nseeds = '1-3'\ncycles = 2000\n\
         [[group]]\ndesigns = ['mute']\nrecorded = ['idle.stim']\n",
    );
    folder
}

fn timeless(path: &Path) -> Value {
    let mut summary = json(path);
    summary.as_object_mut().expect("an object").remove("times");
    summary
}

#[test]
fn four_shards_and_one_process_come_to_the_same() {
    let folder = two_designs("shards");
    let ran = regress(
        &folder,
        &["regress", "suite.toml", "--out", "one", "--jobs", "2"],
    );
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let one = timeless(&folder.join("one/report/summary.json"));
    assert_eq!(one["runs"]["planned"], 7);
    assert_eq!(
        (&one["runs"]["passed"], &one["runs"]["failed"]),
        (&3.into(), &4.into())
    );
    let groups = one["groups"].as_array().expect("groups");
    let verdicts: Vec<_> = groups
        .iter()
        .map(|group| (&group["signature"]["verdict"], &group["count"]))
        .collect();
    assert!(
        verdicts.contains(&(&"crash".into(), &1.into())),
        "{verdicts:?}"
    );
    for index in 1..=4 {
        let mut shard = command(&folder, &["regress", "suite.toml", "--out", "four"]);
        match index {
            // One is named by a scheduler that counts from 0.
            1 => shard
                .args(["--shards", "4"])
                .env("JOB_COMPLETION_INDEX", "0"),
            _ => shard.arg("--shard").arg(format!("{index}/4")),
        };
        let code = run(&mut shard).code;
        assert!([0, 1, 6].contains(&code), "{code}");
    }
    let mut merge = command(&folder, &["merge", "four", "-o", "four/report"]);
    let step = folder.join("step.md");
    let ran = run(merge
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", &step));
    assert_eq!(ran.code, 1);
    assert_eq!(timeless(&folder.join("four/report/summary.json")), one);
    assert!(
        ran.stderr
            .contains("::error title=CRASHED%3A 1 run::mute: crashed: SIGABRT%0Alockstep run"),
        "{}",
        ran.stderr
    );
    assert!(
        fs::read_to_string(step)
            .expect("a summary")
            .starts_with("## DIVERGENCE: two designs\n")
    );
    // Merged again behind its own report, it takes the place that it has.
    let again = regress(
        &folder,
        &["merge", "four", "-o", "again", "--since", "one/report"],
    );
    assert!(
        again.stdout.contains("0 new, 0 gone, 2 still failing") && !again.stdout.contains("nights"),
        "{}",
        again.stdout
    );
    let history = &json(&folder.join("again/summary.json"))["history"];
    assert_eq!(history, &one["history"]);
    assert!(history[0]["day"].is_string(), "{history}");
    // The command of a failure shows it again in the folder of the suite.
    let crash = groups
        .iter()
        .find(|group| group["signature"]["verdict"] == "crash");
    let replay = crash
        .and_then(|group| group["first"]["replay"].as_str())
        .expect("a command");
    let words: Vec<_> = replay.split(' ').skip(1).collect();
    assert_eq!(regress(&folder, &words).code, 6, "{replay}");
    let page = fs::read_to_string(folder.join("four/report/index.html")).expect("a page");
    let link = page
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let links: Vec<_> = link.map(|link| link.replace("%2B", "+")).collect();
    assert!(!links.is_empty());
    for link in links {
        assert!(folder.join("four/report").join(&link).exists(), "{link}");
    }
    fs::remove_file(folder.join("four/shard-3-of-4.jsonl")).expect("removed");
    let ran = regress(&folder, &["merge", "four", "-o", "red"]);
    assert!(
        ran.stdout.contains("shard 3 of 4 is missing"),
        "{}",
        ran.stdout
    );
    let ran = regress(&folder, &["merge", "one", "four", "-o", "red"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("expected results of one number of shards"),
        "{}",
        ran.stderr
    );
}

/// Waits for something to happen to a process that runs.
fn wait(child: &mut Child, mut happened: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(120);
    while !happened() && Instant::now() < limit {
        assert!(
            child.try_wait().expect("a process").is_none(),
            "it ended before"
        );
        sleep(Duration::from_millis(2));
    }
}

fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = command(folder, words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("started")
}

fn signal(name: &str, process: u32) {
    let sent = Command::new("kill")
        .args([name, &process.to_string()])
        .status();
    assert!(sent.expect("kill").success());
}

#[test]
fn what_was_interrupted_goes_on() {
    let folder = scratch("regress/interrupted");
    suite(
        &folder,
        "name = 'n'\n[[group]]\nseeds = '1-12'\ncycles = 40000\n",
    );
    let words = ["regress", "suite.toml", "--out", "out", "--jobs", "1"];
    let partial = folder.join("out/shard-1-of-1.jsonl.partial");
    let mut child = start(&folder, &words);
    wait(&mut child, || {
        fs::read_to_string(&partial).is_ok_and(|text| text.lines().count() > 2)
    });
    signal("-TERM", child.id());
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let done = records(&partial).len();
    assert!((2..12).contains(&done), "{done}");
    let ran = regress(&folder, &["merge", "out", "-o", "red"]);
    assert_eq!(ran.code, 5);
    assert!(
        ran.stdout
            .contains("shard 1 of 1 is not whole: it has no last line"),
        "{}",
        ran.stdout
    );
    let ran = regress(&folder, &words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains(&format!("{done} of 12 runs in ")),
        "{}",
        ran.stderr
    );
    let mut ids: Vec<_> = records(&folder.join("out/shard-1-of-1.jsonl"))
        .iter()
        .map(|record| record["id"].to_string())
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), partial.exists()), (12, false));
    // One that was ended just before it gave the file its name has nothing left to do.
    let whole = folder.join("out/shard-1-of-1.jsonl");
    fs::rename(&whole, &partial).expect("renamed");
    let ran = regress(&folder, &words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!((whole.exists(), partial.exists()), (true, false));
    // What is the user's is not replaced.
    for name in [
        "shard-1-of-1.jsonl",
        "report/index.html",
        "report/junit.xml",
    ] {
        let path = folder.join("out").join(name);
        let kept = fs::read(&path).expect("read");
        fs::write(&path, "mine").expect("written");
        let ran = regress(&folder, &[&words[..], &["--fresh"]].concat());
        assert_eq!(ran.code, 2, "{name}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("found something else"),
            "{}",
            ran.stderr
        );
        assert_eq!(fs::read(&path).expect("read"), b"mine");
        fs::write(&path, kept).expect("written");
    }
    let report = folder.join("out/report");
    fs::write(report.join("index.html"), "mine").expect("written");
    let ran = regress(&folder, &["merge", "out", "-o", "out/report"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(fs::read(report.join("index.html")).expect("read"), b"mine");
    fs::remove_file(report.join("index.html")).expect("removed");
    // Another suite in that place is refused.
    suite(
        &folder,
        "name = 'n'\n[[group]]\nseeds = '1-12'\ncycles = 30000\n",
    );
    let ran = regress(&folder, &words);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("expected results of this suite, found those of another one"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_run_that_is_killed_is_started_again() {
    let folder = scratch("regress/killed");
    suite(
        &folder,
        "name = 'n'\n[[group]]\nseeds = 1\ncycles = 300000\n",
    );
    let mut child = start(&folder, &["regress", "suite.toml", "--out", "out"]);
    let path = format!("/proc/{}/task", child.id());
    let mut below = None;
    wait(&mut child, || {
        let threads = fs::read_dir(&path).into_iter().flatten().flatten();
        let lists =
            threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
        below = lists
            .flat_map(|list| list.trim().parse::<u32>().ok())
            .next();
        below.is_some()
    });
    signal("-KILL", below.expect("a run"));
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let summary = json(&folder.join("out/report/summary.json"));
    assert_eq!(
        summary["retried"],
        serde_json::json!(["default/bundled/mixed/300000/1"])
    );
}

/// The children of a process.
fn children(process: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let lists = threads.into_iter().flatten().flatten();
    let lists = lists.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let lists: Vec<_> = lists.collect();
    let words = lists.iter().flat_map(|list| list.split_whitespace());
    words.filter_map(|word| word.parse().ok()).collect()
}

/// A design that takes five seconds for `idle.stim`.
fn slow_design(name: &str) -> PathBuf {
    let folder = two_designs(name);
    let path = folder.join("abort.sv");
    let text = fs::read_to_string(&path).expect("a design");
    let (before, rest) = text.split_once("if (cycle_q").expect("a condition");
    let (_, after) = rest.split_once("abort();\");\n    end").expect("its end");
    fs::write(&path, format!("{before}$c(\"usleep(1000);\");{after}")).expect("written");
    suite(
        &folder,
        "name = 'n'\n[designs.slow]\nrtl = ['idle_pkg.sv', 'abort.sv']\n\
         [[group]]\ndesigns = ['slow']\nrecorded = ['idle.stim']\n",
    );
    folder
}

/// A scheduler that ends a task signals every process of it, in any order: also that of the design, and the one that
/// keeps it.
#[test]
fn a_design_that_somebody_ends_has_not_stopped() {
    let folder = slow_design("signalled");
    let mut child = start(&folder, &["regress", "suite.toml", "--out", "out"]);
    let command = child.id();
    // Then the design is built, and what runs is a run.
    let begun = folder.join("out/shard-1-of-1.jsonl.partial");
    let mut found = None;
    wait(&mut child, || {
        if !begun.exists() {
            return false;
        }
        let keepers = children(command).into_iter().flat_map(children);
        let hosts = keepers.flat_map(|keeper| {
            let hosts = children(keeper).into_iter();
            hosts.map(move |host| (keeper, host))
        });
        let comm = |process| fs::read_to_string(format!("/proc/{process}/comm"));
        found = hosts
            .into_iter()
            .find(|(_, host)| comm(*host).is_ok_and(|name| name == "lockstep-design\n"));
        found.is_some()
    });
    let (keeper, host) = found.expect("a design that runs");
    // Cycles are on their way.
    sleep(Duration::from_secs(1));
    signal("-STOP", keeper);
    signal("-TERM", host);
    signal("-TERM", keeper);
    // The keeper finds both to have happened.
    sleep(Duration::from_millis(200));
    signal("-CONT", keeper);
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let summary = json(&folder.join("out/report/summary.json"));
    assert_eq!(
        summary["retried"],
        serde_json::json!(["recorded/slow/idle"])
    );
}

#[test]
fn limits_end_runs() {
    for (limit, name) in [("wall_seconds = 1", "wall"), ("memory_mib = 1", "memory")] {
        let folder = scratch(&format!("regress/{name}"));
        let text = format!("name = 'n'\n[limits]\n{limit}\n[[group]]\ncycles = 1000000000000\n");
        suite(&folder, &text);
        let ran = regress(&folder, &["regress", "suite.toml", "--out", "out"]);
        assert_eq!(ran.code, 5, "{}", ran.stderr);
        let records = records(&folder.join("out/shard-1-of-1.jsonl"));
        assert_eq!(records.len(), 1);
        assert_eq!(
            (&records[0]["limit"], &records[0]["attempts"]),
            (&name.into(), &1.into())
        );
    }
}

#[test]
fn enough_failures_are_enough_and_are_run_again() {
    let folder = two_designs("enough");
    let words = [
        "regress",
        "suite.toml",
        "--out",
        "out",
        "--only",
        "mute",
        "--jobs",
        "1",
    ];
    let ran = regress(&folder, &[&words[..], &["--fail-fast"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("3 of 4 runs have no result (stopped after 1 failure"),
        "{}",
        ran.stdout
    );
    // What is left is run by a second start.
    let ran = regress(&folder, &words);
    assert!(
        ran.stdout.contains("4 of 4 runs ended, 4 failed"),
        "{}",
        ran.stdout
    );
    let ran = regress(
        &folder,
        &["regress", "suite.toml", "--rerun-failed", "out", "--list"],
    );
    assert_eq!(ran.stdout.lines().count(), 4);
    let ran = regress(
        &folder,
        &["regress", "suite.toml", "--only", "**/3", "--dry-run"],
    );
    let lines: Vec<_> = ran.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            "lockstep run --seed 3 --cycles 2000",
            "lockstep run --seed 3 --cycles 2000 --rtl idle_pkg.sv --rtl abort.sv"
        ]
    );
}

#[test]
fn a_design_that_does_not_build_fails_its_runs_alone() {
    let folder = scratch("regress/unbuilt");
    fs::write(
        folder.join("broken.sv"),
        "module lockstep_dut (input clk_i);\n  syntax error\nendmodule\n",
    )
    .expect("written");
    suite(
        &folder,
        "name = 'n'\n[designs.broken]\nrtl = ['broken.sv']\n[[group]]\ndesigns = ['broken', 'bundled']\ncycles = 1000\n",
    );
    let ran = regress(
        &folder,
        &["regress", "suite.toml", "--out", "out", "--json"],
    );
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        (&summary["runs"]["passed"], &summary["runs"]["failed"]),
        (&1.into(), &1.into())
    );
    let message = summary["groups"][0]["first"]["message"]
        .as_str()
        .unwrap_or_default();
    assert!(message.starts_with("it does not build: "), "{message}");
}

#[test]
fn mistakes_in_a_suite_are_told() {
    let folder = scratch("regress/mistakes");
    for (text, message) in [
        (
            Some("name = 'n'\n[[group]]\nsedes = 1\n"),
            "lockstep: suite.toml:3:1: unknown key `sedes`: did you mean `seeds`?\n",
        ),
        (
            Some("name = 'n'\n[implementations]\na = 'none.toml'\n[[group]]\n"),
            "none.toml: cannot be read: No such file",
        ),
        (None, "lockstep: suite.toml: cannot be read"),
    ] {
        match text {
            Some(text) => suite(&folder, text),
            None => fs::remove_file(folder.join("suite.toml")).expect("removed"),
        }
        let ran = regress(&folder, &["regress", "suite.toml", "--out", "out"]);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
    suite(
        &folder,
        "name = \"x\"\n[limits]\nhang_after = 0\n[[group]]\nseeds = [1]\ncycles = [1000]\n",
    );
    let ran = regress(&folder, &["regress", "suite.toml", "--out", "out"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("suite.toml:3:1: expected hang_after from 1 to 4294967295, found 0"),
        "{}",
        ran.stderr
    );
    let ran = regress(&folder, &["merge", ".", "-o", "report"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("expected files of results (*.jsonl)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn another_number_of_seeds() {
    let folder = scratch("regress/reseed");
    suite(
        &folder,
        "name = 'n'\n[[group]]\nseeds = { count = 2, base = 'b' }\n[[group]]\nprofiles = ['spe']\nseeds = '1-3'\n",
    );
    let list = |words: &[&str]| {
        let ran = regress(
            &folder,
            &[&["regress", "suite.toml", "--list"], words].concat(),
        );
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let lines = ran.stdout.lines().map(str::to_owned);
        lines.collect::<Vec<_>>()
    };
    let (as_it_is, more) = (list(&[]), list(&["--reseed", "4"]));
    assert_eq!((as_it_is.len(), more.len()), (5, 7));
    // Those that there were, and those that are listed, stay.
    assert!(as_it_is.iter().all(|name| more.contains(name)), "{more:?}");
    let json: Vec<Value> = serde_json::from_str(&list(&["--json"]).join("\n")).expect("JSON");
    let names: Vec<_> = json.iter().map(|run| run["run"].as_str()).collect();
    assert_eq!(
        names,
        as_it_is
            .iter()
            .map(|name| Some(name.as_str()))
            .collect::<Vec<_>>()
    );
    assert!(
        json[4]["command"]
            .as_str()
            .is_some_and(|command| command.starts_with("lockstep run --seed 3"))
    );
    suite(&folder, "name = 'n'\n[[group]]\nseeds = '1-3'\n");
    let ran = regress(&folder, &["regress", "suite.toml", "--reseed", "4"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let expected = "--reseed: expected a suite with a group whose seeds follow from a base";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

/// The first suite is one that runs, and nothing of the user's is replaced by it.
#[test]
fn a_first_suite() {
    let folder = scratch("regress/first_suite");
    let systems = [
        "slurm",
        "grid-engine",
        "lsf",
        "kubernetes",
        "github",
        "gitlab",
    ];
    let mut words = vec!["init-ci"];
    words.extend(systems.iter().flat_map(|system| ["--for", *system]));
    let ran = regress(&folder, &words);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for system in systems {
        let line = ran.stdout.lines().find(|line| line.starts_with(system));
        let (name, _) = line.and_then(|line| line.split_once(':')).expect(system);
        assert!(folder.join(name).exists(), "{name}");
        if name.ends_with(".sh") {
            let read = Command::new("sh").arg("-n").arg(folder.join(name)).status();
            assert!(read.expect("a shell").success(), "{name}");
        }
    }
    let listed = regress(&folder, &["regress", "suite.toml", "--list"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    assert_eq!(listed.stdout.lines().count(), 6 * 21, "{}", listed.stdout);
    let again = regress(&folder, &["init-ci"]);
    assert_eq!(again.code, 2);
    assert!(
        again.stderr.contains("is there already"),
        "{}",
        again.stderr
    );
    // What a system takes is put beside a suite that is there, but not over what is its own.
    fs::remove_file(folder.join("slurm.sh")).expect("removed");
    let kept = "name = 'kept'\n[[group]]\n";
    fs::write(folder.join("suite.toml"), kept).expect("written");
    let beside = regress(&folder, &["init-ci", "--for", "slurm"]);
    assert_eq!(beside.code, 0, "{}", beside.stderr);
    assert!(beside.stdout.contains("suite.toml is as it was\n"));
    assert!(folder.join("slurm.sh").exists());
    let read = || fs::read_to_string(folder.join("suite.toml")).expect("a file");
    assert_eq!(read(), kept);
    let twice = regress(&folder, &["init-ci", "--for", "slurm"]);
    assert_eq!(twice.code, 2);
    assert!(twice.stderr.contains("slurm.sh"), "{}", twice.stderr);
    // Of a design of one's own, in another folder.
    fs::write(folder.join("dut.f"), "").expect("written");
    fs::write(folder.join("mine.toml"), "[pmu]\ncounters = 6\n").expect("written");
    let own = [
        "init-ci",
        "ci",
        "--filelist",
        "dut.f",
        "--top",
        "wrap",
        "--implementation",
        "mine.toml",
    ];
    let ran = regress(&folder, &own);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let listed = regress(&folder, &["regress", "ci/suite.toml", "--dry-run"]);
    assert_eq!(listed.code, 0, "{}", listed.stderr);
    let first = listed.stdout.lines().next().expect("a command");
    for part in ["--implementation ", "/mine.toml", "--seed "] {
        assert!(first.contains(part), "{first}");
    }
    let none = regress(&folder, &["init-ci", "other", "--filelist", "none.f"]);
    assert_eq!(none.code, 2);
    assert_eq!(
        none.stderr,
        "lockstep: none.f: expected a file, found none\n"
    );
    assert!(!folder.join("other").exists());
}
