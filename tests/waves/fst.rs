//! FST dumps beside the VCD of the same run: every command says the same of both.

use std::fs;

use crate::command::{Ran, run};
use crate::golden::{dumps, golden, golden_in, vcd};
use crate::scratch::scratch;

/// FST dumps of the corpus and the VCD of the same run.
const PAIRS: [(&str, &str); 22] = [
    ("icarus-11/blocks.fst", "icarus-11/blocks.vcd"),
    ("icarus-11/events.fst", "icarus-11/events.vcd"),
    ("icarus-11/tricky.fst", "icarus-11/tricky.vcd"),
    ("gtkwave-3.3.118/blocks_fastlz.fst", "icarus-11/blocks.vcd"),
    ("gtkwave-3.3.118/blocks_zlib.fst", "icarus-11/blocks.vcd"),
    ("gtkwave-3.3.118/events.fst", "gtkwave-3.3.118/events.vcd"),
    ("gtkwave-3.3.118/tricky.fst", "gtkwave-3.3.118/tricky.vcd"),
    ("gtkwave-3.3.118/pieces.fst", "split/pieces.vcd"),
    ("gtkwave-3.3.118/questa.fst", "split/questa.vcd"),
    ("gtkwave-3.3.118/vcs.fst", "split/vcs.vcd"),
    (
        "gtkwave-3.3.118/hierarchy.fst",
        "verilator-5.048/hierarchy.vcd",
    ),
    ("gtkwave-3.3.118/kinds.fst", "gtkwave-3.3.118/kinds.vcd"),
    ("gtkwave-3.3.118/writer.fst", "pyvcd-0.5.1/writer.vcd"),
    ("icarus-11/memories.fst", "icarus-11/memories.vcd"),
    ("icarus-12/events.fst", "icarus-12/events.vcd"),
    ("icarus-12/memories.fst", "icarus-12/memories.vcd"),
    ("icarus-12/tricky.fst", "icarus-12/tricky.vcd"),
    (
        "gtkwave-3.3.118/memories.fst",
        "gtkwave-3.3.118/memories.vcd",
    ),
    ("gtkwave-3.3.121/bus.fst", "gtkwave-3.3.121/bus.vcd"),
    (
        "gtkwave-3.3.121/memories.fst",
        "gtkwave-3.3.121/memories.vcd",
    ),
    ("gtkwave-3.3.121/questa.fst", "gtkwave-3.3.121/questa.vcd"),
    (
        "gtkwave-3.3.121/hierarchy.fst",
        "gtkwave-3.3.121/hierarchy.vcd",
    ),
];

/// The same of writers that leave out of a VCD what an FST has, or tell other kinds, scopes and aliases.
const LOOSE_PAIRS: [(&str, &str); 8] = [
    ("ghdl-5.0/bus.fst", "ghdl-5.0/bus.vcd"),
    ("ghdl-5.0/fifo.fst", "ghdl-5.0/fifo.vcd"),
    ("ghdl-5.0/kinds.fst", "ghdl-5.0/kinds.vcd"),
    ("ghdl-5.0/numbers.fst", "ghdl-5.0/numbers.vcd"),
    ("ghdl-5.0/tree.fst", "ghdl-5.0/tree.vcd"),
    (
        "verilator-5.032/memories.fst",
        "verilator-5.032/memories.vcd",
    ),
    (
        "verilator-5.048/memories.fst",
        "verilator-5.048/memories.vcd",
    ),
    ("verilator-5.048/structs.fst", "verilator-5.048/structs.vcd"),
];

/// What a command prints, which must succeed.
fn printed(arguments: &str) -> String {
    let ran = run(&mut vcd(&dumps(), arguments));
    assert_eq!(ran.code, 0, "{arguments}: {}", ran.stderr);
    ran.stdout
}

#[test]
fn every_dump_is_the_same_as_its_vcd() {
    for (fst, vcd) in PAIRS {
        for arguments in [format!("diff {fst} {vcd}"), format!("diff {vcd} {fst}")] {
            let text = printed(&arguments);
            assert!(text.starts_with("SAME"), "{arguments}: {text}");
            assert!(!text.contains("only in"), "{arguments}: {text}");
        }
    }
}

#[test]
fn all_of_a_vcd_is_the_same_in_the_fst() {
    for (fst, vcd) in LOOSE_PAIRS {
        let text = printed(&format!("diff {vcd} {fst}"));
        assert!(text.starts_with("SAME"), "{fst}: {text}");
        assert!(!text.contains("only in A"), "{fst}: {text}");
    }
}

