//! Bad ends of the commands beside `run` and `replay` (DUT-40 to DUT-44): verdicts, words and exit codes are the same
//! wherever a design runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pmu_lockstep::exhaust;
use pmu_model::DutParameters;
use serde_json::Value;

use super::{LAST, command, folder};
use crate::command::{Ran, lockstep, run};

const MEGABYTE: u64 = 1 << 20;

/// How a design ends: its file, exit code, verdict, and what is told; `@` is the cycle and what it is one of.
type End = (&'static str, i32, &'static str, &'static str);

/// Designs that end in cycle `idle_pkg::Last`.
const IN_A_CYCLE: [End; 7] = [
    (
        "segfault.sv",
        6,
        "crash",
        "the design crashed: SIGSEGV (it used memory that is not its own) in cycle @\n",
    ),
    (
        "abort.sv",
        6,
        "crash",
        "the design crashed: SIGABRT (its C++ code gave up) in cycle @\n",
    ),
    (
        "fatal.sv",
        4,
        "stopped",
        "in cycle @, at TIME ns, the design stopped by $fatal at fatal.sv:13: queue 3 is full (in lockstep_dut)\n",
    ),
    (
        "finish.sv",
        4,
        "stopped",
        "in cycle @, at TIME ns, the design stopped by $finish before the end of the run at finish.sv:13\n",
    ),
    (
        "unsettled.sv",
        7,
        "unsettled",
        "in cycle @, at TIME ns, the design stopped by logic that does not settle, a combinational loop at unsettled.sv:2: ",
    ),
    (
        "loop.sv",
        3,
        "hang",
        "the design does not come back from cycle @: no progress for 1 s; look for a loop without delay, or raise \
         --hang-after\n",
    ),
    (
        "flood.sv",
        4,
        "stopped",
        "in cycle @, at TIME ns, the design stopped by $fatal at flood.sv:15: too much to say (in lockstep_dut)\n",
    ),
];

/// Designs that do not come to their first cycle.
const AT_START: [End; 4] = [
    (
        "segfault_at_start.sv",
        6,
        "crash",
        "the design crashed: SIGSEGV (it used memory that is not its own) while it was made, before the first cycle",
    ),
    (
        "fatal_at_start.sv",
        4,
        "stopped",
        "in its initial blocks, before the first cycle, the design stopped by $fatal at fatal_at_start.sv:13: the table \
         is empty (in lockstep_dut)\n",
    ),
    (
        "unsettled_at_start.sv",
        7,
        "unsettled",
        "in its initial blocks, before the first cycle, the design stopped by logic that does not settle, a \
         combinational loop at unsettled_at_start.sv:2: ",
    ),
    (
        "loop_at_start.sv",
        3,
        "hang",
        "the design does not come back from its initial blocks, before the first cycle: no progress for 1 s; look for a \
         loop without delay (delays are not simulated), or raise --hang-after\n",
    ),
];

/// A command that ended in one of these ways: exit code, words, and JSON, if it has that.
fn check(ran: &Ran, (file, code, verdict, words): End, cycle: &str, at: u64, json: bool) {
    let told = format!("{file}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, code, "{told}");
    let words = words.replace('@', cycle);
    let words = words.replace("TIME", &(10 * at).to_string());
    assert!(ran.stderr.contains(&format!("lockstep: {words}")), "{told}");
    if file == "unsettled_at_start.sv" {
        let warned = "; when it was built, Verilator warned of unsettled_at_start.sv:15:";
        assert!(ran.stderr.contains(warned), "{told}");
    }
    // What the design prints does not drown it.
    assert!(ran.stderr.lines().count() < 40, "{told}");
    match json {
        false => assert_eq!(ran.stdout, "", "{told}"),
        true => {
            let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
            let found = (&json["verdict"], &json["exit_code"]);
            assert_eq!(found, (&verdict.into(), &code.into()), "{told}");
            let message = json["message"].as_str().expect("words");
            assert!(message.starts_with(words.trim_end()), "{told}");
        }
    }
    // The last words of those that say something.
    for (name, last) in [
        ("abort.sv", "last words in cycle"),
        ("flood.sv", "line 4999 xxx"),
        ("segfault_at_start.sv", "reading the table of events"),
        ("fatal_at_start.sv", "reading the table of events"),
        ("loop_at_start.sv", "reading the table of events"),
    ] {
        let (_, after) = ran.stderr.split_once(&words).unwrap_or_default();
        let shown = after.contains(&format!("lines:\n    {last}"))
            || after.contains(&format!("\n    {last}"));
        assert!(shown || name != file, "{told}");
    }
}

/// The folder of a command that leaves a report there: it says the same, and what was printed is beside it.
fn check_report(folder: &Path, (file, code, verdict, words): End) {
    let out = folder.join("out");
    let json = fs::read(out.join("report.json")).expect("a report");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    let found = (&json["verdict"], &json["exit_code"]);
    assert_eq!(found, (&verdict.into(), &code.into()), "{json:#}");
    let message = json["message"].as_str().expect("words");
    // Up to what depends on the command: a cycle, or the path of the design.
    let start = words.split(['@', '.']).next().expect("words");
    let start = start.rsplit_once(' ').map_or(start, |(start, _)| start);
    assert!(message.contains(start), "{json:#}");
    let log = fs::read(out.join("design.log")).unwrap_or_default();
    let printed = json["printed"]["bytes"].as_u64().unwrap_or_default();
    let left_out = json["printed"]["left_out"].as_u64().unwrap_or_default();
    match file {
        "flood.sv" => {
            assert!(left_out > 0 && printed > MEGABYTE, "{json:#}");
            let kept = MEGABYTE - 1000..MEGABYTE + 100;
            assert!(kept.contains(&(log.len() as u64)), "{}", log.len());
        }
        "abort.sv" | "segfault_at_start.sv" | "fatal_at_start.sv" | "loop_at_start.sv" => {
            assert_eq!(log.len() as u64, printed, "{json:#}");
            assert!(printed > 0, "{json:#}");
        }
        _ => {}
    }
}

/// A folder with a design that states what `exhaust` runs, and ends in its first cycle.
fn first_cycle(file: &str, test: &str) -> PathBuf {
    let folder = folder(file, &format!("{test}/{file}"));
    let package = fs::read_to_string(folder.join("idle_pkg.sv")).expect("a package");
    let parameters = DutParameters::of(&exhaust::implementation());
    let digits: String = bytemuck::bytes_of(&parameters)
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (before, rest) = package.split_once("Parameters = {").expect("parameters");
    let (_, after) = rest.split_once("};").expect("their end");
    let package = format!("{before}Parameters = 512'h{digits};{after}");
    let package = package.replace("Last = 2500", "Last = 0");
    fs::write(folder.join("idle_pkg.sv"), package).expect("written");
    folder
}

/// A command on a design of a folder.
fn on_design(folder: &Path, words: &[&str], file: &str) -> Command {
    let mut command = lockstep(folder);
    command.args(words).args(["--hang-after", "1"]);
    command.args(["--rtl", "idle_pkg.sv", "--rtl", file]);
    command
}

#[test]
fn exhaust_in_a_cycle() {
    for end in IN_A_CYCLE {
        let folder = first_cycle(end.0, "exhaust");
        let ran = run(&mut on_design(&folder, &["exhaust"], end.0));
        check(&ran, end, "0", 0, false);
        let ran = run(&mut on_design(&folder, &["exhaust", "--json"], end.0));
        check(&ran, end, "0", 0, true);
    }
}

/// The bundled RTL with a loop in it: vectors fit its parameters.
#[test]
fn conform_in_a_cycle() {
    let folder = folder("loop.sv", "conform");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rtl = folder.join("rtl");
    fs::create_dir_all(&rtl).expect("a folder");
    for file in fs::read_dir(root.join("rtl")).expect("the RTL") {
        let file = file.expect("a file");
        fs::copy(file.path(), rtl.join(file.file_name())).expect("copied");
    }
    let top = rtl.join("lockstep_dut.sv");
    let text = fs::read_to_string(&top).expect("the wrapper");
    // A bit that is always zero, as Verilator need not find out.
    let q = "  logic [pmu_pkg::InputWidth-1:0] cycle_input_q;\n";
    let spin =
        "  int unsigned turns;\n  always @(posedge clk_i) while (!turns[0]) turns = turns + 2;\n";
    let text = text.replace(q, &format!("{q}{spin}"));
    let text = text.replace(
        "    pmu_pkg::Magic\n",
        "    pmu_pkg::Magic ^ {31'b0, turns[0]}\n",
    );
    fs::write(&top, text).expect("written");
    let mut command = lockstep(&folder);
    command.args([
        "conform",
        "--rtl=rtl",
        "--rtl-builds",
        "0",
        "--hang-after",
        "1",
    ]);
    let ran = run(command.arg(root.join("tests/conformance/vectors/th.jsonl")));
    assert_eq!((ran.code, &*ran.stdout), (3, ""), "{}", ran.stderr);
    let words = "does not come back from cycle 0 of the vectors: no progress for 1 s";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn implementation_in_a_cycle() {
    for end in IN_A_CYCLE {
        let folder = first_cycle(end.0, "implementation");
        let ran = run(&mut on_design(&folder, &["implementation"], end.0));
        check(&ran, end, "0 of the reading of its registers", 0, false);
    }
    // The same of a design that is built, and of a file list.
    let end = IN_A_CYCLE[0];
    let folder = first_cycle(end.0, "implementation_built");
    let built = run(&mut on_design(&folder, &["build", "-o", "built"], end.0));
    assert_eq!(built.code, 0, "{}", built.stderr);
    fs::write(folder.join("dut.f"), format!("idle_pkg.sv {}\n", end.0)).expect("written");
    for words in [["--from-dut", "built"], ["--filelist", "dut.f"]] {
        let mut command = lockstep(&folder);
        let ran = run(command.arg("implementation").args(words));
        check(&ran, end, "0 of the reading of its registers", 0, false);
    }
}

#[test]
fn build_at_start() {
    for end in AT_START {
        let folder = folder(end.0, &format!("build/{}", end.0));
        let ran = run(&mut on_design(&folder, &["build", "-o", "built"], end.0));
        check(&ran, end, "", 0, false);
        let words = ["build", "-o", "built", "--json"];
        let ran = run(&mut on_design(&folder, &words, end.0));
        check(&ran, end, "", 0, true);
        assert!(!folder.join("built").exists());
    }
}

#[test]
fn commands_without_a_report_at_start() {
    for end in AT_START {
        let folder = folder(end.0, &format!("no_report_at_start/{}", end.0));
        for word in ["implementation", "exhaust"] {
            let ran = run(&mut on_design(&folder, &[word], end.0));
            check(&ran, end, "", 0, false);
        }
    }
}

#[test]
fn shrink_in_a_cycle() {
    for end in IN_A_CYCLE {
        let folder = folder(end.0, &format!("shrink/{}", end.0));
        let words = ["shrink", "idle.stim", "--out", "out"];
        let ran = run(&mut on_design(&folder, &words, end.0));
        let cycle = match end.2 {
            "stopped" | "unsettled" => LAST.to_string(),
            _ => format!("{LAST} of the trials of the reduction"),
        };
        check(&ran, end, &cycle, LAST, false);
        check_report(&folder, end);
        let replay = format!(
            "\n  replay lockstep shrink idle.stim --rtl idle_pkg.sv --rtl {}\n",
            end.0
        );
        assert!(ran.stderr.contains(&replay), "{}", ran.stderr);
    }
}

#[test]
fn shrink_at_start() {
    for end in AT_START {
        let folder = folder(end.0, &format!("shrink_at_start/{}", end.0));
        let words = ["shrink", "idle.stim", "--out", "out", "--json"];
        let ran = run(&mut on_design(&folder, &words, end.0));
        check(&ran, end, "", 0, true);
        check_report(&folder, end);
    }
}

/// Of a design that prints in every cycle of every trial, a terminal has the first lines and a disk the last megabyte.
#[test]
fn shrink_of_a_design_that_prints_in_every_cycle() {
    let folder = folder("chatter.sv", "shrink_chatter");
    let words = ["shrink", "idle.stim", "--out", "out"];
    let ran = run(&mut on_design(&folder, &words, "chatter.sv"));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("does not fail"), "{}", ran.stderr);
    let shown = ran.stderr.lines().filter(|line| line.starts_with("cycle "));
    assert_eq!(shown.count(), 20, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("the design prints more: see out/design.log"),
        "{}",
        ran.stderr
    );
    let log = fs::read_to_string(folder.join("out/design.log")).expect("a log");
    assert!(log.len() <= (1 << 20) + 100, "{}", log.len());
    assert!(
        log.contains("\ncycle 4999 xxx"),
        "{}",
        &log[log.len() - 700..]
    );
}

/// A folder with the design, and with one that does nothing in `fine`.
fn pair(file: &str, test: &str) -> PathBuf {
    let folder = folder(file, &format!("{test}/{file}"));
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lockstep/rtl");
    let silent = fs::read_to_string(rtl.join("fatal.sv")).expect("a design");
    let silent = silent.replace("$fatal(1, \"queue %0d is full\", 3);", "cycle_q <= 0;");
    assert!(silent.contains("cycle_q <= 0;"), "{silent}");
    fs::create_dir(folder.join("fine")).expect("made");
    fs::write(folder.join("fine/fine.sv"), silent).expect("written");
    fs::copy(rtl.join("idle_pkg.sv"), folder.join("fine/idle_pkg.sv")).expect("copied");
    folder
}

/// Of two designs the one that ended the run is named, be it the first or the second.
#[test]
fn either_of_two_designs() {
    for end @ (file, code, verdict, words) in IN_A_CYCLE.into_iter().chain(AT_START) {
        let folder = pair(file, "either_of_two");
        fs::create_dir(folder.join("bad")).expect("made");
        for name in ["idle_pkg.sv", file] {
            fs::copy(folder.join(name), folder.join("bad").join(name)).expect("copied");
        }
        for (first, second, side) in [("bad", "fine", "A"), ("fine", "bad", "B")] {
            let mut command = lockstep(&folder);
            command.args(["replay", "idle.stim", "--rtl", first, "--against", second]);
            let ran = run(command.args(["--out", "out", "--hang-after", "1"]));
            let told = format!("{file}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, code, "{told}");
            let words = words.replace('@', &LAST.to_string());
            let words = words.replace("TIME", &(10 * LAST).to_string());
            let words = words.replace(&format!("at {file}"), &format!("at bad/{file}"));
            match (verdict, words.contains("in cycle")) {
                // A run that had cycles has a summary.
                ("stopped" | "unsettled", true) => {
                    let (_, stop) = words.split_once("ns, ").expect("words");
                    let line = format!("  {side} in cycle {LAST}: {}", stop.trim_end());
                    assert!(ran.stdout.contains(&line), "{told}");
                }
                _ => {
                    let line = format!("lockstep: {side}: {words}");
                    assert!(ran.stderr.contains(&line), "{told}");
                }
            }
            check_report(&folder, end);
            let report = fs::read_to_string(folder.join("out/report.json")).expect("a report");
            let design = format!("\"design\": \"{}\"", side.to_lowercase());
            assert!(report.contains(&design), "{report}");
        }
    }
}

/// A report is also left by a run whose design stops before its first cycle.
#[test]
fn run_at_start() {
    for end in AT_START {
        let folder = folder(end.0, &format!("run_at_start/{}", end.0));
        let mut command = command(&folder, "replay", end.0);
        let ran = run(command.args(["--out", "out", "--hang-after", "1"]));
        check(&ran, end, "", 0, false);
        check_report(&folder, end);
    }
}
