//! Embeds the bundled RTL, and Verilates it, untraced and traced, into an archive: the build script of the crate in
//! `bridge/designs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = package.ancestors().nth(2).expect("bridge/designs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let sources = rtl_sources(&root.join("rtl"));
    embed(&sources, &out.join("bundled_rtl.rs"));
    verilate(root, &out, sources);
}

/// The RTL's files, packages first.
fn rtl_sources(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut sources: Vec<_> = fs::read_dir(folder)
        .expect("rtl/ is part of the source")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sv"))
        .collect();
    sources.sort_by_key(|path| (!path.to_string_lossy().ends_with("_pkg.sv"), path.clone()));
    sources
}

/// The RTL as a constant, to build it with other parameters wherever the program is.
fn embed(sources: &[PathBuf], to: &Path) {
    let mut code = String::from("&[\n");
    for path in sources {
        let name = path.file_name().expect("a file").to_string_lossy();
        writeln!(
            code,
            "    ({name:?}, include_str!({:?})),",
            path.display().to_string()
        )
        .expect("writing to a string");
    }
    code.push(']');
    fs::write(to, code).expect("OUT_DIR is writable");
}

fn verilate(root: &Path, out: &Path, sources: Vec<PathBuf>) {
    use verilator_sys::find::Search;
    use verilator_sys::static_dut::StaticDutBuild;
    use verilator_sys::verilate::Design;
    use verilator_sys::{Optimization, PortSizes};

    let tools = root.join(".tools");
    println!("cargo::rustc-env=LOCKSTEP_TOOLS_DIR={}", tools.display());
    // Clippy has this script run once more, and links nothing.
    let wrapper = env::var_os("RUSTC_WORKSPACE_WRAPPER").map(PathBuf::from);
    if wrapper.is_some_and(|wrapper| wrapper.ends_with("clippy-driver")) {
        println!("cargo::rustc-env=LOCKSTEP_VERILATOR_VERSION=none");
        return;
    }
    let build = StaticDutBuild {
        design: Design {
            sources,
            top: "lockstep_dut".into(),
            ..Design::default()
        },
        sizes: PortSizes {
            input: 192,
            output: 104,
            parameters: 64,
        },
        symbol: "lockstep_bundled".into(),
        optimization: Optimization::Full,
    };
    match build.compile(&Search::from_env(tools), out) {
        Ok(built) => {
            println!(
                "cargo::rustc-env=LOCKSTEP_VERILATOR_VERSION={}",
                built.verilator.version
            );
        }
        Err(error) => {
            // One sentence that says what to do; a panic would bury it.
            println!("cargo::error={error}");
            std::process::exit(1);
        }
    }
}
