//! Commands on an FST dump, as ratios to what the library alone needs for the same signals and times: what is 300 MB as
//! VCD, of the bundled RTL. All in one run, in turns, the least of all rounds each.
//!
//! `make bench`; `cargo bench --bench fst -- ROUNDS` for another number of rounds than 7. The dumps are made once and
//! left in `target/tmp/dumps`.

#[path = "common/rtl_dump.rs"]
mod rtl_dump;

use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalHandle};

/// What is measured, and whether it is the library alone, which the commands behind it are compared with.
type Job<'a> = (
    &'a str,
    bool,
    Box<dyn Fn() -> Result<(), Box<dyn Error>> + 'a>,
);

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().filter_map(|word| word.parse().ok()).next();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dumps");
    fs::create_dir_all(&folder)?;
    let vcd = rtl_dump::once(&folder.join("rtl.vcd"), rtl_dump::rtl)?;
    let (fst, copy, map) = (
        folder.join("rtl.fst"),
        folder.join("copy.fst"),
        folder.join("map.toml"),
    );
    if !copy.exists() {
        command(&["cut", text(&vcd)?, "-o", text(&fst)?], &[])?;
        fs::copy(&fst, &copy)?;
    }
    if !map.exists() {
        command(&["map", text(&vcd)?, "-o", text(&map)?], &[])?;
    }
    let mut names = Vec::new();
    let mut scopes = FstReader::open(BufReader::new(File::open(&fst)?))?;
    scopes.read_hierarchy(|entry| {
        if let FstHierarchyEntry::Var { name, handle, .. } = entry {
            let name = name.split(' ').next().unwrap_or_default().to_owned();
            names.push((name, handle));
        }
    })?;
    let handles = |wanted: &[&str]| -> Vec<usize> {
        let wanted = names
            .iter()
            .filter(|(name, _)| wanted.contains(&name.as_str()));
        wanted.map(|(_, handle)| handle.get_index()).collect()
    };
    let one = handles(&["clk_i"]);
    let ports = handles(&["clk_i", "cycle_input_i", "cycle_output_o", "parameters_o"]);
    let late = (scopes.get_header().end_time / 20 * 19).to_string();
    let (fst, copy, map) = (text(&fst)?, text(&copy)?, text(&map)?);
    let cycle = (read(fst, Some(&one))? / 2 - 2).to_string();
    let of_clock = ["--signals", "clk_i"];
    let late = ["--signals", "**", "--changes", "--csv", "--at", &late];
    let every = [
        "--signals",
        "TOP.cycle_*",
        "--csv",
        "--at",
        "0",
        "--window",
        &cycle,
    ];
    let jobs: Vec<Job<'_>> = vec![
        library("clk_i", || read(fst, Some(&one))),
        job("stats", || command(&["stats", fst], &of_clock)),
        job("show, the last cycle", || {
            command(&["show", fst, "--cycle", &cycle], &of_clock)
        }),
        library("ports", || read(fst, Some(&ports))),
        job("show, every cycle, as CSV", || {
            command(&["show", fst], &every)
        }),
        job("check", || command(&["check", fst, "--map", map], &[])),
        library("all, of two files", || {
            read(fst, None).and_then(|_| read(copy, None))
        }),
        job("diff", || command(&["diff", fst, copy], &[])),
        library("all", || read(fst, None)),
        job("show, a window at 95 %", || command(&["show", fst], &late)),
    ];
    let mut least = vec![Duration::MAX; jobs.len()];
    for _ in 0..rounds.unwrap_or(7) {
        for (least, (_, _, job)) in least.iter_mut().zip(&jobs) {
            let start = Instant::now();
            job()?;
            *least = start.elapsed().min(*least);
        }
    }
    let mut library = Duration::MAX;
    for ((name, is_library, _), least) in jobs.iter().zip(&least) {
        let seconds = least.as_secs_f64();
        if *is_library {
            library = *least;
            println!("library alone, {name:20} {seconds:8.3} s");
        } else {
            let ratio = seconds / library.as_secs_f64();
            println!("  {name:33} {seconds:8.3} s  {ratio:.2} of it");
        }
    }
    Ok(())
}

fn job<'a>(name: &'a str, run: impl Fn() -> Result<(), Box<dyn Error>> + 'a) -> Job<'a> {
    (name, false, Box::new(run))
}

fn library<'a>(name: &'a str, run: impl Fn() -> Result<u64, Box<dyn Error>> + 'a) -> Job<'a> {
    (name, true, Box::new(move || run().map(drop)))
}

fn text(path: &Path) -> Result<&str, Box<dyn Error>> {
    path.to_str().ok_or_else(|| "a path that is text".into())
}

/// Runs `lockstep vcd`.
fn command(words: &[&str], options: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("vcd").args(words).args(options);
    match command.stdout(Stdio::null()).status()?.success() {
        true => Ok(()),
        false => Err(format!("lockstep vcd {} {}", words.join(" "), options.join(" ")).into()),
    }
}

/// All changes that the library reads of some signals; their number.
fn read(file: &str, include: Option<&[usize]>) -> Result<u64, Box<dyn Error>> {
    let mut reader = FstReader::open(BufReader::new(File::open(file)?))?;
    reader.read_hierarchy(|entry| drop(black_box(entry)))?;
    let filter = FstFilter {
        start: 0,
        end: None,
        include: include.map(|handles| {
            handles
                .iter()
                .map(|&at| FstSignalHandle::from_index(at))
                .collect()
        }),
    };
    let mut changes = 0;
    let read = reader.read_signals(&filter, |time, handle, value| {
        changes += 1;
        black_box((time, handle, value));
        Ok::<(), std::convert::Infallible>(())
    });
    match read {
        Ok(()) => Ok(changes),
        Err(error) => Err(format!("{error:?}").into()),
    }
}
