//! Dumps that are cut off: never taken for whole ones.

use std::fs;
use std::thread;

use crate::command::run;
use crate::golden::{dumps, golden_in, vcd};
use crate::scratch::scratch;

const CUT: usize = 400;

const DUMPS: [&str; 10] = [
    "icarus-11/tricky.vcd",
    "icarus-11/events.vcd",
    "verilator-5.048/hierarchy.vcd",
    "verilator-5.006/hierarchy.vcd",
    "ghdl-2.0/kinds.vcd",
    "pyvcd-0.5.1/writer.vcd",
    "gtkwave-3.3.118/questa.vcd",
    "split/mixed.vcd",
    "split/pieces.vcd",
    "events/several_a_tick.vcd",
];

/// Whether a text cut at `end` may be all of a dump: no token is cut, and no section is open.
fn may_be_whole(text: &[u8], end: usize) -> bool {
    let blank = |at: usize| text.get(at).is_none_or(u8::is_ascii_whitespace);
    blank(end) || blank(end - 1)
}

#[test]
fn the_last_bytes_of_ten_dumps() {
    let folder = scratch("waves/cut");
    let cut_one = |name: &str| {
        let whole = dumps().join(name);
        let text = fs::read(&whole).expect("a dump of the corpus");
        let cut = folder.join(name.replace('/', "_"));
        let mut warned = 0;
        for end in text.len().saturating_sub(CUT)..text.len() {
            fs::write(&cut, &text[..end]).expect("written");
            let ran = run(&mut vcd(
                &folder,
                &format!("diff {} {}", whole.display(), cut.display()),
            ));
            let told = format!("{name}, cut at {end}: {}{}", ran.stdout, ran.stderr);
            assert!(!ran.stderr.contains("panicked"), "{told}");
            // What is missing is seen, or said to be missing, were it the last line feed.
            let blank = text[..end].ends_with(b"\n") && text[end..].trim_ascii().is_empty();
            assert!(blank || ran.code != 0 || !ran.stderr.is_empty(), "{told}");
            // What other commands make of it has no end of the whole dump to compare with.
            if end % 8 == 0 {
                let show = format!(
                    "show {} --signals ** --changes --at 0 --window 100000",
                    cut.display()
                );
                let ran = run(&mut vcd(&folder, &show));
                let told = format!("{name}, cut at {end}: {}{}", ran.stdout, ran.stderr);
                assert!(
                    [0, 2].contains(&ran.code) && !ran.stderr.contains("panicked"),
                    "{told}"
                );
                assert!(
                    may_be_whole(&text, end) || ran.code == 2 || !ran.stderr.is_empty(),
                    "{told}"
                );
            }
            if !may_be_whole(&text, end) {
                let alone = run(&mut vcd(&folder, &format!("info {}", cut.display())));
                let told = format!("{told}{}", alone.stderr);
                // Of a code that no other one begins with, nothing can be missing.
                match alone.code {
                    2 => warned += 1,
                    _ => assert!(ran.code == 1 || !ran.stderr.is_empty(), "{told}"),
                }
            }
        }
        assert!(warned > 20, "{name}: {warned}");
    };
    thread::scope(|scope| {
        for half in DUMPS.chunks(5) {
            scope.spawn(move || half.iter().copied().for_each(cut_one));
        }
    });
}

#[test]
fn a_code_that_may_be_cut_is_told_with_its_line() {
    let folder = scratch("waves/cut_code");
    let text = "$timescale 1ns $end $scope module t $end $var wire 1 ! a $end $var wire 1 !! b $end $upscope $end \
        $enddefinitions $end\n#0\n0!\n0!!\n#5\n1!";
    fs::write(folder.join("cut.vcd"), text).expect("written");
    fs::write(folder.join("whole.vcd"), format!("{text}!")).expect("written");
    for (name, arguments, code) in [
        ("cut_info", "info cut.vcd", 2),
        ("cut_show", "show cut.vcd --signals a --at 5ns --changes", 2),
        ("cut_diff", "diff cut.vcd whole.vcd", 2),
        ("cut_nothing", "info whole.vcd", 0),
    ] {
        assert_eq!(golden_in(name, &folder, arguments).code, code);
    }
}
