//! Broken RTL diverges in a dump where it diverges live: at the same cycle, in the same field.

use std::fs;
use std::path::Path;

use lockstep_vcd::{Sampler, Source, Stream};
#[cfg(feature = "rtl")]
use pmu_lockstep::hypotheses::NEAR;
use serde_json::Value;

use crate::command::run;
use crate::{golden, icarus, planted, scratch, vcd};

/// Patches of `tests/planted`, with cycle and field of the first divergence of `lockstep run --rtl` (seed 1).
const BUGS: [(&str, u64, &str); 12] = [
    ("01-threshold-ge-as-gt", 187, "V[22]"),
    ("13-link-to-base-value", 171, "V[9]"),
    ("18-event-index-off-by-one", 162, "V[0]"),
    ("23-increment-not-reported-on-write", 628, "V[24]"),
    ("25-write-lost-to-increment", 633, "PMEVCNTR24_EL0"),
    ("34-cycle-counter-not-held", 577, "PMCCNTR increment"),
    ("44-pmmir-edge-without-th2", 146, "PMMIR_EL1"),
    (
        "46-spe-interval-off-by-one",
        160,
        "PMSICR_EL1 after the cycle",
    ),
    ("48-spe-draw-of-zero-lost", 348, "operations selected"),
    (
        "50-spe-coll-cleared-by-sample",
        2448,
        "COLL after the cycle",
    ),
    ("65-filter-nsh-inverted", 914, "V[30]"),
    ("74-hpmn-off-by-one", 239, "access outcome"),
];

/// Cycles that are simulated after the divergence.
const MORE: u64 = 20;

