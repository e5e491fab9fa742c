//! Designs that end badly (DUT-40 to DUT-44), and designs that are others than configured. Each is a file of `rtl/`, which
//! runs with stimulus that does nothing but reset it once.

mod cheats;
mod commands;
mod crashes;
mod hangs;
mod printing;
mod stops;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pmu_lockstep::stimulus::Writer;
use pmu_model::{CycleInput, Implementation};
use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::scratch::scratch;

/// The cycle in which the designs end: `idle_pkg::Last`.
const LAST: u64 = 2500;

/// A folder with the design `name`, and stimulus of 5000 cycles.
fn folder(name: &str, test: &str) -> PathBuf {
    let folder = scratch(&format!("lockstep/{test}"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    for file in ["idle_pkg.sv", name] {
        fs::copy(rtl.join(file), folder.join(file)).expect("copied");
    }
    let path = folder.join("idle.stim");
    let mut writer = Writer::create(&path, &Implementation::default(), None).expect("written");
    let mut cycles = vec![CycleInput::default(); 5000];
    cycles[0] = CycleInput::reset();
    writer.append(&cycles).expect("written");
    writer.finish().expect("written");
    folder
}

fn replay(name: &str, test: &str, options: &[&str]) -> Ran {
    run(command(&folder(name, test), "replay", name).args(options))
}

/// `replay` of that stimulus, or `run --stimulus`, which can record.
fn command(folder: &Path, word: &str, name: &str) -> Command {
    let mut command = lockstep(folder);
    command.arg(word);
    if word == "run" {
        command.arg("--stimulus");
    }
    command.args(["idle.stim", "--rtl", "idle_pkg.sv", "--rtl", name]);
    command
}

/// What is in the report that a run left.
fn report(test: &str) -> Value {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lockstep");
    let path = folder.join(test).join("lockstep-out/report.json");
    serde_json::from_slice(&fs::read(path).expect("a report")).expect("JSON")
}

/// Names in a folder, but that of the design, its stimulus and the results.
fn left(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .filter(|name| !name.ends_with(".sv") && name != "idle.stim" && name != "lockstep-out")
        .collect()
}

/// The processes whose parent is `process`.
fn below(process: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let parent = |name: &String| {
        let stat = fs::read_to_string(format!("/proc/{name}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(1).map(str::to_owned)
    };
    names
        .filter(|name| parent(name).is_some_and(|found| found == process))
        .collect()
}

/// Runs the design with one and with two threads; what it prints is in a golden file.
fn ends(name: &str, code: i32) {
    let test = name.trim_end_matches(".sv");
    let ran = replay(name, test, &["--threads", "1", "--hang-after", "1"]);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("../snapshots");
    settings.set_omit_expression(true);
    let shown = |ran: &Ran| {
        let text = format!("{}{}", ran.stdout, ran.stderr);
        let lines = text.lines().filter(|line| {
            // The speed of the machine, and whether the RTL was built before.
            !line.contains("cycles/s") && !line.starts_with("building RTL")
        });
        lines.map(settled).collect::<Vec<_>>().join("\n")
    };
    settings.bind(|| insta::assert_snapshot!(test, shown(&ran)));
    assert_eq!(ran.code, code);
    let other = replay(name, test, &["--threads", "2", "--hang-after", "1"]);
    assert_eq!((shown(&other), other.code), (shown(&ran), code));
}

/// What every version of Verilator says of logic that does not settle: up to here.
fn settled(line: &str) -> String {
    const WORDS: &str = "region did not converge";
    let line = line.replace("DIDNOTCONVERGE: ", "");
    match line.split_once(WORDS) {
        Some((before, _)) => format!("{before}{WORDS}"),
        None => line,
    }
}

#[test]
fn other_parameters() {
    ends("six_counters.sv", 2);
}

/// A process, and all that it and those have started.
fn with_descendants(process: &str) -> Vec<String> {
    let below = below(process).into_iter();
    let below = below.flat_map(|child| with_descendants(&child));
    std::iter::once(process.to_owned()).chain(below).collect()
}
