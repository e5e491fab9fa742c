//! Measures this crate's readers against wellen and the `vcd` crate on a dump: speed, and on Linux memory.
//!
//! `cargo run --profile bench -p lockstep-vcd-tests --example throughput -- FILE [ROUNDS [READER]]`; the profile
//! `release` of this workspace compiles wellen with less optimization.

mod memory;
mod readers;

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, name, path] = &arguments[..]
        && option == memory::ONE
    {
        return memory::one(name, Path::new(path));
    }
    let path = Path::new(arguments.first().ok_or("expected a file")?);
    let rounds = arguments.get(1).map_or(Ok(5), |rounds| rounds.parse())?;
    let only = arguments.get(2).map(String::as_str);
    readers::measure(path, rounds, only)?;
    match cfg!(target_os = "linux") && only != Some(readers::WINDOWS) {
        true => memory::measure(path, only),
        false => Ok(()),
    }
}
