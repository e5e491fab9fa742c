//! Building into a folder, and running from it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use crate::project::{DESIGN, Project};

#[test]
fn a_built_design_runs_without_the_tools_that_built_it() {
    let project = Project::built("without_tools");
    // Its sources are not needed either.
    fs::rename(project.path("rtl"), project.path("gone")).expect("renamed");
    let ran = project.run_without_tools("run --dut built --cycles 3000 --record a.stim");
    // It answers nothing, so the first access differs.
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("  RTL built\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" --dut built\n"), "{}", ran.stdout);
    // The traced library has run too.
    assert!(project.path("lockstep-out/window.vcd").is_file());
    assert_eq!(ran.stderr, "");
    // Its registers begin with zeros, and with nothing else.
    let states = project.run_without_tools("run --dut built --init 2");
    assert_eq!(states.code, 2, "{}", states.stderr);
    let refused = "--init and --dut built: expected RTL as files, with --filelist or --rtl: ";
    assert!(states.stderr.contains(refused), "{}", states.stderr);
    let replayed = project.run_without_tools("replay a.stim --dut built");
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    // A divergence is one also where the traced library is another, or none.
    fs::write(project.path("built/dut-traced.so"), "another").expect("written");
    let changed = project.run_without_tools("replay a.stim --dut built");
    fs::remove_file(project.path("built/dut-traced.so")).expect("removed");
    let missing = project.run_without_tools("replay a.stim --dut built");
    for (ran, why) in [
        (&changed, "built/dut-traced.so as it was built, SHA-256 "),
        (&missing, "built/dut-traced.so, found: No such file"),
    ] {
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stdout.starts_with("DIVERGENCE"), "{}", ran.stdout);
        assert!(
            ran.stdout.contains("no waveform: ") && ran.stdout.contains(why),
            "{}",
            ran.stdout
        );
        assert!(
            ran.stdout.contains("build the design again"),
            "{}",
            ran.stdout
        );
        assert!(project.path("lockstep-out/report.html").is_file());
        assert!(!project.path("lockstep-out/window.vcd").exists());
    }
    let note = "lockstep: note: built/dut-traced.so is not there: ";
    assert!(missing.stderr.starts_with(note), "{}", missing.stderr);
    let shrunk = project.run_without_tools("shrink a.stim --dut built --out out");
    assert_eq!(shrunk.code, 1, "{}", shrunk.stderr);
    assert!(
        shrunk.stdout.contains(" --dut built\n"),
        "{}",
        shrunk.stdout
    );
}

#[test]
fn a_file_list_runs_in_one_step() {
    let project = Project::new("one_step");
    let ran = project.run(&format!(
        "run {DESIGN} --cycles 3000 --verilator-arg -Wno-WIDTH"
    ));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let replay = format!(" {DESIGN} --verilator-arg=-Wno-WIDTH\n");
    assert!(ran.stdout.contains(&replay), "{}", ran.stdout);
    assert!(ran.stdout.contains("  RTL rtl/dut.f\n"), "{}", ran.stdout);
}

#[test]
fn the_manifest_says_what_was_built() {
    let project = Project::new("manifest");
    let build = format!("build {DESIGN} --param Counters=6 --define UNUSED=1 -o built");
    let json = project.json(&build, 0);
    assert_eq!(json["verdict"], "agree");
    let manifest = &json["manifest"];
    assert_eq!(manifest["top"], "silent_wrapper");
    assert_eq!(manifest["parameters"][0], "Counters=6");
    assert_eq!(manifest["defines"][0], "SILENT_OUTPUT=832");
    assert_eq!(manifest["defines"][1], "UNUSED=1");
    assert_eq!(manifest["stated"]["counters"], 6);
    assert_eq!(manifest["stated"]["contract_version"], 2);
    let sources = manifest["source"].as_array().expect("a list");
    let named = |name: &str| {
        sources.iter().any(|source| {
            source["path"]
                .as_str()
                .is_some_and(|path| path.ends_with(name))
        })
    };
    for name in [
        "rtl/idle_pkg.sv",
        "rtl/silent_wrapper.sv",
        "rtl/include/ports.svh",
        "rtl/cells/silent_output.v",
    ] {
        assert!(named(name), "{name}: {sources:?}");
    }
    assert_eq!(sources.len(), 4);
    // The parameter is checked as it is for any design.
    let ran = project.run("run --dut built");
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr
            .contains("the implementation has 31, the RTL states 6"),
        "{}",
        ran.stderr
    );
}

