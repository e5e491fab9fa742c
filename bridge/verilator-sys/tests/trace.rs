//! Value change dumps of a window in the middle of a run.
#![cfg(feature = "shared")]

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::thread;

use common::{SIZES, build, counter, inputs, scratch, verilator};
use verilator_sys::Dut;

fn run(dut: &mut Dut, words: &[u64]) {
    let mut outputs = vec![0; words.len() * SIZES.output];
    dut.run(&inputs(words), &mut outputs).expect("goes on");
}

/// Times with the values of `clk_i` and `count_q` after each.
fn read(path: &Path) -> (String, Vec<(u64, u64, u64)>) {
    let text = fs::read_to_string(path).expect("read");
    let (header, body) = text.split_once("$enddefinitions $end").expect("a header");
    let mut scope = Vec::new();
    let mut names = HashMap::new();
    for line in header.lines().map(str::trim) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["$scope", _, name, ..] => scope.push(name),
            ["$upscope", ..] => drop(scope.pop()),
            ["$var", _, _, code, name, ..] if scope == ["TOP", "lockstep_dut"] => {
                names.insert(code, name);
            }
            _ => {}
        }
    }
    let timescale = header.split("$timescale").nth(1).expect("a time scale");
    let timescale = timescale
        .split("$end")
        .next()
        .expect("an end")
        .trim()
        .to_owned();
    let mut rows: Vec<(u64, u64, u64)> = Vec::new();
    let (mut clk, mut count) = (u64::MAX, u64::MAX);
    for line in body.lines() {
        let (value, code) = match line.strip_prefix('b') {
            Some(vector) => vector.split_once(' ').expect("a code"),
            None if line.starts_with(['0', '1']) => line.split_at(1),
            None => {
                if let Some(time) = line.strip_prefix('#') {
                    rows.push((time.parse().expect("a time"), 0, 0));
                }
                continue;
            }
        };
        let value = || u64::from_str_radix(value, 2).expect("binary");
        match names.get(code) {
            Some(&"clk_i") => clk = value(),
            Some(&"count_q") => count = value(),
            _ => {}
        }
        if let Some(row) = rows.last_mut() {
            (row.1, row.2) = (clk, count);
        }
    }
    (timescale, rows)
}

#[test]
fn a_window_in_the_middle_of_a_run() {
    let path = scratch().join("window.vcd");
    let mut dut = counter().create_traced().expect("created");
    run(&mut dut, &[1; 100]);
    dut.trace_open(&path).expect("opened");
    run(&mut dut, &[1; 2]);
    dut.trace_close().expect("closed");
    run(&mut dut, &[1; 100]);
    let (timescale, rows) = read(&path);
    assert_eq!(timescale, "1ns");
    assert_eq!(
        rows,
        [
            (995, 0, 100),
            (1000, 1, 101),
            (1005, 0, 101),
            (1010, 1, 102),
            (1015, 0, 102)
        ]
    );
}

#[test]
fn from_the_first_cycle() {
    let path = scratch().join("start.vcd");
    let mut dut = counter().create_traced().expect("created");
    dut.trace_open(&path).expect("opened");
    run(&mut dut, &[7]);
    drop(dut);
    assert_eq!(read(&path).1, [(0, 1, 7), (5, 0, 7)]);
}

#[test]
fn one_window_after_another() {
    let paths = ["first.vcd", "second.vcd"].map(|name| scratch().join(name));
    let mut dut = counter().create_traced().expect("created");
    run(&mut dut, &[1]);
    for path in &paths {
        dut.trace_open(path).expect("opened");
        run(&mut dut, &[1]);
    }
    dut.finish().expect("no stop");
    assert_eq!(read(&paths[0]).1, [(5, 0, 1), (10, 1, 2), (15, 0, 2)]);
    assert_eq!(read(&paths[1]).1, [(15, 0, 2), (20, 1, 3), (25, 0, 3)]);
}

#[test]
fn a_trace_ends_with_the_state_that_stopped_the_design() {
    let path = scratch().join("stopped.vcd");
    let mut dut = counter().create_traced().expect("created");
    run(&mut dut, &[1]);
    dut.trace_open(&path).expect("opened");
    let mut output = vec![0; SIZES.output];
    dut.run(&inputs(&[1 | common::FATAL]), &mut output)
        .expect_err("stops");
    // Readable before the instance is dropped.
    assert_eq!(read(&path).1, [(5, 0, 1), (10, 1, 2)]);
}

#[test]
fn an_instance_and_its_trace_move_between_threads() {
    let path = scratch().join("threads.vcd");
    let mut dut = counter().create_traced().expect("created");
    dut.trace_open(&path).expect("opened");
    for _ in 0..3 {
        dut = thread::spawn(move || {
            run(&mut dut, &[1]);
            dut
        })
        .join()
        .expect("no panic");
    }
    drop(dut);
    assert_eq!(read(&path).1.last(), Some(&(25, 0, 3)));
}

#[test]
fn a_folder_that_is_not_there() {
    let mut dut = counter().create_traced().expect("created");
    let error = dut
        .trace_open("/nowhere/x.vcd".as_ref())
        .expect_err("no folder");
    assert_eq!(
        error.to_string(),
        "[trace] expected to write /nowhere/x.vcd, found: No such file or directory (os error 2)"
    );
    run(&mut dut, &[1]);
}

#[test]
fn a_full_disk_is_an_error_of_the_trace_and_not_of_the_design() {
    let mut dut = counter().create_traced().expect("created");
    dut.trace_open("/dev/full".as_ref()).expect("opened");
    run(&mut dut, &[1; 10_000]);
    assert_eq!(
        dut.trace_close().expect_err("full").to_string(),
        "[trace] expected to complete the trace, found: No space left on device (os error 28)"
    );
    run(&mut dut, &[1]);
}

#[test]
fn an_instance_without_tracing() {
    let library = build("counter.sv", false).load(verilator()).expect("built");
    let mut dut = library.create().expect("created");
    assert_eq!(
        dut.trace_open("x.vcd".as_ref())
            .expect_err("not traced")
            .to_string(),
        "[trace] expected an instance built with tracing for x.vcd, found one without"
    );
    dut.trace_close().expect("nothing to close");
}