/// A dump and itself are compared batch by batch, a dump and its VCD value by value; both come to the same.
#[test]
fn two_of_one_bench_are_compared_as_any_two() {
    let folder = scratch("waves/fst_twins");
    for (fst, twin) in PAIRS {
        let result = |first: &str, second: &str| {
            let json = printed(&format!("diff {first} {second} --json"));
            let mut json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            for own in ["files", "a", "b"] {
                json.as_object_mut().expect("an object").remove(own);
            }
            json
        };
        assert_eq!(result(fst, fst), result(fst, twin), "{fst}");
        // The same until its last change.
        let text = fs::read_to_string(dumps().join(twin)).expect("a dump");
        let last = text.rmatch_indices('\n').find_map(|(at, _)| {
            let digit = text.as_bytes().get(at + 1)?;
            let other = match digit {
                b'0' => "1",
                b'1' => "0",
                _ => return None,
            };
            Some(format!("{}{other}{}", &text[..=at], &text[at + 2..]))
        });
        let Some(changed) = last else { continue };
        fs::write(folder.join("changed.vcd"), changed).expect("written");
        let path = |name: &str| folder.join(name).display().to_string();
        for (from, to) in [
            (path("changed.vcd"), "changed.fst"),
            (dumps().join(twin).display().to_string(), "same.fst"),
        ] {
            let ran = run(&mut vcd(&dumps(), &format!("cut {from} -o {}", path(to))));
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        let found = run(&mut vcd(
            &dumps(),
            &format!("diff {} {}", path("same.fst"), path("changed.fst")),
        ));
        let wanted = run(&mut vcd(
            &dumps(),
            &format!(
                "diff {} {}",
                dumps().join(twin).display(),
                path("changed.vcd")
            ),
        ));
        let first = |ran: &Ran| ran.stdout.lines().next().map(str::to_owned);
        assert_eq!(
            (found.code, first(&found)),
            (wanted.code, first(&wanted)),
            "{twin}"
        );
    }
}

#[test]
fn signals_and_times_are_those_of_the_vcd() {
    for (fst, vcd) in PAIRS {
        let facts = |file: &str| {
            let json = printed(&format!("info {file} --signals --json"));
            let mut facts: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            for own in ["file", "bytes", "date", "version"] {
                facts.as_object_mut().expect("an object").remove(own);
            }
            // A VCD has fewer kinds of them.
            for scope in facts["scopes"].as_array_mut().expect("a list") {
                scope["kind"].take();
            }
            // Of these, any width is written.
            for variable in facts["variables"].as_array_mut().expect("a list") {
                let kind = variable["kind"].as_str().expect("a kind");
                if kind.contains("real") || kind == "string" {
                    variable["width"].take();
                }
            }
            facts
        };
        assert_eq!(facts(fst), facts(vcd), "{fst}");
    }
}

#[test]
fn values_are_those_of_the_vcd_at_every_time() {
    for (fst, vcd) in PAIRS {
        for at in ["0", "10", "30", "45", "95"] {
            for rest in ["--window 2", "--window 50"] {
                let show = |file: &str| {
                    let arguments = format!("show {file} --signals ** --changes --at {at} {rest}");
                    let ran = run(&mut crate::golden::vcd(&dumps(), &arguments));
                    (ran.code, ran.stdout)
                };
                assert_eq!(show(fst), show(vcd), "{fst} at {at} {rest}");
            }
        }
    }
}

#[test]
fn rows_in_the_middle_of_many_blocks_are_those_of_the_vcd() {
    for at in (0..=2560).step_by(37) {
        for rest in [
            "--window 0 --changes",
            "--window 3 --changes",
            "--window 2",
            "--window 40",
            "--window 2 --sample before",
        ] {
            let show = |end: &str| {
                printed(&format!(
                    "show icarus-11/blocks.{end} --signals ** --at {at}ns {rest}"
                ))
            };
            assert_eq!(show("fst"), show("vcd"), "at {at} {rest}");
        }
    }
    for cycle in [0, 15, 100, 255] {
        let show = |end: &str| {
            printed(&format!(
                "show icarus-11/blocks.{end} --signals ** --cycle {cycle}"
            ))
        };
        assert_eq!(show("fst"), show("vcd"), "cycle {cycle}");
    }
}

#[test]
fn another_value_is_a_difference() {
    let folder = scratch("waves/fst");
    let text = fs::read_to_string(dumps().join("icarus-11/blocks.vcd")).expect("a dump");
    // The counter, in the middle of the run.
    let changed = text.replacen("b10000010 ", "b10000011 ", 1);
    assert_ne!(changed, text);
    fs::write(folder.join("changed.vcd"), changed).expect("written");
    fs::copy(
        dumps().join("icarus-11/blocks.fst"),
        folder.join("blocks.fst"),
    )
    .expect("copied");
    assert_eq!(
        golden_in("fst_diff", &folder, "diff blocks.fst changed.vcd").code,
        1
    );
    let clocked = run(&mut vcd(&folder, "diff changed.vcd blocks.fst --clock clk"));
    assert_eq!(clocked.code, 1, "{}", clocked.stdout);
}

#[test]
fn what_it_holds_is_told() {
    assert_eq!(golden("fst_info", "info icarus-11/tricky.fst").code, 0);
}

#[test]
fn what_cannot_be_read_is_told() {
    let folder = scratch("waves/fst_damaged");
    let whole = fs::read(dumps().join("icarus-11/blocks.fst")).expect("a dump");
    fs::write(folder.join("cut.fst"), &whole[..2000]).expect("written");
    assert_eq!(golden_in("fst_cut", &folder, "info cut.fst").code, 2);
    let mut piped = vcd(&folder, "info -");
    piped.stdin(fs::File::open(folder.join("cut.fst")).expect("a file"));
    let ran = run(&mut piped);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("an FST file in a pipe; name the file"),
        "{}",
        ran.stderr
    );
    // What stands before the block whose values are none is shown.
    let mut damaged = whole;
    damaged[2_960..2_990].fill(0xff);
    fs::write(folder.join("damaged.fst"), damaged).expect("written");
    let ran = golden_in(
        "fst_damaged",
        &folder,
        "show damaged.fst --signals count --cycle 250",
    );
    assert_eq!(ran.code, 2);
}
