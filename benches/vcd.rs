//! Readers of waveform dumps, as ratios to wellen and the `vcd` crate: on a dump of the bundled RTL with many signals,
//! and on one of nine signals with millions of time stamps. All of it, and windows around a time and a clock cycle.
//!
//! `make bench`; `cargo bench --bench vcd -- ROUNDS` for another number of rounds than 5. The dumps, of 300 MB each,
//! are made once and left in `target/tmp/dumps`.

#[path = "../vcd/examples/generate/dump.rs"]
#[allow(dead_code, reason = "the other shape is for the example")]
mod dump;
#[path = "../vcd/tests/throughput/readers.rs"]
mod readers;

#[path = "common/rtl_dump.rs"]
mod rtl_dump;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use dump::Shape;
use rtl_dump::{MEGABYTES, once, rtl};

fn main() -> Result<(), Box<dyn Error>> {
    let rounds = std::env::args().filter_map(|word| word.parse().ok()).next();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dumps");
    fs::create_dir_all(&folder)?;
    for (what, name, make) in [
        ("the bundled RTL", "rtl.vcd", rtl as fn(&Path) -> _),
        ("nine signals, many time stamps", "small.vcd", small),
    ] {
        println!("{what}");
        let path = once(&folder.join(name), make)?;
        readers::measure(&path, rounds.unwrap_or(5), None)?;
        println!();
    }
    Ok(())
}

fn small(path: &Path) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    dump::dump(Shape::Small, MEGABYTES, &mut out)?;
    out.flush()?;
    Ok(())
}
