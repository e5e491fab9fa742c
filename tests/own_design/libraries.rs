//! Libraries in a folder of a build that are not what was built.

use std::fs;
use std::path::Path;

use verilator_sys::find::Search;
use verilator_sys::shared::{SharedDutBuild, content_hash};
use verilator_sys::verilate::Design;
use verilator_sys::{Optimization, PortSizes};

use crate::project::{DESIGN, Project};

/// Puts `library` into the built folder, and its hash into the manifest: it is what was built, as far as that says.
fn put(project: &Project, library: &Path) {
    let manifest = fs::read_to_string(project.path("built/dut.toml")).expect("a file");
    let place = project.path("built/dut.so");
    let was = content_hash(&place).expect("read");
    fs::copy(library, &place).expect("copied");
    let now = content_hash(&place).expect("read");
    assert!(manifest.contains(&was));
    project.write("built/dut.toml", &manifest.replace(&was, &now));
}

#[test]
fn a_library_that_is_missing_or_changed() {
    let project = Project::built("library_changed");
    let path = project.path("built/dut.so");
    let place = path.display();
    let mut bytes = fs::read(&path).expect("read");
    bytes.pop();
    fs::write(&path, bytes).expect("written");
    let ran = project.run("run --dut built");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let start = format!("lockstep: [DUT library] expected {place} as it was built, SHA-256 ");
    assert!(ran.stderr.starts_with(&start), "{}", ran.stderr);
    fs::remove_file(&path).expect("removed");
    let ran = project.run("run --dut built");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let start = format!("lockstep: [DUT library] expected a library at {place}, found: ");
    assert!(ran.stderr.starts_with(&start), "{}", ran.stderr);
    let again = format!(": build the design again:\n  lockstep build {DESIGN} -o built    (in ");
    assert!(ran.stderr.contains(&again), "{}", ran.stderr);
}

#[test]
fn a_library_with_other_ports() {
    let project = Project::built("library_ports");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("bridge/verilator-sys/tests/rtl/counter.sv");
    let build = SharedDutBuild {
        design: Design {
            sources: vec![source],
            top: "lockstep_dut".into(),
            ..Design::default()
        },
        sizes: PortSizes {
            input: 12,
            output: 12,
            parameters: 4,
        },
        trace: false,
        optimization: Optimization::Quick,
        cache_dir: target.join("cache"),
        cache_limit: u64::MAX,
    };
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join(".tools");
    let verilator = Search::from_env(tools).find().expect("Verilator");
    let built = build.build(&verilator).expect("built");
    put(&project, &built.path);
    let ran = project.run("run --dut built");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "lockstep: built/dut.so: expected 192 bytes of cycle_input_i, found 12: the design was built for another \
         layout of the DUT contract; build it again\n"
    );
}

#[test]
fn a_library_of_something_else() {
    let project = Project::built("library_foreign");
    // Any shared library, and any file: the machine's loader takes the one and refuses the other.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = target.join("own_design/other.cpp");
    let other = target.join("own_design/other.so");
    fs::write(&source, "int other = 1;\n").expect("written");
    let made = std::process::Command::new("c++")
        .args(["-shared", "-fPIC", "-o"])
        .args([&other, &source])
        .status()
        .expect("a compiler");
    assert!(made.success());
    put(&project, &other);
    let ran = project.run("run --dut built");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("expected interface version 3 in "),
        "{}",
        ran.stderr
    );
    put(&project, &source);
    let ran = project.run("run --dut built");
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("expected a loadable shared library at "),
        "{}",
        ran.stderr
    );
}