/// Checks a dump of RTL with a bug, and gives its report.
fn report(folder: &Path) -> Value {
    let ran = run(&mut vcd(folder, "map dump.vcd -o map.toml"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&mut vcd(folder, "check dump.vcd --map map.toml --out out"));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let json = fs::read_to_string(folder.join("out/report.json")).expect("a report");
    serde_json::from_str(&json).expect("JSON")
}

#[test]
fn bugs_are_found_where_a_live_run_finds_them() {
    if !icarus::found() {
        return;
    }
    let mut wrong = Vec::new();
    for (name, cycle, field) in BUGS {
        let folder = scratch::scratch(&format!("offline/{name}"));
        let rtl = folder.join("rtl");
        planted::plant(Some(&format!("{name}.patch")), &rtl).expect("planted");
        icarus::simulate(&folder, &rtl, (cycle + MORE) as usize, 1);
        let report = report(&folder);
        let found = (&report["cycle"], &report["headline"]["field"]);
        if found != (&Value::from(cycle), &Value::from(field)) {
            wrong.push(format!(
                "{name}: expected {field} in cycle {cycle}, found {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_divergence_is_reported_like_a_live_one() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/report");
    let rtl = folder.join("rtl");
    planted::plant(Some("13-link-to-base-value.patch"), &rtl).expect("planted");
    icarus::simulate(&folder, &rtl, 300, 0);
    assert_eq!(run(&mut vcd(&folder, "map dump.vcd -o map.toml")).code, 0);
    let ran = golden("report", &folder, "check dump.vcd --map map.toml --out out");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.lines().count() <= 60);
    let page = fs::read_to_string(folder.join("out/report.html")).expect("a page");
    assert!(page.contains("<svg") && page.trim_end().ends_with("</html>"));

    // The window has the times of the dump: edge 174 is at 1745 ns.
    let mut window = Stream::open(folder.join("out/window.vcd")).expect("a window");
    let header = window.header().clone();
    let probes = ["golden.divergence", "golden.expected.v_9", "rtl.v_9"];
    let probes = probes.map(|path| header.find(path).expect(path));
    let output = header
        .find("bench.cycle_output[159:144]")
        .expect("the port");
    let clock = header.find("bench.clk").expect("the clock");
    let probes = [probes[0], probes[1], probes[2], output];
    let rows = Sampler::falling(clock)
        .run(&mut window, &probes)
        .expect("a dump");
    let divergent: Vec<_> = (0..rows.len())
        .filter(|&row| rows.u64(row, 0) == Some(1))
        .collect();
    let [row] = divergent[..] else {
        panic!("{divergent:?}");
    };
    assert_eq!(rows.times()[row], 1_750_000);
    assert_eq!(rows.u64(row, 2), rows.u64(row, 3));
    assert_ne!(rows.u64(row, 1), rows.u64(row, 2));
}

/// What Verilator writes of a divergence is a dump too: a reset in it is where the comparison can begin.
#[cfg(feature = "rtl")]
#[test]
fn a_window_of_a_live_run_diverges_like_the_run() {
    let folder = scratch::scratch("offline/live");
    planted::plant(Some("24-counts-in-reset-cycle.patch"), &folder.join("rtl")).expect("planted");
    let mut command = crate::lockstep(&folder);
    command.args(["run", "--rtl", "rtl", "--out", "live", "--fst"]);
    assert_eq!(run(&mut command).code, 1);
    // Words are strings in VCD, and vectors of characters in FST.
    let words = "--ignore golden.access --ignore **.access_outcome --ignore **.coll_*";
    let both = format!("diff live/window.vcd live/window.fst {words}");
    let ran = run(&mut vcd(&folder, &both));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let live = fs::read_to_string(folder.join("live/report.json")).expect("a report");
    let live: Value = serde_json::from_str(&live).expect("JSON");
    fs::copy(folder.join("live/window.vcd"), folder.join("dump.vcd")).expect("copied");
    let report = report(&folder);
    assert_eq!(report["headline"]["field"], live["headline"]["field"]);
    assert_eq!(report["headline"]["rtl"], live["headline"]["rtl"]);
    assert_eq!(report["time_ns"], live["time_ns"]);
}

/// The texts of the hypotheses in a report or in a shrunk case.
#[cfg(feature = "rtl")]
fn explaining(json: &Value) -> Vec<&str> {
    let explaining = json["hypotheses"]["explaining"].as_array();
    let explaining = explaining.expect("hypotheses").iter();
    explaining
        .map(|hypothesis| hypothesis["text"].as_str().expect("a text"))
        .collect()
}

/// What would explain the RTL is the same in a live run, in a dump, and of a stimulus that is shrunk.
#[cfg(feature = "rtl")]
#[test]
fn hypotheses_are_the_same_live_in_a_dump_and_of_a_shrunk_case() {
    if !icarus::found() {
        return;
    }
    let bugs = [(
        "13-link-to-base-value",
        "an odd counter links to V_B[n-1] instead of V[n-1]",
    )];
    for (name, hypothesis) in bugs {
        let folder = scratch::scratch(&format!("offline/same/{name}"));
        let rtl = folder.join("rtl");
        planted::plant(Some(&format!("{name}.patch")), &rtl).expect("planted");
        let lockstep = |arguments: &str| {
            let mut command = crate::lockstep(&folder);
            command.args(arguments.split(' '));
            run(&mut command)
        };
        let json = |file: &str| -> Value {
            let text = fs::read_to_string(folder.join(file)).expect("a file");
            serde_json::from_str(&text).expect("JSON")
        };
        let ran = lockstep("run --rtl rtl --out live");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let live = json("live/report.json");
        assert_eq!(explaining(&live), [hypothesis], "{name}, live");

        let cycle = live["cycle"].as_u64().expect("a cycle");
        let cycles = cycle + 1 + NEAR as u64;
        icarus::simulate(&folder, &rtl, cycles as usize, 1);
        let dumped = report(&folder);
        assert_eq!(dumped["cycle"], live["cycle"], "{name}");
        assert_eq!(explaining(&dumped), [hypothesis], "{name}, in a dump");

        // On the bundled RTL, so that the recording goes on after the divergence.
        let ran = lockstep(&format!("run --cycles {cycles} --record case.stim"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let ran = lockstep("shrink case.stim --rtl rtl --out shrunk");
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        let shrunk = json("shrunk/shrunk.json");
        assert_eq!(explaining(&shrunk), [hypothesis], "{name}, shrunk");
    }
}
