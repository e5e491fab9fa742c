//! A project of a user: the design of `rtl/`, copied, with a folder to run commands in.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::command::{Ran, lockstep, run};
use crate::scratch::scratch;

/// What builds the design of a project.
pub const DESIGN: &str = "--filelist rtl/dut.f --top silent_wrapper";

/// A folder with the design in `rtl`.
pub struct Project(pub PathBuf);

impl Project {
    /// A fresh copy.
    pub fn new(name: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let folder = scratch(&format!("own_design/{name}"));
        copy(&root.join("own_design/rtl"), &folder.join("rtl"));
        let package = root.join("lockstep/rtl/idle_pkg.sv");
        fs::copy(package, folder.join("rtl/idle_pkg.sv")).expect("copied");
        let project = Self(folder);
        project.edit("rtl/dut.f", "../../lockstep/rtl/idle_pkg.sv", "idle_pkg.sv");
        project
    }

    /// One whose design is built in folder `built`.
    pub fn built(name: &str) -> Self {
        let project = Self::new(name);
        let ran = project.run(&format!("build {DESIGN} -o built"));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        project
    }

    /// A path in the project.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Replaces a text that is there.
    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(name)).expect("a file");
        assert!(text.contains(from), "{name}: {text}");
        self.write(name, &text.replace(from, to));
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    /// Runs a command line, split at blanks, in the project.
    pub fn run(&self, arguments: &str) -> Ran {
        run(lockstep(&self.0).args(arguments.split_whitespace()))
    }

    /// The same where there is neither a Verilator nor a compiler nor a cache.
    pub fn run_without_tools(&self, arguments: &str) -> Ran {
        run(lockstep(&self.0)
            .env("LOCKSTEP_CACHE", "/nowhere/cache")
            .env("VERILATOR_ROOT", "/nowhere/verilator")
            .env("CXX", "/nowhere/c++")
            .args(arguments.split_whitespace()))
    }

    /// What a command with `--json` prints, which ends with `code`.
    pub fn json(&self, arguments: &str, code: i32) -> Value {
        let ran = self.run(&format!("{arguments} --json"));
        assert_eq!(ran.code, code, "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).expect("JSON")
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("copied");
        }
    }
}
