//! Dumps by Icarus Verilog of the bundled RTL, as it is or with a planted bug.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use bytemuck::bytes_of;
use pmu_lockstep::stimulus::{Generator, Profile};
use pmu_model::{CycleInput, Implementation};

/// How long a simulation may take; a thousand cycles take a second.
const LIMIT: Duration = Duration::from_secs(200);

/// Whether Icarus Verilog is there; a test without it says so and passes.
pub fn found() -> bool {
    let found = Command::new("iverilog")
        .arg("-V")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: iverilog not found; install Icarus Verilog (Debian: iverilog)");
    }
    found
}

/// The first cycles of the default stimulus of seed 1, which is what `lockstep run` drives.
fn stimulus(cycles: usize) -> Vec<CycleInput> {
    let implementation = Implementation::default();
    let mut generator =
        Generator::new(1, &implementation, &Profile::default()).expect("the default is possible");
    let mut inputs = vec![CycleInput::default(); cycles];
    generator.fill(&mut inputs);
    inputs
}

/// The files of the RTL in a folder, packages first.
pub fn files(rtl: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(rtl)
        .expect("RTL")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sv"))
        .collect();
    files.sort_by_key(|path| (!path.to_string_lossy().ends_with("_pkg.sv"), path.clone()));
    files
}

/// Simulates `cycles` cycles of the RTL in `rtl` within `folder`, and dumps that many levels of scopes, 0 for all.
pub fn simulate(folder: &Path, rtl: &Path, cycles: usize, depth: u32) -> PathBuf {
    let mut hex = String::new();
    for input in stimulus(cycles) {
        // The first digit is the highest.
        for byte in bytes_of(&input).iter().rev() {
            write!(hex, "{byte:02x}").expect("a string");
        }
        hex.push('\n');
    }
    fs::write(folder.join("stimulus.hex"), hex).expect("written");
    let files = files(rtl);
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/offline/bench.sv");
    let compiled = Command::new("iverilog")
        .current_dir(folder)
        .args(["-g2012", "-o", "bench", "-s", "bench"])
        .arg(format!("-DCYCLES={cycles}"))
        .arg(format!("-DDEPTH={depth}"))
        .args(&files)
        .arg(bench)
        .output()
        .expect("iverilog starts");
    let message = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{message}");
    let mut running = Command::new("vvp")
        .current_dir(folder)
        .args(["-n", "bench"])
        .stdout(Stdio::null())
        .spawn()
        .expect("vvp starts");
    let start = Instant::now();
    let status = loop {
        if let Some(status) = running.try_wait().expect("vvp can be waited for") {
            break status;
        }
        if start.elapsed() > LIMIT {
            let _ = running.kill();
            panic!("vvp is still busy after {LIMIT:?}: does time stand still?");
        }
        sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "vvp: {status}");
    folder.join("dump.vcd")
}
