//! Ctrl-C in the middle of a run.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pmu_lockstep::scratch::is_scratch;
use serde_json::Value;

use crate::command::{Ran, lockstep};
use crate::listening::listening;
use crate::scratch::scratch;

/// Starts a run that would last for days, and interrupts it when `begun` says so.
fn interrupt(folder: &Path, arguments: &[&str], begun: impl Fn() -> bool) -> Ran {
    let mut command = listening(&lockstep(folder));
    command
        .args(["run", "--cycles", "1000000000000"])
        .args(arguments);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let limit = Instant::now() + Duration::from_secs(300);
    while !begun() && Instant::now() < limit {
        sleep(Duration::from_millis(5));
    }
    signal(&child);
    Ran::of(child.wait_with_output().expect("ended"))
}

fn signal(child: &Child) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("kill").success());
}

/// The recording begins when the run listens to Ctrl-C.
fn recording(folder: &Path) -> bool {
    recorded(folder) > 0
}

/// The size in bytes of what has been recorded so far: first a header, before the first cycle is compared.
fn recorded(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    entries
        .filter(|entry| is_scratch(&entry.file_name()))
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum()
}

/// What one run writes is not mixed with what another one does.
#[test]
fn a_folder_that_another_run_writes_to_is_refused() {
    let folder = scratch("command_line/folder_in_use");
    fs::create_dir(folder.join("lockstep-out")).expect("made");
    let second = || {
        let mut command = lockstep(&folder);
        Ran::of(
            command
                .args(["run", "--cycles", "10"])
                .output()
                .expect("started"),
        )
    };
    let refused = RefCell::new(None);
    interrupt(&folder, &["--record", "a.stim"], || {
        let begun = recording(&folder);
        if begun {
            refused.replace(Some(second()));
        }
        begun
    });
    let refused = refused.into_inner().expect("the first run has begun");
    assert_eq!((refused.code, &*refused.stdout), (2, ""));
    assert_eq!(
        refused.stderr,
        "lockstep: lockstep-out: expected a folder that nothing else writes to, found one that another lockstep command \
         is using: wait until that has ended, or name another folder with --out\n"
    );
    let after = second();
    assert_eq!(after.code, 0, "{}", after.stderr);
}

#[test]
fn interrupted_run_says_so_and_records_nothing() {
    let folder = scratch("command_line/interrupted_run");
    let ran = interrupt(&folder, &["--record", "a.stim"], || recording(&folder));
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("INTERRUPTED  "), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("a.stim was not written"),
        "{}",
        ran.stderr
    );
    let left: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn interrupted_run_says_so_in_json() {
    let folder = scratch("command_line/interrupted_run_json");
    // Far more than is under way between the recording and the comparison.
    let ran = interrupt(&folder, &["--record", "a.stim", "--json"], || {
        recorded(&folder) > 16 << 20
    });
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(json["verdict"], "interrupted");
    assert_eq!(json["exit_code"], 130);
    assert!(json["cycles"].as_u64().is_some_and(|cycles| cycles > 0));
}

#[test]
fn interrupted_run_leaves_what_it_covered_of_the_rtl() {
    let folder = scratch("command_line/interrupted_rtl_coverage");
    let arguments = ["--rtl-coverage", "--record", "a.stim", "--out", "out"];
    let ran = interrupt(&folder, &arguments, || recorded(&folder) > 1 << 20);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("INTERRUPTED  "), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("  RTL coverage out/coverage.dat: "),
        "{}",
        ran.stdout
    );
    let covered = pmu_lockstep::regress::rtl_coverage::read(&folder.join("out/coverage.dat"));
    assert!(covered.expect("a data file").tally().lines.hit > 0);
}

/// In a process of its own, which is told by the one that was interrupted.
#[test]
fn interrupted_run_of_a_design_that_is_not_linked_in() {
    let folder = scratch("command_line/interrupted_other");
    fs::write(folder.join("default.toml"), "").expect("written");
    let arguments = ["--implementation", "default.toml", "--record", "a.stim"];
    let ran = interrupt(&folder, &arguments, || recording(&folder));
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("INTERRUPTED  "), "{}", ran.stdout);
    assert!(!recording(&folder));
}

#[test]
fn interrupted_run_leaves_a_page() {
    let folder = scratch("command_line/interrupted_run_html");
    let arguments = ["--record", "a.stim", "--html", "run.html"];
    let ran = interrupt(&folder, &arguments, || recording(&folder));
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    let page = fs::read_to_string(folder.join("run.html")).expect("a page");
    assert!(page.contains("<h1>Interrupted; RTL and model agree in the "));
}
