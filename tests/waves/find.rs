//! `lockstep vcd find`.

use std::fs;

use crate::command::{Ran, run};
use crate::golden::{dumps, golden_line, vcd};
use crate::scratch::scratch;

const HIERARCHY: &str = "verilator-5.048/hierarchy.vcd";

/// What the command prints and its exit code, with an expression that may hold blanks.
fn golden(name: &str, file: &str, expression: &str, options: &str) -> Ran {
    golden_line(name, &dumps(), &["find", file, expression], options)
}

/// The same without a golden file.
fn found(file: &str, expression: &str, options: &str) -> Ran {
    let mut command = vcd(&dumps(), "find");
    command.args([file, expression]);
    run(command.args(options.split_whitespace()))
}

#[test]
fn help() {
    let ran = crate::golden::golden("help_find", "find --help");
    assert_eq!(ran.code, 0);
}

#[test]
fn rows_of_changes_and_of_edges() {
    let state = "u_sub.state==3 && pulse_o";
    assert_eq!(golden("find_changes", HIERARCHY, state, "").code, 0);
    let edges = "--clock clk_i --signals count";
    assert_eq!(golden("find_edges", HIERARCHY, state, edges).code, 0);
    let before = "--clock clk_i --sample before --first";
    assert_eq!(
        golden("find_first", HIERARCHY, "$rose(pulse_o)", before).code,
        0
    );
    assert_eq!(
        golden("find_limit", HIERARCHY, "count[0]", "--limit 2 --radix dec").code,
        0
    );
    assert_eq!(
        golden("find_count", HIERARCHY, "$changed(count)", "--count").code,
        0
    );
    let span = "--from 50ps --to 0.1ns --clock clk_i";
    assert_eq!(
        golden("find_span", HIERARCHY, "$stable(u_sub.state)", span).code,
        0
    );
}

#[test]
fn what_is_nowhere_has_a_code_of_its_own() {
    assert_eq!(
        golden("find_nowhere", HIERARCHY, "count == 16'hffff", "").code,
        9
    );
    let json = golden(
        "find_nowhere_json",
        HIERARCHY,
        "count == 16'hffff",
        "--json",
    );
    assert_eq!(json.code, 9);
}

#[test]
fn programs_get_json_and_csv() {
    let past = "count == $past(count) + 1";
    assert_eq!(
        golden(
            "find_json",
            HIERARCHY,
            "u_sub.state==3",
            "--json --clock clk_i"
        )
        .code,
        0
    );
    assert_eq!(
        golden(
            "find_csv",
            HIERARCHY,
            "u_sub.state==3",
            "--csv --signals count"
        )
        .code,
        0
    );
    assert_eq!(
        golden(
            "find_count_json",
            HIERARCHY,
            "u_sub.state==3",
            "--count --json"
        )
        .code,
        0
    );
    assert_eq!(
        golden(
            "find_count_csv",
            HIERARCHY,
            "u_sub.state==3",
            "--count --csv"
        )
        .code,
        0
    );
    // There is no arithmetic.
    assert_eq!(golden("find_plus_json", HIERARCHY, past, "--json").code, 2);
}

