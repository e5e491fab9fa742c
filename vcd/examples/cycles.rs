//! Prints signals at the last twenty rising edges of a clock, with the values that a flip-flop takes in there.
//!
//! `cargo run -p lockstep-vcd --example cycles -- FILE CLOCK SIGNAL...`; `-` is standard input. With
//! `--features gzip,zstd` the file may be compressed.

use std::error::Error;
use std::process::ExitCode;

use lockstep_vcd::{Sampler, Source, Stream};

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
    let [path, clock, signals @ ..] = &arguments[..] else {
        return Err("expected FILE CLOCK SIGNAL...".into());
    };
    let mut dump = match path.as_str() {
        "-" => Stream::from_reader(std::io::stdin())?,
        _ => Stream::open(path)?,
    };
    let header = dump.header().clone();
    let probes = signals
        .iter()
        .map(|signal| header.find(signal))
        .collect::<Result<Vec<_>, _>>()?;
    let samples = Sampler::rising(header.find(clock)?)
        .last(20)
        .run(&mut dump, &probes)?;
    println!("{:>12} {}", "tick", signals.join(" "));
    for (time, values) in samples.rows() {
        let values = values.into_iter();
        let shown: Vec<_> = values
            .map(|value| value.map_or("-".to_owned(), ToString::to_string))
            .collect();
        println!("{time:>12} {}", shown.join(" "));
    }
    Ok(())
}
