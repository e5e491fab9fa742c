//! DUT-40, DUT-43: the design ends the run by itself.

use std::fs;
use std::path::Path;

use pmu_lockstep::dut::{RtlSource, StopKind};
use pmu_lockstep::lockstep::engine::Control;
use pmu_lockstep::lockstep::{Lockstep, Outcome};
use pmu_lockstep::stimulus::{Reader, StimulusError};
use pmu_model::Implementation;
use serde_json::Value;

use super::{LAST, ends, folder, replay, report};
use crate::implementations::rtl;

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

/// DUT-43
#[test]
fn logic_that_does_not_settle() {
    ends("unsettled.sv", 7);
    let report = report("unsettled");
    assert_eq!(
        (&report["verdict"], &report["kind"]),
        (&"unsettled".into(), &"unsettled".into())
    );
    assert_eq!(
        (&report["cycle"], &report["file"]),
        (&LAST.into(), &"unsettled.sv".into())
    );
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
    let report = report("stop_in_json");
    for key in ["cycle", "time_ns", "kind", "file", "line"] {
        assert_eq!(report[key], stop[key], "{key}");
    }
    assert_eq!(report["run"]["replay"], stop["replay"]);
    assert_eq!(
        (&report["verdict"], &report["exit_code"]),
        (&json["verdict"], &json["exit_code"])
    );
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

#[test]
fn stop_on_a_page() {
    let ran = replay("fatal.sv", "stop_on_a_page", &["--html", "run.html"]);
    assert_eq!(ran.code, 4);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lockstep/stop_on_a_page");
    let page = fs::read_to_string(folder.join("run.html")).expect("a page");
    assert!(page.contains("<h1>The design stopped in cycle 2,500</h1>"));
    assert!(page.contains("fatal.sv:13"), "{page}");
}
