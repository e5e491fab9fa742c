//! Samples and windows of a dump that Verilator wrote.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::PathBuf;

use lockstep_vcd::{Sampler, Slice, Source, Stream, window};
use lockstep_vcd_tests::dumps;

fn dump(tool: &str) -> PathBuf {
    dumps().join(tool).join("hierarchy.vcd")
}

#[test]
fn a_counter_counts_one_each_cycle() {
    for tool in ["verilator-5.006", "verilator-5.048"] {
        let mut dump = Stream::open(dump(tool)).unwrap();
        let header = dump.header().clone();
        let find = |path| header.find(path).unwrap();
        let probes = [
            find("lockstep_dut.count"),
            find("u_sub.state"),
            find("ratio"),
        ];
        let after = Sampler::rising(find("TOP.clk_i"))
            .after()
            .run(&mut dump, &probes)
            .unwrap();
        // Two cycles of reset, then counting from one.
        assert_eq!(after.len(), 24);
        for row in 0..24_u64 {
            assert_eq!(after.times()[row as usize], 10 * row + 5);
            assert_eq!(
                after.u64(row as usize, 0),
                Some(row.saturating_sub(1)),
                "{tool} {row}"
            );
        }
        assert_eq!(after.value(23, 2).unwrap().to_string(), "2.75");
    }
}

#[test]
fn before_an_edge_is_after_the_one_before() {
    let mut dump = Stream::new(File::open(dump("verilator-5.048")).unwrap()).unwrap();
    let header = dump.header().clone();
    let (clock, wide) = (
        header.find("TOP.clk_i").unwrap(),
        header.find("TOP.wide").unwrap(),
    );
    let before = Sampler::rising(clock)
        .before()
        .run(&mut dump, &[wide])
        .unwrap();
    dump.rewind().unwrap();
    let after = Sampler::rising(clock)
        .after()
        .run(&mut dump, &[wide])
        .unwrap();
    assert_eq!(before.len(), after.len());
    for row in 1..before.len() {
        assert_eq!(before.value(row, 0), after.value(row - 1, 0));
    }
}

#[test]
fn the_last_rows_are_the_end_of_all_rows() {
    let text = std::fs::read(dump("verilator-5.048")).unwrap();
    let mut dump = Slice::new(&text).unwrap();
    let header = dump.header().clone();
    let clock = header.find("TOP.clk_i").unwrap();
    let probes: Vec<_> = ["count", "u_sub.Limit", "wide[127:120]", "TOP.rst_ni"]
        .map(|path| {
            header
                .find(&format!("lockstep_dut.{path}"))
                .or(header.find(path))
                .unwrap()
        })
        .into();
    let all = Sampler::falling(clock).run(&mut dump, &probes).unwrap();
    for count in [0, 1, 5, 23, 100] {
        dump.rewind();
        let last = Sampler::falling(clock)
            .last(count)
            .run(&mut dump, &probes)
            .unwrap();
        assert_eq!(last.len(), count.min(all.len()));
        for (row, (time, values)) in last.rows().enumerate() {
            let same = all.len() - last.len() + row;
            assert_eq!(time, all.times()[same]);
            for (column, value) in values.iter().enumerate() {
                assert_eq!(*value, all.value(same, column));
            }
        }
    }
}

#[test]
fn rows_of_a_range_of_ticks_and_no_further() {
    let text = std::fs::read_to_string(dump("verilator-5.048")).unwrap();
    // A fault behind the range is not reached.
    let text = text.split("#120\n").next().unwrap().to_owned() + "#120\nnonsense";
    let mut dump = Slice::new(text.as_bytes()).unwrap();
    let clock = dump.header().find("TOP.clk_i").unwrap();
    let rows = Sampler::rising(clock)
        .between(50..100)
        .run(&mut dump, &[])
        .unwrap();
    assert_eq!(rows.times(), [55, 65, 75, 85, 95]);
    dump.rewind();
    let stopped = Sampler::rising(clock)
        .for_each(&mut dump, &[], |time, _| match time {
            25 => ControlFlow::Break(time),
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
    assert_eq!(stopped, ControlFlow::Break(25));
}

#[test]
fn edges_are_those_between_settled_values() {
    let text = b"$var wire 1 ! c $end $enddefinitions $end\n\
        #0\n1!\n#1\n0!\n1!\n#2\nx!\n#3\n1!\n#4\n0!\n#4\n1!\n0!\n#5\nz!\n#6\n0!\n#7\n1!";
    let mut dump = Slice::new(text).unwrap();
    let clock = dump.header().find("c").unwrap();
    // Not at 0, where no value was before, and not at 1, where a glitch was.
    assert_eq!(
        Sampler::rising(clock).run(&mut dump, &[]).unwrap().times(),
        [3, 7]
    );
    dump.rewind();
    assert_eq!(
        Sampler::falling(clock).run(&mut dump, &[]).unwrap().times(),
        [4, 6]
    );
}

#[test]
fn a_window_has_the_values_before_it_and_the_changes_in_it() {
    let text = std::fs::read(dump("verilator-5.048")).unwrap();
    let mut dump = Slice::new(&text).unwrap();
    let header = dump.header().clone();
    let paths = [
        "lockstep_dut.count",
        "u_sub.Limit",
        "lockstep_dut.count[3:0]",
    ];
    let probes = paths.map(|path| header.find(path).unwrap());
    let traces = window(&mut dump, &probes, 100..=120).unwrap();
    assert_eq!(traces[0].initial.as_ref().unwrap().to_u64(), Some(8));
    let changes: Vec<_> = traces[0]
        .changes
        .iter()
        .map(|(t, v)| (*t, v.to_u64()))
        .collect();
    assert_eq!(changes, [(105, Some(9)), (115, Some(10))]);
    assert_eq!(
        traces[1].initial.as_ref().unwrap().to_string(),
        "32'h00000003"
    );
    assert!(traces[1].changes.is_empty());
    assert_eq!(traces[2].at(110).unwrap().to_string(), "4'h9");
    assert_eq!(traces[2].at(99).unwrap().to_string(), "4'h8");
}
