//! `--keep-going`: one bug does not hide another.

use std::fs;
use std::path::Path;

use pmu_lockstep::stimulus::Writer;
use pmu_model::{CycleInput, Implementation};
use serde_json::{Value, json};

use crate::command::{Ran, lockstep, run};
use crate::scratch::scratch;

/// A stimulus of 1600 cycles that resets in every 400th and does nothing else.
pub fn four_resets(path: &Path) {
    let mut cycles = vec![CycleInput::default(); 1600];
    for stretch in cycles.chunks_mut(400) {
        stretch[0] = CycleInput::reset();
    }
    let mut writer = Writer::create(path, &Implementation::default(), None).expect("written");
    writer.append(&cycles).expect("written");
    writer.finish().expect("written");
}

#[test]
fn two_mistakes_are_found_in_one_run() {
    let folder = scratch("keep_going");
    four_resets(&folder.join("resets.stim"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    let [package, module] = ["idle_pkg.sv", "two_faults.sv"].map(|name| rtl.join(name));
    let replay = |words: &[&str]| -> Ran {
        let mut command = lockstep(&folder);
        command.args(["replay", "resets.stim", "--rtl"]);
        command.arg(&package).arg("--rtl").arg(&module).args(words);
        run(&mut command)
    };
    let report = |ran: &Ran| -> Value {
        let summary: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        summary["divergence"].clone()
    };
    let alone = replay(&["--json"]);
    assert_eq!(alone.code, 1, "{}", alone.stderr);
    let mut alone = report(&alone);
    for threads in ["1", "2"] {
        let ran = replay(&["--json", "--keep-going", "--threads", threads]);
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let mut report = report(&ran);
        let further = report.as_object_mut().and_then(|it| it.remove("further"));
        let expected = json!({
            "stretches": 3,
            "diverged": 3,
            "like_the_first": 1,
            "listed": [{
                "field": "access outcome",
                "kind": "access outcome",
                "cycle": 450,
                "about": 450,
                "time_ns": 4500,
                "expected": "no access",
                "rtl": "UNDEFINED",
                "stretches": 2,
            }],
            "not_listed": 0,
            "cycles_not_compared": 299 + 349 + 299 + 349,
            "ended": null,
        });
        assert_eq!(further, Some(expected));
        // The first one is told as without it.
        for report in [&mut report, &mut alone] {
            report["hypotheses"] = Value::Null;
        }
        assert_eq!(report, alone);
    }
    let ran = replay(&["--keep-going"]);
    for line in [
        "  in 3 of 3 stretches from a reset on, 1 of them in the field of the first one; 1,296 cycles not compared",
        "  access outcome: expected no access, RTL UNDEFINED, in cycle 450, in 2 stretches",
    ] {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
    let page = fs::read_to_string(folder.join("lockstep-out/report.html")).expect("a page");
    let (_, page) = page.split_once("Further divergences").expect("a section");
    assert!(
        page.contains("<th scope=\"row\">access outcome</th>"),
        "{page}"
    );
    let ran = replay(&["--keep-going", "--against", "bundled"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}
