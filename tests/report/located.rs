//! Places of the RTL in the reports of planted bugs.

use std::path::Path;

use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::planted::plant;
use crate::scratch::scratch;

fn located(folder: &Path, words: &[&str]) -> Ran {
    let words = ["run", "--locate", "--out", "out", "--cycles", "20000"]
        .iter()
        .chain(words);
    run(lockstep(folder).args(words))
}

/// The places of a report; a Verilator that does not describe designs leaves a note in their stead.
fn places(folder: &Path, ran: &Ran) -> Option<Vec<Value>> {
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let report = std::fs::read_to_string(folder.join("out/report.json")).expect("written");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let places = report["locations"].as_array();
    if places.is_none_or(Vec::is_empty) {
        let note = "Verilator 5.006 does not describe designs as JSON";
        assert!(ran.stdout.contains(note), "{}", ran.stdout);
        return None;
    }
    places.cloned()
}

/// Mistakes where a block sets variables several times, and at the address of a memory, are found as others are: the place
/// and the change that makes it right stand in all forms of the report.
#[test]
fn a_report_names_the_place() {
    let cases = [
        (
            "spe_interval.sv",
            "first = place + 4'(ecount) - 4'd1;\n          selected++;",
            "first = place + 4'(ecount_q) - 4'd1;\n          selected++;",
            "ecount in its place",
        ),
        (
            "spmu_registers.sv",
            ".set_i           (selected && is_set),",
            ".set_i           (selected || is_set),",
            "&& for ||",
        ),
    ];
    for (name, right, wrong, repair) in cases {
        let folder = scratch(&format!("report/located_{name}"));
        plant(None, &folder.join("rtl")).expect("copied");
        let file = folder.join("rtl").join(name);
        let text = std::fs::read_to_string(&file).expect("read");
        assert_eq!(text.matches(right).count(), 1, "{name}");
        std::fs::write(&file, text.replace(right, wrong)).expect("written");
        let ran = located(&folder, &["--rtl", "rtl"]);
        let Some(places) = places(&folder, &ran) else {
            return;
        };
        let first = &places[0];
        assert_eq!(first["file"], format!("rtl/{name}"), "{first}");
        assert_eq!(first["repair"], repair, "{first}");
        assert_eq!(first["is_cause"], true, "{first}");
        assert_eq!(first["tried"]["cycles"], 262_144, "{first}");
        let telling = first["tried"]["telling"].as_u64();
        assert!(
            telling.is_some_and(|runs| (2..=64).contains(&runs)),
            "{first}"
        );
        let words = "and 262,144 cycles of other stimulus, where";
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert!(ran.stdout.contains("where in the RTL"), "{}", ran.stdout);
        let words = format!("{name}:");
        let page = std::fs::read_to_string(folder.join("out/report.html")).expect("written");
        assert!(ran.stdout.contains(&words) && page.contains(&words));
    }
}

/// A statement that is gone, behind a reset that sets the same: the lines in which it stood are among the first places.
#[test]
fn a_lost_statement_is_told_by_where_it_was() {
    let folder = scratch("report/located_lost");
    plant(None, &folder.join("rtl")).expect("copied");
    let file = folder.join("rtl/pmu_control.sv");
    let text = std::fs::read_to_string(&file).expect("read");
    let (before, rest) = text.split_once("      pmovs_q <= (pmovs_q").expect("there");
    let (_, behind) = rest.split_once("overflow_i;\n").expect("there");
    let line = before.lines().count() as u64 + 1;
    std::fs::write(&file, format!("{before}\n\n\n{behind}")).expect("written");
    let ran = located(&folder, &["--rtl", "rtl"]);
    let Some(places) = places(&folder, &ran) else {
        return;
    };
    let is_it = |place: &Value| {
        let lines = place["line"].as_u64()..=place["last_line"].as_u64();
        place["file"] == "rtl/pmu_control.sv" && lines.contains(&Some(line))
    };
    assert!(places.iter().take(3).any(is_it), "{places:#?}");
}

/// What is waived differs on other stimulus as well: nothing is tried there then.
#[test]
fn causes_are_tried_on_other_stimulus_where_nothing_is_waived() {
    let folder = scratch("report/elsewhere");
    plant(Some("02-threshold-lt-as-le.patch"), &folder.join("rtl")).expect("planted");
    let waiver = "[[waiver]]\nfield = 'PMSICR*'\ncondition = 'always'\nreason = 'known'\nowner = 'the team'\n\
        expires = 2999-12-31\n";
    std::fs::write(folder.join("waivers.toml"), waiver).expect("written");
    let tried = |words: &[&str]| {
        let words = ["run", "--rtl", "rtl", "--out", "out", "--cycles", "20000"]
            .iter()
            .chain(words);
        let ran = run(lockstep(&folder).args(words));
        assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
        let report = std::fs::read_to_string(folder.join("out/report.json")).expect("written");
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let hypotheses = &report["hypotheses"];
        assert!(hypotheses["explaining"][0].is_object(), "{hypotheses}");
        hypotheses["elsewhere"].as_u64()
    };
    assert_eq!(tried(&[]), Some(262_144));
    assert_eq!(tried(&["--waivers", "waivers.toml"]), Some(0));
}

/// A design that is known by its libraries is told what it takes.
#[test]
fn a_place_needs_sources() {
    let folder = scratch("report/without_sources");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let implementation = examples.join("apb/implementation.toml");
    let implementation = implementation.to_str().expect("text");
    // Registers behind APB, one of which says that there is another number of counters.
    let (right, wrong) = ("{16'd0, 5'd6,", "{16'd0, 5'd5,");
    std::fs::create_dir(folder.join("apb")).expect("created");
    for name in [
        "lockstep_pkg.sv",
        "apb/apb_pmu.v",
        "apb/wrapper.sv",
        "apb/dut.f",
    ] {
        let text = std::fs::read_to_string(examples.join(name)).expect("read");
        std::fs::write(folder.join(name), text.replace(right, wrong)).expect("written");
    }
    let built = run(lockstep(&folder).args(["build", "--filelist", "apb/dut.f", "-o", "built"]));
    assert_eq!(built.code, 0, "{}{}", built.stdout, built.stderr);
    let ran = located(
        &folder,
        &["--dut", "built", "--implementation", implementation],
    );
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let words = "name its files, with --filelist or --rtl";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
}
