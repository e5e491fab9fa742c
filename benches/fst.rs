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

type Job<'a> = (&'a str, Box<dyn Fn() -> Result<(), Box<dyn Error>> + 'a>);

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
        command(&["cut", text(&vcd)?, "-o", text(&fst)?])?;
        fs::copy(&fst, &copy)?;
    }
    if !map.exists() {
        command(&["map", text(&vcd)?, "-o", text(&map)?])?;
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
    let jobs: Vec<Job<'_>> = vec![
        (
            "library, clk_i",
            Box::new(|| read(fst, Some(&one)).map(drop)),
        ),
        (
            "stats, clk_i",
            Box::new(|| command(&["stats", fst, "--signals", "clk_i"])),
        ),
        (
            "show, clk_i, the last cycle",
            Box::new(|| command(&["show", fst, "--signals", "clk_i", "--cycle", &cycle])),
        ),
        (
            "library, ports",
            Box::new(|| read(fst, Some(&ports)).map(drop)),
        ),
        ("check", Box::new(|| command(&["check", fst, "--map", map]))),
        (
            "library, all, of two files",
            Box::new(|| read(fst, None).and_then(|_| read(copy, None)).map(drop)),
        ),
        ("diff", Box::new(|| command(&["diff", fst, copy]))),
        (
            "show, all, at 95 %",
            Box::new(|| {
                command(&[
                    "show",
                    fst,
                    "--signals",
                    "**",
                    "--changes",
                    "--csv",
                    "--at",
                    &late,
                ])
            }),
        ),
    ];
    let mut least = vec![Duration::MAX; jobs.len()];
    for _ in 0..rounds.unwrap_or(7) {
        for (least, (_, job)) in least.iter_mut().zip(&jobs) {
            let start = Instant::now();
            job()?;
            *least = start.elapsed().min(*least);
        }
    }
    for ((name, _), least) in jobs.iter().zip(&least) {
        println!("{name:28} {:8.3} s", least.as_secs_f64());
    }
    Ok(())
}

fn text(path: &Path) -> Result<&str, Box<dyn Error>> {
    path.to_str().ok_or_else(|| "a path that is text".into())
}

/// Runs `lockstep vcd`.
fn command(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockstep"));
    command.arg("vcd").args(arguments).stdout(Stdio::null());
    match command.status()?.success() {
        true => Ok(()),
        false => Err(format!("lockstep vcd {}", arguments.join(" ")).into()),
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
