//! What other tools write: formats that are none of ours, texts that are nearly dumps, and long names.

use std::fs;

use crate::command::run;
use crate::golden::{golden, golden_in, vcd};
use crate::scratch::scratch;

#[test]
fn other_formats_are_called_by_their_names() {
    let folder = scratch("waves/formats");
    for (name, start) in [
        ("a.fst", &b"\0\0\0\0\0\0\0\x01\x49\0\0\0\0\0\0\0\0"[..]),
        ("a.ghw", b"GHDLwave\n\x10\0\0\x01\x01\x04\x01\0"),
        ("a.fsdb", b"\0\x01\0\0\0\0\0\0\x04\x03\x02\x01\0\0"),
        ("a.wlf", b"\x0d\0\0\0\x01"),
        ("a.vpd", b"\x80\0\0\x01"),
        ("a.trn", b"\x01\0\0\0"),
    ] {
        fs::write(folder.join(name), start).expect("written");
        let ran = golden_in(
            &format!("format_{}", &name[2..]),
            &folder,
            &format!("info {name}"),
        );
        assert_eq!(ran.code, 2);
    }
    fs::create_dir_all(folder.join("waves.shm")).expect("made");
    assert_eq!(golden_in("format_shm", &folder, "info waves.shm").code, 2);
    let mut piped = vcd(&folder, "info -");
    piped.stdin(fs::File::open(folder.join("a.ghw")).expect("a file"));
    assert!(
        run(&mut piped)
            .stderr
            .contains("found a GHW file in a pipe; name the file")
    );
    assert_eq!(
        golden("format_evcd", "info malformed/ports_declared.vcd").code,
        2
    );
}

#[test]
fn fractions_of_a_tick_are_refused_or_rounded() {
    assert_eq!(golden("fraction", "info malformed/fraction.vcd").code, 2);
    let arguments = "show malformed/fraction.vcd --signals a --at 6ns --changes --lenient";
    assert_eq!(golden("fraction_rounded", arguments).code, 0);
}

#[test]
fn strings_are_shown_without_their_escapes() {
    assert_eq!(
        golden(
            "escapes",
            "show loose/escapes.vcd --signals state --at 10ns --changes --window 9"
        )
        .code,
        0
    );
}

#[test]
fn elements_of_arrays_are_found_as_such() {
    let arguments =
        "show loose/elements_apart.vcd --signals mem[1] bank[2] grid[0] --at 5ns --changes";
    assert_eq!(golden("elements", arguments).code, 0);
}

#[test]
fn the_dump_may_stand_behind_the_signals() {
    let same = |one: &str, two: &str| {
        let [one, two] =
            [one, two].map(|arguments| run(&mut vcd(&crate::golden::dumps(), arguments)));
        assert_eq!((one.code, &one.stdout), (0, &two.stdout), "{}", two.stderr);
    };
    let file = "verilator-5.048/hierarchy.vcd";
    same(
        &format!("info {file} --signals"),
        &format!("info --signals {file}"),
    );
    same(
        &format!("info {file} --signals *.clk_i"),
        &format!("info --signals *.clk_i {file}"),
    );
    same(
        &format!("show {file} --signals count pulse_o --cycle 3"),
        &format!("show --cycle 3 --signals count pulse_o {file}"),
    );
    same(
        &format!("find {file} count!=0 --signals pulse_o"),
        &format!("find --signals pulse_o {file} count!=0"),
    );
    same(
        &format!("find {file} count!=0 --signals pulse_o"),
        &format!("find {file} --signals pulse_o count!=0"),
    );
    same(
        &format!("cut {file} -o - --scope lockstep_dut"),
        &format!("cut -o - --scope lockstep_dut {file}"),
    );
    assert_eq!(
        golden(
            "show_without_signals",
            &format!("show --cycle 3 --signals {file}")
        )
        .code,
        2
    );
}

#[test]
fn names_may_be_very_long() {
    let folder = scratch("waves/long_names");
    let name = "n".repeat(65_536);
    let text = format!(
        "$scope module {name} $end $var wire 1 ! {name} $end $var wire 1 a {name}2 $end $upscope $end $enddefinitions $end\n\
         #0\n0!\n0a\n#1\n1!\n1a\n"
    );
    fs::write(folder.join("long.vcd"), text).expect("written");
    for command in [
        "info long.vcd",
        "info long.vcd --signals",
        "show long.vcd --signals ** --at 1 --changes",
        "diff long.vcd long.vcd",
    ] {
        let ran = run(&mut vcd(&folder, command));
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        assert!(command.starts_with("diff") || ran.stdout.contains(&name));
    }
}

#[test]
fn many_rows_take_little_more_time_than_few() {
    let folder = scratch("waves/many_rows");
    let mut text = String::from(
        "$timescale 1ns $end $var wire 1 c clk $end $var reg 20 n n [19:0] $end $enddefinitions $end\n",
    );
    for cycle in 0..100_000 {
        text += &format!(
            "#{}\n1c\nb{cycle:b} n\n#{}\n0c\n",
            10 * cycle,
            10 * cycle + 5
        );
    }
    fs::write(folder.join("a.vcd"), text).expect("written");
    for options in ["--changes", "--clock clk"] {
        let start = std::time::Instant::now();
        let ran = run(&mut vcd(
            &folder,
            &format!("show a.vcd --signals n --at 500000ns --window 100000 {options}"),
        ));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.lines().count() > 99_000);
        // A tenth of that here; what is quadratic takes a minute.
        assert!(
            start.elapsed().as_secs() < 10,
            "{options}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn rows_in_which_nothing_changes_are_not_shown() {
    let folder = scratch("waves/nothing_changes");
    let mut text = String::from(
        "$timescale 1ns $end $var wire 1 a a $end $var wire 1 b b $end $var wire 1 c c $end $enddefinitions $end\n#0\n0a\n0b\n0c\n",
    );
    for time in 1..400_000 {
        text += &format!("#{time}\n{}b\n", time % 2);
        // Written again far from where it was written last, it changes in one of three times.
        if time % 8_000 == 0 {
            text += &format!("{}a\n", time / 24_000 % 2);
        }
        if time % 500 == 250 {
            text += &format!("{}c\n", time / 500 % 2);
        }
    }
    fs::write(folder.join("a.vcd"), text).expect("written");
    let arguments =
        |file: &str, at: u32| format!("show {file} --signals a c --at {at}ns --changes --window 1");
    golden_in("changes_only", &folder, &arguments("a.vcd", 208_100));
    for at in [0, 16_100, 201_000, 208_200, 216_000, 399_000] {
        let sought = run(&mut vcd(&folder, &arguments("a.vcd", at)));
        let mut piped = vcd(&folder, &arguments("-", at));
        piped.stdin(fs::File::open(folder.join("a.vcd")).expect("a dump"));
        assert_eq!(
            (sought.code, sought.stdout),
            (0, run(&mut piped).stdout),
            "{at}"
        );
    }
}
