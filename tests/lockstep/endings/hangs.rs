//! DUT-41: the design does not come back.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{LAST, below, command, ends, folder, left, report, with_descendants};
use crate::command::{Ran, run};
use crate::listening::listening;

#[test]
fn endless_loop() {
    ends("loop.sv", 3);
    assert_eq!(report("loop")["cycle"], LAST);
}

#[test]
fn endless_loop_before_the_first_cycle() {
    ends("loop_at_start.sv", 3);
}

#[test]
fn hang_leaves_no_unfinished_recording() {
    let folder = folder("loop.sv", "hang_and_recording");
    let mut command = command(&folder, "run", "loop.sv");
    let ran = run(command.args(["--record", "b.stim", "--hang-after", "1"]));
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert_eq!(left(&folder), [""; 0]);
}

/// Starts a run that hangs for minutes.
fn hanging(folder: &Path) -> Child {
    let mut command = listening(&command(folder, "run", "loop.sv"));
    command.args(["--record", "b.stim", "--hang-after", "600"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    // Building may wait for other tests. A design that loads takes no such time as one that hangs.
    let limit = Instant::now() + Duration::from_secs(300);
    while !with_descendants(&child.id().to_string()).iter().any(hangs) {
        assert!(Instant::now() < limit, "the design does not hang");
        sleep(Duration::from_millis(20));
    }
    child
}

fn children(child: &Child) -> Vec<String> {
    below(&child.id().to_string())
}

/// Whether a process is that of a design, and has computed for 0.3 s.
fn hangs(process: &String) -> bool {
    let is_host = fs::read_to_string(format!("/proc/{process}/cmdline"))
        .is_ok_and(|line| line.contains("__design-host"));
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let time = stat
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.split_whitespace().nth(11));
    is_host && time.is_some_and(|time| time.parse::<u64>().is_ok_and(|ticks| ticks >= 30))
}

fn kill(signal: &str, processes: &[String]) {
    let sent = Command::new("kill").arg(signal).args(processes).status();
    assert!(sent.expect("kill").success());
}

/// A signal during a hang is answered soon, and leaves nothing.
fn answered(signal: &str, test: &str, to_all: bool) {
    let folder = folder("loop.sv", test);
    let child = hanging(&folder);
    let mut processes = vec![child.id().to_string()];
    if to_all {
        processes.extend(children(&child));
    }
    let start = Instant::now();
    kill(signal, &processes);
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    // A second, on a machine with other things to do.
    assert!(
        start.elapsed() < Duration::from_secs(10),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("does not come back from cycle 2500"),
        "{}",
        ran.stderr
    );
    assert_eq!(left(&folder), [""; 0]);
}

#[test]
fn ctrl_c_ends_a_hang() {
    answered("-INT", "interrupted_hang", false);
}

/// Who sends it to a group means the command.
#[test]
fn ctrl_c_at_both_processes_is_one() {
    answered("-INT", "interrupted_hang_twice", true);
}

#[test]
fn sigterm_ends_a_hang() {
    answered("-TERM", "terminated_hang", false);
}

/// A design that was killed for want of memory has not crashed.
#[test]
fn killed_from_outside_is_the_machine() {
    let folder = folder("loop.sv", "killed");
    let child = hanging(&folder);
    kill("-KILL", &children(&child));
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("SIGKILL"), "{}", ran.stderr);
    assert_eq!(left(&folder), [""; 0]);
}

#[test]
fn nothing_runs_on_without_its_watcher() {
    let folder = folder("loop.sv", "orphan");
    let mut child = hanging(&folder);
    let keepers = children(&child);
    let workers = [keepers.clone(), below(&keepers[0])].concat();
    child.kill().expect("killed");
    child.wait().expect("ended");
    let limit = Instant::now() + Duration::from_secs(10);
    let runs = |id: &String| {
        let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        !state.is_empty() && !state.contains(") Z ")
    };
    assert_eq!(workers.len(), 2);
    while workers.iter().any(runs) && Instant::now() < limit {
        sleep(Duration::from_millis(10));
    }
    assert!(!workers.iter().any(runs));
}
