//! Designs that end, hang, hide or cheat by means of C: the verdict is made where no code of theirs runs (DUT-42). One design
//! does all of it, as an environment variable says.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{LAST, below, folder, with_descendants};
use crate::command::{Ran, lockstep, run};

const CHEAT: &str = "LOCKSTEP_CHEAT";
const ENDED: &str = "the design ended the process";

/// What the design does, options, the exit code, and words of what is told.
type Cheat = (&'static str, &'static str, i32, &'static str);

const OFF: &str = "--sandbox=off";

const CHEATS: &[Cheat] = &[
    ("cycle:exit", "", 4, ENDED),
    ("cycle:_exit", "", 4, ENDED),
    ("cycle:exit-130", "", 4, "exit status 130"),
    ("cycle:exit-126", "", 4, "exit status 126"),
    ("cycle:quick-exit", "", 4, ENDED),
    ("cycle:exit-of-thread", "", 4, ENDED),
    ("cycle:say-pass", "", 4, ENDED),
    ("cycle:forge", "", 4, ENDED),
    ("cycle:daemonize", "", 4, ENDED),
    ("cycle:daemonize", OFF, 4, ENDED),
    ("cycle:become-true", OFF, 4, ENDED),
    (
        "cycle:become-true",
        "",
        0,
        "was not let start the program /bin/true",
    ),
    (
        "start:exit",
        "",
        4,
        "while it was made, before the first cycle",
    ),
    (
        "start:_exit",
        "",
        4,
        "while it was made, before the first cycle",
    ),
    ("end:exit", "", 4, ENDED),
    ("end:_exit", "", 4, ENDED),
    ("end:fatal", "", 4, "in a final block: wrong at the end"),
    ("end:error", "", 4, "in a final block: wrong at the end"),
    (
        "end:fatal",
        "--against built",
        4,
        "in a final block: wrong at the end",
    ),
    ("end:exit", "--against built", 4, ENDED),
    ("end:say", "", 0, "said at the end"),
    (
        "cycle:print-by-c",
        "",
        0,
        "the design prints more: see out/design.log",
    ),
    (
        "cycle:print-escapes",
        "",
        0,
        "\n\\u{1b}[2J\\u{1b}[1;1Hall is well\n",
    ),
    ("cycle:print-long-line", "", 0, "xxx [7998000 more bytes]\n"),
    ("cycle:lock-passwd", "", 0, "PASS"),
    ("cycle:child", "", 0, "PASS"),
    ("cycle:child", OFF, 0, "PASS"),
    ("cycle:many-children", "", 0, "PASS"),
    ("cycle:deaf", "", 0, "PASS"),
    ("cycle:sleep", "", 3, "does not come back from cycle 2500"),
    (
        "start:sleep",
        "",
        3,
        "does not come back from its initial blocks",
    ),
    ("end:sleep", "", 3, "not coming back"),
    ("cycle:stop", "", 3, "does not come back from cycle 2500"),
    ("cycle:kill-itself", "", 6, "the design crashed: SIGKILL"),
    (
        "cycle:terminate-itself",
        "",
        6,
        "the design crashed: SIGTERM",
    ),
    ("cycle:time-itself", "", 6, "the design crashed: SIGKILL"),
    ("cycle:kill-itself", OFF, 5, "SIGKILL"),
    ("cycle:raise-fault", "", 6, "SIGSEGV"),
    ("start:raise-fault", "", 6, "SIGSEGV"),
    ("cycle:raise-bus-fault", "", 6, "SIGBUS"),
    ("cycle:raise-alarm", "", 6, "SIGALRM"),
    ("cycle:raise-real-time", "", 6, "crashed: signal 37"),
    ("cycle:abort", "", 6, "SIGABRT"),
    ("cycle:trap", "", 6, "SIGILL"),
    ("cycle:kill-parent", "", 0, "PASS"),
    ("cycle:kill-all", "", 0, "PASS"),
    ("cycle:kill-parent", OFF, 5, "SIGKILL"),
    ("cycle:trace-parent", "", 0, "PASS"),
    ("cycle:write-parent", "", 0, "PASS"),
    ("cycle:write-inputs", "", 6, "SIGSEGV"),
    ("cycle:map-inputs", "", 0, "PASS"),
    ("cycle:close-all", "", 0, "PASS"),
    ("cycle:flood", "", 0, "PASS"),
    (
        "cycle:system",
        "",
        0,
        "was not let start the program /bin/sh -c ",
    ),
    (
        "cycle:socket",
        "",
        0,
        "was not let open a socket (AF_INET); --sandbox=off allows it",
    ),
    ("cycle:write-outside", "", 0, "/written; --allow-write "),
    ("cycle:write-outside", "--allow-write .", 0, "PASS"),
    ("cycle:write-inside", "", 0, "PASS"),
    ("cycle:remove-outside", "", 0, "was not let write "),
    ("cycle:newline", "", 0, "/x\\nPASS  1,000,000 cycles"),
    ("cycle:count-on", "", 3, "does not come back from cycle "),
    ("cycle:forge-reply", "", 4, "the design "),
    ("cycle:forge-replies", "", 4, "the design "),
    ("end:forge-reply", "", 4, ENDED),
    ("cycle:reach-out", "", 0, "was not let write "),
];

/// A folder with the design, built: it loads at once.
fn built(test: &str) -> PathBuf {
    let folder = folder("cheat.sv", test);
    let mut build = lockstep(&folder);
    build.args([
        "build",
        "--rtl",
        "idle_pkg.sv",
        "--rtl",
        "cheat.sv",
        "-o",
        "built",
    ]);
    let ran = run(&mut build);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    folder
}

/// `run` of the stimulus on the design that was built.
fn cheating(folder: &Path, what: &str, options: &str) -> Command {
    let mut command = lockstep(folder);
    command.args([
        "run",
        "--stimulus",
        "idle.stim",
        "--dut",
        "built",
        "--out",
        "out",
    ]);
    command.args(options.split_whitespace());
    command.env(CHEAT, what).env("TMPDIR", folder.join("tmp"));
    command
}

/// Processes with the environment of a folder's runs.
fn left_running(folder: &Path) -> Vec<String> {
    let marker = format!("TMPDIR={}", folder.join("tmp").display());
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let is_one = |name: &String| {
        let environment = fs::read(format!("/proc/{name}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == marker.as_bytes())
    };
    names.filter(is_one).collect()
}

/// What must hold of every one of them.
fn check(folder: &Path, ran: &Ran, (what, options, code, words): Cheat) {
    let told = format!("{what} {options}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, code, "{told}");
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(all.contains(words), "{told}");
    assert!(!all.contains("panicked"), "{told}");
    assert_eq!(ran.stdout.starts_with("PASS"), code == 0, "{told}");
    assert!(ran.stderr.len() < 100_000, "{what}: {}", ran.stderr.len());
    assert_eq!(left_running(folder), [""; 0], "{told}");
    assert!(!folder.join("touched").exists(), "{told}");
    assert!(folder.join("idle.stim").exists(), "{told}");
    let written = folder.join("written").exists();
    assert_eq!(written, options.contains("allow-write"), "{told}");
    let passes = ran.stdout.lines().filter(|line| line.starts_with("PASS"));
    assert_eq!(passes.count(), usize::from(code == 0), "{told}");
    let temporary = fs::read_dir(folder.join("tmp")).expect("a folder");
    assert_eq!(temporary.count(), 0, "{told}");
    let report = folder.join("out/report.json");
    match code {
        0 => {
            // The folder was there for the design, and stays if something is in it.
            let inside = what == "cycle:write-inside";
            assert_eq!(folder.join("out/design/written").exists(), inside, "{told}");
            let prints = ["end:say", "cycle:print-", "cycle:flood"]
                .iter()
                .any(|start| what.starts_with(start));
            let leaves = inside || prints;
            assert_eq!(folder.join("out").exists(), leaves, "{told}");
        }
        _ => {
            let json = fs::read(&report).expect(&told);
            let json: Value = serde_json::from_slice(&json).expect("JSON");
            assert_eq!(json["exit_code"], code, "{told}");
            let in_cycle = what.starts_with("cycle:").then_some(LAST);
            let cycle = json["cycle"].as_u64();
            // What counts its cycles itself has no cycle to be told; without its keeper it runs on for some.
            let unknown = [
                "end:",
                "cycle:count-on",
                "cycle:forge-repl",
                "cycle:kill-parent",
            ];
            let is_known = !unknown.iter().any(|start| what.starts_with(start));
            assert!(cycle == in_cycle || !is_known, "{told}");
        }
    }
}

#[test]
fn a_design_does_not_give_its_verdict() {
    let folder = built("cheats");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    for cheat in CHEATS {
        let _ = fs::remove_dir_all(folder.join("out"));
        let mut command = cheating(&folder, cheat.0, cheat.1);
        let ran = run(command.args(["--hang-after", "1"]));
        check(&folder, &ran, *cheat);
        let _ = fs::remove_file(folder.join("written"));
    }
}

/// A divergence that was found stands, however the design ends in the re-run that is to explain it.
#[test]
fn a_divergence_stands_however_its_re_run_ends() {
    let folder = built("ends_again");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let again = [
        ("abort", "SIGABRT"),
        ("exit", ENDED),
        ("kill-itself", "SIGKILL"),
        ("sleep", "no progress"),
    ];
    let again = again.map(|(what, words)| (format!("again:{what}"), words, false));
    let once = ("once:abort".to_owned(), "no waveform: the design", true);
    for (what, words, is_shown) in again.into_iter().chain([once]) {
        let _ = fs::remove_dir_all(folder.join("out"));
        let ran = run(&mut cheating(&folder, &what, "--hang-after 1"));
        let told = format!("{what}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 1, "{told}");
        assert!(ran.stdout.starts_with("DIVERGENCE  V[0]: "), "{told}");
        assert!(ran.stdout.contains(words), "{told}");
        assert!(
            ran.stdout.contains("replay     lockstep replay idle.stim"),
            "{told}"
        );
        assert_eq!(left_running(&folder), [""; 0], "{told}");
        let out = folder.join("out");
        let json = fs::read(out.join("report.json")).expect(&told);
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json["cycle"], LAST, "{told}");
        assert_eq!(
            json["cycles"]["rows"] != Value::Array(vec![]),
            is_shown,
            "{told}"
        );
        let page = fs::read_to_string(out.join("report.html")).expect(&told);
        assert_eq!(page.contains("<h2>Last cycles</h2>"), is_shown, "{told}");
        assert!(!out.join("window.vcd").exists(), "{told}");
    }
    fs::remove_dir_all(folder.join("out")).expect("removed");
    let ran = run(&mut cheating(&folder, "again:abort", "--against bundled"));
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, 1, "{told}");
    assert!(
        ran.stdout.contains("note: no waveforms: the design"),
        "{told}"
    );
    assert!(!folder.join("out/a.vcd").exists(), "{told}");
}

/// Outputs of cycles that a design completed are compared, however it ends after them.
#[test]
fn a_divergence_comes_before_what_follows_it() {
    let folder = built("ends_later");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    for what in ["sleep", "stop", "abort", "exit", "kill-itself"] {
        let _ = fs::remove_dir_all(folder.join("out"));
        let cheat = format!("later:{what}");
        let ran = run(&mut cheating(&folder, &cheat, "--hang-after 1"));
        let told = format!("{what}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 1, "{told}");
        assert!(ran.stdout.starts_with("DIVERGENCE  V[0]: "), "{told}");
        assert_eq!(left_running(&folder), [""; 0], "{told}");
    }
}

/// Where standard error is gone, the verdict is the same.
#[test]
fn nobody_needs_to_read_standard_error() {
    let folder = built("no_reader");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let program = env!("CARGO_BIN_EXE_lockstep");
    for to in ["2>/dev/full", "2>&-", "2> >(exec true)"] {
        let run = "run --stimulus idle.stim --dut built --out out --hang-after 20";
        let script = format!("{program} {run} {to} && ! {program} vcd info nothing {to}");
        let mut command = Command::new("bash");
        command.args(["-c", &script]).current_dir(&folder);
        let command = command.env(CHEAT, "cycle:print-by-c");
        let ran = crate::command::run(command.env("TMPDIR", folder.join("tmp")));
        assert_eq!(ran.code, 0, "{to}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.starts_with("PASS"), "{to}: {}", ran.stdout);
        let script = format!("{program} vcd info nothing {to}");
        let ran = crate::command::run(Command::new("bash").args(["-c", &script]));
        assert_eq!(ran.code, 2, "{to}");
    }
}

/// What C code prints by other means than SystemVerilog's is kept with the rest, whole, and does not fill the terminal.
#[test]
fn what_c_code_prints_is_kept() {
    let folder = built("printed_by_c");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let ran = run(&mut cheating(&folder, "cycle:print-by-c", ""));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let log = fs::read_to_string(folder.join("out/design.log")).expect("a log");
    let line = |k: u32| format!("line {k} of C code, in words that fill it\n");
    let lines: String = (0..5000).map(line).collect();
    assert_eq!(log, lines + "no end of line");
    let shown = ran.stderr.lines().filter(|line| line.starts_with("line "));
    assert!((19..=20).contains(&shown.count()), "{}", ran.stderr);
}

/// What whoever starts a command left open is not for a design, and what it started is not for the command to end.
#[test]
fn files_and_children_of_others_are_theirs() {
    let folder = built("others");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let run = "run --stimulus idle.stim --dut built --out out";
    let script = format!(
        "sleep 600 & echo $! > child; exec 7> inherited; exec {} {run}",
        env!("CARGO_BIN_EXE_lockstep")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(&folder);
    // The other end of its pipes is held by the child that stays.
    let output = fs::File::create(folder.join("told")).expect("a file");
    command
        .stdout(output.try_clone().expect("a file"))
        .stderr(output);
    command.env(CHEAT, "cycle:use-inherited");
    let status = command.env("TMPDIR", folder.join("tmp")).status();
    let told = fs::read_to_string(folder.join("told")).expect("text");
    assert_eq!(status.expect("ended").code(), Some(0), "{told}");
    assert_eq!(fs::read(folder.join("inherited")).expect("a file"), b"");
    let child = fs::read_to_string(folder.join("child")).expect("a number");
    let ended = Command::new("kill").arg(child.trim()).status();
    assert!(ended.expect("kill").success(), "it was ended before");
}

/// Whatever a design writes into the memory of its outputs, they are wrong, or it has not come back: no more.
#[test]
fn a_design_that_writes_over_its_outputs_is_no_danger() {
    let folder = built("scribble");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let ran = run(&mut cheating(&folder, "cycle:scribble", "--hang-after 1"));
    assert!(
        [1, 3, 4].contains(&ran.code),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    assert!(
        !ran.stderr.contains("panicked") && !ran.stderr.contains("defect"),
        "{}",
        ran.stderr
    );
    assert_eq!(left_running(&folder), [""; 0]);
}

/// JSON and the page of a design that ended its process.
#[test]
fn an_ended_process_is_told_to_programs_and_on_the_page() {
    let folder = built("ended_json");
    for (what, code, kind, words) in [
        ("cycle:exit", 4, "ended", ENDED),
        ("start:exit", 4, "ended", ENDED),
        ("end:exit", 4, "ended", ENDED),
        ("cycle:abort", 6, "crash", "SIGABRT"),
        ("start:abort", 6, "crash", "SIGABRT"),
        ("cycle:kill-itself", 6, "crash", "SIGKILL"),
    ] {
        let _ = fs::remove_file(folder.join("page.html"));
        let options = ["--json", "--html", "page.html", "--record", "a.stim"];
        let ran = run(cheating(&folder, what, "").args(options));
        assert_eq!(ran.code, code, "{what}: {}", ran.stderr);
        let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        // A run that compared something has a summary, and the stop in it.
        let stop = json.get("stop").unwrap_or(&json);
        let found = (&json["exit_code"], &stop["kind"]);
        assert_eq!(found, (&code.into(), &kind.into()), "{what}: {json:#}");
        if kind == "ended" {
            assert_eq!(json["verdict"], "stopped", "{what}");
        }
        if what.starts_with("cycle:") {
            assert_eq!(stop["cycle"], LAST, "{what}");
        }
        let page = fs::read_to_string(folder.join("page.html")).expect(what);
        assert!(page.contains(words), "{what}: {page}");
    }
}

/// The other commands that run a design say the same.
#[test]
fn an_ended_process_is_the_same_for_every_command() {
    let folder = built("ended_commands");
    fs::create_dir(folder.join("fine")).expect("made");
    let fine = fs::read_to_string(folder.join("cheat.sv")).expect("a design");
    fs::write(
        folder.join("fine/fine.sv"),
        fine.replace("LOCKSTEP_CHEAT", "NOBODY_SETS_THIS"),
    )
    .expect("written");
    fs::copy(folder.join("idle_pkg.sv"), folder.join("fine/idle_pkg.sv")).expect("copied");
    let sources = ["--rtl", "idle_pkg.sv", "--rtl", "cheat.sv"];
    let commands: &[(&str, &[&str], &str)] = &[
        (
            "cycle",
            &["shrink", "idle.stim", "--dut", "built"],
            "cycle 2500 of the trials",
        ),
        (
            "cycle",
            &["replay", "idle.stim", "--dut", "built", "--against", "fine"],
            "A in cycle 2500",
        ),
        (
            "start",
            &["implementation", "--dut", "built"],
            "while it was made",
        ),
        ("start", &["exhaust", "--dut", "built"], "while it was made"),
    ];
    for (when, words, told) in commands {
        let mut command = lockstep(&folder);
        command.args(*words).env(CHEAT, format!("{when}:exit"));
        let ran = run(&mut command);
        let all = format!("{words:?}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 4, "{all}");
        assert!(all.contains(told) && all.contains(ENDED), "{all}");
    }
    for when in ["start", "end"] {
        let mut command = lockstep(&folder);
        command.args(["build", "-o", "again"]).args(sources);
        let ran = run(command.env(CHEAT, format!("{when}:exit")));
        assert_eq!(ran.code, 4, "{}", ran.stderr);
        assert!(ran.stderr.contains(ENDED), "{}", ran.stderr);
        assert!(!folder.join("again").exists());
    }
}

/// What cannot be confined is refused where that is asked for, and a place that is not there is named.
#[test]
fn options_of_the_sandbox() {
    let folder = built("sandbox_options");
    let ran = run(&mut cheating(&folder, "cycle:none", "--sandbox=require"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = run(&mut cheating(
        &folder,
        "cycle:none",
        "--allow-write nowhere",
    ));
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("--allow-write nowhere: expected a folder"),
        "{}",
        ran.stderr
    );
    let ran = run(cheating(&folder, "cycle:system", "").arg("--json"));
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let refused = json["sandbox"]["refused"][0]["what"]
        .as_str()
        .expect("a refusal");
    assert!(
        refused.starts_with("start the program /bin/sh -c "),
        "{json:#}"
    );
}

/// Without `/proc` no process can be had for a design, and none runs in that of the command.
#[test]
fn no_design_runs_where_there_is_no_proc() {
    let folder = built("no_proc");
    let inside = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script]);
        command
    };
    let hidden = "mount -t tmpfs none /proc";
    if !inside(hidden).status().is_ok_and(|status| status.success()) {
        // Not every machine lets its users have a name space of their own.
        return;
    }
    let inner = cheating(&folder, "cycle:exit", "");
    let mut command = inside(&format!("{hidden} && exec \"$0\" \"$@\""));
    command.arg(inner.get_program()).args(inner.get_args());
    command.current_dir(&folder);
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    let ran = run(&mut command);
    assert_eq!(ran.code, 5, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("expected /proc"), "{}", ran.stderr);
}

/// A pipe in place of a library is no library, and nobody waits for it.
#[test]
fn a_pipe_is_no_part_of_a_folder() {
    let folder = built("pipe_in_folder");
    for name in ["dut.so", "dut.toml"] {
        let path = folder.join("built").join(name);
        fs::remove_file(&path).expect("removed");
        let made = Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()));
        let ran = run(&mut cheating(&folder, "cycle:none", ""));
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("regular file"), "{}", ran.stderr);
    }
}

/// How a signal is answered by a run whose design does not come back, started in different ways.
fn ended_by(how: &str, signal: &str, name: &str) {
    let folder = built(&format!("signal_{}", name.replace(' ', "_")));
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let mut words = cheating(&folder, "cycle:sleep", "--json --record a.stim");
    words.args(["--hang-after", "600"]);
    let line: Vec<_> = std::iter::once(words.get_program())
        .chain(words.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    let line = line.join(" ");
    let script = how.replace("RUN", &line);
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .current_dir(&folder)
        .stdin(Stdio::null());
    for (key, value) in words.get_envs() {
        shell.env(key, value.unwrap_or_default());
    }
    let child = shell
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("sh");
    let limit = Instant::now() + Duration::from_secs(60);
    let begun = || {
        fs::read_dir(&folder)
            .expect("a folder")
            .flatten()
            .any(|entry| {
                let name = entry.file_name().to_string_lossy().into_owned();
                name.starts_with(".lockstep-scratch-")
            })
    };
    while !begun() && Instant::now() < limit {
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
    let runs: Vec<_> = with_descendants(&child.id().to_string())
        .into_iter()
        .filter(|id| {
            let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            words.split(|byte| *byte == 0).nth(1) == Some(b"run")
        })
        .collect();
    assert!(!runs.is_empty());
    let start = Instant::now();
    assert!(
        Command::new("kill")
            .arg(format!("-{signal}"))
            .args(&runs)
            .status()
            .expect("kill")
            .success()
    );
    while !left_running(&folder).is_empty() && start.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(10));
    }
    let took = start.elapsed();
    let ran = Ran::of(child.wait_with_output().expect("ended"));
    // A second, on a machine with other things to do.
    assert!(took < Duration::from_secs(5), "{took:?} {}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(
        (&json["exit_code"], &json["signal"]),
        (&130.into(), &format!("SIG{signal}").into()),
        "{json:#}"
    );
    let names: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    let is_partial = |name: &std::ffi::OsString| {
        name.to_string_lossy().contains("a.stim")
            || name.to_string_lossy().starts_with(".lockstep-scratch-")
    };
    assert!(!names.iter().any(is_partial), "{names:?}");
}

#[test]
fn a_signal_ends_a_run_however_it_was_started() {
    ended_by("RUN", "TERM", "plain");
    // A shell has jobs in the background ignore SIGINT.
    ended_by("RUN & wait", "TERM", "background");
    ended_by("nohup RUN", "TERM", "nohup");
    ended_by("timeout 600 RUN", "TERM", "timeout");
    // Below `nohup` it is ignored, as it should be.
    if !ignores_sighup() {
        ended_by("setsid RUN", "HUP", "no terminal");
    }
}

/// Whether what this process starts ignores SIGHUP.
fn ignores_sighup() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn nothing_is_left_of_a_run_that_was_killed() {
    let folder = built("killed_run");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let mut command = cheating(&folder, "cycle:sleep", OFF);
    command.args(["--hang-after", "600"]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let limit = Instant::now() + Duration::from_secs(60);
    while left_running(&folder).len() < 3 && Instant::now() < limit {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(below(&child.id().to_string()).len(), 1);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let start = Instant::now();
    while !left_running(&folder).is_empty() && start.elapsed() < Duration::from_secs(5) {
        sleep(Duration::from_millis(10));
    }
    assert_eq!(left_running(&folder), [""; 0]);
}

/// What a design does while it is taken down, or tries and is refused, is told by commands without a summary too.
#[test]
fn commands_without_a_summary_tell_the_same() {
    let folder = built("without_summary");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let build = |what: &str| {
        let mut command = lockstep(&folder);
        command.args(["build", "--rtl", "idle_pkg.sv", "--rtl", "cheat.sv"]);
        command.args(["-o", "again", "--hang-after", "1"]);
        command.env(CHEAT, what).env("TMPDIR", folder.join("tmp"));
        run(&mut command)
    };
    for (what, code, words) in [
        (
            "end:sleep",
            3,
            "when it was taken down, without a cycle, the design stopped by not coming back",
        ),
        (
            "end:fatal",
            4,
            "when it was taken down, without a cycle, the design stopped by $fatal",
        ),
        (
            "start:system",
            0,
            "note: sandbox: the design was not let start the program",
        ),
    ] {
        let ran = build(what);
        let told = format!("{what}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{told}");
        assert!(ran.stderr.contains(words), "{told}");
    }
}

/// A limit of processor time that a design sets itself is not the machine's.
#[test]
fn a_limit_of_its_own_is_the_designs() {
    let folder = built("own_limit");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let ran = run(&mut cheating(&folder, "cycle:limit-itself", ""));
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("the design crashed: SIGXCPU"),
        "{}",
        ran.stderr
    );
}

/// What cannot be written beside a divergence is a note: the divergence stands.
#[test]
fn a_divergence_stands_where_nothing_can_be_written() {
    let folder = built("no_room");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let full = ["--coverage", "/dev/full", "--html", "/dev/full"];
    let ran = run(cheating(&folder, "later:sleep", "--hang-after 1").args(full));
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.code, 1, "{told}");
    assert!(ran.stdout.starts_with("DIVERGENCE  V[0]: "), "{told}");
    let notes = "lockstep: note: /dev/full: cannot be written";
    assert_eq!(ran.stderr.matches(notes).count(), 2, "{told}");
    let to = fs::File::options().write(true).open("/dev/full");
    let mut command = cheating(&folder, "later:sleep", "--hang-after 1");
    let ended = command.stdout(to.expect("a device")).output();
    let ended = ended.expect("started");
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{told}");
    assert!(
        told.contains("standard output: cannot be written"),
        "{told}"
    );
    assert!(folder.join("out/report.json").exists(), "{told}");
}

/// A path may have any bytes, also that of a design.
#[test]
fn the_path_of_a_design_need_not_be_text() {
    let folder = built("path");
    fs::create_dir(folder.join("tmp")).expect("a folder");
    let odd = folder.join(OsStr::from_bytes(b"b\xff\n'\xfe"));
    fs::rename(folder.join("built"), &odd).expect("renamed");
    let mut command = lockstep(&folder);
    command
        .args(["run", "--stimulus", "idle.stim", "--out"])
        .arg(folder.join(OsStr::from_bytes(b"\xfd")));
    let ran = run(command
        .arg("--dut")
        .arg(&odd)
        .env("TMPDIR", folder.join("tmp")));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Nor need be those that JSON names.
    let out = folder.join(OsStr::from_bytes(b"\xfc"));
    let mut command = lockstep(&folder);
    command
        .args(["run", "--stimulus", "idle.stim", "--json", "--dut"])
        .arg(&odd);
    command
        .arg("--out")
        .arg(&out)
        .arg("--coverage")
        .arg(folder.join(OsStr::from_bytes(b"\xfb")));
    let ran = run(command
        .env(CHEAT, "again:exit")
        .env("TMPDIR", folder.join("tmp")));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let json: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    assert_eq!(json["verdict"], "divergence");
    assert!(out.join("report.json").exists(), "{}", ran.stderr);
    assert_eq!(left_running(&folder), [""; 0]);
}
