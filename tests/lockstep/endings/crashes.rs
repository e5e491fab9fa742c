//! DUT-42: a signal ends the process that runs the design.

use std::fs;

use serde_json::Value;

use super::{LAST, command, ends, folder, left, replay, report};
use crate::command::run;

#[test]
fn stray_pointer() {
    ends("segfault.sv", 6);
}

/// DUT-44: what it printed in the batch of the crash is not lost, nor is what the C library said.
#[test]
fn abort() {
    ends("abort.sv", 6);
    let report = report("abort");
    let last = format!("last words in cycle {LAST}");
    assert_eq!(
        report["last_lines"],
        Value::from(vec!["free(): invalid pointer", &last])
    );
    assert_eq!(report["stderr"], "free(): invalid pointer\n");
}

#[test]
fn before_the_first_cycle() {
    ends("segfault_at_start.sv", 6);
}

#[test]
fn crash_in_json() {
    let ran = replay("segfault.sv", "crash_in_json", &["--json"]);
    assert_eq!(ran.code, 6);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        (&json["verdict"], &json["exit_code"]),
        (&"crash".into(), &6.into())
    );
    assert_eq!(
        (&json["signal"], &json["cycle"]),
        (&"SIGSEGV".into(), &LAST.into())
    );
    assert_eq!(json, report("crash_in_json"));
}

#[test]
fn crash_leaves_no_unfinished_recording() {
    let folder = folder("segfault.sv", "crash_and_recording");
    let ran = run(command(&folder, "run", "segfault.sv").args(["--record", "b.stim"]));
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert_eq!(left(&folder), [""; 0]);
}

#[test]
fn report_of_an_earlier_run_is_gone() {
    let folder = folder("segfault.sv", "earlier_report");
    let out = folder.join("lockstep-out");
    fs::create_dir(&out).expect("made");
    let report_of_a_pass = "{\n  \"format\": 1,\n  \"verdict\": \"agree\"\n}\n";
    fs::write(out.join("report.json"), report_of_a_pass).expect("written");
    for name in ["report.html", "design.log", "window.vcd"] {
        fs::write(out.join(name), "").expect("written");
    }
    assert_eq!(run(&mut command(&folder, "replay", "segfault.sv")).code, 6);
    let names: Vec<_> = fs::read_dir(&out).expect("a folder").flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(report("earlier_report")["verdict"], "crash");
}

/// The other design of `--against` is told of as well.
#[test]
fn crash_of_one_of_two_designs() {
    let folder = folder("segfault.sv", "crash_of_one");
    let fine = fs::read_to_string(folder.join("segfault.sv")).expect("a design");
    let fine = fine.replace("$c(\"*(volatile int*)0 = 0;\")", "$display(\"fine\")");
    fs::create_dir(folder.join("fine")).expect("made");
    fs::write(folder.join("fine/fine.sv"), fine).expect("written");
    fs::copy(folder.join("idle_pkg.sv"), folder.join("fine/idle_pkg.sv")).expect("copied");
    let ran = run(command(&folder, "replay", "segfault.sv").args(["--against", "fine"]));
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    let report = report("crash_of_one");
    assert_eq!(report["cycle"], LAST);
    let replay = report["run"]["replay"].as_str().expect("a command");
    assert!(replay.ends_with("--against fine"), "{replay}");
}

/// What no run left is not for a run to remove.
#[test]
fn files_of_others_stay() {
    let folder = folder("segfault.sv", "files_of_others");
    let out = folder.join("lockstep-out");
    for name in [
        "report.json",
        "report.html",
        "stimulus.stim",
        "window.vcd",
        "window.gtkw",
        "window.sucl",
    ] {
        fs::create_dir(&out).expect("made");
        fs::write(out.join(name), "{\"mine\": 1}").expect("written");
        fs::write(out.join("design.log"), "").expect("written");
        let ran = run(&mut command(&folder, "replay", "segfault.sv"));
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        let words = format!(
            "{name}: expected a file that an earlier run left, or none, found something else"
        );
        assert!(ran.stderr.contains(&words), "{}", ran.stderr);
        assert_eq!(fs::read_dir(&out).expect("a folder").count(), 2);
        fs::remove_dir_all(&out).expect("removed");
    }
    fs::create_dir_all(out.join("report.html")).expect("made");
    assert_eq!(run(&mut command(&folder, "replay", "segfault.sv")).code, 2);
}