#[test]
fn faults_are_pointed_at() {
    for (name, expression) in [
        ("find_no_operand", "u_sub.state =="),
        ("find_unknown_signal", "pulse_o && u_sub.stat == 3"),
        ("find_ambiguous_signal", "lane == 1"),
        ("find_no_signal", "1"),
        ("find_large_number", "u_sub.state == 2'd7"),
    ] {
        let ran = golden(name, HIERARCHY, expression, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{name}");
    }
    for (name, options) in [
        ("find_from_after_to", "--from 9 --to 3"),
        ("find_from_after_the_end", "--from 1us"),
        ("find_first_and_limit", "--first --limit 2"),
        ("find_sample_without_clock", "--sample before"),
    ] {
        assert_eq!(
            golden(name, HIERARCHY, "pulse_o", options).code,
            2,
            "{name}"
        );
    }
    for (name, options) in [("find_dead_clock", ""), ("find_dead_clock_json", "--json")] {
        let options = format!("--clock valid {options}");
        assert_eq!(golden(name, "hand/gtkwave.vcd", "state", &options).code, 2);
    }
}

#[test]
fn a_damaged_dump_shows_what_stands_before_the_fault() {
    let folder = scratch("waves/find_cut");
    let whole = fs::read(dumps().join(HIERARCHY)).expect("a dump of the corpus");
    fs::write(folder.join("cut.vcd"), &whole[..5000]).expect("written");
    for (name, options) in [("find_cut", ""), ("find_cut_json", "--json --limit 9")] {
        let ran = golden_line(
            name,
            &folder,
            &["find", "cut.vcd", "u_sub.state==3"],
            options,
        );
        assert_eq!(ran.code, 2, "{name}");
    }
    // Who has enough before it never meets it.
    let first = golden_line(
        "find_cut_first",
        &folder,
        &["find", "cut.vcd", "pulse_o"],
        "--first",
    );
    assert_eq!(first.code, 0);
}

#[test]
fn all_formats_say_the_same() {
    for expression in [
        "$countones(bus) > 1",
        "$isunknown(driven)",
        "tick",
        "$past(count, 2) == 3",
    ] {
        for options in ["--csv", "--csv --clock clk --signals level", "--json"] {
            let [one, two] = ["icarus-11/tricky.vcd", "icarus-11/tricky.fst"]
                .map(|file| found(file, expression, options));
            assert_eq!(one.code, 0, "{expression}: {}", one.stderr);
            let fst = two.stdout.replace("tricky.fst", "tricky.vcd");
            assert_eq!((two.code, fst), (0, one.stdout), "{expression} {options}");
        }
    }
    let mut piped = vcd(&dumps(), "find - pulse_o --csv");
    piped.stdin(fs::File::open(dumps().join(HIERARCHY)).expect("a dump"));
    assert_eq!(
        run(&mut piped).stdout,
        found(HIERARCHY, "pulse_o", "--csv").stdout
    );
}

/// Rows of edges are those of `show`, and their numbers those of `show --cycle`.
#[test]
fn a_hit_is_where_show_shows_it() {
    let hits = found(HIERARCHY, "count[1]", "--clock clk_i --csv");
    let lines: Vec<_> = hits.stdout.lines().skip(1).collect();
    assert!(lines.len() > 2, "{}", hits.stdout);
    for line in lines {
        let fields: Vec<_> = line.split(',').collect();
        let cycle = fields[2];
        let mut show = vcd(
            &dumps(),
            &format!("show {HIERARCHY} --signals count[1] --cycle {cycle} --window 0 --csv"),
        );
        let shown = run(&mut show).stdout;
        let shown = shown.lines().nth(1).expect("a row");
        assert!(shown.starts_with(line), "{line} {shown}");
    }
}

/// Icarus Verilog says what each expression is at every time: `rN` for the Nth line of the design that has one.
#[test]
fn four_states_are_those_of_a_simulator() {
    let design = fs::read_to_string(dumps().join("designs/expressions.v")).expect("the design");
    let lines = design.lines().filter_map(|line| {
        let line = line.trim().strip_prefix("wire r")?.strip_suffix(';')?;
        line.split_once(" = ")
    });
    let file = "icarus-11/expressions.vcd";
    let mut expressions = 0;
    for (number, expression) in lines {
        let differs = found(file, &format!("({expression}) !== r{number}"), "--csv");
        assert_eq!(
            differs.code, 9,
            "{expression}\n{}{}",
            differs.stdout, differs.stderr
        );
        let same = found(file, &format!("({expression}) === r{number}"), "--count");
        let rows: u64 = same.stdout.trim().parse().expect("a number");
        assert!(rows > 40, "{expression}: {rows}");
        expressions += 1;
    }
    assert!(expressions > 30, "{expressions}");
    let some = |state: &str| {
        (0..expressions).any(|n| found(file, &format!("r{n} === 1'b{state}"), "").code == 0)
    };
    assert!(["0", "1", "x"].iter().all(|state| some(state)));
}
