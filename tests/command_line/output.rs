//! Places that cannot be written, and disks that are full: nothing half written is left.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::command::{Ran, lockstep, run};
use crate::golden::{assert_golden, golden, golden_of};
use crate::scratch::scratch;

/// A folder with a regular file `file`: nothing can be made below that, whoever asks.
fn with_a_file(name: &str) -> PathBuf {
    let folder = scratch(&format!("command_line/{name}"));
    fs::write(folder.join("file"), "kept\n").expect("written");
    folder
}

/// The names in `folder`.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> = entries
        .map(|entry| {
            entry
                .expect("readable")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn refused(name: &str, arguments: &str) {
    let folder = with_a_file(name);
    assert_eq!(golden(name, &folder, arguments).code, 2);
    assert_eq!(names(&folder), ["file"]);
    assert_eq!(
        fs::read_to_string(folder.join("file")).expect("a file"),
        "kept\n"
    );
}

#[test]
fn report_below_a_file() {
    refused("report_below_a_file", "run --cycles 10 --out file/out");
}

#[test]
fn record_below_a_file() {
    refused(
        "record_below_a_file",
        "run --cycles 10 --record file/a.stim",
    );
}

#[test]
fn record_in_a_folder_that_is_not_there() {
    refused(
        "record_in_a_folder_that_is_not_there",
        "run --cycles 10 --record nowhere/a.stim",
    );
}

#[test]
fn record_as_a_folder() {
    refused("record_as_a_folder", "run --cycles 10 --record .");
}

#[test]
fn out_as_a_link_to_nothing() {
    let folder = scratch("command_line/out_as_a_link_to_nothing");
    symlink("nowhere", folder.join("out")).expect("a link");
    let ran = golden(
        "out_as_a_link_to_nothing",
        &folder,
        "run --cycles 10 --out out",
    );
    assert_eq!(ran.code, 2);
}

#[test]
fn record_as_a_device() {
    refused("record_as_a_device", "run --cycles 10 --record /dev/full");
    assert_is_device("/dev/full");
}

#[test]
fn trace_below_a_file() {
    refused("trace_below_a_file", "model --cycles 10 --trace file/a.vcd");
}

#[test]
fn trace_in_a_folder_that_is_not_there() {
    refused(
        "trace_in_a_folder_that_is_not_there",
        "model --cycles 10 --trace nowhere/a.vcd",
    );
}

#[test]
fn trace_on_a_full_device() {
    let folder = scratch("command_line/trace_on_a_full_device");
    let ran = golden(
        "trace_on_a_full_device",
        &folder,
        "model --cycles 10 --trace /dev/full",
    );
    assert_eq!(ran.code, 5);
    assert_is_device("/dev/full");
}

#[test]
fn trace_on_standard_output() {
    let folder = scratch("command_line/trace_on_standard_output");
    let mut command = lockstep(&folder);
    let ran = run(command.args(["model", "--cycles", "5", "--trace", "/dev/stdout"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stdout
            .lines()
            .filter(|line| line.starts_with("{\"cycle\":"))
            .count(),
        5
    );
}

fn assert_is_device(path: &str) {
    let kind = fs::metadata(path).expect("a device").file_type();
    assert!(kind.is_char_device(), "{path} was replaced");
}

/// Results that cannot be printed are an error, not a panic.
#[test]
fn result_on_a_full_device() {
    let folder = scratch("command_line/result_on_a_full_device");
    for (name, arguments) in [
        ("model_result_on_a_full_device", "model --cycles 10"),
        ("run_result_on_a_full_device", "run --cycles 10"),
        ("run_json_on_a_full_device", "run --cycles 10 --json"),
        ("help_on_a_full_device", "run --help"),
        ("version_on_a_full_device", "--version"),
    ] {
        let full = File::options()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full");
        let mut command = lockstep(&folder);
        command.args(arguments.split(' ')).stdout(full);
        assert_eq!(golden_of(name, &mut command).code, 5);
    }
}

/// `lockstep model | head -1`
#[test]
fn reader_that_has_seen_enough() {
    let folder = scratch("command_line/reader_that_has_seen_enough");
    let mut command = lockstep(&folder);
    command.args(["model", "--cycles", "100000"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

/// The command in a shell in which no file may grow beyond some 100 KB, as on a full disk.
fn without_room(folder: &Path, arguments: &str) -> Command {
    let mut inner = lockstep(folder);
    limited(inner.args(arguments.split(' ')), 128)
}

/// The stack that a shell leaves a command is not all that it has.
#[test]
fn a_small_stack() {
    let folder = scratch("command_line/small_stack");
    for arguments in ["run --cycles 1000", "run --help", "model --cycles 10"] {
        let mut inner = lockstep(&folder);
        let ran = run(&mut under("-s 64", inner.args(arguments.split(' '))));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

/// What the machine refuses is its fault, told in a line, wherever it comes: no panic, no abort, no wait.
#[test]
fn too_little_memory_and_too_few_files() {
    let folder = scratch("command_line/too_little");
    let memory = (1..12).map(|step| format!("-d {}", 2500 * step));
    let files = (4..7).map(|files| format!("-n {files}"));
    for limit in memory.chain(files) {
        let mut inner = lockstep(&folder);
        inner.env("RUST_BACKTRACE", "1");
        let ran = run(&mut under(&limit, inner.args(["run", "--cycles", "3000"])));
        let told = format!("{limit}: {}{}", ran.stdout, ran.stderr);
        assert!(matches!(ran.code, 0 | 5), "{} {told}", ran.code);
        let mut lines = ran.stderr.lines();
        assert!(lines.all(|line| line.starts_with("lockstep: ")), "{told}");
        assert_eq!(ran.stdout.starts_with("PASS"), ran.code == 0, "{told}");
    }
}

/// `inner` in a shell in which no file may grow beyond `blocks`, of 512 or 1024 bytes.
pub fn limited(inner: &Command, blocks: u32) -> Command {
    under(&format!("-S -f {blocks}"), inner)
}

/// `inner` in a shell with a limit.
fn under(limit: &str, inner: &Command) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(inner.get_current_dir().expect("a folder"));
    for (name, value) in inner.get_envs() {
        command.env(name, value.expect("a value"));
    }
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    command
        .args(["-c", &script])
        .arg(inner.get_program())
        .args(inner.get_args());
    command
}

#[test]
fn no_room_for_a_recording() {
    let folder = scratch("command_line/no_room_for_a_recording");
    let ran = run(&mut without_room(
        &folder,
        "run --cycles 10000 --record a.stim",
    ));
    assert_golden("no_room_for_a_recording", &ran.stderr);
    assert_eq!(ran.code, 5);
    assert!(names(&folder).is_empty());
}

#[test]
fn no_room_for_a_trace() {
    let folder = scratch("command_line/no_room_for_a_trace");
    for name in ["a.vcd", "a.jsonl"] {
        let ran = run(&mut without_room(
            &folder,
            &format!("model --cycles 10000 --trace {name}"),
        ));
        assert_golden(&format!("no_room_for_a_trace_{}", &name[2..]), &ran.stderr);
        assert_eq!(ran.code, 5);
    }
    assert!(names(&folder).is_empty());
}

/// A file that was there is not lost when its successor cannot be written.
#[test]
fn no_room_for_a_successor() {
    let folder = scratch("command_line/no_room_for_a_successor");
    fs::write(folder.join("a.jsonl"), "kept\n").expect("written");
    let ran = run(&mut without_room(
        &folder,
        "model --cycles 10000 --trace a.jsonl",
    ));
    assert_eq!(ran.code, 5);
    assert_eq!(
        fs::read_to_string(folder.join("a.jsonl")).expect("a file"),
        "kept\n"
    );
}

/// A folder in which nobody, whoever it is, can make a file.
const READ_ONLY: &str = "/sys";

#[test]
fn a_run_that_agrees_leaves_nothing_and_needs_no_writable_folder() {
    let folder = scratch("command_line/leaves_nothing");
    let ran = run(lockstep(&folder).args(["run", "--cycles", "100"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(names(&folder).is_empty());

    let ran = run(lockstep(Path::new(READ_ONLY)).args(["run", "--cycles", "100"]));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let note = "lockstep: note: lockstep-out: cannot be written: ";
    assert!(ran.stderr.starts_with(note), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
}

/// The path is one for a file, and the machine refuses: not the command line's fault.
#[test]
fn outputs_in_a_place_that_cannot_be_written() {
    let folder = scratch("command_line/read_only");
    for arguments in [
        "run --cycles 100 --record /sys/a",
        "run --cycles 100 --html /sys/a",
        "run --cycles 100 --coverage /sys/a",
        "run --cycles 100 --out /sys/a",
        "model --cycles 100 --trace /sys/a",
        "implementation --out /sys/a",
        "plan --write /sys/a",
        "new-wrapper /sys/a",
        "build --rtl none --output /sys/a",
    ] {
        let ran = run(lockstep(&folder).args(arguments.split(' ')));
        assert_eq!(ran.code, 5, "{arguments}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("/sys/a: "),
            "{arguments}: {}",
            ran.stderr
        );
        assert!(names(&folder).is_empty());
    }
}

/// Of two outputs that are one file the second would replace the first.
#[test]
fn outputs_that_are_one_file() {
    let folder = scratch("command_line/one_file");
    fs::write(folder.join("mine.toml"), "").expect("written");
    fs::create_dir(folder.join("d")).expect("made");
    for (arguments, first, second) in [
        (
            "run --record zz --html d/../zz",
            "--record zz",
            "--html d/../zz",
        ),
        ("run --html a --coverage ./a", "--html a", "--coverage ./a"),
        (
            "run --record lockstep-out/report.json",
            "--record lockstep-out/report.json",
            "--out: lockstep-out/report.json",
        ),
        (
            "run --implementation mine.toml --html mine.toml",
            "--implementation mine.toml",
            "--html mine.toml",
        ),
        (
            "model --implementation mine.toml --trace mine.toml",
            "--implementation mine.toml",
            "--trace mine.toml",
        ),
        (
            "replay mine.stim --html mine.stim",
            "the stimulus mine.stim",
            "--html mine.stim",
        ),
        (
            "vcd check lockstep-out/window.vcd --map mine.toml",
            "the dump lockstep-out/window.vcd",
            "--out: lockstep-out/window.vcd",
        ),
    ] {
        if arguments.contains("mine.stim") {
            let recorded =
                run(lockstep(&folder).args("run --cycles 9 --record mine.stim".split(' ')));
            assert_eq!(recorded.code, 0, "{}", recorded.stderr);
        }
        let before = names(&folder);
        let ran = run(lockstep(&folder).args(arguments.split(' ')));
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.stderr);
        let text = format!("lockstep: {first} and {second} are one file: expected ");
        assert!(ran.stderr.starts_with(&text), "{arguments}: {}", ran.stderr);
        assert_eq!(names(&folder), before);
    }
    // The result itself goes to a file as well.
    let out = File::create(folder.join("result")).expect("made");
    let mut command = lockstep(&folder);
    let ran = run(command
        .args("run --cycles 9 --html result".split(' '))
        .stdout(out));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr
            .starts_with("lockstep: standard output and --html result are one file"),
        "{}",
        ran.stderr
    );
}

/// What a shell would read as something else is a name like any other.
#[test]
fn outputs_with_names_that_a_shell_would_read() {
    let folder = scratch("command_line/odd_names");
    let name = "a $(touch x) `touch y` \"b\" 'c' \\d\ne;#*";
    let inner = folder.join(name);
    fs::create_dir(&inner).expect("made");
    let mut command = lockstep(&folder);
    command.args(["run", "--cycles", "100"]);
    for (option, file) in [
        ("--record", "r.stim"),
        ("--html", "p.html"),
        ("--coverage", "c.json"),
        ("--out", "out"),
    ] {
        command.arg(option).arg(Path::new(name).join(file));
    }
    let ran = run(&mut command);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(names(&inner), ["c.json", "p.html", "r.stim"]);
    let mut command = lockstep(&folder);
    let replayed = run(command.arg("replay").arg(Path::new(name).join("r.stim")));
    assert_eq!(replayed.code, 0, "{}", replayed.stderr);
    assert_eq!(names(&folder), [name]);
}

#[test]
fn an_output_in_the_folder_of_the_others() {
    let folder = scratch("command_line/in_out");
    let ran =
        run(lockstep(&folder).args("run --cycles 9 --out out --record out/a.stim".split(' ')));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(names(&folder.join("out")), ["a.stim"]);
}
