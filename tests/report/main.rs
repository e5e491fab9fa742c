//! Reports of planted bugs, as a designer gets them: the terminal's text, the JSON form and the waveform.
//!
//! Each test builds RTL with a bug of `tests/planted`, untraced and traced, and keeps it for the next time.

mod browser;
mod located;
mod page;
mod run_page;
mod shortest;
mod shrunk;

#[path = "../support/command.rs"]
mod command;
#[path = "../support/planted.rs"]
mod planted;
#[path = "../support/scratch.rs"]
mod scratch;

use std::fs;
use std::path::PathBuf;

use lockstep_vcd::{Sampler, Source, Stream};
use serde_json::Value;

/// A report is read on one screen.
const LINES: usize = 60;

/// What a run of RTL with a bug left behind.
struct Bug {
    name: &'static str,
    text: String,
    json: Value,
    folder: PathBuf,
    waveform: PathBuf,
}

/// Runs RTL with the bug of `patch` until it diverges.
fn diverge(name: &'static str, patch: &str, seed: u32) -> Bug {
    let folder = scratch::scratch(&format!("report/{name}"));
    planted::plant(Some(patch), &folder.join("rtl")).expect("planted");
    let mut command = command::lockstep(&folder);
    command.args(["run", "--rtl", "rtl", "--out", "out", "--seed"]);
    let ran = command::run(command.arg(seed.to_string()));
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    let json = fs::read_to_string(folder.join("out/report.json")).expect("a report");
    Bug {
        name,
        text: ran.stdout,
        json: serde_json::from_str(&json).expect("JSON"),
        waveform: folder.join("out/window.vcd"),
        folder: folder.join("out"),
    }
}

impl Bug {
    /// Compares both forms with their golden files, and the waveform with what they say.
    fn check(self) {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| {
            insta::assert_snapshot!(self.name, timeless(&self.text));
            insta::assert_snapshot!(format!("{}.json", self.name), self.short_json());
        });
        let lines = self.text.lines().count();
        assert!(lines <= LINES, "{} has {lines} lines", self.name);
        assert!(!self.text.contains('\x1b'), "colours outside of a terminal");
        self.check_waveform();
        self.check_model_in_waveform();
        self.check_views();
        let page = fs::read_to_string(self.folder.join("report.html")).expect("a page");
        assert!(page.contains("<svg") && page.trim_end().ends_with("</html>"));
    }

    /// The JSON form without most of the ledger, which has one entry a field.
    fn short_json(&self) -> String {
        let mut json = self.json.clone();
        let ledger = json["coverage"]["fields"].as_array_mut().expect("a ledger");
        ledger.truncate(2);
        serde_json::to_string_pretty(&json).expect("JSON")
    }

    /// The window has 50 cycles before the divergent one and 10 after it, and shows in it what the report says.
    fn check_waveform(&self) {
        let cycle = self.json["cycle"].as_u64().expect("a cycle");
        let time = self.json["time_ns"].as_u64().expect("a time");
        let headline = &self.json["headline"];
        let text = |key: &str| headline[key].as_str().expect("a text").to_owned();

        let mut dump = Stream::open(&self.waveform).expect("a waveform");
        let header = dump.header().clone();
        let signal = header
            .find(&text("signal"))
            .expect("the signal of the headline");
        let clock = header.find("lockstep_dut.clk_i").expect("a clock");
        let samples = Sampler::falling(clock)
            .run(&mut dump, &[signal])
            .expect("whole");

        assert_eq!(samples.len() as u64, 50.min(cycle) + 1 + 10);
        let row = samples.times().iter().position(|&at| at == time + 5);
        let shown = samples
            .u64(row.expect("the divergent cycle"), 0)
            .expect("a known value");
        let rtl = match text("rtl").as_str() {
            "OK" => 1,
            "UNDEFINED" => 2,
            text => number(text).expect("a value"),
        };
        assert_eq!(shown, rtl);
    }

    /// The waveform also has what was expected, beside it what the RTL showed, and marks the cycle.
    fn check_model_in_waveform(&self) {
        let cycle = self.json["cycle"].as_u64().expect("a cycle");
        let headline = &self.json["headline"];
        let text = |key: &str| headline[key].as_str().expect("a text");
        let name = match text("field") {
            "access outcome" => "access_outcome".to_owned(),
            field if field.starts_with("V[") => format!("v_{}", field[2..].trim_end_matches(']')),
            _ => "access_data".to_owned(),
        };
        let mut dump = Stream::open(&self.waveform).expect("a waveform");
        let header = dump.header().clone();
        let find = |path: &str| header.find(path).expect("a signal of the model");
        let probes = [
            find("golden.divergence"),
            find(&format!("golden.expected.{name}")),
            find(&format!("rtl.{name}")),
        ];
        let clock = header.find("lockstep_dut.clk_i").expect("a clock");
        let samples = Sampler::falling(clock)
            .run(&mut dump, &probes)
            .expect("whole");
        let marked: Vec<_> = (0..samples.len())
            .filter(|&row| samples.u64(row, 0) == Some(1))
            .collect();
        assert_eq!(marked.len(), 1, "the mark is 1 in one cycle");
        assert_eq!(samples.times()[marked[0]], 10 * cycle + 5);
        for (probe, key) in [(1, "expected"), (2, "rtl")] {
            let (_, values) = samples.rows().nth(marked[0]).expect("the marked cycle");
            let value = values[probe].expect("a value");
            match number(text(key)) {
                Some(number) => assert!(is_value(value, number), "{value} {number:#x}"),
                None => assert_eq!(value.to_string(), text(key)),
            }
        }
    }

    /// Every signal that the files for viewers name is in the waveform.
    fn check_views(&self) {
        let header = Stream::open(&self.waveform)
            .expect("a waveform")
            .header()
            .clone();
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).expect("a file");
        let gtkwave = read("window.gtkw");
        let traces = gtkwave
            .lines()
            .filter_map(|line| line.strip_prefix("+{")?.split_once("} "));
        let surfer = read("window.sucl");
        let added = surfer
            .lines()
            .filter_map(|line| line.strip_prefix("variable_add "));
        let paths: Vec<_> = traces.map(|(_, path)| path).chain(added).collect();
        assert!(paths.len() >= 8, "{paths:?}");
        for path in paths {
            header.find(path).expect("a signal of the waveform");
        }
        let time = self.json["time_ns"].as_u64().expect("a time");
        assert!(gtkwave.contains(&format!(" {time} -1 ")), "{gtkwave}");
        assert!(
            surfer.contains(&format!("cursor_set {}", time + 5)),
            "{surfer}"
        );
    }
}

