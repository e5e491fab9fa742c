//! Ports that are written bit by bit, and dumps that are cut off, against the model.

use std::fs;
use std::path::Path;

use crate::command::run;
use crate::errors::{MAP, dump, folder};
use crate::rewrite::Words;
use crate::{icarus, scratch, vcd};

const CHECK: &str = "check dump.vcd --map map.toml --implementation small.toml";

#[test]
fn ports_in_bits_are_checked_like_whole_ones() {
    let whole = folder("split_whole", &dump(""), MAP);
    let expected = run(&mut vcd(&whole, CHECK));
    assert!(
        expected.stdout.starts_with("PASS  6 cycles"),
        "{}",
        expected.stdout
    );
    let wrong = dump("b1 v\n");
    for apart in [true, false] {
        let bits = |text: &str| Words::new(text).in_bits(apart).text();
        let split = folder("split_bits", &bits(&dump("")), MAP);
        let ran = run(&mut vcd(&split, CHECK));
        let fields = |text: &str| text.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            (ran.code, fields(&ran.stdout)),
            (0, fields(&expected.stdout)),
            "{}",
            ran.stderr
        );
        // One bit that is wrong diverges, with a window of all signals.
        let split = folder("split_wrong", &bits(&wrong), MAP);
        let ran = run(&mut vcd(&split, CHECK));
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        let window = fs::read_to_string(split.join("lockstep-out/window.vcd")).expect("a window");
        assert!(
            window.contains("$var wire 16 j0 event_base [15:0] $end"),
            "{window}"
        );
    }
}

#[test]
fn the_wrapper_in_bits_agrees() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/split_wrapper");
    let rtl = Path::new(env!("CARGO_MANIFEST_DIR")).join("rtl");
    icarus::simulate(&folder, &rtl, 200, 2);
    let dump = folder.join("dump.vcd");
    let text = fs::read_to_string(&dump).expect("the dump");
    fs::write(&dump, Words::new(&text).in_bits(true).text()).expect("written");
    assert_eq!(run(&mut vcd(&folder, "map dump.vcd -o map.toml")).code, 0);
    let ran = run(&mut vcd(&folder, "check dump.vcd --map map.toml"));
    assert!(
        ran.stdout.starts_with("PASS  200 cycles"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_dump_that_is_cut_within_a_token_never_passes() {
    // One code begins like another.
    let text = dump("")
        .replace(" v v0", " cc v0")
        .replace("b0 v\n", "b0 cc\n");
    let folder = folder("cut", &text, MAP);
    let bytes = text.as_bytes();
    assert_eq!(run(&mut vcd(&folder, CHECK)).code, 0);
    let mut told = 0;
    for end in bytes.len() - 120..bytes.len() {
        fs::write(folder.join("dump.vcd"), &bytes[..end]).expect("written");
        let ran = run(&mut vcd(&folder, CHECK));
        let blank = |at: usize| bytes[at].is_ascii_whitespace();
        if !blank(end - 1) && !text[..end].ends_with(['r', 'k']) {
            assert_eq!(ran.code, 2, "cut at {end}: {}", ran.stdout);
            told += 1;
        }
    }
    assert!(told > 20, "{told}");
}