/// The bundled RTL in a folder, and other RTL with the names of its parameters, as far as it has them.
#[test]
fn an_implementation_gives_the_parameters() {
    let project = Project::new("of_implementation");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("tests/implementations/threshold_only.toml");
    let of = format!("--implementation {}", file.display());
    let manifest = &project.json(&format!("build {of} -o built"), 0)["manifest"];
    assert_eq!(manifest["top"], "lockstep_dut");
    let parameters = manifest["parameters"].as_array().expect("a list");
    assert!(parameters.len() > 5, "{parameters:?}");
    let again = manifest["command"].as_str().expect("a command");
    assert!(again.contains(&of), "{again}");
    let ran = project.run(&format!("run --dut built {of} --cycles 3000"));
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = project.run(&format!("build {DESIGN} {of} -o other"));
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let expected = "--implementation: expected a wrapper with the parameters of the bundled one, found another: ";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn only_what_changed_is_built_again() {
    let project = Project::new("again");
    let build = format!("build {DESIGN} -o built");
    // A comment of this run makes the design new to the cache that earlier runs left.
    let nonce = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("after 1970")
        .as_nanos();
    let header = "rtl/include/ports.svh";
    project.edit(
        header,
        "  input  logic          clk_i",
        &format!("// {nonce}\n  input logic clk_i"),
    );
    assert_eq!(project.json(&build, 0)["cached"], false);
    let inode = || fs::metadata(project.path("built")).expect("a folder").ino();
    let first = inode();
    let again = project.json(&build, 0);
    assert_eq!(again["cached"], true);
    assert!(
        again["seconds"]
            .as_f64()
            .is_some_and(|seconds| seconds < 1.0),
        "{again}"
    );
    assert_eq!(inode(), first, "the folder says the same already");
    project.edit(
        header,
        &format!("// {nonce}"),
        &format!("// {nonce} changed"),
    );
    let noted = project.run("run --dut built --cycles 10");
    assert!(
        noted
            .stderr
            .starts_with("lockstep: note: built was built before "),
        "{}",
        noted.stderr
    );
    assert!(
        noted.stderr.contains("rtl/include/ports.svh changed: "),
        "{}",
        noted.stderr
    );
    assert_eq!(project.json(&build, 0)["cached"], false);
    assert_ne!(inode(), first);
    assert_eq!(project.run("run --dut built --cycles 10").stderr, "");
}

#[test]
fn a_build_that_fails_leaves_the_folder_whole() {
    let project = Project::built("left_whole");
    let files = |project: &Project| {
        ["dut.toml", "dut.so", "dut-traced.so"]
            .map(|name| fs::read(project.path("built").join(name)).expect("a file"))
    };
    let before = files(&project);
    project.edit(
        "rtl/silent_wrapper.sv",
        "assign parameters_o",
        "assing parameters_o",
    );
    let ran = project.run(&format!("build {DESIGN} -o built"));
    assert_eq!(ran.code, 2);
    assert!(files(&project) == before, "the files have changed");
    let names: Vec<_> = fs::read_dir(&project.0)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(names.len(), 2, "a draft is left: {names:?}");
}

/// What Verilator says of the user's files: shown when they are built, counted when they were built before.
#[test]
fn warnings_are_shown_once_a_build() {
    let project = Project::new("warnings");
    let nonce = std::process::id();
    project.edit(
        "rtl/silent_wrapper.sv",
        "endmodule",
        &format!("  wire [2:0] few_{nonce} = cycle_input_i[7:0];\nendmodule"),
    );
    let run = format!("run {DESIGN} --cycles 3000");
    let place = "rtl/silent_wrapper.sv:17:";
    // Verilator before 5.026 says WIDTH.
    let named = |text: &str| text.contains("expects 3 bits") && text.contains("[WIDTH");
    let ran = project.run(&run);
    // It diverges, so that it is built with tracing too.
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let warned: Vec<_> = ran
        .stderr
        .lines()
        .filter(|line| line.trim_start().starts_with(place))
        .collect();
    assert!(
        matches!(&warned[..], [line] if named(line)),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr
            .contains("lockstep: note: Verilator has 1 warning: 1 WIDTH"),
        "{}",
        ran.stderr
    );
    assert_eq!(project.run(&run).stderr, "", "it comes from the cache");

    let built = project.run(&format!("build {DESIGN} -o built"));
    assert_eq!((built.code, &*built.stderr), (0, ""));
    let file = built
        .stdout
        .lines()
        .find_map(|line| line.strip_prefix("  1 warning of Verilator, in "));
    let kept = fs::read_to_string(file.expect("a file")).expect("readable");
    // From the folder on that all its files are in: the next one to use it may have it elsewhere.
    assert!(kept.contains(&place["rtl/".len()..]), "{kept}");
    let json = project.json(&format!("build {DESIGN} -o built"), 0);
    let told = json["warnings"].as_str().expect("text");
    assert!(told.contains(place), "{told}");
}

/// DUT-02, DUT-70 to DUT-72: the summary of a build says what the design states of them.
#[test]
fn dut_72_a_build_tells_what_the_design_states() {
    let project = Project::new("states");
    let ran = project.run(&format!("build {DESIGN} -o built"));
    assert!(
        ran.stdout.contains(
            "\n  latencies: increments 0, accesses 0, sampling 0; an access in every cycle; increments SHOWN\n  \
             lacks nothing of the contract\n"
        ),
        "{}",
        ran.stdout
    );
}

#[test]
fn variables_and_folders_lead_to_files_from_anywhere() {
    let project = Project::new("anywhere");
    project.edit(
        "rtl/dut.f",
        "silent_wrapper.sv",
        "${OWN_RTL}/silent_wrapper.sv",
    );
    fs::create_dir(project.path("work")).expect("created");
    let list = project.path("rtl/dut.f");
    let mut command: Command = crate::command::lockstep(&project.path("work"));
    let ran = crate::command::run(
        command
            .env("OWN_RTL", project.path("rtl"))
            .args([
                "build",
                "--top",
                "silent_wrapper",
                "-o",
                "new/built",
                "--filelist",
            ])
            .arg(list),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout
            .starts_with("BUILT  new/built: module silent_wrapper, 4 files, "),
        "{}",
        ran.stdout
    );
    assert!(project.path("work/new/built/dut.toml").is_file());
}