/// The text of a report without the line that says how long it took.
fn timeless(text: &str) -> String {
    let (report, time) = text
        .split_once("\nreport in ")
        .expect("the time of the report");
    let (_, verdict) = time.split_once('\n').expect("a line");
    format!("{report}{verdict}")
}

/// A value as reports write it, if it is a number.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[test]
fn threshold_condition() {
    diverge("threshold_condition", "02-threshold-lt-as-le.patch", 1).check();
}

#[test]
fn edge_with_a_linked_consequence() {
    diverge(
        "edge_with_a_linked_consequence",
        "11-both-edges-as-rising.patch",
        11,
    )
    .check();
}

#[test]
fn value_of_a_counter() {
    diverge("value_of_a_counter", "28-read-of-next-value.patch", 1).check();
}

#[test]
fn overflow_flag_lost() {
    diverge("overflow_flag_lost", "32-overflow-lost-to-clear.patch", 1).check();
}

#[test]
fn overflow_flag_of_a_lost_increment() {
    diverge(
        "overflow_flag_of_a_lost_increment",
        "27-overflow-of-lost-increment.patch",
        1,
    )
    .check();
}

#[test]
fn res0_bit() {
    diverge("res0_bit", "43-res0-stored.patch", 1).check();
}

#[test]
fn outcome_of_an_access() {
    diverge("outcome_of_an_access", "45-undefined-access-ok.patch", 1).check();
}

/// Whether a value of a waveform is `number`, but for bits that are UNKNOWN.
fn is_value(value: &lockstep_vcd::Value, number: u64) -> bool {
    let Some(bits) = value.bits() else {
        return false;
    };
    let shown = format!("{bits:b}");
    let expected = format!("{number:0width$b}", width = shown.len());
    let pairs = shown.chars().zip(expected.chars());
    shown.len() == expected.len() && pairs.into_iter().all(|(s, e)| s == e || s == 'x')
}
