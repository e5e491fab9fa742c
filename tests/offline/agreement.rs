//! The clean RTL agrees with the model, however its dump was made.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::command::run;
use crate::{golden, icarus, scratch, vcd};

fn rtl() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rtl")
}

#[test]
fn the_bundled_rtl_agrees() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/agreement");
    icarus::simulate(&folder, &rtl(), 3000, 2);
    golden("map", &folder, "map dump.vcd");
    assert_eq!(run(&mut vcd(&folder, "map dump.vcd -o map.toml")).code, 0);
    let ran = golden("agreement", &folder, "check dump.vcd --map map.toml");
    assert_eq!(ran.code, 0);

    // A pipe is read once.
    let mut command = vcd(&folder, "check - --map map.toml --json");
    command.stdin(File::open(folder.join("dump.vcd")).expect("the dump"));
    let ran = run(&mut command);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(json["cycles"], 3000);
    assert_eq!(json["skipped"], 3);

    // Everything before the end of what is there is checked.
    let text = fs::read(folder.join("dump.vcd")).expect("the dump");
    fs::write(folder.join("cut.vcd"), &text[..text.len() / 2 + 7]).expect("written");
    let ran = run(&mut vcd(&folder, "check cut.vcd --map map.toml"));
    assert_eq!(ran.code, 2);
    assert!(ran.stdout.contains("ENDED EARLY  1,"), "{}", ran.stdout);
    assert!(ran.stderr.contains("[vcd] expected"), "{}", ran.stderr);
}

/// The same run, dumped as FST.
#[test]
fn a_dump_of_another_format_says_the_same() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/fst");
    icarus::simulate(&folder, &rtl(), 1000, 2);
    fs::rename(folder.join("dump.vcd"), folder.join("text.vcd")).expect("renamed");
    let mut again = Command::new("vvp");
    again.args(["-n", "bench", "-fst"]).current_dir(&folder);
    assert_eq!(run(&mut again).code, 0);
    fs::rename(folder.join("dump.vcd"), folder.join("dump.fst")).expect("renamed");
    let mapped = |file: &str| run(&mut vcd(&folder, &format!("map {file} -o {file}.toml")));
    assert_eq!([mapped("text.vcd").code, mapped("dump.fst").code], [0, 0]);
    let map = |file: &str| {
        let text = fs::read_to_string(folder.join(format!("{file}.toml"))).expect("a map");
        text.replace(file, "")
    };
    assert_eq!(map("dump.fst"), map("text.vcd"));
    let checked = |file: &str| {
        let ran = run(&mut vcd(
            &folder,
            &format!("check {file} --map text.vcd.toml --json"),
        ));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let mut json: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let fields = json.as_object_mut().expect("an object");
        for own in ["dump", "bytes", "seconds"] {
            assert!(fields.remove(own).is_some(), "{own}");
        }
        json
    };
    assert_eq!(checked("dump.fst"), checked("text.vcd"));
    let same = run(&mut vcd(&folder, "diff text.vcd dump.fst"));
    assert!(same.stdout.starts_with("SAME"), "{}", same.stdout);
}

/// Fields by ranges of the ports' bits: what a design without the wrapper has.
#[test]
fn single_fields_agree_like_the_packed_ports() {
    if !icarus::found() {
        return;
    }
    let folder = scratch::scratch("offline/single");
    icarus::simulate(&folder, &rtl(), 1500, 1);
    let map = single_fields("bench.cycle_input", "bench.cycle_output");
    fs::write(folder.join("map.toml"), &map).expect("written");
    let ran = golden("single", &folder, "check dump.vcd --map map.toml");
    assert_eq!(ran.code, 0);

    // An output that is left out is not compared, and said to be.
    let fewer: Vec<_> = map
        .lines()
        .filter(|line| {
            !line.contains("increment") && !line.starts_with("access_data = \"bench.cycle_output")
        })
        .collect();
    fs::write(folder.join("fewer.toml"), fewer.join("\n")).expect("written");
    let ran = golden(
        "unmapped_outputs",
        &folder,
        "check dump.vcd --map fewer.toml",
    );
    assert_eq!(ran.code, 0);
}

pub fn single_fields(input: &str, output: &str) -> String {
    let bits = |port: &str, byte: u32, width: u32| {
        format!("\"{port}[{}:{}]\"", 8 * byte + width - 1, 8 * byte)
    };
    let mut map = String::from(
        "contract = 2\nclock = \"bench.clk\"\n[sample]\noutputs = \"next\"\n[input]\n",
    );
    let mut line = |key: &str, value: String| map += &format!("{key} = {value}\n");
    line("event", bits(input, 0, 1024));
    line("access_data", bits(input, 128, 64));
    line("counting_allowed", bits(input, 136, 32));
    line("access_address", bits(input, 140, 16));
    line("access_kind", bits(input, 142, 3));
    line("reset", format!("\"{input}[1144]\""));
    line("\"driven[0]\"", format!("\"{input}[1152]\""));
    line("\"driven[1]\"", format!("\"{input}[1153]\""));
    line("clock_stopped", format!("\"{input}[1160]\""));
    line("operations", bits(input, 146, 4));
    line("complete", bits(input, 147, 4));
    line("filtered_out", bits(input, 148, 8));
    line("profiling", bits(input, 149, 6));
    line("hpmn", bits(input, 150, 5));
    line("access_rt", bits(input, 151, 5));
    line("controls", bits(input, 152, 20));
    line("pmuacr", bits(input, 156, 32));
    line("spmaccessr_el2", bits(input, 160, 64));
    line("spmaccessr_el3", bits(input, 168, 64));
    line("threads", bits(input, 176, 128));
    line("\n[output]\n\"increment[30:0]\"", bits(output, 0, 496));
    line("\"increment[31]\"", bits(output, 62, 1));
    line("access_data", bits(output, 64, 64));
    line("access_outcome", bits(output, 72, 3));
    line("trap_iss", bits(output, 76, 25));
    line("pmsicr", bits(output, 80, 64));
    line("in_flight", bits(output, 88, 8));
    line("selected", bits(output, 89, 8));
    line("first_selected", bits(output, 90, 8));
    line("collided", bits(output, 91, 8));
    line("coll", bits(output, 92, 3));
    line("random_drawn", bits(output, 93, 8));
    line("random_byte", bits(output, 94, 8));
    map
}
