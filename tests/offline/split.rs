//! Ports that are written bit by bit, and dumps that are cut off, against the model.

use std::fs;
use std::path::Path;
use std::thread;

use crate::command::run;
use crate::errors::{MAP, dump, folder};
use crate::rewrite::{Random, Words};
use crate::{icarus, scratch, vcd};

const CHECK: &str = "check dump.vcd --map map.toml --implementation small.toml";

/// Bytes from one cut to the next; a prime, so that all kinds of places come.
const STEP: usize = 5;

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

/// A dump that agrees, in ten forms.
fn forms() -> Vec<String> {
    let random = || Random::new(1);
    // One code begins like another.
    let text = dump("")
        .replace(" v v0", " cc v0")
        .replace("b0 v\n", "b0 cc\n");
    let words = || Words::new(&text);
    let others = "$var event 1 E tick $end $var real 64 R level $end $var string 1 S state $end";
    let with_others =
        dump("1E\nr0.25 R\nsidle S\n").replacen("$upscope", &format!("{others} $upscope"), 1);
    let last = |end: &str| dump("") + "#70\n" + end;
    vec![
        text.clone(),
        words().in_bits(true).text(),
        words().in_bits(false).text(),
        words().with_other_codes(&mut random()).text(),
        words().in_another_order(&mut random()).text(),
        text.replace('\n', "\r\n"),
        with_others.clone() + "#70\n1E\n#80\nr0.5 R\nsbusy S\n",
        last("$dumpall\n0c\n1r\nb0 e\nb0 v\n0k\n$end\n"),
        last("$dumpoff\nbx e\nbx v\nxk\n$end\n"),
        last("b0000000000000000 e\n$comment the end $end\n"),
    ]
}

/// Whether a cut at `end` makes a shorter dump, without a part of a tick.
fn is_between_ticks(text: &[u8], end: usize) -> bool {
    let (before, after) = text.split_at(end);
    let line = before.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
    before[end - 1].is_ascii_whitespace()
        && (after.trim_ascii_start().starts_with(b"#")
            || line.is_some_and(|line| line.starts_with(b"#")))
}

#[test]
fn a_dump_that_is_cut_never_passes_unseen() {
    const CUT: usize = 400;
    let check_form = |(number, text): (usize, String)| {
        let folder = folder(&format!("cut_{number}"), &text, MAP);
        let whole = run(&mut vcd(&folder, CHECK));
        assert_eq!(whole.code, 0, "{number}: {}{}", whole.stdout, whole.stderr);
        let bytes = text.as_bytes();
        let mut told = 0;
        for end in (bytes.len().saturating_sub(CUT).max(1)..bytes.len()).step_by(STEP) {
            fs::write(folder.join("dump.vcd"), &bytes[..end]).expect("written");
            let ran = run(&mut vcd(&folder, CHECK));
            let what = format!("{number}, cut at {end}: {}{}", ran.stdout, ran.stderr);
            assert!([0, 2].contains(&ran.code), "{what}");
            let warned = ran.code == 2
                || !ran.stderr.is_empty()
                || ran.stdout.contains("look whether it was cut")
                || ran
                    .stdout
                    .contains("nothing tells whether it was cut there");
            assert!(warned || is_between_ticks(bytes, end), "{what}");
            told += usize::from(warned);
        }
        assert!(told > CUT / STEP * 3 / 4, "{number}: {told}");
    };
    let forms: Vec<_> = forms().into_iter().enumerate().collect();
    thread::scope(|scope| {
        for half in forms.chunks(5) {
            scope.spawn(move || half.iter().cloned().for_each(check_form));
        }
    });
}
