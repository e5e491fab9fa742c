//! `--init`: what the design's outputs owe to what its registers begin with.

use std::path::Path;

use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::keep_going::four_resets;
use crate::scratch::scratch;

#[test]
fn a_register_that_no_reset_clears_is_found() {
    let folder = scratch("initial_states");
    four_resets(&folder.join("resets.stim"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    let [package, module] = ["idle_pkg.sv", "forgotten.sv"].map(|name| rtl.join(name));
    let replay = |words: &[&str]| -> Ran {
        let mut command = lockstep(&folder);
        command.args(["replay", "resets.stim", "--rtl"]);
        command.arg(&package).arg("--rtl").arg(&module).args(words);
        run(&mut command)
    };
    let from_zeros = replay(&[]);
    assert_eq!(from_zeros.code, 0, "{}", from_zeros.stderr);

    let ran = replay(&["--init", "4", "--json"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let summary: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(summary["verdict"], "divergence");
    let states = &summary["initial_states"];
    assert_eq!(states["tried"], 4);
    let differ = states["differ"].as_array().expect("states");
    let numbers: Vec<_> = differ.iter().map(|one| one["state"].to_string()).collect();
    for one in differ {
        assert_eq!((&one["cycle"], &one["field"]), (&50.into(), &"V[3]".into()));
    }
    let first = &numbers[0];
    let rtl = summary["divergence"]["headline"]["rtl"].as_str();
    let finding = format!(
        "the design's outputs depend on its initial state: it agrees from zeros, differs from initial state {first}: V[3]: \
         expected 0, RTL {} in cycle 50; of 4 that were tried, {} differ: {}",
        rtl.expect("a value"),
        numbers.len(),
        numbers.join(", ")
    );
    assert_eq!(states["finding"].as_str(), Some(finding.as_str()));
    let report = &summary["divergence"];
    assert_eq!(report["notes"][0].as_str(), Some(finding.as_str()));
    assert_eq!(
        report["reproduction"],
        "the re-run from the reset in cycle 0 diverges in the same cycle"
    );
    // It is about that state, and so is the command that shows it again.
    let again = report["run"]["replay"].as_str().expect("a command");
    assert!(again.ends_with(&format!(" --init {first}")), "{again}");
    let again = replay(&["--init", first, "--threads", "1"]);
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(
        again
            .stdout
            .contains("note: the design's outputs depend on its initial state")
    );

    let mended = replay(&[
        "--define",
        "RESET_ALL",
        "--init",
        "4",
        "--html",
        "page.html",
    ]);
    assert_eq!(mended.code, 0, "{}", mended.stderr);
    let line = "initial states: the same from zeros and from 4 random ones";
    assert!(mended.stdout.contains(line), "{}", mended.stdout);
    let page = std::fs::read_to_string(folder.join("page.html")).expect("a page");
    assert!(page.contains(line) && page.contains(" --init 4"), "{page}");
}
