//! A dump that is read once, from a pipe: its report and its window are those of the same dump in a file.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use crate::command::{Ran, run};
use crate::errors::{MAP, folder};
use crate::{icarus, planted, scratch, vcd};

/// The files of a report that are the same.
const SAME: [&str; 3] = ["window.vcd", "window.gtkw", "window.sucl"];

/// Checks the dump in `folder` as a file, as standard input, and in a named pipe; all must leave the same.
fn compare(folder: &Path, arguments: &str) {
    let check =
        |file: &str, out: &str| vcd(folder, &format!("check {file} {arguments} --out {out}"));
    let file = run(&mut check("dump.vcd", "file"));
    assert_eq!(file.code, 1, "{}{}", file.stdout, file.stderr);
    let dump = File::open(folder.join("dump.vcd")).expect("a dump");
    let input = run(check("-", "input").stdin(dump));
    same(folder, &file, &input, "-", "input");
    let fifo = folder.join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()));
    let (from, to) = (folder.join("dump.vcd"), fifo);
    let writer = thread::spawn(move || {
        let mut from = File::open(from).expect("a dump");
        let mut to = File::options().write(true).open(to).expect("a pipe");
        // The reader may end first.
        let _ = std::io::copy(&mut from, &mut to);
    });
    let pipe = run(&mut check("fifo", "pipe"));
    writer.join().expect("a writer");
    same(folder, &file, &pipe, "fifo", "pipe");
}

/// The result of `live` in the folder `out` must be that of `file`, but for names.
fn same(folder: &Path, file: &Ran, live: &Ran, name: &str, out: &str) {
    assert_eq!(
        live.code, file.code,
        "{out}: {}{}",
        live.stdout, live.stderr
    );
    let read = |out: &str, name: &str| {
        let path = folder.join(out).join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    for name in SAME {
        assert!(read(out, name) == read("file", name), "{out}/{name}");
    }
    let report =
        |out: &str| -> Value { serde_json::from_str(&read(out, "report.json")).expect("JSON") };
    let names = |report: &mut Value| {
        let taken = ["run", "files"].map(|key| report[key].take());
        assert!(taken.iter().all(|value| !value.is_null()));
        taken
    };
    let (mut expected, mut found) = (report("file"), report(out));
    let replay = found["run"]["replay"]
        .as_str()
        .expect("a command")
        .to_owned();
    assert!(
        replay.contains("lockstep vcd check FILE "),
        "{name}: {replay}"
    );
    let [_, files] = names(&mut expected);
    let [_, live_files] = names(&mut found);
    assert_eq!(
        files.as_array().map(Vec::len),
        live_files.as_array().map(Vec::len)
    );
    assert_eq!(found, expected, "{out}");
    // The page has the same drawing.
    let drawing = |out: &str| {
        let page = read(out, "report.html");
        let start = page.find("<svg").expect("a drawing");
        page[start..page.rfind("</svg>").expect("its end")].to_owned()
    };
    assert!(drawing(out) == drawing("file"), "{out}");
}

#[test]
fn a_live_check_reports_what_a_check_of_the_file_does() {
    if !icarus::found() {
        return;
    }
    // One in the first cycles, one within a batch, one far behind it.
    for (name, cycles) in [
        ("13-link-to-base-value", 300),
        ("34-cycle-counter-not-held", 1700),
        ("50-spe-coll-cleared-by-sample", 2460),
    ] {
        let folder = scratch::scratch(&format!("offline/live/{name}"));
        let rtl = folder.join("rtl");
        planted::plant(Some(&format!("{name}.patch")), &rtl).expect("planted");
        icarus::simulate(&folder, &rtl, cycles, 0);
        assert_eq!(run(&mut vcd(&folder, "map dump.vcd -o map.toml")).code, 0);
        compare(&folder, "--map map.toml");
        fs::remove_file(folder.join("fifo")).expect("removed");
        compare(&folder, "--map map.toml --stop");
    }
}

/// Every time of sampling has its own first tick of a window; the divergence may be in the first cycle or the last, or
/// in the first of a batch, when most of the window was read before.
#[test]
fn windows_are_the_same_whenever_outputs_are_sampled() {
    for (number, sample) in ["before", "after", "opposite", "next"].iter().enumerate() {
        for (place, cycles) in [
            (2, 4),
            (2, 2000),
            (511, 600),
            (512, 600),
            (513, 600),
            (514, 600),
            (1500, 1502),
            (1500, 20_000),
        ] {
            let map = MAP.replace("outputs = 'before'", &format!("outputs = '{sample}'"));
            let name = format!("live_{number}_{place}_{cycles}");
            let folder = folder(&name, &long(place, cycles), &map);
            compare(&folder, "--map map.toml --implementation small.toml");
        }
    }
}

/// A dump in which the output is wrong from cycle `wrong` on. Its cycles are large, if there are not many.
fn long(wrong: u64, cycles: u64) -> String {
    let start = crate::errors::dump("");
    let header = start.split("#0\n").next().expect("a header");
    let wide = "$var wire 4096 w wide [4095:0] $end $upscope $end $upscope";
    let header = header.replace("$upscope $end $upscope", wide);
    let mut text = format!("{header}#0\n0c\n0r\nb0 e\nb0 v\n0k\n");
    for cycle in 1..=cycles {
        text += &format!("#{}\n1c\n", 10 * cycle);
        if cycle == wrong {
            text += &format!("#{}\nb1 v\n1r\n", 10 * cycle + 2);
        }
        if cycles < 1000 {
            text += &format!("b1{} w\n", format!("{:b}", cycle % 2).repeat(4095));
        }
        text += &format!("#{}\n0c\nb{cycle:b} e\n", 10 * cycle + 5);
    }
    text
}

/// The simulator at the other end of the pipe is ended by `--stop`, long before it is done.
#[test]
fn a_simulator_ends_at_the_first_divergence() {
    let folder = folder("live_stop", &long(700, 800), MAP);
    let mut check = vcd(
        &folder,
        "check - --map map.toml --implementation small.toml --stop",
    );
    let check = check
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut check = check.spawn().expect("started");
    let mut input = check.stdin.take().expect("a pipe");
    let simulator = thread::spawn(move || {
        use std::io::Write;
        input
            .write_all(long(700, 800).as_bytes())
            .expect("not ended yet");
        // It goes on until nobody reads.
        (801_u64..).find(|cycle| {
            let text = format!("#{}\n1c\n#{}\n0c\n", 10 * cycle, 10 * cycle + 5);
            input.write_all(text.as_bytes()).is_err()
        })
    });
    let ended = simulator.join().expect("a simulator").expect("the end");
    let ran = Ran::of(check.wait_with_output().expect("an end"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ended < 200_000, "{ended}");
    assert!(folder.join("lockstep-out/window.vcd").is_file());
}
