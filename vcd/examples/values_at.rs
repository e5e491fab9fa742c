//! Prints the values of signals at a time, found by bisection: as fast on a large file as on a small one.
//!
//! `cargo run -p lockstep-vcd --example values_at -- FILE TICK [SIGNAL...]`; all variables without a signal.

use std::error::Error;
use std::fs::File;
use std::process::ExitCode;

use lockstep_vcd::{Probe, Source, Stream};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, tick, signals @ ..] = &arguments[..] else {
        return Err("expected FILE TICK [SIGNAL...]".into());
    };
    let tick = tick.parse()?;
    let mut dump = Stream::new(File::open(path)?)?;
    let header = dump.header().clone();
    let names: Vec<String> = match signals {
        [] => header.variables().iter().map(|v| header.path(v)).collect(),
        _ => signals.to_vec(),
    };
    let probes = match signals {
        [] => (0..names.len())
            .filter_map(|place| Probe::variable(&header, place))
            .collect(),
        _ => names
            .iter()
            .map(|name| header.find(name))
            .collect::<Result<Vec<_>, _>>()?,
    };
    let traces = dump.window(&probes, tick..=tick)?;
    for (name, trace) in names.iter().zip(&traces) {
        let value = trace.at(tick).map_or("-".to_owned(), ToString::to_string);
        println!("{name:24} {value}");
    }
    Ok(())
}
