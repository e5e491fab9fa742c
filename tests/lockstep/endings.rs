//! Designs that end badly (DUT-40, DUT-41), and designs that are others than configured. Each is a file of `rtl/`,
//! which runs with stimulus that does nothing but reset it once.

use std::fs;
use std::path::{Path, PathBuf};

use pmu_lockstep::dut::{RtlSource, StopKind};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::stimulus::{Reader, StimulusError, Writer};
use pmu_model::{CycleInput, Implementation};
use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::implementations::rtl;
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
    let mut command = lockstep(&folder(name, test));
    command.args(["replay", "idle.stim", "--rtl", "idle_pkg.sv", "--rtl", name]);
    run(command.args(options))
}

/// Runs the design with one and with two threads; what it prints is in a golden file.
fn ends(name: &str, code: i32) {
    let test = name.trim_end_matches(".sv");
    let ran = replay(name, test, &["--threads", "1", "--hang-after", "1"]);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let shown = |ran: &Ran| {
        let text = format!("{}{}", ran.stdout, ran.stderr);
        let lines = text.lines().filter(|line| {
            // The speed of the machine, and whether the RTL was built before.
            !line.contains("cycles/s") && !line.starts_with("building RTL")
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    settings.bind(|| insta::assert_snapshot!(test, shown(&ran)));
    assert_eq!(ran.code, code);
    let other = replay(name, test, &["--threads", "2", "--hang-after", "1"]);
    assert_eq!((shown(&other), other.code), (shown(&ran), code));
}

#[test]
fn fatal() {
    ends("fatal.sv", 4);
}

#[test]
fn stop() {
    ends("stop.sv", 4);
}

#[test]
fn finish() {
    ends("finish.sv", 4);
}

#[test]
fn failed_assertion() {
    ends("assertion.sv", 4);
}

#[test]
fn endless_loop() {
    ends("loop.sv", 3);
}

#[test]
fn other_parameters() {
    ends("six_counters.sv", 2);
}

#[test]
fn stop_in_json() {
    let ran = replay("fatal.sv", "stop_in_json", &["--json"]);
    assert_eq!(ran.code, 4);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        (&json["verdict"], &json["exit_code"]),
        (&"stopped".into(), &4.into())
    );
    let stop = &json["stop"];
    assert_eq!(
        (&stop["kind"], &stop["cycle"]),
        (&"fatal".into(), &LAST.into())
    );
    assert_eq!(
        (&stop["file"], &stop["line"]),
        (&"fatal.sv".into(), &13.into())
    );
    let message = stop["message"].as_str().expect("a message");
    assert!(message.starts_with("queue 3 is full"), "{message}");
}

#[test]
fn stop_on_a_page() {
    let ran = replay("fatal.sv", "stop_on_a_page", &["--html", "run.html"]);
    assert_eq!(ran.code, 4);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lockstep/stop_on_a_page");
    let page = fs::read_to_string(folder.join("run.html")).expect("a page");
    assert!(page.contains("<h1>The design stopped in cycle 2,500</h1>"));
    assert!(page.contains("fatal.sv:13"), "{page}");
}

/// What a design does ends a run, never the process; another design of the same kind starts afresh.
#[test]
fn process_goes_on_after_a_stop() {
    let folder = folder("fatal.sv", "process_goes_on");
    let implementation = Implementation::default();
    let paths = ["idle_pkg.sv", "fatal.sv"].map(|name| folder.join(name));
    let source = RtlSource::files(paths, Vec::new());
    for threads in [1, 2] {
        let reader = Reader::open(&folder.join("idle.stim")).expect("stimulus");
        let dut = rtl(&source, &implementation);
        let mut run = Lockstep::new(&implementation, dut, reader.into(), threads).expect("a run");
        let outcome = run.run(
            u64::MAX,
            &Control::default(),
            |_| Ok::<_, StimulusError>(()),
        );
        let Ok(Outcome::Stopped { cycle, stop }) = outcome else {
            panic!("{outcome:?}")
        };
        assert_eq!((cycle, stop.kind, stop.line), (LAST, StopKind::Fatal, 13));
        assert_eq!(run.cycles(), LAST);
    }
}
