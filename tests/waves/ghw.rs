//! GHW dumps of GHDL, beside its VCD of the same run.

use std::fs;
use std::process::Command;

use crate::command::{Ran, run};
use crate::golden::{dumps, golden, vcd};
use crate::scratch::scratch;

const GHW: &str = "ghdl-2.0/kinds.ghw";
const VCD: &str = "ghdl-2.0/kinds.vcd";

#[test]
fn signals_of_every_kind_are_listed() {
    assert_eq!(golden("ghw_info", &format!("info {GHW}")).code, 0);
    assert_eq!(
        golden("ghw_signals", &format!("info {GHW} --signals")).code,
        0
    );
}

#[test]
fn the_vcd_of_the_same_run_is_the_same() {
    assert_eq!(golden("ghw_diff", &format!("diff {VCD} {GHW}")).code, 0);
}

#[test]
fn values_are_those_of_the_vcd() {
    let arguments =
        "--signals kinds.nine single kinds.level number wide --at 95ns --clock kinds.clk";
    let ran = golden("ghw_show", &format!("show {GHW} {arguments}"));
    let of_vcd = run(&mut vcd(&dumps(), &format!("show {VCD} {arguments}")));
    assert_eq!(ran.stdout, of_vcd.stdout);
    // What a VCD of GHDL leaves out.
    let arguments = "--signals state 'label_text*' 'pair.*' 'bank*' --at 95ns --clock kinds.clk";
    let arguments = arguments.replace('\'', "");
    assert_eq!(
        golden("ghw_enumerations", &format!("show {GHW} {arguments}")).code,
        0
    );
}

/// A VCD of GHDL has no more than its GHW file.
#[test]
fn what_a_vcd_has_is_the_same() {
    for name in ["bus", "fifo", "kinds", "tree"] {
        for version in ["2.0", "5.0"] {
            let dump = format!("ghdl-{version}/{name}");
            let ran = run(&mut vcd(&dumps(), &format!("diff {dump}.vcd {dump}.ghw")));
            assert_eq!(ran.code, 0, "{dump}: {}{}", ran.stdout, ran.stderr);
            assert!(ran.stdout.starts_with("SAME"), "{dump}: {}", ran.stdout);
            assert!(!ran.stdout.contains("only in A"), "{dump}: {}", ran.stdout);
        }
    }
}

/// One design, three dumps of one run, by the GHDL that is installed.
#[test]
fn dumps_of_the_installed_ghdl_are_the_same() {
    let folder = scratch("waves/ghdl");
    let ghdl = |arguments: &str| {
        let mut command = Command::new("ghdl");
        command.current_dir(&folder).args(arguments.split(' '));
        command.output()
    };
    if ghdl("--version").is_err() {
        eprintln!("skipped: ghdl not found; install GHDL (Debian: ghdl)");
        return;
    }
    let design = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vcd/designs/kinds.vhd");
    let options = "--vcd=a.vcd --fst=a.fst --wave=a.ghw --stop-time=200ns";
    for arguments in [
        &format!("-a --std=08 {design}"),
        "-e --std=08 kinds",
        &format!("-r --std=08 kinds {options}"),
    ] {
        let ran = Ran::of(ghdl(arguments).expect("ghdl"));
        assert_eq!(ran.code, 0, "{arguments}: {}", ran.stderr);
    }
    let ran = run(&mut vcd(&folder, "diff a.vcd a.ghw --clock kinds.clk"));
    assert!(
        ran.code == 0 && ran.stdout.starts_with("SAME"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    let ran = run(&mut vcd(&folder, "diff a.vcd a.ghw"));
    assert!(
        ran.code == 0 && ran.stdout.starts_with("SAME"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );

    // GHDL compresses its FST as a whole, gives integers a bit and leaves the outermost scope out; `fst2vcd` unpacks it, and
    // has no reals of it.
    let Ok(unpacked) = Command::new("fst2vcd").arg(folder.join("a.fst")).output() else {
        eprintln!("skipped: fst2vcd not found; install GTKWave (Debian: gtkwave)");
        return;
    };
    fs::write(folder.join("b.vcd"), unpacked.stdout).expect("written");
    let left_out = "--ignore level --ignore number --ignore small";
    let ran = run(&mut vcd(
        &folder,
        &format!("diff b.vcd a.ghw --rename =kinds {left_out}"),
    ));
    assert!(
        ran.code == 0 && ran.stdout.starts_with("SAME  16 signals"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

/// What is no text, in a pipe or compressed, is named.
#[test]
fn a_compressed_file_is_named() {
    let folder = scratch("waves/ghw_packed");
    for (name, format) in [
        ("ghdl-5.0/bus.ghw", "a GHW file"),
        ("icarus-11/events.fst", "an FST file"),
    ] {
        let packed = Command::new("gzip")
            .arg("-c")
            .arg(dumps().join(name))
            .output();
        let packed = packed.expect("gzip").stdout;
        fs::write(folder.join("packed.gz"), packed).expect("written");
        let ran = run(&mut vcd(&folder, "info packed.gz"));
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains(&format!("found {format}, compressed")),
            "{}",
            ran.stderr
        );
    }
}
