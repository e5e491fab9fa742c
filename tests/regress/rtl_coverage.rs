//! What runs of a suite cover of the RTL, over shards.

use std::fs;
use std::path::Path;

use super::{json, records, regress, suite};
use crate::scratch::scratch;

/// Data of a report, or of a shard.
const DATA: &str = "rtl-coverage/apb+apb.dat";

#[test]
fn shards_have_covered_together_what_one_process_covers() {
    let folder = scratch("regress/rtl_coverage");
    // A small design is built sooner.
    let apb = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/apb");
    suite(
        &folder,
        &format!(
            "name = 'n'\n[implementations]\napb = {:?}\n[designs.apb]\nfilelist = [{:?}]\n[[group]]\n\
             implementations = ['apb']\nprofiles = ['mixed', 'threshold']\nseeds = '1-2'\ncycles = 3000\n\
             rtl_coverage = true\n",
            apb.join("implementation.toml"),
            apb.join("dut.f"),
        ),
    );
    let run = |words: &[&str]| {
        let ran = regress(&folder, words);
        assert_eq!(ran.code, 0, "{words:?}: {}{}", ran.stdout, ran.stderr);
        ran
    };
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
    let words = ["regress", "suite.toml"];
    run(&[&words[..], &["--out", "one"]].concat());
    for shard in ["1/2", "2/2"] {
        run(&[&words[..], &["--out", "two", "--shard", shard]].concat());
    }
    // In any order, twice, and into the folder of an earlier report.
    run(&["merge", "two", "-o", "two/report"]);
    run(&["merge", "two", "-o", "two/report"]);
    run(&[
        "merge",
        "two/shard-2-of-2.jsonl",
        "two",
        "two/report",
        "-o",
        "again",
    ]);
    run(&["merge", "again", "-o", "thrice"]);
    for name in [DATA, "rtl-coverage/apb+apb.info", "rtl-coverage.html"] {
        let one = read(&format!("one/report/{name}"));
        for other in ["two/report", "again", "thrice"] {
            assert!(one == read(&format!("{other}/{name}")), "{other}/{name}");
        }
    }
    let summary = json(&folder.join("one/report/summary.json"));
    let rtl = &summary["coverage"][0]["rtl"];
    assert_eq!(rtl["runs"], 4);
    let share = |kind: &str| {
        let count = |key: &str| rtl[kind][key].as_u64().unwrap_or_default();
        (count("hit"), count("of"))
    };
    for (kind, least) in [("lines", 30), ("branches", 30), ("toggles", 300)] {
        let (hit, of) = share(kind);
        assert!(least < hit && hit < of, "{kind}: {hit} of {of}");
    }
    // What shards cover alone is less.
    assert!(read(&format!("one/report/{DATA}")) != read(&format!("two/shard-1-of-2/{DATA}")));
    assert!(read("one/report/index.html").contains("href=\"rtl-coverage.html\""));
    let lcov = read("one/report/rtl-coverage/apb+apb.info");
    let source = lcov.lines().find_map(|line| line.strip_prefix("SF:"));
    assert!(Path::new(source.expect("a file")).is_file(), "{source:?}");
    // Records say which runs the data is of, and the data of the runs themselves goes.
    for record in records(&folder.join("one/shard-1-of-1.jsonl")) {
        assert_eq!(record["compared"]["rtl_coverage"], true);
        let name = record["id"].as_str().unwrap_or_default().replace('/', "+");
        assert!(
            !folder
                .join(format!("one/runs/{name}/coverage.dat"))
                .exists()
        );
    }
    // Results whose data is not there are told of; damaged data is refused.
    let elsewhere = folder.join("elsewhere");
    fs::create_dir(&elsewhere).expect("made");
    fs::copy(
        folder.join("one/shard-1-of-1.jsonl"),
        elsewhere.join("shard-1-of-1.jsonl"),
    )
    .expect("copied");
    let ran = run(&["merge", "elsewhere", "-o", "elsewhere/report"]);
    let note = "lockstep: note: apb on apb: 4 runs counted coverage of the RTL, and their data is not beside the \
                results: expected apb+apb.dat in rtl-coverage/ of a shard or a report\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
    assert!(!folder.join("elsewhere/report/rtl-coverage.html").exists());
    let place = folder.join("two/shard-1-of-2").join(DATA);
    let data = fs::read_to_string(&place).expect("data");
    fs::write(&place, &data[..data.len() / 2]).expect("written");
    let ran = regress(&folder, &["merge", "two", "-o", "two/report"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("the file is cut or damaged; run it again"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_carried_design_without_coverage_is_refused() {
    let folder = scratch("regress/rtl_coverage_carried");
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    for file in ["idle_pkg.sv", "abort.sv"] {
        fs::copy(rtl.join(file), folder.join(file)).expect("copied");
    }
    let build = [
        "build",
        "--rtl",
        "idle_pkg.sv",
        "--rtl",
        "abort.sv",
        "-o",
        "built",
    ];
    let ran = regress(&folder, &build);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    suite(
        &folder,
        "name = 'n'\n[designs.mute]\ndut = 'built'\n[[group]]\ncycles = 100\nrtl_coverage = true\n",
    );
    let ran = regress(&folder, &["regress", "suite.toml", "--out", "out"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let expected = "built: expected a design that was built with --rtl-coverage, found one without: build it again with:\n  \
                    lockstep build --rtl idle_pkg.sv --rtl abort.sv -o built --rtl-coverage    (in ";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}
