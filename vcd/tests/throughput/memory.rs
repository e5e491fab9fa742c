//! The most memory that each reader has had, each in a process of its own.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use crate::readers::readers;

/// The first argument of a process that runs one reader.
pub const ONE: &str = "--memory-of";

/// Runs the reader `name` once, and prints the peak of the memory that was resident, in kB.
///
/// # Errors
/// No reader of that name, or one that fails; a system other than Linux.
pub fn one(name: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let readers = readers(path)?;
    let reader = readers.iter().find(|(other, _)| *other == name);
    let (_, read) = reader.ok_or("expected the name of a reader")?;
    black_box(read()?);
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.ok_or("expected VmHWM in /proc/self/status")?;
    println!("{}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

/// Prints the peak of every reader, or of the one named `only`.
///
/// # Errors
/// Those of [`one`].
pub fn measure(path: &Path, only: Option<&str>) -> Result<(), Box<dyn Error>> {
    println!("\n{:24} {:>8}", "peak of a process", "MB");
    for (name, _) in readers(path)? {
        if only.is_some_and(|only| only != name) {
            continue;
        }
        let mut process = Command::new(std::env::current_exe()?);
        let output = process.arg(ONE).arg(name).arg(path).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let kilobytes: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
        println!("{name:24} {:8.1}", kilobytes * 1.024e-3);
    }
    Ok(())
}
