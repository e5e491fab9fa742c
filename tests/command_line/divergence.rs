//! A run that diverges, as scripts see it. What a person reads of it is in `tests/report`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::golden::{assert_golden, keys};
use crate::output::limited;
use crate::scratch::scratch;

/// A design that answers nothing, and so differs at the first read.
fn silent(name: &str) -> (PathBuf, Command) {
    let folder = scratch(&format!("command_line/{name}"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    let mut command = lockstep(&folder);
    command.arg("run");
    for file in ["idle_pkg.sv", "fatal.sv"] {
        command.arg("--rtl").arg(rtl.join(file));
    }
    (folder, command)
}

#[test]
fn divergence_leaves_a_report_and_a_waveform() {
    let (folder, mut command) = silent("divergence_report");
    let ran = run(command.args(["--out", "out"]));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = fs::read_to_string(folder.join("out/report.json")).expect("a report");
    assert_golden("keys_report", &keys(&report));
    assert!(folder.join("out/window.vcd").is_file());
}

#[test]
fn divergence_in_json() {
    let (_, mut command) = silent("divergence_json");
    let ran = run(command.arg("--json"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(json["verdict"], "divergence");
    assert_eq!(json["exit_code"], 1);
    assert_eq!(json["cycles"], 2);
    assert_eq!(json["divergence"]["cycle"], 1);
}

#[test]
fn recording_of_a_divergence_shows_it_again() {
    let (folder, mut command) = silent("divergence_recorded");
    let rtl: Vec<_> = command.get_args().skip(1).map(ToOwned::to_owned).collect();
    assert_eq!(run(command.args(["--record", "a.stim"])).code, 1);
    let ran = run(lockstep(&folder)
        .args(["replay", "a.stim", "--json"])
        .args(rtl));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(json["divergence"]["headline"]["field"], "access outcome");
    assert_eq!(json["divergence"]["cycle"], 1);
}

/// The command that a report names is a whole command line, and shows the divergence.
#[test]
fn replay_command_of_a_report_works() {
    let (folder, mut command) = silent("divergence_replayed");
    let ran = run(command.arg("--json"));
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let replay = json["divergence"]["run"]["replay"]
        .as_str()
        .expect("a command");
    let arguments = replay
        .strip_prefix("lockstep ")
        .expect("the command")
        .split(' ');
    assert_eq!(run(lockstep(&folder).args(arguments)).code, 1);
}

/// The stimulus that a divergence leaves is shrunk by the command line that the report has, to the same field.
#[test]
fn shrink_command_of_a_report_works() {
    let (folder, mut command) = silent("divergence_shrunk");
    let ran = run(command.args(["--no-shrink", "--out", ODD]));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let field = "access outcome";
    assert!(
        ran.stdout.starts_with(&format!("DIVERGENCE  {field}: ")),
        "{}",
        ran.stdout
    );
    let line = |what: &str| {
        let mut lines = ran.stdout.lines().map(str::trim);
        let found = lines.find_map(|line| line.strip_prefix(what)?.strip_prefix(' '));
        found.expect("a line").trim().to_owned()
    };
    assert_eq!(line("stimulus"), format!("{ODD}/stimulus.stim"));
    let shrink = line("shrink");
    let shrunk = Ran::of(
        shell(&folder, &format!("{shrink} --json"))
            .output()
            .expect("a shell"),
    );
    assert_eq!(shrunk.code, 1, "{shrink}: {}", shrunk.stderr);
    let json: Value = serde_json::from_str(&shrunk.stdout).expect("JSON");
    assert_eq!(json["field"], field);
    assert!(folder.join(ODD).join("shrunk.stim").is_file());
    // A run of that stimulus does not take it away.
    let again = shrink.replace("lockstep shrink", "lockstep replay --no-shrink");
    let again = Ran::of(shell(&folder, &again).output().expect("a shell"));
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(again.stdout.contains(&shrink), "{}", again.stdout);
    assert!(folder.join(ODD).join("stimulus.stim").is_file());
    assert!(!folder.join("x").exists());
}

/// A name that a shell would read as something else.
const ODD: &str = "my $(touch x) `touch x` \"out\" 'it' \\n;#";

/// A command line of a report, as a shell takes it.
fn shell(folder: &Path, line: &str) -> Command {
    let mut command = Command::new("sh");
    let line = line.strip_prefix("lockstep").expect("the command");
    command.args([
        "-c",
        &format!("\"$0\"{line}"),
        env!("CARGO_BIN_EXE_lockstep"),
    ]);
    command.current_dir(folder);
    for (name, value) in lockstep(folder).get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command
}

/// A full disk does not hide the divergence, and leaves nothing half written.
#[test]
fn divergence_without_room_for_its_files() {
    let (folder, mut command) = silent("divergence_without_room");
    // The RTL is built while there is room.
    assert_eq!(run(&mut command).code, 1);
    fs::remove_dir_all(folder.join("lockstep-out")).expect("removed");
    let ran = run(&mut limited(&command, 1));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout.starts_with("DIVERGENCE  access outcome"),
        "{}",
        ran.stdout
    );
    let notes: Vec<_> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("note:"))
        .collect();
    assert_golden("divergence_without_room_for_its_files", &notes.join("\n"));
    // What the design printed fits; with two threads it ran ahead, and stopped.
    let left: Vec<_> = fs::read_dir(folder.join("lockstep-out"))
        .expect("a folder")
        .flatten()
        .filter(|entry| entry.file_name() != "design.log")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
