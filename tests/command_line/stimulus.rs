//! Stimulus files that cannot be used: exit code 2, and nothing is run.

use std::fs;
use std::path::PathBuf;

use pmu_lockstep::stimulus::Writer;
use pmu_model::{CycleInput, Implementation, SysReg};

use crate::command::{lockstep, run};
use crate::golden::{assert_golden, golden, keys};
use crate::scratch::scratch;

/// A folder with 3,000 recorded cycles in `a.stim`, changed.
fn recorded(name: &str, change: impl FnOnce(&mut Vec<u8>)) -> PathBuf {
    let folder = scratch(&format!("command_line/{name}"));
    let mut command = lockstep(&folder);
    let ran = run(command.args([
        "run", "--seed", "3", "--cycles", "3000", "--record", "a.stim",
    ]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let path = folder.join("a.stim");
    let mut bytes = fs::read(&path).expect("recorded");
    change(&mut bytes);
    fs::write(&path, bytes).expect("written");
    folder
}

fn refused(name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let ran = golden(name, &recorded(name, change), "replay a.stim");
    assert_eq!(ran.code, 2);
    assert_eq!(ran.stdout, "");
}

#[test]
fn stimulus_that_is_not_there() {
    let folder = scratch("command_line/stimulus_that_is_not_there");
    assert_eq!(
        golden("stimulus_that_is_not_there", &folder, "replay a.stim").code,
        2
    );
}

#[test]
fn stimulus_that_is_a_folder() {
    let folder = scratch("command_line/stimulus_that_is_a_folder");
    assert_eq!(
        golden("stimulus_that_is_a_folder", &folder, "replay .").code,
        2
    );
}

#[test]
fn stimulus_that_is_empty() {
    refused("stimulus_that_is_empty", Vec::clear);
}

#[test]
fn stimulus_of_another_program() {
    refused("stimulus_of_another_program", |bytes| {
        *bytes = b"$date today $end\n$timescale 1ns $end\n".repeat(9);
    });
}

#[test]
fn stimulus_cut_in_its_header() {
    refused("stimulus_cut_in_its_header", |bytes| bytes.truncate(100));
}

#[test]
fn stimulus_cut_in_its_cycles() {
    refused("stimulus_cut_in_its_cycles", |bytes| {
        bytes.truncate(200_000)
    });
}

#[test]
fn stimulus_that_is_too_long() {
    refused("stimulus_that_is_too_long", |bytes| bytes.push(0));
}

#[test]
fn stimulus_of_a_later_version() {
    refused("stimulus_of_a_later_version", |bytes| bytes[8] = 2);
}

#[test]
fn stimulus_of_another_contract() {
    refused("stimulus_of_another_contract", |bytes| bytes[12] = 3);
}

#[test]
fn stimulus_with_a_damaged_header() {
    refused("stimulus_with_a_damaged_header", |bytes| bytes[90] ^= 1);
}

#[test]
fn stimulus_with_a_damaged_cycle() {
    refused("stimulus_with_a_damaged_cycle", |bytes| bytes[300_000] ^= 1);
}

#[test]
fn stimulus_of_another_implementation() {
    let name = "stimulus_of_another_implementation";
    let folder = recorded(name, |_| ());
    fs::write(
        folder.join("six.toml"),
        "name = 'six'\n[pmu]\ncounters = 6\n",
    )
    .expect("written");
    let ran = golden(name, &folder, "replay a.stim --implementation six.toml");
    assert_eq!(ran.code, 2);
}

#[test]
fn an_export_that_is_shorter_than_it_was_asked_for_says_so() {
    let ran = golden(
        "short_export",
        &recorded("short_export", |_| {}),
        "stimulus export a.stim --cycles 4000 -o a.hex",
    );
    assert_eq!(ran.code, 0);
}

/// A folder with a stimulus in `a.stim` in which a PE is at EL2 in Root state, and an MRC has an op0 of 2.
fn excluded(name: &str) -> PathBuf {
    let folder = scratch(&format!("command_line/{name}"));
    let implementation = Implementation::default();
    let mut writer = Writer::create(&folder.join("a.stim"), &implementation, None).expect("a file");
    let mut root = CycleInput {
        driven: CycleInput::DRIVEN_PE,
        controls: 1,
        ..CycleInput::read(SysReg::pmevtyper(0).expect("a counter"))
    };
    root.threads[0].state = 0xE;
    let mrc = CycleInput {
        access_kind: 3,
        ..CycleInput::read(SysReg::Spmselr)
    };
    let mut cycles = vec![CycleInput::reset(), CycleInput::default(), root, mrc];
    cycles.extend([root; 30]);
    writer.append(&cycles).expect("written");
    writer.finish().expect("written");
    folder
}

#[test]
fn dut_81_stimulus_that_the_contract_excludes() {
    let folder = excluded("stimulus_that_the_contract_excludes");
    for (name, line) in [
        ("excluded_stimulus_replayed", "replay a.stim"),
        ("excluded_stimulus_shrunk", "shrink a.stim"),
        (
            "excluded_stimulus_run",
            "run --stimulus a.stim --cycles 2 --threads 2",
        ),
        ("excluded_stimulus_modelled", "model --stimulus a.stim"),
        ("excluded_stimulus_checked", "stimulus check a.stim"),
    ] {
        assert_eq!(golden(name, &folder, line).code, 2, "{line}");
    }
    let ran = run(lockstep(&folder).args(["stimulus", "check", "a.stim", "--json"]));
    assert_eq!(ran.code, 2);
    assert_golden("keys_stimulus_check", &keys(&ran.stdout));
}

#[test]
fn stimulus_for_another_implementation_is_checked_and_modelled() {
    let name = "stimulus_for_another_implementation";
    let folder = recorded(name, |_| ());
    fs::write(
        folder.join("apart.toml"),
        "[wrapper]\naccess_interval = 2\n",
    )
    .expect("written");
    let allowed = golden("allowed_stimulus_checked", &folder, "stimulus check a.stim");
    assert_eq!(allowed.code, 0);
    for line in ["stimulus check", "model --stimulus"] {
        let line = format!("{line} a.stim --implementation apart.toml");
        let ran = run(lockstep(&folder).args(line.split(' ')));
        let told = ran.stdout + &ran.stderr;
        assert!(ran.code == 2 && told.contains("DUT-70"), "{line}: {told}");
    }
}

#[test]
fn the_default_profile_drives_what_the_audit_asks_for() {
    let name = "audit_that_is_complete";
    let folder = scratch(&format!("command_line/{name}"));
    let ran = golden(name, &folder, "stimulus audit");
    assert_eq!(ran.code, 0);
    for seed in ["2", "3"] {
        let ran = run(lockstep(&folder).args(["stimulus", "audit", "--seed", seed]));
        assert_eq!(ran.code, 0, "seed {seed}: {}", ran.stdout);
    }
}

#[test]
fn an_audit_that_is_not_complete_lists_what_is_not_driven() {
    let folder = scratch("command_line/audit_that_is_not_complete");
    let arguments = [
        "stimulus",
        "audit",
        "--profile",
        "threshold",
        "--cycles",
        "5000",
    ];
    let ran = run(lockstep(&folder).args(arguments));
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let (first, rest) = ran.stdout.split_once('\n').expect("lines");
    assert!(first.ends_with("points not driven in 5000 cycles of seed 1, implementation default"));
    // Neither a group that is complete nor one without points stands there.
    assert!(rest.starts_with("event numbers: 2"), "{rest:.300}");
    assert!(
        rest.contains("\n  PMCCNTR_EL0, up from 0x7fffffffffffffff\n"),
        "{rest:.300}"
    );
    let ran = run(lockstep(&folder).args(arguments).arg("--json"));
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""));
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(found["complete"], false);
    let groups = found["groups"].as_array().expect("groups");
    let missing: usize = groups
        .iter()
        .map(|group| group["not_driven"].as_array().expect("names").len())
        .sum();
    assert!(
        first.starts_with(&format!("{missing} of {} points", found["points"])),
        "{first}"
    );
}
