//! Measures this crate's readers against wellen and the `vcd` crate on a dump.
//!
//! `cargo run --release --example throughput -- FILE [ROUNDS [READER]]`

mod readers;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("expected a file")?;
    let rounds = arguments.next().map_or(Ok(5), |rounds| rounds.parse())?;
    let only = arguments.next();
    readers::measure(Path::new(&path), rounds, only.as_deref())
}
